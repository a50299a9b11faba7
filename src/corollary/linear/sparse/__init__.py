"""Regression with sparse coefficients: lasso and elastic net."""
