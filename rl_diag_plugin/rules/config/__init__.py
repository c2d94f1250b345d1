"""Configuration lint: read before the first step."""
