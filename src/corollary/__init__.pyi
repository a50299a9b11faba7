__version__: str

from . import applications as applications
from . import catalogue as catalogue
from . import clustering as clustering
from . import datasets as datasets
from . import decisions as decisions
from . import decomposition as decomposition
from . import density as density
from . import diagnostics as diagnostics
from . import discriminants as discriminants
from . import distributions as distributions
from . import engine as engine
from . import ensembles as ensembles
from . import information as information
from . import kernel_methods as kernel_methods
from . import kernels as kernels
from . import linear as linear
from . import max_entropy as max_entropy
from . import multiclass as multiclass
from . import naive_bayes as naive_bayes
from . import neighbors as neighbors
from . import objectives as objectives
from . import plots as plots
from . import preparation as preparation
from . import projections as projections
from . import registry as registry
from . import report as report
from . import selection as selection
from . import solvers as solvers
from . import studies as studies
from . import svm as svm
from . import theory as theory
from . import trees as trees
from . import workbench as workbench
from .clustering.generalized_k_means import GeneralizedKMeans as GeneralizedKMeans
from .clustering.k_means import KMeans as KMeans
from .core.configuration import Config as Config
from .core.configuration import config_context as config_context
from .core.configuration import get_config as get_config
from .core.configuration import set_config as set_config
from .core.errors import ClusterError as ClusterError
from .core.errors import DataError as DataError
from .core.errors import MemoryLimitError as MemoryLimitError
from .core.errors import ModelFileError as ModelFileError
from .core.errors import NumericalError as NumericalError
from .core.errors import ParameterError as ParameterError
from .core.report import Optimality as Optimality
from .core.report import Report as Report
from .core.report import StopReason as StopReason
from .decisions.bayes_classifier import BayesClassifier as BayesClassifier
from .decisions.cost_sensitive import CostSensitiveClassifier as CostSensitiveClassifier
from .decisions.prior_classifier import PriorClassifier as PriorClassifier
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
from .ensembles.ada_boost_classifier import AdaBoostClassifier as AdaBoostClassifier
from .ensembles.ada_boost_regressor import AdaBoostRegressor as AdaBoostRegressor
from .ensembles.bagging_classifier import BaggingClassifier as BaggingClassifier
from .ensembles.bagging_regressor import BaggingRegressor as BaggingRegressor
from .ensembles.explainable_boosting_classifier import (
    ExplainableBoostingClassifier as ExplainableBoostingClassifier,
)
from .ensembles.explainable_boosting_regressor import (
    ExplainableBoostingRegressor as ExplainableBoostingRegressor,
)
from .ensembles.extra_trees_classifier import (
    ExtraTreesClassifier as ExtraTreesClassifier,
)
from .ensembles.extra_trees_regressor import ExtraTreesRegressor as ExtraTreesRegressor
from .ensembles.gradient_boosting_classifier import (
    GradientBoostingClassifier as GradientBoostingClassifier,
)
from .ensembles.gradient_boosting_regressor import (
    GradientBoostingRegressor as GradientBoostingRegressor,
)
from .ensembles.hist_gradient_boosting_classifier import (
    HistGradientBoostingClassifier as HistGradientBoostingClassifier,
)
from .ensembles.hist_gradient_boosting_regressor import (
    HistGradientBoostingRegressor as HistGradientBoostingRegressor,
)
from .ensembles.random_forest_classifier import (
    RandomForestClassifier as RandomForestClassifier,
)
from .ensembles.random_forest_regressor import (
    RandomForestRegressor as RandomForestRegressor,
)
from .kernel_methods.kernel_fisher_discriminant import (
    KernelFisherDiscriminant as KernelFisherDiscriminant,
)
from .kernel_methods.kernel_nearest_centroid import (
    KernelNearestCentroid as KernelNearestCentroid,
)
from .kernel_methods.kernel_perceptron import KernelPerceptron as KernelPerceptron
from .kernel_methods.kernel_quantile_regressor import (
    KernelQuantileRegressor as KernelQuantileRegressor,
)
from .kernel_methods.kernel_ridge import KernelRidge as KernelRidge
from .kernel_methods.representer_machine import (
    RepresenterClassifier as RepresenterClassifier,
)
from .kernel_methods.representer_machine import (
    RepresenterRegressor as RepresenterRegressor,
)
from .linear.glm.generalized_linear_regressor import (
    GeneralizedLinearRegressor as GeneralizedLinearRegressor,
)
from .linear.glm.tweedie import GammaRegressor as GammaRegressor
from .linear.glm.tweedie import PoissonRegressor as PoissonRegressor
from .linear.glm.tweedie import TweedieRegressor as TweedieRegressor
from .linear.least_squares.bayesian_linear_regression import (
    BayesianLinearRegression as BayesianLinearRegression,
)
from .linear.least_squares.bayesian_ridge import BayesianRidge as BayesianRidge
from .linear.least_squares.gradient_descent_regressor import (
    GradientDescentRegressor as GradientDescentRegressor,
)
from .linear.least_squares.join_the_dots import JoinTheDots as JoinTheDots
from .linear.least_squares.least_squares_classifier import (
    LeastSquaresClassifier as LeastSquaresClassifier,
)
from .linear.least_squares.linear_regression import LinearRegression as LinearRegression
from .linear.least_squares.locally_weighted_regression import (
    LocallyWeightedRegression as LocallyWeightedRegression,
)
from .linear.least_squares.mse_procedure import MSEProcedure as MSEProcedure
from .linear.least_squares.partial_least_squares import PLSRegression as PLSRegression
from .linear.least_squares.principal_component_regression import (
    PrincipalComponentRegression as PrincipalComponentRegression,
)
from .linear.least_squares.ridge import Ridge as Ridge
from .linear.least_squares.ridge_classifier import RidgeClassifier as RidgeClassifier
from .linear.least_squares.ridge_cv import RidgeCV as RidgeCV
from .linear.logistic.logistic_regression import (
    LogisticRegression as LogisticRegression,
)
from .linear.logistic.logistic_regression_cv import (
    LogisticRegressionCV as LogisticRegressionCV,
)
from .linear.online.batch_perceptron import BatchPerceptron as BatchPerceptron
from .linear.online.passive_aggressive import (
    PassiveAggressiveClassifier as PassiveAggressiveClassifier,
)
from .linear.online.passive_aggressive import (
    PassiveAggressiveRegressor as PassiveAggressiveRegressor,
)
from .linear.online.perceptron import Perceptron as Perceptron
from .linear.online.stochastic_gradient import SGDClassifier as SGDClassifier
from .linear.online.stochastic_gradient import SGDRegressor as SGDRegressor
from .linear.quantile.least_absolute_deviations import (
    LeastAbsoluteDeviations as LeastAbsoluteDeviations,
)
from .linear.quantile.quantile_regressor import QuantileRegressor as QuantileRegressor
from .linear.robust.huber_regressor import HuberRegressor as HuberRegressor
from .linear.robust.ransac_regressor import RANSACRegressor as RANSACRegressor
from .linear.robust.theil_sen_regressor import TheilSenRegressor as TheilSenRegressor
from .linear.sparse.elastic_net import ElasticNet as ElasticNet
from .linear.sparse.elastic_net import ElasticNetCV as ElasticNetCV
from .linear.sparse.lasso import Lasso as Lasso
from .linear.sparse.lasso import LassoCV as LassoCV
from .linear.sparse.least_angle import Lars as Lars
from .linear.sparse.least_angle import LassoLars as LassoLars
from .linear.sparse.multi_task import MultiTaskElasticNet as MultiTaskElasticNet
from .linear.sparse.multi_task import MultiTaskLasso as MultiTaskLasso
from .linear.sparse.orthogonal_matching_pursuit import (
    OrthogonalMatchingPursuit as OrthogonalMatchingPursuit,
)
from .linear.standardized import Standardized as Standardized
from .max_entropy.maximum_entropy_classifier import (
    MaximumEntropyClassifier as MaximumEntropyClassifier,
)
from .multiclass.one_vs_one import OneVsOneClassifier as OneVsOneClassifier
from .multiclass.one_vs_rest import OneVsRestClassifier as OneVsRestClassifier
from .naive_bayes.bernoulli_nb import BernoulliNB as BernoulliNB
from .naive_bayes.categorical_nb import CategoricalNB as CategoricalNB
from .naive_bayes.complement_nb import ComplementNB as ComplementNB
from .naive_bayes.gaussian_nb import GaussianNB as GaussianNB
from .naive_bayes.mixed_nb import MixedNB as MixedNB
from .naive_bayes.multinomial_nb import MultinomialNB as MultinomialNB
from .neighbors.k_neighbors_classifier import (
    KNeighborsClassifier as KNeighborsClassifier,
)
from .neighbors.k_neighbors_regressor import KNeighborsRegressor as KNeighborsRegressor
from .persistence import load as load
from .persistence import save as save
from .preparation.binarizer import Binarizer as Binarizer
from .preparation.column_transformer import ColumnTransformer as ColumnTransformer
from .preparation.date_parts import DateParts as DateParts
from .preparation.fourier_basis import FourierBasis as FourierBasis
from .preparation.hashing_encoder import HashingEncoder as HashingEncoder
from .preparation.k_bins_discretizer import KBinsDiscretizer as KBinsDiscretizer
from .preparation.landmark_features import LandmarkFeatures as LandmarkFeatures
from .preparation.max_abs_scaler import MaxAbsScaler as MaxAbsScaler
from .preparation.min_max_scaler import MinMaxScaler as MinMaxScaler
from .preparation.missing_indicator import MissingIndicator as MissingIndicator
from .preparation.normalizer import Normalizer as Normalizer
from .preparation.nystroem import Nystroem as Nystroem
from .preparation.one_hot_encoder import OneHotEncoder as OneHotEncoder
from .preparation.ordinal_encoder import OrdinalEncoder as OrdinalEncoder
from .preparation.polynomial_count_sketch import (
    PolynomialCountSketch as PolynomialCountSketch,
)
from .preparation.polynomial_features import PolynomialFeatures as PolynomialFeatures
from .preparation.power_transformer import PowerTransformer as PowerTransformer
from .preparation.quantile_transformer import QuantileTransformer as QuantileTransformer
from .preparation.radial_basis import RadialBasis as RadialBasis
from .preparation.rbf_sampler import RBFSampler as RBFSampler
from .preparation.robust_scaler import RobustScaler as RobustScaler
from .preparation.sigmoid_basis import SigmoidBasis as SigmoidBasis
from .preparation.simple_imputer import SimpleImputer as SimpleImputer
from .preparation.spline_transformer import SplineTransformer as SplineTransformer
from .preparation.standard_scaler import StandardScaler as StandardScaler
from .preparation.target_encoder import TargetEncoder as TargetEncoder
from .preparation.wavelet_basis import WaveletBasis as WaveletBasis
from .svm.crammer_singer import CrammerSingerClassifier as CrammerSingerClassifier
from .svm.hard_margin_svc import HardMarginSVC as HardMarginSVC
from .svm.linear_svc import LinearSVC as LinearSVC
from .svm.linear_svr import LinearSVR as LinearSVR
from .svm.nu_svc import NuSVC as NuSVC
from .svm.nu_svr import NuSVR as NuSVR
from .svm.one_class_svm import OneClassSVM as OneClassSVM
from .svm.squared_epsilon_svr import SquaredEpsilonSVR as SquaredEpsilonSVR
from .svm.squared_hinge_svc import SquaredHingeSVC as SquaredHingeSVC
from .svm.svc import SVC as SVC
from .svm.svdd import SVDD as SVDD
from .svm.svr import SVR as SVR
from .theory.certify import certify as certify
from .theory.conformal.conformal_classifier import (
    ConformalClassifier as ConformalClassifier,
)
from .theory.conformal.conformal_regressor import (
    ConformalRegressor as ConformalRegressor,
)
from .theory.conjunction_classifier import (
    ConjunctionClassifier as ConjunctionClassifier,
)
from .theory.tightest_box import TightestBox as TightestBox
from .trees.decision_stump import DecisionStumpClassifier as DecisionStumpClassifier
from .trees.decision_tree_classifier import (
    DecisionTreeClassifier as DecisionTreeClassifier,
)
from .trees.decision_tree_regressor import (
    DecisionTreeRegressor as DecisionTreeRegressor,
)
from .trees.extra_tree_classifier import ExtraTreeClassifier as ExtraTreeClassifier
from .trees.extra_tree_regressor import ExtraTreeRegressor as ExtraTreeRegressor
from .trees.id3 import ID3Classifier as ID3Classifier
from .trees.rule_list import RuleListClassifier as RuleListClassifier
