"""Lists of cases to label: how a file is recognized as one, and what must not be overwritten."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classay.errors import ClassayError, InputError
from classay.sources.inputs import frame_names, is_known_name
from classay.texts import hint

if TYPE_CHECKING:
    import pyarrow as pa

ROW = "pool_row"
"""The column of rows of the pool in a list of cases to label, by which a table is recognized as one."""
DRAWN = ("stratum", "chance")
"""The columns of how a case was drawn, which a blind list lacks."""
ENDING = ".plan.json"


def plan_beside(file: str) -> str | None:
    """Return the plan beside a file, None where there is none."""
    plan = Path(file).with_suffix(ENDING)
    return str(plan) if plan.expanduser().is_file() else None


def drawn_list(_: None, source: Any, reading: Any = None) -> tuple[str, str] | None:
    """Return what a frame or file is called that is a list of drawn cases, and what to use; None of others."""
    if isinstance(source, str | Path):
        file = str(source)
        return _named(file, plan_beside(file)) if ROW in _columns_of(file, reading) else None
    is_frame = isinstance(source, Mapping) or hasattr(type(source), "columns")  # others can be read once only
    names: list[str] = []
    with suppress(Exception):  # what is wrong is said where the rows are read, as of files
        names = [*map(str, frame_names(source))] if is_frame else []
    return _named("The frame", None) if ROW in names else None


def _columns_of(file: str, reading: Any) -> list[str]:
    """Return the columns of a file; none where they are not known quickly, and no plan is beside it."""
    from classay.sources.files import column_names

    path = Path(file).expanduser()
    with suppress(ClassayError, OSError, ValueError):  # what is wrong is said where the rows are read
        if path.is_file() and (is_known_name(file) or plan_beside(file)):
            arguments = {} if reading is None else reading.arguments
            return [name for name, _ in column_names(file, **arguments)]
    return []


def _named(name: str, plan: str | None) -> tuple[str, str]:
    verb = "compare" if _models_of(plan) else "assess"
    use = hint(
        f"Use `{verb}` with design=LabelPlan.load(path).",
        f"Use `classay {verb} --design {plan or 'PLAN'}`.",
    )
    return name, use


def _models_of(plan: str | None) -> tuple[str, ...] | None:
    """Return the models that a plan in a file compares; None where there is no plan, or a damaged one."""
    from classay.label.planning import LabelPlan

    with suppress(ClassayError):
        return None if plan is None else LabelPlan.load(plan).models
    return None


def described(
    _: None, columns: Collection[str], file: str
) -> tuple[tuple[str, ...], Mapping[str, tuple[str, str]]] | None:
    """Return a command on a list and what its columns are; None for another file, no command without a plan beside."""
    if ROW not in columns:
        return None
    plan_file = plan_beside(file)
    models = _models_of(plan_file)
    words: tuple[str, ...] = ()
    if plan_file is not None and models is not None:
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
    written = csv.DictReader(io.StringIO(content.decode(), newline=""))
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
