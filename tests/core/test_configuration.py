"""Defaults, the process, the block: the inner one wins, wherever the code runs."""

import asyncio
import os
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary import PCA, config_context, engine, get_config, set_config
from corollary.core import configuration as config
from corollary.core.configuration import bytes_of
from corollary.core.errors import ParameterError


@pytest.fixture(autouse=True)
def _same_process_afterwards(monkeypatch):
    monkeypatch.setattr(config, "_process", config._process)


def in_thread(function):
    answer = []
    thread = threading.Thread(target=lambda: answer.append(function()))
    thread.start()
    thread.join()
    return answer[0]


def test_defaults_are_every_core_and_silence():
    now = get_config()
    assert now.threads == len(os.sched_getaffinity(0))
    assert (now.memory_limit, now.verbose, now.executor) == (None, 0, "auto")
    assert (now.chunk_rows, now.schedule) == (None, None)


def test_a_block_wins_over_the_process_and_the_process_over_the_defaults():
    set_config(chunk_rows=100, verbose=2)
    assert get_config().chunk_rows == 100
    with config_context(chunk_rows=200) as inner:
        assert (inner.chunk_rows, inner.verbose) == (200, 2)
        set_config(chunk_rows=300)
        assert get_config().chunk_rows == 200
        with config_context(verbose=0):
            assert (get_config().chunk_rows, get_config().verbose) == (200, 0)
        assert get_config().verbose == 2
    assert get_config().chunk_rows == 300


def leave_by_an_error():
    with config_context(threads=7, chunk_rows=1):
        raise RuntimeError


def test_a_block_is_left_by_an_error_too():
    before = get_config()
    with pytest.raises(RuntimeError):
        leave_by_an_error()
    assert get_config() == before


def test_none_restores_a_default():
    set_config(threads=1, memory_limit=10, chunk_rows=5)
    set_config(threads=None, memory_limit=None, chunk_rows=None)
    assert get_config().threads == config.cores()
    assert (get_config().memory_limit, get_config().chunk_rows) == (None, None)


def test_a_new_thread_sees_the_process_and_not_the_block_of_another():
    set_config(chunk_rows=10)
    with config_context(chunk_rows=20):
        assert in_thread(get_config).chunk_rows == 10
        assert get_config().chunk_rows == 20


def test_blocks_in_two_threads_do_not_meet():
    entered, seen = threading.Barrier(2), {}

    def work(rows):
        with config_context(chunk_rows=rows):
            entered.wait(10)
            seen[rows] = get_config().chunk_rows
            entered.wait(10)

    threads = [threading.Thread(target=work, args=(rows,)) for rows in (11, 22)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {11: 11, 22: 22}


def test_blocks_in_two_tasks_do_not_meet_and_are_inherited():
    async def work(rows):
        with config_context(chunk_rows=rows):
            await asyncio.sleep(0.001)
            inner = await asyncio.create_task(asyncio.sleep(0, get_config().verbose))
            return get_config().chunk_rows, inner

    async def both():
        with config_context(verbose=3):
            return await asyncio.gather(work(1), work(2))

    assert asyncio.run(both()) == [(1, 3), (2, 3)]


def test_a_fit_obeys_its_block_in_a_thread_of_the_user():
    X = np.random.default_rng(0).normal(size=(50, 2))

    def fit():
        with engine.use(executor="serial", chunk_rows=10):
            return PCA().fit(X).report_.executor

    with engine.use(executor="threads", threads=2, chunk_rows=10):
        assert in_thread(fit) == "serial"
        assert PCA().fit(X).report_.executor == "2 threads"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1.5GB", 1_500_000_000),
        ("1.5 gb", 1_500_000_000),
        ("2MiB", 2 * 2**20),
        (" 4 TiB ", 4 * 2**40),
        ("10k", 10_000),
        ("512", 512),
        ("512b", 512),
        ("1e9", 10**9),
        (4096, 4096),
        (1e6, 10**6),
        (np.int64(77), 77),
    ],
)
def test_memory_in_words(text, size):
    set_config(memory_limit=text)
    assert get_config().memory_limit == size


@given(
    number=st.integers(1, 10**6),
    unit=st.sampled_from(["", "k", "M", "G", "T"]),
    space=st.sampled_from(["", " "]),
    end=st.sampled_from(["", "B", "b"]),
)
def test_units_are_powers_of_a_thousand_and_with_an_i_of_1024(number, unit, space, end):
    power = " kMGT".index(unit or " ")
    assert bytes_of(f"{number}{space}{unit}{end}") == number * 1000**power
    if unit:
        assert bytes_of(f"{number}{space}{unit}i{end}") == number * 1024**power


@given(st.text(max_size=8))
def test_any_text_is_an_amount_or_one_sentence(text):
    try:
        assert bytes_of(text) > 0
    except ParameterError as error:
        assert str(error) == (  # noqa: PT017
            "set_config: memory_limit must be a positive number of bytes or a text "
            f"like '2GB'; got {text!r}."
        )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"threads": 0}, "threads must be a whole number >= 1; got 0."),
        ({"threads": 1.5}, "threads must be a whole number >= 1; got 1.5."),
        ({"threads": True}, "threads must be a whole number >= 1; got True."),
        ({"verbose": -1}, "verbose must be a whole number >= 0; got -1."),
        ({"verbose": None}, "verbose must be a whole number >= 0; got None."),
        ({"chunk_rows": 0}, "chunk_rows must be a whole number >= 1; got 0."),
        ({"chunk_rows": "9"}, "chunk_rows must be a whole number >= 1; got '9'."),
        (
            {"executor": "gpu"},
            "executor must be one of ['auto', 'serial', 'threads'] or a Dask Client; "
            "got 'gpu'.",
        ),
        (
            {"memory_limit": -5},
            "memory_limit must be a positive number of bytes or a text like '2GB'; "
            "got -5.",
        ),
        (
            {"memory_limit": True},
            "memory_limit must be a positive number of bytes or a text like '2GB'; "
            "got True.",
        ),
        (
            {"jobs": 2},
            "a setting is one of ['chunk_rows', 'executor', 'interrupt', "
            "'memory_limit', 'patience', 'schedule', 'threads', 'verbose']; got "
            "'jobs'.",
        ),
    ],
)
def test_bad_settings_end_in_one_sentence_and_change_nothing(settings, message):
    before = get_config()
    with pytest.raises(ParameterError) as caught:
        set_config(**settings)
    assert str(caught.value) == f"set_config: {message}"
    with pytest.raises(ParameterError), config_context(**settings):
        pass
    assert get_config() == before


def test_numpy_integers_are_whole_numbers():
    with config_context(threads=np.int64(2), chunk_rows=np.int32(7)) as now:
        assert (now.threads, now.chunk_rows) == (2, 7)


def test_a_schedule_is_one_of_the_two():
    X = np.random.default_rng(0).normal(size=(20, 2))
    with engine.use(schedule="per chunk"), pytest.raises(ParameterError) as caught:
        PCA().fit(X)
    assert str(caught.value) == (
        "set_config: schedule must be engine.PerPass() or engine.PerChunk(decay); "
        "got 'per chunk'."
    )


def test_interrupt_and_patience_are_checked():
    with config_context(interrupt="keep", patience=2) as config:
        assert (config.interrupt, config.patience) == ("keep", 2)
    with pytest.raises(ParameterError, match=r"interrupt must be one of .*got 'stop'"):
        set_config(interrupt="stop")
    for patience in (0, -1, "long", None, True):
        with pytest.raises(ParameterError, match="patience must be a number of sec"):
            set_config(patience=patience)
