"""BlockValues: what an assessment is compared by when its rows are gone."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from classay.assessment import views
from classay.assessment.estimating import as_read
from classay.errors import InputError
from classay.inference.jackknife import delete_one
from classay.measures import Measure, get
from classay.tables.blocks import Blocks
from classay.threads import thread_count, workers

Array = NDArray[Any]
if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

OF_SCORES = ("roc_auc", "average_precision", "brier_score", "log_loss")
"""Measures of scores that are saved; all others need the whole file."""
OF_CASES = (
    "log_loss",
    "log_loss_skill",
    "multiclass_brier_score",
    "multiclass_brier_skill",
    "top_2_accuracy",
    "top_3_accuracy",
    "top_5_accuracy",
)
"""Measures of the scores of several classes that are means over cases, or follow from such."""
NO_BLOCKS = "has no blocks of cases: assess it with id= (--id), without weights or frequencies."


@dataclass(frozen=True, eq=False)
class BlockValues:
    """Measures of an assessment, and each without every block of cases in turn.

    `whole` gives the values, `without` arrays `(64,)`; `cases` and `fingerprint`, `(64,)`, say which cases they are
    of: two assessments can be compared where both agree.
    """

    labels: tuple[Hashable, ...]
    positive: Hashable | None
    level: float
    cases: Array
    fingerprint: Array
    whole: dict[str, float]
    without: dict[str, Array]

    @classmethod
    def of(cls, a: Assessment, names: Iterable[str] | None = None) -> BlockValues:
        """Of the named measures; by default of all measures of labels, and those of scores that take one pass.

        Raises InputError for an assessment without blocks, or a measure that blocks do not have.
        """
        blocks = _blocks(a)
        wanted = map(get, _saved(a, blocks) if names is None else [*names, *_always(a)])
        whole = {measure.name: _value(a, measure) for measure in wanted}
        defined = [name for name, value in whole.items() if not isnan(value)]
        return cls(
            a.labels,
            a.positive,
            a.level,
            blocks.cases,
            blocks.fingerprint,
            {name: whole[name] for name in defined},
            without_blocks(a, defined),
        )


def _always(a: Assessment) -> list[str]:
    """The measure that tells how many cases are called positive, on which others rest."""
    return ["predicted_prevalence"] if a.positive is not None and a.block_matrix is not None else []


def without_blocks(a: Assessment, names: Iterable[str]) -> dict[str, Array]:
    """Measures of an assessment without each of the 64 blocks of cases in turn, `(64,)`; NaN where undefined.

    Raises InputError for an assessment without blocks, and for measures that blocks do not have: those of the
    scores of several classes that are no means over cases, and those of the labels of more than 128 classes.
    """
    blocks = _blocks(a)

    def without(measure: Measure) -> Array:
        a.table(measure)  # refuses measures of one class among several
        measure = as_read(a, measure)
        if measure.needs in ("counts", "margins", "matrix"):
            called = views.called(a, measure)
            matrix = None if isinstance(called, str) else called.block_matrix
            if matrix is None:
                raise InputError(f"blocks of {len(a.labels)} classes are not kept: compare the rows.")
            return delete_one.of_labels(measure, matrix, measure.class_among(a.labels, a.positive))
        if a.cases is not None and blocks.sums is not None and measure.name in OF_CASES:
            return delete_one.of_cases(measure, a.cases, blocks.sums)
        if a.scores is None or blocks.of_scores is None:
            raise InputError(f"{measure.name} of several classes is not kept by blocks: compare the rows.")
        return delete_one.of_scores(measure, a.scores, blocks.of_scores)

    measures = [*map(get, names)]
    with workers(thread_count(0 if blocks.of_scores is None else blocks.of_scores.size)) as run:
        return dict(zip([each.name for each in measures], run(without, measures), strict=True))


def _blocks(a: Assessment) -> Blocks:
    if a.blocks is None:
        raise InputError(f"the assessment {NO_BLOCKS}")
    return a.blocks


def _saved(a: Assessment, blocks: Blocks) -> list[str]:
    """The measures of which blocks are saved."""
    kinds: tuple[str, ...] = ()
    names = OF_SCORES if a.scores is not None else OF_CASES if blocks.sums is not None else ()
    if a.confusion_matrix is not None and (blocks.matrix is not None or blocks.of_scores is not None):
        kinds = ("counts", "margins", "matrix")
    return [measure.name for measure in a.applicable() if measure.needs in kinds or measure.name in names]


def _value(a: Assessment, measure: Measure) -> float:
    """The value alone, without the work of its interval; NaN where it is undefined."""
    table = a.table(measure)
    measure = as_read(a, measure)
    if isinstance(table, str) or measure.why_undefined(table) is not None:
        return float("nan")
    return float(measure(table))
