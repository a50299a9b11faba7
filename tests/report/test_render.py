"""The page says what the findings say, in order, and leaves out what is not there."""

import copy
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.example_findings import binary, multiclass, regression

from corollary.core.errors import DataError
from corollary.report import render, write_report
from corollary.report.sections.order import SECTIONS

EXAMPLES = {"binary": binary, "regression": regression, "multiclass": multiclass}
VOID = {"meta", "link", "input", "br"}


class Outline(HTMLParser):
    """Reads a page as a browser would: elements, attributes, and text."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.text, self.ids = [], [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        names = [name for name, _ in attributes]
        assert len(names) == len(set(names)), f"{tag} has an attribute twice"
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)

    def words(self):
        return re.sub(r"\s+", " ", " ".join(self.text))


@pytest.fixture(params=EXAMPLES, scope="module")
def page(request):
    return render(EXAMPLES[request.param]())


def test_a_page_is_one_small_well_formed_file(page):
    assert len(page.encode()) < 400_000
    outline = Outline(page)
    assert outline.open == []
    assert len(outline.ids) == len(set(outline.ids))


def test_a_page_loads_nothing(page):
    outline = Outline(page)
    policy = [a["content"] for t, a in outline.tags if "http-equiv" in a]
    assert len(policy) == 1
    assert policy[0].startswith(
        "default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'; img-src data:"
    )
    for tag, attributes in outline.tags:
        assert tag not in ("img", "iframe", "object", "embed", "base", "form", "use")
        for name in ("src", "href", "action", "srcset", "data"):
            value = attributes.get(name) or ""
            assert value.startswith(("#", "data:")) or not value, (tag, value)
        assert not any(name.startswith("on") for name in attributes)
    assert "://" not in page
    assert "url(" not in page
    assert "@import" not in page


def test_every_figure_is_told_to_those_who_do_not_see_it(page):
    drawn = [a for t, a in Outline(page).tags if t == "svg" and a["class"] != "stretch"]
    assert len(drawn) > 10
    assert all(a["role"] == "img" and a["aria-label"].strip() for a in drawn)
    titled = [a for t, a in Outline(page).tags if t == "section"]
    assert all(a["aria-labelledby"] for a in titled)


def test_the_verdict_comes_first_then_the_sections_in_order():
    outline = Outline(render(binary()))
    names = [a["id"] for t, a in outline.tags if t == "section"]
    assert names == [s.name for s in SECTIONS if s.name != "residuals"]
    words = outline.words()
    order = [
        "Trustworthy, and held back",
        "five rows in six",
        "Expected on new data",
        "Price of simplicity",
        "Correct 61 labels",
        "What will not help",
        "7,043 rows; 13 of 17 columns are features",
        "Average of 3 models is best",
        "Flat: twice as many rows",
        "contract = Month-to-month and tenure_months < 6",
    ]
    main = words.index("Trustworthy")
    places = [words.index(text, main) for text in order]
    assert places == sorted(places)


def test_numbers_are_written_for_people():
    words = Outline(render(binary())).words()
    assert "0.872" in words
    assert "likely 0.853 to 0.890" in words
    assert "guessing 0.5" in words
    assert "10.0% missing" in words
    assert "1 min 36 s" in words
    assert "p < 0.001" in words
    assert not re.search(r"\d\.\d{7}", words)
    words = Outline(render(multiclass())).words()
    assert "87.2% accuracy" in words
    assert "0.54 points" in words


def test_of_many_actions_three_are_on_the_first_screen():
    found = binary()
    extra = found["diagnosis"]["actions"][1] | {"action": "A fourth thing"}
    found["diagnosis"]["actions"].append(extra)
    page = render(found)
    assert page.count('<div class="what">') == 3
    assert page.index("Also tried") < page.index("A fourth thing")


@pytest.mark.parametrize("name", ["thresholds", "roc", "slices", "leaks", "data"])
@pytest.mark.parametrize("nothing", [None, {}, []])
def test_a_section_without_findings_is_left_out(name, nothing):
    found = binary() | {name: nothing}
    if name == "leaks":
        found["noise"] = None
    if name == "roc":
        found["precision_recall"] = None
    section = {"roc": "ranking"}.get(name, name)
    full, page = render(binary()), render(found)
    assert f'id="{section}"' in full
    assert f'id="{section}"' not in page
    assert f'href="#{section}"' not in page


def test_the_least_page_is_a_page():
    outline = Outline(render({}))
    assert not [t for t, _ in outline.tags if t == "section"]
    assert "Report" in outline.words()


def test_findings_of_another_kind_are_refused_in_a_sentence():
    with pytest.raises(DataError, match=r"render: findings must be a dictionary.*list"):
        render([1])
    with pytest.raises(DataError, match=r"must be of format 1; got 2\. Update"):
        render({"format": 2})


def test_a_page_does_not_change_the_findings():
    found = binary()
    before = copy.deepcopy(found)
    assert render(found) == render(found)
    assert found == before


def test_numpy_values_and_numbers_that_are_none_are_taken():
    found = binary()
    found["champion"]["test_score"] = np.float64(0.5)
    found["models"][1]["score"] = float("nan")
    found["learning_curve"]["validation"] = np.array([0.1, np.inf, 0.3, 0.4, 0.5, 0.6])
    page = render(found)
    assert "nan" not in Outline(page).words().lower().split()
    assert not re.search(r'"[^"]*(NaN|Infinity|inf)[^"]*"', page.split("<script>")[0])


def test_a_probability_is_said_to_be_of_a_class():
    found = multiclass()
    words = Outline(render(found)).words()
    assert "The classes whose probability each column changes most" in words
    assert "seen_at: hour of the day" in words
    assert "the probability that species is species A goes from" in words
    one = [{k: v for k, v in e.items() if k != "others"} for e in found["effects"]]
    words = Outline(render(found | {"effects": one})).words()
    assert "How the probability that species is species A changes with each" in words
    nameless = found | {"effects": one, "target": None}
    words = Outline(render(nameless)).words()
    assert "How the probability of species A changes with each" in words
    assert "the probability of species A goes from" in words
    assert "How the prediction changes with each" in Outline(render(binary())).words()


def test_effects_a_little_below_nothing_are_still_shares():
    found = multiclass()
    found["effects"][0]["effect"][0] = -0.01
    assert 'data-tip="1: species A \N{MINUS SIGN}1.0%,' in render(found)


def test_large_findings_make_a_page_of_bounded_size():
    found = multiclass(k=60)
    column = found["data"]["columns"][1]
    found["data"]["columns"] = [column | {"name": f"c{i}"} for i in range(3000)]
    found["models"] = found["models"] * 100
    found["worst"] = found["worst"] * 1000
    found["slices"] = found["slices"] * 1000
    found["effects"] = found["effects"] * 100
    found["attributions"] = found["attributions"] * 100
    grid = np.linspace(0, 1, 100_000)
    found["roc"] = {"false_positive_rate": grid, "true_positive_rate": grid, "auc": 0.5}
    counts = np.arange(100_000)
    found["thresholds"] = {"positive": "x", "threshold": grid, "true_positive": counts}
    for name in ("false_positive", "false_negative", "true_negative"):
        found["thresholds"][name] = counts
    page = render(found)
    assert len(page.encode()) < 3_000_000
    assert "Of 60 classes the 12 with most errors" in page
    assert "2,800 more columns" in page


def places(value, path=()):
    """Return the paths to everything inside findings."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in inside:
        if isinstance(one, dict | list):
            yield from places(one, (*path, key))
        else:
            yield (*path, key)


PLACES = {
    name: sorted({p for p in places(make()) if p}, key=str)
    for name, make in EXAMPLES.items()
}
ODD = st.sampled_from(
    [None, "text", 0, -1.5, 1e300, True, [], {}, [None], [[]], {"a": 1}, float("nan")]
)


@settings(max_examples=100)
@given(st.data())
def test_odd_findings_still_make_a_page(data):
    name = data.draw(st.sampled_from(sorted(EXAMPLES)))
    every = EXAMPLES[name]()
    top = data.draw(st.sampled_from(sorted(every)))
    shared = ("task", "metric", "models", "champion")
    found = {key: every[key] for key in (top, *shared)}
    inside = [p for p in PLACES[name] if p[0] == top]
    for path in data.draw(st.lists(st.sampled_from(inside), min_size=1, max_size=3)):
        holder = found
        try:
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] = copy.deepcopy(data.draw(ODD))
        except (KeyError, TypeError, IndexError):
            continue  # what was there has been replaced
    if found.get("format") not in (None, 1):
        return
    Outline(render(found))


def test_a_report_is_written_whole(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(DataError):
        write_report([], path)
    assert path.read_text() == "old"
    write_report(regression(), path)
    assert path.read_text(encoding="utf-8") == render(regression())
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
