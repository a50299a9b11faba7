"""Trees as the book has them: every split tried, every row walked down by itself."""

import itertools

import numpy as np


def impurity(y, w, criterion):
    """Return H of the rows of a node."""
    total = w.sum()
    if criterion in ("gini", "entropy"):
        p = np.array([w[y == k].sum() for k in np.unique(y)]) / total
        return 1 - (p**2).sum() if criterion == "gini" else -(p * np.log2(p)).sum()
    if criterion == "absolute_error":
        return min((w * np.abs(y - c)).sum() for c in y) / total
    mean = (w * y).sum() / total
    if criterion == "poisson":
        positive = y > 0
        terms = w[positive] * y[positive] * np.log(y[positive] / mean)
        return terms.sum() / total if mean > 0 else np.inf
    return (w * (y - mean) ** 2).sum() / total


def left_impurity(left, y, w, criterion):
    """Return w(L) H(L) + w(R) H(R)."""
    parts = [(y[side], w[side]) for side in (left, ~left)]
    if criterion == "poisson" and min((a * b).sum() for a, b in parts) <= 0:
        return np.inf
    return sum(b.sum() * impurity(a, b, criterion) for a, b in parts)


def splits(x, categorical):
    """Yield every way to send the rows left by one feature."""
    missing, known = np.isnan(x), np.unique(x[~np.isnan(x)])
    if categorical:
        sizes = range(1, len(known) + 1)
        sets = [np.isin(x, s) for k in sizes for s in itertools.combinations(known, k)]
    else:
        sets = [x <= v for v in known]
    for left in sets:
        yield left & ~missing
        if missing.any():
            yield left | missing


def best_impurity(X, y, w, criterion, min_leaf=1, categorical=()):
    """Return the least w(L) H(L) + w(R) H(R) of all splits of all features."""
    best = np.inf
    for j in range(X.shape[1]):
        for left in splits(X[:, j], j in categorical):
            if min(left.sum(), (~left).sum()) >= min_leaf:
                best = min(best, left_impurity(left, y, w, criterion))
    return best


def goes_left(tree, node, x):
    """Tell where a row goes at a node."""
    v = x[tree.feature[node]]
    row = -1 if tree.category_set is None else tree.category_set[node]
    if np.isnan(v):
        return bool(tree.missing_go_to_left[node])
    if row < 0:
        return v <= tree.threshold[node]
    bits = tree.left_categories[row]
    if v < 0 or v != int(v) or v >= 32 * len(bits):
        return bool(tree.missing_go_to_left[node])
    return bool(int(bits[int(v) // 32]) >> int(v) % 32 & 1)


def path(tree, x):
    """Return the nodes that a row passes."""
    nodes = [0]
    while tree.feature[nodes[-1]] >= 0:
        left = goes_left(tree, nodes[-1], x)
        children = tree.children_left if left else tree.children_right
        nodes.append(int(children[nodes[-1]]))
    return nodes


def rank_codes(x, bins):
    """Return the codes of a column, their least and their largest values."""
    known = np.unique(x[~np.isnan(x)])
    codes = np.where(np.isnan(x), len(known), np.searchsorted(known, x))
    if len(known) <= bins:
        return codes, known, known
    counts = np.bincount(codes, minlength=len(known) + 1)[: len(known)]
    bin_of, size, left, code = [], 0, counts.sum(), 0
    for count in counts:
        if size * (bins - code) >= left and size and code + 1 < bins:
            left -= size
            code, size = code + 1, 0
        bin_of.append(code)
        size += count
    bin_of = np.array([*bin_of, code + 1])
    ends = [known[bin_of[:-1] == b] for b in range(code + 1)]
    low, high = ([f(e) for e in ends] for f in (np.min, np.max))
    return bin_of[codes], np.array(low), np.array(high)
