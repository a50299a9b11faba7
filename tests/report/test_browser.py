"""The page in a real browser: it works, it asks for nothing, and no text harms it."""

import numpy as np
import pytest
from report.browser import Browser, find_browser
from report.example_findings import binary, multiclass, regression

from corollary.report import write_report

PATH = find_browser()
pytestmark = [
    pytest.mark.skipif(PATH is None, reason="no Chromium: apt-get install chromium"),
    pytest.mark.xdist_group("browser"),
]
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    '" onload="alert(3)" x="',
    "' onmouseover='alert(4)",
    "<img src=x onerror=alert(5)>",
    "<svg/onload=alert(6)>",
    "javascript:alert(7)",
    "</title></style></textarea><iframe src='http://example.invalid/'></iframe>",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;script&gt;alert(8)&lt;/script&gt;",
    "\u202eright to left\u2066 \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "line\u2028ends\u2029here\x00\x1b\ud800",
    "emoji \U0001f469\u200d\U0001f52c e\u0301\u0302\u0303 \u6f22\u5b57",
    "]]>--><!--",
    "x" * 10_000,
    "word " * 2_000,
)
SAFE = {"task", "kind", "role", "chosen", "verdict", "format", "family"}


FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
OUTCOMES = ("true_positive", "false_positive", "false_negative", "true_negative")


def hostile(value, turn=None, key=""):
    """Return findings with every text replaced by a hostile one."""
    turn = turn if turn is not None else iter(range(10**9))
    if isinstance(value, dict):
        return {
            HOSTILE[next(turn) % len(HOSTILE)] + str(i)
            if key == "values" or key == "parameters"
            else k: hostile(v, turn, k)
            for i, (k, v) in enumerate(value.items())
        }
    if isinstance(value, list):
        return [hostile(one, turn, key) for one in value]
    if isinstance(value, str) and key not in SAFE:
        return HOSTILE[next(turn) % len(HOSTILE)]
    return value


@pytest.fixture(scope="module")
def browser():
    made = Browser(PATH)
    yield made
    made.close()


@pytest.fixture
def opened(browser, tmp_path):
    pages = []

    def show(findings, **options):
        path = tmp_path / f"report-{len(pages)}.html"
        write_report(findings, path)
        pages.append(browser.open(path, **options))
        return pages[-1]

    yield show
    for page in pages:
        assert page.errors() == []
        assert page.requests() == []
        page.close()


def text(page, what):
    return page.ask(f"document.querySelector({what!r}).textContent")


def number(page, what):
    return float(text(page, what).strip("%").replace(",", "").replace("\u2212", "-"))


def slide(page, place):
    page.ask(
        f"(() => {{ const s = document.querySelector('#threshold'); s.value = {place};"
        " s.dispatchEvent(new Event('input')); })()"
    )


def set_cost(page, outcome, value):
    page.ask(
        "(() => { const c = document.querySelector('[data-cost=\"" + outcome + "\"]');"
        f" c.value = '{value}'; c.dispatchEvent(new Event('input')); }})()"
    )


def test_the_threshold_moves_and_counts_are_right(opened):
    found = binary()
    page = opened(found)
    table = {k: np.array(v) for k, v in found["thresholds"].items() if k != "positive"}
    for place in (0, 17, 50, 83, 100):
        slide(page, place)
        counts = {k: int(v[place]) for k, v in table.items() if k != "threshold"}
        shown = {k: number(page, f'[data-count="{k}"]') for k in counts}
        assert shown == counts
        tp, fp, fn = (counts[k] for k in OUTCOMES[:3])
        if tp + fp:
            precision = number(page, '[data-out="precision"]')
            assert precision == pytest.approx(100 * tp / (tp + fp), abs=0.051)
        else:
            assert text(page, '[data-out="precision"]') == "\u2013"
        recall = number(page, '[data-out="recall"]')
        assert recall == pytest.approx(100 * tp / (tp + fn), abs=0.051)
        rows = sum(counts.values())
        cost = number(page, '[data-out="cost"]')
        assert cost == pytest.approx(1000 * (fp + fn) / rows, rel=1e-3)


def test_costs_move_the_cheapest_threshold(opened):
    found = binary()
    page = opened(found)
    table = {k: np.array(v) for k, v in found["thresholds"].items() if k != "positive"}
    for fp, fn, tp in ((1, 1, 0), (1, 5, 0), (8, 1, 0), (3, 10, -2)):
        set_cost(page, "false_positive", fp)
        set_cost(page, "false_negative", fn)
        set_cost(page, "true_positive", tp)
        prices = (
            fp * table["false_positive"]
            + fn * table["false_negative"]
            + tp * table["true_positive"]
        )
        best = table["threshold"][prices.argmin()]
        assert number(page, '[data-out="cheapest"]') == pytest.approx(best, abs=5e-4)
        dot = page.ask("document.querySelector('[data-part=best]').getAttribute('cx')")
        assert float(dot.strip("%")) == pytest.approx(100 * best, abs=0.01)
        page.ask("document.querySelector('[data-go]').click()")
        assert number(page, '[data-out="threshold"]') == pytest.approx(best, abs=5e-4)
        rows = sum(int(table[k][0]) for k in table if k != "threshold")
        shown = number(page, '[data-out="cost"]')
        assert shown == pytest.approx(1000 * prices.min() / rows, rel=1e-3)
    set_cost(page, "false_positive", "")  # an empty field counts as nothing
    assert number(page, '[data-out="cheapest"]') == 0


def test_the_slider_obeys_the_keyboard_and_is_named(opened):
    page = opened(binary())
    page.ask("document.querySelector('#threshold').focus()")
    before = number(page, '[data-out="threshold"]')
    for kind in ("keyDown", "keyUp"):
        page.call(
            "Input.dispatchKeyEvent",
            type=kind,
            key="ArrowRight",
            code="ArrowRight",
            windowsVirtualKeyCode=39,
        )
    assert number(page, '[data-out="threshold"]') == pytest.approx(before + 0.01)
    told = page.ask(
        "document.querySelector('#threshold').getAttribute('aria-valuetext')"
    )
    assert float(told) == pytest.approx(before + 0.01)
    assert page.ask("document.querySelector('#threshold').labels.length") == 1


def test_python_and_the_script_agree_before_anything_is_moved(opened, tmp_path):
    page = opened(binary())
    drawn = page.ask("document.querySelector('.threshold').innerText")
    write_report(binary(), tmp_path / "plain.html")
    still = (tmp_path / "plain.html").read_text(encoding="utf-8")
    still = still.replace("redraw();\n  });", "});")
    (tmp_path / "plain.html").write_text(still, encoding="utf-8")
    other = page.browser.open(tmp_path / "plain.html")
    assert other.ask("document.querySelector('.threshold').innerText") == drawn
    other.close()


def test_tables_sort_sections_fold_and_examples_are_found(opened):
    page = opened(binary())
    names = (
        "[...document.querySelectorAll('.models tbody th b')].map(b => b.textContent)"
    )
    assert page.ask(names)[0] == "Average of 3 models"
    page.ask("document.querySelector('[data-sort=seconds]').click()")
    assert page.ask(names)[0] == "Always the share of each class"
    page.ask("document.querySelector('[data-sort=name]').click()")
    assert page.ask(names) == sorted(page.ask(names), key=str.lower)
    # sections
    height = "document.querySelector('#models-body').offsetHeight"
    assert page.ask(height) > 0
    page.ask("document.querySelector('#models .fold').click()")
    assert page.ask(height) == 0
    page.ask("document.querySelector('[data-all=open]').click()")
    assert page.ask(height) > 0
    # worst examples
    seen = (
        "[...document.querySelectorAll('.worst > li')]"
        ".filter(e => e.offsetHeight).length"
    )
    every = page.ask(seen)
    page.ask(
        "(() => { const c = document.querySelector('[data-filter=class]');"
        " c.value = 'Yes'; c.dispatchEvent(new Event('change')); })()"
    )
    yes = sum(one["actual"] == "Yes" for one in binary()["worst"])
    assert page.ask(seen) == yes < every
    assert text(page, ".found") == f"{yes} of {every}"
    # one row explained
    page.ask(
        "(() => { const c = document.querySelector('[data-choose=example]');"
        " c.value = '2'; c.dispatchEvent(new Event('change')); })()"
    )
    shown = (
        "[...document.querySelectorAll('.example')].filter(e => e.offsetHeight)"
        ".map(e => e.dataset.example)"
    )
    assert page.ask(shown) == ["2"]
    # words beside the pointer
    place = page.ask(
        "(() => { const m = document.querySelector('.models svg');"
        " m.scrollIntoView({block: 'center', behavior: 'instant'});"
        " const b = m.getBoundingClientRect();"
        " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )
    page.ask(FRAMES)  # the page has heard that it was scrolled
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=place[0], y=place[1])
    assert page.ask("!document.querySelector('#tip').hidden")
    assert "\u00b1" in text(page, "#tip")


@pytest.mark.parametrize("make", [binary, regression])
def test_hostile_text_stays_text(opened, make):
    plain, found = opened(make()), opened(hostile(make()), width=375, height=800)
    found.ask("document.querySelectorAll('[data-all=open]').forEach(b => b.click())")
    for tag in ("script", "iframe", "img", "style", "form"):
        count = f"document.getElementsByTagName('{tag}').length"
        assert found.ask(count) == plain.ask(count)
    handlers = (
        "[...document.querySelectorAll('*')].filter(e => [...e.attributes]"
        ".some(a => a.name.startsWith('on'))).length"
    )
    assert found.ask(handlers) == 0
    assert found.ask("document.body.textContent.includes('<script>alert(1)')")
    assert found.ask("document.body.textContent.includes('{{ 7 * 7 }}')")
    wide = "document.documentElement.scrollWidth"
    assert found.ask(wide) <= found.ask("document.documentElement.clientWidth")


@pytest.mark.parametrize("make", [binary, regression, multiclass])
def test_a_phone_shows_the_page_without_scrolling_aside(opened, make):
    page = opened(make(), width=375, height=800)
    page.ask("document.querySelectorAll('[data-all=open]').forEach(b => b.click())")
    assert page.ask("document.documentElement.clientWidth") == 375
    assert page.ask("document.documentElement.scrollWidth") <= 375
    outside = (  # letters of a figure may not leave the screen either
        "[...document.querySelectorAll('svg text')].filter(e => { const b ="
        " e.getBoundingClientRect();"
        " return b.width && (b.left < 0 || b.right > 375); })"
        ".map(e => e.textContent)"
    )
    assert page.ask(outside) == []
    for width in (320, 768):
        page.size(width, 800)
        assert page.ask("document.documentElement.scrollWidth") <= width


CONTRAST = """
(() => {
  const light = (c) => { const [r, g, b] = c.map(v => { v /= 255;
    return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const canvas = document.createElement('canvas');
  const probe = canvas.getContext('2d', {willReadFrequently: true});
  const paint = (colour) => { probe.clearRect(0, 0, 1, 1); probe.fillStyle = colour;
    probe.fillRect(0, 0, 1, 1); return [...probe.getImageData(0, 0, 1, 1).data]; };
  const behind = (e) => { for (; e; e = e.parentElement) {
    const c = paint(getComputedStyle(e).backgroundColor); if (c[3] > 250) return c; } };
  const bad = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.getClientRects().length || e.closest('script, style')) continue;
    const style = getComputedStyle(e);
    const front = paint(e.closest('svg') ? style.fill : style.color).slice(0, 3);
    const back = behind(e.closest('svg') || e);
    const [a, b] = [light(front), light(back.slice(0, 3))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) bad.push([e.textContent.slice(0, 30), ratio.toFixed(2),
      e.className.baseVal || e.className]);
  }
  return bad;
})()
"""


@pytest.mark.parametrize("dark", [False, True])
def test_letters_can_be_read_in_light_and_dark(opened, dark):
    page = opened(binary(), dark=dark)
    page.ask("document.querySelector('[data-all=open]').click()")
    shade = page.ask("getComputedStyle(document.body).backgroundColor")
    first = int(shade.strip("rgb()").split(",")[0])
    assert first < 40 if dark else first > 240
    assert page.ask(CONTRAST) == []


def test_a_printed_page_is_open_light_and_has_no_buttons(opened):
    page = opened(binary(), dark=True, media="print")
    closed = page.ask("document.querySelectorAll('.block.closed').length")
    assert closed > 0  # on the screen
    heights = (
        "[...document.querySelectorAll('.block > .body')].map(e => e.offsetHeight)"
    )
    assert min(page.ask(heights)) > 20
    shade = page.ask("getComputedStyle(document.body).backgroundColor")
    assert shade == "rgb(255, 255, 255)"
    for what in (".contents", "[data-all]", "[data-go]", "#threshold", ".filter"):
        seen = f"document.querySelector({what!r}).getClientRects().length"
        assert page.ask(seen) == 0, what
    assert page.print().startswith(b"%PDF")
