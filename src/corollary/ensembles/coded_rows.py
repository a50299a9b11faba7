"""Rows as a byte for each feature: what boosters on histograms do before they boost.

They find the bins of every feature, keep of each row its codes, target and weight, and
set rows apart that say when to stop, or take the user's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.check_table import check_table
from corollary.core.errors import DataError, sentence
from corollary.engine.data import Data
from corollary.engine.held_out import HeldOut, split_rows
from corollary.engine.sources.source import Chunk
from corollary.ensembles.feature_constraints import categorical_mask
from corollary.trees.bins import Bins, find_bins
from corollary.trees.feature_columns import FeatureColumns, find_columns

__all__ = ["Rows", "Survey", "code_chunk", "hold_out", "survey_rows"]

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
    asked, n = booster.early_stopping, len(rows.y)
    booster.do_early_stopping_ = n > MANY if asked == "auto" else bool(asked)
    if own is not None:
        if not booster.do_early_stopping_:
            must = "X_val and y_val need early_stopping"
            came = f"early_stopping={asked!r} and {n} rows"
            raise DataError(sentence(booster, must, came, "Set early_stopping=True."))
        return rows, coded_own(booster, own, survey)
    if not booster.do_early_stopping_ or booster.validation_fraction is None:
        return rows, None
    share, stratum = booster.validation_fraction, booster.stratified(rows.y)
    train, held = split_rows(booster, n, share, stratum, survey.seed)
    return rows.part(np.sort(train)), rows.part(np.sort(held))


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
