"""scikit-learn's messages about data, in our words: one sentence, with our name."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import NamedTuple

from corollary.core.errors import DataError, SparseDataError, sentence

__all__ = ["one_sentence"]


class Wording(NamedTuple):
    """A pattern in a message, and the parts of our sentence for it."""

    pattern: str
    must: str
    came: str
    remedy: str = ""


TABLE = "{name} must be a table of rows and columns"
SHAPES = "Reshape your data: reshape(-1, 1) for one column, reshape(1, -1) for one row."

WORDINGS = (
    Wording(r"Expected 2D array, got (\w+) array", TABLE, "a {0} array", SHAPES),
    Wording(r"Found array with dim (\d+)", TABLE, "{0} dimensions"),
    Wording(r"inhomogeneous", TABLE, "rows of different lengths"),
    Wording(
        r"Found array with (0 .*? is required)",
        "{name} must have rows and columns",
        "{0}",
    ),
    Wording(
        r"could not convert string to float: (.*)",
        "{name} must hold numbers",
        "the text {0}",
        "Encode text as numbers first.",
    ),
    Wording(r"(.*argument must be a string.*)", "{name} must hold numbers", "{0}"),
    Wording(
        r"(Complex data not supported)",
        "{name} must hold real numbers",
        "complex ones ({0})",
        "Give real and imaginary parts as columns of their own.",
    ),
    Wording(
        r"Sparse data was passed",
        "{name} must be dense",
        "a sparse matrix",
        "Use toarray() if it fits in memory.",
    ),
    Wording(
        r"(X has \d+ features, but \w+ is expecting \d+ features as input)",
        "{name} must have as many columns as in fit",
        "another number ({0})",
    ),
    Wording(
        r"names should match those that were passed during fit\. (.*?)\.?$",
        "{name} must have the feature names of fit in their order",
        "others ({0})",
    ),
    Wording(
        r"at least one array or dtype is required",
        "{name} must have at least one column",
        "none",
    ),
    Wording(
        r"Expected unique column names, got: - (.*)$",
        "{name} must have columns of different names",
        "{0}",
    ),
    Wording(
        r"should be a 1d array, got an array of shape (\(.*?\))",
        "{name} must be one column",
        "shape {0}",
    ),
)


@contextlib.contextmanager
def one_sentence(who: object, name: str = "X") -> Iterator[None]:
    """Turn scikit-learn's longer messages about an input into one sentence of ours."""
    try:
        yield
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        text = " ".join(str(error).split())
        kind: type[Exception] = DataError
        if isinstance(error, TypeError):
            kind = SparseDataError if "Sparse" in text else TypeError
        raise kind(_told(who, name, text)) from None


def _told(who: object, name: str, text: str) -> str:
    for wording in WORDINGS:
        if found := re.search(wording.pattern, text):
            values = found.groups()
            must = wording.must.format(name=name)
            return sentence(who, must, wording.came.format(*values), wording.remedy)
    return f"{type(who).__name__}: {text}"
