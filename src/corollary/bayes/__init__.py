"""Classifiers that apply Bayes' rule to a model of each class."""
