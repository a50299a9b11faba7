"""Maximum entropy: the least committed distribution that meets its constraints."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
