"""What groups of cases add to `cli/test_steps.py`."""

import sys
from contextlib import contextmanager

import numpy as np
import pytest

import classay as ca
from classay.steps import heard_by

RNG = np.random.default_rng(0)

TRUTH = RNG.integers(0, 2, 60)

SCORES = [np.clip(RNG.normal(0.4 + 0.2 * TRUTH, 0.2), 0, 1) for _ in range(3)]


def test_groups_models_and_classes_tell_each_step_once():
    counts: dict[str, list[int]] = {}

    @contextmanager
    def count(what, number):
        done = [0, number]
        counts[what] = done

        def advance():
            done[0] += 1

        yield advance

    by = np.arange(60) % 5
    with heard_by(count):
        str(ca.assess_by(TRUTH, SCORES[0], by=by))
        len(ca.compare({f"m{i}": each for i, each in enumerate(SCORES)}, TRUTH))
        _ = ca.assess(by, y_pred=np.roll(by, 7)).confusion_tree()
    assert counts["groups"] == [5, 5]
    assert counts["measures"][0] == counts["measures"][1] > 1
    assert counts["joins of classes"] == [4, 4]


def calls(run) -> int:
    """How many functions of Python and C a call runs."""
    seen = [0]

    def count(*_):
        seen[0] += 1

    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    return seen[0]


def of_groups(number: int):
    by = np.arange(4 * number) % number
    y = (np.arange(4 * number) // number % 2).astype(int)
    return lambda: ca.assess_by(y, RNG.random(4 * number), by=by).compare("roc_auc", "accuracy")


def of_models(number: int):
    models = {f"m{i}": RNG.random(60) for i in range(number)}
    return lambda: ca.compare(models, TRUTH, control="m0", measures=["roc_auc", "accuracy"])


def of_classes(number: int):
    truth = np.arange(3 * number) % number
    a = ca.assess(truth, y_pred=RNG.permutation(truth))
    return a.confusion_tree


@pytest.mark.parametrize(("run", "size"), [(of_groups, 20), (of_models, 8), (of_classes, 40)])
def test_work_of_groups_of_models_with_one_and_of_classes_grows_with_their_number(run, size):
    run(size)()
    assert calls(run(2 * size)) < 2.5 * calls(run(size))
