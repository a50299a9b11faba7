"""Every learner with data that suits it: what the common tests run over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import corollary
from corollary.engine import SummationLearner
from corollary.registry import ESTIMATORS


@dataclass(frozen=True)
class Case:
    """A learner, its target, and the attributes that a fit determines."""

    name: str
    parameters: dict[str, Any]
    learned: tuple[str, ...]
    target: str = "none"
    rtol: float = 1e-10
    kind: str = "numbers"

    def make(self, **more: Any) -> Any:
        return getattr(corollary, self.name)(**{**self.parameters, **more})

    def fitted(self, data: Data, **more: Any) -> Any:
        return self.make(**more).fit(self.rows(data.X), data.y(self.target))

    def rows(self, X: Any) -> Any:
        """Turn numbers into what the learner takes: amounts, categories, or both."""
        categories = np.minimum(np.rint(np.abs(X)), 4)
        return {
            "numbers": X,
            "amounts": np.abs(X),
            "positive": np.abs(X) + 0.1,
            "categories": categories,
            "mixed": np.where(np.arange(X.shape[1]) < 2, X, categories).astype(X.dtype),
        }[self.kind]

    def __str__(self) -> str:
        options = "-".join(f"{v}" for v in self.parameters.values() if v != 0)
        return f"{self.name}-{options}" if options else self.name


@dataclass(frozen=True)
class Data:
    X: Any
    number: Any
    label: Any
    two: Any
    apart: Any  # two classes that a hyperplane separates

    def y(self, target: str) -> Any:
        score = (self.number - self.number.mean()) / self.number.std()
        return {
            "count": np.rint(np.exp(score)),
            "amount": np.exp(score) + 0.1,
            "none": None,
            "number": self.number,
            "several": np.column_stack([self.number, score**2, self.X[:, 0] - score]),
            "label": self.label,
            "two": self.two,
            "apart": self.apart,
        }[target]


COUNTED = ("feature_count_", "feature_log_prob_", "class_log_prior_")

LEARNERS = [
    Case(
        "KMeans", {"n_clusters": 5, "random_state": 0}, ("cluster_centers_", "inertia_")
    ),
    Case("LinearRegression", {}, ("coef_", "intercept_"), "number"),
    Case("Ridge", {"alpha": 2.0}, ("coef_", "intercept_"), "number"),
    Case("RidgeCV", {"alphas": (2.0, 1e4)}, ("coef_", "intercept_"), "number"),
    Case(
        "PrincipalComponentRegression",
        {"n_components": 3},
        ("coef_", "intercept_", "components_"),
        "number",
    ),
    Case(
        "PrincipalComponentRegression",
        {"n_components": "cv"},
        ("coef_", "intercept_"),
        "number",
    ),
    Case(
        "PLSRegression",
        {"n_components": 3},
        ("coef_", "intercept_", "x_weights_", "x_rotations_", "y_loadings_"),
        "number",
    ),
    Case(
        "BayesianLinearRegression",
        {"noise_variance": 2.0},
        ("coef_", "intercept_", "covariance_"),
        "number",
        rtol=1e-8,
    ),
    Case(
        "BayesianRidge",
        {"tol": 1e-12},
        ("coef_", "intercept_", "sigma_"),
        "number",
    ),
    Case("Lasso", {"alpha": 0.5, "tol": 1e-14}, ("coef_", "intercept_"), "number"),
    Case(
        "ElasticNet",
        {"alpha": 0.5, "tol": 1e-14},
        ("coef_", "intercept_"),
        "number",
    ),
    *(
        Case(
            name,
            {"alpha": 0.5, "tol": 1e-14},  # of the gap: a square of coefficients
            ("coef_", "intercept_"),
            "several",
            1e-6,
        )
        for name in ("MultiTaskLasso", "MultiTaskElasticNet")
    ),
    Case(
        "HuberRegressor",
        {"tol": 1e-9},
        ("coef_", "intercept_", "scale_"),
        "number",
        1e-7,
    ),
    Case(
        "OrthogonalMatchingPursuit",
        {"n_nonzero_coefs": 3},
        ("coef_", "intercept_", "n_iter_"),
        "number",
    ),
    Case("Lars", {"n_nonzero_coefs": 4}, ("coef_", "intercept_", "alphas_"), "number"),
    Case("LassoLars", {"alpha": 0.5}, ("coef_", "intercept_", "alphas_"), "number"),
    Case(
        "GradientDescentRegressor",
        {"tol": 0.5},
        ("coef_", "intercept_"),
        "number",
    ),
    Case("PoissonRegressor", {"tol": 1e-6}, ("coef_", "intercept_"), "count"),
    Case("GammaRegressor", {"tol": 1e-6}, ("coef_", "intercept_"), "amount"),
    Case(
        "TweedieRegressor",
        {"power": 1.5, "tol": 1e-6},
        ("coef_", "intercept_"),
        "count",
    ),
    Case(
        "GeneralizedLinearRegressor",
        {"family": "bernoulli", "link": "probit"},
        ("coef_", "intercept_"),
        "two",
    ),
    Case(
        "GeneralizedLinearRegressor",
        {"family": "poisson", "solver": "irls"},
        ("coef_", "intercept_"),
        "count",
    ),
    Case("LogisticRegression", {"tol": 1e-6}, ("coef_", "intercept_"), "two"),
    Case(
        "LogisticRegression", {"tol": 1e-6, "C": 0.1}, ("coef_", "intercept_"), "label"
    ),
    Case(
        "LogisticRegression",
        {"tol": 1e-8, "C": 0.1, "l1_ratio": 0.5, "solver": "coordinate-descent"},
        ("coef_", "intercept_"),
        "label",
    ),
    Case(
        "LogisticRegression",
        {"tol": 1e-8, "link": "probit"},
        ("coef_", "intercept_"),
        "two",
    ),
    Case("LeastSquaresClassifier", {}, ("coef_", "intercept_"), "label"),
    Case("RidgeClassifier", {"alpha": 2.0}, ("coef_", "intercept_"), "label"),
    Case("LinearSVC", {"C": 0.1}, ("coef_", "intercept_"), "label"),
    Case(
        "LinearSVC",
        {"C": 0.1, "loss": "hinge", "tol": 1e-13},
        ("coef_", "intercept_"),
        "two",
        1e-6,
    ),
    Case(
        "LinearSVR",
        {"C": 0.1, "epsilon": 0.5, "tol": 1e-13},
        ("coef_", "intercept_"),
        "number",
        1e-6,
    ),
    Case(
        "CrammerSingerClassifier",
        {"C": 1e-4, "tol": 1e-13, "max_iter": 100_000},
        ("coef_", "intercept_"),
        "label",
        1e-6,
    ),
    Case(
        "BatchPerceptron",
        {"schedule": "harmonic", "tol": 20.0},
        ("coef_", "intercept_"),
        "two",
    ),
    Case("GaussianNB", {}, ("theta_", "var_", "class_prior_"), "label"),
    Case("LinearDiscriminantAnalysis", {}, ("coef_", "intercept_", "means_"), "label"),
    Case(
        "LinearDiscriminantAnalysis",
        {"solver": "eigen", "shrinkage": 0.2},
        ("coef_", "intercept_", "covariance_"),
        "two",
    ),
    Case(
        "QuadraticDiscriminantAnalysis",
        {"store_covariance": True},
        ("means_", "covariance_", "priors_"),
        "label",
    ),
    *(
        Case(
            "GaussianDiscriminant",
            {"covariance": rung},
            ("means_", "covariance_", "priors_"),
            "label",
        )
        for rung in ("full", "tied", "diagonal", "spherical")
    ),
    Case("FisherDiscriminant", {}, ("directions_", "criterion_", "means_"), "label"),
    Case(
        "NearestCentroid",
        {"shrink_threshold": 0.1},
        ("centroids_", "within_class_std_dev_"),
        "label",
    ),
    Case("BernoulliNB", {}, COUNTED, "label"),
    Case("MultinomialNB", {}, COUNTED, "label", kind="amounts"),
    Case("ComplementNB", {"norm": True}, COUNTED, "label", kind="amounts"),
    Case(
        "CategoricalNB",
        {"alpha": 0.5},
        ("class_count_", "class_log_prior_", "n_categories_", "category_count_"),
        "label",
        kind="categories",
    ),
    Case(
        "MixedNB",
        {"categorical": [2, 3]},
        ("theta_", "covariance_", "class_prior_", "category_count_"),
        "label",
        kind="mixed",
    ),
    Case("MaximumEntropyClassifier", {"tol": 1e-9}, ("coef_", "intercept_"), "label"),
    *(
        Case(
            name,
            {"kernel": "linear", "tol": 1e-9, **more},
            ("intercept_", "margin_"),
            "two",
            1e-7,
        )
        for name, more in (
            ("SVC", {"C": 1e-3}),
            ("SquaredHingeSVC", {"C": 1e-3}),
            ("NuSVC", {"nu": 0.7}),
        )
    ),
    Case(
        "HardMarginSVC",
        {"kernel": "linear", "tol": 1e-9},
        ("intercept_", "margin_"),
        "apart",
        1e-6,
    ),
    Case("SVC", {"C": 0.1, "gamma": 0.01, "tol": 1e-8}, ("intercept_",), "label", 1e-6),
    Case(
        "SVR", {"kernel": "linear", "C": 1e-3, "tol": 1e-9}, ("intercept_",), "number"
    ),
    Case(
        "SquaredEpsilonSVR",
        {"kernel": "linear", "C": 1e-3, "tol": 1e-9},
        ("intercept_",),
        "number",
        1e-8,
    ),
    Case(
        "NuSVR",
        {"kernel": "linear", "C": 1e-3, "nu": 0.5, "tol": 1e-9},
        ("intercept_", "epsilon_"),
        "number",
        1e-8,
    ),
    *(
        Case(name, {"nu": 0.1, "gamma": 0.01, "tol": 1e-9}, ("intercept_",), rtol=1e-7)
        for name in ("OneClassSVM", "SVDD")
    ),
    Case("PriorClassifier", {}, ("class_prior_", "class_count_"), "label"),
    Case("TightestBox", {}, ("low_", "high_"), "two"),
    Case("TightestBox", {"strategy": "midway"}, ("low_", "high_"), "two"),
    Case("ConjunctionClassifier", {}, (), "two"),  # learns signs
    Case("ParametricDensity", {}, ("mean_", "covariance_")),
    Case("ParametricDensity", {"covariance": "diagonal"}, ("mean_", "covariance_")),
    Case(
        "PCA",
        {"n_components": 3},
        ("components_", "explained_variance_", "mean_", "noise_variance_"),
    ),
    Case("JoinTheDots", {}, ("x_", "y_"), "number"),
    Case("LeastAbsoluteDeviations", {}, ("coef_", "intercept_"), "number"),
    Case(
        "QuantileRegressor",
        {"quantile": 0.3, "alpha": 0.1, "solver": "interior-point"},
        ("coef_", "intercept_"),
        "number",
    ),
    Case("StandardScaler", {}, ()),
    Case("StandardScaler", {"with_mean": False}, ()),
    Case("RobustScaler", {}, ()),
    Case("RobustScaler", {"quantile_range": (10.0, 90.0)}, ()),
    Case(
        "PowerTransformer",
        {},
        ("lambdas_", "mean_", "scale_"),
        rtol=1e-7,  # of exponents
    ),
    Case(
        "PowerTransformer",
        {"method": "box-cox"},
        ("lambdas_", "log_mean_", "mean_", "scale_"),
        rtol=1e-7,
        kind="positive",
    ),
    *(
        Case(
            "QuantileTransformer",
            {"n_quantiles": 20, "output_distribution": output},
            ("quantiles_", "references_", "rank_error_"),
            kind="amounts",
        )
        for output in ("uniform", "normal")
    ),
    *(
        Case("SimpleImputer", {"strategy": strategy}, ())
        for strategy in ("mean", "median", "most_frequent")
    ),
    Case("MissingIndicator", {"features": "all"}, ()),
    *(
        Case(
            "KBinsDiscretizer",
            {"encode": "ordinal", "strategy": strategy},
            ("bin_edges_", "n_bins_"),
        )
        for strategy in ("uniform", "quantile", "kmeans")
    ),
    Case("SplineTransformer", {"knots": "quantile"}, ("knots_",)),
    Case("SplineTransformer", {"kind": "natural"}, ("knots_",)),
    Case("RadialBasis", {"centers": "quantile"}, ("centers_", "width_")),
    Case(
        "RadialBasis",
        {"n_centers": 5, "centers": "kmeans", "random_state": 0},
        ("centers_", "width_"),
    ),
    Case("SigmoidBasis", {"n_centers": 4}, ("centers_", "width_")),
    Case("FourierBasis", {}, ("period_", "origin_")),
    Case("WaveletBasis", {"wavelet": "db2"}, ("low_", "high_")),
    Case(
        "RBFSampler",
        {"gamma": "scale", "n_components": 20, "random_state": 0},
        ("random_weights_", "random_offset_"),
    ),
    Case(
        "Nystroem",
        {"landmarks": "k-means", "n_components": 10, "random_state": 0, "gamma": 0.01},
        ("components_", "normalization_"),
        rtol=1e-8,
    ),
    Case(
        "PolynomialCountSketch",
        {"coef0": 1.0, "n_components": 20, "random_state": 0},
        ("bitHash_", "indexHash_"),
    ),
    Case(
        "LandmarkFeatures",
        {"landmarks": "k-means", "n_landmarks": 10, "sigma": 5.0, "random_state": 0},
        ("landmarks_",),
    ),
    Case(
        "OneHotEncoder",
        {"sparse_output": False, "max_categories": 4},
        ("categories_", "infrequent_categories_"),
        kind="categories",
    ),
    Case("OrdinalEncoder", {}, ("categories_",), kind="categories"),
    Case(
        "TargetEncoder",
        {"cv": 2, "random_state": 0},
        ("categories_", "encodings_", "target_mean_"),
        "number",
        kind="categories",
    ),
    Case(
        "TargetEncoder",
        {"smooth": 2.0},
        ("categories_", "encodings_", "target_mean_"),
        "label",
        kind="categories",
    ),
]

#: Learners that need all rows at once, and whose answer may hang on their order.
ROWS_AT_ONCE = [
    Case(
        "GeneralizedKMeans",
        {"n_clusters": 5, "random_state": 0},
        ("cluster_centers_", "inertia_"),
    ),
    Case(
        "LassoCV", {"alphas": 5, "cv": 2, "tol": 1e-14}, ("coef_", "alpha_"), "number"
    ),
    Case(
        "ElasticNetCV",
        {"alphas": 5, "cv": 2, "tol": 1e-14},
        ("coef_", "alpha_"),
        "number",
    ),
    Case(
        "LogisticRegressionCV",
        {"Cs": 2, "cv": 2, "tol": 1e-6},
        ("coef_", "intercept_", "C_"),
        "two",
    ),
    Case("LocallyWeightedRegression", {"tau": 3.0}, ("X_", "df_"), "number"),
    Case("KernelPerceptron", {"gamma": 1.0}, ("dual_coef_", "support_"), "apart"),
    Case("BayesClassifier", {}, ("class_prior_",), "label"),
    Case("MSEProcedure", {}, ("coef_", "intercept_"), "two"),
    Case(
        "AdaBoostClassifier",
        {"n_estimators": 10},
        ("estimator_weights_", "normalizers_"),
        "label",
    ),
    Case("AdaBoostRegressor", {"n_estimators": 5}, ("estimator_weights_",), "number"),
    *(
        Case(
            name,
            {
                "estimator": base,
                "oob_score": True,
                "random_state": 0,
                "max_samples": 0.2,
            },
            ("oob_score_",),
            target,
        )
        for name, base, target in (
            ("BaggingClassifier", corollary.GaussianNB(), "label"),
            ("BaggingRegressor", None, "number"),
        )
    ),
    *(
        Case(
            name,
            {"n_estimators": 5, "subsample": 0.5, "random_state": 0},
            ("train_score_", "oob_scores_", "qualities_"),
            target,
        )
        for name, target in (
            ("GradientBoostingClassifier", "label"),
            ("GradientBoostingRegressor", "number"),
        )
    ),
    *(  # leaves so large that no class is missing: the log of its share is finite
        Case(name, {"min_samples_leaf": 700, **more}, ("feature_importances_",), target)
        for name, more, target in (
            ("DecisionTreeClassifier", {}, "label"),
            ("DecisionTreeRegressor", {}, "number"),
            ("RandomForestClassifier", {"n_estimators": 4, "random_state": 0}, "label"),
            ("ExtraTreesRegressor", {"n_estimators": 4, "random_state": 0}, "number"),
        )
    ),
]


TARGETS = {"none": "none", "labels": "label", "number": "number", "numbers": "number"}
TARGETS["either"] = "number"


def unlisted() -> list[Case]:
    """Learners in summation form that are not listed above, with their defaults.

    So a new one is held to every law before anybody lists it.
    """
    listed = {case.name for case in LEARNERS}
    new = [name for name in ESTIMATORS if name not in listed]
    classes = {name: getattr(corollary, name) for name in new}
    return [
        Case(name, {}, (), TARGETS[cls.target])
        for name, cls in classes.items()
        if issubclass(cls, SummationLearner)
    ]


LEARNERS += unlisted()


def all_others() -> list[Case]:
    """Every estimator that no list above has, with its defaults."""
    listed = {case.name for case in (*LEARNERS, *ROWS_AT_ONCE)}
    return [
        Case(name, {}, (), TARGETS[getattr(corollary, name).target])
        for name in ESTIMATORS
        if name not in listed
    ]


def make_data(n: int = 2000, d: int = 6, seed: int = 0) -> Data:
    """Make correlated rows in five loose groups, with three kinds of targets."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=3.0, size=(5, d))
    z = rng.integers(5, size=n)
    X = centres[z] + rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    score = X @ rng.normal(size=d)
    number = score + rng.normal(size=n) + 2.0
    noisy = score + 4 * rng.normal(size=n)
    label = np.digitize(noisy, np.quantile(noisy, [0.3, 0.7]))
    order = np.sort(score)[n // 4 : -n // 4]
    wide = int(np.diff(order).argmax())
    apart = (score > order[wide : wide + 2].mean()).astype(int)
    return Data(X, number, label, (noisy > np.median(noisy)).astype(int), apart)


def assert_same(case: Case, model: Any, other: Any, rtol: float | None = None) -> None:
    """Compare what was learned, up to rounding relative to each array's size."""
    for name in case.learned or learned_numbers(model):
        a, b = flat(getattr(model, name)), flat(getattr(other, name))
        scale = np.abs(b).max()
        np.testing.assert_allclose(
            a, b, rtol=0, atol=(rtol or case.rtol) * scale, err_msg=f"{case}: {name}"
        )


def learned_numbers(model: Any) -> list[str]:
    """Name all that a model has learned and that holds numbers."""
    public = {n: v for n, v in vars(model).items() if n[0] != "_" and n[-1] == "_"}
    kinds = (int, float, np.ndarray)
    return [
        name
        for name, value in public.items()
        if isinstance(value, kinds) and np.asarray(value).dtype.kind in "fiu"
    ]


def flat(learned: Any) -> Any:
    """Return a learned array, or a list of arrays of several shapes in one."""
    if isinstance(learned, list) or np.asarray(learned).dtype.kind == "O":
        return np.concatenate([np.ravel(part) for part in learned])
    return np.asarray(learned)
