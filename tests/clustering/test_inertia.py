import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import KMeans
from corollary.clustering.inertia import huygens
from corollary.core.errors import DataError


@pytest.mark.course("S2-59")
@given(seed=st.integers(0, 10**6), k=st.integers(1, 6), weighted=st.booleans())
@settings(max_examples=50, deadline=None)
def test_total_is_within_plus_between(seed, k, weighted):
    rng = np.random.default_rng(seed)
    X = (
        rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-3, 4)
        + rng.normal(size=3) * 100
    )
    labels = rng.integers(k, size=40)
    w = rng.uniform(0, 3, size=40) if weighted else None
    parts = huygens(X, labels, w)
    assert parts.total == pytest.approx(parts.within + parts.between, rel=1e-9)
    assert min(parts.within, parts.between) >= 0


@pytest.mark.course("S2-59")
def test_k_means_trades_within_for_between():
    X = np.random.default_rng(0).normal(size=(300, 2))
    parts = [
        huygens(X, KMeans(k, random_state=0, n_init=5).fit(X).labels_)
        for k in (1, 2, 4, 8)
    ]
    within = [p.within for p in parts]
    assert within == sorted(within, reverse=True)
    assert parts[0].between == pytest.approx(0, abs=1e-9)
    assert all(p.total == pytest.approx(parts[0].total) for p in parts)
    assert parts[3].explained > parts[1].explained


def test_inertia_of_k_means_is_the_within_part():
    X = np.random.default_rng(1).normal(size=(200, 3))
    w = np.random.default_rng(2).uniform(0, 2, 200)
    model = KMeans(4, random_state=0, tol=0).fit(X, sample_weight=w)
    assert huygens(X, model.labels_, w).within == pytest.approx(
        model.inertia_, rel=1e-9
    )


def test_wrong_shapes():
    with pytest.raises(DataError, match="one label for each row"):
        huygens(np.zeros((3, 2)), [0, 1])
