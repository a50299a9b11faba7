"""Every estimator survives saving and loading; no file can do harm."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import corollary
from common.learners import LEARNERS, assert_same, make_data
from corollary import SVC
from corollary.core.errors import ModelFileError, ParameterError
from corollary.kernels import Gaussian, Linear, Spectrum
from corollary.persistence.container import packed

DATA = make_data(n=200, d=4)


def outputs(model, X):
    methods = ("predict", "transform", "predict_proba", "decision_function")
    methods += ("score_samples",)
    return {m: getattr(model, m)(X) for m in methods if hasattr(model, m)}


@pytest.mark.parametrize("case", LEARNERS, ids=str)
def test_round_trip(case, tmp_path):
    model = case.fitted(DATA)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    assert type(again) is type(model)
    assert again.get_params() == model.get_params()
    assert str(again.report_) == str(model.report_)
    X = case.rows(DATA.X)
    for name, values in outputs(model, X).items():
        np.testing.assert_array_equal(outputs(again, X)[name], values, err_msg=name)


FRESH = """
import os, sys
import scipy.linalg, scipy.optimize, scipy.sparse, scipy.special, scipy.stats
import sklearn.metrics, sklearn.model_selection, corollary.persistence
for path in sys.argv[1:]:
    child = os.fork()
    if not child:  # knows nothing of what other files made it import
        try:
            corollary.load(path)
        except BaseException as error:
            print(path, error)
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_files_load_in_a_process_that_has_imported_nothing(tmp_path):
    kernels = [SVC(kernel=k) for k in (Gaussian(0.5) + Linear(), Spectrum(2))]
    saved = [case.fitted(DATA) for case in LEARNERS] + kernels
    for number, model in enumerate(saved):
        corollary.save(model, tmp_path / f"{number}-{type(model).__name__}")
    files = sorted(str(path) for path in tmp_path.iterdir())
    command = [sys.executable, "-c", FRESH, *files]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("name", corollary.registry.ESTIMATORS)
def test_unfitted_round_trip(name, tmp_path):
    corollary.save(getattr(corollary, name)(), tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    assert again.get_params() == getattr(corollary, name)().get_params()


@pytest.mark.parametrize(
    "case", [c for c in LEARNERS if hasattr(c.make(), "partial_fit")], ids=str
)
def test_a_loaded_stream_goes_on(case, tmp_path):
    X, y = case.rows(DATA.X), DATA.y(case.target)
    half, rest = slice(0, 100), slice(100, 200)
    model = case.make().fit(X[half], None if y is None else y[half])
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    for m in (model, again):
        m.partial_fit(X[rest], None if y is None else y[rest])
    assert_same(case, again, model, rtol=1e-300)


@pytest.mark.parametrize(
    "case", [c for c in LEARNERS if not c.make().keeps_rows], ids=str
)
def test_no_training_row_is_in_the_file(case, tmp_path):
    corollary.save(case.fitted(DATA), tmp_path / "model")
    content = (tmp_path / "model").read_bytes()
    rows = case.rows(DATA.X)
    odd = rows[(rows.max(axis=1) > 0) & (rows != np.floor(rows)).any(axis=1)]
    assert not any(row.tobytes() in content for row in odd)


def test_strings_as_labels_and_names(tmp_path):
    import pandas as pd

    frame = pd.DataFrame(DATA.X, columns=["a", "b", "c", "d"])
    labels = np.array(["low", "mid", "high"])[DATA.label]
    model = corollary.GaussianNB().fit(frame, labels)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    assert again.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert (again.predict(frame) == model.predict(frame)).all()


def tree_in(path):
    with safe_open(path, framework="numpy") as file:
        return json.loads(file.metadata()["corollary"])


def forged(tmp_path, change, model=None):
    """Save a good model, change its tree, and return the path."""
    good = tmp_path / "good"
    corollary.save(model or corollary.KMeans(3, random_state=0).fit(DATA.X), good)
    tree, arrays = tree_in(good), load_file(good)
    change(tree, arrays)
    (tmp_path / "bad").write_bytes(b"".join(packed(tree, arrays)))
    return tmp_path / "bad"


def set_class(tree, arrays):
    tree["class"] = "os.system"


def strange_record(tree, arrays):
    tree["learned"]["dict"].append(["x_", {"record": "Popen", "fields": {}}])


def hidden_method(tree, arrays):
    tree["learned"]["dict"].append(["predict", "gone"])


def dunder(tree, arrays):
    tree["learned"]["dict"].append(["__class__", "gone"])


def wrong_width(tree, arrays):
    for key, value in arrays.items():
        if value.shape == (3, 4):
            arrays[key] = np.ascontiguousarray(value[:, :3])


def unknown_parameter(tree, arrays):
    tree["parameters"]["dict"].append(["shell", "rm"])


def bad_parameter(tree, arrays):
    tree["parameters"]["dict"] = [
        [k, -1 if k == "n_clusters" else v] for k, v in tree["parameters"]["dict"]
    ]


def later_format(tree, arrays):
    tree["format"] = 99


def missing_array(tree, arrays):
    arrays.pop(next(iter(arrays)))


def not_finite(tree, arrays):
    for value in arrays.values():
        if value.shape == (3, 4):
            value[0, 0] = np.nan


@pytest.mark.parametrize(
    "change",
    [
        set_class,
        strange_record,
        hidden_method,
        dunder,
        wrong_width,
        unknown_parameter,
        bad_parameter,
        later_format,
        missing_array,
        not_finite,
    ],
)
def test_forged_files_end_in_one_sentence(change, tmp_path):
    with pytest.raises(ModelFileError) as caught:
        corollary.load(forged(tmp_path, change))
    assert "\n" not in str(caught.value)


# -- models inside models ----------------------------------------------------------
def inside(**more):
    """Return a model with a model inside it, and one inside that."""
    inner = corollary.CostSensitiveClassifier(
        corollary.GaussianNB(), loss={"go": [0, 1, 2], "stay": [2, 1, 0]}, **more
    )
    return corollary.CostSensitiveClassifier(
        inner, reject_cost=0.2, priors=[0.2, 0.3, 0.5]
    )


def test_models_inside_models_survive(tmp_path):
    model = inside().fit(DATA.X, DATA.label)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    for name, values in outputs(model, DATA.X).items():
        same = outputs(again, DATA.X)[name]
        np.testing.assert_array_equal(same, values, err_msg=name)
    np.testing.assert_array_equal(again.risk(DATA.X), model.risk(DATA.X))
    assert str(again.report_) == str(model.report_)
    assert type(again.estimator_.estimator_) is corollary.GaussianNB
    assert again.estimator.get_params()["loss"] == model.estimator.loss
    revised = again.revised(priors=None)  # what it needs for that is in the file too
    np.testing.assert_array_equal(
        revised.predict_proba(DATA.X), model.estimator_.predict_proba(DATA.X)
    )
    refitted = again.fit(DATA.X, DATA.label)
    np.testing.assert_array_equal(refitted.predict(DATA.X), model.predict(DATA.X))


def test_unfitted_models_inside_models_survive(tmp_path):
    corollary.save(inside(reject_label="x"), tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    assert again.estimator.reject_label == "x"
    assert type(again.estimator.estimator) is corollary.GaussianNB


def test_a_foreign_model_inside_is_refused_in_one_sentence(tmp_path):
    from sklearn.neighbors import KernelDensity
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier()
    model = corollary.CostSensitiveClassifier(tree).fit(DATA.X, DATA.label)
    with pytest.raises(ParameterError) as caught:
        corollary.save(model, tmp_path / "model")
    assert str(caught.value) == (
        "CostSensitiveClassifier: an estimator to be saved must be Corollary's or a "
        "listed one; got a sklearn.tree._classes.DecisionTreeClassifier."
    )
    model = corollary.BayesClassifier(KernelDensity()).fit(DATA.X, DATA.label)
    with pytest.raises(ParameterError, match="must be Corollary's or a listed one"):
        corollary.save(model, tmp_path / "model")

    class GaussianNB(corollary.GaussianNB):
        """A stranger under a known name."""

    with pytest.raises(ParameterError, match="must be Corollary's or a listed one"):
        corollary.save(corollary.CostSensitiveClassifier(GaussianNB()), tmp_path / "m")
    assert not list(tmp_path.iterdir())


def part(tree):
    """Return the tree of the fitted estimator inside."""
    return next(v["estimator"] for k, v in tree["learned"]["dict"] if k == "estimator_")


def replace_part(tree, value):
    pairs = tree["learned"]["dict"]
    tree["learned"]["dict"] = [[k, value if k == "estimator_" else v] for k, v in pairs]


def strange_class_inside(tree, arrays):
    part(tree)["class"] = "subprocess.Popen"


def missing_class_inside(tree, arrays):
    del part(tree)["class"]


def no_predictor_inside(tree, arrays):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pca"
        corollary.save(corollary.PCA(), path)
        replace_part(tree, {"estimator": tree_in(path)})


def text_inside(tree, arrays):
    replace_part(tree, "rm -rf")


def unfitted_inside(tree, arrays):
    part(tree)["learned"] = {"dict": []}


def other_features_inside(tree, arrays):
    learned = part(tree)["learned"]["dict"]
    learned[:] = [[k, 3 if k == "n_features_in_" else v] for k, v in learned]


def other_classes_inside(tree, arrays):
    learned = part(tree)["learned"]["dict"]
    kept = {"list": [7, 8, 9]}
    learned[:] = [[k, kept if k == "classes_" else v] for k, v in learned]


def hidden_method_inside(tree, arrays):
    part(tree)["learned"]["dict"].append(["predict_proba", "gone"])


def bad_parameter_inside(tree, arrays):
    pairs = part(tree)["parameters"]["dict"]
    pairs[:] = [[k, "free" if k == "priors" else v] for k, v in pairs]


@pytest.mark.parametrize(
    "change",
    [
        strange_class_inside,
        missing_class_inside,
        no_predictor_inside,
        text_inside,
        unfitted_inside,
        other_features_inside,
        other_classes_inside,
        hidden_method_inside,
        bad_parameter_inside,
    ],
)
def test_forged_models_inside_end_in_one_sentence(change, tmp_path):
    model = corollary.CostSensitiveClassifier().fit(DATA.X, DATA.label)
    with pytest.raises(ModelFileError) as caught:
        corollary.load(forged(tmp_path, change, model))
    assert "cannot be loaded" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_tree_without_end_ends_in_one_sentence(tmp_path):
    text = '{"format": 1, "class": ' + '{"list": [' * 100_000 + "]}" * 100_000 + "}"
    save_file({"a0": np.zeros(1)}, tmp_path / "bad", metadata={"corollary": text})
    with pytest.raises(ModelFileError) as caught:
        corollary.load(tmp_path / "bad")
    assert "\n" not in str(caught.value)


@given(cut=st.integers(0, 2000), flip=st.integers(0, 2000), byte=st.integers(0, 255))
@settings(max_examples=60, deadline=None)
def test_damaged_files_never_crash(cut, flip, byte, tmp_path_factory):
    folder = tmp_path_factory.mktemp("damaged")
    corollary.save(corollary.PCA(2).fit(DATA.X), folder / "model")
    content = bytearray((folder / "model").read_bytes())
    content[flip % len(content)] = byte
    (folder / "model").write_bytes(bytes(content[: len(content) - cut % 50]))
    try:
        model = corollary.load(folder / "model")
    except ModelFileError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert model.transform(DATA.X).shape == (200, 2)


def test_what_cannot_be_saved_says_so(tmp_path):
    with pytest.raises(ParameterError, match="only estimators of Corollary"):
        corollary.save({"a": 1}, tmp_path / "model")
    model = corollary.KMeans(2, init=lambda X, k, random_state: X[:k])
    with pytest.raises(ParameterError, match="must hold plain values"):
        corollary.save(model, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_missing_file(tmp_path):
    with pytest.raises(ModelFileError, match="does not exist"):
        corollary.load(tmp_path / "nothing")
