"""The sweep over complexities: what must fall, what must rise, what is chosen."""

import matplotlib
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.model_selection import KFold, cross_val_predict, validation_curve
from sklearn.tree import DecisionTreeClassifier

from corollary import LinearRegression, PolynomialFeatures, Ridge, datasets
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics.complexity_sweep import (
    ComplexitySweep,
    complexity_sweep,
    polynomial_sweep,
)


def parabola(n, noise, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, size=(n, 1))
    return x, x[:, 0] ** 2 + noise * rng.normal(size=n)


@pytest.mark.course("S1-36")
def test_degree_n_minus_1_goes_through_n_points():
    x, y = parabola(20, 0.3, 0)
    found = polynomial_sweep(x, y, range(14), held_out=0.3)  # 14 rows to train on
    assert found.training[13] < 1e-12
    assert found.training[12] > 1e-5
    assert found.validation[13] > 10 * found.validation[2]
    assert (np.diff(found.training) <= 1e-12).all()  # nested models
    assert found.verdicts[13] == "overfits"


@pytest.mark.course("S1-36")
def test_a_line_keeps_its_bias_on_a_parabola():
    x, y = parabola(20_000, 0.2, 1)
    found = polynomial_sweep(x, y, range(6), test=parabola(20_000, 0.2, 2))
    bias2 = 1 / 5 - 1 / 9  # of the best line: the variance of x^2
    np.testing.assert_allclose(found.test[1], 0.04 + bias2, rtol=0.03)
    np.testing.assert_allclose(found.test[2:], 0.04, rtol=0.03)
    assert found.simplest == 2
    assert found.verdicts[:2] == ("underfits", "underfits")


@pytest.mark.course("S1-36")
def test_errors_are_scikit_learns_on_the_same_folds():
    x, y = parabola(60, 0.3, 3)
    found = polynomial_sweep(x, y, [1, 2, 3], held_out=60)  # leave one out
    for i, degree in enumerate([1, 2, 3]):
        H = PolynomialFeatures(degree, include_bias=False).fit_transform(x)
        out = cross_val_predict(LinearRegression(), H, y, cv=KFold(60))
        errors = (y - out) ** 2
        np.testing.assert_allclose(found.validation[i], errors.mean(), rtol=1e-9)
        np.testing.assert_allclose(
            found.standard_error[i], errors.std(ddof=1) / np.sqrt(60), rtol=1e-9
        )
    train, _ = validation_curve(
        Ridge(), x, y, param_name="alpha", param_range=[9.0, 0.1],
        cv=KFold(60), scoring="neg_mean_squared_error",
    )  # fmt: skip
    ours = complexity_sweep(Ridge(), x, y, "alpha", [9.0, 0.1], held_out=60)
    np.testing.assert_allclose(ours.training, -train.mean(axis=1), rtol=1e-9)


@pytest.mark.course("S4-66", "S3-97")
def test_the_curve_over_the_degree_is_u_shaped_and_its_minimum_is_the_choice():
    # a cubic with noise: lines underfit, degree 3 is right, high degrees follow noise
    rng = np.random.default_rng(4)
    x = rng.uniform(-1, 1, size=(60, 1))
    y = 4 * x[:, 0] ** 3 - 2 * x[:, 0] + 0.3 * rng.normal(size=60)
    fresh = rng.uniform(-1, 1, size=(5000, 1))
    truth = 4 * fresh[:, 0] ** 3 - 2 * fresh[:, 0] + 0.3 * rng.normal(size=5000)
    found = polynomial_sweep(x, y, range(16), held_out=10, test=(fresh, truth))
    assert found.best in (3, 4, 5)
    assert found.simplest == 3
    assert (np.diff(found.training) <= 1e-12).all()  # never rises
    assert (np.diff(found.validation[:4])[1:] < 0).all()  # falls to the minimum
    assert found.validation[15] > 2 * found.validation[3]  # and rises
    assert found.verdicts[:3] == ("underfits",) * 3
    assert found.verdicts[15] == "overfits"
    # high bias: both are high; high variance: a gap
    assert found.training[1] > 0.8 * found.validation[1] > 3 * 0.09
    assert found.validation[15] > 3 * found.training[15]
    # the choice is right on rows that were not there
    assert int(found.test.argmin()) == 3
    assert found.test[found.simplest] == pytest.approx(0.09, rel=0.15)


@pytest.mark.course("S1-36")
def test_any_parameter_of_any_classifier():
    X, y = datasets.two_moons(300, noise=0.4, random_state=0)
    tree = DecisionTreeClassifier(random_state=0)
    found = complexity_sweep(tree, X, y, "max_depth", [1, 2, 4, None], held_out=5)
    assert found.training[-1] == 0
    assert found.validation[-1] > found.validation.min()
    assert 0 < found.validation.min() < 0.3
    absolute = complexity_sweep(
        Ridge(), X, y, "alpha", [1.0], loss=lambda a, b: np.abs(a - b), held_out=0.5
    )
    assert 0 < absolute.validation[0] < 1


def test_tables_of_any_kind():
    x, y = parabola(40, 0.3, 5)
    first = complexity_sweep(Ridge(), x, y, "alpha", [9.0, 0.1])
    for table in (pd.DataFrame({"a": x[:, 0]}), pa.table({"a": x[:, 0]})):
        again = complexity_sweep(Ridge(), table, y, "alpha", [9.0, 0.1])
        np.testing.assert_allclose(again.validation, first.validation)


def test_the_choice_and_the_simplest_that_is_as_good():
    found = ComplexitySweep(
        "m", (1, 2, 3, 4), np.ones(4), np.array([3.0, 1.1, 1.0, 2.0]), np.full(4, 0.2)
    )
    assert (found.best, found.simplest) == (3, 2)
    assert found.verdicts == ("underfits", "as good", "chosen", "overfits")
    assert str(found).splitlines()[-1] == "best: 3; simplest that is as good: 2"


def test_the_picture_has_every_curve():
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    x, y = parabola(40, 0.3, 3)
    found = polynomial_sweep(x, y, [0, 1, 2], test=(x, y))
    ax = found.plot()
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [
        "training", "test", "validation",
    ]  # fmt: skip
    np.testing.assert_allclose(ax.lines[0].get_ydata(), found.training)
    plt.close(ax.figure)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"values": []}, ParameterError, "values must not be empty"),
        ({"parameter": "depth"}, ParameterError, "one of the Ridge's; got 'depth'"),
        ({"held_out": 1.5}, ParameterError, "a share in \\(0, 1\\) or 2 to 9 folds"),
        ({"held_out": 1}, ParameterError, "held_out must be"),
        ({"y": np.ones(3)}, DataError, "a row for each y"),
    ],
)
def test_bad_input_gets_a_sentence(change, error, words):
    given = {
        "X": np.ones((9, 1)),
        "y": np.ones(9),
        "parameter": "alpha",
        "values": [1.0],
    }
    with pytest.raises(error, match=words):
        complexity_sweep(Ridge(), **(given | change))
