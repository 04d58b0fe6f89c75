"""Comparisons in groups of cases: for whom a model is better, whether groups differ, the gate that none may fail."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import isnan
from typing import Any

from classay.assessment.group_labels import match_group
from classay.columns.spelling import groups_alike
from classay.comparison.claims import direction_of
from classay.comparison.comparison import Comparison, ahead, decisive_p, finding, size_of
from classay.comparison.comparisons import Comparisons, row_of
from classay.comparison.gate_rules import apply_rule
from classay.errors import InputError
from classay.groups.compared_groups import PooledGroups, line_of_not_recorded
from classay.groups.gate_of_groups import NAMED_OF_GROUPS, GroupGate, about_cases, gate_of_groups
from classay.groups.interactions import GapChange, Interaction, gap_change
from classay.inference.estimate import Estimate, p_equation, title
from classay.kinds import Rule
from classay.measures import get
from classay.shown import frame_of
from classay.texts import listed, quote, some


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
    means_of_groups : tuple of Estimate
        Of two graded runs, the mean of the means of groups of each run, and the difference of both.

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
    means_of_groups: tuple[Estimate, ...] = ()

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
        pairs = dict.fromkeys(
            one.models for one in self.comparisons if one.measure == name and len(one.models) == 2
        )
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
        pairs = dict.fromkeys((one.measure, one.models) for one in self.comparisons if len(one.models) == 2)
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
        return sorted(shown, key=lambda labelled: decisive_p(labelled[1]))

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
        several = len({one.models for one in self.comparisons}) > 1
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
        pooled = about_cases(self)
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
        rows = [{"group": None, "cases": None} | row_of(one) for one in self.comparisons]
        for label, comparisons in self.groups.items():
            rows += [{"group": str(label), "cases": self.cases[label]} | row_of(one) for one in comparisons]
        for one in self.not_recorded or ():
            rows.append(
                {"group": line_of_not_recorded(self.groups), "cases": self.cases_not_recorded} | row_of(one)
            )
        return frame_of(rows, kinds={"cases": "whole"})


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
    p = p_equation(decisive_p(one))
    how = (
        f", adjusted for {one.family:,} comparisons"
        if one.p_adjusted is not None and (one.family or 0) > 1
        else ""
    )
    size = size_of(one, effect)
    return f"In {quote(label)}, {first} is {word} than {second} in {title(one.measure)} by {size}; {p}{how}."


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
