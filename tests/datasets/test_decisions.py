"""The decision problems give the posteriors, risks and values known."""

import numpy as np
import pytest

from corollary.datasets import cancer_kit, course_choice, doctor, fair_or_biased

PROBLEMS = [cancer_kit, course_choice, doctor, fair_or_biased]


def posterior(problem, prior=None):
    joint = problem.likelihood * (problem.prior if prior is None else prior)
    return joint / joint.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("make", PROBLEMS)
def test_probabilities_sum_to_one(make):
    problem = make()
    assert problem.prior.sum() == pytest.approx(1)
    np.testing.assert_allclose(problem.likelihood.sum(axis=0), 1)
    assert problem.likelihood.shape == (len(problem.observations), len(problem.states))


@pytest.mark.parametrize("make", [course_choice, doctor])
def test_risks(make):
    problem = make()
    risk = posterior(problem) @ problem.loss.T
    np.testing.assert_allclose(risk, problem.known["risk"])
    evidence = problem.likelihood @ problem.prior
    bayes = evidence @ risk.min(axis=1)
    assert bayes == pytest.approx(problem.known["bayes_risk"])
    prior_risk = problem.loss @ problem.prior
    np.testing.assert_allclose(prior_risk, problem.known["prior_risk"])


def test_course_choice_posterior():
    problem = course_choice()
    np.testing.assert_allclose(posterior(problem), problem.known["posterior"])


def test_doctor_value_of_the_test():
    known = doctor().known
    value = min(known["prior_risk"]) - known["bayes_risk"]
    assert value == pytest.approx(known["value_of_test"])


def test_cancer_kit_base_rate():
    problem = cancer_kit()
    assert posterior(problem)[0, 0] == pytest.approx(problem.known["ill_if_positive"])


def test_fair_or_biased_one_head_then_another():
    problem = fair_or_biased()
    once = posterior(problem)[0]
    twice = posterior(problem, once)[0]
    np.testing.assert_allclose([once[0], twice[0]], problem.known["fair_after_heads"])
