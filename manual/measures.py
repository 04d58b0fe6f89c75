"""Reference of measures, from their registry: what `classay measures` prints, on one page."""

from manual.markdown import code, codes, page, prose, table


def measures() -> str:
    """Every measure, by the table that it is a function of."""
    from classay.cli.commands.without_file import OF
    from classay.measures import MEASURES

    titles = dict.fromkeys(OF.values())
    parts = [
        "A measure is a [function of a table](../function-of-a-table.md). Each has a range, a best value, and "
        "conditions under which it is undefined. `classay measures NAME` prints the same. [Intervals](intervals.md) "
        "lists the methods."
    ]
    for title in titles:
        chosen = [each for each in MEASURES.values() if OF[each.needs] == title]
        rows = [[f"[`{m.name}`](#{m.name})", code(m.formula), _range(m), codes(m.aliases)] for m in chosen]
        parts.append(f"## Of {title}")
        parts.append(table(["name", "formula", "range", "also called"], rows))
    parts.append("## On request")
    parts.append(
        "These have parameters, or are shown only to those who name them. Write the parameters in brackets: "
        "`--measures 'f_beta(3)'`, `a[\"f_beta(3)\"]`."
    )
    parts.append(_families())
    for title in titles:
        parts.append(f"## Definitions: of {title}")
        parts += [_definition(each) for each in MEASURES.values() if OF[each.needs] == title]
    return page("Measures", *parts)


def _families() -> str:
    from classay.measures import FAMILIES

    rows = [
        [code(each.written), prose((each.build.__doc__ or "").strip().partition("\n")[0])]
        for each in FAMILIES.values()
    ]
    return table(["name", "meaning"], rows)


def _definition(measure) -> str:
    from classay.cli.commands import without_file as command
    from classay.inference import intervals  # noqa: F401  fills the registry
    from classay.inference.methods import described
    from classay.measures import ALIASES
    from classay.measures.registry import undefined_text
    from classay.measures.vocabulary import REFERENCES

    told = dict(described(measure))
    for drawn in ("of weights", "of clusters"):
        if told.get(drawn) == told.get("interval"):
            told.pop(drawn, None)
    words = {"interval": "interval", "of weights": "with sampling weights", "of clusters": "in clusters"}
    aliases = [alias for alias, of in ALIASES.items() if of == measure.name]
    rows = [
        ["title", prose(measure.title)],
        ["formula", code(measure.formula)],
        ["also called", codes(aliases)],
        ["range", f"{_range(measure)}, best {command._best(measure)}"],
        ["undefined", prose(undefined_text(measure).removeprefix("Undefined "))],
        ["source", prose(REFERENCES[measure.reference])],
        *[[words.get(key, key), prose(text)] for key, text in told.items()],
    ]
    kept = [row for row in rows if row[1]]
    return f"### {measure.name}\n\n{prose(command._meaning(measure))}\n\n{table(['', ''], kept)}"


def _range(measure) -> str:
    from classay.cli.commands.without_file import _range as written

    return written(measure)
