"""Mercer kernels: their matrices, their algebra, their feature maps."""

from corollary.kernels.algebra import (
    After,
    Conformal,
    Constant,
    Exp,
    Normalised,
    PolynomialOf,
    Product,
    Scaled,
    Sum,
)
from corollary.kernels.given import FunctionKernel, Precomputed
from corollary.kernels.histogram import ChiSquare, HistogramIntersection
from corollary.kernels.inner_product import (
    Bilinear,
    Exponential,
    Linear,
    Polynomial,
    Sigmoid,
)
from corollary.kernels.kernel import Kernel, gram_matrix
from corollary.kernels.radial import Gaussian, InverseMultiquadric, Laplacian
from corollary.kernels.strings import Spectrum, Subsequence, letters

__all__ = [
    "After",
    "Bilinear",
    "ChiSquare",
    "Conformal",
    "Constant",
    "Exp",
    "Exponential",
    "FunctionKernel",
    "Gaussian",
    "HistogramIntersection",
    "InverseMultiquadric",
    "Kernel",
    "Laplacian",
    "Linear",
    "Normalised",
    "Polynomial",
    "PolynomialOf",
    "Precomputed",
    "Product",
    "Scaled",
    "Sigmoid",
    "Spectrum",
    "Subsequence",
    "Sum",
    "gram_matrix",
    "letters",
]
