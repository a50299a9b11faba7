from .ada_boost_classifier import AdaBoostClassifier as AdaBoostClassifier
from .ada_boost_regressor import AdaBoostRegressor as AdaBoostRegressor
from .bagging_classifier import BaggingClassifier as BaggingClassifier
from .bagging_regressor import BaggingRegressor as BaggingRegressor
from .boosting_rate import BoostingRate as BoostingRate
from .boosting_rate import boosting_rate as boosting_rate
from .explainable_boosting_classifier import (
    ExplainableBoostingClassifier as ExplainableBoostingClassifier,
)
from .explainable_boosting_regressor import (
    ExplainableBoostingRegressor as ExplainableBoostingRegressor,
)
from .extra_trees_classifier import ExtraTreesClassifier as ExtraTreesClassifier
from .extra_trees_regressor import ExtraTreesRegressor as ExtraTreesRegressor
from .gradient_boosting_classifier import (
    GradientBoostingClassifier as GradientBoostingClassifier,
)
from .gradient_boosting_regressor import (
    GradientBoostingRegressor as GradientBoostingRegressor,
)
from .hardest_rows import HardestRows as HardestRows
from .hist_gradient_boosting_classifier import (
    HistGradientBoostingClassifier as HistGradientBoostingClassifier,
)
from .hist_gradient_boosting_regressor import (
    HistGradientBoostingRegressor as HistGradientBoostingRegressor,
)
from .majority_vote import majority_vote_accuracy as majority_vote_accuracy
from .margin_distribution import BoostingBounds as BoostingBounds
from .margin_distribution import MarginDistribution as MarginDistribution
from .margin_distribution import boosting_bounds as boosting_bounds
from .random_forest_classifier import RandomForestClassifier as RandomForestClassifier
from .random_forest_regressor import RandomForestRegressor as RandomForestRegressor
from .shap_values import ShapValues as ShapValues
from .shape_explanation import ShapeExplanation as ShapeExplanation
from .tree_shap import tree_shap as tree_shap
