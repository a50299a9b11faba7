"""A progress line where asked, and nothing where not."""

import re
import subprocess
import sys

import numpy as np
import pytest

from corollary import SVC, SVR, GradientDescentRegressor, KMeans, LassoCV, engine
from corollary.core.progress import progress

X = np.random.default_rng(0).normal(size=(300, 2))


def test_silence_writes_nothing_and_loads_nothing(capfd):
    with progress("KMeans", 10, 0) as tell:
        tell(1, 2.0)
    KMeans(3, random_state=0).fit(X)
    assert capfd.readouterr() == ("", "")
    code = (
        "import numpy as np, sys; from corollary import KMeans;"
        "KMeans(2, random_state=0).fit(np.arange(8.)[:, None]);"
        "assert 'rich.progress' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_line_tells_name_pass_and_objective(capsys):
    with progress("Thing", 10, 1) as tell:
        tell(1, 123.456)
        tell(4, 0.125)
    line = capsys.readouterr().out.strip().splitlines()[-1]
    assert "Thing" in line
    assert "pass 4 of at most 10" in line
    assert "objective 0.125" in line


@pytest.mark.parametrize("by_config", [False, True])
def test_a_fit_shows_its_last_pass_and_objective(capsys, by_config):
    model = KMeans(3, random_state=0, verbose=0 if by_config else 1)
    with engine.use(verbose=int(by_config)):
        model.fit(X)
    text = " ".join(capsys.readouterr().out.split())
    shown = re.search(r"KMeans .*pass (\d+) of at most 300 objective ([\d.]+)", text)
    assert int(shown[1]) == model.n_iter_
    assert float(shown[2]) == pytest.approx(model.report_.objective[-2], rel=1e-5)


def test_the_line_is_finished_when_the_fit_fails(capsys):
    with engine.use(verbose=1), pytest.raises(ValueError, match="finite"):
        GradientDescentRegressor().fit([[1.0], [np.nan]], [1.0, 2.0])
    with progress("After", 2, 1) as tell:  # rich allows one live line at a time
        tell(2, 1.0)
    assert "After" in capsys.readouterr().out


def test_a_kernel_machine_shows_its_working_sets_and_the_dual_objective(capsys):
    rows = np.random.default_rng(0).normal(size=(400, 3))
    y = rows[:, 0] + rows[:, 1] ** 2 > 1
    model = SVC(verbose=True).fit(rows, y)
    text = " ".join(capsys.readouterr().out.split())
    shown = re.search(r"SVC .*working set (\d+) objective (-?[\d.]+)", text)
    assert int(shown[1]) == model.report_.passes
    gap = model.report_.optimality.value
    dual = model.report_.objective[-1] - gap
    assert -float(shown[2]) == pytest.approx(dual, rel=1e-3)
    labels = np.digitize(rows[:, 0], [-0.5, 0.5])
    with engine.use(verbose=1, threads=2):
        several = SVC().fit(rows, labels)
        SVR().fit(rows, rows[:, 0])
    text = " ".join(capsys.readouterr().out.split())
    assert f"working set {several.report_.passes} " in text  # of all pairs together
    assert "SVR" in text
    quiet = SVC().fit(rows, y)
    assert capsys.readouterr().out == ""
    np.testing.assert_array_equal(quiet.dual_coef_, model.dual_coef_)


def test_a_choice_of_penalties_shows_how_many_it_has_tried(capsys):
    rows = np.random.default_rng(0).normal(size=(60, 4))
    LassoCV(verbose=True, alphas=25).fit(rows, rows[:, 0])
    text = " ".join(capsys.readouterr().out.split())
    assert "LassoCV" in text
    assert "penalty 25 of at most 25" in text
