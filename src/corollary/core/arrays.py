"""The names of array types that the rest of the library writes in its signatures."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Vector: TypeAlias = npt.NDArray[Any]
Matrix: TypeAlias = Any  # (n, d) NumPy array or SciPy CSR matrix
Floats: TypeAlias = npt.NDArray[np.floating[Any]]
