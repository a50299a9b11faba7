from .bound import Bound as Bound
from .conformal.calibration import conformal_quantile as conformal_quantile
from .conformal.conformal_classifier import ConformalClassifier as ConformalClassifier
from .conformal.conformal_regressor import ConformalRegressor as ConformalRegressor
from .conformal.coverage import Coverage as Coverage
from .conformal.likelihood_ratio import LikelihoodRatio as LikelihoodRatio
from .conformal.likelihood_ratio import likelihood_ratio as likelihood_ratio
