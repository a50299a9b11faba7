"""Every compiled loop: C++20 behind nanobind, one file a method.

The same sources are compiled for several widths of vector; the widest module that the
processor can run is chosen here. COROLLARY_LOOPS=baseline (or another module's name) in
the environment forces one, for tests.

A loop checks nothing (the caller did), releases the GIL and writes into the caller's
arrays. Loops that sum are serial; loops that only fill rows take ``threads``.
"""

import os
from importlib import import_module

from corollary.loops import baseline

target = os.environ.get("COROLLARY_LOOPS") or baseline.widest()
_loops = import_module(f"{__name__}.{target}")

__all__ = sorted(name for name in dir(_loops) if name[0] != "_" and name != "widest")
globals().update({name: getattr(_loops, name) for name in __all__})
