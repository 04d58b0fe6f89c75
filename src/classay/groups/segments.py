"""Segments: the groups of cases in which a model is surely worst, although nobody named a group beforehand.

Every segment is tested on all cases by an exact tail, and the p-values are adjusted for the number of segments that
were listed. To search on one part of the cases and to test on the other is valid too, and finds less at every number of
segments that was tried.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessing import of_predictions
from classay.assessment.assessment_warnings import column_warnings
from classay.assessment.group_labels import Group
from classay.columns.coding import code_labels
from classay.columns.numbers import counted
from classay.errors import InputError
from classay.inference.estimate import Estimate, p_equation, title
from classay.inference.phrasing import difference_text, value_text
from classay.inference.proportions import PAIRED_METHODS, clopper_pearson
from classay.inference.significance import adjust, greater_p, hypergeometric_tail
from classay.kinds import RAREST
from classay.measures import get
from classay.predictions import Predictions
from classay.renamed import former
from classay.shown import Reportable, frame_of
from classay.tables import PairedCounts
from classay.texts import hint, listed, quote
from classay.warned import Warned

Array = NDArray[Any]


STAR = hint("by='*'", "--by '*'")
MOST_LEVELS = 50
"""Values up to which a column makes segments."""
FEWEST = 10
"""Cases of a segment below which it is not listed: it could hardly show anything, and would count as a test."""
TOLD = 50
"""Segments that are kept, those with the smallest p-values."""
MCNEMAR, HYPERGEOMETRIC = "McNemar's exact test, one-sided", "exact hypergeometric tail"
SOURCES = {MCNEMAR: "McNemar 1947, Psychometrika 12:153", HYPERGEOMETRIC: "Fisher 1935, JRSS 98:39"}


@dataclass(frozen=True)
class Segment:
    """A group of cases with some values of one column or two, and how a model does there.

    `value` is the share of right answers of one model, or that of the first model minus that of the second, with the
    upper limit, one-sided as the test is, that holds for all listed segments at once: the low end of its interval is
    the least possible value. `elsewhere` is the same in all other cases. `p` is one-sided, of a model being no worse
    there; `p_adjusted` for all segments that were listed.
    """

    group: Group
    cases: int
    value: Estimate
    elsewhere: float
    p: float
    p_adjusted: float


@dataclass(frozen=True)
class Segments(Reportable):
    """Subgroups in which a model, or the first of two, is shown to be worst.

    The smallest p-values come first.

    Attributes
    ----------
    measure : str
        Name of the measure.
    models : tuple of str
        Name of the model, if known, or names of two models.
    columns : tuple of str
        Columns that make the subgroups.
    listed : int
        Number of tested subgroups of the columns and their pairs, of at least 10 cases each.
    segments : tuple of Segment
        The subgroups.
    overall : float
        The measure over all cases.
    cases : int
        Number of cases.
    test : str
        Name of the test.
    level : float
        Level of the findings.
    left_out : tuple of (str, str)
        Other columns, each with the reason why it makes no subgroups.
    small : int
        Number of subgroups that are too small.
    warnings : tuple of Warned
        Codes and texts.

    Examples
    --------
    >>> import classay as ca
    >>> frame = {"y": [1, 0] * 300, "p": [0.9, 0.1] * 200 + [0.2, 0.7] * 100, "plan": ["a"] * 400 + ["b"] * 200}
    >>> frame["region"] = ["n", "s", "s"] * 200
    >>> segments = ca.assess_by(frame, truth="y", score="p", by="*")
    >>> segments.listed, str(segments.worst.group), segments.worst.value.value
    (8, 'plan=b', 0.0)
    """

    measure: str
    models: tuple[str, ...]
    columns: tuple[str, ...]
    listed: int
    segments: tuple[Segment, ...]
    overall: float
    cases: int
    test: str
    level: float = 0.95
    left_out: tuple[tuple[str, str], ...] = ()
    small: int = 0
    warnings: tuple[Warned, ...] = ()
    each = former("Segments.each", "segments")

    @property
    def worst(self) -> Segment | None:
        """Subgroup with the smallest p-value, or None without any."""
        return self.segments[0] if self.segments else None

    @property
    def shown(self) -> tuple[Segment, ...]:
        """Subgroups in which the model is shown to be worse."""
        return tuple(one for one in self.segments if one.p_adjusted <= 1 - self.level)

    @property
    def reference(self) -> str:
        """Source of the test."""
        return SOURCES[self.test]

    @property
    def sentence(self) -> str:
        """Subgroups where the model is worst, or that none is shown, in a sentence."""
        if not self.segments:
            return (
                f"No subgroup of {_columns(self.columns)} has at least {FEWEST} cases, so nothing was tested."
            )
        one = self.segments[0]
        two = len(self.models) == 2
        p = f"{p_equation(one.p_adjusted)}, adjusted for {self.listed:,} subgroups"
        limit = f"{100 * self.level:g}% upper confidence limit {self._written(one.value.high, one.cases)}"
        name = title(self.measure)
        measure = f"difference in {name}" if two else name
        rates = (
            f"{measure} {self._written(one.value.value, one.cases)} in {counted(one.cases, 'case')} ({limit}; {p}), "
            f"compared with {self._written(one.elsewhere, self.cases - one.cases)} in the other cases"
        )
        if not self.shown:
            which = (
                f"in which {self.models[0]} is worse than {self.models[1]}" if two else f"with lower {name}"
            )
            return (
                f"No subgroup {which} was detected among {self.listed:,} subgroups of {_columns(self.columns)}. The "
                f"smallest p value is for {quote(one.group)}: {rates}."
            )
        more = len(self.shown) - 1
        others = f" The same was detected in {counted(more, 'more subgroup')}." if more else ""
        who = f"{self.models[0]} is worse than {self.models[1]}" if two else f"The {name} is lower"
        return f"{who} in {quote(one.group)}: {rates}.{others}"

    def _written(self, value: float, cases: int) -> str:
        """Return a share as a percentage, and a difference of two shares in percentage points."""
        if len(self.models) == 2:
            return difference_text(Estimate.bare(value, ""), self.measure, cases)[0]
        return value_text(value, self.measure, cases)

    @property
    def unsearched(self) -> str:
        """Columns without subgroups with their reasons, as a sentence, or empty."""
        if not self.left_out:
            return ""
        return f"Not searched: {listed([f'{quote(name)} ({why})' for name, why in self.left_out])}."

    def frame(self) -> Any:
        """Return a PyArrow table with one row for each subgroup.

        The smallest p-value comes first. Columns: group, cases, measure, value, low, high, level, method,
        elsewhere, p, p_adjusted.
        """
        return frame_of(
            [self.row_of(one) for one in self.segments], SEGMENT_COLUMNS, kinds={"cases": "whole"}
        )

    def row_of(self, one: Segment) -> dict[str, Any]:
        """Return a subgroup as plain values."""
        return {
            "group": str(one.group),
            "cases": one.cases,
            "measure": self.measure,
            "value": one.value.value,
            "low": one.value.low,
            "high": one.value.high,
            "level": one.value.level,
            "method": one.value.method,
            "elsewhere": one.elsewhere,
            "p": one.p,
            "p_adjusted": one.p_adjusted,
        }

    def __repr__(self) -> str:
        return f"Segments({self.listed:,} of {len(self.columns)} columns; print it, or see .frame())"


SEGMENT_COLUMNS = (
    *("group", "cases", "measure", "value", "low", "high", "level", "method", "elsewhere", "p", "p_adjusted"),
)
"""The columns of a frame of segments, also where none is listed."""
MOST_NAMED = 6
"""Columns that a sentence names before it counts them."""


def _columns(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED:
        return f"{len(names)} columns"
    return listed([quote(name) for name in names])


@dataclass(frozen=True, eq=False)
class SegmentColumns:
    """The columns that make segments, coded: -1 where a row has no value; and the others, with the reason why not."""

    codes: Mapping[str, Array]
    labels: Mapping[str, tuple[Hashable, ...]]
    left_out: tuple[tuple[str, str], ...] = ()

    def taken(self, rows: Array) -> SegmentColumns:
        """Return some of the rows."""
        return SegmentColumns(
            {name: codes[rows] for name, codes in self.codes.items()}, self.labels, self.left_out
        )


def columns_of(frame: Any, used: Collection[str]) -> SegmentColumns:
    """Return the unused columns of a frame; ids and columns of more than 50 values are left out, with the reason.

    Raises InputError for what is no frame, and where no column is left.
    """
    from classay.sources.inputs import frame_columns, frame_names

    codes: dict[str, Array] = {}
    labels: dict[str, tuple[Hashable, ...]] = {}
    left_out: list[tuple[str, str]] = []
    for name in frame_names(frame):
        if name in used:
            continue
        try:
            coded = code_labels(frame_columns(frame, [name])[name], name)
        except InputError:
            left_out.append((name, "not a column of labels"))
            continue
        if len(coded.labels) > MOST_LEVELS:
            is_id = 2 * len(coded.labels) > coded.codes.size
            left_out.append((name, "an ID" if is_id else f"{len(coded.labels):,} values"))
        elif len(coded.labels) < 2:
            left_out.append((name, "one value"))
        else:
            codes[name], labels[name] = coded.codes, coded.labels
    return _some_left(SegmentColumns(codes, labels, tuple(left_out)))


def _some_left(columns: SegmentColumns) -> SegmentColumns:
    """Return the columns, of which there is one or more. Raises InputError where all were left out."""
    if columns.codes:
        return columns
    text = listed([f"{name} ({why})" for name, why in columns.left_out])
    raise InputError(
        f"There is no column to search{f' ({text})' if text else ''}. {STAR} searches columns of a frame "
        f"without another role, with 2 to {MOST_LEVELS} values."
    )


def without_truth(columns: SegmentColumns, truth: Array) -> SegmentColumns:
    """Return the columns of two values or more that are not the truth `(cases,)` under other names, one to one.

    The others are left out and named: rows that do not count may have had the second value.

    A segment of such a column is a class: that a model is worse there is said by recall and specificity. Raises
    InputError where no column is left.

    >>> columns = SegmentColumns({"sick": np.array([1, 0] * 9)}, {"sick": ("n", "y")}, (("id", "an id"),))
    >>> without_truth(columns, np.array([0, 1] * 9))
    Traceback (most recent call last):
    classay.errors.InputError: There is no column to search (id (an id) and sick (the truth renamed)). ...
    """
    why: dict[str, str] = {}
    for name, codes in columns.codes.items():
        if np.unique(codes[codes >= 0]).size < 2:
            why[name] = "one value"
        elif _is_renamed(codes, truth):
            why[name] = "the truth renamed"
    kept = {name: each for name, each in columns.codes.items() if name not in why}
    return _some_left(SegmentColumns(kept, columns.labels, (*columns.left_out, *why.items())))


def _is_renamed(codes: Array, truth: Array) -> bool:
    """Check whether each value goes with one label and each label with one value, in the rows that have a value."""
    known = codes >= 0
    if int(known.sum()) < FEWEST:
        return False
    codes, truth = codes[known].astype(np.int64), truth[known].astype(np.int64)
    values, labels = (np.unique(each).size for each in (codes, truth))
    pairs = np.unique(codes * (int(truth.max()) + 1) + truth).size
    return bool(values == labels == pairs and values > 1)


OF_MODELS = ("score", "scores", "y_score", "prediction", "predictions", "y_pred")
ROLES = ("truth", *OF_MODELS, "weight", "frequency", "cluster", "id", "amounts")
"""Arguments that name columns; of all others the values are none, such as the class that is positive."""


def names_within(arguments: Mapping[str, object]) -> set[str]:
    """Return the names of columns that have a role among arguments: texts, lists of them, and mappings to them.

    >>> roles = {"truth": "y", "scores": {"a": "p", "b": "q"}, "weight": None, "amounts": ["fee"]}
    >>> sorted(names_within(roles | {"positive": "churn", "labels": ["churn", "plan"], "missing": "drop"}))
    ['fee', 'p', 'q', 'y']
    """
    return set().union(*(_names(arguments.get(role)) for role in ROLES))


def _names(by: Any) -> set[str]:
    if isinstance(by, str):
        return {by}
    if isinstance(by, Mapping):
        return set().union(*map(_names, by.values()))
    if isinstance(by, list | tuple) and all(isinstance(name, str) for name in by):
        return {*by}
    return set()


def find_segments(
    columns: SegmentColumns,
    right: Mapping[str, Array],
    *,
    measure: str = "accuracy",
    among: Array | None = None,
    frequency: Array | None = None,
    level: float = 0.95,
) -> Segments:
    """Return where one model is wrong more often than elsewhere, or the first of two more often than the second.

    `right` says of each case whether a model is right, `(cases,)` booleans of one model or two. Of one model p is
    P(X ≥ x), X hypergeometric: x of m cases of the segment wrong, E of all N. Of two, of c cases that only the first
    gets wrong and b that only the second does, P(X ≥ c), X ~ Bin(b + c, 1/2). All segments are tested on all cases;
    p-values are adjusted by Holm for all that were listed, and upper limits by Bonferroni. Where the first of two
    models is shown to be worse, the limit of its difference is not above 0, as Holm's procedure allows (Strassburger &
    Bretz 2008, Statistics in Medicine 27:4914), and elsewhere not below. `among` are the cases that count.
    """
    names = tuple(right)
    if len(names) > 2:
        raise InputError(f"{STAR} needs one or two models, but there are {len(names)}. Name two of them.")
    outcome = np.zeros(
        next(iter(right.values())).size, np.int64
    )  # 1 counts against the first model, 2 for it
    if len(names) == 1:
        outcome[~right[names[0]]] = 1
    else:
        first, second = right.values()
        outcome[~first & second], outcome[first & ~second] = 1, 2
    rows = None if among is None else np.flatnonzero(among)
    if rows is not None:
        columns, outcome = columns.taken(rows), outcome[rows]
        frequency = None if frequency is None else frequency[rows]
    groups, counts = _count(columns, outcome, frequency)
    total = np.bincount(outcome, frequency, 3).astype(np.int64)
    n = int(total.sum())
    cases = counts.sum(1)
    large = (cases >= FEWEST) & (cases < n)
    small = int(((cases > 0) & (cases < FEWEST)).sum())
    groups, counts, cases = groups[large], counts[large], cases[large]
    against = counts[:, 1]
    if len(names) == 1:
        p = hypergeometric_tail(against, n, int(total[1]), cases)
    else:
        p = np.asarray(greater_p("exact", against, counts[:, 2]))
    adjusted = adjust(p) if p.size else p
    share = _share(counts, cases, len(names))
    order = np.lexsort((cases, share, p))[:TOLD]
    alpha = (1 - level) / max(1, p.size)
    shown = tuple(
        Segment(
            _group_of(columns, groups[k]),
            int(cases[k]),
            _value(counts[k], int(cases[k]), len(names), alpha, p.size, is_worse=adjusted[k] <= 1 - level),
            float(_share(total - counts[k], n - cases[k], len(names))),
            float(p[k]),
            float(adjusted[k]),
        )
        for k in order.tolist()
    )
    return Segments(
        get(measure).name,
        names,
        tuple(columns.codes),
        int(p.size),
        shown,
        float(_share(total, n, len(names))) if n else nan,
        n,
        HYPERGEOMETRIC if len(names) == 1 else MCNEMAR,
        level,
        columns.left_out,
        small,
    )


def _share(counts: Array, cases: Any, models: int) -> Any:
    """Return the share of right answers, or that of the first model minus that of the second."""
    if models == 1:
        return 1 - counts[..., 1] / cases
    return (counts[..., 2] - counts[..., 1]) / cases


def _value(
    counts: Array, cases: int, models: int, alpha: float, segments: int, *, is_worse: bool
) -> Estimate:
    """Return the share in a segment, or the difference, with its upper limit for all segments at once."""
    _, against, favour = map(int, counts)
    value, both = float(_share(counts, cases, models)), max(1 - 2 * alpha, RAREST)
    if models == 1:
        low, high, method = 0.0, float(clopper_pearson(cases - against, cases, both)[1]), "Clopper-Pearson"
    else:
        table = PairedCounts(cases - against - favour, favour, against, 0)
        low, high, method = -1.0, float(PAIRED_METHODS["Tango"](table, both)[1]), "Tango"
        high = min(high, 0.0) if is_worse else max(high, 0.0)
    return Estimate(
        value,
        low,
        high,
        1 - alpha * segments,
        f"{method}, upper limit jointly valid for {segments:,} subgroups",
    )


def _count(columns: SegmentColumns, outcome: Array, frequency: Array | None) -> tuple[Array, Array]:
    """Return every segment as the columns and codes of its values, `(segments, 4)` with -1 for none, and its outcomes.

    The rows are counted by codes once for each column and each pair of columns. A pair of values that has all cases of
    one of them is the same segment, and counts as none.
    """
    names = [*columns.codes]
    sizes = [len(columns.labels[name]) for name in names]
    filled = [
        np.where(codes < 0, size, codes).astype(np.int64)
        for codes, size in zip(columns.codes.values(), sizes, strict=True)
    ]
    inner = [codes * 3 + outcome for codes in filled]
    groups: list[Array] = []
    counts: list[Array] = []
    for i, size in enumerate(sizes):
        table = np.bincount(inner[i], frequency, 3 * (size + 1)).reshape(size + 1, 3)[:size]
        groups.append(np.array([[i, a, -1, -1] for a in range(size)]))
        counts.append(table)
    for i, j in combinations(range(len(names)), 2):
        wide = 3 * (sizes[j] + 1)
        table = np.bincount(filled[i] * wide + inner[j], frequency, (sizes[i] + 1) * wide)
        table = table.reshape(sizes[i] + 1, sizes[j] + 1, 3)[: sizes[i], : sizes[j]]
        cases = table.sum(2)
        same = (cases == counts[i].sum(1)[:, None]) | (cases == counts[j].sum(1))
        table = np.where(same[:, :, None], 0, table)
        a, b = np.indices(table.shape[:2]).reshape(2, -1)
        groups.append(np.stack([np.full(a.size, i), a, np.full(a.size, j), b], 1))
        counts.append(table.reshape(-1, 3))
    return np.concatenate(groups), np.concatenate(counts).astype(np.int64)


def _group_of(columns: SegmentColumns, segment: Array) -> Group:
    """Return the labels of a segment."""
    names = [*columns.codes]
    i, a, j, b = segment.tolist()
    pairs = [(names[i], a)] + ([(names[j], b)] if j >= 0 else [])
    return Group([name for name, _ in pairs], [columns.labels[name][code] for name, code in pairs])


def segments_of(
    rows: Predictions, columns: SegmentColumns, *, threshold: float | None = None, level: float = 0.95
) -> Segments:
    """Where one model is surely worst, of checked rows: `group` are their places in the columns, if some were left out.

    Raises InputError for weights, clusters, and scores without labels.
    """
    refuse_dependent(rows.weight, rows.cluster)
    called = rows.called(rows.default_threshold if threshold is None else threshold)
    if called is None:
        raise InputError(
            f"{STAR} needs labels, but the scores have no threshold. {hint('Pass threshold=', 'Use --threshold')}."
        )
    if rows.group is not None and rows.groups is not None:
        columns = columns.taken(np.asarray(rows.groups)[rows.group])
    if rows.frequency is not None:
        counted = np.flatnonzero(rows.frequency)
        columns, rows, called = columns.taken(counted), rows.take(counted), called[counted]
    columns = without_truth(columns, rows.truth)
    segments = find_segments(columns, {"": called == rows.truth}, frequency=rows.frequency, level=level)
    named = threshold if rows.predicted is None and rows.score is not None else None
    return replace(segments, models=(), warnings=column_warnings(of_predictions(rows, threshold=named)))


def refuse_dependent(weight: object, cluster: object) -> None:
    """Refuse weights and clusters, of which exact tails know nothing."""
    for name, setting in (("weight", weight), ("cluster", cluster)):
        if setting is not None:
            raise InputError(
                f"{STAR} uses exact tests, which need independent, equally weighted cases. Remove "
                f"{hint(f'{name}=', f'--{name}')}, or name the columns of the groups."
            )
