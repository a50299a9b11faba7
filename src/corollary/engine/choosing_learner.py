"""Learners that choose among models by folds of the rows, with scikit-learn's routing.

The rows are held in memory: to hold some out is to know them one by one.  Where
scikit-learn routes metadata, `fit` takes what the splitter asks for, such as `groups`,
and hands it on; weights count in the scores of the folds unless the scorer refuses them
(``scorer.set_score_request(sample_weight=False)``).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from typing import Any, Self

from sklearn import get_config
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)

from corollary.core.errors import ParameterError, sentence
from corollary.core.report import Report
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk

__all__ = ["ChoosingLearner", "check_routing", "refuses_weights"]


class ChoosingLearner(RowsLearner):
    """Chooses among models by folds of the rows, which must fit in memory."""

    cv: Any

    @abstractmethod
    def choose(self, rows: Chunk, report: Report, routed: dict[str, Any]) -> None:
        """Set the learned attributes; `routed` is what the splitter is to know."""

    def learn(self, rows: Chunk, report: Report) -> None:
        """Choose by a splitter that knows X and y alone."""
        self.choose(rows, report, {})

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any
    ) -> Self:
        """Choose by cross-validation and fit the choice to all rows.

        Parameters
        ----------
        X : array, sparse matrix, data frame, or Source
            Rows are examples; they are gathered in memory.
        y : array
            Target; None where the source carries it.
        sample_weight : array of shape (n,), optional
            Weight w counts a row w times; 0 removes it.
        **params
            What the splitter of `cv` asks for, such as `groups`, where scikit-learn
            routes metadata (``sklearn.set_config(enable_metadata_routing=True)``).

        Returns
        -------
        self
        """
        routed = routed_to_splitter(self, params)
        learn = partial(self.choose, routed=routed)
        return self.fit_by(learn, X, y, sample_weight)

    def get_metadata_routing(self) -> Any:
        """Return what goes where: further arguments of `fit` to the splitter."""
        return router_of(self, classifier=getattr(self, "target", "") == "labels")


def router_of(learner: Any, *, classifier: bool = False) -> MetadataRouter:
    """Say that what `fit` gets beside weights goes to the splitter, if it asks."""
    splitter = check_cv(learner.cv, classifier=classifier)
    mapping = MethodMapping().add(caller="fit", callee="split")
    router = MetadataRouter(owner=learner).add_self_request(learner)
    return router.add(splitter=splitter, method_mapping=mapping)


def routed_to_splitter(learner: Any, further: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the splitter gets of the further arguments of `fit`."""
    if not further:
        return {}
    check_routing(learner, "fit", further)
    return dict(process_routing(learner, "fit", **further).splitter.split)


def check_routing(learner: Any, method: str, further: Mapping[str, Any]) -> None:
    """Refuse further arguments where scikit-learn does not route metadata."""
    if further and not get_config()["enable_metadata_routing"]:
        must = f"{method} takes X, y and sample_weight alone"
        remedy = "Call sklearn.set_config(enable_metadata_routing=True) first."
        raise ParameterError(sentence(learner, must, ", ".join(further), remedy))


def refuses_weights(scorer: Any) -> bool:
    """Tell whether a scorer was told to take no weights, where that is asked for."""
    if not get_config()["enable_metadata_routing"]:
        return False
    requests = getattr(get_routing_for_object(scorer), "score", None)
    return getattr(requests, "requests", {}).get("sample_weight") is False
