"""Inference for linear models: tables of coefficients, tests, robust errors."""
