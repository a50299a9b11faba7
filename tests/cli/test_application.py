"""What all verbs share: help, version, and how they fail."""

import subprocess
import sys

import pytest

import corollary as library
from corollary.cli import app, application


def test_help_lists_the_verbs(corollary):
    for words in ([], ["--help"], ["-h"]):
        result = corollary(*words)
        assert result.exit_code == 0
        for verb in ("demo", "where", "data"):
            assert verb in result.output


def test_version(corollary, process):
    assert corollary("--version").output == f"corollary {library.__version__}\n"
    assert process("--version").stdout == f"corollary {library.__version__}\n"


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--bad"], "--bad"),
        (["juggle"], "juggle"),
        (["where"], "name"),
        (["data", "x.parquet", "--rows", "many"], "--rows"),
        (["data", "x.parquet", "--kind", "cubes"], "cubes"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(words, part, process, one_sentence):
    one_sentence(process(*words), part)


def test_an_operating_system_error_is_one_sentence(corollary, monkeypatch):
    def refuse(name):
        raise PermissionError(13, "Permission denied", "somewhere")

    monkeypatch.setattr("corollary.catalogue.find", refuse)
    result = corollary("where", "kmeans")
    assert result.exit_code == 2
    assert result.output == "corollary: somewhere: Permission denied.\n"


def test_ctrl_c_is_no_traceback(corollary, monkeypatch):
    def interrupt(name):
        raise KeyboardInterrupt

    monkeypatch.setattr("corollary.catalogue.find", interrupt)
    result = corollary("where", "kmeans")
    assert result.exit_code == application.INTERRUPTED
    assert "interrupted" in result.output


def test_a_bug_is_not_hidden(corollary, monkeypatch):
    def err(name):
        raise ZeroDivisionError

    monkeypatch.setattr("corollary.catalogue.find", err)
    assert isinstance(corollary("where", "kmeans").exception, ZeroDivisionError)


def test_help_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from corollary.cli import app\n"
        "try:\n"
        "    app(['--help'])\n"
        "except SystemExit:\n"
        "    pass\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pyarrow', 'pandas', 'dask'}\n"
        "print('heavy:', sorted(heavy & set(sys.modules)))\n"
    )
    command = [sys.executable, "-c", code]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert output.endswith("heavy: []\n")


def test_every_verb_says_what_it_does():
    assert all(command.callback.__doc__ for command in app.registered_commands)
