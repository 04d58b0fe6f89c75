"""The doors: each a function of a case that makes the call, or gives None where the rows cannot come through it."""

import json

import numpy as np
from tests.fuzz.outside.files import command
from tests.laws.door_answers import Refusal, Refusing, answer
from tests.laws.door_case import array, in_csv, in_order, text_array
from tests.support.wing_samples import modules_named

import classay as ca

DOORS = {}
"""By name: the family of its rows, and a function of a case that makes the call, or gives None where it cannot be."""


def door(family="values"):
    def register(make):
        DOORS[make.__name__.replace("_", " ")] = (family, make)
        return make

    return register


def reference(case, **more):
    """What is wanted of every door of a family: all rows at once, as a dict of lists."""
    labels = categories(case) if case.is_ordered else list
    columns = case.held(
        labels, (lambda values: values) if case.is_short else (lambda values: values.tolist())
    )
    return lambda: ca.assess(columns, **case.roles, **(case.how | more))


def categories(case):
    import pandas as pd

    order = [*case.names]
    return lambda values: pd.Series(pd.Categorical(values, order, ordered=True))


def pieces(case, labels, numbers=np.asarray):
    """Arguments of `assess` for columns that come one by one."""
    made, more = case.held(labels, numbers), dict(case.how)
    more |= {
        role: made[name]
        for role, name in case.roles.items()
        if role in ("weight", "frequency", "cluster", "id")
    }
    if "q" in made:
        more["y_pred"] = made["q"]
    score = made.get("p")
    if case.given.task == "class scores":
        order = case.how.get("labels") or (case.names if case.is_ordered else in_order(case.names))
        more["labels"] = order
        score = np.column_stack([np.asarray(made[f"s{case.names.index(name)}"]) for name in order])
    return lambda: ca.assess(made["y"], score, **more)


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
        if case.is_ordered:
            return pl.Series(values, dtype=pl.Enum([*case.names]))
        return pl.Series(values, strict=True)

    return pl.DataFrame(case.held(labels, pl.Series))


def arrow_of(case):
    import pyarrow as pa

    def labels(values):
        if not case.is_ordered:
            return pa.array(values)
        codes = pa.array([None if each is None else case.names.index(each) for each in values], pa.int32())
        return pa.DictionaryArray.from_arrays(codes, pa.array(case.names), ordered=True)

    return pa.table(case.held(labels, pa.array))


@door()
def pandas_frame(case):
    return of_frame(case, pandas_of(case))


@door()
def pandas_frame_of_nullable_columns(case):
    if case.given.kind in ("long numbers", "longer numbers"):
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
def arrow_table_of_encoded_columns(case):
    if case.is_ordered:
        return None
    import pyarrow as pa

    made = arrow_of(case)
    return of_frame(
        case, pa.table({name: made[name].combine_chunks().dictionary_encode() for name in made.column_names})
    )


@door()
def rows_in_another_order(case):
    order = np.random.default_rng(case.given.seed).permutation(len(case.given))
    return reference(case.part(order))


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
        named_too = [names[role] for role in ("cluster", "id") if role in names]
        named = [
            *case.how.get("labels", ()),
            *(names["score"] if isinstance(names.get("score"), dict) else ()),
        ]
        table = read_table(path, columns, labels=labels + named_too, together=labels, named=named)
        return ca.assess(table, **case.roles, **case.how)

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


# -- parts that are added, saved and loaded


def added(case, order=1, seed=0, through=None):
    """Parts of the rows, assessed one by one and added; labels are declared where a part may lack one."""
    rng = np.random.default_rng([case.given.seed, seed])
    parts = [
        each.tolist() for each in np.array_split(rng.permutation(len(case.given)), min(3, len(case.given)))
    ]
    whole, more, made = answer(reference(case)), {}, []
    if "labels" not in case.how and not case.is_ordered and not_everywhere(case, parts):
        more = {} if isinstance(whole, Refusal) else {"labels": [*whole.labels]}
    for places in parts:
        found = answer(reference(case.part(places), **more))
        if isinstance(found, Refusal):
            return (lambda refusal=found: raising(refusal)) if isinstance(whole, Refusal) else None
        made.append(found)

    def work():
        kept = made if through is None else [through(each, number) for number, each in enumerate(made)]
        total = kept[::order][0]
        for each in kept[::order][1:]:
            total = total + each
        return total

    return work


def raising(refusal):
    raise Refusing(refusal)


def not_everywhere(case, parts):
    """Whether some part lacks a label, or a part of text may be taken for what it is not."""
    stays = case.given.answered if case.how.get("unanswered") == "drop" else [True] * len(case.given)
    codes = [
        () if truth is None or not stays else (truth, said)  # a row that is left out is so with what was said
        for truth, said, stays in zip(
            case.given.truth, case.given.said or case.given.truth, stays, strict=True
        )
    ]
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

    return added(case, seed=2, through=through)


@door()
def saved_and_loaded(case):
    def work():
        path = case.folder / "whole.classay"
        reference(case)().save(path)
        return ca.load(path)

    return work


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
    return found + [
        f"--{name}={how[name]}" for name in ("missing", "unanswered", "level", "threshold") if name in how
    ]


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
    """Labels that options name are read as those of the column, so that a number beside texts is a text there."""
    is_named = case.given.declared or case.given.task == "class scores"
    if not case.is_plain or case.is_ordered or (case.given.kind.startswith("number and") and is_named):
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


modules_named("law_doors")  # register the doors of wings
