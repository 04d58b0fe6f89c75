"""The compiled way from rows to a score table gives what NumPy gives, whatever the scores and the threads."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classay import compiled
from classay.compiled import can_compile
from classay.tables import sorting, tabulating

N = 40_000
"""Rows: enough for several buckets, and for places of the type that millions have."""
FLOATS = (np.float32, np.float64)


@pytest.fixture(autouse=True)
def compiled_from_the_first_row():
    """What is tested here is the compiled loops: they are used at once."""
    with compiled.compiled_at_once():
        yield


def _probabilities(rng, n):
    return 1 / (1 + np.exp(-rng.normal(-0.7, 1, n)))


def _outliers(rng, n):
    scores = 0.5 + 1e-13 * rng.random(n)
    scores[:7] = [np.inf, -np.inf, 0.0, -0.0, 1e300, -1e300, 5e-324]
    return scores


def _specials(rng, n):
    scores = rng.normal(size=n)
    for step, value in ((3, 0.0), (7, -0.0), (11, np.inf), (13, -np.inf), (17, 5e-324), (19, -5e-324)):
        scores[::step] = value
    return scores


def _clusters(rng, n):
    """Scores that share ever more leading bits: each pass of the sort settles few of them."""
    return 1 + rng.random(n) * 2.0 ** -rng.integers(0, 52, n)


DISTRIBUTIONS = {
    "probabilities": _probabilities,
    "uniform": lambda rng, n: rng.random(n),
    "logits": lambda rng, n: 3 * rng.normal(size=n),
    "two decimals": lambda rng, n: _probabilities(rng, n).round(2),
    "three decimals": lambda rng, n: _probabilities(rng, n).round(3),
    "tiny": lambda rng, n: 10 ** (-12 * rng.random(n)),
    "equal": lambda rng, n: np.full(n, 0.25),
    "two values": lambda rng, n: np.where(rng.random(n) < 0.5, 0.5, np.nextafter(0.5, 1)),
    "half tied": lambda rng, n: np.where(rng.random(n) < 0.5, 0.5, _probabilities(rng, n)),
    "nearly sorted": lambda rng, n: np.sort(_probabilities(rng, n)) + 1e-6 * rng.normal(size=n),
    "descending": lambda rng, n: np.sort(rng.random(n))[::-1],
    "close together": lambda rng, n: 0.5 + 1e-13 * rng.random(n),
    "close together, with outliers": _outliers,
    "all magnitudes": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-308, 308, n),
    "specials": _specials,
    "clusters": _clusters,
    "zeros": lambda rng, n: np.where(rng.random(n) < 0.5, 0.0, -0.0),
}


def _rows(distribution, dtype, n=N):
    rng = np.random.default_rng(7)
    with np.errstate(over="ignore", under="ignore"):
        scores = DISTRIBUTIONS[distribution](rng, n).astype(dtype)
    return scores, rng.random(n) < 0.3, rng


def _same_bits(got, wanted):
    assert [each.dtype for each in got] == [each.dtype for each in wanted]
    assert [each.tobytes() for each in got] == [each.tobytes() for each in wanted]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_counts_are_those_of_numpy(distribution, dtype):
    scores, positive, _ = _rows(distribution, dtype)
    found = tabulating._tabulate(scores, positive)
    _same_bits(tabulating.tabulate(scores, positive), found)
    wanted, at = np.unique(scores + dtype(0), return_inverse=True)
    counts = (np.bincount(at[own], minlength=wanted.size)[::-1] for own in (positive, ~positive))
    _same_bits(found, (wanted[::-1], *counts))
    order = tabulating.falling(scores)
    assert np.array_equal(order, np.argsort(-scores, kind="stable"))


@pytest.mark.parametrize(("dtype", "weights"), [(np.float64, np.float64), (np.float32, np.int64)])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_weights_are_those_of_numpy(distribution, dtype, weights):
    scores, positive, rng = _rows(distribution, dtype)
    weight = (5 * rng.random(N)).astype(weights)
    sums = 4 if weights is np.float64 else 2
    got = tabulating.tabulate_weights(scores, positive, weight, sums)
    wanted = tabulating._tabulate_weights(scores, positive, weight, sums)
    assert len(got) == 1 + sums
    if weights is np.int64:
        _same_bits(got, wanted)
    _same_bits(got[:1], wanted[:1])
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.skipif(not can_compile(), reason="NumPy adds up many values in pairs")
@pytest.mark.parametrize("dtype", FLOATS)
def test_tied_weights_are_added_in_the_order_of_the_rows(dtype):
    scores, positive, rng = _rows("three decimals", dtype)
    weight = rng.random(N)
    got, positives, negatives, *_ = tabulating.tabulate_weights(scores, positive, weight, 4)
    at = {score: i for i, score in enumerate(got.tolist())}
    wanted = np.zeros((2, got.size))
    for score, is_positive, w in zip(scores.tolist(), positive.tolist(), weight.tolist(), strict=True):
        wanted[0 if is_positive else 1, at[score]] += w
    _same_bits((positives, negatives), tuple(wanted))


@pytest.mark.parametrize("threads", ["1", "2", "3", "7"])
@pytest.mark.parametrize("distribution", ["probabilities", "two decimals", "equal", "specials"])
def test_threads_do_not_change_a_bit(distribution, threads, monkeypatch):
    scores, positive, rng = _rows(distribution, np.float64)
    weight = rng.random(N)
    monkeypatch.setenv("CLASSAY_THREADS", "1")
    counts, sums = (
        tabulating.tabulate(scores, positive),
        tabulating.tabulate_weights(scores, positive, weight, 4),
    )
    monkeypatch.setenv("CLASSAY_THREADS", threads)
    _same_bits(tabulating.tabulate(scores, positive), counts)
    _same_bits(tabulating.tabulate_weights(scores, positive, weight, 4), sums)


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "name", ["extremes", "count_buckets", "scatter", "sort_buckets", "count_ties", "sum_ties"]
)
def test_each_kernel_is_its_twin(name, dtype, threads, monkeypatch):
    monkeypatch.setenv("CLASSAY_THREADS", threads)
    for distribution in ("probabilities", "three decimals", "specials", "all magnitudes"):
        scores, positive, rng = _rows(distribution, dtype)
        weight = rng.integers(0, 9, scores.size).astype(float)
        counts, sums = (
            tabulating.tabulate(scores, positive),
            tabulating.tabulate_weights(scores, positive, weight, 4),
        )
        with monkeypatch.context() as patch:
            twin = SimpleNamespace(compiled=getattr(tabulating, name).twin, is_ready=lambda *_, **__: True)
            patch.setattr(tabulating, name, twin)
            _same_bits(tabulating.tabulate(scores, positive), counts)
            _same_bits(tabulating.tabulate_weights(scores, positive, weight, 4), sums)


def _floats(width):
    special = st.sampled_from(
        [0.0, -0.0, np.inf, -np.inf, 1.0, float(np.finfo(f"f{width // 8}").smallest_subnormal)]
    )
    return st.one_of(special, st.floats(width=width, allow_nan=False))


@pytest.mark.parametrize(("dtype", "width"), [(np.float32, 32), (np.float64, 64)])
def test_any_floats(dtype, width, monkeypatch):
    monkeypatch.setattr(compiled, "COMPILE_FROM", 1)

    @settings(max_examples=150, deadline=None)
    @given(
        st.lists(st.tuples(_floats(width), st.booleans()), min_size=1, max_size=200),
        st.integers(1, 300),
        st.sampled_from([1, 8, 2048]),
    )
    def check(rows, repeats, rows_per_bucket):
        scores = np.tile(np.array([score for score, _ in rows], dtype), repeats)
        positive = np.tile(np.array([is_positive for _, is_positive in rows]), repeats)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tabulating, "ROWS_PER_BUCKET", rows_per_bucket)
            _same_bits(tabulating.tabulate(scores, positive), tabulating._tabulate(scores, positive))
            weight = np.arange(scores.size) % 5
            got = tabulating.tabulate_weights(scores, positive, weight, 2)
            _same_bits(got, tabulating._tabulate_weights(scores, positive, weight, 2))

    check()


@pytest.mark.parametrize("n", [0, 1, 2, 3, 16, 17, 1000])
@pytest.mark.parametrize("dtype", FLOATS)
def test_few_rows(n, dtype, monkeypatch):
    scores, positive, _ = _rows("specials", dtype, n=max(n, 7))
    scores, positive = scores[:n], positive[:n]
    few = tabulating.tabulate(scores, positive)
    assert few[1].sum() + few[2].sum() == n
    if n:
        monkeypatch.setattr(compiled, "COMPILE_FROM", 1)
        _same_bits(tabulating.tabulate(scores, positive), few)


def test_strided_input():
    scores, positive, rng = _rows("probabilities", np.float64, n=2 * N)
    weight = rng.random(2 * N)
    _same_bits(
        tabulating.tabulate(scores[::2], positive[::2]),
        tabulating.tabulate(scores[::2].copy(), positive[::2].copy()),
    )
    _same_bits(
        tabulating.tabulate_weights(scores[::2], positive[::2], weight[::2], 4),
        tabulating.tabulate_weights(scores[::2].copy(), positive[::2].copy(), weight[::2].copy(), 4),
    )


@pytest.mark.parametrize("dtype", FLOATS)
def test_ordered_integers_sort_as_the_floats(dtype):
    scores = np.sort(_rows("all magnitudes", dtype)[0])
    bits = scores.view(f"i{scores.itemsize}")
    values = sorting._ordered(bits, int(np.iinfo(bits.dtype).min))
    np.testing.assert_array_equal(values[1:] > values[:-1], scores[1:] > scores[:-1])
    assert (values[1:] >= values[:-1]).all()


_PEAK = """
import resource
import numpy as np
from classay.tables import ScoreTable

rng = np.random.default_rng(0)
def build(n):
    score, positive = np.arange(n, dtype="{dtype}"), np.zeros(n, bool)
    rng.shuffle(score)
    positive[::3] = True
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    table = ScoreTable.from_rows(score, positive)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
build(200_000)
print(1024 * build({n}) / {n})
"""


@pytest.mark.slow
@pytest.mark.parametrize(("dtype", "most"), [("float64", 38), ("float32", 32)])
def test_memory_for_each_row(dtype, most):
    done = subprocess.run(
        [sys.executable, "-c", _PEAK.format(dtype=dtype, n=10_000_000)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(done.stdout) <= most, done.stdout


def _lexsorted(score, true, weight):
    """Pairs of score and class by NumPy alone, and where each row went."""
    order = np.lexsort((true, -score))
    score, true = score[order] + score.dtype.type(0), true[order]
    new = np.concatenate([[True], (score[1:] != score[:-1]) | (true[1:] != true[:-1])])
    went = np.empty(order.size, int)
    went[order] = np.cumsum(new) - 1
    return score[new], true[new], np.add.reduceat(weight[order], np.flatnonzero(new)), went


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_pairs_of_score_and_class(name, dtype):
    rng = np.random.default_rng(8)
    with np.errstate(over="ignore", under="ignore"):
        score = DISTRIBUTIONS[name](rng, N).astype(dtype)
    true = np.sort(rng.integers(0, 5, N)).astype(np.int8)
    ones, weight, went = np.ones(N, np.int64), rng.random(N), np.empty(N, np.int32)
    for each, squares in ((None, None), (weight, weight**2), (rng.integers(1, 5, N), None)):
        found = tabulating.tabulate_pairs(score, true, each, squares, went)
        scores, classes, sums, where = _lexsorted(score, true, ones if each is None else each)
        np.testing.assert_array_equal(found[0], scores)
        assert not np.signbit(found[0][found[0] == 0]).any()
        np.testing.assert_array_equal(found[1], classes)
        np.testing.assert_allclose(found[2], sums, rtol=1e-12)
        np.testing.assert_array_equal(went, where)
        if squares is not None:
            np.testing.assert_allclose(found[3], _lexsorted(score, true, squares)[2], rtol=1e-12)
