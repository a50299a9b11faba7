"""Every estimator at every scale: finite numbers or one sentence, in bounded time.

Scaling by a power of two changes no digit, so a method whose mathematics does not care
for the units of its features must not care for them in its digits either.
"""

import re
import signal
import time
import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

import corollary
from corollary.core.errors import DataError, ParameterError

rng = np.random.default_rng(0)
ROWS = rng.normal(size=(40, 3))
ROWS[:, 1] += 0.5 * ROWS[:, 0]
SCORE = ROWS @ [1.0, -2.0, 0.5]
NUMBER = SCORE + 0.3 * rng.normal(size=40)
LABEL = np.digitize(SCORE, [-0.8, 0.8])

FORM = re.compile(r"^\w+: [^\n]+; got [^\n]+\.( [A-Z][^\n]*\.)?$")
SECONDS = 10.0

BOTH_WAYS = [1e-300, 1e-160, 1e-30, 1e30, 1e160, 1e300]
SINGLE = [1e-38, 1e-30, 1e-15, 1e15, 1e30, 1e37]
KINDS = [
    *(("X", scale) for scale in BOTH_WAYS),
    *(("float32 X", scale) for scale in SINGLE),
    *(("y", scale) for scale in BOTH_WAYS),
    *(("weights", scale) for scale in BOTH_WAYS),
    *(("column", scale) for scale in (1e-300, 1e30, 1e140, 1e300)),
    *(("constant", value) for value in (0.0, 1.7, 1e30)),
    ("zeros", 0.0),
]
FEW_KINDS = [("X", 1e300), ("weights", 1e30), ("constant", 1.7)]
#: Warnings of our own that say what such data lacks.
TOLD = (
    r"(?s).*(deviations differ|no hyperplane|never reaches|more than the \d+ distinct|"
    r"Feature \d+ is constant|greater than the total number)"
)


def made(name):
    """Make an estimator; those of estimators hold a logistic regression."""
    learner = getattr(corollary, name)
    if name in ("OneVsRestClassifier", "OneVsOneClassifier"):
        return learner(corollary.LogisticRegression())
    model = learner(n_components=10) if name == "Nystroem" else learner()
    return model.set_params(random_state=0) if hasattr(model, "random_state") else model


def data_of(kind, scale):
    """Return rows, numbers and weights, one of them out of scale."""
    X, number, w = ROWS.copy(), NUMBER, None
    if kind == "X":
        X = X * scale
    elif kind == "float32 X":
        X = (X * scale).astype(np.float32)
    elif kind == "y":
        number = number * scale
    elif kind == "weights":
        w = np.full(len(X), scale)
    elif kind == "column":
        X[:, 0] *= scale
    elif kind == "constant":
        X[:, 0] = scale
    else:
        X = 0 * X
    return X, number, w


def suited(model, name, X, number):
    """Return the data as the estimator takes it."""
    tags = get_tags(model)
    if name == "CategoricalNB":
        X = np.abs(np.rint(ROWS))
    elif tags.input_tags.positive_only:
        X = np.abs(X)
    y = None
    if tags.estimator_type == "classifier":
        y = LABEL if tags.classifier_tags.multi_class else (LABEL > 0).astype(int)
    elif tags.estimator_type == "regressor" or tags.target_tags.required:
        y = number
        if tags.target_tags.positive_only:
            y = np.abs(y) + np.abs(y).min()
    return X, y


@contextmanager
def bounded():
    """Fail where the block does not end in time."""

    def ring(signum, frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 10 * SECONDS)  # the machine may be busy
    begun = time.process_time()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.process_time() - begun < SECONDS


def fitted(name, kind, scale):
    """Fit and predict; return the model and what it says, or the sentence."""
    model = made(name)
    X, number, w = data_of(kind, scale)
    X, y = suited(model, name, X, number)
    weights = {} if w is None else {"sample_weight": w}
    try:
        model.fit(X, y, **weights)
        methods = ("predict", "decision_function", "predict_proba", "transform")
        return model, {
            method: getattr(model, method)(X)
            for method in (*methods, "score_samples")
            if hasattr(model, method)
        }
    except (DataError, ParameterError) as error:
        return str(error), {}


def values_of(answer):
    """Return the floats of an answer, dense or sparse."""
    answer = np.asarray(answer.data if hasattr(answer, "tocsr") else answer)
    return answer if answer.dtype.kind == "f" else np.zeros(0)


def assert_finite_or_a_sentence(name, kind, scale):
    weighted = kind == "weights"
    if weighted and "sample_weight" not in made(name).fit.__code__.co_varnames:
        pytest.skip("takes no weights")
    with bounded(), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", TOLD, UserWarning)
        model, answers = fitted(name, kind, scale)
    if isinstance(model, str):
        assert FORM.match(model), model
        return
    for attribute, value in vars(model).items():
        if attribute.endswith("_") and attribute not in model.may_be_infinite:
            if isinstance(value, float | np.ndarray):
                assert np.isfinite(values_of(value)).all(), attribute
    for method, answer in answers.items():
        assert np.isfinite(values_of(answer)).all(), method


@pytest.mark.parametrize("kind", FEW_KINDS, ids=str)
@pytest.mark.parametrize("name", sorted(corollary.registry.ESTIMATORS))
def test_finite_or_one_sentence(name, kind):
    assert_finite_or_a_sentence(name, *kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("name", sorted(corollary.registry.ESTIMATORS))
def test_finite_or_one_sentence_at_every_scale(name, kind):
    assert_finite_or_a_sentence(name, *kind)


# -- equal answers in other units --------------------------------------------------
# estimator: parameters at scale s, and the power of s that each attribute grows by
UNITS = {
    "LinearRegression": (lambda s: {}, {"coef_": -1, "intercept_": 0}),
    "Ridge": (lambda s: {"alpha": 2 * s**2}, {"coef_": -1, "intercept_": 0}),
    "RidgeCV": (lambda s: {"alphas": (s**2, 9 * s**2)}, {"coef_": -1}),
    "Lasso": (lambda s: {"alpha": 0.1 * s}, {"coef_": -1, "intercept_": 0}),
    "ElasticNet": (lambda s: {"alpha": 0.1 * s, "l1_ratio": 1.0}, {"coef_": -1}),
    "LassoCV": (lambda s: {}, {"coef_": -1, "alpha_": 1}),
    "PrincipalComponentRegression": (lambda s: {}, {"coef_": -1}),
    "PLSRegression": (lambda s: {}, {"coef_": -1}),
    "LeastAbsoluteDeviations": (lambda s: {}, {"coef_": -1}),
    "LeastSquaresClassifier": (lambda s: {}, {"coef_": -1, "intercept_": 0}),
    "PCA": (lambda s: {}, {"components_": 0, "explained_variance_": 2, "mean_": 1}),
    "ParametricDensity": (lambda s: {}, {"mean_": 1, "covariance_": 2}),
    "KMeans": (
        lambda s: {"n_clusters": 3, "init": s * ROWS[:3]},
        {"cluster_centers_": 1, "inertia_": 2, "labels_": 0},
    ),
    "GaussianNB": (lambda s: {}, {"theta_": 1, "var_": 2}),
    "NearestCentroid": (lambda s: {}, {"centroids_": 1}),
    "LinearDiscriminantAnalysis": (lambda s: {}, {"coef_": -1, "intercept_": 0}),
    "QuadraticDiscriminantAnalysis": (
        lambda s: {"store_covariance": True},
        {"means_": 1},
    ),
    "GaussianDiscriminant": (lambda s: {}, {"means_": 1, "covariance_": 2}),
    "FisherDiscriminant": (lambda s: {}, {"directions_": -1, "criterion_": 0}),
    "SVC": (lambda s: {}, {"dual_coef_": 0, "intercept_": 0}),
    "SVR": (lambda s: {}, {"dual_coef_": 0, "intercept_": 0}),
    "KernelNearestCentroid": (lambda s: {"gamma": "scale"}, {}),
}


@pytest.mark.parametrize("power", [-400, 90, 400])
@pytest.mark.parametrize("name", UNITS)
def test_the_units_of_the_features_do_not_matter(name, power):
    parameters, powers = UNITS[name]
    plain, scale = made(name), 2.0**power
    X, y = suited(plain, name, ROWS, NUMBER)
    plain.set_params(**parameters(1.0)).fit(X, y)
    other = made(name).set_params(**parameters(scale)).fit(X * scale, y)
    for attribute, growth in powers.items():
        a, b = getattr(plain, attribute), getattr(other, attribute)
        back = np.asarray(b) * scale**-growth
        np.testing.assert_allclose(
            back, a, rtol=1e-9, atol=1e-9 * np.abs(a).max(), err_msg=attribute
        )
    if hasattr(plain, "predict"):
        same = other.predict(X * scale), plain.predict(X)
        np.testing.assert_allclose(*same, rtol=1e-8, atol=1e-8)


TARGETS = {
    "LinearRegression": lambda s: {},
    "Ridge": lambda s: {},
    "RidgeCV": lambda s: {},
    "Lasso": lambda s: {"alpha": 0.1 * s},
    "LassoCV": lambda s: {},
    "PLSRegression": lambda s: {},
    "KernelRidge": lambda s: {},
    "LeastAbsoluteDeviations": lambda s: {},
}


@pytest.mark.parametrize("power", [-400, 90, 400])
@pytest.mark.parametrize("name", TARGETS)
def test_the_units_of_the_target_do_not_matter(name, power):
    scale = 2.0**power
    plain = made(name).set_params(**TARGETS[name](1.0)).fit(ROWS, NUMBER)
    other = made(name).set_params(**TARGETS[name](scale)).fit(ROWS, NUMBER * scale)
    expected = plain.predict(ROWS)
    np.testing.assert_allclose(
        other.predict(ROWS) / scale, expected, atol=1e-7 * np.abs(expected).max()
    )
