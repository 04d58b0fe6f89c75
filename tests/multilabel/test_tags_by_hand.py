"""Measures of called tags on all 3 x 3 matrices of truth and prediction, by their definitions in fractions."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from scipy.sparse import csr_array

from classay.measures import get
from classay.multilabel.tag_measures import of_tags
from classay.multilabel.tag_tables import MultilabelTable

ORDERS = [*product(permutations(range(3)), repeat=2)]
NAMES = (
    "micro_f1",
    "micro_jaccard",
    "macro_precision",
    "macro_recall",
    "macro_f1",
    "weighted_f1",
    "exact_match",
)
NAMES = (*NAMES, "hamming_loss", "samples_precision", "samples_recall", "samples_f1", "samples_jaccard")


def matrices():
    """One of each set of matrices of cells that an order of cases and tags tells apart: 0 TN, 1 FP, 2 FN, 3 TP."""
    seen = set()
    for cells in product(range(4), repeat=9):
        key = cells
        if key in seen:
            continue
        table = np.array(cells).reshape(3, 3)
        seen |= {tuple(table[np.ix_(rows, columns)].ravel().tolist()) for rows, columns in ORDERS}
        yield table


def share(x, m):
    return None if m == 0 else Fraction(int(x), int(m))


def mean(values):
    """None where one of them is."""
    values = list(values)
    return None if None in values or not values else sum(values) / len(values)


def by_hand(table):
    """Each measure by its definition, None where it is undefined."""
    tp, fp, fn = (np.equal(table, kind) for kind in (3, 1, 2))
    tags = [tuple(int(each[:, j].sum()) for each in (tp, fp, fn)) for j in range(3)]
    cases = [tuple(int(each[i].sum()) for each in (tp, fp, fn)) for i in range(3)]
    p, q, m = (sum(each) for each in zip(*tags, strict=True))
    true = [tag[0] + tag[2] for tag in tags]
    f_weighted = [share(n * 2 * t[0], 2 * t[0] + t[1] + t[2]) for n, t in zip(true, tags, strict=True) if n]
    of_cases = {
        "samples_precision": [share(a, a + b) for a, b, _ in cases],
        "samples_recall": [share(a, a + c) for a, _, c in cases],
        "samples_f1": [share(2 * a, 2 * a + b + c) for a, b, c in cases],
        "samples_jaccard": [share(a, a + b + c) for a, b, c in cases],
    }
    return {
        "micro_f1": share(2 * p, 2 * p + q + m),
        "micro_jaccard": share(p, p + q + m),
        "macro_precision": mean(share(a, a + b) for a, b, _ in tags),
        "macro_recall": mean(share(a, a + c) for a, _, c in tags),
        "macro_f1": mean(share(2 * a, 2 * a + b + c) for a, b, c in tags),
        "weighted_f1": None if not sum(true) else sum(f_weighted) / sum(true),
        "exact_match": share(sum(b + c == 0 for _, b, c in cases), 3),
        "hamming_loss": share(q + m, 9),
    } | {name: mean(each for each in values if each is not None) for name, values in of_cases.items()}


def check(tables):
    measures = {name: of_tags(get(name)) for name in NAMES}
    for table in tables:
        truth, called = (csr_array(np.isin(table, kinds).astype(np.int8)) for kinds in ((2, 3), (1, 3)))
        found, wanted = MultilabelTable.from_marks(truth, called, ("a", "b", "c")), by_hand(table)
        for name, each in measures.items():
            value, said = float(each(found)), wanted[name]
            if said is None:
                assert np.isnan(value), (name, table)
                assert each.why_undefined(found), (name, table)
                assert each.why_undefined(found), (name, table)
                if name.startswith("micro"):
                    one = get(name.removeprefix("micro_"))
                    counts = [each.sum() for each in found.counts]
                    assert each.why_undefined(found) == (one.why_undefined(*counts) or "0 / 0")
            else:
                assert value == pytest.approx(float(said), abs=1e-12), (name, table)


def test_some_of_all_three_by_three_matrices():
    rng = np.random.default_rng(0)
    check(
        [*rng.integers(0, 4, (150, 3, 3)), *(np.full((3, 3), kind) for kind in range(4)), np.diag([1, 2, 3])]
    )


@pytest.mark.slow
def test_all_three_by_three_matrices():
    every = [*matrices()]
    assert len(every) == 8_240  # by Burnside, of 4 kinds of cells
    check(every)
