"""Ctrl-C: tokens, calls that run apart, and what a learner is left with."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sklearn.exceptions import ConvergenceWarning

from corollary import Report, StopReason, config_context, get_config, loops
from corollary.core import interrupt


class Learner:
    def __init__(self):
        self.parameter = 1


def report(stop=StopReason.INTERRUPTED):
    return Report("Learner", stop, 3)


def test_a_learner_is_as_it_was_after_ctrl_c():
    learner = Learner()

    def fit():
        with interrupt.as_before(learner):
            learner.half_, learner.parameter = 1, 2
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit()
    assert vars(learner) == {"parameter": 1}


def test_fits_inside_a_fit_always_raise():
    with config_context(interrupt="keep"):
        with interrupt.as_before(Learner()):
            assert get_config().interrupt == "raise"
        assert get_config().interrupt == "keep"


def test_the_end_of_a_fit():
    interrupt.conclude(report(StopReason.CONVERGED))
    with pytest.raises(KeyboardInterrupt):
        interrupt.conclude(report())
    with (
        config_context(interrupt="keep"),
        pytest.warns(ConvergenceWarning, match="Learner: interrupted after 3 passes"),
    ):
        interrupt.conclude(report())


def test_an_inner_model_counts_only_if_it_was_published():
    inner = Learner()
    with pytest.raises(KeyboardInterrupt), interrupt.or_so_far(inner):
        raise KeyboardInterrupt
    inner.report_ = report()
    with interrupt.or_so_far(inner):
        raise KeyboardInterrupt


def test_a_token_stops_those_who_watch_it_and_what_they_start():
    outer, other = loops.Token(), loops.Token()
    with interrupt.watching(outer):
        inner = loops.Token()
        interrupt.stop_if_asked()
        outer.stop()
        with pytest.raises(KeyboardInterrupt):
            interrupt.stop_if_asked()
        interrupt.caught()
        interrupt.stop_if_asked()
    assert inner.stopped()
    assert not other.stopped()
    assert not loops.asked_to_stop()


def test_a_call_apart_returns_raises_and_is_left_behind():
    assert interrupt.apart(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        interrupt.apart(divmod, 7, 0)
    release = threading.Event()
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    begun = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        interrupt.apart(release.wait, 20)
    assert time.perf_counter() - begun < 10
    release.set()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs alarms")
def test_a_signal_at_the_moment_when_a_part_ends_harms_no_thread(caplog):
    class AlarmError(Exception):
        pass

    def alarm(*_):
        raise AlarmError

    before = signal.signal(signal.SIGALRM, alarm)
    heard = 0
    try:
        with ThreadPoolExecutor(1) as pool:
            for late in (0.7 + 0.002 * k for k in range(300)):
                seconds = 0.002
                try:
                    part = pool.submit(time.sleep, late * seconds)
                    signal.setitimer(signal.ITIMER_REAL, seconds)
                    interrupt.awaited(part)
                    time.sleep(1.0)  # the alarm ends it
                except AlarmError:
                    heard += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert heard == 300
    assert not caplog.records
