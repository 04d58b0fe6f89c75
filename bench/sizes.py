"""Seconds over the number of rows: `python -m bench sizes cold growth --json F`.

`python -m bench.sizes F …` writes them into docs/evidence/speed.md: a curve over n from 100 to 1e7 and a table of all
cases of the runs. Both are facts of one machine in one run, and ratios are of what ran beside each other there.
"""

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import metrics as sk

import classay as ca
from bench.cases import binary, case, everything
from bench.timing import Figure, seconds

ROOT = Path(__file__).parents[1]
SIZES = (100, 1000, 10**4, 10**5, 10**6, 10**7)
LARGEST = {"two classes": 10**7, "12 classes": 10**6}
START, END = "<!-- measured -->", "<!-- end -->"
RUNS = 7
"""The median of so many, of fewer where one takes a second or more."""


def classes(n: int, k: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """A truth of 12 classes and probabilities that favour it."""
    rng = np.random.default_rng(0)
    y, z = rng.integers(0, k, n), rng.normal(size=(n, k))
    y[:k], z[np.arange(n), y] = np.arange(k), z[np.arange(n), y] + 1.5
    s = np.exp(z)
    return y, s / s.sum(1, keepdims=True)


def of_classes(y: np.ndarray, s: np.ndarray) -> None:
    """What scikit-learn says of class scores, without intervals."""
    for how in ("ovr", "ovo"):
        sk.roc_auc_score(y, s, multi_class=how)
    sk.log_loss(y, s)
    sk.classification_report(y, s.argmax(1), zero_division=0)


WORKS = {"two classes": (binary, everything), "12 classes": (classes, of_classes)}


def median(call: Any) -> float:
    call()
    taken = [seconds(call)]
    while len(taken) < (RUNS if taken[0] < 1 else 2):
        taken.append(seconds(call))
    return float(np.median(taken))


@case
def sizes() -> Iterator[Figure]:
    """Every default with its interval, from few rows to many."""
    for name, (rows, theirs) in WORKS.items():
        for n in SIZES:
            if n <= LARGEST[name]:
                y, s = rows(n)
                ours = median(lambda y=y, s=s: ca.assess(y, s).estimates())
                yield Figure(
                    f"curve: {name}, n={n:,}", "scikit-learn", ours, median(partial(theirs, y, s)), "s", ""
                )


def picture(figures: list[dict[str, Any]]) -> str:
    """Seconds over rows on two logarithmic axes, ours and the peer's, as SVG."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from manual.gallery import STYLE, svg

    with mpl.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(WORKS), figsize=(8, 3.6), sharey=True)
        for ax, name in zip(axes, WORKS, strict=True):
            rows = [each for each in figures if each["work"].startswith(f"curve: {name},")]
            n = [int(each["work"].rpartition("=")[2].replace(",", "")) for each in rows]
            for key, colour, mark, word in (
                ("ours", "#1f4e9c", "o", "classay, every default with its interval"),
                ("theirs", "#c8741a", "s", "scikit-learn, a few numbers, no interval"),
            ):
                ax.plot(n, [each[key] for each in rows], f"{mark}-", color=colour, markersize=4, label=word)
            ax.set(xscale="log", yscale="log", xlabel="rows", title=name)
            ax.grid(color="#dddddd", linewidth=0.6)
        axes[0].set_ylabel("seconds")
        figure.legend(
            *axes[0].get_legend_handles_labels(), loc="lower center", bbox_to_anchor=(0.5, -0.14), ncols=2
        )
        made = svg(figure)
        plt.close(figure)
    return made


def table(figures: list[dict[str, Any]]) -> Iterator[str]:
    yield "| work | classay | peer | ratio | wanted | peer's work |"
    yield "| --- | --: | --: | --: | --- | --- |"
    for each in figures:
        theirs = "" if each["theirs"] is None else f"{each['theirs']:.3g} {each['unit']}"
        ratio = "" if each["ratio"] is None else f"{each['ratio']:.2g}×"
        ours = f"{each['ours']:.3g} {each['unit']}".strip()
        yield f"| {each['work']} | {ours} | {theirs} | {ratio} | {each['wanted']} | {each['peer'].strip('–')} |"


def main(*files: str) -> None:
    """Write the measured part of docs/evidence/speed.md, and its picture, from runs that follow each other."""
    runs = [json.loads(Path(file).read_text(encoding="utf-8")) for file in files]
    run = runs[-1] | {"figures": [each for own in runs for each in own["figures"]]}
    page = ROOT / "docs/evidence/speed.md"
    text = page.read_text(encoding="utf-8")
    versions = ", ".join(f"{name} {number}" for name, number in run["versions"].items())
    lines = [
        f"Measured with {versions}, Python {run['python']}, {run['machine']}, {run['clock']} seconds.",
        "",
    ]
    lines += table(run["figures"])
    head, tail = text.partition(START)[0], text.partition(END)[2]
    page.write_text("\n".join([head + START, "", *lines, "", END]) + tail, encoding="utf-8")
    (ROOT / "docs/speed.svg").write_text(picture(run["figures"]), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
