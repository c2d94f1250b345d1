"""Integrity of the log itself."""
