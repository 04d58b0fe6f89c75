"""Comparisons in groups of cases: for whom a model is better, whether groups differ, the gate that none may fail."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import inf, isnan, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classay.assessment.group_labels import match_group
from classay.assessment.main_measures import FEW
from classay.columns.numbers import counted
from classay.columns.spelling import groups_alike
from classay.comparison.comparison import Comparison, ahead, finding, size_of
from classay.comparison.comparisons import Comparisons, row_of
from classay.comparison.gate_rules import Gate, Rule, apply_rule, direction_of, facts_of_gate, turned_over
from classay.errors import InputError
from classay.groups.compared_groups import PooledGroups, line_of_not_recorded, not_recorded_sentence
from classay.groups.extremes import largest_gap
from classay.inference.estimate import Estimate, level_text, p_equation, parts, title
from classay.inference.phrasing import adjusted_for
from classay.inference.requirements import Verdict
from classay.kinds import FiniteOrNone, TypedFields
from classay.measures import MEASURES, get
from classay.shown import frame_of
from classay.texts import hint, listed, quote, some

REFERENCE = "Welch 1951, Biometrika 38:330"
FEWEST = 5
"""Degrees of freedom of a variance below which a group is left out: the square of its t has no variance with 4."""


@dataclass(frozen=True)
class ModelDifference:
    """The difference of two models in a group with its variance, and how many degrees of freedom that rests on."""

    value: float
    variance: float
    degrees: float


@dataclass(frozen=True)
class GapChange(TypedFields):
    """How far the largest gap between groups in a measure changes from one model to the other, on the same cases.

    `gaps` are the gaps of both models as they are observed, `change` is that of the first minus that of the second. The
    interval of the change is a bound: no gap can change by more than the largest gap of d, the difference of the models
    in a group, and the upper limit of that gap is the one of two differences (MOVER: Zou & Donner 2008, Statistics in
    Medicine 27:1693). `groups` counts the groups that the gaps rest on; `left_out` names groups of fewer than ten cases
    and groups without spread.
    """

    models: tuple[str, str]
    measure: str
    gaps: tuple[float, float]
    change: Estimate
    groups: int
    left_out: int = 0

    @property
    def sentence(self) -> str:
        """By how much the first model widens or narrows the gap, and how sure that is; empty where nothing is known."""
        if self.change.is_undefined:
            return ""
        (first, second), (new, old) = self.models, self.gaps
        gone = (
            f" This excludes {self.left_out:,} of {self.groups + self.left_out:,} groups, which have fewer than {FEW} "
            "cases or no variation."
            if self.left_out
            else ""
        )
        at_most = ""
        if self.change.has_interval:
            at_most = (
                f" With {100 * (self.change.level or 0):g}% confidence it is at most {self.change.high:.3f} in either "
                "direction."
            )
        return (
            f"The largest gap in {title(self.measure)} between groups is {new:.3f} for {first} and {old:.3f} for "
            f"{second}. Change: {self.change.value:+.3f}.{at_most}{gone}"
        )


def _rests_on_few(one: Comparison) -> bool:
    """Check whether a group has too few cases for a gap, as `GroupAssessments.disparity` leaves it out."""
    return one.sample.n is not None and one.sample.units.endswith("cases") and one.sample.n < FEW


def gap_change(models: tuple[str, str], measure: str, comparisons: Sequence[Comparison]) -> GapChange:
    """How far the largest gap changes from the second model to the first, from their comparison in each group."""
    known = [
        one
        for one in comparisons
        if one.effect is not None
        and one.effect.has_interval
        and len(one.values) == 2
        and not _rests_on_few(one)
    ]
    left = len(comparisons) - len(known)
    if len(known) < 2:
        why = f"{len(known)} of {len(comparisons):,} groups has at least {FEW} cases and a difference that varies"
        return GapChange(models, measure, (nan, nan), Estimate.undefined(why), len(known), left)
    values = np.array([one.values for one in known])
    new, old = (float(gap) for gap in np.ptp(values, axis=0))
    change = Estimate.bare(new - old, "clusters may have rows in several groups")
    if any(one.alternative != "two-sided" for one in known):
        change = Estimate.bare(new - old, "one-sided limits of the differences do not bound a gap")
    elif not any("cluster" in one.sample.units for one in known if one.sample is not None):
        effects = [one.effect for one in known if one.effect is not None]
        low, high = get(measure).bounds if measure in MEASURES else (-inf, inf)
        reach = max(min(largest_gap(effects, effects).high, high - low), abs(new - old))
        change = Estimate(
            new - old, -reach, reach, effects[0].level, "bound by the largest gap of differences, MOVER"
        )
    return GapChange(models, measure, (new, old), change, len(known), left)


@dataclass(frozen=True, eq=False)
class Interaction(FiniteOrNone, TypedFields):
    """Test of whether the difference of two models depends on the group.

    The test is Welch's F over the differences in the groups.

    Parameters
    ----------
    models : (str, str)
        Names of the models.
    measure : str
        Name of the measure.
    statistic : float
        The statistic F.
    df : (float, float)
        Degrees of freedom of the groups and of their variances.
    p : float
        P-value, NaN if fewer than two groups remain.
    groups : int
        Number of groups in the test.
    without : tuple, optional
        The other groups, each with the reason.
    p_adjusted : float, optional
        P-value adjusted for all tests of interaction.
    reason : str, optional
        Reason for no test.
    reference : str, optional
        Source of the test.
    family : int, default 1
        Number of tests of interaction.
    """

    models: tuple[str, str]
    measure: str
    statistic: float
    df: tuple[float, float]
    p: float
    groups: int
    without: tuple[tuple[Hashable, str], ...] = ()
    p_adjusted: float = nan
    reason: str | None = None
    reference: str = REFERENCE
    family: int = 1

    @property
    def decisive(self) -> float:
        """P-value that decides, the adjusted one if there is one."""
        return self.p if isnan(self.p_adjusted) else self.p_adjusted

    def sentence(self, level: float = 0.95) -> str:
        """Write the finding of the test in a sentence.

        The sentence never claims that the difference is the same in all groups.
        """
        first, second = self.models
        measure = title(self.measure)
        if isnan(self.p):
            return (
                f"Variation of the difference in {measure} between groups ({first} minus {second}) cannot be tested: "
                f"{self.reason}."
            )
        how = adjusted_for(self.family, "tests")
        test = f"interaction {p_equation(self.decisive)}{how}, Welch's F over {self.groups:,} groups"
        if self.decisive <= 1 - level:
            return f"The difference in {measure} ({first} minus {second}) varies between groups ({test})."
        return f"The difference in {measure} ({first} minus {second}) did not vary detectably between groups ({test})."

    @property
    def omitted(self) -> str:
        """Groups outside the test with their reasons, as a sentence, or empty."""
        by_reason: dict[str, list[str]] = {}
        for label, why in self.without:
            by_reason.setdefault(why, []).append(quote(label))
        groups = [f"{_few(names)} ({why})" for why, names in by_reason.items()]
        return f"The test excludes {listed(groups)}." if groups else ""

    def __repr__(self) -> str:
        who = " minus ".join(self.models)
        if isnan(self.p):
            return f"Interaction({self.measure} of {who}: {self.reason})"
        return (
            f"Interaction({self.measure} of {who}: F = {self.statistic:.3g} on {self.df[0]:g} and {self.df[1]:.3g} df, "
            f"{p_equation(self.p)}, {self.groups} groups)"
        )


NAMED_OF_INTERACTION = 3
"""Groups that a sentence names before it counts them."""


def _few(names: list[str]) -> str:
    return listed(names) if len(names) <= NAMED_OF_INTERACTION else f"{len(names):,} groups"


def interaction(
    models: tuple[str, str], measure: str, differences: Mapping[Hashable, ModelDifference | str]
) -> Interaction:
    """Welch's test of whether two models differ by the same amount in every group; see `welch`.

    A text in place of a difference says why a group has none. Groups whose cases show no spread of the difference are
    left out and named, and so are groups whose variance has fewer than 5 degrees of freedom.
    """
    known: list[ModelDifference] = []
    without: list[tuple[Hashable, str]] = []
    for label, effect in differences.items():
        if isinstance(effect, str):
            without.append((label, effect))
        elif not effect.variance > 0:
            without.append((label, "its cases show no variation of the difference"))
        elif not effect.degrees >= FEWEST:
            without.append((label, "too few cases"))
        else:
            known.append(effect)
    left = tuple(without)
    if len(known) < 2:
        why = f"{'only one group has' if known else 'no group has'} a difference that varies"
        return Interaction(models, measure, nan, (nan, nan), nan, len(known), left, reason=why)
    values, variances, degrees = (
        np.array([getattr(effect, part) for effect in known]) for part in ("value", "variance", "degrees")
    )
    f, df, p = welch(values, variances, degrees)
    return Interaction(models, measure, f, df, p, len(known), left)


def welch(
    values: ArrayLike, variances: ArrayLike, degrees: ArrayLike
) -> tuple[float, tuple[float, float], float]:
    """F, its degrees of freedom and p of Welch's test that means with these variances are equal.

    With w = 1 / V, W their sum and d̄ the mean weighted by them, Q = Σ w (d - d̄)² is approximated by a multiple of an
    F variable on G - 1 and f degrees of freedom that has the mean G - 1 + Σ a (E t² - 1) and the variance 2 (G - 1) + Σ
    a (var t² - 2), where a = (1 - w / W)² and t is Student's with the ν, above 4, of the group. Welch took the first
    terms of these series, 2 / ν and 14 / ν in the parentheses. That is as good where groups are large, and too little
    where they are small and many: with 100 groups of 6 cases and no true difference his test rejects in 25% of samples
    and this one in 2%, with 1,000 groups of 20 cases in 7.8% and 4.8%. Welch 1951, Biometrika 38:330.

    >>> variances = [4.477e-4, 6.216e-4, 1.6911e-3, 2.58e-4]
    >>> f, df, p = welch([0.03, -4 / 150, 5 / 80, 16 / 300], variances, [199, 149, 79, 299])
    >>> round(f, 2), round(p, 3)
    (2.61, 0.052)
    """
    from scipy.special import chdtrc, fdtrc

    d, w, u = np.asarray(values, float), 1 / np.asarray(variances, float), 1 / np.asarray(degrees, float)
    first, shares = d.size - 1.0, w / w.sum()
    q = float((w * (d - float(shares @ d)) ** 2).sum())
    a = (1 - shares) ** 2
    more = float((a * 2 * u / (1 - 2 * u)).sum())
    wider = float((a * 2 * ((1 - u) / ((1 - 2 * u) ** 2 * (1 - 4 * u)) - 1)).sum())
    mean = first + more
    beyond = (first * (wider - 4 * more) - 2 * more**2) / mean**2  # (G - 1) variance / mean² - 2
    if not beyond > 0:
        return q / first, (first, inf), float(chdtrc(first, q))
    second = 4 + 2 * (first + 2) / beyond
    f = q / mean * second / (second - 2)
    return f, (first, second), float(fdtrc(first, second, f))


def adjusted_together(tests: list[Interaction], adjustment: str) -> tuple[Interaction, ...]:
    """Tests of interaction with their p-values adjusted for all of them; one alone stays as it is."""
    from classay.inference.significance import adjust

    p: Any = adjust([test.p for test in tests], adjustment) if len(tests) > 1 else [nan] * len(tests)
    family = sum(not isnan(test.p) for test in tests)
    return tuple(replace(test, p_adjusted=float(q), family=family) for test, q in zip(tests, p, strict=True))


OF_GROUPS: tuple[Rule, ...] = ("non-inferior", "not-worse")
"""Rules that groups may be held to."""
NAMED_OF_GROUPS = 4
"""Groups that a sentence names before it counts them."""


@dataclass(frozen=True)
class GroupComparisons(Comparisons):
    """Comparisons of all cases, and of the cases of each group.

    It is the `Comparisons` of all cases, and `groups["north"]` is that of a group. The p-values of groups
    are adjusted for all groups, measures and pairs of models.

    Attributes
    ----------
    by : str
        Names of the columns.
    groups : mapping
        Comparisons of each group.
    cases : mapping of int
        Number of cases of each group.
    interactions : tuple of Interaction
        Tests of whether the difference of two models depends on the group.
    emptied : tuple
        Groups in which no case is compared.
    simultaneous : sequence of Comparison
        Comparisons of all groups, one after the other, with intervals that are jointly valid for all
        groups. They are computed on first use.
    pooled : PooledGroups or None
        Small groups that were combined, if requested.
    not_recorded : Comparisons or None
        Comparisons of the cases without a group, None if every case has one. They count in all cases, and
        in no test between groups, no adjustment and no rule of groups.
    cases_not_recorded : int
        Number of cases without a group.
    gaps : tuple of str
        Columns in which these cases lack a value.

    Examples
    --------
    >>> import classay as ca
    >>> y, region = [1, 0] * 30, ["north", "north", "south"] * 20
    >>> new = [a if r == "north" else 1 - a for a, r in zip(y, region)]
    >>> c = ca.compare(y_true=y, y_pred={"new": new, "old": [1, 0, 0, 1] * 15}, by=region, measures=["accuracy"])
    >>> c.groups["south"]["accuracy"].effect.value, c.interaction("accuracy").p < 0.001
    (-0.5, True)
    """

    by: str = "group"
    groups: Mapping[Hashable, Comparisons] = field(default_factory=dict)
    cases: Mapping[Hashable, int] = field(default_factory=dict)
    interactions: tuple[Interaction, ...] = ()
    emptied: tuple[Hashable, ...] = ()
    simultaneous: Sequence[Comparison] = field(default=(), compare=False, repr=False)
    pooled: PooledGroups | None = None
    not_recorded: Comparisons | None = None
    cases_not_recorded: int = 0
    gaps: tuple[str, ...] = ()

    def group(self, label: Hashable) -> Comparisons:
        """Return the comparisons of a group.

        Parameters
        ----------
        label : label
            Label of the group, also as it is written, `sex=f, region=north`.

        Returns
        -------
        Comparisons
            The comparisons of the group.

        Raises
        ------
        InputError
            If there is no such group. The text lists the groups.
        """
        return self.groups[match_group(label, tuple(self.groups), self.by)]

    def interaction(self, measure: str, *models: str) -> Interaction:
        """Return the test of interaction in a measure.

        Parameters
        ----------
        measure : str
            Name of the measure.
        *models : str
            Names of two models, needed if there are more than two.

        Returns
        -------
        Interaction
            The test.

        Raises
        ------
        InputError
            If there is no such test.
        """
        name = measure if any(test.measure == measure for test in self.interactions) else get(measure).name
        tests = [
            test
            for test in self.interactions
            if test.measure == name and (not models or test.models == tuple(models))
        ]
        if len(tests) != 1:
            known = dict.fromkeys(
                f"{test.measure} of {' and '.join(test.models)}" for test in self.interactions
            )
            raise InputError(
                f"{len(tests)} tests of interaction match {measure!r}. Name the measure and two models. Available: "
                f"{some([*known], 5) or 'none'}."
            )
        return tests[0]

    def gap_change(self, measure: str, *models: str) -> GapChange:
        """Return the change of the largest gap between groups, first minus second model.

        Parameters
        ----------
        measure : str
            Name of the measure.
        *models : str
            Names of two models, needed if there are more than two.

        Returns
        -------
        GapChange
            The gaps of both models and their difference.

        Raises
        ------
        InputError
            If no such comparison was made.

        Examples
        --------
        >>> import classay as ca
        >>> y, sex, old = [1, 0] * 60, ["f", "f", "m"] * 40, [1, 0, 1, 1, 1, 0] * 20
        >>> new = [a if s == "f" else b for a, b, s in zip(y, old, sex)]
        >>> c = ca.compare(y_true=y, y_pred={"new": new, "old": old}, by=sex, measures=["accuracy"])
        >>> c.gap_change("accuracy").gaps
        (0.0, 0.25)
        """
        name = get(measure).name
        pairs = dict.fromkeys(one.models for one in self.each if one.measure == name and len(one.models) == 2)
        matches = [models_ for models_ in pairs if not models or models_ == models]
        if len(matches) != 1:
            known = listed([" and ".join(pair) for pair in pairs]) or "no two models"
            raise InputError(
                f"{len(matches)} pairs of models match in {name}. Pairs: {known}. Name one of them."
            )
        comparisons = [one for _, one in self.in_groups if (one.measure, one.models) == (name, matches[0])]
        return gap_change((matches[0][0], matches[0][1]), name, comparisons)

    @property
    def gap_changes(self) -> tuple[GapChange, ...]:
        """Change of the largest gap, for every pair of models in every measure."""
        pairs = dict.fromkeys((one.measure, one.models) for one in self.each if len(one.models) == 2)
        by_pair = {
            pair: [one for _, one in self.in_groups if (one.measure, one.models) == pair] for pair in pairs
        }
        return tuple(gap_change((m[0], m[1]), name, tests) for (name, m), tests in by_pair.items())

    @property
    def in_groups(self) -> list[tuple[Hashable, Comparison]]:
        """Every comparison in every group."""
        return [(label, one) for label, comparisons in self.groups.items() for one in comparisons]

    @property
    def losing(self) -> list[tuple[Hashable, Comparison]]:
        """Groups where the first model is shown to be worse, the surest first."""
        return self._shown(1)

    @property
    def winning(self) -> list[tuple[Hashable, Comparison]]:
        """Groups where the first model is shown to be better, the surest first."""
        return self._shown(0)

    def _shown(self, which: int) -> list[tuple[Hashable, Comparison]]:
        """Return where one model of a pair, the one with index `which`, is shown to be better, the surest first."""
        shown = [
            (label, one)
            for label, one in self.in_groups
            if len(one.models) == 2 and direction_of(one) and ahead(one) == one.models[which]
        ]
        return sorted(shown, key=lambda labelled: _decisive(labelled[1]))

    @property
    def sentences(self) -> tuple[str, ...]:
        """Findings in sentences.

        The groups in which the first model is worse or better come first, then the interaction, then all
        cases.
        """
        return (*self.sentences_of_groups, *super().sentences)

    @property
    def sentences_of_groups(self) -> tuple[str, ...]:
        """Findings of the groups, in sentences."""
        losing, winning = self.losing, self.winning
        several = len({one.models for one in self.each}) > 1
        shown = [
            *_told(losing, "worse", several=several),
            *_told(winning, "better", several=several),
        ]
        sentences = [*self._ruled(), *shown]
        if not sentences and any(one.rule is None and not isnan(one.p) for _, one in self.in_groups):
            sentences = [self._open()]
        changed = [change.sentence for change in self.gap_changes]
        changes = filter(None, (*changed[:NAMED_OF_GROUPS], groups_alike([*self.groups])))
        return (*sentences, *self.sentences_of_interactions, *changes, *self._gone())

    @property
    def sentences_of_interactions(self) -> list[str]:
        """The tests of interaction; of many, those that show one."""
        level, tests = self.claimed_at, self.interactions
        if len(tests) <= NAMED_OF_GROUPS:
            return [test.sentence(level) for test in tests]
        shown = [test for test in tests if test.decisive <= 1 - level]
        sentences = [test.sentence(level) for test in shown[:NAMED_OF_GROUPS]]
        more = len(tests) - len(sentences)
        if not shown:
            return [
                f"No variation of a difference between groups was detected in {more:,} tests (see below)."
            ]
        if not more:
            return sentences
        return [*sentences, f"{more:,} more tests of variation between groups are below."]

    def _ruled(self) -> list[str]:
        """In which groups a rule is shown to hold, where the comparisons are read by one."""
        by_pair: dict[tuple[str, tuple[str, ...]], list[tuple[Hashable, Comparison]]] = {}
        for label, one in self.in_groups:
            if one.rule is not None:
                by_pair.setdefault((one.measure, one.models), []).append((label, one))
        sentences = []
        for (measure, models), tests in by_pair.items():
            passed = [
                label for label, one in tests if apply_rule(one, one.rule or "superior", one.margin).passed
            ]
            contrary = [
                quote(label) for label, one in tests if finding(one) in ("worse", "not better", "differ")
            ]
            text = (
                f"{models[0]} compared with {models[1]} in {title(measure)} passes the rule {tests[0][1].rule!r} in "
                f"{len(passed):,} of {len(tests):,} groups"
            )
            if contrary:
                which = listed(contrary) if len(contrary) <= NAMED_OF_GROUPS else f"{len(contrary):,} groups"
                text += f" and fails in {which}"
            sentences.append(f"{text} (unadjusted intervals)." if len(tests) > 1 else f"{text}.")
        return sentences

    @property
    def claimed_at(self) -> float:
        """Level of a claim."""
        return next((one.claimed_at for _, one in self.in_groups), self.level)

    def _open(self) -> str:
        pairs = {one.models for _, one in self.in_groups}
        who = " and ".join(next(iter(pairs))) if len(pairs) == 1 else "two models"
        count = sum(not isnan(one.p) for _, one in self.in_groups)
        return (
            f"No difference between {who} was detected in any group of {self.by} "
            f"({'one comparison' if count == 1 else f'{count:,} comparisons, adjusted'})."
        )

    def _gone(self) -> tuple[str, ...]:
        pooled = _about_cases(self)
        if not self.emptied:
            return pooled
        names = [quote(label) for label in self.emptied]
        which = listed(names) if len(names) <= NAMED_OF_GROUPS else f"{len(names):,} groups"
        have = "has" if len(names) == 1 else "have"
        return (*pooled, f"{which} of {self.by} {have} no compared case.")

    def gate(self, rule: Rule, margin: float | None = None) -> GroupGate:
        """Hold a rule against the comparison of all cases and of each group.

        No group may be worse by more than the margin. See `gate`.

        Parameters
        ----------
        rule : {"non-inferior", "not-worse"}
            What the interval of the difference must show.
        margin : float, optional
            Largest acceptable difference, above 0 and prespecified.

        Returns
        -------
        GroupGate
            The verdict with the gate of each group.

        Raises
        ------
        InputError
            If `rule` is another one.
            If several comparisons were made.

        Notes
        -----
        The gate passes if the interval of every group shows so separately. It fails if some group is shown
        to be worse by more than the margin, at a level adjusted for the number of groups. A group that
        shows neither makes it inconclusive.
        """
        return gate_of_groups(self, rule, margin)

    def frame(self) -> Any:
        """Return a PyArrow table with one row for each comparison and group.

        Those of all cases come first, with a null group.
        """
        rows = [{"group": None, "cases": None} | row_of(one) for one in self.each]
        for label, comparisons in self.groups.items():
            rows += [{"group": str(label), "cases": self.cases[label]} | row_of(one) for one in comparisons]
        for one in self.not_recorded or ():
            rows.append(
                {"group": line_of_not_recorded(self.groups), "cases": self.cases_not_recorded} | row_of(one)
            )
        return frame_of(rows, kinds={"cases": "whole"})


def _about_cases(groups: GroupComparisons | GroupGate) -> tuple[str, ...]:
    """Return which small groups were pooled, and what becomes of the cases without a group, in sentences."""
    pooled = () if groups.pooled is None else (groups.pooled.sentence,)
    if groups.not_recorded is None:
        return pooled
    line = line_of_not_recorded(groups.groups)
    return (*pooled, not_recorded_sentence(groups.cases_not_recorded, groups.gaps or (groups.by,), line))


def _decisive(one: Comparison) -> float:
    return one.p if one.p_adjusted is None else one.p_adjusted


def _told(shown: Sequence[tuple[Hashable, Comparison]], word: str, *, several: bool) -> list[str]:
    """Return where models are worse or better, in sentences: the surest group, then the others in one.

    Of `several` pairs of models, each place is told with its pair.
    """
    if not shown:
        return []
    (label, one), *others = shown
    sentences = [sentence_in(label, one, word)]
    if len(others) > NAMED_OF_GROUPS:
        kinds = "groups, measures and pairs of models" if several else "groups and measures"
        sentences.append(f"Also {word} in {len(others):,} more {kinds}.")
    elif others:
        names = [
            (f"{' than '.join(comparison.models)} in " if several else "")
            + f"{quote(group)} ({title(comparison.measure)})"
            for group, comparison in others
        ]
        sentences.append(f"Also {word}{':' if several else ' in'} {listed(names)}.")
    return sentences


def sentence_in(label: Hashable, one: Comparison, word: str) -> str:
    """Return the sentence that the first model of a pair is worse or better in a group, with its interval and p."""
    effect, (first, second) = one.effect, one.models
    assert effect is not None
    p = p_equation(_decisive(one))
    how = (
        f", adjusted for {one.family:,} comparisons"
        if one.p_adjusted is not None and (one.family or 0) > 1
        else ""
    )
    size = size_of(one, effect)
    return f"In {quote(label)}, {first} is {word} than {second} in {title(one.measure)} by {size}; {p}{how}."


@dataclass(frozen=True)
class GroupGate(Gate):
    """Rule held against all cases and against each group.

    Attributes
    ----------
    by : str
        Names of the columns.
    groups : mapping of Gate
        Gate of each group.
    simultaneous : mapping of Estimate
        Differences with intervals that are jointly valid for all groups (Bonferroni). A group fails if its
        high end is below minus the margin.
    pooled : PooledGroups or None
        Small groups that were combined, if requested.
    not_recorded : Gate or None
        Gate of the cases without a group, None if every case has one. It is shown, and adds nothing to the
        gate of all cases, which include them.
    cases_not_recorded : int
        Number of cases without a group.
    gaps : tuple of str
        Columns in which these cases lack a value.
    """

    by: str = "group"
    groups: Mapping[Hashable, Gate] = field(default_factory=dict)
    simultaneous: Mapping[Hashable, Estimate] = field(default_factory=dict)
    pooled: PooledGroups | None = None
    not_recorded: Gate | None = None
    cases_not_recorded: int = 0
    gaps: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Verdict over all cases and groups.

        It is fail if all cases or a group fail, inconclusive if all cases or a group are so, else pass.
        """
        return Verdict.of([self.whole.verdict, *map(self.verdict_in, self.groups)])

    @property
    def whole(self) -> Gate:
        """Gate of all cases."""
        return Gate(self.rule, self.margin, self.comparison, self.difference, self.outcome)

    def verdict_in(self, label: Hashable) -> Verdict:
        """Return the verdict of a group."""
        gate = self.groups[label]
        verdict = self.conditions.verdict(gate.difference, self.simultaneous[label])
        # what draws or missing predictions leave open of the group's own interval stays open
        return gate.verdict if verdict is Verdict.PASS and gate.outcome.verdict is Verdict.PASS else verdict

    def in_state(self, verdict: Verdict) -> list[Hashable]:
        """Return the groups with this verdict, the worst first."""
        labels = [label for label in self.groups if self.verdict_in(label) is verdict]
        return sorted(labels, key=lambda label: _least(self.groups[label].difference))

    @property
    def sentence(self) -> str:
        """All `sentences` in one text."""
        return " ".join(self.sentences)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Findings in sentences.

        The basis of the verdict comes first, then the groups that fail or are inconclusive, then all cases.
        """
        sentences: list[str] = []
        measure, (first, second) = title(self.comparison.measure), self.comparison.models
        failed, unclear = self.in_state(Verdict.FAIL), self.in_state(Verdict.UNDECIDED)
        by = "" if self.margin is None else f" by more than the margin of {self.margin:g}"
        turn = direction_of(self.comparison)
        sentences += [
            f"In {quote(label)}, {first} is worse than {second} in {measure}{by} "
            f"({_interval_of(self.simultaneous[label], turn)}, adjusted for {len(self.groups):,} groups)."
            for label in failed[:NAMED_OF_GROUPS]
        ]
        if len(failed) > NAMED_OF_GROUPS:
            sentences.append(f"{len(failed) - NAMED_OF_GROUPS:,} more groups are worse{by}.")
        if unclear:
            names = [
                f"{quote(label)} ({_interval_of(self.groups[label].difference, turn)})"
                for label in unclear[:NAMED_OF_GROUPS]
            ]
            more = (
                f", and {len(unclear) - NAMED_OF_GROUPS:,} more groups"
                if len(unclear) > NAMED_OF_GROUPS
                else ""
            )
            sentences.append(
                f"The comparison is {'also ' if failed else ''}inconclusive in {counted(len(unclear), 'group')}: "
                f"{'; '.join(names)}{more}."
            )
        if not sentences:
            margin = "" if self.margin is None else f" at a margin of {self.margin:g}"
            sentences.append(f"{passed_in_groups(self, measure, margin)}.")
        sentences += _about_cases(self)
        all_cases = f"All cases: {self.whole.sentence}"
        # then the verdict rests on all cases
        leads = not failed and (
            self.whole.verdict is Verdict.FAIL or (self.whole.verdict is Verdict.UNDECIDED and not unclear)
        )
        return (all_cases, *sentences) if leads else (*sentences, all_cases)


def passed_in_groups(gate: GroupGate, measure: str, margin: str) -> str:
    """Return that every group passes, without the full stop; `margin` are the words on it, empty without one."""
    new, old = gate.comparison.models
    if gate.rule == "non-inferior":
        where = f"all {len(gate.groups):,} groups" if len(gate.groups) > 1 else "the only group"
        return f"{new} is non-inferior to {old} in {measure} in {where} of {gate.by}{margin}"
    where = f"any of the {len(gate.groups):,} groups" if len(gate.groups) > 1 else "the only group"
    beyond = margin.replace(" at a margin", " beyond the margin", 1)
    return f"No loss{beyond} of {new} compared with {old} in {measure} was detected in {where} of {gate.by}"


def _least(difference: Estimate) -> float:
    return difference.high if difference.has_interval else inf


def _interval_of(difference: Estimate, turn: int) -> str:
    """Return a difference that was turned so that more is better, as it is, first minus second, with its interval."""
    if not difference.has_interval:
        return f"{difference.reason}"
    value, low, high = parts(difference if turn > 0 else turned_over(difference))
    return f"difference {value}, {level_text(difference.level)} {low} to {high}"


def gate_of_groups(comparisons: GroupComparisons, rule: Rule, margin: float | None) -> GroupGate:
    """Return a rule held against all cases and every group.

    Groups pass by their own unadjusted intervals, because each of them must pass (Berger 1982, Technometrics 24:295). A
    group fails by an interval of level 1 - (1 - level) / groups. A p-value read off the end of one interval would be
    too small in groups of few cases: with 40 groups of 30 cases and equal models, some group failed in 5 to 7% of
    samples; by these intervals, in at most 1%.
    """
    if rule not in OF_GROUPS:
        raise InputError(
            f"Groups can be tested only with the rules {listed(list(OF_GROUPS))}, not {rule!r}. Remove "
            f"{hint('by=', '--by')} to test all cases."
        )
    if len(comparisons) != 1:
        raise InputError(
            f"A gate needs one comparison, but has {len(comparisons)}. Compare two models in one measure."
        )
    gate = apply_rule(comparisons[0], rule, margin)
    gates = {label: apply_rule(group[0], rule, margin) for label, group in comparisons.groups.items()}
    wide = [apply_rule(one, rule, margin).difference for one in comparisons.simultaneous]
    of_all_cases = (gate.rule, gate.margin, gate.comparison, gate.difference, gate.outcome)
    at_once = dict(zip(gates, wide, strict=True))
    facts = facts_of_gate(comparisons.facts)
    return GroupGate(
        *of_all_cases,
        facts=facts,
        warnings=comparisons.warnings,
        by=comparisons.by,
        groups=gates,
        simultaneous=at_once,
        pooled=comparisons.pooled,
        not_recorded=None
        if comparisons.not_recorded is None
        else apply_rule(comparisons.not_recorded[0], rule, margin),
        cases_not_recorded=comparisons.cases_not_recorded,
        gaps=comparisons.gaps,
    )


def with_groups(
    overall: Comparisons,
    by: str,
    groups: Iterable[tuple[Hashable, int, Sequence[Comparison]]],
    interactions: tuple[Interaction, ...],
    emptied: tuple[Hashable, ...],
    simultaneous: Sequence[Comparison],
) -> GroupComparisons:
    """Comparisons of all cases with those of their groups, each with its number of cases."""
    columns: dict[str, Any] = {each.name: getattr(overall, each.name) for each in fields(Comparisons)}
    by_label, cases = {}, {}
    for label, n, in_group in groups:
        by_label[label] = Comparisons(
            tuple(in_group),
            overall.models,
            (("group", quote(label)), ("cases", f"{n:,}")),
            overall.level,
            overall.seed,
        )
        cases[label] = n
    columns["facts"] = (*overall.facts, ("groups", f"{len(by_label):,} by {by}"))
    return GroupComparisons(
        **columns,
        by=by,
        groups=by_label,
        cases=cases,
        interactions=interactions,
        emptied=emptied,
        simultaneous=simultaneous,
    )
