"""Counts of classes and scores of rows from the book, in float64."""

import numpy as np


def values(X, threshold):
    """Return X, or 1 where it is above the threshold and 0 elsewhere."""
    return X.astype(np.float64) if threshold is None else 1.0 * (X > threshold)


def class_counts(X, z, w, threshold, k):
    """Return the weight of each class and the sums of its features."""
    w = np.ones(len(X)) if w is None else w
    Y = (z[:, None] == np.arange(k)) * w[:, None]
    return Y.sum(axis=0), Y.T @ values(X, threshold)


def row_scores(X, threshold, W, constant):
    """Return constant_c + sum_j v(x_ij) W_jc."""
    return values(X, threshold) @ W + constant


def indicators(codes, d):
    """Return rows of d columns with a 1 added where the codes say."""
    X = np.zeros((len(codes), d))
    for i, row in enumerate(codes):
        for j in row:
            X[i, j] += 1
    return X
