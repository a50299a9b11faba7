"""scikit-learn's callbacks: hooks around a fit, its iterations and its conclusion.

    fit
      iteration 0, 1, ...   one pass over the rows, or one epoch, with a step
      conclusion            a last look at the data with what was found

At the beginning and at the end of each task a callback gets the estimator as if the fit
had stopped there, and the rows if they are an array.  A callback whose
`on_fit_task_end` returns True ends the fit.  Without callbacks all of this costs one
look at an attribute.

Needs scikit-learn 1.9, whose `CallbackSupportMixin` documents how estimators call them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from corollary.core.report import StopReason
from corollary.engine.data import Data
from corollary.engine.sources.source import ArraySource

__all__ = ["Tasks", "called_back"]

Attributes = Callable[[Any, Any, int], dict[str, Any]]  # of a learner after a step


def called_back(learner: Any, work: Callable[[], Any]) -> Any:
    """Do the work of a fit between the hooks of its callbacks, if it has any."""
    if not getattr(learner, "_skl_callbacks", None):
        return work()
    from sklearn.callback import CallbackSupportMixin, with_callbacks

    def whole(learner: Any) -> Any:
        begin = CallbackSupportMixin._init_callback_context
        root = begin(learner, max_subtasks=None)
        root.call_on_fit_task_begin(estimator=learner)
        done = work()
        root.call_on_fit_task_end(estimator=learner, reconstruction_attributes={})
        return done

    return with_callbacks(whole)(learner)


class Tasks:
    """The tasks of a fit, as its callbacks hear of them."""

    def __init__(self, learner: Any, data: Data, attributes: Attributes) -> None:
        self.learner, self.attributes = learner, attributes
        stream = data.once  # which is one pass, not a row of them
        self.root = None if stream else getattr(learner, "_callback_fit_ctx", None)
        source = data.source
        self.rows: dict[str, Any] = {}
        if self.root is not None and isinstance(source, ArraySource):
            labels = getattr(learner, "target", "") == "labels"
            y = learner.classes_[source.y] if labels else source.y
            self.rows = {"X": source.X, "y": y}

    def around(self, steps: Iterator[Any]) -> Iterator[Any]:
        """Yield the steps, each between the hooks of an iteration."""
        if self.root is None:
            yield from steps
            return
        made, last = 0, None
        if getattr(self.learner, "looks_first", False):
            last, made = next(steps), 1
            yield last
        while last is None or last.reason is None:
            task = self.root.subcontext(task_name="iteration")
            before = None if last is None else self.found(last, made)
            self.call(task.call_on_fit_task_begin, before)
            last, made = next(steps), made + 1
            if self.call(task.call_on_fit_task_end, self.found(last, made)):
                last = last._replace(reason=last.reason or StopReason.STOPPED)
            yield last

    def conclusion(self, settle: Callable[[], Any]) -> Any:
        """Let the learner look at the data once more."""
        if self.root is None:
            return settle()
        task = self.root.subcontext(task_name="conclusion")
        self.call(task.call_on_fit_task_begin, None)
        settled = settle()
        self.call(task.call_on_fit_task_end, None)
        return settled

    def call(self, hook: Any, found: Callable[[], dict[str, Any]] | None) -> bool:
        """Call a hook with the rows, and with what was found so far."""
        attributes = {"reconstruction_attributes": found}
        return bool(hook(estimator=self.learner, **self.rows, **attributes))

    def found(self, step: Any, passes: int) -> Callable[[], dict[str, Any]] | None:
        """Return a function of the attributes that a fit would publish now."""
        if not self.learner.publishable(step.state):
            return None

        return lambda: self.attributes(self.learner, step, passes)
