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
    "estimator": Fact("class of the estimators inside"),
    "n_members": Fact("estimators inside", label="members"),
    "n_steps": Fact("steps of a search, in all epochs and machines", label="steps"),
    "eta0": Fact("the first learning rate"),
    "objective": Fact("the objective at the weights that are kept"),
    # -- what the rows show ------------------------------------------------------------
    "separated": Fact("whether no row is on the wrong side", words=yes_or_no),
    "n_mistakes": Fact("updates of a perceptron, of each machine", label="mistakes"),
    "mistake_bound": Fact("Novikoff's bound on the mistakes", label="mistakes <="),
    "unclaimed_share": Fact(
        "rows that no class claims", label="claimed by none", words=share
    ),
    "contested_share": Fact(
        "rows that several classes claim", label="by several", words=share
    ),
    "likelihood_gain": Fact("log-likelihood gained over the values as they are"),
    "log_columns": Fact("columns that a logarithm suits", label="log suits"),
    "sqrt_columns": Fact("columns that a square root suits", label="root suits"),
    "plain_columns": Fact("columns that need no transform", label="as they are"),
    "n_missing": Fact("values that are missing", label="missing values"),
    "missing_share": Fact("share of the values that are missing", words=share),
    "n_words": Fact("words of the vocabulary", label="words"),
    # -- the decision ------------------------------------------------------------------
    "n_actions": Fact("actions to choose from, without refusal", label="actions"),
    "reject_cost": Fact("cost of refusing to decide", label="refusal costs"),
    "priors_changed": Fact(
        "whether other priors hold than in training", words=yes_or_no
    ),
    # -- the size of the model ---------------------------------------------------------
    "n_features": Fact("columns of X", label="features"),
    "n_features_used": Fact(
        "features that matter", label="features used", of="n_features"
    ),
    "n_features_out": Fact("columns that `transform` makes", label="new columns"),
    "n_parameters": Fact("free parameters of the model", label="parameters"),
    "rows_per_parameter": Fact("rows for each free parameter"),
    "n_clusters": Fact("clusters", label="clusters"),
    "n_landmarks": Fact("rows that the features compare with", label="landmarks"),
    "n_rows_kept": Fact(
        "training rows that the model keeps", label="rows kept", of="n_rows"
    ),
    "rank": Fact("rank of the columns of X", of="n_features"),
    "rank_within": Fact("rank of the scatter within the classes", of="n_features"),
    "n_components": Fact("components kept", label="components", of="n_features"),
    # -- what it assumes, and how good it is -------------------------------------------
    "law": Fact("the distribution of the rows"),
    "densities": Fact("the kind of density that each class has"),
    "kernel": Fact("the kernel, as a formula"),
    "error_bound": Fact("the error of the kernel on all pairs is below"),
    "confidence": Fact("the probability with which a bound holds"),
    "mean_error_bound": Fact(
        "the error of the kernel, on average over draws, is below"
    ),
    "least_covered": Fact("similarity of the farthest row to its landmark"),
    "variance_kept": Fact("share of the variance that is kept", words=share),
    # -- linear models -----------------------------------------------------------------
    "gradient": Fact("largest entry of the gradient, or of the least subgradient"),
    "n_nonzero": Fact("coefficients that are not 0", label="nonzeros"),
    "kkt_residual": Fact("largest violation of optimality", label="KKT residual"),
    "n_epochs": Fact("rounds over all coordinates", label="epochs"),
    "n_rounds": Fact("rounds over all rows", label="rounds"),
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
    "n_dots": Fact("points that are joined", label="dots"),
    "n_ties": Fact("rows that share their x with another", label="ties"),
    "training_error": Fact("mean squared error on the training rows"),
    "leave_one_out_error": Fact("mean squared error on rows left out one by one"),
    "expected_error": Fact("mean squared error to expect on new rows"),
    # -- kernel machines ---------------------------------------------------------------
    "kkt_violation": Fact("worst violation of optimality", label="KKT violation"),
    "n_pairs": Fact("pairs of variables that the search moved", label="pairs moved"),
    "n_kernel_rows": Fact("rows of the kernel matrix computed", label="kernel rows"),
    "n_free": Fact("coefficients between their bounds", label="free"),
    "n_at_bound": Fact("coefficients at their bound", label="at the bound"),
    "n_rows": Fact("rows that weigh something", label="rows"),
    "roles": Fact("how many rows have each role"),
    "margin": Fact("distance of the nearest rows to the hyperplane, 1 / ||w||"),
    "intercept_interval": Fact(
        "every intercept in it is optimal",
        label="intercept",
        words=lambda value: f"every b in {interval(value)} is optimal",
    ),
    "nu": Fact("the share that is asked for", words=share),
    "share_at_bound": Fact("weight of the rows at the bound, <= nu", words=share),
    "share_support": Fact("weight of the support vectors, >= nu", words=share),
    "equivalent_C": Fact("the price with which SVC is the same machine"),
    "epsilon": Fact("width of the tube that was found"),
    "radius": Fact("radius of the ball"),
    "verdict": Fact("whether a hyperplane separates the classes"),
    "n_joint_pairs": Fact("pairs of classes not separable", label="joint pairs"),
    "soft_C": Fact("price of the machine with slack that is kept instead"),
    "share_above": Fact("weight of the rows above the curve", words=share),
    "share_below": Fact("weight of the rows below the curve", words=share),
    "n_on_curve": Fact("rows on the curve", label="on the curve"),
    "kernel_rank": Fact("rank of the kernel matrix", of="n_rows_kept"),
    "dimension": Fact("dimensions that the rows span in feature space"),
    "degrees_of_freedom": Fact("trace of the smoother, perhaps for each alpha"),
    "n_pivots": Fact("rows of the preconditioner", label="pivots"),
    "last_width": Fact("width of the last envelope of the loss"),
    "convex": Fact("whether the minimum is known to be the only one", words=yes_or_no),
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
