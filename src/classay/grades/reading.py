"""`read_grades`: runs of logs and tables with one grade of each answer, in one frame."""

from __future__ import annotations

import glob
import os
import re
import struct
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import counted
from classay.comparison.cases.graded import Better
from classay.errors import ClassayError, FileError, InputError, nearest
from classay.grades import tables
from classay.grades.log_formats import FORMATS, incomplete, recognized
from classay.grades.maps import Bounds, Mapped, mapped
from classay.grades.records import SILENT, Grade, Reported, Run
from classay.grades.tables import GradeColumns, TableReading
from classay.kinds import TypedFields, checked
from classay.sources.inputs import is_address
from classay.texts import clean, cut, hint, listed, some
from classay.wings import thing

if TYPE_CHECKING:
    import pyarrow as pa

_INSPECT_NAME = re.compile(r"(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)[-+]\d\d-\d\d_.+_\w{22}")
"""The name of a file of Inspect: the time with its zone, the task, and an id."""
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
_DAMAGED = (
    ValueError, OverflowError, TypeError, KeyError, AttributeError, OSError, EOFError, zlib.error, struct.error
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class GradedRun:
    """A run with one grade of every answer.

    Attributes
    ----------
    name : str
        Name of the run: its model, or its file where models are equal.
    tool, file : str
        Who wrote the log, and where it is.
    task : str or None
        The task, if the log names one.
    grade : str
        Name of the grade, with its filter.
    case : tuple of str
        The case of each answer.
    repeat : numpy.ndarray
        The number of each answer among those to its case, such as the epoch.
    target : tuple of str or None
        Hash of the reference answer.
    mapped : Mapped
        The grades as numbers, and why some lack.
    groups : mapping of str to tuple of str
        Groups of each answer, by the name of the column.
    about : mapping of str to str
        What runs should agree in.
    reported : Reported or None
        The mean that the tool reports.
    better : {"higher", "lower"}
        Which grades are better.
    notes : tuple of str
        What a reader must know of the log, such as that the job still runs.
    """

    name: str
    tool: str
    file: str
    task: str | None
    grade: str
    case: tuple[str, ...]
    repeat: NDArray[Any]
    target: tuple[str | None, ...]
    mapped: Mapped
    groups: Mapping[str, tuple[str | None, ...]]
    about: Mapping[str, str]
    reported: Reported | None
    better: Better
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        graded = int((~np.isnan(self.mapped.values)).sum())
        return f"GradedRun({self.name}: {self.grade}, {graded:,} of {len(self.case):,} answers graded)"


@dataclass(frozen=True, eq=False)
class GradedRuns(TypedFields):
    """Runs with one grade of every answer, as `read_grades` returns them.

    Attributes
    ----------
    runs : tuple of GradedRun
        The runs, in the order of the files.
    """

    runs: tuple[GradedRun, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(run.name for run in self.runs)

    def frame(self) -> pa.Table:
        """Return a row for every answer of every run, as a PyArrow table.

        Columns: run, task, case, repeat, grade (null where there is none), status (graded, error, no grade,
        scorer silent), target, and a column for each group. `.to_pandas()` or `polars.from_arrow(…)` convert it.

        Returns
        -------
        pyarrow.Table
            The answers.
        """
        import pyarrow as pa

        names = [*dict.fromkeys(name for run in self.runs for name in run.groups)]

        def column(values: Iterable[Any], kind: Any) -> Any:
            return pa.chunked_array([pa.array(part, kind) for part in values])

        def repeated(values: Sequence[str | None]) -> Any:
            parts = (
                pa.repeat(pa.scalar(value, pa.string()), len(run.case)).dictionary_encode()
                for run, value in zip(self.runs, values, strict=True)
            )
            return pa.chunked_array([*parts], pa.dictionary(pa.int32(), pa.string())).combine_chunks()

        columns = {
            "run": repeated(self.names),
            "task": repeated([run.task for run in self.runs]),
            "case": column((run.case for run in self.runs), pa.string()),
            "repeat": column((run.repeat for run in self.runs), pa.int64()),
            "grade": pa.chunked_array([pa.array(run.mapped.values, from_pandas=True) for run in self.runs]),
            "status": column((run.mapped.statuses for run in self.runs), pa.string()).dictionary_encode(),
            "target": column((run.target for run in self.runs), pa.string()),
        }
        for name in names:
            groups = [run.groups.get(name, (None,) * len(run.case)) for run in self.runs]
            key = name if name not in columns else f"{name} (group)"
            columns[key] = column(groups, pa.string()).dictionary_encode()
        return pa.table(columns)

    def __repr__(self) -> str:
        return f"GradedRuns({', '.join(map(repr, self.runs))})"


@checked
def read_grades(
    paths: Paths,
    *,
    grade: str | None = None,
    filter: str | None = None,
    task: str | None = None,
    columns: GradeColumns | None = None,
    map: Mapping[str, float] | None = None,
    bounds: tuple[float, float] | None = None,
) -> GradedRuns:
    """Read the grades of language models' answers from logs and tables.

    Logs of Inspect, lm-evaluation-harness, promptfoo, deepeval and MLflow are recognized by their keys.
    Of all other files the columns are named.

    Parameters
    ----------
    paths : str, path or list
        Files, folders or patterns such as "logs/*.eval".
    grade : str, optional
        The scorer, metric or column with the grades. It is needed where there are several.
    filter : str, optional
        The filter of answers, of logs of lm-evaluation-harness that have several.
    task : str, optional
        The task, where the logs are of several.
    columns : GradeColumns, optional
        The columns of a table that is not a log of a known tool.
    map : mapping of str to float, optional
        The number of every grade, such as `{"C": 1, "P": 0.5, "I": 0}`. By default, numbers stay, yes and true
        are 1, no and false 0, and the letters of Inspect have its numbers.
    bounds : (float, float), optional
        Smallest and largest possible grade. By default they are those of the map.

    Returns
    -------
    GradedRuns
        The runs. Answers without a grade are in its frame with the reason.

    Raises
    ------
    InputError
        If a file has several grades, filters or tasks and none is named.
        If a grade has no number, or is outside the bounds.
        If an answer occurs twice.
    FileError
        If a file is missing, damaged or not a log.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import classay as ca
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "grades.csv"
    ...     _ = path.write_text("item,grade\\na,yes\\nb,no\\nc,yes\\n")
    ...     ca.read_grades(path, grade="grade", columns=ca.GradeColumns(case="item"))
    GradedRuns(GradedRun(grades: grade, 3 of 3 answers graded))
    """
    return graded_runs(
        read_runs(paths, columns, grade), grade=grade, filter=filter, task=task, map=map, bounds=bounds
    )


def graded_runs(
    all_runs: Iterable[Run],
    *,
    grade: str | None,
    filter: str | None,
    task: str | None,
    map: Mapping[str, float] | None,
    bounds: Bounds | None,
) -> GradedRuns:
    """Return runs of one task with the chosen grade; see `read_grades`."""
    runs = [*all_runs]
    _refuse_same(runs)
    runs = _of_task(runs, task)
    chosen = _chosen_grade(runs, grade, filter)
    names = _names(runs)
    graded = [_graded(run, name, chosen, map, bounds) for run, name in zip(runs, names, strict=True)]
    for run, name in zip(runs, names, strict=True):
        for text in run.warnings:
            warnings.warn(f"{name}: {text}", stacklevel=2)
    return GradedRuns(tuple(graded))


def read_runs(
    paths: Paths,
    columns: GradeColumns | None = None,
    grade: str | None = None,
    reading: TableReading | None = None,
) -> Iterator[Run]:
    """Yield every run of files, folders and patterns, with all its grades."""
    for path, is_named in _files(paths):
        known = recognized(path)
        if known is None and not is_named:
            continue
        name = os.path.basename(path)
        try:
            if known is None:
                yield from tables.read(path, columns or GradeColumns(), grade, reading or TableReading())
                continue
            for run in thing(known.reader)(path):
                if not run.case:
                    raise FileError(f"{name} has no answers. Use a log with at least one.")
                _warn_of_version(run, known.tried)
                yield run
        except ClassayError:
            raise
        except zipfile.BadZipFile as error:
            raise incomplete(path) from error
        except _DAMAGED as error:
            tried = "a table" if known is None else f"a log of {known.tool} ({known.tried} was tried)"
            why = cut(clean(" ".join(str(error).split())), 80)
            raise FileError(
                f"{name} cannot be read as {tried}: {why}. It may be cut or still be written. Copy or write it again."
            ) from error


def _files(paths: Paths) -> list[tuple[str, bool]]:
    """Return the files, and whether each was named; those of folders that are no log are skipped."""
    listed_paths = [paths] if isinstance(paths, str | os.PathLike) else [*paths]
    files: dict[str, bool] = {}
    real: set[str] = set()
    for path in listed_paths:
        text = os.path.expanduser(os.fspath(path))
        if os.path.isdir(text):
            inside = sorted(str(file) for file in Path(text).rglob("*") if file.is_file())
            logs = [
                file for file in inside if (known := recognized(file)) is not None and not known.is_refused
            ]
            if not logs:
                raise FileError(f"The folder {text} has no log of a known tool. Known: {known_logs()}.")
            files |= dict.fromkeys(logs, False)
            real.update(map(os.path.realpath, logs))
        elif os.path.exists(text):
            if os.path.realpath(text) in real:
                raise InputError(f"{text} is named twice. Name each run once.")
            files[text] = True
            real.add(os.path.realpath(text))
        elif matching := sorted(glob.glob(text)):
            files |= dict.fromkeys(matching, True)
            real.update(map(os.path.realpath, matching))
        else:
            raise _no_file(text)
    if not files:
        raise InputError("No file is named. Name at least one log.")
    return [*files.items()]


def _no_file(path: str) -> FileError:
    """Return the error of a path without a file, which repeats no address: it may have a password."""
    if is_address(path):
        scheme = path.partition("://")[0]
        return FileError(
            f"Runs are read from files, not from addresses ({scheme:.20}://…). Copy the file to a folder."
        )
    return FileError(f"File not found: {path}. Check the path.")


def known_logs() -> str:
    """Return the names of the tools whose logs are read."""
    return listed([*dict.fromkeys(known.tool for known in FORMATS)])


def _warn_of_version(run: Run, tried: str) -> None:
    """Warn of a log of a tool that is newer than what was tried."""
    numbers = [
        tuple(int(part) for part in text.split(".")[:2] if part.isdigit())
        for text in (run.tool_version, tried)
    ]
    if numbers[0] > numbers[1]:
        run.warnings.append(
            f"{run.tool} {run.tool_version} is newer than {tried}, which was tried. Check some grades."
        )


def _refuse_same(runs: Sequence[Run]) -> None:
    """Refuse two files of one run."""
    files: dict[str, str] = {}
    for run in runs:
        if run.identity and (other := files.setdefault(run.identity, run.file)) != run.file:
            raise InputError(
                f"{os.path.basename(other)} and {os.path.basename(run.file)} are logs of the same run. Name one."
            )


def _of_task(runs: list[Run], task: str | None) -> list[Run]:
    """Return the runs of one task. Raises InputError where there are several and none is named."""
    tasks = Counter(run.task for run in runs if run.task is not None)
    if task is None:
        if len(tasks) > 1:
            names = some([f"{name} ({counted(number, 'run')})" for name, number in sorted(tasks.items())])
            first = min(tasks)
            raise InputError(
                f"The files are of {len(tasks):,} tasks: {names}. Use one: "
                + hint(f"task={first!r}.", f"--task {first}.")
            )
        return runs
    if task not in tasks:
        known = f"Tasks: {some(sorted(tasks))}" if tasks else "No log names a task"
        raise InputError(f"No run is of the task {task!r}. {known}{nearest(task, tasks) or '.'}")
    return [run for run in runs if run.task == task]


def _chosen_grade(runs: Sequence[Run], name: str | None, filter: str | None) -> Grade:
    """Return the grade that is meant. Raises InputError where several may be, with how many answers have each."""
    counts: Counter[Grade] = Counter()
    for run in runs:
        counts += Counter({grade: len(values) - values.count(SILENT) for grade, values in run.grades.items()})
    if not counts:
        where = os.path.basename(runs[0].file) + (" and other files" if len(runs) > 1 else "")
        failed = sum(sum(run.failed) for run in runs)
        rows = sum(len(run.case) for run in runs)
        raise InputError(
            f"No answer in {where} has a grade: {failed:,} of {rows:,} answers failed. Use a log of a graded run."
        )
    matching = [grade for grade in counts if name in (None, grade.name) and filter in (None, grade.filter)]
    if len(matching) == 1:
        return matching[0]
    names, filters = {grade.name for grade in matching}, {grade.filter for grade in matching}
    if not matching:
        wrong = [repr(word) for word in (name, filter) if word is not None]
        wanted = name if name is not None and name not in {grade.name for grade in counts} else filter
        near = nearest(wanted or "", [word for grade in counts for word in grade if word])
        raise InputError(
            f"No grade is named {' with filter '.join(wrong)}. Grades: {_shown(counts)}{near or '.'}"
        )
    option = ("grade", matching[0].name) if len(names) > 1 else ("filter", sorted(filters)[0])
    what = "grades" if len(names) > 1 else "filters of answers"
    choices = _shown(Counter({grade: counts[grade] for grade in matching}))
    raise InputError(
        f"There are several {what}: {choices}. Choose one, such as "
        + hint(f"{option[0]}={option[1]!r}.", f"--{option[0]} {option[1]}.")
    )


def _shown(counts: Counter[Grade]) -> str:
    """Return grades with how many answers have each; filters only where there are several."""
    is_filtered = len({grade.filter for grade in counts}) > 1
    names = [(str(grade) if is_filtered else grade.name, number) for grade, number in sorted(counts.items())]
    return some([f"{name}, {counted(number, 'answer')}" for name, number in names])


def _short_name(file: str) -> str:
    """Return the name of a file without its ending; of a name that Inspect gives, the time of the run."""
    stem = Path(file).stem
    match = _INSPECT_NAME.fullmatch(stem)
    return stem if match is None else match["time"]


def _names(runs: Sequence[Run]) -> list[str]:
    """Return the names of runs: their models, or their files where models are equal."""
    models = [run.model or "" for run in runs]
    if all(models) and len({*models}) == len(models):
        return models
    files = Counter(run.file for run in runs)
    for of_file in (_short_name, lambda file: Path(file).stem, os.path.basename, str):
        names = [
            of_file(run.file) if files[run.file] == 1 else f"{of_file(run.file)}: {run.model}" for run in runs
        ]
        if len({*names}) == len(names):
            return names
    return [f"{name} ({number})" for number, name in enumerate(names, 1)]


def _twice(run: Run) -> list[tuple[str, int]]:
    """Return the answers that a run has more than once."""
    if len({*run.case}) == len(run.case):
        return []
    answers = [*zip(run.case, run.repeat, strict=True)]
    if len({*answers}) == len(answers):
        return []
    return [answer for answer, number in Counter(answers).items() if number > 1]


def _graded(
    run: Run, name: str, chosen: Grade, table: Mapping[str, float] | None, bounds: Bounds | None
) -> GradedRun:
    """Return a run with its chosen grade. Raises InputError where it has none of this name, or an answer twice."""
    file = os.path.basename(run.file)
    if chosen not in run.grades:
        counts = Counter({grade: len(values) for grade, values in run.grades.items()})
        own = (
            f"Its grades: {_shown(counts)}"
            if counts
            else f"{sum(run.failed):,} of {len(run.case):,} answers failed"
        )
        raise InputError(f"{file} has no grade {chosen}. {own}. Exclude the file.")
    if twice := _twice(run):
        case, repeat = twice[0]
        how = (
            hint("Pass GradeColumns(repeat=…)", "Use --repeat")
            + " with the column that numbers the answers to a case."
            if run.tool == "table"
            else "Keep one answer of each."
        )
        raise InputError(
            f"{file} has {counted(len(twice), 'answer')} more than once, such as case {cut(repr(case), 60)}, "
            f"repeat {repeat}. {how}"
        )
    raw = run.grades[chosen]
    return GradedRun(
        name,
        run.tool,
        run.file,
        run.task,
        str(chosen) if len({grade.filter for grade in run.grades}) > 1 else chosen.name,
        tuple(run.case),
        np.array(run.repeat, np.int64),
        tuple(run.target),
        mapped(raw, run.failed, chosen.name, table=table, bounds=bounds, has_letters=run.tool == "Inspect"),
        {name: tuple(values) for name, values in run.groups.items()},
        run.about,
        run.reported.get(chosen),
        "lower" if chosen in run.lower_is_better else "higher",
        tuple(run.warnings),
    )
