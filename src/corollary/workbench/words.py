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
from sklearn.base import TransformerMixin
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils.validation import check_is_fitted

from corollary.core.errors import DataError, sentence
from corollary.core.parameters import Rule, check_parameters, whole
from corollary.core.roles import Estimator
from corollary.core.table import table_of

__all__ = ["Words"]

MANY = 50  # texts, from which words of a single one are left out
OPTIONS: dict[str, Any] = {"sublinear_tf": True, "dtype": np.float64}


class Words(TransformerMixin, Estimator):
    """Turns one column of texts into weights of its words (1).

    Parameters
    ----------
    max_features : int, default=1000
        Words that are kept: the most frequent ones.  Of 50 texts or more, words that
        only one of them has are left out.

    Attributes
    ----------
    words_ : array of str
        In the order of the columns.
    idf_ : array of floats
        The second factor of (1) for each of them.
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
    shapes: ClassVar[dict[str, str]] = {"words_": "w", "idf_": "w"}
    takes_columns = True

    def __init__(self, max_features: int = 1000) -> None:
        self.max_features = max_features

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # texts, and no array of numbers
        tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the words of a table of one column."""
        check_parameters(self, self.rules)
        texts = texts_of(X)
        least = 2 if len(texts) >= MANY else 1  # a word of one text tells nothing
        vectorizer = TfidfVectorizer(
            max_features=self.max_features, min_df=least, **OPTIONS
        )
        try:
            vectorizer.fit(texts)
        except ValueError:  # no text has a word
            vectorizer.set_params(min_df=1).fit(["nothing"])  # so that there is one
        self.words_ = vectorizer.get_feature_names_out()
        self.idf_ = vectorizer.idf_
        self.n_features_in_ = 1
        return self

    def transform(self, X: Any) -> Any:
        """Return the weights of the words, a CSR matrix."""
        check_is_fitted(self)
        vectorizer = TfidfVectorizer(vocabulary=self.words_, **OPTIONS)
        vectorizer.idf_ = self.idf_
        return vectorizer.transform(texts_of(X))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the words."""
        check_is_fitted(self)
        return self.words_

    def _audit(self) -> None:
        """Refuse what no fit leaves: files can alter it."""
        words = list(self.words_)
        texts = all(isinstance(word, str) for word in words)
        if not texts or not words or len(set(words)) < len(words):
            raise DataError(sentence(self, "words_ must be different texts", "others"))
        if self.idf_.dtype != np.float64:
            raise DataError(sentence(self, "idf_ must be decimals", "others"))


def texts_of(X: Any) -> list[str]:
    """Return the texts of a table of one column; nothing for what is missing."""
    table = table_of("Words", X)
    if table.shape[1] != 1:
        raise DataError(
            sentence("Words", "X must have one column", f"{table.shape[1]}")
        )
    values = table.column(0).array()
    return ["" if value is None or value != value else str(value) for value in values]
