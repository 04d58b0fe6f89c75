"""Whether true labels exist for chosen cases: missing labels tested against the score and the predicted label."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.flow import calls
from classay.assessment.unlabeled import BITS, UnlabeledCases, bin_keys
from classay.inference.estimate import hundredths
from classay.inference.significance import fisher_exact
from classay.tables.bins import BinnedScoreTable
from classay.texts import hint

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.tables import ScoreTable

Array = NDArray[Any]
TENTHS = 10
MIN_EXPECTED = 5.0
"""Expected cases below which the chi-square test is not used (Cochran 1954, Biometrics 10:417)."""
MAX_P = 0.01
"""The p-value below which labels are said to be of chosen cases."""


def chosen_labels(a: Assessment, max_p: float = MAX_P) -> str | None:
    """Say that labels exist for chosen cases, where missing labels depend on the score or the predicted label.

    Two tests, each adjusted for both: of the labels predicted of labeled and unlabeled cases (exact for two labels with
    few cases), and of both over tenths of the score (chi-square). Independent cases only: None with sampling weights or
    clusters. None also where p is at least `max_p`, 0.01.

    >>> import numpy as np, classay as ca
    >>> score = np.arange(1000) / 1000
    >>> truth = [int(s > 0.9) if s > 0.8 or s < 0.1 else None for s in score]
    >>> print(chosen_labels(ca.assess(truth, score, threshold=0.8, missing="drop")).partition(", so")[0])
    Labels exist for 299 of 1,000 cases, chosen by the score (67% of them predicted positive, compared with 20% of all)
    """
    unlabeled = a.received.unlabeled
    if unlabeled is None or a.kind_of_weight == "sampling" or a.coded is not None:
        return None
    by_call, by_tenth = _count_by_label(a, unlabeled), _count_by_tenth(a, unlabeled)
    tables = [table for table in (by_call, by_tenth) if table is not None]
    if not tables or min(map(independence_p, tables)) * len(tables) >= max_p:
        return None
    labeled, cases = a.n, a.n + unlabeled.cases
    how = _describe_choice(a, by_call, by_tenth)
    what = "predicted label" if by_tenth is None else "score"
    sentence = f"Labels exist for {labeled:,} of {cases:,} cases, chosen by the {what}{how}"
    then = "" if not a.is_binary else " Use the correction for chosen labels (`correct_verification`)."
    if then and by_call is not None and not by_call[0, 1 - a.labels.index(a.positive)]:
        remedy = hint('`design="flagged"`', "`--design flagged`")
        then = f" No other case than predicted positives has a label. Use {remedy} for what such labels show."
    return f"{sentence}, so recall and accuracy are not valid for all cases.{then}"


def _describe_choice(a: Assessment, by_call: Array | None, by_tenth: Array | None) -> str:
    """How labeled cases differ from all: in the share predicted positive, or in that of labels among high scores."""
    if by_call is not None and a.is_binary:
        at = a.labels.index(a.positive)
        totals = by_call.sum(0)
        of_labeled, of_all = _format_percents(by_call[0, at], by_call[0].sum(), totals[at], totals.sum())
        if of_labeled != of_all:
            return f" ({of_labeled} of them predicted positive, compared with {of_all} of all)"
    if by_tenth is None:
        return ""
    totals = by_tenth.sum(0)
    high, low = _format_percents(by_tenth[0, -1], totals[-1], by_tenth[0, 0], totals[0])
    return f" ({high} of the cases with the highest scores have a label, and {low} of those with the lowest)"


def _format_percents(x: float, n: float, y: float, m: float) -> tuple[str, str]:
    """Return two shares in percent, in as few digits as tell them apart and from 0 and 100.

    >>> _format_percents(150, 300, 16000, 1000000), _format_percents(1, 1000, 999, 1000)
    (('50%', '1.6%'), ('0.1%', '99.9%'))
    """

    def written(share: float) -> str:
        if share in (0, 1):
            return f"{100 * share:.0f}%"
        plain = f"{100 * share:.0f}" if 0.1 <= share <= 0.99 else f"{100 * share:.1f}"
        return f"{hundredths(share)[0] if float(plain) in (0.0, 100.0) else plain}%"

    return written(x / n), written(y / m)


def _count_by_label(a: Assessment, unlabeled: UnlabeledCases) -> Array | None:
    """Labeled and unlabeled cases by predicted label, `(2, labels)`; None where these are not known for both."""
    if a.confusion_matrix is None or unlabeled.called is None or unlabeled.cutoff != a.cutoff:
        return None
    known: Mapping[Hashable, int] = dict(unlabeled.called)
    labeled = np.asarray(calls(a))[: len(a.labels)].sum(1)
    return np.array([labeled, [known.get(label, 0) for label in a.labels]], np.float64)


def _count_by_tenth(a: Assessment, unlabeled: UnlabeledCases) -> Array | None:
    """Labeled and unlabeled cases by tenths of all scores, `(2, tenths)`, of whole bins each; None without scores."""
    table = a.scores if a.cases is None else a.cases.top
    if table is None or not unlabeled.keys:
        return None
    keys, cases, shift = _coarse_bins(table, without_infinite=a.no_answer is not None)
    unlabeled_keys = np.array(unlabeled.keys, np.int64) >> shift
    every = np.unique(np.concatenate([keys, unlabeled_keys]))
    both = np.zeros((2, every.size))
    np.add.at(both[0], np.searchsorted(every, keys), cases)
    np.add.at(both[1], np.searchsorted(every, unlabeled_keys), np.array(unlabeled.counts, np.float64))
    middle = np.cumsum(both.sum(0)) - both.sum(0) / 2
    tenth = np.minimum((TENTHS * middle / both.sum()).astype(int), TENTHS - 1)
    of_tenths = np.zeros((2, TENTHS))
    np.add.at(of_tenths.T, tenth, both.T)
    return of_tenths[:, of_tenths.sum(0) > 0]


def _coarse_bins(table: ScoreTable, *, without_infinite: bool) -> tuple[Array, Array, int]:
    """Return the bins of labeled scores with their cases, and how many bits fewer than `BITS` they keep."""
    if isinstance(table, BinnedScoreTable):
        bins = table.bins.coarser(min(BITS, table.bins.bits))
        return bins.keys, bins.cases.sum(0), BITS - bins.bits
    cases = table.positives + table.negatives
    there = np.isfinite(table.scores) if without_infinite else np.ones(table.scores.size, bool)
    return bin_keys(table.scores[there]), cases[there], 0


def independence_p(counts: Array) -> float:
    """Return the p-value of independence of rows and columns of `counts`, `(2, columns)`; 1 where nothing can differ.

    Fisher's exact test for two columns that expect few cases; else chi-square, over columns that are joined until each
    expects five cases in both rows.
    """
    counts = counts[:, counts.sum(0) > 0]
    if counts.shape[1] < 2 or (counts.sum(1) == 0).any():
        return 1.0
    if counts.shape[1] == 2 and _expected_counts(counts).min() < MIN_EXPECTED:
        return fisher_exact(*(int(count) for count in counts.ravel()))
    counts = _join_columns(counts)
    if counts.shape[1] < 2:
        return 1.0
    from scipy.special import chdtrc

    expected = _expected_counts(counts)
    return float(chdtrc(counts.shape[1] - 1, ((counts - expected) ** 2 / expected).sum()))


def _expected_counts(counts: Array) -> Array:
    return np.asarray(np.outer(counts.sum(1), counts.sum(0)) / counts.sum())


def _join_columns(counts: Array) -> Array:
    """Neighboring columns added until each expects enough cases in both rows; what is left joins the last."""
    share = (counts.sum(1) / counts.sum()).min()
    columns: list[Array] = []
    pooled_column = np.zeros(2)
    for column in counts.T:
        pooled_column = pooled_column + column
        if pooled_column.sum() * share >= MIN_EXPECTED:
            columns.append(pooled_column)
            pooled_column = np.zeros(2)
    if pooled_column.any():
        columns = [*columns[:-1], columns[-1] + pooled_column] if columns else [pooled_column]
    return np.array(columns).T
