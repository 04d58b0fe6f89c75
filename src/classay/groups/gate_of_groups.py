"""The gate that a model may fail in no group."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

from classay.columns.numbers import counted
from classay.comparison.claims import direction_of
from classay.comparison.gate_rules import Gate, apply_rule, facts_of_gate, turned_over
from classay.errors import InputError
from classay.groups.compared_groups import PooledGroups, line_of_not_recorded, not_recorded_sentence
from classay.inference.estimate import Estimate, level_text, parts, title
from classay.inference.requirements import Verdict
from classay.kinds import Rule
from classay.renamed import former
from classay.texts import hint, listed, quote

if TYPE_CHECKING:
    from classay.groups.by_group import GroupComparisons


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
        return Verdict.of([self.all_cases.verdict, *map(self.verdict_in, self.groups)])

    @property
    def all_cases(self) -> Gate:
        """Gate of all cases."""
        return Gate(self.rule, self.margin, self.comparison, self.difference, self.outcome)

    whole = former("GroupGate.whole", "all_cases")

    def verdict_in(self, label: Hashable) -> Verdict:
        """Return the verdict of a group."""
        gate = self.groups[label]
        verdict = self.conditions.verdict(gate.difference, self.simultaneous[label])
        # what draws or missing predictions leave open of the group's own interval stays open
        return gate.verdict if verdict is Verdict.PASS and gate.outcome.verdict is Verdict.PASS else verdict

    @property
    def tested_groups(self) -> tuple[tuple[str, Verdict, str], ...]:
        """The verdict on each group, by its name, with the difference on which it rests."""
        turn = direction_of(self.comparison)
        verdicts = {label: self.verdict_in(label) for label in self.groups}
        return tuple(
            (
                f"{self.by} = {label}",
                verdict,
                f"{verdict.word.upper()} in {quote(label)}: "
                + _interval_of(
                    self.simultaneous[label] if verdict is Verdict.FAIL else self.groups[label].difference,
                    turn,
                ),
            )
            for label, verdict in verdicts.items()
        )

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
        sentences += about_cases(self)
        all_cases = f"All cases: {self.all_cases.sentence}"
        # then the verdict rests on all cases
        leads = not failed and (
            self.all_cases.verdict is Verdict.FAIL
            or (self.all_cases.verdict is Verdict.UNDECIDED and not unclear)
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


OF_GROUPS: tuple[Rule, ...] = ("non-inferior", "not-worse")
"""Rules that groups may be held to."""
NAMED_OF_GROUPS = 4
"""Groups that a sentence names before it counts them."""


def about_cases(groups: GroupComparisons | GroupGate) -> tuple[str, ...]:
    """Return which small groups were pooled, and what becomes of the cases without a group, in sentences."""
    pooled = () if groups.pooled is None else (groups.pooled.sentence,)
    if groups.not_recorded is None:
        return pooled
    line = line_of_not_recorded(groups.groups)
    return (*pooled, not_recorded_sentence(groups.cases_not_recorded, groups.gaps or (groups.by,), line))
