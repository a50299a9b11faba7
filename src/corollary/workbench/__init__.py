"""The workbench: from a data file to a model, a diagnosis and a certificate."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
