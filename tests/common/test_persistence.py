"""Every estimator survives saving and loading; no file can do harm."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import corollary
from common.learners import LEARNERS, make_data
from corollary.core.errors import ModelFileError, ParameterError

DATA = make_data(n=200, d=4)


def outputs(model):
    methods = ("predict", "transform", "predict_proba", "decision_function")
    methods += ("score_samples",)
    return {m: getattr(model, m)(DATA.X) for m in methods if hasattr(model, m)}


@pytest.mark.parametrize("case", LEARNERS, ids=str)
def test_round_trip(case, tmp_path):
    model = case.fitted(DATA)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    assert type(again) is type(model)
    assert again.get_params() == model.get_params()
    assert str(again.report_) == str(model.report_)
    for name, values in outputs(model).items():
        np.testing.assert_array_equal(outputs(again)[name], values, err_msg=name)


@pytest.mark.parametrize("name", corollary.ESTIMATORS)
def test_unfitted_round_trip(name, tmp_path):
    corollary.save(getattr(corollary, name)(), tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    assert again.get_params() == getattr(corollary, name)().get_params()


@pytest.mark.parametrize(
    "case", [c for c in LEARNERS if hasattr(c.make(), "partial_fit")], ids=str
)
def test_a_loaded_stream_goes_on(case, tmp_path):
    y = DATA.y(case.target)
    half, rest = slice(0, 100), slice(100, 200)
    model = case.make().fit(DATA.X[half], None if y is None else y[half])
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    for m in (model, again):
        m.partial_fit(DATA.X[rest], None if y is None else y[rest])
    for name in case.learned:
        np.testing.assert_array_equal(getattr(model, name), getattr(again, name))


@pytest.mark.parametrize("case", LEARNERS, ids=str)
def test_no_training_row_is_in_the_file(case, tmp_path):
    corollary.save(case.fitted(DATA), tmp_path / "model")
    content = (tmp_path / "model").read_bytes()
    assert not any(row.tobytes() in content for row in DATA.X)


def test_strings_as_labels_and_names(tmp_path):
    import pandas as pd

    frame = pd.DataFrame(DATA.X, columns=["a", "b", "c", "d"])
    labels = np.array(["low", "mid", "high"])[DATA.label]
    model = corollary.GaussianNB().fit(frame, labels)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    assert again.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert (again.predict(frame) == model.predict(frame)).all()


def forged(tmp_path, change):
    """Save a good model, change its tree, and return the path."""
    good = tmp_path / "good"
    corollary.save(corollary.KMeans(3, random_state=0).fit(DATA.X), good)
    with safe_open(good, framework="numpy") as file:
        tree = json.loads(file.metadata()["corollary"])
    arrays = load_file(good)
    change(tree, arrays)
    save_file(arrays, tmp_path / "bad", metadata={"corollary": json.dumps(tree)})
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
    with pytest.raises(ModelFileError, match="must exist"):
        corollary.load(tmp_path / "nothing")
