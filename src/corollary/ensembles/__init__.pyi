from .explainable_boosting_classifier import (
    ExplainableBoostingClassifier as ExplainableBoostingClassifier,
)
from .explainable_boosting_regressor import (
    ExplainableBoostingRegressor as ExplainableBoostingRegressor,
)
from .extra_trees_classifier import ExtraTreesClassifier as ExtraTreesClassifier
from .extra_trees_regressor import ExtraTreesRegressor as ExtraTreesRegressor
from .hist_gradient_boosting_classifier import (
    HistGradientBoostingClassifier as HistGradientBoostingClassifier,
)
from .hist_gradient_boosting_regressor import (
    HistGradientBoostingRegressor as HistGradientBoostingRegressor,
)
from .random_forest_classifier import RandomForestClassifier as RandomForestClassifier
from .random_forest_regressor import RandomForestRegressor as RandomForestRegressor
from .shap_values import ShapValues as ShapValues
from .shape_explanation import ShapeExplanation as ShapeExplanation
from .tree_shap import tree_shap as tree_shap
