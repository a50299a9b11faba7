import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import datasets
from corollary.core.errors import ParameterError
from corollary.decisions.base_rate import base_rate_report
from corollary.decisions.decision_rules import posterior

SHARE = st.floats(0.01, 0.99)


@pytest.mark.course("S0-2")
def test_cancer_kit_against_prevalence():
    kit = datasets.cancer_kit()
    report = base_rate_report(0.98, 0.97, [0.001, 0.01, 0.1, 0.5])
    np.testing.assert_allclose(report.ill_if_positive[1], kit.known["ill_if_positive"])
    np.testing.assert_allclose(
        report.ill_if_positive, [0.0316640, 0.2481013, 0.784, 0.970297], atol=5e-7
    )
    assert (np.diff(report.ill_if_positive) > 0).all()
    even = base_rate_report(0.98, 0.97, report.break_even)
    np.testing.assert_allclose(even.ill_if_positive, 0.5)
    assert "0.2481" in str(report)


@pytest.mark.course("S0-2")
@given(s=SHARE, t=SHARE, pi=SHARE)
@settings(max_examples=60, deadline=None)
def test_it_is_bayes_formula(s, t, pi):
    report = base_rate_report(s, t, pi)
    P = posterior(np.log([[s, 1 - t], [1 - s, t]]), [pi, 1 - pi])
    np.testing.assert_allclose(report.ill_if_positive[0], P[0, 0], rtol=1e-10)
    np.testing.assert_allclose(report.healthy_if_negative[0], P[1, 1], rtol=1e-10)


def test_results_that_cannot_come_leave_the_prevalence():
    report = base_rate_report(0.0, 1.0, [0.2])
    np.testing.assert_allclose(report.ill_if_positive, [0.2])
    assert report.break_even == 0.5


def test_the_picture_shows_three_curves():
    import matplotlib

    matplotlib.use("Agg")
    ax = base_rate_report(0.9, 0.9).plot()
    assert [line.get_label() for line in ax.lines] == [
        "ill if positive",
        "healthy if negative",
        "before the test",
    ]
    matplotlib.pyplot.close(ax.figure)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((1.2, 0.9), "sensitivity must be in [0, 1]; got 1.2."),
        ((0.9, -0.1), "specificity must be in [0, 1]; got -0.1."),
        ((0.9, 0.9, [0.5, float("nan")]), "prevalence must be in [0, 1]; got nan."),
    ],
)
def test_bad_input(arguments, part):
    with pytest.raises(ParameterError) as caught:
        base_rate_report(*arguments)
    assert part in str(caught.value)
