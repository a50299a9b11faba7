"""Dask collections give their rows, partition by partition."""

import pickle

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import corollary
from corollary import engine
from corollary.core.errors import DataError

RNG = np.random.default_rng(0)
X = RNG.standard_normal((300, 4))
Y = X @ [1.0, -2.0, 0.5, 3.0] + 1
LABELS = np.where(Y > 0, "up", "down")
FRAME = pd.DataFrame(X, columns=list("abcd")).assign(
    y=Y, label=LABELS, w=np.arange(300) % 3
)


def chunks(source):
    return [chunk for part in source.parts() for chunk in part.chunks()]


def joined(source):
    return np.concatenate([chunk.X for chunk in chunks(source)])


def wrong(act):
    with pytest.raises(DataError) as caught:
        act()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("cuts", [(70, 4), (70, 3), (300, 1), (1000, 4)])
def test_every_row_comes_back_in_order(cuts):
    source = engine.DaskSource(da.from_array(X, chunks=cuts))
    assert (source.n_rows, source.n_features, source.names) == (300, 4, None)
    assert source.described == "Dask array 300 x 4 float64"
    np.testing.assert_array_equal(joined(source), X)
    starts = [chunk.first_row for chunk in chunks(source)]
    assert starts == list(range(0, 300, min(cuts[0], 300)))
    assert all(chunk.X.flags.c_contiguous for chunk in chunks(source))


@pytest.mark.parametrize(
    ("given", "kept"),
    [("f4", "f4"), ("f2", "f4"), ("f8", "f8"), ("i4", "f8"), ("?", "f8")],
)
def test_kinds_of_numbers(given, kept):
    values = (10 * X).astype(given)
    source = engine.DaskSource(da.from_array(values, chunks=(100, -1)))
    assert source.dtype == joined(source).dtype == np.dtype(kept)
    np.testing.assert_array_equal(joined(source), values.astype(kept))


def test_rows_of_unknown_number():
    array = da.from_array(X, chunks=(70, -1))
    above = array[array[:, 0] > 0.5]
    source = engine.DaskSource(above, da.from_array(Y, chunks=70)[array[:, 0] > 0.5])
    assert source.n_rows is None
    np.testing.assert_array_equal(joined(source), X[X[:, 0] > 0.5])
    model = corollary.LinearRegression().fit(source)
    assert model.report_.rows == (X[:, 0] > 0.5).sum()
    np.testing.assert_allclose(model.coef_, [1, -2, 0.5, 3])


def test_empty_partitions_are_passed_over():
    array = da.from_array(X, chunks=(70, -1))
    rows = np.arange(300)
    source = engine.DaskSource(array[da.from_array(rows >= 200, chunks=70)])
    assert len(source.parts()) == 5
    assert len(chunks(source)) == 3
    np.testing.assert_array_equal(joined(source), X[200:])


def test_sparse_blocks():
    dense = np.where(X > 0.5, X, 0)
    array = da.from_array(dense, chunks=(70, -1)).map_blocks(sp.csr_matrix)
    read = chunks(engine.DaskSource(array))
    assert all(sp.issparse(chunk.X) for chunk in read)
    np.testing.assert_array_equal(np.vstack([c.X.toarray() for c in read]), dense)


def test_data_frames_with_target_and_weight():
    frame = dd.from_pandas(FRAME.drop(columns="y"), npartitions=4)
    source = engine.DaskSource(frame, target="label", weight="w")
    assert source.names == ["a", "b", "c", "d"]
    assert source.labels(None).tolist() == ["down", "up"]
    read = chunks(source.encoded(source.labels(None)))
    keep = FRAME.w.to_numpy() != 0
    np.testing.assert_array_equal(np.concatenate([c.X for c in read]), X[keep])
    np.testing.assert_array_equal(
        np.concatenate([c.y for c in read]), (LABELS == "up")[keep]
    )
    np.testing.assert_array_equal(np.concatenate([c.w for c in read]), FRAME.w[keep])


def test_a_class_of_weight_zero_does_not_exist():
    frame = pd.DataFrame({"a": [1.0, 2, 3], "y": ["p", "ghost", "q"], "w": [1, 0, 1]})
    source = engine.DaskSource(
        dd.from_pandas(frame, npartitions=1), target="y", weight="w"
    )
    assert source.labels(None).tolist() == ["p", "q"]
    (chunk,) = chunks(source.encoded(source.labels(None)))
    assert (chunk.X.tolist(), chunk.y.tolist()) == ([[1], [3]], [0, 1])


@pytest.mark.parametrize("kind", ["array", "frame"])
def test_fit_takes_the_three_collections(kind):
    w = 1.0 + np.arange(300) % 3
    reference = corollary.Ridge().fit(X, Y, sample_weight=w)
    if kind == "array":
        data = da.from_array(X, chunks=(70, 2))
        y, weights = da.from_array(Y, chunks=300), da.from_array(w, chunks=50)
    else:
        frame = dd.from_pandas(FRAME.assign(w=w), npartitions=4)
        data, y, weights = frame[list("abcd")], frame["y"], frame["w"]
    model = corollary.Ridge().fit(data, y, sample_weight=weights)
    np.testing.assert_allclose(model.coef_, reference.coef_, rtol=1e-12)
    assert model.report_.rows == 300
    if kind == "frame":
        assert list(model.feature_names_in_) == list("abcd")


def test_numpy_targets_are_cut_like_the_rows():
    model = corollary.GaussianNB().fit(da.from_array(X, chunks=(70, -1)), LABELS)
    reference = corollary.GaussianNB().fit(X, LABELS)
    assert model.classes_.tolist() == ["down", "up"]
    np.testing.assert_allclose(model.theta_, reference.theta_, rtol=1e-12)


def test_a_part_carries_its_own_graph_only():
    array = da.from_array(RNG.standard_normal((10_000, 4)), chunks=(100, -1)) + 1
    parts = engine.DaskSource(array).parts()
    sizes = {len(pickle.dumps(part)) for part in parts}
    assert max(sizes) < 8000 < 10_000 * 4 * 8 / 10
    np.testing.assert_array_equal(
        next(pickle.loads(pickle.dumps(parts[3])).chunks()).X, array[300:400].compute()
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: engine.DaskSource(da.ones(10)),
            "a Dask array must have two dimensions; got 1.",
        ),
        (
            lambda: engine.DaskSource(dd.from_pandas(FRAME, npartitions=2), target="z"),
            "the data frame must have a column 'z'; got columns ['a', 'b'",
        ),
        (
            lambda: engine.DaskSource(da.from_array(X), Y[:-1]),
            "y must have as many rows as X = 300; got 299.",
        ),
        (
            lambda: engine.DaskSource(dd.from_pandas(FRAME[["a"]], npartitions=2), Y),
            "y must be a Dask collection where the rows of X are unknown; got ndarray.",
        ),
        (
            lambda: engine.DaskSource(
                dd.from_pandas(FRAME[["a"]], npartitions=2),
                dd.from_pandas(FRAME["y"], npartitions=3),
            ),
            "y must have 2 partitions like X; got 3.",
        ),
    ],
    ids=["1d", "missing", "length", "unknown", "partitions"],
)
def test_what_does_not_fit_is_one_sentence(make, message):
    assert f"DaskSource: {message}" in wrong(make)


def test_what_does_not_fit_in_a_partition_is_one_sentence():
    frame = dd.from_pandas(FRAME, npartitions=2)
    source = engine.DaskSource(frame[list("ab")], frame[frame.a > 0]["y"])
    assert "y must have 150 rows in partition 0; got " in wrong(lambda: chunks(source))
    source = engine.DaskSource(frame[list("ab")], frame["label"])
    message = wrong(lambda: corollary.LinearRegression().fit(source))
    assert "DaskSource: y must hold numbers; got " in message
    source = engine.DaskSource(frame[list("ab")], frame["y"])
    message = wrong(lambda: corollary.GaussianNB().fit(source))
    assert "y must hold class labels; got Unknown label type" in message
