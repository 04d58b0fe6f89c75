"""Reading a saved assessment: the schema of its parts, each checked when it is taken, and the sums that must agree."""

from __future__ import annotations

import zipfile
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from math import frexp, isnan
from pathlib import Path
from typing import Any

import numpy as np

from classay.assessment.assessment import Assessment
from classay.assessment.block_values import NO_BLOCKS, BlockValues
from classay.assessment.saved.agreement import agree
from classay.assessment.saved.saving import (
    ABOUT,
    BLOCK_SUMS,
    CASE_COUNTS,
    FORMAT,
    LOSSES,
    RARE,
    SUMS,
    SUMS_BY_CLASS,
)
from classay.errors import ClassayError, FileError
from classay.files.archive import Archive
from classay.files.fields import Damaged, Fields, distinct, hold, shown
from classay.files.labels import label_in
from classay.inference.registry import match_method
from classay.measures import get
from classay.tables import CaseTable, ClassScoreTable, ConfusionMatrix, ExactSum, ScoreTable
from classay.tables.amounts import Amounts
from classay.tables.binned.bins import FINEST, Bins
from classay.tables.binned.counting import ABSENT, WITHIN
from classay.tables.binned.losses import Losses
from classay.tables.binned.scale import LEAST, MOST, SIGNIFICAND
from classay.tables.binned.table import BinnedScoreTable
from classay.tables.blocks import BLOCKS, Blocks, BlockSums
from classay.tables.cases import TOP_LABELS, CaseSums
from classay.tables.classes import ClassRun, JointCases
from classay.tables.rows import CodedRows

WEIGHTS = ("none", "sampling", "frequency")
_KINDS = (
    "assessment",
    "evaluation",
    "decomposition",
    "decomposition_path",
    "learning_curve",
    "improvement",
)
_MOST_CASES = 2**53
"""Cases that any table counts exactly."""
_DIGITS = 1200
"""Hexadecimal digits of an exact sum, which is below 2^1024 in units of 2^-1127."""


def load(path: str | Path) -> Assessment:
    """Read an assessment that `Assessment.save` wrote. Raises FileError when the file is none, or damaged."""
    with opened(path) as archive:
        a = _assessment(_about(archive, path), archive)
        archive.done()
        agree(a)
        return a


def load_block_values(path: str | Path) -> BlockValues:
    """Read of a saved assessment only what it is compared by, which is small at any number of cases.

    Raises FileError when the file is none, damaged, or has no blocks of cases.
    """
    with opened(path) as archive:
        about = _about(archive, path)
        if "blocks.without.npy" not in archive:
            raise FileError(f"{path} {NO_BLOCKS}")
        labels = labels_of(about, "labels")
        whole = _values(about)
        without = archive.array("blocks.without.npy", "f", (len(whole), BLOCKS), finite=False)
        return BlockValues(
            labels=labels,
            positive=positive_of(about, labels),
            level=level_of(about),
            cases=archive.array("blocks.cases.npy", "iu", (BLOCKS,), least=0),
            fingerprint=archive.array("blocks.fingerprint.npy", "u", (BLOCKS,)),
            whole=whole,
            without=dict(zip(whole, without, strict=True)),
        )


def kind_of(path: str | Path) -> str | None:
    """What a saved file holds, such as "assessment" or "evaluation", or None for another. Raises FileError."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = {*archive.namelist()}
    except FileNotFoundError as error:
        raise FileError(f"there is no file {path}.") from error
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}.") from error
    except Exception:  # noqa: BLE001 - a damaged directory makes zipfile raise nearly anything
        return None
    return next((kind for kind in _KINDS if f"{kind}.json" in names), None)


@contextmanager
def opened(path: str | Path) -> Iterator[Archive]:
    """The archive of a saved assessment; what is wrong with it is a FileError of one line."""
    if kind_of(path) == "evaluation":
        raise FileError(
            f"{path} is a saved evaluation of learners, where an assessment is wanted: `classay runs {path}` shows it."
        )
    try:
        with Archive(str(path)) as archive:
            if ABOUT not in archive:
                raise FileError(
                    f"{path} is no saved assessment: pass a file that `classay assess --save` or `save` wrote."
                )
            yield archive
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}.") from error
    except Damaged as error:
        raise damaged(path, "assessment", error) from error


def damaged(path: str | Path, what: str, error: Damaged) -> FileError:
    """The error for a saved file that does not hold what was saved."""
    return FileError(
        f"{path} is no saved {what}, or a damaged one: {error}. Save it anew, or take another copy."
    )


def check_format(about: Fields, what: str, known: int, seal: object, path: object) -> None:
    """Refuse another format than those that are read: the first, which has no checksums, and the present one."""
    found = about.take("format")
    if type(found) is not int or not 1 <= found <= known:
        raise FileError(
            f"{path} is of format {shown(found)}; this version of classay reads {known}: update classay."
        )
    hold(
        (seal is not None) == (found > 1),
        "its checksums are missing" if found > 1 else "its format is another",
    )
    hold(about.take("what") == what, f"it is no {what}")


def _about(archive: Archive, path: str | Path) -> Fields:
    about = archive.fields(ABOUT)
    check_format(about, "assessment", FORMAT, archive.seal, path)
    return about


def labels_of(about: Fields, name: str) -> tuple[Hashable, ...]:
    """Labels, of which no two are equal."""
    labels = about.list(name, label_in)
    distinct(labels, name)
    hold(labels, f"{name} is empty")
    return labels


def positive_of(about: Fields, labels: tuple[Hashable, ...]) -> Hashable | None:
    """The positive class: one of two labels, or None among more."""
    # None is the word for "no positive class", so a label None is never positive
    positive = about.maybe("positive", lambda name: label_in(about.take(name)))
    hold(positive is None or (positive in labels and len(labels) == 2), f"positive is {shown(positive)}")
    return positive


def level_of(about: Fields) -> float:
    """The level of the intervals."""
    level = about.number("level", 0, 1)
    hold(0 < level < 1, f"level is {level}")
    return level


def _values(about: Fields) -> dict[str, float]:
    """The measures that are kept by blocks, with their values on all cases."""
    inner, found = about.take("blocks"), {}
    hold(isinstance(inner, dict), "blocks is no object")
    for name, value in inner.items():
        try:
            measure = get(name)
        except ClassayError as error:
            raise Damaged(f"there is no measure {shown(name)}") from error
        low, high = measure.bounds
        hold(type(value) in (int, float) and not isnan(value), f"{name} is {shown(value)}")
        hold(low - 1e-9 <= value <= high + 1e-9, f"{name} is {shown(value)}, out of its range")
        found[name] = value
    return found


def _interval(about: Fields) -> str:
    name = about.text("interval")
    try:
        hold(match_method(name) == name, f"interval is {shown(name)}")
    except ClassayError as error:
        raise Damaged(f"interval is {shown(name)}") from error
    return name


def _scale(about: Fields) -> float:
    """What weights were multiplied with: a power of two."""
    scale = about.number("weight_scale", 2.0**-1100, 2.0**1023)
    hold(frexp(scale)[0] == 0.5, f"weight_scale is {scale}, no power of two")
    return scale


def _assessment(about: Fields, archive: Archive) -> Assessment:
    labels = labels_of(about, "labels")
    positive = positive_of(about, labels)
    k, kind = len(labels), about.choice("kind_of_weight", WEIGHTS)
    weights = "f" if kind == "sampling" else "iu"
    amounts = names_of_amounts(about) if "amounts" in about else ()
    read = _Tables(archive, labels, weights, amounts)
    matrix = read.matrix() if "matrix.counts.npy" in archive else None
    scores = class_scores = cases = coded = None
    if "score_labels" in about:
        negative_first = labels_of(about, "score_labels")
        hold(
            len(negative_first) == 2 and negative_first[1] == positive and {*negative_first} == {*labels},
            "score_labels are not the labels, the positive one last",
        )
        of_scores = negative_first[0], negative_first[1]
        scores = (
            BinnedScoreTable.of(read.bins(about.inner("bins")), of_scores)
            if "bins" in about
            else read.scores("scores", of_scores)
        )
    if "class0.scores.npy" in archive:
        runs = tuple(read.run(f"class{i}") for i in range(k))
        class_scores = ClassScoreTable(labels, runs, read.joint(runs))
    if "cases" in about:
        cases = read.cases(about.inner("cases"))
    clusters = about.maybe("clusters", lambda name: labels_of(about, name))
    if clusters is not None:
        coded = read.coded(clusters, scores)
    a = Assessment(
        labels,
        positive,
        matrix,
        scores,
        class_scores,
        cases,
        cutoff=about.maybe("threshold", about.number),
        cutoff_chosen=about.flag("threshold_chosen"),
        level=level_of(about),
        seed=about.whole("seed", most=float("inf")),
        rows=about.whole("rows"),
        dropped=about.whole("dropped"),
        kind_of_weight=kind,
        coded=coded,
        blocks=read.blocks(about, matrix) if "blocks" in about else None,
        interval=about.maybe("interval", lambda _: _interval(about)),
        improper=about.whole("improper"),
        renormalised=about.whole("renormalised") if "renormalised" in about else RARE["renormalised"],
        limit=about.whole("limit", 1) if "limit" in about else RARE["limit"],
        weight_scale=_scale(about) if "weight_scale" in about else RARE["weight_scale"],
    )
    about.done()
    return a


def names_of_amounts(about: Fields) -> tuple[str, ...]:
    """The names of the amounts that rows carried."""
    names = about.texts("amounts")
    hold(bool(names) and len({*names}) == len(names), "amounts are no different names")
    return names


class _Tables:
    """The tables of an archive, of cases with these labels and weights of such a dtype."""

    def __init__(
        self,
        archive: Archive,
        labels: tuple[Hashable, ...],
        weights: str,
        amounts: tuple[str, ...] = (),
    ) -> None:
        self.archive, self.labels, self.weights, self.amounts = archive, labels, weights, amounts

    def _weights(self, name: str, *shape: int | None) -> Any:
        found = self.archive.array(f"{name}.npy", self.weights, shape, least=0)
        hold(found.dtype in (np.int64, np.float64), f"{name} are of {found.dtype}")
        most = _MOST_CASES if found.dtype == np.int64 else np.finfo(np.float64).max
        with np.errstate(over="ignore"):
            hold(found.sum(dtype=np.float64) <= most, f"{name} are more than can be added up")
        return found

    def _squares(self, name: str, *shape: int | None) -> Any:
        """The sums of squared weights, which sampling weights have and nothing else."""
        if self.weights != "f":
            hold(f"{name}.npy" not in self.archive, f"{name} are there without sampling weights")
            return None
        return self._weights(name, *shape)

    def _amounts(self, name: str, *cells: int) -> Amounts | None:
        """The sums of amounts in the cells of a table, where the rows carried any."""
        if not self.amounts:
            return None
        q = len(self.amounts)
        sums = self.archive.array(f"{name}.amounts.sums.npy", "f", (q, *cells))
        products = self.archive.array(f"{name}.amounts.products.npy", "f", (1 + q, q, *cells))
        hold(all((products[1 + j, j] >= 0).all() for j in range(q)), f"{name}.amounts have negative squares")
        return Amounts(self.amounts, sums, products)

    def matrix(self) -> ConfusionMatrix:
        k = len(self.labels)
        return ConfusionMatrix(
            self._weights("matrix.counts", k, k),
            self.labels,
            self._squares("matrix.squares", k, k),
            self._amounts("matrix", k, k),
        )

    def scores(self, name: str, labels: tuple[Hashable, Hashable]) -> ScoreTable:
        scores = self._descending(f"{name}.scores", "once")
        m = scores.size
        return ScoreTable(
            scores,
            self._weights(f"{name}.positives", m),
            self._weights(f"{name}.negatives", m),
            labels,
            self._squares(f"{name}.positive_squares", m),
            self._squares(f"{name}.negative_squares", m),
            self._amounts(name, 2, m) if name == "scores" else None,
        )

    def bins(self, about: Fields) -> Bins:
        """Scores in bins: every bin holds cases, and the scores of each class lie in it."""
        bits = about.whole("bits", 1, FINEST)
        dtype = about.choice("dtype", ("float16", "float32", "float64"))
        losses = about.maybe("losses", lambda name: about.list(name, _exact))
        about.done()
        hold(
            losses is None or len(losses) == len(LOSSES),
            "bins.losses are not of two losses and their squares",
        )
        keys = self.archive.array("bins.keys.npy", "i", (None,))
        m = keys.size
        hold(m and (keys[:-1] > keys[1:]).all(), "bins.keys do not descend")
        shift = SIGNIFICAND - bits
        hold(LEAST >> shift <= keys[-1] and keys[0] <= MOST >> shift, "bins.keys are of no scores")
        cases = self._weights("bins.cases", 2, m)
        least, most = (self.archive.array(f"bins.{name}.npy", "i", (2, m)) for name in ("least", "most"))
        within = self.archive.array("bins.within.npy", cases.dtype.kind, (2, m), least=0)
        held = cases > 0
        hold(held.any(0).all(), "a bin holds no case")
        hold(
            (least[~held] == ABSENT).all() and (most[~held] == -ABSENT).all(),
            "a class has scores and no cases",
        )
        in_bin = (least >> shift == keys) & (most >> shift == keys) & (least <= most)
        hold(in_bin[held].all(), "scores lie outside their bin")
        hold((within[held] <= cases[held] * float(1 << WITHIN)).all(), "bins.within lie outside the bins")
        squares = self._squares("bins.squares", 2, m)
        kept = None if losses is None else Losses(*losses)
        return Bins(bits, dtype, keys, cases, squares, within, least, most, kept)

    def _descending(self, name: str, times: str) -> Any:
        scores = self.archive.array(f"{name}.npy", "f", (None,), finite=False)
        hold(scores.itemsize in (4, 8), f"{name} are of {scores.dtype}")
        hold(scores.size and not np.isnan(scores).any(), f"{name} holds NaN, or nothing")
        before, after = scores[:-1], scores[1:]
        hold((before > after if times == "once" else before >= after).all(), f"{name} do not descend")
        return scores

    def run(self, name: str) -> ClassRun:
        scores = self._descending(f"{name}.scores", "often")
        m = scores.size
        true = self.archive.array(f"{name}.true.npy", "iu", (m,), least=0, below=len(self.labels))
        tied = scores[1:] == scores[:-1]
        hold((true[1:] > true[:-1])[tied].all(), f"{name} holds a score and class twice")
        return ClassRun(scores, true, self._weights(f"{name}.weight", m), self._squares(f"{name}.squares", m))

    def joint(self, runs: tuple[ClassRun, ...]) -> JointCases | None:
        """Which scores are of one case, where that is kept: each entry counts the cases that name it."""
        entry = self.archive.maybe_array("joint.entry.npy", "iu", (None, len(runs)), least=0)
        if entry is None:
            return None
        n = entry.shape[0]
        true = self.archive.array("joint.true.npy", "iu", (n,), least=0, below=len(runs))
        weight = self._weights("joint.weight", n) if "joint.weight.npy" in self.archive else None
        for run, own in zip(runs, entry.T, strict=True):
            hold(own.max(initial=0) < run.scores.size, "joint.entry names an entry that is not there")
            hold((run.true[own] == true).all(), "joint.entry names an entry of another class")
        return JointCases(np.asfortranarray(entry), true, weight)  # read class by class

    def cases(self, about: Fields) -> CaseTable:
        counts = {name: about.whole(name) for name in CASE_COUNTS}
        squares = about.maybe("squares", lambda name: self._sums(about.inner(name), "cases.squares"))
        hold((squares is not None) == (self.weights == "f"), "cases.squares go with sampling weights alone")
        sums = self._sums(about.inner("sums"), "cases.sums")
        about.done()
        top = self.scores("top", TOP_LABELS)
        return CaseTable(labels=self.labels, sums=sums, squares=squares, top=top, **counts)

    def _sums(self, about: Fields, name: str) -> CaseSums:
        k = len(self.labels)
        sums: dict[str, Any] = {each: _exact(about.take(each)) for each in SUMS}
        sums |= {each: about.list(each, _exact) for each in SUMS_BY_CLASS}
        about.done()
        hold(all(len(sums[each]) == k for each in SUMS_BY_CLASS), f"{name} are not of {k} classes")
        return CaseSums(self._weights(f"{name}.true", k), self._weights(f"{name}.ranks", k), **sums)

    def coded(self, clusters: tuple[Hashable, ...], scores: ScoreTable | None) -> CodedRows:
        take, k = self.archive.array, len(self.labels)
        cluster = take("coded.cluster.npy", "iu", (None,), least=0, below=len(clusters))
        rows = (cluster.size,)
        true = take("coded.true.npy", "iu", rows, least=0, below=k)
        predicted = self.archive.maybe_array("coded.predicted.npy", "iu", rows, least=0, below=k)
        weight = self.archive.maybe_array("coded.weight.npy", "f", rows, least=0)
        score = self.archive.maybe_array(
            "coded.score.npy", "f", (*rows, k) if scores is None else rows, finite=False
        )
        hold(score is None or not np.isnan(score).any(), "coded.score holds NaN")
        amounts = take("coded.amounts.npy", "f", (*rows, len(self.amounts))) if self.amounts else None
        return CodedRows(clusters, self.labels, cluster, true, predicted, score, weight, amounts)

    def blocks(self, about: Fields, matrix: ConfusionMatrix | None) -> Blocks:
        take, k = self.archive.array, len(self.labels)
        whole = _values(about)
        take("blocks.without.npy", "f", (len(whole), BLOCKS), finite=False)
        cases = take("blocks.cases.npy", "iu", (BLOCKS,), least=0)
        counts = self.archive.maybe_array("blocks.matrix.npy", "iu", (BLOCKS, k, k), least=0)
        hold(counts is None or matrix is not None, "blocks.matrix is there, and no matrix")
        sums = None
        if "blocks.true.npy" in self.archive:
            losses = [about.list(f"blocks.{name}", _exact) for name in BLOCK_SUMS]
            hold(all(len(each) == BLOCKS for each in losses), f"the losses are not of {BLOCKS} blocks")
            true = take("blocks.true.npy", "iu", (BLOCKS, k), least=0)
            sums = BlockSums(true, take("blocks.ranks.npy", "iu", (BLOCKS, k), least=0), losses[0], losses[1])
        found = Blocks(
            take("blocks.fingerprint.npy", "u", (BLOCKS,)),
            None if counts is None else ConfusionMatrix(counts, self.labels),
            self.archive.maybe_array("blocks.of_scores.npy", "u", (None,), below=BLOCKS),
            sums,
        )
        hold(found.of_scores is None or found.of_scores.dtype == np.uint8, "blocks.of_scores are no bytes")
        hold((found.cases == cases).all(), "the cases of blocks are others than their sums")
        return found


def _exact(plain: Any) -> ExactSum:
    hold(isinstance(plain, list) and len(plain) == 2, f"{shown(plain)} is no exact sum")
    units, infinite = plain
    hold(isinstance(units, str) and len(units) <= _DIGITS, f"{shown(units)} are no units of an exact sum")
    hold(type(infinite) is int and infinite >= 0, f"{shown(infinite)} is no number of infinities")
    try:
        found = ExactSum(int(units, 16), infinite)
        hold(found.units >= 0 and found.value >= 0, f"{shown(units)} are no units of an exact sum")
    except (ValueError, OverflowError) as error:
        raise Damaged(f"{shown(units)} are no units of an exact sum") from error
    return found
