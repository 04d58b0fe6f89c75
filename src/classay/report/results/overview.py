"""Saved results beside each other: the course of each measure, a row for each result, and the JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from classay.inference.estimate import title
from classay.measures import get
from classay.report.document import (
    Cell,
    Column,
    Count,
    Document,
    Found,
    Label,
    Listing,
    Section,
    Spark,
    Table,
    Value,
    Words,
)
from classay.report.results.parts import head, of_estimate, plain
from classay.report.words import interval, value
from classay.saved_results import Overview, SavedResult
from classay.texts import as_sentence, hint, quote

SCHEMA = 1


def document_of(o: Overview) -> Document:
    """The course of each measure, and the results, the newest first; what could not be read last."""
    times = [each.time for each in o.results]
    facts = (
        ("results", f"{len({each.name for each in o.results}):,}"),
        ("saved", " to ".join(dict.fromkeys(_when(o, each) for each in (times[0], times[-1])))),
    )
    empty = [each for each in o.results if not each.estimates]
    sections = (
        *([Section("Over time", (_courses(o),))] if o.series() else []),
        *([Section("Results, the newest first", (_results(o),))] if o.series() else []),
        *([Section("Without measures", (_others(o, empty),))] if empty else []),
        Section("Next", (Listing(tuple(("", step) for step in _next(o))),), "next"),
    )
    return Document(f"Saved results in {o.source}", facts, tuple(_sentences(o)), sections)


def _sentences(o: Overview) -> Iterator[str]:
    """The newest result of each series by the first measure that it has, and the lowest and highest so far."""
    for name, results in list(o.series().items())[:MOST_SERIES]:
        measure = next((each for each in o.measures if o.course(each, results)), None)
        if measure is None:
            continue
        known = [each for each in results if o.course(measure, [each])]
        newest = known[-1]
        found = (newest.estimates or {})[measure]
        of = f" of {name}" if name else ""
        text = (
            f"{title(measure)}{of} is {value(found)} {interval(found)}".rstrip()
            + f" in the newest, {quote(newest.name)} of {_when(o, newest.time)}"
        )
        if len(known) > 1:
            worst, best = (
                end(known, key=lambda each: (each.estimates or {})[measure].value) for end in (min, max)
            )
            lowest, highest = (value((each.estimates or {})[measure]) for each in (worst, best))
            text += f"; the lowest so far is {lowest} ({quote(worst.name)}), the highest {highest} ({quote(best.name)})"
        yield as_sentence(text)


MOST_SERIES = 4
"""Series of which a sentence is said."""


def _courses(o: Overview) -> Table:
    """A row for each series and measure: the newest, the lowest and highest, and the course."""
    several = len(o.series()) > 1
    rows: list[tuple[Cell, ...]] = []
    for name, results in o.series().items():
        for measure in o.measures:
            if not (found := o.course(measure, results)):
                continue
            low, high = (end(found, key=lambda each: each.value) for end in (min, max))
            first: list[Cell] = [Label(name)] if several else []
            rows.append(
                (
                    *first,
                    Label(get(measure).title, measure),
                    Spark(found),
                    Found(found[-1]),
                    Value(low),
                    Value(high),
                )
            )
    columns = (
        *([Column("results of", Label)] if several else []),
        Column("measure", Label),
        Column("over time", Spark, 6),
        Column("newest", Found),
        Column("lowest", Value, 4),
        Column("highest", Value, 4),
    )
    note = "Each line has a scale of its own, from the lowest limit to the highest; a band has the intervals."
    return Table(columns, tuple(rows), note=note)


def _results(o: Overview) -> Table:
    """A row for each result with measures, the newest first."""
    known = [each for each in reversed(o.results) if each.estimates]
    kinds, models = len({each.what for each in known}) > 1, any(each.model for each in known)
    rows: list[tuple[Cell, ...]] = []
    for each in known:
        found = [(each.estimates or {}).get(name) for name in o.measures]
        rows.append(
            (
                Label(each.name, link=each.page),
                *([Words(each.model)] if models else []),
                Words(_when(o, each.time)),
                *([Words(each.what)] if kinds else []),
                None if each.cases is None else Count(each.cases),
                *(None if one is None else Found(one) for one in found),
            )
        )
    columns = (
        Column("result", Label),
        *([Column("model", Words)] if models else []),
        Column("saved", Words, 3),
        *([Column("what", Words, 7)] if kinds else []),
        Column("cases", Count, 5),
        *(
            Column(get(name).title, Found, 0 if k == 0 else 1 + (k > 1), name=name)
            for k, name in enumerate(o.measures)
        ),
    )
    some = f"The newest {MOST_ROWS:,} of {len(rows):,} are shown; the frame and the JSON have all."
    return Table(columns, tuple(rows[:MOST_ROWS]), note=some if len(rows) > MOST_ROWS else "")


MOST_ROWS = 500
"""Results of which a page and a text have a row."""


def _others(o: Overview, results: list[SavedResult]) -> Table:
    """What has no measures to show: other kinds of results, unfinished runs, and files that cannot be read."""
    rows = tuple(
        (Label(each.name, link=each.page), Words(_when(o, each.time)), Words(each.what)) for each in results
    )
    return Table((Column("result", Label), Column("saved", Words), Column("what", Words)), rows)


def _next(o: Overview) -> Iterator[str]:
    name = next((each.name for each in reversed(o.results) if each.what == "assessment"), None)
    if name is None:
        name = o.results[-1].name
        yield hint(
            "`ca.load(…)` gives a result again, with all its measures",
            f"`classay runs {o.source} {name}` shows one again, with all its measures",
        )
        return
    file = f"{o.source.rstrip('/')}/{name}.classay"
    yield hint(
        f"`ca.load({file!r})` gives a result again, and `.report(…)` its page",
        f"`classay runs {file} --html {file.removesuffix('.classay')}.html` writes the page of one, to which the "
        "overview then links",
    )
    if sum(each.what == "assessment" for each in o.results) > 2:
        yield hint(
            "`ca.trends_over(…)` says whether a measure changes over results of different cases",
            f"`classay merge {o.source.rstrip('/')}/*.classay --trend` says whether a measure changes over results of "
            "different cases",
        )


def _when(o: Overview, time: str) -> str:
    """The day of a result, with its minute where two were saved on one day."""
    days = [each.time[:10] for each in o.results]
    return (
        time[:10] if len({each.time for each in o.results}) == len({*days}) else time[:16].replace("T", " ")
    )


def as_dict(o: Overview) -> dict[str, Any]:
    """The results in their order as plain values (docs/overview.schema.json)."""
    return head(SCHEMA, "overview") | {
        "source": o.source,
        "measures": list(o.measures),
        "results": [
            {
                "name": each.name,
                "model": each.model or None,
                "time": each.time,
                "what": each.what,
                "cases": plain(each.cases),
                "page": each.page or None,
                "measures": {name: of_estimate(found) for name, found in (each.estimates or {}).items()},
            }
            for each in o.results
        ],
    }
