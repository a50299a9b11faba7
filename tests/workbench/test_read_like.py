"""New rows are read like the rows of training."""

import datetime as dt
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

from corollary.core.errors import DataError, MemoryLimitError, ParameterError
from corollary.persistence.models import value_of
from corollary.persistence.trees import Aside, tree_of
from corollary.workbench import (
    ColumnSchema,
    NewRows,
    Schema,
    guess_task,
    read_like,
    read_table,
)

TRAINING = (
    "When;Area (m2);Share;Price;Open;Town;Area (m2)\n"
    "3.4.2021;1.045,5;12 %;1 200 €;yes;Oslo;1\n"
    "25.4.2021;60,25;5 %;990 €;no;Rome;2\n"
    "1.5.2021;38;7 %;720 €;yes;Oslo;2\n"
    "2.5.2021;41;9 %;730 €;no;Bonn;1\n"
)


@pytest.fixture
def write(tmp_path):
    def written(text, name="new.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.fixture
def schema(write):
    data = read_table(write(TRAINING, "training.csv"), target="Price")
    roles = {column.name: "feature" for column in data.columns}
    return data.with_roles(roles | {"Price": "target"}).schema


def test_the_training_file_itself_is_read_the_same(schema, write):
    rows = read_like(write(TRAINING), schema)
    data = read_table(write(TRAINING), target="Price")
    names = [c.name for c in schema.features]
    assert rows.table.equals(data.table.select(names))
    assert rows.target.to_pylist() == [1200, 990, 720, 730]
    assert rows.notes == ()


def test_columns_are_found_in_any_order_and_others_ignored(schema, write):
    text = (
        "new;Town;Open;Share;Area (m2);When;Area (m2)_2\n"
        "9;Kiel;no;1,5 %;2.000;1.2.2021;5\n"
    )
    rows = read_like(write(text), schema)
    assert rows.table.to_pydict() == {
        "When": [dt.datetime(2021, 2, 1)],
        "Area (m2)": [2000],
        "Share": [1.5],
        "Open": [False],
        "Town": ["Kiel"],
        "Area (m2)_2": [5],
    }
    assert rows.target is None
    assert "1 rows of 6 columns" in str(rows)


def test_dates_keep_the_order_of_training(schema, write):
    text = TRAINING.splitlines()[0] + "\n3.4.2022;1;1 %;;no;Oslo;1\n"
    when = read_like(write(text), schema).table.column("When")[0].as_py()
    assert (when.month, when.day) == (4, 3)


def test_a_missing_column_is_named_with_the_closest(schema, write):
    text = TRAINING.replace("Town", "Tovn")
    message = "must have the column 'Town'.*The closest name is 'Tovn'"
    with pytest.raises(DataError, match=message):
        read_like(write(text), schema)


def test_cells_that_do_not_fit_are_missing_and_counted(schema, write):
    text = TRAINING.replace("60,25", "large").replace("25.4.2021", "soon")
    rows = read_like(write(text), schema)
    assert rows.table.column("Area (m2)").to_pylist() == [1045.5, None, 38, 41]
    assert rows.table.column("When")[1].as_py() is None
    assert any("'Area (m2)': 1 of 4 cells are no number, such as 'large'" in note
               for note in rows.notes)  # fmt: skip
    assert len(rows.notes) == 2


def test_another_way_of_writing_numbers_is_noticed():
    data = read_table({"x": [1.5, 2.25, 3], "y": [1.0, 2.5, 4]}, target="y")
    rows = read_like({"x": ["1,75", "2,5", "1.000,5"]}, data.schema)
    assert rows.table.column("x").to_pylist() == [1.75, 2.5, 1000.5]
    assert "decimal comma" in rows.notes[0]


def test_no_line_is_left_out_of_new_rows(write):
    data = read_table({"a": [1.5, 2, 3], "y": [1.0, 2.5, 4]}, target="y")
    lines = "\n".join(["a,b", *["1,2"] * 5000, "1,2,3"])
    assert read_table(write(lines)).rows == 5000
    with pytest.raises(DataError, match=r"^read_like: every line .* in line 5,002"):
        read_like(write(lines), data.schema)
    with pytest.raises(MemoryLimitError, match="read_like: the rows must fit"):
        read_like(write("a\n" + "1\n" * 10**5), data.schema, memory_limit="100KB")


def test_every_kind_comes_from_words_or_values():
    table = pd.DataFrame(
        {
            "n": [1.0, 2, 3, 4],
            "b": [True, False, True, False],
            "c": pd.Categorical(["1", "2", "1", "2"]),
            "d": pd.to_datetime(
                ["2021-01-01", "2021-05-02", "2021-03-03", "2021-01-09"]
            ),
            "y": [1.5, 2.5, 3.5, 9],
        }
    )
    schema = read_table(table, target="y").schema
    schema = Schema(
        tuple(ColumnSchema(c.name, c.original, c.kind, "feature", "", c.how)
              for c in schema.columns if c.name != "y"),
        "y",
        "regression",
    )  # fmt: skip
    words = table.astype(str)
    assert read_like(words, schema).table.equals(read_like(table, schema).table)
    numbers = table.assign(c=[1, 2, 1, 2], b=[1, 0, 1, 0])
    assert read_like(numbers, schema).table.equals(read_like(table, schema).table)
    with pytest.raises(DataError, match="'d' must hold dates as in training"):
        read_like(table.assign(d=[1, 2, 3, 4]), schema)
    with pytest.raises(DataError, match="'n' must hold numbers as in training"):
        read_like(table.assign(n=table["d"]), schema)


def test_digits_and_hours_are_read_as_in_training():
    table = {"date": ["20210304", "20210506"], "at": ["14:30", "9:15"], "y": [1, 2]}
    data = read_table(table, target="y")
    schema = data.with_roles({"date": "feature", "at": "feature"}).schema
    rows = read_like({"date": [20210304, 20211399], "at": ["8:00", "soon"]}, schema)
    assert rows.table.to_pydict() == {
        "date": [dt.datetime(2021, 3, 4), None],
        "at": [8, None],
    }


def test_new_rows_need_a_schema():
    with pytest.raises(ParameterError, match="schema must be"):
        read_like({"a": [1]}, {"a": "number"})


def test_a_schema_survives_a_model_file(schema):
    tree = tree_of(schema, Aside(), "test")
    again = value_of(tree, Aside())
    assert again == schema
    assert isinstance(again.columns[0], ColumnSchema)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: ColumnSchema("a", kind="colour"),
        lambda: ColumnSchema("a", role="king"),
        lambda: Schema((1, 2), "a", "regression"),
        lambda: Schema((), "a", "guessing"),
    ],
)
def test_a_forged_schema_is_refused(wrong):
    with pytest.raises(DataError):
        wrong()


def test_a_random_table_goes_through_a_file_unchanged(tmp_path):
    rng = np.random.default_rng(0)
    n = 300
    table = pa.table(
        {
            "a": np.round(rng.normal(size=n), 3),
            "b": rng.choice(["x", "y", None], n).tolist(),
            "c": rng.integers(0, 1000, n),
            "y": rng.choice(["u", "v"], n).tolist(),
        }
    )
    buffer = io.BytesIO()
    pacsv.write_csv(table, buffer)
    path = tmp_path / "a.csv"
    path.write_bytes(buffer.getvalue())
    schema = read_table(table, target="y").schema
    rows = read_like(path, schema)
    assert isinstance(rows, NewRows)
    assert rows.table.equals(read_table(table, target="y").features)
    assert guess_task(rows.target) == schema.task == "classification"
