"""One law of all doors: the same rows give the same labels, counts, values, limits and sentences, or the same refusal.

Rows of `door_rows` come as lists, arrays, frames of four libraries, files, folders of parts, scans, databases, parts
that are added, saved and loaded again, and through the command. `python -m tests.laws.test_doors --inputs 10000` holds
as many inputs as wanted against the law, through all doors, and prints each distinct failure with its smallest input.
"""

import argparse
import contextlib
import json
import math
import re
import sqlite3
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz.contract import Refused
from tests.fuzz.outside.files import command
from tests.laws.door_rows import drawn, smaller

import classay as ca

INPUTS, DOORS_EACH = 150, 5
"""Inputs of the fast run, and through how many doors, drawn anew for each, these go."""
TOLERANCE = 1e-9
TWO = ("accuracy", "recall", "precision", "f1", "matthews_correlation", "cohen_kappa", "roc_auc", "average_precision",
       "brier_score", "log_loss", "kolmogorov_smirnov")  # fmt: skip
SEVERAL = (
    "accuracy",
    "macro_f1",
    "cohen_kappa",
    "quadratic_kappa",
    "log_loss",
    "macro_roc_auc",
    "top_2_accuracy",
)
THOROUGH = 8
"""Of so many inputs one is held against the law with all measures and the whole text."""
BY_ORDER = ("quadratic_kappa", "linear_kappa")


@dataclass(frozen=True)
class Known:
    """A difference that is known, with its line of the list of faults; the law is not asserted of it."""

    line: str
    why: str
    doors: str
    when: Callable[["Case"], bool] = lambda case: True
    what: str = ".*"

    def covers(self, door, what, case):
        return bool(re.fullmatch(self.doors, door) and re.match(self.what, what) and self.when(case))


PARTS = r"(scan|folder|command merge).*"
"""Doors that count in parts."""
CSV_PARTS = "scan of a csv file|folder of csv files"


def may_lack_a_class(case):
    """Whether scores of classes come without a word on which classes there are: a first part may lack some."""
    return case.given.task == "class scores" and case.given.declared is None


def is_unsorted(case):
    return case.given.task == "class scores" and [*case.roles["score"]] != in_order(case.names)


def is_typed_by_others(case):
    """Whether what a text means depends on texts of other parts, or on declared labels."""
    return bool in map(type, case.names) or case.given.kind == "longer numbers"


def is_only_predicted(case):
    return case.given.positive is not None and case.given.positive not in case.given.truth


KNOWN: tuple[Known, ...] = (
    Known("12", "raw errors of Arrow", "scan of a pandas frame", lambda case: case.is_mixed, "refusal"),
    Known("D1", "class scores of a class that the first part lacks", PARTS, may_lack_a_class, "refusal"),
    Known("D2", "classes in the order of their scores, or sorted", PARTS, is_unsorted),
    Known(
        "D4", "true alone in a part is no truth value", CSV_PARTS, lambda case: bool in map(type, case.names)
    ),
)
"""What is being mended, by the line of its issue, or of the list of what these doors found (D)."""


# -- what is compared ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Refusal:
    """What came instead of a result: the kind of error and what it said."""

    kind: str
    text: str


def told(a, thorough):
    """All that the law is about: facts, estimates, sentences."""
    facts = {
        "labels": [(type(each).__name__, each) for each in a.labels],
        "positive": a.positive,
        "threshold": (a.cutoff, a.cutoff_chosen),
        "rows": a.rows,
        "dropped": (a.dropped, a.unscored),
        "n": a.n,
        "weights": a.kind_of_weight,
        "level": a.level,
        "counts": None if a.confusion_matrix is None else a.confusion_matrix.counts.ravel().tolist(),
        "clusters": None if a.clusters is None else sorted(map(str, a.clusters)),
    }
    known = {measure.name for measure in a.applicable()}
    wanted = (
        known if thorough else [name for name in (SEVERAL if a.positive is None else TWO) if name in known]
    )
    facts["measures"] = sorted(known)
    estimates = {name: a[name] for name in wanted}
    found = facts | {
        f"{name}.{part}": value for name, each in estimates.items() for part, value in parts(each).items()
    }
    found |= {f"warning {code}": text for code, text in warned(a)}
    if thorough:
        found |= {"text": str(a), "methods text": a.methods_text()}
    return found


def parts(found):
    return {name: getattr(found, name) for name in ("value", "low", "high", "level", "method", "reason")}


def warned(a):
    from classay.assessment.judgement.warnings import warnings as of

    return [(each.code, each.text) for each in of(a)]


def near(a, b):
    """Whether two values are equal: numbers but for rounding, NaN to NaN, lists part by part."""
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(near, a, b))
    if isinstance(a, float | int) and isinstance(b, float | int):
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        return a == b or math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    if isinstance(a, str) and isinstance(b, str) and a != b:
        return is_rounding(a, b)
    return a == b


NUMBER = r"[-−]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?"


def is_rounding(a, b):
    """Whether texts differ only in numbers by one of their last digits, as sums of parts of weights may."""
    if re.sub(NUMBER, "#", a) != re.sub(NUMBER, "#", b):
        return False
    for one, other in zip(re.findall(NUMBER, a), re.findall(NUMBER, b), strict=True):
        if one != other:
            if "." not in one + other:
                return False
            unit = 10.0 ** -max(len(each.partition(".")[2]) for each in (one, other))
            if abs(float(one.replace(",", "")) - float(other.replace(",", ""))) > 1.01 * unit:
                return False
    return True


def differences(found, wanted, only=""):
    """What two answers say otherwise: what it is, here, there."""
    if isinstance(found, Refusal) or isinstance(wanted, Refusal):
        mine, theirs = (each.kind if isinstance(each, Refusal) else "a result" for each in (found, wanted))
        said = [each.text if isinstance(each, Refusal) else "" for each in (found, wanted)]
        return [] if mine == theirs else [("refusal", f"{mine}: {said[0]}", f"{theirs}: {said[1]}")]
    names = [name for name in {**wanted, **found} if re.match(only, name)]
    pairs = [(name, found.get(name), wanted.get(name)) for name in names]
    return [(name, *apart(a, b)) for name, a, b in pairs if not near(a, b)]


def apart(a, b):
    """Two values; of long texts only the first lines that differ."""
    if not (isinstance(a, str) and isinstance(b, str)):
        return a, b
    lines = zip_longest(a.splitlines(), b.splitlines(), fillvalue="")
    one, other = next(((x, y) for x, y in lines if x != y), ("", ""))
    start = next((i for i, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), 0)
    return one[max(start - 60, 0) : start + 60], other[max(start - 60, 0) : start + 60]


def answer(work):
    """The result of a call, or its refusal; other errors are of this kind too, and so differ from a refusal."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return work()
    except ca.ClassayError as error:
        kind = next(each for each in type(error).__mro__ if each.__name__ in ca.__all__)
        return Refusal(kind.__name__, str(error))
    except Refusing as carried:
        return carried.args[0]
    except Refused:
        return Refusal("InputError", "the command refuses")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever comes through a door
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Refusal(
            f"{type(error).__name__} in {Path(where.filename).name}:{where.name}", str(error)[:300]
        )


# -- rows as they come --------------------------------------------------------------------------------------------


def in_csv(value):
    """A value as a field of CSV: texts are quoted, so that no text is taken for what is missing."""
    if value is None:
        return ""
    return str(value) if isinstance(value, int | float) else '"' + str(value).replace('"', '""') + '"'


def meaning(values):
    """What labels written as text mean, in all columns of labels together.

    Truth values where all are True and False in one spelling; numbers where each is written as Python prints it, no two
    are equal and all survive as floats if one is a float; texts otherwise, and where a whole number has over 64 bits.
    """
    texts = {str(each) for each in values if each is not None}
    for spelling in (str, str.lower, str.upper):
        if texts <= {spelling("True"), spelling("False")}:
            return {each: each == spelling("True") for each in texts}
    found = {each: number(each) for each in texts}
    if any(isinstance(each, int) and abs(each) >= 2**63 for each in found.values()):
        return {each: each for each in texts}
    if None in found.values() or len({*found.values()}) < len(found):
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
        found = meaning([*used, *(self.given.names if self.given.task == "class scores" else ())])
        return [found.get(str(each), typed_alone(str(each), found)) for each in names]

    @cached_property
    def columns(self):
        """The columns by their names, as lists."""
        g = self.given
        found = {"y": [None if code is None else self.names[code] for code in g.truth]}
        if g.said:
            found["q"] = [self.names[code] for code in g.said]
        if g.task == "scores":
            found["p"] = [*g.score]
        if g.task == "class scores":
            found |= {f"s{k}": [row[k] for row in g.score] for k in range(len(g.names))}
        letters = {"weight": "w", "frequency": "f", "cluster": "c"}
        return found | {letters[name]: [*values] for name, values in g.columns.items()}

    @cached_property
    def raw(self):
        """The columns of a file: labels as they are before anybody reads them."""
        raw = Case(self.given, "values", self.folder)
        return self.columns | {name: raw.columns[name] for name in ("y", "q") if name in raw.columns}

    @property
    def roles(self):
        """What the columns are, for doors that are told by names."""
        found = {"truth": "y"}
        if self.given.said:
            found["prediction"] = "q"
        if self.given.task == "scores":
            found["score"] = "p"
        if self.given.task == "class scores":
            order = [*range(len(self.names))]
            if self.given.seed % 5 and (names := in_order(self.names)):
                order = [self.names.index(name) for name in names]
            found["score"] = {self.names[k]: f"s{k}" for k in order}
        letters = {"weight": "w", "frequency": "f", "cluster": "c"}
        return found | {name: letters[name] for name in self.given.columns}

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
    def is_ordered(self):
        return self.given.kind == "ordered"

    @property
    def is_mixed(self):
        """Whether Arrow holds no column of these labels."""
        return "number and" in self.given.kind or self.given.kind in ("longer numbers", "tuples")

    @property
    def is_short(self):
        return self.given.form == "short" and self.family == "values"

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
            if name in ("y", "q", "c"):
                made[name] = labels(values)
            else:
                scores = name[0] in "ps" and self.is_short
                made[name] = numbers(np.asarray(values, np.float32 if scores else None))
        return made

    def part(self, places):
        """Some of the rows."""
        made = Case(self.given.take(places), self.family, self.folder)
        made.names = self.names  # as they are in the whole
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
    if made.dtype.kind in "OSU" or [*made.tolist()] != values or made.dtype.kind == "M":
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


# -- the doors ----------------------------------------------------------------------------------------------------

DOORS = {}
"""By name: the family of its rows, and a function of a case that makes the call, or gives None where it cannot be."""


def door(family="values"):
    def register(make):
        DOORS[make.__name__.replace("_", " ")] = (family, make)
        return make

    return register


def reference(case):
    """What is wanted of every door of a family: all rows at once, as a dict of lists."""
    labels = categories(case) if case.is_ordered else list
    columns = case.held(
        labels, (lambda values: values) if case.is_short else (lambda values: values.tolist())
    )
    return lambda: ca.assess(columns, **case.roles, **case.how)


def categories(case):
    import pandas as pd

    order = [*case.names]
    return lambda values: pd.Series(
        values if isinstance(values[0], int) else pd.Categorical(values, order, ordered=True)
    )


def pieces(case, labels, numbers=np.asarray):
    """Arguments of `assess` for columns that come one by one."""
    made, more = case.held(labels, numbers), dict(case.how)
    more |= {
        role: made[name] for role, name in case.roles.items() if role in ("weight", "frequency", "cluster")
    }
    if "q" in made:
        more["y_pred"] = made["q"]
    score = made.get("p")
    if case.given.task == "class scores":
        order = case.how.get("labels") or [*case.roles["score"]]
        more["labels"] = order
        score = np.column_stack([np.asarray(made[f"s{case.names.index(name)}"]) for name in order])
    return lambda: ca.assess(made["y"], score, **more)


def in_order(names):
    try:
        return sorted(names)
    except TypeError:
        return None


@door()
def lists(case):
    return (
        None
        if case.is_ordered
        else pieces(case, list, lambda values: values if case.is_short else values.tolist())
    )


@door()
def arrays(case):
    return None if case.is_ordered else pieces(case, array)


@door()
def arrays_of_texts(case):
    return None if case.is_ordered or case.given.kind in ("numbers", "bytes") else pieces(case, text_array)


@door()
def series(case):
    return pieces(case, categories(case) if case.is_ordered else pandas_column, pandas_column)


@door()
def arrow_arrays(case):
    import pyarrow as pa

    return None if case.is_ordered else pieces(case, pa.array, pa.array)


@door()
def dictionaries(case):
    import pyarrow as pa

    return (
        None
        if case.is_ordered
        else pieces(case, lambda values: pa.array(values).dictionary_encode(), pa.array)
    )


def pandas_column(values):
    import pandas as pd

    return pd.Series(array(values) if isinstance(values, list) else values)


def nullable(values):
    import pandas as pd

    return pd.Series(array(values) if isinstance(values, list) else values).convert_dtypes()


def of_frame(case, frame):
    return lambda: ca.assess(frame, **case.roles, **case.how)


def pandas_of(case, column=pandas_column):
    import pandas as pd

    return pd.DataFrame(case.held(categories(case) if case.is_ordered else column, pandas_column))


def polars_of(case):
    import polars as pl

    def labels(values):
        if case.is_ordered and not isinstance(values[0], int):
            return pl.Series(values, dtype=pl.Enum([*case.names]))
        return pl.Series(values, strict=True)

    return pl.DataFrame(case.held(labels, pl.Series))


def arrow_of(case):
    import pyarrow as pa

    def labels(values):
        if not case.is_ordered or isinstance(values[0], int):
            return pa.array(values)
        codes = pa.array([None if each is None else case.names.index(each) for each in values], pa.int32())
        return pa.DictionaryArray.from_arrays(codes, pa.array(case.names), ordered=True)

    return pa.table(case.held(labels, pa.array))


@door()
def pandas_frame(case):
    return of_frame(case, pandas_of(case))


@door()
def pandas_frame_of_nullable_columns(case):
    if case.given.kind == "long numbers":
        return None  # pandas itself rounds them on the way
    return of_frame(case, pandas_of(case, nullable))


@door()
def pandas_categories(case):
    import pandas as pd

    if case.is_ordered:
        return None
    return of_frame(case, pandas_of(case, lambda values: pd.Series(pd.Categorical(array(values)))))


@door()
def polars_frame(case):
    return of_frame(case, polars_of(case))


@door()
def arrow_table(case):
    return of_frame(case, arrow_of(case))


@door()
def rows_in_another_order(case):
    order = np.random.default_rng(case.given.seed).permutation(len(case.given))
    return reference(case.part(order))


def scanned(case, source, small=True):
    """Rows counted in parts; clusters are not counted so."""
    if "cluster" in case.roles:
        return None

    def work():
        from classay.sources import fragments, text_parts

        kept = fragments.ROWS, text_parts.BYTES
        if small:
            fragments.ROWS, text_parts.BYTES = 5, 64
        try:
            return ca.scan(source, **case.roles, **case.how)
        finally:
            fragments.ROWS, text_parts.BYTES = kept

    return work


@door()
def scan_of_a_pandas_frame(case):
    return scanned(case, pandas_of(case))


@door()
def scan_of_a_polars_frame(case):
    return scanned(case, polars_of(case).lazy())


@door()
def scan_of_an_arrow_table(case):
    return scanned(case, arrow_of(case))


# -- files


def as_csv(case, gap=","):
    columns = case.raw
    lines = [gap.join(columns), *(gap.join(map(in_csv, row)) for row in zip(*columns.values(), strict=True))]
    return "\n".join(lines) + "\n"


def written(case, name, content):
    path = case.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8", newline="")
    return path


def parquet_file(case, name="preds.parquet", rows=7):
    from pyarrow import parquet

    path = case.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(arrow_of(case), path, row_group_size=rows)
    return path


def read(case, path):
    """A file read as a whole, as the command reads it."""
    from classay.sources.files import read_table

    def work():
        names = case.roles
        columns = [*(names["score"].values() if isinstance(names.get("score"), dict) else [])]
        columns += [each for each in names.values() if isinstance(each, str)]
        labels = [names[role] for role in ("truth", "prediction") if role in names]
        return ca.assess(read_table(path, columns, labels=labels), **case.roles, **case.how)

    return work


def cut(case, parts=3):
    """Row numbers of contiguous parts, none empty."""
    parts = min(parts, len(case.given))
    return [each.tolist() for each in np.array_split(np.arange(len(case.given)), parts)]


@door("texts")
def csv_file(case):
    return None if case.is_ordered else read(case, written(case, "preds.csv", as_csv(case)))


@door("texts")
def tsv_file(case):
    return None if case.is_ordered else read(case, written(case, "preds.tsv", as_csv(case, "\t")))


@door("json")
def json_lines(case):
    if case.is_ordered or case.given.form == "infinite" or "number and" in case.given.kind:
        return None  # Arrow reads no column of two kinds
    rows = [dict(zip(case.columns, row, strict=True)) for row in zip(*case.columns.values(), strict=True)]
    return read(case, written(case, "preds.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows)))


@door()
def parquet(case):
    return None if case.is_ordered else read(case, parquet_file(case))


@door()
def arrow_file(case):
    from pyarrow import feather

    if case.is_ordered:
        return None
    path = case.folder / "preds.arrow"
    feather.write_feather(arrow_of(case), str(path))
    return read(case, path)


@door("texts")
def scan_of_a_csv_file(case):
    return None if case.is_ordered else scanned(case, written(case, "preds.csv", as_csv(case)))


@door()
def scan_of_a_parquet_file(case):
    return scanned(case, parquet_file(case))


@door("texts")
def folder_of_csv_files(case):
    if case.is_ordered:
        return None
    for number, places in enumerate(cut(case)):
        written(case, f"parts/part-{number}.csv", as_csv(case.part(places)))
    return scanned(case, case.folder / "parts", small=False)


@door()
def folder_of_parquet_files(case):
    for number, places in enumerate(cut(case)):
        parquet_file(case.part(places), f"parts/part-{number}.parquet")
    return scanned(case, case.folder / "parts", small=False)


# -- parts that are added, saved and loaded


def added(case, order=1, seed=0, through=None):
    """Parts of the rows, assessed one by one and added; labels are declared where a part may lack one."""
    rng = np.random.default_rng([case.given.seed, seed])
    parts = [
        each.tolist() for each in np.array_split(rng.permutation(len(case.given)), min(3, len(case.given)))
    ]
    made = []
    for places in parts:
        part = case.part(places)
        if "labels" not in case.how and not case.is_ordered and not_everywhere(case, parts):
            whole = answer(reference(case))
            labels = [] if isinstance(whole, Refusal) else [*whole.labels]
            part.__dict__["declaring"] = labels
        labels = part.__dict__.get("declaring")
        more = {"labels": labels} if labels else {}
        found = answer(lambda part=part, more=more: reference_with(part, more))
        if isinstance(found, Refusal):
            return (
                None
                if not isinstance(answer(reference(case)), Refusal)
                else (lambda found=found: raising(found))
            )
        made.append(found)

    def work():
        kept = made if through is None else [through(each, number) for number, each in enumerate(made)]
        total = kept[::order][0]
        for each in kept[::order][1:]:
            total = total + each
        return total

    return work


class Refusing(Exception):
    """Carries a refusal of a part out of a call."""


def raising(refusal):
    raise Refusing(refusal)


def reference_with(case, more):
    labels = categories(case) if case.is_ordered else list
    columns = case.held(
        labels, (lambda values: values) if case.is_short else (lambda values: values.tolist())
    )
    return ca.assess(columns, **case.roles, **(case.how | more))


def not_everywhere(case, parts):
    """Whether some part lacks a label, or a part of text may be taken for what it is not."""
    codes = [*zip(case.given.truth, case.given.said or case.given.truth, strict=True)]
    whole = {code for pair in codes for code in pair} - {None}
    return any({code for i in places for code in codes[i]} - {None} != whole for places in parts) or len(
        whole
    ) < len(case.names)


@door()
def parts_added(case):
    return added(case)


@door()
def parts_added_in_another_order(case):
    return added(case, order=-1, seed=1)


@door()
def parts_saved_loaded_and_added(case):
    def through(a, number):
        path = case.folder / f"part {number}.classay"
        a.save(path)
        return ca.load(path)

    return None if has_no_file(case) else added(case, seed=2, through=through)


def has_no_file(case):
    """Labels that have no plain form are refused when they are saved."""
    return False


@door()
def saved_and_loaded(case):
    def work():
        path = case.folder / "whole.classay"
        reference(case)().save(path)
        return ca.load(path)

    return work


# -- databases: scores come out in bins, so only what is exact is compared


def in_database(case, connection, types):
    if case.roles.keys() - {"truth", "score", "prediction"} or case.given.task == "class scores":
        return None
    if None in case.given.truth or case.is_ordered or "missing" in case.how or "labels" in case.how:
        return None
    if case.given.task == "scores" and (
        case.given.form in ("raw", "infinite", "short") or case.how.get("threshold", 0.5) != 0.5
    ):
        return None
    kind = {type(each) for each in case.names}
    if (
        len(kind) != 1
        or (kind := kind.pop()) not in types
        or any(isinstance(each, int) and abs(each) >= 2**63 for each in case.names)
    ):
        return None
    columns = {name: types[float] if name == "p" else types[kind] for name in case.columns}
    connection.execute(
        f"create table preds ({', '.join(f'{name} {each}' for name, each in columns.items())})"
    )
    rows = [*zip(*case.columns.values(), strict=True)]
    connection.executemany(f"insert into preds values ({', '.join('?' * len(columns))})", rows)
    how = case.how
    return lambda: ca.scan_database(connection, "preds", **case.roles, **how, bits=20)


@door()
def sqlite(case):
    return in_database(
        case,
        sqlite3.connect(":memory:", check_same_thread=False),
        {int: "INTEGER", str: "TEXT", float: "REAL"},
    )


@door()
def duckdb(case):
    import duckdb

    types = {int: "BIGINT", str: "VARCHAR", float: "DOUBLE", bool: "BOOLEAN", bytes: "BLOB"}
    return in_database(case, duckdb.connect(), types)


EXACT = r"labels|positive|rows|n$|counts|(accuracy|recall|precision|f1|cohen_kappa|matthews_correlation)\."
"""What a database with bins of scores knows exactly."""


# -- the command


def options_of(case):
    roles, how = case.roles, case.how
    found = []
    for role, name in roles.items():
        if isinstance(name, dict):
            found += ["--class-scores", ",".join(f"{label}={column}" for label, column in name.items())]
        else:
            found += [f"--{role}", name]
    if "positive" in how:
        found.append(f"--positive={how['positive']}")
    if "labels" in how:
        found.append("--labels=" + ",".join(map(str, how["labels"])))
    return found + [f"--{name}={how[name]}" for name in ("missing", "level", "threshold") if name in how]


def commanded(case, *arguments):
    """The command's JSON."""
    return lambda: json.loads(command(*arguments, "--json", "-", folder=case.folder))


@door("texts")
def command_on_csv(case):
    if not case.is_plain or case.is_ordered:
        return None
    return commanded(case, "assess", written(case, "preds.csv", as_csv(case)), *options_of(case))


@door()
def command_on_parquet(case):
    if not case.is_plain or case.is_ordered:
        return None
    return commanded(case, "assess", parquet_file(case), *options_of(case))


@door()
def command_merge(case):
    """Parts that were saved, merged by the command."""
    paths = []

    def through(a, number):
        paths.append(case.folder / f"part {number}.classay")
        a.save(paths[-1])
        return a

    work = added(case, seed=3, through=through)
    if work is None or len(case.given) < 2:
        return None

    def merging():
        work()
        return json.loads(command("merge", *paths, "--json", "-", folder=case.folder))

    return merging


# -- the law ------------------------------------------------------------------------------------------------------


def as_json(values, path=""):
    """Plain values by their paths, without pictures."""
    if isinstance(values, dict):
        for name, each in values.items():
            if name not in ("curves", "classay", "schema"):
                yield from as_json(each, f"{path}.{name}".strip("."))
    elif isinstance(values, list):
        for place, each in enumerate(values):
            yield from as_json(each, f"{path}[{place}]")
    else:
        yield path, values


class Held:
    """One input held against the law: what each door says otherwise than all rows at once.

    The command writes labels other than texts and whole numbers as a file has them, where Python has its own form.
    """

    def __init__(self, given, thorough=False):
        self.given, self.thorough = given, thorough
        self._wanted = {}

    def broken(self, doors):
        """For each door its differences, none where it may not be asked."""
        with tempfile.TemporaryDirectory() as folder:
            for number, name in enumerate(doors):
                family, make = DOORS[name]
                own = Path(folder, str(number))
                own.mkdir()
                yield name, self._through(name, make, Case(self.given, family, own))

    def _through(self, name, make, case):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                work = make(case)
        except Exception:  # noqa: BLE001 - what another library cannot hold does not come through its door
            return None
        if work is None:
            return None
        is_json = name.startswith("command")
        found = answer(work)
        wanted = self.wanted(case, json_too=is_json)
        if not isinstance(found, Refusal):
            found = dict(as_json(found)) if is_json else answer(lambda: told(found, self.thorough))
        only = EXACT if name in ("sqlite", "duckdb") and self.given.task == "scores" else ""
        told_apart = differences(found, wanted, only)
        if is_json and not all(type(each) in (str, int) for each in case.names):
            told_apart = [
                each for each in told_apart if not (isinstance(each[1], str) and isinstance(each[2], str))
            ]
        return [each for each in told_apart if not is_known(name, each[0], case)]

    def wanted(self, case, json_too):
        key = case.family, json_too
        if key not in self._wanted:
            made = answer(reference(case))
            if not isinstance(made, Refusal):
                whole = made
                made = dict(as_json(whole.to_dict())) if json_too else told(whole, self.thorough)
            self._wanted[key] = made
        return self._wanted[key]


def is_known(name, what, case):
    return any(known.covers(name, what, case) for known in KNOWN)


def law_of(name, difference):
    """What is broken, so that like failures are one: the door and what differs, a refusal with its kinds."""
    what, here, there = difference
    if what == "refusal":
        return f"{name}: {here.partition(':')[0]} for {there.partition(':')[0]}"
    return f"{name}: {re.sub(r'[0-9]+', '#', what).partition('.')[0]}"


def failures(number, doors, every=THOROUGH):
    """The laws that the input of a number breaks, and how."""
    given = drawn(number)
    found, asked = {}, 0
    for name, broken in Held(given, number % every == 0).broken(doors):
        asked += broken is not None
        if broken:
            found[law_of(name, broken[0])] = (name, broken)
    return given, found, asked


def doors_of(number):
    """The doors of the fast run for an input, each as often as the others; two that are slow less so."""
    rng = np.random.default_rng([5, number])
    return [str(each) for each in rng.choice([*DOORS], DOORS_EACH, replace=False)]


@pytest.mark.parametrize("start", range(0, INPUTS, 10))
def test_every_door_tells_the_same(start):
    broken = {}
    for number in range(start, start + 10):
        _, found, _ = failures(number, doors_of(number))
        broken |= {law: f"input {number}: {differences[:3]}" for law, (_, differences) in found.items()}
    assert not broken, "\n".join(f"{law}\n  {how}" for law, how in broken.items())


# -- many inputs --------------------------------------------------------------------------------------------------


def work(numbers, doors):
    """What a share of the inputs breaks: by law how often, and the first input of each."""
    counts, first, asked = Counter(), {}, 0
    for number in numbers:
        given, found, through = failures(number, doors)
        asked += through
        for law, (name, broken) in found.items():
            counts[law] += 1
            if law not in first or len(given) < len(first[law][1]):
                first[law] = (number, given, name, broken)
    return counts, first, asked, len(numbers)


def shrunk(law, given, name, thorough):
    def fails(some):
        return any(
            law_of(door_name, each[0]) == law
            for door_name, each in Held(some, thorough).broken([name])
            if each
        )

    return smaller(given, fails)


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.laws.test_doors", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--inputs", type=int, default=1000, help="how many (1000)")
    parser.add_argument("--seed", type=int, default=0, help="the first input (0)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--doors", default=".*", help="only doors whose names match this")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after so long")
    given = parser.parse_args()
    doors = [name for name in DOORS if re.search(given.doors, name)]
    began, counts, first, asked, done = time.monotonic(), Counter(), {}, 0, 0
    numbers = range(given.seed, given.seed + given.inputs)
    shares = [numbers[i : i + 20] for i in range(0, len(numbers), 20)]
    pool = ProcessPoolExecutor(given.jobs) if given.jobs > 1 else contextlib.nullcontext()
    with pool as workers:
        results = (
            workers.map(work, shares, [doors] * len(shares))
            if workers
            else (work(each, doors) for each in shares)
        )
        for more, firsts, through, many in results:
            counts, asked, done = counts + more, asked + through, done + many
            for law, each in firsts.items():
                if law not in first:
                    first[law] = each
                    print(f"== {law} (input {each[0]}): {each[3][:2]}"[:700], flush=True)
            if time.monotonic() - began > given.minutes * 60:
                break
            if done % 200 == 0:
                print(
                    f"{done:,} inputs, {asked:,} doors, {len(counts)} laws broken",
                    file=sys.stderr,
                    flush=True,
                )
    show(done, asked, counts, first, time.monotonic() - began)
    sys.exit(bool(counts))


def show(done, asked, counts, first, seconds):
    print(f"\n{done:,} inputs through {asked:,} doors in {seconds:,.0f} s: {len(counts)} laws broken")
    for law, many in counts.most_common():
        number, given, name, _ = first[law]
        small = shrunk(law, given, name, number % THOROUGH == 0)
        _, broken = next(iter(Held(small, number % THOROUGH == 0).broken([name])))
        print(
            f"\n{many} × {law} (first: input {number})\n   {small}\n   {[(w, h, t) for w, h, t in (broken or [])[:3]]}"[
                :2500
            ]
        )


if __name__ == "__main__":
    main()
