"""Tables of labels, drawn as counts: a population is the share of each cell, and a batch of samples one draw of counts.

Measures and intervals that take arrays get all samples at once; of the others equal tables are looked at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bench.honesty.cells import LEVEL, OURS, Cell, exact_cells
from bench.honesty.rows import at_end, ends_of, ordered
from bench.honesty.run import Asked, Found, Setting
from bench.honesty.ways import BOOTSTRAP, REPLICATES, percentiles
from classay.inference.intervals import SampledTable
from classay.inference.labels.shares import RATIOS, likelihood_ratio_limits
from classay.inference.methods import default
from classay.inference.proportions import normal_quantile, wilson
from classay.measures import Measure, get
from classay.tables import BinaryCounts, ConfusionMatrix

BOOTSTRAPPED = (
    *("accuracy", "recall", "precision", "f1", "balanced_accuracy", "matthews_correlation", "macro_f1"),
    *("macro_precision", "cohen_kappa", "macro_specificity", "weighted_specificity", "informedness"),
    *("positive_likelihood_ratio", "negative_likelihood_ratio", "baseline_accuracy", "rate_gap"),
)
AT_ONCE = 4_000_000
"""Numbers of resamples that are held at once."""


def of_counts(
    family: str,
    group: str,
    name: str,
    names: Sequence[str],
    n: int,
    cells: Any,
    *,
    bootstrapped: bool = True,
) -> Setting:
    """A setting of n cases whose cells `[predicted, true]` have these shares; each class has two cases or more."""
    cells = np.asarray(cells, float)
    k = len(cells)
    rarer = float(n * cells.sum(0).min())

    def drawn(rng: np.random.Generator, samples: int) -> Any:
        found: list[Any] = []
        while (held := sum(map(len, found))) < samples:
            counts = rng.multinomial(n, cells.ravel(), size=samples - held).reshape(-1, k, k)
            found.append(counts[counts.sum(1).min(1) > 1])
        return np.concatenate(found)

    def simulate(rng: np.random.Generator, samples: int, asked: Asked) -> Found:
        counts = drawn(rng, samples)
        distinct, at = np.unique(counts.reshape(samples, -1), axis=0, return_inverse=True)
        tables = distinct.reshape(-1, k, k)
        chosen = [get(each) for each in asked.among(names) if each not in enumerable(names)]
        found: Found = {(name, OURS): ends[at] for name, ends in _ours(tables, chosen).items()}
        if asked.ways == "all":
            found |= {key: ends[at] for key, ends in _takahashi(tables, chosen).items()}
            if bootstrapped:
                found |= {key: ends[at] for key, ends in _bootstrapped(rng, tables, chosen).items()}
        return found

    def truths() -> dict[str, float]:
        whole = ConfusionMatrix(1e9 * cells, ordered(k))
        return {name: float(get(name)(_table(whole, get(name)))) for name in names}

    def enumerated() -> list[Cell]:
        whole, found = ConfusionMatrix(cells, ordered(k)), []
        for each in map(get, enumerable(names)):
            of = get("jaccard") if each.name == "f1" else each
            assert of.parts is not None
            x, m = (float(part) for part in of.parts(*of.read((_table(whole, of),))))
            to = (lambda share: 2 * share / (1 + share)) if each.name == "f1" else (lambda share: share)
            found += exact_cells((family, group, name, rarer), each.name, n, m, x / m, to)
        return found

    about = family, group, name, rarer
    return Setting(*about, simulate, truths, one_sided=at_end(truths), enumerated=enumerated)


def enumerable(names: Sequence[str]) -> list[str]:
    """Those of these measures whose interval is a function of one binomial count: Wilson's of a share, and of F1."""
    return [name for name in names if name == "f1" or (get(name).parts and name != "baseline_accuracy")]


def _table(matrix: ConfusionMatrix, measure: Measure) -> Any:
    """What a measure is of, with the leading axes of the matrix."""
    if measure.needs != "counts":
        return matrix
    cells = matrix.counts
    return BinaryCounts(cells[..., 1, 1], cells[..., 1, 0], cells[..., 0, 1], cells[..., 0, 0])


def _share(tables: Any, measure: Measure, interval: Any) -> Any:
    """The interval of a proportion of every table, `(tables, 2)`."""
    assert measure.parts is not None
    matrix = ConfusionMatrix(tables, ordered(tables.shape[-1]))
    x, m = measure.parts(*measure.read((_table(matrix, measure),)))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.stack(interval(np.asarray(x, float), np.asarray(m, float), LEVEL), -1)


def _ratio(tables: Any, measure: Measure) -> Any:
    """That of a likelihood ratio."""
    tp, fp, fn, tn = _table(ConfusionMatrix(tables, (0, 1)), measure)
    x, y = (tp, fp) if measure.name == RATIOS[0] else (fn, tn)
    return np.stack(likelihood_ratio_limits(x, tp + fn, y, fp + tn, LEVEL), -1)


def _ours(tables: Any, measures: Sequence[Measure]) -> dict[str, Any]:
    """The default interval of every measure and table."""
    k = tables.shape[-1]
    found: dict[str, Any] = {}
    for each in measures:
        sample: Any = _table(ConfusionMatrix(tables[0], ordered(k)), each)
        method = default(each, sample, 0.5, None, LEVEL, "alike") if each.parts else ""
        if each.complement is None and getattr(method, "name", "") == "Wilson":
            found[each.name] = _share(tables, each, wilson)
        elif each.name in RATIOS:
            found[each.name] = _ratio(tables, each)
    rest = [each for each in measures if each.name not in found]
    by_table = [[each for each in rest if (each.needs == "counts") is counts] for counts in (True, False)]
    found |= {each.name: np.full((len(tables), 2), np.nan) for each in rest}
    for place, cells in enumerate(tables if rest else ()):
        matrix = ConfusionMatrix(cells, ordered(k))
        for own in by_table:
            if own:
                drawn = SampledTable(_table(matrix, own[0]), "alike")
                for each, made in zip(own, drawn.estimates(own, LEVEL), strict=True):
                    found[each.name][place] = ends_of(made)
    return found


def _bootstrapped(rng: np.random.Generator, tables: Any, measures: Sequence[Measure]) -> Found:
    """The percentile bootstrap of some measures."""
    k = tables.shape[-1]
    chosen = [each for each in measures if each.name in BOOTSTRAPPED]
    found: Found = {(each.name, BOOTSTRAP): np.full((len(tables), 2), np.nan) for each in chosen}
    if k > 5 or not chosen:
        return {}
    at_once = max(1, AT_ONCE // (REPLICATES * k * k))
    for first in range(0, len(tables), at_once):
        part = tables[first : first + at_once].reshape(-1, k * k)
        n = part.sum(1)
        counts = rng.multinomial(n, part / n[:, None], size=(REPLICATES, len(part)))
        matrix = ConfusionMatrix(counts.reshape(REPLICATES, len(part), k, k), ordered(k))
        for each in chosen:
            values = np.asarray(each(_table(matrix, each)))
            if np.isfinite(values).all():
                ends = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0).T
            else:
                ends = np.array([percentiles(own) for own in values.T])
            found[each.name, BOOTSTRAP][first : first + at_once] = ends
    return found


def _takahashi(tables: Any, measures: Sequence[Measure]) -> Found:
    """F1 and its mean over classes by the delta method, normal, as confidenceinterval 1.0 has them.

    var = grad' (diag(p) - pp') grad / n. Takahashi et al. 2022, Applied Intelligence 52:4961.
    """
    names = {each.name for each in measures} & {"f1", "macro_f1"}
    k, n = tables.shape[-1], tables.sum((1, 2))
    shares = tables / n[:, None, None]
    both = shares.sum(1) + shares.sum(2)
    with np.errstate(divide="ignore", invalid="ignore"):
        f = 2 * shares.diagonal(axis1=1, axis2=2) / both
        found: Found = {}
        for name in names:
            kinds = range(k) if name == "macro_f1" else [k - 1]
            slope = np.zeros(tables.shape)
            for c in kinds:
                slope[:, c, :] -= (f / both)[:, c, None] / len(kinds)
                slope[:, :, c] -= (f / both)[:, c, None] / len(kinds)
                slope[:, c, c] += 2 / both[:, c] / len(kinds)
            mean = (shares * slope).sum((1, 2))
            variance = ((shares * slope**2).sum((1, 2)) - mean**2) / n
            half = normal_quantile(LEVEL) * np.sqrt(np.maximum(variance, 0))
            value = f[:, list(kinds)].mean(1)
            found[name, "Takahashi (confidenceinterval)"] = np.stack([value - half, value + half], -1)
    return found


def two_by_two(share: float, recall: float, specificity: float) -> Any:
    """The cells of two classes by their rates."""
    return np.array(
        [[(1 - share) * specificity, share * (1 - recall)], [(1 - share) * (1 - specificity), share * recall]]
    )


def graded(shares: Sequence[float], right: float, decay: float) -> Any:
    """The cells of classes in an order, an error one step farther off being `decay` times as frequent."""
    of_true = np.asarray(shares, float)
    off = np.abs(np.subtract.outer(*[np.arange(of_true.size)] * 2))
    errors = np.where(off > 0, decay ** (off - 1.0), 0.0)
    cells = errors / errors.sum(0) * (1 - right) * of_true
    np.fill_diagonal(cells, right * of_true)
    return cells


def far_off(shares: Sequence[float], near: float, far: float) -> Any:
    """The cells of classes in an order of which some cases are one step off, and few at the other end."""
    of_true = np.asarray(shares, float)
    k = of_true.size
    cells = np.diag((1 - near - far) * of_true)
    for true, share in enumerate(of_true):
        cells[k - 1 if true < k / 2 else 0, true] += far * share
        for step in (-1, 1):
            cells[min(max(true + step, 0), k - 1), true] += near * share / 2
    return cells


def confused(shares: Sequence[float], right: Sequence[float]) -> Any:
    """The cells of several classes of which these shares are called right, errors going by the shares of the others."""
    shares_, right_ = np.asarray(shares, float), np.asarray(right, float)
    k = shares_.size
    among = np.tile(shares_[:, None] + 1 / k, (1, k))
    np.fill_diagonal(among, 0)
    cells = among / among.sum(0) * (1 - right_) * shares_
    np.fill_diagonal(cells, right_ * shares_)
    return cells
