from dataclasses import replace

import numpy as np
import pyarrow as pa
from sklearn.pipeline import make_pipeline

from corollary import ColumnTransformer, LinearRegression, StandardScaler
from corollary.diagnostics import Action, diagnose, try_actions


def test_columns_are_dropped_from_pipelines_that_name_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + 0.1 * rng.normal(size=200)
    table = pa.table({name: X[:, j] for j, name in enumerate("abc")})
    prepare = ColumnTransformer([("all", StandardScaler(), ["a", "b", "c"])])
    model = make_pipeline(prepare, LinearRegression())
    found = diagnose(model, table, y, time_budget=10)
    drops = [Action("drop_copies", f"Drop {j}.", "", drop_columns=(j,)) for j in (0, 1)]

    tried = try_actions(model, table, y, replace(found, actions=tuple(drops)))
    first, second = tried.actions
    assert (first.tried, first.verdict) == (True, "worse")
    assert np.isclose(first.after, np.var(y), rtol=0.2)
    assert (second.tried, second.verdict) == (True, "no difference")
