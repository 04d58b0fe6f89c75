"""Calls in which each option of `classay describe` matters, for the sweep over all options of all commands."""

PAGES = ("--json", "a.json", "--html", "a.html", "--latex", "a.tex", "--markdown", "a.md")


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
