"""Basis expansions: columns in which a linear model is no longer a straight line."""
