"""What all learners in feature space share: sources, sparse files, forged files."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from safetensors import safe_open
from safetensors.numpy import load_file

import corollary
from corollary import engine
from corollary.core.errors import ModelFileError
from corollary.persistence.container import packed

NAMES = [
    "KernelFisherDiscriminant",
    "KernelNearestCentroid",
    "KernelQuantileRegressor",
    "KernelRidge",
    "RepresenterClassifier",
    "RepresenterRegressor",
]
RNG = np.random.default_rng(0)
X = np.where(RNG.random((60, 4)) < 0.4, 0.0, RNG.normal(size=(60, 4)))
Y = (X.sum(axis=1) > 0).astype(int)
every = pytest.mark.parametrize("name", NAMES)


def make(name, **options):
    return getattr(corollary, name)(kernel="rbf", gamma=0.5, **options)


@every
def test_every_source_gives_the_same_model(name):
    expected = make(name).fit(X, Y).predict(X)
    frame = pd.DataFrame(X, columns=list("abcd"))
    chunks = engine.ChunkSource(
        lambda: ((X[a : a + 17], Y[a : a + 17]) for a in range(0, 60, 17))
    )
    single = make(name).fit(frame, Y)
    np.testing.assert_allclose(single.predict(frame), expected, atol=1e-9)
    np.testing.assert_allclose(make(name).fit(chunks).predict(X), expected, atol=1e-9)
    sparse = make(name).fit(sp.csr_array(X), Y)
    np.testing.assert_allclose(sparse.predict(sp.csr_array(X)), expected, atol=1e-3)


@every
def test_a_model_of_sparse_rows_is_saved(name, tmp_path):
    model = make(name).fit(sp.csr_array(X), Y)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    assert sp.issparse(again.X_fit_)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@every
@pytest.mark.parametrize("damage", ["narrow", "fewer", "nan"])
def test_forged_rows_end_in_one_sentence(name, damage, tmp_path):
    corollary.save(make(name).fit(X, Y), tmp_path / "good")
    with safe_open(tmp_path / "good", framework="numpy") as file:
        tree = json.loads(file.metadata()["corollary"])
    arrays = load_file(tmp_path / "good")
    rows = next(v for k, v in tree["learned"]["dict"] if k == "X_fit_")
    bad = arrays[rows["array"]].copy()
    bad = {"narrow": bad[:, :2], "fewer": bad[:5]}.get(damage, np.nan * bad)
    arrays[rows["array"]] = np.ascontiguousarray(bad)
    rows["shape"] = list(bad.shape)
    (tmp_path / "bad").write_bytes(b"".join(packed(tree, arrays)))
    with pytest.raises(ModelFileError, match="X_fit_ must") as caught:
        corollary.load(tmp_path / "bad")
    assert "\n" not in str(caught.value)


def test_a_forged_sparse_array_ends_in_one_sentence(tmp_path):
    corollary.save(make("KernelRidge").fit(sp.csr_array(X), Y), tmp_path / "good")
    with safe_open(tmp_path / "good", framework="numpy") as file:
        tree = json.loads(file.metadata()["corollary"])
    arrays = load_file(tmp_path / "good")
    rows = next(v for k, v in tree["learned"]["dict"] if k == "X_fit_")
    arrays[rows["csr"][1]["array"]][0] = 10**6  # a column that is not there
    (tmp_path / "bad").write_bytes(b"".join(packed(tree, arrays)))
    with pytest.raises(ModelFileError, match="sparse rows must have valid indices"):
        corollary.load(tmp_path / "bad")
