"""Decompositions of a data matrix."""
