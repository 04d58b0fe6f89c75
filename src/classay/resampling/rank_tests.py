"""Models over many data sets: one value of each on every data set, and tests by ranks.

The tests are Wilcoxon's and the sign test for two models, Friedman's and Nemenyi's for more.

What is random is the data set: the claim is about further data sets like these. Wilcoxon's test with Holm's
adjustment is the default for any number of models: unlike tests of mean ranks, its answer for two models does not
depend on which others are in the table (Benavoli, Corani & Mangili 2016, JMLR 17(5)).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations, product
from math import exp, factorial, inf, lgamma, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classay.answers import MissingLabels
from classay.columns.numbers import counted
from classay.columns.opened import with_narwhals
from classay.comparison.claims import POWER
from classay.comparison.comparison import (
    OF_RANKS,
    Comparison,
    Criterion,
    SignificanceTest,
    UnitsTested,
    adjusted,
)
from classay.comparison.named_tests import DATA_SETS, ComparedInput, cite, test
from classay.errors import InputError
from classay.inference.estimate import Estimate, direction
from classay.kinds import is_mapping
from classay.texts import an, hint

Array = NDArray[Any]
SMALL = 1e-3
"""Share of the usual size of two models' values below which rounding is judged as if they were so large."""
OR_DROP = "or compare any two models on their shared data sets with " + hint(
    "missing='drop'", "--missing drop"
)


@dataclass(frozen=True, eq=False)
class Results:
    """The value of a measure for each data set and model, shape `(datasets, models)`.

    `better` is 1 where higher is better and -1 where lower is, as of a loss. Every model has a value on every data
    set, the mean of at least and at most so many `runs`; where some lack one (NaN), which was allowed, two models are
    compared over the data sets that both have, and all together by Skillings and Mack's test. `unbounded` says of a
    model why its values are bounded by no sample, such as log-losses with scores of exactly 0 or 1: its differences
    have a value, no interval and no test.
    """

    models: tuple[str, ...]
    datasets: tuple[Hashable, ...]
    values: Array
    measure: str = "value"
    better: int = 1
    runs: tuple[int, int] = (1, 1)
    unbounded: Mapping[str, str] = field(default_factory=dict)
    unit: str = "runs"

    def of(self, model: str) -> Array:
        """Return the values of one model, `(datasets,)`. Raises InputError for an unknown one."""
        if model not in self.models:
            raise InputError(f"Unknown model {model!r}. Models: {', '.join(self.models)}.")
        return np.asarray(self.values[:, self.models.index(model)])

    @property
    def missing(self) -> int:
        """How many values are missing."""
        return int(np.isnan(self.values).sum())

    def shared(self, first: str, second: str) -> Results:
        """Return the results of two models on the data sets that both have; all of them where no value is missing."""
        if not self.missing:
            return self
        both = np.stack([self.of(first), self.of(second)], 1)
        rows = np.flatnonzero(~np.isnan(both).any(1))
        return replace(
            self, models=(first, second), datasets=tuple(self.datasets[k] for k in rows), values=both[rows]
        )

    def differences(self, first: str, second: str) -> Array:
        """First minus second, `(datasets,)`; what agrees but for rounding is no difference, or a tie."""
        return _apart(self.of(first), self.of(second))

    @property
    def ranks(self) -> Array:
        """The rank of each model on each data set, 1 the best, ties sharing the middle one; `(datasets, models)`.

        >>> wide_results({"a": [0.9, 0.8], "b": [0.7, 0.8], "c": [0.8, 0.7]}).ranks.tolist()
        [[1.0, 3.0, 2.0], [1.5, 1.5, 3.0]]
        """
        values = self.better * self.values
        differences = _apart(values[:, None, :], values[:, :, None])
        above, same = (differences > 0).sum(2), (differences == 0).sum(2)
        return np.asarray(np.where(np.isnan(values), np.nan, above + (same + 1) / 2))

    @property
    def mean_ranks(self) -> Array:
        """The mean rank of each model over the data sets, `(models,)`."""
        return np.asarray(self.ranks.mean(0))


PAIRS = ComparedInput[Results, Comparison]("pairs of models")
ALL_MODELS = ComparedInput[Results, list[Comparison]]("all models")
A_CONTROL = ComparedInput[Results, list[Comparison]]("a control")
"""What tests over data sets are of."""


def _apart(first: Array, second: Array) -> Array:
    """First minus second, data sets first, without what floating point adds to decimals of the size of these two.

    No other data set and no other model changes it, but that beside values of the usual size of the two what is a
    rounding of 0 counts as 0.
    """
    size = np.maximum(np.abs(first), np.abs(second))
    known = np.where(np.isnan(size), np.inf, size)
    usual = np.partition(known, (len(known) - 1) // 2, axis=0)[(len(known) - 1) // 2]
    size = np.maximum(size, SMALL * np.where(np.isfinite(usual), usual, 0.0))
    places = 12 - np.ceil(np.log10(np.maximum(np.where(np.isnan(size), 1.0, size), 1e-290))).astype(np.int64)
    difference = np.asarray(first - second)
    for decimals in np.unique(places).tolist():
        at = places == decimals
        difference[at] = np.round(difference[at], decimals)
    return difference


def wide_results(
    frame: Any,
    models: Sequence[str] | None = None,
    *,
    dataset: str | None = None,
    measure: str = "value",
    better: int | None = None,
    missing: MissingLabels = "refuse",
) -> Results:
    """Results from one column a model: any dataframe, or a dict of columns.

    `better` is 1 where higher values are better and -1 where lower ones are; by default as the measure says, and 1
    where it is not known. `models` names the columns, by default all but `dataset`, the column with the names of the
    data sets. With missing="drop" models may lack values (NaN).

    >>> wide_results({"set": ["iris", "wine"], "a": [0.9, 0.8], "b": [0.7, 0.9]}, dataset="set").models
    ('a', 'b')
    """
    names = list(models) if models is not None else [column for column in _names(frame) if column != dataset]
    columns = columns_of(frame, [*names, *([dataset] if dataset is not None else [])])
    table = np.stack([numbers_of(columns[name], name) for name in names], 1) if names else np.empty((0, 0))
    sets = range(len(table)) if dataset is None else listed_values(columns[dataset])
    if len({*sets}) < len(sets):
        raise InputError("A data set has two rows. Average its runs first, or pass a long frame with run=.")
    return checked_results(names, tuple(sets), table, measure, better, missing)


def long_results(
    frame: Any,
    *,
    dataset: str,
    model: str,
    value: str,
    run: str | None = None,
    measure: str | None = None,
    better: int | None = None,
    missing: MissingLabels = "refuse",
) -> Results:
    """Results from a long frame with the columns of data set, model and value; runs are averaged first.

    Raises InputError for a pair of data set and model without a value, unless missing="drop" allows it, or with several
    and no `run`, and for values of which it is not known whether more is better, unless `better` says so.

    >>> frame = {"d": [1, 1, 2, 2], "m": ["a", "b", "a", "b"], "v": [0.9, 0.8, 0.7, 0.9]}
    >>> long_results(frame, dataset="d", model="m", value="v", better=1).values.tolist()
    [[0.9, 0.8], [0.7, 0.9]]
    """
    columns = columns_of(frame, [dataset, model, value, *([run] if run is not None else [])])
    sets, models = (listed_values(columns[name]) for name in (dataset, model))
    numbers = numbers_of(columns[value], value)
    runs = [None] * len(sets) if run is None else listed_values(columns[run])
    cells: dict[tuple[Hashable, Hashable], dict[Hashable, float]] = {}
    for where, which, number in zip(zip(sets, models, strict=True), runs, numbers.tolist(), strict=True):
        cell = cells.setdefault(where, {})
        if which in cell:
            more = "" if run is None else f" for run {which!r}"
            raise InputError(
                f"Data set {where[0]!r} and model {where[1]!r} have two values{more}. Name the column of runs "
                f"({hint('run=', '--run')}) to average them, or remove one value."
            )
        cell[which] = number
    each_set, each_model = list(dict.fromkeys(sets)), list(dict.fromkeys(models))
    empty = [where for where in product(each_set, each_model) if where not in cells]
    if empty and missing != "drop":
        raise InputError(
            f"{len(empty)} of {len(each_set) * len(each_model)} pairs of data set and model have no value, "
            f"for example {empty[0][1]!r} on {empty[0][0]!r}. Exclude the data set or the model, {OR_DROP}."
        )
    nothing = {0: float("nan")}
    table = [[float(np.mean([*cells.get((d, m), nothing).values()])) for m in each_model] for d in each_set]
    names = [str(label) for label in each_model]
    name = measure or value
    results = checked_results(
        names, tuple(each_set), np.array(table), name, direction_of(name, better), missing
    )
    counts = [len(cell_values) for cell_values in cells.values()]
    return replace(results, runs=(min(counts), max(counts)))


def direction_of(measure: str, better: int | None) -> int:
    """Return 1 if higher values are better, else -1. Raises InputError where that is not known."""
    if better is None and not direction(measure):
        raise InputError(
            f"The better direction of {measure!r} is not set. "
            + hint("Pass better='higher' or better='lower'.", "Use --better higher or --better lower.")
        )
    return better or direction(measure)


def checked_results(
    models: list[str],
    datasets: tuple[Hashable, ...],
    values: Array,
    measure: str,
    better: int | None,
    missing: MissingLabels,
) -> Results:
    """Return results. Raises InputError for values that are not numbers, and fewer than two models or data sets."""
    if len(models) < 2 or len(datasets) < 2:
        raise InputError(
            f"At least two models and two data sets are needed, but there are {counted(len(models), 'model')} and "
            f"{counted(len(datasets), 'data set')}."
        )
    bad = np.argwhere(np.isinf(values) if missing == "drop" else ~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise InputError(
            f"{counted(len(bad), 'value')} {'is' if len(bad) == 1 else 'are'} not defined or infinite, "
            f"for example {models[column]!r} on {datasets[row]!r}. Exclude the data set or the "
            f"model{(f', {OR_DROP}' if np.isnan(values).any() else '')}."
        )
    return Results(tuple(models), datasets, values, measure, better or direction(measure) or 1)


def _names(frame: Any) -> list[str]:
    if is_mapping(frame):
        return list(frame)
    known = with_narwhals(frame, pass_through=True)
    if known is frame:
        raise InputError(
            f"Results must be a dataframe or a dict of columns, but are {an(type(frame).__name__)}."
        )
    return list(known.collect_schema().names())


def columns_of(frame: Any, names: list[str]) -> dict[str, Any]:
    """Return the named columns of a frame."""
    from classay.sources.inputs import frame_columns

    return frame_columns(frame, names)


def listed_values(column: Any) -> list[Any]:
    """Return the values of a column; Arrow's own way, for NumPy's would load pandas, and lists as they are."""
    if isinstance(column, list):  # NumPy would make text of what is missing among text
        return column
    values: list[Any] = column.to_pylist() if hasattr(column, "to_pylist") else np.asarray(column).tolist()
    return values


def numbers_of(column: Any, name: str) -> Array:
    """Return the values of a column as numbers. Raises InputError for others."""
    try:
        return np.asarray(listed_values(column) if hasattr(column, "to_pylist") else column, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"Column {name!r} is not numeric. In a wide frame each column is a model, so remove it. For a "
            f"long frame, {hint('pass model= and value=', 'use --model and --value')}."
        ) from error


EXACT = 200
"""Up to so many differences p-values and intervals are exact."""


class SignedRanks(NamedTuple):
    """Sums of the ranks of the positive and of the negative differences, and the ranks themselves."""

    positive: float
    negative: float
    ranks: Array


def signed_ranks(differences: Array) -> SignedRanks:
    """Ranks of the sizes of the differences that are not zero; ties share the middle rank.

    >>> signed = signed_ranks(np.array([0.2, -0.1, 0.0, 0.2]))
    >>> float(signed.positive), float(signed.negative), signed.ranks.tolist()
    (5.0, 1.0, [2.5, 1.0, 2.5])
    """
    kept = differences[differences != 0]
    sizes = np.abs(kept)
    below = (sizes[None, :] < sizes[:, None]).sum(1)
    same = (sizes[None, :] == sizes[:, None]).sum(1)
    ranks = below + (same + 1) / 2
    return SignedRanks(float(ranks[kept > 0].sum()), float(ranks[kept < 0].sum()), ranks)


def p_value(signed: SignedRanks) -> float:
    """Two-sided p of signed ranks: from all 2^n signs of these very ranks, or the normal limit beyond 200.

    >>> p_value(signed_ranks(np.array([0.01, -0.02, 0.03, 0.06, 0.05, 0.08, 0.07, 0.09])))
    0.0234375
    """
    least = min(signed.positive, signed.negative)
    if signed.ranks.size == 0:
        return 1.0
    if signed.ranks.size > EXACT:
        return _normal_p(signed)
    chances = _distribution(np.rint(2 * signed.ranks).astype(np.int64))
    return float(min(1.0, 2 * chances[: round(2 * least) + 1].sum()))


def tails(signed: SignedRanks) -> tuple[float, float] | None:
    """One-sided p of more and of less, from the same signs; None beyond 200, where the limit has no steps.

    >>> tails(signed_ranks(np.array([0.1, 0.2, -0.3])))
    (0.625, 0.625)
    """
    if signed.ranks.size > EXACT:
        return None
    chances = _distribution(np.rint(2 * signed.ranks).astype(np.int64))
    more, less = (
        float(min(1.0, chances[: round(2 * other) + 1].sum())) for other in (signed.negative, signed.positive)
    )
    return more, less


def _normal_p(signed: SignedRanks) -> float:
    """Return the normal limit, with the variance of the ranks as they are (ties shared)."""
    from scipy.special import ndtr

    spread = np.sqrt((signed.ranks**2).sum() / 4)
    return float(2 * ndtr(-abs(signed.positive - signed.ranks.sum() / 2) / spread))


def _distribution(ranks: Array) -> Array:
    """Chances of each sum of a random subset of whole numbers, index by the sum."""
    chances = np.zeros(int(ranks.sum()) + 1)
    chances[0] = 1.0
    for rank in ranks.tolist():
        moved = np.zeros_like(chances)
        moved[rank:] = chances[: chances.size - rank]
        chances = (chances + moved) / 2
    return chances


def pseudomedian(differences: Array, level: float, units: str = "data sets") -> Estimate:
    """The Hodges-Lehmann estimate, the median of the means of all pairs, with the interval that inverts the test.

    The interval runs from the c-th least to the c-th greatest of the n(n + 1)/2 means, c the critical sum of ranks
    of n differences without ties. None where n is too small for the level. Hodges & Lehmann 1963, Ann. Math. Stat.
    34:598.
    """
    n = differences.size
    i, j = np.triu_indices(n)
    walsh = np.sort((differences[i] + differences[j]) / 2)
    value = float(np.median(walsh))
    if not differences.any():
        return Estimate.bare(0.0, f"both have the same value on all {units}, which shows no variation")
    critical = _critical(n, (1 - level) / 2)
    if critical == 0:
        return Estimate.bare(value, f"{n} {units} are too few for an interval at level {level:g}")
    low, high = float(walsh[critical - 1]), float(walsh[-critical])
    return Estimate(value, low, high, level, "Hodges-Lehmann, signed ranks")


def _critical(n: int, tail: float) -> int:
    """Return how many sums of ranks, from 0 up, have together at most the chance `tail`."""
    if n > EXACT:
        from scipy.special import ndtri

        return int(n * (n + 1) / 4 + ndtri(tail) * np.sqrt(n * (n + 1) * (2 * n + 1) / 24))
    chances = _distribution(np.arange(1, n + 1))
    return int((np.cumsum(chances) <= tail * (1 + 1e-12)).sum())


RANDOM = "data sets"
UNEQUAL = "data sets with a difference"
"""What a measure of mean ranks is called, before the name of that of the values."""


@test("wilcoxon", "Wilcoxon signed-rank", where=DATA_SETS, of=PAIRS, references=("wilcoxon1945",))
def wilcoxon(results: Results, first: str, second: str, *, level: float = 0.95) -> Comparison:
    """Wilcoxon's signed-rank test of two models, exact up to 200 data sets, ties included.

    Data sets without a difference are left out, as Wilcoxon did; ties share the middle rank, and p comes from all
    2^n signs of the ranks at hand. (Demšar 2006 splits the zeros between both sums: 0.0110 where this has 0.0107.)
    The effect is the Hodges-Lehmann median of the differences. With n left, p is at least 2^(1 - n): with fewer than
    six nothing can be shown at 0.05, and the result says so. Wilcoxon 1945, Biometrics Bulletin 1:80.

    >>> a, b = [0.81, 0.75, 0.92, 0.66, 0.70, 0.88, 0.79, 0.84], [0.80, 0.77, 0.89, 0.60, 0.65, 0.80, 0.72, 0.75]
    >>> wilcoxon(wide_results({"new": a, "old": b}, measure="accuracy"), "new", "old")
    Comparison(accuracy of new minus old: 0.050 [0.010, 0.080] 95%, Hodges-Lehmann, signed ranks; p = 0.023, ...)
    """
    differences = results.differences(first, second)
    signed = signed_ranks(differences)
    n = signed.ranks.size
    method = f"Wilcoxon signed-rank, {'exact' if n <= EXACT else 'normal limit'}"
    return pairwise_result(
        results,
        (first, second),
        pseudomedian(differences, level),
        p_value(signed),
        method,
        SignificanceTest(
            min(signed.positive, signed.negative),
            reference=cite("wilcoxon1945"),
            side=sign(signed.positive - signed.negative),
            tails=tails(signed),
            reason=too_few(n, 1 - level),
            note=_of_ties(differences.size - n),
        ),
        level=level,
        sample=UnitsTested(n, UNEQUAL, _needed(_share_of_pairs(differences[differences != 0]), 3, level)),
    )


@test("sign", "sign test", where=DATA_SETS, of=PAIRS, references=("dixon1946",))
def sign_test(results: Results, first: str, second: str, *, level: float = 0.95) -> Comparison:
    """The sign test of two models: on how many data sets the first is better, among those with a difference.

    Exact and two-sided; the effect is the median difference with its interval from order statistics. Weaker than
    Wilcoxon's test; it needs no symmetry. Dixon & Mood 1946, JASA 41:557.
    """
    from scipy.special import bdtr

    differences = results.differences(first, second)
    better, n = int((differences > 0).sum()), int((differences != 0).sum())
    p = float(min(1.0, 2 * bdtr(min(better, n - better), n, 0.5))) if n else 1.0
    ordered, size = np.sort(differences), differences.size
    cut = int((bdtr(np.arange(size), size, 0.5) <= (1 - level) / 2).sum())
    if cut:
        low, high = float(ordered[cut - 1]), float(ordered[-cut])
        effect = Estimate(float(np.median(ordered)), low, high, level, "order statistics")
    else:
        why = f"{size} data sets are too few for an interval at level {level:g}"
        effect = Estimate.bare(float(np.median(ordered)), why)
    return pairwise_result(
        results,
        (first, second),
        effect,
        p,
        "sign test, exact",
        SignificanceTest(
            float(better),
            reference=cite("dixon1946"),
            side=sign(2 * better - n),
            tails=(float(bdtr(n - better, n, 0.5)), float(bdtr(better, n, 0.5))) if n else (1.0, 1.0),
            reason=too_few(n, 1 - level),
            note=_of_ties(size - n),
        ),
        level=level,
        sample=UnitsTested(n, UNEQUAL, _needed(better / n if n else 0.5, 4, level)),
    )


def sign(value: float) -> int:
    """-1, 0 or 1."""
    return (value > 0) - (value < 0)


def _of_ties(ties: int) -> str:
    """Return why the test of signs or signed ranks and an estimate of all differences need not agree."""
    if not ties:
        return ""
    sets = "1 data set" if ties == 1 else f"{ties} data sets"
    return (
        f"the test excludes {sets} without a difference, and the estimate includes "
        f"{('it' if ties == 1 else 'them')}"
    )


def too_few(n: int, alpha: float, units: str = "data sets") -> str | None:
    """Return that so few units with a difference cannot show one, with the least p that they can have; else None."""
    least = 2.0 ** (1 - n) if n else 1.0
    if least <= alpha * (1 + 1e-9):
        return None
    return (
        f"{n} {units} with a difference are too few for a significant result (smallest possible p "
        f"{least:.3g}, one-sided {least / 2:.3g})"
    )


def pairwise_result(
    results: Results,
    models: tuple[str, str],
    effect: Estimate,
    p: float,
    method: str,
    test: SignificanceTest,
    *,
    level: float,
    sample: UnitsTested | None = None,
) -> Comparison:
    """Return what a test of two models found; without a `sample`, of all data sets."""
    return Comparison(
        models,
        results.measure,
        effect,
        p,
        method,
        RANDOM,
        values=tuple(float(results.of(model).mean()) for model in models),
        test=test,
        sample=sample or UnitsTested(len(results.datasets), "data sets"),
        criterion=Criterion(better=results.better, level=level),
    )


def _share_of_pairs(differences: Array) -> float:
    """Return the share of the pairs of data sets whose differences have a mean above 0, means of 0 counting half."""
    i, j = np.triu_indices(differences.size, 1)
    sums = differences[i] + differences[j]
    return float(((sums > 0) + (sums == 0) / 2).mean()) if sums.size else 0.5


def _needed(share: float, factor: int, level: float) -> float | None:
    """Data sets with a difference at which such a share has a power of 80%: (z_α/2 + z_β)² / (factor (share - ½)²).

    The factor is 3 for signed ranks and 4 for signs. Noether 1987, JASA 82:645.
    """
    from scipy.special import ndtri

    if share == 0.5:
        return None
    return float((ndtri(0.5 + level / 2) + ndtri(POWER)) ** 2 / (factor * (share - 0.5) ** 2))


MOST_RANKS = 2_000_000
"""Sums of ranks in random order, of all steps together, up to which Friedman's test is exact."""


def friedman(results: Results, *, level: float = 0.95) -> Comparison:
    """Friedman's test that all models rank alike, exact for few data sets and models; the statistic is Iman's F.

    χ² = (k - 1) Σ (R_j - n(k + 1)/2)² / (Σ ranks² - n k (k + 1)²/4), and F = (n - 1) χ² / (n(k - 1) - χ²). Without
    ties χ² is Demšar's; with them it is larger (his table 6: 10.23, not 9.28). p is the share of all orders of each
    data set's ranks, ties as they are, that have as large a χ². Where these are too many, F has the d and d (n - 1)
    degrees of freedom with which the mean and the variance of χ² are those over all orders: d = k - 1 - 2/n without
    ties, where Iman and Davenport take k - 1. A data set on which all models tie changes no p. Raises InputError for
    fewer than three models. Friedman 1937, JASA 32:675; Kendall & Babington Smith 1939, Annals of Mathematical
    Statistics 10:275; Iman & Davenport 1980, Comm. Stat. A9:571; Demšar 2006, JMLR 7:1.
    """
    from scipy.special import fdtrc

    k = len(results.models)
    if k < 3:
        raise InputError("Friedman's test needs at least three models. For two models, use Wilcoxon's test.")
    doubled = np.rint(2 * results.ranks).astype(np.int64) - (k + 1)  # twice the distances from the mean rank
    unequal, all_sets = doubled[doubled.any(1)], len(doubled)
    n, spreads = len(unequal), (unequal**2).sum(1)
    spread, between = int(spreads.sum()), int((unequal.sum(0) ** 2).sum())
    left, exact = all_sets * spread - between, "Friedman, exact"
    f = (all_sets - 1) * between / left if left else (inf if n else 0.0)
    if between == n * spread:
        return _of_all(results, _chance_of_agreement(unequal) if n else 1.0, exact, f, level)
    # the order of data sets and of models changes not even a rounding
    null = _sums_of_squares(tuple(sorted(tuple(sorted(row)) for row in unequal.tolist())))
    if null is not None:
        sums, chances = null
        return _of_all(results, float(min(1.0, chances[sums >= between].sum())), exact, f, level)
    same = float(((spreads / spread) ** 2).sum())
    df = (n - 1) * (k - 1) / (n * (1 - same)) - 2 / n
    of_unequal = (n - 1) * between / (n * spread - between)
    p = float(fdtrc(df, df * (n - 1), of_unequal))
    friedman_f = _of_all(results, p, "Friedman, Iman–Davenport F", f, level)
    return friedman_f.changed(df=df) if n == all_sets else friedman_f


@lru_cache(maxsize=16)
def _sums_of_squares(ranks: tuple[tuple[int, ...], ...]) -> tuple[Array, Array] | None:
    """Return the sums of the squared sums of ranks, and the chance of each, of data sets with ranks in random order.

    None where there are too many. Which model has which sum plays no part, so that they are kept in ascending order.
    """
    k, left = len(ranks[0]), MOST_RANKS
    sums, chances = np.zeros((1, k), np.int64), np.ones(1)
    for row in ranks:
        orders = factorial(k) // prod(factorial(row.count(rank)) for rank in {*row})
        left -= sums.size * orders
        if left < 0:
            return None
        added = (sums[:, None] + _orders(row)).reshape(-1, k)
        added.sort(1)
        order = np.lexsort(added.T)
        added = added[order]
        first = np.flatnonzero(np.append(True, np.diff(added, axis=0).any(1)))
        sums, chances = added[first], np.add.reduceat(np.repeat(chances / orders, orders)[order], first)
    return (sums**2).sum(1), chances


@lru_cache(maxsize=16)
def _orders(values: tuple[int, ...]) -> Array:
    """Return the distinct orders of some values, `(orders, values)`.

    >>> _orders((0, 0, 1)).tolist()
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    orders: list[tuple[int, ...]] = [()]
    for value in values:  # behind its last equal, so that no order comes twice
        least = [len(order) - order[::-1].index(value) if value in order else 0 for order in orders]
        orders = [
            (*order[:at], value, *order[at:])
            for order, first in zip(orders, least, strict=True)
            for at in range(first, len(order) + 1)
        ]
    return np.array(orders)


def skillings_mack(results: Results, *, level: float = 0.95) -> Comparison:
    """Skillings and Mack's test that all models rank alike, of results that lack values.

    Each data set ranks its own k_i models. A_j = Σ_i sqrt(12 / (k_i + 1)) (r_ij - (k_i + 1)/2), and χ² = A' V⁻ A on as
    many degrees of freedom as V has, V being the covariance of A when the ranks of each data set are put in random
    order, ties as they are. Without missing values it is Friedman's χ², corrected for ties. A data set of one model
    says nothing. There is no test where the data sets fall apart into groups that share no model. Raises InputError for
    fewer than three models. Skillings & Mack 1981, Technometrics 23:171.
    """
    from scipy.special import chdtrc

    k = len(results.models)
    if k < 3:
        raise InputError(
            "The Skillings–Mack test needs at least three models. For two models, use Wilcoxon's test."
        )
    sums, covariance = np.zeros(k), np.zeros((k, k))
    for ranks in results.ranks:
        here = np.flatnonzero(~np.isnan(ranks))
        if here.size < 2:
            continue
        centered = ranks[here] - (here.size + 1) / 2
        weight = 12 / (here.size + 1)
        sums[here] += np.sqrt(weight) * centered
        spread = weight * (centered**2).sum() / (here.size - 1)
        covariance[np.ix_(here, here)] += spread * (np.eye(here.size) - 1 / here.size)
    method = "Skillings–Mack χ², ties corrected"
    if not _hang_together(results):
        why = "some groups of data sets share no model"
        of_all = _of_all(results, float("nan"), method, float("nan"), level)
        return of_all.changed(reason=why, reference=cite("skillings1981"))
    df = int(np.linalg.matrix_rank(covariance))
    if df == 0:
        return _of_all(results, 1.0, method, 0.0, level).changed(reference=cite("skillings1981"))
    chi2 = float(sums @ np.linalg.pinv(covariance, hermitian=True) @ sums)
    of_all = _of_all(results, float(chdtrc(df, chi2)), method, chi2, level)
    return of_all.changed(df=df, reference=cite("skillings1981"))


def _hang_together(results: Results) -> bool:
    """Check whether data sets lead from every model to every other."""
    has = ~np.isnan(results.values)
    reached = np.zeros(len(results.models), bool)
    reached[0] = True
    for _ in results.models:
        reached |= has[(has & reached).any(1)].any(0)
    return bool(reached.all())


def _chance_of_agreement(ranks: Array) -> float:
    """Return the chance that random orders of each data set's ranks all agree."""
    ties = np.unique(ranks[0], return_counts=True)[1].tolist()
    log_orders = lgamma(ranks.shape[1] + 1) - sum(lgamma(count + 1) for count in ties)
    return exp((1 - len(ranks)) * log_orders)


@test("nemenyi", "Nemenyi", where=DATA_SETS, of=ALL_MODELS, references=("nemenyi1963",))
def nemenyi(results: Results, *, level: float = 0.95) -> list[Comparison]:
    """Nemenyi's test of every pair of mean ranks, adjusted for all of them by the studentized range.

    The effect is the difference of mean ranks, of which lower is better, ± CD = q sqrt(k(k + 1) / (6n)). The
    answer for two models depends on the others in the table: prefer `pairwise`. Nemenyi 1963; Demšar 2006, JMLR 7:1.
    """
    from scipy.stats import studentized_range

    k = len(results.models)
    se, cd, mean = _rank_error(results), nemenyi_distance(results, level), results.mean_ranks
    comparisons = []
    for (i, a), (j, b) in combinations(enumerate(results.models), 2):
        more = float(mean[i] - mean[j])
        p = float(studentized_range.sf(abs(more) / se * np.sqrt(2), k, np.inf))
        effect = Estimate(more, more - cd, more + cd, level, "Nemenyi's critical difference")
        significance = SignificanceTest(more / se, reference=cite("nemenyi1963"), side=sign(more))
        comparison = pairwise_result(results, (a, b), effect, p, "Nemenyi", significance, level=level)
        comparisons.append(_of_ranks(results, comparison).adjusted(p, "Nemenyi"))
    return comparisons


def nemenyi_distance(results: Results, level: float = 0.95) -> float:
    """The critical difference of two mean ranks, q sqrt(k(k + 1) / (6n)), q of the studentized range over sqrt(2)."""
    from scipy.stats import studentized_range

    q = studentized_range.ppf(level, len(results.models), np.inf) / np.sqrt(2)
    return float(q) * _rank_error(results)


@test("mean-ranks", "z of mean ranks", where=DATA_SETS, of=A_CONTROL, references=("demsar2006",))
def versus_control(
    results: Results, control: str, *, adjustment: str = "holm", level: float = 0.95
) -> list[Comparison]:
    """Every other model minus a control by mean ranks: z = (R_0 - R_i) / sqrt(k(k + 1) / (6n)), adjusted Holm's way.

    The effect is the difference of mean ranks, of which lower is better: below 0 the model is better than the control.
    More power than all pairs, and only when one model was the control from the start. Demšar 2006, JMLR 7:1.
    """
    from scipy.special import ndtr, ndtri

    results.of(control)
    base, se = results.mean_ranks[results.models.index(control)], _rank_error(results)
    half = float(ndtri(0.5 + level / 2)) * se
    comparisons = []
    for model, rank in zip(results.models, results.mean_ranks.tolist(), strict=True):
        if model == control:
            continue
        more = float(rank - base)
        effect = Estimate(more, more - half, more + half, level, "normal limit of mean ranks")
        p = float(2 * ndtr(-abs(more) / se))
        significance = SignificanceTest(-more / se, reference=cite("demsar2006"), side=sign(more))
        comparison = pairwise_result(
            results, (model, control), effect, p, "z of mean ranks", significance, level=level
        )
        comparisons.append(_of_ranks(results, comparison))
    return adjusted(comparisons, adjustment)


def _rank_error(results: Results) -> float:
    n, k = results.values.shape
    return float(np.sqrt(k * (k + 1) / (6 * n)))


def _of_ranks(results: Results, comparison: Comparison) -> Comparison:
    """Return a difference of mean ranks, of which lower is better whatever the values are, as 1 is the best rank."""
    ranks = dict(zip(results.models, results.mean_ranks.tolist(), strict=True))
    values = tuple(ranks[model] for model in comparison.models)
    return comparison.changed(measure=f"{OF_RANKS}{results.measure}", better=-1, values=values)


def _of_all(results: Results, p: float, method: str, statistic: float, level: float) -> Comparison:
    source = "iman1980" if "Iman" in method else "friedman1937"
    return Comparison(
        results.models,
        results.measure,
        None,
        p,
        method,
        RANDOM,
        test=SignificanceTest(statistic=statistic, reference=cite(source)),
        sample=UnitsTested(n=len(results.datasets), units="data sets"),
        criterion=Criterion(level=level),
    )
