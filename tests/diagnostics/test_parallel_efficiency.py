"""Amdahl's law, and what measured times say of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary import GradientDescentRegressor, KMeans, get_config
from corollary.core.errors import ParameterError
from corollary.diagnostics.parallel_efficiency import (
    amdahl,
    fitted_report,
    parallel_efficiency,
)

SHARES = st.floats(0, 1)


@pytest.mark.course("S1-53")
@pytest.mark.parametrize(
    ("p", "s", "speedup"),
    [
        (0.0, 1000, 1.0),
        (1.0, 8, 8.0),
        (0.5, 2, 4 / 3),
        (0.9, 10, 1 / 0.19),
        (0.95, 8, 1 / (0.05 + 0.95 / 8)),
        (0.95, np.inf, 20.0),
        (0.75, np.inf, 4.0),
        (1.0, np.inf, np.inf),
        (0.3, 1, 1.0),
    ],
)
def test_values_of_the_law(p, s, speedup):
    assert amdahl(p, s) == pytest.approx(speedup, rel=1e-12)


@pytest.mark.course("S1-53")
@given(p=SHARES, s=st.floats(1, 1e6))
def test_no_speedup_passes_the_workers_or_the_serial_part(p, s):
    S = amdahl(p, s)
    assert 1 - 1e-12 <= S <= s * (1 + 1e-12)
    assert S <= amdahl(p, np.inf) * (1 + 1e-12)


@pytest.mark.course("S1-53")
@given(p=SHARES, q=SHARES, s=st.floats(1, 1e6), t=st.floats(1, 1e6))
def test_more_workers_and_less_serial_work_never_hurt(p, q, s, t):
    slack = 1 + 1e-9
    assert amdahl(min(p, q), s) <= amdahl(max(p, q), s) * slack
    assert amdahl(p, min(s, t)) <= amdahl(p, max(s, t)) * slack


@pytest.mark.parametrize(("p", "s"), [(-0.1, 2), (1.1, 2), (0.5, 0.5), (np.nan, 2)])
def test_shares_lie_in_0_1_and_workers_are_at_least_one(p, s):
    with pytest.raises(ParameterError) as caught:
        amdahl(p, s)
    assert str(caught.value) == (
        f"amdahl: p must be in [0, 1] and s >= 1; got p={p}, s={s}."
    )


@pytest.mark.course("S1-53")
@given(
    p=SHARES,
    seconds=st.floats(1e-3, 1e3),
    threads=st.lists(st.integers(2, 64), min_size=1, max_size=5, unique=True),
)
def test_the_parallel_share_is_recovered_from_times_that_obey_the_law(
    p, seconds, threads
):
    counts = (1, *threads)
    report = fitted_report(counts, tuple(seconds / amdahl(p, s) for s in counts))
    assert report.parallel_share == pytest.approx(p, abs=1e-9)
    assert report.speedup == pytest.approx([amdahl(p, s) for s in counts], rel=1e-9)
    efficiency = [amdahl(p, s) / s for s in counts]
    assert report.efficiency == pytest.approx(efficiency, rel=1e-9)
    if p < 0.999:
        assert report.limit == pytest.approx(1 / (1 - p), rel=1e-5)
        assert max(report.speedup) <= report.limit * (1 + 1e-6)


@pytest.mark.course("S1-53")
@given(
    p=st.floats(0.05, 1),
    o=st.floats(1e-4, 0.5),
    threads=st.lists(st.integers(2, 32), min_size=2, max_size=6, unique=True),
)
def test_the_overhead_is_recovered_from_times_that_have_it(p, o, threads):
    counts = (1, *threads)
    times = tuple((1 - p) + p / s + o * (s - 1) for s in counts)
    report = fitted_report(counts, times)
    assert report.parallel_share == pytest.approx(p, abs=1e-5)
    assert report.overhead == pytest.approx(o, abs=1e-5)
    assert report.speedup == pytest.approx([amdahl(p, s, o) for s in counts])
    # no number of threads is faster than the best one
    best = report.best_threads
    assert best == pytest.approx(max(1, np.sqrt(p / o)), rel=1e-2)
    assert all(amdahl(p, s, o) <= report.limit * 1.001 for s in np.linspace(1, 99, 500))
    assert "a further thread costs" in str(report)


@pytest.mark.course("S1-53")
def test_overhead_makes_more_threads_slower():
    few, more, many = (amdahl(0.9, s, overhead=0.05) for s in (2, 4, 40))
    assert few < more
    assert many < 1  # slower than one thread
    report = fitted_report((1, 2, 4, 40), (1.0, 1 / few, 1 / more, 1 / many))
    assert report.slowdown
    assert report.best_threads == pytest.approx(np.sqrt(0.9 / 0.05))
    assert fitted_report((1, 2), (1.0, 1.2)).overhead == pytest.approx(0.2)
    assert fitted_report((1, 2), (1.0, 0.7)).overhead == 0  # cannot be told from p
    with pytest.raises(ParameterError, match="overhead must be >= 0; got -1"):
        amdahl(0.5, 2, -1)


def test_noise_in_the_times_is_averaged():
    rng = np.random.default_rng(0)
    counts = tuple(range(1, 17))
    found = []
    for _ in range(50):
        times = [rng.normal(1, 0.02) / amdahl(0.8, s) for s in counts[1:]]
        found.append(fitted_report(counts, (1.0, *times)).parallel_share)
    assert abs(np.mean(found) - 0.8) < 0.005
    assert np.std(found) < 0.02


@pytest.mark.course("S1-53")
def test_a_slowdown_is_flagged():
    slow = fitted_report((1, 2, 4), (1.0, 1.5, 2.0))
    assert slow.slowdown
    assert slow.parallel_share == 0.0
    assert slow.limit == 1.0
    assert "parallel slowdown: more threads cost more than they save" in str(slow)
    fast = fitted_report((1, 2, 4), (1.0, 0.6, 0.4))
    assert not fast.slowdown
    assert "slowdown" not in str(fast)


def test_a_speedup_beyond_the_threads_counts_as_wholly_parallel():
    report = fitted_report((1, 2), (1.0, 0.4))
    assert report.parallel_share == 1.0
    assert report.limit == np.inf


def test_the_text_is_a_table_with_a_verdict():
    assert str(fitted_report((1, 2), (2.0, 1.5))).splitlines() == [
        "threads  seconds  speedup  efficiency",
        "      1        2     1.00        100%",
        "      2      1.5     1.33         67%",
        "50% of the work is parallel; no number of threads gives more than 2x",
    ]


@pytest.mark.course("S1-53")
def test_a_measurement_is_consistent_and_leaves_no_trace():
    X = np.random.default_rng(0).normal(size=(2000, 3))
    model, before = KMeans(3, random_state=0), get_config()
    report = parallel_efficiency(model, X, threads=(1, 2), repeats=2)
    assert report.threads == (1, 2)
    assert min(report.seconds) > 0
    one, two = report.seconds
    assert report.speedup == pytest.approx((1.0, one / two))
    assert report.efficiency == pytest.approx((1.0, one / two / 2))
    p = np.clip(2 * (1 - two / one), 0, 1)  # T2/T1 = 1 - p/2
    assert report.parallel_share == pytest.approx(p)
    assert report.slowdown == (two > one)
    assert not hasattr(model, "cluster_centers_")
    assert get_config() == before


def test_targets_are_passed_on_and_the_shortest_of_the_repeats_counts(monkeypatch):
    clock = iter([0, 9, 9, 14, 20, 23, 23, 24])  # 9 and 5, then 3 and 1
    monkeypatch.setattr("time.perf_counter", lambda: next(clock, 30))
    monkeypatch.setattr(GradientDescentRegressor, "fit", lambda self, X, y: self)
    model = GradientDescentRegressor()
    report = parallel_efficiency(model, [[1.0]], [1.0], threads=(1, 2), repeats=2)
    assert report.seconds == (3, 1)


@pytest.mark.parametrize("threads", [(), (2,), (2, 1), (1, 0)])
def test_counts_begin_with_one_thread(threads):
    with pytest.raises(ParameterError) as caught:
        parallel_efficiency(KMeans(2), [[0.0], [1.0]], threads=threads)
    assert str(caught.value) == (
        "parallel_efficiency: threads must be whole numbers that begin with 1; "
        f"got {threads}."
    )


def test_at_least_one_repeat():
    with pytest.raises(ParameterError, match="repeats must be a whole number >= 1"):
        parallel_efficiency(KMeans(2), [[0.0], [1.0]], repeats=0)
