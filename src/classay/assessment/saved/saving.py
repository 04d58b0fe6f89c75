"""Saving an assessment: an archive of one JSON and plain arrays. `restoring` reads it again."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.assessment.block_values import BlockValues
from classay.columns import Labels
from classay.files.archive import sealed
from classay.files.labels import label_out
from classay.files.writing import write_bytes
from classay.tables import CaseTable, ClassScoreTable, ExactSum, ScoreTable
from classay.tables.binned.bins import Bins
from classay.tables.binned.classes import BinnedClassScoreTable
from classay.tables.binned.table import BinnedScoreTable
from classay.tables.blocks import BLOCKS, Blocks
from classay.tables.cases import CaseSums
from classay.tables.sparse import SparseConfusionMatrix

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment


FORMAT = 2
ABOUT = "assessment.json"
PLAIN = (
    "level",
    "seed",
    "rows",
    "dropped",
    "kind_of_weight",
    "interval",
    "improper",
)

RARE: dict[str, Any] = {
    "unscored": 0,
    "weight_scale": 1.0,
    "renormalised": 0,
    "limit": None,
    "unanswered": 0,
    "undeclared": 0,
    "no_answer": None,
}
"""What is written only where it is not as usual."""


def save(a: Assessment, path: Path) -> None:
    """Write an assessment's tables to a file, replacing it in one step.

    Raises FileError when the file cannot be written, or a label is of a kind that has no plain form.
    """
    arrays: dict[str, Any] = {}
    about: dict[str, Any] = {"format": FORMAT, "what": "assessment"}
    about |= {name: getattr(a, name) for name in PLAIN}
    about |= {name: getattr(a, name) for name, usual in RARE.items() if getattr(a, name) != usual}
    about |= {"threshold": a.cutoff, "threshold_chosen": a.cutoff_chosen}
    if a.amounts:
        about["amounts"] = list(a.amounts)
    about |= labels_out(a.labels)
    about["positive"] = None if a.positive is None else label_out(a.positive)
    about["clusters"] = None if a.clusters is None else [label_out(label) for label in a.clusters]
    if a.confusion_matrix is not None:
        is_sparse = isinstance(a.confusion_matrix, SparseConfusionMatrix)
        _put(arrays, "matrix", a.confusion_matrix, CELL_PARTS if is_sparse else ("counts", "squares"))
        _put_amounts(arrays, "matrix", a.confusion_matrix)
    if a.scores is not None:
        about |= _scores_out(a.scores, arrays)
    about |= _class_scores_out(a.class_scores, arrays)
    if a.coded is not None:
        _put(arrays, "coded", a.coded, CODED_PARTS)
    if a.blocks is not None:
        about |= _blocks_out(a, a.blocks, arrays)
    if a.cases is not None:
        about["cases"] = _cases_out(a.cases, arrays)
    members = {f"{name}.npy": array for name, array in arrays.items()}
    write_bytes(path, sealed(ABOUT, about, members))


def labels_out(labels: Sequence[Hashable]) -> dict[str, Any]:
    """Labels as `labels_in` of `restoring` reads them, and whether somebody gave their order: no key says nobody."""
    found = {"labels": [label_out(label) for label in labels]}
    known = Labels.of(labels)
    return found | {"order": known.source} if known.is_given else found


CELL_PARTS = ("places", "held", "held_squares")
SCORE_PARTS = ("scores", "positives", "negatives", "positive_squares", "negative_squares")
BIN_PARTS = ("keys", "cases", "squares", "within", "least", "most", "finer")
LOSSES = ("log_loss", "log_loss_squares", "brier", "brier_squares")
COUNTS = ("positives", "negatives", "weight")
"""Parts of which there may be one for every case."""
RUN_PARTS = ("scores", "true", "weight", "squares")
JOINT_PARTS = ("entry", "true", "weight")
CODED_PARTS = ("cluster", "true", "predicted", "score", "weight", "amounts")
AMOUNT_PARTS = ("sums", "products", "least")
BLOCK_SUMS = ("log_loss", "brier")
SUMS = ("log_loss_squares", "brier_squares")
TAILS = ("log_loss_tail", "brier_tail")
SUMS_BY_CLASS = ("log_loss_by_class", "brier_by_class")
CASE_COUNTS = ("cases", "tied", "improper")


def _blocks_out(a: Assessment, blocks: Blocks, arrays: dict[str, Any]) -> dict[str, Any]:
    """The plain values of the blocks of cases; their arrays are put among the others."""
    values = BlockValues.of(a)
    arrays["blocks.without"] = np.array([*values.without.values()]).reshape(-1, BLOCKS)
    arrays["blocks.cases"] = values.cases
    _put(arrays, "blocks", blocks, ("fingerprint", "of_scores"))
    if blocks.matrix is not None:
        arrays["blocks.matrix"] = blocks.matrix.counts
    about: dict[str, Any] = {"blocks": values.whole}
    if blocks.sums is not None:
        _put(arrays, "blocks", blocks.sums, ("true", "ranks"))
        about |= {f"blocks.{name}": [*map(_exact_out, getattr(blocks.sums, name))] for name in BLOCK_SUMS}
    return about


def _scores_out(scores: ScoreTable, arrays: dict[str, Any]) -> dict[str, Any]:
    """The plain values of the scores of two classes; their arrays are put among the others."""
    about: dict[str, Any] = {"score_labels": [label_out(label) for label in scores.labels]}
    if isinstance(scores, BinnedScoreTable):
        return about | {"bins": _bins_out(scores.bins, arrays, "bins")}
    _put(arrays, "scores", scores, SCORE_PARTS)
    _put_amounts(arrays, "scores", scores)
    return about


def _class_scores_out(
    scores: ClassScoreTable | BinnedClassScoreTable | None, arrays: dict[str, Any]
) -> dict[str, Any]:
    """The plain values of the scores of several classes; their arrays are put among the others."""
    if isinstance(scores, BinnedClassScoreTable):
        each = enumerate(scores.bins)
        return {"class_bins": [_bins_out(bins, arrays, f"class{i}") for i, bins in each]}
    if scores is not None:
        kept = scores.sorted_scores()
        for i, run in enumerate(kept.runs):
            _put(arrays, f"class{i}", run, RUN_PARTS)
        if kept.cases is not None:
            _put(arrays, "joint", kept.cases, JOINT_PARTS)
    return {}


def _bins_out(bins: Bins, arrays: dict[str, Any], name: str) -> dict[str, Any]:
    """The plain values of scores in bins; their arrays are put among the others, under the name."""
    _put(arrays, name, bins, BIN_PARTS)
    kept = None if bins.losses is None else [_exact_out(getattr(bins.losses, name)) for name in LOSSES]
    return {"bits": bins.bits, "dtype": bins.dtype, "losses": kept}


def _cases_out(cases: CaseTable, arrays: dict[str, Any]) -> dict[str, Any]:
    """The plain values of a table of cases; its arrays are put among the others."""
    about: dict[str, Any] = {name: getattr(cases, name) for name in CASE_COUNTS}
    if isinstance(cases.top, BinnedScoreTable):
        about["top"] = _bins_out(cases.top.bins, arrays, "top")
    else:
        _put(arrays, "top", cases.top, SCORE_PARTS)
    return about | {
        name: _sums_out(getattr(cases, name), f"cases.{name}", arrays) for name in ("sums", "squares")
    }


def _sums_out(sums: CaseSums | None, name: str, arrays: dict[str, Any]) -> dict[str, Any] | None:
    """The plain values of sums over cases; their arrays are put among the others, under the name."""
    if sums is None:
        return None
    _put(arrays, name, sums, ("true", "ranks"))
    about: dict[str, Any] = {each: _exact_out(getattr(sums, each)) for each in SUMS}
    for each in TAILS:
        tail = getattr(sums, each)
        if tail is not None:
            about[each] = [tail.most.hex(), _exact_out(tail.cubes), _exact_out(tail.fourths)]
    return about | {each: [_exact_out(total) for total in getattr(sums, each)] for each in SUMS_BY_CLASS}


def _exact_out(total: ExactSum) -> list[Any]:
    return [hex(total.units), total.infinite]


def _put(arrays: dict[str, Any], name: str, table: Any, parts: tuple[str, ...]) -> None:
    found = {part: getattr(table, part) for part in parts}
    arrays |= {
        f"{name}.{part}": _narrow(each) if part in COUNTS else each
        for part, each in found.items()
        if each is not None
    }


def _narrow(counts: Any) -> Any:
    """Numbers of cases in as few bytes as hold the greatest: most scores are of one case."""
    if counts.dtype.kind == "f" or not counts.size:
        return counts
    most = counts.max()
    return counts.astype(
        next(each for each in (np.int8, np.int16, np.int32, np.int64) if most <= np.iinfo(each).max)
    )


def _put_amounts(arrays: dict[str, Any], name: str, table: Any) -> None:
    if table.amounts is not None:
        _put(arrays, f"{name}.amounts", table.amounts, AMOUNT_PARTS)
