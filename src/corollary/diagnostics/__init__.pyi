from .classifier_choice import Choice as Choice
from .classifier_choice import choose_classifier as choose_classifier
from .complexity_sweep import ComplexitySweep as ComplexitySweep
from .complexity_sweep import complexity_sweep as complexity_sweep
from .complexity_sweep import polynomial_sweep as polynomial_sweep
from .conditional_dependence import conditional_dependence as conditional_dependence
from .conditional_dependence import parameter_counts as parameter_counts
from .estimator_lab import estimator_lab as estimator_lab
from .generative_or_discriminative import Comparison as Comparison
from .generative_or_discriminative import Influence as Influence
from .generative_or_discriminative import (
    generative_or_discriminative as generative_or_discriminative,
)
from .generative_or_discriminative import outlier_influence as outlier_influence
from .generative_or_discriminative import relative_efficiency as relative_efficiency
from .gradient_check import check_gradient as check_gradient
from .kkt import KKT as KKT
from .kkt import check_kkt as check_kkt
from .kkt import dual_function as dual_function
from .kkt import lagrangian as lagrangian
from .misspecification import gaussian_rule_error as gaussian_rule_error
from .misspecification import misspecification as misspecification
from .ml_and_bayes import ml_and_bayes as ml_and_bayes
from .optimality import OptimalityCertificate as OptimalityCertificate
from .optimality import certify_optimality as certify_optimality
from .parallel_efficiency import amdahl as amdahl
from .parallel_efficiency import parallel_efficiency as parallel_efficiency
from .pca_use import pca_use as pca_use
from .sample_size import rows_to_fill as rows_to_fill
from .sample_size import sample_size_advice as sample_size_advice
