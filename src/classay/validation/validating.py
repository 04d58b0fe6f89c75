"""`validate`: a model on new cases, against the sample on which it was developed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from inspect import signature
from math import isnan
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessing import assess
from classay.assessment.assessment import Assessment
from classay.assessment.assessment_warnings import column_warnings
from classay.assessment.drawn import refuse_list
from classay.assessment.main_measures import is_improper
from classay.columns.coding import code_labels
from classay.columns.numbers import counted, score_array
from classay.columns.spelling import groups_alike
from classay.columns.values import listing
from classay.comparison.comparing import compare
from classay.errors import InputError
from classay.groups.assessing_groups import assess_by
from classay.groups.calendar_periods import read_periods
from classay.groups.dates import dates_of, name_of_period, periods_of
from classay.groups.drift import drift_of_scores, stability
from classay.inference.estimate import (
    Estimate,
    format_distinct,
    format_estimate,
    level_text,
    p_equation,
    signed,
)
from classay.inference.proportions import wilson
from classay.inference.significance import difference
from classay.kinds import Per, checked, refuse_unknown
from classay.shown import Reportable
from classay.sources.inputs import columns_of_roles
from classay.texts import hint, listed, quote, some
from classay.validation.parts import (
    Benchmark,
    Discrimination,
    GradeCalibration,
    Overrides,
    Stability,
    by_grade,
    grade_edges,
    names_of_edges,
)
from classay.warned import Warned, gathered

Array = NDArray[Any]
MEASURE = "gini"
MOST_NAMED = 3
PERCENT = 100
OF_THRESHOLDS = ("default_threshold", "never_predicted", "no_threshold")
DEVELOPMENT = "development sample"
NOT_THERE = "not in the development sample"


class ValidationColumns(TypedDict, total=False):
    """Names of further columns of both samples."""

    by: str | Sequence[str] | None
    time: str | None
    per: Per | None
    grade: str | None
    final: str | None
    benchmark: str | Sequence[str] | None


@dataclass(frozen=True, eq=False)
class Sample:
    """The columns of a sample, read once."""

    a: Assessment
    score: Array
    is_positive: Array
    further: Mapping[str, Any]

    @classmethod
    def of(
        cls, frame: Any, columns: Mapping[str, str | None], positive: Hashable | None, level: float
    ) -> Sample:
        """Read the named columns of a frame. Raises InputError as `assess`, and for labels that are not of two classes.

        Rows without a label or a score are refused here, because a validation has no option to exclude them.
        """
        refuse_list(frame, None)
        read = columns_of_roles(frame, columns)
        true = code_labels(read["truth"], "truth")
        codes, labels = np.asarray(true.codes), list(true.order or true.labels)
        _refuse_missing(codes < 0, f"Column {quote(columns['truth'])}")
        if len(present := [labels[code] for code in np.unique(codes)]) != 2:
            raise InputError(
                f"Column {quote(columns['truth'])} has the labels {listing(present)}. "
                "Use true labels of two classes that both occur."
            )
        score = _numbers(read["score"], f"Column {quote(columns['score'])}")
        a = assess(read["truth"], read["score"], positive=positive, level=level)
        return cls(a, score, codes == labels.index(a.positive), read)

    def periods(self, per: Per | None) -> list[str]:
        """Return the period of each case: by default the month, or what a whole number counts."""
        is_count = per is None and dates_of(self.further["time"]).dtype.kind in "iu"
        when, of = read_periods(self.further["time"], "day" if is_count else per or "month")
        return [name_of_period(period, of) for period in periods_of(when, of)]


def _refuse_missing(is_missing: Array, what: str) -> None:
    if count := int(is_missing.sum()):
        rows = "1 row" if count == 1 else f"{count:,} rows"
        raise InputError(f"{what} has missing values in {rows}. Remove these rows.")


def _numbers(values: Any, what: str) -> Array:
    """Return scores as numbers. Raises InputError for text, and for missing values."""
    with _said_of(what):
        score = np.asarray(score_array(values), np.float64)
    if score.ndim > 1:
        raise InputError(f"{what} has {score.shape[1]} scores in each row. Use a column of one score.")
    _refuse_missing(np.isnan(score), what)
    return score


@contextmanager
def _said_of(what: str) -> Iterator[None]:
    """Name the sample or column that an error is about."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{what}: {error}") from error


@dataclass(frozen=True, eq=False)
class Validation(Reportable):
    """A model on new cases, against its development sample.

    Attributes
    ----------
    now : Assessment
        Assessment of the new cases.
    development : Assessment
        Assessment of the development sample.
    discrimination : tuple of Discrimination
        Gini coefficients of all cases, then of segments and periods.
    samples : tuple of GradeCalibration
        Predicted and observed rates of all new cases, and of the development sample.
    grades : tuple of GradeCalibration
        Predicted and observed rates of grades, empty if scores are not probabilities.
    shares : tuple of Stability
        Population stability indices of scores, grades and segments.
    distance : Estimate
        Kolmogorov-Smirnov distance of the scores of both samples.
    overrides : Overrides or None
        Cases with a final grade that differs from the grade of the model.
    benchmarks : tuple of Benchmark
        Other scores of the same cases.
    level : float
        Confidence level of the intervals.
    of_columns : tuple of Warned
        What only both samples together show of their columns: units, spelling and empty grades.
    """

    now: Assessment
    development: Assessment
    discrimination: tuple[Discrimination, ...]
    samples: tuple[GradeCalibration, ...]
    grades: tuple[GradeCalibration, ...]
    shares: tuple[Stability, ...]
    distance: Estimate
    overrides: Overrides | None
    benchmarks: tuple[Benchmark, ...]
    level: float
    of_columns: tuple[Warned, ...] = field(default=(), repr=False)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings by topic."""
        return (self._of_gini, self._of_rates, self._of_shares)

    @property
    def _of_gini(self) -> str:
        row = self.discrimination[0]
        gap, old = row.difference, row.development.value
        text = f"The Gini coefficient is {format_estimate(row.now)}"
        if not gap.has_interval:
            return f"{text}."
        then, value = format_distinct(old, gap.value)[0], signed(gap)
        ends = f"difference {value[0]}, 95% CI {value[1]} to {value[2]}".replace(
            "95%", f"{100 * self.level:g}%"
        )
        if gap.low <= 0 <= gap.high:
            return f"{text}, compared with {then} in development. No difference was detected ({ends})."
        return f"{text}, {'higher' if gap.low > 0 else 'lower'} than {then} in development ({ends})."

    @property
    def _of_rates(self) -> str:
        if not self.grades:
            outside = [
                name
                for name, a in (("new cases", self.now), (DEVELOPMENT, self.development))
                if is_improper(a)
            ]
            whose = f" of the {outside[0]}" if len(outside) == 1 else ""
            return f"Calibration is not defined, because scores{whose} are outside 0 to 1."
        off = {how: [row for row in self.grades if row.finding == how] for how in ("too low", "too high")}
        k = sum(row.cases > 0 for row in self.grades)
        texts = [f"The predicted rate is {how} in {_named(rows, k)}." for how, rows in off.items() if rows]
        if not texts:
            texts = [f"No difference between predicted and observed rates was detected in any of {k} grades."]
        if (whole := self.samples[0]).finding:
            seen = whole.observed
            value, low, high = (f"{100 * x:.3g}%" for x in (seen.value, seen.low, seen.high))
            rates = f"predicted {100 * whole.predicted:.3g}%, observed {value}"
            ends = f"{level_text(self.level)} {low} to {high}"
            texts.insert(0, f"Over all cases, the predicted rate is {whole.finding} ({rates}, {ends}).")
        return " ".join(texts)

    @property
    def _of_shares(self) -> str:
        row = self.shares[0]
        if isnan(row.index):
            return "The population stability index is not defined, because all scores are equal."
        return (
            f"The population stability index of the scores is {row.index:.3f}. Without a change, the index is at most "
            f"{row.usual:.3f} in 95% of samples ({p_equation(row.p)})."
        )

    @cached_property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings of both samples, except those about thresholds.

        Those of the development sample are about its columns.
        """
        return (
            *(warned for warned in self.now.warnings if warned.code not in OF_THRESHOLDS),
            *gathered({DEVELOPMENT: column_warnings(self.development)}),
            *self.of_columns,
        )


def _named(rows: Sequence[GradeCalibration], grades: int) -> str:
    """Return a few grades with both rates, first those whose rates differ most."""
    rows = sorted(rows, key=lambda row: -abs(row.observed.value - row.predicted))
    names = [
        f"{quote(row.grade)} (predicted {100 * row.predicted:.3g}%, observed {100 * row.observed.value:.3g}%)"
        for row in rows[:MOST_NAMED]
    ]
    more = [f"{len(rows) - MOST_NAMED} more"] if len(rows) > MOST_NAMED else []
    return f"{len(rows)} of {grades} grades: {listed(names + more)}"


@checked
def validate(
    now: Any,
    development: Any,
    *,
    truth: str,
    score: str,
    positive: Hashable | None = None,
    level: float = 0.95,
    **columns: Unpack[ValidationColumns],
) -> Validation:
    """Validate a model on new cases against its development sample, by topic.

    Discrimination is the Gini coefficient of all cases, segments and periods. Calibration compares
    predicted and observed rates by grade, with simultaneous intervals. Stability compares both samples.

    Parameters
    ----------
    now : frame
        The new cases.
    development : frame
        The cases on which the model was developed, with the same columns.
    truth : str
        Name of the column of true labels.
    score : str
        Name of the column of scores. Only scores from 0 to 1 are predicted rates.
    positive : label, optional
        Positive class, such as default.
    level : float, default 0.95
        Confidence level of the intervals.
    **columns
        Names of further columns: `by` of segments, `time` of dates, `grade` of the model's grades, `final` of
        grades after overrides, and `benchmark` of other scores. `per` is the period of the dates: "day",
        "week", "month", which is the default, or "quarter". Without `grade`, tenths of the development
        scores are grades.

    Returns
    -------
    Validation
        Results by topic.

    Raises
    ------
    InputError
        If `assess` raises it.
        If `final` is named without `grade`, or `per` without `time`.
        If `benchmark` is not of names, names the score, or a column twice.
        If true labels or scores are missing.
        If the samples have different true labels, or not labels of two classes.

    Notes
    -----
    The stability index is Σ (p - q) ln(p / q) over bins, with 0.5 added to each count. Bins of scores are
    tenths of both samples together, and in a second row those of the development sample, as banks use them.

    The interval of a grade is exact (Clopper-Pearson). Šidák's level makes all grades jointly valid. A grade
    is a finding if its predicted rate is outside this interval. The
    p-value of a grade is from the test of the European Central Bank. The p-value of the stability index is
    from its null distribution, because common limits such as 0.1 ignore the number of cases. Cases are
    independent. Correlated defaults of borrowers make the intervals too narrow.

    References
    ----------
    European Central Bank 2019, Instructions for reporting the validation results of internal models, section 2.5.
    Board of Governors of the Federal Reserve System 2011, SR 11-7.

    Examples
    --------
    >>> import classay as ca
    >>> old = {"default": [0, 1] * 50, "pd": [0.2, 0.6] * 50}
    >>> new = {"default": [0, 1, 0, 0, 1] * 20, "pd": [0.2, 0.6, 0.3, 0.2, 0.4] * 20}
    >>> v = ca.validate(new, old, truth="default", score="pd")
    >>> v.discrimination[0].now.value, round(v.shares[0].index, 2)
    (1.0, 1.74)
    """
    refuse_unknown(
        "validate", columns, {**signature(validate).parameters, **ValidationColumns.__annotations__}
    )
    by, grade, final = columns.get("by"), columns.get("grade"), columns.get("final")
    if final is not None and grade is None:
        raise InputError(
            f"{hint('final=', '--final')} needs the grades of the model. Use {hint('grade=', '--grade')} too."
        )
    others = columns.get("benchmark") or []
    others = [others] if isinstance(others, str) else others
    if not (isinstance(others, list | tuple) and all(isinstance(name, str) for name in others)):
        raise InputError("benchmark must be the name of a column of scores, or a list of names.")
    again = next((name for k, name in enumerate(others) if name in (score, *others[:k])), None)
    if again is not None:
        raise InputError(
            f"{hint('benchmark', '--benchmark')} names {quote(again)}, which is named already. "
            "Name each column of scores once."
        )
    if columns.get("per") is not None and columns.get("time") is None:
        raise InputError(
            f"{hint('per=', '--per')} needs dates. Use {hint('time=', '--time')} to name their column."
        )
    basic: dict[str, str | None] = {"truth": truth, "score": score, "grade": grade}
    beside = {"time": columns.get("time"), "final": final}
    of_new = {**basic, **beside, **{f"benchmark {name}": name for name in others}}
    with _said_of("New cases"):
        new = Sample.of(now, of_new, positive, level)
    with _said_of("Development sample"):
        old = Sample.of(development, basic, new.a.positive, level)
    if {*new.a.labels} != {*old.a.labels}:
        raise InputError(
            f"The new cases have the labels {listing(new.a.labels)}, but the development sample has "
            f"{listing(old.a.labels)}. Use samples with the same labels."
        )
    rows, tables, segments = [_row("all cases", "all cases", new.a, old.a)], [], []
    if by is not None:
        of_now, of_old = (
            assess_by(frame, truth=truth, score=score, by=by, positive=new.a.positive, level=level)
            for frame in (now, development)
        )
        rows += [
            _row("segment", str(name), part, of_old.groups.get(name)) for name, part in of_now.groups.items()
        ]
        segments = [*dict.fromkeys((*of_now.groups, *of_old.groups))]
        counts = [
            np.array([g.groups[n].n if n in g.groups else 0 for n in segments]) for g in (of_now, of_old)
        ]
        tables.append(("segments", counts))
    if columns.get("time") is not None:
        periods = new.periods(columns.get("per"))
        course = assess_by(
            new.further["truth"], new.further["score"], by=periods, positive=new.a.positive, level=level
        )
        rows += [_row("period", str(name), part, old.a) for name, part in course.groups.items()]
    names, codes, codes_old = _graded(new, old, grade)
    if grade is not None:
        tables.insert(0, ("grades", [np.bincount(of, minlength=len(names)) for of in (codes, codes_old)]))
    is_rate = not (is_improper(new.a) or is_improper(old.a))
    return Validation(
        new.a,
        old.a,
        tuple(rows),
        tuple(_all_cases(name, sample, level) for name, sample in (("now", new), ("development", old)))
        if is_rate
        else (),
        by_grade(names, codes, new.is_positive, new.score, level) if is_rate else (),
        *_shares(new, old, tables, level),
        None if final is None else _overridden(new, old, names, (codes, codes_old), level, is_rate=is_rate),
        tuple(_benchmarks(new, score, others, level)),
        level,
        (*_about_units(new, old), *_about_empty(tables, {"grades": names, "segments": segments})),
    )


def _about_units(new: Sample, old: Sample) -> Iterator[Warned]:
    """Yield that the scores of one sample may be percent, where only those of the other are from 0 to 1."""
    for name, one, other in (("new cases", new, old), (DEVELOPMENT, old, new)):
        if (
            is_improper(one.a)
            and not is_improper(other.a)
            and one.score.min() >= 0
            and one.score.max() <= PERCENT
        ):
            yield Warned(
                "scores_outside_unit",
                f"the scores of the {name} may be percent, because those of the other sample are from 0 to 1. Divide "
                f"them by {PERCENT}. The stability index compares both as they are.",
            )


def _about_empty(
    tables: Sequence[tuple[str, Sequence[Array]]], names: Mapping[str, Sequence[Hashable]]
) -> Iterator[Warned]:
    """Yield which grades and segments are spelled in two ways, or have cases in one sample only."""
    for of, counts in tables:
        if alike := groups_alike(names[of]):
            yield Warned("written_otherwise", f"{of}: {alike}")
            continue
        here, there = counts
        for sample, few, many in (("new cases", here, there), (DEVELOPMENT, there, here)):
            empty = [str(names[of][k]) for k in np.flatnonzero((few == 0) & (many > 0)).tolist()]
            if empty:
                yield Warned(
                    "note",
                    f"the {sample} {'have' if sample.endswith('s') else 'has'} no case of {some(empty, write=quote)}. "
                    f"This can strongly increase the stability index of {of}.",
                )


def _row(part: Any, name: str, now: Assessment, then: Assessment | None) -> Discrimination:
    estimate = now[MEASURE]
    known = Estimate.undefined(NOT_THERE) if then is None else then[MEASURE]
    positives = int(now.class_totals[list(now.labels).index(now.positive)])
    return Discrimination(
        part, name, int(now.n), positives, estimate, known, difference(estimate, known).estimate
    )


def _all_cases(name: str, sample: Sample, level: float) -> GradeCalibration:
    cases, positives = sample.score.size, int(sample.is_positive.sum())
    return GradeCalibration.of(name, cases, positives, float(sample.score.mean()), level, 0)


def _graded(new: Sample, old: Sample, grade: str | None) -> tuple[list[Any], Array, Array]:
    """Return the names of the grades, and the grade of each case of both samples as a code."""
    if grade is None:
        edges = grade_edges(old.score)
        codes, codes_old = (np.searchsorted(edges, sample.score, side="left") for sample in (new, old))
        return names_of_edges(edges), codes, codes_old
    coded = [code_labels(sample.further["grade"], "grade") for sample in (new, old)]
    if lacking := sum(int((np.asarray(labels.codes) < 0).sum()) for labels in coded):
        raise InputError(f"The grade is missing in {counted(lacking, 'case')}. Exclude them, or add grades.")
    names = [*dict.fromkeys(label for labels in coded for label in labels.order or labels.labels)]
    codes, codes_old = (_codes_among(labels, names) for labels in coded)
    return names, codes, codes_old


def _codes_among(coded: Any, names: Sequence[Any]) -> Array:
    at = {name: k for k, name in enumerate(names)}
    places = np.array([at.get(label, -1) for label in coded.order or coded.labels])
    return np.asarray(places[np.asarray(coded.codes)])


def _shares(
    new: Sample, old: Sample, tables: Sequence[tuple[str, Sequence[Array]]], level: float
) -> tuple[tuple[Stability, ...], Estimate]:
    """Return the stability of the scores and of other shares, and the distance of the scores."""
    assert new.a.scores is not None
    assert old.a.scores is not None
    drift = drift_of_scores({"now": new.a.scores, "development": old.a.scores}, level)
    assert drift is not None
    indices, distances = drift
    edges = grade_edges(np.concatenate((new.score, old.score)))
    bins = np.unique(np.searchsorted(edges, np.concatenate((new.score, old.score)))).size
    rows = [Stability("scores", bins, *indices[0])]
    ends = grade_edges(old.score)
    tenths = [
        np.bincount(np.searchsorted(ends, sample.score), minlength=ends.size + 1) for sample in (new, old)
    ]
    tables = [("scores, development tenths", tenths), *tables]
    rows += [
        Stability(name, int((here + there > 0).sum()), *stability(here, there))
        for name, (here, there) in tables
    ]
    return tuple(rows), distances[0]


def _overridden(
    new: Sample, old: Sample, names: Sequence[Any], codes: tuple[Array, Array], level: float, *, is_rate: bool
) -> Overrides:
    """Return how many cases have another final grade; grades of cases are in the order of their mean scores."""
    final = code_labels(new.further["final"], "final")
    both = np.bincount(np.concatenate(codes), minlength=len(names))
    seen = [name for name, cases in zip(names, both.tolist(), strict=True) if cases]
    given = final.order or final.labels
    used = [given[code] for code in np.unique(np.asarray(final.codes)).tolist() if code >= 0]
    unknown = [label for label in used if label not in seen]
    if unknown or (np.asarray(final.codes) < 0).any():
        what = (
            f"The final grade {quote(unknown[0])} is not a grade of the model"
            if unknown
            else "A final grade is missing"
        )
        raise InputError(f"{what}. Use the grades of the model.")
    sums = np.bincount(np.concatenate(codes), np.concatenate((new.score, old.score)), len(names))
    means = sums / np.maximum(both, 1)  # no case has a grade without cases
    here, after = means[codes[0]], means[_codes_among(final, names)]
    n, moved = here.size, {"raised": after > here, "lowered": after < here}
    shares: list[Estimate] = []
    for is_moved in moved.values():
        low, high = (float(end) for end in wilson(int(is_moved.sum()), n, level))
        shares.append(Estimate(float(is_moved.mean()), low, high, level, "Wilson"))
    groups = {**moved, "not overridden": after == here}
    observed = tuple(
        GradeCalibration.of(
            name,
            int(rows.sum()),
            int(new.is_positive[rows].sum()),
            float(new.score[rows].mean()) if rows.any() and is_rate else float("nan"),
            level,
            0,
        )
        for name, rows in groups.items()
    )
    test = compare(
        {"final": after, "model": here}, new.is_positive, positive=True, measures=["roc_auc"], level=level
    )[0]
    assert test.effect is not None
    return Overrides(shares[0], shares[1], observed, test.values[1], test.values[0], test.effect)


def _benchmarks(new: Sample, score: str, others: Sequence[str], level: float) -> Iterator[Benchmark]:
    for name in others:
        models = {
            score: new.score,
            name: _numbers(new.further[f"benchmark {name}"], f"Benchmark {quote(name)}"),
        }
        test = compare(models, new.is_positive, positive=True, measures=["roc_auc"], level=level)[0]
        assert test.effect is not None
        yield Benchmark(name, test.values[0], test.values[1], test.effect, test.p)
