"""Splines: scikit-learn's, SciPy's, and the three bases among each other."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer as Theirs

from corollary import LinearRegression, SplineTransformer, engine
from corollary.core.errors import DataError, ParameterError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3)) * [1.0, 10.0, 0.1]
WIDE = np.vstack([1.7 * X, X.min(axis=0), X.max(axis=0)])
GIVEN = np.sort(RNG.normal(size=(6, 3)) * [1.0, 10.0, 0.1], axis=0)


class OneByOne:
    """scikit-learn's on each column: degree 1 goes wrong in it on several."""

    def __init__(self, knots, **options):
        self.knots, self.options = knots, options

    def fit(self, X):
        named = isinstance(self.knots, str)
        columns = [self.knots if named else k[:, None] for k in GIVEN.T]
        self.models = [
            Theirs(knots=knots, **self.options).fit(x[:, None])
            for knots, x in zip(columns, X.T, strict=True)
        ]
        return self

    def transform(self, X):
        pairs = zip(self.models, X.T, strict=True)
        return np.hstack([model.transform(x[:, None]) for model, x in pairs])

    def get_feature_names_out(self):
        pairs = enumerate(self.models)
        return np.hstack([model.get_feature_names_out([f"x{j}"]) for j, model in pairs])


@pytest.mark.course("S3-87")
@pytest.mark.parametrize(
    "knots", ["uniform", "quantile", GIVEN], ids=["u", "q", "given"]
)
@pytest.mark.parametrize("degree", [0, 1, 2, 3, 5])
@pytest.mark.parametrize(
    "extrapolation", ["constant", "linear", "continue", "periodic"]
)
def test_b_splines_are_scikit_learns(knots, degree, extrapolation):
    options = {"knots": knots, "degree": degree, "extrapolation": extrapolation}
    options |= {"n_knots": 7}
    for include_bias in (True, False):
        theirs = OneByOne(**options, include_bias=include_bias).fit(X)
        ours = SplineTransformer(**options, include_bias=include_bias).fit(X)
        inside = degree == 0 and extrapolation != "continue"  # theirs raises outside
        rows = np.clip(X, ours.knots_[0], ours.knots_[-1]) if inside else WIDE
        H = theirs.transform(rows)
        scale = np.abs(H).max()
        np.testing.assert_allclose(ours.transform(rows), H, atol=1e-11 * scale)
        assert list(ours.get_feature_names_out()) == list(
            theirs.get_feature_names_out()
        )
        sparse = SplineTransformer(
            **options, include_bias=include_bias, sparse_output=True
        ).fit(X)
        S = sparse.transform(rows)
        np.testing.assert_allclose(
            S.toarray(), ours.transform(rows), atol=1e-14 * scale
        )
        assert S.nnz <= rows.size * (degree + 1)


@pytest.mark.parametrize("extrapolation", ["constant", "continue", "periodic"])
def test_b_splines_are_scipys(extrapolation):
    model = SplineTransformer(6, extrapolation=extrapolation).fit(X)
    H = model.transform(X).reshape(len(X), 3, -1)
    for j, spline in enumerate(model.bsplines_):
        np.testing.assert_allclose(H[:, j], spline(X[:, j]), atol=1e-12)


def test_b_splines_add_up_to_one_and_are_local():
    H = SplineTransformer(9, 3).fit(X[:, :1]).transform(1.5 * X[:, :1])
    np.testing.assert_allclose(H.sum(axis=1), 1, rtol=1e-13)
    assert (H >= -1e-15).all()
    assert ((H > 0).sum(axis=1) <= 4).all()


def test_repeated_quantiles_still_add_up_to_one():
    x = np.r_[np.zeros(60), RNG.random(40), np.ones(60)][:, None]
    H = SplineTransformer(9, 3, knots="quantile").fit(x).transform(x)
    np.testing.assert_allclose(H.sum(axis=1), 1, rtol=1e-12)


def fitted(kind, x, y, **options):
    model = make_pipeline(
        SplineTransformer(6, kind=kind, **options), LinearRegression()
    )
    return model.fit(x, y)


@pytest.mark.course("S3-87")
def test_truncated_powers_span_what_b_splines_span():
    x = np.sort(RNG.normal(size=150))[:, None]
    y = np.sin(3 * x[:, 0]) + 0.1 * RNG.normal(size=150)
    a = fitted("b-spline", x, y, include_bias=False)
    b = fitted("truncated-power", x, y, include_bias=False)
    np.testing.assert_allclose(a.predict(x), b.predict(x), atol=1e-9)


@pytest.mark.course("S3-87")
def test_natural_splines_interpolate_as_scipys_and_end_straight():
    t = np.array([[0.0], [1.0], [2.5], [3.0], [4.5], [6.0]])
    y = np.array([1.0, -1.0, 2.0, 0.5, 0.0, 3.0])
    spline = SplineTransformer(
        knots=t, kind="natural", extrapolation="continue", include_bias=False
    )
    model = make_pipeline(spline, LinearRegression()).fit(t, y)
    truth = CubicSpline(t[:, 0], y, bc_type="natural")
    x = np.linspace(0, 6, 101)[:, None]
    np.testing.assert_allclose(model.predict(x), truth(x[:, 0]), atol=1e-11)
    beyond = model.predict(np.array([[7.0], [8.0], [9.0], [-1.0], [-2.0], [-3.0]]))
    np.testing.assert_allclose(np.diff(beyond[:3], 2), 0, atol=1e-10)
    np.testing.assert_allclose(np.diff(beyond[3:], 2), 0, atol=1e-10)


def test_weights_count_as_repetition():
    times = RNG.integers(0, 4, size=len(X))
    a = SplineTransformer(knots="quantile").fit(X, sample_weight=times)
    b = SplineTransformer(knots="quantile").fit(np.repeat(X, times, axis=0))
    np.testing.assert_allclose(a.knots_, b.knots_, rtol=1e-14)
    np.testing.assert_allclose(
        SplineTransformer(4, knots="quantile").fit(X).knots_,
        np.quantile(X, [0, 1 / 3, 2 / 3, 1], axis=0),
        rtol=1e-14,
    )


def test_precision_and_layout():
    model = SplineTransformer(order="F").fit(X.astype(np.float32))
    H = model.transform(X.astype(np.float32))
    assert H.dtype == np.float32
    assert H.flags.f_contiguous
    np.testing.assert_allclose(H, SplineTransformer().fit_transform(X), atol=1e-5)


def test_outside_the_knots_gets_a_sentence():
    model = SplineTransformer(extrapolation="error").fit([[0.0], [1.0]])
    with pytest.raises(
        DataError, match="between the outer knots, 0 and 1; got 2 in row 1"
    ):
        model.transform([[0.5], [2.0]])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_knots": 1}, "n_knots must be a whole number >= 2"),
        ({"knots": [[0.0], [0.0]]}, "sorted without duplicates"),
        ({"knots": [[0.0, 1.0]]}, "shape \\(K, 1\\)"),
        ({"degree": 5, "extrapolation": "periodic"}, "require degree < n_knots = 5"),
        ({"kind": "natural", "degree": 2}, "degree must be 3"),
        ({"kind": "natural", "extrapolation": "linear"}, "must be one of"),
        ({"kind": "truncated-power", "sparse_output": True}, "needs kind='b-spline'"),
    ],
)
def test_bad_parameters_get_a_sentence(options, words):
    with pytest.raises(ParameterError, match=words):
        SplineTransformer(**options).fit([[0.0], [1.0], [2.0]])


@pytest.mark.parametrize("sparse_output", [False, True])
@pytest.mark.parametrize("knots", ["uniform", "quantile"])
def test_missing_values_have_no_spline(knots, sparse_output):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 2] = np.nan  # a column without any value
    options = {"knots": knots, "sparse_output": sparse_output}
    model = SplineTransformer(handle_missing="zeros", **options).fit(X)
    H = model.transform(X)
    H = (H.toarray() if sparse_output else H).reshape(300, 3, -1)
    assert (H[np.isnan(X)] == 0).all()
    assert np.isfinite(model.knots_).all()
    for j in (0, 1):  # what is there is as if nothing were missing
        x = X[~np.isnan(X[:, j]), j, None]
        alone = SplineTransformer(knots=knots).fit(x)
        np.testing.assert_allclose(model.knots_[:, j], alone.knots_[:, 0], rtol=1e-12)
        here = H[~np.isnan(X[:, j]), j]
        np.testing.assert_allclose(here, alone.transform(x), atol=1e-12)
    with engine.use(chunk_rows=17):
        again = SplineTransformer(handle_missing="zeros", **options).fit(X)
    np.testing.assert_array_equal(again.knots_, model.knots_)
    with pytest.raises(DataError, match="NaN"):
        SplineTransformer(**options).fit(X)
    with pytest.raises(DataError, match="infinity"):
        model.transform(np.full((1, 3), np.inf))
