"""Cross-fitting: folds of the rows, each to be encoded by what the others say.

A row of weight 0 is no row: the folds are made of the others.  Splits that are given as
a list number all rows, and are taken as they are.  Every row must be held out once.

Where the rows to learn from are all that are not held out, their moments merge from
those of the folds, S_1 ... S_F, in 2 F steps:

    all but S_f = (S_1 + ... + S_{f-1}) + (S_{f+1} + ... + S_F)                      (1)

and nothing is ever taken away from a sum, which would lose digits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.warn import warn
from corollary.core.wording import one_sentence
from corollary.engine import Source
from corollary.engine.choosing_learner import check_routing
from corollary.engine.sources.opening import as_source
from corollary.preparation.tallies import Groups

__all__ = ["HeldOut", "folds_of", "read_twice", "routed_to_splitter", "router_of"]

Folds = list[tuple[Vector, Vector]]
FEW = 2**16  # groups of all folds that are always worth their memory


def folds_of(
    encoder: Any, y: Any, n: int, w: Vector | None, routed: Mapping[str, Any]
) -> Folds:
    """Return (train, test) of each fold, as numbers of rows.

    `routed` is what else the splitter is to know of all rows, such as their groups.
    """
    cv, labels = encoder.cv, encoder.target_type_ != "continuous"
    rows = np.arange(n)
    if w is not None and (cv is None or isinstance(cv, Integral) or is_splitter(cv)):
        rows = rows[w > 0]
    y = np.asarray(y)[rows]
    more = {k: None if v is None else np.asarray(v)[rows] for k, v in routed.items()}
    with one_sentence(encoder, "cv"):
        if cv is None or isinstance(cv, Integral):
            kind = StratifiedKFold if labels else KFold
            draw = encoder.random_state if encoder.shuffle else None
            k = 5 if cv is None else int(cv)
            cv = kind(k, shuffle=encoder.shuffle, random_state=draw)
            y = strata(encoder, y, k) if labels else y
        splitter = check_cv(cv, y, classifier=labels)
        folds = list(splitter.split(rows[:, None], y, **more))
    held_out = np.bincount(
        np.concatenate([test for _, test in folds]), minlength=len(rows)
    )
    if len(held_out) != len(rows) or (held_out != 1).any():
        must = "cv must hold out each row exactly once"
        row = int(np.argmax(held_out != 1))
        came = f"validation indices that hold row {row} out {held_out[row]} times"
        remedy = "Use a splitter with folds that do not overlap, such as KFold."
        raise ParameterError(sentence(encoder, must, came, remedy))
    return [(rows[train], rows[test]) for train, test in folds]


def strata(encoder: Any, y: Vector, k: int) -> Vector:
    """Return the classes of rows; those of fewer than k rows together, with a warning.

    Where even together they have fewer than k, they go with the largest class.
    """
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    rare = counts < k
    if not rare.any() or rare.all():
        return y
    least = int(counts.min())
    warn(
        f"{type(encoder).__name__}: a class has {least} rows, fewer than the {k} folds "
        "of the encoding: in some folds there is none."
    )
    together = len(classes) if counts[rare].sum() >= k else int(counts.argmax())
    return np.where(rare, together, np.arange(len(classes)))[codes]


@dataclass(frozen=True)
class HeldOut:
    """Folds, and which of them each row is held out in."""

    folds: Folds
    fold: Vector  # (n,); -1 = in none

    @classmethod
    def of(cls, folds: Folds, n: int) -> HeldOut:
        """Note for each row the fold that it is held out in."""
        fold = np.full(n, -1, dtype=np.int64)
        for number, (_, test) in enumerate(folds):
            fold[test] = number
        return cls(folds, fold)

    def moments(self, groups: Callable[..., Groups], codes: Vector, k: int) -> Groups:
        """Return the moments of k groups in the rows to learn from, of all folds.

        ``groups(rows, codes, k)`` takes those of some rows; codes of -1 are in no
        group.  The groups of one fold come after those of another.
        """
        F = len(self.folds)
        if not self.complements or F * k > 8 * len(codes) + FEW:
            return joined([groups(train, codes[train], k) for train, _ in self.folds])
        rows = np.flatnonzero((self.fold >= 0) & (codes >= 0))
        both = groups(rows, self.fold[rows] * k + codes[rows], F * k)
        return joined(all_but_one([both[f * k : (f + 1) * k] for f in range(F)]))

    @cached_property
    def complements(self) -> bool:
        """Whether the rows to learn from are all that are not held out."""
        total = int((self.fold >= 0).sum())
        for train, test in self.folds:
            there = np.zeros(len(self.fold), dtype=bool)
            there[train] = True
            once = int(there.sum()) == len(train) == total - len(test)
            if not once or there[test].any():
                return False
        return True


def all_but_one(parts: list[Groups]) -> list[Groups]:
    """Return the sum of all parts but the first, of all but the second, ... (1)."""
    after = parts[-1:]
    for part in reversed(parts[1:-1]):
        after.append(part + after[-1])
    found, before = [after.pop()], parts[0]
    for part in parts[1:-1]:
        found.append(before + after.pop())
        before = before + part
    return [*found, before]


def joined(parts: list[Groups]) -> Groups:
    """Return groups one after the other."""
    return Groups(
        np.concatenate([part.weight for part in parts]),
        np.concatenate([part.mean for part in parts]),
        np.concatenate([part.squares for part in parts]),
    )


def is_splitter(cv: Any) -> bool:
    """Tell whether folds are made by a splitter, rather than given."""
    return hasattr(cv, "split")


def read_twice(encoder: Any, X: Any, y: Any, w: Any) -> Source:
    """Return data as a source that can be read twice, to fit and to encode."""
    if hasattr(X, "__dask_graph__"):
        from corollary.engine.sources.dask import DaskSource

        return DaskSource(X, y, w)
    source = as_source(X)
    assert source is not None
    if y is not None or w is not None:
        must = "y and sample_weight must come inside the source, next to X"
        raise DataError(sentence(encoder, must, "them as separate arguments"))
    if not source.replayable:
        must = "fit_transform must read its rows twice"
        remedy = "Give a function that returns a new iterator."
        raise DataError(sentence(encoder, must, source.described, remedy))
    return source


# -- scikit-learn's routing ------------------------------------------------------------
def router_of(encoder: Any) -> MetadataRouter:
    """Say that what `fit_transform` gets beside weights goes to the splitter."""
    mapping = MethodMapping().add(caller="fit_transform", callee="split")
    router = MetadataRouter(owner=encoder).add_self_request(encoder)
    return router.add(splitter=check_cv(encoder.cv), method_mapping=mapping)


def routed_to_splitter(encoder: Any, further: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the splitter gets of the further arguments of `fit_transform`."""
    if not further:
        return {}
    check_routing(encoder, "fit_transform", further)
    return dict(process_routing(encoder, "fit_transform", **further).splitter.split)
