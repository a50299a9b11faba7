"""Principal components from the command line."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Write five columns that are two in truth."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2)) @ rng.normal(size=(2, 5))
    X += 0.05 * rng.normal(size=X.shape)
    path = tmp_path_factory.mktemp("reduce") / "rows.csv"
    text = ["a,b,c,d,e", *(",".join(f"{x:.6f}" for x in row) for row in X)]
    path.write_text("\n".join(text))
    return path


def test_components_are_those_of_standardized_columns(corollary, table, tmp_path):
    out = tmp_path / "scores.parquet"
    result = corollary("reduce", table, "--out", out, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    X = StandardScaler().fit_transform(np.loadtxt(table, delimiter=",", skiprows=1))
    expected = PCA(0.95).fit(X)
    parts = found["components"]
    assert len(parts) == expected.n_components_ == 2
    shares = [part["share"] for part in parts]
    assert shares == pytest.approx(expected.explained_variance_ratio_.tolist())
    scores = pq.read_table(out)
    assert scores.column_names == ["row", "pc1", "pc2"]
    Z = np.column_stack([scores["pc1"], scores["pc2"]])
    assert np.abs(Z) == pytest.approx(np.abs(expected.transform(X)))
    heavy = np.abs(expected.components_[0]).argmax()
    assert parts[0]["weights"][0]["column"] == "abcde"[heavy]


def test_a_number_of_components_in_words(corollary, table):
    result = corollary("reduce", table, "-n", 3)
    assert result.exit_code == 0
    assert result.stdout.startswith("3 components keep 99.")
    assert [line.split()[0] for line in result.stdout.splitlines()[2:]] == [
        "pc1",
        "pc2",
        "pc3",
    ]


def test_labels_dates_and_gaps(corollary, flat_files):
    result = corollary("reduce", flat_files.train, "--json")
    assert result.exit_code == 0, result.output
    names = json.loads(result.stdout)["columns"]
    assert names[:6] == [
        "area",
        "rooms",
        "town = Bergen",
        "town = Moss",
        "town = Oslo",
        "built",
    ]
    assert "flat id is left out" in result.stderr


def test_bad_input(refused, table, tmp_path):
    assert "at most 5" in refused("reduce", table, "-n", 6)
    for number in ("0", "1.5", "-2", "most", "nan"):
        assert "--components must be" in refused("reduce", table, f"-n={number}")
    assert "no such file" in refused("reduce", tmp_path / "none.csv")
    same = tmp_path / "same.csv"
    same.write_text("a,b\n1,2\n1,2\n1,2\n")
    refused("reduce", same)
    words = "reduce", table, "--out", tmp_path / "no" / "scores.csv"
    assert "folder" in refused(*words)
    refused("reduce", tmp_path)
