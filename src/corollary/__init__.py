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
    "GammaRegressor": "corollary.linear.tweedie",
    "GaussianDiscriminant": "corollary.discriminants.gaussian_discriminant",
    "GaussianNB": "corollary.bayes.gaussian_nb",
    "GeneralizedLinearRegressor": "corollary.linear.generalized_linear_regressor",
    "GradientDescentRegressor": "corollary.linear.gradient_descent",
    "KMeans": "corollary.clustering.k_means",
    "KernelPerceptron": "corollary.linear.kernel_perceptron",
    "LeastSquaresClassifier": "corollary.linear.least_squares_classifier",
    "Lasso": "corollary.linear.lasso",
    "LassoCV": "corollary.linear.lasso",
    "LinearDiscriminantAnalysis": (
        "corollary.discriminants.linear_discriminant_analysis"
    ),
    "LinearRegression": "corollary.linear.linear_regression",
    "LogisticRegression": "corollary.linear.logistic_regression",
    "LogisticRegressionCV": "corollary.linear.logistic_regression_cv",
    "MSEProcedure": "corollary.linear.mse_procedure",
    "MaximumEntropyClassifier": "corollary.bayes.maximum_entropy_classifier",
    "MixedNB": "corollary.bayes.mixed_nb",
    "MultinomialNB": "corollary.bayes.multinomial_nb",
    "NearestCentroid": "corollary.discriminants.nearest_centroid",
    "PCA": "corollary.decomposition.pca",
    "ParametricDensity": "corollary.density.parametric",
    "Perceptron": "corollary.linear.perceptron",
    "PoissonRegressor": "corollary.linear.tweedie",
    "PriorClassifier": "corollary.bayes.prior_classifier",
    "QuadraticDiscriminantAnalysis": (
        "corollary.discriminants.quadratic_discriminant_analysis"
    ),
    "Ridge": "corollary.linear.ridge",
    "SGDClassifier": "corollary.linear.stochastic_gradient",
    "SGDRegressor": "corollary.linear.stochastic_gradient",
    "NuSVC": "corollary.svm.nu_svc",
    "NuSVR": "corollary.svm.nu_svr",
    "OneClassSVM": "corollary.svm.one_class_svm",
    "SVR": "corollary.svm.svr",
    "SVDD": "corollary.svm.svdd",
    "SquaredHingeSVC": "corollary.svm.squared_hinge_svc",
    "SVC": "corollary.svm.svc",
    "TweedieRegressor": "corollary.linear.tweedie",
}

_FUNCTIONS = {
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
    from corollary.linear.batch_perceptron import BatchPerceptron as BatchPerceptron
    from corollary.linear.crammer_singer import (
        CrammerSingerClassifier as CrammerSingerClassifier,
    )
    from corollary.linear.elastic_net import ElasticNet as ElasticNet
    from corollary.linear.elastic_net import ElasticNetCV as ElasticNetCV
    from corollary.linear.generalized_linear_regressor import (
        GeneralizedLinearRegressor as GeneralizedLinearRegressor,
    )
    from corollary.linear.gradient_descent import (
        GradientDescentRegressor as GradientDescentRegressor,
    )
    from corollary.linear.kernel_perceptron import (
        KernelPerceptron as KernelPerceptron,
    )
    from corollary.linear.lasso import Lasso as Lasso
    from corollary.linear.lasso import LassoCV as LassoCV
    from corollary.linear.least_squares_classifier import (
        LeastSquaresClassifier as LeastSquaresClassifier,
    )
    from corollary.linear.linear_regression import LinearRegression as LinearRegression
    from corollary.linear.logistic_regression import (
        LogisticRegression as LogisticRegression,
    )
    from corollary.linear.logistic_regression_cv import (
        LogisticRegressionCV as LogisticRegressionCV,
    )
    from corollary.linear.mse_procedure import MSEProcedure as MSEProcedure
    from corollary.linear.perceptron import Perceptron as Perceptron
    from corollary.linear.ridge import Ridge as Ridge
    from corollary.linear.stochastic_gradient import SGDClassifier as SGDClassifier
    from corollary.linear.stochastic_gradient import SGDRegressor as SGDRegressor
    from corollary.linear.tweedie import GammaRegressor as GammaRegressor
    from corollary.linear.tweedie import PoissonRegressor as PoissonRegressor
    from corollary.linear.tweedie import TweedieRegressor as TweedieRegressor
    from corollary.persistence import load as load
    from corollary.persistence import save as save
    from corollary.svm.nu_svc import NuSVC as NuSVC
    from corollary.svm.nu_svr import NuSVR as NuSVR
    from corollary.svm.one_class_svm import OneClassSVM as OneClassSVM
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
