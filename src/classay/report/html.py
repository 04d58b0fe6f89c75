"""The report as one HTML file that needs no network: tables, drawn intervals, curves by plotly.js."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from classay.inference.estimate import Estimate
from classay.report import wording
from classay.report.fold_pictures import of_folds, of_models
from classay.report.forest import forest
from classay.report.pictures import pictures, script_json
from classay.report.report import Group, Matrix, Report, Row

if TYPE_CHECKING:
    from jinja2 import Environment

MATRIX_CLASSES = 40
NUMBERED_CLASSES = 8  # from here on the columns of the matrix carry numbers, for the labels would not fit
NUMBERED_LABEL = 18  # and beyond this length of a label, for labels cut short may look the same

# The colours of both themes: the style sheet and the pictures draw on the same ones.
COLOURS = {
    "light": {
        "page": "#f4f5f6",
        "paper": "#ffffff",
        "ink": "#1b2329",
        "quiet": "#5b6770",
        "rule": "#dfe3e6",
        "accent": "#0b6a94",
        "alarm": "#9a4b00",
        "alarm-paper": "#fdf3e4",
    },
    "dark": {
        "page": "#101417",
        "paper": "#171d21",
        "ink": "#e4e9ec",
        "quiet": "#9aa7b0",
        "rule": "#2c353b",
        "accent": "#58b4dc",
        "alarm": "#f0ac52",
        "alarm-paper": "#2b2216",
    },
}

# After the accent: told apart also by readers who do not see all colours.
SERIES = {
    "light": ["#0b6a94", "#c2691c", "#5e7f31", "#8a4f92", "#6b7680", "#b03a48", "#2b8a7e", "#8f7415"],
    "dark": ["#58b4dc", "#eea04f", "#a3c46c", "#cb97d3", "#aab4bc", "#ee8590", "#66c9bb", "#d8bd5c"],
}


def templates(**filters: Callable[..., Any]) -> Environment:
    """The templates of the pages, which escape all that they are given, with these filters."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("classay.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    return environment


def as_html(report: Report) -> str:
    """The report as one self-contained page; its curves need JavaScript, nothing else does."""
    from markupsafe import Markup

    environment = templates(clean=wording.clean, code=_code, spoken=wording.spoken)
    main, more = pictures(report.curves), pictures(report.more_curves)
    drawn = [*main, *more]
    compared = _by_group(report, drawn)
    groups = [_group(group, drawn) for group in report.groups]
    by_fold = [_placed(of_folds(each), drawn) for each in report.by_fold]
    return environment.get_template("assessment.html.j2").render(
        report=report,
        colours=COLOURS,
        matrix=_matrix(report.matrix) if report.matrix is not None else None,
        interval_title=wording.interval_title(report.groups),
        groups=groups,
        by_fold=by_fold,
        classes=_classes(report),
        compared=compared,
        pictures=main,
        more_pictures=more,
        data=Markup(script_json({"pictures": drawn, "colours": COLOURS, "series": SERIES})) if drawn else "",
        plotly=Markup(_plotly()) if drawn else "",
    )


def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    script: str = get_plotlyjs()
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _row(row: Row) -> dict[str, Any]:
    estimate = row.estimate
    places = {"low": estimate.low, "at": estimate.value, "high": estimate.high}
    training = "" if row.training is None else f"training {wording.value(row.training)}; "
    return {
        "title": wording.clean(row.title),
        "name": row.name,
        "value": wording.value(estimate),
        "undefined": estimate.is_undefined,
        "interval": wording.interval(estimate),
        "remark": training + wording.remark(estimate),
        "bar": {k: f"{100 * x:.2f}" for k, x in places.items()} if wording.is_drawable(row) else None,
    }


def _matrix(matrix: Matrix) -> dict[str, Any]:
    """Counts with their totals, and for each cell how dark: its share of the cases of the true class."""
    totals = [sum(column) for column in zip(*matrix.counts, strict=True)]
    rows = [
        {
            "label": label,
            "cells": [
                {"text": wording.count(cell), "shade": round(60 * cell / total) if total > 0 else 0}
                for cell, total in zip(counts, totals, strict=True)
            ],
            "total": wording.count(sum(counts)),
        }
        for label, counts in zip(matrix.labels, matrix.counts, strict=True)
    ]
    is_long = any(len(wording.clean(label)) > NUMBERED_LABEL for label in matrix.labels)
    return {
        "is_shown": len(matrix.labels) <= MATRIX_CLASSES,
        "is_numbered": is_long or len(matrix.labels) >= NUMBERED_CLASSES,
        "size": "dense"
        if len(matrix.labels) >= NUMBERED_CLASSES
        else "small"
        if len(matrix.labels) <= 3
        else "",
        "labels": matrix.labels,
        "rows": rows,
        "totals": [wording.count(total) for total in totals],
        "everything": wording.count(sum(totals)),
    }


def _classes(report: Report) -> dict[str, Any] | None:
    if not report.classes:
        return None
    table = wording.class_table(report)
    notes = wording.Notes()
    rows = [
        {
            "label": row.label,
            "cases": wording.count(row.cases),
            "cells": [_cell(row.estimates.get(name), notes) for name in table.names],
        }
        for row in table.rows
    ]
    return {"names": table.names, "rows": rows, "notes": list(notes), "note": table.note}


def _placed(picture: dict[str, Any] | None, drawn: list[dict[str, Any]]) -> dict[str, Any]:
    """A picture, put behind those drawn before, with its place among them."""
    if picture is not None:
        drawn.append(picture)
    return {"picture": picture, "place": len(drawn) - 1}


def _group(group: Group, drawn: list[dict[str, Any]]) -> dict[str, Any]:
    """The rows of a group; and, where it is drawn, the cells that stand beside its picture."""
    found: dict[str, Any] = {"group": group, "rows": [_row(row) for row in group.rows], "picture": None}
    if not group.is_drawn:
        return found
    notes = wording.Notes()
    cells = [
        {
            "title": wording.clean(row.title),
            "cell": _cell(row.estimate, notes),
            "training": "" if row.training is None else wording.value(row.training),
        }
        for row in group.rows
    ]
    methods = dict.fromkeys(row.estimate.method for row in group.rows if row.estimate.has_interval)
    method = "; ".join(wording.clean(each) for each in methods if each)
    return found | {"cells": cells, "notes": list(notes), "method": method} | _placed(of_models(group), drawn)


def _by_group(report: Report, drawn: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each measure its table and its picture, which is put behind those drawn before."""
    found: list[dict[str, Any]] = []
    if report.by_group is None:
        return found
    for table in report.by_group.tables:
        notes, picture = wording.Notes(), forest(table) if report.by_group.is_drawn else None
        rows = [
            {
                "label": row.label,
                "cases": wording.count(row.cases),
                "positives": "" if row.positives is None else wording.count(row.positives),
                "cell": _cell(row.estimate, notes),
                "difference": _cell(row.difference, notes) | {"value": wording.signed(row.difference)},
                "p": wording.p_value(row.p),
            }
            for row in table.rows
        ]
        overall = f"{wording.value(table.overall)} {wording.interval(table.overall)}".rstrip()
        about = {"title": table.title, "overall": overall, "rows": rows, "notes": list(notes)}
        found.append(about | _placed(picture, drawn))
    return found


def _cell(estimate: Estimate | None, notes: wording.Notes) -> dict[str, Any]:
    if estimate is None:
        return {"value": "", "interval": "", "note": None, "undefined": False}
    return {
        "value": wording.value(estimate),
        "interval": wording.interval(estimate),
        "note": notes.mark(estimate),
        "undefined": estimate.is_undefined,
    }


def _code(text: str) -> Any:
    """The text, escaped, with what stands between backticks set as code."""
    from markupsafe import Markup, escape

    text = wording.unbroken(wording.clean(text))
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # a backtick without its partner means itself
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if k % 2 else escape(piece) for k, piece in enumerate(pieces)
    )
