"""What all verbs share: help, version, and how they fail."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import corollary as library
from corollary import catalogue
from corollary.cli import app, application
from corollary.core.warn import warn

VERBS = (
    "fit predict evaluate diagnose certify compare cluster reduce explain "
    "demo where data bound"
).split()


def test_help_lists_the_verbs(corollary):
    for words in ([], ["--help"], ["-h"]):
        result = corollary(*words)
        assert result.exit_code == 0
        assert set(VERBS) <= set(result.output.split())


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


def test_every_verb_has_help_with_an_example(corollary):
    named = {command.callback.__name__ for command in app.registered_commands}
    assert named | {"bound"} == set(VERBS)
    for verb in named:
        result = corollary(verb, "--help")
        assert result.exit_code == 0
        assert f"Example: corollary {verb}" in result.output
    for verb in ("predict", "evaluate", "diagnose", "certify", "compare"):
        assert "--json" in corollary(verb, "-h").output


def test_warnings_of_the_library_are_notes(corollary, monkeypatch):
    entry = catalogue.Entry("KMeans", "corollary", Path(), 1, "It.", (), (), (), "")

    def find(name):
        for _ in range(2):
            warn("KMeans: two rows\nare equal.")
        return [entry]

    monkeypatch.setattr("corollary.catalogue.find", find)
    result = corollary("where", "kmeans")
    assert result.exit_code == 0
    assert result.stdout.startswith("KMeans: It.")
    assert result.stderr == "note: KMeans: two rows are equal.\n"


def test_ctrl_c_in_the_middle_writes_nothing(
    corollary, flat_files, tmp_path, monkeypatch
):
    def interrupt(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("corollary.persistence.whole_files.os.fsync", interrupt)
    out = tmp_path / "answers.csv"
    result = corollary("predict", flat_files.classes, flat_files.new, "--out", out)
    assert result.exit_code == application.INTERRUPTED
    assert result.stderr == "corollary: interrupted.\n"
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_is_heard_in_a_process_of_its_own():
    command = [sys.executable, "-m", "corollary", "cluster", "-"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as running:
        running.stdin.write(b"1,2\n" * 500_000)  # more than a pipe holds: it reads
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=60)
    assert running.returncode == application.INTERRUPTED
    assert said == (b"", b"corollary: interrupted.\n")


# -- completion ------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("shell", "environment"),
    [
        ("bash", {"COMP_WORDS": "corollary pre", "COMP_CWORD": "1"}),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "corollary pre"}),
        (
            "fish",
            {
                "_TYPER_COMPLETE_ARGS": "corollary pre",
                "_TYPER_COMPLETE_FISH_ACTION": "get-args",
            },
        ),
    ],
)
def test_words_are_completed(shell, environment, corollary):
    env = environment | {"_COROLLARY_COMPLETE": f"complete_{shell}"}
    result = corollary(prog_name="corollary", env=env)
    assert result.exit_code == 0
    assert "predict" in result.stdout
    assert "evaluate" not in result.stdout


def test_completion_is_installed_for_the_shell_that_asks(tmp_path):
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    script = f"{sys.executable} -m corollary --install-completion; true"
    env = dict(os.environ, HOME=str(tmp_path))
    result = subprocess.run(
        [bash, "-c", script], capture_output=True, text=True, env=env, check=True
    )
    assert result.stderr == ""
    assert "bash completion installed" in result.stdout
    text = (tmp_path / ".bash_completions" / "corollary.sh").read_text()
    assert "complete -o default -F _corollary_completion corollary" in text


def test_a_strange_shell_is_one_sentence(refused, monkeypatch):
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("tcsh", "tcsh"))
    assert "got tcsh" in refused("--show-completion")
    assert "got tcsh" in refused("--install-completion")
