"""Regression that a few wild rows cannot turn: Huber's loss, consensus, medians."""
