import warnings

import numpy as np
import pytest

from corollary import LogisticRegression
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import class_modes


def pieces(n, apart, seed, d=3):
    """Rows of one class, in two pieces; the other between them."""
    rng = np.random.default_rng(seed)
    Z, y = rng.normal(size=(n, d)), np.arange(n) % 2
    side = np.where(rng.random(n) < 0.4, -1.0, 1.0)
    Z[:, 0] += np.where(y == 1, side * apart, 0.0)
    turn, _ = np.linalg.qr(rng.normal(size=(d, d)))
    return Z @ turn * [1.0, 100.0, 0.01], np.where(y == 1, "split", "whole")


@pytest.mark.course("S3-53")
@pytest.mark.parametrize("seed", range(3))
def test_a_class_in_two_pieces_is_named_and_no_linear_machine_follows_it(seed):
    X, y = pieces(400, 3.0, seed)
    with pytest.warns(UserWarning, match="class 'split' seem to lie in several pieces"):
        found = class_modes(X, y)
    assert found.multimodal == ["split"]
    assert found.p_values[0] <= 0.01 < found.p_values[1]
    assert found.widths[0] > 1.5 * found.widths[1]
    assert "several pieces" in str(found)
    scaled = X / X.std(axis=0)
    assert LogisticRegression().fit(scaled, y).score(scaled, y) < 0.8


@pytest.mark.course("S3-53")
@pytest.mark.parametrize("law", ["normal", "uniform", "exponential", "standard_t"])
def test_classes_of_one_piece_are_left_alone(law):
    suspects = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for seed in range(10):
            rng = np.random.default_rng(seed)
            size = (200, 2)
            draw = getattr(rng, law)
            X = draw(4.0, size=size) if law == "standard_t" else draw(size=size)
            suspects += len(class_modes(X, np.arange(200) % 2).multimodal)
    assert suspects <= 2  # of 20 classes, at the level of 1%


def test_few_rows_constant_columns_and_the_seed():
    X, y = pieces(400, 3.0, 0)
    few = class_modes(X[:36], y[:36])
    assert few.p_values.tolist() == [1.0, 1.0]
    assert not few.warning
    with pytest.warns(UserWarning, match="several pieces"):
        a = class_modes(np.c_[X, np.full(400, 7.0)], y, random_state=3)
    with pytest.warns(UserWarning, match="several pieces"):
        b = class_modes(np.c_[X, np.full(400, 7.0)], y, random_state=3)
    np.testing.assert_array_equal(a.p_values, b.p_values)
    assert class_modes(np.ones((40, 2)), np.arange(40) % 2).multimodal == []
    with pytest.raises(ParameterError, match="samples at least"):
        class_modes(X, y, samples=9)
    with pytest.raises(DataError):
        class_modes(X, y[:9])
