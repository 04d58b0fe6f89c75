"""Samples of lm-evaluation-harness: a line for each question and filter, with the results file of the same date."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from classay.columns.numbers import counted
from classay.errors import FileError, InputError
from classay.grades.json_fields import Fields, json_lines
from classay.grades.records import Reported, Run, digest, grade_named
from classay.texts import cut

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")


def read(path: str) -> Iterator[Run]:
    """Yield the run of a file of samples; the lines of one question, one for each filter, are one answer."""
    match = _NAME.fullmatch(Path(path).name)
    task = match["task"] if match else ""
    results = _results(path, match["date"]) if match else Fields(None)
    run = Run(
        path,
        "lm-eval",
        results.text("lm_eval_version"),
        task=task or None,
        model=results.text("model_name") or Path(path).resolve().parent.name,
        about={
            "task version": results.fields("versions").text(task),
            "number of shots": results.fields("n-shot").text(task),
        },
    )
    rows: dict[str, int] = {}
    seen: set[tuple[int, str]] = set()
    for line in json_lines(path):
        case, filter_name = line.text("doc_id"), line.text("filter") or "none"
        row = rows.setdefault(case, len(run.case))
        if row == len(run.case):
            run.add(case, 1, _content(line), failed=False, grades={}, metadata=line.fields("doc"))
        if (row, filter_name) in seen:
            raise InputError(
                f"{Path(path).name} has question {cut(case, 60)} twice with filter {cut(filter_name, 60)}. "
                "lm-eval appends to files. Write the samples into a new folder."
            )
        seen.add((row, filter_name))
        for metric in line.several("metrics"):
            name = str(metric)
            run.set(grade_named(name, filter_name), line.get(name), row)
    _report(run, results, task)
    yield run.finished()


def refuse_results(path: str) -> Iterator[Run]:
    """Refuse a file of results, which has no questions."""
    raise FileError(
        f"{Path(path).name} has the means of lm-eval and no questions. Use samples_*.jsonl, which lm-eval writes with "
        "--log_samples."
    )


def _content(line: Fields) -> str:
    """Return a short hash of a question and its target: those of lm-eval, or one of the document."""
    if "doc_hash" in line:
        return line.text("doc_hash")[:12] + line.text("target_hash")[:6]
    return digest(line.get("doc"))


def _results(path: str, date: str) -> Fields:
    """Return the results that lm-eval wrote with the samples; nothing without them."""
    with suppress(OSError, ValueError):
        return Fields(json.loads((Path(path).parent / f"results_{date}.json").read_text(encoding="utf-8")))
    return Fields(None)


def _report(run: Run, results: Fields, task: str) -> None:
    """Keep the means that lm-eval reports, which metrics are better when lower, and what lacks."""
    means, better = results.fields("results").fields(task), results.fields("higher_is_better").fields(task)
    if "results" not in results:
        run.warnings.append("The folder has no results file of lm-eval. Its means are not compared.")
    cases = results.fields("n-samples").fields(task).whole("effective", means.whole("sample_len"))
    if cases and cases != len(run.case):
        run.warnings.append(
            f"The file has {len(run.case):,} of {counted(cases, 'question')}. It may have been cut."
        )
    for grade in run.grades:
        value, error = (means.number(f"{grade.name}{end},{grade.filter}") for end in ("", "_stderr"))
        if value is not None:
            run.reported[grade] = Reported(value, error, f"mean of {counted(cases, 'question')}")
        if better.get(grade.name) is False:
            run.lower_is_better.add(grade)
