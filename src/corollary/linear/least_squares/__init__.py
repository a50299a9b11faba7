"""Regression by squared error: least squares, ridge, Bayesian, components."""
