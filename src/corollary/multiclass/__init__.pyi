from .one_vs_one import OneVsOneClassifier as OneVsOneClassifier
from .one_vs_rest import OneVsRestClassifier as OneVsRestClassifier
