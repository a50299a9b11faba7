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
