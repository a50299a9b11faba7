"""Laws that are fitted to data: density, draws, estimation, priors.

A `Distribution` is an immutable value.  A `Family` learns one from sums over the rows;
a `Prior` turns the same sums into a posterior.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
