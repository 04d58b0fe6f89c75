"""What files of office programs add to the sweep over all options."""

OFFICE = ("--docx", "a.docx", "--xlsx", "a.xlsx")
"""Both files, which one call writes."""


def used_from_markdown(base, _):
    """The calls of the options of every command that writes Markdown."""
    return {"--docx": (base, OFFICE), "--xlsx": (base, OFFICE)}


GATE = ("p.csv", "q.csv", "--truth", "y", "--score", "p", "--measure", "auc", "--rule", "superior")
DEMAND = ("p.csv", "--truth", "y", "--score", "p", "--require", "auc >= 0.1")
USED = {
    "gate": {"--junit": (GATE, ("--junit", "a.xml"))},
    "assess": {"--junit": (DEMAND, ("--junit", "a.xml"))},
}
