"""Test runs of deepeval: test cases with the scores of metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator

from classay.columns.numbers import counted
from classay.grades.json_fields import Fields
from classay.grades.json_stream import chunks_of, members
from classay.grades.records import FAILED, SILENT, Grade, Reported, Run, digest, key_of

_BY_PLACE = re.compile(r"(conversational_)?test_case_\d+")
"""A name that deepeval gives by the place in the run, so that it means another case in another run."""
_CASES, _SCORES = "testCases", "metricsScores"


def read(path: str) -> Iterator[Run]:
    """Yield the run of a file. A case without a name of its own is known by its input."""
    run = Run(path, "deepeval")
    means: list[Fields] = []
    with open(path, "rb") as file:
        for name, value in members(chunks_of(file), {_CASES, _SCORES}):
            if name == _CASES:
                _add(run, Fields(value))
            elif name == _SCORES:
                means.append(Fields(value))
            elif name == "conversationalTestCases" and value:
                run.warnings.append(f"{counted(len(value), 'conversation')} of the run are not read.")
    for mean in means:
        scores = [score for score in mean.several("scores") if isinstance(score, int | float)]
        if scores:
            errors = mean.whole("errors")
            over = f"mean of {counted(len(scores), 'graded case')}"
            over += f", without {counted(errors, 'error')}" if errors else ""
            run.reported[Grade(mean.text("metric"))] = Reported(sum(scores) / len(scores), None, over)
    yield run.finished()


def _add(run: Run, case: Fields) -> None:
    """Add a test case."""
    name, question = case.text("name"), case.get("input")
    grades = {
        Grade(metric.text("name")): FAILED if metric.get("error") else metric.content.get("score", SILENT)
        for metric in case.objects("metricsData")
    }
    run.add(
        key_of(question) if not name or _BY_PLACE.fullmatch(name) else name,
        1,
        digest(question, case.text("expectedOutput")),
        failed=False,
        grades=grades,
        metadata=case.fields("additionalMetadata"),
    )
