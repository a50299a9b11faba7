"""Multinomial naive Bayes, fit on sparse text: 200,000 texts, 50,000 words."""

import numpy as np
import scipy.sparse as sp
from harness import Close, Job
from workloads import texts


def data():
    X, y = texts(200_000, 50_000, 20)
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "y": y}


def rows(data, indices, indptr):
    return sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, 50_000))


def corollary(data, indices, indptr, y):
    from corollary import MultinomialNB

    X = rows(data, indices, indptr)
    return lambda: MultinomialNB().fit(X, y)


def sklearn(data, indices, indptr, y):
    from sklearn.naive_bayes import MultinomialNB

    X = rows(data, indices, indptr)
    return lambda: MultinomialNB().fit(X, y)


def quality(model, data, indices, indptr, y):
    X = rows(data, indices, indptr)[:20_000]
    return {"accuracy": np.mean(model.predict(X) == y[:20_000])}


JOB = Job(
    title="Multinomial naive Bayes, fit on 200,000 texts, 50,000 words, 20 classes",
    data=data,
    contestants={"corollary": corollary, "scikit-learn": sklearn},
    quality=quality,
    equal={"accuracy": Close(max, absolute=1e-6)},
)
