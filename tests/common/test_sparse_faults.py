"""Sparse matrices with broken indices: every learner says so, and none follows them."""

import re
import warnings

import numpy as np
import pytest
from sklearn.utils import get_tags

import corollary
from common.sparse_faults import FAULTS, WRONG, matrix
from corollary import engine
from corollary.core.errors import DataError

FORM = re.compile(r"^\w+: [^\n]+; got [^\n]+\.( [A-Z][^\n]*\.)?$")
SPARSE = [
    name
    for name in corollary.registry.ESTIMATORS
    if getattr(corollary, name)().__sklearn_tags__().input_tags.sparse
]
ODD = [fault for fault in FAULTS if fault not in WRONG]
PARAMETERS = {
    "NuSVC": {"nu": 0.3},
    "KMeans": {"n_clusters": 3},
    "LogisticRegressionCV": {"Cs": 2, "cv": 2},
    "HardMarginSVC": {"kernel": "rbf", "gamma": 10.0},
    "RobustScaler": {"with_centering": False},
    "StandardScaler": {"with_mean": False},
}
ASKED = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "transform",
    "score_samples",
)


def made(name):
    model = getattr(corollary, name)(**PARAMETERS.get(name, {}))
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    return model


def target(model, n):
    if getattr(model, "target", "none") == "labels":
        return np.arange(n) % 2
    y = np.linspace(1.0, 2.0, n)
    several = not get_tags(model).target_tags.single_output
    return np.column_stack([y, y**2]) if several else y


def broken(name, seed=0):
    X = matrix(seed=seed)
    FAULTS[name](X)
    return X


def assert_refused(call, *rows):
    with pytest.raises(DataError) as caught:
        call(*rows)
    assert FORM.match(str(caught.value)), caught.value


def asked(model):
    """Return the methods of a fitted model that take rows."""
    return [name for name in ASKED if hasattr(model, name)]


def assert_read(model, name, fault, *, fit):
    """What is odd but no fault is read, in a fit too where asked, and not changed."""
    X, Z = matrix(), broken(fault)
    before = Z.data.copy(), Z.indices.copy(), Z.indptr.copy()
    for ask in asked(model):
        found, want = getattr(model, ask)(Z), getattr(model, ask)(X)
        np.testing.assert_array_equal(plain(found), plain(want), err_msg=fault)
    if fit:
        again = made(name).fit(Z, target(model, X.shape[0]))
        ask = asked(model)[0]
        np.testing.assert_array_equal(
            plain(getattr(again, ask)(X)), plain(getattr(model, ask)(X)), err_msg=fault
        )
    for ours, theirs in zip((Z.data, Z.indices, Z.indptr), before, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SPARSE)
def test_broken_indices_are_refused_and_odd_ones_read(name):
    """Each method of each model; a fit on odd indices of one kind, in turn."""
    X = matrix()
    model = made(name).fit(X, target(made(name), X.shape[0]))
    y = target(model, X.shape[0])
    for fault in WRONG:
        for ask in asked(model):
            assert_refused(getattr(model, ask), broken(fault))
        assert_refused(made(name).fit, broken(fault), y)
        if hasattr(model, "partial_fit"):
            assert_refused(made(name).partial_fit, broken(fault), y)
    turn = SPARSE.index(name) % len(ODD)
    for fault in ODD:
        assert_read(model, name, fault, fit=fault == ODD[turn])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SPARSE)
def test_every_kind_of_odd_indices_gives_the_same_fit(name):
    X = matrix()
    model = made(name).fit(X, target(made(name), X.shape[0]))
    for fault in ODD:
        assert_read(model, name, fault, fit=True)


def plain(values):
    return values.toarray() if hasattr(values, "toarray") else np.asarray(values)


@pytest.mark.parametrize("fault", WRONG)
def test_no_source_lets_broken_indices_in(fault):
    X, y = matrix(), np.arange(40) % 2
    for source in (
        lambda: engine.ArraySource(broken(fault), y),
        lambda: engine.ChunkSource(lambda: [(broken(fault), y)]),
        lambda: engine.ChunkSource(lambda: [(X, y), (broken(fault), y)]),
        lambda: iter([(broken(fault), y)]),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert_refused(lambda source=source: made("KMeans").fit(source()))


@pytest.mark.parametrize("fault", WRONG)
def test_no_partition_lets_broken_indices_in(fault):
    pytest.importorskip("dask.array")
    from corollary.engine.sources.dask import PartitionRows

    rows = PartitionRows(0, 0, 6, np.dtype(float), None)
    assert_refused(lambda: list(rows.chunks(broken(fault))))


def test_a_sparse_partition_of_another_width_is_refused():
    from corollary.engine.sources.dask import PartitionRows

    rows = PartitionRows(0, 0, 5, np.dtype(float), None)
    assert_refused(lambda: list(rows.chunks(matrix())))


@pytest.mark.parametrize("fault", WRONG)
def test_labels_in_a_sparse_matrix_are_checked_too(fault):
    X = matrix().toarray()
    members = corollary.OneVsRestClassifier(corollary.Ridge())
    assert_refused(lambda: members.fit(X, broken(fault)))
