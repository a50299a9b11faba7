import numpy as np
from scipy import stats

from corollary.distributions.gaussian import Gaussian
from corollary.distributions.student_t import StudentT

S = np.array([[2.0, 0.3], [0.3, 0.7]])
X = np.random.default_rng(0).normal(size=(20, 2)) * 3


def test_equals_scipy():
    for df in (0.7, 1.0, 5.5):
        theirs = stats.multivariate_t([1, 2], S, df)
        ours = StudentT([1.0, 2.0], S, df)
        np.testing.assert_allclose(ours.logpdf(X), theirs.logpdf(X), rtol=1e-11)
        np.testing.assert_allclose(ours.entropy(), theirs.entropy(), rtol=1e-10)
    assert np.isinf(StudentT([0.0], 1.0, 2.0).moments()[1]).all()


def test_tends_to_the_gaussian_and_has_heavier_tails():
    normal = Gaussian([1.0, 2.0], S)
    np.testing.assert_allclose(
        StudentT([1.0, 2.0], S, 1e9).logpdf(X), normal.logpdf(X), rtol=1e-6
    )
    far = [[40.0, -40.0]]
    assert StudentT([1.0, 2.0], S, 4.0).logpdf(far) > normal.logpdf(far) + 100
