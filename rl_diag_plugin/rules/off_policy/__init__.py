"""Off-policy drift and sampler–trainer mismatch."""
