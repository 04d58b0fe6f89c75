"""What can go wrong, by kind.

Every text is up to three short sentences: what is wrong, with the value and its place; what is accepted; how to fix it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from classay.texts import DoorText, clean, cut, listed

MOST_CHARACTERS = 1000


class ClassayError(ValueError):
    """Base of all errors that classay raises on purpose.

    Its text is one line of at most a thousand characters without control characters, whatever names it
    quotes. The command prints it and exits with 2.

    Examples
    --------
    >>> str(InputError("no model 'a\\x1b[2J\\nb'"))
    "no model 'a\\\\x1b[2J\\\\nb'"
    """

    def __init__(self, text: str = "") -> None:
        voiced = DoorText.of(text)
        super().__init__(cut(clean(voiced), MOST_CHARACTERS))
        self._command = cut(clean(voiced.command), MOST_CHARACTERS)

    @property
    def at_the_command(self) -> str:
        """Text of the error in the words of the command.

        An error that repeats it takes this text too.
        """
        cause = self.__cause__
        if isinstance(cause, ClassayError):
            return self._command.replace(str(cause), cause.at_the_command)
        return self._command

    def __reduce__(self) -> tuple[Any, ...]:
        """Its text alone makes it anew: an error of a worker process comes back, whatever its kind is made with.

        Its cause stays behind, so that what it says to the command is settled here.
        """
        return _again, (type(self), str(self)), self.__dict__ | {"_command": self.at_the_command}


def _again(kind: type[ClassayError], text: str) -> ClassayError:
    made = kind.__new__(kind)
    ClassayError.__init__(made, text)
    return made


class InputError(ClassayError):
    """Rows, labels, scores or options that cannot be assessed as they are."""


class NothingCountsError(InputError):
    """No row is left to count; in a part of many rows that is no fault. `dropped` of them lack a true tag."""

    dropped: int = 0


class FileError(ClassayError):
    """A file that cannot be read or written."""


class NoRowsError(FileError, NothingCountsError):
    """A file holds no rows; in one file of many that is no fault."""


class MergeError(ClassayError):
    """Tables or assessments that do not describe the same thing.

    Their sum would have no meaning.
    """


class WorkerError(ClassayError):
    """A process that counts rows died repeatedly, so that not all rows are counted."""


class UnknownMeasureError(ClassayError, KeyError):
    """A measure that does not exist, or that the assessment cannot have."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the text in quotes


class MissingExtraError(ClassayError, ImportError):
    """An optional dependency that is needed and not installed."""

    def __init__(self, purpose: str, extra: str, library: str = "") -> None:
        lead = f"{purpose[:1].upper()}{purpose[1:]}"
        needed = f"{library}, which is not installed" if library else "an optional dependency"
        super().__init__(
            f"{lead} needs {needed}. Run: pip install 'classay[{extra}]', or '.[{extra}]' in a clone."
        )


EXTRAS = {
    "sklearn": "train",
    "skrub": "train",
    "pandas": "train",
    "joblib": "train",
    "threadpoolctl": "train",
    "imblearn": "balance",
    "matplotlib": "plot",
    "mlflow": "mlflow",
    "dask": "dask",
    "distributed": "dask",
    "duckdb": "duckdb",
    "psycopg": "postgres",
    **dict.fromkeys(("docx", "xlsxwriter"), "office"),
    **dict.fromkeys(("python_calamine", "pyreadstat", "fastavro", "rdata"), "files"),
    **dict.fromkeys(("deltalake", "pyiceberg", "lance", "fsspec"), "lakes"),
}
"""The extra that installs each library which classay itself does not need."""
PACKAGES = {"docx": "python-docx"}
"""The package of a library, where another package has the library's name."""


@contextmanager
def told_of_extras(purpose: str) -> Iterator[None]:
    """If an extra's library is not installed, name that extra; for any other missing module, raise Python's error."""
    try:
        yield
    except ModuleNotFoundError as error:
        extra = EXTRAS.get(error.name or "")  # of a part that an installed one lacks, the name has a point
        if extra is None:
            raise
        raise MissingExtraError(purpose, extra, PACKAGES.get(error.name or "", error.name or "")) from error


def check_word(name: str, value: Any, words: Sequence[str]) -> None:
    """Refuse a value of an option that is none of its words.

    >>> check_word("closed", "rigth", ("right", "left"))
    Traceback (most recent call last):
    ...
    classay.errors.InputError: closed must be 'right' or 'left', but is 'rigth'. Did you mean 'right'?
    """
    if isinstance(value, str) and value in words:
        return
    accepted = listed([*map(repr, words)], "or")
    text = cut(repr(value), 60)
    raise InputError(f"{name} must be {accepted}, but is {text}{nearest(value, words) or '.'}")


def nearest(name: object, known: Iterable[str]) -> str:
    """End a sentence and ask for the known name closest to a mistyped one, or give the empty string.

    Nothing is near what is no text.

    >>> nearest("precison", ["precision", "recall"])
    ". Did you mean 'precision'?"
    >>> nearest(("tree", "recall"), ["tree", "recall"])
    ''
    >>> nearest("f1_macro", ["f1_max", "macro_f1"])
    ". Did you mean 'macro_f1'?"
    """
    from difflib import get_close_matches

    if not isinstance(name, str) or len(name) > LONGEST:
        return ""
    folded = {other.casefold(): other for other in known}
    words = sorted(name.casefold().split("_"))
    turned = [other for other in folded if sorted(other.split("_")) == words]
    found = turned or get_close_matches(name.casefold(), folded, n=1)
    return f". Did you mean {folded[found[0]]!r}?" if found else ""


def nearest_column(name: object, known: Iterable[str]) -> str:
    """Do what `nearest` does; if a cost took a name with +, - or * apart, also say how to write that name.

    >>> print(nearest_column("fee", ["fee-net"]))
    . Did you mean 'fee-net'? Write this name in quotes in a cost, as in '"fee-net"'.
    """
    known = [*known]
    for other in known:
        parts = [part.strip() for part in re.split(r"[-+*]", other)]
        if len(parts) > 1 and name in parts:
            return f". Did you mean {other!r}? Write this name in quotes in a cost, as in '\"{other}\"'."
    return nearest(name, known)


LONGEST = 300
"""Letters of somebody else's text that an error repeats."""


def shown(error: object) -> str:
    """Somebody else's exception or warning on one line, with its kind; our own as they are. Never raises.

    >>> shown(KeyError("a\\nb")), shown(InputError("pass labels."))
    ("KeyError: 'a\\\\nb'", 'pass labels.')
    """
    kind = type(error).__name__
    try:
        text = str(error).strip().partition("\n")[0]
    except BaseException as again:
        if isinstance(again, KeyboardInterrupt):
            raise
        return f"{kind}, with a text that cannot be read ({type(again).__name__})"
    text = clean(text)
    if isinstance(error, ClassayError):
        return text
    return f"{kind}: {text}"[:LONGEST]


@contextmanager
def in_our_words(lead: str, advice: str) -> Iterator[None]:
    """Turn whatever foreign code raises, also `sys.exit`, into an InputError of one line; our own errors stay."""
    try:
        yield
    except (ClassayError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise InputError(f"{lead} ({shown(error)}). {advice}") from error
