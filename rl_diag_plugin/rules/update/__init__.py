"""Size and health of the policy update."""
