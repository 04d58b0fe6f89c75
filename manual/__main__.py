"""`python -m manual` writes the made pages into docs/; `python -m manual --check` names those that are not current."""

import argparse
import sys

from manual.made import DOCS, pages, pictures, stale, write


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m manual", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; end with 1 if a page is not current"
    )
    chosen = parser.parse_args()
    made = pages()
    if chosen.check:
        old = stale(made)
        print("\n".join(f"not current: {DOCS / each}" for each in old) or f"{len(made)} pages are current")
        sys.exit(bool(old))
    for each in write(made | pictures()):
        print(f"wrote {each}")


if __name__ == "__main__":
    main()
