"""One against the rest: scikit-learn's predictions, regions nobody or several claim."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression as Line
from sklearn.linear_model import LogisticRegression as Logistic
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsRestClassifier as Theirs
from sklearn.naive_bayes import GaussianNB as Naive
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import get_tags

import corollary
from corollary import (
    SVC,
    GaussianNB,
    LogisticRegression,
    OneVsOneClassifier,
    OneVsRestClassifier,
    datasets,
)
from corollary.core.errors import DataError, ModelFileError, ParameterError

X, Y, _ = datasets.blobs(300, 2, 4, random_state=1)
X = X + np.random.default_rng(0).normal(scale=2.0, size=X.shape)
NAMES = np.array(["ash", "beech", "elm", "oak"])[Y]


@pytest.mark.course("S3-71", "S4-11")
@pytest.mark.parametrize(
    "base", [Logistic(), Naive(), LogisticRegression(tol=1e-8), GaussianNB()], ids=str
)
def test_predictions_are_scikit_learns(base):
    for rows in (slice(None), NAMES < "c"):  # four classes, then two
        ours = OneVsRestClassifier(base).fit(X[rows], NAMES[rows])
        theirs = Theirs(base).fit(X[rows], NAMES[rows])
        assert len(ours.estimators_) == len(theirs.estimators_)
        assert (ours.predict(X) == theirs.predict(X)).all()
        P = theirs.predict_proba(X)
        np.testing.assert_allclose(ours.predict_proba(X), P, rtol=1e-9, atol=1e-12)
        if hasattr(theirs, "decision_function"):
            S = theirs.decision_function(X)
            np.testing.assert_allclose(ours.decision_function(X), S, rtol=1e-9)
        assert hasattr(ours, "decision_function") == hasattr(base, "decision_function")


@pytest.mark.course("S3-71", "S4-11")
def test_the_surest_of_c_machines_wins():
    model = OneVsRestClassifier().fit(X, NAMES)
    machines = [LogisticRegression().fit(X, NAMES == c) for c in model.classes_]
    S = np.column_stack([m.decision_function(X) for m in machines])
    np.testing.assert_allclose(model.decision_function(X), S, rtol=1e-9)
    assert (model.predict(X) == model.classes_[S.argmax(axis=1)]).all()


@pytest.mark.course("S3-71")
def test_rows_that_nobody_or_several_claim_are_found():
    model = OneVsRestClassifier().fit(X, NAMES)
    claimed = (model.decision_function(X) > 0).sum(axis=1)
    found = model.ambiguity(X)
    np.testing.assert_array_equal(found.none, claimed == 0)
    np.testing.assert_array_equal(found.several, claimed > 1)
    assert 0 < found.share == np.mean(claimed != 1)
    facts = model.report_.facts
    assert facts["unclaimed_share"] == np.mean(claimed == 0)
    assert (facts["n_members"], facts["estimator"]) == (4, "LogisticRegression")
    # three classes on a line: nobody's linear machine can claim the middle one
    x = np.repeat([[-1.0], [0.0], [1.0]], 50, axis=0)
    middle = OneVsRestClassifier().fit(x, np.repeat([0, 1, 2], 50))
    assert middle.ambiguity([[0.0]]).none.tolist() == [True]


@pytest.mark.course("S4-11")
def test_several_labels_at_once():
    L = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, X.sum(axis=1) > 1]).astype(int)
    ours = OneVsRestClassifier(Logistic()).fit(X, L)
    theirs = Theirs(Logistic()).fit(X, L)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    assert ours.multilabel_
    again = OneVsRestClassifier(Logistic()).fit(X, sp.csr_array(L))
    assert sp.issparse(again.predict(X))
    np.testing.assert_array_equal(again.predict(X).toarray(), ours.predict(X))
    with pytest.raises(DataError, match="must be 0 or 1, of shape \\(300, K\\)"):
        OneVsRestClassifier().fit(X, 2 * L)


@pytest.mark.parametrize("always", [0, 1])
def test_a_label_that_never_changes_is_told(always):
    L = np.c_[X[:, 0] > 0, np.full(300, always)].astype(int)
    with pytest.warns(UserWarning, match="label 1: the same in every row"):
        ours = OneVsRestClassifier(Logistic()).fit(X, L)
    with pytest.warns(UserWarning, match="is present in all training examples"):
        theirs = Theirs(Logistic()).fit(X, L)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    for method in ("predict_proba", "decision_function"):
        a, b = getattr(ours, method)(X), getattr(theirs, method)(X)
        np.testing.assert_allclose(a, b)
    assert ours.report_.warnings[-1] == "label 1: the same in every row."


def test_weights_count_as_repetition_and_go_to_the_members():
    times = np.random.default_rng(2).integers(0, 3, size=300)
    times[NAMES == "oak"] = 0  # a class that is not there
    a = OneVsRestClassifier(LogisticRegression(tol=1e-9)).fit(X, NAMES, times)
    b = OneVsRestClassifier(LogisticRegression(tol=1e-9))
    b.fit(np.repeat(X, times, axis=0), np.repeat(NAMES, times))
    assert a.classes_.tolist() == ["ash", "beech", "elm"]
    np.testing.assert_allclose(
        a.decision_function(X), b.decision_function(X), rtol=1e-5
    )
    deaf = OneVsRestClassifier(KNeighborsClassifier())
    with pytest.raises(ParameterError, match="needs an estimator that takes it"):
        deaf.fit(X, NAMES, times)


def test_threads_give_the_same_and_streams_go_on():
    one = OneVsRestClassifier(GaussianNB()).fit(X, NAMES)
    two = OneVsRestClassifier(GaussianNB(), n_jobs=2).fit(X, NAMES)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    stream = OneVsRestClassifier(GaussianNB())
    for a in range(0, 300, 100):
        rows = slice(a, a + 100)
        stream.partial_fit(X[rows], NAMES[rows], classes=np.unique(NAMES))
    np.testing.assert_allclose(stream.predict_proba(X), one.predict_proba(X), rtol=1e-7)
    assert stream.report_.rows == 300
    assert not hasattr(OneVsRestClassifier(LogisticRegression()), "partial_fit")
    with pytest.raises(DataError, match="classes must be passed on the first call"):
        OneVsRestClassifier(GaussianNB()).partial_fit(X, NAMES)
    with pytest.raises(DataError, match="among the classes"):
        stream.partial_fit(X, np.full(300, "yew"))


def test_members_survive_a_file_and_forgeries_do_not(tmp_path):
    model = OneVsRestClassifier(GaussianNB()).fit(X, NAMES)
    corollary.save(model, tmp_path / "m")
    again = corollary.load(tmp_path / "m")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert str(again.report_) == str(model.report_)
    model.estimators_[0] = GaussianNB().fit(X, NAMES)  # tells four classes apart
    corollary.save(model, tmp_path / "bad")
    with pytest.raises(ModelFileError, match="must have the classes 0 and 1"):
        corollary.load(tmp_path / "bad")


def test_warnings_of_members_are_passed_on():
    flat = np.c_[X, np.where(NAMES == "elm", 0.0, X[:, 0])]
    model = OneVsRestClassifier(GaussianNB(var_smoothing=0.0)).fit(flat, NAMES)
    assert any(t.startswith("'elm' against the rest: ") for t in model.report_.warnings)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"estimator": 3}, "estimator must be None or an estimator"),
        ({"n_jobs": 0}, "n_jobs must be None, -1 or a number of threads"),
        ({"verbose": -1}, "verbose must be"),
    ],
)
def test_bad_parameters_get_a_sentence(options, words):
    with pytest.raises(ParameterError, match=words):
        OneVsRestClassifier(**options).fit(X, NAMES)


def test_one_class_is_too_few():
    with pytest.raises(DataError, match="at least two classes; got 1 class"):
        OneVsRestClassifier().fit(X, np.zeros(300, int))


def test_a_regressor_or_a_pipeline_may_be_the_member():
    for base in (Line(), make_pipeline(SimpleImputer(), Logistic())):
        holes = X.copy()
        if isinstance(base, Pipeline):
            holes[::7, 0] = np.nan  # for the pipeline to see to
        ours = OneVsRestClassifier(base).fit(holes, NAMES)
        theirs = Theirs(base).fit(holes, NAMES)
        assert (ours.predict(holes) == theirs.predict(holes)).all()
    with pytest.raises(DataError, match="LogisticRegression: Input X must be finite"):
        OneVsRestClassifier().fit(holes, NAMES)


def test_the_first_of_classes_that_tie_wins():
    same = OneVsRestClassifier(Line()).fit(np.zeros((8, 1)), np.repeat([3, 4, 5, 6], 2))
    assert same.predict([[0.0], [1.0]]).tolist() == [3, 3]


def test_a_kernel_matrix_is_cut_for_the_folds_and_the_members():
    K = X @ X.T
    for meta in (OneVsRestClassifier, OneVsOneClassifier):
        linear, given = meta(SVC(kernel="linear")), meta(SVC(kernel="precomputed"))
        assert get_tags(given).input_tags.pairwise
        assert not get_tags(linear).input_tags.pairwise
        a, b = (cross_val_score(m, Z, Y) for m, Z in ((linear, X), (given, K)))
        np.testing.assert_allclose(a, b)
        w = np.random.default_rng(0).integers(0, 3, 300)
        a, b = linear.fit(X, Y, w).predict(X), given.fit(K, Y, w).predict(K)
        np.testing.assert_array_equal(a, b)


def test_what_a_member_lacks_is_its_own_error():
    with pytest.raises(AttributeError) as told:
        OneVsRestClassifier(KNeighborsClassifier()).decision_function
    assert "KNeighborsClassifier" in str(told.value.__cause__)
