__version__: str

from . import applications as applications
from . import bayes as bayes
from . import catalogue as catalogue
from . import clustering as clustering
from . import datasets as datasets
from . import decomposition as decomposition
from . import density as density
from . import diagnostics as diagnostics
from . import discriminants as discriminants
from . import distributions as distributions
from . import engine as engine
from . import information as information
from . import kernels as kernels
from . import linear as linear
from . import multiclass as multiclass
from . import objectives as objectives
from . import plots as plots
from . import projections as projections
from . import registry as registry
from . import solvers as solvers
from . import svm as svm
from .bayes.bayes_classifier import BayesClassifier as BayesClassifier
from .bayes.bernoulli_nb import BernoulliNB as BernoulliNB
from .bayes.categorical_nb import CategoricalNB as CategoricalNB
from .bayes.complement_nb import ComplementNB as ComplementNB
from .bayes.cost_sensitive import CostSensitiveClassifier as CostSensitiveClassifier
from .bayes.gaussian_nb import GaussianNB as GaussianNB
from .bayes.maximum_entropy_classifier import (
    MaximumEntropyClassifier as MaximumEntropyClassifier,
)
from .bayes.mixed_nb import MixedNB as MixedNB
from .bayes.multinomial_nb import MultinomialNB as MultinomialNB
from .bayes.prior_classifier import PriorClassifier as PriorClassifier
from .clustering.k_means import KMeans as KMeans
from .core.config import Config as Config
from .core.config import config_context as config_context
from .core.config import get_config as get_config
from .core.config import set_config as set_config
from .core.errors import ClusterError as ClusterError
from .core.errors import DataError as DataError
from .core.errors import MemoryLimitError as MemoryLimitError
from .core.errors import ModelFileError as ModelFileError
from .core.errors import NumericalError as NumericalError
from .core.errors import ParameterError as ParameterError
from .core.report import Optimality as Optimality
from .core.report import Report as Report
from .core.report import StopReason as StopReason
from .decomposition.pca import PCA as PCA
from .density.parametric import ParametricDensity as ParametricDensity
from .discriminants.fisher_discriminant import FisherDiscriminant as FisherDiscriminant
from .discriminants.gaussian_discriminant import (
    GaussianDiscriminant as GaussianDiscriminant,
)
from .discriminants.linear_discriminant_analysis import (
    LinearDiscriminantAnalysis as LinearDiscriminantAnalysis,
)
from .discriminants.nearest_centroid import NearestCentroid as NearestCentroid
from .discriminants.quadratic_discriminant_analysis import (
    QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis,
)
from .kernels.landmark_features import LandmarkFeatures as LandmarkFeatures
from .kernels.nystroem import Nystroem as Nystroem
from .kernels.polynomial_count_sketch import (
    PolynomialCountSketch as PolynomialCountSketch,
)
from .kernels.rbf_sampler import RBFSampler as RBFSampler
from .linear.batch_perceptron import BatchPerceptron as BatchPerceptron
from .linear.bayesian_linear_regression import (
    BayesianLinearRegression as BayesianLinearRegression,
)
from .linear.bayesian_ridge import BayesianRidge as BayesianRidge
from .linear.crammer_singer import CrammerSingerClassifier as CrammerSingerClassifier
from .linear.elastic_net import ElasticNet as ElasticNet
from .linear.elastic_net import ElasticNetCV as ElasticNetCV
from .linear.expansions.fourier_basis import FourierBasis as FourierBasis
from .linear.expansions.polynomial_features import (
    PolynomialFeatures as PolynomialFeatures,
)
from .linear.expansions.radial_basis import RadialBasis as RadialBasis
from .linear.expansions.sigmoid_basis import SigmoidBasis as SigmoidBasis
from .linear.expansions.spline_transformer import SplineTransformer as SplineTransformer
from .linear.expansions.wavelet_basis import WaveletBasis as WaveletBasis
from .linear.generalized_linear_regressor import (
    GeneralizedLinearRegressor as GeneralizedLinearRegressor,
)
from .linear.gradient_descent import (
    GradientDescentRegressor as GradientDescentRegressor,
)
from .linear.join_the_dots import JoinTheDots as JoinTheDots
from .linear.kernel_perceptron import KernelPerceptron as KernelPerceptron
from .linear.lasso import Lasso as Lasso
from .linear.lasso import LassoCV as LassoCV
from .linear.least_absolute_deviations import (
    LeastAbsoluteDeviations as LeastAbsoluteDeviations,
)
from .linear.least_squares_classifier import (
    LeastSquaresClassifier as LeastSquaresClassifier,
)
from .linear.linear_regression import LinearRegression as LinearRegression
from .linear.locally_weighted_regression import (
    LocallyWeightedRegression as LocallyWeightedRegression,
)
from .linear.logistic_regression import LogisticRegression as LogisticRegression
from .linear.logistic_regression_cv import LogisticRegressionCV as LogisticRegressionCV
from .linear.mse_procedure import MSEProcedure as MSEProcedure
from .linear.partial_least_squares import PLSRegression as PLSRegression
from .linear.perceptron import Perceptron as Perceptron
from .linear.principal_component_regression import (
    PrincipalComponentRegression as PrincipalComponentRegression,
)
from .linear.quantile_regressor import QuantileRegressor as QuantileRegressor
from .linear.ridge import Ridge as Ridge
from .linear.ridge_cv import RidgeCV as RidgeCV
from .linear.stochastic_gradient import SGDClassifier as SGDClassifier
from .linear.stochastic_gradient import SGDRegressor as SGDRegressor
from .linear.tweedie import GammaRegressor as GammaRegressor
from .linear.tweedie import PoissonRegressor as PoissonRegressor
from .linear.tweedie import TweedieRegressor as TweedieRegressor
from .multiclass.one_vs_one import OneVsOneClassifier as OneVsOneClassifier
from .multiclass.one_vs_rest import OneVsRestClassifier as OneVsRestClassifier
from .persistence import load as load
from .persistence import save as save
from .svm.hard_margin_svc import HardMarginSVC as HardMarginSVC
from .svm.kernel_fisher_discriminant import (
    KernelFisherDiscriminant as KernelFisherDiscriminant,
)
from .svm.kernel_nearest_centroid import KernelNearestCentroid as KernelNearestCentroid
from .svm.kernel_quantile_regressor import (
    KernelQuantileRegressor as KernelQuantileRegressor,
)
from .svm.kernel_ridge import KernelRidge as KernelRidge
from .svm.linear_svc import LinearSVC as LinearSVC
from .svm.linear_svr import LinearSVR as LinearSVR
from .svm.nu_svc import NuSVC as NuSVC
from .svm.nu_svr import NuSVR as NuSVR
from .svm.one_class_svm import OneClassSVM as OneClassSVM
from .svm.representer_machine import RepresenterClassifier as RepresenterClassifier
from .svm.representer_machine import RepresenterRegressor as RepresenterRegressor
from .svm.squared_epsilon_svr import SquaredEpsilonSVR as SquaredEpsilonSVR
from .svm.squared_hinge_svc import SquaredHingeSVC as SquaredHingeSVC
from .svm.svc import SVC as SVC
from .svm.svdd import SVDD as SVDD
from .svm.svr import SVR as SVR
