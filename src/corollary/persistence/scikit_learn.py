"""Classes of scikit-learn that may stand in a model file: a fixed list, no paths.

Whole pipelines are saved with their parts: transformers, column transformers, voting,
stacking, calibration, and models that are plain numbers.  A file names such a class
``sklearn.Pipeline``; which module that is stands in this table, never in the file.
What a class of this list learned is stored as it stands, by its names, with the version
of scikit-learn that made it.

Refused, because they run what a file says or hold what is no data: functions (but for
the few of `functions`), a pipeline's `memory`, vectorisers that open files or
bring patterns of their own, and the trees and indices that scikit-learn compiles.

Three things are made anew instead of being stored:

    the records inside CalibratedClassifierCV     of scikit-learn's own classes, which
                                                  a small fit shows
    an IsotonicRegression                         from its thresholds
    named_estimators_                             from the estimators and their names
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from typing import Any

import numpy as np

from corollary.core.errors import ModelFileError, ParameterError, sentence

__all__ = [
    "LEARNED",
    "TYPES",
    "calibration_records",
    "class_named",
    "completed",
    "functions",
    "is_known",
    "kept",
    "learned_names",
    "refuse_unsafe",
]

PREFIX = "sklearn."
MODULES = {
    "sklearn.pipeline": "Pipeline FeatureUnion",
    "sklearn.compose": "ColumnTransformer TransformedTargetRegressor",
    "sklearn.calibration": "CalibratedClassifierCV",
    "sklearn.isotonic": "IsotonicRegression",
    "sklearn.ensemble": (
        "VotingClassifier VotingRegressor StackingClassifier StackingRegressor"
    ),
    "sklearn.multioutput": "MultiOutputClassifier MultiOutputRegressor",
    "sklearn.preprocessing": (
        "StandardScaler MinMaxScaler MaxAbsScaler RobustScaler Normalizer Binarizer "
        "QuantileTransformer PowerTransformer KBinsDiscretizer PolynomialFeatures "
        "FunctionTransformer OneHotEncoder OrdinalEncoder TargetEncoder LabelEncoder "
        "LabelBinarizer MultiLabelBinarizer KernelCenterer"
    ),
    "sklearn.impute": "SimpleImputer MissingIndicator",
    "sklearn.feature_extraction": "DictVectorizer FeatureHasher",
    "sklearn.feature_extraction.text": (
        "CountVectorizer TfidfVectorizer TfidfTransformer HashingVectorizer"
    ),
    "sklearn.feature_selection": (
        "VarianceThreshold SelectKBest SelectPercentile SelectFromModel RFE"
    ),
    "sklearn.decomposition": "PCA TruncatedSVD",
    "sklearn.linear_model": (
        "LinearRegression Ridge RidgeClassifier Lasso ElasticNet LogisticRegression"
    ),
    "sklearn.naive_bayes": "GaussianNB MultinomialNB BernoulliNB",
    "sklearn.dummy": "DummyClassifier DummyRegressor",
}
CLASSES = {name: module for module, names in MODULES.items() for name in names.split()}
LEARNED = re.compile(r"_?[a-zA-Z]\w*")  # names of what they learn
OF_NUMPY = "abs cbrt exp expm1 log log10 log1p log2 sign sqrt square"
OF_SELECTION = "chi2 f_classif f_regression mutual_info_classif mutual_info_regression"
TYPES = (np.float32, np.float64, np.int32, np.int64, float, int, object)
PATTERN = r"(?u)\b\w\w+\b"  # of words, as scikit-learn's vectorisers have it


@cache
def functions() -> dict[str, Any]:
    """Return the functions that a file may name: of an array, or scores of columns."""
    from sklearn import feature_selection

    numpy = {name: getattr(np, name) for name in OF_NUMPY.split()}
    return numpy | {n: getattr(feature_selection, n) for n in OF_SELECTION.split()}


def is_known(model: Any) -> bool:
    """Tell whether a value is an estimator of this list, and no subclass of one."""
    cls = type(model)
    if not cls.__module__.startswith(PREFIX) or cls.__name__ not in CLASSES:
        return False
    return class_named(f"{PREFIX}{cls.__name__}") is cls


def learned_names(cls: Any) -> re.Pattern[str] | None:
    """Return how attributes are named where a class of ours is one of this list too."""
    known = (b for b in cls.__mro__ if b.__module__.startswith(PREFIX))
    return LEARNED if any(base.__name__ in CLASSES for base in known) else None


def class_named(name: str) -> Any:
    """Return the class that a file names."""
    public = name.removeprefix(PREFIX)
    if public not in CLASSES:
        raise ModelFileError(f"{name!r} is no class that a model file may name")
    return getattr(importlib.import_module(CLASSES[public]), public)


def refuse_unsafe(
    model: Any, error: type[ParameterError] | type[ModelFileError]
) -> None:
    """Refuse parameters by which a file would open files, or bring patterns."""
    given = model.get_params(deep=False)
    for name, allowed in (
        ("memory", (None,)),
        ("input", ("content",)),
        ("token_pattern", (None, PATTERN)),
    ):
        if name in given and given[name] not in allowed:
            must = f"{name} must be {allowed[-1]!r} in a model file"
            raise error(sentence(model, must, f"{given[name]!r}"))


def kept(model: Any) -> dict[str, Any]:
    """Return what a model learned, but for training rows and what is made anew."""
    parameters = model.get_params(deep=False)
    learned = {k: v for k, v in vars(model).items() if k not in parameters}
    left_out = ("f_", "named_estimators_", *getattr(model, "of_rows", ()))
    return {k: v for k, v in learned.items() if k not in left_out}


def completed(model: Any) -> Any:
    """Make anew what was not stored, and check what compiled code will trust."""
    from sklearn.isotonic import IsotonicRegression
    from sklearn.utils import Bunch

    if isinstance(model, IsotonicRegression) and hasattr(model, "X_thresholds_"):
        x, y = model.X_thresholds_, model.y_thresholds_
        return type(model)(**model.get_params()).fit(x, y)
    if hasattr(model, "vocabulary_"):
        check_vocabulary(model.vocabulary_)
    if hasattr(model, "estimators_") and "estimators" in model.get_params(deep=False):
        used = [name for name, one in model.estimators if one != "drop"]
        if len(used) != len(model.estimators_):
            raise ModelFileError("estimators_ must be those of estimators")
        named = dict.fromkeys((name for name, _ in model.estimators), "drop")
        named |= zip(used, model.estimators_, strict=True)
        model.named_estimators_ = Bunch(**named)
    return model


def check_vocabulary(words: Any) -> None:
    """Refuse places of words that are not 0, 1, ... in some order."""
    found = list(words.values()) if isinstance(words, dict) else []
    whole = found and all(isinstance(k, int | np.integer) for k in found)
    if not whole or set(found) != set(range(len(found))):
        raise ModelFileError("vocabulary_ must give each word a place of its own")


@cache
def calibration_records() -> dict[str, type]:
    """Return the classes inside CalibratedClassifierCV, which small fits show."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.naive_bayes import GaussianNB

    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    found: dict[str, type] = {}
    for method in ("sigmoid", "temperature"):
        try:
            model = CalibratedClassifierCV(GaussianNB(), method=method, cv=2).fit(X, y)
        except ValueError:  # a method that this scikit-learn does not have
            continue
        for one in model.calibrated_classifiers_:
            for part in (one, *one.calibrators):
                found[type(part).__name__] = type(part)
    return found
