"""Numbers for people: three or four digits that matter, percent where it is a share.

A number that is not there is a dash.  Minus signs are minus signs, and ends of an
interval are written with as many decimals as each other.
"""

from __future__ import annotations

import math
from typing import Any

from corollary.report.plain_data import is_number

__all__ = [
    "between",
    "clip",
    "count",
    "doubt_text",
    "metric_name",
    "number",
    "p_value",
    "score",
    "seconds",
    "share",
    "share_metric",
    "signed",
    "span",
]

MISSING = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
TIMES = "\N{MULTIPLICATION SIGN}"
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
#: Metrics that are shares of rows, and so are shown as percent.
SHARES = {
    "accuracy",
    "balanced accuracy",
    "error",
    "error rate",
    "misclassification",
    "misclassification rate",
    "zero one loss",
    "precision",
    "recall",
    "top k accuracy",
    "mean absolute percentage error",
    "mape",
}
#: How metrics are written that are short for something.
NAMES = {
    "auc": "AUC",
    "mae": "MAE",
    "mape": "MAPE",
    "mse": "MSE",
    "r2": "R²",
    "rmse": "RMSE",
    "roc auc": "ROC AUC",
}


def number(value: Any, digits: int = 4) -> str:
    """Return a number with about four digits.

    >>> number(0.123456), number(-1234567.8), number(2.5e-7), number(12.0), number(None)
    ('0.1235', '−1,235,000', '2.5 × 10⁻⁷', '12', '–')
    >>> number(2026), number(585123)  # years, and what is exact
    ('2026', '585,123')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not is_number(value):
        return MISSING if value is None else str(value)
    size = abs(value)
    if size == 0:
        return "0"
    if size < 1e-4 or size >= 1e9:
        mantissa, _, power = f"{value:.2e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".")
        return _minus(f"{mantissa} {TIMES} 10{str(int(power)).translate(SUPERSCRIPTS)}")
    decimals = digits - 1 - math.floor(math.log10(size))
    if decimals < 0 and value != int(value):
        value = round(value, decimals)
    return _minus(_trim(_grouped(value, max(0, decimals))))


def count(value: Any) -> str:
    """Return a number of things.

    >>> count(12345), count(None)
    ('12,345', '–')
    """
    return f"{round(value):,}" if is_number(value) else MISSING


def share(value: Any, decimals: int = 1) -> str:
    """Return a share as percent; only nothing is 0% and only all is 100%.

    >>> share(0.8734), share(0.99999), share(0.0002), share(1), share(0)
    ('87.3%', '>99.9%', '<0.1%', '100%', '0%')
    """
    if not is_number(value):
        return MISSING
    least = 10**-decimals
    percent = 100 * value
    if percent in (0, 100):
        return f"{percent:.0f}%"
    if 0 < percent < least / 2:
        return f"<{least:g}%"
    if 100 - least / 2 < percent < 100:
        return f">{100 - least:g}%"
    return _minus(f"{percent:.{decimals}f}%")


def p_value(value: Any) -> str:
    """Return how unlikely chance is.

    >>> p_value(1e-9), p_value(0.0312)
    ('p < 0.001', 'p = 0.031')
    """
    if not is_number(value):
        return ""
    return "p < 0.001" if value < 0.001 else f"p = {number(value, 2)}"


def seconds(value: Any) -> str:
    """Return a length of time.

    >>> seconds(0.0123), seconds(3.21), seconds(75), seconds(600), seconds(3700)
    ('12 ms', '3.2 s', '1 min 15 s', '10 min', '1 h 1 min')
    """
    if not is_number(value):
        return MISSING
    if value < 1e-3:
        return "<1 ms"
    if value < 1:
        return f"{1000 * value:.0f} ms"
    if value < 60:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < 3600:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 else "")
    minutes = whole % 3600 // 60
    return f"{whole // 3600:,} h" + (f" {minutes} min" if minutes else "")


def share_metric(metric: dict[str, Any]) -> bool:
    """Return whether a metric counts a share of the rows."""
    return _simple_name(metric) in SHARES


def metric_name(metric: dict[str, Any]) -> str:
    """Return the name of a metric as it is written.

    >>> metric_name({"name": "rmse"}), metric_name({"name": "log_loss"})
    ('RMSE', 'log loss')
    """
    name = _simple_name(metric)
    return NAMES.get(name) or clip(metric.get("name") or "score", 40).replace("_", " ")


def _simple_name(metric: dict[str, Any]) -> str:
    name = str(metric.get("name") or "").lower().replace("_", " ").replace("-", " ")
    return name.removeprefix("neg ").strip()


def score(value: Any, metric: dict[str, Any]) -> str:
    """Return a value of a metric.

    >>> score(0.91234, {"name": "accuracy"}), score(0.91234, {"name": "log loss"})
    ('91.2%', '0.912')
    """
    return share(value) if share_metric(metric) else number(value, 3 + _large(value))


def doubt_text(value: Any, metric: dict[str, Any]) -> str:
    """Return a standard error of a metric.

    >>> doubt_text(0.005123, {"name": "accuracy"}), doubt_text(1.949, {"name": "rmse"})
    ('0.5%', '1.9')
    """
    return share(value) if share_metric(metric) else number(value, 2)


def between(low: Any, high: Any, metric: dict[str, Any]) -> str:
    """Return an interval of a metric.

    >>> between(0.9, 0.9456, {"name": "auc"}), between(None, 1, {})
    ('0.900 to 0.946', '')
    """
    if not (is_number(low) and is_number(high)):
        return ""
    if share_metric(metric):
        return f"{share(low)} to {share(high)}"
    size = max(abs(low), abs(high))
    if size == 0 or size < 1e-4 or size >= 1e9:
        return f"{number(low)} to {number(high)}"
    decimals = max(0, 2 + _large(size) - math.floor(math.log10(size)))
    return _minus(f"{low:,.{decimals}f} to {high:,.{decimals}f}")


def signed(value: Any, digits: int = 3) -> str:
    """Return a change, with its sign.

    >>> signed(0.5), signed(-2)
    ('+0.5', '−2')
    """
    text = number(value, digits)
    return f"+{text}" if is_number(value) and value > 0 else text


def clip(value: Any, most: int = 60) -> str:
    """Return text that is no longer than so many letters.

    >>> clip("abcdefgh", 5)
    'abcd…'
    """
    text = MISSING if value is None else str(value)
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def span(low: float, high: float) -> str:
    """Return the ends of a range, with as many decimals as its width asks for.

    >>> span(0.00158, 72.0), span(1875, 2010), span(0.1, 0.35)
    ('0 to 72', '1875 to 2010', '0.1 to 0.35')
    """
    wide = high - low
    if not 1e-4 <= wide < 1e9 or max(abs(low), abs(high)) >= 1e9:
        return f"{number(low, 3)} to {number(high, 3)}"
    decimals = max(0, 2 - math.floor(math.log10(wide)))
    ends = (_minus(_trim(_grouped(end, decimals))) for end in (low, high))
    return " to ".join(ends)


def _grouped(value: float, decimals: int) -> str:
    """Return a number; thousands are set apart from 10,000 on, so years are not."""
    mark = "," if abs(value) >= 10_000 else ""
    return f"{value:{mark}.{decimals}f}"


def _trim(text: str) -> str:
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _large(value: Any) -> int:
    """Return a fourth digit for numbers of 1 and more."""
    return int(is_number(value) and abs(value) >= 1)


def _minus(text: str) -> str:
    return text.replace("-", MINUS)
