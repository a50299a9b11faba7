"""Texts by their words: the numbers of the book, and messages and pages sorted."""

import importlib
import inspect

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from corollary import ComplementNB, MultinomialNB, datasets
from corollary.applications.text_classification import TextClassifier, words
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import parameter_counts

PARAGRAPH = (
    "Text Classification, or the task of automatically assigning semantic categories "
    "to natural language text, has become one of the key methods for organizing online "
    "information. Since hand-coding classification rules is costly or even "
    "impractical, most modern approaches employ machine learning techniques to "
    "automatically learn text classifiers from examples."
)
TEXTS = [
    "the cat saw the dog",
    "the dog ran",
    "stocks fell",
    "stocks rose, stocks fell",
]
NEWS = np.array(["pets", "pets", "news", "news"])


@pytest.mark.course("S3-30")
def test_the_paragraph_has_48_words_40_of_them_distinct():
    found = words(PARAGRAPH)
    assert len(found) == 48
    assert (found[0], found[1], found[47]) == ("text", "classification", "examples")
    assert "hand-coding" in found
    assert len(set(found)) == 40
    counts = TextClassifier().fit([PARAGRAPH, "other words"], [0, 1])
    assert len(counts.vocabulary()) == 42
    assert counts.model_.feature_count_[0].sum() == 48


@pytest.mark.course("S3-30")
def test_the_bag_of_words_forgets_places_and_has_a_term_for_each_word_and_class():
    """A model of places has a term for each place, word and class as well."""
    model = TextClassifier().fit(TEXTS, NEWS)
    n_words, n_places = len(model.vocabulary()), max(len(words(t)) for t in TEXTS)
    terms = model.model_.feature_log_prob_.size
    assert terms == n_words * 2
    # categories of each place, less one, for each class
    places = parameter_counts([n_words] * n_places, n_classes=2).naive
    assert places == n_places * (n_words - 1) * 2
    # the numbers of the book: 48 places, 50000 words, two classes
    book = parameter_counts([50_000] * 48, n_classes=2).naive
    assert book == 4_800_000 - 48 * 2
    assert parameter_counts([50_000], n_classes=2).naive == 100_000 - 2
    # what is forgotten: the same words in another order, or twice the text
    P = model.predict_proba(["the dog saw stocks", "stocks saw dog the"])
    np.testing.assert_allclose(P[0], P[1], rtol=1e-12)
    log_odds = [
        np.log(p[1] / p[0])
        for p in model.predict_proba(["the stocks fell", "the stocks fell " * 2])
    ]
    assert log_odds[1] == pytest.approx(2 * log_odds[0])  # equal priors


@pytest.mark.course("S3-30")
def test_word_probabilities_are_those_of_the_book():
    model = TextClassifier().fit(TEXTS, NEWS)
    known = model.vocabulary()
    assert known == ["cat", "dog", "fell", "ran", "rose", "saw", "stocks", "the"]
    P = np.exp(model.model_.feature_log_prob_)  # news, pets
    # n = 6 words of news and 8 of pets, |Vocabulary| = 8: (n_k + 1)/(n + 8)
    for word, news, pets in (
        ("stocks", 3, 0),
        ("the", 0, 3),
        ("dog", 0, 2),
        ("fell", 2, 0),
    ):
        j = known.index(word)
        np.testing.assert_allclose(P[:, j], [(news + 1) / 14, (pets + 1) / 16])
    np.testing.assert_allclose(np.exp(model.model_.class_log_prior_), [0.5, 0.5])


@pytest.mark.course("S3-30")
def test_unknown_words_are_skipped():
    model = TextClassifier().fit(TEXTS, NEWS)
    plain = model.predict_proba(["the dog fell"])
    np.testing.assert_array_equal(
        model.predict_proba(["The zebra, dog FELL quickly!"]), plain
    )
    by_hand = np.array([1 / 14 * 1 / 14 * 3 / 14, 4 / 16 * 3 / 16 * 1 / 16])
    np.testing.assert_allclose(plain[0], by_hand / by_hand.sum(), rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(["zebra"]), [[0.5, 0.5]])  # priors


@pytest.mark.course("S3-31")
@pytest.mark.parametrize(("label", "least"), [("spam", 0.85), ("topic", 0.75)])
def test_messages_are_sorted_far_better_than_by_chance(label, least):
    mail = datasets.messages()
    y = getattr(mail, label)
    texts = np.array(mail.texts, dtype=object)
    scores = cross_val_score(TextClassifier(), texts, y, cv=6)
    chance = max(np.mean(y == c) for c in np.unique(y))
    assert scores.mean() >= least > chance + 0.25
    again = make_pipeline(
        CountVectorizer(tokenizer=words, token_pattern=None), MultinomialNB()
    )
    np.testing.assert_allclose(scores, cross_val_score(again, texts, y, cv=6))


@pytest.mark.course("S3-31")
def test_a_spam_filter_tells_its_reasons():
    mail = datasets.messages()
    model = TextClassifier().fit(mail.texts, mail.spam)
    telling = model.telling_words(8)
    assert {"free", "now", "claim", "click"} <= {t.word for t in telling["spam"]}
    assert {"i", "the"} <= {t.word for t in telling["mail"]}
    assert model.predict(
        ["Claim your free prize now", "See you at the station"]
    ).tolist() == [
        "spam",
        "mail",
    ]
    for found in telling.values():
        assert len(found) == 8
        weights = [t.weight for t in found]
        assert weights == sorted(weights, reverse=True)
        assert all(t.log_odds > 0 and t.times >= 1 for t in found)


def pages():
    """Return what SciPy writes of its functions, by topic: texts that people wrote."""
    found = []
    for topic in ("linalg", "ndimage", "optimize", "signal", "stats"):
        module = importlib.import_module(f"scipy.{topic}")
        for name in module.__all__:
            text = inspect.getdoc(getattr(module, name)) or ""
            head = text.split("Examples\n")[0].split("References\n")[0]
            if len(head) > 300:
                found.append((head, topic))
    texts, topics = zip(*found, strict=True)
    return np.array(texts, dtype=object), np.array(topics)


@pytest.mark.course("S3-31")
def test_real_pages_are_sorted_by_topic_and_the_interesting_ones_found():
    texts, topics = pages()
    assert len(texts) > 400
    test = np.random.default_rng(0).random(len(texts)) < 1 / 3
    model = TextClassifier().fit(texts[~test], topics[~test])
    share = np.mean(model.predict(texts[test]) == topics[test])
    majority = max(np.mean(topics[test] == c) for c in np.unique(topics))
    assert share > 0.9 > majority + 0.3
    telling = model.telling_words(15)
    for topic, word in (
        ("linalg", "matrix"),
        ("ndimage", "edge"),
        ("optimize", "constraints"),
        ("signal", "filter"),
        ("stats", "distribution"),
    ):
        assert word in {t.word for t in telling[topic]}
    # a reader who marked some pages as interesting gets others like them first
    marked = np.where(np.isin(topics, ["signal", "ndimage"]), "interesting", "other")
    reader = TextClassifier().fit(texts[~test], marked[~test])
    order = np.argsort(-reader.predict_proba(texts[test])[:, 0])
    first = marked[test][order][: np.sum(marked[test] == "interesting")]
    assert np.mean(first == "interesting") > 0.9


@pytest.mark.course("S3-31")
def test_weights_of_words_add_up_to_the_divergence_of_the_classes():
    model = TextClassifier().fit(TEXTS, NEWS)
    P = np.exp(model.model_.feature_log_prob_)
    for c, found in enumerate(model.telling_words(8).values()):
        divergence = (P[c] * np.log(P[c] / P[1 - c])).sum()
        assert sum(t.weight for t in found) == pytest.approx(divergence, rel=1e-12)


def test_other_vectorizers_and_models_may_be_used():
    mail = datasets.messages()
    model = TextClassifier(TfidfVectorizer(), ComplementNB()).fit(
        mail.texts, mail.topic
    )
    assert set(model.telling_words(3)) == {"health", "money", "travel", "work"}
    assert np.mean(model.predict(mail.texts) == mail.topic) > 0.9


def test_input_that_is_no_list_of_texts():
    for wrong, came in (
        ("one text", "one string"),
        ([1, 2], "something else"),
        ([], "none"),
    ):
        with pytest.raises(DataError) as caught:
            TextClassifier().fit(wrong, [0, 1])
        assert str(caught.value) == (
            "TextClassifier: texts must be a list of strings, one for each text; got "
            f"{came}."
        )
    with pytest.raises(DataError, match="texts must hold words; got empty vocabulary"):
        TextClassifier().fit(["...", "!"], [0, 1])
    model = TextClassifier().fit(TEXTS, NEWS)
    with pytest.raises(ParameterError, match="n must be a whole number >= 1; got 0"):
        model.telling_words(0)
    with pytest.raises(
        DataError, match="must tell a class from another; got one class"
    ):
        TextClassifier().fit(TEXTS, ["a"] * 4).telling_words()
