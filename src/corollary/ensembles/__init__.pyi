from .ada_boost_classifier import AdaBoostClassifier as AdaBoostClassifier
from .ada_boost_classifier import HardestRows as HardestRows
from .margin_distribution import BoostingBounds as BoostingBounds
from .margin_distribution import MarginDistribution as MarginDistribution
from .margin_distribution import boosting_bounds as boosting_bounds
