"""Grades of language models' answers: reading logs, next to parsing what is needed of them, and ranking runs."""

import json
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

import classay as ca
from bench.cases import case
from bench.timing import Figure, alone, versus
from classay.grades.reading import read_runs

N_SAMPLES, N_LINES = 50_000, 20_000
N_RUNS, N_ITEMS = 100, 10_000


def _summary(number: int, letter: str) -> dict[str, Any]:
    """Return what Inspect writes of an answer besides its transcript."""
    scores = {"match": {"value": letter, "answer": "A", "explanation": "text " * 5}}
    return {
        "id": f"q{number}",
        "epoch": 1,
        "input": f"What is the colour of thing {number}? " + "z" * 100,
        "target": "ABCD"[number % 4],
        "metadata": {"category": f"c{number % 20}", "level": number % 5},
        "scores": scores,
        "model_usage": {"m": {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}},
        "uuid": f"{number:022d}",
        "completed": True,
    }


def write_log(path: Path) -> None:
    """Write an `.eval` file with summaries."""
    letters = np.where(np.random.default_rng(0).random(N_SAMPLES) < 0.7, "C", "I").tolist()
    about = {"eval_id": "e", "task": "t", "model": "m", "dataset": {"samples": N_SAMPLES}}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", "{}")
        archive.writestr("summaries.json", json.dumps([*map(_summary, range(N_SAMPLES), letters)]))
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": about}))


def write_samples(path: Path) -> None:
    """Write samples of lm-evaluation-harness."""
    passed = np.random.default_rng(0).random(N_LINES) < 0.7
    with open(path, "w", encoding="utf-8") as file:
        for number, is_right in enumerate(passed.tolist()):
            line = {
                "doc_id": number,
                "doc": {"question": f"What is {number}? " + "x" * 200, "answer": number % 4},
                "arguments": {"gen_args_0": {"arg_0": "y" * 400, "arg_1": "A"}},
                "filtered_resps": [["-1.0", "True"]],
                "filter": "none",
                "metrics": ["acc"],
                "doc_hash": f"{number:064x}",
                "target_hash": f"{number % 4:064x}",
                "acc": float(is_right),
            }
            file.write(json.dumps(line) + "\n")


def write_table(path: Path) -> None:
    """Write a row for each run and item."""
    rng = np.random.default_rng(0)
    ability, difficulty = rng.normal(0, 0.5, (N_RUNS, 1)), rng.normal(size=N_ITEMS)
    grades = (rng.random((N_RUNS, N_ITEMS)) < 1 / (1 + np.exp(difficulty - ability))).astype(int)
    columns = {
        "item": [f"q{number}" for number in range(N_ITEMS)] * N_RUNS,
        "run": np.repeat([f"m{number}" for number in range(N_RUNS)], N_ITEMS),
        "grade": grades.ravel(),
    }
    pyarrow.csv.write_csv(pa.table(columns), path)


@case
def graded() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        log, samples, table = (Path(folder) / name for name in ("a.eval", "samples_a.jsonl", "runs.csv"))
        write_log(log)
        write_samples(samples)
        write_table(table)

        def unzipped() -> object:
            with zipfile.ZipFile(log) as archive:
                return [json.loads(archive.read(name)) for name in ("summaries.json", "header.json")]

        def parsed() -> int:
            with open(samples, "rb") as file:
                return sum(len(json.loads(line)) for line in file)

        work = f"read an .eval file of {N_SAMPLES:,} answers"
        yield versus(work, lambda: [*read_runs(log)], "zipfile and json", unzipped, "at least 0.83×", runs=3)
        work = f"read {N_LINES:,} samples of lm-eval"
        yield versus(work, lambda: [*read_runs(samples)], "json", parsed, "at least 0.5×", runs=3)
        columns = ca.GradeColumns(case="item", model="run")

        def ranked() -> object:
            return ca.assess_grades(ca.read_grades(table, grade="grade", columns=columns))

        yield alone(f"rank {N_RUNS} runs of {N_ITEMS:,} items of a CSV file", ranked, "≤ 3 s", runs=3)
