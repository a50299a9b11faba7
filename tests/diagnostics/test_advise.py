"""The table of faults and cures, and advice from three numbers."""

import numpy as np
import pytest

from corollary.core.errors import ParameterError
from corollary.diagnostics import advise
from corollary.diagnostics.remedies import (
    FAULTS,
    REMEDIES,
    USUAL,
    remedies_for,
    will_not_help,
)

# What the textbook says heals what: more rows, fewer features and a larger penalty are
# for variance; features, polynomials and a smaller penalty for bias; ...
TEXTBOOK = {
    "more_rows": "high_variance",
    "fewer_features": "high_variance",
    "more_penalty": "high_variance",
    "more_features": "high_bias",
    "polynomials": "high_bias",
    "less_penalty": "high_bias",
    "other_penalty": "wrong_objective",
    "objective": "wrong_objective",
    "more_iterations": "unconverged",
    "newton": "unconverged",
}


@pytest.mark.course("S4-64")
def test_the_table_is_the_textbooks():
    ours = {r.key: r.fixes for r in REMEDIES if r.course}
    assert set(ours) == set(TEXTBOOK)
    for key, fault in TEXTBOOK.items():
        assert fault in ours[key]
    fit = {"high_bias", "high_variance", "unconverged", "wrong_objective"}
    for key, fixes in ours.items():  # and heals no other of the four
        assert fit & set(fixes) == {TEXTBOOK[key]}


@pytest.mark.course("S4-64")
@pytest.mark.parametrize(
    ("training", "validation", "gap", "fault"),
    [
        (0.01, 0.30, 0.0, "high_variance"),
        (0.29, 0.30, 0.0, "high_bias"),
        (0.29, 0.30, 0.27, "unconverged"),
        (0.03, 0.04, 0.0, "healthy"),
    ],
)
def test_three_numbers_name_the_fault_its_cures_and_what_is_wasted(
    training, validation, gap, fault
):
    found = advise(training, validation, 0.05, optimizer_gap=gap)
    assert found.main.name == fault
    keys = {action.key for action in found.actions}
    assert keys == {r.key for v in found.verdicts for r in remedies_for(v.name)}
    wasted = {words for words, _ in found.will_not_help}
    heals = {action.action for action in found.actions}
    assert wasted
    assert not wasted & heals
    if fault == "high_bias":
        assert "Get more rows." in wasted
    if fault == "high_variance":
        assert "Lower the penalty." in wasted


def test_the_parts_add_up_and_the_largest_is_first():
    found = advise(0.2, 0.3, 0.05, optimizer_gap=0.02)  # a part of 0.02 is small
    assert found.names == ("high_bias", "high_variance")


def test_a_difference_within_the_noise_is_none():
    assert advise(0.10, 0.11, 0.10, standard_error=0.0).main.name == "high_variance"
    sure = advise(0.0, 0.3, 0.1, standard_error=0.1).main
    unsure = advise(0.0, 0.3, 0.29, standard_error=0.1).main
    assert unsure.confidence < 0.6 < 0.95 < sure.confidence


def test_nothing_that_heals_a_fault_is_called_useless():
    for fault in FAULTS:
        heals = {remedy.key for remedy in remedies_for(fault)}
        wasted = will_not_help(fault, 99)
        assert not heals & {key for key, _ in wasted}
        assert all(why for _, why in wasted)
    for key in USUAL:  # and every usual action heals something
        assert any(remedy.key == key for remedy in REMEDIES)


def test_bad_numbers_are_refused():
    for bad in (np.nan, "much", None, [1.0, 2.0]):
        with pytest.raises((ParameterError, TypeError)):
            advise(bad, 0.2, 0.1)
    with pytest.raises(ParameterError, match="optimizer_gap"):
        advise(0.1, 0.2, 0.1, optimizer_gap=-1)
    with pytest.raises(ParameterError, match="a fault must be one of"):
        remedies_for("headache")


def test_the_findings_are_plain_and_the_page_escapes():
    found = advise(0.01, 0.3, 0.05)
    plain = found.to_findings()
    assert plain["verdicts"][0]["name"] == "high_variance"
    assert set(plain["actions"][0]) == {
        "action",
        "why",
        "tried",
        "before",
        "after",
        "standard_error",
        "verdict",
    }
    assert plain["actions"][0]["verdict"] == "not tried"
    assert "<table>" in found._repr_html_()
    assert found.plot() is not None
