"""ID3 against the textbook's table and against the recursion of the book."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from oracles import id3 as oracle

from corollary import (
    DataError,
    ID3Classifier,
    ParameterError,
    config_context,
    engine,
)
from corollary.datasets import play_tennis
from corollary.trees import id3

NAMES = ("Outlook", "Temperature", "Humidity", "Wind")


def frame(table):
    return pd.DataFrame(table.X, columns=table.columns).astype(object)


def tennis(noisy=False, **parameters):
    table = play_tennis(noisy)
    return ID3Classifier(**parameters).fit(frame(table), table.y), table


def child(model, node, value):
    """Return the child of a node by the name of its branch."""
    known = model.categories_[model.tree_.feature[node]]
    for c in model.tree_.children(node):
        if known[model.tree_.branch[c]] == value:
            return int(c)
    raise KeyError(value)


def drawn(seed, n=120, d=4, k=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, d))
    y = (X[:, 0] + (X[:, 1] > 1) + (rng.random(n) < 0.2)) % k
    return X, y, rng.integers(1, 4, n).astype(float)


@pytest.mark.course("S3-76", "S3-77")
def test_gains_of_play_tennis():
    model, table = tennis()
    gains = model.gain_table()
    assert gains.entropy == pytest.approx(table.known["entropy"], abs=5e-5)
    for name, value in table.known["gain"].items():
        assert gains[name] == pytest.approx(value, abs=5e-5)
    assert gains.chosen == "Outlook"
    sunny = model.gain_table(child(model, 0, "Sunny"))
    assert sunny.entropy == pytest.approx(0.9710, abs=5e-5)
    found = [sunny[name] for name in ("Humidity", "Temperature", "Wind")]
    assert found == pytest.approx([0.9710, 0.5710, 0.0200], abs=5e-5)
    assert np.isnan(sunny["Outlook"])  # one value only
    rain = model.gain_table(child(model, 0, "Rain"))
    found = [rain[name] for name in ("Wind", "Humidity", "Temperature")]
    assert found == pytest.approx([0.9710, 0.0200, 0.0200], abs=5e-5)


@pytest.mark.course("S3-76")
def test_tree_of_play_tennis():
    model, table = tennis()
    assert (model.predict(frame(table)) == table.y).all()
    assert model.get_n_leaves() == 5
    assert model.get_depth() == 2
    tree = model.tree_
    assert NAMES[tree.feature[0]] == "Outlook"
    assert NAMES[tree.feature[child(model, 0, "Sunny")]] == "Humidity"
    assert NAMES[tree.feature[child(model, 0, "Rain")]] == "Wind"
    assert tree.feature[child(model, 0, "Overcast")] == -1
    day = pd.DataFrame([["Sunny", "Hot", "High", "Strong"]], columns=NAMES)
    assert model.predict(day).tolist() == ["No"]


@pytest.mark.course("S3-76", "S3-77")
def test_a_noisy_day_makes_temperature_displace_humidity():
    model, _ = tennis(noisy=True)
    assert model.gain_table()["Outlook"] == pytest.approx(0.2800, abs=5e-5)
    assert model.gain_table().chosen == "Outlook"
    sunny = model.gain_table(child(model, 0, "Sunny"))
    assert sunny.chosen == "Temperature"
    assert sunny["Temperature"] == pytest.approx(0.585, abs=5e-4)
    assert sunny["Humidity"] == pytest.approx(0.459, abs=5e-4)


@pytest.mark.course("S3-76", "S3-77")
@pytest.mark.parametrize("seed", range(8))
def test_the_recursion_of_the_book(seed):
    X, y, w = drawn(seed)
    model = ID3Classifier().fit(X, y, w)
    rows = [(tuple(x), c, v) for x, c, v in zip(X.tolist(), y, w, strict=True)]
    wanted = oracle.grow(rows, 4)
    assert model.tree_.n_nodes == oracle.size(wanted)
    every = np.stack(np.meshgrid(*[np.arange(5)] * 4), -1).reshape(-1, 4)  # 4 is new
    answers = [oracle.ask(wanted, tuple(x)) for x in every.tolist()]
    assert model.predict(every).tolist() == answers
    gains = model.gain_table().gain
    for j in range(4):
        assert gains[j] == pytest.approx(oracle.gain(rows, j), abs=1e-12)


@pytest.mark.course("S3-76")
def test_weights_count_rows():
    X, y, _ = drawn(0)
    w = np.random.default_rng(1).integers(0, 3, len(y))
    one = ID3Classifier().fit(X, y, w).tree_
    two = ID3Classifier().fit(np.repeat(X, w, axis=0), np.repeat(y, w)).tree_
    for name in ("feature", "parent", "branch", "counts"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    half = ID3Classifier().fit(X, y, w / 7).tree_
    np.testing.assert_array_equal(half.feature, two.feature)


@pytest.mark.course("S3-76")
@pytest.mark.parametrize("max_bins", [255, 16])
def test_rows_end_where_they_were_counted(max_bins):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    z, w = rng.integers(0, 3, 600), rng.random(600)
    z[X[:, 1] > 0.5] = 1
    model = ID3Classifier(max_bins=max_bins).fit(X, z, w)
    at, tree = model.apply(X), model.tree_
    leaves = tree.feature < 0
    counts = np.bincount(at * 3 + z, w, 3 * tree.n_nodes).reshape(-1, 3)
    np.testing.assert_allclose(counts[leaves], tree.counts[leaves], atol=1e-12)
    assert not counts[~leaves].any()
    assert (model.predict(X) == z).all() or max_bins < 600


@pytest.mark.course("S3-76", "S3-77")
@pytest.mark.parametrize("seed", range(5))
def test_thresholds_of_the_largest_gain(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 3)).round(1)
    y, w = (X[:, 1] + rng.normal(size=80) > 0).astype(int), rng.random(80)
    model = ID3Classifier(max_depth=1).fit(X, y, w)
    best = {}
    for j in range(3):
        values = np.unique(X[:, j])
        for t in (values[1:] + values[:-1]) / 2:
            rows = [((a <= t,), c, v) for a, c, v in zip(X[:, j], y, w, strict=True)]
            best[oracle.gain(rows, 0)] = j, t
    top = max(best)
    assert np.nanmax(model.gain_table().gain) == pytest.approx(top, abs=1e-12)
    assert model.tree_.feature[0] == best[top][0]
    assert model.tree_.threshold[0] == pytest.approx(best[top][1])


def test_full_continuous_trees_fit_as_scikit_learns_do():
    from sklearn.datasets import load_iris
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True)
    ours = ID3Classifier(continuous=[0, 1, 2, 3], max_depth=2).fit(X, y)
    theirs = DecisionTreeClassifier(criterion="entropy", max_depth=2).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    full = ID3Classifier(continuous=[0, 1, 2, 3]).fit(X, y)
    assert (full.predict(X) == y).all()


@pytest.mark.course("S3-76")
def test_gain_ratio_does_not_fall_for_many_values():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(60), rng.integers(0, 2, 60)])
    y = X[:, 1] ^ (rng.random(60) < 0.1)
    by_gain = ID3Classifier(continuous=None).fit(X, y)
    by_ratio = ID3Classifier(continuous=None, criterion="gain_ratio").fit(X, y)
    assert by_gain.tree_.feature[0] == 0  # a number for each row is pure
    assert by_ratio.gain_table().ratio[0] < by_ratio.gain_table().ratio[1]
    table = by_gain.gain_table()
    assert table.ratio[0] == pytest.approx(table.gain[0] / np.log2(60))
    rich = ID3Classifier(continuous=None, criterion="gain_ratio", max_depth=1)
    X = np.column_stack([X, y])  # its gain is that of the number, its ratio is 1
    assert rich.fit(X, y).tree_.feature[0] == 2


@pytest.mark.course("S3-78")
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_max_depth_stops_growth(depth):
    X, y, w = drawn(1)
    full = ID3Classifier().fit(X, y, w).tree_
    short = ID3Classifier(max_depth=depth).fit(X, y, w).tree_
    assert short.depth.max() == depth
    m = int((full.depth <= depth).sum())  # numbers go level by level
    np.testing.assert_array_equal(short.counts, full.counts[:m])


@pytest.mark.course("S3-78")
def test_small_nodes_and_small_gains_stop_growth():
    X, y, w = drawn(2)
    least = ID3Classifier(min_samples_split=30).fit(X, y, w).tree_
    inner = least.feature >= 0
    assert inner.any()
    assert (least.counts[inner].sum(axis=1) >= 30).all()
    model = ID3Classifier(min_gain=0.1).fit(X, y, w)
    tree = model.tree_
    for node in np.flatnonzero(tree.looked >= 0):
        table = model.gain_table(int(node))
        best = np.nan_to_num(table.gain).max()
        assert (best >= 0.1) == (tree.feature[node] >= 0)
    assert tree.n_nodes < ID3Classifier().fit(X, y, w).tree_.n_nodes


@pytest.mark.course("S3-78")
def test_early_stopping_helps_on_noise():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (600, 8))
    y = (X[:, 0] == 1) ^ (rng.random(600) < 0.2)
    full = ID3Classifier().fit(X[:300], y[:300])
    early = ID3Classifier(min_gain=0.1).fit(X[:300], y[:300])
    assert full.score(X[:300], y[:300]) > early.score(X[:300], y[:300])
    assert early.score(X[300:], y[300:]) > full.score(X[300:], y[300:]) + 0.05


@pytest.mark.course("S3-76")
def test_cases_that_the_textbook_leaves_open():
    X = [["a", "u"], ["a", "u"], ["a", "v"], ["b", "v"], ["b", "v"], ["b", "v"]]
    model = ID3Classifier().fit(X, ["x", "y", "y", "x", "x", "z"])
    assert model.predict([["b", "v"]]).tolist() == ["x"]  # no attribute left
    assert model.predict([["a", "u"]]).tolist() == ["x"]  # equal classes: the first
    assert model.predict([["a", "w"]]).tolist() == ["y"]  # unseen: the node's majority
    assert model.predict([["b", "u"]]).tolist() == ["x"]  # an empty branch as well
    assert model.predict([["c", "u"]]).tolist() == ["x"]  # unseen at the root
    shares = model.predict_proba([["a", "w"]])
    np.testing.assert_allclose(shares, [[1 / 3, 2 / 3, 0]])
    twice = ID3Classifier().fit([["p", "p"], ["q", "q"]], [0, 1])
    assert twice.tree_.feature[0] == 0  # equal gains: the first


@pytest.mark.course("S3-76")
def test_exclusive_or_is_learned_though_no_attribute_gains():
    X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]
    model = ID3Classifier().fit(X, [0, 1, 1, 0])
    np.testing.assert_allclose(model.gain_table().gain, [0, 0, np.nan])
    assert model.predict(X).tolist() == [0, 1, 1, 0]


@pytest.mark.course("S3-76")
def test_missing_values_are_values():
    X = pd.DataFrame(
        {
            "town": ["Rome", None, "Oslo", None, "Rome", "Oslo"],
            "age": [1.5, 2.5, np.nan, 4.5, np.nan, 6.5],
        }
    )
    y = [0, 1, 2, 1, 2, 0]
    model = ID3Classifier().fit(X, y)
    assert model.predict(X).tolist() == y
    assert model.predict(X.astype({"town": object})).tolist() == y
    ages = ID3Classifier().fit(X[["age"]], [0, 0, 1, 0, 1, 0])  # known or not
    assert ages.tree_.threshold[0] == np.inf
    assert ages.predict(pd.DataFrame({"age": [1e9, np.nan]})).tolist() == [0, 1]
    never = ID3Classifier().fit([[1.5], [2.5]], [0, 1])
    assert never.predict([[np.nan]]).tolist() == [0]  # the majority


def test_any_type_of_column():
    frame = pd.DataFrame(
        {
            "text": ["a", "b", "a", "c"],
            "category": pd.Categorical(["u", "v", "u", "v"]),
            "flag": [True, False, True, True],
            "day": pd.to_datetime(["2020-01-01", "2020-01-02"] * 2),
            "count": [1, 2, 3, 4],
            "size": [0.5, 1.5, 2.5, 3.5],
        }
    )
    y = ["p", "q", "p", "q"]
    model = ID3Classifier().fit(frame, y)
    assert model.predict(frame).tolist() == y
    kinds = [each is None for each in model.categories_]
    assert kinds == [False, False, False, False, False, True]
    for name in frame.columns:
        part = ID3Classifier().fit(frame[[name]], y)
        assert part.score(frame[[name]], y) == (0.75 if name == "flag" else 1.0)


@pytest.mark.course("S3-76")
@pytest.mark.parametrize("chunk_rows", [1, 7, 50])
def test_chunks_of_a_table_give_the_same_tree(chunk_rows):
    X, y, w = drawn(3)
    frame = pd.DataFrame({f"c{j}": np.array(list("wxyz"))[X[:, j]] for j in range(3)})
    frame["size"] = np.random.default_rng(0).normal(size=len(X)).round(2)
    whole = ID3Classifier().fit(frame, y, w / 3).tree_
    with config_context(chunk_rows=chunk_rows):
        parts = ID3Classifier().fit(frame, y, w / 3).tree_
    for name in ("feature", "threshold", "parent", "branch"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))
    np.testing.assert_allclose(whole.counts, parts.counts, rtol=1e-12)
    np.testing.assert_allclose(whole.gain, parts.gain, atol=1e-12)


def test_gains_of_the_first_nodes_are_kept(monkeypatch):
    X, y, w = drawn(4)
    whole = ID3Classifier().fit(X, y, w)
    monkeypatch.setattr(id3, "KEPT", 12)  # of four attributes
    some = ID3Classifier().fit(X, y, w)
    np.testing.assert_array_equal(some.tree_.gain, whole.tree_.gain[:3])
    assert (some.tree_.looked >= 0).sum() == 3
    np.testing.assert_array_equal(some.tree_.feature, whole.tree_.feature)
    last = int(np.flatnonzero(some.tree_.feature >= 0)[-1])
    assert np.isnan(some.gain_table(last).gain).all()


def test_counts_that_do_not_fit_are_refused():
    X, y = np.arange(3000)[:, None], np.arange(3000) % 500
    limited = config_context(memory_limit=2**24)
    with limited, pytest.raises(MemoryError, match="counts of 500 classes"):
        ID3Classifier(continuous=None).fit(X, y)


def in_file(kind, frame, y, folder):
    """Return texts and numbers as a source of that kind, in several parts."""
    whole = pa.Table.from_pandas(frame.assign(y=y), preserve_index=False)
    if kind == "parquet":
        pa.parquet.write_table(whole, folder / "rows.parquet", row_group_size=50)
        return engine.ParquetSource(folder / "rows.parquet", target="y")
    if kind == "csv":
        pa.csv.write_csv(whole, folder / "rows.csv")
        return engine.CSVSource(folder / "rows.csv", target="y")
    cut = [slice(0, 1), slice(1, 90), slice(90, None)]
    return lambda: iter([(frame[part], y[part]) for part in cut])


@pytest.mark.course("S3-76")
@pytest.mark.parametrize("kind", ["parquet", "csv", "chunks"])
def test_every_source_of_texts_gives_the_same_tree(kind, tmp_path):
    X, y, _ = drawn(5, n=200)
    frame = pd.DataFrame({f"c{j}": np.array(list("wxyz"))[X[:, j]] for j in range(3)})
    frame["size"] = np.random.default_rng(0).normal(size=len(X)).round(2)
    wanted = ID3Classifier().fit(frame, y)
    found = ID3Classifier().fit(in_file(kind, frame, y, tmp_path))
    for name in ("feature", "threshold", "parent", "branch", "counts"):
        one, two = getattr(wanted.tree_, name), getattr(found.tree_, name)
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(wanted.predict(frame), found.predict(frame))


def test_nodes_that_do_not_fit_wait_for_the_next_pass(monkeypatch):
    X, y, w = drawn(4)
    whole = ID3Classifier().fit(X, y, w)
    monkeypatch.setattr(id3, "TABLES", 1000)
    parts = ID3Classifier().fit(X, y, w)
    assert parts.report_.passes > whole.report_.passes
    for name in ("feature", "parent", "branch", "counts", "gain"):
        one, two = getattr(whole.tree_, name), getattr(parts.tree_, name)
        np.testing.assert_array_equal(one, two)


def test_values_that_weigh_nothing_are_no_values():
    X = np.array([["a"], ["b"], ["c"], ["b"]], object)
    w = np.array([0.0, 1.0, 1.0, 1.0])
    model = ID3Classifier().fit(lambda: iter([(X, np.array([0, 1, 2, 1]), w)]))
    assert model.categories_[0].tolist() == ["b", "c"]
    assert model.predict(X).tolist() == [1, 1, 2, 1]


def test_data_that_changes_between_passes_is_refused():
    passes = []

    def chunks():
        passes.append(1)
        values = "ab" if len(passes) < 4 else "ac"
        yield np.array([[v] for v in values], object), np.array([0, 1])

    with pytest.raises(DataError, match="same values in every pass"):
        ID3Classifier().fit(chunks)


def test_columns_are_named_or_numbered():
    X = pd.DataFrame({"a": [1, 2, 3, 4], "b": [4, 3, 2, 1]})
    y = [0, 0, 1, 1]
    for given in (["a"], [0], np.array([True, False])):
        model = ID3Classifier(continuous=given).fit(X, y)
        assert model.tree_.threshold[0] == 2.5
    assert np.isnan(ID3Classifier(continuous=None).fit(X, y).tree_.threshold[0])
    with pytest.raises(ParameterError, match="must name columns"):
        ID3Classifier(continuous=["c"]).fit(X, y)
    with pytest.raises(ParameterError, match="must hold numbers"):
        ID3Classifier(continuous=[0]).fit([["u"], ["v"]], [0, 1])


def test_report_tells_the_size():
    model, _ = tennis()
    facts = model.report_.facts
    assert (facts["n_nodes"], facts["n_errors"]) == (8, 0)
    trace = model.report_.objective
    assert trace == sorted(trace, reverse=True)
    assert trace[-1] == 0


def test_gain_table_prints_and_refuses():
    model, _ = tennis()
    lines = str(model.gain_table()).splitlines()
    assert lines[0] == "node 0: 14 rows, entropy 0.9403 bits"
    assert lines[1] == "  Outlook      gain 0.2467  ratio 0.1564  <- split"
    with pytest.raises(DataError, match="node must be"):
        model.gain_table(99)
