"""The part of the gallery that predicts numbers, or makes columns for it."""

from __future__ import annotations

from typing import Any

__all__ = ["regressions"]


def regressions() -> list[tuple[str, str, Any]]:
    """Fit each regression to a bundled data set: what it is, a score, the model."""
    return [
        *_regressions(),
        *_shrunken_regressions(),
        *_sparse_regressions(),
        *_quantiles(),
        *_generalised(),
        *_expansions(),
    ]


def _regressions() -> list[tuple[str, str, Any]]:
    import numpy as np

    from corollary import GradientDescentRegressor, LinearRegression, Ridge, datasets

    longley = datasets.longley()
    line = LinearRegression().fit(longley.X, longley.y)
    digits = datasets.certified_digits(np.r_[line.intercept_, line.coef_], longley.coef)
    close = datasets.regression(300, 6, 0.3, correlation=0.9, random_state=0)
    train, test = slice(0, 60), slice(60, None)
    ridge = Ridge(alpha=1.0).fit(close.X[train], close.y[train])
    plain = datasets.regression(500, 4, random_state=2)
    descent = GradientDescentRegressor().fit(plain.X[100:], plain.y[100:])
    return [
        (
            "Longley's trends of employment, 1947-1962: six columns, nearly dependent",
            f"coefficients agree with NIST's certified values in {digits:.1f} digits",
            line,
        ),
        (
            "60 rows of six inputs that largely repeat each other",
            f"R^2 on 240 new rows: {ridge.score(close.X[test], close.y[test]):.3f}",
            ridge,
        ),
        (
            "400 rows of a linear law with noise",
            f"R^2 on 100 new rows: {descent.score(plain.X[:100], plain.y[:100]):.3f}",
            descent,
        ),
    ]


def _shrunken_regressions() -> list[tuple[str, str, Any]]:
    import corollary
    from corollary import datasets

    close = datasets.regression(300, 6, 0.3, correlation=0.9, random_state=0)
    train, test = slice(0, 60), slice(60, None)
    shown: list[tuple[str, str, Any]] = []
    names = ("RidgeCV", "PrincipalComponentRegression", "PLSRegression")
    for name in (*names, "BayesianLinearRegression", "BayesianRidge"):
        model = getattr(corollary, name)().fit(close.X[train], close.y[train])
        score = f"R^2 on 240 new rows: {model.score(close.X[test], close.y[test]):.3f}"
        what = "60 rows of six inputs that largely repeat each other"
        shown.append((what, score, model))
    return [*shown, _local_regression()]


def _local_regression() -> tuple[str, str, Any]:
    import numpy as np

    from corollary import LocallyWeightedRegression

    rng = np.random.default_rng(0)
    X = rng.uniform(0, 6, size=(200, 1))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=200)
    model = LocallyWeightedRegression(tau="loo").fit(X[100:], y[100:])
    score = f"R^2 on 100 new rows: {model.score(X[:100], y[:100]):.3f}"
    return "100 rows of a sine with noise", f"{score}, tau {model.tau_:.2f}", model


def _sparse_regressions() -> list[tuple[str, str, Any]]:
    import numpy as np

    import corollary

    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 40))
    y = X[:, :3] @ [3.0, -2.0, 1.0] + rng.normal(size=300)
    shown: list[tuple[str, str, Any]] = []
    for name in ("Lasso", "ElasticNet", "LassoCV", "ElasticNetCV"):
        chosen = {} if name.endswith("CV") else {"alpha": 0.1}
        model = getattr(corollary, name)(**chosen).fit(X[100:], y[100:])
        right, used = model.score(X[:100], y[:100]), int((model.coef_ != 0).sum())
        score = f"R^2 on 100 new rows: {right:.3f}, with {used} of 40 inputs"
        shown.append(("200 rows of 40 inputs, of which three matter", score, model))
    return shown


def _quantiles() -> list[tuple[str, str, Any]]:
    import numpy as np

    from corollary import LeastAbsoluteDeviations, QuantileRegressor

    rng = np.random.default_rng(7)
    X = rng.uniform(size=(900, 2))
    y = X @ [2.0, -1.0] + (0.5 + X[:, 0]) * rng.standard_t(2, size=900)
    high = QuantileRegressor(quantile=0.9, alpha=0.0).fit(X[300:], y[300:])
    below = np.mean(y[:300] <= high.predict(X[:300]))
    line = LeastAbsoluteDeviations().fit(X[300:], y[300:])
    off = np.abs(line.coef_ - [2.0, -1.0]).max()
    about = "600 rows of a linear law whose noise grows, with outliers"
    return [
        (about, f"{below:.1%} of 300 new rows lie below their 0.9 quantile", high),
        (about, f"coefficients within {off:.2f} of the law's", line),
    ]


def _generalised() -> list[tuple[str, str, Any]]:
    import numpy as np

    import corollary

    rng = np.random.default_rng(5)
    X = rng.normal(size=(2000, 3))
    mean = np.exp(X @ [0.5, -0.3, 0.2] + 1.0)
    counts, amounts = rng.poisson(mean).astype(float), rng.gamma(2.0, mean / 2)
    shown: list[tuple[str, str, Any]] = []
    for name, y, options in (
        ("PoissonRegressor", counts, {}),
        ("GammaRegressor", amounts, {}),
        ("TweedieRegressor", counts, {"power": 1.5}),
        ("GeneralizedLinearRegressor", counts, {"family": "poisson"}),
    ):
        model = getattr(corollary, name)(**options).fit(X[500:], y[500:])
        what = "counts" if y is counts else "amounts"
        score = (
            f"deviance explained on 500 new rows: {model.score(X[:500], y[:500]):.1%}"
        )
        shown.append((f"1,500 {what} whose mean is log-linear", score, model))
    return shown


def _expansions() -> list[tuple[str, str, Any]]:
    """Follow one curve with a linear model on every basis."""
    import numpy as np
    from sklearn.pipeline import make_pipeline

    import corollary

    rng = np.random.default_rng(6)
    x = rng.uniform(0, 1, size=(600, 1))
    y = np.sin(2 * np.pi * x[:, 0]) + 0.3 * rng.normal(size=600)
    shown: list[tuple[str, str, Any]] = []
    for name, options in (
        ("PolynomialFeatures", {"degree": 5}),
        ("SplineTransformer", {"include_bias": False}),
        ("RadialBasis", {"n_centers": 6}),
        ("SigmoidBasis", {"n_centers": 6}),
        ("FourierBasis", {"n_harmonics": 2}),
        ("WaveletBasis", {"include_bias": False}),
    ):
        basis = getattr(corollary, name)(**options)
        model = make_pipeline(basis, corollary.LinearRegression())
        fits = model.fit(x[200:], y[200:]).score(x[:200], y[:200])
        about = "400 points of a sine with noise, for a linear model on new columns"
        shown.append((about, f"R^2 on 200 new points: {fits:.3f}", basis))
    dots = corollary.JoinTheDots().fit(x[200:], y[200:])
    fits = dots.score(x[:200], y[:200])
    about = "The same 400 points of a sine with noise"
    return [*shown, (about, f"R^2 on 200 new points: {fits:.3f}", dots)]
