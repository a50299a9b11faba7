"""The next tree of a boosting fit, by the book: every split of every leaf is tried."""

import numpy as np


def best_split(codes, g, h, rows, bins, categorical, least, l2):
    """Return (gain, feature, rows that go left) of the best split of some rows."""
    G, H = g[rows].sum(), h[rows].sum()
    best = (0.0, None, None)
    for f in range(len(codes)):
        own = codes[f][rows]
        for left in candidates(own, g[rows], h[rows], bins[f], categorical[f]):
            n = left.sum()
            if min(n, len(rows) - n) < least:
                continue
            a, b = g[rows][left].sum(), h[rows][left].sum()
            if min(b, H - b) < 1e-3:
                continue
            gain = a**2 / (b + l2) + (G - a) ** 2 / (H - b + l2) - G**2 / (H + l2)
            if gain > best[0] + 1e-9 * abs(best[0]) + 1e-12:
                best = (gain, f, rows[left])
    return best


def candidates(own, g, h, missing, categorical):
    """Yield which rows go left, for each way to cut one feature."""
    if categorical:
        values = np.unique(own)
        means = [g[own == v].sum() / (h[own == v].sum() + 10) for v in values]
        order = values[np.argsort(means, kind="stable")]
        for k in range(1, len(order)):
            yield np.isin(own, order[:k])
        return
    for v in np.unique(own[own != missing]):
        yield (own <= v) & (own != missing)
    if (own == missing).any():
        for v in np.unique(own[own != missing]):
            yield (own <= v) | (own == missing)


def grown(codes, g, h, bins, categorical, leaves, least, l2):
    """Return the value of each row and the number of leaves, best leaf first."""
    parts = [np.arange(len(g))]
    while len(parts) < leaves:
        found = [
            best_split(codes, g, h, p, bins, categorical, least, l2) for p in parts
        ]
        at = int(np.argmax([gain for gain, _, _ in found]))
        _, f, left = found[at]
        if f is None:
            break
        rest = np.setdiff1d(parts[at], left)
        parts[at] = left
        parts.append(rest)
    value = np.zeros(len(g))
    for part in parts:
        value[part] = -g[part].sum() / (h[part].sum() + l2)
    return value, len(parts)
