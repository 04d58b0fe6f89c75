"""Lists of cases to label: how a file is recognized as one, and what must not be overwritten."""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classay.errors import ClassayError, InputError
from classay.files.writing import SAVED
from classay.texts import hint

if TYPE_CHECKING:
    import pyarrow as pa

    from classay.assessment.row_arguments import RowArguments
    from classay.label.planning import LabelPlan

ROW = "pool_row"
"""The column of rows of the pool in a list of cases to label."""
DRAWN = ("stratum", "chance")
"""The columns of how a case was drawn, which a blind list lacks."""
ENDING = ".plan.json"


def plan_beside(file: str) -> str | None:
    """Return the plan beside a file, None where there is none."""
    plan = Path(file).with_suffix(ENDING)
    return str(plan) if plan.expanduser().is_file() else None


def is_list(columns: Collection[Any], file: str | None = None) -> bool:
    """Check whether columns are those of a list: by their names, or of a blind list by the plan beside the file."""
    if ROW not in columns:
        return False
    return {*DRAWN} <= {*columns} or (file is not None and plan_beside(file) is not None)


def refuse_list(file: str, reading: Any) -> None:
    """Raise InputError for a list whose cases would count as a simple random sample."""
    if file == "-" or file.endswith(SAVED):
        return
    columns: list[str] = []
    with suppress(ClassayError, OSError, ValueError):  # what is wrong is said where the rows are read
        columns = reading.column_names(file)
    if is_list(columns, file):
        _refuse(file, plan_beside(file) or "PLAN")


def refuse_frame(_: None, frame: Any, options: RowArguments) -> None:
    """Raise InputError for a frame of such a list, where its columns are named."""
    if options.get("truth") is None or options.get("weight") is not None:
        return
    names = frame if isinstance(frame, Mapping) else getattr(frame, "column_names", None)
    columns = getattr(frame, "columns", ()) if names is None else names
    if is_list([*map(str, columns)]):
        _refuse("The frame", "PLAN")


def _refuse(name: str, plan: str) -> None:
    use = hint("Pass design=plan, with plan of `LabelPlan.load`.", f"Use --design {plan}.")
    raise InputError(f"{name} is a list of `classay label`: its cases were drawn with unequal chances. {use}")


def described(
    _: None, columns: Collection[str], file: str
) -> tuple[tuple[str, ...], Mapping[str, tuple[str, str]]] | None:
    """Return a command on a list and what its columns are; None for another file, no command without a plan beside."""
    if not is_list(columns, file):
        return None
    from classay.label.planning import LabelPlan

    words: tuple[str, ...] = ()
    with suppress(ClassayError):
        if plan_file := plan_beside(file):
            models = LabelPlan.load(plan_file).models
            of_models = ("compare", "--scores", ",".join(models)) if models else ("assess",)
            words = (*of_models, "--design", plan_file)
    roles = {
        ROW: ("id", "row of the pool"),
        DRAWN[0]: ("group", "stratum of the plan"),
        DRAWN[1]: ("weight", "chance with which the case was drawn, which --design takes from the plan"),
    }
    return words, {name: role for name, role in roles.items() if name in columns}


def refuse_lost_labels(file: str, content: bytes, pool: pa.Table) -> None:
    """Raise InputError where a file has columns or values that the list, which would replace it, lacks."""
    path = Path(file).expanduser()
    if not path.is_file() or not path.stat().st_size:
        return
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            old = csv.DictReader(stream)
            columns, cells = [*(old.fieldnames or ())], [*old]
    except (OSError, ValueError, csv.Error):
        columns, cells = ["no text"], []
    written = csv.DictReader(content.decode().splitlines(keepends=True))
    header = {*(written.fieldnames or ())} | {*pool.column_names, ROW, *DRAWN}
    lost = [name for name in columns if name not in header] or ([] if ROW in columns else columns)
    if not lost:
        new = {row[ROW]: row for row in written}
        lost = [name for row in cells for name in _lost_in(row, new, pool)]
    if lost:
        raise InputError(
            f"--out would overwrite {file}, and the column {lost[0]} would be lost. Choose another file, or draw more "
            "cases with --after."
        )


def _lost_in(row: Mapping[str, str], new: Mapping[str, Mapping[str, str]], pool: pa.Table) -> Iterator[str]:
    """Yield the columns of a former row whose value neither the new list nor the pool has."""
    place = row.get(ROW) or ""
    for name in row.keys() - {ROW, *DRAWN}:
        if not row[name]:
            continue
        if name in new.get(place, ()):
            is_lost = not new[place][name]
        else:
            is_known = name in pool.column_names and place.isdigit() and int(place) < pool.num_rows
            is_lost = not is_known or pool[name][int(place)].as_py() in (None, "")
        if is_lost:
            yield name


def refuse_lost_plan(file: str, plan_file: str, plan: LabelPlan) -> None:
    """Raise InputError where the plan of another list would be replaced."""
    path = Path(plan_file).expanduser()
    if not path.is_file() or Path(file).expanduser().is_file() or not path.stat().st_size:
        return
    with suppress(OSError, ValueError):
        if json.loads(path.read_text(encoding="utf-8")) == json.loads(json.dumps(plan.to_dict())):
            return
    raise InputError(
        f"--out would overwrite {plan_file}, and the labels of its list need it. Choose another file."
    )
