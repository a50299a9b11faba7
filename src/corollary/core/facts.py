"""The facts of a report: values under documented names, and the words for them.

A fit notes what it knows as values, `report.facts["rank"] = 3`.  The table below says
what each name means, of what kind it is and how it is printed; no other module turns a
fact into words, and none reads the words back.

>>> from corollary.core.facts import printed
>>> printed({"rank": 3, "n_features": 5, "variance_kept": 0.9871})
[('rank', '3 of 5'), ('variance kept', '98.71%')]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any, NamedTuple, get_args, get_origin

import numpy as np

__all__ = ["FACTS", "Fact", "check_facts", "known_values", "plain", "printed"]

PLAIN = frozenset((bool, int, float, str, type(None)))  # values as they should be


class Fact(NamedTuple):
    """What a fact means, and how it is printed."""

    meaning: str
    kind: Any = float  # of its value
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
    "solver": Fact("the method that minimised the objective", kind=str),
    "route": Fact(
        "the sums or the decomposition that the solution came from", kind=str
    ),
    "estimator": Fact("class of the estimators inside", kind=str),
    "chosen_alpha": Fact("the penalty that held-out rows chose", kind=float | list),
    "chosen_l1_ratio": Fact("the share of the L1 penalty that held-out rows chose"),
    "held_out_error": Fact("mean squared error of held-out rows at the choice"),
    "choice_at_end": Fact(
        "the end of the penalties tried at which the chosen one stands",
        kind=str,
        label="chosen alpha",
        words=lambda end: f"the {end} one tried: try more beyond it",
    ),
    "n_members": Fact("estimators inside", kind=int, label="members"),
    "n_steps": Fact(
        "steps of a search, in all epochs and machines",
        kind=int | list[int],
        label="steps",
    ),
    "eta0": Fact("the first learning rate"),
    "objective": Fact("the objective at the weights that are kept"),
    # -- what the rows show ------------------------------------------------------------
    "separated": Fact(
        "whether no row is on the wrong side", kind=bool, words=yes_or_no
    ),
    "n_mistakes": Fact(
        "updates of a perceptron, of each machine",
        kind=int | list[int],
        label="mistakes",
    ),
    "mistake_bound": Fact("Novikoff's bound on the mistakes", label="mistakes <="),
    "unclaimed_share": Fact(
        "rows that no class claims", label="claimed by none", words=share
    ),
    "contested_share": Fact(
        "rows that several classes claim", label="by several", words=share
    ),
    "n_quantiles": Fact("quantiles that are knots", kind=int, label="quantiles"),
    "rank_error": Fact("how far a rank may be off, at most, as a share of the rows"),
    "log_columns": Fact(
        "columns that a logarithm suits", kind=list[int], label="log suits"
    ),
    "sqrt_columns": Fact(
        "columns that a square root suits", kind=list[int], label="root suits"
    ),
    "plain_columns": Fact(
        "columns that need no transform", kind=list[int], label="as they are"
    ),
    "n_missing": Fact("values that are missing", label="missing values"),
    "missing_share": Fact("share of the values that are missing", words=share),
    "n_words": Fact("words of the vocabulary", kind=int, label="words"),
    # -- ensembles ---------------------------------------------------------------------
    "ended_by": Fact("what ended the rounds", kind=str, label="ended by"),
    "error_rate": Fact("share of the training rows misclassified", words=share),
    "error_rate_bound": Fact(
        "the product of the Z of all rounds, which the error rate cannot exceed",
        label="error rate <=",
    ),
    "edge_bound": Fact(
        "exp(-2 sum of squared edges), which that product cannot exceed", label="<="
    ),
    "least_margin": Fact("least lead of the votes for the true class, as a share"),
    # -- the decision ------------------------------------------------------------------
    "n_actions": Fact(
        "actions to choose from, without refusal", kind=int, label="actions"
    ),
    "reject_cost": Fact("cost of refusing to decide", label="refusal costs"),
    "priors_changed": Fact(
        "whether other priors hold than in training", kind=bool, words=yes_or_no
    ),
    # -- the size of the model ---------------------------------------------------------
    "n_features": Fact("columns of X", kind=int, label="features"),
    "n_features_used": Fact(
        "features that matter", kind=int, label="features used", of="n_features"
    ),
    "n_features_out": Fact(
        "columns that `transform` makes", kind=int, label="new columns"
    ),
    "n_values": Fact("distinct values of all columns", kind=int, label="values"),
    "n_nodes": Fact("nodes of a tree, leaves included", kind=int, label="nodes"),
    "n_rules": Fact("rules, the default included", kind=int, label="rules"),
    "n_conditions": Fact("conditions of all rules", kind=int, label="conditions"),
    "collision_share": Fact(
        "values in one column with another", label="collisions", words=share
    ),
    "n_parameters": Fact("free parameters of the model", kind=int, label="parameters"),
    "rows_per_parameter": Fact("rows for each free parameter"),
    "n_clusters": Fact("clusters", kind=int, label="clusters"),
    "n_trees": Fact("trees of a forest", kind=int, label="trees"),
    "n_leaves": Fact("leaves of a tree, or of all trees", kind=int, label="leaves"),
    "depth": Fact("splits on the longest way down", kind=int),
    "out_of_bag_score": Fact("score of rows by the members fitted without them"),
    "n_landmarks": Fact(
        "rows that the features compare with", kind=int, label="landmarks"
    ),
    "n_rows_kept": Fact(
        "training rows that the model keeps", kind=int, label="rows kept", of="n_rows"
    ),
    "n_neighbors": Fact("rows that answer a query", kind=int, label="neighbours"),
    "distance": Fact("how far apart two rows are", kind=str),
    "rank": Fact("rank of the columns of X", kind=int, of="n_features"),
    "rank_within": Fact(
        "rank of the scatter within the classes", kind=int, of="n_features"
    ),
    "n_components": Fact(
        "components kept", kind=int, label="components", of="n_features"
    ),
    # -- what it assumes, and how good it is -------------------------------------------
    "law": Fact("the distribution of the rows", kind=str),
    "densities": Fact("the kind of density that each class has", kind=str),
    "kernel": Fact("the kernel, as a formula", kind=str),
    "error_bound": Fact("the error of the kernel on all pairs is below"),
    "confidence": Fact("the probability with which a bound holds"),
    "mean_error_bound": Fact(
        "the error of the kernel, on average over draws, is below"
    ),
    "least_covered": Fact("similarity of the farthest row to its landmark"),
    "variance_kept": Fact("share of the variance that is kept", words=share),
    # -- linear models -----------------------------------------------------------------
    "gradient": Fact("largest entry of the gradient, or of the least subgradient"),
    "n_nonzero": Fact("coefficients that are not 0", kind=int, label="nonzeros"),
    "kkt_residual": Fact("largest violation of optimality", label="KKT residual"),
    "n_epochs": Fact("rounds over all coordinates", kind=int, label="epochs"),
    "n_rounds": Fact("rounds over all rows", kind=int, label="rounds"),
    "n_support_rows": Fact(
        "rows whose loss counts at the end", kind=int, label="support rows"
    ),
    "separability": Fact(
        "'separable', or 'touching' where rows lie on the boundary", kind=str
    ),
    "smallest_margin": Fact("least lead of the true class's score over the next"),
    "family": Fact("how the response scatters about its mean", kind=str),
    "link": Fact("the function of the mean that is linear in x", kind=str),
    "deviance": Fact("twice the log-likelihood that the fit loses to a perfect one"),
    "null_deviance": Fact("the same, of the model with an intercept alone"),
    "dependent_columns": Fact(
        "columns that follow from the others", kind=list[int | str], label="dependent"
    ),
    "noise_variance": Fact("variance of y about its mean given x"),
    "prior_variance": Fact("variance of the coefficients before any row"),
    "log_evidence": Fact("log of the probability of y under prior and noise"),
    "learning_rate": Fact("length of a step, in units of the gradient"),
    "largest_learning_rate": Fact("descent converges below", label="must be below"),
    "quantile": Fact("share of the rows that should lie below"),
    "minimizers": Fact("'one', 'several' or 'not known'", kind=str),
    "n_constraints": Fact(
        "features whose means are to be met", kind=int, label="constraints"
    ),
    "n_errors": Fact("weight of the training rows on the wrong side", label="errors"),
    "bandwidth": Fact("tau, the width of the weights around a query"),
    "n_dots": Fact("points that are joined", kind=int, label="dots"),
    "n_ties": Fact("weight of the rows that share their x with others", label="ties"),
    "training_error": Fact("mean squared error on the training rows"),
    "leave_one_out_error": Fact("mean squared error on rows left out one by one"),
    "expected_error": Fact("mean squared error to expect on new rows"),
    "noise_scale": Fact("scale of the noise, found beside the coefficients"),
    "n_outliers": Fact("rows beyond the bound of a robust fit", label="outliers"),
    "n_subsets": Fact(
        "subsets of the rows that were fitted", kind=int, label="subsets"
    ),
    "breakdown": Fact("share of wild rows that is harmless", words=share),
    "stop_rule": Fact("the parameter that ended the draws", kind=str),
    "clean_draw": Fact("probability that a draw held inliers alone", words=share),
    "n_trials": Fact("draws of a few rows", kind=int, label="draws"),
    "n_inliers": Fact(
        "rows that agree with the model", kind=int, label="inliers", of="n_rows"
    ),
    "threshold": Fact("residual up to which a row agrees"),
    "n_updates": Fact("rows that moved the weights, in all passes", label="updates"),
    "rested": Fact("whether the last pass moved nothing", kind=bool, words=yes_or_no),
    # -- conformal sets ----------------------------------------------------------------
    "n_calibration": Fact(
        "rows whose scores say how far a set reaches",
        kind=int,
        label="calibration",
    ),
    "coverage_at_least": Fact(
        "how often a set holds the truth, at least", label="coverage >="
    ),
    "coverage_at_most": Fact(
        "the same, at most, where no scores are equal", label="coverage <="
    ),
    "score_bound": Fact("the largest score inside a set"),
    # -- kernel machines ---------------------------------------------------------------
    "kkt_violation": Fact("worst violation of optimality", label="KKT violation"),
    "n_pairs": Fact(
        "pairs of variables that the search moved", kind=int, label="pairs moved"
    ),
    "n_kernel_rows": Fact(
        "rows of the kernel matrix computed", kind=int, label="kernel rows"
    ),
    "n_free": Fact("coefficients between their bounds", kind=int, label="free"),
    "n_at_bound": Fact("coefficients at their bound", kind=int, label="at the bound"),
    "n_rows": Fact("rows that weigh something", kind=int, label="rows"),
    "roles": Fact("how many rows have each role", kind=dict[str, int]),
    "margin": Fact("distance of the nearest rows to the hyperplane, 1 / ||w||"),
    "intercept_interval": Fact(
        "every intercept in it is optimal",
        kind=list[float],
        label="intercept",
        words=lambda value: f"every b in {interval(value)} is optimal",
    ),
    "nu": Fact("the share that is asked for", words=share),
    "share_at_bound": Fact("weight of the rows at the bound, <= nu", words=share),
    "share_support": Fact("weight of the support vectors, >= nu", words=share),
    "equivalent_C": Fact("the price with which SVC is the same machine"),
    "epsilon": Fact("width of the tube that was found"),
    "radius": Fact("radius of the ball"),
    "verdict": Fact("whether a hyperplane separates the classes", kind=str),
    "n_joint_pairs": Fact(
        "pairs of classes not separable", kind=int, label="joint pairs"
    ),
    "soft_C": Fact("price of the machine with slack that is kept instead"),
    "share_above": Fact("weight of the rows above the curve", words=share),
    "share_below": Fact("weight of the rows below the curve", words=share),
    "n_on_curve": Fact("rows on the curve", kind=int, label="on the curve"),
    "kernel_rank": Fact("rank of the kernel matrix", kind=int, of="n_rows_kept"),
    "dimension": Fact("dimensions that the rows span in feature space", kind=int),
    "degrees_of_freedom": Fact(
        "trace of the smoother, perhaps for each alpha", kind=float | list[float]
    ),
    "n_pivots": Fact("rows of the preconditioner", kind=int, label="pivots"),
    "last_width": Fact("width of the last envelope of the loss"),
    "convex": Fact(
        "whether the minimum is known to be the only one", kind=bool, words=yes_or_no
    ),
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
    if type(value) in PLAIN:
        return value
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def known_values(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts as plain values, whole numbers as floats where the table says so.

    >>> import numpy as np
    >>> known_values({"rank": np.int64(3), "nu": 1})
    {'rank': 3, 'nu': 1.0}
    """
    found = {name: plain(value) for name, value in facts.items()}
    for name, value in found.items():
        if name in FACTS and FACTS[name].kind is float and type(value) is int:
            found[name] = float(value)
    return found


def check_facts(facts: Mapping[str, Any]) -> None:
    """Refuse facts that the table does not know, or values of another kind.

    A test fits every estimator and calls this.
    """
    for name, value in facts.items():
        if name not in FACTS:
            raise ValueError(f"no fact is called {name}")
        if not of_kind(value, FACTS[name].kind):
            raise ValueError(f"fact {name} must be {FACTS[name].kind}; got {value!r}")


def of_kind(value: Any, kind: Any) -> bool:
    """Tell whether a value is of a kind, such as ``int | list[int]``.

    >>> of_kind([1, 2], int | list[int]), of_kind(True, int), of_kind({"a": 1.0}, dict)
    (True, False, True)
    """
    args = get_args(kind)
    if isinstance(kind, UnionType):
        return any(of_kind(value, one) for one in args)
    if not args:
        return type(value) is kind
    if type(value) is not get_origin(kind):
        return False
    if isinstance(value, dict):
        pairs = value.items()
        return all(of_kind(a, args[0]) and of_kind(b, args[1]) for a, b in pairs)
    return all(of_kind(part, args[0]) for part in value)
