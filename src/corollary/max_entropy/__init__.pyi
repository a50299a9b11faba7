from .maximum_entropy import check_duality as check_duality
from .maximum_entropy import maximum_entropy as maximum_entropy
from .maximum_entropy_classifier import (
    MaximumEntropyClassifier as MaximumEntropyClassifier,
)
