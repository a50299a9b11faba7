"""Halfspaces and polynomials: separation or a proof against it, counts of Cover."""

from math import comb

import numpy as np
import pytest
from scipy.optimize import linprog

from corollary.core.errors import DataError, ParameterError
from corollary.theory import (
    Halfspaces,
    Polynomials,
    dichotomies,
    find_shattered_set,
    radon_partition,
    shatters,
)


def separable(P, y, affine=True):
    """Naive test: t_i (w'x_i + b) >= 1 has a solution."""
    A = np.hstack([P, np.ones((len(P), 1))]) if affine else P
    t = np.where(np.array(y) == 1, 1.0, -1.0)
    bounds = [(None, None)] * A.shape[1]
    found = linprog(
        np.zeros(A.shape[1]), -t[:, None] * A, -np.ones(len(P)), bounds=bounds
    )
    return found.status == 0


def assert_proves(refutation, P, homogeneous=False):
    """The certificate: weights > 0 with sum lambda_i t_i (x_i, 1) = 0."""
    rows = list(refutation.rows)
    w = np.array(refutation.weights)
    t = np.where(np.array(refutation.labels)[rows] == 1, 1.0, -1.0)
    assert (w > 0).all()
    np.testing.assert_allclose((w * t) @ P[rows], 0, atol=1e-9 * np.abs(P).max())
    if not homogeneous:
        assert abs((w * t).sum()) < 1e-9
        own = w * (t > 0)
        np.testing.assert_allclose(own @ P[rows], refutation.common_point, atol=1e-9)


@pytest.mark.course("S1-46", "S3-104", "S4-55")
def test_lines_shatter_three_points_but_not_on_a_line():
    P = np.array([[0.0, 0.0], [1.0, 0.2], [0.3, 1.0]])
    proof = shatters(Halfspaces(2), P)
    assert proof
    for labels, plane in zip(proof.labels, proof.witnesses, strict=True):
        assert tuple(Halfspaces(2).predict(plane, P)) == labels
    line = np.array([[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]])
    failed = shatters(Halfspaces(2), line)
    assert not failed
    assert failed.refutation.labels in {(1, 0, 1), (0, 1, 0)}
    assert_proves(failed.refutation, line)


@pytest.mark.course("S0-55", "S1-46", "S3-104", "S4-55")
def test_four_points_of_the_plane_are_never_shattered():
    rng = np.random.default_rng(0)
    for _ in range(30):
        P = rng.normal(size=(4, 2))
        failed = shatters(Halfspaces(2), P)
        assert not failed
        assert not separable(P, failed.refutation.labels)
        assert_proves(failed.refutation, P)


@pytest.mark.course("S3-104")
def test_of_a_square_14_of_16_labellings_are_possible_and_xor_is_not():
    square = [[0, 0], [1, 0], [0, 1], [1, 1]]
    found = set(dichotomies(Halfspaces(2), square))
    assert len(found) == 14
    assert {(0, 1, 1, 0), (1, 0, 0, 1)} & found == set()


@pytest.mark.course("S3-104")
@pytest.mark.parametrize(
    ("n", "sizes"), [(1, (2, 3, 5)), (2, (3, 4, 5, 6)), (3, (4, 5, 6))]
)
def test_labellings_in_general_position_are_covers_count(n, sizes):
    rng = np.random.default_rng(n)
    for m in sizes:
        P = rng.normal(size=(m, n))
        count = 2 * sum(comb(m - 1, k) for k in range(n + 1))
        assert len(dichotomies(Halfspaces(n), P)) == count
        homogeneous = 2 * sum(comb(m - 1, k) for k in range(n))
        assert len(dichotomies(Halfspaces(n, homogeneous=True), P)) == homogeneous
    if n == 2:
        expected = [8, 14, 22]
        rng = np.random.default_rng(9)
        sets = [rng.normal(size=(m, 2)) for m in (3, 4, 5)]
        assert [len(dichotomies(Halfspaces(2), P)) for P in sets] == expected


@pytest.mark.course("S0-55", "S3-105", "S4-55")
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_halfspaces_have_dimension_n_plus_1_and_n_through_the_origin(n):
    for cls, d in ((Halfspaces(n), n + 1), (Halfspaces(n, homogeneous=True), n)):
        assert cls.vc_dimension == d
        assert shatters(cls, cls.shattered_points(d))
        assert find_shattered_set(cls, d, random_state=1)
        P = np.random.default_rng(n).normal(size=(d + 1, n))
        failed = shatters(cls, P)
        assert not failed
        assert_proves(failed.refutation, P, cls.homogeneous)
        assert not separable(P, failed.refutation.labels, not cls.homogeneous)


@pytest.mark.parametrize("homogeneous", [False, True])
def test_decisions_are_those_of_a_linear_programme(homogeneous):
    rng = np.random.default_rng(3)
    cls = Halfspaces(2, homogeneous=homogeneous)
    for _ in range(60):
        P = rng.integers(-2, 3, size=(5, 2)).astype(float)
        y = rng.integers(2, size=5)
        plane = cls.witness(P, y)
        assert (plane is not None) == separable(P, y, not homogeneous)
        if plane is not None:
            assert (cls.predict(plane, P) == y).all()
            assert not (homogeneous and plane.intercept)
        elif len(np.unique(P, axis=0)) == 5:
            assert_proves(cls.refutation(P, y), P, homogeneous)


def test_through_the_origin_one_label_for_all_may_be_impossible():
    cls = Halfspaces(1, homogeneous=True)
    assert cls.witness([1.0, 2.0], [1, 1]) is not None
    found = cls.refutation([1.0, -2.0], [1, 1])
    assert_proves(found, np.array([[1.0], [-2.0]]), homogeneous=True)


def test_radon_parts_meet_in_a_point_of_both():
    rng = np.random.default_rng(0)
    for n in (1, 2, 4):
        P = 100 + rng.normal(size=(n + 2, n))
        found = radon_partition(P)
        first, second = list(found.first), list(found.second)
        assert set(first) & set(second) == set()
        for part in (first, second):
            assert found.weights[part].sum() == pytest.approx(1)
            np.testing.assert_allclose(
                found.weights[part] @ P[part], found.common_point
            )
        y = np.isin(np.arange(n + 2), first)
        assert not separable(P, y)


def test_radon_needs_points_that_depend():
    with pytest.raises(DataError, match=r"radon_partition: points must be 4 or more"):
        radon_partition([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    found = radon_partition([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    assert {found.first, found.second} == {(0, 2), (1,)}


@pytest.mark.course("S3-105")
@pytest.mark.parametrize(("p", "n", "d"), [(1, 2, 3), (2, 1, 3), (3, 1, 4), (2, 2, 6)])
def test_polynomials_shatter_as_many_points_as_they_have_monomials(p, n, d):
    cls = Polynomials(p, n)
    assert cls.vc_dimension == d == comb(n + p, p)
    proof = shatters(cls, cls.shattered_points(d))
    assert proof
    for labels, plane in zip(proof.labels, proof.witnesses, strict=True):
        assert tuple(cls.predict(plane, proof.points)) == labels
    P = np.random.default_rng(0).normal(size=(d + 1, n))
    failed = shatters(cls, P)
    assert not failed
    assert_proves(failed.refutation, cls.monomials(P))


def test_a_polynomial_of_degree_p_changes_sign_p_times_at_most():
    x = np.arange(5.0)
    for p in (1, 2, 3):
        found = dichotomies(Polynomials(p, 1), x)
        changes = [int(np.abs(np.diff(labels)).sum()) for labels in found.vectors]
        assert max(changes) == p
        assert len(found) == 2 * sum(comb(4, k) for k in range(p + 1))


def test_points_almost_on_a_line_are_shattered():
    for bend in (1e-3, 1e-8, 1e-10, 1e-12):
        P = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0 + bend]])
        proof = shatters(Halfspaces(2), P)
        assert proof, bend
        for labels, plane in zip(proof.labels, proof.witnesses, strict=True):
            assert tuple(Halfspaces(2).predict(plane, P)) == labels
    assert not shatters(Halfspaces(2), [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])


def test_far_and_small_points_are_separated():
    P = np.array([[1e6, 1e-6], [1e6 + 1, 1e-6], [1e6, 2e-6]])
    assert shatters(Halfspaces(2), P)
    tiny = [[1e-200, 0.0], [0.0, 1e-200], [1e-200, 1e-200], [2e-200, 0.0]]
    assert not shatters(Halfspaces(2), tiny)
    assert len(dichotomies(Halfspaces(2), tiny)) < 16
    with pytest.raises(DataError, match="to be squared"):
        shatters(Halfspaces(2), [[1e200, 0.0], [0.0, 1e200]])


@pytest.mark.parametrize("degree", [0, 1.5, "x"])
def test_a_bad_degree_is_told(degree):
    with pytest.raises(ParameterError, match="degree must be a whole number >= 1"):
        Polynomials(degree)
    with pytest.raises(ParameterError, match="at most 5000 monomials"):
        Polynomials(50, 50)
