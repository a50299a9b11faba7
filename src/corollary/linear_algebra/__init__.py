"""Decompositions of matrices."""
