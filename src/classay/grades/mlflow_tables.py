"""Result tables of `mlflow.genai.evaluate`, as CSV or JSON lines: a column for each scorer."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from classay.grades.harness_logs import json_lines
from classay.grades.records import FAILED, SILENT, Grade, Run, as_text, digest, key_of

_VALUE, _ERROR = "/value", "/error_message"
EXPECTATIONS = frozenset({"expected_response", "expected_facts", "expected_retrieved_context", "guidelines"})
"""What MLflow names expectations; their columns look like those of scorers."""


def read(path: str) -> Iterator[Run]:
    """Yield the run of a table. A question is known by its inputs: the ids of traces differ in every run."""
    run = Run(path, "MLflow")
    if path.lower().endswith((".csv", ".tsv")):
        with open(path, encoding="utf-8-sig", newline="") as file:
            _fill(run, csv.DictReader(file, delimiter="\t" if path.lower().endswith(".tsv") else ","))
    else:
        _fill(run, json_lines(path))
    yield run.finished()


def _fill(run: Run, rows: Iterable[Mapping[str, Any]]) -> None:
    for row in rows:
        assessments = row.get("assessments")
        expected = EXPECTATIONS | {
            as_text(each.get("assessment_name"))
            for each in (assessments if isinstance(assessments, list) else ())
            if isinstance(each, Mapping) and "expectation" in each
        }
        grades: dict[Grade, Any] = {}
        targets = []
        for column, value in row.items():
            name = column.removesuffix(_VALUE)
            if column is None or name == column:
                continue
            if name in expected:
                targets.append(value)
                continue
            silent = SILENT if value is None or value == "" else value
            grades[Grade(name)] = FAILED if row.get(f"{name}{_ERROR}") else silent
        asked = row.get("request")
        run.add(
            # a CSV file has what Python prints of an object, which a line of JSON has as an object
            key_of(asked if isinstance(asked, str) else str(asked)),
            1,
            digest(*map(as_text, targets)) if targets else None,
            failed=row.get("state") not in ("OK", None, "", "STATE_UNSPECIFIED"),
            grades=grades,
            groups={},
        )
