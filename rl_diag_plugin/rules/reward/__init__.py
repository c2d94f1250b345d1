"""Reward and outcome."""
