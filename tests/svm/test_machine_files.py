"""Files of kernel machines: what comes back, and what is refused."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from common.machines import data
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import load_file
from sklearn.metrics.pairwise import rbf_kernel

import corollary
from corollary.core.errors import ModelFileError
from corollary.persistence.container import packed


@pytest.mark.parametrize("name", ["SVC", "SVR", "OneClassSVM"])
@pytest.mark.parametrize("sparse", [False, True])
def test_files(name, sparse, tmp_path):
    X, y, _ = data(15)
    rows = sp.csr_array(np.where(np.abs(X) < 0.5, 0, X)) if sparse else X
    model = getattr(corollary, name)().fit(rows, y)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    assert sp.issparse(again.support_vectors_) == sparse
    model.n_support_ = model.n_support_ * 0 + 10**6
    corollary.save(model, tmp_path / "forged")
    with pytest.raises(ModelFileError, match="altered"):
        corollary.load(tmp_path / "forged")
    if sparse:
        model = getattr(corollary, name)().fit(rows, y)
        model.support_vectors_.indices[0] = 10**6
        corollary.save(model, tmp_path / "forged")
        with pytest.raises(ModelFileError, match="valid indices"):
            corollary.load(tmp_path / "forged")


MACHINES = [
    "SVC",
    "NuSVC",
    "SquaredHingeSVC",
    "HardMarginSVC",
    "SVR",
    "NuSVR",
    "SquaredEpsilonSVR",
    "OneClassSVM",
    "SVDD",
]


def fitted(name, form="dense", **options):
    X, y, number = data(17, 40)
    y = np.where(X[:, 0] > 0, "yes", "no") if name == "HardMarginSVC" else y
    goal = number if name.endswith("R") else y
    if form == "csr":
        X = sp.csr_array(np.where(np.abs(X) < 0.3, 0, X))
    if form == "given":
        return getattr(corollary, name)(kernel="precomputed").fit(rbf_kernel(X), goal)
    return getattr(corollary, name)(**options).fit(X, goal)


def forged(model, folder, change):
    """Save a model, change its tree and arrays, and return the path."""
    corollary.save(model, folder / "good")
    with safe_open(folder / "good", framework="numpy") as file:
        tree = json.loads(file.metadata()["corollary"])
    arrays = load_file(folder / "good")
    change(tree, arrays)
    (folder / "bad").write_bytes(b"".join(packed(tree, arrays)))
    return folder / "bad"


def entry(tree, name, part="learned"):
    return next(pair for pair in tree[part]["dict"] if pair[0] == name)


def new_array(tree, arrays, name, make):
    """Replace a learned array by what is made of it."""
    value = entry(tree, name)[1]
    array = np.ascontiguousarray(make(arrays[value["array"]]))
    arrays[value["array"]] = array
    value["shape"] = list(array.shape)


def array_change(name, make):
    return lambda tree, arrays: new_array(tree, arrays, name, make)


def text_for(name):
    def change(tree, arrays):
        value = entry(tree, name)[1]
        shape = value["shape"]
        words = ["rm"] * int(np.prod(shape))
        entry(tree, name)[1] = {"objects": words, "kind": "U", "shape": shape}

    return change


def parameter(name, value):
    def change(tree, arrays):
        entry(tree, name, "parameters")[1] = value

    return change


def without(name):
    def change(tree, arrays):
        tree["learned"]["dict"].remove(entry(tree, name))

    return change


def with_nan(array):
    array = array.copy()
    array.flat[0] = np.nan
    return array


def some(array, value):
    array = array.copy()
    array.flat[-1] = value
    return array


DENSE = {
    "short coefficients": array_change("dual_coef_", lambda a: a[:, 1:]),
    "tall coefficients": array_change("dual_coef_", lambda a: np.vstack([a, a])),
    "NaN coefficients": array_change("dual_coef_", with_nan),
    "whole coefficients": array_change("dual_coef_", lambda a: a.astype(int)),
    "words": text_for("dual_coef_"),
    "narrow vectors": array_change("support_vectors_", lambda a: a[:, 1:]),
    "fewer vectors": array_change("support_vectors_", lambda a: a[1:]),
    "no vectors": array_change("support_vectors_", lambda a: np.empty((0, 0))),
    "infinite vectors": array_change("support_vectors_", lambda a: some(a, np.inf)),
    "negative rows": array_change("support_", lambda a: some(a, -1)),
    "rows too large": array_change("support_", lambda a: some(a, 10**6)),
    "half rows": array_change("support_", lambda a: a + 0.5),
    "negative counts": array_change("n_support_", lambda a: a - 10**6),
    "half counts": array_change("n_support_", lambda a: a * 1.0),
    "many intercepts": array_change("intercept_", lambda a: np.repeat(a, 3)),
    "NaN intercept": array_change("intercept_", with_nan),
    "no kernel": parameter("kernel", "os.system"),
    "no gamma": without("gamma_"),
    "gamma in words": lambda t, a: entry(t, "gamma_").__setitem__(1, "scale"),
    "negative gamma": lambda t, a: entry(t, "gamma_").__setitem__(
        1, {"float": (-1.0).hex()}
    ),
    "no shape": without("shape_fit_"),
    "no support": without("support_"),
}


@pytest.mark.parametrize("name", MACHINES)
def test_crafted_files_end_in_one_sentence(name, tmp_path):
    model = fitted(name)
    assert corollary.load(forged(model, tmp_path, lambda t, a: None)) is not None
    for what, change in DENSE.items():
        with pytest.raises(ModelFileError) as caught:
            corollary.load(forged(model, tmp_path, change))
        text = str(caught.value)
        assert text.startswith("load: bad cannot be loaded: "), what
        assert "\n" not in text
        assert text.endswith(".") or "must" in text, what
        assert not text.endswith(".."), what


def csr_part(name, number, make):
    """Change data (0), indices (1) or indptr (2) of a sparse array."""

    def change(tree, arrays):
        value = entry(tree, name)[1]["csr"][number]
        array = np.ascontiguousarray(make(arrays[value["array"]]))
        arrays[value["array"]] = array
        value["shape"] = list(array.shape)

    return change


def falling(indptr):
    indptr = indptr.copy()
    indptr[1] = indptr[-1]
    indptr[2] = 0
    return indptr


SPARSE = {
    "indptr falls": csr_part("support_vectors_", 2, falling),
    "indptr too long": csr_part("support_vectors_", 2, lambda a: np.append(a, a[-1])),
    "indptr past the end": csr_part("support_vectors_", 2, lambda a: some(a, 10**6)),
    "negative column": csr_part("support_vectors_", 1, lambda a: some(a, -1)),
    "column too large": csr_part("support_vectors_", 1, lambda a: some(a, 3)),
    "half columns": csr_part("support_vectors_", 1, lambda a: a + 0.5),
    "NaN": csr_part("support_vectors_", 0, with_nan),
    "NaN coefficient": csr_part("dual_coef_", 0, with_nan),
    "fewer numbers": csr_part("dual_coef_", 0, lambda a: a[1:]),
    "other width": lambda t, a: entry(t, "dual_coef_")[1]["shape"].__setitem__(1, 7),
    "other height": lambda t, a: entry(t, "support_vectors_")[1]["shape"].__setitem__(
        0, 10**9
    ),
}


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.filterwarnings("ignore:HardMarginSVC. no hyperplane")
def test_crafted_sparse_files_end_in_one_sentence(name, tmp_path):
    model = fitted(name, "csr")
    for what, change in SPARSE.items():
        with pytest.raises(ModelFileError, match="cannot be loaded") as caught:
            corollary.load(forged(model, tmp_path, change))
        assert "\n" not in str(caught.value), what


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("bad", [-1, 40, 10**9])
def test_crafted_columns_of_a_given_matrix(name, bad, tmp_path):
    change = array_change("support_", lambda a: some(a, bad))
    with pytest.raises(ModelFileError, match="support_ must be numbers of rows, 0 to"):
        corollary.load(forged(fitted(name, "given"), tmp_path, change))


@pytest.mark.parametrize("name", [n for n in MACHINES if n.endswith("SVC")])
def test_crafted_classes_and_probabilities(name, tmp_path):
    sigmoid = fitted(name, probability="platt", random_state=0)
    steps = fitted(name, probability="isotonic", random_state=0)
    assert corollary.load(forged(steps, tmp_path, lambda t, a: None)) is not None

    def corners(make):
        def change(tree, arrays):
            value = entry(tree, "isotonic_")[1]["list"][0]
            array = np.ascontiguousarray(make(arrays[value["array"]]))
            arrays[value["array"]] = array
            value["shape"] = list(array.shape)

        return change

    def more_classes(tree, arrays):
        words = {"objects": ["a", "b", "c"], "kind": "U", "shape": [3]}
        entry(tree, "classes_")[1] = words

    for model, change in (
        (sigmoid, more_classes),
        (sigmoid, array_change("probA_", lambda a: np.repeat(a, 4))),
        (sigmoid, array_change("probB_", with_nan)),
        (sigmoid, without("probB_")),
        (sigmoid, text_for("probA_")),
        (steps, corners(with_nan)),
        (steps, corners(lambda a: a[::-1])),
        (steps, corners(lambda a: a[:0])),
        (steps, corners(lambda a: a[:, :1])),
        (steps, lambda t, a: entry(t, "isotonic_")[1]["list"].append(7)),
    ):
        with pytest.raises(ModelFileError, match="cannot be loaded") as caught:
            corollary.load(forged(model, tmp_path, change))
        assert "\n" not in str(caught.value)


@given(seed=st.integers(0, 10**6), name=st.sampled_from(MACHINES))
@settings(max_examples=60, deadline=None)
def test_a_flipped_byte_never_crashes(seed, name, tmp_path_factory):
    folder = tmp_path_factory.mktemp("flipped")
    rng = np.random.default_rng(seed)
    corollary.save(fitted(name), folder / "model")
    content = bytearray((folder / "model").read_bytes())
    at = int(rng.integers(len(content)))
    content[at] = int(rng.integers(256))
    (folder / "model").write_bytes(bytes(content))
    try:
        model = corollary.load(folder / "model")
    except ModelFileError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        with np.errstate(all="ignore"):
            assert len(model.predict(data(17, 40)[0])) == 40
