"""What results, intervals and comparisons refuse, in which words, and what they still take."""

import json

import numpy as np
import pytest

import classay as ca
from classay.assessment.class_views import class_curves
from classay.assessment.confusion_tree import confusion_tree
from classay.assessment.parts import Sampling
from classay.assessment.saving import _tail, exact
from classay.comparison.cases.difference import cochran_q
from classay.comparison.cases.sequential import betting_e
from classay.comparison.comparisons import check_sides, level_of_both
from classay.curves.acting import precision_at_k
from classay.inference.bootstrap.bootstrapping import bootstrap_all
from classay.inference.bootstrap.label_samples import unit_draws
from classay.inference.estimate import Estimate
from classay.measures import accuracy, recall, roc_auc
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable
from limits import check_limits

N = 60
RNG = np.random.default_rng(1)
Y, P, Q = RNG.integers(0, 2, N), np.round(RNG.random(N), 3), np.round(RNG.random(N), 3)
THREE = np.arange(N) % 3
A, LABELS = ca.assess(Y, P), ca.assess(Y, y_pred=(P > 0.5) * 1)
OF_THREE = ca.assess(THREE, RNG.dirichlet(np.ones(3), N))
ESTIMATE = Estimate(0.5, 0.4, 0.6, 0.95, "Wilson")
TABLE = ScoreTable.from_rows(P, Y == 1)
EMPTY = ScoreTable(np.array([]), np.array([], int), np.array([], int))
WEIGHTED = ConfusionMatrix(np.array([[3.5, 1], [1, 4]]), (0, 1), np.array([[5.0, 1], [1, 6]]))


def compared(**options):
    return ca.compare({"a": P, "b": Q}, Y, measures=["roc_auc"], **options)


def sampled(statistic, table):
    return bootstrap_all(table, [] if statistic is None else [statistic], replicates=100)


LIMITS = {
    "ROC bands": (
        lambda y: ca.assess(y, P, labels=[0, 1], positive=1).roc.band(),
        [(Y,)],
        [(Y * 0, "is not defined")],
    ),
    "statistics of resamples": (
        sampled,
        [(recall, BinaryCounts(4, 3, 2, 5)), (roc_auc, TABLE)],
        [
            (None, TABLE, "No statistic was passed. Pass at least one measure or function of the table."),
            (recall, "counts", "str cannot be resampled. Pass counts, a matrix, a score table or rows."),
            (recall, BinaryCounts(4.5, 3, 2, 5), "Counts must be four whole numbers of cases."),
            (accuracy, WEIGHTED, "A matrix of sampling weights cannot be resampled without its rows."),
            (roc_auc, EMPTY, "The table has no cases to resample."),
        ],
    ),
    "rows of resamples": (
        lambda rows: unit_draws(rows, None),
        [(1,)],
        [(0, "There are no rows to resample.")],
    ),
    "the order of estimates": (
        lambda other: other > ESTIMATE,
        [],
        [
            (ESTIMATE, "Estimates cannot be ordered, because their intervals may overlap. Compare a.value with"),
            (0.3, "An estimate cannot be compared with a number. Use e.value > 0.3 for the value, or e.low > 0.3"),
        ],
    ),
    "fields of an estimate": (
        lambda name, value: Estimate(**{"value": 0.5, name: value}),
        [("certain", (0.1, 0.9)), ("certain", None), ("level", 0.9), ("p", None), ("reason", "none")],
        [
            ("certain", (0.1,), "certain of an estimate must be two limits or None, not (0.1,)."),
            ("certain", [0.1, 0.9], "certain of an estimate must be two limits or None"),
            ("level", "0.9", "level of an estimate must be a number or None"),
            ("p", "0.9", "p of an estimate must be a number or None"),
            ("reason", 3, "reason of an estimate must be a text or None, not 3."),
        ],
    ),
    "Cochran's Q": (
        cochran_q,
        [(np.eye(3, dtype=bool),)],
        [
            (np.ones((3, 1), bool), "right must have shape (cases, classifiers), but has shape (3, 1)."),
            (np.ones(3, bool), "right must have shape (cases, classifiers), but has shape (3,)."),
        ],
    ),
    "permutations of losses": (
        lambda method, weight: ca.compare({"a": P, "b": Q}, Y, measures=["brier_score"], method=method, weight=weight),
        [("permutation", None), (None, P + 0.1)],
        [("permutation", P + 0.1, "The permutation test does not accept sampling weights. Remove the method.")],
    ),
    "stakes": (
        lambda difference, stake: betting_e([difference], [stake]),
        [(1, 0.99), (-1, -0.99)],
        [
            (1, 1, "A stake of 1 or more may lose everything. Use stakes between -1 and 1."),
            (1, -1, "A stake of 1 or more may lose everything"),
            (1.5, 0, "Differences must be in [-1, 1], but one is 1.5. Scale them first."),
            (-1.5, 0, "Differences must be in [-1, 1], but one is -1.5."),
        ],
    ),
    "alternatives": (
        level_of_both,
        [("two-sided", 0.3), ("greater", 0.51), ("less", 0.95)],
        [
            ("more", 0.95, "alternative must be 'two-sided', 'greater' or 'less' (first model minus second), but is"),
            ("greater", 0.5, "level"),
            ("less", 0.4, "level"),
        ],
    ),
    "sides": (
        check_sides,
        [("two-sided", "bayesian", None, 0.1), ("greater", "delta", None, None)],
        [
            ("greater", "bayesian", None, None, "Method 'bayesian' has no one-sided test. Remove alternative=."),
            ("less", None, None, 0.1, "Method 'bayesian' has no one-sided test."),
            ("less", None, "superior", None, "alternative="),
        ],
    ),
    "rules of one-sided tests": (
        lambda alternative: ca.gate(compared(alternative=alternative), "superior"),
        [("two-sided",)],
        [("greater", "The comparison is one-sided ('greater'), but a rule needs both limits of the CI.")],
    ),
    "columns of arrays": (
        lambda id: ca.compare({"a": P, "b": Q}, Y, id=id),
        [(None,)],
        [("case", "id= names columns of frames, but truth= is not set. Pass truth= for frames.")],
    ),
    "leaderboards": (
        lambda names, measure: ca.compare(
            dict.fromkeys(names, P) | {"a": Q, "b": 1 - P}, Y, measures=["roc_auc", "brier_score"]
        ).leaderboard(measure),
        [("abcd", None), ("abcd", "auc"), ("abcd", "brier_score")],
        [
            ("abc", None, "No leaderboard is available. It needs at least four models on one test set"),
            ("abcd", "log_loss", "'log_loss' was not compared. Measures: roc_auc and brier_score"),
        ],
    ),
    "reclassification": (
        lambda new: ca.reclassification(Y, new, Q),
        [(P,)],
        [(3 * P, "are outside [0, 1]. Use probabilities.")],
    ),
    "matrices": (
        lambda matrix: ca.assess(matrix, positive=1),
        [(ConfusionMatrix(np.array([[3, 1], [1, 4]]), (0, 1)),)],
        [
            (WEIGHTED, "The matrix contains sums of sampling weights, not numbers of cases. Assess the rows with"),
            (ConfusionMatrix(np.ones((2, 2, 2), int), (0, 1)), "The matrix has shape (2, 2, 2). Pass a single"),
        ],
    ),
    "sums of assessments": (
        lambda other: LABELS + other,
        [(LABELS,)],
        [(3, "3 cannot be added to an assessment. Pass two assessments."), ([], "[] cannot be added")],
    ),
    "sums from a number": (
        lambda start: sum([LABELS, LABELS], start),
        [(0,)],
        [(1, "1 cannot be added to an assessment. Pass two assessments."), (False, "cannot be added")],
    ),
    "bands of curves": (
        lambda name: A.curve(name).band(),
        [("cumulative_gain",)],
        [("histogram", "has no band")],
    ),
    "readings of a ROC curve": (
        lambda options: A.roc.tpr_at(**options),
        [({"fpr": 0.2},), ({"specificity": 0.8},)],
        [
            ({}, "Pass either fpr= or specificity=, a number from 0 to 1."),
            ({"fpr": 0.2, "specificity": 0.8}, "Pass either fpr= or specificity="),
        ],
    ),
    "thresholds of a ROC curve": (
        lambda options: A.roc.threshold_for(**options),
        [({"fpr": 0.2},), ({"tpr": 0.8},)],
        [({}, "fpr"), ({"fpr": 0.2, "tpr": 0.8}, "fpr")],
    ),
    "kinds of ROC bands": (
        lambda kind, options: ca.assess(Y, P, **options).roc.band(kind),
        [("simultaneous", {}), ("pointwise", {})],
        [
            ("consistency", {}, "Unknown band 'consistency'. Bands: 'simultaneous', 'pointwise', 'bootstrap'."),
            ("pointwise", {"cluster": np.arange(N) // 2}, "This band needs independent cases, but these cases are in"),
            ("pointwise", {"weight": P + 0.1}, "This band needs independent, equally weighted cases"),
        ],
    ),
    "intervals at every threshold": (
        lambda where: A.threshold(maximize="recall", where=where),
        [("f1 >= 0.1",), ("precision.low >= 0.01",)],
        [("f1.low >= 0.1", "f1.low >= 0.1 needs a CI at every threshold, but f1 is not a share of cases.")],
    ),
    "curves of classes": (
        class_curves,
        [(OF_THREE, "roc")],
        [
            (OF_THREE, "det", "Unknown curve 'det'. Curves: "),
            (ca.assess(THREE, y_pred=THREE), "roc", "Curves of the classes"),
        ],
    ),
    "thresholds of classes": (
        lambda a: a.class_thresholds(cost={"fp": 1, "fn": 2}),
        [(OF_THREE,)],
        [
            (A, "Two classes share one threshold. Use threshold(…)."),
            (ca.assess(THREE, y_pred=THREE), "Thresholds of the classes"),
        ],
    ),
    "conditions of classes": (
        lambda where: OF_THREE.class_thresholds(maximize="recall", where=where),
        [("precision >= 0.01",)],
        [("fpr <= -1", "No class has a threshold. Class 0: ")],
    ),
    "groups of confused classes": (
        lambda k: confusion_tree(ConfusionMatrix(np.ones((k, k), int), tuple(range(k)))),
        [(3,)],
        [(2, "Groups of classes need one matrix of three classes or more.")],
    ),
    "cost curves": (
        ca.cost_curves,
        [({"a": P}, Y)],
        [
            ({}, Y, "No model was passed. Pass a mapping from model names to scores."),
            ({"a": RNG.dirichlet(np.ones(3), N)}, THREE, "Cost curves need two classes and one score column"),
        ],
    ),
    "guarantees": (
        lambda options: A.threshold(guarantee="precision >= 0.9", **options),
        [],
        [
            ({name: value}, "guarantee= can be combined with maximize= only. Remove the other arguments.")
            for name, value in (
                ("cost", {"fp": 1, "fn": 2}),
                ("where", "recall >= 0.1"),
                ("minimize", "fpr"),
                ("top", 3),
                ("prevalence", 0.1),
            )
        ],
    ),
    "scales of weights": (
        lambda scale: Sampling(weight_scale=scale),
        [(1.0,), (0.25,), (2.0**40,)],
        [(0.3, "weight_scale must be a power of two, but is 0.3."), (3.0, "but is 3.0."), (0.0, "but is 0.0.")],
    ),
    "positive classes of ROC space": (
        lambda positive: ca.roc_space({"a": A, "b": ca.assess(Y, P, positive=positive)}),
        [(1,)],
        [(0, "The positive classes differ (")],
    ),
    "saved tails": (
        _tail,
        [(json.loads('["0x1.8p+1", ["3", 0], ["9", 0]]'),)],
        [
            (["x", ["3", 0], ["9", 0]], "'x' is not a greatest loss"),
            (["-0x1p0", ["3", 0], ["9", 0]], "'-0x1p0' is not a greatest loss"),
            (["0x1p0", ["3", 0]], "is not a tail of losses"),
            ({}, "is not a tail of losses"),
        ],
    ),
    "saved sums": (
        exact,
        [(["ff", 3],), (["0", 0],)],
        [
            (["g", 3], "is not an exact sum"),
            (["-1", 3], "is not an exact sum"),
            (["f", -1], "is not an exact sum"),
            (["f", 1.0], "is not an exact sum"),
            (["f"], "is not an exact sum"),
        ],
    ),
    "numbers of highest scores": (
        lambda k: precision_at_k(TABLE, k),
        [(1,), (N,)],
        [(0, "k"), (N + 1, "k")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LIMITS)
def test_limits_are_where_they_are_said_to_be(name):
    check_limits(*LIMITS[name])
