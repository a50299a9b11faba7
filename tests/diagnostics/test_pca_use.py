"""Whether PCA helps, hurts, or has seen what it should not."""

import numpy as np
import pytest
import sklearn.decomposition
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline

from corollary import GaussianNB, LinearRegression, LogisticRegression, Ridge
from corollary.diagnostics.pca_use import PCAUse, pca_use


def hidden_factor(n=60, d=50, seed=0):
    """One strong factor moves every column and the target; the rest is noise."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    X = 3 * np.outer(z, rng.choice([-1.0, 1.0], d)) + rng.normal(size=(n, d))
    return X, z + 0.3 * rng.normal(size=n)


def quiet_signal(n=200, d=5, seed=0):
    """Loud columns of noise; one quiet column decides."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10
    quiet = rng.normal(size=n) * 0.1
    return np.column_stack([X, quiet]), (quiet > 0).astype(int)


@pytest.mark.course("S4-81")
def test_where_a_quiet_direction_carries_the_signal_pca_is_left_out():
    X, y = quiet_signal()
    use = pca_use(LogisticRegression(C=1e4), X, y, n_components=0.95)
    assert use.without > 0.9
    assert use.inside < 0.65  # a coin
    assert use.n_components == 5
    assert use.verdict.startswith("leave PCA out: it lowers the score by 0.")
    assert use.verdict.endswith("against overfitting use regularisation instead")


@pytest.mark.course("S4-81")
def test_where_few_directions_carry_everything_pca_is_kept():
    X, y = hidden_factor()
    use = pca_use(LinearRegression(), X, y, n_components=1)  # 48 rows, 50 columns
    assert use.inside > 0.75
    assert use.without < use.inside - 0.1
    gain = use.inside - use.without
    assert use.verdict == f"keep PCA: it raises the score by {gain:.3g}"


@pytest.mark.course("S4-81")
def test_against_overfitting_shrinkage_does_as_well_as_pca():
    X, y = hidden_factor()
    use = pca_use(Ridge(alpha=100.0), X, y, n_components=1)
    plain = pca_use(LinearRegression(), X, y, n_components=1)
    assert use.without > plain.without
    assert use.without > plain.inside - 0.02


@pytest.mark.course("S4-81")
def test_a_rotation_alone_changes_nothing_and_the_verdict_says_so():
    X, y = hidden_factor(n=100, d=6)
    use = pca_use(LinearRegression(), X, y, n_components=None)
    assert use.inside == pytest.approx(use.without, abs=1e-9)
    assert use.leaked == pytest.approx(use.without, abs=1e-9)
    assert use.verdict.startswith("PCA changes the score by less than the noise")


def loud_later(seed=0, n=200):
    """A direction that is quiet in the first half of the rows and loud in the second.

    y is its coordinate.  PCA with one component on the first half alone takes the other
    direction and knows nothing of y; on all rows it takes the right one.
    """
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n) * np.repeat([0.3, 10.0], n // 2)
    return np.column_stack([z, rng.normal(size=n)]), z


@pytest.mark.course("S4-81")
@pytest.mark.parametrize("seed", range(5))
def test_a_leak_makes_the_score_too_good(seed):
    X, y = loud_later(seed)
    use = pca_use(LinearRegression(), X, y, n_components=1, cv=KFold(2))
    assert use.leaked > 0.99  # it saw the test rows and took their direction
    assert use.inside < 0.6  # honestly: right in one fold, blind in the other
    assert use.optimism == pytest.approx(use.leaked - use.inside)
    assert use.optimism > 0.4


@pytest.mark.course("S4-81")
def test_labels_that_mean_nothing_stay_a_coin_however_pca_was_fitted():
    optimism, inside = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(20, 60)), np.tile([0, 1], 10)  # columns >> rows
        use = pca_use(GaussianNB(), X, y, n_components=5)
        optimism.append(use.optimism)
        inside.append(use.inside)
    assert abs(np.mean(inside) - 0.5) < 4 * np.std(inside) / np.sqrt(12)
    assert abs(np.mean(optimism)) < 4 * np.std(optimism) / np.sqrt(12)  # PCA saw no y


@pytest.mark.course("S4-81")
@pytest.mark.parametrize("q", [1, 3, 10])
def test_scores_are_those_of_scikit_learns_own_pipeline(q):
    X, y = hidden_factor()
    use = pca_use(Ridge(1.0), X, y, n_components=q, cv=4)
    pca, ridge = sklearn.decomposition.PCA(q, svd_solver="full"), Ridge(1.0)
    inside = cross_val_score(make_pipeline(pca, ridge), X, y, cv=4)
    without = cross_val_score(ridge, X, y, cv=4)
    leaked = cross_val_score(ridge, pca.fit_transform(X), y, cv=4)
    assert use.inside == pytest.approx(inside.mean(), rel=1e-8)
    assert use.without == pytest.approx(without.mean(), rel=1e-8)
    assert use.leaked == pytest.approx(leaked.mean(), rel=1e-8)
    spread = (inside - without).std(ddof=1) / 2
    assert use.spread == pytest.approx(spread, rel=1e-6)
    assert (use.n_components, use.n_features) == (q, 50)


@pytest.mark.parametrize(
    ("inside", "verdict"),
    [(0.85, "keep PCA"), (0.81, "PCA changes"), (0.78, "PCA changes"), (0.7, "leave")],
)
def test_a_verdict_needs_two_standard_errors(inside, verdict):
    use = PCAUse(0.8, inside, 0.9, 0.02, 2, 5)
    assert use.verdict.startswith(verdict)


def test_rounding_is_no_gain():
    assert PCAUse(0.8, 0.8 + 1e-16, 0.8, 0.0, 5, 5).verdict.startswith("PCA changes")


def test_the_text_tells_all_scores():
    assert str(PCAUse(0.8, 0.9, 0.95, 0.02, 2, 5)) == (
        "score without PCA 0.8, with PCA inside the folds 0.9 (2 of 5 components), "
        "with PCA fitted on all rows 0.95 (optimism 0.05); keep PCA: it raises the "
        "score by 0.1"
    )


def test_the_estimator_is_left_as_it_was():
    X, y = hidden_factor()
    model = Ridge(1.0)
    pca_use(model, X, y, n_components=2)
    assert not hasattr(model, "coef_")
