import matplotlib
import numpy as np
import pytest

from corollary import KMeans
from corollary.clustering import k_means_half_steps
from corollary.core.errors import DataError, ParameterError

matplotlib.use("Agg")


def book(X, z, w, rounds):
    """Means, then nearest means, with J after each, by the definitions."""
    energy = []
    for _ in range(rounds):
        mu = np.stack([np.average(X[z == k], 0, w[z == k]) for k in range(z.max() + 1)])
        energy.append((w * ((X - mu[z]) ** 2).sum(axis=1)).sum())
        d2 = ((X[:, None] - mu) ** 2).sum(axis=2)
        z = d2.argmin(axis=1)
        energy.append((w * d2.min(axis=1)).sum())
    return energy, z


@pytest.mark.course("S0-42")
@pytest.mark.parametrize("seed", range(4))
def test_from_assignments_each_half_step_is_the_book(seed):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(60, 2)), rng.uniform(0.5, 2, size=60)
    z = np.arange(60) % 4
    found = k_means_half_steps(X, z, sample_weight=w)
    energy, labels = book(X, z, w, len(found.steps) // 2)
    np.testing.assert_allclose(found.energy, energy, rtol=1e-10)
    np.testing.assert_array_equal(found.labels, labels)
    assert found.steps == ("means", "assign") * (len(energy) // 2)
    assert found.converged
    assert len(energy) > 4
    assert (np.diff(found.energy) <= 1e-12 * energy[0]).all()
    assert found.energy[2] < found.energy[1] < found.energy[0]


@pytest.mark.course("S0-42")
def test_from_centres_it_is_k_means_and_huygens_gives_the_fall():
    X = np.random.default_rng(0).normal(size=(200, 3))
    found = k_means_half_steps(X, X[:5])
    model = KMeans(5, init=X[:5], tol=0).fit(X)
    np.testing.assert_allclose(found.centers, model.cluster_centers_, rtol=1e-9)
    np.testing.assert_array_equal(found.labels, model.labels_)
    n = min(len(model.report_.objective), len(found.energy[::2]))
    assert found.steps[:3] == ("assign", "means", "assign")
    np.testing.assert_allclose(
        found.energy[::2][:n], model.report_.objective[:n], rtol=1e-9
    )
    z = ((X[:, None] - X[:5]) ** 2).sum(axis=2).argmin(axis=1)
    shift = [((X[z == k].mean(axis=0) - X[k]) ** 2).sum() for k in range(5)]
    fall = found.energy[0] - found.energy[1]
    assert fall == pytest.approx(np.bincount(z) @ shift, rel=1e-9)


@pytest.mark.course("S0-42")
def test_an_end_from_assignments_that_are_a_fixed_point_and_a_cluster_that_empties():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    still = k_means_half_steps(X, [0, 0, 1, 1])
    assert still.energy.tolist() == [1.0, 1.0]
    found = k_means_half_steps(X, [5, 5, 9, 9])  # numbers without rows do not count
    assert found.centers.ravel().tolist() == [0.5, 10.5]
    far = k_means_half_steps(X, [[0.0], [10.0], [999.0]])
    assert far.centers.ravel().tolist() == [0.5, 10.5]


def test_pictures_words_and_bad_input():
    import matplotlib.pyplot as plt

    X = np.arange(8.0)[:, None]
    found = k_means_half_steps(X, np.arange(8) % 2, max_iter=1)
    assert not found.converged
    assert "max_iter reached" in str(found)
    ax = found.plot()
    assert ax.get_ylabel() == "energy J"
    plt.close(ax.figure)
    for init, words in (
        ([0, 1], "8 whole numbers, one a row"),
        (np.zeros(8), "8 whole numbers, one a row"),
        ([[1.0, 2.0]], "centres must have 1 features"),
    ):
        with pytest.raises(DataError, match=words):
            k_means_half_steps(X, init)
    with pytest.raises(ParameterError, match="max_iter must be"):
        k_means_half_steps(X, [[1.0]], max_iter=0)
