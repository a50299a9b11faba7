"""Data whose squares are numbers gives finite models, or one sentence."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from corollary import KMeans, LinearRegression, PriorClassifier, Ridge, engine
from corollary.core.errors import DataError, NumericalError
from corollary.core.magnitude import all_finite, check_learned, largest_size

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 3))
y = X @ [1.0, 2.0, 3.0] + 1


@given(
    hnp.arrays(
        st.sampled_from([np.float32, np.float64]),
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=40),
        elements=st.floats(width=32),
    )
)
@settings(deadline=None)
def test_finite_means_what_numpy_means(Z):
    assert all_finite(Z) == bool(np.isfinite(Z).all())
    assert all_finite(Z, threads=2) == bool(np.isfinite(Z).all())


def test_the_largest_floats_are_finite():
    for dtype in (np.float32, np.float64):
        big = np.full((300, 3), np.finfo(dtype).max)
        assert all_finite(big)
        assert all_finite(-big)


@given(
    hnp.arrays(
        st.sampled_from([np.float32, np.float64]),
        hnp.array_shapes(min_dims=1, max_dims=2, max_side=40),
        elements=st.floats(width=32),
    )
)
@settings(deadline=None)
def test_the_largest_size_is_numpys(Z):
    expected = np.abs(Z).max(initial=0.0)  # NaN where there is one
    np.testing.assert_array_equal(largest_size(Z), expected)
    np.testing.assert_array_equal(largest_size(np.asfortranarray(Z)), expected)
    np.testing.assert_array_equal(largest_size(Z[::2]), np.abs(Z[::2]).max(initial=0))


def refused(model, *data):
    with pytest.raises(DataError) as caught:
        model.fit(*data)
    return str(caught.value)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_the_entry_that_is_too_large_is_named(make):
    bad = X.copy()
    bad[4, 1] = -1e200
    assert refused(KMeans(2), make(bad)) == (
        "KMeans: Input X must be at most 3e+144 in size, to be squared; got 1e+200 in "
        "row 4, column 1. Divide X by a power of ten."
    )
    model = KMeans(2, random_state=0).fit(make(X))
    with pytest.raises(DataError, match=r"got 1e\+200 in row 4, column 1\."):
        model.predict(make(bad))


def test_single_precision_has_a_narrower_range():
    said = refused(KMeans(2), (1e25 * X).astype(np.float32))
    assert "must be at most 5e+18 in size in float32, to be squared" in said
    assert said.endswith("or convert it to float64.")
    KMeans(2).fit(1e25 * X)


@pytest.mark.parametrize("name", ["X", "y", "sample_weight"])
@pytest.mark.parametrize("kind", ["array", "chunks"])
def test_all_three_are_looked_at(name, kind):
    for scale, word in ((1e200, "at most"), (1e-200, "must reach")):
        data = {"X": X, "y": y, "sample_weight": np.ones(30)}
        data[name] = data[name] * scale
        rows = tuple(data.values())
        arguments = rows if kind == "array" else (engine.ChunkSource([rows]),)
        said = refused(Ridge(), *arguments)
        assert said.startswith(f"Ridge: Input {name} must")
        assert word in said


def test_a_chunk_of_tiny_rows_among_others_is_fine():
    """Whether data is tiny does not depend on how it is cut."""
    rows = X.copy()
    rows[:10] *= 1e-200
    for size in (10, 30):
        with engine.use(chunk_rows=size):
            assert np.isfinite(LinearRegression().fit(rows, y).coef_).all()


def test_zeros_are_no_tiny_data():
    assert not LinearRegression().fit(0 * X, y).coef_.any()
    assert not LinearRegression().fit(X, 0 * y).coef_.any()


def test_a_model_that_is_not_finite_is_not_published(monkeypatch):
    """Whatever slips through all checks of the data is caught where it would hurt."""

    def publish(self, fitted):
        self.coef_ = np.array([1.0, np.nan])

    monkeypatch.setattr(LinearRegression, "publish", publish)
    message = "what is learned must be finite, coef_ too; got NaN. Scale the features"
    with pytest.raises(NumericalError, match=message):
        LinearRegression().fit(X, y)
    monkeypatch.setattr(LinearRegression, "may_be_infinite", ("coef_",))
    LinearRegression().fit(X, y)


def test_a_failed_decomposition_is_one_sentence(monkeypatch):
    def fail(self, s, state):
        raise np.linalg.LinAlgError("Eigenvalues did not converge")

    monkeypatch.setattr(LinearRegression, "update", fail)
    with pytest.raises(NumericalError) as caught:
        LinearRegression().fit(X, y)
    assert re.match(r"^LinearRegression: .*; got eigenvalues did", str(caught.value))


def test_numbers_and_records_are_looked_at():
    model = PriorClassifier().fit(X, y > 0)
    check_learned(model)
    model.spread_ = float("inf")
    with pytest.raises(NumericalError, match="spread_ too; got infinity"):
        check_learned(model)
