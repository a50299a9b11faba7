import matplotlib
import numpy as np
import pytest
from scipy.stats import multivariate_normal

from corollary import GaussianNB, QuadraticDiscriminantAnalysis
from corollary.core.errors import DataError, ParameterError
from corollary.decisions import DiscriminantFunctions
from corollary.plots import decision_regions

matplotlib.use("Agg")
RNG = np.random.default_rng(0)
Y = np.arange(300) % 3
X = RNG.normal(size=(3, 2))[Y] * 2 + RNG.normal(size=(300, 2)) * (1 + Y[:, None])
NAMES = np.array(["a", "b", "c"])


def joint(c):
    own = X[Y == c]
    law = multivariate_normal(own.mean(axis=0), np.cov(own.T))
    return lambda Z: law.pdf(Z).reshape(len(Z)) * (Y == c).mean()


BAYES = DiscriminantFunctions([joint(c) for c in range(3)], NAMES)


@pytest.mark.course("S3-13")
def test_the_largest_discriminant_decides_and_ties_go_to_the_first():
    G = np.column_stack([joint(c)(X) for c in range(3)])
    np.testing.assert_allclose(BAYES.scores(X), G)
    np.testing.assert_array_equal(BAYES.predict(X), NAMES[G.argmax(axis=1)])
    theirs = QuadraticDiscriminantAnalysis().fit(X, NAMES[Y]).predict(X)
    np.testing.assert_array_equal(BAYES.predict(X), theirs)
    tie = DiscriminantFunctions([lambda Z: Z[:, 0], lambda Z: Z[:, 0]])
    assert tie.predict(X[:3]).tolist() == [0, 0, 0]


@pytest.mark.course("S3-13")
@pytest.mark.parametrize("f", [np.log, lambda g: 5 * g - 3, np.cbrt, lambda g: -1 / g])
def test_increasing_transforms_keep_every_region(f):
    other = BAYES.transformed(f)
    np.testing.assert_allclose(other.scores(X), f(BAYES.scores(X)))
    np.testing.assert_array_equal(other.predict(X), BAYES.predict(X))
    twice = other.transformed(lambda g: 2 * g).transformed(np.arctan)
    np.testing.assert_array_equal(twice.predict(X[:20]), BAYES.predict(X[:20]))


@pytest.mark.course("S3-13")
@pytest.mark.parametrize("f", [lambda g: -g, lambda g: (g - 0.01) ** 2, np.zeros_like])
def test_other_transforms_are_refused(f):
    with pytest.raises(DataError, match="f must be increasing; got f"):
        BAYES.transformed(f).predict(X)


@pytest.mark.course("S3-13")
def test_regions_of_given_functions_are_drawn():
    import matplotlib.pyplot as plt

    half = DiscriminantFunctions([lambda Z: 0 * Z[:, 0], lambda Z: Z[:, 0] + Z[:, 1]])
    regions = decision_regions(half, X, span=[(-1, 1), (-1, 1)], resolution=50)
    above = regions.x[None, :] + regions.y[:, None] > 1e-9
    np.testing.assert_array_equal(regions.codes == 1, above)
    drawn = decision_regions(BAYES, X, NAMES[Y], resolution=30)
    log = decision_regions(BAYES.transformed(np.log), X, NAMES[Y], resolution=30)
    np.testing.assert_array_equal(drawn.codes, log.codes)
    ax = drawn.plot()
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["a", "b", "c"]
    plt.close(ax.figure)
    with pytest.raises(Exception, match="not fitted"):
        decision_regions(GaussianNB(), X)


def test_bad_input_is_told_in_one_sentence():
    def g(Z):
        return Z[:, 0]

    for call, words in (
        (lambda: DiscriminantFunctions([g]), "at least two functions"),
        (lambda: DiscriminantFunctions([g, 3]), "at least two functions"),
        (lambda: DiscriminantFunctions([g, g], ["a", "a"]), "2 different labels"),
        (lambda: BAYES.transformed(3), "f must be a function"),
        (lambda: DiscriminantFunctions([g, lambda Z: 1.0]).predict(X), "one a row"),
        (lambda: BAYES.transformed(lambda g: g[0]).predict(X), "numbers to numbers"),
    ):
        with pytest.raises((DataError, ParameterError), match=words):
            call()
