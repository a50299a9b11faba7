"""Training rows are told from new ones, without keeping any."""

import numpy as np
import pyarrow as pa
import pytest

from corollary import load, save
from corollary.core.errors import DataError
from corollary.linear import Ridge
from corollary.workbench import TableRegressor, read_table
from corollary.workbench.seen_rows import SeenRows, seen_rows


def draw(n, seed, values=None):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n) if values is None else rng.integers(values, size=n) * 1.0
    words = np.array(["a", "b", None])[rng.integers(3, size=n)]
    return pa.table({"x": x, "word": pa.array(words)}), rng.integers(2, size=n)


@pytest.mark.parametrize("n", [30, 400, 20_000])
def test_all_training_rows_hit_and_few_others_do(n):
    table, y = draw(n, 1)
    seen = seen_rows(table, y)
    assert seen.hits(table, y).all()
    assert 0.15 < seen.density < 0.4
    other, z = draw(n, 2)
    assert seen.hits(other, z).mean() == pytest.approx(seen.density, abs=4 / n**0.5)
    assert seen.share(table, y) == 1
    assert seen.share(other, z) == 0


def test_the_share_is_estimated():
    table, y = draw(4000, 1)
    seen = seen_rows(table, y)
    other, z = draw(4000, 2)
    mixed = pa.concat_tables([table.slice(0, 1000), other.slice(0, 3000)])
    found = seen.share(mixed, np.concatenate([y[:1000], z[:3000]]))
    assert found == pytest.approx(0.25, abs=0.03)


def test_false_alarms_are_rare():
    table, y = draw(200, 1)
    seen = seen_rows(table, y)
    alarms = [seen.share(*draw(60, seed)) > 0 for seed in range(2, 202)]
    assert sum(alarms) <= 1


def test_tables_that_repeat_themselves_are_left_in_peace():
    table, y = draw(500, 1, values=5)
    seen = seen_rows(table, y)
    assert seen.repeated > 0.9
    assert seen.share(*draw(500, 2, values=5)) == 0


def test_a_saved_model_knows_its_rows(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2))
    columns = {"a": x[:, 0], "b": x[:, 1], "y": x @ [1.0, 2.0]}
    data = read_table(columns, target="y")
    model = TableRegressor(Ridge(), data.schema).fit(data.features, data.y)
    save(model, tmp_path / "model.corollary")
    seen = load(tmp_path / "model.corollary").seen_
    assert seen.share(data.features, data.y) == 1
    assert seen.bits.nbytes <= 64


def test_forged_bits_are_refused():
    for bits, repeated in (
        (np.zeros(8), 0.0),
        (np.zeros(0, np.uint8), 0.0),
        (np.zeros(8, np.uint8), 2.0),
    ):
        with pytest.raises(DataError, match="bits must be bytes"):
            SeenRows(bits, repeated)
