"""What AdaBoost reports: the training error beside its bounds, and outliers.

The running products of Z are the objective.  For two classes the last one bounds the
training error, and so does what the edges give, (7) of `ada_boost_classifier.py`.  A
few rows that hold much of the weight are hard in every round: their labels may be
wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.report import Report
from corollary.ensembles.margin_distribution import vote_margins

__all__ = ["report_rounds"]

FEW, MUCH = 0.01, 0.25  # share of the rows, share of the weight: outliers


def report_rounds(
    model: Any, report: Report, y: Vector, w: Floats, scores: Floats, ended: str
) -> None:
    """State the training error beside its bounds (7), and warn of outliers."""
    C, D = model.n_classes_, model.row_weights_
    report.passes = len(model.estimators_)
    report.objective = np.cumprod(model.normalizers_).tolist()
    facts = report.facts
    facts["estimator"] = type(model.estimator_).__name__
    facts["n_members"] = len(model.estimators_)
    facts["ended_by"] = ended
    if C == 1:
        return
    lead = scores if scores.ndim == 1 else vote_margins(scores, y)
    facts["error_rate"] = float(np.average(lead <= 0, weights=w))
    if C == 2:
        facts["error_rate_bound"] = report.objective[-1]
    if C == 2 and model.learning_rate == 1 and model.algorithm == "SAMME":
        edges = 0.5 - model.estimator_errors_
        facts["edge_bound"] = float(np.exp(-2 * np.sum(edges**2)))
    if model.algorithm == "SAMME":
        total = model.estimator_weights_.sum()
        facts["least_margin"] = float(lead.min() / total)
    few = max(1, int(FEW * len(D)))
    share = float(np.sort(D)[-few:].sum())
    even = float(np.sort(w)[-few:].sum() / w.sum())
    if len(D) * FEW >= 1 and share > max(MUCH, 4 * even):
        report.warnings.append(
            f"{few} of the {len(D)} rows hold {share:.0%} of the weight: labels "
            "that are wrong do this, and mislead AdaBoost. See hardest_rows()."
        )
