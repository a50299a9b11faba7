from .estimator_lab import estimator_lab as estimator_lab
from .generative_or_discriminative import Comparison as Comparison
from .generative_or_discriminative import Influence as Influence
from .generative_or_discriminative import (
    generative_or_discriminative as generative_or_discriminative,
)
from .generative_or_discriminative import outlier_influence as outlier_influence
from .generative_or_discriminative import relative_efficiency as relative_efficiency
from .misspecification import gaussian_rule_error as gaussian_rule_error
from .misspecification import misspecification as misspecification
from .ml_and_bayes import ml_and_bayes as ml_and_bayes
from .shrinkage import PenaltyRegions as PenaltyRegions
from .shrinkage import ShrinkagePaths as ShrinkagePaths
from .shrinkage import correlated_regression as correlated_regression
from .shrinkage import penalty_regions as penalty_regions
from .shrinkage import shrinkage_paths as shrinkage_paths
