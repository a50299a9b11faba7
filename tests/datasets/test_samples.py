"""The samples follow the truth that they bring."""

import numpy as np
import pytest
from scipy import stats

from corollary.core.errors import ParameterError
from corollary.datasets import classification, latent_classes, regression
from corollary.objectives.links import LINKS


@pytest.mark.parametrize("make", [classification, regression])
def test_seed_decides_the_data(make):
    for got, again in zip(make(), make(random_state=0), strict=True):
        np.testing.assert_array_equal(got, again)
    assert not np.array_equal(make().X, make(random_state=1).X)


def test_least_squares_recovers_the_regression():
    X, y, coef, intercept = regression(50_000, 6, noise=0.5, informative=4)
    A = np.column_stack([X, np.ones(len(X))])
    w, rss = np.linalg.lstsq(A, y, rcond=None)[:2]
    np.testing.assert_allclose(w, [*coef, intercept], atol=0.01)
    assert np.sqrt(rss[0] / len(y)) == pytest.approx(0.5, rel=0.01)
    assert coef[4:].tolist() == [0, 0]
    assert np.all(coef[:4] != 0)


def test_regression_correlation():
    X = regression(50_000, 4, correlation=0.9).X
    R = np.corrcoef(X, rowvar=False)
    np.testing.assert_allclose(R[0], [1, 0.9, 0.81, 0.729], atol=0.01)
    np.testing.assert_allclose(X.std(axis=0), 1, atol=0.02)


def test_classification_follows_its_softmax():
    X, y, coef, intercept = classification(200_000, 5, 3)
    logits = X @ coef.T + intercept
    P = np.exp(logits - logits.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    for k in range(3):
        edges = np.quantile(P[:, k], np.linspace(0, 1, 6)[1:-1])
        bin_of = np.digitize(P[:, k], edges)
        for b in range(5):
            claimed, seen = P[bin_of == b, k].mean(), (y[bin_of == b] == k).mean()
            assert seen == pytest.approx(claimed, abs=0.01)


@pytest.mark.course("S2-15")
@pytest.mark.parametrize("link", ["logit", "probit", "cloglog", "loglog", "cauchit"])
def test_the_latent_variable_has_the_links_class_probability(link):
    laws = {
        "logit": stats.logistic.cdf,
        "probit": stats.norm.cdf,
        "cloglog": stats.gumbel_l.cdf,
        "loglog": stats.gumbel_r.cdf,
        "cauchit": stats.cauchy.cdf,
    }
    eta = np.array([-2.0, -0.5, 0.0, 1.0, 2.5])
    X = np.repeat(eta, 20_000)[:, None]
    drawn = latent_classes(X, [1.0], 0.25, link, random_state=1)
    expected = laws[link](eta + 0.25)
    np.testing.assert_allclose(drawn.probability[::20_000], expected, rtol=1e-12)
    seen = drawn.y.reshape(5, -1).mean(axis=1)
    error = np.sqrt(expected * (1 - expected) / 20_000)
    assert (np.abs(seen - expected) < 4 * error + 1e-4).all()
    again = latent_classes(X, [1.0], 0.25, LINKS[link], random_state=1)
    np.testing.assert_array_equal(again.y, drawn.y)


def test_bad_latent_classes():
    with pytest.raises(ParameterError, match="link must be one of 'logit'"):
        latent_classes(np.zeros((3, 1)), [1.0], link="log")
    with pytest.raises(ParameterError, match=r"coef \(d,\); got"):
        latent_classes(np.zeros((3, 1)), [1.0, 2.0])
