"""Columns are scaled by what they matter, on training rows alone."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from workbench.test_trials import folded

import corollary
from corollary.core.errors import ModelFileError, ParameterError
from corollary.workbench.ladder import SHARP_MACHINE, base
from corollary.workbench.relevance import ROWS, RelevanceScaler
from corollary.workbench.trials import attempt


def columns(rng, n=400, noise=6):
    """Two columns that matter, the rest noise; labels, and numbers."""
    X = rng.normal(size=(n, 2 + noise))
    return X, np.where(X[:, 0] * X[:, 1] > 0, "same", "other"), X[:, 0] + X[:, 1]


@pytest.mark.parametrize("kind", ["labels", "numbers"])
def test_columns_of_noise_become_small(rng, kind):
    X, labels, numbers = columns(rng)
    y = labels if kind == "labels" else numbers
    scale = RelevanceScaler(1.0).fit(X, y).scale_
    assert scale[:2].min() > 3 * scale[2:].max()
    assert np.isclose((scale**2).mean(), 1)
    root = RelevanceScaler(0.5).fit(X, y).scale_
    np.testing.assert_allclose(root**2 / root[0] ** 2, scale / scale[0])


def test_no_power_words_and_targets_that_say_nothing_change_nothing(rng):
    X, labels, _ = columns(rng, 60)
    np.testing.assert_array_equal(RelevanceScaler(0.0).fit_transform(X, labels), X)
    words = sp.csr_matrix(X)
    assert abs(RelevanceScaler().fit_transform(words, labels) - words).max() == 0
    same = RelevanceScaler().fit(X, np.full(60, "one"))
    np.testing.assert_array_equal(same.scale_, np.ones(X.shape[1]))


def test_of_many_rows_some_are_looked_at(rng, monkeypatch):
    seen = []

    class Trees(corollary.ExtraTreesRegressor):
        def fit(self, X, y):
            seen.append(len(y))
            return super().fit(X, y)

    monkeypatch.setattr(corollary, "ExtraTreesRegressor", Trees)
    X, _, numbers = columns(rng, ROWS + 50, 1)
    assert RelevanceScaler().fit_transform(X, numbers).shape == X.shape
    assert seen == [ROWS]


def test_a_kernel_machine_sees_through_columns_of_noise(rng):
    X, labels, _ = columns(rng, 300, 12)
    table = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": labels}
    rows, metric = folded(table, "y")
    rungs = {one.name: one for one in base("classification")}
    plain, weighed = (
        attempt(rungs[name], rows, metric).loss
        for name in ("support vector machine", SHARP_MACHINE)
    )
    assert weighed < 0.6 * plain


def test_what_is_wrong_is_said_in_a_sentence(rng):
    X, labels, _ = columns(rng, 40)
    with pytest.raises(NotFittedError):
        RelevanceScaler().transform(X)
    with pytest.raises(ParameterError, match="power"):
        RelevanceScaler(power=-1).fit(X, labels)


@pytest.mark.parametrize("forged", [-np.ones(3), np.full(3, np.nan), np.ones(3, int)])
def test_a_forged_file_is_refused(forged, tmp_path, rng):
    scaler = RelevanceScaler().fit(rng.normal(size=(40, 3)), rng.normal(size=40))
    corollary.save(scaler, tmp_path / "good")
    np.testing.assert_array_equal(
        corollary.load(tmp_path / "good").scale_, scaler.scale_
    )
    scaler.scale_ = forged
    corollary.save(scaler, tmp_path / "forged")
    with pytest.raises(ModelFileError, match="scale_"):
        corollary.load(tmp_path / "forged")
