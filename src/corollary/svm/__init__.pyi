from .calibration import couple as couple
from .calibration import isotonic as isotonic
from .calibration import platt as platt
from .conic_boundary import conic_boundary as conic_boundary
from .hard_margin import HardMargin as HardMargin
from .hard_margin import canonical_form as canonical_form
from .hard_margin import hard_margin as hard_margin
from .hard_margin import nearest_hulls as nearest_hulls
from .hard_margin_svc import HardMarginSVC as HardMarginSVC
from .ivanov import lambda_of_norm as lambda_of_norm
from .ivanov import norm_of_lambda as norm_of_lambda
from .kernel_fisher_discriminant import (
    KernelFisherDiscriminant as KernelFisherDiscriminant,
)
from .kernel_fisher_discriminant import empirical_map as empirical_map
from .kernel_nearest_centroid import KernelNearestCentroid as KernelNearestCentroid
from .kernel_quantile_regressor import (
    KernelQuantileRegressor as KernelQuantileRegressor,
)
from .kernel_ridge import KernelRidge as KernelRidge
from .kernel_ridge import RidgePath as RidgePath
from .linear_svc import C_of_lambda as C_of_lambda
from .linear_svc import LinearSVC as LinearSVC
from .linear_svc import lambda_of_C as lambda_of_C
from .linear_svr import LinearSVR as LinearSVR
from .nu_svc import NuSVC as NuSVC
from .nu_svr import NuSVR as NuSVR
from .one_class_svm import OneClassSVM as OneClassSVM
from .path import svc_path as svc_path
from .reduced_set import Compressed as Compressed
from .reduced_set import compress as compress
from .representer import Expansion as Expansion
from .representer import minimise as minimise
from .representer_machine import RepresenterClassifier as RepresenterClassifier
from .representer_machine import RepresenterRegressor as RepresenterRegressor
from .representer_machine import representer_fit as representer_fit
from .squared_epsilon_svr import SquaredEpsilonSVR as SquaredEpsilonSVR
from .squared_hinge_svc import SquaredHingeSVC as SquaredHingeSVC
from .squared_losses import SquaredMachine as SquaredMachine
from .squared_losses import squared_hinge_svm as squared_hinge_svm
from .svc import SVC as SVC
from .svdd import SVDD as SVDD
from .svr import SVR as SVR
