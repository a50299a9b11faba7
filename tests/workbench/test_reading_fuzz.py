"""Damaged files end in a table or in one sentence; never in anything else."""

import time

import pytest
from workbench.mutated_files import mutated

from corollary.core.errors import DataError, MemoryLimitError, ParameterError
from corollary.workbench import profile_table, read_like, read_table

EXPECTED = (DataError, MemoryLimitError, ParameterError, OSError)
LONGEST = 10.0  # seconds for one file


def outcome(folder, seed):
    """Read a damaged file; return "table" or "sentence", or raise."""
    name, content = mutated(seed)
    path = folder / name
    path.write_bytes(content)
    begun = time.process_time()  # other work on the machine does not count
    found = "table"
    try:
        limit = "10KB" if seed % 4 == 3 else "200MB"  # read in chunks, or at once
        data = read_table(path, memory_limit=limit)
        profile_table(data)
        check(data, path)
    except EXPECTED as error:
        found, words = "sentence", str(error)
        assert words.strip(), seed
        assert len(words.splitlines()) == 1, (seed, words)
        assert words.isprintable(), (seed, words)
        assert len(words) < 1000, (seed, words)
    path.unlink()
    assert time.process_time() - begun < LONGEST, seed
    return found


def check(data, path):
    """A table has what its schema says, prints, and is read again the same."""
    names = data.table.column_names
    assert names == [column.name for column in data.columns]
    assert len(set(names)) == len(names)
    assert data.used_rows == data.table.num_rows <= data.rows
    assert data.used_rows > 0
    data.table.validate(full=True)
    assert str(data)
    if len(names) > 1000:
        return
    target = names[-1]
    try:
        known = read_table(data.table, target=target)
    except DataError:
        return  # a column that cannot be a target
    names = known.features.column_names
    again = read_like(data.table, known.schema)
    assert again.table.column_names == names
    assert again.table.num_rows == (data.used_rows if names else 0)
    if names and data.used_rows == data.rows:
        schema = read_table(path, target=target).schema
        again = read_like(path, schema)
        same = data.table.select(again.table.column_names)
        assert again.table.equals(same) or not schema.features


def run(folder, seeds, seconds=float("inf")):
    begun, counts = time.perf_counter(), {"table": 0, "sentence": 0}
    for seed in seeds:
        counts[outcome(folder, seed)] += 1
        if time.perf_counter() - begun > seconds:
            break
    return counts


def test_damaged_files_end_in_a_table_or_one_sentence(tmp_path):
    counts = run(tmp_path, range(300))
    assert min(counts.values()) > 60  # the files are neither hopeless nor harmless


@pytest.mark.slow
def test_ten_thousand_damaged_files_end_in_a_table_or_one_sentence(tmp_path):
    run(tmp_path, range(300, 10_300), seconds=1200)
