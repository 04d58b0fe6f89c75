"""What figures add to the sweep over all options."""

PAGES = ("--markdown", "a.md")


def used_from_markdown(base, _):
    """The calls of the options of commands whose page has curves."""
    return {}


ROWS = ("p.csv", "--truth", "y", "--score", "p")
FIGURE = (*ROWS, "--figure", "a.pdf")
USED = {
    "assess": {
        "--figure": (ROWS, ("--figure", "a.pdf")),
        "--panels": (FIGURE, ("--panels", "calibration")),
        "--figure-width": (FIGURE, ("--figure-width", "120mm")),
    }
}
