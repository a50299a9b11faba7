"""The rule to stop below the statistical noise."""

import numpy as np
import pytest
from scipy import stats

from corollary import LogisticRegression
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import noise_floor
from corollary.objectives import Logistic


@pytest.mark.course("S1-53")
def test_the_noise_is_the_standard_error_of_the_mean():
    losses = np.random.default_rng(0).exponential(size=80)
    found = noise_floor(losses, 0.01, share=0.2)
    assert found.noise == pytest.approx(stats.sem(losses))
    assert found.objective == pytest.approx(losses.mean())
    assert found.tol == pytest.approx(0.2 * stats.sem(losses))
    w = np.random.default_rng(1).integers(0, 4, 80)
    again = noise_floor(np.repeat(losses, w), 0.01)
    assert noise_floor(losses, 0.01, w).noise == pytest.approx(again.noise)
    assert noise_floor(losses, found.tol, share=0.2).stop
    assert not noise_floor(losses, 1.001 * found.tol, share=0.2).stop


@pytest.mark.course("S1-53")
def test_a_fit_that_stops_at_the_noise_is_as_good_on_new_rows():
    rng = np.random.default_rng(3)
    w = rng.normal(size=8)

    def draw(n):
        X = rng.normal(size=(n, 8))
        return X, (rng.random(n) < 1 / (1 + np.exp(-X @ w))).astype(int)

    def losses(model, X, y):
        return Logistic().value(2.0 * y - 1, model.decision_function(X))

    X, y = draw(1500)
    exact = LogisticRegression(C=np.inf, tol=1e-10, max_iter=500).fit(X, y)
    least = losses(exact, X, y).mean()
    new = draw(20_000)
    true = losses(exact, *new)
    stopped = None
    for tol in (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3):
        model = LogisticRegression(C=np.inf, tol=tol).fit(X, y)
        at = losses(model, X, y)
        found = noise_floor(at, max(at.mean() - least, 0.0))
        if found.stop:
            stopped = model
            break
    assert stopped is not None
    assert stopped.n_iter_ < exact.n_iter_
    difference = abs(losses(stopped, *new).mean() - true.mean())
    assert difference < found.noise  # nobody can tell the two apart on 1500 new rows
    start = noise_floor(np.full(1500, np.log(2)) + 1e-3 * at, np.log(2) - least)
    assert not start.stop
    assert "go on until the gap is" in str(start)
    # four times the rows: half the noise
    many = noise_floor(np.tile(at, 4), 0.0)
    assert many.noise == pytest.approx(found.noise / 2, rel=1e-3)


@pytest.mark.parametrize(
    ("losses", "options", "error", "message"),
    [
        ([1.0], {}, DataError, "2 rows or more; got a weight of 1"),
        ([[1.0, 2.0]], {}, DataError, "must be a vector"),
        ([1.0, np.nan], {}, DataError, "losses"),
        ([1.0, 2.0], {"gap": -1}, ParameterError, "gap must be >= 0"),
        ([1.0, 2.0], {"share": 0}, ParameterError, "share must be in"),
    ],
)
def test_bad_input_gets_one_sentence(losses, options, error, message):
    with pytest.raises(error, match=message):
        noise_floor(losses, **{"gap": 0.1, **options})
