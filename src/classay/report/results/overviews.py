"""Saved results beside each other. Documents and JSON (docs/overview.schema.json)."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from classay.inference.estimate import format_estimate, title
from classay.measures import get
from classay.report.document import (
    Cell,
    Column,
    Count,
    Document,
    EstimateCell,
    Label,
    Listing,
    Section,
    Spark,
    Table,
    Value,
    Words,
)
from classay.report.shape import ByName, Key, Many, Result, Row
from classay.report.value_kinds import COUNT, MEASURE, TEXT, TEXTS
from classay.report.words import value
from classay.saved_results import Overview, SavedResult
from classay.texts import as_sentence, hint, quote

TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$"


def document_of_overview(o: Overview) -> Document:
    """Return the course of each measure, and the results, the newest first; what could not be read last."""
    times, when = [result.time for result in o.results], _when(o)
    facts = (
        ("results", f"{len({result.name for result in o.results}):,}"),
        ("saved", " to ".join(dict.fromkeys(when(each) for each in (times[0], times[-1])))),
    )
    empty = [result for result in o.results if not result.estimates]
    sections = (
        *([Section("Over time", (_courses(o),))] if o.series() else []),
        *([Section("Results, newest first", (_results(o),))] if o.series() else []),
        *([Section("Without measures", (_others(o, empty),))] if empty else []),
        Section("Next steps", (Listing(tuple(("", step) for step in _next(o))),), "next"),
    )
    return Document(f"Saved results in {o.source}", facts, tuple(_sentences(o)), sections)


def _sentences(o: Overview) -> Iterator[str]:
    """Yield the newest result of each series by the first measure that it has, and the lowest and highest so far."""
    when = _when(o)
    for name, results in list(o.series().items())[:MOST_SERIES]:
        measure = next((each for each in o.measures if o.course(each, results)), None)
        if measure is None:
            continue
        known = [result for result in results if o.course(measure, [result])]
        newest = known[-1]
        estimate = (newest.estimates or {})[measure]
        of = f" of {name}" if name else ""
        text = f"{title(measure)}{of} is {format_estimate(estimate)} in the newest, "
        text += f"{quote(newest.name)} of {when(newest.time)}"
        if len(known) > 1:
            ends = [end(known, key=lambda at: (at.estimates or {})[measure].value) for end in (min, max)]
            low, high = (f"{value((each.estimates or {})[measure])} ({quote(each.name)})" for each in ends)
            text += f". The lowest value so far is {low}, the highest {high}"
        yield as_sentence(text)
    known = [result for result in o.results if result.estimates]
    estimates = [estimate for result in known for estimate in (result.estimates or {}).values()]
    levels = {f"{100 * estimate.level:g}%" for estimate in estimates if estimate.level}
    thresholds = {str(result.threshold) for result in known if result.threshold is not None}
    for option, values in (("confidence levels", levels), ("thresholds", thresholds)):
        if len(values) > 1:
            yield f"The results have different {option}: {', '.join(sorted(values))}."
    if copies := len(known) - len({repr((result.cases, result.model, result.estimates)) for result in known}):
        yield f"Copies of other results (same cases and estimates): {copies:,}."


def _courses(o: Overview) -> Table:
    """Return a row for each series and measure: the newest, the lowest and highest, and the course."""
    several = len(o.series()) > 1
    rows: list[tuple[Cell, ...]] = []
    for name, results in o.series().items():
        for measure in o.measures:
            if not (course := o.course(measure, results)):
                continue
            low, high = (end(course, key=lambda estimate: estimate.value) for end in (min, max))
            ends = Spark(course), EstimateCell(course[-1]), Value(low), Value(high)
            rows.append((*[Label(name)] * several, Label(get(measure).title, measure), *ends))
    columns = (
        *([Column("results of", Label)] if several else []),
        Column("measure", Label),
        Column("over time", Spark, 6),
        Column("newest", EstimateCell),
        Column("lowest", Value, 4),
        Column("highest", Value, 4),
    )
    note = "Every line has its own scale, from the lowest to the highest limit."
    return Table(columns, tuple(rows), note=note, legend="Bands are intervals.")


def _results(o: Overview) -> Table:
    """Return a row for each result with measures, the newest first."""
    known = [result for result in reversed(o.results) if result.estimates]
    kinds, models = len({result.what for result in known}) > 1, any(result.model for result in known)
    rows: list[tuple[Cell, ...]] = []
    when = _when(o)
    for result in known[:MOST_ROWS]:
        estimates = ((result.estimates or {}).get(name) for name in o.measures)
        cells = [None if one is None else EstimateCell(one) for one in estimates]
        model, kind = [Words(result.model)] * models, [Words(result.what)] * kinds
        cases = None if result.cases is None else Count(result.cases)
        link = Label(result.name, link=result.page)
        rows.append((link, *model, Words(when(result.time)), *kind, cases, *cells))
    columns = (
        Column("result", Label),
        *([Column("model", Words)] if models else []),
        Column("saved", Words, 3),
        *([Column("kind of result", Words, 7)] if kinds else []),
        Column("cases", Count, 5),
        *(
            Column(get(name).title, EstimateCell, 0 if k == 0 else 1 + (k > 1), name=name)
            for k, name in enumerate(o.measures)
        ),
    )
    some = f"The table shows the newest {MOST_ROWS:,} of {len(known):,} results. The frame and the JSON list all."
    return Table(columns, tuple(rows), note=some if len(known) > MOST_ROWS else "")


def _others(o: Overview, results: list[SavedResult]) -> Table:
    """Return what has no measures to show: other kinds of results, unfinished runs, and files that cannot be read."""
    when = _when(o)
    rows = tuple((Label(of.name, link=of.page), Words(when(of.time)), Words(of.what)) for of in results)
    return Table((Column("result", Label), Column("saved", Words), Column("kind of result", Words)), rows)


def _next(o: Overview) -> Iterator[str]:
    name = next((result.name for result in reversed(o.results) if result.what == "assessment"), None)
    if name is None:
        name = next((result.name for result in reversed(o.results) if result.estimates), o.results[-1].name)
        yield hint(
            "Load a result with all its measures: `ca.load(…)`.",
            f"Show a result with all its measures: `classay runs {o.source} {name}`.",
        )
        return
    file = f"{o.source.rstrip('/')}/{name}.classay"
    yield hint(
        f"Load a result and write its page: `ca.load({file!r})`, then `.report(…)`.",
        f"Write the page of a result, linked from the overview: `classay runs {file} --html "
        f"{file.removesuffix('.classay')}.html`.",
    )
    folder = o.source.rstrip("/")
    sums = Counter(result.sum for result in o.results if result.sum)
    largest = max(sums, key=sums.__getitem__, default="")
    added = [f"{folder}/{each.name}.classay" for each in o.results if each.sum and each.sum == largest]
    are_all = len(added) == len(o.results) and not any("/" in result.name for result in o.results)
    are_all &= added == sorted(added)  # a pattern gives them in the order of names
    files = f"{folder}/*.classay" if are_all else " ".join(map(shlex.quote, added))
    if len(added) > 2 and len(files) <= LONGEST:
        yield hint(
            "Check for changes over results of different cases: `ca.trends_over(…)`.",
            f"Check for changes over results of different cases: `classay merge {files} --trend`.",
        )


def _when(o: Overview) -> Callable[[str], str]:
    """Return how the time of a result is told: by its day, with its minute where two were saved on one day."""
    times = {result.time for result in o.results}
    if len(times) == len({time[:10] for time in times}):
        return lambda time: time[:10]
    return lambda time: time[:16].replace("T", " ")


OVERVIEW = Result(
    "overview",
    1,
    "Saved results side by side",
    "What `classay runs FOLDER --json` and `Overview.to_dict()` write: every saved result of a folder or "
    "store, in order of time.",
    Key("source", TEXT, help="The folder or store."),
    Key("measures", TEXTS, help="The measures shown, by canonical name."),
    Key(
        "results",
        Many(
            Row(
                Key(
                    "name",
                    TEXT,
                    help="The file below the folder, without .classay, or the beginning of a run's id.",
                ),
                Key(
                    "model",
                    TEXT.or_null(),
                    lambda result: result.model or None,
                    "The model of an evaluation. Null for an assessment.",
                ),
                Key("time", TEXT.limited(pattern=TIME), help="When it was saved, UTC."),
                Key("what", TEXT, help="The kind of result, or the reason why it has no measures."),
                Key("cases", COUNT.or_null()),
                Key(
                    "page",
                    TEXT.or_null(),
                    lambda result: result.page or None,
                    "The page next to the result, relative to the folder of the overview.",
                ),
                Key("measures", ByName(MEASURE), lambda result: result.estimates or {}),
            )
        ).limited(minItems=1),
    ),
    kind="overview",
)


def as_dict_of_overview(o: Overview) -> dict[str, Any]:
    """Return the results in their order as plain values (docs/overview.schema.json)."""
    return OVERVIEW.as_dict(o)


MOST_SERIES = 4
"""Series of which a sentence is said."""
MOST_ROWS = 500
"""Results of which a page and a text have a row."""
LONGEST = 400
"""Characters up to which the files of a command are named."""
