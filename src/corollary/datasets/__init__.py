"""Data to learn from: small tables with known answers, shapes, and large streams.

Nothing is downloaded.  The small tables are those of the courses; each carries the
answers that a method must give in `known`.

>>> from corollary import datasets
>>> datasets.play_tennis().class_counts()
{'No': 5, 'Yes': 9}
"""

from corollary.datasets.counts import body_mass, coins, die, fish
from corollary.datasets.decisions import (
    cancer_kit,
    course_choice,
    doctor,
    fair_or_biased,
)
from corollary.datasets.matrices import concepts, lauchli
from corollary.datasets.nist import (
    Certified,
    certified_digits,
    filip,
    longley,
    wampler,
)
from corollary.datasets.nominal import play_tennis, student_perceptron
from corollary.datasets.points import (
    fisher_points,
    margin_points,
    nonseparable_points,
    parzen_points,
    pca_points,
    squared_error_points,
    unscaled_points,
    xor_points,
)
from corollary.datasets.records import Counts, Decision, Table, Texts
from corollary.datasets.samples import (
    Classification,
    Latent,
    Regression,
    classification,
    latent_classes,
    regression,
)
from corollary.datasets.shapes import (
    Blobs,
    Roll,
    blobs,
    rings,
    spirals,
    stretched_blobs,
    swiss_roll,
    two_moons,
    xor_cloud,
)
from corollary.datasets.streams import Stream, stream_rows, write_csv, write_parquet
from corollary.datasets.texts import messages

__all__ = [
    "Blobs",
    "Certified",
    "Classification",
    "Counts",
    "Decision",
    "Latent",
    "Regression",
    "Roll",
    "Stream",
    "Table",
    "Texts",
    "blobs",
    "body_mass",
    "cancer_kit",
    "certified_digits",
    "classification",
    "coins",
    "concepts",
    "course_choice",
    "die",
    "doctor",
    "fair_or_biased",
    "filip",
    "fish",
    "fisher_points",
    "latent_classes",
    "lauchli",
    "longley",
    "margin_points",
    "messages",
    "nonseparable_points",
    "parzen_points",
    "pca_points",
    "play_tennis",
    "regression",
    "rings",
    "spirals",
    "squared_error_points",
    "stream_rows",
    "stretched_blobs",
    "student_perceptron",
    "swiss_roll",
    "two_moons",
    "unscaled_points",
    "wampler",
    "write_csv",
    "write_parquet",
    "xor_cloud",
    "xor_points",
]
