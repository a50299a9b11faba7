"""Members on any source: the same machines as from arrays."""

import numpy as np
import pytest
from common.learners import make_data
from common.sources import SOURCES
from sklearn.linear_model import LogisticRegression as Theirs

from corollary import (
    GaussianNB,
    LogisticRegression,
    OneVsOneClassifier,
    OneVsRestClassifier,
    engine,
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
