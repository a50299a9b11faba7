"""Random fits of linear models and others, with their objective and its minimum."""

import itertools

import numpy as np
from laws.machine_cases import MACHINE_CASES
from oracles import convex_fits as more
from oracles import convex_objectives as oracle

import corollary


def elastic_net(draw):
    X, _, t, w = draw.rows()
    rho, positive = float(draw.rng.choice([0.2, 0.7, 1.0])), not draw.flag()
    alpha = float(10 ** draw.rng.uniform(-4, 0))
    model = corollary.ElasticNet(
        alpha=alpha,
        l1_ratio=rho,
        positive=positive,
        fit_intercept=draw.flag(),
        **draw.limits(),
    ).fit(X, t, w)
    l1, l2 = alpha * rho, alpha * (1 - rho)
    return model, oracle.least_squares(model, X, t, w, l1, l2, positive=positive)


def logistic(draw):
    X, s, _, w = draw.rows()
    rho, C = (
        float(draw.rng.choice([0, 0, 0.5, 1.0])),
        float(10 ** draw.rng.uniform(-2, 4)),
    )
    smooth = ["lbfgs", "newton-cholesky", "coordinate-descent"]
    model = corollary.LogisticRegression(
        C=C,
        l1_ratio=rho,
        solver="coordinate-descent" if rho else str(draw.rng.choice(smooth)),
        fit_intercept=draw.flag(),
        **draw.limits(8, 0),
    ).fit(X, s, w)
    scale = 1 / (C * w.sum())
    return model, oracle.logistic(model, X, s, w, rho * scale, (1 - rho) * scale)


def stochastic(draw):
    X, s, _, w = draw.rows()
    model = corollary.SGDClassifier(
        loss=str(draw.rng.choice(["hinge", "log_loss"])),
        alpha=float(10 ** draw.rng.uniform(-4, 0)),
        random_state=0,
        **draw.limits(),
    )
    return model.fit(X, s, sample_weight=w), oracle.stochastic(model, X, s, w)


def soon(model, draw):
    """Have a model stop after a few passes, where it has no parameter for that."""
    if draw.early:
        most = int(draw.rng.integers(1, 12))
        model.max_passes = lambda: most
    return model


def quantile(draw):
    X, _, t, w = draw.rows()
    q, alpha = float(draw.rng.uniform(0.05, 0.95)), float(10 ** draw.rng.uniform(-4, 0))
    solver = str(draw.rng.choice(["auto", "interior-point"]))
    model = corollary.QuantileRegressor(quantile=q, alpha=alpha, solver=solver)
    soon(model, draw).fit(X, t, w)
    return model, oracle.quantile(model, X, t, w, q, alpha, 1.0)


def absolute(draw):
    X, _, t, w = draw.rows()
    solver = str(draw.rng.choice(["auto", "interior-point"]))
    model = soon(corollary.LeastAbsoluteDeviations(solver=solver), draw).fit(X, t, w)
    return model, oracle.quantile(model, X, t, w, 0.5, 0.0, 2.0)


def lasso(draw):
    X, _, t, w = draw.rows()
    alpha, free = float(10 ** draw.rng.uniform(-4, 0)), draw.flag()
    model = corollary.Lasso(alpha=alpha, fit_intercept=free, **draw.limits())
    model.fit(X, t, w)
    return model, oracle.least_squares(model, X, t, w, alpha, 0.0, positive=False)


def lasso_by_angles(draw):
    X, _, t, w = draw.rows()
    alpha, free = float(10 ** draw.rng.uniform(-4, 0)), draw.flag()
    most = int(draw.rng.integers(1, 4)) if draw.early else 500
    model = corollary.LassoLars(alpha=alpha, fit_intercept=free, max_iter=most)
    model.fit(X, t, w)
    return model, oracle.least_squares(model, X, t, w, alpha, 0.0, positive=False)


def multi_task(name):
    def case(draw):
        X, s, t, w = draw.rows()
        rho = 1.0 if name == "MultiTaskLasso" else float(draw.rng.choice([0.3, 0.8]))
        alpha, Y = float(10 ** draw.rng.uniform(-4, 0)), np.column_stack([t, s])
        mixed = {} if rho == 1.0 else {"l1_ratio": rho}
        options = {"fit_intercept": draw.flag(), **mixed, **draw.limits()}
        model = getattr(corollary, name)(alpha=alpha, **options).fit(X, Y, w)
        l1, l2 = alpha * rho, alpha * (1 - rho)
        return model, oracle.multi_task(model, X, Y, w, l1, l2)

    return case


def huber(draw):
    X, _, t, w = draw.rows()
    alpha = float(10 ** draw.rng.uniform(-4, 0))
    options = {"alpha": alpha, "fit_intercept": draw.flag(), **draw.limits()}
    model = corollary.HuberRegressor(**options).fit(X, t, w)
    return model, oracle.huber(model, X, t, w)


def theil_sen(draw):
    X, _, t, _ = draw.rows()
    X, t = X[:12, :2], t[:12]
    model = corollary.TheilSenRegressor(random_state=0, **draw.limits(12)).fit(X, t)
    Z = np.column_stack([np.ones(12), X.astype(float)])
    subsets = [list(s) for s in itertools.combinations(range(12), Z.shape[1])]
    W = np.array([np.linalg.solve(Z[s], t[s]) for s in subsets])

    def value(m):
        return float(np.linalg.norm(W - m, axis=1).mean())

    point = np.append(float(model.intercept_), model.coef_.astype(float))
    best, least = point, value(point)
    for _ in range(3000):  # Weiszfeld's steps never raise the sum
        pull = 1 / np.maximum(np.linalg.norm(W - best, axis=1), 1e-300)
        best = pull @ W / pull.sum()
    return model, (value(point), min(least, value(best), *map(value, W)))


def least_squares_by_folds(name):
    def case(draw):
        X, _, t, w = draw.rows()
        free = draw.flag()
        model = getattr(corollary, name)(
            alphas=6, cv=3, fit_intercept=free, **draw.limits()
        ).fit(X, t, w)
        rho = float(getattr(model, "l1_ratio_", 1.0))
        l1, l2 = model.alpha_ * rho, model.alpha_ * (1 - rho)
        return model, oracle.least_squares(model, X, t, w, l1, l2, positive=False)

    return case


def three_classes(draw, s):
    y = s + 3 * (draw.rng.random(len(s)) < 0.3)
    y[:6] = -1, 1, 4, -1, 1, 4
    return y


def softmax(draw):
    X, s, _, w = draw.rows()
    y = three_classes(draw, s)
    w[:6] = np.maximum(w[:6], 1)
    rho = float(draw.rng.choice([0, 0.5, 1.0]))
    C = float(10 ** draw.rng.uniform(-2, 3))
    model = corollary.LogisticRegression(
        C=C,
        l1_ratio=rho,
        solver="coordinate-descent" if rho else "lbfgs",
        fit_intercept=draw.flag(),
        **draw.limits(8, 0),
    ).fit(X, y, w)
    scale = 1 / (C * w.sum())
    return model, more.softmax(model, X, y, w, rho * scale, (1 - rho) * scale)


def logistic_by_folds(draw):
    X, s, _, w = draw.rows()
    s[:12], w[:12] = np.tile([1, -1], 6), 1.0
    model = corollary.LogisticRegressionCV(Cs=4, cv=3, **draw.limits(8, 1))
    model.fit(X, s, w)
    scale = 1 / (model.C_ * w.sum())
    return model, oracle.logistic(model, X, s, w, 0.0, scale)


def stochastic_regressor(draw):
    X, _, t, w = draw.rows()
    alpha = float(10 ** draw.rng.uniform(-4, 0))
    penalty = str(draw.rng.choice(["l2", "elasticnet"]))
    model = corollary.SGDRegressor(
        alpha=alpha, penalty=penalty, random_state=0, **draw.limits()
    ).fit(X, t, sample_weight=w)
    rho = 0.0 if penalty == "l2" else float(model.l1_ratio)
    l1, l2 = alpha * rho, alpha * (1 - rho)
    return model, oracle.least_squares(model, X, t, w, l1, l2, positive=False)


def representer_regressor(draw):
    X, _, t, w = draw.rows()
    model = corollary.RepresenterRegressor(
        lam=1 / draw.price(), **draw.kernel(), **draw.limits(6)
    )
    return model.fit(X, t, w), more.kernel_huber(model, X, t, w)


def against_the_rest(draw):
    X, s, _, w = draw.rows()
    y = three_classes(draw, s)
    w[:6] = np.maximum(w[:6], 1)
    base = corollary.LogisticRegression(C=draw.price(), **draw.limits(8, 1))
    model = corollary.OneVsRestClassifier(base).fit(X, y, sample_weight=w)
    scale = 1 / (base.C * w.sum())
    found = [
        oracle.logistic(part, X, np.where(y == label, 1, -1), w, 0.0, scale)
        for part, label in zip(model.estimators_, model.classes_, strict=True)
    ]
    return model, max(found, key=lambda pair: pair[0] - pair[1])


def pair_by_pair(draw):
    X, s, _, _ = draw.rows()
    y = three_classes(draw, s)
    base = corollary.LogisticRegression(C=draw.price(), **draw.limits(8, 1))
    model = corollary.OneVsOneClassifier(base).fit(X, y)
    found = []
    pairs = itertools.combinations(model.classes_, 2)
    for part, (a, b) in zip(model.estimators_, pairs, strict=True):
        of = (y == a) | (y == b)
        one, sign = np.ones(of.sum()), np.where(y[of] == b, 1, -1)
        scale = 1 / (base.C * of.sum())
        found.append(oracle.logistic(part, X[of], sign, one, 0.0, scale))
    return model, max(found, key=lambda pair: pair[0] - pair[1])


def clusters(draw):
    X, _, _, w = draw.rows()
    X, w = X[:9], np.maximum(w[:9], 1.0)
    model = corollary.KMeans(2, n_init=1, random_state=0, **draw.limits(3))
    return model.fit(X, None, w), more.two_means(model, X, w)


CASES = {
    **MACHINE_CASES,
    "ElasticNet": elastic_net,
    "LogisticRegression": logistic,
    "SGDClassifier": stochastic,
    "QuantileRegressor": quantile,
    "LeastAbsoluteDeviations": absolute,
    "Lasso": lasso,
    "MultiTaskLasso": multi_task("MultiTaskLasso"),
    "MultiTaskElasticNet": multi_task("MultiTaskElasticNet"),
    "HuberRegressor": huber,
    "TheilSenRegressor": theil_sen,
    "LassoLars": lasso_by_angles,
    "LassoCV": least_squares_by_folds("LassoCV"),
    "ElasticNetCV": least_squares_by_folds("ElasticNetCV"),
    "LogisticRegression of three classes": softmax,
    "LogisticRegressionCV": logistic_by_folds,
    "SGDRegressor": stochastic_regressor,
    "RepresenterRegressor": representer_regressor,
    "OneVsRestClassifier": against_the_rest,
    "OneVsOneClassifier": pair_by_pair,
    "KMeans": clusters,
}
