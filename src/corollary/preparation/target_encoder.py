"""Target encoding: each category as a shrunken mean of y, in summation form.

Also known as: mean encoding, likelihood encoding, impact coding, M-estimate encoding.

With W_v rows of category v, whose y has mean m_v and variance s_v^2, and all rows of
mean m and variance s^2, category v becomes

    h(v) = L_v m_v + (1 - L_v) m,       L_v = W_v / (W_v + a)                        (1)

which is the mean of its rows and of `smooth` = a average ones.  'auto' takes the a for
which (1) is the posterior mean of a normal mean, of prior N(m, s^2), whose rows vary by
s_v^2 (empirical Bayes):

    a_v = s_v^2 / s^2,       L_v = W_v s^2 / (W_v s^2 + s_v^2)                       (2)

A category that training did not have becomes m.  Of two classes y is 1 for the second;
of more, each has its own column, with y = 1 for it and 0 for the others.

A row's own y is in its encoding, so a model that learns from encodings of its training
rows trusts them too much, the more the rarer the categories.  `fit_transform` encodes
each fold of the rows by (1) of the other folds; `transform` uses all of them.

(1) and (2) need the moments of y in each category, which add up: `fit` takes one pass
over any source.  To hold rows out is to know them one by one: `fit_transform` gathers
them in memory.

Notation: v = categories_; h = encodings_; m = target_mean_.
Course: S1-10, S3-25. References: Micci-Barreca (2001); Efron and Morris (1977).
"""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.multiclass import type_of_target

from corollary.core.arrays import Floats, Vector
from corollary.core.check_table import check_table
from corollary.core.checks import check_weights
from corollary.core.column import Column
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.memory import check_memory
from corollary.core.parameters import anything, boolean, one_of, real, seed
from corollary.core.report import Report
from corollary.core.roles import Transformer
from corollary.core.table import Table
from corollary.core.wording import one_sentence
from corollary.engine import ArraySource, Chunk, Data, Fitted, Source, SummationLearner
from corollary.engine.gather import gather
from corollary.engine.sources.opening import open_source
from corollary.preparation.category_learner import (
    CATEGORIES,
    check_categories,
    check_given,
    first_categories,
)
from corollary.preparation.cross_fitting import (
    HeldOut,
    folds_of,
    read_twice,
    routed_to_splitter,
    router_of,
)
from corollary.preparation.expansion import exact
from corollary.preparation.given_categories import given_categories
from corollary.preparation.positions import Positions, positions
from corollary.preparation.tallies import (
    Groups,
    Tallies,
    Tally,
    check_size,
    codes_of,
    tally_bytes,
)

__all__ = ["TargetEncoder"]

KINDS = ("binary", "multiclass", "continuous")


class TargetEncoder(SummationLearner, Transformer):
    """Turn each category into a shrunken mean of y (1).

    Parameters
    ----------
    categories : 'auto' or list of arrays, default='auto'
        The categories of each column; 'auto' takes those that training has, in order.
    target_type : {'auto', 'continuous', 'binary', 'multiclass'}, default='auto'
        Whether y is a number or a label; 'auto' takes fractions for numbers and all
        else for labels, as scikit-learn does.
    smooth : 'auto' or float, default='auto'
        How many average rows to mix in (1); 'auto' lets the variances decide (2).
    cv : int, splitter or iterable of (train, test), default=5
        The folds of `fit_transform`; each row must be held out once.
    shuffle : bool, default=True
        Draw the folds at random, where `cv` is a number.
    random_state : int, RandomState or None
        Seed of that draw.

    Attributes
    ----------
    encodings_ : list of arrays
        (1) for the categories of each column; of several classes those of the first
        column for each class, then of the second, and so on.
    categories_ : list of d arrays
        The categories of each column.
    target_type_ : str
        What y is: 'continuous', 'binary' or 'multiclass'.
    target_mean_ : float or array of shape (k,)
        Mean of y; of several classes their shares.
    classes_ : array of shape (k,) or None
        The labels; None where y is a number.
    n_features_in_ : int
    feature_names_in_ : array of shape (d,)
        Names of the columns, where they all have one.
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import TargetEncoder
    >>> X = np.array([["dog"] * 20 + ["cat"] * 30 + ["snake"] * 38], dtype=object).T
    >>> y = np.repeat([90.5, 80.0, 20.0, 49.0], [5, 15, 30, 38])
    >>> model = TargetEncoder(smooth=1.0).fit(X, y)
    >>> model.encodings_[0].round(1).tolist()
    [20.9, 80.9, 48.9]
    >>> model.transform([["cat"], ["cow"]]).round(1).tolist()
    [[20.9], [46.8]]
    """

    takes_columns = True
    target = "either"
    classes_: Any
    rules: ClassVar = {
        "categories": CATEGORIES,
        "target_type": one_of("auto", *KINDS),
        "smooth": one_of("auto") | real(0),
        "cv": anything,
        "shuffle": boolean,
        "random_state": seed,
    }

    def __init__(
        self,
        categories: Any = "auto",
        target_type: str = "auto",
        smooth: Any = "auto",
        cv: Any = 5,
        shuffle: bool = True,
        random_state: Any = None,
    ) -> None:
        self.categories = categories
        self.target_type = target_type
        self.smooth = smooth
        self.cv = cv
        self.shuffle = shuffle
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        tags.target_tags.required = True
        return tags

    def takes_missing(self) -> bool:
        """Take a missing value for a category."""
        return True

    # -- the target ----------------------------------------------------------------
    def target_of(self, y: Any, w: Vector | None, reset: bool) -> str:
        """Tell whether y is labels or numbers; rows of weight 0 have no say."""
        if reset and self.target_type == "auto":
            if w is not None and not w.all() and not sp.issparse(y):
                aligned = np.shape(y)[:1] == w.shape  # others are refused below
                y = np.asarray(y)[w > 0] if aligned else y
            with one_sentence(self, "y"), np.errstate(invalid="ignore"):
                kind = type_of_target(y, input_name="y")
            if kind not in KINDS:
                must = f"y must be one of {KINDS}"
                raise DataError(sentence(self, must, f"Unknown label type: {kind!r}"))
            self.target_type_ = kind
        elif reset:
            self.target_type_ = self.target_type
        return "number" if self.target_type_ == "continuous" else "labels"

    def target_of_source(self, source: Source, reset: bool) -> tuple[str, Any]:
        """Tell whether a source has labels or numbers; return the labels if known."""
        if not reset:
            return self.target_of(None, None, False), self.classes_
        classes = None
        if self.target_type == "auto":
            if not source.replayable and source.classes is None:
                must = "target_type must be stated where chunks come once"
                raise ParameterError(sentence(self, must, "'auto'"))
            classes = labels_of_source(self, source)
            several = classes is not None and len(classes) > 2
            self.target_type_ = "multiclass" if several else "binary"
            if classes is None:
                self.target_type_ = "continuous"
        else:
            self.target_type_ = self.target_type
        return self.target_of(None, None, False), classes

    def _n_classes(self) -> int:
        """Return the number of classes, 0 where y is a number."""
        if self.target_type_ == "continuous":
            return 0
        k = len(self.classes_)
        if self.target_type_ == "binary" and k > 2:
            must = "y must have two classes where target_type='binary'"
            raise DataError(sentence(self, must, f"{k}"))
        return 2 if self.target_type_ == "binary" else k

    def _groups(self, codes: Vector, k: int, w: Vector | None, y: Vector) -> Groups:
        """Return the moments of y in each of k groups of rows."""
        classes = self._n_classes()
        if not classes:
            return Groups.of(codes, k, w, y[:, None].astype(np.float64, copy=False))
        found = Groups.of_classes(codes, k, w, y, classes)
        return found if self.target_type_ == "multiclass" else found.column(1)

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> None:
        """Hold given categories to the number of columns, and y to its type."""
        check_given(self, self.categories, data.source.n_features)
        self._n_classes()

    def statistics(self, chunk: Chunk, state: Any) -> Tallies:
        """Take the moments of y in each category, and in all rows."""
        X, y, w = chunk.X, chunk.y, chunk.w
        if w is not None and not w.all():
            X, y, w = X[w > 0], y[w > 0], w[w > 0]
        columns = (self._tally(X, j, y, w) for j in range(X.shape[1]))
        rows = self._groups(np.zeros(len(X), dtype=np.int64), 1, w, y)
        return Tallies(tuple(columns), rows)

    def _tally(self, X: Any, j: int, y: Vector, w: Vector | None) -> Tally:
        who, name = type(self).__name__, X.name(j)
        labels, codes = codes_of(X.column(j), who)
        if isinstance(self.categories, str):
            check_size(who, name, labels)
            return Tally(who, name, labels, self._groups(codes, len(labels), w, y))
        known = given_categories(self, j, self.categories[j], labels)
        place = positions(Column(labels), known, self, learned=False).of_label
        sums = self._groups(place[codes], len(known), w, y)
        return Tally(who, name, known, sums, given=True)

    def update(self, s: Tallies, state: Any) -> Tallies:
        """Know the moments."""
        return s

    def account(self, state: Tallies, report: Report) -> None:
        """Report that nothing is approximated."""
        exact(report)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        s: Tallies = fitted.state
        several = self.target_type_ == "multiclass"
        self.categories_ = [tally.labels for tally in s.columns]
        tables = [shrunken(tally.sums, s.rows, self.smooth) for tally in s.columns]
        self.encodings_ = [column for table in tables for column in table.T.copy()]
        mean = s.rows.mean[0]
        self.target_mean_ = mean if several else mean[0]
        if self.target_type_ == "continuous":
            self.classes_ = None
        fitted.report.facts["n_features_out"] = len(self.encodings_)

    def _audit(self) -> None:
        """Refuse what no fit leaves: files can alter it."""
        check_categories(self)
        m = len(self.encodings_) // max(1, len(self.categories_))
        sizes = [len(known) for known in self.categories_ for _ in range(m)]
        good: Any = self.target_type_ in KINDS
        good = good and [np.shape(each) for each in self.encodings_] == [
            (k,) for k in sizes
        ]
        good = good and np.size(self.target_mean_) == m
        good = (
            good
            and np.isfinite([*self.encodings_[0], *np.ravel(self.target_mean_)]).all()
        )
        if not good:
            must = "encodings_ must hold a number for each category"
            raise ParameterError(sentence(self, must, "others"))

    def sums_bytes(self, n_features: int) -> int:
        """Estimate the size of a chunk's tallies."""
        return tally_bytes()

    def _example(self, n: int) -> Table:
        """Return rows of the first category of each column."""
        return first_categories(self.categories_, n)

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Floats:
        """Return (1) for each row, from all rows of training.

        Parameters
        ----------
        X : array, data frame, or Source of d columns

        Returns
        -------
        array of shape (n, d), or (n, d k) of k > 2 classes
        """
        table = self._table(X)
        out, m = self._room(len(table))
        for j, known in enumerate(self.categories_):
            found = self._positions(table.column(j), known)
            out[:, j * m : (j + 1) * m] = found.look_up(self._encoding(j))
        return out

    def _room(self, n: int) -> tuple[Floats, int]:
        """Return an array for n encoded rows, and how many columns an input has."""
        width = len(self.encodings_)
        what, remedy = f"{n:,} rows of {width:,} columns", "Transform in chunks."
        check_memory(self, 8.0 * n * width, what, remedy)
        return np.empty((n, width)), width // self.n_features_in_

    def _encoding(self, j: int) -> Floats:
        """Return (1) for the categories of column j, and last for unknown values."""
        m = len(self.encodings_) // self.n_features_in_
        known = np.column_stack(self.encodings_[j * m : (j + 1) * m])
        return np.vstack([known, np.reshape(self.target_mean_, (1, m))])

    def _positions(self, column: Column, known: Vector) -> Positions:
        learned = isinstance(self.categories, str)
        return positions(column, known, self, learned=learned)

    def fit_transform(
        self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any
    ) -> Any:
        """Fit, and return (1) for each row from the folds that it is not in.

        Parameters
        ----------
        X : array, data frame, or Source of d columns
        y : array of shape (n,)
            None where the source carries it.
        sample_weight : array of shape (n,), optional
            Weight w counts a row w times; 0 removes it from all means.
        **params
            What the splitter of `cv` asks for, such as `groups`, where scikit-learn
            routes metadata.

        Returns
        -------
        array of shape (n, d), or (n, d k) of k > 2 classes
            Of a source a source in memory, see `fit_transform_source`.
        """
        routed = routed_to_splitter(self, params)
        table = coded_table(check_table(copy(self), X, reset=True, sparse=False))
        self.fit(table, y, sample_weight)
        return self._held_out(self._rows(table, y, sample_weight), y, routed)

    def fit_transform_source(
        self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any
    ) -> ArraySource:
        """Do the same for a source; its rows are gathered in memory.

        Parameters
        ----------
        X : Source, iterator of chunks, or Dask collection
        y, sample_weight : Dask collection, optional
            None where the source carries them.
        **params
            As in `fit_transform`.

        Returns
        -------
        ArraySource
            The encoded rows, with target and weights.
        """
        routed = routed_to_splitter(self, params)
        source = read_twice(self, X, y, sample_weight)
        self.fit(source)
        rows = gather(Data(self, open_source(self, source, reset=False)))
        y = rows.y if self.classes_ is None else self.classes_[rows.y]
        found = ArraySource(self._held_out(rows, y, routed), y, rows.w)
        found.names = self.get_feature_names_out().tolist()
        return found

    def _rows(self, table: Table, y: Any, sample_weight: Any) -> Chunk:
        """Return rows in memory with y as `statistics` takes it; none is left out."""
        n = len(table)
        w = check_weights(self, sample_weight, n)
        y = np.asarray(y).reshape(-1)
        if self.classes_ is None:
            return Chunk(table, y.astype(np.float64, copy=False), w)
        codes = positions(Column(y), self.classes_, self).of_label
        return Chunk(table, np.maximum(codes, 0), w)  # -1: in rows of weight 0 alone

    def _held_out(self, rows: Chunk, y: Any, routed: dict[str, Any]) -> Floats:
        """Encode each fold by the moments of the others; rows in none by all."""
        n, w = rows.n, rows.w
        held = HeldOut.of(folds_of(self, y, n, w, routed), n)
        F, (out, m) = len(held.folds), self._room(n)

        def groups(some: Vector, codes: Vector, k: int) -> Groups:
            own = None if w is None else w[some]
            return self._groups(codes, k, own, rows.y[some])

        every = held.moments(groups, np.zeros(n, dtype=np.int64), 1)  # of F folds
        for j, known in enumerate(self.categories_):
            k = len(known)
            found = self._positions(rows.X.column(j), known)
            codes = found.look_up(np.append(np.arange(k), -1))
            sums = held.moments(groups, codes, k)  # of F folds with k groups each
            mine = shrunken(sums, every[np.repeat(np.arange(F), k)], self.smooth)
            tables = np.empty((F + 1, k + 1, m))  # the last of each is -1 as well
            tables[:F, :k], tables[:F, k] = mine.reshape(F, k, m), every.mean
            tables[F] = self._encoding(j)
            out[:, j * m : (j + 1) * m] = tables[held.fold, codes]
        return out

    def get_feature_names_out(self, input_features: Any = None) -> Vector:
        """Name the columns of `transform`.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the inputs; by default those seen in `fit`, or x0, x1, ...

        Returns
        -------
        array of str
            Of several classes each name with each class.
        """
        names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        if self.target_type_ != "multiclass":
            return names
        pairs = [f"{name}_{label}" for name in names for label in self.classes_]
        return np.array(pairs, dtype=object)

    def get_metadata_routing(self) -> Any:
        """Return what goes where: further arguments of `fit_transform` to `cv`."""
        return router_of(self)


def coded_table(table: Table) -> Table:
    """Return a table whose columns are labels and codes: each row is looked at once."""
    columns = (Column(*codes_of(column, "TargetEncoder")) for column in table.columns)
    return Table(tuple(columns), table.names, table.n)


def labels_of_source(who: object, source: Source) -> Vector | None:
    """Return the labels of a source, None where its target is a number."""
    try:
        labels = source.labels(who)
    except DataError:  # fractions are no labels
        return None
    fractions = labels.dtype.kind == "f" and (labels != np.floor(labels)).any()
    return None if fractions else labels


def shrunken(sums: Groups, rows: Groups, smooth: Any) -> Floats:
    """Return (1) of each group, (k, m); the mean of all rows where there is no row."""
    W, mean = sums.weight[:, None], rows.mean
    with np.errstate(invalid="ignore", divide="ignore"):
        if smooth == "auto":
            share = W * (rows.squares / rows.weight[:, None])  # W s^2
            L = share / (share + sums.squares / W)  # (2)
        else:
            L = W / (W + smooth)
    return np.where(np.isnan(L), mean, L * sums.mean + (1.0 - L) * mean)  # (1)
