"""The facts of a report: values under documented names, and the words for them.

A fit notes what it knows as values, `report.facts["rank"] = 3`.  The table below says
what each name means and how it is printed; no other module turns a fact into words, and
none reads the words back.

>>> from corollary.core.facts import printed
>>> printed({"rank": 3, "n_features": 5, "variance_kept": 0.9871})
[('rank', '3 of 5'), ('variance kept', '98.71%')]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

__all__ = ["FACTS", "Fact", "check_facts", "plain", "printed"]


class Fact(NamedTuple):
    """What a fact means, and how it is printed."""

    meaning: str
    label: str = ""  # its name with spaces, by default
    of: str = ""  # the fact that it is a part of: "3 of 5"
    words: Callable[[Any], str] | None = None


def share(value: Any) -> str:
    """Print a share in percent."""
    return f"{float(value):.4g}" if value > 1 else f"{float(value):.2%}"


def yes_or_no(value: Any) -> str:
    """Print a truth."""
    return "yes" if value else "no"


def counts(value: Any) -> str:
    """Print numbers by name."""
    return ", ".join(f"{number} {name}" for name, number in value.items())


def interval(value: Any) -> str:
    """Print the ends of an interval."""
    low, high = value
    return f"[{low:.4g}, {high:.4g}]"


FACTS: dict[str, Fact] = {
    # -- how the fit was made ----------------------------------------------------------
    "solver": Fact("the method that minimised the objective"),
    "route": Fact("the sums or the decomposition that the solution came from"),
    # -- the size of the model ---------------------------------------------------------
    "n_features": Fact("columns of X", label="features"),
    "n_parameters": Fact("free parameters of the model", label="parameters"),
    "rank": Fact("rank of the columns of X", of="n_features"),
    "n_components": Fact("components kept", label="components", of="n_features"),
    "variance_kept": Fact("share of the variance that is kept", words=share),
    # -- linear models -----------------------------------------------------------------
    "gradient": Fact("largest entry of the gradient, or of the least subgradient"),
    "n_nonzero": Fact("coefficients that are not 0", label="nonzeros"),
    "kkt_residual": Fact("largest violation of optimality", label="KKT residual"),
    "n_epochs": Fact("rounds over all coordinates", label="epochs"),
    "n_rounds": Fact("rounds over all rows", label="rounds"),
    "n_steps": Fact("steps of an inner search", label="steps"),
    "n_support_rows": Fact("rows whose loss counts at the end", label="support rows"),
    "separability": Fact("'separable', or 'touching' where rows lie on the boundary"),
    "smallest_margin": Fact("least lead of the true class's score over the next"),
    "family": Fact("how the response scatters about its mean"),
    "link": Fact("the function of the mean that is linear in x"),
    "deviance": Fact("twice the log-likelihood that the fit loses to a perfect one"),
    "null_deviance": Fact("the same, of the model with an intercept alone"),
    "dependent_columns": Fact("columns that follow from the others", label="dependent"),
    "noise_variance": Fact("variance of y about its mean given x"),
    "prior_variance": Fact("variance of the coefficients before any row"),
    "log_evidence": Fact("log of the probability of y under prior and noise"),
    "learning_rate": Fact("length of a step, in units of the gradient"),
    "largest_learning_rate": Fact("descent converges below", label="must be below"),
    "quantile": Fact("share of the rows that should lie below"),
    "minimizers": Fact("'one', 'several' or 'not known'"),
    "n_constraints": Fact("features whose means are to be met", label="constraints"),
    "n_errors": Fact("training rows on the wrong side", label="errors"),
    "bandwidth": Fact("tau, the width of the weights around a query"),
    "degrees_of_freedom": Fact("trace of the map from y to the fitted values"),
    "n_dots": Fact("points that are joined", label="dots"),
    "n_ties": Fact("rows that share their x with another", label="ties"),
    "n_rows_kept": Fact("training rows that the model holds", label="rows kept"),
    "training_error": Fact("mean squared error on the training rows"),
    "leave_one_out_error": Fact("mean squared error on rows left out one by one"),
    "expected_error": Fact("mean squared error to expect on new rows"),
}


def printed(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return label and words of each fact; what another one is 'of' is not repeated."""
    known = {name: FACTS.get(name, Fact("")) for name in facts}
    whole = {fact.of for fact in known.values()}
    return [
        (fact.label or name.replace("_", " "), _words(fact, name, facts))
        for name, fact in known.items()
        if name not in whole
    ]


def _words(fact: Fact, name: str, facts: Mapping[str, Any]) -> str:
    text = (fact.words or shown)(facts[name])
    return f"{text} of {shown(facts[fact.of])}" if fact.of in facts else text


def shown(value: Any) -> str:
    """Print a value that needs no words of its own."""
    if isinstance(value, bool):
        return yes_or_no(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return counts(value)
    if isinstance(value, list | tuple):
        return ", ".join(map(shown, value))
    return str(value)


def plain(value: Any) -> Any:
    """Return a fact as Python's own numbers, texts, lists and dicts.

    >>> import numpy as np
    >>> plain({"a": np.float64(1.5), "b": (np.int64(1), True)})
    {'a': 1.5, 'b': [1, True]}
    """
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def check_facts(facts: Mapping[str, Any]) -> None:
    """Refuse a fact that the table does not know; a test fits every estimator."""
    unknown = sorted(set(facts) - set(FACTS))
    if unknown:
        raise ValueError(f"no fact is called {', '.join(unknown)}")
