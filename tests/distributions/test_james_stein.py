import numpy as np
import pytest

from corollary.core.errors import DataError, ParameterError
from corollary.distributions.gaussian import Gaussian
from corollary.distributions.james_stein import james_stein
from corollary.studies.estimator_lab import estimator_lab


def plain(X):
    return james_stein(X, positive_part=False)


def errors(estimator, mu, N, repeats=10000):
    lab = estimator_lab(
        estimator,
        Gaussian(mu, 1.0),
        mu,
        sizes=[N],
        repeats=repeats,
        random_state=0,
    )
    return lab[0].mse, 5 * lab[0].mse_error


@pytest.mark.course("S1-38")
@pytest.mark.parametrize(("centre", "expected"), [(0.0, 2.00), (1.0, 6.22)])
def test_worked_numbers_of_one_row_in_ten_dimensions(centre, expected):
    mu = np.full(10, centre)
    mse, noise = errors(plain, mu, 1)
    assert abs(mse - expected) < noise + 0.005
    mse, noise = errors(lambda X: X.mean(axis=0), mu, 1)
    assert abs(mse - 10.0) < noise


@pytest.mark.course("S1-38")
def test_the_number_of_rows_belongs_into_the_formula():
    mu = np.zeros(10)
    mse, noise = errors(plain, mu, 5, 6000)
    assert abs(mse - 0.40) < noise + 0.005  # 2/N

    def without_n(X):
        mean = X.mean(axis=0)
        return (1 - 8 / (mean @ mean)) * mean

    mse, noise = errors(without_n, mu, 5, 6000)
    assert abs(mse - 26.0) < noise + 0.5  # far worse than the mean's 2


@pytest.mark.course("S1-38")
@pytest.mark.parametrize("size", [0.0, 1.0, 3.0, 10.0])
def test_below_the_mean_everywhere_and_the_positive_part_below_that(size):
    mu = np.zeros(5)
    mu[0] = size
    law = Gaussian(mu, 2.0)
    rng = np.random.default_rng(1)
    loss = {"mean": [], "plain": [], "positive": []}
    for _ in range(4000):
        X = law.sample(3, rng)
        for name, guess in (
            ("mean", X.mean(axis=0)),
            ("plain", james_stein(X, 2.0, positive_part=False)),
            ("positive", james_stein(X, 2.0)),
        ):
            loss[name].append(((guess - mu) ** 2).sum())
    mean, plain_, positive = (np.array(loss[k]) for k in loss)
    gain = mean - plain_
    assert gain.mean() > -3 * gain.std() / np.sqrt(4000)
    if size <= 3:
        assert gain.mean() > 3 * gain.std() / np.sqrt(4000)
    assert positive.mean() <= plain_.mean()


def test_target_and_edge_cases():
    x = np.array([[4.0, 1.0, 1.0]])
    np.testing.assert_allclose(james_stein(x, target=1.0), [1 + 3 * (1 - 1 / 9), 1, 1])
    np.testing.assert_allclose(james_stein([0.1, 0.0, 0.0]), 0)  # not past the target
    np.testing.assert_allclose(james_stein([1.0, 1.0, 1.0], target=1.0), 1.0)
    with pytest.raises(DataError, match=r"more than 2 columns; got 2\. Use the mean\."):
        james_stein([[1.0, 2.0]])
    with pytest.raises(ParameterError, match="variance must be > 0"):
        james_stein([1.0, 2.0, 3.0], variance=0)
    with pytest.raises(DataError, match="X must have rows"):
        james_stein(np.empty((0, 3)))
