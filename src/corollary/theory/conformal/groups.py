"""Groups of rows, each of which is calibrated by itself.

Also known as: Mondrian conformal prediction, group-conditional coverage.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, sentence

__all__ = ["check_groups", "group_codes"]

FEW = 10  # groups that are named in a message


def check_groups(who: Any, groups: Any, rows: int) -> Any:
    """Return the group of each row, (n,), or None."""
    if groups is None:
        return None
    given = np.asarray(groups)
    if given.shape != (rows,):
        must = f"groups must have one entry for each of the {rows} rows"
        raise DataError(sentence(who, must, f"shape {given.shape}"))
    if given.dtype.kind == "O":
        given = given.astype(str)
    if given.dtype.kind == "f" and np.isnan(given).any():
        row = int(np.isnan(given).argmax())
        raise DataError(sentence(who, "groups must be known", f"NaN in row {row}"))
    return given


def group_codes(who: Any, known: Any, groups: Any, rows: int) -> Vector | None:
    """Return the number of each row's group among those of calibration, or None.

    >>> group_codes("model", np.array(["a", "b"]), ["b", "a", "b"], 3).tolist()
    [1, 0, 1]
    """
    if (groups is None) != (known is None):
        must = "groups must be given for calibration rows and new rows alike"
        came = "none for new rows" if groups is None else "them for new rows alone"
        raise DataError(sentence(who, must, came))
    if groups is None:
        return None
    given = check_groups(who, groups, rows)
    if (given.dtype.kind in "SU") != (known.dtype.kind in "SU"):
        strange, code = np.ones(rows, bool), np.zeros(rows, np.int64)
    else:
        code = np.searchsorted(known, given).clip(0, len(known) - 1)
        strange = known[code] != given
    if strange.any():
        shown = ", ".join(map(repr, known.tolist()[:FEW]))
        shown += ", ..." if len(known) > FEW else ""
        must = f"groups must be among those of calibration, {shown}"
        came = f"{given[strange].tolist()[0]!r} in row {int(strange.argmax())}"
        raise DataError(sentence(who, must, came, "Calibrate on rows of it too."))
    return code
