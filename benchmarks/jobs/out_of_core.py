"""Learn from Parquet files larger than the memory allowed (1 GB).

The peers are scikit-learn's learners with `partial_fit`, fed by pyarrow; they see the
data once and are approximate.  The bare scan reads the same columns and does nothing:
a pass cannot be faster.  `run.py --gigabytes` sets the size of the features.
"""

import os

import numpy as np
from harness import Close, Job

D, K, PASSES = 50, 20, 10
GIGABYTES = float(os.environ.get("BENCH_GIGABYTES", "2"))
CLASSES = {"blobs": K, "classification": 2}
SAMPLE = 200_000
AVERAGED = {
    "loss": "log_loss",
    "alpha": 1e-6,
    "average": True,
    "learning_rate": "constant",
    "eta0": 0.01,
    "random_state": 0,
}


def files(kind):
    def data():
        from corollary.datasets import stream_rows, write_parquet

        stream = write_parquet(
            os.path.abspath("stream"),
            rows=int(GIGABYTES * 1e9 / (4 * D)),
            columns=D,
            kind=kind,
            classes=CLASSES[kind],
            target=kind == "classification",
            files=8,
        )
        X, y, _ = stream_rows(0, SAMPLE, D, kind=kind, classes=CLASSES[kind])
        return {
            "paths": [str(path) for path in stream.paths],
            "nbytes": stream.nbytes,
            "sample": X,
            "labels": y,
            "init": X[np.unique(y, return_index=True)[1]],  # a row of each class
        }

    return data


def batches(paths):
    import pyarrow.parquet as pq

    for path in paths:
        yield from pq.ParquetFile(path).iter_batches()


def arrays(paths):
    """Read X, and y where there is one, a batch at a time."""
    for batch in batches(paths):
        columns = [c.to_numpy(zero_copy_only=False) for c in batch.columns]
        y = columns[D] if len(columns) > D else None
        yield np.column_stack(columns[:D]), y


def scan(paths, **_):
    return lambda: sum(batch.num_rows for batch in batches(paths))


def corollary(learner, target=None, **settings):
    def contestant(paths, init, **_):
        import corollary as co
        from corollary.engine import ParquetSource

        co.set_config(memory_limit="1GB", threads=2)
        if learner == "KMeans":
            settings["init"] = init
        model = getattr(co, learner)(**settings)
        return lambda: model.fit(ParquetSource(paths, target=target))

    return contestant


def mini_batch_k_means(paths, init, **_):
    from sklearn.cluster import MiniBatchKMeans

    def fit():
        model = MiniBatchKMeans(K, init=init, n_init=1)
        for X, _ in arrays(paths):
            model.partial_fit(X)
        return model

    return fit


def incremental_pca(paths, **_):
    from sklearn.decomposition import IncrementalPCA

    def fit():
        model = IncrementalPCA(K)
        for X, _ in arrays(paths):
            model.partial_fit(X)
        return model

    return fit


def sgd_classifier(paths, **_):
    from sklearn.linear_model import SGDClassifier

    def fit():
        model = SGDClassifier(**AVERAGED)
        for X, y in arrays(paths):
            model.partial_fit(X, y, classes=[0, 1])
        return model

    return fit


def quality(model, sample, labels, **_):
    """Judge on the first rows; a scan has no model."""
    if hasattr(model, "cluster_centers_"):
        from workloads import inertia

        return {"inertia a row": inertia(sample, model.cluster_centers_) / SAMPLE}
    if hasattr(model, "components_"):
        Z = (sample - sample.mean(axis=0)) @ model.components_.T
        return {"variance": Z.var(axis=0).sum()}
    if hasattr(model, "coef_"):
        z = sample @ np.ravel(model.coef_) + model.intercept_
        return {"log-loss": np.mean(np.logaddexp(0, z) - labels * z)}
    return {}


def traffic(model, nbytes, **_):
    return nbytes * (model.report_.reads if hasattr(model, "report_") else 1)


def job(title, kind, ours, peers, equal):
    return Job(
        title=f"{title} from {GIGABYTES:g} GB of Parquet files, 1 GB allowed",
        data=files(kind),
        contestants={"corollary": ours, **peers, "bare scan": scan},
        quality=quality,
        equal=equal,
        reference=("bare scan",),
        traffic=traffic,
    )


JOBS = [
    job(
        f"K-means, k = {K}, {PASSES} passes,",
        "blobs",
        corollary("KMeans", n_clusters=K, n_init=1, max_iter=PASSES, tol=0),
        {"scikit-learn MiniBatchKMeans": mini_batch_k_means},
        {"inertia a row": Close(relative=1e-2)},
    ),
    job(
        f"PCA, {K} components,",
        "blobs",
        corollary("PCA", n_components=K),
        {"scikit-learn IncrementalPCA": incremental_pca},
        {"variance": Close(max, relative=1e-3)},
    ),
    job(
        "Logistic regression",
        "classification",
        corollary("LogisticRegression", target="y"),
        {"scikit-learn SGDClassifier": sgd_classifier},
        {"log-loss": Close(relative=1e-3)},
    ),
]
