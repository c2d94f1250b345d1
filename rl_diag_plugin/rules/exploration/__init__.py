"""Entropy and exploration."""
