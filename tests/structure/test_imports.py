"""What imports what: layers, and how little an import loads."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_a_block_imports_only_from_the_blocks_below_it():
    code = (
        "from importlinter.cli import lint_imports\n"
        "code = lint_imports(config_filename='pyproject.toml', no_cache=True)\n"
        "raise SystemExit(code)"
    )
    command = [sys.executable, "-c", code]
    result = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


OPTIONAL = "dask distributed matplotlib pandas plotly polars pyarrow rich typer"


def run(code):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_importing_the_library_loads_nothing_heavy():
    heavy = [*OPTIONAL.split(), "numpy", "scipy", "sklearn"]
    loaded = f"sorted(set({heavy}) & set(sys.modules))"
    assert run(f"import sys, corollary\nprint({loaded})") == "[]\n"


@pytest.mark.parametrize(
    "statement",
    [
        "from corollary import KMeans, PCA",
        "from corollary import GaussianNB, LinearRegression, LogisticRegression",
        "from corollary import datasets, engine, load, save",
    ],
)
def test_estimators_need_no_optional_package(statement):
    # scikit-learn loads pandas where there is one; we must not ask for any of these
    absent = f"import sys\nsys.modules.update(dict.fromkeys({OPTIONAL.split()}))\n"
    assert run(f"{absent}{statement}\nprint('fine')") == "fine\n"


def test_every_public_name_is_importable_and_listed():
    import corollary

    for name in corollary.__all__:
        assert getattr(corollary, name) is not None
    assert dir(corollary) == corollary.__all__
    with pytest.raises(AttributeError, match="no attribute 'Juggler'"):
        corollary.Juggler


def test_a_misspelt_name_is_answered_with_the_right_one():
    import corollary

    with pytest.raises(AttributeError, match="Did you mean 'KMeans'"):
        corollary.Kmeans
    with pytest.raises(AttributeError, match="Did you mean 'LogisticRegression'"):
        corollary.LogisticRegresion


def test_every_package_exports_what_its_stub_lists():
    import importlib

    from corollary import registry

    for package in registry.packages():
        module = importlib.import_module(package)
        for name, home in registry.public_names(package).items():
            assert getattr(module, name) is getattr(importlib.import_module(home), name)
