"""Diagnostics: what a fit costs, what helps it, what misleads."""
