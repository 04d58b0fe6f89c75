"""What a study of several readers found: each reading, means, differences, agreement, and what must be known."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from classay.columns.numbers import counted
from classay.comparison.comparison import TEST_CASES, Comparison
from classay.comparison.named_tests import cite
from classay.errors import InputError
from classay.inference.agreement import COHEN, FLEISS
from classay.inference.estimate import Estimate, said, title
from classay.inference.reader_studies import ReaderVariances
from classay.shown import Shown
from classay.texts import listed

Fixed = Literal["readers", "cases"]
SPEARMAN = "Spearman's correlation"
AGREEMENTS = {COHEN: "cohen1960", FLEISS: "fleiss1971", SPEARMAN: "croux2010", "kappa": "fleiss1971"}
"""What agreement is told by, and the source of each."""
READERS = "readers"
BOTH = "readers and test cases"
"""What varies where neither is fixed."""


class ReaderValue(NamedTuple):
    """The value of a reader in a modality, of how many cases; whether it is among those that are compared."""

    modality: str
    reader: str
    cases: int
    estimate: Estimate
    is_compared: bool = True


class OneShot(NamedTuple):
    """The check of a difference by Gallas' U-statistics: its standard error, and p on the same degrees of freedom."""

    models: tuple[str, ...]
    standard_error: float
    p: float


class Agreement(NamedTuple):
    """How far the readers of a modality agree on the cases that all of them read."""

    modality: str
    method: str
    cases: int
    estimate: Estimate

    @property
    def reference(self) -> str:
        """The source of its method."""
        return cite(next(key for name, key in AGREEMENTS.items() if self.method.startswith(name)))


@dataclass(frozen=True, eq=False)
class MeasureOfReaders:
    """One measure of a study: each reading, the mean of each modality, the differences of the means.

    `overall` is the test of all modalities at once. `variances` are the parts of Obuchowski and Rockette's model, where
    the same readers read in all modalities; `one_shot` are the checks of the differences.
    """

    measure: str
    readings: tuple[ReaderValue, ...]
    means: Mapping[str, Estimate]
    comparisons: tuple[Comparison, ...]
    overall: Comparison | None = None
    variances: ReaderVariances | None = None
    one_shot: tuple[OneShot, ...] = ()

    def __getitem__(self, at: tuple[str, str]) -> Estimate:
        """The estimate of a modality and a reader."""
        found = [each.estimate for each in self.readings if (each.modality, each.reader) == at]
        if not found:
            raise InputError(f"there is no reading of {at!r}: pass the names of a modality and of a reader.")
        return found[0]

    @property
    def sentences(self) -> Iterator[str]:
        """What was found of the differences; of one modality, the mean."""
        yield from (each.sentence for each in self.comparisons)
        if len(self.means) == 1:
            ((modality, mean),) = self.means.items()
            count = len({each.reader for each in self.readings if each.is_compared})
            where = f" in {modality}" if modality else ""
            who = f"the mean {title(self.measure)} of {counted(count, 'reader')}{where}"
            level = f"{100 * (mean.level or 0):g} % interval"
            yield (
                f"{who[0].upper()}{who[1:]} is undefined: {mean.reason}."
                if mean.is_undefined
                else f"{who[0].upper()}{who[1:]} is {said(mean, level)}."
            )


@dataclass(frozen=True, eq=False, repr=False)
class ReaderStudy(Shown):
    """Several readers of the same cases: what `compare_readers` found.

    `measures` holds the results by the measures' names: `study["roc_auc"]` is one. `fixed` says what the claims are
    restricted to, "readers" or "cases", None for neither. `warnings` are codes and texts.

    >>> names = {"truth": "ill", "case": "case", "reader": "reader", "modality": "modality", "score": "score"}
    >>> from classay import compare_readers
    >>> compare_readers(example(), **names)
    ReaderStudy(ROC AUC, 3 readers, 2 modalities, 11 cases)
    """

    measures: Mapping[str, MeasureOfReaders]
    agreement: tuple[Agreement, ...]
    modalities: tuple[str, ...]
    readers: tuple[str, ...]
    cases: int
    facts: tuple[tuple[str, str], ...]
    positive: Hashable
    fixed: Fixed | None = None
    adjustment: str = "holm"
    level: float = 0.95
    warnings: tuple[tuple[str, str], ...] = ()

    def __getitem__(self, measure: str) -> MeasureOfReaders:
        if measure not in self.measures:
            raise InputError(
                f"there is no {measure!r} of these readers: there is {listed([*self.measures])}; scores have roc_auc, "
                "predicted labels recall and specificity."
            )
        return self.measures[measure]

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The differences of the modalities' means in all measures, whose p-values are adjusted together."""
        return tuple(each for one in self.measures.values() for each in one.comparisons)

    @property
    def random(self) -> str:
        """What varies: readers and test cases, or one of them."""
        return RANDOM[self.fixed]

    @property
    def sentence(self) -> str:
        """What was found, in plain sentences."""
        return " ".join(each for one in self.measures.values() for each in one.sentences)

    def __repr__(self) -> str:
        names = ", ".join(map(title, self.measures))
        of = [counted(len(self.readers), "reader"), _counted_modalities(self.modalities)]
        return f"ReaderStudy({names}, {', '.join(of)}, {counted(self.cases, 'case')})"


RANDOM: Mapping[Fixed | None, str] = {None: BOTH, "readers": TEST_CASES, "cases": READERS}


def _counted_modalities(modalities: Sequence[str]) -> str:
    return "1 modality" if len(modalities) == 1 else f"{len(modalities)} modalities"


def example() -> dict[str, list[Any]]:
    """Three readers who score eleven cases in two modalities, in long form.

    >>> [*example()], len(example()["score"])
    (['case', 'ill', 'reader', 'modality', 'score'], 66)
    """
    scores = {
        ("film", "Ann"): "45325124321",
        ("film", "Ben"): "35442213241",
        ("film", "Cem"): "54235132242",
        ("tomo", "Ann"): "55344122311",
        ("tomo", "Ben"): "45551213121",
        ("tomo", "Cem"): "55434121243",
    }
    rows = [
        (case, case < 5, reader, modality, int(each))
        for (modality, reader), given in scores.items()
        for case, each in enumerate(given)
    ]
    names = ("case", "ill", "reader", "modality", "score")
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
