"""The bytes of a model file: none changes unnoticed, and reading is bounded."""

import json
import os
import tracemalloc

import numpy as np
import pytest
from common.mutations import parts_of, sealed
from safetensors.numpy import save as to_bytes

import corollary
from corollary.core.errors import ModelFileError, ParameterError
from corollary.persistence import container
from corollary.persistence.container import BLANK, checksum_place

X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.array(["no", "yes"])[(X[:, 0] > 0).astype(int)]


@pytest.fixture
def good(tmp_path):
    corollary.save(corollary.SVC(C=1.0).fit(X, Y), tmp_path / "model")
    return tmp_path / "model"


def refused(path):
    with pytest.raises(ModelFileError) as caught:
        corollary.load(path)
    text = str(caught.value)
    assert text.startswith(f"load: {path.name} cannot be loaded: ")
    assert "\n" not in text
    return text


def test_every_flipped_byte_is_refused(good):
    content = good.read_bytes()
    for at in range(3, len(content), 31):
        for bit in (0x01, 0x20):
            bad = bytearray(content)
            bad[at] ^= bit
            good.write_bytes(bad)
            refused(good)
    good.write_bytes(content)
    assert (corollary.load(good).predict(X) == Y).mean() > 0.8


def test_every_cut_is_refused(good):
    content = good.read_bytes()
    for size in [0, 1, 7, 8, 9, 100, len(content) // 2, len(content) - 1]:
        good.write_bytes(content[:size])
        refused(good)
    good.write_bytes(content + b"\0")
    refused(good)


def test_what_is_no_file_is_refused(tmp_path):
    assert "does not exist" in refused(tmp_path / "nothing")
    (tmp_path / "folder").mkdir()
    assert "a directory" in refused(tmp_path / "folder")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert "a pipe or device" in refused(tmp_path / "pipe")


def test_other_versions(good):
    tree, arrays = parts_of(good.read_bytes())
    assert (tree["format"], tree["version"]) == (3, corollary.__version__)
    good.write_bytes(sealed(tree | {"format": 4, "version": "9.1"}, arrays))
    assert "got 4, written by Corollary 9.1. Upgrade Corollary." in refused(good)
    good.write_bytes(sealed(tree | {"format": 2}, arrays))
    assert "Fit and save the model again" in refused(good)
    good.write_bytes(sealed(tree | {"version": "0.10.0"}, arrays))
    with pytest.warns(UserWarning, match=r"was written by Corollary 0\.10\.0"):
        corollary.load(good)


def raw(path, text):
    """Write a file with a valid checksum around any text for a tree."""
    import hashlib

    metadata = {"corollary": text, "checksum": BLANK}
    content = to_bytes({"a0": np.zeros(1)}, metadata=metadata)
    begin, end = checksum_place(content)
    digest = hashlib.sha256(content).hexdigest().encode()
    path.write_bytes(content[:begin] + digest + content[end:])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        '{"format": true}',
        '{"format": 3, "format": 3}',
        '{"format": 3, "version": "0.1.0", "class": NaN}',
        '{"format": 3, "version": "0.1.0", "class": Infinity}',
        '{"format": 3, "version": "0.1.0", "class": 1.5}',
        '{"format": 3, "version": "0.1.0", "class": ' + "9" * 5000 + "}",
        '{"format": 3, "version": "0.1.0", "class": ' + "9" * 25 + "}",
        '{"format": 3, "version": "\\n", "class": "PCA"}',
        '{"format": 3, "version": "0.1.0", "class": ["PCA"]}',
        '{"format": 3, "version": "0.1.0"}',
        '{"format": 3, "class": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"format": 3, "version": "0.1.0", "class": "\\u001b[31m\\ud800"}',
    ],
)
def test_strange_trees_end_in_one_sentence(tmp_path, text):
    raw(tmp_path / "model", text)
    refused(tmp_path / "model")


def test_a_forged_stop_word_does_not_end_a_loop(good, tmp_path):
    tree, arrays = parts_of(good.read_bytes())
    text = json.dumps(tree).replace('"converged"', '"gone"')
    assert '"gone"' in text
    (tmp_path / "bad").write_bytes(sealed(json.loads(text), arrays))
    with pytest.raises(ModelFileError, match="no fit stops because it is 'gone'"):
        list(map(corollary.load, [good, tmp_path / "bad", good]))


def peak_of_loading(path):
    tracemalloc.start()
    try:
        return corollary.load(path)
    except ModelFileError:
        return None
    finally:
        peak_of_loading.bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()


@pytest.mark.parametrize(
    "item",
    ["[]", "{}", '"ab"', "-6", '{"":1}', '{"list": []}', "[[[[[]]]]]"],
)
def test_a_forged_tree_takes_a_few_times_its_file(tmp_path, item):
    items = ",".join([item] * (4_000_000 // len(item)))
    raw(tmp_path / "model", f'{{"format": 3, "version": "0.1.0", "class": [{items}]}}')
    del items
    assert peak_of_loading(tmp_path / "model") is None
    assert peak_of_loading.bytes < 2**26 + 8 * (tmp_path / "model").stat().st_size


def test_a_forged_object_of_many_keys_takes_a_few_times_its_file(tmp_path):
    pairs = ",".join(f'"{i:x}":1' for i in range(2**19))
    raw(tmp_path / "model", f'{{"format": 3, "version": "0.1.0", {pairs}}}')
    del pairs
    assert peak_of_loading(tmp_path / "model") is None
    assert peak_of_loading.bytes < 2**26 + 8 * (tmp_path / "model").stat().st_size


def test_many_numbers_and_texts_are_no_forgery(tmp_path, monkeypatch):
    monkeypatch.setattr(container, "ANY_TREE", 2**16)
    model = corollary.GaussianNB().fit(X, Y)
    model.trace_ = [0.0] * 10_000 + [1 / 3] * 10_000
    model.names_ = np.array([f"item {i}" for i in range(10_000)], dtype=object)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    assert again.trace_ == model.trace_
    assert again.names_.tolist() == model.names_.tolist()


def test_an_array_used_twice_is_not_copied_but_refused(tmp_path):
    model = corollary.PCA(2).fit(X)
    corollary.save(model, tmp_path / "model")
    tree, arrays = parts_of((tmp_path / "model").read_bytes())
    arrays["big"] = np.zeros(2**19)
    one = {"array": "big", "shape": [2**19]}
    tree["learned"]["dict"].append(["many_", {"list": [one] * 1000}])
    (tmp_path / "bad").write_bytes(sealed(tree, arrays))
    assert "used twice" in refused(tmp_path / "bad")
    assert peak_of_loading(tmp_path / "bad") is None
    assert peak_of_loading.bytes < 5 * (tmp_path / "bad").stat().st_size
    tree["learned"]["dict"].pop()
    (tmp_path / "bad").write_bytes(sealed(tree, arrays))
    assert "does not use" in refused(tmp_path / "bad")


def test_a_forged_number_of_columns_costs_no_memory(tmp_path):
    corollary.save(corollary.OneHotEncoder().fit([["a"], ["b"]]), tmp_path / "model")
    tree, arrays = parts_of((tmp_path / "model").read_bytes())
    next(p for p in tree["learned"]["dict"] if p[0] == "n_features_in_")[1] = 2**27
    (tmp_path / "model").write_bytes(sealed(tree, arrays))
    assert peak_of_loading(tmp_path / "model") is None
    assert peak_of_loading.bytes < 2e7


def test_texts_of_very_different_lengths_stay_small(tmp_path):
    names = np.array(["x" * 50_000, *(f"c{i}" for i in range(2000))], dtype=object)
    model = corollary.GaussianNB().fit(np.eye(2001)[:4], [0, 1, 0, 1])
    model.feature_names_in_ = names
    corollary.save(model, tmp_path / "model")
    tree, arrays = parts_of((tmp_path / "model").read_bytes())
    for pair in tree["learned"]["dict"]:
        if pair[0] == "feature_names_in_":
            pair[1]["kind"] = "U"
    (tmp_path / "model").write_bytes(sealed(tree, arrays))
    again = peak_of_loading(tmp_path / "model")
    assert again.feature_names_in_.tolist() == names.tolist()
    assert peak_of_loading.bytes < 2e7 + 10 * (tmp_path / "model").stat().st_size


def test_a_number_beyond_64_bits_is_not_saved(tmp_path):
    with pytest.raises(ParameterError, match="64 bits"):
        corollary.save(corollary.KMeans(3, max_iter=10**30), tmp_path / "model")


def test_reading_leaves_arrays_that_can_be_written(good):
    model = corollary.load(good)
    model.intercept_ += 1.0
    assert model.intercept_.flags.aligned
