"""Classifiers that apply Bayes' rule to a model of each class."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
