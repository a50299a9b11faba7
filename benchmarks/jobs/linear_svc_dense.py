"""The linear machine with the squared hinge, 200,000 x 100, C = 1."""

from harness import Close, Job
from workloads import liblinear, machine_objective, softmax_classes


def data():
    X, y = softmax_classes(200_000, 100, 2)
    return {"X": X, "y": y}


def corollary(X, y):
    from corollary import LinearSVC

    return lambda: LinearSVC().fit(X, y)


def sklearn_primal(X, y):
    from sklearn.svm import LinearSVC

    return lambda: LinearSVC(dual=False).fit(X, y)


def sklearn_dual(X, y):
    from sklearn.svm import LinearSVC

    return lambda: LinearSVC(dual=True, max_iter=100).fit(X, y)


def liblinear_primal(X, y):
    return liblinear(X, y, "-s 2 -B 1 -e 0.001 -q")


def liblinear_dual(X, y):
    return liblinear(X, y, "-s 1 -B 1 -q")


def quality(model, X, y):
    return {"objective": machine_objective(model, X, y)}


JOB = Job(
    title="Linear SVM, squared hinge, 200,000 x 100, 2 classes",
    data=data,
    contestants={
        "corollary": corollary,
        "scikit-learn primal": sklearn_primal,
        "scikit-learn dual": sklearn_dual,
        "LIBLINEAR primal": liblinear_primal,
        "LIBLINEAR dual": liblinear_dual,
    },
    quality=quality,
    equal={"objective": Close(relative=1e-4)},
)
