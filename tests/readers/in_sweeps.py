"""Samples of studies with readers, for the sweeps over all kinds of results, pages and options."""

import re
from pathlib import Path
from typing import Any

import numpy as np

import classay as ca
from classay.shown import Reportable
from sample_results import patients, result

PAGES = ("--json", "a.json", "--html", "a.html", "--latex", "a.tex", "--markdown", "a.md")


@result
def reader() -> Reportable:
    rows = patients()
    said = np.where(rows["old"] >= 0.6, "sick", "well")
    return ca.compare_reader({"new": rows["new"]}, rows["truth"], said, name="radiologist", positive="sick")


def readings(readers: int = 4, cases: int = 60, seed: int = 0) -> dict[str, Any]:
    """Readings of the same cases by several readers, with help and without it, in long form."""
    rng = np.random.default_rng(seed)
    sick = rng.random(cases) < 0.4
    shared = rng.normal(size=cases) + 1.5 * sick
    rows = []
    for reader in range(readers):
        skill = 0.4 * rng.normal()
        for help in ("without", "with help"):
            more = skill + 0.8 * (help == "with help")
            score = np.clip(np.round(3 + shared + more * sick + 0.7 * rng.normal(size=cases)), 1, 7)
            rows += [
                (k, "sick" if sick[k] else "well", f"R{reader + 1}", help, score[k]) for k in range(cases)
            ]
    names = ("case", "truth", "reader", "display", "score")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return columns | {"label": ["sick" if score >= 5 else "well" for score in columns["score"]]}


READ_BY = {"truth": "truth", "case": "case", "reader": "reader", "positive": "sick"}


@result
def several_readers() -> Reportable:
    return ca.compare_readers(readings(), modality="display", score="score", control="without", **READ_BY)


@result
def several_readers_of_labels() -> Reportable:
    return ca.compare_readers(readings(), modality="display", prediction="label", fixed="readers", **READ_BY)


@result
def several_readers_in_one_modality() -> Reportable:
    rows = readings()
    kept = [k for k, display in enumerate(rows["display"]) if display == "without"]
    return ca.compare_readers(
        {name: [column[k] for k in kept] for name, column in rows.items()}, score="score", **READ_BY
    )


TITLED_OTHERWISE = {
    "several readers": "readers, not models",
    "several readers of labels": "readers, not models",
    "several readers in one modality": "readers, not models",
}
NARROW = ("several readers",)
WITH_NEXT_STEPS = ("several readers",)


def readers():
    return ca.compare_readers(
        readings(12, 80), modality="display", score="score", control="without", **READ_BY
    )


LARGE_PAGES = (readers,)

WHO = ("--truth", "y", "--case", "case", "--reader", "reader", "--modality", "mod")
READ = ("read.csv", *WHO, "--score", "p")
USED = {
    "readers": {
        "--truth": (("read.csv", *READ[3:]), WHO[:2]),
        "--case": ((*READ[:3], *READ[5:]), WHO[2:4]),
        "--reader": ((*READ[:5], *READ[7:]), WHO[4:6]),
        "--modality": ((*READ[:7], *READ[9:]), WHO[6:]),
        "--score": (READ[:-2], READ[-2:]),
        "--prediction": (READ, ("--prediction", "l")),
        "--cluster": (READ, ("--cluster", "pair")),
        "--positive": (READ, ("--positive", "0")),
        "--control": (READ, ("--control", "a")),
        "--fixed": (READ, ("--fixed", "readers")),
        "--score-scale": (READ, ("--score-scale", "logit")),
        "--adjustment": ((*READ, "--prediction", "l"), ("--adjustment", "bonferroni")),
        "--level": (READ, ("--level", "0.9")),
        "--missing": (("read_holes.csv", *READ[1:]), ("--missing", "drop")),
        "--json": (READ, PAGES),
        "--html": (READ, PAGES),
        "--latex": (READ, PAGES),
        "--markdown": (READ, PAGES),
        "--format": (("read.txt", *READ[1:]), ("--format", "csv")),
        "--delimiter": (("read_semi.csv", *READ[1:]), ("--delimiter", ";")),
    },
    "compare": {
        "--reader": (("p.csv", "--truth", "y", "--scores", "p"), ("--reader", "l")),
        "--reader-positive": (
            ("p.csv", "--truth", "y", "--scores", "p", "--reader", "word"),
            ("--reader-positive", "ill"),
        ),
    },
}
BASES = {"AgainstReader": ("p.csv", "--truth", "y", "--scores", "p", "--reader", "l")}


def write_inputs() -> None:
    """The files that calls of `classay readers` read."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    p, q = (np.clip(0.4 + gap * y + rng.normal(0, 0.2, y.size), 0.01, 0.99).round(4) for gap in (0.3, 0.2))
    read = [
        f"{i},{i % 2},{reader},{mod},{p[i + 20 * k]:.4f},{int(q[i + 20 * k] > 0.5)},{i // 4}"
        for i in range(20)
        for k, (reader, mod) in enumerate((reader, mod) for reader in "rst" for mod in "ab")
    ]
    shown = "\n".join(["case,y,reader,mod,p,l,pair", *read]) + "\n"
    for name, content in (
        ("read.csv", shown),
        ("read.txt", shown),
        ("read_semi.csv", shown.replace(",", ";")),
    ):
        Path(name).write_text(content)
    Path("read_holes.csv").write_text(re.sub(r"\n7,1,s,a,[^,]*,", "\n7,1,s,a,,", shown))
