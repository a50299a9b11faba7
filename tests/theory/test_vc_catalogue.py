"""The catalogue of VC dimensions: values of the books, and their proofs."""

import numpy as np
import pytest

from corollary.theory import vc_catalogue

BOOK = {
    "intervals": 2,
    "k intervals": 6,  # k = 3
    "finite unions of intervals": np.inf,
    "rectangles in the plane": 4,
    "boxes in n dimensions": 6,  # n = 3
    "decision stumps on n features": 3,  # n = 2
    "halfplanes": 3,
    "halfspaces in n dimensions": 5,  # n = 4
    "halfspaces through the origin": 3,  # n = 3
    "polynomials of degree p in n variables": 6,  # p = n = 2
    "sine waves": np.inf,
    "conjunctions of n literals": 3,
    "monotone conjunctions": 3,
}


@pytest.fixture(scope="module")
def catalogue():
    return vc_catalogue()


@pytest.mark.course("S3-105", "S0-55")
def test_every_dimension_is_that_of_the_books_and_is_proved(catalogue):
    assert {entry.name: entry.dimension for entry in catalogue} == BOOK
    assert len(catalogue) == len(BOOK)
    for entry in catalogue:
        assert entry.holds, entry.name
        assert entry.source
        m = len(entry.shattered.points)
        assert m == (6 if np.isinf(entry.dimension) else entry.dimension)
        assert len(entry.shattered.witnesses) == 2**m


@pytest.mark.course("S3-105")
def test_witnesses_of_the_catalogue_label_as_they_say(catalogue):
    for entry in catalogue:
        proof = entry.shattered
        for labels, parameters in zip(proof.labels, proof.witnesses, strict=True):
            found = entry.example.predict(parameters, proof.points)
            assert tuple(found) == labels, entry.name


@pytest.mark.course("S3-105")
def test_an_unshatterable_set_of_k_points_does_not_bound_the_dimension():
    from corollary.theory import Halfspaces, shatters

    assert not shatters(Halfspaces(2), [[0, 0], [1, 1], [2, 2]])  # k = 3
    assert Halfspaces(2).vc_dimension == 3  # not below k


def test_larger_sets_carry_refutations(catalogue):
    for entry in catalogue:
        for failed in entry.larger:
            assert len(failed.points) == entry.dimension + 1
            labels = failed.refutation.labels
            assert entry.example.witness(failed.points, labels) is None


def test_the_catalogue_prints_a_line_for_each(catalogue):
    lines = str(catalogue).splitlines()
    assert len(lines) == len(catalogue)
    assert any("halfplanes" in line and "Dudley" in line for line in lines)
    assert "C(n + p, p)" in str(catalogue["polynomials of degree p in n variables"])
