"""The linear support vector machine for classes, in summation form.

Also known as: linear SVM, soft-margin hyperplane, LIBLINEAR's machine, L1-SVM (hinge),
L2-SVM (squared hinge).

With labels s = +-1 and f(x) = w'x + b, b = B w_0, minimise

    P(w) = 1/2 ||w||^2 + sum_i C_i max(0, 1 - s_i f(x_i))^e,   e = 1 or 2            (1)

or with ||w||_1 in place of 1/2 ||w||^2 (e = 2).  C_i = C times the row's and its
class's weight.  In the notes' form, C times a cost plus a penalty; divided by C n it is

    lambda/2 ||w||^2 + 1/n sum_i max(0, 1 - s_i f(x_i)),      lambda = 1/(C n)       (2)

which `SGDClassifier(loss='hinge', alpha=lambda)` minimises: the same w.  (It leaves b
free, where (1) does not; without intercepts, or with a large B, they agree.)

The intercept is the weight w_0 of a constant feature B = `intercept_scaling`, and like
LIBLINEAR's it is penalised with the others: ||w||^2 has w_0^2 in it.  A larger B
penalises it less.  `SVC(kernel='linear')` leaves it free.

    1 / ||w|| is the margin: distance of the support hyperplanes f = +-1 from f = 0  (3)
    slack xi = max(0, 1 - s f):  0 beyond the margin, up to 1 uncertain, above an error

Three searches end at the same minimum (`svm/linear_search.py`): Newton's method, one
pass over the rows a step, for up to 400 features; for more, descent on the dual where
rows are in memory and either fewer than features or of the plain hinge, and L-BFGS
otherwise.  Each closes the duality gap, which the report has and which is never below
the truth.

K classes are K machines, each class against the rest ('ovr'), or one machine whose
classes compete ('crammer_singer', `svm/crammer_singer.py`).

Notation: coef_ = w without w_0; intercept_ = b; n = rows.
Course: S2-29, S4-12. References: Cortes and Vapnik (1995); Fan, Chang, Hsieh, Wang and
Lin (2008).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import check_two_classes
from corollary.core.class_weights import class_weight_rule, stated_class_weights
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import boolean, one_of, real, seed, whole
from corollary.engine import Data, Fitted
from corollary.engine.rows_learner import gather
from corollary.linear.class_weights import class_totals
from corollary.linear.linear_classifier import LinearClassifier
from corollary.linear.machine_statements import linear_svc_problem
from corollary.objectives.penalties import penalty_named
from corollary.svm.crammer_singer import Contest, contest
from corollary.svm.linear_problem import SupportProblem
from corollary.svm.linear_search import LinearSearch
from corollary.svm.linear_support_machine import (
    LinearSupportMachine,
    constant_of,
    search_for,
    weights_of,
)

__all__ = ["C_of_lambda", "LinearSVC", "lambda_of_C"]

CONTEST = "crammer_singer"  # the loss of classes that compete


class LinearSVC(LinearSupportMachine, LinearClassifier):
    """Linear support vector classification.

    Parameters
    ----------
    penalty : {'l2', 'l1'}
        Of w; 'l1' leaves many weights 0, and takes the squared hinge alone.
    loss : {'squared_hinge', 'hinge'}
        e = 2 or 1 in (1).
    dual : 'auto' or bool
        With more than 400 features: True asks for descent on the dual, False for L-BFGS
        in passes over the rows.  Otherwise Newton's method is the fastest, whatever it
        is.  As in scikit-learn, the hinge does not take False, nor 'l1' True.
    tol : float, default=1e-4
        Stop when the duality gap is at most this share of the objective.  Newton's
        search goes on to 1e-8 of that where its end costs little: for the squared
        hinge, and on small data.
    C : float, default=1.0
        Price of a violated margin; see `C_of_lambda`.
    multi_class : {'ovr', 'crammer_singer'}
        One machine for each class, or one for all.
    fit_intercept : bool, default=True
    intercept_scaling : float, default=1.0
        The constant feature B.
    class_weight : dict, 'balanced' or None
        Factor of C for each class; with more than two classes each machine weighs its
        own class, and the rest by 1, as LIBLINEAR does.
    verbose : int, default=0
        1 shows progress.
    random_state : int, RandomState or None
        Seed of the order in which descent visits the rows.
    max_iter : int, default=1000
        Passes over the data, or rounds of descent.

    Attributes
    ----------
    classes_ : array of shape (K,)
    coef_ : array of shape (1, d) or (K, d)
    intercept_ : array of shape (1,) or (K,)
    n_iter_ : int
    n_features_in_ : int
    margins_ : array of shape (1,) or (K,)
        1 / ||w|| of each machine (3).
    report_ : Report
        With the duality gap.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearSVC
    >>> X = np.array([[-2.0], [-1], [-0.5], [0.5], [1], [2]])
    >>> model = LinearSVC(loss="hinge").fit(X, [0, 0, 1, 0, 1, 1])
    >>> model.predict([[-3.0], [3.0]]).tolist()
    [0, 1]
    """

    may_be_infinite = ("margins_",)  # of w = 0
    shapes: ClassVar = {
        "classes_": "K",
        "coef_": "m d",
        "intercept_": "m",
        "margins_": "m",
    }
    rules: ClassVar = {
        "penalty": one_of("l1", "l2"),
        "loss": one_of("hinge", "squared_hinge"),
        "dual": one_of("auto") | boolean,
        "tol": real(0, ends="(]"),
        "C": real(0, ends="()"),
        "multi_class": one_of("ovr", "crammer_singer"),
        "fit_intercept": boolean,
        "intercept_scaling": real(0, ends="()"),
        "class_weight": class_weight_rule,
        "verbose": whole(0) | boolean,
        "random_state": seed,
        "max_iter": whole(0),
    }

    convex_problem = linear_svc_problem

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: Any = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter

    def _check_pairs(self) -> None:
        """Refuse parameters that contradict each other."""
        must = None
        if self.penalty == "l1" and self.loss == "hinge":
            must = "loss must be 'squared_hinge' with penalty 'l1'"
        elif self.penalty == "l1" and self.dual is True:
            must = "dual must be False or 'auto' with penalty 'l1'"
        elif self.loss == "hinge" and self.dual is False:
            must = "dual must be True or 'auto' with loss 'hinge'"
        if must is not None:
            came = (
                "Unsupported set of arguments: "
                f"penalty={self.penalty!r}, loss={self.loss!r}, dual={self.dual}"
            )
            raise ParameterError(sentence(self, must, came, "Use dual='auto'."))

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> LinearSearch | Contest:
        """Choose the search, or let the classes compete."""
        K = len(self.classes_)
        check_two_classes(self)
        if self.multi_class == "crammer_singer":
            rounds, rows = max(1, int(self.max_iter)), gather(data)
            return contest(self, rows, CONTEST, constant_of(self), rounds, seed)
        self._check_pairs()
        weights = None
        if self.class_weight is not None:
            weights = stated_class_weights(self, class_totals(data, K))
        problem = SupportProblem(
            float(self.C),
            self.loss == "squared_hinge",
            constant_of(self),
            penalty_named(self.penalty, 1.0),
            machines=1 if K == 2 else K,
            weights=weights,
            dtype=data.source.dtype,
        )
        return search_for(self, data, problem, seed)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state = fitted.state
        if isinstance(state, Contest):
            self.coef_, self.intercept_ = (
                a.astype(state.dtype) for a in (state.W, state.b)
            )
            self.n_iter_ = state.rounds
        else:
            self.coef_, self.intercept_, rounds = weights_of(state)
            self.n_iter_ = rounds or max(1, fitted.report.passes - 1)
        self.margins_ = margins_of(self.coef_)


def margins_of(W: Floats) -> Floats:
    """Return 1 / ||w|| of each machine, infinite where w = 0."""
    length = np.linalg.norm(W, axis=1)
    return np.divide(1.0, length, out=np.full(len(W), np.inf), where=length > 0)


def C_of_lambda(lam: float, n: float) -> float:
    """Return the C of (1) that means lambda of (2), n rows.

    >>> C_of_lambda(0.01, 50)
    2.0
    """
    return _converted(lam, n, "lambda")


def lambda_of_C(C: float, n: float) -> float:
    """Return the lambda of (2) that means C of (1), n rows.

    >>> lambda_of_C(2.0, 50)
    0.01
    """
    return _converted(C, n, "C")


def _converted(strength: float, n: float, name: str) -> float:
    """Return 1 / (strength n)."""
    for value, what in ((strength, name), (n, "n")):
        if not (np.isfinite(value) and value > 0):
            must = f"{what} must be a number > 0"
            raise ParameterError(sentence("lambda and C", must, f"{value!r}"))
    return 1.0 / (strength * n)
