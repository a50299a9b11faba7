"""The page of a run: one HTML file that opens offline, made from plain findings."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
