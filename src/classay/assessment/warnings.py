"""The warnings of an assessment, each with its code: what a reader must know before acting on its numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isinf, sqrt
from typing import Literal

import numpy as np

from classay.answers import told
from classay.assessment.assessment import Assessment
from classay.assessment.flow import as_class, calls, cutoff, missing_in, percents
from classay.columns.numbers import counted
from classay.inference.estimate import number
from classay.measures import roc_auc
from classay.tables.sums import are_greatest
from classay.texts import quote

Code = Literal[
    "first_rows",
    "one_class",
    "never_true",
    "tiny_class",
    "many_classes",
    "improper_rows",
    "renormalised_rows",
    "tied_scores",
    "class_auc_below_half",
    "constant_scores",
    "perfect_separation",
    "auc_below_half",
    "scores_outside_unit",
    "infinite_scores",
    "certain_and_wrong",
    "no_threshold",
    "not_above_baseline",
    "never_predicted",
    "default_threshold",
    "dropped_rows",
    "unanswered_dropped",
    "unanswered_wrong",
    "few_clusters",
]
WarningText = tuple[Code, str]

WARNINGS: dict[Code, str] = {
    "first_rows": "only the first rows were read (`--limit-rows`)",
    "one_class": "all cases are of one class",
    "never_true": "a declared class has no case",
    "tiny_class": "a class has fewer than 30 cases",
    "many_classes": "there are 100 classes or more; the column of labels may hold ids",
    "improper_rows": "class scores do not sum to 1",
    "renormalised_rows": "class scores were divided by their sum on request (`--improper renormalise`)",
    "tied_scores": "classes share the largest score of a case",
    "class_auc_below_half": "the scores of a class rank its own cases last, beyond chance",
    "constant_scores": "all scores are equal",
    "perfect_separation": "the scores separate the classes completely, which suggests a leak",
    "auc_below_half": "the ROC AUC is below one half; the score may point the wrong way",
    "scores_outside_unit": "the scores are not probabilities",
    "infinite_scores": "some scores are infinite",
    "certain_and_wrong": "the true class of a case got probability 0, so the log-loss is infinite",
    "no_threshold": "the scores are not probabilities and no threshold was given, so there are no label measures",
    "not_above_baseline": "the accuracy is not above that of always predicting the most frequent class",
    "never_predicted": "a class is never predicted, so its precision is undefined",
    "default_threshold": "the threshold 0.5 was not chosen",
    "dropped_rows": "rows without a true label or group were left out on request (`--missing drop`)",
    "unanswered_dropped": "cases without an answer were left out (`--unanswered drop`): the rest may be the easy ones",
    "unanswered_wrong": "cases without an answer of the model count as wrong (`--unanswered wrong`)",
    "few_clusters": "fewer than 30 clusters, or fewer than 30 that hold a case of some class",
}
"""When an assessment warns with each code."""


@dataclass(frozen=True)
class Warned:
    """One thing a reader must know before acting on the numbers: a fixed code and a text."""

    code: Code
    text: str


MANY = 100
"""Classes from which on pages show but a few, and a column of ids may have been taken for labels."""


TINY = 30
"""Cases of a class below which everything that rests on them is too uncertain to go unsaid."""


MOST_RANKED = 100
"""Classes up to which each is looked at: whether its scores rank its cases last."""


TURNED = 4.0
"""Standard errors of random ranks by which an AUC must be below one half to be more than chance."""


def warnings(a: Assessment) -> tuple[Warned, ...]:
    """The warnings that matter, the gravest first."""
    found = [
        *_about_limit(a),
        *_about_classes(a),
        *_about_class_scores(a),
        *_about_scores(a),
        *_about_decisions(a),
        *_about_rows(a),
    ]
    return tuple(Warned(code, text) for code, text in found)


def _about_limit(a: Assessment) -> list[WarningText]:
    if a.limit is None:
        return []
    return [
        (
            "first_rows",
            f"only the first {a.limit:,} rows were read: a first look, which later rows may change.",
        )
    ]


def _about_classes(a: Assessment) -> list[WarningText]:
    totals = {label: float(total) for label, total in zip(a.labels, a.class_totals, strict=True)}
    seen = [label for label, total in totals.items() if total]
    found: list[WarningText] = []
    if len(seen) == 1:
        found.append(
            (
                "one_class",
                f"all cases are of class {quote(seen[0])}: what needs more than one class is undefined.",
            )
        )
    never = [label for label, total in totals.items() if not total]
    if never and len(seen) > 1:
        found.append(
            (
                "never_true",
                f"no case is of class {_or(never)}: what needs {_each(never, 'that class')} is undefined.",
            )
        )
    if a.kind_of_weight != "sampling":
        tiny = {label: int(total) for label, total in totals.items() if 0 < total < TINY}
        if tiny:
            each = ", ".join(f"{count} of class {quote(label)}" for label, count in list(tiny.items())[:5])
            more = "" if len(tiny) <= 5 else f" and {len(tiny) - 5} more such classes"
            found.append(
                (
                    "tiny_class",
                    f"few cases: {each}{more}. What rests on them is uncertain, see the intervals.",
                )
            )
    if len(seen) >= MANY:
        found.append(("many_classes", _many(len(seen), a.n)))
    return found


def _many(classes: int, cases: int) -> str:
    if 2 * classes > cases:
        return f"there are {classes:,} classes among {cases:,} cases: is the column of labels one of ids?"
    return f"there are {classes:,} classes: pages show those that fare worst, the JSON all of them."


RENORMALISE = "To divide such rows by their sum, pass improper='renormalise' (--improper renormalise)."


def _about_class_scores(a: Assessment) -> list[WarningText]:
    found: list[WarningText] = []
    is_wrong = a.no_answer is not None and a.unanswered > 0
    if a.cases is not None and a.cases.improper and not is_wrong:
        found.append(("improper_rows", f"{a.why_improper}: probability measures are absent. {RENORMALISE}"))
    if a.renormalised:
        found.append(
            ("renormalised_rows", f"class scores were divided by their sum in {counted(a.renormalised)}.")
        )
    if a.cases is not None and a.cases.log_loss.infinite:
        found.append(_certain_and_wrong(a.cases.log_loss.infinite))
    if a.cases is not None and a.cases.tied and not is_wrong:
        found.append(
            (
                "tied_scores",
                f"the largest score is shared in {counted(a.cases.tied)}: the first such label was taken.",
            )
        )
    return [*found, *_turned_classes(a)]


def _turned_classes(a: Assessment) -> list[WarningText]:
    """Classes whose own scores rank their cases last, beyond chance: columns in another order than the labels do so."""
    if a.class_scores is None or len(a.labels) > MOST_RANKED:
        return []
    turned = []
    for label in a.labels:
        table = a.class_scores.one_vs_rest(label)
        p, n = float(table.n_positive), float(table.n_negative)
        if p and n and float(roc_auc(table)) < 0.5 - TURNED * sqrt((p + n + 1) / (12 * p * n)):
            turned.append(quote(label))
    if not turned:
        return []
    order = ", ".join(quote(label) for label in a.labels)
    return [
        (
            "class_auc_below_half",
            f"the scores of {', '.join(turned)} rank cases of the class below all others: are the columns of the class "
            f"scores those of {order}, in this order? `labels=` (`--labels`) says which they are.",
        )
    ]


def _about_scores(a: Assessment) -> list[WarningText]:
    found: list[WarningText] = []
    table = a.scores
    if table is None:
        return found
    if table.scores.size == 1:
        found.append(("constant_scores", "all scores are equal: they rank nothing."))
    auc = a["roc_auc"]
    if auc.value in (0.0, 1.0):
        found.append(
            (
                "perfect_separation",
                "the scores separate the classes completely: check that the truth did not leak into the score.",
            )
        )
    if auc.value < 0.5:
        found.append(
            (
                "auc_below_half",
                f"ROC AUC is below one half: the score may point the wrong way (a high score must mean "
                f"{quote(a.positive)}); it is reported as it is.",
            )
        )
    is_wrong = a.no_answer is not None and a.unanswered > 0
    if not table.are_probabilities and not is_wrong:
        found.append(
            ("scores_outside_unit", f"{a.why_improper}: ranking is shown, probability measures are absent.")
        )
    if a.improper and table.are_probabilities:
        found.append(
            (
                "improper_rows",
                f"the scores of the two classes are no probabilities that sum to 1 in {counted(a.improper)}: those of "
                f"{quote(a.positive)} were taken as they are.",
            )
        )
    if (
        not is_wrong and np.isinf([*table.scores[:1], *table.scores[-1:]]).any()
    ):  # they fall: the first or last are the greatest
        infinite = np.isinf(table.scores)
        count = float((table.positives + table.negatives)[infinite].sum())
        found.append(("infinite_scores", f"infinite scores: {_cases(count)}, which rank first or last."))
    if table.are_probabilities and isinf(a["log_loss"].value):
        wrong = table.positives[table.scores == 0].sum() + table.negatives[table.scores == 1].sum()
        found.append(_certain_and_wrong(float(wrong)))
    return found


def _certain_and_wrong(count: float) -> WarningText:
    return (
        "certain_and_wrong",
        f"{_cases(count)} got probability 0 for the true class: log-loss is infinite (nothing is clipped).",
    )


def _about_decisions(a: Assessment) -> list[WarningText]:
    if a.confusion_matrix is None:
        return [
            (
                "no_threshold",
                "label measures are absent: there is no default threshold for scores outside [0, 1].",
            )
        ]
    found: list[WarningText] = []
    accuracy, base = a["accuracy"], a["baseline_accuracy"]
    largest = as_class(a.labels[int(np.argmax(are_greatest(a.class_totals)))])
    if accuracy.value <= base.value and base.value < 1:
        found.append(
            (
                "not_above_baseline",
                "accuracy {} is not above the {} of always saying {}.".format(
                    *percents(accuracy, base), largest
                ),
            )
        )
    predicted = (
        calls(a)[: len(a.labels)].sum(1) if a.no_answer is not None else a.confusion_matrix.margins.predicted
    )
    never = [label for label, total in zip(a.labels, predicted, strict=True) if not total]
    if never:
        found.append(
            ("never_predicted", f"no case is called {_or(never, as_class)}: precision is undefined there.")
        )
    if a.cutoff is not None and not a.cutoff_chosen:
        found.append(
            (
                "default_threshold",
                f"the threshold {cutoff(a)} is a default that nobody chose: every measure of labels depends on it.",
            )
        )
    return found


def _about_rows(a: Assessment) -> list[WarningText]:
    found: list[WarningText] = []
    if a.unanswered and a.no_answer is None:
        share = a.unanswered / (a.unanswered + a.rows)
        found.append(
            (
                "unanswered_dropped",
                f"the model gave no answer in {told(a.unanswered, a.undeclared)}, {100 * share:.1f} %, which were left "
                "out: all numbers are about the cases that it answers, which may be the easy ones.",
            )
        )
    elif a.unanswered:
        found.append(
            (
                "unanswered_wrong",
                f"the model gave no answer in {told(a.unanswered, a.undeclared)}, {100 * a.unanswered / a.rows:.1f} %, "
                "counted as wrong and ranked worst.",
            )
        )
    if a.dropped > (a.unanswered if a.no_answer is None else 0):
        share = a.dropped / (a.dropped + a.rows)
        found.append(
            (
                "dropped_rows",
                f"left out for {missing_in(a)}: {counted(a.dropped)} ({100 * share:.1f} %).",
            )
        )
    if a.clusters is not None and len(a.clusters) < TINY:
        found.append(
            (
                "few_clusters",
                f"only {counted(len(a.clusters), 'cluster')}: clusters, not rows, are the independent units, and "
                "so few say little about their spread.",
            )
        )
    elif a.coded is not None:
        held = [
            (np.unique(a.coded.cluster[a.coded.true == code]).size, label)
            for code, label in enumerate(a.labels)
        ]
        fewest, label = min(held, key=lambda each: each[0])
        if fewest < TINY:
            found.append(
                (
                    "few_clusters",
                    f"only {fewest} of {len(a.clusters or ()):,} clusters {'holds' if fewest == 1 else 'hold'} a case "
                    f"of class {quote(label)}: "
                    "they, not rows, are the independent units of what is said of it.",
                )
            )
    return found


def _cases(count: float) -> str:
    shown = f"{count:,.0f}" if count == round(count) else number(count)  # sums of weights need not be whole
    return f"{shown} case{'' if count == 1 else 's'}"


def _or(labels: list[object], write: Callable[[object], str] = quote) -> str:
    shown = " or ".join(write(label) for label in labels[:5])
    return shown if len(labels) <= 5 else f"{shown} or {len(labels) - 5} more"


def _each(labels: list[object], one: str) -> str:
    return one if len(labels) == 1 else "those classes"
