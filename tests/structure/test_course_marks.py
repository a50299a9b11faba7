"""The course IDs that tests carry: they exist, and the claimed ones are proved."""

from pathlib import Path

import course
import pytest

from corollary import catalogue

TESTS = Path(__file__).parents[1]
FOUNDATION = (
    "S0-42 S0-63 S1-13 S1-14 S1-15 S1-16 S1-20 S1-53 S2-56 S2-57 S2-59 S3-29 S3-49 "
    "S3-75 S4-3 S4-5 S4-6 S4-9 S4-29 S4-72 S4-81"
).split()


@pytest.fixture(scope="module")
def proofs():
    return course.proofs(TESTS)  # raises for an ID that does not exist


def test_marks_carry_ids_that_exist(proofs):
    assert {proof.item for proof in proofs} <= set(course.items())


@pytest.mark.parametrize(
    "item", sorted({*FOUNDATION, *catalogue.claims()}, key=course.number)
)
def test_what_is_claimed_is_proved(item, proofs):
    assert [proof.test for proof in proofs if proof.item == item]
