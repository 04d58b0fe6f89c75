"""Samples of lm-evaluation-harness: a line for each question and filter, with the results file of the same date."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from classay.columns.numbers import counted
from classay.errors import FileError, InputError
from classay.grades.records import Grade, Reported, Run, as_text, digest, groups_in

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")


def json_lines(path: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a file of JSON lines. Raises FileError for a line that is none."""
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if line.isspace():
                continue
            row = None
            with suppress(ValueError, RecursionError):
                row = json.loads(line)
            if not isinstance(row, dict):
                where = f"line {number:,} of {Path(path).name}"
                raise FileError(
                    f"{where[0].upper()}{where[1:]} is not a JSON object. The file may have been cut: write it again."
                )
            yield row


def read(path: str) -> Iterator[Run]:
    """Yield the run of a file of samples; the lines of one question, one for each filter, are one answer."""
    match = _NAME.fullmatch(Path(path).name)
    task = match["task"] if match else None
    results = _results(path, match["date"]) if match else {}
    run = Run(
        path,
        "lm-eval",
        as_text(results.get("lm_eval_version") or ""),
        task=task,
        model=_model(results, path),
        about=_about(results, task),
    )
    rows: dict[str, int] = {}
    seen: set[tuple[int, str]] = set()
    for line in json_lines(path):
        case, chosen = as_text(line.get("doc_id")), as_text(line.get("filter", "none"))
        hashed = line.get("doc_hash")
        if case not in rows:
            rows[case] = len(run.case)
            target = digest(hashed, line.get("target_hash")) if hashed else digest(line.get("doc"))
            run.add(case, 1, target, failed=False, grades={}, groups=groups_in(line.get("doc")))
        row = rows[case]
        if (row, chosen) in seen:
            raise InputError(
                f"{Path(path).name} has question {case} twice with filter {chosen}. lm-eval appends to files: "
                "write the samples into a new folder."
            )
        seen.add((row, chosen))
        for metric in line.get("metrics") or ():
            run.set(Grade(as_text(metric), chosen), line.get(metric), row)
    _report(run, results)
    if not results:
        run.warnings.append("No results file of lm-eval is beside it, so its own numbers are not compared.")
    yield run.finished()


def _results(path: str, date: str) -> Mapping[str, Any]:
    """Return the results that lm-eval wrote with the samples; nothing without them."""
    with suppress(OSError, ValueError):
        whole = json.loads((Path(path).parent / f"results_{date}.json").read_text(encoding="utf-8"))
        if isinstance(whole, dict):
            return whole
    return {}


def _model(results: Mapping[str, Any], path: str) -> str:
    """Return the name of the model; without results the folder, which bears it."""
    return as_text(results.get("model_name") or Path(path).resolve().parent.name)


def _about(results: Mapping[str, Any], task: str | None) -> dict[str, str]:
    """Return what runs must agree in before they are paired."""
    facts = {"task version": results.get("versions"), "number of shots": results.get("n-shot")}
    return {
        name: as_text(value[task])
        for name, value in facts.items()
        if isinstance(value, Mapping) and value.get(task) is not None
    }


def _report(run: Run, results: Mapping[str, Any]) -> None:
    """Keep the means that lm-eval reports, and which metrics are better when lower."""
    own = results.get("results", {}).get(run.task, {})
    better = results.get("higher_is_better", {}).get(run.task, {})
    cases = results.get("n-samples", {}).get(run.task, {}).get("effective", own.get("sample_len"))
    if isinstance(cases, int) and cases != len(run.case):
        run.warnings.append(
            f"The file has {len(run.case):,} of {counted(cases, 'question')}. It may have been cut."
        )
    for grade in run.grades:
        value, error = (own.get(f"{grade.name}{end},{grade.filter}") for end in ("", "_stderr"))
        if isinstance(value, int | float):
            over = "mean of the questions" if cases is None else f"mean of {counted(cases, 'question')}"
            spread = float(error) if isinstance(error, int | float) else None
            run.reported[grade] = Reported(float(value), spread, over)
        if better.get(grade.name) is False:
            run.lower_is_better.add(grade)
