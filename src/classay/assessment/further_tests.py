"""Chi-squared tests of an assessment: symmetry and margins of its matrix, calibration intercept and slope together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from classay.answers import of_labels
from classay.inference.estimate import p_equation
from classay.measures.recalibration import CERTAIN, ONE_DOUBTFUL_CLASS, SEPARATED, cox_recalibration, doubtful
from classay.measures.vocabulary import NOT_PROBABILITIES, ONE_TRUE_CLASS_SEEN, first_met
from classay.once import memoize
from classay.tables import ConfusionMatrix, ScoreTable

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment


@dataclass(frozen=True)
class ChiSquaredTest:
    """A chi-squared test: statistic, degrees of freedom and p-value, or None with the reason why there is none."""

    name: str
    statistic: float | None
    degrees: int | None
    p_value: float | None
    method: str
    reason: str | None = None


BOWKER, STUART_MAXWELL, COX = "bowker", "stuart_maxwell", "cox_recalibration"
MOST_CLASSES = 200
"""Classes up to which margins are tested: the variance is inverted, which takes their number to the third power."""
METHODS = {
    # Bowker 1948, JASA 43:572
    BOWKER: "Bowker's test of symmetry",
    # Stuart 1955, Biometrika 42:412; Maxwell 1970, British Journal of Psychiatry 116:651
    STUART_MAXWELL: "Stuart-Maxwell test of equal margins",
    # Cox 1958, Biometrika 45:562; Miller, Langefeld, Tierney, Hui & McDonald 1993, Medical Decision Making 13:49
    COX: "likelihood-ratio test of intercept 0 and slope 1",
}


def further_tests(a: Assessment) -> tuple[ChiSquaredTest, ...]:
    """Return the tests that an assessment has; see `Assessment.tests`."""
    reason = {
        "clustered": "cases in a cluster depend on each other",
        "weighted": "the cases are weighted",
    }.get(a.drawn)
    tests: list[ChiSquaredTest] = []
    if isinstance(a.confusion_matrix, ConfusionMatrix):
        missing = len(of_labels(a.confusion_matrix.labels)) < len(a.confusion_matrix.labels)
        why = reason or ("cases have no prediction" if missing else None)
        for name, test in ((BOWKER, bowker), (STUART_MAXWELL, stuart_maxwell)):
            tests.append(_refused(name, why) if why else test(a.confusion_matrix))
    if a.is_binary and a.scores is not None:
        tests.append(_refused(COX, reason) if reason else cox_test(a.scores))
    return tuple(tests)


def sentence_of(test: ChiSquaredTest) -> str:
    """Return a test in a sentence.

    >>> sentence_of(ChiSquaredTest("bowker", 4.5, 1, 0.033895, METHODS["bowker"]))
    "Bowker's test of symmetry: chi-squared 4.5 with 1 degree of freedom, p = 0.034."
    """
    if test.reason is not None:
        return f"{METHODS[test.name]}: not defined ({test.reason})."
    assert test.statistic is not None
    assert test.p_value is not None
    degrees = f"{test.degrees} degree{'' if test.degrees == 1 else 's'} of freedom"
    name = METHODS[test.name]
    return f"{name[0].upper()}{name[1:]}: chi-squared {test.statistic:.4g} with {degrees}, {p_equation(test.p_value)}."


def bowker(matrix: ConfusionMatrix) -> ChiSquaredTest:
    """Whether each pair of classes is confused as often one way as the other: sum of (n_ij - n_ji)² / (n_ij + n_ji).

    One degree of freedom for each pair of classes with a case; with two classes it is McNemar's test without a
    correction, of the margins.

    >>> matrix = ConfusionMatrix.from_array([[50, 3, 2], [10, 30, 5], [4, 6, 40]], "abc", rows="true")
    >>> test = bowker(matrix)
    >>> round(test.statistic, 4), test.degrees, round(test.p_value, 4)
    (4.5268, 3, 0.2099)
    """
    counts = np.asarray(matrix.counts, np.float64)
    upper = np.triu_indices(counts.shape[0], 1)
    either, difference = (counts + counts.T)[upper], (counts - counts.T)[upper]
    occupied = either > 0
    if not occupied.any():
        return _refused(BOWKER, "no case is misclassified")
    return _found(BOWKER, float((difference[occupied] ** 2 / either[occupied]).sum()), int(occupied.sum()))


def stuart_maxwell(matrix: ConfusionMatrix) -> ChiSquaredTest:
    """Check whether every class is predicted as often as it is true: d' V⁻¹ d of the differences of the margins.

    V_ii = n_i. + n_.i - 2 n_ii, V_ij = -(n_ij + n_ji). The degrees of freedom are the rank of V: classes minus one,
    fewer where classes are never confused.

    >>> matrix = ConfusionMatrix.from_array([[50, 3, 2], [10, 30, 5], [4, 6, 40]], "abc", rows="true")
    >>> test = stuart_maxwell(matrix)
    >>> round(test.statistic, 4), test.degrees, round(test.p_value, 4)
    (4.2648, 2, 0.1186)
    """
    if len(matrix.labels) > MOST_CLASSES:
        return _refused(STUART_MAXWELL, f"there are more than {MOST_CLASSES} classes")
    counts = np.asarray(matrix.counts, np.float64)
    either = counts + counts.T
    np.fill_diagonal(either, 0.0)
    variance = np.diag(either.sum(0)) - either
    rank = int(np.linalg.matrix_rank(variance, hermitian=True)) if either.any() else 0
    if not rank:
        return _refused(STUART_MAXWELL, "no case is misclassified")
    d = counts.sum(1) - counts.sum(0)
    return _found(STUART_MAXWELL, float(d @ np.linalg.pinv(variance, hermitian=True) @ d), rank)


@memoize
def cox_test(scores: ScoreTable) -> ChiSquaredTest:
    """Check whether calibration intercept 0 and slope 1 hold together: twice the log-likelihood gained by fitting both.

    2 degrees of freedom. Cases of probability 0 or 1, whose logit is infinite, are left out.

    >>> score, truth = np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, False, True, False])
    >>> test = cox_test(ScoreTable.from_rows(score, truth))
    >>> round(test.statistic, 4), test.degrees, round(test.p_value, 4)
    (0.9448, 2, 0.6235)
    """
    conditions = (NOT_PROBABILITIES, CERTAIN, ONE_TRUE_CLASS_SEEN, ONE_DOUBTFUL_CLASS, SEPARATED)
    reason = first_met(conditions, (scores,))
    if reason is not None:
        return _refused(COX, reason)
    fit, left = cox_recalibration(scores), doubtful(scores)
    p = left.scores.astype(np.float64)
    log_p, log_not_p = np.log(p), np.log(1 - p)
    fitted = fit.intercept + fit.slope * (log_p - log_not_p)
    # log(1 + exp(x)); NumPy's log is several times as fast as its log1p, and as exact in a sum
    softplus = np.maximum(fitted, 0) + np.log(1 + np.exp(-np.abs(fitted)))
    of_fit = left.positives @ (fitted - softplus) - left.negatives @ softplus
    gained = float(of_fit - left.positives @ log_p - left.negatives @ log_not_p)
    return _found(COX, max(0.0, 2 * gained), 2)


def _found(name: str, statistic: float, degrees: int) -> ChiSquaredTest:
    from scipy.special import chdtrc

    return ChiSquaredTest(name, statistic, degrees, float(chdtrc(degrees, statistic)), METHODS[name])


def _refused(name: str, reason: str) -> ChiSquaredTest:
    return ChiSquaredTest(name, None, None, None, METHODS[name], reason)
