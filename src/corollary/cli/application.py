"""The application: what all verbs share, above all how they fail."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from corollary import __version__
from corollary.core.errors import (
    DataError,
    MemoryLimitError,
    ModelFileError,
    ParameterError,
    sentence,
)
from corollary.core.warn import gathered_warnings

__all__ = ["app"]

# The base of all usage errors: not every version of typer has a public name for it.
_FAMILY = typer.BadParameter.__mro__
UsageError: type[Exception] = _FAMILY[_FAMILY.index(Exception) - 1]
EXPECTED = (DataError, MemoryLimitError, ModelFileError, OSError, ParameterError)
BAD_INPUT = 2
INTERRUPTED = 130
COMPLETION = ("--install-completion", "--show-completion")
SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")


class OneSentence(TyperGroup):
    """A group of commands that fails with one sentence."""

    def main(
        self, args: Sequence[str] | None = None, *rest: Any, **settings: Any
    ) -> Any:
        """Run a command; turn expected errors into one line on the standard error."""
        settings["standalone_mode"] = False
        given = sys.argv[1:] if args is None else list(args)
        if given and given[0] in COMPLETION:
            check_shell()
        try:
            with warnings_as_notes():
                code = super().main(args, *rest, **settings)
        except UsageError as error:
            fail(error.format_message())  # type: ignore[attr-defined]
        except BrokenPipeError:  # the reader, such as `head`, has seen enough
            sys.stderr.close()
            sys.exit(0)
        except EXPECTED as error:
            fail(_words(error))
        except MemoryError:
            fail("there is not enough memory; take fewer rows, or --memory-limit")
        except (KeyboardInterrupt, typer.Abort):
            code = INTERRUPTED
        if code == INTERRUPTED:
            typer.echo("corollary: interrupted.", err=True)
        sys.exit(code if isinstance(code, int) else 0)


def check_shell() -> None:
    """Refuse to complete words in a shell that is not known."""
    import shellingham  # type: ignore[import-untyped]

    try:
        name = shellingham.detect_shell()[0]
    except shellingham.ShellDetectionFailure:
        name = "none"
    if name not in SHELLS:
        must = "completion must be asked for from bash, zsh, fish or PowerShell"
        fail(sentence("corollary", must, name))


@contextlib.contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Say what the library warns of in notes, without its lines of code."""
    with gathered_warnings() as found:
        yield
    for text in dict.fromkeys(found):
        typer.echo(f"note: {' '.join(text.split())}", err=True)


def fail(words: str) -> None:
    """Say one sentence on the standard error and leave with code 2."""
    text = " ".join(words.split())
    text = text if text.endswith((".", "?", "!")) else f"{text}."
    typer.echo(f"corollary: {text}", err=True)
    sys.exit(BAD_INPUT)


def _words(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        name = f"{error.filename}: " if error.filename else ""
        return f"{name}{error.strerror}"
    return str(error) or type(error).__name__


app = typer.Typer(
    cls=OneSentence,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"corollary {__version__}")
        raise typer.Exit


@app.callback()
def corollary(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Machine learning that is right, fast, the same at every scale, and honest."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
