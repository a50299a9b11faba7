"""Shapley values by the book: every coalition, the tree walked anew for each."""

from itertools import combinations
from math import factorial

import numpy as np


def coalitions(players):
    for size in range(len(players) + 1):
        yield from combinations(players, size)


def path_dependent(tree, x):
    """Return v(S) that sends a row down both branches where a feature is not in S."""

    def worth(S, node=0):
        f = tree.feature[node]
        if f < 0:
            return tree.value[node].ravel()
        left, right = tree.children_left[node], tree.children_right[node]
        if f in S:
            return worth(S, left if goes_left(tree, node, x[f]) else right)
        w = tree.weighted_n_node_samples
        return (w[left] * worth(S, left) + w[right] * worth(S, right)) / w[node]

    return worth


def goes_left(tree, node, x):
    sets = tree.category_set
    if np.isnan(x) or (sets is not None and sets[node] >= 0 and x < 0):
        return bool(tree.missing_go_to_left[node])
    if sets is not None and sets[node] >= 0:
        word = int(tree.left_categories[sets[node], int(x) // 32])
        return bool((word >> (int(x) % 32)) & 1)
    return x <= tree.threshold[node]


def interventional(answer, x, background):
    """Return v(S), the mean answer where the features not in S are the background's."""

    def worth(S):
        rows = np.array(background, float)
        rows[:, list(S)] = np.asarray(x)[list(S)]
        return np.mean(answer(rows), axis=0)

    return worth


def shapley(worth, d):
    """Return the values and the interactions of a game of d players."""
    v = {S: np.atleast_1d(worth(S)) for S in coalitions(range(d))}
    K = len(v[()])
    phi, pairs = np.zeros((d, K)), np.zeros((d, d, K))

    def with_(S, *more):
        return tuple(sorted(S + more))

    for i in range(d):
        for S in coalitions([k for k in range(d) if k != i]):
            weight = factorial(len(S)) * factorial(d - len(S) - 1) / factorial(d)
            phi[i] += weight * (v[with_(S, i)] - v[S])
        for j in set(range(d)) - {i}:
            for S in coalitions([k for k in range(d) if k not in (i, j)]):
                weight = factorial(len(S)) * factorial(d - len(S) - 2)
                gain = v[with_(S, i, j)] - v[with_(S, i)] - v[with_(S, j)] + v[S]
                pairs[i, j] += weight / factorial(d - 1) / 2 * gain
        pairs[i, i] = phi[i] - pairs[i].sum(axis=0)
    return phi, pairs
