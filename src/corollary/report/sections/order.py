"""The order of the sections, from what matters most to how it was made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from corollary.report.sections.actions import actions
from corollary.report.sections.calibration import calibration
from corollary.report.sections.certificate import certificate
from corollary.report.sections.data_profile import data_profile
from corollary.report.sections.effects import attributions, effects
from corollary.report.sections.errors import slices, worst
from corollary.report.sections.leaks import leaks
from corollary.report.sections.learning_curve import learning_curve
from corollary.report.sections.made import made
from corollary.report.sections.mistakes import confusion, residuals
from corollary.report.sections.model_comparison import model_comparison
from corollary.report.sections.ranking import ranking
from corollary.report.sections.thresholds import thresholds

__all__ = ["SECTIONS", "Section"]


@dataclass(frozen=True)
class Section:
    """A section of the page.

    Attributes
    ----------
    name : str
        Of its template and its anchor.
    title : str
    view : function of the findings
        Returns what the template shows, or None.
    open : bool
        Whether it is open at first; a closed one shows its sentence.
    """

    name: str
    title: str
    view: Callable[[dict[str, Any]], dict[str, Any] | None]
    open: bool = True


SECTIONS = (
    Section("actions", "What to do next", actions),
    Section("data", "The data", data_profile),
    Section("models", "Models compared", model_comparison),
    Section("learning-curve", "Would more rows help?", learning_curve),
    Section("slices", "Where it errs", slices),
    Section("worst", "Worst examples", worst, open=False),
    Section("thresholds", "Threshold and costs", thresholds),
    Section("ranking", "How well it ranks", ranking, open=False),
    Section(
        "calibration", "Can its probabilities be trusted?", calibration, open=False
    ),
    Section("confusion", "Which classes it confuses", confusion),
    Section("residuals", "How far it misses", residuals),
    Section("effects", "What the model uses", effects),
    Section("attributions", "One row explained", attributions),
    Section("leaks", "Leaks and noise", leaks, open=False),
    Section("certificate", "Certificate", certificate, open=False),
    Section("made", "How this was made", made, open=False),
)
