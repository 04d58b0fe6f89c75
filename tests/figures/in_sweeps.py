"""What figures add to the sweep over all options."""

FIGURE = ("--figure", "a.pdf")
MAY_BE_REFUSED = ("--figure", "--panels")
"""Most results have no curves."""


def used_from_markdown(base, _):
    """The calls of the options of every command that writes Markdown."""
    return {"--figure": (base, FIGURE), "--panels": (base, (*FIGURE, "--panels", "roc:120mm"))}
