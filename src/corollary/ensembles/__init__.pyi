from .hist_gradient_boosting_classifier import (
    HistGradientBoostingClassifier as HistGradientBoostingClassifier,
)
from .hist_gradient_boosting_regressor import (
    HistGradientBoostingRegressor as HistGradientBoostingRegressor,
)
