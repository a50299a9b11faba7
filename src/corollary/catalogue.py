"""The index of methods: where each one is, by every name it is known by.

The index is read from the sources as text, so nothing heavy is imported.  Every module
whose docstring has a ``Course:`` line is read; entries are its estimators (those of
`registry.ESTIMATORS`) and its public classes and functions that are documented for
users, with parameters or an example.  Synonyms are the paragraph ``Also known as:
...``.

>>> from corollary import catalogue
>>> [entry.name for entry in catalogue.find("lloyds algorithm")]
['KMeans']
"""

from __future__ import annotations

import ast
import difflib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from corollary.registry import ESTIMATORS

__all__ = ["Entry", "claims", "entries", "find", "nearest"]

ROOT = Path(__file__).parent
GROUND = ("core", "engine", "loops", "datasets", "cli")  # blocks that hold no method
ID = re.compile(r"S\d-\d+")


@dataclass(frozen=True)
class Entry:
    """A method of Corollary.

    Attributes
    ----------
    name : str
        Class or function.
    module : str
        Where it is imported from.
    file, line : Path, int
        Where it is defined.
    summary : str
        First line of its module.
    also : tuple of str
        Other names of the method.
    course : tuple of str
        IDs of the course items that it implements.
    references : str
        Where it comes from.
    """

    name: str
    module: str
    file: Path
    line: int
    summary: str
    also: tuple[str, ...]
    course: tuple[str, ...]
    references: str

    @property
    def names(self) -> tuple[str, ...]:
        """Every name: the class or function, the title of its module, the synonyms."""
        title = re.split(r"[,:]", self.summary.rstrip("."))[0]
        return tuple(dict.fromkeys((self.name, title, *self.also)))


@dataclass(frozen=True)
class Theory:
    """What a module's docstring says of its method."""

    module: str
    file: Path
    tree: ast.Module
    text: str

    @property
    def summary(self) -> str:
        """The first line."""
        return self.text.partition("\n")[0]

    @property
    def also(self) -> tuple[str, ...]:
        """The names after ``Also known as:``."""
        names = self._after("Also known as").rstrip(".")
        return tuple(re.split(r",\s+(?:and\s+)?", names)) if names else ()

    @property
    def course(self) -> tuple[str, ...]:
        """The IDs after ``Course:``."""
        return tuple(ID.findall(self._after("Course").partition(". ")[0]))

    @property
    def references(self) -> str:
        """What follows ``Reference:`` or ``References:``."""
        return self._after("References?")

    def _after(self, label: str) -> str:
        """Return the rest of the paragraph that follows a label, in one line."""
        found = re.search(rf"\b{label}:\s+(.*?)(?:\n\s*\n|\Z)", self.text, re.DOTALL)
        return " ".join(found.group(1).split()) if found else ""


@cache
def theories() -> tuple[Theory, ...]:
    """Read the docstring of every module of the library that has a ``Course:`` line."""
    return tuple(_theories())


def _theories() -> Iterator[Theory]:
    for file in sorted(ROOT.rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        if "\nCourse: " not in source:
            continue
        tree = ast.parse(source)
        text = ast.get_docstring(tree) or ""
        if "\nCourse: " in text:
            parts = file.relative_to(ROOT).with_suffix("").parts
            yield Theory(".".join(("corollary", *parts)), file, tree, text)


@cache
def entries() -> tuple[Entry, ...]:
    """Return the index, sorted by name.

    >>> "PCA" in [entry.name for entry in entries()]
    True
    """
    found = [entry for theory in theories() for entry in _entries(theory)]
    return tuple(sorted(found, key=lambda entry: entry.name.lower()))


def _entries(theory: Theory) -> Iterator[Entry]:
    ground = theory.module.split(".")[1] in GROUND
    public = set() if ground else _public(theory.tree)
    for node in theory.tree.body:
        if _is_estimator(node, theory.module) or _is_for_users(node, public):
            assert isinstance(node, ast.ClassDef | ast.FunctionDef)
            yield Entry(
                node.name,
                theory.module,
                theory.file,
                node.lineno,
                theory.summary,
                theory.also,
                theory.course,
                theory.references,
            )


def _is_estimator(node: ast.stmt, module: str) -> bool:
    return isinstance(node, ast.ClassDef) and ESTIMATORS.get(node.name) == module


def _is_for_users(node: ast.stmt, public: set[str]) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name not in public:
        return False
    text = ast.get_docstring(node) or ""
    return "Parameters\n---" in text or ">>> " in text


def _public(tree: ast.Module) -> set[str]:
    """Return the names in a module's ``__all__``."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List):
            if any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
                return set(ast.literal_eval(node.value))
    return set()


def claims() -> dict[str, list[str]]:
    """Return what implements each course item: methods, or else modules, by ID."""
    found: dict[str, list[str]] = {}
    for theory in theories():
        names = [entry.name for entry in entries() if entry.module == theory.module]
        for item in theory.course:
            found.setdefault(item, []).extend(names or [theory.module])
    return found


# -- search ------------------------------------------------------------------------
def find(name: str) -> list[Entry]:
    """Find methods by any of their names, forgivingly.

    Case, accents, spaces, hyphens, apostrophes, plural and s-or-z spellings do not
    matter.  Equal names come first, then names that contain the words or their
    beginnings, estimators and shorter names first; where there are none, names that
    differ by a small typing error.

    Parameters
    ----------
    name : str

    Returns
    -------
    list of Entry
        Empty where nothing is near.

    Examples
    --------
    >>> [entry.name for entry in find("Karhunen-Loève transforms")]
    ['PCA']
    >>> [entry.name for entry in find("logistik regresion")][0]
    'LogisticRegression'
    """
    asked = words(name)
    if not asked:
        return []
    table = [(entry, words(known)) for entry in entries() for known in entry.names]
    table.sort(key=lambda row: (row[0].name not in ESTIMATORS, len(row[1])))
    equal = [entry for entry, known in table if _equal(asked, known)]
    holding = [entry for entry, known in table if _contains(asked, known)]
    found = equal + holding or [entry for entry, known in table if _typed(asked, known)]
    return list(dict.fromkeys(found))


def nearest(name: str, most: int = 3) -> list[str]:
    """Return the names nearest to one that is not in the index."""
    known = {"".join(words(n)): n for entry in reversed(entries()) for n in entry.names}
    near = difflib.get_close_matches("".join(words(name)), known, n=most, cutoff=0.0)
    return [known[key] for key in near]


def words(name: str) -> tuple[str, ...]:
    """Reduce a name to plain words in the singular.

    >>> words("KMeans"), words("Lloyd's algorithms"), words("PCA")
    (('k', 'mean'), ('lloyd', 'algorithm'), ('pca',))
    """
    plain = unicodedata.normalize("NFKD", name)
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = re.sub(r"['\u2019](s\b)?", "", plain)
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    found = re.findall(r"[^\W_]+", plain.casefold().replace("z", "s"))
    return tuple(_singular(word) for word in found if word not in ("the", "a", "an"))


def _singular(word: str) -> str:
    plural = len(word) > 3 and word[-1] == "s" and word[-2] not in "su"
    return word[:-1] if plural else word


def _equal(asked: tuple[str, ...], known: tuple[str, ...]) -> bool:
    return "".join(asked) == "".join(known)


def _contains(asked: tuple[str, ...], known: tuple[str, ...]) -> bool:
    """Tell whether every word asked for begins a word of the name."""
    joined = "".join(asked)
    if len(joined) < 2:
        return False
    inside = len(joined) > 3 and joined in "".join(known)
    return inside or all(any(k.startswith(word) for k in known) for word in asked)


def _typed(asked: tuple[str, ...], known: tuple[str, ...]) -> bool:
    """Tell whether the names, or words of the name, differ by a typing error."""
    joined = "".join(asked)
    if len(joined) < 4:
        return False
    if difflib.SequenceMatcher(None, joined, "".join(known)).ratio() >= 0.8:
        return True
    return all(
        len(w) > 3 and difflib.get_close_matches(w, known, 1, 0.8) for w in asked
    )
