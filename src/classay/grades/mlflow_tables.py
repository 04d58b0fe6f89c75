"""Result tables of `mlflow.genai.evaluate`, as CSV or JSON lines: a column for each scorer."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import Any

from classay.grades.json_fields import Fields, as_text, json_lines
from classay.grades.records import FAILED, SILENT, Grade, Run, digest, key_of

_VALUE, _ERROR = "/value", "/error_message"
EXPECTATIONS = frozenset({"expected_response", "expected_facts", "expected_retrieved_context", "guidelines"})
"""What MLflow names expectations; their columns look like those of scorers."""
_COMPLETE = ("OK", "STATE_UNSPECIFIED", "")


def read(path: str) -> Iterator[Run]:
    """Yield the run of a table. A question is known by its inputs: the ids of traces differ in every run."""
    run = Run(path, "MLflow")
    with open(path, encoding="utf-8-sig", newline="") as file:
        is_json = file.read(1) == "{"
        file.seek(0)
        _fill(run, json_lines(path) if is_json else map(Fields, csv.DictReader(file)))
    yield run.finished()


def _fill(run: Run, rows: Iterable[Fields]) -> None:
    """Add the rows of a table."""
    for row in rows:
        expected = EXPECTATIONS | {
            note.text("assessment_name") for note in row.objects("assessments") if "expectation" in note
        }
        grades: dict[Grade, Any] = {}
        targets = []
        for column, value in row:
            name = column.removesuffix(_VALUE) if isinstance(column, str) else column
            if name == column:
                continue
            if name in expected:
                targets.append(as_text(value))
            elif row.get(f"{name}{_ERROR}"):
                grades[Grade(name)] = FAILED
            else:
                grades[Grade(name)] = SILENT if value in (None, "") else value
        question = row.get("request")
        run.add(
            # a CSV file has what Python prints of an object, which a line of JSON has as an object
            key_of(question if isinstance(question, str) else str(question)),
            1,
            digest(*targets) if targets else None,
            failed=row.text("state") not in _COMPLETE,
            grades=grades,
            metadata=Fields(None),
        )
