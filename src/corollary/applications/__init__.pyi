from .text_classification import TextClassifier as TextClassifier
from .text_classification import words as words
