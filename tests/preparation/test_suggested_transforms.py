"""Suggestions of log, square root and powers, and the numbers that they rest on."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from corollary.core.errors import DataError
from corollary.engine import ArraySource, ChunkSource
from corollary.preparation import suggest_transforms

RNG = np.random.default_rng(11)
Z = RNG.normal(size=(600, 4))


def transforms(found):
    return [one.transform for one in found.columns]


@pytest.mark.course("S3-112")
def test_log_and_square_root_are_suggested_where_they_help():
    X = np.column_stack(
        [
            np.exp(Z[:, 0]),  # log x is normal
            (3 + Z[:, 1]) ** 2,  # sqrt x is
            np.expm1(np.abs(np.rint(2 * Z[:, 2]))),  # counts with zeros
            Z[:, 3],  # as it is
            np.abs(10 + Z[:, 3]) ** -2.0,  # neither
        ]
    )
    found = suggest_transforms(X)
    assert transforms(found) == ["log", "sqrt", "log1p", "none", "box-cox"]
    for one, x in zip(found.columns, X.T, strict=True):
        assert one.skewness["none"] == pytest.approx(stats.skew(x), rel=1e-9)
        if one.transform != "none":
            before, after = one.skewness["none"], one.skewness[one.transform]
            assert abs(after) <= abs(before) / 2
    first = found.columns[0]
    lam = stats.boxcox(X[:, 0])[1]
    assert first.lambda_ == pytest.approx(lam, abs=1e-6)
    assert first.interval[0] < 0 < first.interval[1]
    gain = stats.boxcox_llf(lam, X[:, 0]) - stats.boxcox_llf(1.0, X[:, 0])
    assert first.gain == pytest.approx(gain, rel=1e-6)
    lost = stats.boxcox_llf(lam, X[:, 0]) - stats.boxcox_llf(0.5, X[:, 0])
    assert first.lost["sqrt"] == pytest.approx(lost, rel=1e-6)


@pytest.mark.course("S3-112")
def test_inputs_are_bent_where_that_straightens_the_line_to_the_target():
    x = np.exp(2 * Z[:, :3])
    y = 3 * np.log(x[:, 0]) + 0.5 * Z[:, 3]
    found = suggest_transforms(x, y)
    assert transforms(found) == ["log", "none", "none"]
    assert found.target.transform == "none"
    for bent, values in (("none", x[:, 0]), ("log", np.log(x[:, 0]))):
        r2 = stats.linregress(values, y).rvalue ** 2
        assert found.columns[0].linearity[bent] == pytest.approx(r2, rel=1e-9)
    assert "R^2" in str(found)


@pytest.mark.course("S3-112")
def test_a_target_is_bent_first_and_inputs_are_held_to_what_it_becomes():
    x = np.exp(Z[:, 0])
    y = 5 * x**2 * np.exp(0.2 * Z[:, 1])  # log y is linear in log x
    found = suggest_transforms(x[:, None], y)
    assert found.target.transform == "log"
    assert transforms(found) == ["log"]
    r2 = stats.linregress(np.log(x), np.log(y)).rvalue ** 2
    assert found.columns[0].linearity["log"] == pytest.approx(r2, rel=1e-9)
    y = (4 * Z[:, 2] + 20) ** 2  # sqrt y is linear in x
    found = suggest_transforms(Z[:, [2]], y**1.5)
    assert transforms(found) == ["none"]


def test_noise_is_left_alone():
    x, y = RNG.normal(size=(40, 5)), RNG.normal(size=40)
    assert set(transforms(suggest_transforms(x, y))) == {"none"}
    assert set(transforms(suggest_transforms(RNG.uniform(size=(300, 3))))) == {"none"}


@pytest.mark.parametrize("rows", [1, 37, 600])
def test_every_source_gives_the_same_answer(rows):
    X, y = np.exp(Z), np.exp(Z[:, 0] + Z[:, 1])
    X[RNG.random(X.shape) < 0.1] = np.nan
    memory = suggest_transforms(X, y)
    starts = range(0, 600, rows)
    source = ChunkSource([(X[i : i + rows], y[i : i + rows]) for i in starts])
    found = suggest_transforms(source)
    assert transforms(found) == transforms(memory)
    pairs = zip(
        (*found.columns, found.target), (*memory.columns, memory.target), strict=True
    )
    for one, other in pairs:
        assert one.lambda_ == pytest.approx(other.lambda_, abs=1e-8)
        assert one.skewness == pytest.approx(other.skewness, rel=1e-8, abs=1e-10)
        assert one.linearity == pytest.approx(other.linearity, rel=1e-8, abs=1e-10)
    there = ~np.isnan(X[:, 1])
    r2 = stats.linregress(np.log(X[there, 1]), np.log(y[there])).rvalue ** 2
    assert memory.columns[1].linearity["log"] == pytest.approx(r2, rel=1e-9)


def test_names_of_frames_and_columns_without_evidence():
    frame = pd.DataFrame({"income": np.exp(Z[:, 0]), "flat": 2.0, "gone": np.nan})
    found = suggest_transforms(frame)
    assert found["income"].transform == "log"
    assert found["flat"].transform == found["gone"].transform == "none"
    assert str(found).startswith("income: log")
    with pytest.raises(KeyError, match="nobody"):
        found["nobody"]


def test_what_cannot_be_looked_at_is_refused():
    with pytest.raises(DataError, match="inside the source"):
        suggest_transforms(ArraySource(Z), Z[:, 0])
    with pytest.raises(ValueError, match="y must"):
        suggest_transforms(Z, Z)
    with pytest.raises(ValueError, match="suggest_transforms"):
        suggest_transforms([[np.inf], [1.0]])
