"""Throughput and stalls."""
