"""The index of methods: where each one is, by every name it is known by.

The index is read from the sources as text, so nothing heavy is imported.  Its entries
are the public names (`registry`), the public methods of the classes among them, and
modules that hold a method and no public name.  A docstring, of a module, a class, a
function or a method, may name synonyms and, below them, words that lead there::

    Also known as: Lloyd's algorithm, hard EM.
    Related words: vector quantisation, codebook.

>>> from corollary import catalogue
>>> catalogue.find("lloyds algorithm")[0].name
'KMeans'
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
from typing import Any, NamedTuple

from corollary import registry
from corollary.registry import ESTIMATORS

__all__ = ["Entry", "claims", "entries", "find", "nearest", "public_entry"]

ROOT = Path(__file__).parent
UNINDEXED = ("cli", "loops")  # packages that hold no method
ID = re.compile(r"S\d-\d+")
UNLISTED = frozenset(  # what the engine calls, and what every estimator has
    "start starts statistics update objective stop max_passes settle account publish "
    "sums_bytes learn scaled fit partial_fit fit_predict predict predict_proba "
    "predict_log_proba decision_function transform fit_transform inverse_transform "
    "score score_samples".split()
)

Definition = ast.ClassDef | ast.FunctionDef


@dataclass(frozen=True)
class Entry:
    """A method of Corollary.

    Attributes
    ----------
    name : str
        Class, function, ``Class.method``, or module.
    module : str
        Where it is defined.
    file, line : Path, int
        Where it is defined.
    summary : str
        What it is, in one line.
    also : tuple of str
        Other names of the method.
    related : tuple of str
        Words that lead to it.
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
    related: tuple[str, ...]
    course: tuple[str, ...]
    references: str

    @property
    def names(self) -> tuple[str, ...]:
        """Every name: its own, that of a method alone, its title, the synonyms."""
        own = [self.name, self.name.rpartition(".")[2]]
        title = [] if "." in self.name else re.split(r"[,:]", self.summary.rstrip("."))
        return tuple(dict.fromkeys((*own, *title[:1], *self.also)))

    @property
    def rank(self) -> int:
        """Estimators come first, then functions and classes, methods, modules."""
        if ESTIMATORS.get(self.name) == self.module:
            return 0
        if "." in self.name:
            return 2
        return 3 if self.module.endswith(f".{self.name}") and self.line == 1 else 1


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
    def course(self) -> tuple[str, ...]:
        """The IDs after ``Course:``."""
        return tuple(ID.findall(after(self.text, "Course").partition(". ")[0]))

    @property
    def references(self) -> str:
        """What follows ``Reference:`` or ``References:``."""
        return after(self.text, "References?")


def after(text: str, label: str) -> str:
    """Return the rest of the paragraph that follows a label, in one line."""
    found = re.search(rf"\b{label}:\s+(.*?)(?:\n\s*\n|\n\w+ words:|\Z)", text, re.S)
    return " ".join(found.group(1).split()) if found else ""


def listed(text: str, label: str) -> tuple[str, ...]:
    """Return the names that follow a label."""
    names = after(text, label).rstrip(".")
    return tuple(re.split(r",\s+(?:and\s+)?", names)) if names else ()


@cache
def theories() -> tuple[Theory, ...]:
    """Read the docstring of every module of the library that has a ``Course:`` line."""
    return tuple(theory for theory in modules() if "\nCourse: " in theory.text)


@cache
def modules() -> tuple[Theory, ...]:
    """Read the docstring of every module that may hold a method."""
    return tuple(_modules())


def _modules() -> Iterator[Theory]:
    for file in sorted(ROOT.rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        if parts[0] not in UNINDEXED and parts[-1] != "__init__":
            yield _theory(file)


def _theory(file: Path) -> Theory:
    parts = file.relative_to(ROOT).with_suffix("").parts
    tree = ast.parse(file.read_text(encoding="utf-8"))
    text = ast.get_docstring(tree) or ""
    return Theory(".".join(("corollary", *parts)), file, _outline(tree), text)


def _outline(tree: ast.Module) -> ast.Module:
    """Keep definitions and their docstrings: all code of the library is a lot."""
    kept = [node for node in tree.body if isinstance(node, Definition)]
    for node in kept:
        inside = node.body if isinstance(node, ast.ClassDef) else []
        methods = [one for one in inside if isinstance(one, ast.FunctionDef)]
        for one in methods:
            one.body = one.body[:1]
        first = node.body[:1]
        node.body = [*first, *(one for one in methods if one not in first)]
    tree.body = list(kept)
    return tree


@cache
def entries() -> tuple[Entry, ...]:
    """Return the index, sorted by name.

    >>> "PCA" in [entry.name for entry in entries()]
    True
    """
    found = [entry for theory in modules() for entry in _entries(theory)]
    return tuple(sorted(found, key=lambda entry: entry.name.lower()))


def _entries(theory: Theory) -> Iterator[Entry]:
    public = False
    for node in theory.tree.body:
        if isinstance(node, Definition) and _is_public(theory.module, node.name):
            public = True
            yield _entry(theory, node, node.name)
            if isinstance(node, ast.ClassDef):
                yield from _methods(theory, node)
    if not public and "\nAlso known as: " in theory.text:
        yield _entry(theory, None, theory.module.rpartition(".")[2])


def _is_public(module: str, name: str) -> bool:
    return registry.home(module, name) != module or module in registry.OPEN_MODULES


def _methods(theory: Theory, owner: ast.ClassDef) -> Iterator[Entry]:
    for node in owner.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            if node.name not in UNLISTED and ast.get_docstring(node):
                yield _entry(theory, node, f"{owner.name}.{node.name}")


def _entry(theory: Theory, node: Definition | None, name: str) -> Entry:
    own = "" if node is None else ast.get_docstring(node) or ""
    text = own if "." in name else f"{theory.text}\n\n{own}"
    titled = name in ESTIMATORS or not own
    return Entry(
        name,
        theory.module,
        theory.file,
        1 if node is None else node.lineno,
        theory.summary if titled else own.partition("\n")[0],
        (*listed(own, "Also known as"), *_shared(theory, own, name, "Also known as")),
        listed(text, "Related words"),
        theory.course,
        theory.references,
    )


def _shared(theory: Theory, own: str, name: str, label: str) -> tuple[str, ...]:
    """Return the module's synonyms, unless the definition has its own or is a part."""
    return () if "." in name or label in own else listed(theory.text, label)


def claims() -> dict[str, list[str]]:
    """Return what implements each course item: methods, or else modules, by ID."""
    found: dict[str, list[str]] = {}
    for theory in theories():
        own = [e for e in entries() if e.module == theory.module]
        names = [entry.name for entry in own if entry.rank < 2]
        for item in theory.course:
            found.setdefault(item, []).extend(names or [theory.module])
    return found


# -- search ------------------------------------------------------------------------
def find(name: str) -> list[Entry]:
    """Find methods by any of their names, forgivingly.

    Case, accents, spaces, hyphens, apostrophes, plural and s-or-z spellings do not
    matter.  Equal names come first, then names that contain the words or their
    beginnings; in each, names come before related words, estimators before functions,
    these before methods, and shorter names first.  Where there are none: names that
    differ by a typing error.

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
    return list(_found(words(name)))


@cache
def _found(asked: tuple[str, ...]) -> tuple[Entry, ...]:
    """Return what is found by these words, best first."""
    if not asked:
        return ()
    found: list[Entry] = []
    for likeness in (_equal, _contains, _typed):
        hits = [name for name in _known_names() if likeness(asked, name)]
        found += [name.entry for name in sorted(hits, key=lambda name: name.order)]
        if likeness is _contains and found:
            break
    return tuple(dict.fromkeys(found))


class Known(NamedTuple):
    """A name of an entry, as it is searched."""

    words: tuple[str, ...]
    joined: str
    spaced: str  # a space before each word
    order: tuple[Any, ...]
    entry: Entry


@cache
def _known_names() -> tuple[Known, ...]:
    """Return every name and related word of every entry."""
    found = []
    for place, entry in enumerate(_functions_first()):
        for related, names in enumerate((entry.names, entry.related)):
            for name in names:
                known = words(name)
                order = (entry.rank == 3, related, entry.rank, len(known), place)
                spaced = "".join(f" {word}" for word in known)
                found.append(Known(known, "".join(known), spaced, order, entry))
    return tuple(found)


def public_entry(name: str) -> Entry | None:
    """Return the entry of a public name, spelt as it is; no other file is read.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> public_entry("PCA").module
    'corollary.decomposition.pca'
    >>> public_entry("nothing of the kind")
    """
    for package in registry.packages():
        module = registry.public_names(package).get(name)
        if module is not None:
            file = ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py")
            if file.is_file():
                found = [one for one in _entries(_theory(file)) if one.name == name]
                return found[0] if found else None
    return None


@cache
def _functions_first() -> tuple[Entry, ...]:
    return tuple(sorted(entries(), key=lambda entry: entry.name[0].isupper()))


def nearest(name: str, most: int = 3) -> list[str]:
    """Return the names nearest to one that is not in the index."""
    known = {"".join(words(n)): n for entry in reversed(entries()) for n in entry.names}
    near = difflib.get_close_matches("".join(words(name)), known, n=most, cutoff=0.0)
    return [known[key] for key in near]


@cache
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


def _equal(asked: tuple[str, ...], known: Known) -> bool:
    return "".join(asked) == known.joined


def _contains(asked: tuple[str, ...], known: Known) -> bool:
    """Tell whether every word asked for begins a word of the name."""
    joined = "".join(asked)
    if len(joined) < 2:
        return False
    if len(joined) > 3 and joined in known.joined:
        return True
    return all(f" {word}" in known.spaced for word in asked)


def _typed(asked: tuple[str, ...], known: Known) -> bool:
    """Tell whether the names, or words of the name, differ by a typing error."""
    joined = "".join(asked)
    if len(joined) < 4:
        return False
    if difflib.SequenceMatcher(None, joined, known.joined).ratio() >= 0.8:
        return True
    return all(
        len(w) > 3 and difflib.get_close_matches(w, known.words, 1, 0.8) for w in asked
    )
