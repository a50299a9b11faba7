"""Whole pipelines in model files: ours and scikit-learn's parts."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import (
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

import corollary
from corollary import PCA, GaussianNB, LogisticRegression, Ridge
from corollary.core.errors import ModelFileError, ParameterError
from corollary.persistence.container import packed, unpacked
from corollary.preparation import make_column_selector

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 4))
y = (X[:, 0] + 0.3 * rng.standard_normal(60) > 0).astype(int)
FRAME = pd.DataFrame(
    {
        "age": np.where(np.arange(60) % 7 == 0, np.nan, X[:, 0]),
        "city": np.resize(np.array(["Ulm", "Bern", None], dtype=object), 60),
        "size": np.exp(X[:, 1]),
    }
)
TEXTS = ["red apple", "green pear", "red cherry", "green apple"] * 15


def columns():
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    texts = OneHotEncoder(handle_unknown="ignore")
    return ColumnTransformer(
        [("numbers", numbers, ["age"]), ("texts", texts, ["city"])],
        remainder="passthrough",
    )


CASES = {
    "columns": (make_pipeline(columns(), LogisticRegression()), FRAME),
    "ordinal": (
        make_pipeline(
            ColumnTransformer(
                [("o", OrdinalEncoder(encoded_missing_value=-1), ["city"])]
            ),
            GaussianNB(),
        ),
        FRAME,
    ),
    "columns of any source": (
        make_pipeline(
            corollary.ColumnTransformer(
                [
                    ("n", corollary.StandardScaler(), make_column_selector("size")),
                    ("t", corollary.OneHotEncoder(), ["city"]),
                ]
            ),
            LogisticRegression(),
        ),
        FRAME,
    ),
    "target": (
        make_pipeline(ColumnTransformer([("t", TargetEncoder(), ["city"])]), Ridge()),
        FRAME,
    ),
    "union": (
        make_pipeline(
            FeatureUnion(
                [("p", PCA(2)), ("s", MinMaxScaler()), ("k", SelectKBest(k=2))]
            ),
            LogisticRegression(),
        ),
        X,
    ),
    "transforms": (
        make_pipeline(
            RobustScaler(),
            PowerTransformer(),
            QuantileTransformer(n_quantiles=20),
            KBinsDiscretizer(quantile_method="averaged_inverted_cdf"),
            LogisticRegression(),
        ),
        X,
    ),
    "function": (make_pipeline(FunctionTransformer(np.log1p), Ridge()), np.abs(X)),
    "voting": (
        VotingClassifier(
            [("a", GaussianNB()), ("b", LogisticRegression()), ("c", "drop")],
            voting="soft",
        ),
        X,
    ),
    "voting numbers": (VotingRegressor([("a", Ridge()), ("b", Ridge(alpha=9.0))]), X),
    "stacking": (
        StackingClassifier([("a", GaussianNB()), ("b", LogisticRegression())], cv=3),
        X,
    ),
    "sigmoid": (CalibratedClassifierCV(GaussianNB(), cv=3), X),
    "isotonic": (CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=3), X),
    "logarithm of the target": (
        TransformedTargetRegressor(Ridge(), func=np.log1p, inverse_func=np.expm1),
        X,
    ),
    "texts": (make_pipeline(TfidfVectorizer(), LogisticRegression()), TEXTS),
}


@pytest.mark.parametrize("name", CASES)
def test_a_loaded_pipeline_answers_to_the_bit(name, tmp_path):
    model, rows = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows, y)
    corollary.save(model, tmp_path / "model.corollary")
    again = corollary.load(tmp_path / "model.corollary")
    for method in ("predict", "predict_proba"):
        if hasattr(model, method):
            answer = getattr(again, method)(rows)
            np.testing.assert_array_equal(answer, getattr(model, method)(rows))
    assert repr(again) == repr(model)


def test_an_unfitted_pipeline_can_be_fitted_after_loading(tmp_path):
    model = make_pipeline(columns(), LogisticRegression())
    corollary.save(model, tmp_path / "model.corollary")
    again = corollary.load(tmp_path / "model.corollary").fit(FRAME, y)
    np.testing.assert_array_equal(
        again.predict(FRAME), model.fit(FRAME, y).predict(FRAME)
    )


def test_a_model_in_two_places_is_one_model_after_loading(tmp_path):
    model = CASES["voting"][0].fit(X, y)
    corollary.save(model, tmp_path / "model.corollary")
    again = corollary.load(tmp_path / "model.corollary")
    assert again.named_estimators_["a"] is again.estimators_[0]
    assert again.named_estimators_["c"] == "drop"


def test_the_file_holds_no_text_of_a_row(tmp_path):
    model = make_pipeline(columns(), LogisticRegression()).fit(FRAME, y)
    corollary.save(model, tmp_path / "model.corollary")
    content = (tmp_path / "model.corollary").read_bytes()
    assert content.count(b"Ulm") == 1  # the category


@pytest.mark.parametrize(
    ("model", "word"),
    [
        (make_pipeline(StandardScaler(), RandomForestClassifier()), "RandomForest"),
        (make_pipeline(FunctionTransformer(lambda x: x), Ridge()), "function"),
        (Pipeline([("r", Ridge())], memory="folder"), "memory"),
        (make_pipeline(TfidfVectorizer(input="filename"), Ridge()), "input"),
        (make_pipeline(TfidfVectorizer(token_pattern="(a+)+$"), Ridge()), "pattern"),
        (RandomForestClassifier(), "RandomForest"),
    ],
)
def test_what_a_file_must_not_hold_is_refused_by_name(model, word, tmp_path):
    with pytest.raises(ParameterError, match=word):
        corollary.save(model, tmp_path / "model.corollary")
    assert not list(tmp_path.iterdir())


def forged(tmp_path, change):
    """Save a pipeline whose tree was changed, with a right checksum."""
    path = tmp_path / "model.corollary"
    corollary.save(make_pipeline(StandardScaler(), Ridge()).fit(X, X[:, 0]), path)
    tree, arrays = unpacked(path.read_bytes())
    text = change(json.dumps(unfloated(tree)))
    path.write_bytes(b"".join(packed(json.loads(text), arrays)))
    return path


def unfloated(tree):
    """Write numbers by their bits again, as a tree in a file has them."""
    if isinstance(tree, float):
        return {"float": tree.hex()}
    if isinstance(tree, dict):
        return {key: unfloated(value) for key, value in tree.items()}
    return [unfloated(item) for item in tree] if isinstance(tree, list) else tree


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sklearn.StandardScaler", "sklearn.os.system"),
        ("sklearn.StandardScaler", "sklearn.RandomForestClassifier"),
        ('["memory", null]', '["memory", "folder"]'),
        ('["memory", null]', '["memory", {"same": 0}]'),
        ('["n_samples_seen_"', '["transform"'),
        ('["n_samples_seen_"', '["__class__"'),
        ('"class": "Ridge"', '"same": 7'),
        ('["verbose", false]', '["verbose", {"calibration": "object", "fields": {}}]'),
        ('["verbose", false]', '["verbose", {"function": "eval"}]'),
        ('["verbose", false]', '["verbose", {"slice": ["a", 1, 1]}]'),
    ],
)
def test_a_forged_pipeline_ends_in_one_sentence(old, new, tmp_path):
    def change(text):
        assert old in text
        return text.replace(old, new, 1)

    path = forged(tmp_path, change)
    with pytest.raises(ModelFileError, match="cannot be loaded"):
        corollary.load(path)


def test_a_file_of_a_later_scikit_learn_is_told(tmp_path):
    path = forged(tmp_path, lambda text: text.replace('"sklearn": "', '"sklearn": "9'))
    with pytest.warns(UserWarning, match="scikit-learn 9"):
        corollary.load(path)
