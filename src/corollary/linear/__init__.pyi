from .batch_perceptron import BatchPerceptron as BatchPerceptron
from .bayesian_linear_regression import (
    BayesianLinearRegression as BayesianLinearRegression,
)
from .bayesian_ridge import BayesianRidge as BayesianRidge
from .crammer_singer import CrammerSingerClassifier as CrammerSingerClassifier
from .elastic_net import ElasticNet as ElasticNet
from .elastic_net import ElasticNetCV as ElasticNetCV
from .elastic_net_path import alpha_grid as alpha_grid
from .elastic_net_path import enet_path as enet_path
from .elastic_net_path import lasso_path as lasso_path
from .expansions.fourier_basis import FourierBasis as FourierBasis
from .expansions.polynomial_features import PolynomialFeatures as PolynomialFeatures
from .expansions.radial_basis import RadialBasis as RadialBasis
from .expansions.sigmoid_basis import SigmoidBasis as SigmoidBasis
from .expansions.spline_transformer import SplineTransformer as SplineTransformer
from .expansions.wavelet_basis import WaveletBasis as WaveletBasis
from .expansions.wavelet_basis import daubechies_filter as daubechies_filter
from .generalized_linear_regressor import (
    GeneralizedLinearRegressor as GeneralizedLinearRegressor,
)
from .gradient_descent import GradientDescentRegressor as GradientDescentRegressor
from .join_the_dots import JoinTheDots as JoinTheDots
from .kernel_perceptron import KernelPerceptron as KernelPerceptron
from .laplace import laplace as laplace
from .lasso import Lasso as Lasso
from .lasso import LassoCV as LassoCV
from .lasso_bound import alpha_of_bound as alpha_of_bound
from .lasso_bound import bound_of_alpha as bound_of_alpha
from .least_absolute_deviations import (
    LeastAbsoluteDeviations as LeastAbsoluteDeviations,
)
from .least_squares_classifier import LeastSquaresClassifier as LeastSquaresClassifier
from .linear_machine import LinearMachine as LinearMachine
from .linear_machine import machine_of as machine_of
from .linear_regression import LinearRegression as LinearRegression
from .locally_weighted_regression import (
    LocallyWeightedRegression as LocallyWeightedRegression,
)
from .logistic_regression import LogisticRegression as LogisticRegression
from .logistic_regression_cv import LogisticRegressionCV as LogisticRegressionCV
from .margins import foot as foot
from .margins import margins as margins
from .mse_procedure import MSEProcedure as MSEProcedure
from .mse_procedure import normalised as normalised
from .partial_least_squares import PLSRegression as PLSRegression
from .perceptron import Perceptron as Perceptron
from .principal_component_regression import (
    PrincipalComponentRegression as PrincipalComponentRegression,
)
from .quantile_crossings import Crossings as Crossings
from .quantile_crossings import quantile_crossings as quantile_crossings
from .quantile_regressor import QuantileRegressor as QuantileRegressor
from .ridge import Ridge as Ridge
from .ridge_cv import RidgeCV as RidgeCV
from .ridge_path import ridge_path as ridge_path
from .separability import separability as separability
from .stochastic_gradient import SGDClassifier as SGDClassifier
from .stochastic_gradient import SGDRegressor as SGDRegressor
from .summary import Summary as Summary
from .tweedie import GammaRegressor as GammaRegressor
from .tweedie import PoissonRegressor as PoissonRegressor
from .tweedie import TweedieRegressor as TweedieRegressor
