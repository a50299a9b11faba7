"""What a fitted ensemble is given beside rows, on its way to the members.

Also known as: metadata routing.

A member says what it takes beside rows by its `set_predict_request` and the like; the
ensemble hands that on to the method that it asks the member by, where scikit-learn
routes metadata (``sklearn.set_config(enable_metadata_routing=True)``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)

from corollary.engine.choosing_learner import check_routing

__all__ = ["asked_by", "for_members", "router_to_members"]

PROBABLE = ("predict", "predict_proba", "predict_log_proba")


def asked_by(base: Any, caller: str) -> str:
    """Return the method by which a member answers for a method of the ensemble.

    >>> from sklearn.linear_model import Perceptron
    >>> asked_by(Perceptron(), "predict_proba")
    'predict'
    """
    if caller not in PROBABLE:
        return caller
    return "predict_proba" if hasattr(base, "predict_proba") else "predict"


def router_to_members(ensemble: Any, base: Any) -> MetadataRouter:
    """Say which method of a member each method of an ensemble asks."""
    mapping = MethodMapping()
    for caller in (*PROBABLE, "decision_function"):
        callee = asked_by(base, caller)
        if hasattr(ensemble, caller) and hasattr(base, callee):
            mapping.add(caller=caller, callee=callee)
    router = MetadataRouter(owner=ensemble).add_self_request(ensemble)
    return router.add(estimator=base, method_mapping=mapping)


def for_members(
    ensemble: Any, base: Any, caller: str, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what the members get of the further arguments of a method."""
    if not given:
        return {}
    check_routing(ensemble, caller, given)
    routed = process_routing(ensemble, caller, **given).estimator
    return dict(routed[asked_by(base, caller)])
