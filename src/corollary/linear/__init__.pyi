from .glm.generalized_linear_regressor import (
    GeneralizedLinearRegressor as GeneralizedLinearRegressor,
)
from .glm.tweedie import GammaRegressor as GammaRegressor
from .glm.tweedie import PoissonRegressor as PoissonRegressor
from .glm.tweedie import TweedieRegressor as TweedieRegressor
from .inference.summary import Summary as Summary
from .inference.wald_test import WaldTest as WaldTest
from .least_squares.bayesian_linear_regression import (
    BayesianLinearRegression as BayesianLinearRegression,
)
from .least_squares.bayesian_ridge import BayesianRidge as BayesianRidge
from .least_squares.gradient_descent_regressor import (
    GradientDescentRegressor as GradientDescentRegressor,
)
from .least_squares.join_the_dots import JoinTheDots as JoinTheDots
from .least_squares.least_squares_classifier import (
    LeastSquaresClassifier as LeastSquaresClassifier,
)
from .least_squares.linear_regression import LinearRegression as LinearRegression
from .least_squares.locally_weighted_regression import (
    LocallyWeightedRegression as LocallyWeightedRegression,
)
from .least_squares.mse_procedure import MSEProcedure as MSEProcedure
from .least_squares.partial_least_squares import PLSRegression as PLSRegression
from .least_squares.principal_component_regression import (
    PrincipalComponentRegression as PrincipalComponentRegression,
)
from .least_squares.ridge import Ridge as Ridge
from .least_squares.ridge_classifier import RidgeClassifier as RidgeClassifier
from .least_squares.ridge_cv import RidgeCV as RidgeCV
from .least_squares.ridge_path import ridge_path as ridge_path
from .linear_machine import LinearMachine as LinearMachine
from .linear_machine import machine_of as machine_of
from .logistic.laplace import laplace as laplace
from .logistic.logistic_regression import LogisticRegression as LogisticRegression
from .logistic.logistic_regression_cv import (
    LogisticRegressionCV as LogisticRegressionCV,
)
from .logistic.reference_class import ReferenceLogits as ReferenceLogits
from .logistic.reference_class import fit_reference_logits as fit_reference_logits
from .logistic.reference_class import reference_logits as reference_logits
from .margins import margins as margins
from .margins import nearest_point_on_plane as nearest_point_on_plane
from .online.batch_perceptron import BatchPerceptron as BatchPerceptron
from .online.passive_aggressive import (
    PassiveAggressiveClassifier as PassiveAggressiveClassifier,
)
from .online.passive_aggressive import (
    PassiveAggressiveRegressor as PassiveAggressiveRegressor,
)
from .online.perceptron import Perceptron as Perceptron
from .online.stochastic_gradient import SGDClassifier as SGDClassifier
from .online.stochastic_gradient import SGDRegressor as SGDRegressor
from .quantile.least_absolute_deviations import (
    LeastAbsoluteDeviations as LeastAbsoluteDeviations,
)
from .quantile.quantile_crossings import Crossings as Crossings
from .quantile.quantile_crossings import quantile_crossings as quantile_crossings
from .quantile.quantile_regressor import QuantileRegressor as QuantileRegressor
from .robust.huber_regressor import HuberRegressor as HuberRegressor
from .robust.ransac_regressor import RANSACRegressor as RANSACRegressor
from .robust.theil_sen_regressor import TheilSenRegressor as TheilSenRegressor
from .separability import separability as separability
from .sparse.elastic_net import ElasticNet as ElasticNet
from .sparse.elastic_net import ElasticNetCV as ElasticNetCV
from .sparse.elastic_net_path import alpha_grid as alpha_grid
from .sparse.elastic_net_path import enet_path as enet_path
from .sparse.elastic_net_path import lasso_path as lasso_path
from .sparse.lasso import Lasso as Lasso
from .sparse.lasso import LassoCV as LassoCV
from .sparse.lasso_bound import alpha_of_bound as alpha_of_bound
from .sparse.lasso_bound import bound_of_alpha as bound_of_alpha
from .sparse.least_angle import Lars as Lars
from .sparse.least_angle import LassoLars as LassoLars
from .sparse.least_angle import lars_path as lars_path
from .sparse.multi_task import MultiTaskElasticNet as MultiTaskElasticNet
from .sparse.multi_task import MultiTaskLasso as MultiTaskLasso
from .sparse.orthogonal_matching_pursuit import (
    OrthogonalMatchingPursuit as OrthogonalMatchingPursuit,
)
from .sparse.orthogonal_matching_pursuit import orthogonal_mp as orthogonal_mp
from .standardized import Standardized as Standardized
