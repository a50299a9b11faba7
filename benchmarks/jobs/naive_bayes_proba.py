"""Class probabilities by every naive Bayes classifier."""

from importlib import import_module

import numpy as np
import scipy.sparse as sp
from harness import Close, Job
from workloads import blobs, categories, texts

WORDS = 50_000


def numbers():
    X, y = blobs(300_000, 60, 10, std=4.0, box=1.5, dtype=np.float64)
    return {"X": X, "y": y}


def sparse():
    X, y = texts(100_000, WORDS, 20)
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "y": y}


def nominal():
    X, y = categories(500_000, 20, 8, 10)
    return {"X": X, "y": y}


KINDS = {
    "GaussianNB": (numbers, "300,000 x 60, 10 classes"),
    "MultinomialNB": (sparse, "100,000 texts, 50,000 words, 20 classes"),
    "BernoulliNB": (sparse, "100,000 texts, 50,000 words, 20 classes"),
    "ComplementNB": (sparse, "100,000 texts, 50,000 words, 20 classes"),
    "CategoricalNB": (nominal, "500,000 x 20 of 8 categories, 10 classes"),
}


def rows(X=None, data=None, indices=None, indptr=None, **_):
    if X is not None:
        return X
    return sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, WORDS))


def contestant(name, package):
    def prepare(y, **arrays):
        model = getattr(import_module(package), name)
        X = rows(**arrays)
        fitted = model().fit(X, y)
        return lambda: fitted.predict_proba(X)

    return prepare


def quality(P, y, **_):
    return {"accuracy": np.mean(P.argmax(axis=1) == y), "sum": P.sum()}


JOBS = [
    Job(
        title=f"{name}, probabilities of {sizes}",
        data=make,
        contestants={
            "corollary": contestant(name, "corollary"),
            "scikit-learn": contestant(name, "sklearn.naive_bayes"),
        },
        quality=quality,
        equal={"accuracy": Close(max, absolute=1e-5)},
    )
    for name, (make, sizes) in KINDS.items()
]
