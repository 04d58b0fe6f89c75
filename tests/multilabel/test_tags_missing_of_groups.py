"""What groups of cases add to `assessment/test_tags_missing.py`."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

import classay as ca
from classay.errors import InputError
from multilabel.test_tags_missing import BLANK, FRAME, GONE, LACKING, NAMES, RNG, TAGS, N, P, Y, of_rows

SETS = [None if gone else {TAGS[k] for k in np.flatnonzero(row)} for gone, row in zip(GONE, Y, strict=True)]

JOINED = [None if each is None else "|".join(sorted(each)) for each in SETS]

NONE_IN_ROWS = [[None if np.isnan(value) else int(value) for value in row] for row in LACKING]


LONG = {"case": np.repeat(np.arange(N), 3), "tag": np.tile(TAGS, N)}


DOORS = {
    "array": lambda **how: of_rows(LACKING, **how),
    "lists": lambda **how: of_rows(NONE_IN_ROWS, BLANK.tolist(), **how),
    "sparse": lambda **how: of_rows(csr_array(LACKING), **how),
    "sparse scores": lambda **how: of_rows(LACKING, csr_array(BLANK), **how),
    "nullable": lambda **how: of_rows(
        pd.DataFrame(LACKING, columns=[*TAGS]).astype("Int64"), pd.DataFrame(BLANK, columns=[*TAGS]), **how
    ),
    "sets": lambda **how: of_rows(SETS, **how),
    "a tag of a list": lambda **how: of_rows([["ant", None] if s is None else [*s] for s in SETS], **how),
    "arrow lists": lambda **how: of_rows(
        pa.array([s and sorted(s) for s in SETS], pa.list_(pa.string())), **how
    ),
    "separator": lambda **how: of_rows(JOINED, separator="|", **how),
    "columns": lambda **how: ca.assess(FRAME, truth="y_*", score="p_*", **how),
    "long": lambda **how: ca.assess(LACKING.ravel(), BLANK.ravel(), **LONG, labels=TAGS, **how),
    "by": lambda **how: ca.assess_by(LACKING, BLANK, by=np.arange(N) % 2, labels=TAGS, **how).overall,
}


@pytest.mark.parametrize("door", DOORS)
def test_such_cases_are_left_out_and_counted(door):
    found, known = DOORS[door](missing="drop"), ca.assess(Y[~GONE], P[~GONE], labels=TAGS)
    for name in NAMES:  # sums over sparse scores and over all others are made in another sequence
        here, there = found.estimate(name), known.estimate(name)
        assert here.method == there.method
        assert (here.value, here.low, here.high) == pytest.approx(
            (there.value, there.low, there.high), rel=1e-12
        )
    assert (found.rows, found.dropped) == (N - GONE.sum(), GONE.sum())
    with pytest.raises(InputError, match="missing"):
        DOORS[door]()


def test_models_are_compared_on_the_others():
    other = np.where(GONE[:, None], np.nan, np.clip(0.5 * Y + RNG.random(Y.shape) / 2, 0, 1))
    site = np.where(np.arange(N) % 9 == 0, None, np.array(["n", "s"], object)[np.arange(N) % 2])
    found = ca.compare({"new": BLANK, "old": other}, LACKING, by=site, missing="drop")
    known = ca.compare({"new": P[~GONE], "old": other[~GONE]}, Y[~GONE], by=site[~GONE], missing="drop")
    assert [(one.effect, one.p) for one in found] == [(one.effect, one.p) for one in known]
    assert found.cases == known.cases
    assert found.cases_not_recorded == known.cases_not_recorded
    assert dict(found.facts)["left out"] == "9 rows with a missing true tag"
