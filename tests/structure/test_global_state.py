"""The library leaves the state of the process alone: it may run in any thread."""

import re
import threading
import warnings
from pathlib import Path

import numpy as np

import corollary

SOURCE = Path(corollary.__file__).parent
FORBIDDEN = re.compile(
    r"catch_warnings|simplefilter|filterwarnings|resetwarnings|"
    r"os\.environ\[[^]]*\]\s*=|os\.environ\.(update|setdefault|pop)|os\.(un|put)(set)?env|"
    r"np\.set(err|_printoptions)|signal\.signal\(|random\.seed\("
)


def test_no_module_changes_filters_environment_or_handlers():
    for file in SOURCE.rglob("*.py"):
        code = [
            line
            for line in file.read_text(encoding="utf-8").splitlines()
            if not line.lstrip().startswith((">>>", "..."))
        ]
        assert not FORBIDDEN.search("\n".join(code)), file.name


def test_many_fits_in_threads_leave_the_filters_as_they_were():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(3, size=60)
    before, errors = list(warnings.filters), np.geterr()

    def fit():
        for _ in range(15):
            corollary.SVC(tol=1e-6).fit(X, y)
            corollary.KernelRidge(kernel="rbf", alpha=0.1).fit(X, y)

    threads = [threading.Thread(target=fit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(warnings.filters) == before
    assert np.geterr() == errors
