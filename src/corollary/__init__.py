"""Corollary: machine learning that is right, fast, and honest about itself.

Every estimator is importable from here, every function from its package; each is loaded
when it is first used::

    from corollary import KMeans, LogisticRegression, load, save, set_config
    from corollary.diagnostics import check_gradient

The stubs `__init__.pyi`, here and in each package, are the only list of these names;
`corollary.registry` reads it.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
