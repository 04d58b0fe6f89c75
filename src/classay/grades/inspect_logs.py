"""Logs of Inspect: `.eval` archives, of which summaries are read and no transcripts, and `.json`."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from classay.columns.numbers import counted
from classay.errors import FileError
from classay.grades.archives import member_chunks
from classay.grades.json_stream import chunks_of, items, members
from classay.grades.records import Grade, Reported, Run, as_text, digest, groups_in

HEADER, START, SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
_JOURNAL = re.compile(r"_journal/summaries/(\d+)\.json")
_SAMPLE = re.compile(r"samples/.+\.json")
_UNFINISHED = {
    "started": "The job still runs or was ended",
    "cancelled": "The job was cancelled",
    "error": "The job ended with an error",
}


def read_archive(path: str) -> Iterator[Run]:
    """Yield the run of an `.eval` file."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        header = _object(archive, HEADER if HEADER in names else START)
        yield _run(path, header, _summaries(archive, names))


def read_json(path: str) -> Iterator[Run]:
    """Yield the run of a `.json` log; its samples come last and are read one by one."""
    with open(path, "rb") as file:
        header: dict[str, Any] = {}
        pieces = members(chunks_of(file), {"samples"})
        for name, value in pieces:
            if name == "samples":
                yield _run(path, header, _with_first(value, pieces))
                return
            header[name] = value
        yield _run(path, header, ())


def _with_first(first: Any, pieces: Iterator[tuple[str, Any]]) -> Iterator[Any]:
    yield first
    for name, value in pieces:
        if name == "samples":
            yield value


def _object(archive: zipfile.ZipFile, name: str) -> dict[str, Any]:
    return dict(members(member_chunks(archive, name), ()))


def _summaries(archive: zipfile.ZipFile, names: list[str]) -> Iterator[Any]:
    """Yield what the log says of each sample: of a job that still runs, from its journal."""
    if SUMMARIES in names:
        yield from items(member_chunks(archive, SUMMARIES))
        return
    parts = sorted((int(match[1]), name) for name in names if (match := _JOURNAL.fullmatch(name)))
    for _, name in parts:
        yield from items(member_chunks(archive, name))
    if not parts:
        for name in names:
            if _SAMPLE.fullmatch(name):
                yield _object(archive, name)


def _run(path: str, header: Mapping[str, Any], samples: Iterable[Any]) -> Run:
    about = _mapping(header.get("eval"))
    config, dataset = _mapping(about.get("config")), _mapping(about.get("dataset"))
    run = Run(
        path,
        "Inspect",
        as_text(_mapping(about.get("packages")).get("inspect_ai", "")),
        task=_text(about.get("task")),
        model=_text(about.get("model")),
        identity=as_text(about.get("eval_id") or ""),
        about={"task version": as_text(about.get("task_version", 0)), "data": as_text(dataset.get("name"))},
    )
    for sample in samples:
        _add(run, _mapping(sample))
    _report(run, _mapping(header.get("results")), _whole(config.get("epochs"), 1))
    _warn(run, header, _whole(dataset.get("samples"), 0) * _whole(config.get("epochs"), 1))
    return run.finished()


def _add(run: Run, sample: Mapping[str, Any]) -> None:
    """Add a sample, of a summary or of a whole sample, whose keys are the same."""
    if "id" not in sample or "scores" not in sample:
        raise FileError(
            f"{Path(run.file).name} has a sample without an id or scores. Write the log again with Inspect."
        )
    grades: dict[Grade, Any] = {}
    for scorer, score in _mapping(sample["scores"]).items():
        value = _mapping(score).get("value")
        if isinstance(value, Mapping):
            grades |= {Grade(f"{scorer}/{name}"): each for name, each in value.items()}
        else:
            grades[Grade(scorer)] = value
    run.add(
        as_text(sample["id"]),
        _whole(sample.get("epoch"), 1),
        None if sample.get("target") in (None, "") else digest(sample["target"]),
        failed=bool(sample.get("error")),
        grades=grades,
        groups=groups_in(sample.get("metadata")),
    )


def _report(run: Run, results: Mapping[str, Any], epochs: int) -> None:
    """Keep the means that Inspect reports."""
    total, completed = _whole(results.get("total_samples"), 0), _whole(results.get("completed_samples"), 0)
    for each in map(_mapping, results.get("scores") or ()):
        name, scorer = as_text(each.get("name")), as_text(each.get("scorer"))
        grade = Grade(name) if Grade(name) in run.grades else Grade(f"{scorer}/{name}")
        metrics = {
            key: _mapping(metric).get("value") for key, metric in _mapping(each.get("metrics")).items()
        }
        value = next((metrics[key] for key in ("accuracy", "mean") if key in metrics), None)
        if not isinstance(value, int | float) or grade not in run.grades:
            continue
        error = metrics.get("stderr")
        scored = counted(_whole(each.get("scored_samples"), 0), "question")
        scored += f"; {completed:,} of {total:,} answers completed"
        run.reported[grade] = Reported(
            float(value),
            float(error) if isinstance(error, int | float) else None,
            f"mean of the means of {scored}" if epochs > 1 else f"mean of {scored}",
        )


def _warn(run: Run, header: Mapping[str, Any], expected: int) -> None:
    status, rows = header.get("status", "started"), len(run.case)
    if status in _UNFINISHED:
        run.warnings.append(f"{_UNFINISHED[status]}: the log has {rows:,} of {expected:,} answers.")
    elif rows < expected:
        run.warnings.append(f"The log has {rows:,} of {expected:,} answers.")
    if header.get("invalidated"):
        run.warnings.append("Samples of the log were invalidated. They are counted.")
    if header.get("version") not in (None, 2):
        run.warnings.append(f"The log has format {header['version']}. Logs of format 2 were tried.")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str | None:
    return None if value is None else as_text(value)


def _whole(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise
