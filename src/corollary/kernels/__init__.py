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
from corollary.kernels.feature_maps import (
    GaussianMap,
    PolynomialMap,
    lifted,
    products,
)
from corollary.kernels.given import FunctionKernel, Precomputed
from corollary.kernels.histogram import ChiSquare, HistogramIntersection
from corollary.kernels.incomplete_cholesky import (
    KernelGramSchmidt,
    incomplete_cholesky,
)
from corollary.kernels.inner_product import (
    Bilinear,
    Exponential,
    Linear,
    Polynomial,
    Sigmoid,
)
from corollary.kernels.kernel import Kernel, gram_matrix
from corollary.kernels.kernel_cca import KernelCCA, kernel_cca
from corollary.kernels.mercer import (
    MercerCheck,
    MercerFeatures,
    mercer_check,
    mercer_features,
)
from corollary.kernels.radial import Gaussian, InverseMultiquadric, Laplacian
from corollary.kernels.rkhs import RKHSFunction, feature
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
    "GaussianMap",
    "HistogramIntersection",
    "InverseMultiquadric",
    "Kernel",
    "KernelCCA",
    "KernelGramSchmidt",
    "Laplacian",
    "Linear",
    "MercerCheck",
    "MercerFeatures",
    "Normalised",
    "Polynomial",
    "PolynomialMap",
    "PolynomialOf",
    "Precomputed",
    "Product",
    "RKHSFunction",
    "Scaled",
    "Sigmoid",
    "Spectrum",
    "Subsequence",
    "Sum",
    "feature",
    "gram_matrix",
    "incomplete_cholesky",
    "kernel_cca",
    "letters",
    "lifted",
    "mercer_check",
    "mercer_features",
    "products",
]
