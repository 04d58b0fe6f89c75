"""Reading a saved assessment: the schema of its parts, each checked when it is taken, and the sums that must agree."""

from __future__ import annotations

import zipfile
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from math import frexp, inf
from pathlib import Path
from shlex import quote

import numpy as np

from classay.answers import NO_ANSWER
from classay.assessment.assessment import Assessment
from classay.assessment.block_values import NO_BLOCKS, BlockValues
from classay.assessment.saved.agreement import agree
from classay.assessment.saved.bins import binned_of, classes_of
from classay.assessment.saved.blocks import blocks_of, measures_by_blocks
from classay.assessment.saved.saving import (
    ABOUT,
    FORMAT,
    RARE,
)
from classay.assessment.saved.tables import Tables
from classay.columns import Labels, is_ordinal
from classay.columns.uniting import ORDERS
from classay.errors import ClassayError, FileError
from classay.files.archive import Archive
from classay.files.fields import Damaged, Fields, distinct, hold, shown
from classay.files.labels import label_in
from classay.inference.registry import match_method
from classay.measures import MEASURES
from classay.tables import ClassScoreTable, ConfusionMatrix
from classay.tables.binned.classes import BinnedClassScoreTable
from classay.tables.blocks import BLOCKS
from classay.tables.cases import TOP_LABELS
from classay.tables.classes import ClassRuns

WEIGHTS = ("none", "sampling", "frequency")
OF_ROWS = (".csv", ".tsv", ".parquet", ".arrow", ".feather", ".jsonl", ".gz")
"""Endings of files that hold rows, and are no saved results."""
_KINDS = (
    "assessment",
    "evaluation",
    "decomposition",
    "decomposition_path",
    "learning_curve",
    "improvement",
)


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
        labels = labels_in(about)
        whole = measures_by_blocks(about)
        without = archive.array("blocks.without.npy", "f", (len(whole), BLOCKS), finite=False)
        if not is_ordinal(labels):  # earlier versions took any sequence of labels for an order
            ordinal = [name in MEASURES and MEASURES[name].needs_order for name in whole]
            without[ordinal] = np.nan
            whole = {
                name: np.nan if no else value
                for (name, value), no in zip(whole.items(), ordinal, strict=True)
            }
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
    kind, name = kind_of(path), quote(str(path))
    if kind is None and Path(path).suffix.lower() in OF_ROWS:
        raise FileError(
            f"{path} is no saved assessment, but seems to hold rows: save each file first, `classay assess {name} "
            f"--truth COL --score COL --save {quote(Path(path).stem)}`. `classay assess` counts the rows of several "
            "files together where it is given their folder or a pattern in quotes."
        )
    if kind == "evaluation":
        raise FileError(
            f"{path} is a saved evaluation of learners, where an assessment is wanted: `classay runs {name}` shows it."
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


def labels_in(about: Fields) -> Labels:
    """The labels of the classes with their order, where one was given.

    Files of earlier versions do not say so: of theirs, whole numbers that ascend have an order, and nothing else.
    """
    labels = labels_of(about, "labels")
    if "order" in about:
        return Labels(labels, about.choice("order", ORDERS))
    ascending = Labels.sorted(labels)
    return ascending if ascending == labels else Labels(labels)


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
    labels = labels_in(about)
    positive = positive_of(about, labels)
    k, kind = len(labels), about.choice("kind_of_weight", WEIGHTS)
    weights = "f" if kind == "sampling" else "iu"
    amounts = names_of_amounts(about) if "amounts" in about else ()
    no_answer = _no_answer(about, k) if "no_answer" in about else None
    called = labels if no_answer is None or positive is not None else (*labels, NO_ANSWER)
    read = Tables(archive, labels, weights, amounts, called)
    matrix: ConfusionMatrix | None = None
    if "matrix.counts.npy" in archive or "matrix.places.npy" in archive:
        matrix = read.cells() if "matrix.places.npy" in archive else read.matrix()
    scores = cases = coded = None
    class_scores: ClassScoreTable | BinnedClassScoreTable | None = None
    if "score_labels" in about:
        negative_first = labels_of(about, "score_labels")
        hold(
            len(negative_first) == 2 and negative_first[1] == positive and {*negative_first} == {*labels},
            "score_labels are not the labels, the positive one last",
        )
        of_scores = negative_first[0], negative_first[1]
        scores = (
            binned_of(read, about.inner("bins"), "bins", of_scores)
            if "bins" in about
            else read.scores("scores", of_scores)
        )
    if "class_bins" in about:
        class_scores = classes_of(
            read, about.list("class_bins", lambda each: Fields(each, "class_bins")), labels
        )
    elif "class0.scores.npy" in archive:
        runs = tuple(read.run(f"class{i}") for i in range(k))
        class_scores = ClassScoreTable.of_runs(labels, ClassRuns(runs, read.joint(runs)))
    if "cases" in about:
        inner = about.inner("cases")
        in_bins = "top" in inner
        top = (
            binned_of(read, inner.inner("top"), "top", TOP_LABELS)
            if in_bins
            else read.scores("top", TOP_LABELS)
        )
        cases = read.cases(inner, top)
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
        unscored=about.whole("unscored") if "unscored" in about else RARE["unscored"],
        kind_of_weight=kind,
        coded=coded,
        blocks=blocks_of(read, about, matrix) if "blocks" in about else None,
        interval=about.maybe("interval", lambda _: _interval(about)),
        improper=about.whole("improper"),
        renormalised=about.whole("renormalised") if "renormalised" in about else RARE["renormalised"],
        limit=about.whole("limit", 1) if "limit" in about else RARE["limit"],
        unanswered=about.whole("unanswered") if "unanswered" in about else RARE["unanswered"],
        undeclared=about.whole("undeclared") if "undeclared" in about else RARE["undeclared"],
        no_answer=no_answer,
        weight_scale=_scale(about) if "weight_scale" in about else RARE["weight_scale"],
    )
    hold(a.unscored <= max(a.dropped, a.unanswered), "more rows lack a score than were left out")
    hold(a.undeclared <= a.unanswered, "more rows have an undeclared label than have no answer")
    hold(
        a.unanswered <= (a.dropped if no_answer is None else a.rows),
        "more rows have no answer than there are",
    )
    about.done()
    return a


def _no_answer(about: Fields, classes: int) -> tuple[float, ...]:
    """The cases of each class without an answer."""
    found = about.list("no_answer", lambda each: each)
    is_right = len(found) == classes and all(type(each) in (int, float) and 0 <= each < inf for each in found)
    hold(is_right, "no_answer holds no number for each class")
    return tuple(map(float, found))


def names_of_amounts(about: Fields) -> tuple[str, ...]:
    """The names of the amounts that rows carried."""
    names = about.texts("amounts")
    hold(bool(names) and len({*names}) == len(names), "amounts are no different names")
    return names
