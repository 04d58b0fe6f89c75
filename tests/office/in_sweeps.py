"""What files of office programs add to the sweep over all options."""

OFFICE = ("--docx", "a.docx", "--xlsx", "a.xlsx")
"""Both files, which one call writes."""


def used_from_markdown(base, _):
    """The calls of the options of every command that writes Markdown."""
    return {"--docx": (base, OFFICE), "--xlsx": (base, OFFICE)}


GATE = ("p.csv", "q.csv", "--truth", "y", "--score", "p", "--measure", "auc", "--rule", "superior")
USED = {"gate": {"--junit": (GATE, ("--junit", "a.xml"))}}
