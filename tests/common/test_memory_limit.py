"""No fit takes more memory than the limit: it fits in it, or it says so first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import corollary
from common import memory_probe
from common.memory_probe import CASES, LIMIT
from corollary.core import memory
from corollary.core.errors import MemoryLimitError
from corollary.engine import ChunkSource

NOISE = 8 * 2**20  # allocators keep what is freed, threads have stacks
LINUX = Path("/proc/self/clear_refs").exists()
needs_linux = pytest.mark.skipif(not LINUX, reason="peaks are read from /proc")
FEW = ["KMeans-5", "SVC-0.1-0.01-1e-08", "ID3Classifier", "TargetEncoder-2"]
BATCHES = [list(CASES)[i::8] for i in range(8)]


def peaks(kind, rows, names):
    """Measure cases in a process of their own."""
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, memory_probe.__file__, kind, str(rows), *names],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def assert_within_the_limit(found):
    expected = ("MemoryLimitError", "Late")
    wrong = [
        f"{name}: {peak / LIMIT:.2f} limits; {error}"
        for name, peak, error, _ in found
        if peak > 1.2 * LIMIT + NOISE
        or "\n" in error
        or (error and not error.startswith(expected))
    ]
    assert not wrong, "\n".join(wrong)


@needs_linux
def test_a_few_learners_keep_within_the_limit():
    found = peaks("parquet", 700_000, FEW)
    assert len(found) == len(FEW)
    assert_within_the_limit(found)


@needs_linux
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["array", "parquet", "csr"])
@pytest.mark.parametrize("rows", [2300, 100_000, 1_300_000])
@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: batch[0])
def test_every_learner_keeps_within_the_limit(batch, rows, kind):
    assert_within_the_limit(peaks(kind, rows, batch))


# -- what is said, and when ------------------------------------------------------------
def test_rows_are_gathered_until_they_exceed_the_limit():
    read = []

    def chunks():
        for number in range(1000):
            read.append(number)
            yield np.ones((1000, 10)), np.arange(1000) % 2

    source = ChunkSource(chunks, classes=np.array([0, 1]))
    with corollary.config_context(memory_limit="1MB"):
        with pytest.raises(MemoryLimitError) as caught:
            corollary.SVC().fit(source)
    assert max(read) < 10
    text = str(caught.value)
    assert text.startswith("SVC: what ")
    assert "must fit in memory_limit = 0.001 GB; got an estimate of" in text
    assert "\n" not in text


def test_an_array_is_refused_before_it_is_copied():
    X = np.ones((1000, 1000), dtype=np.int8)
    with corollary.config_context(memory_limit="2MB"):
        with pytest.raises(MemoryLimitError, match=r"an estimate of 0\.008 GB"):
            corollary.PCA(2).fit(X)


@pytest.mark.parametrize("members", ["OneVsRestClassifier", "OneVsOneClassifier"])
def test_members_for_many_classes_are_refused_before_they_begin(members):
    X, y = np.ones((3000, 2)), np.arange(3000) % 30
    with corollary.config_context(memory_limit="2MB"):
        with pytest.raises(MemoryLimitError, match="3,000 rows for 30 classes must"):
            getattr(corollary, members)().fit(X, y)


ANSWERS = {
    "KMeans.transform": lambda X, y: corollary.KMeans(50, n_init=1).fit(X).transform,
    "KMeans.predict": lambda X, y: corollary.KMeans(2, n_init=1).fit(X).predict,
    "Ridge.predict": lambda X, y: corollary.Ridge().fit(X, y).predict,
    "LogisticRegression.predict_proba": lambda X, y: (
        corollary.LogisticRegression().fit(X, y % 30).predict_proba
    ),
    "RBFSampler.transform": lambda X, y: corollary.RBFSampler().fit(X).transform,
    "SVC.predict": lambda X, y: corollary.SVC().fit(X, y % 2).predict,
    "KernelRidge.predict": lambda X, y: corollary.KernelRidge().fit(X, y).predict,
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_larger_than_the_limit_is_refused(answer):
    X, y = np.random.default_rng(0).normal(size=(200, 2)), np.arange(200)
    ask = ANSWERS[answer](X, y)
    ask(X)
    with corollary.config_context(memory_limit=1500):
        with pytest.raises(MemoryLimitError, match=r"the answer of 200 x .* numbers"):
            ask(X)


def test_the_limit_holds_in_every_thread():
    from corollary.core.configuration import get_config
    from corollary.engine.executors.executor import side_by_side

    with corollary.config_context(memory_limit=12345):
        limits = side_by_side(lambda _: get_config().memory_limit, range(4))
    assert limits == [12345] * 4


def test_without_a_limit_most_of_the_free_memory_is_one(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 1e9)
    with pytest.raises(MemoryLimitError, match=r"memory_limit = 0\.8 GB"):
        memory.check_memory("A fit", 0.9e9, "it", "Use less.")
    memory.check_memory("A fit", 0.7e9, "it", "Use less.")


def test_small_amounts_do_not_look_at_what_is_free(monkeypatch):
    def look():
        raise AssertionError

    monkeypatch.setattr(memory, "free_memory", look)
    corollary.Ridge().fit(np.eye(50), np.arange(50.0))
    corollary.SVC().fit(np.eye(50), np.arange(50) % 2)


def test_free_memory_is_known_here():
    assert 0 < memory.free_memory()


def test_k_means_forgets_rows_of_files_where_they_would_not_fit():
    X = np.random.default_rng(0).normal(size=(3000, 2))
    parts = [X[i : i + 100] for i in range(0, 3000, 100)]
    free = corollary.KMeans(3, random_state=0).fit(ChunkSource(lambda: iter(parts)))
    with corollary.config_context(memory_limit="100kB"):
        tight = corollary.KMeans(3, random_state=0)
        tight.fit(ChunkSource(lambda: iter(parts)))
    np.testing.assert_array_equal(free.cluster_centers_, tight.cluster_centers_)
