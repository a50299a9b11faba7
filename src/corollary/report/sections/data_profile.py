"""The data: what each column holds, what it is used for, and why."""

from __future__ import annotations

from collections import Counter
from typing import Any

from corollary.report.figures.bar import bar
from corollary.report.figures.histogram import histogram
from corollary.report.formats import clip, count, number, share, span
from corollary.report.plain_data import (
    dictionaries,
    dictionary,
    is_number,
    numbers,
    texts,
)

__all__ = ["data_profile"]

FIRST = 8  # columns that are seen before one asks for more
MOST = 200  # columns that are drawn
TOP = 3  # values of a category that are named
ORDER = ("target", "time", "group", "feature")
SPLITS = {
    "stratified": "at random, with the same share of each class",
    "random": "at random",
    "group": "by group: no group is in both",
    "time": "by time: the test rows are the latest",
}


def data_profile(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return facts about the table and one line for each column."""
    data = dictionary(findings.get("data"))
    columns = [one for one in dictionaries(data.get("columns")) if one.get("name")]
    if not data or not (columns or data.get("rows")):
        return None
    columns.sort(key=_place)
    usual = usual_way(columns)
    rows = data.get("rows")
    return {
        "takeaway": takeaway(data, columns),
        "files": texts(data.get("files")),
        "notes": texts(data.get("notes")),
        "split": split(dictionary(data.get("split"))),
        "columns": [column(one, rows, usual) for one in columns[:MOST]],
        "first": FIRST,
        "left_out": [one["name"] for one in columns[MOST:][:300]],
        "n_left_out": max(len(columns) - MOST, 0),
    }


def _place(column: dict[str, Any]) -> tuple[int, int]:
    role = column.get("role")
    return (ORDER.index(role) if role in ORDER else len(ORDER), 0)


def takeaway(data: dict[str, Any], columns: list[dict[str, Any]]) -> str:
    """Return one sentence about the size of the table."""
    rows, used = data.get("rows"), data.get("used_rows")
    parts = [f"{count(rows)} rows"] if is_number(rows) else []
    if is_number(used) and is_number(rows) and used != rows:
        parts[0] += f", {count(used)} of them used"
    features = sum(one.get("role") == "feature" for one in columns)
    if columns:
        parts.append(f"{features} of {len(columns)} columns are features")
    holes = sum(bool(one.get("missing")) for one in columns)
    if holes:
        parts.append(f"{holes} with missing values")
    return "; ".join(parts) + "."


def split(found: dict[str, Any]) -> str:
    """Return how rows were held out, in one sentence."""
    if not found:
        return ""
    text = f"{count(found.get('train'))} rows to learn from"
    if found.get("folds"):
        text += f" ({count(found['folds'])} folds)"
    text += f", {count(found.get('test'))} to test on"
    kind = SPLITS.get(str(found.get("kind")))
    text += f", split {kind}" if kind else ""
    if found.get("column"):
        text += f" ({clip(found['column'], 60)})"
    why = str(found.get("why") or "")
    return f"{text}. {why}" if why else f"{text}."


def usual_way(columns: list[dict[str, Any]]) -> str:
    """Return how most columns were read, which need not be said of each."""
    ways = Counter(str(one.get("how") or "") for one in columns)
    way, times = ways.most_common(1)[0] if ways else ("", 0)
    return way if times > len(columns) / 2 else ""


def column(one: dict[str, Any], rows: Any, usual: str) -> dict[str, Any]:
    """Return what is shown of a column."""
    name = one["name"]
    missing = one.get("missing")
    holes = ""
    if is_number(missing) and missing:
        part = missing / rows if is_number(rows) and rows else None
        holes = f"{share(part)} missing" if part is not None else f"{count(missing)}"
    original = one.get("original")
    return {
        "name": name,
        "original": original if original and original != name else "",
        "kind": one.get("kind") or "",
        "role": one.get("role") or "",
        "why": one.get("why") or "",
        "how": "" if one.get("how") == usual else one.get("how") or "",
        "missing": holes,
        "figure": figure(one),
        "summary": summary(one),
        "top": top(one),
    }


def figure(one: dict[str, Any]) -> Any:
    """Return a histogram, where the column has one."""
    found = dictionary(one.get("histogram"))
    edges = [e for (e,) in numbers(found.get("edges"))]
    counts = [max(c, 0.0) for (c,) in numbers(found.get("counts"))]
    if not counts or len(edges) != len(counts) + 1:
        return None
    title = (
        f"Histogram of {clip(one['name'], 80)}, "
        f"{number(edges[0])} to {number(edges[-1])}"
    )
    return histogram(edges, counts, title)


def summary(one: dict[str, Any]) -> list[str]:
    """Return the middle and the ends, or how many values there are."""
    parts = []
    low, high, middle = one.get("minimum"), one.get("maximum"), one.get("quartiles")
    if is_number(low) and is_number(high):
        parts.append(span(low, high))
        if isinstance(middle, list) and len(middle) == 3 and is_number(middle[1]):
            parts.append(f"median {number(middle[1], 3)}")
        elif is_number(one.get("mean")):
            parts.append(f"mean {number(one['mean'], 3)}")
    elif low is not None and high is not None:  # dates
        parts.append(f"{clip(low, 20)} to {clip(high, 20)}")
    elif is_number(one.get("distinct")):
        many = one["distinct"]
        parts.append(f"{count(many)} {'value' if many == 1 else 'values'}")
    return parts


def top(one: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the most common values of a column without a histogram."""
    pairs = one.get("top")
    if figure(one) is not None or not isinstance(pairs, list):
        return []
    pairs = [
        p for p in pairs if isinstance(p, list) and len(p) == 2 and is_number(p[1])
    ]
    most = max((n for _, n in pairs), default=0) or 1
    return [
        {
            "value": value,
            "count": count(n),
            "figure": bar(n / most, title=f"{clip(value, 60)}: {count(n)}", height=5),
        }
        for value, n in pairs[:TOP]
    ]
