"""Optimizer, gradients, numerics."""
