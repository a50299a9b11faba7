"""Conformal prediction: sets that hold the truth as often as they say, on any model."""
