"""The rows of an input as one family of doors has them: of values, of texts in CSV, or of JSON."""

import contextlib
import math
import re
from functools import cached_property

import numpy as np

PRECISION = {"short": np.float32, "half": np.float16}
"""Of scores by their form, where they are no plain floats."""


LETTERS = {"weight": "w", "frequency": "f", "cluster": "c", "id": "i"}
"""The names of further columns."""


def in_csv(value):
    """A value as a field of CSV: texts are quoted, so that no text is taken for what is missing."""
    if value is None:
        return ""
    return str(value) if isinstance(value, int | float) else '"' + str(value).replace('"', '""') + '"'


def meaning(values):
    """What labels written as text mean, in all columns of labels together.

    Truth values where all are True and False in one spelling; numbers where each is written as Python prints it, no two
    are equal, whole ones are written alike and all survive as floats if one is a float; texts otherwise, and where a
    whole number has over 64 bits.
    """
    texts = {str(each) for each in values if each is not None}
    for spelling in (str, str.lower, str.upper):
        if texts <= {spelling("True"), spelling("False")}:
            return {each: each == spelling("True") for each in texts}
    found = {each: number(each) for each in texts}
    if any(isinstance(each, int) and not -(2**63) <= each < 2**64 for each in found.values()):
        return {each: each for each in texts}
    if None in found.values() or len({*found.values()}) < len(found):
        return {each: each for each in texts}
    if len({type(each) for each in found.values() if each == int(each)}) > 1:
        return {each: each for each in texts}
    if any(isinstance(each, float) for each in found.values()) and any(
        abs(each) > 2**53 for each in found.values()
    ):
        return {each: each for each in texts}
    return found


def number(text):
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            made = kind(text)
            if str(made) == text.strip() and math.isfinite(made):
                return made
    return None


class Case:
    """The rows of an input as one family of doors has them: of values, of texts in CSV, or of JSON."""

    def __init__(self, given, family, folder):
        self.given, self.family, self.folder = given, family, folder
        self.meant = {}  # what names of clusters and cases are, by columns

    @cached_property
    def names(self):
        """The labels as this family has them."""
        names = self.given.names
        if self.family == "values":
            return [*names]
        if self.family == "json":
            used = [names[code] for code in {*self.given.truth, *self.given.said} - {None}]
            plain = all(isinstance(each, str | int | float) and not _is_long(each) for each in used)
            return [each if plain else str(each) for each in names]
        used = [names[code] for code in {*self.given.truth, *self.given.said} - {None}]
        is_named = self.given.task == "class scores" or self.given.declared is not None
        found = meaning([*used, *(names if is_named else ())])
        return [found.get(str(each), typed_alone(str(each), found)) for each in names]

    @cached_property
    def columns(self):
        """The columns by their names, as lists."""
        g = self.given
        found = {"y": [None if code is None else self.names[code] for code in g.truth]}
        if g.said:
            found["q"] = [None if code is None else self.names[code] for code in g.said]
        if g.task == "scores":
            found["p"] = [*g.score]
        if g.task == "class scores":
            found |= {f"s{k}": [row[k] for row in g.score] for k in range(len(g.names))}
        if self.family == "json":
            found = {
                name: [None if isinstance(each, float) and math.isnan(each) else each for each in values]
                for name, values in found.items()
            }
        return found | {LETTERS[name]: self._named(name, values) for name, values in g.columns.items()}

    def _named(self, name, values):
        """A further column as this family has it."""
        if name not in ("cluster", "id") or self.family == "values":
            return [*values]
        if self.family == "json":
            return [each if isinstance(each, str | int | float) else str(each) for each in values]
        found = self.meant.get(name) or meaning(values)
        self.meant[name] = found
        return [found[str(each)] for each in values]

    @cached_property
    def raw(self):
        """The columns of a file: labels as they are before anybody reads them."""
        raw = Case(self.given, "values", self.folder)
        return self.columns | {
            name: raw.columns[name] for name in ("y", "q", "c", "i") if name in raw.columns
        }

    @property
    def roles(self):
        """What the columns are, for doors that are told by names."""
        found = {"truth": "y"}
        if self.given.said:
            found["prediction"] = "q"
        if self.given.task == "scores":
            found["score"] = "p"
        if self.given.task == "class scores":
            found["score"] = {name: f"s{k}" for k, name in enumerate(self.names)}
        return found | {name: LETTERS[name] for name in self.given.columns}

    @property
    def how(self):
        """What else is asked for."""
        g, found = self.given, dict(self.given.how)
        if g.positive is not None:
            found["positive"] = self.names[g.positive]
        if g.declared is not None:
            found["labels"] = [self.names[code] for code in g.declared]
        return found

    @property
    def is_one_number_twice(self):
        """Whether columns of text write one number in two ways, 1 and 1.0: numbers for each alone."""
        columns = (
            {str(self.given.names[code]) for code in {*codes} - {None}}
            for codes in (self.given.truth, self.given.said)
        )
        both = [{text: number(text) for text in texts} for texts in columns]
        return self.family == "texts" and any(
            one != other and made is not None and made == both[1][other]
            for one, made in both[0].items()
            for other in both[1]
        )

    @property
    def is_ordered(self):
        return self.given.kind == "ordered"

    @property
    def is_mixed(self):
        """Whether Arrow holds no column of these labels."""
        return "number and" in self.given.kind or self.given.kind in ("longer numbers", "tuples")

    @property
    def is_short(self):
        return self.given.form in PRECISION and self.family == "values"

    @property
    def is_plain(self):
        """Whether labels can be written as options of the command."""
        return all(
            re.fullmatch(r"[\w. -]*", str(each)) and str(each).strip() == str(each) != ""
            for each in self.names
        )

    def held(self, labels, numbers=np.asarray):
        """The columns, labels and numbers each held in their way."""
        made = {}
        for name, values in self.columns.items():
            if name in ("y", "q", "c", "i"):
                made[name] = values if name in ("c", "i") and self.is_ordered else labels(values)
            else:
                scores = name[0] in "ps" and self.is_short
                made[name] = numbers(np.asarray(values, PRECISION[self.given.form] if scores else None))
        return made

    def part(self, places):
        """Some of the rows."""
        made = Case(self.given.take(places), self.family, self.folder)
        made.names, made.meant = self.names, self.meant  # as they are in the whole
        return made


def _is_long(value):
    return isinstance(value, int) and abs(value) >= 2**63


def typed_alone(text, found):
    """A label that does not occur, as the others are typed."""
    kinds = {type(each) for each in found.values()}
    return text if str in kinds or number(text) is None else number(text)


def array(values):
    """An array of the values' own type, or of objects where NumPy would change what they are."""
    made = np.array(values)
    if (
        made.dtype.kind in "OSU"
        or [*map(repr, made.tolist())] != [*map(repr, values)]
        or made.dtype.kind == "M"
    ):
        made = np.empty(len(values), object)
        made[:] = values
    return made


def text_array(values):
    """An array of texts of fixed width, where all are."""
    return (
        np.array(values)
        if all(isinstance(each, str) and "\0" not in each for each in values)
        else array(values)
    )


def in_order(names):
    try:
        return sorted(names)
    except TypeError:
        return sorted(names, key=lambda name: (type(name).__name__, repr(name)))
