"""Whatever arrays come: a fit, or one clear sentence; never a crash."""

import pytest

import corollary
from common.odd_arrays import Odd, drawn, usual_target

PARTS = 100


def faults(cases, *, finite):
    told = {str(case): case.told(finite=finite) for case in cases}
    return [f"{case}: {fault}" for case, fault in told.items() if fault]


@pytest.mark.parametrize("seed", range(4))
def test_odd_arrays_end_in_a_fit_or_in_a_sentence(seed):
    found = faults(drawn(len(corollary.registry.ESTIMATORS), seed), finite=False)
    assert not found, "\n".join(found)


def repeated(weight):
    """Return a fit of every estimator on two rows, each of them 150 times."""
    return [
        Odd(name, "two rows 150 times", weight, usual_target(name))
        for name in corollary.registry.ESTIMATORS
    ]


def test_duplicated_rows_that_weigh_hundreds():
    found = faults(repeated("hundreds")[::4], finite=False)
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "weight", ["tiny to huge", "huge", "tiny", "hundreds", "one huge", "denormal"]
)
def test_duplicated_rows_of_one_weight_after_the_other(weight):
    found = faults(repeated(weight), finite=False)
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_ten_thousand_odd_arrays_end_in_a_sound_fit_or_in_a_sentence(part):
    found = faults(drawn(10_000 // PARTS, 1000 + part), finite=True)
    assert not found, "\n".join(found)
