"""Margin bounds: confident right answers prove more than right answers."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn import ensemble as sklearn_ensemble
from sklearn import svm as sklearn_svm
from sklearn.tree import DecisionTreeClassifier

from corollary import SVC, AdaBoostClassifier, LinearSVC, LogisticRegression
from corollary.core.errors import DataError, ParameterError
from corollary.theory import (
    boosting_margin_bound,
    margin_bound,
    stump_complexity,
    svm_margin_bound,
)


def two_gaussians(rng, n, shift=1.5):
    y = np.where(rng.random(n) < 0.5, 1, -1)
    return shift * y[:, None] * np.array([1.0, 0.0]) + rng.normal(size=(n, 2)), y


def linear_risk(model, shift=1.5):
    """Return the error of w'x + b on `two_gaussians`."""
    w, b = np.ravel(model.coef_), np.ravel(model.intercept_)[0]
    far = np.linalg.norm(w)
    return 0.5 * sum(norm.cdf(-(shift * w[0] + s * b) / far) for s in (-1, 1))


@pytest.mark.course("S2-25")
def test_the_formula_at_a_fixed_margin():
    m = np.array([-0.5, 0.05, 0.2, 0.6] * 250)
    ramp = np.clip(1 - m / 0.2, 0, 1).mean()
    expected = ramp + 2 / 0.2 * 0.003 + 3 * np.sqrt(np.log(40) / 2000)
    assert margin_bound(m, 0.003, gamma=0.2).value == pytest.approx(expected)
    known = ramp + 2 / 0.2 * 0.003 + np.sqrt(np.log(20) / 2000)
    assert margin_bound(m, 0.003, gamma=0.2, expected=True).value == pytest.approx(
        known
    )
    assert ramp <= (m < 0.2).mean()


@pytest.mark.parametrize("largest", [None, 1.0])
def test_the_grid_pays_its_price_and_picks_the_best(largest):
    m = np.random.default_rng(0).uniform(0.1, 0.9, 40_000)
    best = margin_bound(m, 0.002, largest=largest).value
    grid = 2.0 ** (-np.arange(0, 12) / 2)
    k = np.arange(12)
    share = 1 / ((k + 1) * (k + 2))
    if largest is None:
        share = 1 / ((np.pi**2 / 3 - 1) * (k + 1) ** 2)
    terms = [
        margin_bound(m, 0.002, delta=0.05 * p, gamma=g).value
        for g, p in zip(grid, share, strict=True)
    ]
    assert best == pytest.approx(min(terms))
    assert best > min(margin_bound(m, 0.002, gamma=g).value for g in grid)


def test_shares_of_the_grid_add_up_to_at_most_one():
    from corollary.theory.margin import margin_grid

    for largest in (None, 3.0):
        grid, share = margin_grid(largest)
        assert 0.9 < share.sum() <= 1
        assert len(set(grid)) == len(grid)


def test_larger_margins_and_more_rows_prove_more():
    m = np.random.default_rng(1).uniform(0.0, 0.5, 2000)
    bound = margin_bound(m, 0.01, largest=1.0).value
    assert margin_bound(m + 0.3, 0.01, largest=1.0).value < bound
    assert margin_bound(np.repeat(m, 10), 0.003, largest=1.0).value < bound
    assert margin_bound(m, 0.02, largest=1.0).value > bound
    assert margin_bound(m, 0.01, 0.2, largest=1.0).value < bound
    assert margin_bound(-m, 0.01, largest=1.0).vacuous


@pytest.mark.course("S2-25")
def test_svm_bound_of_a_linear_machine_by_hand():
    X, y = two_gaussians(np.random.default_rng(2), 3000, 4.0)
    model = SVC(kernel="linear", C=0.01).fit(X, y)
    w, b = model.coef_[0], model.intercept_[0]
    size = np.sqrt(w @ w + b**2)
    R = np.sqrt((X**2).sum() + len(X)) / len(X)
    expected = margin_bound(y * (X @ w + b) / size, R)
    found = svm_margin_bound(model, X, y)
    assert found.value == pytest.approx(expected.value)
    assert found.holds
    assert not found.vacuous
    assert found.value > linear_risk(model, 4.0)


def test_machines_of_all_kinds_have_the_same_bound_for_the_same_function():
    X, y = two_gaussians(np.random.default_rng(3), 400)
    ours = SVC(kernel="linear").fit(X, y)
    given = SVC(kernel="precomputed").fit(X @ X.T, y)
    theirs = sklearn_svm.SVC(kernel="linear").fit(X, y)
    called = SVC(kernel=lambda A, B: A @ B.T).fit(X, y)
    value = svm_margin_bound(ours, X, y).value
    for model, rows in ((given, X @ X.T), (theirs, X), (called, X)):
        assert svm_margin_bound(model, rows, y).value == pytest.approx(value, abs=1e-3)
    rbf = SVC(kernel="rbf", gamma=0.5).fit(X, y)
    other = sklearn_svm.SVC(kernel="rbf", gamma=0.5).fit(X, y)
    found = svm_margin_bound(rbf, X, y)
    assert found.value == pytest.approx(svm_margin_bound(other, X, y).value, abs=1e-3)
    assert found.name == "radius-margin bound"  # k(x, x) = 1 is known beforehand


def test_a_kernel_chosen_on_the_rows_is_guidance():
    X, y = two_gaussians(np.random.default_rng(4), 200)
    assert not svm_margin_bound(SVC(gamma="scale").fit(X, y), X, y).holds
    assert svm_margin_bound(SVC(gamma=1.0).fit(X, y), X, y).holds
    assert svm_margin_bound(LinearSVC().fit(X, y), X, y).holds
    assert svm_margin_bound(LogisticRegression().fit(X, y), X, y).holds


def test_the_radius_must_hold_for_the_rows():
    X, y = two_gaussians(np.random.default_rng(5), 200)
    model = LinearSVC().fit(X, y)
    assert svm_margin_bound(model, X, y, radius=10.0).name == "radius-margin bound"
    with pytest.raises(DataError, match="radius"):
        svm_margin_bound(model, X, y, radius=0.5)


def missed(draws, n):
    """Return how often the bounds of fitted machines lie below their risk."""
    rng, out = np.random.default_rng(6), np.zeros(2)
    for _ in range(draws):
        X, y = two_gaussians(rng, n, 0.7)
        model = LinearSVC(C=10.0).fit(X, y)
        risk = linear_risk(model, 0.7)
        for i, gamma in enumerate((None, 1.0)):
            out[i] += svm_margin_bound(model, X, y, 0.1, gamma=gamma).value < risk
    return out / draws


def test_the_bound_holds_for_machines_that_were_fitted():
    assert missed(60, 40).max() <= 0.1


@pytest.mark.slow
def test_the_bound_holds_over_many_draws():
    assert missed(10_000, 40).max() <= 0.1


def stump_votes(draws, n):
    rng, missed = np.random.default_rng(7), 0
    for _ in range(draws):
        x = rng.random((n, 1))
        y = (x[:, 0] > 0.5) ^ (rng.random(n) < 0.2)
        model = AdaBoostClassifier(n_estimators=10).fit(x, y)
        grid = np.linspace(0, 1, 2001)[:, None]
        wrong = model.predict(grid) != (grid[:, 0] > 0.5)
        risk = 0.2 + 0.6 * wrong.mean()
        bound = boosting_margin_bound(model, x, y, 0.1, n_draws=20, random_state=0)
        missed += bound.value < risk
    return missed / draws


@pytest.mark.course("S2-25")
def test_the_bound_holds_for_votes_that_were_boosted():
    assert stump_votes(25, 60) <= 0.1


@pytest.mark.course("S2-25")
def test_boosting_goes_through_the_margins_and_the_stumps():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(3000, 2))
    y = X[:, 0] + X[:, 1] > 0
    model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    R = stump_complexity(X, n_draws=50, random_state=1)
    found = boosting_margin_bound(model, X, y, complexity=R, gamma=0.3)
    expected = margin_bound(model.margins(X, y).margins, R, gamma=0.3)
    assert found.value == pytest.approx(expected.value)
    same = boosting_margin_bound(model, X, y, gamma=0.3, n_draws=50, random_state=1)
    assert same.value == pytest.approx(found.value)
    theirs = sklearn_ensemble.AdaBoostClassifier(n_estimators=20).fit(X, y)
    again = boosting_margin_bound(theirs, X, y, complexity=R, gamma=0.3)
    margins = np.where(y, 0.5, -0.5) * theirs.decision_function(X)
    assert again.value == pytest.approx(margin_bound(margins, R, gamma=0.3).value)


def test_rounds_do_not_add_to_the_complexity():
    x = np.arange(4000.0)[:, None]
    y = x[:, 0] > 1000
    R = stump_complexity(x, n_draws=20, random_state=0)
    few = AdaBoostClassifier(n_estimators=1).fit(x, y)
    many = AdaBoostClassifier(n_estimators=50).fit(x, y)
    bounds = [boosting_margin_bound(m, x, y, complexity=R).value for m in (few, many)]
    assert bounds[1] == pytest.approx(bounds[0])


def test_what_makes_no_sense_is_refused_in_a_sentence():
    X, y = two_gaussians(np.random.default_rng(9), 60)
    model = LinearSVC().fit(X, y)
    three = LinearSVC().fit(X, np.arange(60) % 3)
    deep = sklearn_ensemble.AdaBoostClassifier(
        estimator=DecisionTreeClassifier(max_depth=2),
        n_estimators=3,
    ).fit(X, y)
    calls = [
        lambda: margin_bound([], 0.1),
        lambda: margin_bound([0.1, np.nan], 0.1),
        lambda: margin_bound([0.1], -0.1),
        lambda: margin_bound([0.1], 0.1, gamma=0.0),
        lambda: margin_bound([0.1], 0.1, 1.2),
        lambda: margin_bound([0.1], 0.1, largest=-1.0),
        lambda: svm_margin_bound(three, X, y),
        lambda: svm_margin_bound(model, X, np.zeros(60)),
        lambda: svm_margin_bound(model, X, y, intercept_scale=0),
        lambda: svm_margin_bound("model", X, y),
        lambda: boosting_margin_bound(model, X, y),
        lambda: boosting_margin_bound(deep, X, y),
    ]
    for call in calls:
        with pytest.raises((DataError, ParameterError), match=r"^\w+: .*; got"):
            call()
