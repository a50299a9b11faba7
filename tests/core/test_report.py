"""A report is readable, drawable, and survives as plain values."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary import KMeans, LinearRegression, Report, StopReason
from corollary.core.report import MeasuredOptimality, Optimality


def example(**more):
    return Report("KMeans", StopReason.CONVERGED, passes=3, rows=12000, **more)


def test_the_text_says_why_how_far_and_what_to_do():
    report = Report(
        "KMeans",
        StopReason.MAX_PASSES,
        passes=2,
        rows=12000,
        objective=[5.0, 4.25],
        optimality=Optimality("at most above the optimum by", 0.5, 0.125),
        condition=123456.0,
        facts={"clusters": 3, "share": 0.123456},
        warnings=["two columns are equal."],
        seconds=0.25,
        executor="2 threads",
        source="array 12,000 x 4 float64",
    )
    assert str(report).splitlines() == [
        "KMeans: max_iter reached (the allowed number of passes was used up before the "
        "stopping rule was met)",
        "  what to do    Raise max_iter, loosen tol, or scale the features.",
        "  took          2 passes over 12,000 rows, 0.25 s",
        "  ran on        array 12,000 x 4 float64, 2 threads",
        "  from optimal  at most above the optimum by 0.5 (0.12 relative)",
        "  objective     5 -> 4.25",
        "  conditioning  1.23e+05",
        "  clusters      3",
        "  share         0.1235",
        "  warning       two columns are equal.",
    ]


def test_a_reason_without_remedy_asks_for_nothing():
    text = str(example(objective=[1.0]))
    assert "what to do" not in text
    assert "  objective     1\n" in text + "\n"
    assert "from optimal  unknown" in text
    assert "1 pass over" in str(Report("PCA", StopReason.CLOSED_FORM, passes=1))


@pytest.mark.parametrize("reason", StopReason)
def test_every_reason_has_a_word_of_its_own_and_a_meaning(reason):
    assert StopReason.named(reason.word) is reason
    assert reason.meaning
    assert reason.remedy == "" or reason.remedy.endswith(".")


def test_reasons_that_stop_short_have_a_remedy():
    fine = {StopReason.CLOSED_FORM, StopReason.CONVERGED, StopReason.STREAMING}
    fine.add(StopReason.DELEGATED)  # nobody knows, so nothing can be advised
    assert {reason for reason in StopReason if not reason.remedy} == fine


finite = st.floats(allow_nan=False)


@given(
    reason=st.sampled_from(list(StopReason)),
    passes=st.integers(0, 10**6),
    objective=st.lists(finite, max_size=5),
    value=st.none() | finite,
    condition=st.none() | finite,
    facts=st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5)),
    warnings=st.lists(st.text(max_size=9), max_size=2),
)
def test_plain_values_and_back(
    reason, passes, objective, value, condition, facts, warnings
):
    report = Report(
        "Learner",
        reason,
        passes,
        objective=objective,
        optimality=Optimality("gap", value),
        condition=condition,
        facts=facts,
        warnings=warnings,
    )
    stored = json.loads(json.dumps(report.to_dict()))
    again = Report.from_dict(stored)
    assert again == report
    assert str(again) == str(report)


def test_an_unknown_reason_is_no_report():
    values = example().to_dict() | {"stop": "bored"}
    with pytest.raises(ValueError, match="no fit stops"):
        StopReason.named("bored")
    with pytest.raises(ValueError, match="no fit stops"):
        Report.from_dict(values)


def test_the_plot_shows_the_trace_over_the_passes():
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    report = example(objective=[9.0, 4.0, 2.0])
    ax = report.plot()
    (line,) = ax.get_lines()
    np.testing.assert_array_equal(line.get_xdata(), [1, 2, 3])
    np.testing.assert_array_equal(line.get_ydata(), [9.0, 4.0, 2.0])
    assert ax.get_title() == "KMeans: converged"
    assert report.plot(ax=ax) is ax
    assert len(ax.get_lines()) == 2
    plt.close(ax.figure)


def test_a_fit_fills_in_what_it_did():
    X = np.random.default_rng(0).normal(size=(50, 2))
    report = KMeans(2, random_state=0).fit(X).report_
    assert report.learner == "KMeans"
    assert report.rows == 50
    assert report.source == "array 50 x 2 float64"
    assert report.executor == "serial"
    assert report.seconds > 0
    assert len(report.objective) == report.passes + 1  # and once with the last centres
    exact = LinearRegression().fit(X, X @ [1.0, 2.0]).report_
    assert exact.stop is StopReason.CLOSED_FORM
    assert exact.optimality == Optimality("exact to rounding", 0.0)


def test_a_notebook_gets_a_table_and_the_console_one_line():
    report = example(warnings=["a < b"], optimality=Optimality("duality gap", 0.5))
    assert repr(report) == "Report(KMeans: converged, duality gap 0.5)"
    page = report._repr_html_()
    assert page.startswith("<table>")
    assert "a &lt; b" in page
    assert "a < b" not in page
    for label, words in [
        ("from optimal", "duality gap 0.5"),
        ("took", "3 passes over"),
    ]:
        assert f"{label}</th>" in page
        assert words in page


def test_a_distance_can_be_measured_when_it_is_asked_for():
    asked = []

    def measure():
        asked.append(1)
        return 0.25

    report = example(optimality=MeasuredOptimality("largest error is", measure))
    assert not asked
    assert "largest error is 0.25" in str(report)
    assert report.to_dict()["optimality"]["value"] == 0.25
    assert len(asked) == 1  # it is measured once
    fresh = MeasuredOptimality("largest error is", measure)
    travelled = pickle.loads(pickle.dumps(fresh))
    assert type(travelled) is Optimality  # without what it was measured on
    assert travelled == Optimality("largest error is", 0.25)
    with pytest.raises(AttributeError):
        fresh.other
