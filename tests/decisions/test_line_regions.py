from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from corollary.core.errors import ParameterError
from corollary.decisions.decision_rules import decide, posterior
from corollary.decisions.line_regions import line_regions, normal_crossings

SALMON, BASS = norm(5, 1), norm(10, 2)
FISH = [SALMON.logpdf, BASS.logpdf]


@pytest.mark.course("S3-6", "S3-9")
@pytest.mark.parametrize(
    ("share", "roots"),
    [(0.5, (-0.267, 6.933)), (2 / 3, (-0.515, 7.181)), (0.999, (-2.268, 8.935))],
)
def test_fish_boundaries_are_two(share, roots):
    found = normal_crossings([5, 10], [1, 2], [share, 1 - share])
    np.testing.assert_allclose(found, roots, atol=5e-4)
    np.testing.assert_allclose(
        3 * found**2 - 20 * found, 8 * np.log(2 * share / (1 - share)), atol=1e-8
    )
    regions = line_regions(FISH, [share, 1 - share], (-10, 30))
    assert [r.action for r in regions] == [1, 0, 1]
    np.testing.assert_allclose([r.high for r in regions[:2]], found, atol=1e-9)


@pytest.mark.course("S3-9")
def test_fish_with_costs():
    loss = [[0, 2], [1, 0]]
    np.testing.assert_allclose(
        normal_crossings([5, 10], [1, 2], loss=loss), [0, 20 / 3], atol=1e-12
    )
    regions = line_regions(FISH, [0.5, 0.5], (-10, 30), loss)
    np.testing.assert_allclose(regions[1][:2], [0, 20 / 3], atol=1e-9)


@pytest.mark.course("S3-9", "S3-7")
def test_secretary():
    # 75.32, not 76; and above 110.30 the wider class of bad ones wins again
    roots = normal_crossings([85, 40], [5, 13], [0.2, 0.8], [[0, 20], [5, 0]])
    np.testing.assert_allclose(roots, [75.32, 110.30], atol=5e-3)
    classes = [norm(85, 5).logpdf, norm(40, 13).logpdf]
    regions = line_regions(classes, [0.2, 0.8], (0, 100), [[0, 20], [5, 0]])
    assert [r.action for r in regions] == [1, 0]
    np.testing.assert_allclose(regions[0].high, roots[0], atol=1e-9)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_regions_decide_as_the_rule_does(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    classes = [norm(rng.uniform(-5, 5), rng.uniform(0.5, 3)) for _ in range(k)]
    prior, loss = rng.dirichlet(np.ones(k)), rng.uniform(0, 5, (k + 1, k))
    regions = line_regions([c.logpdf for c in classes], prior, (-12, 12), loss)
    x = rng.uniform(-12, 12, 500)
    P = posterior(np.column_stack([c.logpdf(x) for c in classes]), prior)
    edges = np.array([r.high for r in regions[:-1]])
    clear = np.abs(x[:, None] - edges).min(axis=1, initial=np.inf) > 0.02
    at = np.searchsorted(edges, x)
    by_region = np.array([r.action for r in regions])[at]
    np.testing.assert_array_equal(by_region[clear], decide(P, loss)[clear])
    assert regions[0].low == -12
    assert regions[-1].high == 12
    for left, right in pairwise(regions):
        assert left.high == right.low


def test_equal_variances_have_one_crossing_and_equal_classes_none():
    np.testing.assert_allclose(normal_crossings([0, 4], [1, 1]), [2.0])
    assert len(normal_crossings([0, 0], [1, 1])) == 0
    assert len(normal_crossings([0, 0], [1, 2], [1e-9, 1 - 1e-9])) == 0
    assert len(normal_crossings([0, 4], [1, 1], [0, 1])) == 0


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda: normal_crossings([0, 1], [1, 0]), "sd must be > 0; got 0."),
        (lambda: normal_crossings([0], [1]), "two finite numbers each"),
        (lambda: normal_crossings([0, 1], [1, 1], [0.5, 0.6]), "must add up to 1"),
        (lambda: line_regions(FISH, [0.5, 0.5], (3, 3)), "the smaller first"),
        (lambda: line_regions(FISH, [1.0], (0, 1)), "one probability for each of 2"),
    ],
)
def test_bad_input(call, part):
    with pytest.raises(ParameterError) as caught:
        call()
    assert part in str(caught.value)
