"""Files of any columns under any names: a description is clean, and its command lines run."""

import csv
import json
import random
import tempfile
import warnings
from pathlib import Path

from hypothesis import strategies as st

from .contract import hold, plain
from .outside.files import Refused, command
from .outside.names import ODD

NAMES = (
    *(
        "y",
        "truth",
        "outcome",
        "pred",
        "y_pred",
        "score",
        "p",
        "p_a",
        "p_b",
        "p_c",
        "p_yes",
        "id",
        "patient",
        "sex",
    ),
    *(
        "age",
        "day",
        "weight",
        "n",
        "cost",
        "tag_a",
        "tag_b",
        "c_a",
        "c_b",
        "grade",
        "model_a",
        "model_b",
        *ODD,
    ),
)
CELLS = {
    "codes": lambda r, _: r.choice("01"),
    "words": lambda r, _: r.choice(["yes", "no"]),
    "classes": lambda r, _: r.choice("abc"),
    "odd": lambda r, _: r.choice(ODD),
    "shares": lambda r, _: round(r.random(), 3),
    "numbers": lambda r, _: round(r.gauss(0, 2), 3),
    "rows": lambda _, k: k,
    "repeated": lambda _, k: k // 3,
    "days": lambda _, k: f"2025-{1 + k % 12:02d}-{1 + k % 28:02d}",
    "european": lambda _, k: f"{1 + k % 28:02d}.{1 + k % 12:02d}.2025",
    "gaps": lambda r, _: r.choice(["", "0", "1"]),
    "unknown": lambda r, _: r.choice(["yes", "no", "unknown"]),
    "cases": lambda r, _: r.choice(["Yes", "no", "yes"]),
    "grades": lambda r, _: r.randint(1, 5),
    "constant": lambda *_: "x",
    "empty": lambda *_: "",
    "order": lambda r, _: r.choice(["low", "medium", "high"]),
    "flags": lambda r, _: r.choice(["True", "False"]),
}
INPUTS = st.fixed_dictionaries(
    {
        "names": st.lists(st.sampled_from(NAMES), min_size=1, max_size=7, unique=True),
        "kinds": st.lists(st.sampled_from([*CELLS]), min_size=7, max_size=7),
        "rows": st.sampled_from([3, 8, 30, 60]),
        "delimiter": st.sampled_from(",,;\t"),
        "seed": st.integers(0, 10**6),
    }
)


def check(given):
    """Describe a file and run what the description suggests."""
    random_cells = random.Random(given["seed"])
    columns = [
        [CELLS[kind](random_cells, k) for k in range(given["rows"])]
        for kind, _ in zip(given["kinds"], given["names"], strict=False)
    ]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # how a file was read
        with Path(folder, "rows.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=given["delimiter"])
            writer.writerow(given["names"])
            writer.writerows(zip(*columns, strict=True))
        printed = command("describe", "rows.csv", folder=folder)
        hold(plain(printed, "\n"), "a description holds control characters", ascii(printed))
        description = json.loads(command("describe", "rows.csv", "--json", "-", folder=folder))
        for suggested in description["commands"]:
            try:
                command(*suggested["arguments"][1:], folder=folder)
            except Refused as refused:
                raise AssertionError(suggested["command"]) from refused
