"""Data to learn from: small tables with known answers, shapes, and large streams.

Nothing is downloaded.  The small tables are those of the courses; each carries the
answers that a method must give in `known`.

>>> from corollary import datasets
>>> datasets.play_tennis().class_counts()
{'No': 5, 'Yes': 9}
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
