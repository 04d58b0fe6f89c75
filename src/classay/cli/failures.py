"""How the command ends: one line on standard error and an exit code; standard output and error that may fail.

Standard output and error that may fail: the reader leaves, the disk is full, the caller has closed them.

The verdict of a command must not depend on who reads its output. A failed write is remembered, not raised: the command
goes on to its verdict, and `Streams.code` gives the exit code.
"""

from __future__ import annotations

import errno
import functools
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import typer
from typer.core import TyperGroup

from classay.errors import MOST_CHARACTERS as MOST_OF_ERROR
from classay.errors import ClassayError, told_of_extras
from classay.kinds import NO_DESIGN
from classay.report.step_bar import bar_of_steps
from classay.steps import heard_by
from classay.texts import clean, cut, listed, quote
from classay.wings import brought

if TYPE_CHECKING:
    from rich.console import Console

    from classay.inference.requirements import Outcome, Verdict

P = ParamSpec("P")
R = TypeVar("R")


def exit_of(verdict: Verdict) -> int:
    """Return the exit code of a verdict."""
    return {"pass": 0, "fail": 1}.get(verdict.value, 3)


def end_with(outcomes: Sequence[Outcome]) -> None:
    """Say on standard error how each requirement came out, and end with the exit code of all."""
    from classay.inference.requirements import Verdict

    for outcome in outcomes:
        print(clean(str(outcome)), file=sys.stderr)
    code = exit_of(Verdict.of(outcome.verdict for outcome in outcomes))
    if code:
        raise typer.Exit(code)


UNWRITABLE = 2
UNBROKEN = 10_000
"""Columns of what is no terminal: each row stays on one line, for those who search in it."""


class Tolerant:
    """A stream that keeps the first error of writing instead of raising it, and otherwise works as before."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.error: OSError | None = None

    def write(self, content: Any) -> int:
        """Write, unless writing has failed before."""
        if self.error is None:
            with self._remembering():
                self._stream.write(content)
        return len(content)

    def flush(self) -> None:
        """Flush, unless writing has failed before."""
        if self.error is None:
            with self._remembering():
                self._stream.flush()

    def write_bytes(self, content: bytes) -> None:
        """Write bytes as they are, behind the text that was written before."""
        self.flush()
        if self.error is None:
            with self._remembering():
                self._stream.buffer.write(content)
        self.flush()

    @contextmanager
    def _remembering(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.error = error
            # Python would try to write the rest when it ends, and complain again.
            with suppress(OSError, AttributeError, ValueError), open(os.devnull, "wb") as nothing:
                os.dup2(nothing.fileno(), self._stream.fileno())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Closed:
    """Stands for a stream that the caller has closed (`>&-`)."""

    buffer = property(lambda self: self)  # fails in the same way for bytes
    encoding = "utf-8"
    errors = "backslashreplace"

    def write(self, _: Any) -> int:
        raise OSError(errno.EBADF, "the stream is closed")

    def flush(self) -> None:
        """Nothing is kept."""

    def isatty(self) -> bool:
        """Return a closed stream is no terminal."""
        return False


@dataclass(frozen=True)
class Streams:
    """Both streams while a command runs."""

    output: Tolerant
    errors: Tolerant

    def code(self, code: int) -> int:
        """Return the exit code of a command with the result `found`; writes one line if output was lost.

        A reader that leaves (a closed pipe) changes nothing. A full disk or a closed stream turns success into failure,
        and leaves every other code as it is.
        """
        self.output.flush()
        lost = self.output.error
        if lost is not None and not isinstance(lost, BrokenPipeError):
            self.errors.write(f"classay: Cannot write to standard output: {lost.strerror or lost}.\n")
            code = code or UNWRITABLE
        self.errors.flush()
        return code


@contextmanager
def tolerant_streams() -> Iterator[Streams]:
    """Standard output and error that a command may write to whatever becomes of them."""
    _keep_places()
    streams = Streams(*(Tolerant(_Closed() if file is None else file) for file in (sys.stdout, sys.stderr)))
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = streams.output, streams.errors
    try:
        yield streams
    finally:
        sys.stdout, sys.stderr = before


def _keep_places() -> None:
    """Occupy the numbers of closed streams: the next file that is opened would be taken for one of them."""
    for place in (0, 1, 2):
        try:
            os.fstat(place)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number


@contextmanager
def output_to_errors() -> Iterator[None]:
    """Send what foreign code prints to standard error: standard output is for the result, which may be JSON.

    The file descriptors are redirected too, for compiled code and for processes that are started meanwhile.
    """
    sys.stdout.flush()
    kept = None
    with suppress(OSError):
        kept = os.dup(1)
        os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if kept is not None:
            os.dup2(kept, 1)
            os.close(kept)


def write_bytes(content: bytes) -> None:
    """Write bytes to standard output, so that UTF-8 stays UTF-8 on every terminal."""
    stream: Any = sys.stdout
    if isinstance(stream, Tolerant):
        stream.write_bytes(content)
        return
    stream.flush()
    stream.buffer.write(content)
    stream.flush()


@contextmanager
def listing() -> Iterator[Console]:
    """A console for tables; what is piped is as wide as COLUMNS says, or not broken at all, without filled lines."""
    from rich.console import Console

    is_piped = not sys.stdout.isatty()
    console = Console(highlight=False, width=UNBROKEN if is_piped and "COLUMNS" not in os.environ else None)
    if not is_piped:
        yield console
        return
    with console.capture() as captured:
        yield console
    for line in captured.get().splitlines():
        print(line.rstrip())


WRONG_INPUT = 2
OUR_FAULT = 70
OUT_OF_MEMORY = 71
EXITS = {
    0: "done",
    1: "a gate or requirement failed",
    WRONG_INPUT: "wrong input or usage (one line explains the problem and the fix)",
    3: "a gate or requirement is inconclusive, or has no interval",
    OUR_FAULT: "internal error (`--debug` shows where)",
    OUT_OF_MEMORY: "out of memory (the input needs more than the machine or its limits allow)",
}
"""What each exit code means."""
EXITS_IN_SHORT = (
    "Exit codes: 0 done, 1 a gate or requirement failed, 2 wrong input, 3 a gate or requirement is inconclusive, "
    "70 internal error, 71 out of memory."
)


class PlainErrors(TyperGroup):
    """Commands whose usage errors are one line on standard error, like all others; Typer would draw a box."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,  # noqa: FBT001, FBT002 - Typer's own signature
        windows_expand_args: bool = True,  # noqa: FBT001, FBT002
        **extra: Any,
    ) -> Any:
        """Run, and end the process unless `standalone_mode` is off."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)  # noqa: FBT003
        if "COLUMNS" in os.environ and not _is_width(os.environ["COLUMNS"]):
            del os.environ["COLUMNS"]  # no width to write in: the terminal's own, or 80
        with tolerant_streams() as streams:
            try:
                code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)  # noqa: FBT003
            except Exception as error:
                # Typer's errors are click's own or those of a copy of it, so they are told by what they can do.
                if hasattr(error, "format_message"):
                    code = _refuse_usage(error)
                elif isinstance(error, typer.Abort):
                    raise
                else:  # before a command began: a 1 would be the verdict of a gate
                    code = _say(*_own_end(error), error)
            code = streams.code(code if isinstance(code, int) else 0)
        sys.exit(code)


WITH_DESIGN = "`classay assess`, `classay compare` or `classay judge`"
NARROWEST = 20
"""Columns below which nothing can be set."""


def _is_width(columns: str) -> bool:
    return columns.isascii() and columns.isdigit() and int(columns) >= NARROWEST


def _refuse_usage(error: Any) -> int:
    if "NoArgs" in type(error).__name__:  # its message is the whole help
        error.show()
        return WRONG_INPUT
    where = "" if error.ctx is None else f" See `{error.ctx.command_path} --help`."
    text = str(error.format_message()).rstrip(".").replace(": Value error, ", ": ")  # Typer's own word for it
    text = _with_number(text, error)
    if getattr(error, "option_name", "") == "--design":
        text = NO_DESIGN.format(f"`{error.ctx.command_path}`", WITH_DESIGN).rstrip(".")
    cost = re.search(r"unexpected extra argument.*?\b((?:fp|fn|tp|tn)=[^\s)]+)", text, re.IGNORECASE)
    advice = f"Repeat --cost for each cost, as in --cost {cost[1].lower()}" if cost else ""
    sentences = filter(None, (text, advice, _several_files(error), _where_known(error)))
    _print_line(f"{' '.join(part if part.endswith('?') else f'{part}.' for part in sentences)}{where}")
    return WRONG_INPUT


_NO_NUMBER = re.compile(
    r"(?:Input should be a valid (?P<kind>number|integer), unable to parse string as an? \w+"
    r"|(?<=: )'(?P<given>.*)' is not a valid (?P<older>float|integer)(?: range)?)$"
)
"""What Typer says of a text that is no number, in this version and in older ones."""


def _with_number(text: str, error: Any) -> str:
    """Return a message of what is not a number in our own words: what came, and how the number meant is written."""
    match = _NO_NUMBER.search(text)
    if not match:
        return text
    typed = match["given"]
    if typed is None:
        typed = next((str(each["input"]) for each in getattr(error.__cause__, "errors", list)()), "")
    is_whole = "integer" in (match["kind"], match["older"])
    shown, meant = quote(typed), _number_meant(typed, is_whole=is_whole)
    if typed.strip().endswith("%") and "'--top'" in text:  # of cases, not a share
        meant = "Use a number of cases, such as 10"
    return f"{text[: match.start()]}{shown} is not a {'whole number' if is_whole else 'number'}. {meant}"


def _number_meant(text: str, *, is_whole: bool) -> str:
    """Ask for the number that a percentage, a decimal comma or a thousands separator stands for, or give an example."""
    plain = text.strip().replace("\N{NO-BREAK SPACE}", "")
    if is_whole:
        grouped = re.fullmatch(r"[+-]?\d{1,3}([,. _']\d{3})+", plain)
        return f"Did you mean {re.sub(r'[^0-9-]', '', plain)}?" if grouped else "Use only digits, such as 10"
    if share := re.fullmatch(r"([+-]?\d+(?:[.,]\d+)?) ?%", plain):
        return f"Did you mean {Decimal(share[1].replace(',', '.')).scaleb(-2).normalize():f}?"
    if re.fullmatch(r"[+-]?\d*,\d+", plain):
        return f"Did you mean {plain.replace(',', '.')}?"
    return "Use a number such as 0.27"


TAKE_SEVERAL = ("assess", "decide")
"""The commands that take a folder or a pattern as one FILE."""


def _several_files(error: Any) -> str:
    """Return what to do with several files where one is taken, as a pattern that the shell spelt out gives them."""
    extra = re.search(
        r"unexpected extra argument(?:s|\(s\))? \((.*)\)$", str(error.format_message()).rstrip(".")
    )
    if error.ctx is None or error.ctx.info_name not in TAKE_SEVERAL or not extra:
        return ""
    is_counted = any(
        name.startswith("assess.") for name in brought("options")
    )  # a wing takes several files as one
    if not is_counted or not any(map(os.path.isfile, extra[1].split())):
        return ""
    return "For several files of one data set use their folder, or a pattern in quotes, such as 'days/*.csv'"


MOST_KNOWING = 3
"""Commands to suggest for an option that the called command lacks."""


INSTEAD = {("reclassification", name): "Use --new COL and --old COL" for name in ("--scores", "--score")}
"""What takes the place of an option that a command lacks."""


def _where_known(error: Any) -> str:
    """Return what a command has in place of an option, or the other commands that know it; nothing of other errors."""
    name, group = (
        getattr(error, "option_name", ""),
        getattr(getattr(error.ctx, "parent", None), "command", None),
    )
    commands = getattr(group, "commands", {})
    if error.ctx is not None and (instead := INSTEAD.get((error.ctx.info_name, name))):
        return instead
    knowing = [known for known, each in commands.items() if any(name in one.opts for one in each.params)]
    if not name or not knowing:
        return ""
    above = error.ctx.parent
    path = [known for known in (above.info_name,) if above.parent is not None]
    some = listed([f"`{' '.join(['classay', *path, known])}`" for known in knowing[:MOST_KNOWING]])
    return f"This is an option of {some}"


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn what a command raises into one line and an exit code: wrong input, out of memory, a fault of our own."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            name = f"this use of `classay {command.__name__.replace('_', '-')}`"
            with told_of_extras(name), heard_by(bar_of_steps):
                return command(*args, **kwargs)
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except ClassayError as error:
            _end(error.at_the_command, WRONG_INPUT, error)
        except OSError as error:  # what the system refuses is about the files named, or about the disk
            _end(_refused_by_system(error), WRONG_INPUT, error)
        except Exception as error:  # noqa: BLE001 - the last line of defence
            _end(*_own_end(error), error)

    return run


def _refused_by_system(error: OSError) -> str:
    """Return what the system refused, of which file."""
    what = error.strerror or str(error)
    if error.filename is None:
        return f"The system refused: {what[:1].lower()}{what[1:]}."
    return f"Cannot use {os.fsdecode(error.filename)}: {what[:1].lower()}{what[1:]}."


def _own_end(error: BaseException) -> tuple[str, int]:
    """Return the line and the exit code for what no input explains: out of memory, or a fault of classay."""
    if isinstance(error, MemoryError):
        return (
            "There is not enough memory for this input. Use fewer rows or columns, or a larger machine.",
            OUT_OF_MEMORY,
        )
    return _own_fault(error), OUR_FAULT


def _own_fault(error: BaseException) -> str:
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return f"Internal error ({what}). Please report it with the output of `classay --debug …`."


def _end(text: str, code: int, error: BaseException) -> NoReturn:
    _say(text, code, error)
    raise typer.Exit(code) from None


def _say(text: str, code: int, error: BaseException) -> int:
    if os.environ.get("CLASSAY_DEBUG"):
        import traceback

        traceback.print_exception(error)
    _print_line(text)
    return code


MOST_CHARACTERS = 300
"""Characters up to which a line stays as it is; in a longer one the values are shortened, and the advice is not."""
LONGEST_VALUE = 60
_VALUE = re.compile(rf"(?<!\w)'[^']{{{LONGEST_VALUE},}}'(?!\w)|[^\s,;]{{{LONGEST_VALUE},}}")
"""A long value that somebody gave: in quotes, or a word that no sentence has."""


def one_line(text: str) -> str:
    r"""Return the text on one line without long values: what an error echoes may be megabytes long, or move a cursor.

    Of more than 300 characters, each value is cut to 60 and the sentence stays whole, as errors are: at most 1,000.

    >>> one_line("no column 'a\x1b[2J' in\n preds.csv"), len(one_line("x" * 1000))
    ("no column 'a\\x1b[2J' in preds.csv", 60)
    """
    line = clean(" ".join(cut(text, 1 << 16).split()))
    if len(line) <= MOST_CHARACTERS:
        return line
    return cut(_VALUE.sub(_shortened, line), MOST_OF_ERROR)


def _shortened(value: re.Match[str]) -> str:
    quoted = value[0]
    return f"{quoted[: LONGEST_VALUE - 2]}…'" if quoted[0] == "'" else f"{quoted[: LONGEST_VALUE - 1]}…"


def _print_line(text: str) -> None:
    line = one_line(f"classay: {text}")
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    print(line.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)


@contextmanager
def one_line_warnings(*categories: type[Warning]) -> Iterator[None]:
    """Warnings as one line on standard error, without Python's line of code; those in `told` are always shown."""

    def show(
        message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        text = next(iter(getattr(message, "args", ())), message)
        print(one_line(f"classay: {getattr(text, 'command', message)}"), file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        for category in categories:
            warnings.simplefilter("default", category)
        yield
