"""What to do next with an assessment: a few rules that read these data, in the words of who reads them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from classay.assessment.judgement.words import cutoff, quote
from classay.assessment.per_class import some_classes, worst_classes
from classay.inference.estimate import number
from classay.inference.words import small
from classay.measures import recall as recall_of
from classay.texts import hint

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

MOST = 4
"""Steps that are shown: who is told more does none."""
LOOKED_AT = 100
"""Classes with the lowest recall among which the first with an interval is looked for."""
WIDE = 0.05
"""Half the width of an interval beyond which more cases are worth asking for."""


def next_steps(a: Assessment, detail: Literal["main", "all"]) -> tuple[str, ...]:
    """What these data call for, the most urgent first, then what shows and keeps the rest; `MOST` in all."""
    urgent = [*_of_direction(a), *_of_threshold(a), *_of_calibration(a), *_of_classes(a), *_of_width(a)]
    return (*urgent[: MOST - 1], *([_of_page(detail)]))


def _of_direction(a: Assessment) -> Iterator[str]:
    """A score that ranks worse than chance, or that separates the classes too well."""
    auc = a["roc_auc"] if a.positive is not None and a.scores is not None else None
    if auc is None or auc.is_undefined:
        return
    if auc.has_interval and auc.high < 0.5:
        yield hint(
            f"check the direction of the score: it must be high for {quote(a.positive)}; pass 1 - p or `positive=`",
            f"check the direction of the score: it must be high for {quote(a.positive)}; `--positive` names another "
            "class",
        )
    elif auc.value == 1:
        yield "look for a leak: scores that separate the classes completely are rare; was the truth among the features?"


def _of_threshold(a: Assessment) -> Iterator[str]:
    """Labels that rest on no threshold, or on one that nobody chose."""
    if a.positive is None or a.scores is None:
        return
    if a.confusion_matrix is None:
        yield hint(
            "`a.at(threshold=…)` assesses the labels at a threshold of your choice",
            "`--threshold T` assesses the labels at a threshold of your choice",
        )
    elif a.cutoff is not None and not a.cutoff_chosen and a.no_answer is None and a.class_totals.all():
        # one class decides nothing, and neither do cases without an answer
        yield hint(
            "`a.threshold(cost=ca.Costs(fp=1, fn=5))` chooses the threshold by what errors cost; nobody chose "
            f"{cutoff(a)}",
            "`classay decide` with `--cost fp=1 --cost fn=5` chooses the threshold by what errors cost; nobody chose "
            f"{cutoff(a)}",
        )


def _of_calibration(a: Assessment) -> Iterator[str]:
    """Probabilities whose slope is shown not to be 1."""
    if a.scores is None or a.positive is None or not a.scores.are_probabilities:
        return
    slope = a["calibration_slope"]
    if slope.has_interval and (slope.low > 1 or slope.high < 1):
        how = "too close to the middle" if slope.low > 1 else "too extreme"
        yield (
            f"recalibrate the scores on other cases before they are read as probabilities: they are {how} (calibration "
            f"slope {number(slope.value)})"
        )


def _of_classes(a: Assessment) -> Iterator[str]:
    """The class that is found least, of several, if it is clearly behind."""
    if a.positive is not None or a.confusion_matrix is None:
        return
    # those without an interval are few, or all of them are without
    for least in worst_classes(a, "recall", LOOKED_AT):
        recall = some_classes(a, [least])[least]["recall"]
        if recall.has_interval:
            break
    else:
        return
    if recall.high < a["accuracy"].value:
        name = shlex.quote(recall_of[least].name)
        yield hint(
            f"look at the class {quote(least)}, which is found least: `a.one_vs_rest({least!r})`",
            f"look at the class {quote(least)}, which is found least: `--measures {name}`, and `--require` holds it",
        )


def _of_width(a: Assessment) -> Iterator[str]:
    """The main interval where it is wide: how many cases would halve it."""
    name = "roc_auc" if a.positive is not None and a.scores is not None else "accuracy"
    if name == "accuracy" and a.confusion_matrix is None:
        return
    found = a[name]
    if not found.has_interval or (found.high - found.low) / 2 <= WIDE:
        return
    half = (found.high - found.low) / 2
    # at an end of its range a measure has no spread, and its interval shrinks with the number of cases, not its root
    times, many = (2, "twice") if found.value in (0, 1) else (4, "four times")
    units = "clusters" if a.clusters is not None else "cases"
    n = len(a.clusters) if a.clusters is not None else a.n
    title = "the AUC" if name == "roc_auc" else "accuracy"
    yield (
        f"gather more {units}: {title} is known to ±{small(half)}; about {times * n:,} {units}, {many} as many, halve "
        f"that ({hint('`ca.sample_size`', '`classay sample-size`')} plans a test)"
    )


def _of_page(detail: Literal["main", "all"]) -> str:
    rest = "the page with all pictures" if detail == "all" else "every measure and all pictures"
    return hint(
        f'`a.report("report.html")` writes {rest}; `a.save("a.classay")` keeps the tables, to add up and to compare',
        f"`--html report.html` writes {rest}; `--save a.classay` keeps the tables, to add up and to compare",
    )
