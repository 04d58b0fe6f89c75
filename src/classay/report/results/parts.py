"""Parts that several results share: which measures come first, tables, requirements, next steps, plain values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from classay.inference.estimate import Estimate
from classay.inference.plain import plain_estimate, plain_number
from classay.inference.requirements import Outcome, Verdict
from classay.measures import get
from classay.report.document import (
    AxisScale,
    Bar,
    Cell,
    Column,
    Document,
    EstimateCell,
    Label,
    Matrix,
    MethodCell,
    Prose,
    Section,
    Table,
    Tone,
    Value,
    Words,
    own_version,
)
from classay.texts import as_sentence, hint
from classay.warned import Warned

RANKING = ("roc_auc", "average_precision", "hand_till_auc", "macro_roc_auc")
PROBABILITY = (
    "log_loss",
    "log_loss_skill",
    "brier_score",
    "brier_skill",
    "multiclass_brier_score",
    "multiclass_brier_skill",
    "top_2_accuracy",
)
CALIBRATION = (
    "brier_miscalibration",
    "brier_discrimination",
    "calibration_slope",
    "calibration_in_the_large",
    "observed_expected_ratio",
    "expected_calibration_error",
    "classwise_calibration_error",
    "top_label_calibration_error",
)
MORE_CALIBRATION = (
    "expected_calibration_error_null",
    "brier_uncertainty",
    "log_loss_miscalibration",
    "log_loss_discrimination",
    "log_loss_uncertainty",
    "calibration_intercept",
    "equal_mass_calibration_error",
    "maximum_calibration_error",
    "root_mean_squared_calibration_error",
    "debiased_squared_calibration_error",
    "smooth_calibration_error",
    "cumulative_calibration_error",
    "cumulative_calibration_range",
    "integrated_calibration_index",
    "median_calibration_error",
    "calibration_error_90",
    "spiegelhalter_z",
)
LABELS_BINARY = (
    "accuracy",
    "baseline_accuracy",
    "balanced_accuracy",
    "precision",
    "recall",
    "specificity",
    "negative_predictive_value",
    "f1",
    "matthews_correlation",
    "cohen_kappa",
)
LABELS_SEVERAL = (
    "accuracy",
    "baseline_accuracy",
    "balanced_accuracy",
    "macro_precision",
    "macro_f1",
    "weighted_f1",
    "matthews_correlation",
    "cohen_kappa",
)
TILES = {
    "roc_auc": "AUC",
    "recall": "Sensitivity",
    "specificity": "Specificity",
    "precision": "Precision",
    "hand_till_auc": "AUC, mean of pairs",
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "macro_f1": "Macro F1",
}
"""The measures that a page shows large, by their short names: of these the first four that there are."""
MOVING = ("negative_predictive_value", "accuracy", "f1", "matthews_correlation")
"""What a page shows beside the matrix of a threshold, besides what is large already."""
SHOWN_PER_CLASS = ("roc_auc", "precision", "recall", "specificity", "f1")
LAST_SHOWN = ("recall", "precision", "f1", "roc_auc", "specificity")
"""The same in the order in which a narrow window keeps them."""


def titled(what: str, model: str, link: str = "of") -> str:
    """Return a title that names the model where it is known.

    >>> titled("Decision", "p", "by"), titled("Decision", "")
    ('Decision by p', 'Decision')
    """
    return f"{what} {link} {model}" if model else what


def with_flow(document: Document, left_out: Mapping[str, str]) -> Document:
    """Return the document with the rows left out first; the same one where there are none."""
    if not left_out:
        return document
    rows = tuple((Label(name), Words(text)) for name, text in left_out.items())
    table = Table((Column("rows", Label), Column("which", Words)), rows)
    return replace(document, sections=(Section("Flow of cases", (table,)), *document.sections))


def matrix_of(table: Any, most: int = 40) -> Matrix:
    """A confusion matrix as part of a document: of many classes those in the most errors, the others together."""
    labels, counts, rest, among = table.cells_to_show(most)
    return Matrix(labels, tuple(tuple(map(float, row)) for row in counts), rest, among)


def switched(title: str, sections: Iterable[Section], *, is_folded: bool = False) -> Section:
    """The tables of several sections as one, of which a page shows a table at a time, by the titles of the sections."""
    tables = [
        replace(part, title=f"{section.title}: {part.title}" if part.title else section.title)
        if isinstance(part, Table)
        else Table((), (), section.title, note=part.text)
        for section in sections
        for part in section.parts
        if isinstance(part, Table | Prose)
    ]
    return Section(title, tuple(tables), is_folded=is_folded, is_switched=True)


UNIT = (0.0, 1.0)
BARS = 9
"""Bars go first where a window is narrow."""


def of_measures(
    estimates: Iterable[tuple[str, Estimate]], note: str = "", *, main: int = 0, foot: str = ""
) -> Table:
    """Measures by their canonical names, one below the other: value, interval, bar, method.

    `main` is how many of them a page shows before it is asked for the others, 0 for all.
    """
    rows = [(Label(get(name).title, name), each, bar(each, get(name).bounds)) for name, each in estimates]
    return Table(
        (
            Column("", Label),
            Column("value", EstimateCell),
            Column("", Bar, BARS),
            Column("CI method", MethodCell),
        ),
        tuple(
            (label, EstimateCell(estimate), drawn, MethodCell(estimate)) for label, estimate, drawn in rows
        ),
        note=note,
        foot=foot,
        scale=AxisScale(),
        main=main if main < len(rows) else 0,
    )


def of_models(measure: str, rows: Sequence[tuple[str, Estimate, Estimate | None]], note: str = "") -> Table:
    """Return one measure of several models, each with its value on the training cases, None where there is none."""
    bounds = get(measure).bounds
    return Table(
        (
            Column("model", Label),
            Column("value", EstimateCell),
            Column("", Bar, BARS),
            Column("training", Value, 3),
            Column("CI method", MethodCell),
        ),
        tuple(
            (
                Label(model),
                EstimateCell(estimate),
                bar(estimate, bounds),
                None if seen is None else Value(seen),
                MethodCell(estimate),
            )
            for model, estimate, seen in rows
        ),
        note=note,
        scale=AxisScale(),
    )


def bar(found: Estimate, bounds: tuple[float, float]) -> Cell:
    """The bar of an estimate, or none: all bars of a table share the scale from 0 to 1, the measure's whole range."""
    return Bar(found.low, found.value, found.high) if bounds == UNIT and found.has_interval else None


def keep_step(detail: Literal["main", "page", "all"]) -> str:
    """Return the last of the next steps: how to keep a result and to see all of it."""
    rest = "the full report" if detail == "main" else "the page with all pictures"
    return hint(
        f'Write {rest} with `a.report("report.html")`. Save the result with `a.save("a.classay")` to merge or compare '
        "it later.",
        f"Write {rest} with `--html report.html`. Save the result with `--save a.classay` to merge or compare it "
        "later.",
    )


STATUS = {Verdict.PASS: "Passed", Verdict.FAIL: "Failed", Verdict.UNDECIDED: "Inconclusive"}
TONES: dict[Verdict, Tone] = {Verdict.PASS: "good", Verdict.FAIL: "bad", Verdict.UNDECIDED: "quiet"}
_SAID = {Verdict.FAIL: "is not met", Verdict.UNDECIDED: "is inconclusive"}


def decided_by(demands: Sequence[tuple[str, Verdict]]) -> str:
    """Return the demands on which the verdict of all rests, and how each of the others came out.

    >>> decided_by([("superior", Verdict.PASS), ("recall > 0.9", Verdict.FAIL), ("f1 > 0.5", Verdict.UNDECIDED)])
    'recall > 0.9 (superior: passed; f1 > 0.5: inconclusive)'
    >>> decided_by([("superior", Verdict.PASS), ("recall > 0.9", Verdict.PASS)])
    'superior; recall > 0.9'
    """
    joint = Verdict.of(verdict for _, verdict in demands)
    decisive = [name for name, verdict in demands if verdict is joint]
    others = [f"{name}: {STATUS[verdict].lower()}" for name, verdict in demands if verdict is not joint]
    return _joined(decisive) + (f" ({_joined(others)})" if others else "")


NAMED = 4
"""Demands that a title names before it counts them."""


def _joined(names: Sequence[str]) -> str:
    more = f"; {len(names) - NAMED + 1:,} more" if len(names) > NAMED else ""
    return "; ".join(names[: NAMED - 1] if more else names) + more


def with_requirements(document: Document, outcomes: Sequence[Outcome]) -> Document:
    """Return the document of an assessment, with what was demanded of it on top."""
    if not outcomes:
        return document
    title = decided_by([(str(outcome.requirement), outcome.verdict) for outcome in outcomes])
    return replace(
        document,
        title=f"{title}, in the {document.title[:1].lower()}{document.title[1:]}",
        status=STATUS[Verdict.of(outcome.verdict for outcome in outcomes)],
        verdict=(*not_met(outcomes), *document.verdict),
        sections=(section_of(outcomes), *document.sections),
    )


def not_met(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Return the requirements that were not met, or of which nobody can tell, as sentences."""
    return tuple(
        f"The requirement {outcome.requirement} {_SAID[outcome.verdict]} ({outcome.reason})."
        for outcome in outcomes
        if outcome.verdict in _SAID
    )


def section_of(outcomes: Sequence[Outcome]) -> Section:
    """Return each requirement, the estimate with its interval, and the number of it that decides."""
    table = Table(
        (
            Column("requirement", Label),
            Column("value", EstimateCell),
            Column("decides", Words),
            Column("verdict", Words),
        ),
        tuple(
            (
                Label(str(outcome.requirement)),
                EstimateCell(outcome.estimate),
                Words(outcome.found),
                Words(STATUS[outcome.verdict].lower(), TONES[outcome.verdict]),
            )
            for outcome in outcomes
        ),
        note=" ".join(dict.fromkeys(as_sentence(outcome.note) for outcome in outcomes if outcome.note)),
    )
    return Section("Requirements", (table,))


def of_estimate(estimate: Estimate) -> dict[str, Any]:
    """Return an estimate as plain values."""
    return {
        **plain_estimate(estimate),
        "method": estimate.method,
        "reason": estimate.reason,
        **({} if estimate.certain is None else {"certain": [json_value(end) for end in estimate.certain]}),
        **({} if estimate.p is None else {"p": json_value(estimate.p)}),
    }


def of_warnings(warned: Iterable[Warned]) -> list[dict[str, Any]]:
    """Warnings as plain values: codes that programs can rely on, texts, and the names that they concern, if any."""
    return [
        {"code": each.code, "text": each.text} | ({"concerns": list(each.concerns)} if each.concerns else {})
        for each in warned
    ]


def head(schema: int, kind: str | None = None) -> dict[str, Any]:
    """Return what the JSON of a result begins with: the number of its schema, the version of classay, and its kind."""
    keys: dict[str, Any] = {"schema": schema, "classay": own_version()}
    return keys if kind is None else keys | {"kind": kind}


def json_value(value: Any) -> Any:
    """Return a value that JSON knows: labels keep their type if it is one of JSON's, and become text otherwise."""
    if isinstance(value, float):
        return plain_number(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


def json_text(values: dict[str, object]) -> str:
    """Plain values as JSON text, what holds no other values on one line."""
    # half a surrogate pair, as in the name of a file that is no UTF-8, has no other form than JSON's escape
    return (_text(values, "") + "\n").encode("utf-8", "backslashreplace").decode()


def _text(value: Any, indent: str) -> str:
    import json

    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if not any(isinstance(each, dict | list) for each in inner):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    deeper = f"{indent}  "
    if isinstance(value, dict):
        items = [
            f"{json.dumps(key, ensure_ascii=False)}: {_text(child, deeper)}" for key, child in value.items()
        ]
    else:
        items = [_text(each, deeper) for each in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    lines = f",\n{deeper}".join(items)
    return f"{opening}\n{deeper}{lines}\n{indent}{closing}"
