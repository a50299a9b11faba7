"""Histogram boosting on 5,000,000 rows from Parquet files, 2 GB allowed.

XGBoost reads the same files a batch at a time into its own quantised matrix.
"""

import os

from harness import Close, Job
from workloads import log_loss_of

ROWS, D, TREES, LEAVES, TEST = 5_000_000, 30, 100, 31, 100_000


def data():
    from corollary.datasets import stream_rows, write_parquet

    kind, folder = "classification", os.path.abspath("stream")
    stream = write_parquet(folder, ROWS, D, kind=kind, classes=2, files=8)
    X, y, _ = stream_rows(ROWS, ROWS + TEST, D, kind=kind, classes=2)
    return {
        "paths": [str(path) for path in stream.paths],
        "nbytes": stream.nbytes,
        "X_test": X,
        "y_test": y,
    }


def corollary(paths, **_):
    import corollary as co
    from corollary.engine import ParquetSource

    co.set_config(memory_limit="2GB", threads=2)
    model = co.HistGradientBoostingClassifier(max_iter=TREES, early_stopping=False)
    return lambda: model.fit(ParquetSource(paths, target="y"))


def xgboost(paths, **_):
    import xgboost as xgb
    from numpy import column_stack

    from jobs.out_of_core import batches

    class Batches(xgb.DataIter):
        def reset(self):
            self.batches = batches(paths)

        def next(self, take):
            batch = next(self.batches, None)
            if batch is None:
                return False
            *columns, y = (c.to_numpy(zero_copy_only=False) for c in batch.columns)
            take(data=column_stack(columns), label=y)
            return True

    def fit():
        given = Batches()
        given.reset()
        settings = {"max_leaves": LEAVES, "grow_policy": "lossguide", "max_depth": 0}
        settings |= {"eta": 0.1, "objective": "binary:logistic", "nthread": 2}
        return Boosted(xgb.train(settings, xgb.QuantileDMatrix(given), TREES))

    return fit


class Boosted:
    """XGBoost's own model, asked as scikit-learn's are."""

    def __init__(self, trees):
        self.trees = trees

    def predict_proba(self, X):
        from numpy import column_stack

        p = self.trees.inplace_predict(X)
        return column_stack([1 - p, p])


def quality(model, X_test, y_test, **_):
    return {"log loss": log_loss_of(model, X_test, y_test)}


JOB = Job(
    title=f"Histogram boosting, {ROWS:,} x {D} from Parquet files, {TREES} trees",
    data=data,
    contestants={"corollary": corollary, "XGBoost": xgboost},
    quality=quality,
    equal={"log loss": Close(relative=0.025)},
)
