"""AdaBoost: the worked example, its identities and bounds, scikit-learn's votes."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier as Theirs
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier as TheirTree

import corollary
from corollary import AdaBoostClassifier, DecisionStumpClassifier, GaussianNB
from corollary.core.errors import DataError, ParameterError
from corollary.ensembles import boosting_bounds

TOY = np.array(
    [[1, 5], [2, 3], [3, 2], [4, 6], [4, 7], [5, 9], [6, 5], [6, 7], [8, 5], [8, 8]],
    float,
)
SIGNS = np.array([1, 1, -1, -1, 1, 1, -1, 1, -1, -1])


def noisy(n=300, d=4, seed=0, flip=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] > 0, 1, -1)
    return X, np.where(rng.random(n) < flip, -y, y)


def naive_ada_boost(X, y, T):
    """Boost stumps from the book: try every cut of every feature."""
    n = len(y)
    D, f, trace = np.full(n, 1 / n), np.zeros(n), []
    cuts = [
        (j, t, a)
        for j in range(X.shape[1])
        for t in (np.unique(X[:, j])[:-1] + np.unique(X[:, j])[1:]) / 2
        for a in (-1, 1)
    ]
    for _ in range(T):
        best = min(
            cuts, key=lambda c: D[np.where(X[:, c[0]] > c[1], c[2], -c[2]) != y].sum()
        )
        g = np.where(X[:, best[0]] > best[1], best[2], -best[2])
        eps = D[g != y].sum()
        alpha = 0.5 * np.log((1 - eps) / eps)
        D = D * np.exp(-alpha * y * g)
        Z = D.sum()
        D, f = D / Z, f + alpha * g
        trace.append((eps, alpha, Z, D, f.copy()))
    return trace


# -- the worked example and the identities ---------------------------------------------
@pytest.mark.course("S2-21", "S3-83")
def test_the_worked_example_of_ten_points():
    model = AdaBoostClassifier(n_estimators=3).fit(TOY, SIGNS)
    np.testing.assert_allclose(model.estimator_errors_, [3 / 10, 3 / 14, 3 / 22])
    alphas = model.estimator_weights_ / 2
    np.testing.assert_allclose(alphas, [0.4236, 0.6496, 0.9229], atol=5e-5)
    assert model.score(TOY, SIGNS) == 1.0
    assert round(model.margins(TOY, SIGNS).least, 4) == 0.0753
    bounds = boosting_bounds(model)
    assert (round(bounds.training, 3), round(bounds.exponential, 3)) == (0.516, 0.602)
    assert model.report_.facts["error_rate_bound"] == pytest.approx(bounds.training)


@pytest.mark.course("S2-21")
def test_every_round_is_that_of_the_book():
    X, y = noisy(80, 3)
    model = AdaBoostClassifier(n_estimators=12).fit(X, y)
    trace = naive_ada_boost(X, y, 12)
    np.testing.assert_allclose(model.estimator_errors_, [t[0] for t in trace])
    np.testing.assert_allclose(model.estimator_weights_ / 2, [t[1] for t in trace])
    np.testing.assert_allclose(model.normalizers_, [t[2] for t in trace])
    np.testing.assert_allclose(model.row_weights_, trace[-1][3])
    weights = list(model.staged_weights(X, y))
    for mine, theirs in zip(weights[1:], trace, strict=True):
        np.testing.assert_allclose(mine, theirs[3])
    scale = 2 / model.estimator_weights_.sum() * 2
    np.testing.assert_allclose(model.decision_function(X), trace[-1][4] * scale)


@pytest.mark.course("S2-21", "S3-84")
@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_the_product_of_z_is_the_exponential_risk_and_bounds_the_error(rate):
    X, y = noisy()
    w = np.random.default_rng(1).integers(1, 4, size=len(y)).astype(float)
    model = AdaBoostClassifier(n_estimators=40, learning_rate=rate).fit(X, y, w)
    total = w.sum()
    trace = []
    stages = zip(
        model.staged_decision_function(X), model.staged_predict(X), strict=True
    )
    for t, (F, answers) in enumerate(stages):
        f = F / 2 * model.estimator_weights_[: t + 1].sum() / 2
        risk = w @ np.exp(-y * f) / total
        assert risk == pytest.approx(np.prod(model.normalizers_[: t + 1]))
        assert w @ (answers != y) / total <= risk
        trace.append(risk)
    np.testing.assert_allclose(model.report_.objective, trace)
    assert np.all(np.diff(trace) <= 1e-12)
    facts = model.report_.facts
    wrong = w @ (model.predict(X) != y) / total
    assert facts["error_rate"] == pytest.approx(wrong)
    assert facts["error_rate"] <= facts["error_rate_bound"] == pytest.approx(trace[-1])
    if rate == 1.0:
        edges = 0.5 - model.estimator_errors_
        assert facts["edge_bound"] == pytest.approx(np.exp(-2 * (edges**2).sum()))
        assert facts["error_rate_bound"] <= facts["edge_bound"]
        assert facts["edge_bound"] <= np.exp(-2 * edges.min() ** 2 * len(edges))


@pytest.mark.course("S2-21")
def test_under_the_next_weights_a_member_errs_by_one_half():
    X, y = noisy()
    model = AdaBoostClassifier(n_estimators=25).fit(X, y)
    weights = list(model.staged_weights(X, y))
    for t, member in enumerate(model.estimators_):
        wrong = member.predict(X) != y
        assert weights[t] @ wrong == pytest.approx(model.estimator_errors_[t])
        assert weights[t + 1] @ wrong == pytest.approx(0.5, abs=1e-12)
    asked = [(one.feature_, one.threshold_) for one in model.estimators_]
    assert all(a != b for a, b in itertools.pairwise(asked))
    assert model.estimator_errors_[-5:].mean() > model.estimator_errors_[:5].mean()


# -- several classes -------------------------------------------------------------------
@pytest.mark.course("S2-22")
def test_votes_and_weights_are_scikit_learns():
    for X, y in (load_iris(return_X_y=True), load_breast_cancer(return_X_y=True)):
        tree = TheirTree(max_depth=1, random_state=0)
        ours = AdaBoostClassifier(tree, n_estimators=20).fit(X, y)
        theirs = Theirs(tree, n_estimators=20).fit(X, y)
        np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
        F = theirs.decision_function(X)
        np.testing.assert_allclose(ours.decision_function(X), F, atol=1e-12)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        pairs = zip(ours.staged_score(X, y), theirs.staged_score(X, y), strict=True)
        assert all(a == pytest.approx(b) for a, b in pairs)
        each = [member.feature_importances_ for member in ours.estimators_]
        mean = np.average(each, axis=0, weights=ours.estimator_weights_)
        np.testing.assert_allclose(ours.feature_importances_, mean)


@pytest.mark.course("S2-22")
def test_the_weight_of_samme_minimises_the_loss_of_several_classes():
    X, y = load_iris(return_X_y=True)
    C = 3
    model = AdaBoostClassifier(n_estimators=8).fit(X, y)
    codes = np.where(np.eye(C) == 1, 1.0, -1 / (C - 1))
    coded, f = codes[y], np.zeros((len(y), C))
    for t, member in enumerate(model.estimators_):
        g = codes[member.predict(X)]
        w = (C - 1) ** 2 / C * model.estimator_weights_[t]

        def loss(step, f=f, g=g):
            return np.exp(-(coded * (f + step * g)).sum(axis=1) / C).mean()

        assert loss(w) <= min(loss(0.99 * w), loss(1.01 * w))
        f = f + w * g
        assert loss(0.0, f) == pytest.approx(np.prod(model.normalizers_[: t + 1]))
        assert (model.estimator_errors_[t] < (C - 1) / C).all()
    votes = np.zeros_like(f)
    for a, member in zip(model.estimator_weights_, model.estimators_, strict=True):
        votes[np.arange(len(y)), member.predict(X)] += a
    np.testing.assert_array_equal(f.argmax(axis=1), votes.argmax(axis=1))
    np.testing.assert_array_equal(model.predict(X), f.argmax(axis=1))


@pytest.mark.course("S2-22")
def test_samme_of_two_classes_is_ada_boost():
    X, y = noisy(100, 3)
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    for eps, a, Z in zip(
        model.estimator_errors_,
        model.estimator_weights_,
        model.normalizers_,
        strict=True,
    ):
        assert a / 2 == pytest.approx(0.5 * np.log((1 - eps) / eps))
        assert Z == pytest.approx(2 * np.sqrt(eps * (1 - eps)))


@pytest.mark.course("S2-22")
@pytest.mark.parametrize("classes", [2, 3])
def test_real_ada_boost_adds_half_log_odds_and_keeps_the_loss(classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes][:, :2], y[y < classes]
    model = AdaBoostClassifier(GaussianNB(), n_estimators=5, algorithm="SAMME.R")
    model.fit(X, y)
    f = np.zeros((len(y), classes))
    D = np.full(len(y), 1 / len(y))
    for t, member in enumerate(model.estimators_):
        fresh = GaussianNB().fit(X, y, D * len(y))
        np.testing.assert_allclose(member.theta_, fresh.theta_, rtol=1e-6)
        logs = np.log(np.maximum(member.predict_proba(X), 1e-15))
        f += (classes - 1) * (logs - logs.mean(axis=1, keepdims=True))
        own = f[np.arange(len(y)), y] * classes / (classes - 1)
        risk = np.exp(-own / classes)
        assert risk.mean() == pytest.approx(np.prod(model.normalizers_[: t + 1]))
        D = risk / risk.sum()
    np.testing.assert_array_equal(model.predict(X), f.argmax(axis=1))
    np.testing.assert_allclose(model.row_weights_, D, rtol=1e-6, atol=1e-12)
    assert model.report_.facts["error_rate"] == pytest.approx(1 - model.score(X, y))


def test_real_ada_boost_needs_probabilities():
    from sklearn.linear_model import Perceptron

    model = AdaBoostClassifier(Perceptron(), algorithm="SAMME.R")
    with pytest.raises(ParameterError, match=r"probabilities; got a Perceptron"):
        model.fit(TOY, SIGNS)


# -- margins ---------------------------------------------------------------------------
@pytest.mark.course("S2-23", "S3-85")
def test_margins_are_votes_and_stay_below_their_bounds():
    X, y = noisy(flip=0.0)
    model = AdaBoostClassifier(n_estimators=60).fit(X, y)
    for rounds in (5, 60):
        found = model.margins(X, y, rounds=rounds)
        votes = sum(
            a * member.predict(X)
            for a, member in zip(
                model.estimator_weights_[:rounds], model.estimators_, strict=False
            )
        )
        expected = y * votes / model.estimator_weights_[:rounds].sum()
        np.testing.assert_allclose(found.margins, expected, atol=1e-12)
        for theta in (0.0, 0.05, 0.1, 0.3):
            eps = model.estimator_errors_[:rounds]
            product = 2.0**rounds * np.prod(
                np.sqrt(eps ** (1 - theta) * (1 - eps) ** (1 + theta))
            )
            assert found.bound(theta) == pytest.approx(product)
            assert found.share_below(theta) <= product
            assert found.share_below(theta) == pytest.approx((expected <= theta).mean())
            assert boosting_bounds(eps, theta).margin == pytest.approx(product)
    early, late = (model.margins(X, y, rounds=t).least for t in (5, 60))
    assert late > early
    ax = found.plot()
    assert ax.get_xlabel() == "margin"


@pytest.mark.course("S2-23")
def test_the_uniform_bound_on_margins():
    bases = {0.1: 0.99972, 0.25: 0.98706, 0.4: 0.86696}
    for gamma, base in bases.items():
        exact = (1 - 4 * gamma**2) * ((1 + 2 * gamma) / (1 - 2 * gamma)) ** gamma
        assert exact == pytest.approx(base, abs=5e-6)
        bounds = boosting_bounds(np.full(10, 0.5 - gamma), theta=gamma)
        assert bounds.uniform == pytest.approx(exact**5)
        assert bounds.margin == pytest.approx(bounds.uniform)
    X, y = noisy(flip=0.0)
    model = AdaBoostClassifier(n_estimators=30).fit(X, y)
    gamma = float((0.5 - model.estimator_errors_).min())
    bounds = boosting_bounds(model, theta=gamma)
    share = model.margins(X, y).share_below(gamma)
    assert share <= bounds.margin <= bounds.uniform < 1
    assert bounds.training <= bounds.exponential


@pytest.mark.course("S2-23")
def test_margins_of_several_classes_are_leads_of_votes():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=15).fit(X, y)
    votes = np.zeros((len(y), 3))
    for a, member in zip(model.estimator_weights_, model.estimators_, strict=True):
        votes[np.arange(len(y)), member.predict(X)] += a
    votes /= votes.sum(axis=1, keepdims=True)
    own = votes[np.arange(len(y)), y]
    votes[np.arange(len(y)), y] = -1
    found = model.margins(X, y)
    np.testing.assert_allclose(found.margins, own - votes.max(axis=1), atol=1e-12)
    assert model.report_.facts["least_margin"] == pytest.approx(found.least)
    with pytest.raises(DataError, match="two classes"):
        found.bound(0.1)


# -- outliers --------------------------------------------------------------------------
@pytest.mark.course("S3-86")
def test_wrong_labels_end_up_with_the_weight():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 2))
    y = (X[:, 0] > 0).astype(int)
    far = np.flatnonzero(np.abs(X[:, 0]) > 0.5)
    wrong = rng.choice(far, 4, replace=False)
    y[wrong] = 1 - y[wrong]
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    hardest = model.hardest_rows(4)
    assert set(hardest.rows) == set(wrong)
    assert hardest.weights.min() > 10 * hardest.even
    assert any("hardest_rows" in text for text in model.report_.warnings)
    clean = AdaBoostClassifier(n_estimators=3).fit(X, (X[:, 0] + X[:, 1] > 0))
    assert clean.report_.warnings == []


def test_hardest_rows_count_the_rows_that_were_given():
    w = np.ones(10)
    w[0] = 0
    model = AdaBoostClassifier(n_estimators=3).fit(TOY, SIGNS, w)
    assert model.row_weights_.shape == (10,)
    assert model.row_weights_[0] == 0
    assert model.row_weights_.sum() == pytest.approx(1.0)
    assert 0 not in model.hardest_rows(9).rows


# -- any learner, and the ends of boosting ---------------------------------------------
@pytest.mark.course("S3-83")
def test_a_base_without_weights_is_fitted_on_drawn_rows():
    X, y = noisy(200, 3)
    model = AdaBoostClassifier(
        KNeighborsClassifier(15), n_estimators=8, random_state=0
    ).fit(X, y)
    assert len(model.estimators_) == 8
    again = AdaBoostClassifier(
        KNeighborsClassifier(15), n_estimators=8, random_state=0
    ).fit(X, y)
    np.testing.assert_array_equal(
        model.decision_function(X), again.decision_function(X)
    )
    weights = list(model.staged_weights(X, y))
    for t, member in enumerate(model.estimators_):
        wrong = member.predict(X) != y
        assert weights[t] @ wrong == pytest.approx(model.estimator_errors_[t])
    order = np.random.default_rng(1).permutation(len(y))
    other = AdaBoostClassifier(
        KNeighborsClassifier(15), n_estimators=8, random_state=0
    ).fit(X[order], y[order])
    np.testing.assert_allclose(other.estimator_errors_, model.estimator_errors_)
    heavy = weights[5]
    drawn = model.estimators_[5]._fit_X
    counts = np.array([(drawn == row).all(axis=1).sum() for row in X])
    assert counts.sum() == len(X)
    assert (
        counts[heavy > np.median(heavy)].mean()
        > 2 * counts[heavy < np.median(heavy)].mean()
    )


@pytest.mark.course("S3-83")
def test_any_classifier_of_ours_is_boosted():
    X, y = noisy(200, 3, flip=0.0)
    for base in (
        GaussianNB(),
        corollary.LogisticRegression(),
        corollary.LinearDiscriminantAnalysis(),
    ):
        model = AdaBoostClassifier(base, n_estimators=5).fit(X, y)
        weights = list(model.staged_weights(X, y))
        for D, member in zip(weights, model.estimators_, strict=False):
            fresh = type(base)().fit(X, y, D * len(y))
            np.testing.assert_array_equal(fresh.predict(X), member.predict(X))
        assert len(model.estimators_) > 1


@pytest.mark.course("S2-21")
def test_a_member_without_errors_decides_alone():
    X, y = noisy(60, 3)
    stump = AdaBoostClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    assert stump.estimator_weights_.tolist() == [1.0]
    assert stump.report_.facts["ended_by"] == "a member without errors"
    assert stump.score([[0.0], [1.0], [2.0]], [0, 1, 1]) == 1.0

    class Learns(DecisionStumpClassifier):
        """Errs in its first two fits, and never after."""

        fits = 0

        def fit(self, X, y, sample_weight=None):
            Learns.fits += 1
            self.classes_ = np.unique(y)
            self.known_ = {tuple(x): c for x, c in zip(X, y, strict=True)}
            self.errs_ = Learns.fits <= 2
            return self

        def predict(self, X):
            right = np.array([self.known_[tuple(x)] for x in X])
            wrong = self.classes_[1 - np.searchsorted(self.classes_, right)]
            flip = np.arange(len(X)) % 10 == Learns.fits if self.errs_ else False
            return np.where(flip, wrong, right)

    model = AdaBoostClassifier(Learns(), n_estimators=9).fit(X, y)
    assert len(model.estimators_) == 3
    weights = model.estimator_weights_
    assert weights[2] == pytest.approx(1 + weights[:2].sum())
    assert model.report_.facts["error_rate"] == 0.0


@pytest.mark.course("S2-21")
def test_boosting_ends_where_no_member_is_better_than_chance():
    X = np.zeros((5, 1))
    model = AdaBoostClassifier().fit(X, [0, 0, 0, 1, 1])
    assert len(model.estimators_) == 1
    assert model.report_.facts["ended_by"] == "no member better than chance"
    assert model.predict(X).tolist() == [0] * 5
    with pytest.raises(DataError, match=r"better than chance; got an error of 0.5"):
        AdaBoostClassifier().fit(X[:4], [0, 0, 1, 1])


def test_rows_of_one_class_are_learned():
    model = AdaBoostClassifier().fit(TOY, np.ones(10))
    assert model.predict(TOY).tolist() == [1.0] * 10
    assert model.predict_proba(TOY).tolist() == [[1.0]] * 10


# -- weights and files -----------------------------------------------------------------
def test_a_weight_is_a_repetition():
    X, y = noisy(150, 3)
    times = np.random.default_rng(3).integers(0, 4, size=150)
    weighted = AdaBoostClassifier(n_estimators=30).fit(X, y, times)
    repeated = AdaBoostClassifier(n_estimators=30).fit(
        X.repeat(times, 0), y.repeat(times)
    )
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-9
    )


def test_a_file_keeps_the_votes_but_not_the_rows(tmp_path):
    model = AdaBoostClassifier(n_estimators=3).fit(TOY, SIGNS)
    corollary.save(model, tmp_path / "model")
    loaded = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(
        loaded.decision_function(TOY), model.decision_function(TOY)
    )
    assert loaded.margins(TOY, SIGNS).least == model.margins(TOY, SIGNS).least
    with pytest.raises(DataError, match="one from a file"):
        loaded.hardest_rows()


def test_questions_that_make_no_sense_are_refused():
    model = AdaBoostClassifier(n_estimators=3).fit(TOY, SIGNS)
    with pytest.raises(DataError, match="labels among"):
        model.margins(TOY, np.arange(10))
    with pytest.raises(ParameterError, match="rounds"):
        model.margins(TOY, SIGNS, rounds=4)
    with pytest.raises(DataError, match=r"\[0, 1/2\)"):
        boosting_bounds([0.6])
    with pytest.raises(ParameterError, match="theta"):
        boosting_bounds([0.3], theta=2)
    slow = AdaBoostClassifier(learning_rate=0.5).fit(TOY, SIGNS)
    with pytest.raises(DataError, match="learning_rate=1"):
        boosting_bounds(slow)


def test_votes_that_outgrow_numbers_end_the_rounds():
    X, y = load_iris(return_X_y=True)
    base = TheirTree(max_depth=1)
    model = AdaBoostClassifier(base, n_estimators=30, learning_rate=23.0)
    with pytest.warns(UserWarning, match="weights too large for numbers"):
        model.fit(X, y)
    assert 1 <= len(model.estimators_) < 30
    assert np.isfinite(model.normalizers_).all()
    assert model.report_.facts["ended_by"] == "weights too large for numbers"
