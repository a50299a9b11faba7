"""Logistic regression with its penalty chosen by cross-validation.

Also known as: penalty path of logistic regression, regularisation path.

For every fold k, every share rho of the L1 penalty and every C, from strong to weak
penalties and each from the coefficients before, logistic regression is fitted without
the rows of fold k and scored on them:

    S_k(rho, C) = score of the fit on the rows held out                          (1)

The pair with the largest mean of (1) over the folds is taken and fitted to all rows;
with refit=False each fold takes its own best pair, and coefficients and pairs are
averaged.  Weights count in the fits and, where there are any, in (1), unless the scorer
refuses them.

The rows are held in memory: to hold some out is to know them one by one.

Notation: rho = l1_ratio_; S = scores_.
Course: S2-14. Reference: Friedman, Hastie and Tibshirani (2010).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import accuracy_score, check_scoring

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import (
    check_two_classes,
    check_two_rows,
)
from corollary.core.class_weights import class_weight_rule
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.interrupt import or_so_far
from corollary.core.parameters import (
    anything,
    array_like,
    boolean,
    missing,
    one_of,
    real,
    seed,
    whole,
)
from corollary.core.report import Optimality, Report
from corollary.core.vectors import non_negative
from corollary.core.warn import warn_of_change
from corollary.engine.choosing_learner import (
    ChoosingLearner,
    check_routing,
    refuses_weights,
)
from corollary.engine.fit import SHORT, inside_another_fit
from corollary.engine.sources.source import Chunk
from corollary.linear.class_statements import logistic_problem
from corollary.linear.folds import (
    folds_of,
    warn_of_short_folds,
)
from corollary.linear.linear_classifier import LinearClassifier
from corollary.linear.logistic.logistic_regression import SOLVERS, LogisticRegression
from corollary.linear.logistic.probabilities import log_probabilities, probabilities
from corollary.linear.logistic.unseen_classes import score_of, with_all_classes

__all__ = ["LogisticRegressionCV"]

FOLDS = 5
WEAKEST, STRONGEST = 4, -4  # powers of ten between which a number of Cs lies


class LogisticRegressionCV(ChoosingLearner, LinearClassifier):
    """Logistic regression that chooses C and l1_ratio by cross-validation.

    Parameters
    ----------
    Cs : int or array, default=10
        Inverse strengths to try; a number of them lies between 1e-4 and 1e4.
    l1_ratios : array or None, default=None
        Shares of the L1 penalty to try; None is (0.0,).
    fit_intercept : bool, default=True
    cv : int, splitter or iterable, default=None
        Folds; None for 5, or as many as the smallest class has rows, with the classes
        in equal shares.
        A row of weight 0 is left out before folds are made; a row of weight 2 lies in
        one fold, while copies of a row may lie in several, unless splits keep them
        together.  A class that a fold does not learn from has probability 0 there.
    dual : bool, default=False
    penalty : {'deprecated', 'l1', 'l2', 'elasticnet'}
        'l1' and 'l2' are l1_ratios=(1,) and (0,).  Deprecated.
    scoring : str, function or None
        What is largest at the best fit; None for the accuracy.
    solver : str, default='lbfgs'
    tol : float, default=1e-4
    max_iter : int, default=100
    class_weight : dict, 'balanced' or None
    n_jobs : ignored
    verbose : int, default=0
    refit : bool, default=True
        Whether to fit the best pair to all rows, or to average over the folds.
    intercept_scaling : float
    random_state : ignored
        As in `LogisticRegression`, as all that has no words here.
    use_legacy_attributes : bool, default=False
        True turns `scores_` and `coefs_paths_` into dicts by class (the second one of
        two), with axes (folds, Cs, l1_ratios), `n_iter_` into (1, folds, Cs,
        l1_ratios), `C_` and `l1_ratio_` into one number for each class; the axis of
        l1_ratios is left out where they are None.

    Attributes
    ----------
    classes_ : array of shape (K,)
    coef_ : array of shape (1, d) or (K, d)
    intercept_ : array of shape (1,) or (K,)
    C_, l1_ratio_ : float
    Cs_, l1_ratios_ : arrays
    scores_ : array of shape (folds, l1_ratios, Cs)
    coefs_paths_ : array of shape (folds, l1_ratios, Cs, 1 or K, d + 1)
        With the intercept in the last column, if there is one.
    n_iter_ : array of shape (folds, l1_ratios, Cs)
        Passes over the rows.
    n_features_in_ : int
    report_ : Report
        Of the last fit.

    Examples
    --------
    >>> from corollary import LogisticRegressionCV, datasets
    >>> drawn = datasets.classification(300, 4)
    >>> model = LogisticRegressionCV(Cs=5, cv=3, scoring="neg_log_loss")
    >>> model = model.fit(drawn.X, drawn.y)
    >>> model.C_, model.scores_.shape
    (100.0, (3, 1, 5))
    """

    shapes: ClassVar = {"classes_": "K", "coef_": "m d", "intercept_": "m"}
    rules: ClassVar = {
        "Cs": whole(1) | array_like,
        "l1_ratios": missing | array_like,
        "fit_intercept": boolean,
        "cv": anything,
        "dual": boolean,
        "penalty": one_of("deprecated", "l1", "l2", "elasticnet"),
        "scoring": anything,
        "solver": one_of(*SOLVERS),
        "tol": real(0, ends="(]"),
        "max_iter": whole(0),
        "class_weight": class_weight_rule,
        "n_jobs": anything,
        "verbose": whole(0) | boolean,
        "refit": boolean,
        "intercept_scaling": real(),
        "random_state": seed,
        "use_legacy_attributes": boolean,
    }

    convex_problem = logistic_problem
    scores_: Any
    coefs_paths_: Any
    C_: Any
    l1_ratio_: Any

    def __init__(
        self,
        *,
        Cs: Any = 10,
        l1_ratios: Any = None,
        fit_intercept: bool = True,
        cv: Any = None,
        dual: bool = False,
        penalty: str = "deprecated",
        scoring: Any = None,
        solver: str = "lbfgs",
        tol: float = 1e-4,
        max_iter: int = 100,
        class_weight: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        refit: bool = True,
        intercept_scaling: float = 1.0,
        random_state: Any = None,
        use_legacy_attributes: bool = False,
    ) -> None:
        self.Cs = Cs
        self.l1_ratios = l1_ratios
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.dual = dual
        self.penalty = penalty
        self.scoring = scoring
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.refit = refit
        self.intercept_scaling = intercept_scaling
        self.random_state = random_state
        self.use_legacy_attributes = use_legacy_attributes

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the rows of a fold and its scores."""
        return rows * (16.0 * features + 40.0)

    def score(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> float:
        """Return the value of `scoring`, by default the accuracy.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        **params
            Further arguments of the score, where scikit-learn routes metadata.
        """
        check_routing(self, "score", params)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if self.scoring is None:
            return float(accuracy_score(y, self.predict(X), **weights))
        scorer = check_scoring(self, scoring=self.scoring)
        if weights and refuses_weights(scorer):
            must = "score takes sample_weight only if `scoring` asks for it"
            remedy = "Use scoring.set_score_request(sample_weight=True)."
            raise ParameterError(sentence(self, must, "weights", remedy))
        return float(scorer(self, X, y, **weights, **params))

    def scores_answers(self) -> bool:
        """Tell whether `scoring` is scikit-learn's; a function may look at the rows."""
        if self.scoring is None or isinstance(self.scoring, str):
            return True
        return type(self.scoring).__module__.startswith("sklearn.")

    def predict_proba(self, X: Any) -> Floats:
        """Return P(class | x), (n, K)."""
        return probabilities(self.decision_function(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log P(class | x), (n, K)."""
        return log_probabilities(self.decision_function(X))

    # -- parts of a fit ------------------------------------------------------------
    def choose(self, rows: Chunk, report: Report, routed: dict[str, Any]) -> None:
        """Make the folds' paths, choose, and fit the choice."""
        self._warn()
        self.Cs_, self.l1_ratios_ = self._grid()
        check_two_rows(self, rows.n)
        check_two_classes(self)
        X, y, w = rows.X, rows.y, rows.w
        most = max(2, min(FOLDS, int(np.bincount(y).min())))
        cv = most if self.cv is None else self.cv
        folds = folds_of(self, cv, X, y, rows.kept, classifier=True, routed=routed)
        for k, (_, test) in enumerate(folds):
            if not len(test):
                must = f"fold {k} must hold out rows with a weight"
                raise DataError(sentence(self, must, "none"))
        paths = [self._path(X, y, w, train, test) for train, test in folds]
        short = sum(path[3] for path in paths)
        self.coefs_paths_ = np.array([path[0] for path in paths])
        self.scores_ = np.array([path[1] for path in paths])
        self.n_iter_ = np.array([path[2] for path in paths], dtype=np.int32)
        rho, at = best(self.scores_.mean(axis=0))
        self.C_, self.l1_ratio_ = float(self.Cs_[at]), float(self.l1_ratios_[rho])
        model = self._model(self.C_, self.l1_ratio_)
        with or_so_far(model), inside_another_fit():
            model.fit(X, y, w)
        self.coef_, self.intercept_ = model.coef_, model.intercept_
        report.take_over(model.report_)
        if not self.refit:
            self._average()
            words = "coefficients are means over the folds, which minimise nothing"
            report.optimality = Optimality(words, None)
        if self.use_legacy_attributes:
            self._use_legacy_attributes()
        warn_of_short_folds(short, report)

    def _warn(self) -> None:
        """Warn of what scikit-learn will drop."""
        if self.penalty != "deprecated":
            warn_of_change(self, "penalty is deprecated; use l1_ratios, C=inf for none")

    def _use_legacy_attributes(self) -> None:
        """Turn arrays into dicts by class, and a number into one for each class."""
        K = len(self.classes_)
        labels = self.classes_.tolist()[-1:] if K == 2 else self.classes_.tolist()
        last = np.s_[:, :, 0] if self.l1_ratios is None else np.s_[:]
        scores = np.moveaxis(self.scores_, 1, 2)[last]
        paths = np.moveaxis(self.coefs_paths_, (3, 0, 2, 1), (0, 1, 2, 3))
        self.scores_ = {label: scores for label in labels}
        self.coefs_paths_ = {
            label: path[last] for label, path in zip(labels, paths, strict=True)
        }
        self.n_iter_ = np.moveaxis(self.n_iter_, 1, 2)[last][None]
        self.C_ = np.full(len(labels), self.C_)
        self.l1_ratio_ = np.full(len(labels), self.l1_ratio_)

    def _grid(self) -> tuple[Floats, Floats]:
        """Return the Cs and the shares of the L1 penalty."""
        if np.ndim(self.Cs):
            Cs = non_negative(self, self.Cs, "Cs", ParameterError).ravel()
        else:
            Cs = np.logspace(STRONGEST, WEAKEST, int(self.Cs))
        if not len(Cs) or not (Cs > 0).all():
            must = "Cs must hold at least one number, all > 0"
            raise ParameterError(sentence(self, must, f"{Cs.tolist()}"))
        named = {"l1": 1.0, "l2": 0.0}.get(self.penalty)
        asked = (0.0,) if self.l1_ratios is None else self.l1_ratios
        rhos = np.atleast_1d(np.asarray(asked if named is None else (named,), float))
        if rhos.ndim != 1 or not len(rhos) or not ((rhos >= 0) & (rhos <= 1)).all():
            must = "l1_ratios must hold at least one number, all in [0, 1]"
            raise ParameterError(sentence(self, must, f"{rhos.tolist()}"))
        return Cs, rhos

    def _model(self, C: float, rho: float) -> LogisticRegression:
        return LogisticRegression(
            C=C,
            l1_ratio=rho,
            dual=self.dual,
            tol=self.tol,
            fit_intercept=self.fit_intercept,
            intercept_scaling=self.intercept_scaling,
            class_weight=self._class_weight(),
            solver=self.solver,
            max_iter=self.max_iter,
            verbose=self.verbose,
        )

    def _class_weight(self) -> Any:
        """Return the weights of the classes by their codes."""
        asked, known = self.class_weight, self.classes_.tolist()
        if not isinstance(asked, dict):
            return asked
        strange = [label for label in asked if label not in known]
        if strange:
            must = f"class_weight must name classes among {known}"
            raise ParameterError(sentence(self, must, repr(strange[0])))
        return {known.index(label): weight for label, weight in asked.items()}

    def _path(
        self, X: Matrix, y: Vector, w: Vector | None, train: Vector, test: Vector
    ) -> tuple[Floats, Floats, Any, int]:
        """Return coefficients, scores (1), passes, and how many fits stopped short."""
        at_test = {} if w is None else {"sample_weight": w[test]}
        learn = X[train], y[train], None if w is None else w[train]
        seen, K, d = np.unique(y[train]), len(self.classes_), X.shape[1]
        shape = len(self.l1_ratios_), len(self.Cs_)
        scores, passes = np.empty(shape), np.empty(shape, dtype=int)
        thetas: list[list[Any]] = [[None] * shape[1] for _ in range(shape[0])]
        short = 0
        for i, rho in enumerate(self.l1_ratios_):
            model = self._model(1.0, float(rho)).set_params(warm_start=True)
            scorer = check_scoring(model, scoring=self.scoring)
            counted = {} if refuses_weights(scorer) else at_test
            held_out = X[test], y[test], counted
            for j in np.argsort(self.Cs_):
                passes[i, j] = 0
                if len(seen) > 1:
                    with inside_another_fit():
                        model.set_params(C=float(self.Cs_[j])).fit(*learn)
                    passes[i, j] = model.report_.passes
                    short += model.report_.stop in SHORT
                full = with_all_classes(model, seen, K, d)
                b = [full.intercept_] if self.fit_intercept else []
                thetas[i][j] = np.column_stack([full.coef_, *b])
                scores[i, j] = score_of(scorer, full, *held_out)
        return np.array(thetas), scores, passes, short

    def _average(self) -> None:
        """Take the mean of what is best in each fold."""
        chosen = [best(scores) for scores in self.scores_]
        theta = np.mean(
            [path[at] for path, at in zip(self.coefs_paths_, chosen, strict=True)],
            axis=0,
        )
        self.C_ = float(np.mean([self.Cs_[j] for _, j in chosen]))
        self.l1_ratio_ = float(np.mean([self.l1_ratios_[i] for i, _ in chosen]))
        dtype, d = self.coef_.dtype, self.coef_.shape[1]
        self.coef_ = theta[:, :d].astype(dtype)
        if self.fit_intercept:
            self.intercept_ = theta[:, d].astype(dtype)


def best(scores: Floats) -> tuple[int, int]:
    """Return where the largest score is, the first of equals."""
    i, j = np.unravel_index(int(np.argmax(scores)), scores.shape)
    return int(i), int(j)
