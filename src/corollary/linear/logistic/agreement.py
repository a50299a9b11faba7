"""Which parameters of a logistic regression go together.

C and l1_ratio say what the penalty is; the older `penalty` says the same in words, and
where both are given one of them may not be heard.  Not every solver takes every
penalty, and not every link any number of classes:

    L1, elastic net   coordinate-descent, saga; liblinear takes L1 alone, or L2 alone
    dual=True         liblinear with L2
    liblinear         two classes
    other links       two classes, L2 or no penalty
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.errors import ParameterError, sentence
from corollary.core.warn import warn, warn_of_change
from corollary.objectives.links import LINKS

__all__ = ["SMOOTH", "check_agreement", "price_and_share"]

SMOOTH = ("lbfgs", "newton-cholesky", "newton-cg", "sag")  # solvers without L1
NAMED = {"l1": 1.0, "l2": 0.0}  # rho of a penalty in words


def price_and_share(model: Any) -> tuple[float, float]:
    """Return C, the price of the data, and rho, the share of L1."""
    if model.penalty is None:
        return np.inf, 0.0
    C, rho = float(model.C), float(model.l1_ratio or 0.0)
    if model.penalty == "elasticnet" and model.l1_ratio is None:
        must = "l1_ratio must be a number in [0, 1] when penalty is 'elasticnet'"
        raise ParameterError(sentence(model, must, "None"))
    return C, NAMED.get(model.penalty, rho)


def contradiction(model: Any) -> str | None:
    """Say which of the parameters that mean the same is not heard, if any."""
    penalty, C, rho = model.penalty, float(model.C), model.l1_ratio or 0.0
    if penalty is None and (C != 1.0 or rho != 0.0):
        return f"Setting penalty=None will ignore the C={C:g} and l1_ratio={rho:g}."
    if penalty in NAMED and model.l1_ratio not in (None, NAMED[penalty]):
        rule = "l1_ratio parameter is only used when penalty is 'elasticnet'."
        return f"{rule} Got (penalty={penalty}) and l1_ratio={rho:g}."
    return None


def warn_of_changes(model: Any) -> None:
    """Warn of what scikit-learn will drop."""
    if model.penalty != "deprecated":
        warn_of_change(model, "penalty is deprecated; use l1_ratio, C=inf for none")
    if model.l1_ratio is None:
        warn_of_change(model, "l1_ratio=None is deprecated; use l1_ratio=0")
    if model.n_jobs is not None:
        warn_of_change(model, "n_jobs is deprecated and has no effect")


def check_agreement(model: Any) -> None:
    """Refuse parameters that contradict each other."""
    (C, rho), solver, K = price_and_share(model), model.solver, len(model.classes_)
    remedy = "Use solver='coordinate-descent'."

    def refuse(must: str, came: str, remedy: str = "") -> None:
        raise ParameterError(sentence(model, must, came, remedy))

    if solver in SMOOTH and rho > 0:
        must = f"solver {solver!r} takes an L2 penalty or none"
        refuse(must, f"l1_ratio = {rho:g}", remedy)
    if solver == "liblinear" and (0 < rho < 1 or np.isinf(C)):
        must = "solver 'liblinear' takes an L1 or an L2 penalty"
        refuse(must, f"l1_ratio = {rho:g} and C = {C:g}", remedy)
    if solver == "liblinear" and K > 2:
        must = "solver 'liblinear' does not support multiclass classification"
        refuse(must, f"{K} classes", "Use another solver.")
    if model.dual and (solver != "liblinear" or rho > 0):
        refuse("dual=True needs solver 'liblinear' and L2", f"{solver!r}")
    if unheard := contradiction(model):
        warn(unheard)
    warn_of_changes(model)
    if model.probability_link() == LINKS["logit"]:
        return
    if K > 2:
        must = f"link {model.probability_link().name} needs two classes"
        refuse(must, f"{K}", "Use link='logit', or one class against the rest.")
    if rho > 0:
        must = f"link {model.probability_link().name} takes an L2 penalty or none"
        refuse(must, f"l1_ratio = {rho:g}", "Use link='logit'.")
