"""Named criteria of equal treatment: which are violated, and which contradict each other."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from math import isnan

from classay.assessment.assessment import Assessment
from classay.assessment.main_measures import is_improper, of_probabilities
from classay.groups.compared_groups import PooledGroups, SubgroupSet
from classay.groups.disparities import (
    EQUALISED,
    Disparity,
    disparity_of,
    equalised_odds_of,
    equalised_odds_ratio_of,
    is_share,
    possible_width,
    refuse_classes,
    titles_in_text,
)
from classay.inference.estimate import Estimate, format_estimate
from classay.measures import get
from classay.shown import Reportable
from classay.texts import quote
from classay.warned import Warned


@dataclass(frozen=True)
class NamedCriterion:
    """A named criterion: the measures that are to be equal in all groups, what that says, and who defined it.

    `equal` says in few words what is equal.
    """

    name: str
    title: str
    measures: tuple[str, ...]
    equal: str
    meaning: str
    source: str


CRITERIA = (
    NamedCriterion(
        "demographic_parity",
        "Demographic parity",
        ("predicted_prevalence",),
        "predicted-positive rate",
        "the predicted-positive rate is equal in all groups",
        "Calders, Kamiran & Pechenizkiy 2009, ICDM Workshops, 13",
    ),
    NamedCriterion(
        "equal_opportunity",
        "Equal opportunity",
        ("recall",),
        "recall",
        "recall is equal in all groups",
        "Hardt, Price & Srebro 2016, NeurIPS 29:3315",
    ),
    NamedCriterion(
        "equalised_odds",
        "Equalized odds",
        EQUALISED,
        "recall and false positive rate",
        "recall and false positive rate are equal in all groups",
        "Hardt, Price & Srebro 2016, NeurIPS 29:3315",
    ),
    NamedCriterion(
        "predictive_parity",
        "Predictive parity",
        ("precision",),
        "precision",
        "precision is equal in all groups",
        "Chouldechova 2017, Big Data 5:153",
    ),
    NamedCriterion(
        "accuracy_equality",
        "Accuracy equality",
        ("accuracy",),
        "accuracy",
        "accuracy is equal in all groups",
        "Berk, Heidari, Jabbari, Kearns & Roth 2021, Sociological Methods & Research 50:3",
    ),
    NamedCriterion(
        "calibration",
        "Calibration within groups",
        ("calibration_in_the_large",),
        "calibration-in-the-large",
        "observed minus predicted log-odds are equal in all groups; groups miscalibrated alike pass",
        "Kleinberg, Mullainathan & Raghavan 2017, ITCS, 43",
    ),
    NamedCriterion(
        "balance_for_positives",
        "Balance for the positive class",
        ("mean_probability_of_positives",),
        "mean probability of positives",
        "the mean predicted probability of positives is equal in all groups",
        "Kleinberg, Mullainathan & Raghavan 2017, ITCS, 43",
    ),
    NamedCriterion(
        "balance_for_negatives",
        "Balance for the negative class",
        ("mean_probability_of_negatives",),
        "mean probability of negatives",
        "the mean predicted probability of negatives is equal in all groups",
        "Kleinberg, Mullainathan & Raghavan 2017, ITCS, 43",
    ),
    NamedCriterion(
        "equal_auc",
        "Equal AUC",
        ("roc_auc",),
        "AUC within groups",
        "the ROC AUC within groups is equal",
        "Borkan, Dixon, Sorensen, Thain & Vasserman 2019, WWW Companion, 491",
    ),
)


@dataclass(frozen=True)
class CriterionResult:
    """A criterion with its largest gap and, of a rate, the least ratio."""

    criterion: NamedCriterion
    gap: Disparity
    ratio: Disparity | None

    @property
    def sentence(self) -> str:
        """What the data show of it."""
        gap = self.gap
        if gap.estimate.is_undefined or not gap.estimate.has_interval:
            return f"{self.criterion.title} cannot be assessed: {gap.estimate.reason}."
        if gap.is_shown:
            return f"{self.criterion.title} is violated: {gap.between}."
        name = f"{self.criterion.title[:1].lower()}{self.criterion.title[1:]}"
        return f"No violation of {name} was detected: {gap.between}.{_power_said(gap)}"


def _power_said(gap: Disparity) -> str:
    """Return the gap that is detected with a power of 80%, as a further sentence; or that no possible one is."""
    if gap.found_by_power is None:
        return ""
    if gap.found_by_power > possible_width(gap.measure):
        return " No possible gap would be detected with 80% power, because there are too few cases."
    return f" Gaps of {gap.found_by_power:.2f} or more would be detected with 80% power."


NAMED = 2
"""Criteria that are shown not to hold and have a sentence each; of others the names are told."""


@dataclass(frozen=True, eq=False)
class Criteria(Reportable):
    """Fairness criteria, each with its finding, and those that exclude each other.

    `c["equal_opportunity"]` is a `CriterionResult`, with `gap`, `ratio` and `sentence`.

    Attributes
    ----------
    by : str
        Names of the columns.
    judged : tuple of CriterionResult
        The criteria.
    conflicts : tuple of str
        Sentences on criteria that contradict each other at these base rates.
    level : float
        Confidence level of the intervals.
    control : tuple of str
        Columns that are held fixed. Groups were compared within their strata.
    model : str
        Name of the model, or empty.
    unasked : tuple of (str, str)
        Criteria that lack their input, such as scores, each with the reason.
    values : tuple
        Measures with the estimate of every group, `(measure, ((group, estimate), …))`.
    cases, groups : int
        Numbers of cases and groups.
    pooled : PooledGroups or None
        Small groups that were combined, if requested.
    warnings : tuple of Warned
        Codes and texts.
    """

    by: str
    judged: tuple[CriterionResult, ...]
    conflicts: tuple[str, ...] = ()
    level: float = 0.95
    control: tuple[str, ...] = ()
    model: str = ""
    unasked: tuple[tuple[str, str], ...] = ()
    values: tuple[tuple[str, tuple[tuple[Hashable, Estimate], ...]], ...] = ()
    cases: int = 0
    groups: int = 0
    pooled: PooledGroups | None = None
    warnings: tuple[Warned, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """Findings in sentences.

        They name the criteria that are shown not to hold, and those that cannot be judged with the reason.
        """
        known = [judged for judged in self if judged.gap.estimate.has_interval]
        shown = [judged for judged in known if judged.gap.is_shown]
        sentences = [judged.sentence for judged in shown[:NAMED]]
        if more := shown[NAMED:]:
            sentences.append(f"Also violated: {titles_in_text(judged.criterion.title for judged in more)}.")
        unknown = self._unknown
        if not shown and known:
            which = "No fairness criterion"
            if unknown:
                names = titles_in_text(judged.criterion.title for judged in known)
                which = f"None of the fairness criteria that can be assessed ({names})"
            shares = [
                judged for judged in known if possible_width(judged.gap.measure) == 1
            ] or known  # not on the scale of log-odds
            widest = max(shares, key=lambda judged: judged.gap.estimate.value).gap
            sentences += [
                f"{which} was found to be violated. This does not show that the criteria are met.",
                f"The largest gap{' between compared groups' if widest.left_out else ''}: {widest.between}."
                f"{_power_said(widest)}",
            ]
        if unknown:
            reasons = "; ".join(f"{titles_in_text(titles)} ({why})" for why, titles in unknown.items())
            sentences.append(f"{'No criterion can be assessed' if not known else 'Not assessed'}: {reasons}.")
        return tuple(sentences)

    @property
    def _unknown(self) -> dict[str, list[str]]:
        """The titles of criteria that cannot be judged, by their reason."""
        titles: dict[str, list[str]] = {}
        for judged in self:
            if not judged.gap.estimate.has_interval:
                titles.setdefault(judged.gap.estimate.reason or "unknown", []).append(judged.criterion.title)
        for name, why in self.unasked:
            titles.setdefault(why, []).append(name)
        return titles

    def __getitem__(self, name: str) -> CriterionResult:
        known = {judged.criterion.name: judged for judged in self.judged}
        name = name.replace("equalized", "equalised")
        if name not in known:
            raise KeyError(f"Unknown criterion {name!r}. Criteria: {', '.join(known)}.")
        return known[name]

    def __iter__(self) -> Iterator[CriterionResult]:
        return iter(self.judged)

    def __len__(self) -> int:
        return len(self.judged)

    def __repr__(self) -> str:
        return f"Criteria({len(self)} criteria by {self.by!r}; print it, or see .to_dict())"


def criteria_of(g: SubgroupSet, by: str) -> Criteria:
    """Return every named criterion that can be asked of these groups. Raises InputError of several classes."""
    refuse_classes(g.overall)
    judged, unasked = [], []
    for criterion in CRITERIA:
        if why := _why_unasked(criterion, g.overall):
            unasked.append((criterion.title, why))
            continue
        if criterion.measures == EQUALISED:
            judged.append(CriterionResult(criterion, equalised_odds_of(g), equalised_odds_ratio_of(g)))
            continue
        measure = get(criterion.measures[0])
        ratio = disparity_of(g, measure, ratio=True) if is_share(measure) else None
        judged.append(CriterionResult(criterion, disparity_of(g, measure), ratio))
    names = dict.fromkeys(name for each in judged for name in each.criterion.measures)
    return Criteria(
        by,
        tuple(judged),
        tuple(_conflicts(g)),
        g.overall.level,
        model=g.overall.model,
        unasked=tuple(unasked),
        values=tuple((name, tuple(g.estimates(get(name)).items())) for name in names),
        cases=g.overall.n,
        groups=len(g.groups),
    )


def _why_unasked(criterion: NamedCriterion, overall: Assessment) -> str:
    """Return why there is nothing to judge a criterion by, empty where there is."""
    if is_improper(overall) and of_probabilities(criterion.measures[0]):
        return overall.why_improper
    tables = (overall.table(get(name)) for name in criterion.measures)
    return next((each for each in tables if isinstance(each, str)), "")


def _conflicts(g: SubgroupSet) -> Iterator[str]:
    """Yield which criteria cannot hold together at base rates that surely differ, each with the gap that it forces.

    Selection is π t + (1 - π) f; equal precision v and recall t force f = π / (1 - π) (1 - v) / v t (Chouldechova
    2017); calibrated scores with equal means m₁ among the positives force (1 - π) m₀ = π (1 - m₁)
    (Kleinberg et al. 2017).
    """
    overall = g.overall
    base = disparity_of(g, get("prevalence"))
    if not base.is_shown or overall.confusion_matrix is None:
        return
    known = g.estimates(get("prevalence"))
    assert base.surest is not None
    _, top, bottom = base.surest
    high, low = (known[label].value for label in (top, bottom))
    gap = (
        f"a gap of at least {base.estimate.low:.3f}"
        if base.are_others_surest
        else f"a gap of {format_estimate(base.estimate)}"
    )
    yield (
        f"The prevalence differs between groups ({quote(top)} {high:.3f}, {quote(bottom)} {low:.3f}, {gap}), "
        "so not all criteria can be met together."
    )
    recall, fall_out, precision = (overall.estimate(name).value for name in (*EQUALISED, "precision"))
    informed = overall.estimate("informedness")
    if informed.has_interval and (informed.low > 0 or informed.high < 0):
        yield (
            f"With equal recall ({recall:.3f}) and equal false positive rate ({fall_out:.3f}), "
            f"predicted-positive rates differ by {abs(recall - fall_out) * (high - low):.3f}, so equalized "
            "odds excludes demographic parity."
        )
    if not isnan(precision) and 0 < precision < 1 and low > 0 and high < 1:
        forced = [p / (1 - p) * (1 - precision) / precision * recall for p in (high, low)]
        rates = " and ".join(f"{rate:.3f}" if rate <= 1 else "more than 1 (impossible)" for rate in forced)
        yield (
            f"With equal precision ({precision:.3f}) and equal recall, the false positive rates of these two "
            f"groups are {rates}, so predictive parity excludes equalized odds (Chouldechova 2017)."
        )
    yield (
        "Unless scores are perfect, scores calibrated in every group cannot have equal means in all groups, both among "
        "positives and among negatives (Kleinberg, Mullainathan & Raghavan 2017)."
    )
