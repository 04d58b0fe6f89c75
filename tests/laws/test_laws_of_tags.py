"""Several labels a case: parts make the whole, whatever the rows count, and repeated rows are a frequency."""

import numpy as np
import pytest

import classay as ca

HOW = {
    "weighted": lambda rng: {"weight": rng.choice([0.5, 1.0, 3.25], 40)},
    "frequency": lambda rng: {"frequency": rng.integers(1, 4, 40)},
    "weighted clusters": lambda rng: {"weight": rng.random(40) + 0.5, "cluster": np.arange(40) // 3},
}


def rows(kind):
    rng = np.random.default_rng(5)
    truth = (rng.random((40, 4)) < 0.4).astype(int)
    score = np.clip(truth * 0.3 + rng.random((40, 4)) * 0.7, 0, 1).round(2)
    return truth, score, HOW[kind](rng)


def numbers(a):
    """Those of all tags, and those of one."""
    found = {name: (each.value, each.low, each.high) for name, each in a.estimates().items()}
    of_tags = {
        (tag, name): (each.value, each.low, each.high)
        for tag in sorted(a.tags)[-1:]
        for name, each in a.tag(tag).estimates().items()
    }
    return found | of_tags


def differing(a, b, parts=3):
    mine, others = numbers(a), numbers(b)
    assert mine.keys() == others.keys()
    return [
        name
        for name, each in mine.items()
        if not np.allclose(each[:parts], others[name][:parts], rtol=1e-9, atol=1e-12, equal_nan=True)
    ]


@pytest.mark.parametrize("kind", HOW)
def test_parts_make_the_whole(kind):
    truth, score, how = rows(kind)
    part = np.arange(40) < 18
    one, other = (
        ca.assess(truth[at], score[at], **{name: each[at] for name, each in how.items()})
        for at in (part, ~part)
    )
    whole = ca.assess(truth, score, **how)
    assert differing(one + other, whole) == []
    assert differing(other + one, whole, 1) == []


def test_repeated_rows_are_a_frequency():
    truth, score, how = rows("frequency")
    whole = ca.assess(truth, score, **how)
    times = how["frequency"]
    repeated = ca.assess(np.repeat(truth, times, 0), np.repeat(score, times, 0))
    assert differing(whole, repeated) == []


@pytest.mark.parametrize("kind", HOW)
def test_another_order_of_rows_and_tags(kind):
    truth, score, how = rows(kind)
    rng = np.random.default_rng(6)
    at, tags = rng.permutation(40), rng.permutation(4)
    names = np.array(list("abcd"))
    one = ca.assess(truth, score, labels=names.tolist(), **how)
    other = ca.assess(
        truth[at][:, tags],
        score[at][:, tags],
        labels=names[tags].tolist(),
        **{name: each[at] for name, each in how.items()},
    )
    assert differing(one, other) == []
