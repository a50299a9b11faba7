"""Which action heals which fault, and which actions are wasted on it.

Also known as: diagnose-to-fix table, what to try next, debugging a learning algorithm.

A fault has few cures, and most of what one could try is no cure of it:

    more rows, fewer features, more penalty        high variance                 (1)
    more features, polynomials, less penalty       high bias                     (2)
    more iterations, Newton's method               an optimiser that is not done (3)
    another penalty or objective                   an objective that is not the
                                                   one that counts               (4)

`REMEDIES` holds this table, with the faults that a table of data adds (leaks, shift,
noise in labels, ...).  `will_not_help` is its complement: for a fault, the actions that
people try most, which heal others only, each with the reason.

Course: S4-64. Reference: Ng (2018), Machine Learning Yearning, ch. 20-32.
"""

from __future__ import annotations

from dataclasses import dataclass

from corollary.core.errors import ParameterError, sentence

__all__ = ["FAULTS", "REMEDIES", "Remedy", "remedies_for", "will_not_help"]

#: Every fault by its name, with its title.
FAULTS: dict[str, str] = {
    "target_leak": "A column knows the target",
    "split_leak": "Rows of one group or time stand on both sides of the split",
    "duplicate_rows": "The same rows stand on both sides of the split",
    "shift": "The test rows are not like the training rows",
    "unconverged": "The optimiser has not converged",
    "bad_stage": "A stage of the pipeline does harm",
    "wrong_objective": "What is minimised is not what counts",
    "class_skew": "A rare class is passed over",
    "label_noise": "Some labels are wrong",
    "high_bias": "High bias: the model is too stiff",
    "high_variance": "High variance: the model is too flexible",
    "little_data": "Too little data",
    "collinearity": "Columns say the same thing twice",
    "no_signal": "The columns do not tell the target",
    "healthy": "No fault found",
}


@dataclass(frozen=True)
class Remedy:
    """One action.

    Attributes
    ----------
    key : str
        Its name.
    words : str
        What to do.
    fixes : tuple of str
        The faults it heals, of `FAULTS`.
    course : bool
        Whether it stands in the table (1)-(4) of the textbook.
    """

    key: str
    words: str
    fixes: tuple[str, ...]
    course: bool = False


#: Actions, those that heal a fault most directly first.
REMEDIES: tuple[Remedy, ...] = (
    # -- the data ----------------------------------------------------------------------
    Remedy("drop_column", "Drop the columns that know the target.", ("target_leak",)),
    Remedy(
        "structured_split",
        "Split by the group or the time, and compare models by that.",
        ("split_leak",),
    ),
    Remedy("drop_duplicates", "Drop the repeated rows.", ("duplicate_rows",)),
    Remedy(
        "like_rows",
        "Fit to rows like those to come: new ones, or weights by their likeness.",
        ("shift",),
    ),
    Remedy("clean_labels", "Check the suspicious labels.", ("label_noise",)),
    Remedy("drop_copies", "Drop the columns that others imply.", ("collinearity",)),
    # -- the pipeline and the objective ------------------------------------------------
    Remedy("replace_stage", "Leave the stage out, or replace it.", ("bad_stage",)),
    Remedy("scale", "Scale the features.", ("bad_stage", "unconverged")),
    Remedy("class_weights", "Weigh the classes equally.", ("class_skew",)),
    Remedy("threshold", "Move the threshold.", ("class_skew", "wrong_objective")),
    Remedy(
        "robust_loss", "Use a loss that outliers do not lead.", ("wrong_objective",)
    ),
    Remedy("objective", "Minimise what counts.", ("wrong_objective",), True),
    Remedy("other_penalty", "Choose the penalty again.", ("wrong_objective",), True),
    # -- the optimiser -----------------------------------------------------------------
    Remedy("more_iterations", "Run the optimiser longer.", ("unconverged",), True),
    Remedy("newton", "Use Newton's method.", ("unconverged",), True),
    # -- the model ---------------------------------------------------------------------
    Remedy("less_penalty", "Lower the penalty.", ("high_bias",), True),
    Remedy("polynomials", "Add polynomial features.", ("high_bias",), True),
    Remedy("flexible_model", "Use a more flexible model.", ("high_bias",)),
    Remedy("more_features", "Add features.", ("high_bias", "no_signal"), True),
    Remedy("more_penalty", "Raise the penalty.", ("high_variance",), True),
    Remedy("stable_model", "Use a model that varies less.", ("high_variance",)),
    Remedy("fewer_features", "Use fewer features.", ("high_variance",), True),
    Remedy("more_rows", "Get more rows.", ("little_data", "high_variance"), True),
)

#: Actions that people try first, whatever the fault.
USUAL = (
    "more_rows",
    "flexible_model",
    "more_penalty",
    "less_penalty",
    "more_iterations",
    "more_features",
    "fewer_features",
    "newton",
    "polynomials",
)

WHY_NOT: dict[str, str] = {
    "target_leak": "the score is that of the leak; compare nothing before it is gone",
    "split_leak": "scores under the random split reward what will not be there",
    "duplicate_rows": "scores of rows that were seen in training say nothing",
    "shift": "the loss arises where the training rows are not",
    "unconverged": "the fit is not yet the minimum of its own objective",
    "bad_stage": "what the stage destroys cannot be learned after it",
    "wrong_objective": "a better minimum of the wrong objective is not what counts",
    "class_skew": "the loss that is minimised hardly counts the rare class",
    "label_noise": "wrong labels cannot be predicted from the columns",
    "collinearity": "the predictions are not at fault",
    "no_signal": "no model finds in these columns what is not there",
    "healthy": "the model is as good as others on these columns",
}

#: Reasons where an action does harm, or nothing at all.
PAIRS: dict[tuple[str, str], str] = {
    ("high_bias", "more_rows"): "the training loss is as high as the others: "
    "with more rows both stay where they are",
    ("high_bias", "more_penalty"): "it makes the model stiffer still",
    ("high_bias", "fewer_features"): "it takes away what the model could still use",
    ("high_bias", "more_iterations"): "the objective is minimised; its minimum is high",
    ("high_bias", "newton"): "the objective is minimised; its minimum is high",
    ("high_variance", "less_penalty"): "it lets the model follow more noise",
    ("high_variance", "more_features"): "it gives the model more noise to follow",
    ("high_variance", "polynomials"): "it gives the model more noise to follow",
    ("high_variance", "flexible_model"): "the training loss is low already",
    ("high_variance", "more_iterations"): "a lower training loss is not what lacks",
    ("high_variance", "newton"): "a lower training loss is not what lacks",
    ("little_data", "flexible_model"): "it needs more rows still",
    ("little_data", "less_penalty"): "it needs more rows still",
    ("little_data", "more_features"): "each needs rows to learn its effect from",
    ("little_data", "more_iterations"): "the fit is right for the rows that there are",
    ("no_signal", "more_rows"): "the loss is that of a constant at every size",
}


def remedies_for(fault: str) -> tuple[Remedy, ...]:
    """Return the actions that heal a fault, the most direct first.

    Parameters
    ----------
    fault : str
        A name of `FAULTS`.

    Returns
    -------
    tuple of Remedy

    Examples
    --------
    >>> [remedy.key for remedy in remedies_for("unconverged")]
    ['scale', 'more_iterations', 'newton']
    """
    known(fault)
    return tuple(remedy for remedy in REMEDIES if fault in remedy.fixes)


def will_not_help(fault: str, count: int = 3) -> tuple[tuple[str, str], ...]:
    """Return usual actions that do not heal a fault, each with the reason.

    Parameters
    ----------
    fault : str
        A name of `FAULTS`.
    count : int, default=3
        The most to return.

    Returns
    -------
    tuple of (key, reason)

    Examples
    --------
    >>> for key, why in will_not_help("high_bias", 2):
    ...     print(f"{key}: {why}")
    more_rows: the training loss is as high as the others: with more rows both stay \
where they are
    more_penalty: it makes the model stiffer still
    """
    known(fault)
    heals = {remedy.key for remedy in remedies_for(fault)}
    others = [key for key in USUAL if key not in heals]
    direct = [key for key in others if (fault, key) in PAIRS]
    general = [key for key in others if key not in direct and fault in WHY_NOT]
    ranked = [(key, PAIRS[fault, key]) for key in direct]
    return tuple(ranked + [(key, WHY_NOT[fault]) for key in general])[:count]


def known(fault: str) -> None:
    """Refuse a fault that has no name here."""
    if fault not in FAULTS:
        must = f"a fault must be one of {', '.join(FAULTS)}"
        raise ParameterError(sentence("remedies_for", must, f"{fault!r}"))
