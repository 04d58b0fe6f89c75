"""New cases beside those of the folds: whether they are harder, and which columns have another distribution."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import code_labels, unite
from classay.columns.numbers import counted
from classay.columns.opened import Categories, Masked, opened
from classay.columns.values import is_missing
from classay.errors import InputError, in_our_words
from classay.inference.estimate import Estimate
from classay.inference.significance import adjust
from classay.resampling.data import rows_of
from classay.resampling.run_store import inner_threads
from classay.sources.inputs import as_frame
from classay.tables.sums import at_least, equal_cases

Array = NDArray[Any]
SHOWN = 0.01
"""Level at which new cases are said to be harder, or a column to have moved (adjusted by Holm)."""


@dataclass(frozen=True)
class NewCases:
    """New cases, compared with those of the folds.

    `error` is the error rate of a learner fitted to all cases on the new ones, `known` that of the folds, `p` that of
    Fisher's exact test that the new ones are not harder. `moved` are the columns whose distribution is another one
    (`moved_columns`), and `shares_p` tests the shares of the classes (χ²). For cases in clusters the tests count
    (Σ m)² / Σ m² of the sizes m of the clusters, as if the cases of one were alike (Kish 1965).
    """

    rows: int
    error: Estimate
    known: float
    p: float
    moved: tuple[str, ...]
    shares_p: float

    @property
    def is_shown(self) -> bool:
        """Whether the learner errs more often on the new cases than on those of the folds."""
        return self.p < SHOWN


def drift_of(
    model: Any,
    cases: tuple[Any, Any],
    new: Any,
    wrong: tuple[int, int],
    known: float,
    level: float,
    cluster: Array | None = None,
) -> NewCases:
    """Fit a learner to all cases, and hold the new ones against them; `wrong` of the first repeat, and of how many.

    A class that only the new cases have is an error of the learner. Raises InputError for labels of another kind than
    those of the cases, for new cases that cannot be predicted, and for new cases without clusters beside a `cluster`.
    """
    from scipy.stats import chi2_contingency, fisher_exact

    X, y = cases
    new_X, new_y, of_new_cluster = _apart(new, in_clusters=cluster is not None)
    columns = [("y", code_labels(y, "y")), ("y of test", code_labels(new_y, "y of test"))]
    if missing := columns[1][1].missing:
        raise InputError(f"y of test is missing in {counted(missing)}. Exclude these cases.")
    unite(columns)  # refuses labels of another kind before anything is fitted
    with inner_threads(np.size(X)):
        model.fit(X, y)
    advice = "Pass the same features as in the other cases, in the same order."
    with in_our_words("No predictions for the new cases", advice), warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "Found unknown categories", UserWarning
        )  # `moved` names their column
        predicted = code_labels(np.asarray(model.predict(new_X)), "predictions")
    labels, (of_cases, of_new, answers) = unite([*columns, ("predictions", predicted)])
    errors = int((answers != of_new).sum())
    rows = int(of_new.shape[0])
    shares = _alike(cluster, of_cases.size), _alike(of_new_cluster, rows)
    table = [
        [round(share * n_wrong), round(share * n) - round(share * n_wrong)]
        for share, (n_wrong, n) in zip(shares[::-1], ((errors, rows), wrong), strict=True)
    ]
    counts = np.stack([np.bincount(codes, minlength=len(labels)) for codes in (of_cases, of_new)])
    counts = counts[:, counts.sum(0) > 0] * np.array(shares)[:, None]
    return NewCases(
        rows,
        _error(of_new, answers, len(labels), of_new_cluster, level),
        known,
        float(fisher_exact(table, alternative="greater").pvalue),
        moved_columns(X, new_X, shares),
        float(chi2_contingency(counts).pvalue),
    )


def _error(true: Array, predicted: Array, k: int, cluster: Array | None, level: float) -> Estimate:
    """Return the error rate of the new cases, with Wilson's interval of cases or of clusters."""
    from classay.assessment.assessing import assess

    positive: dict[str, Any] = {"positive": 1} if k == 2 else {}
    a = assess(true, y_pred=predicted, labels=[*range(k)], cluster=cluster, level=level, **positive)
    return a.estimate("error_rate")


def _alike(cluster: Array | None, rows: int) -> float:
    """The share of cases that stand for all, as if those of a cluster were alike: Kish's size over their number."""
    if cluster is None:
        return 1.0
    sizes = np.unique(np.asarray(cluster), return_counts=True)[1].astype(np.float64)
    return float(equal_cases(sizes.sum(), (sizes**2).sum())) / rows


def _apart(new: Any, *, in_clusters: bool) -> tuple[Any, Any, Array | None]:
    """Return the features, labels and clusters of the new cases."""
    if not (isinstance(new, Sequence) and len(new) in (2, 3)):
        raise InputError("test must be (X, y) of new cases, or (X, y, cluster).")
    X, y = new[0], new[1]
    if rows_of(X) != len(y) or not len(y):
        raise InputError(
            f"X of test has {rows_of(X):,} rows, but its y has {len(y):,}. Pass one label for each row, and "
            "at least one row."
        )
    if len(new) == 2 and in_clusters:
        raise InputError("The cases come in clusters, but test has none. Pass test=(X, y, cluster).")
    if len(new) == 2:
        return X, y, None
    codes = code_labels(new[2], "cluster of test")
    if codes.missing or codes.codes.size != len(y):
        known = codes.codes.size - codes.missing
        raise InputError(
            f"test has {len(y):,} cases but {known:,} known clusters. Pass one cluster for each case."
        )
    return X, y, codes.codes


def moved_columns(X: Any, new: Any, shares: tuple[float, float] = (1.0, 1.0)) -> tuple[str, ...]:
    """Return the columns whose distribution is another one in the new cases, at 1%, adjusted by Holm over all columns.

    Numbers and times by the Kolmogorov–Smirnov test, beside which the shares of missing values are compared (twice the
    smaller p). All other columns, and those of two numbers, by their categories, of which a missing value is one: by χ²
    of their table where it expects 5 cases everywhere, else by Fisher's exact test of each category against the rest
    (Bonferroni). `shares` of the cases of both sides count, which stand for all. None of what is no table.

    >>> rng = np.random.default_rng(0)
    >>> X = np.c_[rng.normal(size=80), rng.integers(0, 2, 80)]
    >>> moved_columns(X[:40], X[40:] + [0.0, 9.0])
    ('column 1',)
    """
    before, after = _columns(X), _columns(new)
    if before is None or after is None or len(before) != len(after):
        return ()
    p = [_same(one, other, shares) for (_, one), (_, other) in zip(before, after, strict=True)]
    shown = np.flatnonzero(np.asarray(adjust(p, "holm")) < SHOWN).tolist() if p else []
    return tuple(before[k][0] for k in shown)


def _columns(X: Any) -> list[tuple[str, Any]] | None:
    """Return the columns of a table with their names, those of an array by place; None of what is none."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):  # by place: two columns of pandas may have one name
        return [(str(name), X.iloc[:, k]) for k, name in enumerate(X.columns)]
    if (frame := as_frame(X)) is not None:
        return [(name, frame[name].to_native()) for name in frame.columns]
    values = np.asarray(X) if isinstance(X, list) else X
    if not isinstance(values, np.ndarray) or values.ndim != 2:
        return None
    return [(f"column {k}", values[:, k]) for k in range(values.shape[1])]


def _same(before: Array, after: Array, shares: tuple[float, float]) -> float:
    """Return the p-value of a column's having the same distribution in the new cases."""
    one, other = _numbers(before), _numbers(after)
    if one is None or other is None:
        return _same_codes(*_categories(before, after), shares)
    gaps = ~np.isfinite(one), ~np.isfinite(other)
    known = one[~gaps[0]], other[~gaps[1]]
    values = np.unique(np.concatenate(known))
    if values.size <= 2:
        both = zip((one, other), gaps, strict=True)
        codes = [np.where(gap, 2, np.searchsorted(values, column)) for column, gap in both]
        return _same_codes(codes[0], codes[1], shares)
    p = _same_numbers(*known, shares)
    if not (gaps[0].any() or gaps[1].any()):
        return p
    of_gaps = _same_codes(gaps[0].astype(np.intp), gaps[1].astype(np.intp), shares)
    return min(1.0, 2 * min(p, of_gaps))


def _numbers(column: Any) -> Array | None:
    """Return a column of numbers, truths or times as floats, NaN where it is missing; None of any other.

    One without a value is what the other side is.
    """
    is_time = getattr(getattr(column, "dtype", None), "kind", "") == "M"  # of pandas maybe in a zone
    values = np.asarray(column, "datetime64[us]") if is_time else opened(column, "a column")
    if not isinstance(values, np.ndarray | Masked | Categories | list | tuple):  # of Arrow
        values = values.to_numpy(zero_copy_only=False)
    if isinstance(values, Masked):
        return np.where(values.valid, values.values.astype(np.float64), np.nan)
    if not isinstance(values, np.ndarray):
        return None
    if values.dtype.kind in "mM":
        in_one_unit = values.astype(f"{values.dtype.kind}8[us]").astype(np.int64)
        return np.where(np.isnat(values), np.nan, in_one_unit)
    if values.dtype.kind in "iufb":
        return values.astype(np.float64)
    return np.full(values.shape, np.nan) if all(map(is_missing, values)) else None


def _categories(before: Any, after: Any) -> tuple[Array, Array]:
    """Return the codes of the categories of both sides, a missing value being one of them."""
    try:
        columns = [code_labels(cells, "a column") for cells in (before, after)]
    except InputError:  # values of several kinds: each is what it looks like
        texts = [[None if is_missing(one) else repr(one) for one in cells] for cells in (before, after)]
        columns = [code_labels(text, "a column") for text in texts]
    at: dict[Any, int] = {}
    for column in columns:
        for label in column.labels:
            at.setdefault(label, len(at) + 1)
    codes = [
        np.array([at[label] for label in coding.labels] + [0], np.intp)[coding.codes] for coding in columns
    ]
    return codes[0], codes[1]


def _same_numbers(before: Array, after: Array, shares: tuple[float, float]) -> float:
    """Return the p-value of the Kolmogorov-Smirnov test, of as many cases as stand for all."""
    from scipy.stats import ks_2samp, kstwobign

    if not (before.size and after.size):
        return 1.0
    ks = ks_2samp(before, after)
    if shares == (1.0, 1.0):
        return float(ks.pvalue)
    sizes = shares[0] * before.size, shares[1] * after.size
    return float(kstwobign.sf(ks.statistic * (sizes[0] * sizes[1] / sum(sizes)) ** 0.5))


FEWEST_EXPECTED = 5
"""Cases that χ² needs to expect of each category on either side."""


def _same_codes(before: Array, after: Array, shares: tuple[float, float]) -> float:
    """Return the p-value of the same shares of all categories, of as many cases as stand for all."""
    from scipy.stats import chi2_contingency, hypergeom
    from scipy.stats.contingency import expected_freq

    k = 1 + max(int(codes.max(initial=0)) for codes in (before, after))
    counts = (
        np.stack([np.bincount(codes, minlength=k) for codes in (before, after)]) * np.array(shares)[:, None]
    )
    counts = counts[:, counts.sum(0) > 0]
    k = counts.shape[1]
    if k < 2 or not counts.sum(1).all():
        return 1.0
    if k > 2 and at_least(expected_freq(counts).min(), FEWEST_EXPECTED):
        return float(chi2_contingency(counts).pvalue)
    totals, rounded = np.rint(counts.sum(1)).astype(int), np.rint(counts).astype(int)
    # of many rare categories few are unlike
    both, here = np.unique(np.stack([rounded.sum(0), rounded[1]]), axis=1)
    how = totals.sum(), both, totals[1]
    tail = min(hypergeom.cdf(here, *how).min(), hypergeom.sf(here - 1, *how).min())
    return min(1.0, 2 * float(tail) * (1 if k == 2 else k))
