"""Test runs of deepeval: test cases with the scores of metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from classay.columns.numbers import counted
from classay.grades.json_stream import chunks_of, members
from classay.grades.records import FAILED, SILENT, Grade, Reported, Run, as_text, digest, groups_in, key_of

_BY_PLACE = re.compile(r"(conversational_)?test_case_\d+")
"""A name that deepeval gives by the place in the run, so that it means another case in another run."""
_SCORES = "metricsScores"


def read(path: str) -> Iterator[Run]:
    """Yield the run of a file. A case without a name of its own is known by its input."""
    run = Run(path, "deepeval")
    own: list[Any] = []
    with open(path, "rb") as file:
        for name, value in members(chunks_of(file), {"testCases", _SCORES}):
            if name == "testCases":
                _add(run, value if isinstance(value, Mapping) else {})
            elif name == _SCORES:
                own.append(value)
            elif name == "conversationalTestCases" and value:
                run.warnings.append(f"{counted(len(value), 'conversation')} of the run are not read.")
    for each in own:
        scores = [score for score in each.get("scores", ()) if isinstance(score, int | float)]
        if scores:
            errors = each.get("errors", 0)
            over = f"mean of {counted(len(scores), 'graded case')}"
            over += f", without {counted(errors, 'error')}" if errors else ""
            run.reported[Grade(as_text(each.get("metric")))] = Reported(sum(scores) / len(scores), None, over)
    yield run.finished()


def _add(run: Run, case: Mapping[str, Any]) -> None:
    name, asked = as_text(case.get("name") or ""), case.get("input")
    key = key_of(asked) if not name or _BY_PLACE.fullmatch(name) else name
    grades = {
        Grade(as_text(metric.get("name"))): FAILED if metric.get("error") else metric.get("score", SILENT)
        for metric in case.get("metricsData") or ()
    }
    run.add(
        key,
        1,
        digest(asked, case.get("expectedOutput", "")),
        failed=False,
        grades=grades,
        groups=groups_in(case.get("additionalMetadata") or {}),
    )
