"""Length and truncation."""
