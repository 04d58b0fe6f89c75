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


def of_tags(case):
    return ca.assess(case["truth"], np.array(case["score"]))


@pytest.mark.parametrize(
    ("case", "assessed"),
    [
        *((case, of_labels) for case in PUBLISHED["labels"]),
        *((case, of_scores) for case in PUBLISHED["scores"]),
        *((case, of_tags) for case in PUBLISHED["tags"]),
    ],
    ids=lambda each: each["source"][:40] if isinstance(each, dict) else each.__name__,
)
def test_published_numbers(case, assessed):
    a = assessed(case)
    for name, value in case["values"].items():
        assert a[name].value == pytest.approx(value, abs=0.5001 * 10 ** -case["digits"]), name


def test_ranks_that_torchmetrics_prints():
    """Docstrings of multilabel_coverage_error, _ranking_loss and _ranking_average_precision of torchmetrics 1.

    Their cases are drawn by the Mersenne twister from seed 42: scores from the lowest 24 bits of a number, truth from
    the lowest. A case without a pair of a true tag and another counts as the best there, and is left out here.
    """
    drawn = np.random.RandomState(42).randint(0, 2**32, 100, dtype=np.uint32)
    score = (drawn[:50] & 0xFFFFFF).reshape(10, 5) / 2**24
    truth = (drawn[50:] % 2).reshape(10, 5).astype(int)
    a, true = ca.assess(truth, score), truth.sum(1)
    both = ((true > 0) & (true < 5)).mean()
    found = {
        3.9: a["coverage_error"].value * (true > 0).mean(),
        0.4167: a["ranking_loss"].value * both,
        0.7744: a["label_ranking_average_precision"].value * both + (1 - both),
    }
    assert [round(each, 4) for each in found.values()] == [*found]


def test_a_tag_that_is_never_called_has_no_precision():
    """torchmetrics 1 prints 0 for it, and [1, 0, 0.5] and 0.5 for all."""
    a = ca.assess([[0, 1, 0], [1, 0, 1]], y_pred=[[0, 0, 1], [1, 0, 1]])
    assert a["precision[1]"].is_undefined
    assert a["macro_precision"].is_undefined
    assert a["micro_precision"].value == pytest.approx(2 / 3)


def test_the_accuracy_of_tags():
    """The docstring of multilabel_accuracy of torchmetrics 1 prints [1, 0.5, 0.5], and 0.6667 for all."""
    a = ca.assess([[0, 1, 0], [1, 0, 1]], y_pred=[[0, 0, 1], [1, 0, 1]])
    assert [a.tag(tag)["accuracy"].value for tag in a.tags] == [1, 0.5, 0.5]
    assert 1 - a["hamming_loss"].value == pytest.approx(0.6667, abs=5e-5)
