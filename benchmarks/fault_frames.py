"""Problems with a planted fault as data frames: texts, missing values, names.

The columns get names, some numbers go missing at random, and a column of texts that
says nothing stands beside them; the model gets a preparation that deals with both.  The
fault is the same, and so should the diagnosis be.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.pipeline import Pipeline

import corollary as co

TOWNS = np.array(["Bonn", "Oslo", "Rome", "Turin"])
MISSING = 0.01  # of the values of some columns


def framed(p, seed):
    """Return a problem whose rows are data frames."""
    width = np.shape(p.X)[1]
    names = [f"x{j}" for j in range(width)]
    rng = np.random.default_rng([31, seed])
    holes = rng.permutation(width)[: max(1, width // 4)]

    def frame(X, draws):
        X = np.array(X, dtype=float)
        gone = draws.uniform(size=(len(X), len(holes))) < MISSING
        X[:, holes] = np.where(gone, np.nan, X[:, holes])
        found = pd.DataFrame(X, columns=names)
        found["town"] = draws.choice(TOWNS, size=len(X))
        return found

    def drawn(source):
        def draw(m, draws):
            X, y = source(m, draws)
            return frame(X, draws), y

        return None if source is None else draw

    texts = co.OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = co.ColumnTransformer(
        [("rest", co.SimpleImputer(), names), ("texts", texts, ["town"])]
    )
    steps = p.model.steps if isinstance(p.model, Pipeline) else [("model", p.model)]
    model = Pipeline([("columns", columns), *((k, clone(s)) for k, s in steps)])
    given = dict(p.given)
    if "test" in given:
        given["test"] = frame(given["test"][0], rng), given["test"][1]
    made = replace(
        p,
        model=model,
        X=frame(p.X, rng),
        deploy=drawn(p.deploy),
        more=drawn(p.more),
        given=given,
    )
    made.truth = getattr(p, "truth", None)
    return made
