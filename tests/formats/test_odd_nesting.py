"""Whatever stands in nested columns and in paths into them: a result, or an error of one line."""

import json
import random
import warnings

import pyarrow as pa
import pytest
from pyarrow import parquet

import classay as ca
from classay.errors import ClassayError
from classay.sources.files import column_names, read_table

PATHS = [
    "y", "p", "d.a", "d.a.b", "d", "p[0]", "p[1 of 2]", "d{a}", "d{yes}", "d.a[0].b", "p.values", "p.type[0]", "q#2",
    "d.x[0]", "p[99]", ".", "[0]", "d.", "p[0", "p[0]x", "d..a", "p[0 of 0]",
]  # fmt: skip
PLAIN = [None, True, 1, 0, 2.5, "a", "yes", "2025-01-01", 2**70, -1, [], {}, float("nan")]
NAMES = ["a", "b", "a.b", "type", "values", "no", "yes", "x[0]"]


def value(draw, depth=0):
    kind = draw.random()
    if depth > 3 or kind < 0.5:
        return draw.choice(PLAIN)
    if kind < 0.75:
        return [value(draw, depth + 1) for _ in range(draw.randint(0, 3))]
    return {draw.choice(NAMES): value(draw, depth + 1) for _ in range(draw.randint(0, 3))}


def scores(draw, form):
    if draw.random() < 0.3 or form == "odd":
        return value(draw)
    p = draw.random()
    return {"list": [p, 1 - p], "keys": {"no": p, "yes": 1 - p}, "vector": {"type": 1, "values": [p, 1 - p]}}[
        form
    ]


def written(draw, path):
    """Rows in a file of a random form, under a name with its ending; None where Arrow cannot hold them."""
    form = draw.choice(["list", "keys", "vector", "odd"])
    rows = [
        {"y": draw.choice(["no", "yes"]), "p": scores(draw, form), "d": value(draw)}
        for _ in range(draw.randint(0, 6))
    ]
    rows = [{name: cell for name, cell in row.items() if draw.random() < 0.9} for row in rows]
    columns = {name: [row.get(name) for row in rows] for name in ("y", "p")}
    texts = {
        "a.jsonl": "\n".join(map(json.dumps, rows)),
        "lines.json": "\n".join(map(json.dumps, rows)),
        "rows.json": json.dumps(rows),
        "indented.json": json.dumps({"rows": rows}, indent=1),
        "columns.json": json.dumps(columns),
        "odd.json": json.dumps(value(draw)),
    }
    name = draw.choice([*texts, "a.parquet"])
    if name in texts:
        (path / name).write_text(texts[name])
    else:
        try:
            parquet.write_table(pa.Table.from_pylist(rows), path / name)
        except (pa.ArrowException, OverflowError):
            return None, columns
    return path / name, columns


def answer(call):
    try:
        call()
    except ClassayError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("seed", range(40))
def test_odd_nesting_is_a_result_or_one_line(tmp_path, seed):
    draw = random.Random(seed)
    path, columns = written(draw, tmp_path)
    names, labels = draw.sample(PATHS, draw.randint(1, 3)), draw.choice([None, ["no", "yes"]])
    same = {"positive": "yes", "missing": "drop", "unanswered": "drop"}
    calls = [lambda: ca.assess(columns["y"], columns["p"], **same)]
    if path is not None:
        calls += [
            lambda: read_table(path, names, labels=names[:1]),
            lambda: column_names(path),
            lambda: ca.scan(str(path), truth="y", score="p", labels=labels, **same),
        ]
    for call in calls:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert "\n" not in answer(call)
