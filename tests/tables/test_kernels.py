"""Every compiled kernel equals its NumPy twin; ten million rows overflow nothing."""

import ast
import importlib
import inspect
import json
import pkgutil
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import classay
from bounded import bounded
from classay import compiled
from classay.compiled import KERNELS, Kernel
from classay.decision.cuts import BLOCK
from classay.errors import InputError
from classay.inference.bootstrap.sampling import CellCounts
from classay.measures import MEASURES
from classay.measures.proper_parts import TIE
from classay.tables import CaseTable, ClassScoreTable, ConfusionMatrix, PairedTable, ScoreTable
from classay.tables.binning import ABSENT, LEAST, MOST
from classay.tables.rows import CodedRows
from classay.tables.sums import _units
from command import refusal
from samples import binary_rows
from wing_samples import of_wings

for module in pkgutil.walk_packages(classay.__path__, "classay."):
    if not module.name.startswith(("classay.__main__", "classay.cli")):
        importlib.import_module(module.name)


def table(rng, weighted):
    """Positives and negatives at descending scores; some scores have none of one class."""
    counts = rng.integers(0, 5, (2, 300))
    counts[0, 0] = counts[1, -1] = 1
    return [counts * 0.37 if weighted else counts][0]


def cells(rng, k):
    return rng.integers(0, k, 501).astype(np.int8), rng.integers(0, k, 501).astype(np.int8)


def triples(rng, k):
    return (*cells(rng, k), rng.integers(0, k, 501).astype(np.int8))


def words(rng, width, distinct):
    made = rng.integers(0, 2**63, (distinct, width), dtype=np.uint64)
    return made[rng.integers(0, distinct, 700)], np.empty(700, np.int8), np.empty(127, np.int64), 0, 0


def near(rng, span):
    return rng.integers(-5, -5 + span, 9000), -5, np.empty(9000, np.int8)


def wide(rng):
    return rng.integers(10, 5000, 9000), 10, np.empty(9000, np.int16), np.zeros(4990, bool)


def recode(rng):
    return (
        rng.integers(-1, 6, 900).astype(np.int8),
        np.array([-1, 5, 0, 3, 3, 1, 2]),
        np.empty(900, np.int8),
        np.zeros(7, bool),
    )


def counted(rng, *more):
    return [(*table(rng, False), *more), (*table(rng, True), *more)]


def two_runs(rng):
    """Scores of two tables, descending, of which some are in both; one of them without any."""
    one, other = (np.unique(rng.integers(0, 400, size))[::-1] / 8 for size in (300, 120))
    return [(one, other), (other, one), (one[:0], other), (one, other[:0]), (one[:1], one[:1])]


def merged(rng):
    """Which of two tables each of their scores is of, and counts of both, whole or weights."""
    of = rng.integers(1, 4, 500)
    sizes = (of & 1).sum(), (of > 1).sum()
    counts = [rng.integers(0, 9, size) for size in sizes]
    return [
        (of.astype(np.uint8), *(each.astype(kind) for each in counts), np.zeros(500, total))
        for kind, total in (("u1", "u1"), ("i8", "i8"), ("f8", "f8"))
    ]


def with_scores(rng):
    """Each type of scores with one type of counts: every pair of types is compiled for itself, which takes a second."""
    scores = np.sort(rng.random(300))[::-1]
    certain = np.where(scores > 0.9, 1.0, scores)
    whole, weighted = counted(rng)
    return [(scores, *whole), (certain, *whole), (scores.astype(np.float32), *weighted)]


def in_halves(rng):
    """Whole numbers, and weights, of which many rates are equal but for rounding."""
    return [(*table(rng, False), 1), (*(0.1 * each for each in table(rng, False)), TIE)]


def with_probabilities(rng, *more, low=0.0, high=1.0):
    scores = np.linspace(high, low, 300)
    both = scores, scores.astype(np.float32)
    return [(each, *part, *more) for each, part in zip(both, counted(rng), strict=True)]


def text(rng, distinct, room, longest=20):
    """Offsets and padded bytes of rows of text, with room for so many distinct values."""
    kinds = [bytes(rng.integers(0, 3, rng.integers(0, longest)).astype(np.uint8)) for _ in range(distinct)]
    values = [kinds[i] for i in rng.integers(0, distinct, 500)]
    offsets = np.cumsum([0, *map(len, values)]).astype(np.int32)
    data = b"".join(values).ljust(8 * (offsets[-1] // 8 + 2), b"x")
    return offsets, np.frombuffer(data, np.uint64), np.zeros(500, np.int16), np.zeros(room, np.int64), 0, 0


def runs(rng, *more, k=4):
    """Entries of a class's scores as a ClassRun has them: some of one score, each class once at each; and weights."""
    made = []
    for levels in (5, 40):
        at = np.sort(rng.permutation(levels * k)[: 3 * levels])
        scores, true = 1 - at // k / levels, (at % k).astype(np.int8)
        made += [
            (scores, true, each, 1, *more) for each in (rng.integers(1, 9, at.size), rng.random(at.size))
        ]
    return made


def placed(rng):
    """Runs, what each class counts in three means, their centres, and room for the own entries."""
    made = runs(rng, rng.random((4, 3)), rng.random(3))
    return [(*each, np.zeros((np.count_nonzero(each[1] == 1), 3))) for each in made]


def added(rng):
    """Cases, some of the own class 1 whose entries are rows of what was found of them."""
    true, entry = rng.integers(0, 4, 5000).astype(np.int8), entries(rng)[0]
    entry = np.where(true == 1, entry % 30, 30 + entry % 270).astype(np.int32)
    where = np.concatenate([np.arange(30), rng.random(270)])
    more = rng.random((30, 3)), rng.random((4, 3)), rng.random(4), np.zeros((5000, 3))
    return [(entry, true, 1, where, *more)]


def class_scores(rng, dtype=np.float64):
    """Rows of class scores, many equal, some infinite, and zeros of both signs."""
    grid = np.array([-np.inf, -2.5, -0.0, 0.0, 0.1, 0.5, 1.0, np.inf])
    return np.where(rng.random((400, 9)) < 0.3, rng.normal(size=(400, 9)), rng.choice(grid, (400, 9))).astype(
        dtype
    )


def dealt(rng):
    return [
        (class_scores(rng, dtype), rng.permutation(400), 30, 390, np.zeros((9, 400), dtype))
        for dtype in (np.float64, np.float32)
    ]


def ranked(rng):
    """Scores and the distinct ones of some of them: crowded at one end, far apart, one alone."""
    crowded = np.concatenate([[-1e300, 0.0], 0.5 + rng.random(300) / 1e9, [3.0, np.inf]])
    columns = crowded, rng.normal(size=300), np.exp(-300 * rng.random(300)), np.round(rng.random(300), 2)
    made = [(rng.permutation(np.concatenate([each, each[:90]])), np.unique(each[::3])) for each in columns]
    made += [(columns[3], np.array([0.5])), tuple(each.astype(np.float32) for each in made[1])]
    return [(column, of, np.zeros(column.size, np.int32)) for column, of in made]


STARTS = np.array([0, 90, 90, 250, 400])
"""Where the cases of four classes begin, of which the second has none."""


def among(rng):
    """Places of cases among the own ones, and room for what they add up to."""
    of_cases = rng.integers(0, 41, 400).astype(np.int32), STARTS
    rest = 2, rng.random(4), rng.random(41), np.zeros(400), np.zeros(4), np.zeros((41, 2))
    return [(*of_cases, each, *rest) for each in (None, rng.integers(1, 9, 400), rng.random(400))]


def binned(rng):
    """Scores at the edges of 15 bins, and beside them, with and without weights."""
    edges = np.concatenate([[-np.inf], np.arange(1, 15) / 15, [np.inf]])
    near = rng.choice(np.arange(16) / 15, 2400) + rng.choice([-1e-17, 0, 1e-16, 0.01, -0.02], 2400)
    made = np.clip(near, 0, 1)
    return [
        (made.astype(dtype), each, 300, 900, edges.astype(dtype))
        for each, dtype in (
            (None, np.float64),
            (rng.integers(1, 9, 2400), np.float32),
            (rng.random(2400), np.float64),
        )
    ]


def entries(rng):
    return rng.integers(0, 300, (6, 5000)).astype(np.int32)


def read(rng, dtype):
    """Rows of class scores, some tied, some improper, and room for what is read of them."""
    scores = np.round(rng.dirichlet([0.4] * 4, 400), 1 if dtype == np.float32 else 9).astype(dtype)
    scores[:9, 0] -= 0.5
    empty = (
        np.empty(400, np.int64),
        np.empty(400),
        np.empty(400, bool),
        np.empty(400, bool),
        np.empty(400, np.int64),
    )
    return scores, rng.integers(0, 4, 400).astype(np.int8), *empty


def left_out(rng):
    p, n = table(rng, False)
    held = np.flatnonzero(p + n > 1)[::3]
    fewer = rng.integers(0, p[held] + 1), rng.integers(0, n[held] + 1)
    all_of_them = p[held], n[held]
    return [(np.linspace(1, 0, 300), p, n, held, *each) for each in (fewer, all_of_them)]


def bins(rng, room, weight):
    """Rows of scores in and outside [0, 1], and empty cells of so many bins."""
    score = np.concatenate([rng.random(400), rng.normal(size=90) * 3, [0, 0.5, 1, np.inf, -np.inf]])
    positive, shift = rng.random(score.size) < 0.4, 52 - 3
    base = int(LEAST >> shift)
    slots = np.zeros(int(MOST >> shift) - base + 1, np.int32)
    is_weight = weight.dtype.kind == "f"
    ends = np.tile([0, 0, ABSENT, -ABSENT], 2 * room)
    sums = np.zeros(ends.size) if is_weight else ends
    slots[[5, 9]] = -1, -2  # two bins are split, in two and in four
    first, finer = slots.size + np.array([0, 2]), np.array([1, 2])
    slots = np.concatenate([slots, np.zeros(6, np.int32)])
    starts = np.zeros(room, np.int64)
    cells = sums, np.zeros(2 * room if is_weight else 0), ends
    return score, positive, weight, shift, base, slots, first, finer, starts, *cells, 0, 0


def mantissas(rng, times):
    values = rng.normal(size=500) * 10.0 ** rng.integers(-300, 300, 500)
    values[:2] = np.inf, 0
    return values, times, np.zeros(2152, np.int64), np.zeros(2152, np.int64)


def magnitudes(rng):
    """Values that count once: of all sizes, of one, near the largest and the smallest numbers, none, nothing but 0."""
    wide = mantissas(rng, None)[0]
    narrow = rng.random(5000) ** rng.integers(1, 40, 5000)
    largest = np.array([1.7e308, -1.7e308, 8.9e307, 2.0**1022, 1, 5e-324])
    smallest = np.array([5e-324, -1e-310, 2.2250738585072014e-308, 1e-292, 0.0, -0.0])
    even = rng.integers(-3, 4, 3000) * 2.0 ** rng.integers(-60, 60, 3000)
    return [
        wide,
        wide[1:],
        narrow,
        -np.log(rng.random(9000)),
        largest,
        smallest,
        even,
        narrow[:0],
        np.zeros(9),
    ]


def counts_to_draw(rng):
    """Cells of one case, of several and of very many."""
    counts = rng.choice([1, 1, 1, 2, 3, 9, 100, 511, 600], 900)
    cells = CellCounts.of(counts)
    keys = rng.integers(0, 2**64, 20, dtype=np.uint64)
    return keys, cells.totals(rng, 20), *cells.columns(), np.zeros((20, 900), cells.dtype)


def rows_of_cells(rng):
    """Rows of seven clusters in 40 cells of five groups, or of one, with weights and without."""
    at, cluster, weight = rng.integers(0, 40, 300), rng.integers(0, 7, 300), rng.random(300)
    values, none = rng.normal(size=40), np.zeros(0)
    return [
        (at, cluster, each, values, group, 7)
        for each in (weight, none)
        for group in (rng.integers(0, 5, 40), none.astype(np.int64))
    ]


def in_blocks(rng):
    counts = rng.integers(0, 5, (2, 2 * BLOCK + 99))
    return [
        (*each, -5.0, 1.0, *part, np.zeros(3), np.zeros(3))
        for each in (counts, 0.3 * counts)
        for part in ((0, 3), (1, 2))
    ]


def texts(rng):
    """Rows of delimited text with quotes, doubled, opened in the middle, never closed, and every end of a line."""
    return [
        (np.concatenate([[97], rng.choice(np.frombuffer(b'ab,;"\n\r', np.uint8), size)]).astype(np.uint8), 44)
        for size in (3, 10, 40, 400)
        for _ in range(50)
    ]


def correlated(rng):
    """Standard errors, of which one has none, sparse covariances and what all have beside them, and two vectors."""
    size = 40
    held = np.triu(rng.normal(size=(size, size)) * (rng.random((size, size)) < 0.2))
    start = np.concatenate([[0], np.cumsum((held != 0).sum(1))])
    scale = 1 / (1 + rng.random(size))
    scale[3] = 0
    a, w = rng.normal(size=(2, size))
    row, column = np.nonzero(held)
    return scale, start, column, held[row, column], a, w, rng.random((size, 2)), np.ones((size, 2))


INPUTS = {
    "add_correlated": lambda rng: [correlated(rng)],
    "hash_rows": lambda rng: [
        (matrix.astype(kind), rng.integers(1, 2**63, 7, np.uint64), np.uint64(kept), np.zeros(90, np.uint64))
        for kind in ("f4", "f8")
        for kept in (2**64 - 1, 2**64 - 2**29)
        for matrix in (rng.normal(size=(90, 7)), rng.integers(-1, 2, (90, 7)) * 0.0)
    ],
    "row_ends": texts,
    "sum_by_cluster": lambda rng: [(*each, np.zeros(35)) for each in rows_of_cells(rng)],
    "draw_cells": lambda rng: [counts_to_draw(rng)],
    "block_costs": in_blocks,
    "ranked_above": lambda rng: [(*each, 4, unit) for each in runs(rng) for unit in (1.0, 7.3)],
    "place_cases": placed,
    "add_influences": added,
    "deal_scores": dealt,
    "find_places": ranked,
    "add_places": among,
    "add_times": lambda rng: [(rng.random(3000), rng.random(4), rng.random((4, 3000)))],
    "bin_sums": binned,
    "centred_sums": lambda rng: [
        (STARTS, *map(rng.random, ((4, 400), (2, 400), (4, 4), (4, 2), 4)), np.zeros(400))
    ],
    "sum_powers": lambda rng: [
        (STARTS, rng.normal(size=400), *each) for each in ((None, None), rng.random((2, 400)))
    ],
    "read_cases": lambda rng: [read(rng, np.float64), read(rng, np.float32)],
    "leave_out": left_out,
    "interleave": two_runs,
    "add_merged": merged,
    "count_bins": lambda rng: [
        bins(rng, room, weight)
        for room in (900, 20)
        for weight in (np.ones(495, np.int8), rng.integers(1, 9, 495), rng.random(495))
    ],
    "add_parts": lambda rng: [
        mantissas(rng, each) for each in (np.ones(500, np.int8), rng.integers(0, 9, 500))
    ],
    "add_once": lambda rng: [
        (values, np.zeros(2152, np.int64), np.zeros(2152, np.int64)) for values in magnitudes(rng)
    ],
    "put_apart": lambda rng: [
        (values, rng.random(700) < share, np.empty(700))
        for values in (rng.random(700), rng.random(700).astype(np.float32), rng.integers(1, 9, 700))
        for share in (0, 0.2, 1)
    ],
    "count_cells": lambda rng: [(*cells(rng, k), k) for k in (1, 2, 5, 11)],
    "sum_cells": lambda rng: [
        (*cells(rng, k), each, k) for k in (2, 5) for each in (rng.integers(0, 9, 501), rng.random(501))
    ],
    "count_triples": lambda rng: [(*triples(rng, k), k) for k in (1, 2, 5)],
    "sum_triples": lambda rng: [
        (*triples(rng, k), each, k) for k in (2, 5) for each in (rng.integers(0, 9, 501), rng.random(501))
    ],
    "concordance": counted,
    "summed_precision": counted,
    "largest_gap": counted,
    "area_up_to": lambda rng: counted(rng, 0.1) + counted(rng, 0.37) + counted(rng, 1.0),
    "log_losses": with_scores,
    "brier_losses": with_scores,
    "sum_stretches": lambda rng: with_probabilities(rng, np.array([0, 0, 100, 299, 300])),
    "mass_cuts": lambda rng: counted(rng, 7) + counted(rng, 500),
    "scores_within": lambda rng: [
        (counts, np.sort(rng.random(40)) * share * counts.sum(), step)
        for counts in (*counted(rng)[0][:2], rng.random(300))
        for share, step in ((0.5, 1), (1.1, 1), (0.5, -1), (1.1, -1))
    ],
    "cumulative_extremes": with_probabilities,
    "sum_spiegelhalter": lambda rng: [(*each, each[1] + each[2]) for each in with_probabilities(rng)],
    "pool": in_halves,
    "slopes": lambda rng: with_probabilities(rng, 0.3, 0.8, low=0.01, high=0.99),
    "offset_slopes": lambda rng: with_probabilities(rng, 0.8, low=0.01, high=0.99),
    "residual_moments": with_probabilities,
    "placement_moments": counted,
    "near_codes": lambda rng: [near(rng, 3), near(rng, 64), near(rng, 65)],
    "wide_codes": lambda rng: [wide(rng)],
    "recode": lambda rng: [recode(rng)],
    "text_codes": lambda rng: [text(rng, 5, 9), text(rng, 90, 99), text(rng, 90, 20), text(rng, 9, 9, 3)],
    "row_codes": lambda rng: [words(rng, 1, 20), words(rng, 3, 20), words(rng, 1, 400), words(rng, 2, 400)],
}
for own in of_wings("KERNEL_INPUTS"):
    INPUTS |= own
ELSEWHERE = (  # tested with what they work on
    "classay.tables.sorting.",  # tests/tables/test_sorting.py
    "classay.inference.bootstrap.draw_kernels.",  # tests/inference/test_bootstrap.py
    "classay.inference.scores.auc.",  # tests/comparison/test_comparison_scores.py
    "classay.comparison.",
    "classay.measures.areas.",  # tests/curves/test_curves.py
    "classay.measures.selective.",
    "classay.columns.coding.",  # tests/assessment/test_blocks.py
    "classay.tables.paired.",
    "classay.inference.left_out.",  # tests/inference/test_others.py
)
HERE = sorted(name for name in KERNELS if name.rpartition(".")[2] in INPUTS or not name.startswith(ELSEWHERE))
PART = {  # what a kernel leaves behind that means something, given its result and its arguments afterwards
    "add_once": lambda _, args: [np.array(_units(*args[1:]), object)],
    "near_codes": lambda result, args: [] if result == 0 else [args[2]],
    "text_codes": lambda result, args: [args[2][: result[0]], args[3][: result[1]]],
    "row_codes": lambda result, args: [args[1][: result[0]], args[2][: result[1]]],
}


def flat(result):
    return [np.asarray(each) for each in (result if isinstance(result, tuple) else (result,))]


def outcome(name, function, args):
    """What a kernel returns, and what it leaves in the arrays it writes to."""
    args = [*args]  # rows of an array are made as one looks at them, and their ids given to the next
    copies = {id(each): each.copy() for each in args if isinstance(each, np.ndarray)}  # one array stays one
    args = [copies.get(id(each), each) for each in args]
    result = function(*args)
    left = PART.get(name, lambda result, args: [each for each in args if isinstance(each, np.ndarray)])(
        result, args
    )
    return flat(result) + [np.asarray(each) for each in left]


def alike(a, b):
    """Bit for bit for whole numbers and moved floats; to rounding for sums of floats."""
    assert a.shape == b.shape
    if a.dtype.kind == "f":
        np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-12)
    else:
        np.testing.assert_array_equal(b, a)


@pytest.mark.wings("in_parts")
def test_no_kernel_is_left_out():
    assert {name.rpartition(".")[2] for name in HERE} == {*INPUTS}


@pytest.mark.parametrize("full_name", HERE)
def test_compiled_equals_twin(full_name):
    kernel, name = KERNELS[full_name], full_name.rpartition(".")[2]
    for seed in range(3):
        for args in INPUTS[name](np.random.default_rng(seed)):
            twin, compiled = (outcome(name, each, args) for each in (kernel.twin, kernel.compiled))
            for a, b in zip(twin, compiled, strict=True):
                alike(a, b)


def test_both_versions_take_the_same():
    for full_name, kernel in KERNELS.items():
        both = [[*inspect.signature(each).parameters] for each in (kernel.loop, kernel.twin)]
        assert both[0] == both[1], full_name
        assert kernel.loop.__doc__, full_name


def test_every_kernel_is_registered():
    found = {
        id(value)
        for module in pkgutil.walk_packages(classay.__path__, "classay.")
        if not module.name.startswith(("classay.__main__", "classay.cli"))
        for value in vars(importlib.import_module(module.name)).values()
        if isinstance(value, Kernel)
    }
    assert found == {*map(id, KERNELS.values())}


def test_numba_can_be_switched_off(monkeypatch):
    monkeypatch.setenv("CLASSAY_NUMBA", "0")
    kernel = Kernel(lambda first: first, lambda first: first + 1)
    assert kernel.compiled is kernel.twin


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("levels", [7, 10**9])
def test_many_rows_give_the_table_of_few(dtype, levels):
    """Above the switch to compiled loops, tables are those of the chunks below it, added."""
    rng = np.random.default_rng(0)
    truth, score = binary_rows(rng, 250_000, levels=levels)
    score = score.astype(dtype)
    whole = ScoreTable.from_rows(score, truth == 1)
    added = sum_of(
        [
            ScoreTable.from_rows(score[at : at + 50_000], truth[at : at + 50_000] == 1)
            for at in range(0, 250_000, 50_000)
        ]
    )
    for name in ("scores", "positives", "negatives"):
        a, b = getattr(whole, name), getattr(added, name)
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def sum_of(tables):
    total = tables[0]
    for each in tables[1:]:
        total = total + each
    return total


OF_THE_NUMBER = {  # what these measures say depends on how many cases there are
    "debiased_squared_calibration_error",
    "expected_calibration_error_null",
    "spiegelhalter_z",
    "area_under_risk_coverage",
    "partial_roc_auc",  # undefined on a few cases
    "standardized_partial_roc_auc",
}


def test_huge_frequencies_do_not_overflow():
    """Four thousand million cases a cell, as in counted logs: products of counts pass 2^63."""
    many = 4 * 10**9
    counts = ScoreTable(np.array([0.9, 0.6, 0.3]), many * np.array([3, 2, 1]), many * np.array([1, 2, 3]))
    few = ScoreTable(counts.scores, counts.positives // many, counts.negatives // many)
    for name in [each for each in MEASURES if MEASURES[each].needs in ("scores", "probabilities")]:
        if name not in OF_THE_NUMBER:
            assert float(MEASURES[name](counts)) == pytest.approx(float(MEASURES[name](few)), rel=1e-12), name
    matrix = ConfusionMatrix(many * np.array([[5, 1, 0], [2, 7, 1], [0, 3, 4]]), (0, 1, 2))
    small = ConfusionMatrix(matrix.counts // many, (0, 1, 2))
    for measure in MEASURES.values():
        if measure.needs in ("margins", "matrix"):
            assert float(measure(matrix)) == pytest.approx(float(measure(small)), rel=1e-12), measure.name
        if measure.needs == "counts":
            big, little = (each.one_vs_rest(1) for each in (matrix, small))
            assert float(measure(big)) == pytest.approx(float(measure(little)), rel=1e-12), measure.name


@pytest.mark.slow
def test_ten_million_rows():
    """Whole-number products of ten million rows stay exact: references in float64, on ranks and shares."""
    rng = np.random.default_rng(0)
    n = 10**7
    truth = rng.random(n) < 0.5
    score = np.round(rng.normal(0.4 + 0.2 * truth, 0.2), 4)
    scores = ScoreTable.from_rows(score, truth)

    from scipy.stats import rankdata

    p = float(truth.sum())
    auc = (rankdata(score)[truth].sum() - p * (p + 1) / 2) / p / (n - p)
    assert float(MEASURES["roc_auc"](scores)) == pytest.approx(auc, rel=1e-10)

    order = np.argsort(-score, kind="stable")
    ends = np.flatnonzero(np.diff(score[order], append=-9.0))
    tp = np.cumsum(truth[order], dtype=np.float64)[ends]
    ap = (np.diff(tp, prepend=0.0) * tp / (ends + 1.0)).sum() / p
    assert float(MEASURES["average_precision"](scores)) == pytest.approx(ap, rel=1e-10)

    called = score >= 0.5
    matrix = scores.at(0.5)
    corr = np.corrcoef(called, truth)[0, 1]
    assert float(MEASURES["matthews_correlation"](matrix)) == pytest.approx(corr, rel=1e-9)
    agree, by_chance = (
        (called == truth).mean(),
        called.mean() * truth.mean() + (~called).mean() * (~truth).mean(),
    )
    assert float(MEASURES["cohen_kappa"](matrix)) == pytest.approx(
        (agree - by_chance) / (1 - by_chance), rel=1e-9
    )


def test_rare_classes_lose_no_digits():
    """One positive call among 10^12 cases: p_o - p_e and 1 - p_e must not be differences of numbers near one."""
    matrix = ConfusionMatrix(np.array([[10**12, 2], [1, 3]]), (0, 1))
    tp, fp, fn, tn = 3, 1, 2, 10**12
    mcc = (tp * tn - fp * fn) / ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)) ** 0.5
    kappa = 2 * (tp * tn - fp * fn) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))
    assert float(MEASURES["matthews_correlation"](matrix)) == pytest.approx(mcc, rel=1e-12)
    assert float(MEASURES["cohen_kappa"](matrix)) == pytest.approx(kappa, rel=1e-12)


def points_by_values(loop):
    """Whether a loop indexes by what it read from an array, so that a wrong value would point anywhere."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(loop)))
    read = set()

    def is_read(node):
        return any(
            (isinstance(each, ast.Subscript) and not is_shape(each))
            or (isinstance(each, ast.Name) and each.id in read)
            for each in ast.walk(node)
        )

    def is_shape(node):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"

    for _ in range(3):
        for node in ast.walk(tree):
            value = getattr(node, "iter", None) if isinstance(node, ast.For) else getattr(node, "value", None)
            targets = (
                [node.target] if isinstance(node, ast.For | ast.AugAssign) else getattr(node, "targets", [])
            )
            if isinstance(node, ast.For | ast.Assign | ast.AugAssign) and is_read(value):
                read |= {
                    each.id
                    for target in targets
                    for each in ast.walk(target)
                    if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
                }
    return any(
        isinstance(each, ast.Subscript) and not is_shape(each) and is_read(each.slice)
        for each in ast.walk(tree)
    )


def test_a_kernel_that_is_pointed_by_values_says_what_it_assumes():
    pointed = {name for name, kernel in KERNELS.items() if points_by_values(kernel.loop)}
    assert pointed
    assert not [name for name in pointed if not KERNELS[name].assumes]


@pytest.mark.parametrize("rows", [3, 200_000])
@pytest.mark.parametrize("code", [2, -1, 127])
def test_a_code_beyond_the_labels_enters_no_table(rows, code):
    good, bad = np.zeros(rows, np.int8), np.zeros(rows, np.int8)
    bad[rows // 2] = code
    scores = np.full((rows, 2), 0.5)
    for build in (
        lambda: ConfusionMatrix.from_codes(bad, good, ("a", "b")),
        lambda: ConfusionMatrix.from_codes(good, bad, ("a", "b"), frequency=np.ones(rows, np.int64)),
        lambda: PairedTable.from_codes(good, good, bad, ("a", "b")),
        lambda: ClassScoreTable.from_rows(scores, bad, ("a", "b")),
        lambda: CaseTable.from_rows(scores, bad, ("a", "b")),
        lambda: CodedRows(("c", "d"), ("a", "b"), bad, good),
        lambda: CodedRows(("c", "d"), ("a", "b"), good, good, bad),
    ):
        with pytest.raises(InputError, match=rf"from 0 to 1 \(2 labels\), but one is {code}"):
            build()


def test_columns_of_unequal_length_enter_no_table():
    with pytest.raises(InputError, match="have different lengths"):
        ConfusionMatrix.from_codes(np.zeros(3, int), np.zeros(4, int), ("a", "b"))
    with pytest.raises(InputError, match="3 rows, but 2 values of weight"):
        ConfusionMatrix.from_codes(np.zeros(3, int), np.zeros(3, int), ("a", "b"), weight=np.ones(2))
    with pytest.raises(InputError, match="not codes"):
        ConfusionMatrix.from_codes(np.zeros(3), np.zeros(3), ("a", "b"))


def test_a_loop_is_compiled_once_its_twin_has_cost_as_much(monkeypatch):
    """Rows and calls are counted, so that the same calls choose alike, and a loop that is kept on disk comes sooner."""
    monkeypatch.setattr(Kernel, "spent_by_all", 0.0)
    monkeypatch.setattr(compiled, "can_compile", lambda: True)
    monkeypatch.setitem(sys.modules, "numba", compiled)  # as if it were imported already
    rows = 10 * compiled.COMPILE_FROM
    for is_kept, cost in ((False, compiled.COMPILING), (True, compiled.LOADING)):
        made = Kernel(lambda first: first, lambda first: first + 1, nanoseconds=10)
        made.is_kept = is_kept
        each = compiled.CALLING + rows * 10e-9
        chosen = [made.is_ready(rows) for _ in range(2 + int(cost / each))]
        assert chosen == [each * (1 + i) >= cost for i in range(len(chosen))]
        assert not made.is_ready(compiled.COMPILE_FROM - 1)
        assert made.is_ready(compiled.COMPILE_FROM - 1, in_all=compiled.COMPILE_FROM)


def test_where_numba_was_not_imported_its_import_must_pay_too(monkeypatch):
    monkeypatch.setattr(Kernel, "spent_by_all", 0.0)
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    made = Kernel(lambda first: first, lambda first: first + 1, nanoseconds=1)
    made.is_kept = True
    assert not made.is_ready(int(1e9 * compiled.LOADING))
    assert made.is_ready(int(1e9 * compiled.IMPORTING))


def test_millions_of_rows_load_what_is_kept_at_once(monkeypatch):
    """More loops follow over the same rows; nothing is compiled anew for that."""
    monkeypatch.setattr(Kernel, "spent_by_all", 0.0)
    monkeypatch.setattr(compiled, "can_compile", lambda: True)
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    for is_kept in (False, True):
        made = Kernel(lambda first: first, lambda first: first + 1, nanoseconds=1)
        made.is_kept = is_kept
        rows = int(1e9 * compiled.IMPORTING / compiled.FURTHER)
        assert made.is_ready(rows) == is_kept
        assert not made.is_ready(rows // 20)


def test_loops_that_are_kept_are_found_without_numba(monkeypatch, tmp_path):
    pytest.importorskip("numba")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    code = (
        "import numpy as np\n"
        "from classay.compiled import compiled_at_once\n"
        "from classay.tables.tabulating import count_cells\n"
        "import sys\n"
        "print(count_cells.is_kept, 'numba' in sys.modules)\n"
        "if not count_cells.is_kept: count_cells.compiled(np.zeros(3, np.int8), np.zeros(3, np.int8), 2)"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert said == [["False", "False"], ["True", "False"]]


def test_numba_that_cannot_be_imported_leaves_the_work_to_numpy(caplog, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name == "numba")
    compiled._is_importable.cache_clear()
    compiled._is_installed.cache_clear()
    made = [Kernel(lambda first: first, lambda first: first + 1) for _ in range(2)]
    assert [each.compiled is each.twin for each in made] == [True, True]
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith("classay: Numba cannot be imported")
    compiled._is_importable.cache_clear()
    compiled._is_installed.cache_clear()


@pytest.mark.parametrize("folder", ["here", None])
def test_what_is_compiled_is_told_of_once(folder, caplog, monkeypatch):
    pytest.importorskip("numba")
    from numba.core import event

    monkeypatch.setitem(event._registered, "numba:compile", [])  # whoever listens in this process already
    compiled._tell_when_compiling.cache_clear()
    compiled._tell_when_compiling()
    # a function made by exec has no module
    for module in (None, "somebody.else", "classay.tables.sorting", "classay.tables.sorting"):
        dispatcher = SimpleNamespace(
            py_func=SimpleNamespace(__module__=module), stats=SimpleNamespace(cache_path=folder)
        )
        with event.trigger_event("numba:compile", data={"dispatcher": dispatcher}):
            assert len(caplog.messages) == (module == "classay.tables.sorting")
    assert caplog.messages == [compiled.TOLD.format(folder) if folder else compiled.TOLD_UNKEPT]


@pytest.mark.slow
def test_what_is_warmed_is_kept(tmp_path, monkeypatch):
    """In a folder of its own, so that every loop is compiled: half a minute."""
    pytest.importorskip("numba")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    said = [
        subprocess.run([sys.executable, "-m", "classay", "warm"], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    first, second = (each.stdout.split() for each in said)
    assert first[0] == first[4] == second[0]
    assert second[4] == "0"
    assert int(first[0]) > 0.75 * len(KERNELS)
    assert [*tmp_path.rglob("probability_bins.scores_within-*.nbi")]  # of many rows alone
    assert str(tmp_path) in said[0].stderr
    assert not said[1].stderr


def test_warm_says_why_nothing_can_be_compiled(monkeypatch):
    monkeypatch.setenv("CLASSAY_NUMBA", "0")
    assert "CLASSAY_NUMBA" in refusal("warm")


def test_an_argument_that_is_wide_is_no_leading_axis(monkeypatch):
    """A loop with a table beside its rows runs where it pays, and one with leading axes never does."""

    def loop(rows, table, found):
        pass

    for wide, said in (((), "twin"), (("table",), "for rows")):
        asked = []
        made = Kernel(loop, lambda *_, asked=asked: asked.append("twin"), wide=wide)
        monkeypatch.setattr(made, "for_rows", lambda *_, asked=asked: lambda *_: asked.append("for rows"))
        made(np.zeros(3), np.zeros((3, 2)), np.zeros(3))
        made(np.zeros(3), np.zeros((3, 2)), np.zeros((3, 2)))
        assert asked == [said, "twin"]


@pytest.mark.parametrize("full_name", HERE)
def test_loops_keep_to_their_arrays(full_name):
    kernel, name = KERNELS[full_name], full_name.rpartition(".")[2]
    for args in INPUTS[name](np.random.default_rng(9))[-4:]:
        with np.errstate(all="ignore"):
            loop = outcome(name, lambda *each, kernel=kernel: bounded(kernel.loop, each), args)
        for a, b in zip(outcome(name, kernel.twin, args), loop, strict=True):
            alike(a, b)


def test_declared_costs_are_those_measured():
    """By their costs NumPy is left for loops: each is within a factor of three of what `bench.loops` found."""
    figures = json.loads(Path(__file__).parents[2].joinpath("bench", "loops.json").read_text())
    assert len(figures) > 0.5 * len(KERNELS), "run python -m bench.loops"
    rooms = {path.stem for path in Path(classay.__file__).parent.iterdir()}
    figures = {name: figure for name, figure in figures.items() if name.split(".")[1] in rooms}
    assert not {*figures} - {*KERNELS}
    far = {
        name: (KERNELS[name].nanoseconds, figure["nanoseconds"])
        for name, figure in figures.items()
        if not 1 / 3 <= KERNELS[name].nanoseconds / figure["nanoseconds"] <= 3
    }
    assert not far, "declare what was measured"
