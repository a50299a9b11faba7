"""Whether PCA before a learner helps, and whether it leaked.

Also known as: PCA leakage check, PCA against overfitting.

PCA must see training rows only: fitted on all rows before cross-validation it has seen
the test rows too, and the score it leads to is optimistic.  And it is no cure for
overfitting, since it throws directions away without a look at y; shrinkage does that
better.  So, on the same folds:

    without   score of the learner on all columns
    inside    score with PCA fitted on each fold's training rows only
    leaked    score with PCA fitted on all rows beforehand
    optimism  leaked - inside                                                    (1)

Course: S4-81.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from corollary.decomposition.pca import PCA

__all__ = ["PCAUse", "pca_use"]


@dataclass(frozen=True)
class PCAUse:
    """Cross-validated scores with and without PCA, and a verdict."""

    without: float
    inside: float
    leaked: float
    spread: float  # standard error of inside - without over the folds
    n_components: int
    n_features: int

    @property
    def optimism(self) -> float:
        """How much too good the leaked score looks (1)."""
        return self.leaked - self.inside

    @property
    def verdict(self) -> str:
        """Say in one sentence whether to keep PCA."""
        gain = self.inside - self.without
        noise = max(2 * self.spread, 1e-9)  # and rounding
        if gain > noise:
            return f"keep PCA: it raises the score by {gain:.3g}"
        if gain < -noise:
            return (
                f"leave PCA out: it lowers the score by {-gain:.3g}; against "
                "overfitting use regularisation instead"
            )
        return (
            "PCA changes the score by less than the noise: keep it only to save time "
            "or memory; against overfitting use regularisation instead"
        )

    def __str__(self) -> str:
        kept = f"{self.n_components} of {self.n_features} components"
        return (
            f"score without PCA {self.without:.4g}, with PCA inside the folds "
            f"{self.inside:.4g} ({kept}), with PCA fitted on all rows "
            f"{self.leaked:.4g} (optimism {self.optimism:.3g}); {self.verdict}"
        )


def pca_use(
    estimator: Any, X: Any, y: Any, *, n_components: Any = 0.95, cv: Any = 5
) -> PCAUse:
    """Compare a learner without PCA, with PCA done right, and with PCA leaked.

    Parameters
    ----------
    estimator : classifier or regressor
    X, y : data
    n_components : as in `PCA`
    cv : as in `sklearn.model_selection.cross_val_score`

    Returns
    -------
    PCAUse
    """
    pca = PCA(n_components=n_components)
    without = cross_val_score(clone(estimator), X, y, cv=cv)
    inside = cross_val_score(make_pipeline(pca, clone(estimator)), X, y, cv=cv)
    all_rows = clone(pca).fit(X)
    leaked = cross_val_score(clone(estimator), all_rows.transform(X), y, cv=cv)
    difference = inside - without
    spread = float(difference.std(ddof=1) / np.sqrt(len(difference)))
    return PCAUse(
        float(without.mean()),
        float(inside.mean()),
        float(leaked.mean()),
        spread,
        all_rows.n_components_,
        all_rows.n_features_in_,
    )
