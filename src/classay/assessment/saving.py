"""Saving an assessment: an archive of one JSON and plain arrays, and the tables of one, checked as they are taken."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.assessment.merging import BlockValues
from classay.assessment.unlabeled import UnlabeledCases
from classay.columns import Labels
from classay.columns.numbers import StrictThreshold
from classay.files.archives import Archive, Array, Damaged, Fields, label_out, require_file, sealed, shown
from classay.files.writing import write_bytes
from classay.measures import get
from classay.tables import CaseTable, ClassScoreTable, ConfusionMatrix, ExactSum, ScoreTable
from classay.tables.binning import ABSENT, LEAST, MOST, SIGNIFICAND, WITHIN, Losses
from classay.tables.bins import FINEST, BinnedClassScoreTable, BinnedScoreTable, Bins, last_places
from classay.tables.cases import CaseSums, LossTail
from classay.tables.checks import Amounts
from classay.tables.class_scores import ClassRun, JointCases
from classay.tables.paired import BLOCKS, Blocks, BlockSums
from classay.tables.rows import CodedRows
from classay.tables.sparse import SparseConfusionMatrix
from classay.wings import thing

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment

FORMAT = 2
ABOUT = "assessment.json"
PLAIN = ("level", "seed", "rows", "dropped", "kind_of_weight", "interval", "improper")

RARE: dict[str, Any] = {
    "unscored": 0,
    "weight_scale": 1.0,
    "renormalised": 0,
    "limit": None,
    "model": "",
    "unanswered": 0,
    "undeclared": 0,
    "no_answer": None,
    "rounded": 0,
    "raw_scores": False,
    "score_scale": None,
    "scales_of_parts": (),
    "sorted_columns": 0,
    "reversed_pairs": 0,
    "compared_pairs": 0,
    "repeats": None,
}
"""What is written only where it is not as usual."""
MOST_ROWS = 100_000
"""Rows up to which the main estimates are saved for overviews: of more, saving would take much longer."""


def save(a: Assessment, path: Path) -> None:
    """Write an assessment's tables to a file, replacing it in one step.

    Raises FileError when the file cannot be written, or a label is of a kind that has no plain form.
    """
    arrays: dict[str, Array] = {}
    about: dict[str, Any] = {"format": FORMAT, "what": "assessment"}
    about |= {name: getattr(a, name) for name in PLAIN}
    about |= {name: getattr(a, name) for name, usual in RARE.items() if getattr(a, name) != usual}
    about |= {"threshold": a.cutoff, "threshold_chosen": a.cutoff_chosen}
    if a.amounts:
        about["amounts"] = list(a.amounts)
    if a.received.unlabeled is not None:
        about["unlabeled"] = _unlabeled_out(a.received.unlabeled)
    about |= labels_out(a.labels)
    about["positive"] = None if not a.is_binary else label_out(a.positive)
    about["clusters"] = None if a.clusters is None else [label_out(label) for label in a.clusters]
    if a.confusion_matrix is not None:
        is_sparse = isinstance(a.confusion_matrix, SparseConfusionMatrix)
        _put(arrays, "matrix", a.confusion_matrix, CELL_PARTS if is_sparse else ("counts", "squares"))
        _put_amounts(arrays, "matrix", a.confusion_matrix)
    if a.scores is not None:
        about |= _scores_out(a.scores, arrays)
        if isinstance(a.scores.half, StrictThreshold):  # the first class wins a tie
            about["strict_half"] = float(a.scores.half)
    about |= _class_scores_out(a.class_scores, arrays)
    if a.coded is not None:
        _put(arrays, "coded", a.coded, CODED_PARTS)
    if a.blocks is not None:
        about |= _blocks_out(a, a.blocks, arrays)
    if a.cases is not None:
        about["cases"] = _cases_out(a.cases, arrays)
    if a.rows <= MOST_ROWS:
        about["extra"] = {"main": thing("classay.saved_results:head_of")(a)}  # keys that readers may skip
    members = {f"{name}.npy": array for name, array in arrays.items()}
    write_bytes(path, sealed(ABOUT, about, members))


def _unlabeled_out(cases: UnlabeledCases) -> dict[str, Any]:
    """Return the cases without a true label as plain values."""
    called = None if cases.called is None else [[label_out(label), n] for label, n in cases.called]
    return asdict(cases) | {"keys": list(cases.keys), "counts": list(cases.counts), "called": called}


def labels_out(labels: Sequence[Hashable]) -> dict[str, Any]:
    """Labels as `labels_in` of `restoring` reads them, with a key that says who gave their order; no key: nobody."""
    document = {"labels": [label_out(label) for label in labels]}
    known = Labels.of(labels)
    return document | {"order": known.source} if known.is_given else document


CELL_PARTS = ("places", "held", "held_squares")
SCORE_PARTS = ("scores", "positives", "negatives", "positive_squares", "negative_squares")
BIN_PARTS = ("keys", "cases", "squares", "within", "least", "most", "finer")
LOSSES = ("log_loss", "log_loss_squares", "brier", "brier_squares")
COUNTS = ("positives", "negatives", "weight")
"""Parts of which there may be one for every case."""
RUN_PARTS = ("scores", "true", "weight", "squares")
JOINT_PARTS = ("entry", "true", "weight")
CODED_PARTS = ("cluster", "true", "predicted", "score", "weight", "amounts")
AMOUNT_PARTS = ("sums", "products", "least", "least_of_class")
BLOCK_SUMS = ("log_loss", "brier")
SUMS = ("log_loss_squares", "brier_squares")
TAILS = ("log_loss_tail", "brier_tail")
SUMS_BY_CLASS = ("log_loss_by_class", "brier_by_class")
CASE_COUNTS = ("cases", "tied", "improper")


def _blocks_out(a: Assessment, blocks: Blocks, arrays: dict[str, Array]) -> dict[str, Any]:
    """Return the plain values of the blocks of cases; their arrays are put among the others."""
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


def _scores_out(scores: ScoreTable, arrays: dict[str, Array]) -> dict[str, Any]:
    """Return the plain values of the scores of two classes; their arrays are put among the others."""
    about: dict[str, Any] = {"score_labels": [label_out(label) for label in scores.labels]}
    if isinstance(scores, BinnedScoreTable):
        return about | {"bins": _bins_out(scores.bins, arrays, "bins")}
    _put(arrays, "scores", scores, SCORE_PARTS)
    _put_amounts(arrays, "scores", scores)
    return about


def _class_scores_out(
    scores: ClassScoreTable | BinnedClassScoreTable | None, arrays: dict[str, Array]
) -> dict[str, Any]:
    """Return the plain values of the scores of several classes; their arrays are put among the others."""
    if isinstance(scores, BinnedClassScoreTable):
        numbered = enumerate(scores.bins)
        return {"class_bins": [_bins_out(bins, arrays, f"class{i}") for i, bins in numbered]}
    if scores is not None:
        kept = scores.sorted_scores()
        for i, run in enumerate(kept.runs):
            _put(arrays, f"class{i}", run, RUN_PARTS)
        if kept.cases is not None:
            _put(arrays, "joint", kept.cases, JOINT_PARTS)
    return {}


def _bins_out(bins: Bins, arrays: dict[str, Array], name: str) -> dict[str, Any]:
    """Return the plain values of scores in bins; their arrays are put among the others, under the name."""
    _put(arrays, name, bins, BIN_PARTS)
    kept = None if bins.losses is None else [_exact_out(getattr(bins.losses, name)) for name in LOSSES]
    return {"bits": bins.bits, "dtype": bins.dtype, "losses": kept}


def _cases_out(cases: CaseTable, arrays: dict[str, Array]) -> dict[str, Any]:
    """Return the plain values of a table of cases; its arrays are put among the others."""
    about: dict[str, Any] = {name: getattr(cases, name) for name in CASE_COUNTS}
    if isinstance(cases.top, BinnedScoreTable):
        about["top"] = _bins_out(cases.top.bins, arrays, "top")
    else:
        _put(arrays, "top", cases.top, SCORE_PARTS)
    if cases.at_ends is not None:
        about["at_ends"] = cases.at_ends
    return about | {
        name: _sums_out(getattr(cases, name), f"cases.{name}", arrays) for name in ("sums", "squares")
    }


def _sums_out(sums: CaseSums | None, name: str, arrays: dict[str, Array]) -> dict[str, Any] | None:
    """Return the plain values of sums over cases; their arrays are put among the others, under the name."""
    if sums is None:
        return None
    _put(arrays, name, sums, ("true", "ranks"))
    about: dict[str, Any] = {key: _exact_out(getattr(sums, key)) for key in SUMS}
    for tail_name in TAILS:
        tail = getattr(sums, tail_name)
        if tail is not None:
            about[tail_name] = [tail.most.hex(), _exact_out(tail.cubes), _exact_out(tail.fourths)]
    return about | {key: [_exact_out(total) for total in getattr(sums, key)] for key in SUMS_BY_CLASS}


def _exact_out(total: ExactSum) -> list[Any]:
    return [hex(total.units), total.infinite]


def _put(arrays: dict[str, Array], name: str, table: Any, parts: tuple[str, ...]) -> None:
    columns = {part: getattr(table, part) for part in parts}
    arrays |= {
        f"{name}.{part}": _narrow(column) if part in COUNTS else column
        for part, column in columns.items()
        if column is not None
    }


def _narrow(counts: Any) -> Any:
    """Numbers of cases in as few bytes as hold the greatest: most scores are of one case."""
    if counts.dtype.kind == "f" or not counts.size:
        return counts
    most = counts.max()
    return counts.astype(
        next(dtype for dtype in (np.int8, np.int16, np.int32, np.int64) if most <= np.iinfo(dtype).max)
    )


def _put_amounts(arrays: dict[str, Array], name: str, table: Any) -> None:
    if table.amounts is not None:
        _put(arrays, f"{name}.amounts", table.amounts, AMOUNT_PARTS)


_MOST_CASES = 2**53
"""Cases that any table counts exactly."""
_DIGITS = 1200
"""Hexadecimal digits of an exact sum, which is below 2^1024 in units of 2^-1127."""


class Tables:
    """The tables of an archive, of cases with these labels and weights of such a dtype.

    `called` are the labels of a matrix: those, and the reserved answer where cases among several classes have none.
    """

    def __init__(
        self,
        archive: Archive,
        labels: tuple[Hashable, ...],
        weights: str,
        amounts: tuple[str, ...] = (),
        called: tuple[Hashable, ...] | None = None,
    ) -> None:
        self.archive, self.labels, self.weights, self.amounts = archive, labels, weights, amounts
        self.called = labels if called is None else called

    def of_weights(self, name: str, *shape: int | None) -> Any:
        """Sums of weights, of which all together can still be added up."""
        weights = self.archive.array(f"{name}.npy", self.weights, shape, least=0)
        weights = weights.astype(np.int64) if weights.dtype in (np.int8, np.int16, np.int32) else weights
        require_file(weights.dtype in (np.int64, np.float64), f"{name} are of {weights.dtype}")
        most = _MOST_CASES if weights.dtype == np.int64 else np.finfo(np.float64).max
        with np.errstate(over="ignore"):
            require_file(weights.sum(dtype=np.float64) <= most, f"{name} are more than can be added up")
        return weights

    def of_squares(self, name: str, *shape: int | None) -> Any:
        """Return the sums of squared weights, which sampling weights have and nothing else."""
        if self.weights != "f":
            require_file(f"{name}.npy" not in self.archive, f"{name} have no sampling weights")
            return None
        return self.of_weights(name, *shape)

    def _amounts(self, name: str, *cells: int) -> Amounts | None:
        """Return the sums of amounts in the cells of a table, where the rows carried any."""
        if not self.amounts:
            return None
        q = len(self.amounts)
        sums = self.archive.array(f"{name}.amounts.sums.npy", "f", (q, *cells))
        products = self.archive.array(f"{name}.amounts.products.npy", "f", (1 + q, q, *cells))
        require_file(
            all((products[1 + j, j] >= 0).all() for j in range(q)), f"{name}.amounts have negative squares"
        )
        k = cells[0]
        least = self.archive.maybe_array(f"{name}.amounts.least_of_class.npy", "f", (q, k))
        of_all = self.archive.maybe_array(f"{name}.amounts.least.npy", "f", (q,))
        if least is None and of_all is not None:  # as earlier versions saved it
            least = np.repeat(of_all[:, None], k, 1)
        require_file(
            least is None or (of_all is not None and np.array_equal(least.min(-1), of_all)),
            f"{name}.amounts disagree about their least",
        )
        by_class = sums.sum(-1) if name == "scores" else sums.sum(-2)
        require_file(
            least is None or (by_class[least >= 0] >= 0).all(), f"{name}.amounts are less than their least"
        )
        return Amounts(self.amounts, sums, products, least)

    def matrix(self) -> ConfusionMatrix:
        """Return the counts of predicted and true labels."""
        k = len(self.called)
        return ConfusionMatrix(
            self.of_weights("matrix.counts", k, k),
            self.called,
            self.of_squares("matrix.squares", k, k),
            self._amounts("matrix", k, k),
        )

    def cells(self) -> SparseConfusionMatrix:
        """Return the counts of predicted and true labels at the pairs of them that occur."""
        k = len(self.called)
        places = self.archive.array("matrix.places.npy", "i", (None,), least=0, below=k * k)
        require_file((places[1:] > places[:-1]).all(), "matrix.places do not ascend")
        cell_weights = self.of_weights("matrix.held", places.size)
        require_file((cell_weights > 0).all(), "matrix.held has a pair of labels without a case")
        squares = self.of_squares("matrix.held_squares", places.size)
        return SparseConfusionMatrix(places.astype(np.int64), cell_weights, self.called, squares)

    def scores(self, name: str, labels: tuple[Hashable, Hashable]) -> ScoreTable:
        """Scores of two classes, each once, descending."""
        scores = self.archive.array(f"{name}.scores.npy", "f", (None,), finite=False)
        m = scores.size
        require_file(m, f"{name}.scores holds nothing")
        return ScoreTable(
            scores,
            self.of_weights(f"{name}.positives", m),
            self.of_weights(f"{name}.negatives", m),
            labels,
            self.of_squares(f"{name}.positive_squares", m),
            self.of_squares(f"{name}.negative_squares", m),
            self._amounts(name, 2, m) if name == "scores" else None,
        )

    def run(self, name: str) -> ClassRun:
        """Return one class's scores, with the true class of each."""
        scores = self.archive.array(f"{name}.scores.npy", "f", (None,), finite=False)
        m = scores.size
        require_file(m and not np.isnan(scores).any(), f"{name}.scores holds NaN, or nothing")
        require_file((scores[:-1] >= scores[1:]).all(), f"{name}.scores do not descend")
        true = self.archive.array(f"{name}.true.npy", "iu", (m,), least=0, below=len(self.labels))
        tied = scores[1:] == scores[:-1]
        require_file((true[1:] > true[:-1])[tied].all(), f"{name} holds a score and class twice")
        return ClassRun(
            scores, true, self.of_weights(f"{name}.weight", m), self.of_squares(f"{name}.squares", m)
        )

    def joint(self, runs: tuple[ClassRun, ...]) -> JointCases | None:
        """Return which scores are of one case, where that is kept: each entry counts the cases that name it."""
        entry = self.archive.maybe_array("joint.entry.npy", "iu", (None, len(runs)), least=0)
        if entry is None:
            return None
        n = entry.shape[0]
        true = self.archive.array("joint.true.npy", "iu", (n,), least=0, below=len(runs))
        weight = self.of_weights("joint.weight", n) if "joint.weight.npy" in self.archive else None
        for run, index in zip(runs, entry.T, strict=True):
            require_file(
                index.max(initial=0) < run.scores.size, "joint.entry names an entry that is not there"
            )
            require_file((run.true[index] == true).all(), "joint.entry names an entry of another class")
        return JointCases(np.asfortranarray(entry), true, weight)  # read class by class

    def cases(self, about: Fields, top: ScoreTable) -> CaseTable:
        """Return the sums over cases of several classes, with the table of their highest scores."""
        counts = {name: about.whole(name) for name in CASE_COUNTS}
        squares = about.maybe("squares", lambda name: self._sums(about.inner(name), "cases.squares"))
        require_file((squares is not None) == (self.weights == "f"), "cases.squares have no sampling weights")
        sums = self._sums(about.inner("sums"), "cases.sums")
        if "at_ends" in about:  # early versions did not count them
            counts["at_ends"] = about.whole("at_ends")
        about.done()
        return CaseTable(labels=self.labels, sums=sums, squares=squares, top=top, **counts)

    def _sums(self, about: Fields, name: str) -> CaseSums:
        k = len(self.labels)
        sums: dict[str, Any] = {key: exact(about.take(key)) for key in SUMS}
        sums |= {key: about.list(key, exact) for key in SUMS_BY_CLASS}
        sums |= {tail: _tail(about.take(tail)) for tail in TAILS if tail in about}
        about.done()
        require_file(all(len(sums[key]) == k for key in SUMS_BY_CLASS), f"{name} are not of {k} classes")
        return CaseSums(self.of_weights(f"{name}.true", k), self.of_weights(f"{name}.ranks", k), **sums)

    def coded(self, clusters: tuple[Hashable, ...], scores: ScoreTable | None) -> CodedRows:
        """Return the rows of cases in clusters."""
        take, k = self.archive.array, len(self.labels)
        cluster = take("coded.cluster.npy", "iu", (None,))
        rows = (cluster.size,)
        true = take("coded.true.npy", "iu", rows, below=k)
        predicted = self.archive.maybe_array("coded.predicted.npy", "iu", rows)
        weight = self.archive.maybe_array("coded.weight.npy", "f", rows, least=0)
        score = self.archive.maybe_array(
            "coded.score.npy", "f", (*rows, k) if scores is None else rows, finite=False
        )
        require_file(score is None or not np.isnan(score).any(), "coded.score holds NaN")
        amounts = take("coded.amounts.npy", "f", (*rows, len(self.amounts))) if self.amounts else None
        return CodedRows(clusters, self.called, cluster, true, predicted, score, weight, amounts)


def _tail(plain: Any) -> LossTail:
    """Return the tail of losses, saved as the greatest in hexadecimal and two exact sums."""
    require_file(isinstance(plain, list) and len(plain) == 3, f"{shown(plain)} is not a tail of losses")
    try:
        most = float.fromhex(plain[0])
    except (TypeError, ValueError, OverflowError) as error:
        raise Damaged(f"{shown(plain[0])} is not a greatest loss") from error
    require_file(most >= 0, f"{shown(plain[0])} is not a greatest loss")
    return LossTail(most, exact(plain[1]), exact(plain[2]))


def exact(plain: Any) -> ExactSum:
    """Return an exact sum of nonnegative terms, saved as its units in hexadecimal and the number of infinite terms."""
    is_sum = isinstance(plain, list) and [*map(type, plain)] == [str, int] and len(plain[0]) <= _DIGITS
    require_file(is_sum and plain[1] >= 0, f"{shown(plain)} is not an exact sum")
    try:
        total = ExactSum(int(plain[0], 16), plain[1])
        require_file(total.units >= 0 and total.value >= 0, f"{shown(plain)} is not an exact sum")
    except (ValueError, OverflowError) as error:
        raise Damaged(f"{shown(plain)} is not an exact sum") from error
    return total


def binned_of(read: Tables, about: Fields, name: str, labels: tuple[Hashable, Hashable]) -> BinnedScoreTable:
    """Return a table of two classes' scores in bins."""
    return BinnedScoreTable.of(_bins_of(read, about, name), labels)


def classes_of(read: Tables, each: Sequence[Fields], labels: tuple[Hashable, ...]) -> BinnedClassScoreTable:
    """Return the bins of each class against all others."""
    require_file(
        len(each) == len(labels), f"class_bins are of {len(each):,} classes, and there are {len(labels):,}"
    )
    bins = (_bins_of(read, about, f"class{i}") for i, about in enumerate(each))
    return BinnedClassScoreTable(labels, tuple(bins))


def _bins_of(read: Tables, about: Fields, name: str) -> Bins:
    """Scores in bins, by the name of their arrays: every bin holds cases, and the scores of each class lie in it."""
    bits = about.whole("bits", 1, FINEST)
    dtype = about.choice("dtype", ("float16", "float32", "float64"))
    losses = about.maybe("losses", lambda field: about.list(field, exact))
    about.done()
    require_file(
        losses is None or len(losses) == len(LOSSES), f"{name}.losses are not of two losses and their squares"
    )
    keys = read.archive.array(f"{name}.keys.npy", "i", (None,))
    m = keys.size
    finer = read.archive.maybe_array(f"{name}.finer.npy", "i", (m,), least=0, below=FINEST - bits + 1)
    require_file(m and (finer is None or finer.min() == 0), f"{name}.bits has no bins")
    shift = SIGNIFICAND - bits - (np.zeros_like(keys) if finer is None else finer.astype(np.int64))
    inside = (LEAST >> shift <= keys) & (keys <= MOST >> shift)
    require_file(inside.all(), f"{name}.keys are of no scores")
    ends = last_places(keys << shift, shift)
    require_file((keys[:-1] << shift[:-1] > ends[1:]).all(), f"{name}.keys do not descend")
    cases = read.of_weights(f"{name}.cases", 2, m)
    least, most = (read.archive.array(f"{name}.{end}.npy", "i", (2, m)) for end in ("least", "most"))
    within = read.archive.array(f"{name}.within.npy", cases.dtype.kind, (2, m), least=0)
    mask = cases > 0
    require_file(mask.any(0).all(), "a bin holds no case")
    require_file(
        (least[~mask] == ABSENT).all() and (most[~mask] == -ABSENT).all(), "a class has scores and no cases"
    )
    in_bin = (least >> shift == keys) & (most >> shift == keys) & (least <= most)
    require_file(in_bin[mask].all(), "scores lie outside their bin")
    require_file(
        (within[mask] <= cases[mask] * float(1 << WITHIN)).all(), f"{name}.within lie outside the bins"
    )
    squares = read.of_squares(f"{name}.squares", 2, m)
    kept = None if losses is None else Losses(*losses)
    return Bins(bits, dtype, keys, cases, squares, within, least, most, kept, finer)


def measures_by_blocks(about: Fields) -> dict[str, float]:
    """Return the measures that are kept by blocks, with their values on all cases."""
    inner, values = about.inner("blocks"), {}
    for name in inner.names:
        low, high = get(name).bounds
        values[name] = inner.number(name)
        is_in_range = low - 1e-9 <= values[name] <= high + 1e-9
        require_file(is_in_range, f"{name} is {shown(values[name])}, out of its range")
    return values


def blocks_of(read: Tables, about: Fields, matrix: ConfusionMatrix | None) -> Blocks:
    """Return the blocks of cases, whose sums must be of the cases that they count."""
    take, k = read.archive.array, len(read.labels)
    overall = measures_by_blocks(about)
    take("blocks.without.npy", "f", (len(overall), BLOCKS), finite=False)
    cases = take("blocks.cases.npy", "iu", (BLOCKS,), least=0)
    called = len(read.called)
    counts = read.archive.maybe_array("blocks.matrix.npy", "iu", (BLOCKS, called, called), least=0)
    require_file(counts is None or matrix is not None, "blocks.matrix has no matrix")
    sums = None
    if "blocks.true.npy" in read.archive:
        losses = [about.list(f"blocks.{name}", exact) for name in BLOCK_SUMS]
        require_file(all(len(loss) == BLOCKS for loss in losses), f"the losses are not of {BLOCKS} blocks")
        true = take("blocks.true.npy", "iu", (BLOCKS, k), least=0)
        sums = BlockSums(true, take("blocks.ranks.npy", "iu", (BLOCKS, k), least=0), losses[0], losses[1])
    blocks = Blocks(
        take("blocks.fingerprint.npy", "u", (BLOCKS,)),
        None if counts is None else ConfusionMatrix(counts, read.called),
        read.archive.maybe_array("blocks.of_scores.npy", "u", (None,), below=BLOCKS),
        sums,
    )
    require_file(
        blocks.of_scores is None or blocks.of_scores.dtype == np.uint8, "blocks.of_scores is not bytes"
    )
    require_file((blocks.cases == cases).all(), "the cases of blocks are others than their sums")
    return blocks
