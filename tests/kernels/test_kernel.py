"""Kernels as objects: matrices, points, blocks, errors, machines, files."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import corollary
from corollary import SVC, config_context
from corollary.core.errors import DataError, MemoryLimitError, ParameterError
from corollary.kernels import (
    Bilinear,
    ChiSquare,
    Constant,
    Exponential,
    FunctionKernel,
    Gaussian,
    HistogramIntersection,
    InverseMultiquadric,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
    Spectrum,
    gram_matrix,
    letters,
)

RNG = np.random.default_rng(0)
X, Z = RNG.random((40, 3)), RNG.random((25, 3))
S = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]])

KERNELS = [
    Linear(),
    Polynomial(3, constant=0.5, gamma=0.7),
    Exponential(1.5),
    Bilinear(S),
    Gaussian(0.7),
    Laplacian(0.5),
    Laplacian(0.5, p=2),
    InverseMultiquadric(0.3),
    ChiSquare(0.8),
    ChiSquare(None),
    HistogramIntersection(),
    Constant(2.0),
    Gaussian(0.5) + 2.0 * Linear() * ChiSquare(),
    (Linear() + 1.0).polynomial([1, 0, 2]),
    Linear().exp().normalized(),
    (0.5 * Gaussian() + 0.25) ** 3,
]


@pytest.mark.course("S0-28", "S2-31", "S4-14")
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_a_matrix_is_the_kernel_of_every_pair(kernel):
    K = kernel(X, Z)
    one_by_one = [[kernel(x[None], z[None])[0, 0] for z in Z[:4]] for x in X[:3]]
    np.testing.assert_allclose(K[:3, :4], one_by_one, rtol=1e-12)
    np.testing.assert_allclose(kernel(X), kernel(X, X), rtol=1e-12)
    np.testing.assert_allclose(kernel(X), kernel(X).T, rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(kernel(X, X)), 1e-12)
    assert np.linalg.eigvalsh(kernel(X))[0] > -1e-10 * np.trace(kernel(X))


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_float32_is_kept_and_sparse_rows_are_the_same(kernel):
    holes = np.where(RNG.random(X.shape) < 0.5, 0.0, X)
    K = kernel(holes, Z)
    single = kernel(holes.astype(np.float32), Z.astype(np.float32))
    assert (K.dtype, single.dtype) == (np.float64, np.float32)
    np.testing.assert_allclose(single, K, rtol=2e-5, atol=1e-6)
    assert kernel(holes.astype(np.float32), Z).dtype == np.float64
    for A, B in ((sp.csr_array(holes), sp.csr_matrix(Z)), (sp.csr_array(holes), Z)):
        np.testing.assert_allclose(kernel(A, B), K, rtol=1e-10)
    np.testing.assert_allclose(
        kernel.diagonal(sp.csr_array(holes)), kernel.diagonal(holes), rtol=1e-12
    )


def test_blocks_do_not_change_the_matrix(monkeypatch):
    whole = [kernel(X) for kernel in KERNELS]
    monkeypatch.setattr("corollary.kernels.kernel.BLOCK_BYTES", 1)
    for kernel, K in zip(KERNELS, whole, strict=True):
        np.testing.assert_allclose(kernel(X), K, rtol=1e-12)


@pytest.mark.course("S2-31", "S4-14")
def test_scikit_learns_kernels():
    from sklearn.metrics import pairwise as theirs

    pairs = (
        (Laplacian(0.3), theirs.laplacian_kernel(X, Z, gamma=0.3)),
        (ChiSquare(0.3), theirs.chi2_kernel(X, Z, gamma=0.3)),
        (Gaussian.of_gamma(0.3), theirs.rbf_kernel(X, Z, gamma=0.3)),
        (Polynomial(4, constant=2.0), theirs.polynomial_kernel(X, Z, 4, 1.0, 2.0)),
        (Sigmoid(0.3, 0.1), theirs.sigmoid_kernel(X, Z, gamma=0.3, coef0=0.1)),
        (Linear().normalized(), theirs.cosine_similarity(X, Z)),
    )
    for ours, expected in pairs:
        np.testing.assert_allclose(ours(X, Z), expected, rtol=1e-11)


@pytest.mark.course("S2-31")
def test_functions_of_points_and_of_sets_are_told_apart():
    of_points = [
        lambda x, z: float(np.exp(-np.sum((x - z) ** 2))),
        lambda x, z: np.exp(-sum((a - b) ** 2 for a, b in zip(x, z, strict=True))),
    ]
    of_sets = [
        lambda X, Z: np.exp(-((X[:, None] - Z[None]) ** 2).sum(axis=-1)),
        Gaussian(np.sqrt(0.5)),
    ]
    for k in (*of_points, *of_sets):
        np.testing.assert_allclose(
            gram_matrix(k, X, Z), Gaussian(np.sqrt(0.5))(X, Z), rtol=1e-12
        )
    K = FunctionKernel(lambda a, b: float(len(set(a) & set(b))))(["abc", "bcd", "x"])
    assert K.tolist() == [[3, 2, 0], [2, 3, 0], [0, 0, 1]]
    with pytest.raises(DataError, match="must give one number"):
        FunctionKernel(lambda x, z: x * z, of="points")(X)
    with pytest.raises(DataError, match="must give finite numbers of shape"):
        FunctionKernel(lambda X, Z: np.full((len(X), len(Z)), np.nan))(X)


def test_a_matrix_is_a_kernel_on_row_numbers():
    k = Precomputed(Gaussian()(X))
    rows, others = np.array([[3], [0], [39]]), np.array([1.0, 7.0])
    np.testing.assert_array_equal(k(rows, others), Gaussian()(X)[[3, 0, 39]][:, [1, 7]])
    np.testing.assert_array_equal((k * k)(rows), k(rows) ** 2)
    for bad, came in (([[40]], "got 40"), ([[0.5]], "got 0.5"), (X, "got 0")):
        with pytest.raises(DataError, match="one column of row numbers") as caught:
            k(bad)
        assert came in str(caught.value)
    with pytest.raises(ParameterError, match="K must be symmetric"):
        Precomputed([[1.0, 2.0], [0.0, 1.0]])
    with pytest.raises(ParameterError, match="square matrix"):
        Precomputed([[1.0, 2.0]])


# -- errors ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Linear() - Gaussian(), "A difference of kernels need not be a kernel"),
        (lambda: 1.0 - Linear(), "A difference of kernels need not be a kernel"),
        (lambda: -Gaussian(), "Scaled: c must be a number >= 0; got -1.0."),
        (lambda: Gaussian() * -2, "Scaled: c must be a number >= 0; got -2.0."),
        (lambda: Linear() + -1.0, "Constant: c must be a number >= 0; got -1.0."),
        (lambda: Linear() ** 0.5, "Linear: a power of a kernel must be a whole"),
        (lambda: Linear() ** 0, "Linear: a power of a kernel must be a whole"),
        (lambda: Linear().polynomial([1, -1]), "must be numbers >= 0; got [1.0, -1.0]"),
        (lambda: Linear().polynomial([]), "must be numbers >= 0; got []"),
        (lambda: Gaussian(0.0), "Gaussian: sigma must be a number in (0, inf)"),
        (lambda: Gaussian.of_gamma(-1), "Gaussian: gamma must be a number > 0; got -1"),
        (lambda: Polynomial(0), "Polynomial: degree must be a whole number >= 1"),
        (lambda: Polynomial(2, constant=-1.0), "constant must be a number >= 0"),
        (lambda: Laplacian(p=3), "Laplacian: p must be a whole number in [1, 2]"),
        (lambda: Bilinear([[1.0, 0.0], [1.0, 1.0]]), "Bilinear: A must be symmetric"),
        (lambda: Bilinear([[0.0, 1.0], [1.0, 0.0]]), "got the eigenvalue -1."),
        (lambda: Spectrum(0), "Spectrum: length must be a whole number >= 1; got 0."),
        (lambda: Linear() + Spectrum(), "must take the same kind of points; got rows"),
    ],
)
def test_a_wrong_kernel_gets_one_sentence(wrong, words):
    with pytest.raises(ParameterError) as caught:
        wrong()
    text = str(caught.value)
    assert words.replace("in (0, inf)", "> 0") in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Linear()([[1.0, np.nan]]), "Input X must be finite; got NaN in row 0"),
        (lambda: Linear()([1.0, 2.0]), "Linear: "),
        (lambda: Linear()(X, X[:, :2]), "the same number of features; got 3 and 2"),
        (lambda: ChiSquare()(-X), "ChiSquare: every feature must be >= 0; got -"),
        (lambda: (ChiSquare() + Linear())(-X), "every feature must be >= 0"),
        (lambda: (Linear() + ChiSquare())(-X), "every feature must be >= 0"),
        (lambda: ChiSquare().normalized()(-X), "every feature must be >= 0"),
        (lambda: Bilinear(S)(X[:, :2]), "X must have the 3 features of A; got 2"),
        (lambda: Exponential()([[1e3]]), "the exponent must be at most 709.8"),
        (lambda: Spectrum()("abc"), "the points must be a list of texts; got a str"),
        (lambda: Spectrum()([1, 2]), "every point must be a text; got a int"),
        (lambda: Linear().conformal(lambda X: X)(X), "f must give one number for each"),
    ],
)
def test_wrong_points_get_one_sentence(wrong, words):
    with pytest.raises(DataError) as caught:
        wrong()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_matrix_beyond_the_memory_limit_is_refused_before_it_is_made():
    with config_context(memory_limit=1000):
        with pytest.raises(MemoryLimitError, match="the 40 x 40 kernel matrix"):
            Gaussian()(X)


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 5), st.integers(0, 2**31))
@settings(max_examples=25, deadline=None)
def test_any_points_give_a_kernel_matrix(n, m, d, seed):
    rng = np.random.default_rng(seed)
    A, B = rng.random((n, d)) * 10, rng.random((m, d)) * 10
    for k in (Gaussian(), Laplacian(), ChiSquare(), HistogramIntersection() + Linear()):
        joint = k(np.vstack([A, B]))
        np.testing.assert_allclose(joint[:n, n:], k(A, B), rtol=1e-9, atol=1e-12)
        assert np.linalg.eigvalsh(joint)[0] >= -1e-9 * np.trace(joint)


# -- words -----------------------------------------------------------------------------
def test_kernels_read_like_mathematics():
    k = 0.5 * Gaussian(2.0) + Polynomial(3) * (Linear() + 1) ** 2
    power = "((Linear() + Constant(1)) ** 2)"
    assert repr(k) == f"0.5 * Gaussian(2) + Polynomial(3, constant=1) * {power}"
    assert str(k) == ("0.5 (exp(-||x - z||^2 / (2 2^2))) + ((x'z + 1)^3) ((x'z + 1)^2)")
    assert eval(repr(k)) == k
    assert hash(eval(repr(k))) == hash(k)
    assert Bilinear(S) == Bilinear(S.copy())
    assert Bilinear(S) != Bilinear(2 * S)
    assert Gaussian(1.0) != Laplacian(1.0)
    with pytest.raises(AttributeError):
        Gaussian(1.0).sigma = 2.0


# -- in machines and files -------------------------------------------------------------
Y = (X[:, 0] + X[:, 1] ** 2 > 0.8).astype(int)


@pytest.mark.course("S2-31", "S4-47")
@pytest.mark.parametrize(
    "kernel",
    [*KERNELS, FunctionKernel(np.dot, of="points")],
    ids=lambda kernel: repr(kernel).partition(" at 0x")[0],
)
def test_every_kernel_is_taken_by_a_machine(kernel, tmp_path):
    model = SVC(kernel=kernel, C=2.0, tol=1e-8).fit(X, Y)
    other = SVC(kernel="precomputed", C=2.0, tol=1e-8).fit(kernel(X), Y)
    scores = model.decision_function(Z)
    np.testing.assert_allclose(
        scores, other.decision_function(kernel(Z, X)), rtol=1e-5, atol=1e-6
    )
    assert clone(model).kernel == kernel
    if isinstance(kernel, FunctionKernel):
        with pytest.raises(ParameterError, match="must hold plain values"):
            corollary.save(model, tmp_path / "model")
        return
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    assert again.kernel == kernel
    np.testing.assert_array_equal(again.decision_function(Z), scores)


def test_a_tile_kernel_is_solved_in_tiles():
    named = SVC(kernel="rbf", gamma=0.5, tol=1e-8).fit(X, Y)
    given = SVC(kernel=Gaussian(1.0), tol=1e-8).fit(X, Y)
    np.testing.assert_array_equal(named.dual_coef_, given.dual_coef_)
    np.testing.assert_array_equal(
        named.decision_function(Z), given.decision_function(Z)
    )


def test_a_machine_learns_from_texts_as_rows_of_letters():
    texts = ["aabab", "abaab", "babaa", "xyxyx", "yxxyx", "xxyxy"]
    model = SVC(kernel=Spectrum(2).normalized()).fit(
        letters(texts, 8), [0] * 3 + [1] * 3
    )
    assert model.predict(letters(["aaabbaba", "xyyx"], 8)).tolist() == [0, 1]
    with pytest.raises(DataError, match="no text must be longer than width = 3"):
        letters(texts, 3)
