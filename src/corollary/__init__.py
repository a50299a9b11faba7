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

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name):  # typed by the stub
    if name in __all__:
        return _load(name)
    raise AttributeError(f"module 'corollary' has no attribute {name!r}{_meant(name)}")


def _meant(name):
    """Suggest the public name that a misspelt one is nearest to."""
    import difflib

    known = {public.lower(): public for public in __all__}
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.7)
    return f". Did you mean {known[near[0]]!r}?" if near else ""
