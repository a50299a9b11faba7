"""The best cut of a weighted stump, by trying every one."""

import numpy as np


def order(X):
    """Sort each column; mark the places where no cut can follow by ~row."""
    rows = np.argsort(X, axis=0, kind="stable").T
    out = np.empty(rows.shape, np.int32)
    for j, row in enumerate(rows):
        x = X[row, j]
        cut = np.append(x[1:] > x[:-1], [False] * (len(x) > 0))
        out[j] = np.where(cut, row, ~row)
    return out


def cuts(X, j):
    """Yield the low side of every cut of a column, the empty one first."""
    yield np.zeros(len(X), bool)
    for t in np.unique(X[:, j])[:-1]:
        yield X[:, j] <= t


def sign_sums(X, s):
    """Return the least and the largest sum of s on the low side, of each column."""
    sums = [[s[low].sum() for low in cuts(X, j)] for j in range(X.shape[1])]
    return np.array([min(each) for each in sums]), np.array(
        [max(each) for each in sums]
    )


def majorities(X, z, w, k):
    """Return the largest weight of both majorities, of each column."""

    def weight(side):
        return np.bincount(z[side], w[side], k).max()

    return np.array(
        [
            max(weight(low) + weight(~low) for low in cuts(X, j))
            for j in range(X.shape[1])
        ]
    )
