"""Clusters from the command line: how many, which, and in what words."""

import json

import numpy as np
import pyarrow.csv
import pytest
from sklearn.metrics import adjusted_rand_score, silhouette_score

from corollary.cli.cluster_count import judge_count


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write tables with and without clusters."""
    place = tmp_path_factory.mktemp("clusters")
    rng = np.random.default_rng(0)
    kind = np.repeat([0, 1, 2], [100, 60, 40])
    size = np.array([10.0, 30.0, 10.0])[kind] + rng.normal(size=200)
    heat = np.array([1.0, 1.0, 9.0])[kind] + 0.3 * rng.normal(size=200)
    shop = np.where(kind == 1, "Alma", "Bo")
    code = [f"k{j}" for j in rng.permutation(1000)[:200]]
    rows = zip(range(100, 300), size, heat, shop, code, kind, strict=True)
    text = ["number,size,heat,shop,code,kind"]
    text += [f"{i},{a:.3f},{b:.3f},{s},{c},{k}" for i, a, b, s, c, k in rows]
    (place / "kinds.csv").write_text("\n".join(text))
    cloud = rng.uniform(size=(300, 2))
    text = ["a,b", *(f"{a:.4f},{b:.4f}" for a, b in cloud)]
    (place / "cloud.csv").write_text("\n".join(text))
    return place


def test_clusters_are_found_counted_and_written(process, folder, tmp_path):
    out = tmp_path / "labels.csv"
    words = "cluster", folder / "kinds.csv", "--ignore", "kind", "--out", out
    result = process(*words)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("3 clusters of 200 rows (silhouette 0.")
    assert "note: kind is left out (ignored: as asked for)." in result.stderr
    assert "note: code is left out (identifier" in result.stderr
    lines = result.stdout.splitlines()
    assert "size high" in lines[-3]
    assert "shop mostly Alma (100%" in lines[-3]
    assert "heat high" in lines[-2]
    assert lines[-1] == f"wrote {out}: 200 rows"
    labels = pyarrow.csv.read_csv(out)
    assert labels["number"].to_pylist() == list(range(100, 300))
    kind = pyarrow.csv.read_csv(folder / "kinds.csv")["kind"]
    assert adjusted_rand_score(kind, labels["cluster"]) == 1
    assert np.bincount(labels["cluster"]).tolist() == [100, 60, 40]


def test_a_cloud_has_no_clear_clusters(corollary, folder):
    result = corollary("cluster", folder / "cloud.csv")
    assert result.exit_code == 0
    assert result.stdout.startswith("No clear clusters: ")


def test_json_and_a_given_number(corollary, folder):
    words = "cluster", folder / "kinds.csv", "--k", 4, "--ignore", "kind"
    found = json.loads(corollary(*words, "--json", "-q").stdout)
    assert found["k"] == 4
    assert [one["k"] for one in found["tried"]] == [4]
    assert len(found["labels"]) == 200
    assert sum(one["rows"] for one in found["clusters"]) == 200
    again = json.loads(corollary(*words, "--json", "-q").stdout)
    assert again == found
    other = json.loads(corollary(*words, "--json", "--seed", 5).stdout)
    assert other["rows"] == 200


def test_a_number_of_clusters_is_judged_by_silhouettes():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 9])
    found = judge_count(X, 2, 0)
    truth = silhouette_score(X, np.repeat([0, 1], 60))
    assert found.silhouette == pytest.approx(truth)
    assert found.clear
    assert found.reference < 0.7


def test_odd_tables(corollary, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("a,b\n1,x\n1,x\n1,x\n2,y\n")
    result = corollary("cluster", path)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("1 cluster of 4 rows.")
    assert corollary("cluster", path, "--k", 2).exit_code == 0
    said = ["bad night", "good day"]
    rows = [
        f"{j % 7},2020-01-{1 + j % 28:02d},{said[j % 2]} {j % 5}" for j in range(80)
    ]
    path.write_text("\n".join(["a,when,note", *rows]))
    result = corollary("cluster", path, "--json")
    assert result.exit_code == 0, result.output


def test_bad_input(refused, folder, tmp_path):
    path = folder / "cloud.csv"
    assert "--k must be" in refused("cluster", path, "--k", "many")
    assert "--k must be" in refused("cluster", path, "--k", 0)
    assert "n_clusters must be" in refused("cluster", path, "--k", 1000)
    assert "no such file" in refused("cluster", tmp_path / "none.csv")
    assert "must end in" in refused("cluster", path, "--out", "labels.txt")
    assert "'c'" in refused("cluster", path, "--ignore", "c")
    assert "0 such columns" in refused(
        "cluster", path, "--ignore", "a", "--ignore", "b"
    )
    refused("cluster", path, "--memory-limit", "1kB")
    refused("cluster", "-", input="")
