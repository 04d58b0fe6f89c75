"""scan(): the assessment of more rows than memory holds, part by part; refine(): a second pass with finer bins."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import chain, islice
from math import inf, log2
from typing import Any, Literal

import numpy as np

from classay.answers import AnswerPolicy, Missing, Unanswered
from classay.assessment.assessing import (
    how_to_assess,
    model_name,
    refuse_all_undeclared,
    refuse_of_tags,
    scores_by_label,
)
from classay.assessment.assessment import Assessment
from classay.assessment.drawn import refuse_list
from classay.assessment.parts import InputSummary
from classay.assessment.task import OtherTask
from classay.column_names import used_names
from classay.columns import Labels
from classay.columns.labels import declared
from classay.columns.repeats import MOST_ROWS, id_names, repeated_ids
from classay.columns.scales import MIXED
from classay.columns.values import listing
from classay.errors import ClassayError, FileError, InputError, NoRowsError, NothingCountsError
from classay.in_parts.fragments import (
    DaskPart,
    FilePart,
    Fragment,
    SharedColumns,
    column_names_of,
    fragments_of,
    is_read_once,
    named_in,
)
from classay.in_parts.named_files import files_of
from classay.in_parts.other_parts import WayOfParts, way_of_parts
from classay.in_parts.scan_arguments import MEMORY, Progress, ScanArguments
from classay.in_parts.source_parts import KEPT, CountedPart, PartReader, in_order, is_same
from classay.in_parts.table_folders import opened_at
from classay.in_parts.text_parts import Names, NumberKinds, Spelling
from classay.kinds import Format, Improper, ScoreScale, checked
from classay.sources.files import names_of_files
from classay.sources.inputs import roles_of_amounts
from classay.sources.other_formats import layout_of_options
from classay.sources.text_files import are_typed
from classay.tables import ClassScoreTable, ScoreTable
from classay.tables.binning import BinScale
from classay.tables.bins import BITS, FINEST, BinnedClassScoreTable, BinnedScoreTable, Bins, finer
from classay.tables.rows import CodedRows
from classay.tables.scores import narrow, wide
from classay.tables.sparse import SparseConfusionMatrix
from classay.texts import an, hint
from classay.wings import altered

COPIES = 3
"""Copies of the tables of several classes that are in memory while two are added."""
LEAST_PAIRS = 2**26
"""Least bytes for pairs of classes, whatever `memory` is: a few matrices of 1,000 classes."""
LEAST = 2**22
"""Least bytes for tables that cannot be binned, whatever `memory` is: 0 bins scores from the first part on."""
BYTES_A_SCORE = 100
"""Memory that a distinct score takes while tables are added."""
MOST_AHEAD = 8
"""Times the rows that fit exactly: so many at most are found in files before one is read."""
SURELY = 1.1
"""Times the memory that exact scores must be expected to take for rows to be counted in bins from the start."""
BYTES_A_CLUSTER = 64
"""Memory of the name of a cluster."""
BYTES_A_BIN = 72
"""Memory of a bin."""
OCTAVES = 30
"""Powers of two that probabilities of several classes commonly spread over; bins that keep b bits cut each into 2^b."""


def bytes_of(table: Any) -> int:
    """Return the memory of the arrays of a table.

    >>> bytes_of((np.zeros(3), None, [np.zeros(2, np.int8)]))
    26
    """
    if isinstance(table, np.ndarray):
        return table.nbytes
    if hasattr(table, "tocsr"):
        return bytes_of((table.data, table.indices, table.indptr))
    if isinstance(table, SparseConfusionMatrix):
        return bytes_of((table.places, table.held, table.held_squares))
    if is_dataclass(table):
        named = (
            field.name for field in fields(table) if field.name != "clusters"
        )  # there may be millions of these
        of_clusters = BYTES_A_CLUSTER * len(table.clusters) if isinstance(table, CodedRows) else 0
        return of_clusters + sum(bytes_of(getattr(table, name)) for name in named)
    return sum(map(bytes_of, table)) if isinstance(table, tuple | list) else 0


ROLES = ("truth", "score", "prediction", "weight", "frequency", "cluster", "id")
"""What a column of a source may be, beside amounts."""
NOT_IN_BINS = "rows with clusters, ids or amounts are not counted in bins"


class Merged:
    """Assessments added in order, so that each row is added few times; binned when they outgrow memory.

    Counts of exact scores take one or two bytes each, because the last addition holds two tables and their sum.
    """

    def __init__(self, memory: float, bits: int | BinScale | None) -> None:
        self.memory, self.bits = memory, bits
        self._left_out = InputSummary()
        self.unbinned = max(memory, LEAST)
        self._parts: list[tuple[int, Assessment]] = []

    def add(self, part: Assessment) -> None:
        """Add the next part, and merge neighbours of equal size."""
        size = 1
        part = _narrow(part) if self.bits is None else binned(part, self.bits)
        while self._parts and (self._parts[-1][0] == size or self._is_as_large_as_all):
            size, part = 2 * size, self._parts.pop()[1] + part
        self._parts.append((size, part))
        self._refuse_pairs()
        if isinstance(part.task, OtherTask):
            self._refuse_large(part.task)
            return
        if part.coded is not None or part.blocks is not None or part.amounts:
            self._refuse_rows()
            return
        n_scores = sum(each.scores.scores.size for _, each in self._parts if each.scores is not None)
        if self.bits is None and (n_scores * BYTES_A_SCORE > self.memory or self._has_too_many_class_scores):
            self.bin(self._first_bits)
        while self._has_too_many_class_scores:
            self._coarsen()

    def leave_out(self, part: CountedPart) -> None:
        """Keep what was left out of a part in which no row counts."""
        names = ("dropped", "unscored", "unanswered", "undeclared", "unlabeled")
        self._left_out += InputSummary(**{name: getattr(part, name) for name in names})

    def bin(self, bits: int | BinScale) -> None:
        """Put the scores into bins that keep so many bits."""
        self.bits = bits
        self._parts = [(size, binned(_wide(part), bits)) for size, part in self._parts]

    @property
    def _is_as_large_as_all(self) -> bool:
        """Whether the parts are in bins by class: those of a few rows are then as large as those of all rows."""
        return isinstance(self._parts[-1][1].class_scores, BinnedClassScoreTable)

    @property
    def _has_too_many_class_scores(self) -> bool:
        n_bytes = sum(bytes_of(part.class_scores) for _, part in self._parts)
        return n_bytes * COPIES > self.unbinned

    @property
    def _first_bits(self) -> int:
        """The bits to begin with; for several classes so few that the bins are likely to fit from the start."""
        first = self._parts[0][1]
        if first.class_scores is None:
            return BITS
        bins = self.unbinned / COPIES / (len(first.labels) * BYTES_A_BIN * OCTAVES)
        return min(BITS, max(1, int(log2(max(bins, 1)))))

    def _coarsen(self) -> None:
        """Make bins one bit coarser: memory grows with classes times bins, so more classes must have fewer bins."""
        if self.bits == 1 or isinstance(self.bits, BinScale):
            raise InputError(
                f"Scores of {len(self._parts[0][1].labels):,} classes need more than {self.unbinned / 2**20:,.0f} MB, "
                f"even in the widest bins. Increase {hint('memory=', '--memory')}, or use predicted labels with "
                f"{hint('prediction=', '--prediction')}."
            )
        assert self.bits is not None
        self.bin(self.bits - 1)

    def _refuse_pairs(self) -> None:
        """Refuse too many pairs of predicted and true class: those that occur are kept, at most as many as rows."""
        n_bytes = sum(bytes_of(part.confusion_matrix) for _, part in self._parts)
        if n_bytes * COPIES > max(self.unbinned, LEAST_PAIRS):
            raise InputError(
                f"The confusion matrix of {len(self._parts[0][1].labels):,} classes needs more than "
                f"{self.unbinned / 2**20:,.0f} MB. Combine rare classes, increase {hint('memory=', '--memory')}, or "
                "check that the column contains labels."
            )

    def _refuse_rows(self) -> None:
        """Refuse too many rows that are kept one by one: those in clusters, and exact scores with ids or amounts."""
        n_bytes = sum(bytes_of((part.coded, part.blocks, part.scores)) for _, part in self._parts)
        if n_bytes * COPIES > self.unbinned or self._has_too_many_class_scores:
            raise InputError(
                f"The rows need more than {self.unbinned / 2**20:,.0f} MB, and {NOT_IN_BINS}. Increase "
                f"{hint('memory=', '--memory')}, or remove these columns."
            )

    def _refuse_large(self, task: OtherTask) -> None:
        """Refuse tables of another task that take too much memory: none of them can be put into bins."""
        n_bytes = sum(bytes_of(part.task) for _, part in self._parts)
        if n_bytes * COPIES > max(self.unbinned, LEAST_PAIRS):
            labels = len(self._parts[0][1].labels)
            raise InputError(task.too_large(labels, f"{self.unbinned / 2**20:,.0f} MB"))

    @property
    def is_empty(self) -> bool:
        """Whether nothing was added."""
        return not self._parts

    def all(self) -> Assessment:
        """Return all parts in one."""
        merged = self._parts.pop(0)[1]
        while self._parts:
            merged = merged + self._parts.pop(0)[1]
        self._parts = [(1, merged)]
        # of one source, parts are rows as they came: sorted scores are no sign of two scales
        scales = tuple(scale for scale in merged.scales_of_parts if scale != MIXED)
        estimation = replace(merged.estimation, scales_of_parts=scales)
        return _wide(replace(merged, received=merged.received + self._left_out, estimation=estimation))


def _narrow(a: Assessment) -> Assessment:
    if a.scores is None or type(a.scores) is not ScoreTable or a.blocks is not None:
        return a
    return a.changed(scores=narrow(a.scores))


def _wide(a: Assessment) -> Assessment:
    return a.changed(scores=wide(a.scores)) if type(a.scores) is ScoreTable else a


def binned(a: Assessment, bits: int | BinScale) -> Assessment:
    """Return the assessment with its scores in bins, those of several classes in bins that keep no more than `bits`."""
    if a.scores is not None and not isinstance(a.scores, BinnedScoreTable):
        return a.changed(scores=BinnedScoreTable.of_table(a.scores, bits))
    if a.class_scores is None or a.cases is None:
        return a
    if isinstance(a.class_scores, ClassScoreTable):
        in_bins = BinnedClassScoreTable.of_table(a.class_scores, bits)
    else:
        in_bins = a.class_scores if isinstance(bits, BinScale) else a.class_scores.coarser(bits)
    return a.changed(class_scores=in_bins, cases=a.cases.binned())


class RecountNeeded(Exception):
    """Later rows change how earlier ones are counted: `why`, and what to do if the source cannot be read again."""

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(why)
        self.why, self.remedy = why, remedy


@checked
def scan(  # noqa: PLR0913  each says one thing of the rows, the file or the estimates
    source: Any,
    *,
    truth: str | Sequence[str] | Mapping[Hashable, str],
    score: str | Sequence[str] | Mapping[Hashable, str] | None = None,
    prediction: str | Sequence[str] | Mapping[Hashable, str] | None = None,
    positive: Hashable | None = None,
    threshold: float | Sequence[float] | Mapping[Hashable, float] | None = None,
    top: int | None = None,
    separator: str | None = None,
    labels: Sequence[Hashable] | None = None,
    ordered: bool = False,
    weight: str | None = None,
    frequency: str | None = None,
    cluster: str | None = None,
    id: str | None = None,
    amounts: str | Sequence[str] | Mapping[str, str] | None = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    interval: str | None = None,
    missing: Missing = "refuse",
    unanswered: Unanswered = "refuse",
    improper: Improper = "keep",
    score_scale: ScoreScale | None = None,
    task: Literal["classes", "tags"] | None = None,
    memory: float = MEMORY,
    bits: int | None = None,
    limit: int | None = None,
    format: Format | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    range: str | None = None,
    decimal: str | None = None,
    na: str | None = None,
    header_line: int | None = None,
    executor: Any = None,
    progress: Progress | None = None,
) -> Assessment:
    """Assess rows that need not fit into memory, part by part.

    The source is files, patterns and folders of files, or a frame. Each part is checked and counted
    separately, and the counts are added in order, so the result does not depend on the parts.

    Parameters
    ----------
    source : path, pattern, sequence or frame
        A path, an address such as `"s3://bucket/preds"`, a pattern such as `"preds/*.parquet"`, a folder
        (`year=2024` in its paths is a column) or a list of these. A frame of polars (also lazy), pandas,
        PyArrow, DuckDB, Ibis or Dask, a dataset of PyArrow, a table of Delta, Iceberg or Lance, or arrays
        of h5py or zarr.
    truth : str, sequence or mapping
        Column of the true labels. Tags (multilabel) are a pattern `"y_*"`, a list or mapping of names, or
        one column with a `separator`.
    score : str, sequence or mapping, optional
        Column of the scores, or one column per class or tag, such as `"p_*"`. A column may be a path, such
        as `"doc.p"` or `"p[0]"`, or have the scores of all classes, as lists, structs or maps.
    prediction : str, sequence or mapping, optional
        Column of the predicted labels.
    positive : label, optional
        The positive class. The default is 1 (or True, "1", 1.0). Name it for all other labels.
    threshold : float, sequence or mapping, optional
        A case is predicted positive if `score >= threshold`. The default 0.5 exists only for scores in [0,
        1]. Tags take one threshold, or one for each tag.
    top : int, optional
        The `top` highest-scored tags of each case are predicted positive, in place of a threshold.
    separator : str, optional
        Text between the tags where each case is one text.
    labels : sequence, optional
        All classes, also those that do not occur.
    ordered : bool, default False
        Whether the sequence of `labels` is an order, which ordinal measures use.
    weight : str, optional
        Column of the sampling weights. A row of weight 0 does not count, and its class stays a class.
    frequency : str, optional
        Column of the numbers of identical rows.
    cluster : str, optional
        Column of the clusters. Rows of one cluster depend on each other.
    id : str, optional
        Column of the identifiers of rows.
    amounts : str, sequence or mapping, optional
        Columns of what rows carry and errors may cost, as in `assess`.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int or numpy.random.Generator, default 0
        Start of all random numbers. Equal seeds give equal results.
    interval : str, optional
        One method for the intervals of all measures that it applies to. The methods are bootstrap and, for
        proportions, Wilson, Clopper-Pearson, mid-P, Jeffreys, Agresti-Coull, Wald and corrected Wald. All
        other measures keep their default.
    missing : {"refuse", "drop"}, default "refuse"
        What to do with rows without a true label. "drop" excludes and counts them.
    unanswered : {"refuse", "wrong", "drop"}, default "refuse"
        What to do with rows without a prediction: no score, no predicted label, or a predicted label that
        is not among the declared `labels`. "wrong" counts them as incorrect, "drop" excludes them and
        reports their number.
    improper : {"keep", "renormalise"}, default "keep"
        What to do with rows of class scores that do not sum to 1. "renormalise" divides each by its sum and
        counts them.
    score_scale : {"probability", "logit", "count"}, optional
        What the scores are. "logit" converts them to probabilities by the softmax of a row, or by 1 / (1 +
        e^-s) of one column or tag. "count" takes the share of each count in its row. "probability" refuses
        values outside [0, 1].
    task : {"classes", "tags"}, optional
        Whether a 0/1 matrix holds one-hot classes or tags (multilabel), where it could be both. That needs
        exactly one 1 in every row, and scores of each row that sum to 1 or are raw (logits).
    memory : float, optional
        Bytes up to which scores are kept exactly. Infinity keeps them always.
    bits : int, optional
        Bits of the significand that bins of scores keep, 10 by default. Given, scores are binned from the
        start.
    limit : int, optional
        Number of rows after which reading stops, for a first look.
    format : {"csv", "tsv", "parquet", "arrow", "jsonl"}, optional
        Format of the files, if their names do not show it.
    delimiter : str, optional
        Separator of the columns of text files. The default is found in the file.
    sheet : str, optional
        Sheet of a workbook, needed if it has several.
    range : str, optional
        Cells of a sheet with the table and its header, such as `"A3:F120"`.
    decimal : {",", "."}, optional
        Decimal mark of numbers in text files. The default is found in the first rows.
    na : str, optional
        Words for missing values, such as `"unknown,-9"`.
    header_line : int, optional
        Line of text files with the column names. The default is found in the first rows.
    executor : Executor, optional
        An executor like those of `concurrent.futures` that counts the parts. The default counts them on
        threads.
    progress : Progress, optional
        A function that is called with the rows counted and, where known, the number of all rows.

    Returns
    -------
    Assessment
        The assessment of all rows. Tags give a `MultilabelAssessment`.

    Raises
    ------
    FileError
        If a file cannot be read.
    InputError
        If rows would make a number wrong, as in `assess`, with the part that they came from.
        If rows that must be kept do not fit into `memory`.

    Notes
    -----
    Scores are kept exactly while the table fits into `memory`, then in bins. Every ranking measure then has
    `certain` ends with its interval, which is as much wider. The means of losses and the labels at the
    threshold stay exact. Scores of several classes go into bins of each class against all others, without
    pairs of classes.

    Rows with a `cluster`, an `id` or `amounts` are kept with exact scores, and refused where they do not
    fit. Counts of tags need little memory. Scores of tags are kept case by case, and refused where they do
    not fit. Columns that may hold ids of cases are read too, of the first million rows and of up to 1,000
    files. A warning names a column that repeats its values evenly.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"y": [1, 1, 0, 1, 0, 0, 1, 0], "p": [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]})
    >>> scan(table, truth="y", score="p")["recall"]
    Estimate(0.750 [0.301, 0.954] 95%, Wilson)
    """
    args = ScanArguments(**locals())
    plan, memory, reading, other = _planned(args)
    assessment = reading.of(plan, memory).changed(model=model_name(score, prediction))
    if other is not None:
        other.check(assessment, args)
    return assessment


def _planned(args: ScanArguments) -> tuple[PartReader, float, Pass, WayOfParts | None]:
    """Return how a source is read and counted, from the arguments of `scan` by their names. Raises InputError."""
    refuse_list(args.source, args.weight)
    args = replace(args, source=opened_at(args.source))
    bits, limit = args.bits, args.limit
    if bits is not None and not 1 <= bits <= FINEST:
        raise InputError(f"bits must be a whole number from 1 to {FINEST}, but is {bits}.")
    if limit is not None and limit < 1:
        raise InputError(f"limit must be a number of rows of at least 1, but is {limit}.")
    roles = {name: getattr(args, name) for name in ROLES}
    other = way_of_parts(args)
    if other is None:
        roles["score"] = scores_by_label(_score_of_classes(args), args.labels)
    roles["amounts"] = None if args.amounts is None else roles_of_amounts(args.amounts)
    if bits is not None and any(roles[name] is not None for name in KEPT):
        raise InputError(f"bits={bits} cannot be used because {NOT_IN_BINS}. Remove bits.")
    if args.score is None and args.prediction is None:
        raise InputError(
            "There are no scores and no predicted labels. Name a column with score= or prediction=."
        )
    reading = Pass(args.source, args.format, args.delimiter, limit, args.executor, args.progress, args.layout)
    ids = _id_columns(args)
    if other is not None:
        return replace(other.reader(args), ids=ids), args.memory, reading, other
    refuse_of_tags(args.threshold, args.top)
    assert not isinstance(args.threshold, Sequence | Mapping)
    how = how_to_assess(args.threshold, args.level, args.seed, args.interval)
    known = declared(args.labels, ordered=args.ordered)
    policy = AnswerPolicy.of(args.missing, args.unanswered)
    plan = PartReader.begun(roles, known, args.positive, policy, args.improper, args.score_scale, how, bits)
    return replace(plan, ids=ids), args.memory, reading, None


def _score_of_classes(args: ScanArguments) -> Any:
    """Return the column of scores, or the parts of one column of files that has the scores of all classes."""
    if not isinstance(args.score, str) or (named := named_in(args.source)) is None or is_read_once(named):
        return args.score
    if not isinstance(args.truth, str):
        return args.score
    about = args.truth, args.labels, args.format, args.delimiter, args.layout
    return altered("read.score", args.score, files_of(named, args.format), *about)


def scan_files(args: ScanArguments) -> tuple[Assessment, dict[Hashable, Assessment]]:
    """Return the assessment of all rows of several files, as `scan` makes it, and that of each file, in their order.

    Scores of the files are in bins where those of all are. Raises InputError for rows that are in no files.
    """
    plan, memory, reading, _ = _planned(args)
    if not plan.is_of_one_label:
        raise InputError("Files cannot be assessed separately for multilabel cases.")
    by_file: dict[str, Merged] = {}
    overall = reading.of(plan, memory, by_file)
    assessments = {name: merged.all() for name, merged in by_file.items() if not merged.is_empty}
    if overall.confusion_matrix is None:  # scores that only in some files all lie in [0, 1] give no threshold
        assessments = {name: a.changed(confusion_matrix=None, cutoff=None) for name, a in assessments.items()}
    return overall, dict(zip(names_of_files([*assessments]), assessments.values(), strict=True))


def file_of(part: Any) -> str:
    """Return the file that a fragment is of. Raises InputError for one that is of none."""
    while hasattr(part, "part"):
        part = part.part
    path = getattr(getattr(part, "source", part), "path", None)
    if not isinstance(path, str):
        raise InputError(f"{part.key} is not in a file. Use a folder or a pattern of files with --per file.")
    return path


@dataclass(frozen=True)
class Pass:
    """A pass over all rows of a source: how and up to where it is read, by which workers, and who gets the progress."""

    source: Any
    format: Format | None
    delimiter: str | None
    limit: int | None
    executor: Any
    progress: Progress | None
    layout: tuple[Any, ...] = ()

    def of(self, plan: PartReader, memory: float, by_file: dict[str, Merged] | None = None) -> Assessment:
        """Count the rows; count them again where a label first occurs after others were counted without it.

        `by_file` takes the counts of each file.
        """
        counting, ids = Counting(plan, memory, self.progress, by_file), plan.ids
        while True:
            parts = fragments_of(self.source, plan.columns, self.format, self.delimiter, self.layout)
            try:
                assessment = counting.all_of(_limited(parts, self.limit, plan), self.executor)
                return assessment.changed(limit=self.limit)
            except RecountNeeded as again:
                if is_read_once(self.source):
                    raise InputError(
                        f"{again.why}, and {name_of(self.source)} can be read only once. {again.remedy}."
                    ) from None
                counting = Counting(replace(counting.plan, ids=ids), memory, self.progress, by_file)


MOST_FILES = 1000
"""Files whose names of columns are looked at for columns of ids."""


def _id_columns(args: ScanArguments) -> tuple[str, ...]:
    """Return the columns of all files that may hold ids of cases; none where rows have clusters or a frequency."""
    if args.cluster is not None or args.frequency is not None or hasattr(args.source, "compute"):
        return ()
    used = used_names({name: getattr(args, name) for name in (*ROLES, "amounts") if name != "id"})
    try:
        known = column_names_of(args.source, args.format, args.delimiter, args.layout)
        files = [names for _, names in islice(known, MOST_FILES + 1)]
    except (ClassayError, OSError, AttributeError):  # what is wrong is said where the rows are read
        return ()
    if not files or len(files) > MOST_FILES:
        return ()
    shared = set(files[0]).intersection(*files)
    return tuple(id_names([name for name in files[0] if name in shared], used))


def is_on_cluster(part: Any) -> bool:
    """Check whether the rows of a fragment lie on a Dask cluster, and are not to be fetched."""
    return isinstance(part.part if isinstance(part, FirstRows) else part, DaskPart)


def name_of(source: Any) -> str:
    """Return the name of a source in messages."""
    name = source if isinstance(source, str) else an(type(source).__name__)
    return "standard input" if name == "-" else name


class Counting:
    """A pass over fragments: what is counted, and the labels that are known by now."""

    def __init__(
        self,
        plan: PartReader,
        memory: float,
        progress: Progress | None,
        by_file: dict[str, Merged] | None = None,
    ) -> None:
        self.plan, self.progress, self.apart = plan, progress, by_file
        if by_file is not None:
            by_file.clear()
        self.merged = Merged(memory, plan.bits)
        self.done = 0
        self.ids: dict[str, list[Any]] = {name: [] for name in plan.ids}
        self.nothing: NothingCountsError | None = None
        self.precision: str | None = None
        self.has_set_back = False
        self.kinds = NumberKinds()
        self.names: dict[str, Names] = {}  # what columns of clusters and ids hold
        self.rows = 0  # as many as are known to come
        self.late: list[Fragment] = []  # whose labels do not yet make two classes

    def all_of(self, parts: Iterator[Fragment], executor: Any) -> Assessment:
        """Count all fragments."""
        if self.plan.has_scores_for_bins and self.merged.bits is None:
            parts, self.rows = with_rows(parts, MOST_AHEAD * self.merged.memory / BYTES_A_SCORE)
        for part, counted in in_order(self._looking(parts), lambda: self.next.of, executor):
            self._take(part, counted)
        self.kinds.refuse_rounded()
        self.plan = self.plan.ended()
        for part in self.late if self.plan.labels else ():
            self._add(part, self.next.of(part))
        if self.merged.is_empty:
            raise self._nothing()
        overall = self.plan.together(self.merged.all())
        if self.has_set_back and overall.scores is not None and overall.scores.scores.size == 1:
            self._keep_rounding()  # which had made one score of all
        hashes = {
            name: np.concatenate(chunks).view(np.int64)  # longer numbers are hashed by their text
            for name, chunks in self.ids.items()
            if chunks
        }
        return refuse_all_undeclared(overall.changed(repeats=repeated_ids(hashes)))

    def _looking(self, parts: Iterator[Fragment]) -> Iterator[Fragment]:
        """Yield the fragments; the first is looked at before others are started.

        They need its labels, and are counted in bins if its scores show that exact ones will not fit into memory.
        """
        for number, part in enumerate(parts):
            if number == 0 and not is_on_cluster(part):
                outgrown = self.rows * BYTES_A_SCORE > self.merged.memory
                if outgrown or not self.plan.is_settled:
                    self.plan, scores = self.plan.look_at(part)
                if (
                    outgrown
                    and distinct_among(scores, self.rows) * BYTES_A_SCORE > SURELY * self.merged.memory
                ):
                    self.merged.bits = BITS
            yield part

    def _nothing(self) -> InputError:
        if self.late:
            return InputError("A label is missing in every row. Check the columns of labels.")
        return self.nothing or InputError(
            "The source has no rows. Use files or a frame with at least one row."
        )

    @property
    def next(self) -> PartReader:
        """How the next fragment is read."""
        return replace(self.plan, bits=self.merged.bits)

    def _take(self, part: Fragment, counted: CountedPart) -> None:
        if not counted.rows:
            self.nothing = self.nothing or counted.nothing
            return
        if self.apart is not None:
            self.apart.setdefault(file_of(part), Merged(inf, None))  # files keep their order
        try:
            self.kinds |= counted.kinds
        except FileError as error:
            raise FileError(f"{part.key}: {error}") from error
        self._name_alike(part, counted)
        before = self.plan
        self.plan = before.knowing(counted.found)
        if self.done and not is_same(self.plan.labels, before.labels) and not self.plan.extends(before):
            raise RecountNeeded(
                f"The first rows do not contain all labels ({listing(self.plan.labels)})",
                f"List all labels with {hint('labels=', '--labels')}",
            )
        if not self.plan.is_settled:
            self.late.append(part)
            return
        for fragment in self.late:
            self._add(fragment, self.next.of(fragment))
        self.late = []
        is_fresh = counted.is_counted and self.plan.can_add(counted)
        self._add(part, counted if is_fresh else self.next.of(part))

    def _name_alike(self, part: Fragment, counted: CountedPart) -> None:
        """Name clusters and ids alike in all parts: as text if those of all files of text are no numbers together."""
        for name, (kind, some) in counted.names.items():
            before, texts = self.names.get(name, (kind, some))
            texts |= some
            if kind is None or (kind == before and (not texts or are_typed(texts))):
                self.names[name] = before, texts
                continue
            other = " in another notation" if kind == before else ""
            why, remedy = (
                f"Column {name!r} contains {kind}, but earlier rows contain {before}{other}",
                "Use one type in the whole column",
            )
            if name in self.plan.written:
                raise FileError(f"{part.key}: {why}. {remedy}.")
            self.plan = replace(self.plan, written=self.plan.written | {name})
            raise RecountNeeded(why, remedy)

    def _add(self, part: Fragment, counted: CountedPart) -> None:
        are_of_classes = self.plan.scored is not None
        if counted.outside == "by more" and self.plan.rounding == "set back":
            self._keep_rounding()
        elif counted.rounding != self.plan.rounding and (
            counted.outside == "by rounding" or (are_of_classes and counted.outside == "nowhere")
        ):
            counted = self.next.of(part)
        self.has_set_back |= counted.outside == "by rounding" and self.plan.rounding == "set back"
        if counted.assessment is not None:
            self._refuse_other_precision(part, counted.assessment)
            self.merged.add(counted.assessment)
            if self.apart is not None:
                self._add_to_file(file_of(part), counted.assessment)
        else:
            self.nothing = counted.nothing
            self.merged.leave_out(counted)
            if self.apart is not None:
                self.apart[file_of(part)].leave_out(counted)
        self._keep_ids(counted)
        self.done += counted.rows
        if self.progress is not None:
            self.progress(self.done, None)

    def _keep_ids(self, counted: CountedPart) -> None:
        """Keep the ids of the first rows, without the columns that lack one; later parts need not read them."""
        if not self.plan.ids:
            return
        self.ids = {name: each for name, each in self.ids.items() if name in counted.ids}
        for name, chunks in self.ids.items():
            chunks.append(counted.ids[name])
        are_enough = self.done + counted.rows >= MOST_ROWS
        self.plan = replace(self.plan, ids=() if are_enough else tuple(self.ids))

    def _add_to_file(self, name: str, a: Assessment) -> None:
        """Add to the counts of a file, which are in bins where those of all rows are."""
        assert self.apart is not None
        bits = self.merged.bits
        for merged in self.apart.values():
            if merged.bits != bits and bits is not None:
                merged.bin(bits)
        self.apart.setdefault(name, Merged(inf, bits)).add(a)

    def _keep_rounding(self) -> None:
        """Leave scores beyond [0, 1] as they are from now on; if some were set back already, count all rows again.

        Also if the scores are of each class, and so raw in all rows, and some rows were counted as probabilities.
        """
        self.plan = replace(self.plan, rounding="keep")
        if self.has_set_back:
            raise RecountNeeded(
                "Scores are outside [0, 1] only by rounding in the first rows, but by more in later rows",
                "Save the rows as a file",
            )
        if self.done and self.plan.scored is not None:
            raise RecountNeeded(
                "Class scores are in [0, 1] in the first rows, but outside [0, 1] in later rows",
                f"Save the rows as a file, or set the scale with {hint('score_scale=', '--score-scale')}",
            )

    def _refuse_other_precision(self, part: Fragment, a: Assessment) -> None:
        """Refuse scores of another precision than earlier parts: thresholds are compared in the scores' own."""
        dtype = None if a.scores is None else a.scores.precision.name
        if isinstance(a.task, OtherTask):
            dtype = a.task.precision
        self.precision = self.precision or dtype
        if dtype != self.precision:
            raise InputError(
                f"{part.key}: Scores have type {dtype}, but earlier scores have type {self.precision}. Use one type."
            )


def with_rows(parts: Iterator[Fragment], enough: float) -> tuple[Iterator[Fragment], int]:
    """Return fragments, and how many rows files say that they have; no file is opened beyond `enough` rows."""
    ahead: list[Fragment] = []
    rows = 0
    for part in parts:
        ahead.append(part)
        whole = part.part if isinstance(part, FirstRows) else part
        if (
            not isinstance(whole.part if isinstance(whole, SharedColumns) else whole, FilePart)
            or part.rows is None
        ):
            break
        rows += part.rows
        if rows > enough:
            break
    return chain(ahead, parts), rows


def distinct_among(scores: Any, rows: int) -> float:
    """Return about how many distinct scores so many rows have, from some of them (Chao 1984).

    >>> rng = np.random.default_rng(0)
    >>> scores = rng.random(100_000).round(5)
    >>> round(distinct_among(scores[:30_000], 100_000), -3), np.unique(scores).size
    (64000.0, 63285)
    """
    ordered = np.sort(scores[~np.isnan(scores)])
    times = np.diff(np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1], [True]])))
    once, twice = np.count_nonzero(times == 1), np.count_nonzero(times == 2)
    unseen = once * (once - 1) / (2 * (twice + 1))  # in its form that no score need come twice
    if not unseen:
        return float(times.size)
    later = -np.expm1(-max(rows - scores.size, 0) * once / (scores.size * unseen))
    return float(times.size + unseen * later)


def _limited(parts: Iterator[Fragment], limit: int | None, plan: PartReader) -> Iterator[Fragment]:
    left = limit
    for part in parts:
        if left is None:
            yield part
            continue
        if left <= 0:
            return
        rows = part.rows
        if rows is None:  # it is short, or whoever takes a first look has the time
            try:
                rows = part.read(plan.columns, plan.as_written).num_rows
            except NoRowsError:
                continue
        yield FirstRows(part, left) if left < rows else part
        left -= rows


@dataclass(frozen=True)
class FirstRows:
    """The first rows of a fragment."""

    part: Fragment
    rows: int

    def apart(self) -> tuple[Any, FirstRows]:
        """Return what Dask must compute (None for other fragments), and the fragment without it."""
        if not isinstance(self.part, DaskPart):
            return None, self
        delayed, rest = self.part.apart()
        return delayed, FirstRows(rest, self.rows)

    def holding(self, frame: Any) -> FirstRows:
        """Return the first rows, of the frame that Dask computed."""
        assert isinstance(self.part, DaskPart)
        return FirstRows(self.part.holding(frame), self.rows)

    @property
    def key(self) -> str:
        """The name in messages."""
        return f"the first {self.rows:,} rows of {self.part.key}"

    def spelling(self, column: str) -> Spelling | None:
        """Return the spelling of a column in the fragment."""
        return self.part.spelling(column)

    def read(self, columns: Sequence[str], labels: Sequence[str], together: Sequence[str] = ()) -> Any:
        """Return the named columns."""
        table = self.part.read(columns, labels, together).slice(0, self.rows)
        for place, field in enumerate(table.schema):  # texts of other rows do not tell what these are
            if str(field.type).startswith("dictionary"):
                only = table[field.name].cast(field.type.value_type).dictionary_encode()
                table = table.set_column(place, field.name, only.unify_dictionaries())
        return table


SHARE = 0.01
"""A second pass does not pay if bins leave less of the AUC open than this share of its standard error."""
ROUNDING = 1e-9
"""Relative tolerance for sums of weights that were added in another order."""


@checked
def refine(
    a: Assessment,
    source: Any,
    *,
    truth: str,
    score: str,
    prediction: str | None = None,
    weight: str | None = None,
    frequency: str | None = None,
    format: Format | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    range: str | None = None,
    decimal: str | None = None,
    na: str | None = None,
    header_line: int | None = None,
    executor: Any = None,
    progress: Progress | None = None,
) -> Assessment:
    """Count the scores of a source again, in finer bins where the AUC is uncertain.

    Bins are finer where they leave the AUC open, if this pays. Exact scores, scores of several classes, and
    bins that leave the AUC open by less than a hundredth of its standard error are returned unchanged.

    Parameters
    ----------
    a : Assessment
        The result of `scan` on the same source.
    source : path, pattern, sequence or frame
        The source of `a`, read in the same way. It must be readable twice.
    truth : str
        Column of the true labels.
    score : str
        Column of the scores.
    prediction : str, optional
        Column of the predicted labels. Name it again if the first pass excluded rows without a prediction.
    weight : str, optional
        Column of the sampling weights.
    frequency : str, optional
        Column of the numbers of identical rows.
    format : {"csv", "tsv", "parquet", "arrow", "jsonl"}, optional
        Format of the files, if their names do not show it.
    delimiter : str, optional
        Separator of the columns of text files. The default is found in the file.
    sheet : str, optional
        Sheet of a workbook, needed if it has several.
    range : str, optional
        Cells of a sheet with the table and its header, such as `"A3:F120"`.
    decimal : {",", "."}, optional
        Decimal mark of numbers in text files. The default is found in the first rows.
    na : str, optional
        Words for missing values, such as `"unknown,-9"`.
    header_line : int, optional
        Line of text files with the column names. The default is found in the first rows.
    executor : Executor, optional
        An executor like those of `concurrent.futures` that counts the parts. The default counts them on
        threads.
    progress : Progress, optional
        A function that is called with the rows counted and, where known, the number of all rows.

    Returns
    -------
    Assessment
        The assessment `a` with finer bins of scores.

    Raises
    ------
    InputError
        If the source can be read once only.
        If its rows are not those of `a`.

    Notes
    -----
    Bins are split in proportion to the root of positives times negatives in them, into 131,072 parts in
    total. The `certain` ends of the AUC come about twenty times closer. Those of the other ranking measures
    come closer too.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(50_000) < 0.3
    >>> frame = {"y": y.astype(int), "p": rng.beta(1 + 2 * y, 2)}
    >>> from classay.in_parts.scanning import scan
    >>> once = scan(frame, truth="y", score="p", bits=4)
    >>> twice = refine(once, frame, truth="y", score="p")
    >>> [f"{high - low:.0e}" for low, high in (each["roc_auc"].certain for each in (once, twice))]
    ['1e-02', '1e-06']
    """
    scores = a.scores
    if not isinstance(scores, BinnedScoreTable) or not pays(a):
        return a
    source = opened_at(source)
    refuse_read_once(source)
    scale = finer(scores.bins)
    roles: Mapping[str, Any] = {
        "truth": truth,
        "score": score,
        "prediction": prediction,
        "weight": weight,
        "frequency": frequency,
        **dict.fromkeys(KEPT),
    }
    how = {"level": a.level, "seed": a.seed, "threshold": None, "interval": None}
    unanswered = "wrong" if a.no_answer is not None else "drop" if a.unanswered else "refuse"
    unlabeled = a.dropped - (
        a.unanswered if unanswered == "drop" else 0
    )  # those counted as wrong are not dropped
    policy = AnswerPolicy.of("drop" if unlabeled else "refuse", unanswered)
    reading: tuple[Any, ...] = a.positive, policy, "keep", a.score_scale
    plan = PartReader.begun(roles, Labels.of(a.labels), *reading, how, scale)
    arguments = {
        "sheet": sheet,
        "range": range,
        "decimal": decimal,
        "na": na,
        "header_line": header_line,
    }
    layout = layout_of_options(arguments)
    again = Pass(source, format, delimiter, a.limit, executor, progress, layout).of(plan, inf)
    assert isinstance(again.scores, BinnedScoreTable)
    if again.rows != a.rows or not _are_same(again.scores.bins, scores.bins):
        raise InputError(
            f"The rows of {name_of(source)} changed after the first pass. Use the same source and columns, and do not "
            "write to it in the meantime."
        )
    return a.changed(scores=again.scores)


def pays(a: Assessment) -> bool:
    """Check whether bins leave more of the AUC open than a hundredth of its standard error, as its interval has it."""
    from classay.inference.proportions import normal_quantile

    auc = a["roc_auc"]
    if auc.certain is None:
        return False
    opened = auc.certain[1] - auc.certain[0]
    if not auc.has_interval:  # bins so wide that they show no spread
        return opened > 0
    error = (auc.high - auc.low - opened) / (2 * normal_quantile(a.level))
    return bool(opened / 2 > SHARE * error)


def refuse_read_once(source: Any) -> None:
    """Refuse a source that can be read only once."""
    if is_read_once(source):
        raise InputError(
            f"{name_of(source)} can be read only once, so a second pass is not possible. Use files or a frame, skip "
            "the "
            "second pass, or use more bits from the start (bits=)."
        )


def _are_same(bins: Bins, others: Bins) -> bool:
    """Check whether bins hold the same cases, as far as the coarser of both tell."""
    bits = min(bins.bits, others.bits)
    one, other = bins.coarser(bits), others.coarser(bits)
    if not (np.array_equal(one.keys, other.keys) and one.dtype == other.dtype):
        return False
    ends = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("least", "most"))
    return ends and np.allclose(one.cases, other.cases, rtol=ROUNDING, atol=0)
