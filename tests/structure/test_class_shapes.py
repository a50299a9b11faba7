"""The shape of the classes: shallow chains, no overriding but of hooks, one driver."""

import ast
import inspect
from pathlib import Path

import pytest

import corollary
from corollary.engine.contract import HOOKS
from corollary.registry import ESTIMATORS

SOURCE = Path(corollary.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
MOST = 3  # classes of our own above an estimator, one above the other
DRIVER = "engine/fit.py"
FITS = {  # the kinds of learners, and those that delegate
    "engine/contract.py",
    "engine/meta.py",
    "engine/rows_learner.py",
    "engine/sequential_learner.py",
}
STATISTICAL = {"distributions/distribution.py"}  # `fit` of a family is no estimator's

# What does not keep the rules yet; every list may only become shorter.
STILL_DEEP: set[str] = set(
    """
    BernoulliNB CategoricalNB ComplementNB FisherDiscriminant FourierBasis
    GammaRegressor HardMarginSVC LinearDiscriminantAnalysis LogisticRegression
    LogisticRegressionCV MultinomialNB NuSVC PoissonRegressor RadialBasis
    RepresenterClassifier RepresenterRegressor SVC SigmoidBasis
    SplineTransformer SquaredEpsilonSVR SquaredHingeSVC WaveletBasis
    """.split()
)
STILL_OVERRIDING: set[str] = set(
    """
    BayesianLinearRegression._axes CategoricalNB.start
    FeatureSpaceLearner._read_kernel FeatureSpaceLearner._stated_gamma
    FeatureSpaceLearner.fit HardMarginSVC._tell_more KernelMachine.fit
    KernelMachine.fit_by KernelPerceptron.fit LandmarkFeatures.sample_size
    LinearDiscriminantAnalysis._needs_root_only LinearDiscriminantAnalysis.start
    LinearSVC.fit LogisticClassifier.predict LogisticRegression.probability_link
    NearestCentroid.predict NuSVC._tell_more Nystroem.sample_size
    PolynomialFeatures._check_learned
    ProbablePairs._audit ProbablePairs._finish RBFSampler.needs_spread
    RadialBasis._asked RadialBasis._prepare Ridge._preferred_route
    Ridge._weights Ridge.publish SigmoidBasis._asked SplineTransformer._asked
    SplineTransformer._check_learned SplineTransformer._prepare
    SquaredEpsilonSVR.learn SquaredHingeSVC._solve WaveletBasis._prepare
    """.split()
)
STILL_UNDER_ANOTHER: set[str] = set(
    """
    SquaredEpsilonSVR SquaredHingeSVC
    """.split()
)
STILL_BUILDING_REPORTS: set[str] = set(
    """
    kernel_methods/kernel_ridge.py
    """.split()
)
STILL_FITTING: set[str] = set(
    """
    kernel_methods/kernel_perceptron.py kernel_methods/feature_space.py
    svm/linear_svc.py svm/machine.py linear/logistic/logistic_regression.py
    """.split()
)


def ours(cls):
    return cls.__module__.startswith("corollary.")


def chain(cls):
    """Return the length of the longest chain of our classes above a class."""
    above = [1 + chain(base) for base in cls.__bases__ if ours(base)]
    return max(above, default=0)


def classes():
    return {name: getattr(corollary, name) for name in ESTIMATORS}


def overridden(cls):
    """Return the concrete methods that a class of the chain takes from another."""
    found = set()
    for owner in (one for one in cls.__mro__ if ours(one)):
        above = [one for base in owner.__bases__ for one in base.__mro__ if ours(one)]
        for name, value in vars(owner).items():
            if not inspect.isfunction(value) or name in (*HOOKS, "__init__"):
                continue
            if value.__qualname__ != f"{owner.__name__}.{name}":
                continue  # another's method, made to take sources
            before = [vars(one)[name] for one in above if name in vars(one)]
            if any(is_concrete(method) for method in before):
                found.add(f"{owner.__name__}.{name}")
    return found


def is_concrete(method):
    own = inspect.isfunction(method) and method.__module__.startswith("corollary.")
    return own and not getattr(method, "__isabstractmethod__", False)


def calls(name):
    """Return the modules that call a function of ours by its name."""
    found = set()
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == name:
                found.add(file.relative_to(SOURCE).as_posix())
    return found


def assert_no_more(found, still):
    assert found - still == set(), "new breaks of the rule"


def test_no_estimator_stands_under_a_long_chain():
    deep = {name for name, cls in classes().items() if chain(cls) > MOST}
    assert_no_more(deep, STILL_DEEP)


def test_no_concrete_method_is_overridden_but_the_hooks():
    found = set().union(*(overridden(cls) for cls in classes().values()))
    assert_no_more(found, STILL_OVERRIDING)


def test_no_public_class_is_under_another():
    public = set(classes().values())
    under = {name for name, cls in classes().items() if public & set(cls.__mro__[1:])}
    assert_no_more(under, STILL_UNDER_ANOTHER)


def test_only_the_driver_builds_reports():
    assert_no_more(calls("Report") - {DRIVER}, STILL_BUILDING_REPORTS)


@pytest.mark.parametrize(
    "name", ["as_before", "conclude", "check_learned", "warn_if_short"]
)
def test_only_the_driver_begins_and_ends_a_fit(name):
    assert_no_more(calls(name) - {DRIVER}, STILL_FITTING)


def test_no_fit_is_defined_outside_the_engine():
    found = set()
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                own = {f.name for f in node.body if isinstance(f, ast.FunctionDef)}
                if "fit" in own:
                    found.add(file.relative_to(SOURCE).as_posix())
    assert_no_more(found - FITS - STATISTICAL, STILL_FITTING)
