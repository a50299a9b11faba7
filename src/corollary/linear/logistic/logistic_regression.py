"""Logistic regression with L2, L1, elastic-net or no penalty, in summation form.

Also known as: logistic, logit model, softmax regression, multinomial logistic
regression, maximum entropy classifier, MAP estimation with a Gaussian (L2) or Laplace
(L1) prior, probit regression.
Related words: IRLS, Newton's method, LDA vs logistic, cross-entropy.

Two classes, p = 1 / (1 + e^-(w'x + b)), and K classes, p = softmax(W x + b), minimise

    F(W, b) = 1/n sum_n w_n [-log p_{y_n}(x_n)] + l1 ||W||_1 + l2/2 ||W||^2,
    l1 = rho/(C n),  l2 = (1 - rho)/(C n),  rho = l1_ratio,  n = sum of weights  (1)

with gradient  1/n sum_n w_n (p(x_n) - e_{y_n}) x_n' + l2 W                      (2)

F is convex, and n F is minus the logarithm of the posterior under a prior of W with
density prop. to exp(-(rho |W| + (1 - rho) W^2/2) / C): L2 is a Gaussian of variance C.
The intercept is not penalised.  Three searches minimise it, all on sums over the rows:

    quasi-Newton   L-BFGS, preconditioned by blocks of the Hessian; with l1 > 0 its
                   steps stay in an orthant
    Newton         the full Hessian, of all pairs of classes
    descent        proximal Newton: coordinate descent on the full Hessian's quadratic
                   model

    solver               L2 or none      L1         elastic net   columns
    lbfgs                quasi-Newton    -          -             any number
    newton-cholesky      Newton          -          -             few: (m d)^2 numbers
    coordinate-descent   descent         descent    descent       any number (*)
    newton-cg            Newton          -          -             any number (*)
    sag                  quasi-Newton    -          -             any number
    saga                 quasi-Newton    descent    descent       any number (*)
    liblinear            quasi-Newton    descent    -             any number (*)

(*) beyond a few thousand weights W, whose Hessian would cost more than all else, Newton
and descent give way to quasi-Newton.  The last four are scikit-learn's names for
searches that end at the same minimum.  LIBLINEAR itself penalises the intercept too;
here 'liblinear' does not.

The report has the smaller of two bounds: the duality gap, and what a Newton step proves
(`newton_bound.py`), which holds without a penalty too.  Separable classes have no
maximum of likelihood: without a penalty W grows for ever, and the report says so
(`conclusion.py`).

Two classes may have any link g: P(y = 1 | x) = F(w'x + b), F = g^-1 (probit,
complementary log-log, cauchit; `bernoulli.py`).

Notation: W (1 or K, d) = coef_; b = intercept_; m = 1 for two classes and K otherwise.
Course: S4-9, S3-75, S1-34, S3-73, S3-74, S2-14, S2-15, S4-61. References: Bohning
(1992); Friedman, Hastie and Tibshirani (2010); McCullagh and Nelder (1989), 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats
from corollary.core.checks import check_two_classes
from corollary.core.class_weights import class_weight_rule
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import (
    Rule,
    anything,
    boolean,
    missing,
    one_of,
    real,
    seed,
    whole,
)
from corollary.core.report import Report, StopReason
from corollary.core.rows import dense
from corollary.engine import Chunk, Data, Fitted, Settled, SummationLearner
from corollary.linear import descent
from corollary.linear.class_statements import logistic_problem
from corollary.linear.class_weights import class_weights
from corollary.linear.glm import glm
from corollary.linear.inference.summarize import summarize_classes
from corollary.linear.inference.summary import Summary
from corollary.linear.linear_classifier import LinearClassifier
from corollary.linear.logistic.agreement import SMOOTH, check_agreement, price_and_share
from corollary.linear.logistic.bernoulli import begin_scoring, summarize_bernoulli
from corollary.linear.logistic.choice_of_search import chosen_search
from corollary.linear.logistic.conclusion import (
    Conclusion,
    account,
    conclusion_of,
    sums_of,
)
from corollary.linear.logistic.probabilities import log_probabilities, probabilities
from corollary.objectives.chunk_losses import Census, CrossEntropy, Sums
from corollary.objectives.links import LINKS, SHARES, Link
from corollary.objectives.penalties import Penalty
from corollary.objectives.problem import linear_problem_of

__all__ = ["LogisticRegression"]

SOLVERS = (*SMOOTH, "coordinate-descent", "saga", "liblinear")

a_link = Rule("a Link", lambda value: isinstance(value, Link))


@dataclass(frozen=True)
class LogisticState:
    """The state: the search and, at the end, what is to be said of it."""

    descent: descent.Descent
    census: Census
    conclusion: Conclusion = field(default_factory=Conclusion)


class LogisticRegression(SummationLearner, LinearClassifier):
    """Logistic regression, for two or more classes.

    Parameters
    ----------
    penalty : {'deprecated', 'l1', 'l2', 'elasticnet', None}
        The older way to say what C and l1_ratio say: 'l1' is l1_ratio=1, 'l2' is
        l1_ratio=0, 'elasticnet' leaves l1_ratio, None is C=inf.  Deprecated.
    C : float, default=1.0
        Inverse strength of the penalty, inf for none.
    l1_ratio : float, default=0.0
        Share of the L1 penalty, in [0, 1]: 0 for L2 alone, 1 for L1 alone; None is 0,
        and deprecated.
    dual : bool, default=False
        Kept for compatibility; only 'liblinear' with L2 takes True.
    tol : float, default=1e-4
        Stop when the largest entry of the gradient of (1) is below, the least
        subgradient where there is an L1 penalty; entries of a feature with a spread
        below 1 count in units of it.
    fit_intercept : bool, default=True
        Whether to fit b, which is not penalised.
    intercept_scaling : float
        Kept for compatibility.
    class_weight : dict, 'balanced' or None
        Weight of each class; 'balanced' gives all classes the same total.
    random_state : ignored
        Nothing is drawn.
    solver : str, default='lbfgs'
        'lbfgs', 'newton-cholesky', 'coordinate-descent', 'newton-cg', 'sag', 'saga' or
        'liblinear': see the table above.  An L1 penalty needs 'coordinate-descent',
        'saga' or 'liblinear'.
    max_iter : int, default=100
        Passes over the data after the first, which looks at the start; 0 leaves all
        coefficients at 0.
    verbose : int, default=0
        1 shows progress.
    warm_start : bool, default=False
        Start from the coefficients of the last fit.
    n_jobs : None
        Kept for compatibility, and deprecated; see
        `corollary.set_config(threads=...)`.
    link : str or Link, default='logit'
        'logit', 'probit', 'cloglog', 'loglog' or 'cauchit', or a link of
        `corollary.objectives.links`: for two classes, P(y = 1 | x) is its inverse of
        w'x + b.  Other links than the logit take an L2 penalty or none and are fitted
        by Fisher scoring, whatever the solver.

    Attributes
    ----------
    classes_ : array of shape (K,)
    coef_ : array of shape (1, d) or (K, d)
    intercept_ : array of shape (1,) or (K,)
    n_iter_ : array of shape (1,)
    boundary_ : float
        Of two classes, the score of even odds: 0 for the logit.
    n_features_in_ : int
    sums_ : GLMSums
        From which `summary` follows.
    report_ : Report
        With the duality gap.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LogisticRegression
    >>> X = np.array([[-2.0], [-1], [-0.5], [0.5], [1], [2]])
    >>> model = LogisticRegression().fit(X, [0, 0, 1, 0, 1, 1])
    >>> model.predict([[-3.0], [3.0]]).tolist()
    [0, 1]

    An L1 penalty leaves out what does not help:

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = X[:, 0] + 0.3 * rng.normal(size=200) > 0
    >>> model = LogisticRegression(l1_ratio=1, C=0.2, solver="coordinate-descent")
    >>> (model.fit(X, y).coef_ != 0).tolist()
    [[True, False, False, False]]
    """

    looks_first = True  # the first pass looks at the start
    shapes: ClassVar = {"classes_": "K", "coef_": "m d", "intercept_": "m"}
    rules: ClassVar = {
        "penalty": one_of("deprecated", "l1", "l2", "elasticnet", None),
        "C": real(0, ends="(]"),
        "l1_ratio": missing | real(0, 1),
        "dual": boolean,
        "tol": real(0, ends="(]"),
        "fit_intercept": boolean,
        "intercept_scaling": real(),
        "class_weight": class_weight_rule,
        "random_state": seed,
        "solver": one_of(*SOLVERS),
        "max_iter": whole(0),
        "verbose": whole(0) | boolean,
        "warm_start": boolean,
        "n_jobs": anything,
        "link": one_of(*SHARES) | a_link,
    }

    convex_problem = logistic_problem

    def __init__(
        self,
        penalty: str | None = "deprecated",
        *,
        C: float = 1.0,
        l1_ratio: float | None = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        random_state: Any = None,
        solver: str = "lbfgs",
        max_iter: int = 100,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
        link: str | Link = "logit",
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.link = link

    # -- what the parameters say ---------------------------------------------------
    def probability_link(self) -> Link:
        """Return the link as an object."""
        return self.link if isinstance(self.link, Link) else LINKS[self.link]

    def max_passes(self) -> int:
        """Bound the number of passes; the first looks at the start."""
        return 1 + int(self.max_iter)

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> LogisticState | glm.GLMState:
        """Count the classes, take the spread of the features, choose the search."""
        K, link = len(self.classes_), self.probability_link()
        check_two_classes(self)
        check_agreement(self)
        loss = CrossEntropy(K, class_weights(self, data))
        census = data.reduce(loss.census)
        present = np.count_nonzero(census.sum_y)
        if present < 2:
            must = "needs samples of at least 2 classes in the data with weight > 0"
            raise DataError(sentence(self, must, f"{present}"))
        C, rho = price_and_share(self)
        penalty = Penalty(1.0 / (C * census.n), rho)
        loss = replace(loss, totals=census.sum_y)
        if link == LINKS["logit"]:
            return self._begin(loss, penalty, census, data.source.dtype)
        last = self._last((1, data.source.n_features))
        return begin_scoring(self, data, loss.weights, penalty.strength, last)

    def _begin(
        self, loss: CrossEntropy, penalty: Penalty, census: Census, dtype: Any
    ) -> LogisticState:
        """State (1), and choose one of the three searches."""
        intercept = self.fit_intercept
        problem = linear_problem_of(loss, penalty, census, dtype, intercept=intercept)
        m, p = problem.shape
        last = self._last((m, p - 1))
        theta = problem.constant_model() if last is None else problem.point(*last)
        return LogisticState(chosen_search(self, problem, census, theta), census)

    def _last(self, shape: tuple[int, int]) -> tuple[Floats, Floats] | None:
        """Return W and b of the last fit, where asked and possible; 0 of no passes."""
        coef = dense(getattr(self, "coef_", np.zeros(0)))
        if self.warm_start and coef.shape == shape:
            return coef.astype(np.float64), np.broadcast_to(self.intercept_, shape[:1])
        return None if self.max_iter else (np.zeros(shape), np.zeros(shape[0]))

    def statistics(self, chunk: Chunk, state: Any) -> Sums:
        """Sum what the search asks for over the chunk's rows."""
        return descent.statistics(chunk, state.descent)

    def update(self, s: Sums, state: Any) -> Any:
        """Take a step of the search."""
        if isinstance(state, glm.GLMState):
            return glm.update(s, state)
        return replace(state, descent=descent.advance(s, state.descent))

    def objective(self, s: Sums, state: Any) -> float:
        """Return (1) where the search stands."""
        return state.descent.search.f

    def stop(self, state: Any) -> StopReason | None:
        """Stop when the gradient is small, in units of the curvature."""
        if isinstance(state, glm.GLMState):
            return glm.stop(state)
        problem, search = state.descent.problem, state.descent.search
        if search.g is not None:
            slopes = np.abs(problem.subgradient(search.x, search.g))
            if (slopes <= self.tol * problem.worth).all():
                return StopReason.CONVERGED
        return StopReason.STALLED if search.stalled else None

    def settle(self, data: Data, state: Any) -> Settled:
        """Take the gap, and look whether there is a minimum at all."""
        if isinstance(state, glm.GLMState):
            return Settled(glm.settle(data, state))
        return Settled(replace(state, conclusion=conclusion_of(data, state.descent)))

    def account(self, state: Any, report: Report) -> None:
        """Report the gap, the gradient, the search, and separable classes."""
        if isinstance(state, glm.GLMState):
            glm.account(state, report)
        else:
            account(state.descent, state.conclusion, report)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        problem = fitted.state.descent.problem
        W, b = problem.model(fitted.state.descent.search.x)
        b = b if self.fit_intercept else np.zeros_like(b)
        self.coef_, self.intercept_ = W.astype(problem.dtype), b.astype(problem.dtype)
        self.n_iter_ = np.array([fitted.report.passes - 1], dtype=np.int32)
        self.boundary_ = 0.0
        if isinstance(fitted.state, glm.GLMState):
            self.boundary_ = float(self.probability_link().of(np.array(0.5)))
            self.sums_ = glm.sums_of(fitted.state)
        else:
            end, census = fitted.state.conclusion, fitted.state.census
            self.sums_ = sums_of(fitted.state.descent, census, end)

    # -- use -----------------------------------------------------------------------
    def predict_proba(self, X: Any) -> Floats:
        """Return P(class | x), (n, K)."""
        return probabilities(self.decision_function(X), self.probability_link())

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log P(class | x), (n, K)."""
        return log_probabilities(self.decision_function(X), self.probability_link())

    def summary(
        self,
        confidence: float = 0.95,
        *,
        errors: str = "classical",
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> Summary:
        """Return coefficients with standard errors, z tests and measures of fit.

        The fit keeps the information matrix of few weights; of many, or of very many
        rows, the rows are needed once more.  Of more than two classes the coefficients
        are those against the first class.

        Parameters
        ----------
        confidence : float, default=0.95
            Of the intervals.
        errors : {'classical', 'HC0', 'HC1', 'HC2', 'HC3'}, default='classical'
            HC: standard errors that hold where the model is only about right; they
            need the rows of the fit once more.
        X, y, sample_weight : optional
            The rows, as in `fit`.

        Returns
        -------
        Summary

        Examples
        --------
        >>> import numpy as np
        >>> from corollary import LogisticRegression
        >>> X, y = np.arange(8.0)[:, None], [0, 0, 1, 0, 1, 0, 1, 1]
        >>> table = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y).summary()
        >>> table.coef.round(3).tolist(), table.standard_errors.round(3).tolist()
        ([-2.079, 0.594], [1.733, 0.432])
        """
        check_is_fitted(self)
        C, rho = price_and_share(self)
        if rho > 0 and np.isfinite(C):
            must = "summary needs an L2 penalty or none"
            remedy = "Errors after a choice of columns would mean nothing."
            raise ParameterError(sentence(self, must, f"l1_ratio = {rho:g}", remedy))
        rows = (X, y, sample_weight)
        if self.probability_link() == LINKS["logit"]:
            return summarize_classes(self, confidence, errors, rows)
        return summarize_bernoulli(self, confidence, errors, rows)
