"""Quadratic discriminant analysis, 500,000 x 100, ten classes: fit, probabilities."""

from jobs.linear_discriminant import jobs_of

JOBS = jobs_of(
    "QuadraticDiscriminantAnalysis",
    "Quadratic discriminant analysis",
    ("eigen", "svd"),
)
