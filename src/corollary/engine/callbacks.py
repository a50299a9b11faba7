"""scikit-learn's callbacks: hooks around a fit, its iterations and its conclusion.

    fit
      iteration 0, 1, ...   one pass over the rows, or one epoch, with a step
      conclusion            a last look at the data with what was found

At the beginning and at the end of each task a callback gets the rows as the user gave
them, if they are no source, and at its end the estimator as if the fit had stopped
there.  A callback whose `on_fit_task_end` returns True ends the fit.  A search or a
pipeline of scikit-learn passes its callbacks on to the estimators inside, and their
tasks become part of its own.  Without callbacks all of this costs a look at two
attributes.

Needs scikit-learn 1.9, whose `CallbackSupportMixin` documents how estimators call them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from corollary.core.errors import sentence
from corollary.core.report import StopReason
from corollary.engine.data import Data
from corollary.engine.sources.opening import is_chunks
from corollary.engine.sources.source import Source

__all__ = ["Tasks", "called_back", "given_rows", "is_heard"]

Attributes = Callable[[Any, Any, int], dict[str, Any]]  # of a learner after a step

# Where scikit-learn keeps them on an estimator, so that `clone` and searches find them.
CALLBACKS = "_skl_callbacks"
ROOT = "_callback_fit_ctx"
PARENT = "_parent_callback_ctx"


def given_rows(X: Any, y: Any, sample_weight: Any) -> dict[str, Any]:
    """Return what callbacks may see of the rows: none of a source's."""
    if isinstance(X, Source) or hasattr(X, "__dask_graph__") or is_chunks(X):
        return {}
    weights = None if sample_weight is None else {"sample_weight": sample_weight}
    return {"X": X, "y": y, "metadata": weights}


def is_heard(learner: Any) -> bool:
    """Tell whether callbacks, or those of a search around it, ask about a fit."""
    return hasattr(learner, PARENT) or bool(getattr(learner, CALLBACKS, ()))


def called_back(learner: Any, given: Mapping[str, Any], work: Callable[[], Any]) -> Any:
    """Do the work of a fit between the hooks of its callbacks."""
    begin = root_task()
    if begin is None:
        must = "callbacks need scikit-learn's CallbackSupportMixin as of release 1.9"
        remedy = "The fit goes on without them."
        text = sentence(learner, must, "another one", remedy)
        warnings.warn(text, UserWarning, stacklevel=5)
        return work()
    from sklearn.callback import with_callbacks

    def whole(learner: Any) -> Any:
        root = begin(learner, max_subtasks=None)
        root.call_on_fit_task_begin(estimator=learner, **given)
        done = work()
        root.call_on_fit_task_end(
            estimator=learner, **given, reconstruction_attributes={}
        )
        return done

    return with_callbacks(whole)(learner)


def root_task() -> Callable[..., Any] | None:
    """Return the function that opens the root task of a fit, if there is one.

    It has a private name, but scikit-learn documents it for authors of estimators, on
    the page of `CallbackSupportMixin`, and offers no other way.
    """
    from sklearn.callback import CallbackSupportMixin

    return getattr(CallbackSupportMixin, "_init_callback_context", None)


class Tasks:
    """The tasks of a fit, as its callbacks hear of them."""

    def __init__(self, learner: Any, data: Data, attributes: Attributes) -> None:
        self.learner, self.attributes = learner, attributes
        # a stream is one pass, not a row of them
        heard = bool(getattr(learner, CALLBACKS, ())) and not data.once
        self.root = getattr(learner, ROOT, None) if heard else None
        self.given = data.given

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
        return bool(hook(estimator=self.learner, **self.given, **attributes))

    def found(self, step: Any, passes: int) -> Callable[[], dict[str, Any]] | None:
        """Return a function of the attributes that a fit would publish now."""
        if not self.learner.publishable(step.state):
            return None

        return lambda: self.attributes(self.learner, step, passes)
