"""Two models over many data sets: Wilcoxon and the sign test.

What is random is the data set: the claim is about further data sets like these. Wilcoxon's test with Holm's
adjustment is the default for any number of models: unlike tests of mean ranks, its answer for two models does not
depend on which others are in the table (Benavoli, Corani & Mangili 2016, JMLR 17(5)).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.comparison import Comparison
from classay.comparison.datasets.results import PAIRS, Results
from classay.comparison.datasets.signed_ranks import EXACT, p_value, pseudomedian, signed_ranks, tails
from classay.comparison.family import adjusted, pairs
from classay.comparison.power import POWER
from classay.comparison.references import cite
from classay.comparison.registry import DATA_SETS, test
from classay.inference.estimate import Estimate

Array = NDArray[Any]
RANDOM = "data sets"


@test("wilcoxon", "Wilcoxon signed-rank", where=DATA_SETS, of=PAIRS, references=("wilcoxon1945",))
def wilcoxon(results: Results, first: str, second: str, *, level: float = 0.95) -> Comparison:
    """Wilcoxon's signed-rank test of two models, exact up to 200 data sets, ties included.

    Data sets without a difference are left out, as Wilcoxon did; ties share the middle rank, and p comes from all
    2^n signs of the ranks at hand. (Demšar 2006 splits the zeros between both sums: 0.0110 where this has 0.0107.)
    The effect is the Hodges-Lehmann median of the differences. With n left, p is at least 2^(1 - n): with fewer than
    six nothing can be shown at 0.05, and the result says so. Wilcoxon 1945, Biometrics Bulletin 1:80.

    >>> a, b = [0.81, 0.75, 0.92, 0.66, 0.70, 0.88, 0.79, 0.84], [0.80, 0.77, 0.89, 0.60, 0.65, 0.80, 0.72, 0.75]
    >>> from classay.comparison.datasets.results import wide_results
    >>> wilcoxon(wide_results({"new": a, "old": b}, measure="accuracy"), "new", "old")
    Comparison(accuracy of new less old: 0.050 [0.010, 0.080] 95 %, Hodges-Lehmann, signed ranks; p = 0.023, ...)
    """
    differences = results.differences(first, second)
    found = signed_ranks(differences)
    n = found.ranks.size
    method = f"Wilcoxon signed-rank, {'exact' if n <= EXACT else 'normal limit'}"
    return of_two(
        results,
        (first, second),
        pseudomedian(differences, level),
        p_value(found),
        method,
        cite("wilcoxon1945"),
        level=level,
        side=sign(found.positive - found.negative),
        note=_of_ties(differences.size - n),
        n=n,
        statistic=min(found.positive, found.negative),
        reason=_too_few(n, 1 - level),
        needed=_needed(_share_of_pairs(differences[differences != 0]), 3, level),
        tails=tails(found),
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
    return of_two(
        results,
        (first, second),
        effect,
        p,
        "sign test, exact",
        cite("dixon1946"),
        level=level,
        side=sign(2 * better - n),
        note=_of_ties(size - n),
        n=n,
        statistic=float(better),
        reason=_too_few(n, 1 - level),
        needed=_needed(better / n if n else 0.5, 4, level),
        tails=(float(bdtr(n - better, n, 0.5)), float(bdtr(better, n, 0.5))) if n else (1.0, 1.0),
    )


def pairwise(
    results: Results,
    *,
    test: Callable[..., Comparison] = wilcoxon,
    control: str | None = None,
    adjustment: str = "holm",
    level: float = 0.95,
) -> list[Comparison]:
    """Every pair of models by one test, Wilcoxon's by default, their p-values adjusted as one family, Holm's way.

    With a `control`, named beforehand, every other model less the control alone: a smaller family. Raises InputError
    for an unknown control.
    """
    return adjusted([test(results, a, b, level=level) for a, b in pairs(results.models, control)], adjustment)


def sign(value: float) -> int:
    """-1, 0 or 1."""
    return (value > 0) - (value < 0)


def _of_ties(ties: int) -> str:
    """Why the test of signs or signed ranks and an estimate of all differences need not agree."""
    if not ties:
        return ""
    sets = "1 data set" if ties == 1 else f"{ties} data sets"
    return f"the test leaves out {sets} without a difference, and the estimate counts {'it' if ties == 1 else 'them'}"


def _too_few(n: int, alpha: float) -> str | None:
    least = 2.0 ** (1 - n) if n else 1.0
    if least <= alpha * (1 + 1e-9):
        return None
    return f"{n} data sets with a difference cannot show one: the least p is {least:.3g}, one-sided {least / 2:.3g}"


def of_two(
    results: Results,
    models: tuple[str, str],
    effect: Estimate,
    p: float,
    method: str,
    reference: str,
    *,
    level: float,
    side: int,
    n: int | None = None,
    statistic: float | None = None,
    reason: str | None = None,
    needed: float | None = None,
    note: str = "",
    tails: tuple[float, float] | None = None,
) -> Comparison:
    """What a test of two models found."""
    units = "data sets" if n is None else "data sets with a difference"
    count = len(results.datasets) if n is None else n
    means = tuple(float(results.of(model).mean()) for model in models)
    return Comparison(
        models,
        results.measure,
        effect,
        p,
        method,
        RANDOM,
        statistic,
        reference,
        count,
        units,
        reason,
        values=means,
        needed=needed,
        better=results.better,
        level=level,
        side=side,
        note=note,
        tails=tails,
    )


def _share_of_pairs(differences: Array) -> float:
    """The share of the pairs of data sets whose differences have a mean above 0, means of 0 counting half."""
    i, j = np.triu_indices(differences.size, 1)
    sums = differences[i] + differences[j]
    return float(((sums > 0) + (sums == 0) / 2).mean()) if sums.size else 0.5


def _needed(share: float, factor: int, level: float) -> float | None:
    """Data sets with a difference at which such a share has a power of 80 %: (z_α/2 + z_β)² / (factor (share - ½)²).

    The factor is 3 for signed ranks and 4 for signs. Noether 1987, JASA 82:645.
    """
    from scipy.special import ndtri

    if share == 0.5:
        return None
    return float((ndtri(0.5 + level / 2) + ndtri(POWER)) ** 2 / (factor * (share - 0.5) ** 2))
