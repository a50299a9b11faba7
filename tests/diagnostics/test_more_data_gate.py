"""The gate before more data: low bias first, then what it costs in three ways."""

import matplotlib
import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from corollary import LinearRegression, PolynomialFeatures, Ridge
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import learning_curve, more_data_gate


def parabola(n=400, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, size=(n, 1))
    return x, x[:, 0] ** 2 + 0.1 * rng.normal(size=n)


def many(n=150, d=50, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] + rng.normal(size=n)


@pytest.mark.course("S4-35")
def test_high_bias_closes_the_gate_until_the_features_have_grown():
    x, y = parabola(60)
    closed = more_data_gate(LinearRegression(), x, y, desired=0.02)
    assert not closed.open
    assert closed.curve.verdict == "high bias"
    assert "Add features" in closed.why
    assert closed.expected.value > 0.05  # ten times the rows would not do
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 8))
    y = X[:, 0] * X[:, 1] + X[:, 2] ** 2 + 0.3 * rng.normal(size=150)
    rich = make_pipeline(PolynomialFeatures(2), LinearRegression())  # 45 columns
    grown = more_data_gate(LinearRegression(), X, y, richer=[rich], desired=0.1)
    assert [verdict for _, verdict in grown.tried] == ["high bias", "high variance"]
    assert grown.open
    assert "low bias" in grown.why


@pytest.mark.course("S4-35")
def test_high_variance_opens_it_and_more_rows_keep_the_promise():
    found = more_data_gate(LinearRegression(), *many(), desired=1.05)
    assert found.open
    assert found.new_rows == 1350
    low, high = found.expected.low, found.expected.high
    X, y = many(1500 + 5000, seed=2)
    model = LinearRegression().fit(X[:1500], y[:1500])
    assert low < np.mean((y[1500:] - model.predict(X[1500:])) ** 2) < high


@pytest.mark.course("S4-35")
def test_ten_times_as_much_costs_in_three_ways():
    curve = learning_curve(Ridge(), *parabola(1000))
    found = more_data_gate(
        curve, seconds_per_row=10, synthesis_hours=24, price_per_label=0.02,
        labels_per_row=3, wage=30.0,
    )  # fmt: skip
    assert found.new_rows == 9000
    assert [way.name for way in found.ways] == ["synthesis", "own work", "crowd"]
    assert found["own work"].hours == pytest.approx(25.0)  # 9,000 x 10 s
    assert found["own work"].price == pytest.approx(750.0)
    assert found["synthesis"].price == pytest.approx(720.0)
    assert found["crowd"].price == pytest.approx(540.0)  # 27,000 labels
    assert found["crowd"].hours == 0
    assert found.cheapest.name == "crowd"
    assert "(3.1 days)" in found["own work"].words
    twice = more_data_gate(curve, times=2, seconds_per_row=36)
    assert (twice.new_rows, twice["own work"].hours) == (1000, 10.0)
    assert twice["crowd"].price is None


def test_other_reasons_to_stay_closed():
    X, y = many()
    blind = more_data_gate(LinearRegression(), X, y, expert=False)
    assert not blind.open
    assert "lacks what it takes" in blind.why
    done = more_data_gate(Ridge(), *parabola(), desired=1.0)
    assert "reached already" in done.why
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(300, 1)), rng.normal(size=300)
    from corollary import DecisionTreeRegressor

    flat = more_data_gate(DecisionTreeRegressor(), *noise)
    assert not flat.open
    assert "stronger penalty" in flat.why


def test_the_text_and_the_picture():
    matplotlib.use("Agg")
    found = more_data_gate(LinearRegression(), *many())
    lines = str(found).splitlines()
    assert lines[0].startswith("More rows are worth it")
    assert lines[1].startswith("10 times the rows (1,350 new ones)")
    assert len(lines) == 5
    assert found.plot().get_xlabel() == "rows"
    matplotlib.pyplot.close("all")
    with pytest.raises(KeyError, match="magic"):
        found["magic"]


def test_what_is_refused():
    X, y = many()
    for arguments, options, error, words in (
        ((Ridge(),), {}, DataError, "X and y must be given"),
        ((Ridge(), X), {}, DataError, "X and y must be given"),
        ((Ridge(), X, y), {"times": 1}, ParameterError, "times must be"),
        ((Ridge(), X, y), {"times": np.inf}, ParameterError, "times must be"),
        ((Ridge(), X, y), {"seconds_per_row": -1}, ParameterError, "seconds_per_row"),
        ((Ridge(), X, y), {"labels_per_row": 0}, ParameterError, "labels_per_row"),
        ((Ridge(), X, y), {"wage": "low"}, ParameterError, "wage must be"),
        ((Ridge(), X, y[:9]), {}, DataError, "one target for each"),
    ):
        with pytest.raises(error, match=words):
            more_data_gate(*arguments, **options)
