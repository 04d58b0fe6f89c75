"""Results of promptfoo, as JSON and JSON lines: a run for each prompt and provider."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from classay.columns.numbers import counted
from classay.errors import FileError
from classay.grades.harness_logs import json_lines
from classay.grades.json_stream import chunks_of, members
from classay.grades.records import Grade, Reported, Run, as_text, groups_in, key_of

PASS, SCORE = Grade("pass"), Grade("score")
_PROVIDER_FAILED = 2
_THREW = "Custom function threw error"


def read_json(path: str) -> Iterator[Run]:
    """Yield the runs of a JSON file."""
    facts: dict[str, Any] = {}
    with open(path, "rb") as file:
        yield from _runs(path, _rows(members(chunks_of(file), {"results.results"}), facts), facts)


def read_lines(path: str) -> Iterator[Run]:
    """Yield the runs of a file of JSON lines."""
    yield from _runs(path, json_lines(path), {})


def refuse_table(path: str) -> Iterator[Run]:
    """Refuse the CSV of promptfoo, whose scores have two decimals."""
    raise FileError(
        f"{Path(path).name} is a CSV file of promptfoo, which rounds scores to two decimals. Write JSON: "
        "`promptfoo export eval latest -o results.json`."
    )


def _rows(pieces: Iterable[tuple[str, Any]], facts: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name, value in pieces:
        if name == "results.results":
            yield value if isinstance(value, Mapping) else {}
        elif name in ("results.prompts", "metadata"):
            facts[name] = value


def _runs(path: str, rows: Iterable[Mapping[str, Any]], facts: Mapping[str, Any]) -> Iterator[Run]:
    """Yield a run for each prompt and provider.

    `--repeat` writes every repeat as a further test, and rows come as answers were completed: a test is known by its
    variables, and its repeats are counted in the order of the tests.
    """
    answers: dict[tuple[int, str, str], list[tuple[int, Mapping[str, Any]]]] = {}
    for row in rows:
        provider, prompt = row.get("provider") or {}, row.get("prompt") or {}
        name = as_text(provider.get("label") or provider.get("id") or "")
        asked = as_text(prompt.get("label") or prompt.get("raw") or "")
        place = (row.get("promptIdx", 0), name, asked)
        answers.setdefault(place, []).append((row.get("testIdx", 0), _kept(row)))
    version = as_text((facts.get("metadata") or {}).get("promptfooVersion", ""))
    prompts = {asked for _, _, asked in answers}
    reported = facts.get("results.prompts") or ()
    for (_, name, asked), tests in sorted(answers.items(), key=lambda item: item[0]):
        run = Run(path, "promptfoo", version, model=f"{name}, {key_of(asked)}" if len(prompts) > 1 else name)
        repeats: dict[str, int] = {}
        thrown = 0
        for _, row in sorted(tests, key=lambda test: test[0]):
            case = key_of(row["vars"])
            repeats[case] = repeats.get(case, 0) + 1
            failed = row["failureReason"] == _PROVIDER_FAILED
            thrown += as_text(row["error"] or "").startswith(_THREW)
            grades = {PASS: row["success"], SCORE: row["score"]} | {
                Grade(as_text(metric)): value for metric, value in row["namedScores"].items()
            }
            run.add(
                case,
                repeats[case],
                None,
                failed=failed,
                grades={} if failed else grades,
                groups=groups_in(row["metadata"]),
            )
        if thrown:
            run.warnings.append(
                f"A grading function threw an error in {counted(thrown, 'answer')}. promptfoo grades such answers 0."
            )
        _report(run, reported, (name, asked))
        yield run.finished()


def _kept(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what is needed of a row, whose output may be long."""
    metadata = (row.get("testCase") or {}).get("metadata") or row.get("metadata") or {}
    return {
        "vars": row.get("vars") or {},
        "metadata": {name: value for name, value in metadata.items() if not name.startswith("_")},
        "namedScores": row.get("namedScores") or {},
        **{name: row.get(name) for name in ("success", "score", "failureReason", "error")},
    }


def _report(run: Run, prompts: Iterable[Any], key: tuple[str, str]) -> None:
    """Keep the means that promptfoo reports, in which an answer of a provider that failed counts 0."""
    for prompt in prompts:
        provider, asked = (
            as_text(prompt.get("provider", "")),
            as_text(prompt.get("label") or prompt.get("raw")),
        )
        metrics = prompt.get("metrics") or {}
        counts = [metrics.get(f"test{name}Count", 0) for name in ("Pass", "Fail", "Error")]
        if (provider, asked) != key or not sum(counts):
            continue
        over = f"{counted(sum(counts), 'answer')}, of which {counts[2]:,} failed and count 0"
        run.reported[PASS] = Reported(counts[0] / sum(counts), None, f"mean of {over}")
        run.reported[SCORE] = Reported(metrics.get("score", 0) / sum(counts), None, f"mean of {over}")
        for name, number in (metrics.get("namedScoresCount") or {}).items():
            total = (metrics.get("namedScores") or {}).get(name)
            if number and isinstance(total, int | float):
                run.reported[Grade(name)] = Reported(
                    total / number, None, f"mean of {counted(number, 'answer')}"
                )
