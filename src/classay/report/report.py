"""The plain Report: all that a reader sees, as text and estimates, before rendering. It computes nothing."""

from dataclasses import dataclass, field

from classay.curves.curve import Curve
from classay.inference.estimate import Estimate


@dataclass(frozen=True)
class Row:
    """One line of a table of measures: the title a person reads, the canonical name, the estimate.

    `bounds` is the measure's range, from its registry entry. An interval is drawn only where that is (0, 1),
    so that all the bars of a page share one scale; a log-loss that happens to be below one gets none.
    `training` is the same measure on the data that a model was fitted to, beside which `estimate` stands, and
    `folds` its values in the single folds.
    """

    title: str
    name: str
    estimate: Estimate
    bounds: tuple[float, float] = (float("-inf"), float("inf"))
    training: Estimate | None = None
    folds: tuple[float, ...] = ()


@dataclass(frozen=True)
class Group:
    """Measures that belong together, or models by one measure, under a title; `of` is what a row is one of.

    The note says what the rows have in common. `is_drawn`: a page draws the rows on a scale of their own.
    """

    title: str
    rows: tuple[Row, ...]
    note: str = ""
    of: str = "measure"
    is_drawn: bool = False


@dataclass(frozen=True)
class Matrix:
    """A confusion matrix for display: counts[predicted][true], with the texts of the labels."""

    labels: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class ClassRow:
    """One class: its label's text, its number (or weight) of true cases, and its estimates by name."""

    label: str
    cases: float
    estimates: dict[str, Estimate]


@dataclass(frozen=True)
class SliceRow:
    """One measure in one group: the label's text, its cases, those of the positive class, and what was found."""

    label: str
    cases: float
    positives: float | None
    estimate: Estimate
    difference: Estimate
    p: float


@dataclass(frozen=True)
class SliceTable:
    """One measure in all groups, with the estimate of all cases."""

    title: str
    name: str
    overall: Estimate
    rows: tuple[SliceRow, ...]
    bounds: tuple[float, float] = (float("-inf"), float("inf"))


@dataclass(frozen=True)
class ByGroup:
    """The groups of cases compared: under a title, a table for each measure, and a note on the differences.

    `p_title` heads the p-values, and says whether they are adjusted; `is_drawn` whether a page draws each table.
    """

    title: str
    note: str
    tables: tuple[SliceTable, ...]
    p_title: str = "adjusted p"
    is_drawn: bool = False


@dataclass(frozen=True)
class FoldCurves:
    """Thin curves of one kind, one for each fold of a model: its scores rank within a fold alone."""

    title: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Report:
    """Everything about one assessment, in the order a person reads it.

    Of the estimates of each class the first five are shown, and of many classes only those with the lowest
    last one of these: the most telling belongs there.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    verdict: tuple[str, ...]
    matrix: Matrix | None
    groups: tuple[Group, ...]
    classes: tuple[ClassRow, ...]
    warnings: tuple[tuple[str, str], ...]  # (code, text)
    random: str
    next_steps: tuple[str, ...]
    curves: tuple[Curve, ...] = field(default=())
    more_curves: tuple[Curve, ...] = field(default=())
    by_group: ByGroup | None = None
    by_fold: tuple[FoldCurves, ...] = ()
    version: str = ""

    def __repr__(self) -> str:
        rows = sum(len(group.rows) for group in self.groups)
        drawn = len(self.curves) + len(self.more_curves)
        return f"Report({self.title!r}: {rows} estimates, {drawn} curves; give `report` a path to write the page)"
