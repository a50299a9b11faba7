"""Rows as a byte for each feature: what boosters on histograms do before they boost.

They find the bins of every feature, keep of each row its codes, target and weight, and
set rows apart that say when to stop, or take the user's own.  Those set apart are the
rows of each class with the smallest keys; the key of a row is made of its number and
the seed, so that it does not matter where the row is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, NamedTuple, Protocol

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.check_table import check_table
from corollary.core.errors import DataError, sentence
from corollary.core.randomness import number_keys
from corollary.engine.data import Data
from corollary.engine.held_out import HeldOut
from corollary.engine.sources.source import Chunk
from corollary.ensembles.feature_constraints import categorical_mask
from corollary.trees.bins import Bins, find_bins
from corollary.trees.feature_columns import FeatureColumns, find_columns

__all__ = [
    "Rows",
    "Survey",
    "code_chunk",
    "coded_own",
    "held_counts",
    "hold_out",
    "stops_early",
    "survey_rows",
]

MANY = 10_000  # rows from which early_stopping='auto' stops early


class Survey(NamedTuple):
    """What is known before rows are coded."""

    columns: FeatureColumns
    bins: Bins
    seed: int


@dataclass(frozen=True)
class Rows:
    """Coded rows, their targets and weights."""

    columns: Vector  # (d, n)
    y: Floats
    w: Floats | None

    @classmethod
    def of(cls, gathered: tuple[Vector, ...]) -> Rows:
        """Return what `code_chunk` made of all chunks, feature by feature."""
        codes, y, w = gathered
        return cls(np.ascontiguousarray(codes.T), y, None if (w == 1).all() else w)

    def weighed(self, of_class: Floats) -> Rows:
        """Return the rows with the weights of their classes in theirs."""
        own = of_class[self.y.astype(np.int64)]
        return replace(self, w=own if self.w is None else self.w * own)

    def part(self, rows: Vector) -> Rows:
        """Return some of the rows."""
        w = None if self.w is None else self.w[rows]
        return Rows(np.ascontiguousarray(self.columns[:, rows]), self.y[rows], w)


class CodedBooster(Protocol):
    """What the functions below ask of a booster."""

    max_bins: int
    early_stopping: str | bool
    validation_fraction: float | int | None
    categorical_features: Any
    do_early_stopping_: bool

    def encoded(self, y: Any) -> Floats:
        """Return targets of held-out rows as the loss takes them."""

    def stratified(self, y: Floats) -> Any:
        """Return what a split keeps the shares of, if anything."""


def survey_rows(booster: CodedBooster, data: Data, seed: int) -> Survey:
    """Find the bins of every feature."""
    asked = categorical_mask(booster, data.source.n_features)
    columns = find_columns(data, asked, booster.max_bins)
    bins = find_bins(data, booster.max_bins, columns, seed)
    return Survey(columns, bins, seed)


def code_chunk(chunk: Chunk, survey: Survey) -> tuple[Vector, ...]:
    """Return the codes of the rows, their targets and weights; drop weight 0."""
    w = np.ones(chunk.n) if chunk.w is None else chunk.w.astype(np.float64)
    rows: Any = slice(None) if chunk.w is None else w > 0
    codes = survey.bins.codes(survey.columns.matrix(chunk.X[rows]))
    return codes.T, chunk.y[rows].astype(np.float64), w[rows]


def hold_out(
    booster: CodedBooster, rows: Rows, survey: Survey, own: HeldOut | None
) -> tuple[Rows, Rows | None]:
    """Set rows apart that say when to stop, or take the user's own."""
    n, stops = len(rows.y), stops_early(booster, len(rows.y), own)
    if own is not None:
        return rows, coded_own(booster, own, survey)
    if not stops or booster.validation_fraction is None:
        return rows, None
    stratum = booster.stratified(rows.y)
    groups = np.zeros(n, np.int64) if stratum is None else stratum.astype(np.int64)
    asked_for = held_counts(booster, np.bincount(groups), stratum is not None)
    keys, apart = number_keys(np.arange(n), survey.seed), np.zeros(n, bool)
    for group, m in enumerate(asked_for.tolist()):
        those = np.flatnonzero(groups == group)
        if m:
            apart[those[np.argpartition(keys[those], m - 1)[:m]]] = True
    return rows.part(np.flatnonzero(~apart)), rows.part(np.flatnonzero(apart))


def stops_early(booster: CodedBooster, rows: int, own: HeldOut | None) -> bool:
    """Note whether the fit stops early; the user's own rows need that."""
    asked = booster.early_stopping
    stops = booster.do_early_stopping_ = rows > MANY if asked == "auto" else bool(asked)
    if own is not None and not stops:
        must = "X_val and y_val need early_stopping"
        came = f"early_stopping={asked!r} and {rows} rows"
        raise DataError(sentence(booster, must, came, "Set early_stopping=True."))
    return stops


def held_counts(booster: CodedBooster, rows: Vector, stratified: bool) -> Vector:
    """Return how many rows of each group are set apart: all have the same share.

    What is left of the parts of a row goes to the groups with the largest parts.
    """
    n, asked = int(rows.sum()), booster.validation_fraction
    assert asked is not None
    held = asked if isinstance(asked, Integral) else int(np.ceil(asked * n))
    groups = np.flatnonzero(rows)
    least = len(groups) if stratified else 1
    lonely = stratified and rows[groups].min() < 2
    if held < least or n - held < least or lonely:
        must = "validation_fraction must leave rows of every class on both sides"
        smallest = f", {rows[groups].min()} of the smallest class" if stratified else ""
        raise DataError(sentence(booster, must, f"{asked} of {n} rows{smallest}"))
    whole, part = zip(*(divmod(int(held) * m, n) for m in rows.tolist()), strict=True)
    counts = np.array(whole)
    more = np.argsort([-p for p in part], kind="stable")
    counts[more[: int(held) - int(counts.sum())]] += 1
    if stratified and (counts[groups] == rows[groups]).any():
        must = "rows of every class must be left to learn from"
        raise DataError(sentence(booster, must, "a class held out as a whole"))
    return counts


def coded_own(booster: CodedBooster, own: HeldOut, survey: Survey) -> Rows:
    """Code the user's own rows."""
    table = check_table(booster, own.X, reset=False, sparse=False)
    X = survey.columns.matrix(table)
    y = booster.encoded(own.y)
    if len(y) != len(X):
        must = f"y_val must have as many entries as X_val has rows, {len(X)}"
        raise DataError(sentence(booster, must, f"{len(y)}"))
    w = None if own.w is None else np.asarray(own.w, np.float64)
    return Rows(np.ascontiguousarray(survey.bins.codes(X)), y, w)
