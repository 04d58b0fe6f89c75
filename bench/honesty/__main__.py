"""`python -m bench honesty [--samples N] [--store FILE] [--page FILE] [--group NAME …]`."""

import argparse
from pathlib import Path

from bench.honesty.fold_intervals import run_fold_intervals
from bench.honesty.folds import Size, run_folds
from bench.honesty.page import write
from bench.honesty.run import Cell, run
from bench.honesty.settings import SETTINGS

PAGE = Path("docs/evidence/README.md")


def main(given: list[str] | None = None) -> None:
    groups = list(dict.fromkeys(each.group for each in SETTINGS))
    parser = argparse.ArgumentParser(prog="python -m bench honesty", description=__doc__)
    parser.add_argument("--samples", type=int, default=400, help="samples a setting (default: 400)")
    parser.add_argument(
        "--store", type=Path, help="keep finished settings in this file, and go on from there"
    )
    parser.add_argument("--page", type=Path, default=PAGE, help=f"where to write the page (default: {PAGE})")
    parser.add_argument(
        "--group", action="append", choices=groups, help="only these settings; no tests of learners"
    )
    chosen = parser.parse_args(given)
    cells = run(chosen.samples, chosen.store, tuple(chosen.group or ()))
    sizes: list[Size] = []
    intervals: list[Cell] = []
    if not chosen.group:
        stores = [
            chosen.store and chosen.store.with_suffix(f".{each}.jsonl") for each in ("folds", "intervals")
        ]
        sizes, intervals = run_folds(chosen.samples, stores[0]), run_fold_intervals(chosen.samples, stores[1])
    write(cells, sizes, intervals, chosen.page)
    print(f"{len(cells)} cells in {chosen.page}")


if __name__ == "__main__":
    main()
