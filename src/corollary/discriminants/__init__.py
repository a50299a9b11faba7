"""Discriminants: classifiers that draw a line or a conic between class means."""
