"""K-means on data without clusters, otherwise as k_means: nothing can be pruned."""

import numpy as np
from harness import Close, Job

from jobs.k_means import CONTESTANTS, quality, start


def data():
    rng = np.random.default_rng(0)
    return start(rng.random((500_000, 50), dtype=np.float32))


JOB = Job(
    title="K-means, 500,000 x 50 float32, uniform, k = 100, 20 passes",
    data=data,
    contestants=CONTESTANTS,
    quality=quality,
    equal={"inertia": Close(relative=1e-4)},
)
