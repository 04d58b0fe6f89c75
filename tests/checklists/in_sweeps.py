"""What checklists add to the sweep over all options."""


def used_from_markdown(base, with_it):
    """The call of the option of every command that writes Markdown."""
    return {"--standard": (base, ("--standard", "stard2015", *with_it))}
