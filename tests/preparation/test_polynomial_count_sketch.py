"""The tensor sketch: by hand, on average, within its bound."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.kernel_approximation import PolynomialCountSketch as Theirs

from corollary import PolynomialCountSketch
from corollary.core.errors import ParameterError
from corollary.kernels import Polynomial

RNG = np.random.default_rng(11)
X = RNG.normal(size=(40, 6))


@pytest.mark.course("S4-47")
@pytest.mark.parametrize(("p", "c"), [(1, 0.0), (2, 0.0), (3, 0.5)])
def test_the_sketch_is_a_convolution(p, c):
    D = 11
    model = PolynomialCountSketch(
        degree=p, coef0=c, gamma=0.7, n_components=D, random_state=0
    ).fit(X)
    full = np.sqrt(0.7) * X
    if c:
        full = np.hstack([full, np.full((40, 1), np.sqrt(c))])
    expected = None
    for place, sign in zip(model.indexHash_, model.bitHash_, strict=True):
        sketch = np.zeros((40, D))
        for j in range(full.shape[1]):
            sketch[:, place[j]] += sign[j] * full[:, j]
        if expected is None:
            expected = sketch
        else:  # circular convolution
            rolled = [np.roll(sketch, s, axis=1) * expected[:, [s]] for s in range(D)]
            expected = np.sum(rolled, axis=0)
    np.testing.assert_allclose(model.transform(X), expected, rtol=1e-9, atol=1e-10)
    sparse = model.transform(sp.csr_array(X))
    np.testing.assert_allclose(sparse, expected, rtol=1e-9, atol=1e-10)
    theirs = Theirs(degree=p, coef0=c, gamma=0.7, n_components=D, random_state=0).fit(X)
    theirs.indexHash_, theirs.bitHash_ = model.indexHash_, model.bitHash_
    np.testing.assert_allclose(theirs.transform(X), expected, rtol=1e-9, atol=1e-10)


@pytest.mark.course("S4-47")
def test_it_is_the_kernel_on_average_and_within_its_variance():
    p, D, K = 2, 64, Polynomial(2, 1.0)(X)
    length = (np.sum(X**2, axis=1) + 1) ** (p / 2)
    size = np.outer(length, length)
    errors = []
    for seed in range(60):
        model = PolynomialCountSketch(coef0=1.0, n_components=D, random_state=seed)
        f = model.fit(X).transform(X)
        errors.append((f @ f.T - K) / size)
    errors = np.array(errors)
    bound = (2 + 3**p) / D
    assert np.abs(errors.mean(axis=0)).max() < 5 * np.sqrt(bound / 60)
    assert (errors**2).mean() <= bound
    report = model.report_
    rms = np.sqrt((errors[-1] ** 2).mean())
    np.testing.assert_allclose(report.optimality.value, rms, rtol=1e-9)
    assert report.facts["mean_error_bound"] == pytest.approx(np.sqrt(bound))


def test_errors_are_sentences():
    with pytest.raises(ParameterError, match="degree must be a whole number >= 1"):
        PolynomialCountSketch(degree=0).fit(X)
    with pytest.raises(ParameterError, match="coef0 must be a number >= 0"):
        PolynomialCountSketch(coef0=-1.0).fit(X)
