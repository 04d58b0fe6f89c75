"""How a text names a measure: `recall`, `f_beta(3)`, `f1_over("a (b)", c)`, `recall["New York"]`. The only parser.

NAME, then its parameters in parentheses, then a label in brackets, of which all but the first may be absent. A name is
words of letters, digits, `_` and `-`; a dot belongs to it before a digit (`f0.5`), and before a letter ends it
(`recall.low`). What holds a blank, a comma, a bracket or `=` stands in double quotes, as in JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from classay.errors import InputError

_WORD = r"(?:[^\s()\[\],.<>=!\"]|\.(?=\d))+"
_NAME = re.compile(rf"\s*({_WORD}(?:\s+(?!and\b){_WORD})*)\s*")
_QUOTED = r"\"(?:[^\"\\]|\\.)*\""
_ARGUMENT = re.compile(
    rf"\s*(?:([a-z_]+)\s*=)?\s*({_QUOTED}|(?:[^,()\"]|\([^()\"]*\))*?)\s*([,)])", re.DOTALL
)
_BRACKET = re.compile(rf"\[((?:{_QUOTED}|[^\[\]\"])*)\]\s*", re.DOTALL)
_PAIR = re.compile(rf"\s*({_QUOTED}|[^,=\"]*?)\s*=\s*({_QUOTED}|[^,\"]*?)\s*(,|$)", re.DOTALL)
_BARE = re.compile(r"[^\s\[\](),=<>\"]+")
_ALONE = re.compile(_QUOTED, re.DOTALL)


@dataclass(frozen=True)
class MeasureName:
    """A measure as a text names it: its name, parameters by place and by name, and what stands in brackets behind.

    `called` tells `ece()` from `ece`. A bracket is kept as it was written, with its quotes.
    """

    text: str
    name: str
    called: bool = False
    values: tuple[str, ...] = ()
    named: tuple[tuple[str, str], ...] = ()
    brackets: tuple[str, ...] = ()

    @property
    def without_last(self) -> str:
        """The text without its last bracket."""
        return self.text[: -len(self.brackets[-1]) - 2].rstrip() if self.brackets else self.text


def name_in(text: str, start: int = 0) -> tuple[MeasureName, int] | None:
    """The name of a measure that begins there, and where what follows it begins; None where there is none.

    Raises InputError for quotes that JSON does not have.

    >>> name_in("f0.5.low >= 0.8")
    (MeasureName(text='f0.5', name='f0.5', called=False, values=(), named=(), brackets=()), 4)
    """
    match = _NAME.match(text, start)
    if match is None:
        return None
    name, at, called = match[1], match.end(), text[match.end() : match.end() + 1] == "("
    values: list[str] = []
    named: list[tuple[str, str]] = []
    if called:
        found = _arguments_in(text, at + 1, values, named)
        if found is None:
            return None
        at = found
    brackets = []
    while text[at : at + 1] == "[":
        match = _BRACKET.match(text, at)
        if match is None or not match[1].strip():
            return None
        brackets.append(match[1])
        at = match.end()
    whole = text[start:at].strip()
    return MeasureName(whole, name, called, (*values,), (*named,), (*brackets,)), at


def _arguments_in(text: str, at: int, values: list[str], named: list[tuple[str, str]]) -> int | None:
    """Fill in the parameters between parentheses; what follows them begins at the place returned."""
    while match := _ARGUMENT.match(text, at):
        at = match.end()
        empty = not match[2]
        if not empty and match[1] is None:
            if named:
                return None
            values.append(unquoted(match[2]))
        elif not empty:
            named.append((match[1], unquoted(match[2])))
        elif match[1] is not None or match[3] == ",":
            return None
        if match[3] == ")":
            return at + len(text[at:]) - len(text[at:].lstrip())
    return None


def read_name(text: str) -> MeasureName | None:
    """The measure that a whole text names; None where it names none.

    >>> read_name('f1_over("a (b)", c)').values
    ('a (b)', 'c')
    """
    found = name_in(text)
    return None if found is None or found[1] < len(text) else found[0]


def names_listed(text: str, option: str) -> list[str]:
    """The names of measures in a list, with commas between them. Raises InputError for anything else.

    >>> names_listed('recall["a, b"], f_beta(3), partial_roc_auc(0.2, min_fpr=0.1)', "--measures")
    ['recall["a, b"]', 'f_beta(3)', 'partial_roc_auc(0.2, min_fpr=0.1)']
    """
    names: list[str] = []
    at = 0
    while at < len(text):
        if text[at] in ", \t\n":
            at += 1
            continue
        found = name_in(text, at)
        if found is None or (found[1] < len(text) and text[found[1]] != ","):
            raise InputError(
                f"{option} is {text!r}, which is not understood at {text[at:]!r}: write names with commas between "
                'them, such as recall, f_beta(3), recall["New York"].'
            )
        names.append(found[0].text)
        at = found[1]
    if not names:
        raise InputError(f"{option} is {text!r}, which names nothing: write names with commas between them.")
    return names


def label_in(bracket: str) -> str:
    """The label that stands in a bracket, bare or in quotes.

    >>> label_in(" other "), label_in('"a, b"')
    ('other', 'a, b')
    """
    bracket = bracket.strip()
    return unquoted(bracket) if _ALONE.fullmatch(bracket) else bracket


def pairs_of(text: str, columns: Sequence[str]) -> list[str] | None:
    """The labels that a text of pairs gives to these columns, in their order; None where it is no such text.

    >>> pairs_of('region="a, b", sex=f', ("sex", "region")), pairs_of("sex=f", ("sex", "region"))
    (['f', 'a, b'], None)
    """
    pairs: dict[str, str] = {}
    at = 0
    while match := _PAIR.match(text, at):
        pairs[unquoted(match[1])] = unquoted(match[2])
        at = match.end()
        if not match[3]:
            return [pairs[column] for column in columns] if pairs.keys() == {*columns} else None
    return None


def unquoted(text: str) -> str:
    """A text without its double quotes, as JSON has them; ends of lines and tabs may stand as they are."""
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text, strict=False))
    except json.JSONDecodeError as error:
        raise InputError(
            f"the quoted text {text} is not understood ({error.msg}): in double quotes, write a backslash twice, and "
            '\\" for a quote.'
        ) from None


def quoted(text: str) -> str:
    """A text as it stands in a name: bare where it can, else in double quotes.

    >>> quoted("other"), quoted("New York")
    ('other', '"New York"')
    """
    return text if _BARE.fullmatch(text) else json.dumps(text, ensure_ascii=False)
