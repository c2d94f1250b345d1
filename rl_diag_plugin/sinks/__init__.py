"""Where reports go: the terminal, JSON."""
