"""Words of a text column as numbers: tf-idf of the most frequent ones.

scikit-learn's `TfidfVectorizer` on a column of a table; what is missing is an empty
text.  A word t of a document d among n counts

    (1 + log tf(t, d)) (1 + log((1 + n) / (1 + df(t))))                            (1)

and each document is scaled to length 1.

Reference: Salton and Buckley (1988).
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfVectorizer

from corollary.core.parameters import Rule, whole
from corollary.core.table import table_of

__all__ = ["Words"]


class Words(TransformerMixin, BaseEstimator):
    """Turns one column of texts into weights of its words (1).

    Parameters
    ----------
    max_features : int, default=1000
        Words that are kept: the most frequent ones.

    Attributes
    ----------
    vectorizer_ : TfidfVectorizer
    n_features_in_ : int

    Examples
    --------
    >>> import pyarrow as pa
    >>> from corollary.workbench.words import Words
    >>> table = pa.table({"note": ["red fish", "blue fish", None]})
    >>> Words().fit_transform(table).shape
    (3, 3)
    """

    rules: ClassVar[dict[str, Rule]] = {"max_features": whole(1)}
    shapes: ClassVar[dict[str, str]] = {}
    parts: ClassVar[dict[str, str]] = {"vectorizer_": "transform"}
    may_be_infinite: ClassVar[tuple[str, ...]] = ()
    binary_parts: ClassVar[bool] = False
    some_classes: ClassVar[bool] = False
    some_features: ClassVar[bool] = True

    def __init__(self, max_features: int = 1000) -> None:
        self.max_features = max_features

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the words of a table of one column."""
        self.vectorizer_ = TfidfVectorizer(
            max_features=self.max_features, sublinear_tf=True, dtype=np.float64
        )
        texts = texts_of(X)
        if not any(text.strip() for text in texts):
            texts = ["nothing"]  # so that there is a word
        self.vectorizer_.fit(texts)
        self.n_features_in_ = 1
        return self

    def transform(self, X: Any) -> Any:
        """Return the weights of the words, a CSR matrix."""
        return self.vectorizer_.transform(texts_of(X))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the words."""
        return self.vectorizer_.get_feature_names_out()


def texts_of(X: Any) -> list[str]:
    """Return the texts of a table of one column; nothing for what is missing."""
    values = table_of("Words", X).column(0).array()
    return ["" if value is None or value != value else str(value) for value in values]
