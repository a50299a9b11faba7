"""Errors: one sentence that says who, what must hold, what came, and what to do.

``KMeans: n_clusters must be at most n_samples = 5; got 8. Use fewer clusters.``
"""

from __future__ import annotations

__all__ = [
    "ClusterError",
    "DataError",
    "MemoryLimitError",
    "MixedTypesError",
    "ModelFileError",
    "NumericalError",
    "ParameterError",
    "SparseDataError",
    "sentence",
]


class ParameterError(ValueError, TypeError):
    """A parameter of a learner has a value, or a type, that makes no sense.

    Both a ValueError and a TypeError, as scikit-learn's is.
    """


class DataError(ValueError):
    """The data cannot be learned from: wrong shape, NaN, a column missing, ..."""


class SparseDataError(DataError, TypeError):
    """Sparse data came where only dense data is taken; a TypeError to scikit-learn."""


class MixedTypesError(DataError, TypeError):
    """A column mixes values that have no order among them, such as text and numbers.

    Also a TypeError, as scikit-learn's encoders raise it.
    """


class NumericalError(DataError):
    """Finite data has led to a result that is not finite, or to none."""


class MemoryLimitError(MemoryError):
    """A fit would need more memory than `set_config(memory_limit=...)` allows."""


class ClusterError(RuntimeError):
    """A cluster has no workers left, shows no progress, or loses a part again."""


class ModelFileError(ValueError):
    """A model file is damaged, forged, or of a version that cannot be read."""


def sentence(who: object, must: str, came: str, remedy: str = "") -> str:
    """Compose the sentence of an error.

    >>> sentence("Ridge", "alpha must be >= 0", "-1", "Use 0 for least squares.")
    'Ridge: alpha must be >= 0; got -1. Use 0 for least squares.'
    """
    name = who if isinstance(who, str) else type(who).__name__
    return f"{name}: {must}; got {came}.{' ' + remedy if remedy else ''}"
