"""Words are weighted as scikit-learn weights them; a file holds them and no more."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer

import corollary
from corollary.core.errors import DataError, ModelFileError, ParameterError
from corollary.workbench.words import Words

NOTES = [["red fish"], ["blue fish, red fish"], [None], ["one old fish"]]


def test_weights_are_those_of_scikit_learn():
    texts = ["" if note[0] is None else note[0] for note in NOTES]
    same = TfidfVectorizer(sublinear_tf=True, max_features=3)
    expected = same.fit_transform(texts).toarray()
    words = Words(max_features=3)
    np.testing.assert_array_equal(words.fit_transform(NOTES).toarray(), expected)
    assert list(words.get_feature_names_out()) == list(same.get_feature_names_out())
    rows = words.transform([["fish and chips"]]).toarray()
    np.testing.assert_array_equal(rows, same.transform(["fish and chips"]).toarray())


@pytest.mark.parametrize("texts", [[[None], [""]], [["a"], ["1 !"]]])
def test_texts_without_words_have_a_column_of_zeros(texts):
    assert (Words().fit_transform(texts).toarray() == np.zeros((2, 1))).all()


def test_what_is_wrong_is_said_in_a_sentence():
    with pytest.raises(NotFittedError):
        Words().transform(NOTES)
    with pytest.raises(DataError, match="one column; got 2"):
        Words().fit([["a b", "c d"]])
    with pytest.raises(ParameterError, match="max_features"):
        Words(max_features=0).fit(NOTES)


@pytest.mark.parametrize(
    "forged",
    [
        {"words_": np.array(["red", "red"]), "idf_": np.ones(2)},
        {"words_": np.array([1, 2]), "idf_": np.ones(2)},
        {"words_": np.array([], dtype=object), "idf_": np.ones(0)},
        {"idf_": np.ones(2)},
        {"idf_": np.ones(4, dtype=np.int64)},
    ],
)
def test_a_forged_file_is_refused(forged, tmp_path):
    words = Words().fit([["red fish"], ["blue old"]])
    for name, value in forged.items():
        setattr(words, name, value)
    corollary.save(words, tmp_path / "words")
    with pytest.raises(ModelFileError, match=r"words_|idf_"):
        corollary.load(tmp_path / "words")
