"""Reading a saved assessment: the schema of its parts, each checked when it is taken, and the sums that must agree."""

from __future__ import annotations

import zipfile
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from math import frexp, inf
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from classay.answers import NO_ANSWER
from classay.assessment.assessment import Assessment
from classay.assessment.merging import NO_BLOCKS, BlockValues
from classay.assessment.saving import (
    FORMAT,
    RARE,
    Tables,
    binned_of,
    blocks_of,
    classes_of,
    measures_by_blocks,
)
from classay.assessment.task import (
    COUNTS_OF_ROWS,
    Classes,
    Estimation,
    InputSummary,
    Sampling,
    Task,
    TwoClasses,
)
from classay.assessment.unlabeled import UnlabeledCases
from classay.columns import Labels, is_ordinal
from classay.columns.labels import ORDERS
from classay.columns.numbers import FARTHEST, FURTHEST_APART, StrictThreshold
from classay.columns.scales import CONVERTED_BY, MIXED, ScoreScale
from classay.errors import ClassayError, FileError
from classay.files.archives import Archive, Damaged, Fields, distinct, label_in, require_file, saved, shown
from classay.inference.methods import match_method
from classay.measures import MEASURES
from classay.tables import CaseTable, ClassScoreTable, ConfusionMatrix
from classay.tables.bins import BinnedClassScoreTable, BinnedScoreTable
from classay.tables.cases import TOP_LABELS
from classay.tables.paired import BLOCKS
from classay.tables.scores import ClassRun, ClassRuns, ScoreTable
from classay.tables.sparse import SparseConfusionMatrix
from classay.wings import brought, thing

if TYPE_CHECKING:
    pass

_NEAR = 1e-6
"""Sums of sampling weights are added in another order in each table, and round differently."""
GREATEST_WEIGHT = 2.0 ** (FARTHEST + 1)
LEAST_WEIGHT = 1 / GREATEST_WEIGHT / FURTHEST_APART
"""Sampling weights are scaled before they are counted, see `weight_scale`; others would overflow in products."""


def agree(a: Assessment) -> None:
    """Check that the tables of an assessment can be of the same cases. Raises Damaged."""
    require_file(a.confusion_matrix is not None or a.scores is not None, "the table of the cases is missing")
    require_file(
        (a.cases is None) == (a.class_scores is None), "one of two tables of class scores is missing"
    )
    require_file(a.cutoff is None or a.scores is not None, "a threshold has no scores")
    is_called = a.cutoff is None or a.confusion_matrix is not None
    require_file(is_called, "predicted labels have no matrix")
    require_file(a.improper <= a.rows, f"it holds {a.rows} rows and {a.improper} improper ones")
    totals = a.class_totals
    _no_empty_scores(a)
    if a.kind_of_weight == "none":
        require_file(
            int(totals.sum()) == a.rows, f"the cases are {int(totals.sum()):,}, and the rows {a.rows:,}"
        )
    _tables(a, totals)
    _check_no_answer(a)
    _squares(a)
    if a.coded is not None:
        _coded(a, totals)
    if a.blocks is not None:
        _blocks(a, totals)


def _check_no_answer(a: Assessment) -> None:
    """Check that the matrix counts cases without an answer as wrong."""
    if a.no_answer is None or a.confusion_matrix is None:
        return
    counts, k = a.confusion_matrix.counts, len(a.labels)
    none = np.asarray(a.no_answer)
    if not a.is_binary:
        _same(
            counts[k].astype(np.float64), np.append(none, 0.0), "the matrix and the cases without an answer"
        )
        return
    wrong = counts.sum(0) - counts.diagonal()
    require_file(
        bool((none <= wrong * (1 + _NEAR)).all()), "more cases have no prediction than are incorrect"
    )


def _same(here: Any, there: Any, what: str) -> None:
    a, b = np.asarray(here), np.asarray(there)
    require_file(a.shape == b.shape, f"{what} disagree")
    require_file(np.allclose(a, b, _NEAR, 0) if a.dtype.kind == "f" else (a == b).all(), f"{what} disagree")


def _tables(a: Assessment, totals: Any) -> None:
    if a.scores is not None:
        scores = a.scores.class_totals
        _same(scores if a.scores.labels == a.labels else scores[::-1], totals, "the scores and the cases")
        if a.cutoff is not None and a.confusion_matrix is not None and _tells(a.scores, a.cutoff):
            matrix = a.scores.at(a.cutoff).restrict(a.labels)
            _same(matrix.counts, a.confusion_matrix.counts, "the matrix and the scores at the threshold")
    if a.scores is not None and a.confusion_matrix is not None:
        here, there = a.scores.amounts, a.confusion_matrix.amounts
        if here is not None and there is not None:
            totals_here, totals_there = here.sums.sum((-2, -1)), there.sums.sum((-2, -1))
            least = _NEAR * np.sqrt(here.products[1:].sum((-2, -1)).diagonal())
            near = np.abs(totals_here - totals_there) <= np.maximum(least, _NEAR * np.abs(totals_here))
            leasts = [None if each.least is None else each.least.tolist() for each in (here, there)]
            require_file(
                bool(near.all()) and leasts[0] == leasts[1],
                "the amounts of the scores and of the matrix disagree",
            )
    if a.cases is None or a.class_scores is None:
        return
    _same(a.cases.true, totals, "the losses and the cases")
    _same(a.cases.ranks.sum(), totals.sum(), "the ranks and the cases")
    _same(a.cases.top.class_totals.sum(), totals.sum(), "the highest scores and the cases")
    require_file(
        max(a.cases.tied, a.cases.improper, a.cases.at_ends or 0) <= a.cases.cases,
        "more cases are tied, improper or certain than there are",
    )
    if a.kind_of_weight != "sampling":
        require_file(a.cases.cases == int(totals.sum()), "the number of cases and their sums disagree")
    if isinstance(a.class_scores, BinnedClassScoreTable):
        _class_bins(a, a.class_scores, totals)
        return
    dtypes = {run.scores.dtype for run in _runs(a)} | {a.cases.top.scores.dtype}
    require_file(len(dtypes) == 1, "the class scores differ in precision")
    for run in _runs(a):
        of_runs = np.bincount(run.true, run.weight, len(a.labels))
        _same(of_runs, totals.astype(np.float64), "the scores of a class and the cases")


def _class_bins(a: Assessment, in_bins: BinnedClassScoreTable, totals: Any) -> None:
    assert a.cases is not None
    require_file(
        isinstance(a.cases.top, BinnedScoreTable),
        "the scores of classes are in bins, and the highest are not",
    )
    top = [a.cases.top.bins] if isinstance(a.cases.top, BinnedScoreTable) else []
    require_file(
        len({each.dtype for each in (*in_bins.bins, *top)}) == 1, "the class scores differ in precision"
    )
    for bins, total in zip(in_bins.bins, totals, strict=True):
        _same(bins.cases.sum(1), [totals.sum() - total, total], "the scores of a class and the cases")


def _tells(scores: ScoreTable, threshold: float) -> bool:
    """Whether the scores say how many cases lie above a threshold: bins do not always."""
    return not isinstance(scores, BinnedScoreTable) or scores.tells(threshold)


def _runs(a: Assessment) -> tuple[ClassRun, ...]:
    """The exact scores of several classes, if there are any."""
    return a.class_scores.sorted_scores().runs if isinstance(a.class_scores, ClassScoreTable) else ()


def _no_empty_scores(a: Assessment) -> None:
    """Check that each score of a table has a case: rows of weight 0 are left out."""
    runs = _runs(a)
    counts = [run.weight for run in runs]
    tables = [a.scores, None if a.cases is None else a.cases.top]
    counts += [table.positives + table.negatives for table in tables if table is not None]
    require_file(all((table > 0).all() for table in counts), "no case has a score of its tables")


def _squares(a: Assessment) -> None:
    """Check sums of squared weights: at most the square of the sum, and of n weights at least an nth of it."""
    pairs: list[tuple[Any, Any]] = []
    if a.confusion_matrix is not None:
        matrix = a.confusion_matrix
        if isinstance(matrix, SparseConfusionMatrix):
            pairs.append((matrix.held, matrix.held_squares))
        else:
            pairs.append((matrix.counts, matrix.squares))
    for table in (a.scores, None if a.cases is None else a.cases.top):
        if isinstance(table, ScoreTable):
            pairs += [(table.positives, table.positive_squares), (table.negatives, table.negative_squares)]
    pairs += [(run.weight, run.squares) for run in _runs(a)]
    if isinstance(a.class_scores, BinnedClassScoreTable):
        pairs += [(bins.cases, bins.squares) for bins in a.class_scores.bins]
    if a.cases is not None and a.cases.squares is not None:
        pairs.append((a.cases.sums.true, a.cases.squares.true))
    for sums, squares in pairs:
        if squares is not None:
            nonzero = sums[sums > 0]
            require_file(
                ((nonzero >= LEAST_WEIGHT) & (nonzero <= GREATEST_WEIGHT * a.rows)).all(),
                "it holds weights that no cases have",
            )
            least, most = sums * sums / a.rows * (1 - _NEAR), sums * sums * (1 + _NEAR)
            require_file(
                ((squares >= least) & (squares <= most)).all(), "squared weights and weights disagree"
            )


def _coded(a: Assessment, totals: Any) -> None:
    coded, k = a.coded, len(a.labels)
    assert coded is not None
    require_file(
        coded.cluster.size == a.rows, f"the coded rows are {coded.cluster.size:,}, and the rows {a.rows:,}"
    )
    require_file(
        (coded.weight is not None) == (a.kind_of_weight != "none"), "the coded rows and the weights disagree"
    )
    has_scores = a.scores is not None or a.cases is not None
    require_file(has_scores or coded.predicted is not None, "the coded rows have no predictions")
    require_file(coded.predicted is None or a.confusion_matrix is not None, "coded.predicted has no matrix")
    require_file((coded.score is not None) == has_scores, "coded.score and the scores disagree")
    if coded.score is not None:
        known: list[Any] = [] if a.scores is None else [a.scores]
        known += _runs(a)
        columns = coded.score.reshape(coded.score.shape[0], -1).T
        for column, table in zip(columns, known, strict=True):
            same = column.dtype == table.scores.dtype and np.isin(column, table.scores).all()
            require_file(bool(same), "coded.score has scores that the tables lack")
    _same(np.bincount(coded.true, coded.weight, k), totals.astype(np.float64), "the coded rows and the cases")
    if coded.predicted is not None and a.confusion_matrix is not None:
        cells = SparseConfusionMatrix.of_matrix(a.confusion_matrix)
        pairs = coded.predicted.astype(np.int64) * len(a.confusion_matrix.labels) + coded.true
        places, place = np.unique(pairs, return_inverse=True)
        _same(places, cells.places, "the coded rows and the matrix")
        weight = np.bincount(place, coded.weight, places.size).astype(np.float64)
        _same(weight, cells.held.astype(np.float64), "the coded rows and the matrix")
    if a.scores is not None and coded.score is not None:
        _same(np.unique(coded.score)[::-1], a.scores.scores, "the coded rows and the scores")


def _blocks(a: Assessment, totals: Any) -> None:
    blocks = a.blocks
    assert blocks is not None
    require_file(a.kind_of_weight == "none", "blocks of weighted cases are not possible")
    require_file(
        (blocks.of_scores is not None) == (a.scores is not None), "blocks.of_scores and the scores disagree"
    )
    require_file(
        (blocks.sums is not None) == (a.cases is not None), "the sums of blocks and the losses disagree"
    )
    if blocks.of_scores is not None and a.scores is not None:
        require_file(blocks.of_scores.size == int(totals.sum()), "blocks.of_scores and the cases disagree")
    if blocks.matrix is not None and a.confusion_matrix is not None:
        _same(
            blocks.matrix.counts.sum(0), a.confusion_matrix.counts, "the matrices of blocks and the whole one"
        )
    if blocks.sums is not None:
        _same(blocks.sums.true.sum(0), totals, "the sums of blocks and the cases")
        _same(blocks.sums.ranks.sum(1), blocks.sums.true.sum(1), "the ranks of blocks and their cases")


WEIGHTS = ("none", "sampling", "frequency")


def repeats_of(about: Fields) -> tuple[str, int] | None:
    """The column of ids that repeats its values, and how many there are; None where none does."""
    if "repeats" not in about:
        return None
    repeats = about.list("repeats", lambda each: each)
    require_file(
        len(repeats) == 2 and type(repeats[0]) is str and type(repeats[1]) is int and repeats[1] >= 0,
        "repeats is not a column with its number of values",
    )
    return repeats[0], repeats[1]


OF_ROWS = (".csv", ".tsv", ".parquet", ".arrow", ".feather", ".jsonl", ".gz")
"""Endings of files that hold rows, and are no saved results."""


def load(path: str | Path) -> Assessment:
    """Read an assessment that `Assessment.save` wrote. Raises FileError when the file is none, or damaged."""
    with opened(path) as (about, archive):
        a = _assessment(about, archive)
        archive.done()
        agree(a)
        return a


def load_of_any_task(path: str | Path) -> Assessment:
    """Read what `save` wrote of one label a case or of another task. Raises FileError when the file is none."""
    place = brought("saved").get(kind_of(path) or "")
    reader: Any = None if place is None else thing(place)
    is_assessment = isinstance(reader, type) and issubclass(reader, Assessment)
    assessment: Assessment = (reader.load if is_assessment else load)(path)
    return assessment


def load_block_values(path: str | Path) -> BlockValues:
    """Read from a saved assessment only the values by which it is compared, few at any number of cases.

    Raises FileError when the file is none, damaged, or has no blocks of cases.
    """
    with opened(path) as (about, archive):
        if "blocks.without.npy" not in archive:
            raise FileError(f"{path} {NO_BLOCKS}")
        labels = labels_in(about)
        overall = measures_by_blocks(about)
        without = archive.array("blocks.without.npy", "f", (len(overall), BLOCKS), finite=False)
        if not is_ordinal(labels):  # earlier versions took any sequence of labels for an order
            ordinal = [name in MEASURES and MEASURES[name].needs_order for name in overall]
            without[ordinal] = np.nan
            overall = {
                name: np.nan if no else value
                for (name, value), no in zip(overall.items(), ordinal, strict=True)
            }
        return BlockValues(
            labels=labels,
            positive=positive_of(about, labels),
            level=level_of(about),
            cases=archive.array("blocks.cases.npy", "iu", (BLOCKS,), least=0),
            fingerprint=archive.array("blocks.fingerprint.npy", "u", (BLOCKS,)),
            whole=overall,
            without=dict(zip(overall, without, strict=True)),
            left_out=about.whole("unanswered") if "unanswered" in about and "no_answer" not in about else 0,
        )


def kind_of(path: str | Path) -> str | None:
    """What a saved file holds, such as "assessment" or "evaluation", or None for another. Raises FileError."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = {*archive.namelist()}
    except FileNotFoundError as error:
        raise FileError(f"File not found: {path}. Check the path.") from error
    except OSError as error:
        raise FileError(f"{path} cannot be read ({error.strerror or error}).") from error
    except Exception:  # noqa: BLE001 - a damaged directory makes zipfile raise nearly anything
        return None
    return next((kind for kind in brought("saved") if f"{kind}.json" in names), None)


@contextmanager
def opened(path: str | Path) -> Iterator[tuple[Fields, Archive]]:
    """The JSON and the archive of a saved assessment; what is wrong with it is a FileError of one line."""
    kind, name = kind_of(path), quote(str(path))
    if kind is None and Path(path).suffix.lower() in OF_ROWS:
        raise FileError(
            f"{path} is not a saved assessment and seems to contain rows. Save it first with `classay assess "
            f"{name} --truth COL --score COL --save {quote(Path(path).stem)}`, or pass a folder or pattern to "
            "`classay assess`."
        )
    if kind == "evaluation":
        raise FileError(
            f"{path} is a saved evaluation of learners, but an assessment is needed. `classay runs {name}` "
            "shows the evaluation."
        )
    with saved(path, "assessment", FORMAT) as contents:
        yield contents


def labels_of(about: Fields, name: str) -> tuple[Hashable, ...]:
    """Labels, of which no two are equal."""
    labels = about.list(name, label_in)
    distinct(labels, name)
    require_file(labels, f"{name} is empty")
    return labels


def labels_in(about: Fields) -> Labels:
    """The labels of the classes, with their order if one was given.

    Files of earlier versions do not say whether one was: in these, ascending whole numbers have an order, and nothing
    else.
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
    require_file(
        positive is None or (positive in labels and len(labels) == 2), f"positive is {shown(positive)}"
    )
    return positive


def level_of(about: Fields) -> float:
    """The level of the intervals."""
    level = about.number("level", 0, 1)
    require_file(0 < level < 1, f"level is {level}")
    return level


def _interval(about: Fields) -> str:
    name = about.text("interval")
    try:
        require_file(match_method(name) == name, f"interval is {shown(name)}")
    except ClassayError as error:
        raise Damaged(f"interval is {shown(name)}") from error
    return name


def _scale(about: Fields) -> float:
    """The factor of the weights, a power of two."""
    scale = about.number("weight_scale", 2.0**-1100, 2.0**1023)
    require_file(frexp(scale)[0] == 0.5, f"weight_scale is {scale}, not a power of two")
    return scale


def _with_threshold(about: Fields, scores: ScoreTable | None) -> tuple[ScoreTable | None, float | None]:
    """The scores and the threshold, with the rule of ties of two columns; files that say nothing of it have >=."""
    cutoff = about.maybe("threshold", about.number)
    middle = 0.0 if scores is not None and scores.is_difference else 0.5
    if "strict_half" not in about:
        return None if scores is None else scores.with_half(middle), cutoff
    half = StrictThreshold(about.number("strict_half"))
    require_file(scores is not None, "a rule for ties needs scores of two classes")
    assert scores is not None
    require_file(half == middle and cutoff in (None, half), "the rule for ties is for another threshold")
    return scores.with_half(half), None if cutoff is None else half


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
    is_raw = "raw_scores" in about and about.flag("raw_scores")
    scores = cases = coded = None
    class_scores: ClassScoreTable | BinnedClassScoreTable | None = None
    if "score_labels" in about:
        scores = _scores(about, read, positive, is_raw=is_raw)
    if "class_bins" in about:
        class_scores = classes_of(
            read, about.list("class_bins", lambda each: Fields(each, "class_bins")), labels
        )
    elif "class0.scores.npy" in archive:
        runs = tuple(read.run(f"class{i}") for i in range(k))
        class_scores = ClassScoreTable.of_runs(labels, ClassRuns(runs, read.joint(runs)))
    if "cases" in about:
        cases = _cases(about.inner("cases"), read)
    clusters = about.maybe("clusters", lambda name: labels_of(about, name))
    if clusters is not None:
        coded = read.coded(clusters, scores)
    scores, cutoff = _with_threshold(about, scores)
    is_chosen = about.flag("threshold_chosen")
    if positive is None:
        require_file(scores is None, "scores of two classes do not fit these labels")
        require_file(cutoff is None, "a threshold has no scores")
        require_file(matrix is not None, "predicted labels have no matrix")
        assert matrix is not None
        require_file(not is_raw or class_scores is not None, "class scores are marked as raw but missing")
        task: Task = Classes(labels, matrix, class_scores, cases, no_answer, is_raw)
    else:
        require_file(
            cases is None and class_scores is None, "scores of several classes do not fit two labels"
        )
        require_file(not is_raw or scores is not None, "class scores are marked as raw but missing")
        task = TwoClasses(labels, positive, matrix, scores, cutoff, is_chosen, no_answer)
    usual = {*COUNTS_OF_ROWS} & RARE.keys()
    counted = {name: about.whole(name) for name in COUNTS_OF_ROWS if name not in usual}
    counted |= {name: about.whole(name) for name in usual if name in about}
    a = Assessment(
        task,
        InputSummary(
            **counted, unlabeled=_unlabeled(about.inner("unlabeled")) if "unlabeled" in about else None
        ),
        Sampling(
            kind_of_weight=kind,
            weight_scale=_scale(about) if "weight_scale" in about else RARE["weight_scale"],
            coded=coded,
            blocks=blocks_of(read, about, matrix) if "blocks" in about else None,
            repeats=repeats_of(about),
        ),
        Estimation(
            level=level_of(about),
            seed=about.whole("seed", most=float("inf")),
            interval=about.maybe("interval", lambda _: _interval(about)),
            limit=about.whole("limit", 1) if "limit" in about else RARE["limit"],
            model=about.text("model") if "model" in about else RARE["model"],
            score_scale=score_scale_of(about),
            scales_of_parts=scales_of_parts_of(about),
        ),
    )
    require_file(a.unscored <= max(a.dropped, a.unanswered), "more rows have no score than were excluded")
    require_file(a.undeclared <= a.unanswered, "more rows have an undeclared label than have no prediction")
    require_file(
        a.unanswered <= (a.dropped if no_answer is None else a.rows),
        "more rows have no prediction than exist",
    )
    about.done()
    return a


def _scores(about: Fields, read: Tables, positive: Hashable | None, *, is_raw: bool) -> ScoreTable:
    """The scores of two classes, which are differences where those of the classes were raw."""
    negative_first = labels_of(about, "score_labels")
    require_file(
        len(negative_first) == 2 and negative_first[1] == positive and {*negative_first} == {*read.labels},
        "score_labels are not the labels, the positive one last",
    )
    of_scores = negative_first[0], negative_first[1]
    scores = (
        binned_of(read, about.inner("bins"), "bins", of_scores)
        if "bins" in about
        else read.scores("scores", of_scores)
    )
    return replace(scores, is_difference=is_raw)


def _cases(about: Fields, read: Tables) -> CaseTable:
    """The sums over cases of several classes."""
    in_bins = "top" in about
    top = (
        binned_of(read, about.inner("top"), "top", TOP_LABELS) if in_bins else read.scores("top", TOP_LABELS)
    )
    return read.cases(about, top)


def score_scale_of(about: Fields) -> str | None:
    """What the scores were said to be."""
    return about.choice("score_scale", get_args(ScoreScale)) if "score_scale" in about else None


def scales_of_parts_of(about: Fields) -> tuple[str, ...]:
    """The scales that scores of some parts were converted from."""
    scales = about.texts("scales_of_parts") if "scales_of_parts" in about else ()
    require_file({*scales} <= {*CONVERTED_BY, MIXED}, f"it names the scales {scales}")
    return scales


def _unlabeled(about: Fields) -> UnlabeledCases:
    """The cases without a true label."""
    cases = about.whole("cases", 1)
    keys, counts = (about.list(name, lambda each: each) for name in ("keys", "counts"))
    is_whole = all(type(count) is int and abs(count) < 2**63 for count in (*keys, *counts))
    require_file(
        is_whole and len(keys) == len(counts), "keys and counts of unlabeled are not pairs of whole numbers"
    )
    require_file(all(a < b for a, b in pairwise(keys)), "keys of unlabeled do not ascend")
    require_file(not keys or (sum(counts) == cases and min(counts) >= 0), "counts of unlabeled do not add up")
    called = about.maybe("called", lambda name: about.list(name, _called_in))
    require_file(called is None or sum(n for _, n in called) == cases, "called of unlabeled does not add up")
    cutoff = about.maybe("cutoff", about.number)
    about.done()
    return UnlabeledCases(cases, keys, counts, called, cutoff)


def _called_in(plain: Any) -> tuple[Hashable, int]:
    require_file(isinstance(plain, list) and len(plain) == 2, f"{shown(plain)} is not a label with its cases")
    require_file(type(plain[1]) is int and plain[1] >= 0, f"{shown(plain[1])} is not a number of cases")
    return label_in(plain[0]), plain[1]


def _no_answer(about: Fields, classes: int) -> tuple[float, ...]:
    """The cases of each class without an answer."""
    cases = about.list("no_answer", lambda each: each)
    is_right = len(cases) == classes and all(type(n) in (int, float) and 0 <= n < inf for n in cases)
    require_file(is_right, "no_answer does not have one number per class")
    return tuple(map(float, cases))


def names_of_amounts(about: Fields) -> tuple[str, ...]:
    """The names of the amounts that rows carried."""
    names = about.texts("amounts")
    require_file(bool(names) and len({*names}) == len(names), "names of amounts are not different")
    return names
