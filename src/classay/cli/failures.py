"""How the command ends when something is wrong: one line on standard error, and an exit code."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import typer

from classay.errors import ClassayError

WRONG_INPUT = 2
OUR_FAULT = 70


def guarded(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn what a command raises into one line and an exit code: 2 for wrong input, 70 for a fault of our own."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except ClassayError as error:
            _end(str(error), WRONG_INPUT, error)
        except MemoryError as error:
            _end("there is not enough memory for this input.", OUR_FAULT, error)
        except BrokenPipeError:
            # whoever read our output has had enough; Python would complain again when it closes it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except Exception as error:  # noqa: BLE001 - the last line of defence
            what = " ".join(f"{type(error).__name__}: {error}".split())
            _end(
                f"classay itself failed ({what}). Please report this; `classay --debug …` shows where.",
                OUR_FAULT,
                error,
            )

    return run


def _end(text: str, code: int, error: BaseException) -> NoReturn:
    if os.environ.get("CLASSAY_DEBUG"):
        import traceback

        traceback.print_exception(error)
    line = " ".join(f"classay: {text}".split())
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    print(line.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)
    raise typer.Exit(code) from None
