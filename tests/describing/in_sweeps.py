"""A sample of a description, for the sweeps over all kinds of results, pages and options."""

import os
import tempfile
from pathlib import Path

from classay.describing.description import described
from classay.shown import Reportable
from sample_results import result

ROWS = [(k, "ill" if k % 3 == 0 else "well", (k * 37 % 100) / 100, "fm"[k % 2], 1) for k in range(60)]
TEXT = "\n".join(["id,outcome,p_ill,sex,kind", *(",".join(map(str, row)) for row in ROWS)]) + "\n"
PAGES = ("--json", "a.json", "--html", "a.html", "--latex", "a.tex", "--markdown", "a.md")


@result
def description_of_a_file() -> Reportable:
    folder = os.getcwd()
    with tempfile.TemporaryDirectory() as other:
        os.chdir(other)
        try:
            Path("cohort.csv").write_text(TEXT)
            return described("cohort.csv")
        finally:
            os.chdir(folder)


FILE = ("p.csv",)
USED = {
    "describe": {
        "--json": (FILE, PAGES),
        "--html": (FILE, PAGES),
        "--latex": (FILE, PAGES),
        "--markdown": (FILE, PAGES),
        "--format": (("p.txt",), ("--format", "csv")),
        "--delimiter": (("semi.csv",), ("--delimiter", ";")),
    },
}
