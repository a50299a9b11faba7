"""Density estimation: laws of a known form, and of none."""
