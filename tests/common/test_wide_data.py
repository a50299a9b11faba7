"""More features than rows: from every source by rows, never by pairs of features."""

import tracemalloc
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
import scipy.linalg
import scipy.sparse as sp
import sklearn.decomposition
import sklearn.discriminant_analysis
import sklearn.linear_model

import corollary
from corollary import PCA, FisherDiscriminant, LinearDiscriminantAnalysis, engine
from corollary.linear.least_squares.principal_axes import PrincipalAxes

N, D = 12, 1500
rng = np.random.default_rng(0)
LABEL = np.arange(N) % 3
X = rng.normal(size=(N, D)) + 0.3 * LABEL[:, None]
NUMBER = X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=N)

LEARNERS = [
    ("LinearRegression", {}, "coef_"),
    ("Ridge", {"alpha": 2.0}, "coef_"),
    ("RidgeCV", {}, "coef_"),
    ("Lasso", {"alpha": 0.2, "tol": 1e-12}, "coef_"),
    ("ElasticNet", {"alpha": 0.2, "tol": 1e-12}, "coef_"),
    ("PrincipalComponentRegression", {"n_components": 4}, "coef_"),
    ("PLSRegression", {}, "coef_"),
    ("LeastSquaresClassifier", {}, "coef_"),
    ("LinearDiscriminantAnalysis", {}, "coef_"),
    ("FisherDiscriminant", {}, "directions_"),
    ("PCA", {"n_components": 4}, "components_"),
]


def csv(X, y, folder):
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y}
    pa.csv.write_csv(pa.table(columns), folder / "wide.csv")
    return (engine.CSVSource(folder / "wide.csv", target="y"),)


def chunks(X, y, folder):
    return (
        engine.ChunkSource(lambda: ((X[a : a + 5], y[a : a + 5]) for a in (0, 5, 10))),
    )


SOURCES = {"array": lambda X, y, folder: (X, y), "csv": csv, "chunks": chunks}


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize(("name", "options", "learned"), LEARNERS)
def test_memory_grows_with_the_features_not_their_pairs(
    name, options, learned, kind, tmp_path
):
    model = getattr(corollary, name)(**options)
    y = LABEL if model.target == "labels" else NUMBER
    source = SOURCES[kind](X, y, tmp_path)
    whole = getattr(corollary, name)(**options).fit(X, y)
    tracemalloc.start()
    try:
        model.fit(*source)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.6 * 8 * D * D
    a, b = getattr(model, learned), getattr(whole, learned)
    np.testing.assert_allclose(a, b, atol=1e-9 * np.abs(b).max())


@pytest.mark.parametrize("rows", [100, 1501, 3000])
def test_a_source_is_read_no_further_than_its_width(rows):
    """Of a file that does not know its rows, as many as features are counted."""
    taken = []

    def again():
        for a in range(0, rows, 50):
            taken.append(a)
            yield np.ones((min(50, rows - a), D)) * a

    learner = corollary.KMeans()
    data = engine.Data(learner, engine.ChunkSource(again))
    taken.clear()
    assert data.few_rows == min(rows, D + 1)
    assert len(taken) <= -(-(D + 1) // 50)
    data.executor.close()


def test_wide_discriminants_are_scikit_learns():
    theirs = sklearn.discriminant_analysis.LinearDiscriminantAnalysis().fit(X, LABEL)
    ours = LinearDiscriminantAnalysis().fit(X, LABEL)
    size = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-9 * size)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-8)
    fewer = LinearDiscriminantAnalysis(store_covariance=True).fit(X, LABEL)
    np.testing.assert_allclose(fewer.covariance_, theirs_covariance(), atol=1e-12)


def theirs_covariance():
    Z = X - np.array([X[c == LABEL].mean(axis=0) for c in range(3)])[LABEL]
    return Z.T @ Z / N


@pytest.mark.parametrize("d", [8, 40])
def test_both_roots_of_the_scatter_give_one_rule(d, monkeypatch):
    """By rows or by pairs of features, with weights, in one chunk or several."""
    some, w = X[:, :d], rng.uniform(0.5, 2.0, N)
    wide = LinearDiscriminantAnalysis().fit(some, LABEL, w)
    with engine.use(chunk_rows=5):
        parts = LinearDiscriminantAnalysis().fit(some, LABEL, w)
        fisher = FisherDiscriminant().fit(some, LABEL, w)
    monkeypatch.setattr(LinearDiscriminantAnalysis, "_needs_root_only", lambda self: 0)
    monkeypatch.setattr(engine.Data, "few_rows", 10**9)
    square = LinearDiscriminantAnalysis().fit(some, LABEL, w)
    plain = FisherDiscriminant().fit(some, LABEL, w)
    size = np.abs(square.coef_).max()
    np.testing.assert_allclose(wide.coef_, square.coef_, atol=1e-9 * size)
    np.testing.assert_allclose(parts.coef_, square.coef_, atol=1e-9 * size)
    np.testing.assert_allclose(fisher.criterion_, plain.criterion_, rtol=1e-8)
    np.testing.assert_allclose(
        fisher.directions_,
        plain.directions_,
        atol=1e-8 * np.abs(plain.directions_).max(),
    )


def test_a_stream_goes_on_after_a_wide_fit():
    model = LinearDiscriminantAnalysis().fit(X[:6], LABEL[:6])
    model.partial_fit(X[6:], LABEL[6:])
    whole = LinearDiscriminantAnalysis().fit(X, LABEL)
    size = np.abs(whole.coef_).max()
    np.testing.assert_allclose(model.coef_, whole.coef_, atol=1e-9 * size)


def sparse_rows(n=300, d=1200):
    draw = np.random.default_rng(1)
    S = sp.random(n, d, density=0.01, random_state=2, format="csr")
    S.data[:] = draw.normal(size=S.nnz)
    hub = sp.csr_array(np.outer(draw.normal(size=n), draw.random(d) < 0.02))
    return sp.csr_array(S + 3 * hub)


@pytest.mark.parametrize("weighted", [False, True])
def test_few_components_of_sparse_columns_need_no_covariance(weighted):
    S = sparse_rows()
    w = np.random.default_rng(3).integers(1, 4, S.shape[0]) if weighted else None
    tracemalloc.start()
    try:
        ours = PCA(2).fit(S, sample_weight=w)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.1 * 8 * S.shape[1] ** 2
    assert ours.report_.facts["route"] == "lanczos"
    assert ours.report_.reads < 200
    dense = S.toarray() if w is None else np.repeat(S.toarray(), w, axis=0)
    theirs = sklearn.decomposition.PCA(2, svd_solver="full").fit(dense)
    np.testing.assert_allclose(
        np.abs(ours.components_), np.abs(theirs.components_), atol=1e-8
    )
    for name in ("explained_variance_", "explained_variance_ratio_", "mean_"):
        a, b = getattr(ours, name), getattr(theirs, name)
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12, err_msg=name)
    if w is None:
        assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_, rel=1e-9)


def test_sparse_components_from_chunks_are_those_of_the_matrix():
    S = sparse_rows()
    whole = PCA(2).fit(S)
    source = engine.ChunkSource(lambda: (S[a : a + 77] for a in range(0, 300, 77)))
    parts = PCA(2).fit(source)
    np.testing.assert_allclose(parts.components_, whole.components_, atol=1e-9)
    with pytest.raises(corollary.DataError, match="Begin with partial_fit"):
        whole.partial_fit(S)


def test_components_beyond_the_rank_take_the_exact_route():
    S = sparse_rows()
    S = sp.csr_array(S.multiply(np.arange(1200) < 3))  # three columns that move
    model = PCA(5).fit(S)
    assert model.report_.facts["route"] != "lanczos"
    assert (model.explained_variance_[3:] < 1e-12).all()


# -- nothing of the third power of the features -------------------------------------
SQUARE = [
    ("BayesianRidge", {}),
    ("BayesianLinearRegression", {}),
    ("BayesianLinearRegression", {"prior_variance": np.linspace(1.0, 2.0, 200)}),
    ("GradientDescentRegressor", {"alpha": 0.1}),
    ("QuadraticDiscriminantAnalysis", {}),
    ("QuadraticDiscriminantAnalysis", {"shrinkage": 0.3}),
    ("QuadraticDiscriminantAnalysis", {"reg_param": 0.3}),
    ("GaussianDiscriminant", {}),
    ("GaussianDiscriminant", {"covariance": "tied"}),
    ("GaussianDiscriminant", {"covariance": "diagonal"}),
    ("GaussianDiscriminant", {"shrinkage": 0.3}),
    ("ParametricDensity", {}),
    ("LeastAbsoluteDeviations", {}),
]


@pytest.mark.parametrize(("name", "options"), SQUARE)
def test_no_matrix_of_all_pairs_is_decomposed(name, options, monkeypatch):
    """By far the dearest: the axes of a d x d matrix."""
    monkeypatch.setattr("corollary.distributions.gaussian.SMALL", 50)
    for function in ("eigh", "eigvalsh", "svd", "inv", "cond", "solve"):
        plain = getattr(np.linalg, function)

        def held(A, *rest, plain=plain, **more):
            assert min(np.shape(A)[-2:]) <= 2 * N, plain.__name__
            return plain(A, *rest, **more)

        monkeypatch.setattr(np.linalg, function, held)
    model = getattr(corollary, name)(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[:, :200], LABEL if model.target == "labels" else NUMBER)


@pytest.mark.parametrize("shrinkage", [None, 0.3])
@pytest.mark.parametrize("weight", [None, 0.1])
def test_few_rows_give_the_covariances_of_all_pairs(shrinkage, weight, monkeypatch):
    some, w = X[:, :100], None if weight is None else np.full(N, weight)
    learner = corollary.QuadraticDiscriminantAnalysis
    options = {"shrinkage": shrinkage, "store_covariance": True}
    short = learner(**options).fit(some, LABEL, w)
    monkeypatch.setattr("corollary.linear_algebra.decompositions.FEW", np.inf)
    long = learner(**options).fit(some, LABEL, w)
    np.testing.assert_allclose(short.covariance_, long.covariance_, atol=1e-12)
    np.testing.assert_allclose(short.scalings_, long.scalings_, atol=1e-12)
    expected = long.decision_function(some + 1)
    size = np.abs(expected).max()
    found = short.decision_function(some + 1)
    np.testing.assert_allclose(found, expected, atol=1e-9 * size)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 2.0])
def test_the_spectrum_of_few_rows_is_that_of_the_hessian(intercept, alpha):
    options = {"alpha": alpha, "fit_intercept": intercept, "max_iter": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = corollary.GradientDescentRegressor(**options).fit(X[:, :50], NUMBER)
    Z = np.c_[X[:, :50], np.ones(N)] if intercept else X[:, :50]
    H = Z.T @ Z / N + alpha / N * np.diag(np.arange(Z.shape[1]) < 50)
    values = np.linalg.eigvalsh(H)
    assert model.report_.facts["largest_learning_rate"] == pytest.approx(2 / values[-1])
    if alpha:
        assert model.report_.condition == pytest.approx(values[-1] / values[0])
    else:
        assert model.report_.condition > 1e14


def test_wide_least_deviations_have_several_minimisers():
    model = corollary.LeastAbsoluteDeviations().fit(X, NUMBER)
    assert model.report_.facts["minimizers"] == "several"
    for line in model.minimizers_:
        np.testing.assert_allclose(X @ line[1:] + line[0], NUMBER, atol=1e-8)


def test_the_condition_of_a_large_law_is_that_of_its_covariance(monkeypatch):
    law = corollary.ParametricDensity().fit(X[:, :60]).distribution_
    monkeypatch.setattr("corollary.distributions.gaussian.SMALL", 50)
    assert law.condition() == pytest.approx(np.linalg.cond(law.covariance), rel=1e-6)


def test_wide_ridge_is_scikit_learns_from_a_file(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = corollary.Ridge(3.0).fit(*csv(X, NUMBER, tmp_path))
    theirs = sklearn.linear_model.Ridge(3.0).fit(X, NUMBER)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-10)
    assert ours.intercept_ == pytest.approx(theirs.intercept_)


@pytest.mark.parametrize(
    ("name", "options"), [("LinearRegression", {}), ("Ridge", {}), ("RidgeCV", {})]
)
def test_only_a_matrix_of_pairs_of_rows_is_decomposed(name, options, monkeypatch):
    """Several times cheaper than an orthogonal decomposition of the rows."""
    for module, function in (
        (np.linalg, "svd"),
        (np.linalg, "qr"),
        (np.linalg, "eigh"),
        (scipy.linalg, "qr"),
    ):
        plain = getattr(module, function)

        def held(A, *rest, plain=plain, **more):
            assert max(np.shape(A)) <= 2 * N, plain.__name__
            return plain(A, *rest, **more)

        monkeypatch.setattr(module, function, held)
    ours = getattr(corollary, name)(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours.fit(X, NUMBER)
    theirs = getattr(sklearn.linear_model, name)(**options).fit(X, NUMBER)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-11)


@pytest.mark.parametrize("alpha", [0.0, 1e-9])
@pytest.mark.parametrize("apart", [1e-3, 1e-6])
def test_rows_that_are_nearly_alike_keep_their_digits(alpha, apart):
    """Their products would lose them: the condition of X is not squared."""
    near = X.copy()
    near[1::2] = near[::2] + apart * X[1::2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = corollary.Ridge(alpha).fit(near, NUMBER)
    Xc, yc = near - near.mean(axis=0), NUMBER - NUMBER.mean()
    U, s, V = np.linalg.svd(Xc, full_matrices=False)
    U, s, V = U[:, : N - 1], s[: N - 1], V[: N - 1]
    coef = V.T @ (s / (s**2 + alpha) * (U.T @ yc))
    np.testing.assert_allclose(model.coef_, coef, atol=1e-8 * np.abs(coef).max())


@pytest.mark.parametrize("cv", [None, 4])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_ridges_of_few_rows_are_those_of_their_columns(
    cv, intercept, weighted, sparse, monkeypatch
):
    """By pairs of rows or by an orthogonal decomposition; two rows are the same."""
    w = np.random.default_rng(4).uniform(0.5, 2.0, N) if weighted else None
    Z = np.where(np.abs(X) > 1.5, X, 0.0)[:, :60]
    Z[3] = Z[2]
    alphas, options = [0.1, 1.0, 10.0], {"fit_intercept": intercept, "cv": cv}
    rows = sp.csr_array(Z) if sparse else Z
    ours = corollary.RidgeCV(alphas, **options).fit(rows, NUMBER, w)
    assert ours.report_.facts["route"] == "rows"
    monkeypatch.setattr(PrincipalAxes, "of_rows", lambda *_, **__: None)
    other = corollary.RidgeCV(alphas, **options).fit(rows, NUMBER, w)
    for name in ("coef_", "intercept_", "scores_", "alpha_"):
        a, b = getattr(ours, name), getattr(other, name)
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(ours.path_.gcv, other.path_.gcv, rtol=1e-8)
    np.testing.assert_allclose(ours.path_.df, other.path_.df, rtol=1e-9)


def test_many_sparse_columns_are_never_made_dense():
    S = sp.random(60, 20_000, density=0.01, random_state=5, format="csr")
    y = np.asarray(S.sum(axis=1)).ravel()
    tracemalloc.start()
    try:
        for model in (corollary.RidgeCV(), corollary.RidgeCV(cv=3), corollary.Ridge()):
            model.fit(S, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.5 * 8 * S.shape[0] * S.shape[1]
    theirs = sklearn.linear_model.RidgeCV().fit(S, y)
    ours = corollary.RidgeCV().fit(S, y)
    assert ours.alpha_ == theirs.alpha_
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
@pytest.mark.parametrize("shrinkage", [None, 0.3, 0.9])
def test_shrunk_discriminants_of_few_rows_lie_in_their_span(
    shrinkage, solver, weighted, monkeypatch
):
    some = X[:, :60]
    w = np.random.default_rng(6).uniform(0.5, 2.0, N) if weighted else None
    options = {"shrinkage": shrinkage, "solver": solver}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = LinearDiscriminantAnalysis(**options).fit(some, LABEL, w)
        monkeypatch.setattr(engine.Data, "few_rows", 10**9)
        pairs = LinearDiscriminantAnalysis(**options).fit(some, LABEL, w)
    assert rows.scalings_.shape[1] <= N + 3
    for name in ("coef_", "intercept_", "covariance_", "explained_variance_ratio_"):
        a, b = getattr(rows, name), getattr(pairs, name)
        np.testing.assert_allclose(
            a, b, atol=1e-8 * np.abs(b).max(), rtol=1e-8, err_msg=name
        )
    if shrinkage:
        assert rows.report_.condition == pytest.approx(pairs.report_.condition)
    new = X[:, 60:120]
    np.testing.assert_allclose(
        np.abs(rows.transform(new)), np.abs(pairs.transform(new)), rtol=1e-6, atol=1e-8
    )
