"""scikit-learn's own tests, run on Corollary's classes of the same names.

Every class of scikit-learn that Corollary has too is replaced in scikit-learn's modules
before its tests are collected, also where its functions check types.  The type of an
error or a warning counts, its wording does not.  A test that fails because it asks for
a private name of an estimator, has a private function take its parameters or tree, or
gives it an object of a private module, is left out; where it only takes from there what
it expects, scikit-learn lends the name.  From the root of the repository,

    python tools/sklearn_tests.py                         runs and compares
    python tools/sklearn_tests.py docs/compatibility.md   also writes the page

`sklearn_tests.json` gives the reason of every test that fails, under its kind
(`KINDS`).  A failure without a reason, and a reason without a failure, are told.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import textwrap
import warnings
from abc import ABCMeta
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["KINDS", "MODULES", "Outcome", "compare", "page", "reasons", "run"]

TABLE = Path(__file__).with_name("sklearn_tests.json")
OUTCOMES = "SKLEARN_TESTS_OUTCOMES"  # where the plugin writes, in the environment
MOST = 0.03  # share of the tests that may fail
MISSING = 0.01  # share of those that may fail because something is not there yet
ASSERTED = r"^(AssertionError: )?assert False\n.*= hasattr\(.*, '_[a-z]\w*'\)"
PRIVATE = (  # how a test fails that asks for what is private
    r"^AttributeError: .*has no attribute '_[a-z]",
    r"^TypeError: _[a-z]\w*\(\) got an unexpected keyword argument",
    r"^TypeError: Argument '\w+' has incorrect type \(expected sklearn[.\w]*\._",
    ASSERTED,
)
# How one fails that gives us an object of a module that is private as a whole.
GIVEN = r"^corollary\..*ParameterError: .*; got <sklearn\.(_loss|tree\._criterion)\."

KINDS = {  # why tests fail: a title, and what it means
    "more": (
        "More than scikit-learn does",
        "The test expects an error, a warning or a failure where Corollary goes on.",
    ),
    "choice": ("Another choice", "Corollary differs on purpose, and says so."),
    "way": (
        "Another way to the same end",
        "The test looks at how the answer is made, or at its last digits.",
    ),
    "missing": (
        "Not there yet",
        "scikit-learn does what Corollary does not do.",
    ),
}

# Helpers of scikit-learn's classes, no part of their documented interface, by which a
# test computes what it expects; ours have them while the tests run, so that it counts.
LENT = {
    "GammaRegressor": ("_get_loss",),
    "PoissonRegressor": ("_get_loss",),
    "TweedieRegressor": ("_get_loss",),
    "PolynomialFeatures": ("_combinations", "_num_combinations"),
}

# Private bases of scikit-learn's by which a test tells kinds of classes apart; ours
# count as classes of that kind.
KINDRED = {
    "sklearn.neighbors._base.KNeighborsMixin": (
        "KNeighborsClassifier",
        "KNeighborsRegressor",
    ),
}

MODULES = (  # of our classes, then of scikit-learn's that have ours inside
    "sklearn.cluster.tests.test_k_means",
    "sklearn.compose.tests.test_column_transformer",
    "sklearn.cross_decomposition.tests.test_pls",
    "sklearn.decomposition.tests.test_pca",
    "sklearn.ensemble._hist_gradient_boosting.tests.test_gradient_boosting",
    "sklearn.ensemble._hist_gradient_boosting.tests.test_monotonic_constraints",
    "sklearn.ensemble._hist_gradient_boosting.tests.test_warm_start",
    "sklearn.ensemble.tests.test_common",
    "sklearn.ensemble.tests.test_forest",
    "sklearn.ensemble.tests.test_gradient_boosting",
    "sklearn.ensemble.tests.test_weight_boosting",
    "sklearn.impute.tests.test_common",
    "sklearn.impute.tests.test_impute",
    "sklearn.linear_model._glm.tests.test_glm",
    "sklearn.linear_model.tests.test_base",
    "sklearn.linear_model.tests.test_bayes",
    "sklearn.linear_model.tests.test_common",
    "sklearn.linear_model.tests.test_coordinate_descent",
    "sklearn.linear_model.tests.test_huber",
    "sklearn.linear_model.tests.test_least_angle",
    "sklearn.linear_model.tests.test_logistic",
    "sklearn.linear_model.tests.test_omp",
    "sklearn.linear_model.tests.test_passive_aggressive",
    "sklearn.linear_model.tests.test_perceptron",
    "sklearn.linear_model.tests.test_quantile",
    "sklearn.linear_model.tests.test_ransac",
    "sklearn.linear_model.tests.test_ridge",
    "sklearn.linear_model.tests.test_sag",
    "sklearn.linear_model.tests.test_sgd",
    "sklearn.linear_model.tests.test_sparse_coordinate_descent",
    "sklearn.linear_model.tests.test_theil_sen",
    "sklearn.neighbors.tests.test_nearest_centroid",
    "sklearn.neighbors.tests.test_neighbors",
    "sklearn.neighbors.tests.test_neighbors_pipeline",
    "sklearn.preprocessing.tests.test_common",
    "sklearn.preprocessing.tests.test_data",
    "sklearn.preprocessing.tests.test_discretization",
    "sklearn.preprocessing.tests.test_encoders",
    "sklearn.preprocessing.tests.test_polynomial",
    "sklearn.preprocessing.tests.test_target_encoder",
    "sklearn.svm.tests.test_bounds",
    "sklearn.svm.tests.test_sparse",
    "sklearn.svm.tests.test_svm",
    "sklearn.tests.test_discriminant_analysis",
    "sklearn.tests.test_kernel_approximation",
    "sklearn.tests.test_kernel_ridge",
    "sklearn.tests.test_multiclass",
    "sklearn.tests.test_naive_bayes",
    "sklearn.tree.tests.test_export",
    "sklearn.tree.tests.test_monotonic_tree",
    "sklearn.tree.tests.test_tree",
    "sklearn.compose.tests.test_target",
    "sklearn.ensemble.tests.test_bagging",
    "sklearn.ensemble.tests.test_stacking",
    "sklearn.ensemble.tests.test_voting",
    "sklearn.feature_selection.tests.test_from_model",
    "sklearn.feature_selection.tests.test_rfe",
    "sklearn.feature_selection.tests.test_sequential",
    "sklearn.model_selection.tests.test_search",
    "sklearn.model_selection.tests.test_validation",
    "sklearn.tests.test_calibration",
    "sklearn.tests.test_metaestimators",
    "sklearn.tests.test_multioutput",
    "sklearn.tests.test_pipeline",
)


@dataclass(frozen=True)
class Outcome:
    """What scikit-learn's tests said; a case is sklearn.a.tests.test_b::test_c[d]."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]
    private: tuple[str, ...] = ()  # left out

    def share(self, failed: int | None = None) -> float:
        """Return the share of the cases that fail, or of so many."""
        failed = len(self.failed) if failed is None else failed
        return failed / max(1, len(self.passed) + len(self.failed))

    @property
    def cases(self) -> Counter[str]:
        """How many cases of a test fail, by its name."""
        return Counter(map(name_of, self.failed))


def name_of(case: str) -> str:
    """Return the name of a test without its case."""
    return case.partition("[")[0]


def module_of(case: str) -> str:
    """Return the module of a test."""
    return case.partition("::")[0]


# -- the plugin, in the process that runs the tests ------------------------------------
def pytest_configure(config: Any) -> None:
    """Put our classes into scikit-learn, and let wording go."""
    warnings.simplefilter("ignore")
    forget_wording()
    replace_classes()


def forget_wording() -> None:
    """Let pytest.raises and pytest.warns forget their `match`."""
    import pytest

    for name in ("raises", "warns"):
        original = getattr(pytest, name)

        def lenient(*args: Any, _original: Any = original, **options: Any) -> Any:
            options.pop("match", None)
            return _original(*args, **options)

        setattr(pytest, name, lenient)


def replace_classes() -> None:
    """Replace scikit-learn's classes by ours in all of its modules."""
    import sklearn
    from sklearn.utils import all_estimators

    import corollary

    theirs = {name: cls for name, cls in all_estimators() if hasattr(corollary, name)}
    table = {cls: getattr(corollary, name) for name, cls in theirs.items()}
    for name, helpers in LENT.items():
        for helper in helpers:
            original = inspect.getattr_static(theirs[name], helper)
            setattr(getattr(corollary, name), helper, original)
    for module in pkgutil.walk_packages(sklearn.__path__, "sklearn."):
        skipped = (".tests", "externals", "__main__")
        if not any(part in module.name for part in skipped):
            try:
                importlib.import_module(module.name)
            except Exception:  # optional parts of scikit-learn
                continue
    for name, loaded in list(sys.modules.items()):
        if name.split(".")[0] != "sklearn" or loaded is None:
            continue
        for attribute, value in list(vars(loaded).items()):
            if inspect.isclass(value) and value in table:
                setattr(loaded, attribute, table[value])
            elif inspect.isfunction(value):
                replace_types(value, table)
    for place, ours in KINDRED.items():
        replace_base(place, [getattr(corollary, name) for name in ours])


def replace_types(function: Any, table: Mapping[type, type]) -> None:
    """Let a function of scikit-learn's take our classes where it takes its own."""
    for accepted in getattr(function, "_skl_parameter_constraints", {}).values():
        if isinstance(accepted, list):
            accepted[:] = [
                table.get(one, one) if inspect.isclass(one) else one for one in accepted
            ]


def replace_base(place: str, ours: list[type]) -> None:
    """Put a base above a private one of scikit-learn's and our classes in its place."""
    module, _, name = place.rpartition(".")
    home = importlib.import_module(module)
    base = ABCMeta(name, (), {})
    for cls in (getattr(home, name), *ours):
        base.register(cls)
    setattr(home, name, base)


def pytest_runtest_logreport(report: Any) -> None:
    """Write the outcome of each test down."""
    worker = "PYTEST_XDIST_WORKER" in os.environ  # whose reports come here again
    if worker or (report.when != "call" and not report.failed):
        return
    word = "private" if report.failed and reads_private(report) else report.outcome
    node = re.sub(r"^.*?sklearn/", "sklearn/", report.nodeid).replace(".py::", "::")
    path, _, test = node.partition("::")
    with open(os.environ[OUTCOMES], "a", encoding="utf-8") as out:
        out.write(f"{word} {path.replace('/', '.')}::{test}\n")


def reads_private(report: Any) -> bool:
    """Tell whether a test of scikit-learn's failed at what is private."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        return False
    if re.match(GIVEN, crash.message):
        return True
    if "sklearn" not in Path(crash.path).parts:
        return False  # an error in our own code
    return any(re.match(how, crash.message, re.DOTALL) for how in PRIVATE)


# -- running them ----------------------------------------------------------------------
def run(modules: tuple[str, ...] = MODULES, workers: int = 1) -> Outcome:
    """Run scikit-learn's tests in another process."""
    here = str(Path(__file__).parent)
    root = str(Path(importlib.import_module("sklearn").__path__[0]).parent)
    files = [str(Path(root, *m.split("."))) + ".py" for m in modules]
    with tempfile.TemporaryDirectory() as folder:
        outcomes = Path(folder, "outcomes")
        outcomes.touch()
        path = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])
        own = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
        environment = own | {OUTCOMES: str(outcomes), "PYTHONPATH": path}
        arguments = ["-p", "sklearn_tests", "-p", "no:cacheprovider", "-q", "--tb=line"]
        arguments += ["-c", os.devnull, f"--rootdir={root}", "-n", str(workers)]
        command = [sys.executable, "-m", "pytest", *arguments, *files]
        subprocess.run(command, env=environment, cwd=folder, capture_output=True)
        lines = outcomes.read_text(encoding="utf-8").splitlines()
    found: dict[str, set[str]] = {"passed": set(), "failed": set(), "private": set()}
    for word, case in (line.split(" ", 1) for line in lines):
        found.setdefault(word, set()).add(case)
    names = ("passed", "failed", "private")
    return Outcome(*(tuple(sorted(found[name])) for name in names))


def reasons() -> Mapping[str, Mapping[str, str]]:
    """Return why each test fails, by its name without its cases, under each kind."""
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    return {kind: table.get(kind, {}) for kind in KINDS}


def compare(outcome: Outcome) -> list[str]:
    """Say what the table does not explain, or explains in vain."""
    table, cases = reasons(), outcome.cases
    known = {test for tests in table.values() for test in tests}
    lines = [f"fails without a reason: {test}" for test in sorted(set(cases) - known)]
    lines += [f"passes, but has a reason: {t}" for t in sorted(known - set(cases))]
    missing = outcome.share(sum(cases[test] for test in table["missing"]))
    for share, most, why in (
        (outcome.share(), MOST, "fail"),
        (missing, MISSING, "fail as something is not there yet"),
    ):
        if share > most:
            lines.append(f"{share:.1%} of the tests {why}, above {most:.0%}")
    return lines


# -- the page --------------------------------------------------------------------------
def page(outcome: Outcome) -> str:
    """Write the page of the documentation."""
    cases = outcome.cases
    missing = sum(cases[test] for test in reasons()["missing"])
    counts = len(outcome.passed), len(outcome.failed), missing, len(outcome.private)
    lines = [*introduction(*counts), *modules_table(outcome)]
    for kind in KINDS:
        lines += reasons_table(kind, cases)
    lines += [
        "## Left out",
        "",
        "Tests that end at a private name, with their cases:",
        "",
    ]
    names = Counter(map(name_of, outcome.private))
    lines += [f"- `{name}` ({n})" for name, n in sorted(names.items())]
    return "\n".join(lines) + "\n"


def introduction(passed: int, failed: int, missing: int, private: int) -> list[str]:
    """Say what was run, what came of it, and how to run it again."""
    version, cases = importlib.import_module("sklearn").__version__, passed + failed
    text = (
        f"The tests of scikit-learn {version}, run on the classes that Corollary has "
        "too: these take the place of scikit-learn's in all of its modules, also "
        "inside its pipelines, searches and ensembles. "
        f"Of {cases:,} cases {passed:,} pass and {failed:,} fail "
        f"({failed / cases:.1%}), {missing:,} of them "
        f"({missing / cases:.1%}) because something is not there yet. The type of an "
        "error or a warning counts, its wording does not. Left out are cases that "
        f"scikit-learn itself skips or expects to fail, and {private:,} that end at a "
        "private name. The command:"
    )
    return [
        "# scikit-learn's own tests",
        "",
        *textwrap.wrap(text, 88),
        "",
        "    python tools/sklearn_tests.py docs/compatibility.md",
        "",
        "It complains where a test fails without a reason below, or passes with one.",
        "",
    ]


def modules_table(outcome: Outcome) -> list[str]:
    """Count the cases of each module."""
    lines = ["| module | passed | failed | left out | total |", "|---|---|---|---|---|"]
    counts = [
        Counter(map(module_of, cases))
        for cases in (outcome.passed, outcome.failed, outcome.private)
    ]
    for module in sorted(set().union(*counts)):
        numbers = [count[module] for count in counts]
        lines.append(row(f"`{module}`", *numbers, sum(numbers)))
    return [*lines, ""]


def reasons_table(kind: str, cases: Counter[str]) -> list[str]:
    """Group the tests that fail for reasons of one kind by these."""
    groups: dict[str, list[str]] = {}
    for test, reason in reasons()[kind].items():
        groups.setdefault(reason, []).append(test)
    title, meaning = KINDS[kind]
    total = sum(cases[test] for tests in groups.values() for test in tests)
    lines = [f"## {title}: {total} cases", "", meaning, ""]
    lines += ["| why | cases | tests |", "|---|---|---|"] if groups else []
    for reason, tests in sorted(groups.items()):
        names = ", ".join(f"`{test}`" for test in sorted(tests))
        lines.append(row(reason, sum(cases[test] for test in tests), names))
    return [*lines, ""]


def row(*cells: object) -> str:
    """Write a row of a table."""
    return "| " + " | ".join(map(str, cells)) + " |"


def main(arguments: list[str]) -> int:
    """Run the tests, compare, and write the page that is asked for."""
    outcome = run(workers=len(os.sched_getaffinity(0)))
    numbers = f"{len(outcome.passed)} pass, {len(outcome.failed)} fail"
    print(f"{numbers} ({outcome.share():.1%})")
    for target in arguments:
        Path(target).write_text(page(outcome), encoding="utf-8")
    lines = compare(outcome)
    print("\n".join(lines) or "every failure has its reason")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
