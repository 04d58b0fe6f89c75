"""Reading a saved assessment: the schema of its parts, each checked when it is taken, and the sums that must agree."""

from __future__ import annotations

import zipfile
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path
from shlex import quote
from sys import float_info
from typing import Any, get_args

import numpy as np

from classay.answers import NO_ANSWER
from classay.assessment.assessment import Assessment
from classay.assessment.merging import NO_BLOCKS, BlockValues
from classay.assessment.parts import COUNTS_OF_ROWS, Estimation, InputSummary, KindOfWeight, Sampling
from classay.assessment.saving import (
    FORMAT,
    RARE,
    Tables,
    binned_of,
    blocks_of,
    classes_of,
    measures_by_blocks,
)
from classay.assessment.task import Classes, Task, TwoClasses, kind_of_task
from classay.assessment.unlabeled import UnlabeledCases
from classay.columns import Labels, is_ordinal
from classay.columns.labels import ORDERS
from classay.columns.numbers import FARTHEST, FURTHEST_APART, StrictThreshold
from classay.errors import FileError
from classay.files.archives import Archive, Fields, distinct, label_in, require_file, saved, shown
from classay.inference.methods import FORMER_NAMES
from classay.measures import MEASURES
from classay.tables import CaseTable, ClassScoreTable, ConfusionMatrix
from classay.tables.bins import BinnedClassScoreTable, BinnedScoreTable
from classay.tables.cases import TOP_LABELS
from classay.tables.class_scores import ClassRun, ClassRuns
from classay.tables.paired import BLOCKS
from classay.tables.scores import ScoreTable
from classay.tables.sparse import SparseConfusionMatrix
from classay.wings import brought, thing

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
    """Check whether the scores say how many cases lie above a threshold: bins do not always."""
    return not isinstance(scores, BinnedScoreTable) or scores.tells(threshold)


def _runs(a: Assessment) -> tuple[ClassRun, ...]:
    """Return the exact scores of several classes, if there are any."""
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
            level=about.share("level"),
            cases=archive.array("blocks.cases.npy", "iu", (BLOCKS,), least=0),
            fingerprint=archive.array("blocks.fingerprint.npy", "u", (BLOCKS,)),
            whole=overall,
            without=dict(zip(overall, without, strict=True)),
            left_out=about.whole("unanswered") if "unanswered" in about and "no_answer" not in about else 0,
        )


def kind_of(path: str | Path) -> str | None:
    """Return what a saved file holds, such as "assessment" or "evaluation", or None for another. Raises FileError."""
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
    """Yield the JSON and the archive of a saved assessment; what is wrong with it is a FileError of one line."""
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
    """Return the labels of the classes, with their order if one was given.

    Files of earlier versions do not say whether one was: in these, ascending whole numbers have an order, and nothing
    else.
    """
    labels = labels_of(about, "labels")
    if "order" in about:
        return Labels(labels, about.choice("order", ORDERS))
    ascending = Labels.sorted(labels)
    return ascending if ascending == labels else Labels(labels)


def positive_of(about: Fields, labels: tuple[Hashable, ...]) -> Hashable | None:
    """Return the positive class: one of two labels, or None among more."""

    def one_of_two(name: str) -> Hashable:
        positive = label_in(about.take(name))
        require_file(positive in labels and len(labels) == 2, f"positive is {shown(positive)}")
        return positive

    # None is the word for "no positive class", so a label None is never positive
    return about.maybe("positive", one_of_two)


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
    k, kind = len(labels), about.choice("kind_of_weight", get_args(KindOfWeight))
    amounts = names_of_amounts(about) if "amounts" in about else ()
    no_answer = _no_answer(about, k) if "no_answer" in about else None
    is_binary = kind_of_task(positive).is_binary
    called = labels if no_answer is None or is_binary else (*labels, NO_ANSWER)
    read = Tables(archive, labels, "f" if kind == "sampling" else "iu", amounts, called)
    matrix: ConfusionMatrix | None = None
    if "matrix.counts.npy" in archive or "matrix.places.npy" in archive:
        matrix = read.cells() if "matrix.places.npy" in archive else read.matrix()
    clusters = about.maybe("clusters", lambda name: labels_of(about, name))
    if not is_binary:
        task: Task = _classes(about, read, matrix, no_answer)
    else:
        task = _two_classes(about, read, positive, matrix, no_answer)
    a = Assessment(
        task,
        InputSummary(
            **{name: about.whole(name) for name in COUNTS_OF_ROWS if name not in RARE or name in about},
            unlabeled=_unlabeled(about.inner("unlabeled")) if "unlabeled" in about else None,
        ),
        Sampling(
            kind_of_weight=kind,
            coded=None if clusters is None else read.coded(clusters, task.scores),
            blocks=blocks_of(read, about, matrix) if "blocks" in about else None,
            **about.present({"weight_scale": about.number, "repeats": about.values}),
        ),
        estimation_of(about),
    )
    require_file(a.unscored <= max(a.dropped, a.unanswered), "more rows have no score than were excluded")
    require_file(a.undeclared <= a.unanswered, "more rows have an undeclared label than have no prediction")
    require_file(
        a.unanswered <= (a.dropped if no_answer is None else a.rows),
        "more rows have no prediction than exist",
    )
    about.present({"extra": about.object})
    about.done()
    return a


def estimation_of(about: Fields) -> Estimation:
    """Return what was asked of an assessment of any task."""
    interval = about.maybe("interval", about.text)
    return Estimation(
        level=about.share("level"),
        seed=about.whole("seed", most=inf),
        interval=FORMER_NAMES.get(interval or "", interval),
        **about.present(
            {
                "limit": lambda name: about.whole(name, 1),
                "model": about.text,
                "score_scale": about.text,
                "scales_of_parts": about.texts,
            }
        ),
    )


def _two_classes(
    about: Fields,
    read: Tables,
    positive: Hashable,
    matrix: ConfusionMatrix | None,
    no_answer: tuple[float, ...] | None,
) -> TwoClasses:
    """Return two classes, with what there is of labels and scores."""
    is_raw = "raw_scores" in about and about.flag("raw_scores")
    scores = _scores(about, read, positive, is_raw=is_raw) if "score_labels" in about else None
    require_file(not is_raw or scores is not None, "it marks class scores as raw, but has no class scores")
    scores, cutoff = _with_threshold(about, scores)
    is_chosen = about.flag("threshold_chosen")
    return TwoClasses(read.labels, positive, matrix, scores, cutoff, is_chosen, no_answer)


def _classes(
    about: Fields, read: Tables, matrix: ConfusionMatrix | None, no_answer: tuple[float, ...] | None
) -> Classes:
    """Return several classes, with the scores of each where there are any."""
    scores: ClassScoreTable | BinnedClassScoreTable | None = None
    if "class_bins" in about:
        bins = about.list("class_bins", lambda plain: Fields(plain, "class_bins"))
        scores = classes_of(read, bins, read.labels)
    elif "class0.scores.npy" in read.archive:
        runs = tuple(read.run(f"class{i}") for i in range(len(read.labels)))
        scores = ClassScoreTable.of_runs(read.labels, ClassRuns(runs, read.joint(runs)))
    is_raw = "raw_scores" in about and about.flag("raw_scores")
    require_file(not is_raw or scores is not None, "it marks class scores as raw, but has no class scores")
    cases = _cases(about.inner("cases"), read) if "cases" in about else None
    about.choice("threshold", (None,))
    about.flag("threshold_chosen")
    require_file(matrix is not None, "it says how cases were called, and holds no matrix")
    assert matrix is not None
    return Classes(read.labels, matrix, scores, cases, no_answer, is_raw)


def _scores(about: Fields, read: Tables, positive: Hashable | None, *, is_raw: bool) -> ScoreTable:
    """Return the scores of two classes, which are differences where those of the classes were raw."""
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
    """Return the sums over cases of several classes."""
    in_bins = "top" in about
    top = (
        binned_of(read, about.inner("top"), "top", TOP_LABELS) if in_bins else read.scores("top", TOP_LABELS)
    )
    return read.cases(about, top)


def _unlabeled(about: Fields) -> UnlabeledCases:
    """Return the cases without a true label."""
    cases = UnlabeledCases(
        about.whole("cases", 1),
        about.values("keys"),
        about.values("counts"),
        about.maybe("called", lambda name: about.list(name, _called_in)),
        about.maybe("cutoff", about.number),
    )
    about.done()
    return cases


def _called_in(plain: Any) -> tuple[Hashable, int]:
    require_file(isinstance(plain, list) and len(plain) == 2, f"{shown(plain)} is not a label with its cases")
    return label_in(plain[0]), plain[1]


def _no_answer(about: Fields, classes: int) -> tuple[float, ...]:
    """Return the cases of each class without an answer."""
    cases = about.numbers("no_answer", 0, float_info.max)
    require_file(len(cases) == classes, "no_answer does not have one number per class")
    return tuple(map(float, cases))


def names_of_amounts(about: Fields) -> tuple[str, ...]:
    """Return the names of the amounts that rows carried."""
    names = about.texts("amounts")
    require_file(bool(names) and len({*names}) == len(names), "names of amounts are not different")
    return names
