"""What stands inside a page as JSON is read back as it was."""

import json

from hypothesis import given
from hypothesis import strategies as st

from corollary.report.embedding import embedded
from corollary.report.plain_data import plain

TEXTS = st.text() | st.sampled_from(
    ["</script>", "<!--", "]]>", "\u2028\u2029", "&lt;", "\ud800", "\x00", "'\""]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=8,
)


@given(VALUES)
def test_json_is_read_back_and_ends_no_script(value):
    safe = plain(value)
    text = str(embedded(safe))
    assert json.loads(text) == safe
    assert not set("<>&'\u2028\u2029") & set(text)
    text.encode("utf-8")
    assert plain(safe) == safe
