"""Members on any source: the same machines as from arrays."""

import numpy as np
import pytest
from common.learners import make_data
from common.sources import SOURCES
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression as Theirs
from sklearn.pipeline import make_pipeline

from corollary import (
    ColumnTransformer,
    GaussianNB,
    LogisticRegression,
    OneHotEncoder,
    OneVsOneClassifier,
    OneVsRestClassifier,
    StandardScaler,
    engine,
    load,
    save,
)
from corollary.core.errors import DataError

DATA = make_data()
BASES = {
    "ours": lambda: LogisticRegression(tol=1e-8),
    "closed form": GaussianNB,
    "theirs": lambda: Theirs(tol=1e-8),
}


@pytest.mark.parametrize("kind", ["pandas", "parquet", "csv", "chunks", "dask"])
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("make", [OneVsRestClassifier, OneVsOneClassifier])
def test_any_source_gives_the_same_members(make, base, kind, tmp_path):
    given = SOURCES[kind](DATA.X, DATA.label, tmp_path)
    arguments = given if isinstance(given, tuple) else (given,)
    here = make(BASES[base]()).fit(DATA.X, DATA.label)
    with engine.use(chunk_rows=333, threads=2):
        there = make(BASES[base]()).fit(*arguments)
        guess = there.predict(arguments[0])
    guess = guess.compute() if hasattr(guess, "compute") else guess
    assert np.mean(np.asarray(guess) == here.predict(DATA.X)) > 0.999
    assert there.report_.rows == 2000
    facts, expected = there.report_.facts, here.report_.facts
    assert facts == pytest.approx(expected, abs=1e-3) or facts["n_members"] == 3


def test_weights_and_two_classes_come_with_the_source():
    w = np.random.default_rng(0).integers(0, 3, 2000).astype(float)
    rows = engine.ChunkSource(
        [
            (DATA.X[a : a + 500], DATA.two[a : a + 500], w[a : a + 500])
            for a in range(0, 2000, 500)
        ]
    )
    here = OneVsRestClassifier().fit(DATA.X, DATA.two, w)
    there = OneVsRestClassifier().fit(rows)
    assert len(there.estimators_) == 1
    np.testing.assert_allclose(
        there.decision_function(DATA.X), here.decision_function(DATA.X), rtol=1e-4
    )


def test_a_frame_is_answered_after_a_fit_from_files(tmp_path):
    model = OneVsRestClassifier().fit(SOURCES["parquet"](DATA.X, DATA.label, tmp_path))
    (frame, _) = SOURCES["pandas"](DATA.X, DATA.label, tmp_path)
    assert model.predict(frame).shape == (2000,)


def test_several_labels_come_with_the_source():
    Y = np.column_stack([DATA.two, DATA.label == 1]).astype(float)
    there = OneVsRestClassifier().fit(engine.ChunkSource([(DATA.X, Y)]))
    assert there.multilabel_
    here = OneVsRestClassifier().fit(DATA.X, Y.astype(int))
    np.testing.assert_array_equal(there.predict(DATA.X), here.predict(DATA.X))


def test_chunks_that_come_once_are_gathered():
    rows = iter([(DATA.X[:900], DATA.label[:900]), (DATA.X[900:], DATA.label[900:])])
    source = engine.ChunkSource(rows, classes=np.unique(DATA.label))
    there = OneVsOneClassifier().fit(source)
    here = OneVsOneClassifier().fit(DATA.X, DATA.label)
    np.testing.assert_array_equal(there.predict(DATA.X), here.predict(DATA.X))


def test_y_beside_a_source_is_refused():
    with pytest.raises(DataError, match="must come inside the source"):
        OneVsRestClassifier().fit(engine.ChunkSource([DATA.X]), DATA.label)


TEXTS = ["a a", "a", "b", "b b", "c", "c c c", "a b"]
KINDS = ["x", "x", "y", "y", "z", "z", "x"]


@pytest.mark.parametrize("how", [list, tuple, np.array, "pandas"])
@pytest.mark.parametrize("make", [OneVsRestClassifier, OneVsOneClassifier])
def test_members_read_texts_as_they_would_alone(make, how):
    if how == "pandas":
        how = pytest.importorskip("pandas").Series
    words = CountVectorizer(token_pattern=r"\b\w+\b")
    X = words.fit_transform(TEXTS).astype(float)
    base = make_pipeline(words, LogisticRegression(tol=1e-8))
    model = make(base).fit(how(TEXTS), KINDS)
    numbers = make(LogisticRegression(tol=1e-8)).fit(X, KINDS)
    assert not hasattr(model, "n_features_in_")
    np.testing.assert_allclose(
        model.decision_function(how(TEXTS)), numbers.decision_function(X), rtol=1e-6
    )
    assert model.predict(how(["c", "b b b"])).tolist() == ["z", "y"]


def test_a_model_of_texts_may_be_saved_and_fitted_to_numbers_again(tmp_path):
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression())
    texts = ["one word", "two words", "two of them", "no word at all"]
    model = OneVsRestClassifier(pipeline).fit(texts, [0, 1, 1, 2])
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.predict(texts).tolist() == model.predict(texts).tolist()
    model.set_params(estimator=LogisticRegression()).fit(np.eye(3), [0, 1, 2])
    assert model.n_features_in_ == 3
    with pytest.raises(DataError, match="LogisticRegression: X must hold numbers"):
        model.fit(texts, [0, 1, 1, 2])


def test_a_label_that_every_text_has(tmp_path):
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression())
    labels = np.array([[1, 0], [1, 1], [1, 0]])
    texts = ["one word", "two words", "no word"]
    with pytest.warns(UserWarning, match="label 0: the same in every row"):
        model = OneVsRestClassifier(pipeline).fit(texts, labels)
    assert model.predict(texts)[:, 0].tolist() == [1, 1, 1]
    assert model.predict_proba(texts)[:, 0].tolist() == [1.0, 1.0, 1.0]
    save(model, tmp_path / "model")
    assert load(tmp_path / "model").predict(texts).tolist() == labels.tolist()


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("make", [OneVsRestClassifier, OneVsOneClassifier])
def test_members_read_frames_by_their_columns(make, library, tmp_path):
    frames = pytest.importorskip(library)
    rng = np.random.default_rng(0)
    numbers, letters = rng.normal(size=60), rng.choice(list("xyz"), size=60)
    y = np.where(numbers > 0.5, "high", letters)
    X = frames.DataFrame({"size": numbers, "letter": letters})
    known = OneHotEncoder(handle_unknown="ignore")  # a pair need not have all letters
    parts = [("one", StandardScaler(), ["size"]), ("two", known, ["letter"])]
    base = make_pipeline(ColumnTransformer(parts), LogisticRegression(tol=1e-8))
    model = make(base).fit(X, y)
    if make is OneVsRestClassifier:  # whose members all see all rows
        scaled = (numbers - numbers.mean()) / numbers.std()
        Z = np.column_stack([scaled, letters[:, None] == np.array(list("xyz"))])
        plain = make(LogisticRegression(tol=1e-8)).fit(Z, y)
        np.testing.assert_allclose(
            model.decision_function(X), plain.decision_function(Z), atol=1e-4
        )
    assert model.score(X, y) > 0.9
    assert model.feature_names_in_.tolist() == ["size", "letter"]
    assert model.n_features_in_ == 2
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.predict(X).tolist() == model.predict(X).tolist()
    with pytest.raises(ValueError, match="letter"):
        model.predict(X[["size"]])
