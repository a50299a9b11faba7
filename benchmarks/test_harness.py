"""The harness compares equals only, and survives whatever a contestant does."""

import pytest
from harness import Close, Entry, Job, judge, one_line
from report import seconds, verdict


def entry(name, time, **quality):
    cold = {"time": time, "cold": 2 * time, "peak_mb": 1.0, "traffic": None}
    return Entry(name, rounds=[{**cold, "quality": quality}])


def job(**equal):
    return Job("a job", dict, {}, lambda model: {}, equal, reference=("scan",))


def test_ratio_is_fastest_comparable_peer_over_ours():
    entries = [
        entry("corollary", 1.0, loss=0.5),
        entry("sloppy", 0.1, loss=0.6),
        entry("peer", 3.0, loss=0.5000001),
        entry("slow", 9.0, loss=0.5),
        entry("scan", 0.01),
    ]
    outcome = judge(job(loss=Close(relative=1e-6)), entries)
    assert outcome.rival == "peer"
    assert outcome.ratio == pytest.approx(3.0)
    assert [e.comparable for e in entries] == [True, False, True, True, True]
    assert entries[1].note == "not comparable: loss"
    assert verdict(outcome) == "peer / corollary = 3.00"


def test_no_ratio_when_ours_is_worse():
    entries = [entry("corollary", 1.0, score=0.8), entry("peer", 3.0, score=0.9)]
    outcome = judge(job(score=Close(max, absolute=0.01)), entries)
    assert outcome.ratio is None
    assert verdict(outcome) == "fastest peer: peer; no comparable time of corollary"


def test_least_time_counts_and_a_late_failure_does_not_race():
    twice = entry("corollary", 2.0)
    twice.rounds += entry("corollary", 1.0).rounds
    failed = entry("peer", 0.5)
    failed.note = "no result after 300 s"
    outcome = judge(job(), [twice, failed])
    assert twice.time == 1.0
    assert failed.time is None
    assert outcome.rival is None


def test_seconds_are_readable():
    assert [seconds(t) for t in (12.34, 0.0123, 4.2e-5)] == [
        "12.3 s",
        "12.3 ms",
        "42 us",
    ]


def test_failures_fit_one_line_and_name_no_folder():
    assert one_line("Error: no\n file /a/b/c.so (here)") == "Error: no file c.so (here)"
    assert len(one_line("x" * 1000)) == 160
