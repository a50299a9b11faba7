"""Ceiling analysis: which stage of a pipeline to work on next.

Also known as: oracle stages, ground truth stage by stage, pipeline bottleneck.

Data flows through stages x -> s_1 -> s_2 -> ... -> s_S, and the last output is scored.
With the true output t_k of each stage in its place, from the first on,

    a_0 = score(s_S(... s_1(x)))
    a_k = score(s_S(... s_{k+1}(t_k))),      a_S = score(t_S)                    (1)

the gain a_k - a_{k-1} is what a perfect stage k would bring (`error_analysis`).  Text
detection, segmentation and recognition that score 72, 89, 90, 100 have the gains 17, 1
and 10: the detection is worth most, years of work on the segmentation 1 at most.

A stage whose truth is not known cannot be replaced; it is judged together with the next
one that can.

Notation: a = scores; t = truth.
Course: S4-36. Reference: Ng, Machine Learning, application example: photo OCR.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.diagnostics.error_analysis import (
    ErrorAnalysis,
    analysed,
    named_components,
)

__all__ = ["ceiling_analysis", "pipeline_stages"]

WHO = "ceiling_analysis"
Stage = tuple[str, Callable[[Any], Any]]


def ceiling_analysis(
    stages: Any,
    X: Any,
    truth: Mapping[str, Any] | Sequence[Any],
    score: Callable[[Any], Any] | None = None,
) -> ErrorAnalysis:
    """Give each stage of a pipeline its perfect output in turn; score the whole (1).

    Parameters
    ----------
    stages : sequence of (name, function), or fitted scikit-learn Pipeline
        Functions from the output of the stage before to their own; the steps of a
        pipeline transform, and the last one predicts.
    X : input of the first stage
    truth : dict of name to true output, or sequence of true outputs
        Of the stages; None, or no entry, for a stage whose truth is not known.  The
        last one is what `score` is perfect for.
    score : function of the last output -> float or array of shape (n,), optional
        One number, more is better, or one for each row, which gives standard errors.
        By default whether each label is right, or minus the squared error, against the
        truth of the last stage.

    Returns
    -------
    ErrorAnalysis

    Examples
    --------
    A chain whose first stage spoils a letter, and whose second one may drop it:

    >>> from corollary.diagnostics import ceiling_analysis
    >>> stages = [
    ...     ("read", lambda words: [w.replace("o", "0") for w in words]),
    ...     ("clean", lambda words: [w.strip("!") for w in words]),
    ... ]
    >>> X, clean = ["word!", "text", "look", "hi!!"], ["word", "text", "look", "hi"]
    >>> found = ceiling_analysis(
    ...     stages, X, [X, clean],
    ...     score=lambda out: [a == b for a, b in zip(out, clean)],
    ... )
    >>> found.scores.tolist(), found.ranking[0]
    ([0.5, 1.0, 1.0], 'read')
    """
    chain = _chain(stages)
    names = [name for name, _ in chain]
    known = _truths(names, truth)
    last = known[names[-1]]
    judge = _against(stages, last) if score is None else score
    if not callable(judge):
        raise ParameterError(sentence(WHO, "score must be a function", shown(score)))
    replaced = [name for name in names if known[name] is not None]
    outputs = [_run(chain, X)]
    for name in replaced:
        k = names.index(name)
        outputs.append(_run(chain[k + 1 :], known[name]))
    return analysed(WHO, _joined(names, replaced), [judge(one) for one in outputs])


def pipeline_stages(pipeline: Any) -> list[Stage]:
    """Return the steps of a fitted pipeline as stages of functions.

    Parameters
    ----------
    pipeline : fitted scikit-learn Pipeline

    Returns
    -------
    list of (name, function)
        All but the last one transform; the last one predicts, or transforms.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from corollary import LinearRegression, StandardScaler
    >>> from corollary.diagnostics import pipeline_stages
    >>> X, y = np.arange(6.0)[:, None], np.arange(6.0)
    >>> model = make_pipeline(StandardScaler(), LinearRegression()).fit(X, y)
    >>> [name for name, _ in pipeline_stages(model)]
    ['standardscaler', 'linearregression']
    """
    if not isinstance(pipeline, Pipeline):
        must = "pipeline must be a Pipeline"
        raise ParameterError(sentence("pipeline_stages", must, shown(pipeline)))
    check_is_fitted(pipeline)
    found: list[Stage] = []
    for i, (name, step) in enumerate(pipeline.steps):
        if step is None or step == "passthrough":
            found.append((name, lambda rows: rows))
            continue
        last = i + 1 == len(pipeline.steps)
        act = "predict" if last and hasattr(step, "predict") else "transform"
        found.append((name, getattr(step, act)))
    return found


def _chain(stages: Any) -> list[Stage]:
    """Return stages as names and functions."""
    if isinstance(stages, Pipeline):
        return pipeline_stages(stages)
    must = "stages must be pairs of a name and a function, or a fitted Pipeline"
    pairs = stages.items() if isinstance(stages, Mapping) else stages
    if not np.iterable(pairs) or isinstance(pairs, str):
        raise ParameterError(sentence(WHO, must, shown(stages)))
    found = [tuple(pair) if np.iterable(pair) else (pair,) for pair in pairs]
    if any(len(pair) != 2 or not callable(pair[1]) for pair in found):
        raise ParameterError(sentence(WHO, must, shown(stages)))
    named_components(WHO, [name for name, _ in found])
    return [(str(name), act) for name, act in found]


def _truths(names: list[str], truth: Any) -> dict[str, Any]:
    """Return the truth of each stage, None where it is not known."""
    if isinstance(truth, Mapping):
        strange = [name for name in truth if name not in names]
        if strange:
            must = f"truth must name stages among {', '.join(names)}"
            raise ParameterError(sentence(WHO, must, shown(strange[0])))
        found = {name: truth.get(name) for name in names}
    else:
        given = list(truth) if np.iterable(truth) else []
        if len(given) != len(names):
            must = f"truth must have an entry for each of {len(names)} stages"
            raise DataError(sentence(WHO, must, f"{len(given)}"))
        found = dict(zip(names, given, strict=True))
    if found[names[-1]] is None:
        must = f"truth of the last stage, {names[-1]!r}, must be given"
        raise DataError(sentence(WHO, must, "none"))
    return found


def _joined(names: list[str], replaced: list[str]) -> tuple[str, ...]:
    """Return the names of stages, with those before them that cannot be replaced."""
    found, waiting = [], []
    for name in names:
        waiting.append(name)
        if name in replaced:
            found.append(" + ".join(waiting))
            waiting = []
    return tuple(found)


def _run(chain: list[Stage], given: Any) -> Any:
    for _, act in chain:
        given = act(given)
    return given


def _against(stages: Any, truth: Any) -> Callable[[Any], Floats]:
    """Return the usual score of labels or numbers, row by row."""
    y = np.asarray(truth)
    labels = y.dtype.kind not in "fiub"
    if isinstance(stages, Pipeline):
        labels = is_classifier(stages)

    def score(output: Any) -> Floats:
        said = np.asarray(output)
        if said.shape != y.shape or y.ndim != 1:
            must = "score must be given where the last output is not one column"
            raise DataError(sentence(WHO, must, f"{said.shape} and {y.shape}"))
        if labels:
            return (said == y).astype(np.float64)
        return -((said.astype(np.float64) - y) ** 2)

    return score
