"""Structural risk minimisation."""

import matplotlib
import numpy as np
import pytest
from sklearn.preprocessing import PolynomialFeatures

from corollary import SVC
from corollary.core.errors import DataError, ParameterError
from corollary.theory import (
    minimize_structural_risk,
    polynomial_vc_dimension,
    search_structural_risk,
    vc_gap,
)

matplotlib.use("Agg")


@pytest.mark.course("S1-45", "S3-107")
def test_the_table_of_the_notes_with_the_right_logarithm():
    d = [polynomial_vc_dimension(p, 2) for p in (1, 2, 4, 8)]
    assert d == [3, 6, 15, 45]
    found = minimize_structural_risk([0.06, 0.06, 0.04, 0.02], d, m=50, delta=0.05)
    np.testing.assert_allclose(found.gaps, [0.5984, 0.7384, 0.9781, 1.3063], atol=5e-5)
    np.testing.assert_allclose(found.bounds, found.empirical + found.gaps)
    assert found.chosen == 0  # linear
    assert found.bound.value == pytest.approx(0.6584, abs=5e-5)
    assert found.bound.delta == pytest.approx(4 * 0.05)  # four classes are looked at
    assert str(found).splitlines()[1].endswith("<- chosen")


@pytest.mark.course("S3-107")
def test_dimensions_are_numbers_of_monomials():
    for n in (1, 2, 3):
        for p in (1, 2, 4):
            columns = PolynomialFeatures(p).fit_transform(np.ones((1, n))).shape[1]
            assert polynomial_vc_dimension(p, n) == columns


@pytest.mark.course("S1-45")
def test_more_rows_allow_a_larger_class():
    risks, d = [0.3, 0.1, 0.09], [2, 10, 50]
    chosen = [
        minimize_structural_risk(risks, d, m=m).chosen for m in (60, 10**4, 10**7)
    ]
    assert chosen == [0, 1, 2]
    tie = minimize_structural_risk([1.0, 1.0], [1, 2], m=10**6)
    assert tie.chosen == 0


@pytest.mark.course("S1-45", "S3-107")
def test_a_search_over_kernels_beside_cross_validation():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    degrees = (1, 2, 4)
    models = {
        f"degree {p}": SVC(kernel="poly", degree=p, coef0=1.0, gamma=1.0)
        for p in degrees
    }
    d = [polynomial_vc_dimension(p, 2) for p in degrees]
    found = search_structural_risk(models, d, X, y, folds=3)
    assert found.names[found.chosen] == "degree 2"
    by_hand = [
        np.mean(
            SVC(kernel="poly", degree=p, coef0=1.0, gamma=1.0).fit(X, y).predict(X) != y
        )
        for p in degrees
    ]
    np.testing.assert_allclose(found.empirical, by_hand)
    np.testing.assert_allclose(found.gaps, vc_gap(m=400, d=d, delta=0.05))
    assert found.model.degree == 2
    assert np.mean(found.model.predict(X) == y) == 1 - found.empirical[1]
    assert found.validated.argmin() in (1, 2)
    assert found.validated[0] > 0.3  # a line cannot do it
    assert "validated" in str(found)
    lines = {line.get_label(): line for line in found.plot().get_lines()}
    np.testing.assert_allclose(lines["bound"].get_ydata(), found.bounds)
    np.testing.assert_allclose(lines["cross-validation"].get_ydata(), found.validated)


@pytest.mark.course("S3-107")
def test_a_warning_where_every_class_fits_anything():
    with pytest.warns(UserWarning, match="rows are no more than the VC dimension 50"):
        minimize_structural_risk([0.1, 0.0], [50, 60], m=50)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"empirical_risks": [0.1, 1.2]}, "empirical_risks must be a vector"),
        ({"empirical_risks": []}, "empirical_risks must be a vector"),
        ({"dimensions": [5, 2]}, "dimensions must be 2 rising numbers"),
        ({"dimensions": [5]}, "dimensions must be 2 rising numbers"),
        ({"dimensions": [0, 1]}, "dimensions must be a whole number >= 1"),
        ({"m": 0}, "m must be a whole number >= 1"),
        ({"delta": 1.0}, "delta must be > 0 and < 1"),
        ({"names": ["a"]}, "names must be 2"),
    ],
)
def test_bad_numbers(given, words):
    with pytest.raises((DataError, ParameterError)) as error:
        minimize_structural_risk(
            **{"empirical_risks": [0.1, 0.2], "dimensions": [1, 2], "m": 100, **given}
        )
    assert words in str(error.value)


def test_bad_searches():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    with pytest.raises(ParameterError, match="models must be a mapping"):
        search_structural_risk([SVC()], [3], X, y)
    with pytest.raises(DataError, match="X must be rows and y their labels"):
        search_structural_risk({"a": SVC()}, [3], X, y[1:])
    with pytest.raises(ParameterError, match="folds must be 2 to 10"):
        search_structural_risk({"a": SVC()}, [3], X, y, folds=11)
    with pytest.raises(ParameterError, match="degree must be a whole number"):
        polynomial_vc_dimension(0, 2)
    with pytest.raises(ParameterError, match="at most 1000"):
        polynomial_vc_dimension(10**6, 10**6)
