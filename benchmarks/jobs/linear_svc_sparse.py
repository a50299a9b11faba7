"""The linear machine on sparse rows, 100,000 x 50,000, 80 nonzeros a row, C = 1."""

from harness import Close, Job
from workloads import csr, liblinear, machine_objective, sparse_classes


def data():
    X, y = sparse_classes(100_000, 50_000, 80)
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "y": y}


def corollary(data, indices, indptr, y):
    from corollary import LinearSVC

    X = csr(data, indices, indptr, 50_000)
    return lambda: LinearSVC(random_state=0).fit(X, y)


def sklearn_primal(data, indices, indptr, y):
    from sklearn.svm import LinearSVC

    X = csr(data, indices, indptr, 50_000)
    return lambda: LinearSVC(dual=False).fit(X, y)


def sklearn_dual(data, indices, indptr, y):
    from sklearn.svm import LinearSVC

    X = csr(data, indices, indptr, 50_000)
    return lambda: LinearSVC(dual=True, random_state=0).fit(X, y)


def liblinear_primal(data, indices, indptr, y):
    X = csr(data, indices, indptr, 50_000)
    return liblinear(X, y, "-s 2 -B 1 -e 0.001 -q")


def liblinear_dual(data, indices, indptr, y):
    X = csr(data, indices, indptr, 50_000)
    return liblinear(X, y, "-s 1 -B 1 -q")


def quality(model, data, indices, indptr, y):
    X = csr(data, indices, indptr, 50_000)
    return {"objective": machine_objective(model, X, y)}


JOB = Job(
    title="Linear SVM, squared hinge, sparse 100,000 x 50,000, 80 nonzeros a row",
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
