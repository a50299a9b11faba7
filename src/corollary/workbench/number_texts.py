"""Numbers as people write them: decimal commas, groups of thousands, signs.

    1234.5    as written
    1234,5    decimal comma
    1,234.5   thousands ','
    1.234,5   decimal comma; thousands '.'
    1 234     thousands ' '          also narrow and unbreakable spaces
    12 %, $5  sign '%', sign '$'     where every cell of the column has the sign
    12 km     sign 'km'              and any unit of up to eight letters behind it
    (5), - 5  minus five

A column has one style.  1,234 alone may be one thousand or a little more than one: the
other cells of the column tell it, else the other columns of the file, where a decimal
comma shows in cells such as 0,5 or 12,25; else the point is the decimal sign.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

__all__ = [
    "PLAIN",
    "NumberStyle",
    "comma_is_decimal",
    "find_style",
    "parse_numbers",
    "style_of",
]

SIGNS = ("%", "R$", "$", "€", "£", "¥", "₹", "USD", "EUR", "GBP", "CHF", "kr", "zł")
UNIT = re.compile(r"[+-]?[\d.,' ]*\d ?([^\W\d_](?:[^\W_]|[/.]){0,7})")
LOOKED_AT = 500  # cells by which styles are compared first
GROUPS = {",": ",", ".": "[.]", " ": " ", "'": "['\u2019]"}


@dataclass(frozen=True)
class NumberStyle:
    """How the numbers of a column are written."""

    decimal: str = "."
    thousands: str = ""
    sign: str = ""

    @property
    def words(self) -> str:
        """The style as `ColumnSchema.how` says it."""
        parts = ["decimal comma"] if self.decimal == "," else []
        parts += [f'thousands "{self.thousands}"'] if self.thousands else []
        parts += [f'sign "{self.sign}"'] if self.sign else []
        return "; ".join(parts) or "as written"

    @cached_property
    def pattern(self) -> str:
        """The regular expression of a cell."""
        whole, point = r"\d+", re.escape(self.decimal)
        if self.thousands:
            group = GROUPS[self.thousands]
            whole = rf"(?:\d{{1,3}}(?:{group}\d{{3}})+|\d+)"
        return rf"^[+-]?(?:{whole}(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?$"


PLAIN = NumberStyle()
POINT = (
    PLAIN,
    NumberStyle(".", ","),
    NumberStyle(",", ""),
    NumberStyle(",", "."),
    NumberStyle(".", " "),
    NumberStyle(",", " "),
    NumberStyle(".", "'"),
)
COMMA = (POINT[3], POINT[2], POINT[5], POINT[0], POINT[1], POINT[4], POINT[6])
TOLD = re.compile(
    r"\D*(0,\d+|\d+,(\d{1,2}|\d{4,})|\d{4,},\d*|\d{1,3}([. ]\d{3})+,\d*)\D*"
)


def style_of(how: str) -> NumberStyle:
    """Read a style from its words.

    >>> style_of(NumberStyle(",", ".", "€").words) == NumberStyle(",", ".", "€")
    True
    """
    decimal = "," if "decimal comma" in how else "."
    groups, sign = re.search(r'thousands "(.)"', how), re.search(r'sign "(.+?)"', how)
    thousands = groups.group(1) if groups else ""
    return NumberStyle(
        decimal,
        thousands if thousands in GROUPS else "",
        sign.group(1) if sign else "",
    )


def comma_is_decimal(texts: list[str]) -> bool:
    """Tell whether some cells prove that a file writes decimal commas.

    >>> comma_is_decimal(["1,5", "2", "1,234"]), comma_is_decimal(["1,234"])
    (True, False)
    """
    if not any("," in text for text in texts):
        return False
    some = [spaced(text) for text in texts if text.strip()]
    comma = re.compile(POINT[3].pattern)
    bare = [re.sub(r"^\D+(?=\d)|(?<=\d)\D+$", "", text) for text in some]
    signed = sum(1 for a, b in zip(some, bare, strict=True) if abs(len(a) - len(b)) > 4)
    fits = sum(1 for text in bare if comma.match(text))
    return (
        bool(some)
        and not signed
        and fits >= 0.9 * len(some)
        and any(TOLD.fullmatch(text) for text in some)
    )


def spaced(text: str) -> str:
    """Write unusual spaces and minus signs as usual ones."""
    return re.sub("[\u00a0\u202f\u2009]", " ", text).replace("\u2212", "-").strip()


def find_style(array: Any, decimal: str = ".") -> tuple[NumberStyle | None, float]:
    """Return the style in which most cells are numbers, and the share that is.

    `array` holds trimmed texts, none of them empty; `decimal` decides where both signs
    are possible.  No style where not even half of the cells are numbers.
    """
    some = array.drop_null().slice(0, LOOKED_AT).to_pylist()
    if not some:
        return None, 0.0
    sign = common_sign(some)
    some = [bare(spaced(text), sign) for text in some]
    best, share = None, 0.5
    for style in COMMA if decimal == "," else POINT:
        if style.thousands and not any(style.thousands in text for text in some):
            continue
        pattern = re.compile(style.pattern)
        fits = sum(1 for text in some if pattern.match(text)) / len(some)
        if fits > share:
            best, share = style, fits
    return (NumberStyle(best.decimal, best.thousands, sign) if best else None), share


def common_sign(texts: list[str]) -> str:
    """Return the sign or the unit that nearly all cells have, or none."""
    for sign in SIGNS:
        if sum(sign in text for text in texts) >= 0.95 * len(texts):
            return sign
    found = Counter(m.group(1) for m in map(UNIT.fullmatch, texts) if m)
    unit, count = found.most_common(1)[0] if found else ("", 0)
    return unit if count >= 0.95 * len(texts) else ""


def bare(text: str, sign: str) -> str:
    """Take the sign and the brackets of a negative amount from a cell."""
    text = text.replace(sign, "", 1).strip() if sign else text
    if text.startswith("(") and text.endswith(")"):
        text = f"-{text[1:-1].strip()}"
    return text.replace("- ", "-", 1) if text.startswith("- ") else text


def parse_numbers(array: Any, style: NumberStyle) -> Any:
    """Return texts as float64; what is no number in this style is null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if style == PLAIN:
        try:
            return pc.cast(array, pa.float64())
        except pa.ArrowInvalid:
            pass
    text = pc.replace_substring_regex(array, "[\u00a0\u202f\u2009]", " ")
    text = pc.utf8_trim_whitespace(pc.replace_substring(text, "\u2212", "-"))
    if style.sign:
        has = pc.match_substring(text, style.sign)
        text = pc.replace_substring(text, style.sign, "", max_replacements=1)
        text = pc.if_else(
            has, pc.utf8_trim_whitespace(text), pa.scalar(None, text.type)
        )
    text = pc.replace_substring_regex(text, r"^\(\s*(.*?)\s*\)$", r"-\1")
    text = pc.replace_substring_regex(text, r"^-\s+", "-")
    fits = pc.match_substring_regex(text, style.pattern)
    text = pc.if_else(fits, text, pa.scalar(None, text.type))
    if style.thousands:
        text = pc.replace_substring_regex(text, GROUPS[style.thousands], "")
    if style.decimal != ".":
        text = pc.replace_substring(text, style.decimal, ".")
    return pc.cast(text, pa.float64())
