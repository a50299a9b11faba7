"""Estimators that fit other estimators: they delegate, and join the reports.

A cost-sensitive classifier, one against the rest, a text classifier: each learns by
fitting estimators inside it, of Corollary or of anybody else.  The driver does for it
what it does for every fit; the report is made of the reports of those inside.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self

from sklearn.utils.validation import has_fit_parameter

from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import Rule
from corollary.core.report import Report, StopReason
from corollary.engine.callbacks import given_rows, is_heard
from corollary.engine.fit import Fitted, conduct

__all__ = ["Inside", "MetaLearner", "fit_with_weights"]


class Inside(NamedTuple):
    """The estimators inside a fit, and what to add to their reports."""

    estimators: Sequence[Any]
    rows: int | None = None  # seen in all, where the only estimator does not say so
    facts: Mapping[str, Any] = MappingProxyType({})
    warnings: Sequence[str] = ()
    stop: StopReason | None = None


class MetaLearner(ABC):
    """Learns by fitting other estimators."""

    rules: ClassVar[Mapping[str, Rule]]
    prefit: bool = False  # whether the estimators inside are fitted already

    @abstractmethod
    def delegate(self, X: Any, y: Any, sample_weight: Any) -> Inside:
        """Fit the estimators inside, set what users read, and return them."""

    def publish(self, fitted: Fitted) -> None:  # noqa: B027
        """Do nothing: `delegate` has set what users read."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the estimators inside.

        Parameters
        ----------
        X, y, sample_weight
            As the estimators inside take them; y and weights are None where a source
            carries them.

        Returns
        -------
        self
        """
        given = given_rows(X, y, sample_weight) if is_heard(self) else {}
        return self._fit_by(partial(self.delegate, X, y, sample_weight), given)

    def _fit_by(
        self,
        delegate: Callable[[], Inside],
        given: Mapping[str, Any] = MappingProxyType({}),
    ) -> Self:
        def learn(report: Report) -> Fitted:
            inside = delegate()
            join(report, [getattr(one, "report_", None) for one in inside.estimators])
            report.rows = report.rows if inside.rows is None else inside.rows
            report.stop = inside.stop or report.stop
            report.facts |= inside.facts
            report.warnings += inside.warnings
            return Fitted(None, None, None, report)

        conduct(self, learn, warns=False, raises=not self.prefit, given=given)
        return self


def join(report: Report, inner: Sequence[Report | None]) -> None:
    """Make one report of those inside: the only one, or the sum of several."""
    known = [one for one in inner if one is not None]
    report.stop, report.passes = StopReason.DELEGATED, 0
    if len(known) == len(inner) == 1:
        for name in (field.name for field in fields(Report) if field.name != "learner"):
            value = getattr(known[0], name)
            copied = value.copy() if isinstance(value, list | dict) else value
            setattr(report, name, copied)
    elif known:
        reasons = [one.stop for one in known]
        short = [reason for reason in reasons if reason.remedy]
        report.stop = (short or reasons)[0]
        report.passes = sum(one.passes for one in known)
        report.reads = sum(one.reads for one in known)
        worst = max(known, key=lambda one: one.optimality.value or 0.0)
        report.optimality, report.source = worst.optimality, worst.source


def fit_with_weights(
    who: Any, estimator: Any, X: Any, y: Any = None, sample_weight: Any = None
) -> Any:
    """Fit an estimator, passing weights on; refuse where it cannot take them."""
    given = {} if y is None else {"y": y}
    if sample_weight is None:
        return estimator.fit(X, **given)
    if not has_fit_parameter(estimator, "sample_weight"):
        must = "sample_weight needs an estimator that takes it"
        raise ParameterError(sentence(who, must, f"a {type(estimator).__name__}"))
    return estimator.fit(X, sample_weight=sample_weight, **given)
