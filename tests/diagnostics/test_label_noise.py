"""Planted errors in labels and targets: how many there are, and which."""

import json

import numpy as np
import pytest
from sklearn.model_selection import cross_val_predict

from corollary import GaussianNB, LogisticRegression
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import label_noise, outlying_targets

CENTRES = np.array([[1, 0], [-0.5, 0.87], [-0.5, -0.87]])


def planted(n, distance, share, seed, model=None, other=None):
    """Return labels with errors, out-of-fold probabilities, and which are wrong."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=n)
    X = rng.normal(size=(n, 2)) + distance * CENTRES[truth]
    wrong = rng.random(n) < share
    label = (truth + rng.integers(1, 3, size=n)) % 3 if other is None else other[truth]
    wrong &= label != truth
    y = np.where(wrong, label, truth)
    model = GaussianNB() if model is None else model
    P = cross_val_predict(model, X, y, cv=5, method="predict_proba")
    return y, P, wrong, truth


@pytest.mark.parametrize("model", [GaussianNB(), LogisticRegression()])
@pytest.mark.parametrize("share", [0.05, 0.2])
def test_planted_errors_are_counted_and_found(model, share):
    y, P, wrong, truth = planted(2000, 3.0, share, 0, model)
    found = label_noise(y, P)
    assert found.share.value == pytest.approx(wrong.mean(), abs=0.025)
    assert found.share.low < wrong.mean() < found.share.high
    named = np.zeros(len(y), dtype=bool)
    named[found.rows] = True
    assert (named & wrong).sum() / named.sum() > 0.9  # precision
    assert (named & wrong).sum() / wrong.sum() > 0.9  # recall
    right = found.classes[found.suggested[found.rows]] == truth[found.rows]
    assert right.mean() > 0.9
    assert (np.diff(found.wrong[found.rows]) <= 0).all()


@pytest.mark.parametrize("distance", [1.5, 3.0])
def test_clean_labels_raise_few_alarms_though_classes_overlap(distance):
    y, P, wrong, _ = planted(2000, distance, 0.0, 1)
    found = label_noise(y, P)
    assert not wrong.any()
    assert found.share.value < 0.03
    assert len(found.rows) < 0.015 * len(y)
    if distance == 1.5:  # where one row in seven is on the wrong side of the border
        assert np.mean(P.argmax(axis=1) != y) > 0.12


def test_the_transition_says_what_is_written_for_what():
    other = np.array([1, 1, 2])  # class 0 is written down as 1, no other one
    y, P, _, _ = planted(4000, 3.5, 0.3, 2, other=other)
    found = label_noise(np.array(["a", "b", "c"])[y], P)
    T = found.transition
    np.testing.assert_allclose(T.sum(axis=1), 1)
    assert T[0, 1] == pytest.approx(0.3, abs=0.05)
    assert T[0, 2] < 0.02
    assert min(T[1, 1], T[2, 2]) > 0.98
    np.testing.assert_allclose(found.priors, 1 / 3, atol=0.04)
    assert "a labelled b: " in str(found)
    assert found.joint.sum() == pytest.approx(1)


def test_the_interval_covers():
    held = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        truth = rng.integers(2, size=400)
        wrong = rng.random(400) < 0.1
        p = np.clip(0.15 + 0.7 * truth + 0.1 * rng.normal(size=400), 0.01, 0.99)
        held += 0.1 in label_noise(truth ^ wrong, p).share
    assert held >= 35


def test_a_model_that_knows_little_accuses_nobody():
    rng = np.random.default_rng(8)
    named = 0
    for n in (300, 3000):
        p = rng.random(n)
        blind = label_noise(rng.integers(2, size=n), p)
        assert not blind.credible
        page = blind.to_findings()
        assert (page["share"], page["low"], page["rows"]) == (None, 0.0, [])
        assert len(blind.rows) == 0
        assert "cannot be told" in str(blind)
        for _ in range(10):
            p = rng.beta(2, 2, size=n)  # calibrated, and right for two rows in three
            weak = label_noise(rng.random(n) < p, p)
            named += weak.credible
            assert weak.share.low == 0 or weak.credible
    assert named <= 5  # of 20


def test_weights_and_labels_of_any_kind():
    y, P, _, _ = planted(600, 3.0, 0.1, 3)
    plain = label_noise(y, P)
    same = label_noise(y, P, sample_weight=np.full(600, 2.0))
    assert same.share.value == pytest.approx(plain.share.value)
    assert same.share.high == pytest.approx(plain.share.high)
    w = np.where(np.isin(np.arange(600), plain.rows), 0.0, 1.0)
    assert label_noise(y, P, sample_weight=w).share.value < 0.3 * plain.share.value
    named = label_noise(y, P[:, [2, 0, 1]], classes=[2, 0, 1])
    assert named.rows.tolist() == plain.rows.tolist()
    two = label_noise([True, False, True, False], [0.9, 0.2, 0.8, 0.1])
    assert two.share.value == 0
    assert len(two.rows) == 0


def test_a_class_without_rows_is_no_error():
    y, P, _, _ = planted(300, 3.0, 0.05, 4)
    wide = np.column_stack([P * 0.99, np.full(300, 0.01)])
    found = label_noise(y, wide, classes=[0, 1, 2, 3])
    assert found.transition.shape == (4, 4)
    assert found.share.value < 0.1


def test_findings_are_those_of_the_page():
    y, P, _, _ = planted(2000, 3.0, 0.1, 5)
    page = label_noise(y, P).to_findings()
    assert json.loads(json.dumps(page, allow_nan=False)) == page
    assert list(page) == ["share", "low", "high", "rows"]
    assert list(page["rows"][0]) == ["row", "given", "suggested", "probability"]
    assert len(page["rows"]) == 50
    assert page["rows"][0]["probability"] > 0.9


def test_drawn():
    import matplotlib

    matplotlib.use("Agg")
    y, P, _, _ = planted(300, 3.0, 0.1, 6)
    f = np.arange(50.0)
    for found in (label_noise(y, P), outlying_targets(f + (f == 7) * 100, f)):
        ax = found.plot()
        assert ax.get_title()
        matplotlib.pyplot.close(ax.figure)


@pytest.mark.parametrize(
    ("y", "P", "options", "error", "words"),
    [
        ([0, 1], [[0.5, 0.6], [0.5, 0.5]], {}, DataError, "sum to 1"),
        ([0, 1], [[1.0], [1.0]], {"classes": [0]}, ParameterError, "classes"),
        ([0, 1, 2], [0.1, 0.2, 0.3], {}, DataError, "column for each of 3"),
        ([0, 1], [0.1, 0.9], {"delta": 1.5}, ParameterError, "delta"),
    ],
)
def test_bad_input_ends_in_one_sentence(y, P, options, error, words):
    with pytest.raises(error, match=words):
        label_noise(y, P, **options)


# -- numbers ---------------------------------------------------------------------------
LAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "laplace": lambda rng, n: rng.laplace(size=n),
    "student": lambda rng, n: rng.standard_t(4, size=n),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("share", [0.0, 0.01, 0.05])
def test_planted_gross_errors_of_targets_are_found(law, share):
    rng = np.random.default_rng(7)
    n = 2000
    f = 5 * rng.normal(size=n)
    scale = np.exp(f / 15)  # the noise grows with the prediction
    wrong = np.arange(n) < share * n
    y = f + LAWS[law](rng, n) * scale
    y += wrong * rng.choice([-1, 1], size=n) * 20 * scale
    found = outlying_targets(y, f)
    named = np.zeros(n, dtype=bool)
    named[found.rows] = True
    assert (named & ~wrong).sum() <= 0.004 * n  # false alarms
    if share:
        assert (named & wrong).sum() >= 0.97 * wrong.sum()
        assert named[np.argmax(np.abs(y - f) / scale)]
        page = found.to_findings()
        assert json.loads(json.dumps(page, allow_nan=False)) == page
        assert f"{len(found.rows)} of 2,000 targets" in str(found)


def test_targets_that_are_mostly_met_exactly_still_have_outliers():
    f = np.arange(100.0)
    y = f.copy()
    y[3] += 50
    assert outlying_targets(y, f).rows.tolist() in ([3], [])
    assert len(outlying_targets(f, f).rows) == 0
    y[:20] += np.random.default_rng(0).normal(size=20)
    assert 3 in outlying_targets(y, f).rows


@pytest.mark.parametrize(
    ("y", "f", "words"),
    [
        (np.arange(20.0), np.arange(19.0), "vector of 20 rows"),
        (np.arange(5.0), np.arange(5.0), "10 rows or more"),
        ([np.nan] * 20, np.zeros(20), "finite"),
    ],
)
def test_bad_targets_end_in_one_sentence(y, f, words):
    with pytest.raises(DataError, match=words):
        outlying_targets(y, f)
