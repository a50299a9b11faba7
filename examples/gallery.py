"""The gallery: every learner on a bundled data set, with its report.

python examples/gallery.py
"""

from __future__ import annotations

from typing import Any

from regressions import regressions

__all__ = ["examples"]


def examples() -> list[tuple[str, str, Any]]:
    """Fit each learner to a bundled data set: what it is, a score, the model."""
    return [
        *_unsupervised(),
        *_densities(),
        *regressions(),
        *_classifiers(),
        *_hyperplanes(),
        *_machines(),
        *_discriminants(),
        *_multiclass(),
        *_kernelised(),
        *_feature_maps(),
        *_texts(),
        *_tables(),
        *_decisions(),
    ]


def _unsupervised() -> list[tuple[str, str, Any]]:
    from corollary import PCA, KMeans, datasets
    from corollary.clustering.inertia import huygens

    X, _, centres = datasets.blobs(1500, 8, 4, random_state=1)
    k_means = KMeans(n_clusters=4, random_state=0).fit(X)
    explained = huygens(X, k_means.labels_).explained
    points = datasets.pca_points()
    pca = PCA(n_components=1).fit(points.X)
    kept = pca.explained_variance_ratio_.sum()
    return [
        (
            f"1,500 rows of 8 columns around {len(centres)} centres",
            f"the clusters explain {explained:.1%} of the spread",
            k_means,
        ),
        (points.about, f"one direction keeps {kept:.1%} of the variance", pca),
    ]


def _densities() -> list[tuple[str, str, Any]]:
    from corollary import ParametricDensity
    from corollary.distributions.gaussian import Gaussian

    law = Gaussian([1.0, 2.0, 0.0], [[2.0, 0.8, 0.0], [0.8, 1.0, 0.3], [0.0, 0.3, 1.0]])
    new = law.sample(1000, random_state=1)
    density = ParametricDensity().fit(law.sample(1000, random_state=0))
    lost = float(law.logpdf(new).mean()) - density.score(new)
    return [
        (
            "1,000 rows of a Gaussian law on three columns",
            f"{lost:.4f} nats a row lost on 1,000 new rows, against the law itself",
            density,
        )
    ]


def _classifiers() -> list[tuple[str, str, Any]]:
    from corollary import (
        GaussianNB,
        LogisticRegression,
        LogisticRegressionCV,
        datasets,
    )

    drawn = datasets.classification(2000, 5, 3, random_state=0)
    logistic = LogisticRegression().fit(drawn.X[500:], drawn.y[500:])
    chosen = LogisticRegressionCV(Cs=4, cv=3).fit(drawn.X[500:], drawn.y[500:])
    fish = datasets.fish("length").table()
    bayes = GaussianNB().fit(fish.X, fish.y)
    right = logistic.score(drawn.X[:500], drawn.y[:500])
    return [
        (
            "1,500 rows of three classes, drawn from a softmax model",
            f"accuracy on 500 new rows: {right:.1%}",
            logistic,
        ),
        (
            "the same rows, with the penalty chosen by three folds",
            f"C = {chosen.C_:.4g} of {chosen.Cs_.round(4).tolist()}",
            chosen,
        ),
        (
            fish.about,
            f"accuracy on these fish: {bayes.score(fish.X, fish.y):.1%}",
            bayes,
        ),
    ]


def _hyperplanes() -> list[tuple[str, str, Any]]:
    from corollary import (
        BatchPerceptron,
        CrammerSingerClassifier,
        KernelPerceptron,
        LeastSquaresClassifier,
        LinearSVC,
        LinearSVR,
        MSEProcedure,
        Perceptron,
        SGDClassifier,
        SGDRegressor,
        datasets,
    )

    students, points = datasets.student_perceptron(), datasets.squared_error_points()
    grades = students.y == "A"
    drawn = datasets.classification(2000, 5, 3, random_state=0)
    plain = datasets.regression(500, 4, random_state=2)
    shown: list[tuple[str, str, Any]] = []
    for model in (Perceptron(), BatchPerceptron(), KernelPerceptron()):
        right = model.fit(students.X, grades).score(students.X, grades)
        shown.append(
            (students.about, f"accuracy on these students: {right:.1%}", model)
        )
    mse = MSEProcedure().fit(points.X, points.y)
    right = mse.score(points.X, points.y)
    shown.append((points.about, f"accuracy on these points: {right:.1%}", mse))
    for model in (
        LeastSquaresClassifier(),
        CrammerSingerClassifier(C=0.1),
        SGDClassifier("log_loss", random_state=0),
        LinearSVC(),
    ):
        right = model.fit(drawn.X[500:], drawn.y[500:]).score(
            drawn.X[:500], drawn.y[:500]
        )
        about = "1,500 rows of three classes, drawn from a softmax model"
        shown.append((about, f"accuracy on 500 new rows: {right:.1%}", model))
    for line in (SGDRegressor(random_state=0), LinearSVR(epsilon=0.5)):
        line.fit(plain.X[100:], plain.y[100:])
        fits = line.score(plain.X[:100], plain.y[:100])
        about = "400 rows of a linear law with noise"
        shown.append((about, f"R^2 on 100 new rows: {fits:.3f}", line))
    return shown


def _machines() -> list[tuple[str, str, Any]]:
    import numpy as np

    import corollary
    from corollary import datasets

    X, y = datasets.two_moons(800, random_state=0)
    train, test = slice(0, 400), slice(400, None)
    shown: list[tuple[str, str, Any]] = []
    for name in ("SVC", "NuSVC", "SquaredHingeSVC", "HardMarginSVC"):
        model = getattr(corollary, name)().fit(X[train], y[train])
        right = model.score(X[test], y[test])
        about = "400 points of two interleaved moons"
        shown.append((about, f"accuracy on 400 new points: {right:.1%}", model))
    x = np.linspace(0, 6, 200)[:, None]
    wave = np.sin(x[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=200)
    for name in ("SVR", "NuSVR", "SquaredEpsilonSVR"):
        model = getattr(corollary, name)().fit(x, wave)
        fits = model.score(x, np.sin(x[:, 0]))
        shown.append(
            ("200 noisy points of a wave", f"R^2 of the wave: {fits:.3f}", model)
        )
    for name in ("OneClassSVM", "SVDD"):
        model = getattr(corollary, name)(nu=0.05).fit(X[train])
        out = float((model.predict(X[test]) < 0).mean())
        about = "where 400 points of two moons lie, but for one in twenty"
        shown.append((about, f"{out:.1%} of 400 new points are outside", model))
    return shown


def _discriminants() -> list[tuple[str, str, Any]]:
    import corollary
    from corollary import datasets

    X, y, _ = datasets.blobs(1200, 3, 5, random_state=3)
    return [
        (
            "800 rows around 5 centres",
            f"accuracy on 400 new rows: {model.score(X[:400], y[:400]):.1%}",
            model,
        )
        for model in (
            getattr(corollary, name)().fit(X[400:], y[400:])
            for name in (
                "LinearDiscriminantAnalysis",
                "QuadraticDiscriminantAnalysis",
                "GaussianDiscriminant",
                "FisherDiscriminant",
                "NearestCentroid",
            )
        )
    ]


def _multiclass() -> list[tuple[str, str, Any]]:
    from corollary import OneVsOneClassifier, OneVsRestClassifier, datasets

    X, y, _ = datasets.blobs(1200, 3, 5, random_state=3)
    shown: list[tuple[str, str, Any]] = []
    for model in (OneVsRestClassifier(), OneVsOneClassifier()):
        right = model.fit(X[400:], y[400:]).score(X[:400], y[:400])
        score = f"accuracy on 400 new rows: {right:.1%}"
        shown.append(("800 rows around 5 centres", score, model))
    return shown


def _kernelised() -> list[tuple[str, str, Any]]:
    import numpy as np

    from corollary import (
        KernelFisherDiscriminant,
        KernelNearestCentroid,
        KernelQuantileRegressor,
        KernelRidge,
        RepresenterClassifier,
        RepresenterRegressor,
    )

    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(600, 2))
    wave = np.sin(2 * X[:, 0]) * X[:, 1] + 0.1 * rng.normal(size=600)
    shown: list[tuple[str, str, Any]] = []
    for regressor in (
        KernelRidge(0.1, kernel="rbf", gamma=1.0),
        KernelQuantileRegressor(C=20, gamma=1.0),
        RepresenterRegressor("huber", 0.1, gamma=1.0),
    ):
        fits = regressor.fit(X[200:], wave[200:]).score(X[:200], wave[:200])
        about = "400 rows of sin(2 x) y with noise"
        shown.append((about, f"R^2 on 200 new rows: {fits:.3f}", regressor))
    ring = np.digitize((X**2).sum(axis=1), [1.0, 3.0])
    for classifier in (
        KernelNearestCentroid(gamma=2.0),
        KernelFisherDiscriminant(),
        RepresenterClassifier("log_loss", 0.1),
    ):
        right = classifier.fit(X[200:], ring[200:]).score(X[:200], ring[:200])
        about = "400 rows in three rings"
        shown.append((about, f"accuracy on 200 new rows: {right:.1%}", classifier))
    return shown


def _feature_maps() -> list[tuple[str, str, Any]]:
    """Bring kernels to a linear machine by explicit features."""
    import corollary
    from corollary import LogisticRegression, datasets

    X, y = datasets.two_moons(900, random_state=0)
    shown: list[tuple[str, str, Any]] = []
    for name, options in (
        ("RBFSampler", {"gamma": 1.0, "n_components": 300}),
        ("Nystroem", {"gamma": 1.0, "n_components": 50}),
        ("PolynomialCountSketch", {"degree": 3, "coef0": 1.0, "n_components": 300}),
        ("LandmarkFeatures", {"landmarks": "k-means", "n_landmarks": 30}),
    ):
        maker = getattr(corollary, name)(random_state=0, **options).fit(X[400:])
        line = LogisticRegression(C=10.0).fit(maker.transform(X[400:]), y[400:])
        right = line.score(maker.transform(X[:400]), y[:400])
        score = f"accuracy of a linear machine on 400 new points: {right:.1%}"
        shown.append(("500 points of two moons", score, maker))
    return shown


def _texts() -> list[tuple[str, str, Any]]:
    """Sort messages by their words, with the three models of word counts."""
    from corollary import BernoulliNB, ComplementNB, MultinomialNB, datasets
    from corollary.applications.text_classification import TextClassifier

    mail = datasets.messages()
    shown = []
    for model, y, what in (
        (MultinomialNB(), mail.spam, "spam"),
        (BernoulliNB(), mail.spam, "spam"),
        (ComplementNB(), mail.topic, "their topic"),
    ):
        learned = TextClassifier(model=model).fit(mail.texts[::2], y[::2])
        right = learned.score(mail.texts[1::2], y[1::2])
        about = f"32 short messages, sorted by {what}"
        score = f"accuracy on 32 other messages: {right:.1%}"
        shown.append((about, score, learned.model_))
    return shown


def _tables() -> list[tuple[str, str, Any]]:
    """Classify categories, and numbers beside answers."""
    import numpy as np
    from sklearn.preprocessing import OrdinalEncoder

    from corollary import CategoricalNB, MixedNB, datasets
    from corollary.naive_bayes import mixed_error

    days = datasets.play_tennis()
    encoder = OrdinalEncoder().fit(days.X)
    tennis = CategoricalNB().fit(encoder.transform(days.X), days.y)
    day = encoder.transform([["Sunny", "Cool", "High", "Strong"]])
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=4000)
    ones = rng.random((4000, 3)) < np.where(y == 1, 0.7, 0.4)[:, None]
    X = np.column_stack([rng.normal(size=4000) + 2 * y, ones])
    mixed = MixedNB(binary=[1, 2, 3]).fit(X[2000:], y[2000:])
    wrong, best = 1 - mixed.score(X[:2000], y[:2000]), mixed_error(2, 0.7, 0.4, m=3)
    return [
        (
            days.about,
            f"no tennis on a sunny, cool, humid, windy day: "
            f"{tennis.predict_proba(day)[0, 0]:.1%}",
            tennis,
        ),
        (
            "2,000 rows of a number and three yes-no answers",
            f"error on 2,000 new rows: {wrong:.1%} (no rule is below {best.total:.1%})",
            mixed,
        ),
    ]


def _decisions() -> list[tuple[str, str, Any]]:
    from corollary import (
        BayesClassifier,
        CostSensitiveClassifier,
        MaximumEntropyClassifier,
        PriorClassifier,
        datasets,
    )

    fish = datasets.fish("length").table()
    costs = {
        "can as salmon": {"bass": 2, "salmon": 0},
        "can as bass": {"bass": 0, "salmon": 1},
    }
    wary = CostSensitiveClassifier(loss=costs, reject_cost=0.3).fit(fish.X, fish.y)
    blind = PriorClassifier().fit(fish.X, fish.y)
    moons, side = datasets.two_moons(400, random_state=0)
    normals = BayesClassifier().fit(moons, side)
    drawn = datasets.classification(2000, 5, 3, random_state=0)
    even = MaximumEntropyClassifier().fit(drawn.X[500:], drawn.y[500:])
    right = even.score(drawn.X[:500], drawn.y[:500])
    return [
        (
            "The same, where salmon as bass costs 1, bass as salmon 2, a look 0.3.",
            f"mean cost of a fish: {wary.cost(fish.X, fish.y):.3f}",
            wary,
        ),
        (
            fish.about,
            f"accuracy unseen, to be beaten: {blind.score(fish.X, fish.y):.1%}",
            blind,
        ),
        (
            "400 points of two moons, a normal distribution for each",
            f"accuracy on these points: {normals.score(moons, side):.1%}",
            normals,
        ),
        (
            "1,500 rows of three classes, drawn from a softmax model",
            f"accuracy on 500 new rows: {right:.1%}",
            even,
        ),
    ]


if __name__ == "__main__":
    for about, score, model in examples():
        print(
            f"{type(model).__name__}\n  data          {about}\n  score         {score}"
        )
        print(f"  stopped       {str(model.report_).partition(': ')[2]}\n")
