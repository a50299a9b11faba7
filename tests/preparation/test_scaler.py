"""What all scalers have in common, with scikit-learn's as the oracle."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.preprocessing as theirs
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline

import corollary
from corollary import Ridge, engine
from corollary.core.errors import DataError
from corollary.preparation.scaler import BLOCK, follow

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4)) * [1.0, 10.0, 0.1, 1.0] + [0.0, 3.0, 100.0, 0.0]
X[:, 3] = 7.0  # a constant column
HOLES = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
NEW = RNG.normal(size=(20, 4)) * 5.0
NEW[3, 1] = np.nan

SCALERS = [
    ("StandardScaler", {}),
    ("StandardScaler", {"with_mean": False}),
    ("StandardScaler", {"with_std": False}),
    ("StandardScaler", {"with_mean": False, "with_std": False}),
    ("MinMaxScaler", {}),
    ("MinMaxScaler", {"feature_range": (-2, 5), "clip": True}),
    ("MaxAbsScaler", {}),
    ("MaxAbsScaler", {"clip": True}),
    ("RobustScaler", {}),
    ("RobustScaler", {"with_centering": False, "quantile_range": (10, 80)}),
    ("RobustScaler", {"with_scaling": False}),
    ("RobustScaler", {"unit_variance": True}),
]
CENTRING = {"StandardScaler": "with_mean", "RobustScaler": "with_centering"}
SPARSE = [
    (name, options | ({CENTRING[name]: False} if name in CENTRING else {}))
    for name, options in SCALERS
    if name != "MinMaxScaler"
]
STREAMING = [case for case in SCALERS if case[0] != "RobustScaler"]


def ours_and_theirs(name, options):
    return getattr(corollary, name)(**options), getattr(theirs, name)(**options)


def assert_alike(a, b, rtol=1e-12):
    for attribute, value in vars(b).items():
        if attribute.endswith("_") and attribute[0] != "_":
            own = getattr(a, attribute)
            if value is None:
                assert own is None
            elif np.asarray(value).dtype.kind in "fiu":
                np.testing.assert_allclose(own, value, rtol=rtol, err_msg=attribute)


@pytest.mark.course("S4-5")
@pytest.mark.parametrize(("name", "options"), SCALERS)
@pytest.mark.parametrize("rows", [X, HOLES], ids=["full", "missing"])
def test_scalers_are_scikit_learns(name, options, rows):
    ours, oracle = ours_and_theirs(name, options)
    assert_alike(ours.fit(rows), oracle.fit(rows))
    Z = ours.transform(NEW)
    np.testing.assert_allclose(Z, oracle.transform(NEW), rtol=1e-11, atol=1e-12)
    if not options.get("clip"):
        np.testing.assert_allclose(ours.inverse_transform(Z), NEW, rtol=1e-12)


@pytest.mark.parametrize(("name", "options"), STREAMING)
def test_a_stream_is_all_its_rows(name, options):
    ours, oracle = ours_and_theirs(name, options)
    for a in range(0, 90, 30):
        ours.partial_fit(HOLES[a : a + 30])
    assert_alike(ours, oracle.fit(HOLES))


@pytest.mark.parametrize(("name", "options"), SCALERS)
def test_chunks_and_weights_with_missing_values(name, options):
    times = RNG.integers(0, 3, size=90)
    make = getattr(corollary, name)
    repeated = make(**options).fit(np.repeat(HOLES, times, axis=0))
    source = engine.ChunkSource(
        lambda: ((HOLES[a : a + 7], None, times[a : a + 7]) for a in range(0, 90, 7))
    )
    assert_alike(make(**options).fit(source), repeated)
    assert_alike(make(**options).fit(HOLES, sample_weight=times), repeated)


@pytest.mark.parametrize(("name", "options"), SPARSE)
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.csr_matrix])
def test_sparse_rows_stay_sparse(name, options, kind):
    rows = np.where(RNG.random(X.shape) < 0.6, 0.0, HOLES)
    times = RNG.integers(0, 3, size=90)
    ours, oracle = ours_and_theirs(name, options)
    assert_alike(ours.fit(kind(rows)), oracle.fit(kind(rows)))
    Z = ours.transform(kind(rows))
    assert sp.issparse(Z)
    assert Z.format == kind(rows).format
    np.testing.assert_allclose(Z.toarray(), ours.transform(rows), rtol=1e-14)
    back = ours.inverse_transform(Z)
    assert back.format == Z.format
    if not options.get("clip"):
        np.testing.assert_allclose(back.toarray(), rows, rtol=1e-14)
    assert_alike(
        ours.fit(kind(rows), sample_weight=times),
        getattr(corollary, name)(**options).fit(rows, sample_weight=times),
    )


@pytest.mark.parametrize(("name", "options"), SCALERS)
def test_float32_and_names_are_kept(name, options):
    frame = pd.DataFrame(X.astype(np.float32), columns=list("abcd"))
    model = getattr(corollary, name)(**options).fit(frame)
    assert model.transform(frame).dtype == np.float32
    assert model.inverse_transform(model.transform(frame)).dtype == np.float32
    assert model.get_feature_names_out().tolist() == ["a", "b", "c", "d"]
    made = model.set_output(transform="pandas").transform(frame)
    assert list(made.columns) == ["a", "b", "c", "d"]
    assert made.index.equals(frame.index)
    with pytest.raises(DataError):
        model.transform(frame[["b", "a", "c", "d"]])


@pytest.mark.parametrize(("name", "options"), SCALERS)
def test_the_rows_given_are_not_changed_unless_asked_for(name, options):
    rows = X.copy()
    getattr(corollary, name)(**options, copy=False).fit(rows)
    model = getattr(corollary, name)(**options).fit(rows)
    model.inverse_transform(model.transform(rows))
    np.testing.assert_array_equal(rows, X)


@pytest.mark.parametrize(("name", "options"), SCALERS)
def test_a_column_without_values_passes_through(name, options):
    empty = np.where(np.arange(4) == 1, np.nan, X)
    model = getattr(corollary, name)(**options).fit(empty)
    assert np.isnan(model.transform(empty)[:, 1]).all()
    assert np.isfinite(model.transform(X)).all()


def test_sparse_rows_cannot_be_centred():
    with pytest.raises(DataError, match="must be dense"):
        corollary.StandardScaler().fit(sp.eye_array(3).tocsr())
    model = corollary.StandardScaler().fit(np.eye(3))
    with pytest.raises(DataError, match="must be dense"):
        model.transform(sp.eye_array(3).tocsr())


# -- steps -----------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("d", [1, 3, 700])
def test_large_arrays_are_scaled_block_by_block(d, order, dtype):
    n = 5 * BLOCK // (8 * d) + 3
    rows = np.asarray(RNG.normal(size=(n, d)), dtype=dtype, order=order)
    shift, scale = RNG.normal(size=d).astype(dtype), 1 + RNG.random(d).astype(dtype)
    made = follow([(np.subtract, shift), (np.divide, scale), (np.add, 2.0)], rows)
    np.testing.assert_array_equal(made, (rows - shift) / scale + dtype(2.0))
    assert made.flags[f"{order}_CONTIGUOUS"]
    with engine.use(threads=1):
        alone = follow([(np.subtract, shift), (np.divide, scale), (np.add, 2.0)], rows)
    np.testing.assert_array_equal(made, alone)


def test_large_columns_are_scaled_as_rows_are():
    rows = RNG.normal(size=(2**21, 3))
    model = corollary.StandardScaler().fit(rows)
    by_columns = model.transform(np.asfortranarray(rows))
    assert by_columns.flags.f_contiguous
    np.testing.assert_array_equal(by_columns, model.transform(rows))


# -- what a pipeline may know ----------------------------------------------------------
@pytest.mark.course("S4-5")
@pytest.mark.course("S4-81")
@pytest.mark.parametrize("name", sorted({name for name, _ in SCALERS}))
def test_new_rows_are_scaled_by_the_training_rows(name):
    y = X @ [1.0, 0.2, 3.0, 0.0] + RNG.normal(size=90)
    make = getattr(corollary, name)
    scores = cross_val_score(make_pipeline(make(), Ridge()), X, y, cv=KFold(5))
    for score, (train, test) in zip(scores, KFold(5).split(X), strict=True):
        scaler = make().fit(X[train])
        model = Ridge().fit(scaler.transform(X[train]), y[train])
        assert score == pytest.approx(model.score(scaler.transform(X[test]), y[test]))
        moved = X.copy()
        moved[test] += 1000.0  # what is held out must not move the scale
        np.testing.assert_array_equal(make().fit(moved[train]).scale_, scaler.scale_)
    far = make().fit(X).transform(X + 1000.0)
    assert np.abs(far).max() > 10  # no new row is scaled by itself


@pytest.mark.course("S4-5")
def test_a_pipeline_learns_from_chunks_as_from_an_array():
    y = X @ [1.0, 0.2, 3.0, 0.0]
    here = make_pipeline(corollary.StandardScaler(), Ridge()).fit(X, y)
    source = engine.ChunkSource(
        lambda: ((X[a : a + 11], y[a : a + 11]) for a in range(0, 90, 11))
    )
    there = make_pipeline(corollary.StandardScaler(), Ridge()).fit(source)
    np.testing.assert_allclose(there[-1].coef_, here[-1].coef_, rtol=1e-10)


# -- reports ---------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["StandardScaler", "MinMaxScaler", "RobustScaler"])
def test_the_report_names_columns_that_never_vary(name):
    report = getattr(corollary, name)().fit(X).report_
    assert "columns [3] do not vary" in report.warnings[0]
    assert report.optimality.value == 0.0


LAYOUTS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "strided": lambda A: np.repeat(np.ascontiguousarray(A), 2, axis=1)[:, ::2],
    "sparse": sp.csr_array,
    "large": lambda A: np.tile(A, (BLOCK // (8 * A.shape[1] * len(A)) + 2, 1)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("name", "options"), SPARSE)
def test_without_a_copy_rows_are_scaled_in_place(name, options, layout):
    scaler = getattr(corollary, name)(copy=False, **options).fit(X)
    given = LAYOUTS[layout](X.copy())
    before, after = given.copy(), clone(scaler).set_params(copy=True).fit(X)
    expected = after.transform(given)
    np.testing.assert_array_equal(flat(given), flat(before))
    found = scaler.transform(given)
    np.testing.assert_array_equal(flat(found), flat(expected))
    if layout not in ("columns", "strided"):  # those are laid anew first
        np.testing.assert_array_equal(flat(given), flat(expected))
        back = scaler.inverse_transform(found)
        np.testing.assert_array_equal(flat(given), flat(back))


@pytest.mark.parametrize("name", ["Normalizer", "Binarizer", "SimpleImputer"])
def test_without_a_copy_rows_are_changed_in_place(name):
    given = HOLES.copy() if name == "SimpleImputer" else X.copy()
    model = getattr(corollary, name)(copy=False)
    expected = clone(model).set_params(copy=True).fit_transform(given)
    assert not np.array_equal(given, expected)
    np.testing.assert_array_equal(model.fit_transform(given), expected)
    np.testing.assert_array_equal(given, expected)


def test_rows_that_cannot_be_written_are_copied():
    given = X.copy()
    given.flags.writeable = False
    found = corollary.StandardScaler(copy=False).fit_transform(given)
    np.testing.assert_array_equal(given, X)
    np.testing.assert_allclose(found[:, :3].mean(axis=0), 0, atol=1e-12)


def flat(A):
    return A.toarray() if sp.issparse(A) else np.asarray(A)
