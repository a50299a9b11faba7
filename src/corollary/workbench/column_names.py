"""Names of columns: clean, short, and each once.

A header may hold anything: spaces and line breaks around and inside of names, a mark of
the byte order, names twice, no name at all, names of a thousand letters.

    white space, control signs     one space, none at the ends
    no name                        column_3, by its place
    a name again                   a_2, a_3, ...
    more than 80 letters           the first 77 and three points
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

__all__ = ["clean_names", "closest", "listed"]

LONGEST = 80
KEPT = 1_000  # letters of a name as it was written that are remembered
SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ufeff\u200b]+")


def clean_name(name: object) -> str:
    r"""Return a name in one line, without spaces at its ends.

    >>> clean_name("\ufeff total\n(EUR) ")
    'total (EUR)'
    """
    text = name if isinstance(name, str) else str(name)
    text = SPACE.sub(" ", text).strip().encode("utf-8", "replace").decode()
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def clean_names(names: Iterable[object]) -> list[str]:
    """Return clean names, each once.

    >>> clean_names([" a", "a", "", "a_2"])
    ['a', 'a_3', 'column_3', 'a_2']
    """
    cleaned = [clean_name(name) or f"column_{i}" for i, name in enumerate(names, 1)]
    taken, used, last = set(cleaned), set(), dict.fromkeys(cleaned, 1)
    for place, name in enumerate(cleaned):
        unique = name
        while unique in used or (unique != name and unique in taken):
            last[name] += 1
            unique = f"{name}_{last[name]}"
        used.add(unique)
        cleaned[place] = unique
    return cleaned


def original_name(name: object) -> str:
    """Return a name as it was written, as far as it is remembered."""
    return str(name)[:KEPT].encode("utf-8", "replace").decode()


def closest(name: str, names: Sequence[str]) -> str:
    """Say which names are the closest to one that is not there.

    >>> closest("prize", ["price", "rooms"])
    "The closest name is 'price'."
    >>> closest("x", ["price", "rooms"])
    "There are 'price', 'rooms'."
    """
    lower = {other.lower(): other for other in reversed(names)}
    near = get_close_matches(name.lower()[:KEPT], list(lower), n=3, cutoff=0.6)
    if not near:
        return f"There are {listed(names)}."
    found = [lower[one] for one in near]
    if len(found) == 1:
        return f"The closest name is {found[0]!r}."
    return f"The closest names are {listed(found)}."


def listed(names: Iterable[str], most: int = 5) -> str:
    """Write names in one line, the first few of many.

    >>> listed("abcdefg", most=2)
    "'a', 'b' and 5 more"
    """
    names = list(names)
    some = (n if len(n) <= LONGEST else f"{n[: LONGEST - 3]}..." for n in names[:most])
    text = ", ".join(map(repr, some))
    return text if len(names) <= most else f"{text} and {len(names) - most:,} more"
