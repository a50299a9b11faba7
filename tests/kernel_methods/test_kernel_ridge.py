"""KernelRidge: the course's forms, scikit-learn, Ridge, and exact leave-one-out."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.kernel_ridge import KernelRidge as Peer
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from corollary import KernelRidge, Ridge, StopReason, config_context, load, save
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import optimality_gap

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2},
    {"kernel": "polynomial", "gamma": 0.3, "coef0": 2.0},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "laplacian", "gamma": 0.2},
    {"kernel": "cosine"},
]
SOLVERS = ["cholesky", "eigen", "cg"]


def draw(seed=0, n=80, d=3, t=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    shape = n if t is None else (n, t)
    return X, np.sin(X.sum(axis=1) if t is None else X @ rng.normal(size=(d, t))) + (
        0.1 * rng.normal(size=shape) + 0.5
    )


@pytest.mark.parametrize("options", KERNELS, ids=str)
@pytest.mark.parametrize("t", [None, 2])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
def test_it_is_scikit_learns(options, t, sparse):
    X, y = draw(t=t)
    w = np.random.default_rng(1).uniform(0.5, 2, len(y))
    data = sp.csr_matrix(X) if sparse else X
    ours = KernelRidge(0.5, **options).fit(data, y, w)
    peer = Peer(alpha=0.5, **options).fit(X, y, w)
    query, _ = draw(2)
    scale = np.abs(peer.dual_coef_).max()
    np.testing.assert_allclose(ours.dual_coef_, peer.dual_coef_, atol=1e-9 * scale)
    np.testing.assert_allclose(
        ours.predict(sp.csr_array(query) if sparse else query),
        peer.predict(query),
        rtol=1e-8,
        atol=1e-8,
    )
    assert ours.report_.stop is StopReason.CLOSED_FORM


@pytest.mark.course("S0-33", "S2-40")
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_courses_four_forms_are_one_system(solver):
    X, y = draw(3, n=40)
    K, n = rbf_kernel(X, gamma=0.4), 40
    options = {"kernel": "rbf", "gamma": 0.4, "solver": solver, "tol": 1e-14}
    one, lam, C = np.ones(n), 0.3, 4.0
    # lambda/2 ||h||^2 + 1/n sum r^2 with an intercept, written as one linear system
    A = np.block([[K + n * lam / 2 * np.eye(n), one[:, None]], [one, 0.0]])
    solution = np.linalg.solve(A, np.append(y, 0.0))
    model = KernelRidge(n * lam / 2, fit_intercept=True, **options).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_, solution[:n], atol=1e-10)
    assert model.intercept_ == pytest.approx(solution[n], rel=1e-10)
    assert model.dual_coef_.sum() == pytest.approx(0, abs=1e-10)
    # 1/2 ||h||^2 + C/2 ||xi||^2: alpha* = (K + I/C)^-1 y, xi* = alpha*/C
    model = KernelRidge(1 / C, **options).fit(X, y)
    a = np.linalg.solve(K + np.eye(n) / C, y)
    np.testing.assert_allclose(model.dual_coef_, a, atol=1e-10)
    np.testing.assert_allclose(y - model.predict(X), a / C, atol=1e-10)
    dual = -0.5 * a @ K @ a - a @ a / (2 * C) + y @ a
    primal = 0.5 * a @ K @ a + C / 2 * ((y - K @ a) ** 2).sum()
    assert dual == pytest.approx(primal, rel=1e-12)  # no duality gap
    for alpha in (lam / 2, lam):  # the two examination forms
        model = KernelRidge(alpha, **options).fit(X, y)
        exact = np.linalg.solve(K + alpha * np.eye(n), y)
        np.testing.assert_allclose(model.dual_coef_, exact, atol=1e-9)


@pytest.mark.course("S0-33", "S2-40", "S4-47")
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("intercept", [False, True])
def test_it_is_ridge_on_the_explicit_map(solver, intercept):
    X, y = draw(4, d=2)
    w = np.random.default_rng(5).integers(1, 4, len(y)).astype(float)
    query, _ = draw(6, d=2)
    options = {"fit_intercept": intercept, "solver": solver, "tol": 1e-14}

    def phi(Z):  # of (x'z + 1)^2
        r = np.sqrt(2)
        a, b = Z.T
        return np.stack([a**2, b**2, r * a * b, r * a, r * b, np.ones(len(Z))], axis=1)

    np.testing.assert_allclose(
        phi(X) @ phi(query).T, polynomial_kernel(X, query, 2, 1, 1), atol=1e-12
    )
    pairs = [
        (KernelRidge(2.0, kernel="linear", **options), lambda Z: Z),
        (KernelRidge(2.0, kernel="poly", degree=2, gamma=1, **options), phi),
    ]
    for kernel, map_ in pairs:
        linear = Ridge(2.0, fit_intercept=intercept).fit(map_(X), y, w)
        kernel.fit(X, y, w)
        expected = linear.predict(map_(query))
        np.testing.assert_allclose(kernel.predict(query), expected, rtol=1e-8)
        coef = kernel.dual_coef_ @ map_(X)
        np.testing.assert_allclose(coef, linear.coef_, atol=1e-9)


@given(seed=st.integers(0, 1000), intercept=st.booleans(), weighted=st.booleans())
@settings(max_examples=15, deadline=None)
def test_the_path_leaves_each_row_out_exactly(seed, intercept, weighted):
    X, y = draw(seed, n=14, d=2)
    rng = np.random.default_rng(seed)
    w = rng.uniform(0.5, 3, 14) if weighted else None
    alphas = [0.01, 0.5, 20.0]
    options = {"kernel": "rbf", "gamma": 0.5, "fit_intercept": intercept}
    path = KernelRidge(**options).path(X, y, alphas, w)
    for m, alpha in enumerate(alphas):
        whole = KernelRidge(alpha, **options).fit(X, y, w)
        np.testing.assert_allclose(path.dual_coef[m], whole.dual_coef_, atol=1e-9)
        assert path.intercept[m] == pytest.approx(whole.intercept_, abs=1e-9)
        out = np.empty(14)
        for i in range(14):
            rest = np.arange(14) != i
            part = KernelRidge(alpha, **options)
            part.fit(X[rest], y[rest], None if w is None else w[rest])
            out[i] = part.predict(X[[i]])[0]
        np.testing.assert_allclose(path.loo[m], out, rtol=1e-7, atol=1e-8)
        error = np.average((y - out) ** 2, weights=w)
        assert path.loo_error[m] == pytest.approx(error, rel=1e-6)
        eye = np.eye(14)  # the smoother, column by column
        H = KernelRidge(alpha, **options).fit(X, eye, w).predict(X)
        assert path.degrees_of_freedom[m] == pytest.approx(np.trace(H), rel=1e-8)
    assert path.best == alphas[int(path.loo_error.argmin())]


@pytest.mark.parametrize("intercept", [False, True])
def test_every_target_may_have_its_own_alpha(intercept):
    X, Y = draw(7, t=3)
    alpha = [0.1, 1.0, 30.0]
    options = {"kernel": "rbf", "fit_intercept": intercept}
    together = KernelRidge(alpha, **options).fit(X, Y)
    path = KernelRidge(**options).path(X, Y, alpha)
    assert path.loo.shape == (3, 80, 3)
    for j, a in enumerate(alpha):
        alone = KernelRidge(a, **options).fit(X, Y[:, j])
        np.testing.assert_allclose(together.dual_coef_[:, j], alone.dual_coef_, 1e-6)
        np.testing.assert_allclose(together.predict(X)[:, j], alone.predict(X), 1e-8)
        np.testing.assert_allclose(path.dual_coef[j, :, j], alone.dual_coef_, 1e-6)


@given(seed=st.integers(0, 1000), intercept=st.booleans())
@settings(max_examples=15, deadline=None)
def test_a_weight_is_a_repetition_and_0_a_removal(seed, intercept):
    X, y = draw(seed, n=25)
    times = np.random.default_rng(seed).integers(0, 4, 25)
    times[:2] = 1
    query, _ = draw(seed + 1)
    Z, z = np.repeat(X, times, axis=0), np.repeat(y, times)
    for solver in SOLVERS:
        options = {"kernel": "rbf", "gamma": 0.5, "fit_intercept": intercept}
        options |= {"solver": solver, "tol": 1e-13}
        weighted = KernelRidge(0.3, **options).fit(X, y, times)
        repeated = KernelRidge(0.3, **options).fit(Z, z)
        expected = repeated.predict(query)
        np.testing.assert_allclose(weighted.predict(query), expected, atol=1e-9)
    given_ = KernelRidge(0.3, **{**options, "kernel": "precomputed", "solver": "auto"})
    given_.fit(rbf_kernel(X, gamma=0.5), y, times)
    cross = rbf_kernel(query, X, gamma=0.5)
    np.testing.assert_allclose(given_.predict(cross), expected, atol=1e-9)


@pytest.mark.parametrize("alpha", [1.0, 1e-7])
def test_many_rows_are_solved_as_exactly_as_in_float64(alpha):
    X, y = draw(8, n=1700)
    model = KernelRidge(alpha, kernel="rbf", gamma=0.5, fit_intercept=True).fit(X, y)
    refined = "refined" in model.report_.facts["solver"]
    assert refined == (alpha == 1.0)  # float32 is not enough for the other
    K = rbf_kernel(X, gamma=0.5)
    left = y - model.intercept_ - K @ model.dual_coef_ - alpha * model.dual_coef_
    size = np.linalg.norm(K) * np.linalg.norm(model.dual_coef_)
    assert np.linalg.norm(left) <= 1e-14 * size
    assert model.dual_coef_.sum() == pytest.approx(0, abs=1e-9 * size)


def test_rows_whose_matrix_does_not_fit_are_solved_by_products():
    X, y = draw(9, n=600)
    exact = KernelRidge(0.1, kernel="rbf", fit_intercept=True).fit(X, y)
    with config_context(memory_limit="3MB"):
        model = KernelRidge(0.1, kernel="rbf", fit_intercept=True).fit(X, y)
    assert "conjugate" in model.report_.facts["solver"]
    assert model.report_.stop is StopReason.CONVERGED
    assert model.report_.optimality.value <= 1e-10
    assert model.report_.passes < 30  # the preconditioner's doing
    np.testing.assert_allclose(model.predict(X), exact.predict(X), atol=1e-8)
    with pytest.warns(match="max_iter reached"):
        short = KernelRidge(1e-6, kernel="rbf", solver="cg", max_iter=1).fit(X, y)
    assert short.report_.optimality.value > 1e-10


def test_no_penalty_interpolates_or_takes_the_shortest():
    X, y = draw(10, n=30)
    model = KernelRidge(0, kernel="rbf", gamma=5.0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-6)
    singular = KernelRidge(0).fit(X, y)  # of rank 3
    least = np.linalg.lstsq(X, y, rcond=None)[0]
    np.testing.assert_allclose(singular.predict(X), X @ least, atol=1e-8)
    assert singular.report_.facts["kernel_rank"] == 3
    assert "3 of 30" in str(singular.report_)


@pytest.mark.course("S2-40")
@pytest.mark.parametrize("solver", ["auto", "cholesky", "eigen"])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("alpha", [0.0, 1e-30])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_no_penalty_on_a_singular_kernel_is_least_squares(
    solver, kind, alpha, fit_intercept, weighted
):
    """On the columns of K, with the weights of the rows: the normal equation holds."""
    X, Y = draw(17, n=40, t=2)
    X, Y = X.astype(kind), Y + 3.0
    w = np.arange(40) % 4 + 1.0 if weighted else np.ones(40)
    model = KernelRidge(alpha, solver=solver, fit_intercept=fit_intercept)
    model.fit(X, Y, sample_weight=w)
    Z = np.column_stack([X, np.ones(40)])[:, : 3 + fit_intercept]  # of rank 3 or 4
    root = np.sqrt(w)[:, None]
    least = np.linalg.lstsq(root * Z, root * Y, rcond=None)[0]
    tight = 1e-8 if kind is np.float64 else 1e-4
    np.testing.assert_allclose(model.predict(X), Z @ least, atol=tight)
    proof = optimality_gap(model.set_params(alpha=0.0), X, Y, w)
    assert proof.gap <= tight * proof.primal
    if solver != "eigen":
        assert model.report_.facts["kernel_rank"] == 3
    if alpha == 0:
        freedom = model.report_.facts["degrees_of_freedom"]
        assert freedom == pytest.approx([3.0 + fit_intercept])


def test_a_kernel_that_is_none_is_named():
    X, y = draw(16)
    with pytest.warns(match="not positive semi-definite"):
        model = KernelRidge(0.5, kernel="sigmoid", gamma=0.01).fit(X, y)
    peer = Peer(alpha=0.5, kernel="sigmoid", gamma=0.01).fit(X, y)
    np.testing.assert_allclose(model.predict(X), peer.predict(X), rtol=1e-8)


def test_functions_as_kernels():
    X, y = draw(11)
    expected = KernelRidge(0.3, kernel="poly", degree=2, gamma=1).fit(X, y).predict(X)

    def sets(A, B, c):
        return (A @ B.T + c) ** 2

    def pair(a, b, c):
        return (a @ b + c) ** 2

    for function in (sets, pair):
        model = KernelRidge(0.3, kernel=function, kernel_params={"c": 1.0}).fit(X, y)
        np.testing.assert_allclose(model.predict(X), expected, rtol=1e-8)


def test_float32_is_computed_in_float32():
    X, y = draw(12, n=300)
    exact = KernelRidge(1.0, kernel="rbf").fit(X, y)
    single = KernelRidge(1.0, kernel="rbf").fit(X.astype(np.float32), y)
    assert single.dual_coef_.dtype == np.float32
    np.testing.assert_allclose(single.predict(X), exact.predict(X), atol=1e-4)


@pytest.mark.parametrize("t", [None, 2])
def test_a_saved_model_predicts_the_same(tmp_path, t):
    X, y = draw(13, t=t)
    model = KernelRidge(0.2, kernel="rbf", fit_intercept=True).fit(X, y)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert str(again.report_) == str(model.report_)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"alpha": -1.0}, "alpha must be a number >= 0"),
        ({"alpha": [1.0, -1.0]}, "one number or one for each of the 1 targets"),
        ({"kernel": "gauss"}, "kernel must be one of"),
        ({"gamma": 0.0}, "gamma must be"),
        ({"solver": "qr"}, "solver must be one of"),
        ({"solver": "cg", "alpha": 0}, "solver='cg' needs alpha > 0"),
        ({"kernel": lambda A, B: np.full((3, 3, 3), 1.0)}, "kernel must return"),
        ({"kernel": lambda A, B: np.nan * (A @ B.T)}, "finite numbers; got NaN"),
        ({"kernel": "precomputed"}, "must be a square matrix"),
    ],
)
def test_bad_input_is_one_sentence(options, words):
    X, y = draw(14, n=20)
    with pytest.raises((ParameterError, DataError)) as caught:
        KernelRidge(**options).fit(X, y)
    assert words in str(caught.value)
    assert str(caught.value).startswith("KernelRidge: ")
    assert "\n" not in str(caught.value)


def test_a_path_needs_alphas_above_0():
    X, y = draw(15, n=20)
    with pytest.raises(ParameterError, match="alphas must be numbers above 0"):
        KernelRidge().path(X, y, [1.0, 0.0])
    with pytest.raises(ParameterError, match="takes one alpha"):
        KernelRidge([1.0, 2.0], solver="cholesky").fit(X, np.stack([y, y], axis=1))
