"""`python -m bench [CASE …] [--json FILE]`; `python -m bench honesty …` simulates what intervals cover."""

import argparse
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import classay
from bench import (  # noqa: F401  their cases register themselves
    cold,
    comparing,
    decision,
    ensembles,
    formats,
    gates,
    graded,
    growth,
    improving,
    inference,
    pages,
    resampling,
    scanning,
    sizes,
)
from bench.cases import CASES
from bench.timing import CHOSEN, CLOCKS


def _keep(figures: list[dict[str, Any]], file: str, clock: str) -> None:
    """The figures so far, with what they were measured with."""
    about = {name: version(name) for name in ("numpy", "scipy", "numba", "scikit-learn", "pyarrow")}
    about = {"classay": classay.__version__} | about
    machine = {"machine": platform.machine(), "python": platform.python_version()}
    made = {"versions": about, **machine, "clock": clock, "figures": figures}
    Path(file).write_text(json.dumps(made, indent=1), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("cases", nargs="*", help=f"any of: {', '.join(CASES)} (default: all)")
    parser.add_argument("--json", metavar="FILE", help="also write the figures here")
    parser.add_argument(
        "--clock",
        choices=CLOCKS,
        default="wall",
        help="cpu where others work on the machine: processor time, that of finished child processes too",
    )
    chosen = parser.parse_args()
    CHOSEN.append(chosen.clock)
    unknown = {*chosen.cases} - {*CASES}
    if unknown:
        parser.error(f"no case is named {', '.join(sorted(unknown))}; there are {', '.join(CASES)}")
    figures = []
    print(f"{'work':<52} {'ours':>12} {'peer':>10} {'ratio':>8}  {'wanted':<26} peer")
    for name in chosen.cases or CASES:
        for figure in CASES[name]():
            theirs = "–" if figure.theirs is None else f"{figure.theirs:.4g}"
            ratio = "–" if figure.ratio is None else f"{figure.ratio:.1f}×"
            ours = f"{figure.ours:.4g} {figure.unit}"
            print(
                f"{figure.work:<52} {ours:>12} {theirs:>10} {ratio:>8}  {figure.wanted:<26} {figure.peer}",
                flush=True,
            )
            figures.append(figure.as_dict())
            if chosen.json:  # after each, since a run may be ended
                _keep(figures, chosen.json, chosen.clock)


if __name__ == "__main__":
    if sys.argv[1:2] == ["honesty"]:
        from bench.honesty.__main__ import main as honesty

        honesty(sys.argv[2:])
    else:
        main()
