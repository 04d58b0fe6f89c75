"""What the core refuses, in which words, and what it still takes: a call on either side of every limit."""

from types import SimpleNamespace

import numpy as np
import pytest

import classay as ca
from classay.assessment.bands import banded, bands_named
from classay.assessment.parts import Estimation
from classay.assessment.unlabeled import UnlabeledCases
from classay.columns.numbers import MOST_REPEATED, refuse_uncountable, score_array
from classay.columns.values import refuse_twice
from classay.comparison.cases.compare_assessments import _defaults
from classay.comparison.cases.label_measures import MOST_DRAWN, _block
from classay.comparison.cases.score_measures import compare_losses
from classay.comparison.cases.sequential import mean_sequence
from classay.curves.curve import entry
from classay.decision.cuts import ScoredCases, captured_at
from classay.measures import f1, f_beta, get
from classay.measures.matrices import over
from classay.measures.probability_bins import equal_mass_bins
from classay.measures.proper_parts import isotonic
from classay.measures.registry import TWO_READINGS, add, add_family
from classay.tables import ConfusionMatrix, ScoreTable
from classay.tables.bins import BinnedScoreTable, Bins
from classay.tables.checks import checked_amounts, checked_class_scores, checked_scores
from limits import check_limits

N = 40
RNG = np.random.default_rng(0)
Y, P = RNG.integers(0, 2, N), np.round(RNG.random(N), 3)
SCORES = np.linspace(0.9, 0.1, 5)
ONE = ScoreTable(SCORES, np.ones(5, int), np.ones(5, int))
STACKED = ScoreTable(SCORES, np.ones((2, 5), int), np.ones((2, 5), int))
AMOUNTS = ScoreTable.from_rows(P, Y == 1, amounts=P[:, None], names=("loan",))
MATRICES = ConfusionMatrix(np.ones((2, 2, 2), int), ("a", "b"))
BOTH = SimpleNamespace(table=SimpleNamespace(labels=("a", "b")))
WEIGHTED, FLOAT32 = Bins.of_rows(P, Y == 1, 10, weight=P + 0.1), Bins.of_rows(P.astype("f4"), Y == 1, 10)


def repeated(times):
    return ca.assess(Y, P, frequency=np.where(np.arange(N) == 0, times, 1))


def in_bands(bands, labels=(17, 18, 64), by="age"):
    return banded(np.array([0, 1, 2, -1]), labels, None, [90], by, bands)


LIMITS = {
    # what: (a function, arguments that it takes, and arguments that it refuses by the words that they end with)
    "models that share neither scores nor labels": (
        lambda *columns: _defaults(
            {str(k): ca.assess(Y, **{name: 10 * P if name == "y_score" else Y}) for k, name in enumerate(columns)}
        ),
        [("y_score", "y_score"), ("y_pred", "y_pred")],
        [("y_score", "y_pred", "The assessments share neither scores nor labels. Assess all by scores")],
    ),
    "cells of resamples": (
        lambda cells: _block(BOTH, np.broadcast_to(0.0, cells)),
        [(MOST_DRAWN,)],
        [(MOST_DRAWN + 1, f"{MOST_DRAWN + 1:,} cells are too many for resampling. Use method='delta'")],
    ),
    "tests of losses": (
        lambda method: compare_losses(P, 1 - P, ("a", "b"), method=method),
        [(None,), ("t",), ("permutation",)],
        [("mid-p", "Unknown method 'mid-p' for losses. Methods: t, permutation.")],
    ),
    "differences of a sequence": (
        lambda *values: mean_sequence(np.array(values), greatest=2.0),
        [(2.0, -2.0)],
        [(2.01, "A difference is outside ±greatest"), (-2.01, "A difference is outside ±greatest")],
    ),
    "bands on the command line": (
        lambda *texts: bands_named(texts),
        [("age=18",), ("age=4q", "dose=1,2")],
        [
            ("age", "--bands is 'age'. Use COL=18,40,65"),
            ("=1,2", "--bands is '=1,2'"),
            ("age=x", "--bands is 'age=x'"),
            ("age=1", "age=2", "--bands is 'age=2'. Use COL=18,40,65 or COL=4q, once for each column."),
        ],
    ),
    "bands": (
        in_bands,
        [([18],), ("2q",), ({"age": [18]},)],
        [
            ({"ages": [18]}, "bands= names 'ages', but no groups are made by that column"),
            ([18, 18], "must be rising numbers"),
            ([], "must be rising numbers"),
            ([1, float("inf")], "must be rising numbers"),
            ("1q", "Use rising numbers, such as 18,40,65, or 4q"),
            ("quarters", "Use rising numbers, such as 18,40,65, or 4q"),
            (["x"], "Pass rising numbers, or a text such as '4q'"),
            (3, "Pass rising numbers, or a text such as '4q'"),
            ([18], ("a", 1, 2), "Bands need numbers, but column 'age' has 'a'. Remove its bands."),
            ([18], (True, 1, 2), "Bands need numbers, but column 'age' has True"),
            ([18], (float("inf"), 1, 2), "Bands need numbers, but column 'age' has inf"),
            ("2q", (5, 5, 5), "Bands need at least two different numbers."),
        ],
    ),
    "bands around a calibration curve": (
        lambda kind, **options: ca.assess(Y, P, **options).curve("calibration").band(kind),
        [("pointwise",), ("consistency",)],
        [("simultaneous", "Unknown band 'simultaneous'. Bands: 'pointwise', 'consistency'.")],
    ),
    "scales of parts": (
        lambda *scales: Estimation(scales_of_parts=scales),
        [(), ("logit", "mixed")],
        [("logit", "log", "scales_of_parts must be scales of scores, but are ('logit', 'log')")],
    ),
    "methods of intervals": (
        lambda name: Estimation(interval=name),
        [(None,), ("Wilson",)],
        [("Wilsen", "interval must be the full name of a method, but is 'Wilsen'")],
    ),
    "costs without labels": (
        lambda score: ca.assess(Y, score).expected_cost({"fp": 1, "fn": 2}),
        [(P,)],
        [(10 * P, "A cost needs predicted labels. Set a threshold, or use at(threshold).")],
    ),
    "another name of a classifier": (
        lambda *names: ca.roc_space(dict.fromkeys(names, ca.assess(Y, P))).of("x"),
        [("a",)],
        [("a", "b", "There are 2 models. Name them in ca.roc_space({name: …}).")],
    ),
    "unlabeled cases": (
        UnlabeledCases,
        [(3, (1, 2), (0, 3)), (3, (), (), (("a", 0), ("b", 3))), (0,), (2**63 - 1, (-5,), (2**63 - 1,))],
        [
            (3, (2, 2), (1, 2), "The keys of unlabeled cases must ascend, with one count each."),
            (3, (2, 1), (1, 2), "must ascend"),
            (3, (1,), (1, 2), "must ascend"),
            (3, (1, 2**63), (1, 2), "must ascend"),
            (3, (1, 2), (1, 1), "counts of unlabeled cases must be at least 0 and sum to 3, but are (1, 1)."),
            (3, (1, 2), (-1, 4), "counts of unlabeled cases must be at least 0"),
            (3, (), (), (("a", 1),), "called of unlabeled cases must be at least 0 and sum to 3"),
            (3, (), (), (("a", -1), ("b", 4)), "called of unlabeled cases must be at least 0"),
        ],
    ),
    "classes of a mean": (
        lambda *labels: over(f1, *labels),
        [("a",)],
        [("f1_over needs the classes. Use f1_over(LABEL, …).",)],
    ),
    "priors of costs": (
        lambda a, b: get(f"h_measure({a}, {b})"),
        [(0, 0), (1, 2), (0.01, 0.01)],
        [
            (0, 1, "a is 0 and b is 1. Use two numbers above 0, such as h_measure(2, 2)."),
            (1, 0, "a is 1 and b is 0. Use two numbers above 0"),
        ],
    ),
    "bins of a stack": (
        equal_mass_bins,
        [(ONE,)],
        [(STACKED, "Equal-mass bins need a table without leading axes")],
    ),
    "fits of a stack": (isotonic, [(ONE,)], [(STACKED, "An isotonic fit needs a table without leading axes")]),
    "names of measures": (
        get,
        [("auc",), ("precision[a]",), (f1,)],
        [
            *((name, f"{name!r} has two meanings. {text}") for name, text in TWO_READINGS.items()),
            ("precison", "Unknown measure 'precison'. `classay measures` lists all measures. Did you mean"),
            (3, "The name of a measure must be a text, such as 'roc_auc', but is 3."),
        ],
    ),
    "groups of a measure": (
        ca.assess(Y, P).__getitem__,
        [("precision",)],
        [("precision[site=a]", "precision[site=a] needs groups of cases. Use by='site' in assess_by.")],
    ),
    "a measure twice": (add, [], [(f1, "A measure or alias 'f1' already exists.")]),
    "a family twice": (add_family, [], [(f_beta, "A family or alias 'f_beta' already exists.")]),
    "bins of amounts": (
        lambda table: BinnedScoreTable.of_table(table, 10),
        [(ONE,)],
        [(AMOUNTS, "Amounts need exact scores. Assess without amounts, or with more memory.")],
    ),
    "bins of two parts": (
        lambda one, other: one + other,
        [(WEIGHTED, WEIGHTED), (FLOAT32, FLOAT32)],
        [
            (Bins.of_rows(P, Y == 1, 10), WEIGHTED, "Only one part has sampling weights. Assess both in"),
            (WEIGHTED, Bins.of_rows(P, Y == 1, 10), "Only one part has sampling weights"),
            (WEIGHTED, FLOAT32, "One part has float64 scores and the other float32. Convert one of them."),
        ],
    ),
    "rows of a table": (
        checked_scores,
        [(P, Y == 1)],
        [
            (P, Y, "positive contains int64. Pass booleans, such as truth == 1."),
            (P, np.ma.masked_array(Y == 1, mask=Y == 0), "positive contains missing values. Pass booleans"),
            (P, (Y == 1)[1:], f"score has shape ({N},), but positive has shape ({N - 1},)"),
            (np.where(Y == 1, np.nan, P), Y == 1, "score has missing values (NaN)"),
        ],
    ),
    "class scores of a table": (
        checked_class_scores,
        [(np.ones((3, 2)), 3, 2)],
        [
            (np.ones((3, 2)), 3, 3, "Scores have shape (3, 2), but 3 rows and 3 labels need (3, 3)."),
            (np.ones((3, 2)), 1, 2, "Scores have shape (3, 2), but 1 row and 2 labels need (1, 2)."),
        ],
    ),
    "amounts of a table": (
        checked_amounts,
        [(np.ones((3, 2)), ("a", "b"), 3), (np.ones((3, 0)), (), 3)],
        [
            (np.ones((3, 2)), ("a",), 3, "Amounts have shape (3, 2), but 3 rows and 1 name need (3, 1)."),
            (np.ones((3, 1)), ("a", "b"), 3, "but 3 rows and 2 names need (3, 2)."),
        ],
    ),
    "a stack of matrices": (
        lambda *names: [getattr(MATRICES, name)() for name in names],
        [()],
        [("frame", "The rows of a frame need one matrix, but the matrix has leading axes. Index `.counts`")],
    ),
    "names of curves": (entry, [("roc",)], [("rco", "Unknown curve 'rco'. The curves are ")]),
    "amounts of the highest scores": (
        lambda table, amount: captured_at(ScoredCases(table), np.array([0.5]), amount),
        [(AMOUNTS, "loan")],
        [
            (AMOUNTS, "loss", "Rows have loan, not 'loss'. Pass amounts= when assessing."),
            (ONE, "loan", "Rows have no amounts, not 'loan'."),
        ],
    ),
    "conditions of a threshold": (
        lambda where: ca.assess(Y, P).threshold(maximize="recall", where=where),
        [("fpr <= 0.3",)],
        [("fpr <= inf", "fpr <= inf has no finite bound. Use a bound that a threshold can reach.")],
    ),
    "periods of a capacity": (
        lambda top, per: ca.assess(Y, P).threshold(top=top, cost=None if top else {"fp": 1, "fn": 2}, per=per),
        [(6, 1), (6, None), (None, None)],
        [
            (None, 3, "per needs a capacity. Pass top too, as in top=200, per=days."),
            (6, 0, "per must be a number of periods, at least 1"),
            (6, 1.5, "per must be a number of periods, at least 1"),
            (6, True, "per must be a number of periods, at least 1"),
        ],
    ),
    "shapes of scores": (
        score_array,
        [(np.ones(3),), (np.ones((3, 1)),), (np.ones((3, 2)),)],
        [
            (np.ones((3, 0)), "score has shape (3, 0). Pass shape (rows,), or (rows, classes)"),
            (np.ones((3, 2, 2)), "score has shape (3, 2, 2). Pass shape (rows,)"),
        ],
    ),
    "numbers of cases": (
        lambda *counts: refuse_uncountable(np.array(counts, np.int64), "the matrix"),
        [(2**53,)],
        [(2**53, 2, "the matrix counts 9.0072e+15 cases. The maximum is 2^53")],
    ),
    "identical rows": (
        repeated,
        [(MOST_REPEATED,)],
        [(MOST_REPEATED + 1, f"The maximum is {MOST_REPEATED:,} identical rows.")],
    ),
    "labels declared twice": (
        lambda *labels: refuse_twice(labels),
        [(1, 2)],
        [
            (1, 2, 1, "labels= contains 1 twice. Remove the duplicate."),
            (1, 1, 2, 2, "labels= contains 1, 2 twice. Remove the duplicates."),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LIMITS)
def test_limits_are_where_they_are_said_to_be(name):
    check_limits(*LIMITS[name])
