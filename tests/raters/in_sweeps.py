"""Samples of agreement of raters, for the sweeps over all kinds of results, pages and options."""

from pathlib import Path

import numpy as np

import classay as ca
from classay.shown import Reportable
from sample_results import result


def ratings(cases: int = 60, raters: int = 4, seed: int = 0) -> dict[str, list[str | None]]:
    """Labels of several raters, a tenth of them missing."""
    rng = np.random.default_rng(seed)
    true = rng.choice(4, cases, p=[0.4, 0.3, 0.2, 0.1])
    names = np.array(["ant", "bee", "cat", "dog"])
    columns: dict[str, list[str | None]] = {}
    for k in range(raters):
        given = np.where(rng.random(cases) < 0.75 + 0.05 * k, true, rng.integers(0, 4, cases))
        gap = rng.random(cases) < 0.1
        columns[f"r_{k + 1}"] = [
            None if empty else str(name) for name, empty in zip(names[given], gap, strict=True)
        ]
    return columns


@result
def agreement_of_raters() -> Reportable:
    return ca.rater_agreement(ratings())


@result
def agreement_of_raters_in_order() -> Reportable:
    return ca.rater_agreement(ratings(raters=2), labels=["ant", "bee", "cat", "dog"], scale="ordinal")


TITLED_OTHERWISE = {
    "agreement of raters": "raters, not models",
    "agreement of raters in order": "raters, not models",
}
PAGES = ("--json", "a.json", "--html", "a.html", "--latex", "a.tex", "--markdown", "a.md")
NAMED = ("--case", "item", "--rater", "who", "--label", "y")
ROWS = ("rated.csv", *NAMED)
WIDE = ("rated_wide.csv", "--raters", "r_*")
NUMBERS = ("rated_numbers.csv", "--raters", "r_*")
USED = {
    "raters": {
        "--case": (("rated.csv", *NAMED[2:]), NAMED[:2]),
        "--rater": (("rated.csv", *NAMED[:2], *NAMED[4:]), NAMED[2:4]),
        "--label": (("rated.csv", *NAMED[:4]), NAMED[4:]),
        "--raters": (("rated_wide.csv",), ("--raters", "r_1,r_3")),
        "--labels": (WIDE, ("--labels", "ant,bee,cat,dog,eel")),
        "--order": (WIDE, ("--order", "ant,bee,cat,dog")),
        "--scale": (NUMBERS, ("--scale", "interval")),
        "--level": (ROWS, ("--level", "0.9")),
        "--require": (ROWS, ("--require", "krippendorff_alpha > 0.99")),
        "--save": (ROWS, ("--save", "rated.classay")),
        "--format": (("rated.txt", *NAMED), ("--format", "csv")),
        "--delimiter": (("rated_semi.csv", *NAMED, "--scale", "interval"), ("--delimiter", ";")),
        **dict.fromkeys(PAGES[::2], (ROWS, PAGES)),
    },
}


def write_inputs() -> None:
    """The files that calls of `classay raters` read."""
    columns = ratings()
    wide = [",".join(["item", *columns])]
    wide += [
        ",".join([str(k), *(label or "" for label in row)])
        for k, row in enumerate(zip(*columns.values(), strict=True))
    ]
    rows = ["item,who,y"]
    rows += [
        f"{k},{name},{label}" for name, column in columns.items() for k, label in enumerate(column) if label
    ]
    text = "\n".join(wide) + "\n"
    for at, name in enumerate(("ant", "bee", "cat", "dog")):
        text = text.replace(name, str(at))
    files = {
        "rated_wide.csv": "\n".join(wide) + "\n",
        "rated_numbers.csv": text,
        "rated.csv": "\n".join(rows) + "\n",
    }
    semi = files["rated.csv"].replace(",", ";")
    for at, name in enumerate(("ant", "bee", "cat", "dog")):
        semi = semi.replace(name, f"{at}.5")
    files |= {"rated.txt": files["rated.csv"], "rated_semi.csv": semi}
    for name, content in files.items():
        Path(name).write_text(content)
