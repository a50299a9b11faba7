"""scikit-learn's own tests, run on Corollary's classes of the same names.

Every class of scikit-learn that Corollary has too is replaced in scikit-learn's modules
before its tests are collected.  The type of an error or a warning counts, its wording
does not.  A test that fails because it reads a private name of an estimator counts as
skipped; where it only takes from there what it expects, scikit-learn lends the name.
From the root of the repository,

    python tools/sklearn_tests.py                   runs them and compares the failures
    python tools/sklearn_tests.py docs/compatibility.md   also writes the page of them

with `sklearn_tests.json`, which gives the reason of every test that fails: refused on
purpose, more than scikit-learn does, or another way to the same end.
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
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["MODULES", "Outcome", "compare", "page", "reasons", "run"]

TABLE = Path(__file__).with_name("sklearn_tests.json")
OUTCOMES = "SKLEARN_TESTS_OUTCOMES"  # where the plugin writes, in the environment
MOST = 0.03  # share of the tests that may fail

# Helpers of scikit-learn's classes, no part of their documented interface, by which a
# test computes what it expects; ours have them while the tests run, so that it counts.
LENT = {
    "GammaRegressor": ("_get_loss",),
    "PoissonRegressor": ("_get_loss",),
    "TweedieRegressor": ("_get_loss",),
    "PolynomialFeatures": ("_combinations", "_num_combinations"),
}

MODULES = (
    "sklearn.cluster.tests.test_k_means",
    "sklearn.cross_decomposition.tests.test_pls",
    "sklearn.decomposition.tests.test_pca",
    "sklearn.linear_model._glm.tests.test_glm",
    "sklearn.linear_model.tests.test_base",
    "sklearn.linear_model.tests.test_bayes",
    "sklearn.linear_model.tests.test_common",
    "sklearn.linear_model.tests.test_coordinate_descent",
    "sklearn.linear_model.tests.test_logistic",
    "sklearn.linear_model.tests.test_perceptron",
    "sklearn.linear_model.tests.test_quantile",
    "sklearn.linear_model.tests.test_ridge",
    "sklearn.linear_model.tests.test_sgd",
    "sklearn.linear_model.tests.test_sparse_coordinate_descent",
    "sklearn.neighbors.tests.test_nearest_centroid",
    "sklearn.preprocessing.tests.test_polynomial",
    "sklearn.svm.tests.test_bounds",
    "sklearn.svm.tests.test_sparse",
    "sklearn.svm.tests.test_svm",
    "sklearn.tests.test_discriminant_analysis",
    "sklearn.tests.test_kernel_approximation",
    "sklearn.tests.test_kernel_ridge",
    "sklearn.tests.test_multiclass",
    "sklearn.tests.test_naive_bayes",
)


@dataclass(frozen=True)
class Outcome:
    """What scikit-learn's tests said: how many passed, and which failed."""

    passed: int
    failed: tuple[str, ...]  # sklearn.svm.tests.test_svm::test_x[case]

    @property
    def share(self) -> float:
        """The share of the tests that fail."""
        return len(self.failed) / max(1, self.passed + len(self.failed))


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
    """Tell whether a test of scikit-learn's failed at a private name of ours."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None or "sklearn" not in Path(crash.path).parts:
        return False  # an error in our own code
    missing = r"^AttributeError: .*has no attribute '_[a-z]"
    return re.match(missing, crash.message) is not None


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
        environment = os.environ | {OUTCOMES: str(outcomes), "PYTHONPATH": path}
        arguments = ["-p", "sklearn_tests", "-p", "no:cacheprovider", "-q", "--tb=line"]
        arguments += ["-c", os.devnull, f"--rootdir={root}", "-n", str(workers)]
        command = [sys.executable, "-m", "pytest", *arguments, *files]
        subprocess.run(command, env=environment, cwd=folder, capture_output=True)
        lines = outcomes.read_text(encoding="utf-8").splitlines()
    words = [line.split(" ", 1) for line in lines]
    failed = sorted({test for word, test in words if word == "failed"})
    return Outcome(sum(word == "passed" for word, _ in words), tuple(failed))


def reasons() -> Mapping[str, str]:
    """Return why each test fails, by its name without its cases."""
    return dict(json.loads(TABLE.read_text(encoding="utf-8")))


def compare(outcome: Outcome) -> list[str]:
    """Say what the table does not explain, or explains in vain."""
    known, found = reasons(), {test.partition("[")[0] for test in outcome.failed}
    lines = [f"fails without a reason: {test}" for test in sorted(found - set(known))]
    lines += [f"passes, but has a reason: {t}" for t in sorted(set(known) - found)]
    if outcome.share > MOST:
        lines.append(f"{outcome.share:.1%} of the tests fail, above {MOST:.0%}")
    return lines


def page(outcome: Outcome) -> str:
    """Write the page of the documentation."""
    cases: dict[str, int] = {}
    for test in outcome.failed:
        name = test.partition("[")[0]
        cases[name] = cases.get(name, 0) + 1
    lines = [
        "# scikit-learn's own tests",
        "",
        "The tests of scikit-learn, run on the classes that Corollary has too.  The",
        "type of an error or a warning counts, its wording does not; tests that read",
        f"private names are left out.  {outcome.passed:,} pass and",
        f"{len(outcome.failed):,} fail ({outcome.share:.1%}).  Reproduce with",
        "`python tools/sklearn_tests.py`.",
        "",
        "| test | cases | why it fails |",
        "|---|---|---|",
    ]
    known = reasons()
    lines += [f"| `{n}` | {c} | {known.get(n, '')} |" for n, c in sorted(cases.items())]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Run the tests, compare, and write the page that is asked for."""
    outcome = run(workers=len(os.sched_getaffinity(0)))
    print(f"{outcome.passed} pass, {len(outcome.failed)} fail ({outcome.share:.1%})")
    for target in arguments:
        Path(target).write_text(page(outcome), encoding="utf-8")
    lines = compare(outcome)
    print("\n".join(lines) or "every failure has its reason")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
