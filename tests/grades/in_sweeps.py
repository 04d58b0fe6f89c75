"""Samples of grades, for the sweeps over all kinds of results, pages and options."""

import json
from pathlib import Path

import classay as ca
from classay.grades.joining import joined
from classay.grades.leaderboard import assess_runs
from classay.shown import Reportable
from sample_results import result

LOG = Path(__file__).parents[1] / "outside" / "data" / "inspect-0.3.285-new.eval"


@result
def grades_of_a_run() -> Reportable:
    return ca.assess_grades(ca.read_grades(LOG, grade="match"), unanswered="wrong")


@result
def grades_of_many_runs() -> Reportable:
    folder = Path(__file__).parent / "data"
    columns = ca.GradeColumns(case="item", model="model", repeat="epoch", by=("subject",))
    runs = ca.read_grades(folder / "runs.csv", grade="grade", columns=columns)
    return assess_runs(joined(runs.runs, refuses=False), (), by="subject", unanswered="drop")


TITLED_OTHERWISE = {
    "grades of a run": "a run, not models",
    "grades of many runs": "runs, not models",
}
PAGES = ("--json", "a.json", "--html", "a.html", "--latex", "a.tex", "--markdown", "a.md")
WHO = ("--case", "item", "--grade", "grade")
RUNS = ("given_grades.csv", *WHO)
TWICE = ("given_twice.csv", *WHO)
TWICE_RIGHT = (*TWICE, "--model", "model")
LOGS = tuple(f"samples_{task}_2026-01-01T00-00-00.0.jsonl" for task in ("sums", "words"))
USED = {
    "grades": {
        "--grade": (RUNS[:3], WHO[2:]),
        "--case": (("given_grades.csv", *WHO[2:]), WHO[:2]),
        "--model": (TWICE, ("--model", "model")),
        "--repeat": (TWICE, ("--repeat", "model")),
        "--target": (TWICE_RIGHT, ("--target", "grade")),
        "--filter": ((LOGS[0], "--grade", "acc"), ("--filter", "strict")),
        "--task": ((*LOGS, "--grade", "acc", "--filter", "strict"), ("--task", "sums")),
        "--map": (("given_words.csv", *WHO), ("--map", "good=1,bad=0")),
        "--bounds": (("given_stars.csv", *WHO), ("--bounds", "1,5")),
        "--unanswered": (("given_holes.csv", *WHO), ("--unanswered", "wrong")),
        "--level": (RUNS, ("--level", "0.9")),
        "--seed": (("given_many.csv", *WHO, "--model", "model"), ("--seed", "3")),
        "--format": (("given_grades.txt", *WHO), ("--format", "csv")),
        "--delimiter": (("given_semi.csv", *WHO), ("--delimiter", ";")),
        **dict.fromkeys(PAGES[::2], (RUNS, PAGES)),
    },
}


def write_inputs() -> None:
    """The files that calls of `classay grades` read."""
    grades = [int(k % 3 > 0) for k in range(30)]
    files = {
        "given_grades.csv": [f"{k},{grade},{k}" for k, grade in enumerate(grades)],
        "given_twice.csv": [f"{k % 15},{grade},{k // 15}" for k, grade in enumerate(grades)],
        "given_words.csv": [f"{k},{('bad', 'good')[grade]},0" for k, grade in enumerate(grades)],
        "given_stars.csv": [f"{k},{1 + 4 * grade - k % 2 * grade},0" for k, grade in enumerate(grades)],
        "given_holes.csv": [f"{k},{'' if k == 7 else grade},0" for k, grade in enumerate(grades)],
        "given_many.csv": [
            f"{k},{int((k * (model + 3)) % 7 > 2)},m{model}" for k in range(30) for model in range(4)
        ],
    }
    for name, rows in files.items():
        last = "other" if name == "given_grades.csv" else "model"
        Path(name).write_text("\n".join([f"item,grade,{last}", *rows]) + "\n")
    plain = Path("given_grades.csv").read_text()
    Path("given_grades.txt").write_text(plain)
    Path("given_semi.csv").write_text(plain.replace(",", ";").replace(";1;", ";0.5;"))
    lines = [
        {"doc_id": k, "doc": {}, "filtered_resps": [], "filter": word, "metrics": ["acc"], "acc": grade}
        for k, grade in enumerate(grades)
        for word in ("strict", "flexible")
    ]
    for name in LOGS:
        Path(name).write_text("".join(json.dumps(line) + "\n" for line in lines))
