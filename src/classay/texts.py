"""Foreign text made fit to print: names of columns, models, files and labels come from anywhere."""

import re
import unicodedata
from collections.abc import Callable, Hashable, Sequence
from typing import Any

_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean(text: str) -> str:
    """Return the text on one line, without what could move a cursor, turn the reading direction or fail to encode.

    Labels come from files of unknown origin: an escape sequence in one must not reach the terminal.

    >>> clean("two\\nlines \\x1b[2J")
    'two\\\\nlines \\\\x1b[2J'
    """
    return text if text.isprintable() and text.isascii() else "".join(map(_visible, text))


def _visible(character: str) -> str:
    hidden = unicodedata.category(character) in {"Cc", "Co", "Cs", "Zl", "Zp"} or character in _BIDI_CONTROLS
    return character.encode("unicode_escape").decode("ascii") if hidden else character


LONGEST = 60
"""Characters of a label in a sentence."""


def quote(label: object) -> str:
    """Return a label as a person writes it in a sentence: text in quotes, shortened inside them when long.

    >>> from datetime import date
    >>> quote("benign"), quote(1), quote((date(2024, 2, 2), "a"))
    ("'benign'", '1', "(2024-02-02, 'a')")
    >>> quote("a" * 80)[-3:]
    "a…'"
    """
    if not isinstance(label, str):
        text = str(label)
        if isinstance(label, tuple) and type(label).__str__ is tuple.__str__:  # a group prints as it likes
            text = f"({', '.join(map(quote, label))})"
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    if len(label) <= LONGEST and len(text := repr(str(label))) <= LONGEST:
        return text
    kept = str(label)[: LONGEST - 3]
    while len(repr(f"{kept}…")) > LONGEST:  # what is escaped is longer in quotes
        kept = kept[:-1]
    return repr(f"{kept}…")


def cut(text: str, most: int) -> str:
    """The text in at most `most` characters. The middle is left out: the cause stands in front, the advice at the end.

    Words are left out whole, unless one alone is as long as what is kept.

    >>> cut("no column 'abcdefghijkl'; name one that is there", 30)
    'no column … that is there'
    """
    if len(text) <= most:
        return text
    kept = most - 3
    front, back = text[: kept // 2], text[-(kept - kept // 2) :]
    if text[kept // 2] != " " and " " in front[len(front) // 2 :]:
        front = front.rpartition(" ")[0]
    if text[-len(back) - 1] != " " and " " in back[: len(back) // 2]:
        back = back.partition(" ")[2]
    return f"{front.rstrip()} … {back.lstrip()}"


def wrong_way(ranking: str, high: object) -> str:
    """Return what is said of a score that ranks cases worse than chance: the class that a high score must mean.

    >>> print(wrong_way("It falls", "bad"))
    It falls, so the score may be reversed. A high score must mean 'bad'.
    """
    meant = f"A high score must mean {quote(high)}"
    return f"{ranking}, so the score may be reversed. {meant}."


def naturally(name: str) -> tuple[list[tuple[str, int]], str]:
    """Return what sorts names with the numbers in them as numbers.

    >>> sorted(["week 10", "week 9", "day 11"], key=naturally)
    ['day 11', 'week 9', 'week 10']
    """
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", name)], name


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names as a sentence lists them, with a word before the last one; none are an empty text.

    Semicolons part names that have commas of their own.

    >>> listed([]), listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b"], "or")
    ('', 'a', 'a, b and c', 'a or b')
    >>> listed(["sex=f, age=1", "sex=m, age=2"]), listed(["'f, 1'", "'m, 2'"])
    ('sex=f, age=1; and sex=m, age=2', "'f, 1' and 'm, 2'")
    """
    if len(names) < 2:
        return "".join(names)
    if any(", " in _ENCLOSED.sub("", name) for name in names):
        return f"{'; '.join(names[:-1])}; {last} {names[-1]}"
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


NAMED = 5
"""Names up to which a sentence gives all."""


def some(
    names: Sequence[Hashable],
    most: int = NAMED,
    last: str = "and",
    what: str = "",
    write: Callable[[Any], str] = str,
) -> str:
    """Names as a sentence lists them; of more than `most` the first ones, and how many more there are.

    >>> some(["a", "b"]), some(["a", "b", "c", "d", "e"], 4), some("abcdefg", last="or", what="classes")
    ('a and b', 'a, b, c and 2 more', 'a, b, c, d or 3 more classes')
    """
    if len(names) <= most:
        return listed([*map(write, names)], last)
    more = " ".join(filter(None, (f"{len(names) - most + 1:,} more", what)))
    return listed([*map(write, names[: most - 1]), more], last)


_ENCLOSED = re.compile(r"""'[^']*'|"[^"]*"|\([^()]*\)""")
"""What quotes or parentheses hold together."""


def begun(name: str) -> str:
    """Return a name as a sentence begins with it: an argument is spelled as ever.

    >>> begun("the target"), begun("truth")
    ('The target', 'truth')
    """
    return f"The {name.removeprefix('the ')}" if name.startswith("the ") else name


def as_sentence(clause: str) -> str:
    """Return a clause as a sentence of its own; an empty text stays empty.

    >>> as_sentence("no cost was given"), as_sentence("")
    ('No cost was given.', '')
    """
    return f"{clause[:1].upper()}{clause[1:]}." if clause else ""


_VOWEL = re.compile(r"(?!one\b|uni|use|[Ee]u)[aeiouAEIOU]|nd|[FHLMNSX](?![a-z])")
"""What begins with the sound of a vowel: a letter that is one, or that is spelled so, as the F of F1."""


def an(noun: str) -> str:
    """Return a noun with its indefinite article.

    >>> an("accuracy"), an("ROC AUC"), an("F1"), an("log-loss"), an("ndarray"), an("uniform draw")
    ('an accuracy', 'a ROC AUC', 'an F1', 'a log-loss', 'an ndarray', 'a uniform draw')
    """
    return f"{'an' if _VOWEL.match(noun) else 'a'} {noun}"


DIGITS = 12
"""Digits that sums of the same numbers share in whatever sequence they are added."""


def steady(value: float) -> float:
    """Return a number, before it is written, without the digits that depend on the order of summation.

    If a number lies half-way between two roundings, those digits would decide which one is printed. The negative of 0,
    such as the end of a difference that was turned over, is 0.

    >>> steady(9.95), steady(9.950000000000001), steady(29.999999999999996), steady(-0.0)
    (9.95, 9.95, 30.0, 0.0)
    """
    return float(f"{value:.{DIGITS}g}") + 0.0


def amount(value: float) -> str:
    """Return a number of cases in full where it is whole, and a sum of weights with six digits.

    >>> amount(2000567.0), amount(2.5), amount(1 / 3)
    ('2,000,567', '2.5', '0.333333')
    """
    value = value if float(value).is_integer() else steady(value)
    return f"{value:,.0f}" if value == round(value, 0) and abs(value) < 1e15 else f"{value:,.6g}"


_MARKS = ("\ufdd0", "\ufdd1", "\ufdd2")
"""Characters that are none in Unicode: no text has them, and they come through an f-string."""
_HINT = re.compile(
    "{}([^{}]*){}([^{}]*){}".format(_MARKS[0], "".join(_MARKS), _MARKS[1], "".join(_MARKS), _MARKS[2])
)


def in_columns(names: Sequence[str]) -> str:
    """Names of columns as they stand behind what is in them; empty without one.

    >>> in_columns(["sex"]), in_columns(["sex", "age"]), in_columns([])
    (" (column 'sex')", " (columns 'sex' and 'age')", '')
    """
    if not names:
        return ""
    return f" ({'column' if len(names) == 1 else 'columns'} {listed([quote(each) for each in names])})"


class DoorText(str):
    """A text in the words of Python that also carries the text for the command; whoever shows it picks one.

    Errors and lists of sentences are made of it, so that no thread or process between the author of a sentence and its
    display needs to know the reader.
    """

    command: str

    @classmethod
    def of(cls, text: str) -> "DoorText":
        """Return a text with what `hint` put into it, resolved for either reader.

        >>> text = DoorText.of(f"pass {hint('missing=x', '--missing x')}.")
        >>> str(text), text.command
        ('pass missing=x.', 'pass --missing x.')
        """
        if isinstance(text, DoorText):
            return text
        made = cls(_HINT.sub(r"\1", text))
        made.command = _HINT.sub(r"\2", text)
        return made


def hint(python: str, command: str) -> str:
    """Advice in two wordings: calls for Python and notebooks, options for the command line.

    Use it in the text of an error or of a `Listing`: both pick the wording for the reader (`DoorText`).

    >>> DoorText.of(hint("`a.at(0.3)`", "`--threshold 0.3`"))
    '`a.at(0.3)`'
    """
    return f"{_MARKS[0]}{python}{_MARKS[1]}{command}{_MARKS[2]}"
