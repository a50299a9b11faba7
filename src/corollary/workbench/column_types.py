"""What a column holds, found from its cells.

Texts are tried in this order; a column of another type says itself what it is.

    number     decimal points or commas, thousands, signs; see `number_texts`
    boolean    true/false, yes/no, t/f, y/n; never 0/1
    date       see `date_texts`
    text       more than four words in a cell, most cells different; two words where
               there are many different cells, as in names and addresses
    category   anything else

Missing are: an empty cell, NA, N/A, nan, null, None, ?, - and the like.  A column of
numbers or dates may hold a few words that are neither (at most 0.5% of its cells, fewer
than 20 different ones): they are read as missing, and a note says so.  Digits of one
length that start with 0, such as 01234, are codes, no numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.workbench.date_texts import (
    DIGITS,
    find_dates,
    find_digit_dates,
    find_hours,
    parse_dates,
    parse_hours,
)
from corollary.workbench.number_texts import PLAIN, find_style, parse_numbers, style_of

__all__ = ["MISSING_WORDS", "TypedColumn", "plain_type", "typed_column"]

MISSING_WORDS = (
    "",
    *("NA", "N/A", "n/a", "na", "#N/A", "#NA", "<NA>", "<na>", "N.A.", "n.a."),
    *("nan", "NaN", "NAN", "-nan", "-NaN", "null", "NULL", "Null", "None", "none"),
    *("NONE", "nil", "NaT", "?", "-", "--", ".", "#NULL!", "#VALUE!", "#DIV/0!"),
    *("#REF!", "#NUM!", "#NAME?"),
)
BOOLEANS = (("true", "false"), ("yes", "no"), ("t", "f"), ("y", "n"))
ODD_SHARE = 0.005  # of the cells of a column that may be no numbers
ODD_WORDS = 20  # different ones that are too many
NEARLY = 0.8  # share of numbers in a column of words that is worth a note
FEW = 50  # different words that are a category in any table
FEW_SHARE = 0.05  # of the rows that may be different words of a category
WORDS = 4  # in a cell on average, above which a column is text
NAMED = 2  # the same of a column that hardly repeats: names, titles, addresses
LOOKED_AT = 1_000
EXACT = 2**53  # whole numbers up to this one are floats without loss


@dataclass(frozen=True)
class TypedColumn:
    """A column with its type, and what there is to say of it."""

    array: Any  # float64 (float32, int64), bool, timestamp[us] or string
    kind: str
    how: str = "as written"
    why: str = ""
    notes: tuple[str, ...] = ()


def plain_type(array: Any) -> Any | None:
    """Return an Arrow column as one of a few plain types; None where it is none.

    Numbers, booleans, strings, dictionaries of strings and timestamp[us] are plain;
    lists, structures and bytes that are no text are not.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        array = pa.chunked_array([c.storage for c in array.chunks], kind.storage_type)
        return plain_type(array)
    if pa.types.is_dictionary(kind):
        texts = pa.types.is_string(kind.value_type)
        if texts or pa.types.is_large_string(kind.value_type):
            return array
        return plain_type(pc.cast(array, kind.value_type))
    if pa.types.is_run_end_encoded(kind):
        return plain_type(
            pa.chunked_array(
                [pc.run_end_decode(c) for c in array.chunks], kind.value_type
            )
        )
    if is_textual(kind):
        return array if kind == pa.string() else pc.cast(array, pa.string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        try:
            return pc.cast(array, pa.string())
        except pa.ArrowInvalid:
            return None
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return plain_date(array)
    if pa.types.is_time(kind):
        seconds = pa.time64("us")
        return pc.divide(
            pc.cast(pc.cast(pc.cast(array, seconds), pa.int64()), pa.float64()), 3.6e9
        )
    if pa.types.is_duration(kind):
        micros = pc.cast(pc.cast(array, pa.duration("us"), safe=False), pa.int64())
        return pc.divide(pc.cast(micros, pa.float64(), safe=False), 1e6)
    if pa.types.is_decimal(kind) or pa.types.is_null(kind):
        return pc.cast(array, pa.float64())
    if pa.types.is_float16(kind):
        return pc.cast(array, pa.float32())
    plain = pa.types.is_boolean(kind) or pa.types.is_integer(kind)
    return array if plain or pa.types.is_floating(kind) else None


def is_textual(kind: Any) -> bool:
    """Tell whether an Arrow type is one of its kinds of strings."""
    import pyarrow as pa

    view = pa.types.is_string_view(kind)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or view)


def plain_date(array: Any) -> Any:
    """Return days and moments as timestamp[us], those with a zone at Greenwich."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_date(array.type):
        return pc.cast(array, pa.timestamp("us"))
    zone = array.type.tz
    array = pc.cast(array, pa.timestamp("us", zone), safe=False)
    return pc.cast(array, pa.timestamp("us")) if zone else array


def typed_column(
    name: str, array: Any, *, kind: str = "", decimal: str = ".", label: bool = False
) -> TypedColumn:
    """Return a column of a plain type with its kind.

    Parameters
    ----------
    name : str
    array : pyarrow chunked array, as `plain_type` returns it
    kind : str
        What the user says that it holds, if anything.
    decimal : str
        The decimal sign where a number may have been written with either.
    label : bool
        Keep the words of a target: yes and no are better labels than True and False.
    """
    import pyarrow as pa

    declared = pa.types.is_dictionary(array.type)
    if declared:
        array = array.cast(pa.string())
    if array.type == pa.string():
        if kind:
            return forced_text(name, array, kind, decimal)
        if declared:
            return TypedColumn(without_words(array), "category", why="stored as one")
        return typed_text(name, array, decimal, label)
    found = typed_values(name, array)
    if not kind and not label and found.kind == "number":
        dates = find_digit_dates(name, found.array)
        found = found if dates is None else TypedColumn(dates, "date", DIGITS)
    return found if kind in ("", found.kind) else forced_values(name, found, kind)


def typed_values(name: str, array: Any) -> TypedColumn:
    """Return a column of numbers, booleans or dates, with missing values as nulls."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_boolean(array.type):
        return TypedColumn(array, "boolean")
    if pa.types.is_timestamp(array.type):
        return TypedColumn(array, "date")
    if pa.types.is_integer(array.type):
        bounds = pc.min_max(array).as_py()
        if max(abs(bounds["min"] or 0), abs(bounds["max"] or 0)) <= EXACT:
            array = pc.cast(array, pa.float64())
        return TypedColumn(array, "number")
    array, infinite = only_finite(array)
    note = f"column {name!r}: {infinite:,} infinite values are read as missing."
    return TypedColumn(array, "number", notes=(note,) if infinite else ())


def only_finite(array: Any) -> tuple[Any, int]:
    """Return floats with nulls for NaN and infinity, and how many were infinite."""
    import pyarrow as pa
    import pyarrow.compute as pc

    finite = pc.is_finite(array)
    if pc.all(finite).as_py() in (True, None):
        return array, 0
    infinite = pc.sum(pc.is_inf(array)).as_py() or 0
    return pc.if_else(finite, array, pa.scalar(None, array.type)), int(infinite)


# -- texts ---------------------------------------------------------------------------
def without_words(array: Any) -> Any:
    """Return trimmed texts, with nulls for words that stand for nothing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    array = pc.utf8_trim_whitespace(array)
    missing = pc.is_in(array, pa.array(MISSING_WORDS))
    if not pc.any(missing).as_py():
        return array
    return pc.if_else(missing, pa.scalar(None, pa.string()), array)


def typed_text(name: str, array: Any, decimal: str, label: bool) -> TypedColumn:
    """Return what a column of texts holds."""
    fast = plain_numbers(array, decimal)
    if fast is None:
        array = without_words(array)
        if array.null_count == len(array):
            return typed_text_missing(array)
        fast = plain_numbers(array, decimal)
    if fast is not None:
        if is_code(array, fast):
            why = "digits of one length that start with 0 are codes"
            return TypedColumn(without_words(array), "category", why=why)
        dates = None if label else find_digit_dates(name, fast)
        if dates is not None:
            return TypedColumn(dates, "date", DIGITS)
        return exact_numbers(name, array, fast)
    note = ""
    style, share = find_style(array, decimal)
    if style is not None:
        values, _ = only_finite(parse_numbers(array, style))
        odd, note = odd_words(name, array, values, "numbers")
        if odd:
            return TypedColumn(
                values, "number", style.words, notes=(note,) if note else ()
            )
    if not label:
        booleans = as_booleans(array)
        if booleans is not None:
            return TypedColumn(booleans, "boolean", "true/false")
    hours = find_hours(array)
    if hours is not None:
        return TypedColumn(hours, "number", "time of day")
    days = find_dates(array)
    if days is not None:
        fits, words = odd_words(name, array, days.array, "dates")
        if fits:
            unsure = f"column {name!r}: no cell tells days from months; read as"
            said = [words] if words else []
            said += [f"{unsure} {days.how}."] if days.unsure else []
            return TypedColumn(days.array, "date", days.how, notes=tuple(said))
    kind, why = words_kind(array)
    notes = (note,) if note and share >= NEARLY else ()
    return TypedColumn(array, kind, why=why, notes=notes)


def typed_text_missing(array: Any) -> TypedColumn:
    """Return a column without a single value."""
    import pyarrow as pa

    return TypedColumn(array.cast(pa.float64()), "number", why="no cell holds a value")


def exact_numbers(name: str, array: Any, values: Any) -> TypedColumn:
    """Return numbers; whole ones that floats would round stay whole, or words."""
    import pyarrow as pa
    import pyarrow.compute as pc

    large = pc.any(pc.greater(pc.abs(values), float(EXACT))).as_py()
    if not large or not pc.all(pc.match_substring_regex(array, r"^[+-]?\d+$")).as_py():
        return typed_values(name, values)
    try:
        return TypedColumn(pc.cast(array, pa.int64()), "number")
    except pa.ArrowInvalid:
        why = "whole numbers too long to count with are codes"
        return TypedColumn(without_words(array), "category", why=why)


def plain_numbers(array: Any, decimal: str) -> Any | None:
    """Return texts as float64 where each is a number as programs write it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        values = pc.cast(array, pa.float64())
    except pa.ArrowInvalid:
        return None
    if decimal == "," and pc.any(pc.match_substring(array, ".")).as_py():
        style, share = find_style(array, decimal)
        if style is not None and style.thousands == "." and share == 1.0:
            return None  # 1.234 is a thousand and more in such a file
    return values if values.null_count < len(values) else None


def is_code(array: Any, values: Any) -> bool:
    """Tell whether digits are codes: of one length above 2, some with a 0 first."""
    import pyarrow.compute as pc

    zeros = pc.starts_with(array, "0")
    if not pc.any(zeros).as_py():
        return False
    lengths = pc.min_max(pc.utf8_length(array)).as_py()
    if lengths["min"] != lengths["max"] or lengths["min"] < 3:
        return False
    return bool(pc.all(pc.utf8_is_decimal(array)).as_py())


def odd_words(name: str, array: Any, values: Any, what: str) -> tuple[bool, str]:
    """Tell whether the cells that do not fit are few, and what to say of them."""
    import pyarrow.compute as pc

    lost = values.null_count - array.null_count
    present = len(array) - array.null_count
    if not lost:
        return True, ""
    odd = array.filter(pc.and_(pc.is_valid(array), pc.invert(pc.is_valid(values))))
    example = odd[0].as_py()
    first = repr(example if len(example) <= 40 else f"{example[:37]}...")
    some = (
        f"column {name!r}: {lost:,} of {present:,} cells are no {what}, such as {first}"
    )
    if lost <= ODD_SHARE * present and pc.count_distinct(odd).as_py() < ODD_WORDS:
        return True, f"{some}; they are read as missing."
    return False, (
        f"{some}; it is read as words. kinds={{{name!r}: '{what[:-1]}'}} reads it as "
        f"{what} with these missing."
    )


def as_booleans(array: Any) -> Any | None:
    """Return words for true and false as booleans, or None."""
    import pyarrow as pa
    import pyarrow.compute as pc

    some = {text.lower() for text in array.drop_null().slice(0, LOOKED_AT).to_pylist()}
    for yes, no in BOOLEANS:
        if some <= {yes, no}:
            lower = pc.utf8_lower(array)
            true = pc.equal(lower, yes)
            if pc.all(pc.or_(true, pc.equal(lower, no))).as_py():
                return true.cast(pa.bool_())
    return None


def words_kind(array: Any) -> tuple[str, str]:
    """Tell a category from a text, and why."""
    import pyarrow.compute as pc

    present = len(array) - array.null_count
    distinct = pc.count_distinct(array).as_py()
    some = array.drop_null().slice(0, LOOKED_AT).to_pylist()
    words = float(np.mean([len(text.split()) for text in some])) if some else 0.0
    wordy = words > WORDS or (words >= NAMED and distinct > FEW)
    if wordy and distinct > 0.5 * present:
        return "text", f"{words:.0f} words in a cell, {distinct:,} different cells"
    if distinct <= max(FEW, FEW_SHARE * present):
        return "category", f"{distinct:,} different words"
    return "category", f"{distinct:,} different words, many for {present:,} rows"


# -- what the user says --------------------------------------------------------------
def forced_text(name: str, array: Any, kind: str, decimal: str) -> TypedColumn:
    """Return texts as the kind that the user states; what does not fit is missing."""
    array, why = without_words(array), "stated"
    if kind in ("category", "text"):
        return TypedColumn(array, kind, why=why)
    if kind == "number":
        style = find_style(array, decimal)[0] or PLAIN
        values, how = only_finite(parse_numbers(array, style))[0], style.words
    elif kind == "boolean":
        values, how = boolean_words(array), "true/false"
    else:
        dates = find_dates(array)
        values, how = (dates.array, dates.how) if dates else (None, "year-month-day")
        if values is None:
            values = read_text(array, "date", how)
    lost = values.null_count - array.null_count
    note = f"column {name!r}: {lost:,} cells are no {kind} and are read as missing."
    return TypedColumn(values, kind, how, why, (note,) if lost else ())


def boolean_words(array: Any) -> Any:
    """Return all words for true and false as booleans, others as nulls."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lower = pc.utf8_lower(array)
    yes = pc.is_in(lower, pa.array(["1", "1.0", *(yes for yes, _ in BOOLEANS)]))
    no = pc.is_in(lower, pa.array(["0", "0.0", *(no for _, no in BOOLEANS)]))
    return pc.if_else(pc.or_(yes, no), yes, pa.scalar(None, pa.bool_()))


def forced_values(name: str, found: TypedColumn, kind: str) -> TypedColumn:
    """Return numbers, booleans or dates as another kind."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if kind in ("category", "text"):
        return TypedColumn(as_words(found.array), kind, why="stated")
    if {kind, found.kind} <= {"number", "boolean"}:
        to = pa.float64() if kind == "number" else pa.bool_()
        return TypedColumn(pc.cast(found.array, to), kind, why="stated")
    return forced_text(name, as_words(found.array), kind, ".")


def as_words(array: Any) -> Any:
    """Return values as texts; whole numbers without a point."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(array.type):
        whole = pc.all(pc.equal(pc.floor(array), array)).as_py()
        small = (pc.max(pc.abs(array)).as_py() or 0) < EXACT
        array = pc.cast(array, pa.int64()) if whole and small else array
    return pc.cast(array, pa.string())


# -- as before -----------------------------------------------------------------------
def read_text(array: Any, kind: str, how: str) -> Any:
    """Return trimmed texts as a kind, in the way that a schema says."""
    if kind == "number" and how == "time of day":
        return parse_hours(array)
    if kind == "number":
        return only_finite(parse_numbers(array, style_of(how)))[0]
    if kind == "boolean":
        return boolean_words(array)
    return parse_dates(array, how) if kind == "date" else array
