"""Numbers that other tools and papers print, to the digits that they print."""

import json
from pathlib import Path

import numpy as np
import pytest

import classay as ca

PUBLISHED = json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))


def of_labels(case):
    if "matrix" in case:
        cells = np.array(case["matrix"])
        places = np.repeat(np.arange(cells.size), cells.ravel())
        return ca.assess(places // len(cells), y_pred=places % len(cells), labels=range(len(cells)))
    positive = 1 if len({*case["truth"]}) == 2 else None
    return ca.assess(case["truth"], y_pred=case["prediction"], positive=positive)


def of_scores(case):
    if "ratings" in case:
        normal, abnormal = (np.repeat(np.arange(1, 6), each) for each in case["ratings"])
        return ca.assess(
            np.repeat([0, 1], [normal.size, abnormal.size]), np.concatenate([normal, abnormal]), threshold=3
        )
    return ca.assess(case["truth"], case["score"])


@pytest.mark.parametrize(
    ("case", "assessed"),
    [
        *((case, of_labels) for case in PUBLISHED["labels"]),
        *((case, of_scores) for case in PUBLISHED["scores"]),
    ],
    ids=lambda each: each["source"][:40] if isinstance(each, dict) else each.__name__,
)
def test_published_numbers(case, assessed):
    a = assessed(case)
    for name, value in case["values"].items():
        assert a[name].value == pytest.approx(value, abs=0.5001 * 10 ** -case["digits"]), name
