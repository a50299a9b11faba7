"""ID3 as the book has it: a recursion over lists of rows."""

import math
from collections import Counter


def entropy(weights):
    """Return the entropy of a dict of weights, in bits."""
    total = sum(weights.values())
    shares = [w / total for w in weights.values() if w > 0]
    return -sum(p * math.log2(p) for p in shares)


def tally(rows):
    """Return the weight of each class of rows (x, y, w)."""
    counts = Counter()
    for _, y, w in rows:
        counts[y] += w
    return counts


def branches(rows, j):
    """Return the rows of each value of attribute j."""
    out = {}
    for row in rows:
        out.setdefault(row[0][j], []).append(row)
    return out


def gain(rows, j):
    """Return the information gain of attribute j."""
    total = sum(w for _, _, w in rows)
    rest = sum(
        sum(w for _, _, w in part) / total * entropy(tally(part))
        for part in branches(rows, j).values()
    )
    return entropy(tally(rows)) - rest


def majority(rows):
    """Return the class of the largest weight, the first in order of equals."""
    counts = tally(rows)
    return min(counts, key=lambda y: (-round(counts[y], 9), y))


def grow(rows, d):
    """Return (answer, attribute, {value: tree}); the attribute is None at a leaf."""
    answer = majority(rows)
    useful = [j for j in range(d) if len(branches(rows, j)) > 1]
    if len(tally(rows)) == 1 or not useful:
        return answer, None, {}
    best = max(useful, key=lambda j: (round(gain(rows, j), 9), -j))
    parts = branches(rows, best).items()
    return answer, best, {value: grow(part, d) for value, part in parts}


def ask(tree, x):
    """Return the answer for one row; a node answers for values it does not know."""
    answer, j, below = tree
    return ask(below[x[j]], x) if j is not None and x[j] in below else answer


def size(tree):
    """Return the number of nodes."""
    return 1 + sum(size(part) for part in tree[2].values())
