import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import multivariate_normal, norm
from sklearn.linear_model import LogisticRegression

from corollary import GaussianNB, datasets
from corollary.core.errors import DataError, ParameterError
from corollary.decisions.decision_rules import (
    change_priors,
    conditional_error,
    conditional_risk,
    decide,
    likelihood_ratio_threshold,
    log_evidence,
    log_posterior,
    map_rule,
    ml_rule,
    posterior,
    posterior_mean,
    prior_rule,
    squared_loss,
    total_risk,
)
from corollary.decisions.probabilities import posterior_of

SALMON, BASS = norm(5, 1), norm(10, 2)  # standard deviations


def fish(x):
    x = np.atleast_1d(np.asarray(x, float))
    return np.column_stack([SALMON.logpdf(x), BASS.logpdf(x)])


def random_posterior(seed, n=200, k=4):
    return np.random.default_rng(seed).dirichlet(np.ones(k), size=n)


# -- probabilities -----------------------------------------------------------------
@pytest.mark.course("S0-2", "S1-1")
def test_posteriors_of_the_course():
    dice_or_roulette = posterior(np.log([[1 / 36, 1 / 38]]), [0.5, 0.5])
    np.testing.assert_allclose(dice_or_roulette[0, 0], 38 / 74, rtol=1e-12)
    kit = datasets.cancer_kit()
    ill = posterior(np.log(kit.likelihood[:1]), kit.prior)[0, 0]
    np.testing.assert_allclose(ill, 98 / 395, rtol=1e-12)  # 0.2481, not 0.266
    mass = datasets.body_mass()
    prior = mass.counts.sum(axis=1) / mass.counts.sum()
    with np.errstate(divide="ignore"):
        likelihood = np.log(mass.counts / mass.counts.sum(axis=1, keepdims=True)).T
    over = posterior(likelihood, prior)[:, 0]
    np.testing.assert_allclose(over, mass.known["posterior_over"], rtol=1e-12)
    assert map_rule(likelihood, prior).tolist() == [0, 0, 0, 1, 1]
    np.testing.assert_allclose(posterior(likelihood, prior)[2, 1], 3 / 7, rtol=1e-12)


@pytest.mark.course("S1-1", "S3-6")
@given(
    L=arrays(float, (5, 3), elements=st.floats(-1e5, 1e5)),
    weights=arrays(float, 3, elements=st.floats(1e-6, 1.0)),
)
@settings(max_examples=100, deadline=None)
def test_posteriors_are_distributions_whatever_the_likelihoods(L, weights):
    prior = weights / weights.sum()
    P = posterior(L, prior)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-12)
    shifted = posterior(L + 17.0, prior)  # a factor common to all classes cancels
    np.testing.assert_allclose(P, shifted, rtol=1e-8, atol=1e-12)
    evidence = log_evidence(L, prior)
    np.testing.assert_allclose(
        log_posterior(L, prior), L + np.log(prior) - evidence[:, None], atol=1e-9
    )


@pytest.mark.course("S1-1")
def test_multivariate_densities_give_the_posterior_of_bayes_formula():
    classes = [multivariate_normal([0, 0], [[1, 0.5], [0.5, 2]]),
               multivariate_normal([1, 2], np.eye(2)),
               multivariate_normal([-1, 1], 3 * np.eye(2))]  # fmt: skip
    x = np.random.default_rng(0).normal(size=(50, 2)) * 2
    prior = np.array([0.5, 0.2, 0.3])
    joint = np.column_stack([c.pdf(x) for c in classes]) * prior
    P = posterior(np.column_stack([c.logpdf(x) for c in classes]), prior)
    np.testing.assert_allclose(P, joint / joint.sum(axis=1, keepdims=True), rtol=1e-10)


def test_rows_that_no_class_can_have_made_keep_the_prior():
    P = posterior([[-np.inf, -np.inf], [-np.inf, -5.0]], [0.3, 0.7])
    np.testing.assert_allclose(P, [[0.3, 0.7], [0.0, 1.0]])
    np.testing.assert_allclose(posterior([[-np.inf, -3.0]], [1.0, 0.0]), [[1.0, 0.0]])


@pytest.mark.course("S3-6")
def test_fish_numbers():
    assert ml_rule(fish(7)).tolist() == [1]  # .0540 < .0648
    P = posterior(fish(7), [2 / 3, 1 / 3])
    np.testing.assert_allclose(P[0, 0], 0.6251, atol=5e-5)
    assert map_rule(fish(7), [2 / 3, 1 / 3]).tolist() == [0]


# -- rules -------------------------------------------------------------------------
@pytest.mark.course("S0-3", "S3-5", "S3-6")
def test_equal_priors_make_map_the_same_as_ml_and_equal_likelihoods_let_priors_decide():
    x = np.linspace(-3, 20, 301)
    np.testing.assert_array_equal(map_rule(fish(x), [0.5, 0.5]), ml_rule(fish(x)))
    assert (map_rule(np.zeros((3, 2)), [0.4, 0.6]) == 1).all()
    ears = np.log([[0.2, 0.9]])  # large ears: cat, dog
    assert ml_rule(ears).tolist() == [1]


@pytest.mark.course("S3-5")
def test_the_likelihood_rule_is_that_of_the_density_of_each_class():
    x = np.linspace(-3, 20, 301)
    by_hand = (BASS.pdf(x) > SALMON.pdf(x)).astype(int)
    np.testing.assert_array_equal(ml_rule(fish(x)), by_hand)


@pytest.mark.course("S0-3", "S1-2", "S1-5", "S3-7")
def test_zero_one_loss_is_the_most_probable_class_and_its_risk_the_error():
    P = random_posterior(1)
    np.testing.assert_array_equal(decide(P), P.argmax(axis=1))
    np.testing.assert_allclose(conditional_risk(P), 1 - P, atol=1e-15)
    np.testing.assert_allclose(conditional_error(P), 1 - P.max(axis=1))
    np.testing.assert_allclose(total_risk(P), conditional_error(P).mean())


@pytest.mark.course("S1-2")
def test_no_rule_has_a_smaller_probability_of_error():
    P, rng = random_posterior(2), np.random.default_rng(3)
    best = total_risk(P)
    for _ in range(50):
        rule = rng.integers(4, size=len(P))
        assert total_risk(P, actions=rule) >= best
    truth = np.array([rng.choice(4, p=p) for p in np.repeat(P, 50, axis=0)])
    wrong = (np.repeat(decide(P), 50) != truth).mean()
    assert abs(wrong - best) < 4 * np.sqrt(best * (1 - best) / len(truth))


@pytest.mark.course("S1-4")
@given(seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_increasing_transforms_of_scores_decide_alike(seed):
    rng = np.random.default_rng(seed)
    L, prior = rng.normal(size=(40, 3)) * 3, rng.dirichlet(np.ones(3))
    P = posterior(L, prior)
    decisions = decide(P)
    for g in (
        P,
        log_posterior(L, prior),
        L + np.log(prior),  # log joint
        -conditional_risk(P),
        np.exp(3 * P),
        P**3,
        np.arctan(P - 0.3),
    ):
        np.testing.assert_array_equal(g.argmax(axis=1), decisions)


@pytest.mark.course("S0-3", "S1-5", "S3-7")
def test_course_choice():
    problem = datasets.course_choice()
    P = posterior(np.log(problem.likelihood), problem.prior)
    np.testing.assert_allclose(P, problem.known["posterior"], rtol=1e-12)
    R = conditional_risk(P, problem.loss)
    np.testing.assert_allclose(R, problem.known["risk"], rtol=1e-12)
    chosen = [problem.actions[a] for a in decide(P, problem.loss)]
    assert chosen == ["take", "drop"]
    evidence = np.exp(log_evidence(np.log(problem.likelihood), problem.prior))
    risk = total_risk(P, problem.loss, sample_weight=evidence)
    np.testing.assert_allclose(risk, 3.2, rtol=1e-12)
    np.testing.assert_allclose(problem.loss @ problem.prior, [6.0, 6.0])


@pytest.mark.course("S0-3")
def test_prior_rule_with_and_without_costs():
    problem = datasets.doctor()
    assert prior_rule(problem.prior) == 0
    assert problem.actions[prior_rule(problem.prior, problem.loss)] == "antibiotics"


@pytest.mark.course("S1-5", "S3-8")
@given(seed=st.integers(0, 10**6), r=st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_chow_refuses_exactly_below_one_minus_r(seed, r):
    P = random_posterior(seed, n=60, k=3)
    top = P.max(axis=1)
    clear = np.abs(top - (1 - r)) > 1e-12
    refused = decide(P, reject_cost=r) == 3
    np.testing.assert_array_equal(refused[clear], (top < 1 - r)[clear])


@pytest.mark.course("S3-8")
def test_a_tie_between_deciding_and_refusing_decides():
    assert decide([[0.7, 0.3]], reject_cost=0.3).tolist() == [0]
    assert decide([[0.7, 0.3]], reject_cost=0.29999).tolist() == [2]


@pytest.mark.course("S3-7")
def test_actions_need_not_be_classes_and_ties_go_to_the_first():
    P = np.array([[0.5, 0.5], [0.9, 0.1]])
    loss = [[1, 1], [0, 3], [1, 1]]
    assert decide(P, loss).tolist() == [0, 1]


# -- costs and priors --------------------------------------------------------------
@pytest.mark.course("S3-9")
def test_likelihood_ratio_thresholds():
    assert likelihood_ratio_threshold() == 1.0
    fish_costs = [[0, 2], [1, 0]]  # salmon when bass: 2; bass when salmon: 1
    assert likelihood_ratio_threshold(fish_costs) == 2.0
    secretary = likelihood_ratio_threshold([[0, 20], [5, 0]], [0.2, 0.8])
    assert secretary == 16.0
    assert likelihood_ratio_threshold(prior=[0.0, 1.0]) == np.inf


@pytest.mark.course("S3-9")
@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_the_threshold_decides_as_the_risks_do(seed):
    rng = np.random.default_rng(seed)
    loss = rng.uniform(0, 1, (2, 2)) + rng.uniform(0.1, 5) * (1 - np.eye(2))
    loss[0, 0], loss[1, 1] = 0.05, 0.01
    prior = rng.dirichlet([1, 1])
    x = rng.uniform(-5, 20, 200)
    L = fish(x)
    ratio = np.exp(L[:, 0] - L[:, 1])
    by_ratio = np.where(ratio > likelihood_ratio_threshold(loss, prior), 0, 1)
    np.testing.assert_array_equal(decide(posterior(L, prior), loss), by_ratio)


@pytest.mark.course("S3-12")
@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_changed_priors_equal_a_posterior_made_with_them(seed):
    rng = np.random.default_rng(seed)
    L = rng.normal(size=(30, 3)) * 2
    old, new = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3))
    changed = change_priors(posterior(L, old), old, new)
    np.testing.assert_allclose(changed, posterior(L, new), rtol=1e-9, atol=1e-12)
    back = change_priors(changed, new, old)
    np.testing.assert_allclose(back, posterior(L, old), rtol=1e-8, atol=1e-12)


def test_changed_priors_that_rule_classes_out():
    P = [[1.0, 0.0, 0.0], [0.2, 0.3, 0.5]]
    changed = change_priors(P, [0.2, 0.3, 0.5], [0.0, 0.5, 0.5])
    np.testing.assert_allclose(changed[0], [0.0, 0.5, 0.5])
    np.testing.assert_allclose(changed[1], [0.0, 0.5, 0.5])


@pytest.mark.course("S3-12", "S3-7")
def test_any_classifier_with_probabilities_can_be_decided_on():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    X = rng.normal(size=(400, 2)) + 1.5 * y[:, None]
    for model in (GaussianNB().fit(X, y), LogisticRegression().fit(X, y)):
        P = posterior_of(model, X)
        np.testing.assert_array_equal(decide(P), model.predict(X))
        wary = decide(P, [[0, 20], [1, 0]])
        assert wary.sum() > model.predict(X).sum()


# -- vector outcomes ---------------------------------------------------------------
@pytest.mark.course("S0-3")
def test_squared_loss_restricted_and_not():
    rng = np.random.default_rng(4)
    H, P = rng.normal(size=(4, 3)), random_posterior(5)
    chosen = decide(P, squared_loss(H))
    mean = posterior_mean(P, H)
    np.testing.assert_allclose(mean, P @ H)
    # among the outcomes the best is the one nearest the posterior mean
    nearest = ((mean[:, None, :] - H) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(chosen, nearest)
    # and no point has a smaller expected squared error than the mean
    spread = (P * ((H[None] - mean[:, None]) ** 2).sum(axis=2)).sum(axis=1)
    assert (spread <= conditional_risk(P, squared_loss(H)).min(axis=1) + 1e-12).all()
    assert posterior_mean([[0.25, 0.75]], [0.0, 4.0]).tolist() == [3.0]


# -- bad input ---------------------------------------------------------------------
BAD = [
    (lambda: posterior([[0.0, 0.0]], [0.5, 0.6]), "prior must add up to 1; got 1.1. "),
    (lambda: posterior([[0.0, 0.0]], [1.5, -0.5]), "prior must be >= 0; got -0.5."),
    (lambda: posterior([[0.0, 0.0]], [1.0]), "a column for each of 1 classes"),
    (lambda: posterior([[0.0, 0.0]], [[0.5, 0.5]]), "prior must be a list of numbers"),
    (lambda: posterior([[0.0, np.nan]], [0.5, 0.5]), "got nan in row 0, column 1."),
    (lambda: posterior([[0.0, np.inf]], [0.5, 0.5]), "got inf in row 0, column 1."),
    (lambda: posterior([[0.0, 0.0]], [0.5, np.nan]), "prior must be finite; got NaN."),
    (lambda: decide([[0.5, 0.6]]), "the sum 1.1 in row 0."),
    (lambda: decide([[1.5, -0.5]]), "the smallest -0.5 and the sum 1 in row 0."),
    (lambda: decide([0.5, 0.5]), "posterior must be a table of numbers"),
    (lambda: decide([[0.5, 0.5]], [[0, 1, 2]]), "got shape (1, 3)."),
    (lambda: decide([[0.5, 0.5]], [[0, np.nan], [1, 0]]), "loss must be finite"),
    (lambda: decide([[0.5, 0.5]], "free"), "loss must be a table of numbers"),
    (lambda: decide([[0.5, 0.5]], reject_cost=-1), "reject_cost must be >= 0; got -1."),
    (lambda: decide([[0.5, 0.5]], reject_cost="x"), "reject_cost must be one number"),
    (lambda: total_risk([[0.5, 0.5]], actions=[2]), "actions must be between 0 and 1"),
    (lambda: total_risk([[0.5, 0.5]], actions=[0.5]), "actions must hold one whole"),
    (lambda: change_priors([[0.5, 0.5]], [0.5, 0.5], [1.0]), "new must hold one"),
    (
        lambda: change_priors([[1.0, 0.0]], [1.0, 0.0], [0.5, 0.5]),
        "a class whose old prior is 0 must keep it; got 0.5 for class 1.",
    ),
    (lambda: likelihood_ratio_threshold([[1, 0], [0, 1]]), "must be the cheaper one"),
    (lambda: likelihood_ratio_threshold(np.ones((3, 2))), "loss must be 2 by 2"),
    (lambda: posterior_mean([[0.5, 0.5]], [1.0]), "one for each of 2 classes; got 1."),
    (lambda: squared_loss([[[1.0]]]), "outcomes must be finite numbers or vectors"),
]


@pytest.mark.parametrize(("call", "part"), BAD)
def test_bad_input_ends_in_one_sentence(call, part):
    with pytest.raises((ParameterError, DataError)) as caught:
        call()
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_classifier_without_probabilities():
    from sklearn.svm import LinearSVC

    X, y = [[0.0], [1.0]], [0, 1]
    with pytest.raises(ParameterError) as caught:
        posterior_of(LinearSVC().fit(X, y), X)
    assert str(caught.value) == (
        "LinearSVC: the estimator must offer predict_proba; got one without."
    )
