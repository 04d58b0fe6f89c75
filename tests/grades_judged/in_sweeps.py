"""Calls with human labels of graded answers, for the sweep over all options."""

from pathlib import Path

ANSWERS = ("answers_graded.csv", "--case", "item", "--grade", "grade")
HUMAN = ("--human", "answers_human.csv")
USED = {
    "grades": {
        "--human": (ANSWERS, HUMAN),
        "--human-columns": (
            (*ANSWERS, "--human", "answers_called.csv"),
            ("--human-columns", "case=answer,label=human"),
        ),
    }
}


def write_inputs() -> None:
    """Write the files that these calls read."""
    graded = [f"q{k},{int(k % 5 > 1)}" for k in range(120)]
    human = [f"q{k},{int(k % 5 > 1 or k % 7 == 0)}" for k in range(0, 120, 2)]
    for name, head, rows in (
        ("answers_graded.csv", "item,grade", graded),
        ("answers_human.csv", "case,label", human),
        ("answers_called.csv", "answer,human", human),
    ):
        Path(name).write_text("\n".join([head, *rows]) + "\n")
