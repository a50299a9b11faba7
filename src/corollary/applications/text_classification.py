"""Sorting texts by the words in them: spam, interesting news, topics of pages.

Also known as: spam filter, news filter, topic classification, document classification.

A text becomes a row of counts, one column for each word of the training texts, its
vocabulary; the order of words is forgotten, words that were never seen are skipped.
Multinomial naive Bayes then learns

    P(c)     = |texts of c| / |texts|                                            (1)
    P(w | c) = (n_w + alpha) / (n + alpha |Vocabulary|)                          (2)

with n words in all texts of class c, n_w of them equal to w.  How telling a word is of
a class: what it adds, on average over the words of the class, to the evidence for the
class against all others together,

    t_w = P(w | c) log [P(w | c) / P(w | not c)]                                 (3)

which are the terms of a Kullback-Leibler divergence, largest where a word is frequent
in the class and rare elsewhere.

Notation: texts in classes c; counts n_w = feature_count_ of the learner.
Course: S3-30, S3-31. References: Mitchell (1997), ch. 6; McCallum and Nigam (1998).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.interrupt import or_so_far
from corollary.core.parameters import estimator as an_estimator
from corollary.core.parameters import missing
from corollary.core.roles import Classifier
from corollary.engine.meta import Inside, MetaLearner
from corollary.naive_bayes.discrete import log_shares
from corollary.naive_bayes.multinomial_nb import MultinomialNB

__all__ = ["TellingWord", "TextClassifier", "words"]


def words(text: str) -> list[str]:
    """Cut a text at white space, in small letters, without the marks around words.

    Also known as: tokenizer, tokeniser.

    Hyphens and apostrophes inside a word stay, so that "hand-coding" is one word.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of str

    Examples
    --------
    >>> words("Hand-coding rules, by hand: costly!")
    ['hand-coding', 'rules', 'by', 'hand', 'costly']
    """
    bare = (re.sub(r"^\W+|\W+$", "", word) for word in text.lower().split())
    return [word for word in bare if word]


class TellingWord(NamedTuple):
    """A word that speaks for a class."""

    word: str
    weight: float  # (3)
    log_odds: float  # log P(w | c) - log P(w | not c)
    times: float  # how often it came in the class


class TextClassifier(MetaLearner, Classifier):
    """Classifies texts by their words.

    Parameters
    ----------
    vectorizer : transformer, optional
        Turns texts into counts; by default scikit-learn's `CountVectorizer` on `words`.
    model : classifier, optional
        A naive Bayes classifier of counts; by default ``MultinomialNB()``.

    Attributes
    ----------
    classes_ : array of shape (k,)
    vectorizer_, model_ : the fitted parts
    report_ : Report
        That of the model.

    Examples
    --------
    >>> from corollary import datasets
    >>> from corollary.applications.text_classification import TextClassifier
    >>> mail = datasets.messages()
    >>> model = TextClassifier().fit(mail.texts, mail.spam)
    >>> model.predict(["You won a free prize, claim your cash now"]).tolist()
    ['spam']
    >>> [word.word for word in model.telling_words(2)["spam"]]
    ['now', 'free']
    """

    rules: ClassVar = {
        "vectorizer": missing | an_estimator,
        "model": missing | an_estimator,
    }

    def __init__(self, vectorizer: Any = None, model: Any = None) -> None:
        self.vectorizer = vectorizer
        self.model = model

    def delegate(self, X: Any, y: Any, sample_weight: Any) -> Inside:
        """Learn the vocabulary of the texts X and the counts of each class y."""
        self.vectorizer_ = (
            CountVectorizer(tokenizer=words, token_pattern=None, lowercase=False)
            if self.vectorizer is None
            else clone(self.vectorizer)
        )
        listed = self._listed(X)
        try:
            counts = self.vectorizer_.fit_transform(listed)
        except ValueError as error:
            must, came = "texts must hold words", " ".join(str(error).split())
            raise DataError(sentence(self, must, came)) from None
        self.model_ = MultinomialNB() if self.model is None else clone(self.model)
        with or_so_far(self.model_):
            self.model_.fit(counts.astype(np.float64), y, sample_weight=sample_weight)
        self.classes_ = self.model_.classes_
        return Inside([self.model_], facts={"n_words": len(self.vocabulary())})

    def predict(self, texts: Iterable[str]) -> Vector:
        """Return the most probable class of each text."""
        return self.model_.predict(self._counts(texts))

    def predict_proba(self, texts: Iterable[str]) -> Floats:
        """Return the probability of each class for each text."""
        return self.model_.predict_proba(self._counts(texts))

    def vocabulary(self) -> list[str]:
        """Return the words that the model knows, in the order of its columns."""
        check_is_fitted(self)
        return [str(word) for word in self.vectorizer_.get_feature_names_out()]

    def telling_words(self, n: int = 10) -> dict[Any, list[TellingWord]]:
        """Return the words that speak most for each class (3).

        Parameters
        ----------
        n : int, default=10
            How many words for each class.

        Returns
        -------
        dict of class to list of TellingWord
            The most telling first.
        """
        if not isinstance(n, int | np.integer) or n < 1:
            raise ParameterError(
                sentence(self, "n must be a whole number >= 1", f"{n}")
            )
        known, N = np.array(self.vocabulary()), self.model_.feature_count_
        if len(N) < 2:
            must = "telling words must tell a class from another"
            raise DataError(sentence(self, must, "one class"))
        alpha = np.maximum(self.model_.alpha, 1e-10)
        inside, outside = (_smoothed(S, alpha) for S in (N, N.sum(axis=0) - N))
        odds = inside - outside
        weight = np.exp(inside) * odds  # (3)
        found = {}
        for c, label in enumerate(self.classes_.tolist()):
            best = np.lexsort((known, -weight[c]))[:n]
            columns = (known[best], weight[c, best], odds[c, best], N[c, best])
            found[label] = [
                TellingWord(str(w), float(t), float(o), float(m))
                for w, t, o, m in zip(*columns, strict=True)
            ]
        return found

    def _counts(self, texts: Iterable[str]) -> Any:
        check_is_fitted(self)
        return self.vectorizer_.transform(self._listed(texts)).astype(np.float64)

    def _listed(self, texts: Iterable[str]) -> list[str]:
        listed = None if isinstance(texts, str) else list(texts)
        if not listed or not all(isinstance(text, str) for text in listed):
            must = "texts must be a list of strings, one for each text"
            came = "one string" if listed is None else "something else"
            raise DataError(sentence(self, must, came if listed != [] else "none"))
        return listed


def _smoothed(S: Floats, alpha: Any) -> Floats:
    """Return the logarithms of (2)."""
    return log_shares(S + alpha, (S + alpha).sum(axis=1), S.shape[1])
