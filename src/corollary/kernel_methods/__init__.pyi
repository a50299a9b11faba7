from .kernel_cca import KernelCCA as KernelCCA
from .kernel_cca import kernel_cca as kernel_cca
from .kernel_fisher_discriminant import (
    KernelFisherDiscriminant as KernelFisherDiscriminant,
)
from .kernel_nearest_centroid import KernelNearestCentroid as KernelNearestCentroid
from .kernel_perceptron import KernelPerceptron as KernelPerceptron
from .kernel_quantile_regressor import (
    KernelQuantileRegressor as KernelQuantileRegressor,
)
from .kernel_ridge import KernelRidge as KernelRidge
from .kernel_ridge import RidgePath as RidgePath
from .representer import Expansion as Expansion
from .representer_machine import RepresenterClassifier as RepresenterClassifier
from .representer_machine import RepresenterRegressor as RepresenterRegressor
from .representer_machine import representer_fit as representer_fit
from .representer_minimum import RepresenterMinimum as RepresenterMinimum
from .representer_minimum import representer_minimum as representer_minimum
