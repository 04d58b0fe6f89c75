"""`python -m bench honesty [--samples N] [--most N] [--store FILE] [--jobs N] [--family NAME …]
[--setting TEXT] [--again MEASURE …]`.
"""

import argparse
import os
from pathlib import Path

from bench.honesty.page import Evidence, write
from bench.honesty.run import Store, again, run
from bench.honesty.settings import SETTINGS

PAGES = Path("docs/evidence")


def main(given: list[str] | None = None) -> None:
    families = list(dict.fromkeys(each.family for each in SETTINGS))
    parser = argparse.ArgumentParser(prog="python -m bench honesty", description=__doc__)
    parser.add_argument("--samples", type=int, default=2000, help="samples a setting (default: 2000)")
    parser.add_argument(
        "--most",
        type=int,
        default=6000,
        help="samples of what is near a bound of the promise (default: 6000)",
    )
    parser.add_argument("--store", type=Path, help="keep finished batches in this file, and go on from there")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (default: all cores)")
    parser.add_argument(
        "--family", action="append", choices=families, help="only these families and their pages"
    )
    parser.add_argument(
        "--pages", type=Path, default=PAGES, help=f"where to write the pages (default: {PAGES})"
    )
    parser.add_argument(
        "--write", action="store_true", help="simulate nothing: write the pages from the store"
    )
    parser.add_argument(
        "--again",
        action="append",
        metavar="MEASURE",
        help="the method of this measure was changed: draw the samples of the store again for it alone",
    )
    parser.add_argument("--setting", default="", help="only settings whose name contains this")
    chosen = parser.parse_args(given)
    store = Store.opened(chosen.store)
    wanted = [each for each in SETTINGS if chosen.setting in each.key]
    asked = [each for family in chosen.family or families for each in wanted if each.family == family]
    if chosen.again:
        again(asked, chosen.again, store)
    elif not chosen.write:
        run(asked, chosen.samples, chosen.most, store, chosen.jobs)
    shown = [each for each in SETTINGS if each.family in (chosen.family or families)]
    cells = [cell for each in shown for cell in store.cells(each)]
    for path in write(Evidence(cells, SETTINGS, store), chosen.pages):
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
