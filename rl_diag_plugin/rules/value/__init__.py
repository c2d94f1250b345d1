"""Value function and critic."""
