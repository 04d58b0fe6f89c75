"""Samples of grades, for the sweeps over all kinds of results, pages and options."""

import json
from pathlib import Path

import classay as ca
from classay.shown import Reportable
from sample_results import result

LOG, CLUSTERED = (
    Path(__file__).parents[1] / "outside" / "data" / f"inspect-0.3.285-{name}.eval"
    for name in ("new", "clustered")
)


@result
def grades_of_a_run() -> Reportable:
    return ca.assess_grades(ca.read_grades(LOG, grade="match"), unanswered="wrong")


@result
def grades_in_groups() -> Reportable:
    return ca.assess_grades(ca.read_grades(CLUSTERED, grade="by_pair"), by="topic", cluster="pair")


@result
def grades_of_many_runs() -> Reportable:
    folder = Path(__file__).parent / "data"
    columns = ca.GradeColumns(case="item", model="model", repeat="epoch", by=("subject",))
    runs = ca.read_grades(folder / "runs.csv", grade="grade", columns=columns)
    return ca.assess_grades(runs, by="subject", unanswered="drop")


TITLED_OTHERWISE = {
    "grades of a run": "a run, not models",
    "grades of many runs": "runs, not models",
    "grades in groups": "a run, not models",
}
PAGES = ("--json", "a.json", "--html", "a.html", "--latex", "a.tex", "--markdown", "a.md")
WHO = ("--case", "item", "--grade", "grade")
RUNS = ("given_grades.csv", *WHO)
TWICE = ("given_twice.csv", *WHO)
TWICE_RIGHT = (*TWICE, "--model", "model")
LOGS = tuple(f"samples_{task}_2026-01-01T00-00-00.0.jsonl" for task in ("sums", "words"))
TWICE_KINDS = ("given_twice.csv", *WHO, "--repeat", "model")
PAIRS = ("given_pairs.csv", *WHO, "--model", "model", "--rule", "superior")
GATED = (*PAIRS, "--new-run", "b")
LOGS_OF_ONE = tuple(f"samples_sums_2026-01-0{day}T00-00-00.0.jsonl" for day in (2, 3))
USED = {
    "gate": {
        "--grade": (("given_pairs.csv", *WHO[:2], *GATED[5:]), WHO[2:]),
        "--case": (("given_pairs.csv", *WHO[2:], *GATED[5:]), WHO[:2]),
        "--model": (("given_pairs.csv", *WHO, *GATED[7:]), ("--model", "model")),
        "--new-run": (PAIRS, ("--new-run", "a")),
        "--repeat": (("given_pairs_twice.csv", *GATED[1:]), ("--repeat", "turn")),
        "--target": (GATED, ("--target", "turn")),
        "--filter": ((*LOGS_OF_ONE, "--grade", "acc", "--rule", "superior"), ("--filter", "strict")),
        "--map": (("given_pairs_words.csv", *GATED[1:]), ("--map", "good=1,bad=0")),
    },
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
        "--by": (RUNS, ("--by", "kind")),
        "--cluster": (TWICE_KINDS, ("--cluster", "kind")),
        "--group-weight": ((*RUNS, "--by", "kind"), ("--group-weight", "cases")),
        "--pass-k": ((*TWICE, "--repeat", "model"), ("--pass-k", "1")),
        "--require": (RUNS, ("--require", "grade.low >= 0.9")),
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
        lines = [f"{row},{'xxy'[k % 15 % 3]}" for k, row in enumerate(rows)]
        Path(name).write_text("\n".join([f"item,grade,{last},kind", *lines]) + "\n")
    pairs = [
        (k, int((k * (3 + 4 * (model == "b"))) % 7 > 2), model, turn)
        for k in range(30)
        for model in "ab"
        for turn in (1, 2)
    ]
    head = "item,grade,model,turn\n"
    for name, rows in (
        ("given_pairs_twice.csv", pairs),
        ("given_pairs.csv", pairs[::2]),
        ("given_pairs_words.csv", [(k, ("bad", "good")[grade], *rest) for k, grade, *rest in pairs[::2]]),
    ):
        Path(name).write_text(head + "".join(",".join(map(str, row)) + "\n" for row in rows))
    plain = Path("given_grades.csv").read_text()
    Path("given_grades.txt").write_text(plain)
    Path("given_semi.csv").write_text(plain.replace(",", ";").replace(";1;", ";0.5;"))
    lines = [
        {"doc_id": k, "doc": {}, "filtered_resps": [], "filter": word, "metrics": ["acc"], "acc": grade}
        for k, grade in enumerate(grades)
        for word in ("strict", "flexible")
    ]
    for name in (*LOGS, LOGS_OF_ONE[0]):
        Path(name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    others = [line | {"acc": int(line["doc_id"] % 4 > 0)} for line in lines]
    Path(LOGS_OF_ONE[1]).write_text("".join(json.dumps(line) + "\n" for line in others))
