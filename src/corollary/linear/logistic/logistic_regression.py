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

Two classes may have any link g: P(y = 1 | x) = F(w'x + b), F = g^-1, which is the law
of  y = 1[w'x + b + noise > 0]  where -noise has the distribution function F (probit,
complementary log-log, cauchit).  That is the generalised linear model of the Bernoulli
family with alpha = 1/(C n), fitted by Fisher scoring (`linear/glm/glm.py`).

Notation: W (1 or K, d) = coef_; b = intercept_; m = 1 for two classes and K otherwise.
Course: S4-9, S3-75, S1-34, S3-73, S3-74, S2-14, S2-15, S4-61. References: Bohning
(1992); Friedman, Hastie and Tibshirani (2010); McCullagh and Nelder (1989), 4.3.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import check_memory, check_two_classes
from corollary.core.class_weights import class_weight_rule
from corollary.core.deprecations import warn_of_change
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
from corollary.linear.class_weights import class_weights
from corollary.linear.convex_statements import logistic_problem
from corollary.linear.glm import glm
from corollary.linear.linear_classifier import LinearClassifier
from corollary.linear.logistic.conclusion import Conclusion, account, conclusion_of
from corollary.linear.logistic.probabilities import log_probabilities, probabilities
from corollary.objectives.chunk_losses import Census, CrossEntropy, Deviance, Sums
from corollary.objectives.families import Binomial
from corollary.objectives.links import LINKS, SHARES, Link
from corollary.objectives.penalties import Penalty
from corollary.objectives.problem import constant_curvature, linear_problem_of

__all__ = ["LogisticRegression"]

MANY = 2000  # weights W whose Hessian would cost more than all else
MOST = 15_000  # such that the Hessian still fits into memory
SMOOTH = ("lbfgs", "newton-cholesky", "newton-cg", "sag")
SOLVERS = (*SMOOTH, "coordinate-descent", "saga", "liblinear")
PENALTIES = {"l1": 1.0, "l2": 0.0}
PATIENCE = (10, 40)  # passes before the blocks are taken anew, d/4 within these bounds

a_link = Rule("a Link", lambda value: isinstance(value, Link))


@dataclass(frozen=True)
class LogisticState:
    """The state: the search and, at the end, what is to be said of it."""

    descent: descent.Descent
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
    def _penalty(self) -> tuple[float, float]:
        """Return C and rho of (1)."""
        if self.penalty is None:
            return np.inf, 0.0
        C, rho = float(self.C), float(self.l1_ratio or 0.0)
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            must = "l1_ratio must be a number in [0, 1] when penalty is 'elasticnet'"
            raise ParameterError(sentence(self, must, "None"))
        return C, PENALTIES.get(self.penalty, rho)

    def _contradiction(self) -> str | None:
        """Say which of the parameters that mean the same is not heard, if any."""
        penalty, C, rho = self.penalty, float(self.C), self.l1_ratio or 0.0
        if penalty is None and (C != 1.0 or rho != 0.0):
            return f"Setting penalty=None will ignore the C={C:g} and l1_ratio={rho:g}."
        if penalty in PENALTIES and self.l1_ratio not in (None, PENALTIES[penalty]):
            rule = "l1_ratio parameter is only used when penalty is 'elasticnet'."
            return f"{rule} Got (penalty={penalty}) and l1_ratio={rho:g}."
        return None

    def _warn(self) -> None:
        """Warn of what scikit-learn will drop."""
        if self.penalty != "deprecated":
            warn_of_change(self, "penalty is deprecated; use l1_ratio, C=inf for none")
        if self.l1_ratio is None:
            warn_of_change(self, "l1_ratio=None is deprecated; use l1_ratio=0")
        if self.n_jobs is not None:
            warn_of_change(self, "n_jobs is deprecated and has no effect")

    def _check_pairs(self) -> None:
        """Refuse parameters that contradict each other."""
        (C, rho), solver, K = self._penalty(), self.solver, len(self.classes_)
        remedy = "Use solver='coordinate-descent'."

        def refuse(must: str, came: str, remedy: str = "") -> None:
            raise ParameterError(sentence(self, must, came, remedy))

        if solver in SMOOTH and rho > 0:
            must = f"solver {solver!r} takes an L2 penalty or none"
            refuse(must, f"l1_ratio = {rho:g}", remedy)
        if solver == "liblinear" and (0 < rho < 1 or np.isinf(C)):
            must = "solver 'liblinear' takes an L1 or an L2 penalty"
            refuse(must, f"l1_ratio = {rho:g} and C = {C:g}", remedy)
        if solver == "liblinear" and K > 2:
            must = "solver 'liblinear' does not support multiclass classification"
            refuse(must, f"{K} classes", "Use another solver.")
        if self.dual and (solver != "liblinear" or rho > 0):
            refuse("dual=True needs solver 'liblinear' and L2", f"{solver!r}")
        if contradiction := self._contradiction():
            warnings.warn(contradiction, UserWarning, stacklevel=5)
        self._warn()
        if self.probability_link() == LINKS["logit"]:
            return
        if K > 2:
            must = f"link {self.probability_link().name} needs two classes"
            refuse(must, f"{K}", "Use link='logit', or one class against the rest.")
        if rho > 0:
            must = f"link {self.probability_link().name} takes an L2 penalty or none"
            refuse(must, f"l1_ratio = {rho:g}", "Use link='logit'.")

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
        self._check_pairs()
        loss = CrossEntropy(K, class_weights(self, data))
        census = data.reduce(loss.census)
        present = np.count_nonzero(census.sum_y)
        if present < 2:
            must = "needs samples of at least 2 classes in the data with weight > 0"
            raise DataError(sentence(self, must, f"{present}"))
        C, rho = self._penalty()
        penalty = Penalty(1.0 / (C * census.n), rho)
        loss = replace(loss, totals=census.sum_y)
        if link == LINKS["logit"]:
            return self._begin(loss, penalty, census, data.source.dtype)
        who, last = type(self).__name__, self._last((1, data.source.n_features))
        model = glm.GLM(
            Deviance(who, Binomial(shares=False), link, weights=loss.weights),
            penalty.strength,
            self.fit_intercept,
            self.tol,
            scoring=True,
            start=None if last is None else (last[0][0], float(last[1][0])),
            warm=last is not None,
            remedy="Use a finite C",
        )
        return glm.begin(data, model)

    def _begin(
        self, loss: CrossEntropy, penalty: Penalty, census: Census, dtype: Any
    ) -> LogisticState:
        """Choose one of the three searches."""
        intercept = self.fit_intercept
        problem = linear_problem_of(loss, penalty, census, dtype, intercept=intercept)
        m, p = problem.shape
        last = self._last((m, p - 1))
        theta = problem.constant_model() if last is None else problem.point(*last)
        descends = self.solver == "coordinate-descent" or penalty.l1 > 0
        second = descends or self.solver == "newton-cg"
        if self.solver == "newton-cholesky" or (second and m * p <= MANY):
            remedy = "Use solver='lbfgs'."
            if m * p > MOST:
                must = f"solver 'newton-cholesky' takes at most {MOST} coefficients"
                raise ParameterError(sentence(self, must, f"{m} x {p}", remedy))
            check_memory(self, 32.0 * (m * p) ** 2, "the Hessian", remedy)
            method = "proximal_newton" if descends else "newton"
            return LogisticState(descent.begin(problem, theta, method))
        pi = census.sum_y / problem.n
        H = constant_curvature(census.spread, problem.mean, (pi * (1 - pi))[-m:])
        patience = min(max(PATIENCE[0], p // 4), PATIENCE[1])
        return LogisticState(
            descent.begin(problem, theta, "lbfgs", H, patience=patience)
        )

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
        return LogisticState(descent.advance(s, state.descent))

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

    # -- use -----------------------------------------------------------------------
    def predict_proba(self, X: Any) -> Floats:
        """Return P(class | x), (n, K)."""
        return probabilities(self.decision_function(X), self.probability_link())

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log P(class | x), (n, K)."""
        return log_probabilities(self.decision_function(X), self.probability_link())
