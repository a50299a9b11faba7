"""Gains of many splits at once against mutual information, one by one."""

import numpy as np
import pytest

from corollary.information import entropy, mutual_information
from corollary.trees.information_gain import chosen_attributes, criteria, node_entropy


def drawn(seed, S=4, k=3, widths=(2, 5, 3)):
    rng = np.random.default_rng(seed)
    D = sum(widths)
    starts = np.cumsum(widths) - widths
    base = rng.random((S, k, 1)) + 0.5  # every attribute has the same classes
    parts = [rng.dirichlet(np.ones(J), (S, k)) * base for J in widths]
    N = np.concatenate(parts, axis=2)
    assert N.shape == (S, k, D)
    return N, np.array(starts), np.array(widths)


@pytest.mark.course("S3-77")
@pytest.mark.parametrize("seed", range(5))
def test_gain_is_mutual_information(seed):
    N, starts, widths = drawn(seed)
    found = criteria(N, starts, np.zeros(3, bool))
    for s in range(len(N)):
        for j in range(3):
            table = N[s][:, starts[j] : starts[j] + widths[j]]
            table = table / table.sum()
            wanted = mutual_information(table, unit="bits")
            assert found.gain[s, j] == pytest.approx(wanted, abs=1e-12)
            split = entropy(table.sum(axis=0), unit="bits")
            assert found.ratio[s, j] == pytest.approx(wanted / split, abs=1e-12)
    assert (found.cut == -1).all()


@pytest.mark.course("S3-77")
@pytest.mark.parametrize("seed", range(5))
def test_cut_of_the_largest_gain(seed):
    rng = np.random.default_rng(seed)
    N = rng.integers(0, 4, (6, 2, 8)).astype(float)
    N[:3, :, -1] = 0  # no missing values
    found = criteria(N, np.array([0]), np.array([True]))
    for s, table in enumerate(N):
        best = -1.0
        for cut in range(7):
            low, high = (
                table[:, : cut + 1].sum(axis=1),
                table[:, cut + 1 : -1].sum(axis=1),
            )
            parts = [p for p in (low, high, table[:, -1]) if p.sum() > 0]
            if len(parts) > 1:
                joint = np.stack(parts, axis=1) / table.sum()
                best = max(best, mutual_information(joint, unit="bits"))
        assert found.gain[s, 0] == pytest.approx(best, abs=1e-12)


def test_entropy_of_pure_and_even_nodes():
    N = np.array([[4.0, 0.0], [3.0, 3.0], [0.0, 0.0]])
    np.testing.assert_array_equal(node_entropy(N), [0.0, 1.0, 0.0])


def test_attribute_of_one_value_splits_nothing():
    N = np.array([[[3.0, 0.0, 1.0, 2.0], [2.0, 0.0, 1.0, 1.0]]])
    found = criteria(N, np.array([0, 2]), np.zeros(2, bool))
    assert np.isnan(found.gain[0, 0])
    assert chosen_attributes(found, "gain")[0] == 1
    assert (
        chosen_attributes(
            criteria(N[:, :, :2], np.array([0]), np.zeros(1, bool)), "gain"
        )
        == -1
    )
