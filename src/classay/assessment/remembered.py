"""Remembered: an assessment that computes each estimate and curve once, for those who show it in several ways."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property

from classay.assessment.assessment import Assessment
from classay.inference.bootstrap.scored_cases import ScoredCases
from classay.inference.estimate import Estimate
from classay.measures import MEASURES, Measure, get
from classay.once import once


@dataclass(frozen=True, eq=False)
class Remembered(Assessment):
    """An assessment, and the estimates it was asked for so far.

    Assessments themselves keep nothing, so that they stay small and plain values. One run of the command shows the
    same estimates on the terminal, in the JSON and on the page; a notebook shows the same card again and again.
    """

    known: dict[str, Estimate] = field(init=False, repr=False, default_factory=dict)
    known_of_classes: dict[Hashable, dict[str, Estimate]] = field(
        init=False, repr=False, default_factory=dict
    )

    @classmethod
    def of(cls, a: Assessment) -> Remembered:
        """The same assessment, with nothing remembered yet."""
        return cls(**{each.name: getattr(a, each.name) for each in fields(Assessment)})

    @cached_property
    def scored_cases(self) -> ScoredCases:
        """See `Assessment.scored_cases`; what curves are found once for."""
        return super().scored_cases

    def estimate(self, name: str | Measure, *, method: str | None = None) -> Estimate:
        """See `Assessment.estimate`; by the default method only once."""
        wanted = get(name)
        if method is not None or _is_unnamed(wanted):
            return super().estimate(wanted, method=method)
        if wanted.name not in self.known:
            self.known[wanted.name] = super().estimate(wanted)
        return self.known[wanted.name]

    def estimates(self, names: Iterable[str | Measure] | None = None) -> dict[str, Estimate]:
        """See `Assessment.estimates`; each of them only once."""
        wanted = self.applicable() if names is None else [get(each) for each in names]
        missing = [each for each in wanted if _is_unnamed(each) or each.name not in self.known]
        found = super().estimates(missing) if missing else {}
        self.known.update({each.name: found[each.name] for each in missing if not _is_unnamed(each)})
        known = self.known | found
        return {each.name: known[each.name] for each in wanted}

    def class_estimates(self) -> dict[Hashable, dict[str, Estimate]]:
        """See `Assessment.class_estimates`; only once."""
        if not self.known_of_classes:
            self.known_of_classes.update(super().class_estimates())
        return self.known_of_classes


def _is_unnamed(measure: Measure) -> bool:
    """Whether this is a measure of one's own, which its name does not tell from others: none of it is remembered."""
    whole = measure.plain or measure
    return not whole.family and MEASURES.get(whole.name) is not whole


def remembered(a: Assessment) -> Remembered:
    """An assessment that computes once what its pages, cards and texts show, for as long as the assessment lives.

    >>> from classay import assess
    >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
    >>> remembered(a) is remembered(a), remembered(remembered(a)) is remembered(a)
    (True, True)
    """
    return a if isinstance(a, Remembered) else _remembered(a)


@once
def _remembered(a: Assessment) -> Remembered:
    return Remembered.of(a)
