"""Corollary: machine learning that is right, fast, and honest about itself.

Every public name is importable from here and loaded when it is first used::

    from corollary import KMeans, LogisticRegression, load, save, set_config
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

#: Where each estimator lives; also the table of classes that a model file may name.
ESTIMATORS = {
    "BayesianLinearRegression": "corollary.linear.bayesian_linear_regression",
    "BayesianRidge": "corollary.linear.bayesian_ridge",
    "BatchPerceptron": "corollary.linear.batch_perceptron",
    "BayesClassifier": "corollary.bayes.bayes_classifier",
    "BernoulliNB": "corollary.bayes.bernoulli_nb",
    "CategoricalNB": "corollary.bayes.categorical_nb",
    "ComplementNB": "corollary.bayes.complement_nb",
    "CostSensitiveClassifier": "corollary.bayes.cost_sensitive",
    "CrammerSingerClassifier": "corollary.linear.crammer_singer",
    "ElasticNet": "corollary.linear.elastic_net",
    "ElasticNetCV": "corollary.linear.elastic_net",
    "FisherDiscriminant": "corollary.discriminants.fisher_discriminant",
    "FourierBasis": "corollary.linear.expansions.fourier_basis",
    "GammaRegressor": "corollary.linear.tweedie",
    "GaussianDiscriminant": "corollary.discriminants.gaussian_discriminant",
    "GaussianNB": "corollary.bayes.gaussian_nb",
    "GeneralizedLinearRegressor": "corollary.linear.generalized_linear_regressor",
    "GradientDescentRegressor": "corollary.linear.gradient_descent",
    "JoinTheDots": "corollary.linear.join_the_dots",
    "KMeans": "corollary.clustering.k_means",
    "KernelFisherDiscriminant": "corollary.svm.kernel_fisher_discriminant",
    "KernelNearestCentroid": "corollary.svm.kernel_nearest_centroid",
    "KernelPerceptron": "corollary.linear.kernel_perceptron",
    "KernelQuantileRegressor": "corollary.svm.kernel_quantile_regressor",
    "KernelRidge": "corollary.svm.kernel_ridge",
    "LandmarkFeatures": "corollary.kernels.landmark_features",
    "LeastSquaresClassifier": "corollary.linear.least_squares_classifier",
    "Lasso": "corollary.linear.lasso",
    "LassoCV": "corollary.linear.lasso",
    "LeastAbsoluteDeviations": "corollary.linear.least_absolute_deviations",
    "LinearDiscriminantAnalysis": (
        "corollary.discriminants.linear_discriminant_analysis"
    ),
    "LinearRegression": "corollary.linear.linear_regression",
    "LocallyWeightedRegression": "corollary.linear.locally_weighted_regression",
    "LinearSVC": "corollary.svm.linear_svc",
    "LinearSVR": "corollary.svm.linear_svr",
    "LogisticRegression": "corollary.linear.logistic_regression",
    "LogisticRegressionCV": "corollary.linear.logistic_regression_cv",
    "MSEProcedure": "corollary.linear.mse_procedure",
    "MaximumEntropyClassifier": "corollary.bayes.maximum_entropy_classifier",
    "MixedNB": "corollary.bayes.mixed_nb",
    "MultinomialNB": "corollary.bayes.multinomial_nb",
    "NearestCentroid": "corollary.discriminants.nearest_centroid",
    "OneVsOneClassifier": "corollary.multiclass.one_vs_one",
    "OneVsRestClassifier": "corollary.multiclass.one_vs_rest",
    "Nystroem": "corollary.kernels.nystroem",
    "PCA": "corollary.decomposition.pca",
    "PLSRegression": "corollary.linear.partial_least_squares",
    "ParametricDensity": "corollary.density.parametric",
    "Perceptron": "corollary.linear.perceptron",
    "PoissonRegressor": "corollary.linear.tweedie",
    "PolynomialFeatures": "corollary.linear.expansions.polynomial_features",
    "PrincipalComponentRegression": "corollary.linear.principal_component_regression",
    "PolynomialCountSketch": "corollary.kernels.polynomial_count_sketch",
    "PriorClassifier": "corollary.bayes.prior_classifier",
    "QuadraticDiscriminantAnalysis": (
        "corollary.discriminants.quadratic_discriminant_analysis"
    ),
    "QuantileRegressor": "corollary.linear.quantile_regressor",
    "RadialBasis": "corollary.linear.expansions.radial_basis",
    "RepresenterClassifier": "corollary.svm.representer_machine",
    "RepresenterRegressor": "corollary.svm.representer_machine",
    "RBFSampler": "corollary.kernels.rbf_sampler",
    "Ridge": "corollary.linear.ridge",
    "RidgeCV": "corollary.linear.ridge_cv",
    "SGDClassifier": "corollary.linear.stochastic_gradient",
    "SGDRegressor": "corollary.linear.stochastic_gradient",
    "SigmoidBasis": "corollary.linear.expansions.sigmoid_basis",
    "SplineTransformer": "corollary.linear.expansions.spline_transformer",
    "HardMarginSVC": "corollary.svm.hard_margin_svc",
    "NuSVC": "corollary.svm.nu_svc",
    "NuSVR": "corollary.svm.nu_svr",
    "OneClassSVM": "corollary.svm.one_class_svm",
    "SVR": "corollary.svm.svr",
    "SVDD": "corollary.svm.svdd",
    "SquaredEpsilonSVR": "corollary.svm.squared_epsilon_svr",
    "SquaredHingeSVC": "corollary.svm.squared_hinge_svc",
    "SVC": "corollary.svm.svc",
    "TweedieRegressor": "corollary.linear.tweedie",
    "WaveletBasis": "corollary.linear.expansions.wavelet_basis",
}

_FUNCTIONS = {
    "ClusterError": "corollary.core.errors",
    "DataError": "corollary.core.errors",
    "MemoryLimitError": "corollary.core.errors",
    "ModelFileError": "corollary.core.errors",
    "ParameterError": "corollary.core.errors",
    "Report": "corollary.core.report",
    "StopReason": "corollary.core.report",
    "config_context": "corollary.core.config",
    "get_config": "corollary.core.config",
    "load": "corollary.persistence",
    "save": "corollary.persistence",
    "set_config": "corollary.core.config",
}

_MODULES = ("datasets", "engine")

__all__ = sorted([*ESTIMATORS, *_FUNCTIONS, *_MODULES])

if TYPE_CHECKING:
    from corollary import datasets as datasets
    from corollary import engine as engine
    from corollary.bayes.bayes_classifier import BayesClassifier as BayesClassifier
    from corollary.bayes.bernoulli_nb import BernoulliNB as BernoulliNB
    from corollary.bayes.categorical_nb import CategoricalNB as CategoricalNB
    from corollary.bayes.complement_nb import ComplementNB as ComplementNB
    from corollary.bayes.cost_sensitive import (
        CostSensitiveClassifier as CostSensitiveClassifier,
    )
    from corollary.bayes.gaussian_nb import GaussianNB as GaussianNB
    from corollary.bayes.maximum_entropy_classifier import (
        MaximumEntropyClassifier as MaximumEntropyClassifier,
    )
    from corollary.bayes.mixed_nb import MixedNB as MixedNB
    from corollary.bayes.multinomial_nb import MultinomialNB as MultinomialNB
    from corollary.bayes.prior_classifier import PriorClassifier as PriorClassifier
    from corollary.clustering.k_means import KMeans as KMeans
    from corollary.core.config import config_context as config_context
    from corollary.core.config import get_config as get_config
    from corollary.core.config import set_config as set_config
    from corollary.core.errors import ClusterError as ClusterError
    from corollary.core.errors import DataError as DataError
    from corollary.core.errors import MemoryLimitError as MemoryLimitError
    from corollary.core.errors import ModelFileError as ModelFileError
    from corollary.core.errors import ParameterError as ParameterError
    from corollary.core.report import Report as Report
    from corollary.core.report import StopReason as StopReason
    from corollary.decomposition.pca import PCA as PCA
    from corollary.density.parametric import ParametricDensity as ParametricDensity
    from corollary.discriminants.fisher_discriminant import (
        FisherDiscriminant as FisherDiscriminant,
    )
    from corollary.discriminants.gaussian_discriminant import (
        GaussianDiscriminant as GaussianDiscriminant,
    )
    from corollary.discriminants.linear_discriminant_analysis import (
        LinearDiscriminantAnalysis as LinearDiscriminantAnalysis,
    )
    from corollary.discriminants.nearest_centroid import (
        NearestCentroid as NearestCentroid,
    )
    from corollary.discriminants.quadratic_discriminant_analysis import (
        QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis,
    )
    from corollary.kernels.landmark_features import (
        LandmarkFeatures as LandmarkFeatures,
    )
    from corollary.kernels.nystroem import Nystroem as Nystroem
    from corollary.kernels.polynomial_count_sketch import (
        PolynomialCountSketch as PolynomialCountSketch,
    )
    from corollary.kernels.rbf_sampler import RBFSampler as RBFSampler
    from corollary.linear.batch_perceptron import BatchPerceptron as BatchPerceptron
    from corollary.linear.bayesian_linear_regression import (
        BayesianLinearRegression as BayesianLinearRegression,
    )
    from corollary.linear.bayesian_ridge import BayesianRidge as BayesianRidge
    from corollary.linear.crammer_singer import (
        CrammerSingerClassifier as CrammerSingerClassifier,
    )
    from corollary.linear.elastic_net import ElasticNet as ElasticNet
    from corollary.linear.elastic_net import ElasticNetCV as ElasticNetCV
    from corollary.linear.expansions.fourier_basis import FourierBasis as FourierBasis
    from corollary.linear.expansions.polynomial_features import (
        PolynomialFeatures as PolynomialFeatures,
    )
    from corollary.linear.expansions.radial_basis import RadialBasis as RadialBasis
    from corollary.linear.expansions.sigmoid_basis import SigmoidBasis as SigmoidBasis
    from corollary.linear.expansions.spline_transformer import (
        SplineTransformer as SplineTransformer,
    )
    from corollary.linear.expansions.wavelet_basis import WaveletBasis as WaveletBasis
    from corollary.linear.generalized_linear_regressor import (
        GeneralizedLinearRegressor as GeneralizedLinearRegressor,
    )
    from corollary.linear.gradient_descent import (
        GradientDescentRegressor as GradientDescentRegressor,
    )
    from corollary.linear.join_the_dots import JoinTheDots as JoinTheDots
    from corollary.linear.kernel_perceptron import (
        KernelPerceptron as KernelPerceptron,
    )
    from corollary.linear.lasso import Lasso as Lasso
    from corollary.linear.lasso import LassoCV as LassoCV
    from corollary.linear.least_absolute_deviations import (
        LeastAbsoluteDeviations as LeastAbsoluteDeviations,
    )
    from corollary.linear.least_squares_classifier import (
        LeastSquaresClassifier as LeastSquaresClassifier,
    )
    from corollary.linear.linear_regression import LinearRegression as LinearRegression
    from corollary.linear.locally_weighted_regression import (
        LocallyWeightedRegression as LocallyWeightedRegression,
    )
    from corollary.linear.logistic_regression import (
        LogisticRegression as LogisticRegression,
    )
    from corollary.linear.logistic_regression_cv import (
        LogisticRegressionCV as LogisticRegressionCV,
    )
    from corollary.linear.mse_procedure import MSEProcedure as MSEProcedure
    from corollary.linear.partial_least_squares import PLSRegression as PLSRegression
    from corollary.linear.perceptron import Perceptron as Perceptron
    from corollary.linear.principal_component_regression import (
        PrincipalComponentRegression as PrincipalComponentRegression,
    )
    from corollary.linear.quantile_regressor import (
        QuantileRegressor as QuantileRegressor,
    )
    from corollary.linear.ridge import Ridge as Ridge
    from corollary.linear.ridge_cv import RidgeCV as RidgeCV
    from corollary.linear.stochastic_gradient import SGDClassifier as SGDClassifier
    from corollary.linear.stochastic_gradient import SGDRegressor as SGDRegressor
    from corollary.linear.tweedie import GammaRegressor as GammaRegressor
    from corollary.linear.tweedie import PoissonRegressor as PoissonRegressor
    from corollary.linear.tweedie import TweedieRegressor as TweedieRegressor
    from corollary.multiclass.one_vs_one import OneVsOneClassifier as OneVsOneClassifier
    from corollary.multiclass.one_vs_rest import (
        OneVsRestClassifier as OneVsRestClassifier,
    )
    from corollary.persistence import load as load
    from corollary.persistence import save as save
    from corollary.svm.hard_margin_svc import HardMarginSVC as HardMarginSVC
    from corollary.svm.kernel_fisher_discriminant import (
        KernelFisherDiscriminant as KernelFisherDiscriminant,
    )
    from corollary.svm.kernel_nearest_centroid import (
        KernelNearestCentroid as KernelNearestCentroid,
    )
    from corollary.svm.kernel_quantile_regressor import (
        KernelQuantileRegressor as KernelQuantileRegressor,
    )
    from corollary.svm.kernel_ridge import KernelRidge as KernelRidge
    from corollary.svm.linear_svc import LinearSVC as LinearSVC
    from corollary.svm.linear_svr import LinearSVR as LinearSVR
    from corollary.svm.nu_svc import NuSVC as NuSVC
    from corollary.svm.nu_svr import NuSVR as NuSVR
    from corollary.svm.one_class_svm import OneClassSVM as OneClassSVM
    from corollary.svm.representer_machine import (
        RepresenterClassifier as RepresenterClassifier,
    )
    from corollary.svm.representer_machine import (
        RepresenterRegressor as RepresenterRegressor,
    )
    from corollary.svm.squared_epsilon_svr import (
        SquaredEpsilonSVR as SquaredEpsilonSVR,
    )
    from corollary.svm.squared_hinge_svc import SquaredHingeSVC as SquaredHingeSVC
    from corollary.svm.svc import SVC as SVC
    from corollary.svm.svdd import SVDD as SVDD
    from corollary.svm.svr import SVR as SVR


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"corollary.{name}")
    where = ESTIMATORS.get(name) or _FUNCTIONS.get(name)
    if where is None:
        raise AttributeError(f"module 'corollary' has no attribute {name!r}")
    value = getattr(importlib.import_module(where), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
