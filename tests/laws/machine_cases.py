"""Random fits of machines, each with the value of its objective and the minimum.

A case draws rows and parameters, fits, and returns the model with (value, minimum)
from `oracles/convex_objectives.py`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from oracles import convex_objectives as oracle

import corollary


@dataclass(frozen=True)
class Draw:
    """Random rows, their targets and weights, and how early to stop."""

    rng: Any
    early: bool
    d: int = 4

    def rows(self) -> tuple[Any, Any, Any, Any]:
        rng = self.rng
        n, d = int(rng.integers(15, 60)), int(rng.integers(1, self.d + 1))
        X = rng.normal(size=(n, d))
        s = np.where(X[:, 0] + rng.normal(size=n) * rng.choice([0.3, 1.0]) > 0, 1, -1)
        s[:4] = 1, -1, 1, -1
        t = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n)
        w = np.ones(n) if rng.random() < 0.5 else rng.integers(0, 4, size=n) + 0.0
        w[:4] = np.maximum(w[:4], 1)
        X *= 10 ** rng.uniform(-0.5, 0.5)
        return (X.astype(np.float32) if rng.random() < 0.2 else X), s, t, w

    def limits(self, most: int = 40, least: int = 1) -> dict[str, Any]:
        if not self.early:
            return {}
        if self.rng.random() < 0.4:
            return {"tol": float(10 ** self.rng.uniform(-2, 1))}
        return {"max_iter": int(self.rng.integers(least, most))}

    def kernel(self) -> dict[str, Any]:
        name = str(self.rng.choice(["linear", "rbf", "poly"]))
        if name != "poly":
            return {"kernel": name}
        gamma = float(10 ** self.rng.uniform(-2, -0.5))
        return {"kernel": name, "gamma": gamma, "degree": 2, "coef0": 1.0}

    def price(self) -> float:
        return float(10 ** self.rng.uniform(-2, 2))

    def flag(self) -> bool:
        return bool(self.rng.random() < 0.8)


def kernel_classifier(name):
    def case(draw):
        X, s, _, w = draw.rows()
        y = (
            s
            if name != "SVC" or draw.flag()
            else s + 3 * (draw.rng.random(len(s)) < 0.3)
        )
        model = getattr(corollary, name)(
            C=draw.price(), **draw.kernel(), **draw.limits()
        )
        return model.fit(X, y, w), oracle.kernel_classifier(model, X, y, w)

    return case


def kernel_regressor(name, **drawn):
    def case(draw):
        X, _, t, w = draw.rows()
        more = {k: float(draw.rng.choice(v)) for k, v in drawn.items()}
        model = getattr(corollary, name)(
            C=draw.price(), **more, **draw.kernel(), **draw.limits()
        )
        value = oracle.nu_regressor if name == "NuSVR" else oracle.kernel_regressor
        return model.fit(X, t, w), value(model, X, t, w)

    return case


def nu_classifier(draw):
    X, s, _, w = draw.rows()
    model = corollary.NuSVC(
        nu=float(draw.rng.uniform(0.05, 0.5)), **draw.kernel(), **draw.limits()
    )
    return model.fit(X, s, w), oracle.nu_classifier(model, X, s, w)


def one_class(name, value):
    def case(draw):
        X, _, _, w = draw.rows()
        nu = float(draw.rng.uniform(0.05, 0.9))
        model = getattr(corollary, name)(nu=nu, **draw.kernel(), **draw.limits())
        return model.fit(X, None, w), value(model, X, w)

    return case


def hard_margin(draw):
    X, s, _, _ = draw.rows()
    X = X.astype(np.float64)
    X[:, 0] += 3 * s * np.abs(X[:, 0]).max()
    model = corollary.HardMarginSVC(kernel="linear", **draw.limits())
    return model.fit(X, s), oracle.hard_margin(model, X, s)


def representer(draw):
    X, s, _, w = draw.rows()
    model = corollary.RepresenterClassifier(
        lam=1 / draw.price(), **draw.kernel(), **draw.limits(6)
    )
    return model.fit(X, s, w), oracle.kernel_logistic(model, X, s, w)


def linear_classifier(draw):
    X, s, _, w = draw.rows()
    l1 = not draw.flag()
    loss = "squared_hinge" if l1 else str(draw.rng.choice(["hinge", "squared_hinge"]))
    model = corollary.LinearSVC(
        penalty="l1" if l1 else "l2",
        loss=loss,
        dual=not l1,
        C=draw.price(),
        fit_intercept=draw.flag(),
        intercept_scaling=float(draw.rng.choice([1, 3])),
        **draw.limits(),
    ).fit(X, s, w)
    F, x = oracle.with_constant(X, model), oracle.weights_of(model, 0)
    return model, oracle.linear_machine(F, x, s, model.C * w, loss, l1=l1, eps=-1.0)


def linear_regressor(draw):
    X, _, t, w = draw.rows()
    loss = str(draw.rng.choice(["epsilon_insensitive", "squared_epsilon_insensitive"]))
    model = corollary.LinearSVR(
        loss=loss, C=draw.price(), epsilon=0.1, **draw.limits()
    ).fit(X, t, w)
    F, x = oracle.with_constant(X, model), oracle.weights_of(model, 0)
    return model, oracle.linear_machine(F, x, t, model.C * w, loss, l1=False, eps=0.1)


def contest(draw):
    X, s, _, w = draw.rows()
    y = s + 3 * (draw.rng.random(len(s)) < 0.3)
    y[:3] = -1, 1, 4
    model = corollary.CrammerSingerClassifier(C=draw.price(), **draw.limits())
    return model.fit(X, y, w), oracle.contest(model, X, y, w)


MACHINE_CASES = {
    "SVC": kernel_classifier("SVC"),
    "SquaredHingeSVC": kernel_classifier("SquaredHingeSVC"),
    "NuSVC": nu_classifier,
    "HardMarginSVC": hard_margin,
    "SVR": kernel_regressor("SVR", epsilon=[0.0, 0.1, 0.5]),
    "SquaredEpsilonSVR": kernel_regressor("SquaredEpsilonSVR", epsilon=[0.0, 0.1]),
    "NuSVR": kernel_regressor("NuSVR", nu=[0.1, 0.4, 0.8]),
    "KernelQuantileRegressor": kernel_regressor(
        "KernelQuantileRegressor", quantile=[0.1, 0.5, 0.8]
    ),
    "OneClassSVM": one_class("OneClassSVM", oracle.one_class),
    "SVDD": one_class("SVDD", oracle.ball),
    "RepresenterClassifier": representer,
    "LinearSVC": linear_classifier,
    "LinearSVR": linear_regressor,
    "CrammerSingerClassifier": contest,
}
