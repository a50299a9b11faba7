r"""Data inside a page: JSON that no HTML parser can mistake for its end.

A browser reads ``<script type="application/json">`` as text up to ``</script``, and
older JavaScript takes U+2028 and U+2029 for ends of lines.  Written as ``\u003c`` and
so on, the JSON means the same and holds none of these characters.
"""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup

__all__ = ["embedded"]

ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&'\u2028\u2029"}


def embedded(value: Any) -> Markup:
    r"""Return JSON to stand inside a script element.

    >>> print(embedded({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(ESCAPES))
