"""Bins of scores: they add up, know what they are certain of, and keep sums of losses exactly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classay.compiled import COMPILE_FROM
from classay.errors import InputError, MergeError
from classay.inference.estimate import certain
from classay.measures import log_loss, roc_auc
from classay.tables import ExactSum, ScoreTable, binning
from classay.tables.binning import SIGNIFICAND, BinScale, places, scores_at
from classay.tables.bins import BinnedScoreTable, Bins

PARTS = ("keys", "cases", "within", "least", "most")
ANY = st.floats(allow_nan=False).filter(lambda s: s >= 0 or s <= -(2.0**-960))


@given(st.lists(ANY, min_size=2, max_size=30, unique=True))
def test_places_keep_the_order_of_all_floats_and_give_them_back(values):
    scores = np.unique(np.array(values) + 0.0)
    found = places(scores)
    assert (found[1:] > found[:-1]).all()  # their differences do not fit 64 bits
    np.testing.assert_array_equal(scores_at(found), scores)


def test_negative_scores_next_to_0_are_one():
    found = places(np.array([-(2.0**-900), -(2.0**-961), -5e-324, 0.0]))
    assert found[0] < found[1] == found[2] < found[3]


def test_places_are_as_fine_near_1_as_near_0():
    near = np.array([2.0**-40, 2.0**-20, 0.1, 0.3, 0.5])
    one = 1 - near
    np.testing.assert_array_equal(places(1 - one) - places(near[-1:]), places(near[-1:]) - places(one))


def rows(seed, n=4000, dtype=np.float64, ties=False):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.3
    score = rng.beta(1 + 2 * positive, 2).astype(dtype)
    if ties:
        score = np.round(score, 2)
    return score, positive, rng


def same(one, other):
    for part in PARTS:
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part), part)
    assert one.losses == other.losses


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("ties", [False, True])
def test_bins_of_all_rows_are_the_sum_of_those_of_parts_in_any_order(dtype, ties):
    score, positive, rng = rows(1, dtype=dtype, ties=ties)
    whole = Bins.of_rows(score, positive, 8)
    at = rng.permutation(score.size)
    cuts = np.split(at, [0, 10, 700, 701, 3000])
    total = sum(
        (Bins.of_rows(score[cut], positive[cut], 8) for cut in cuts[2:]),
        Bins.of_rows(score[cuts[1]], positive[cuts[1]], 8),
    )
    same(whole, total)


def test_bins_of_frequencies_are_those_of_repeated_rows_and_of_an_exact_table():
    score, positive, rng = rows(2, n=500, ties=True)
    times = rng.integers(0, 4, score.size)
    whole = Bins.of_rows(np.repeat(score, times), np.repeat(positive, times), 8)
    kept = times > 0
    same(whole, Bins.of_rows(score[kept], positive[kept], 8, frequency=times[kept]))
    table = ScoreTable.from_rows(score[kept], positive[kept], frequency=times[kept])
    same(whole, Bins.of_table(table, 8))


def test_bins_of_a_weighted_table_are_those_of_its_rows():
    score, positive, rng = rows(2, n=500)
    weight = rng.gamma(2.0, size=score.size)
    whole = Bins.of_rows(score, positive, 8, weight=weight)
    found = Bins.of_table(ScoreTable.from_rows(score, positive, weight=weight), 8)
    for part in (*PARTS, "squares"):
        np.testing.assert_allclose(getattr(found, part), getattr(whole, part), rtol=1e-12)


def test_compiled_and_plain_counting_agree():
    score, positive, rng = rows(3)
    score = np.concatenate([score, -score, 1 + score, [0.0, 1.0, 0.5, np.inf, -np.inf]])
    positive = np.concatenate([positive, positive, positive, [True] * 5])
    weight = rng.uniform(0.5, 2, score.size)
    for how in ({}, {"weight": weight}, {"frequency": rng.integers(1, 9, score.size)}):
        plain = Bins.of_rows(score, positive, 9, **how)
        compiled = Bins.of_rows(score, positive, 9, rows=COMPILE_FROM, **how)
        for part in (*PARTS, "squares"):
            a, b = getattr(plain, part), getattr(compiled, part)
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_allclose(b, a, rtol=1e-12)


@given(
    st.lists(st.tuples(st.floats(0, 1, width=32), st.booleans()), min_size=1, max_size=40), st.integers(1, 12)
)
def test_coarser_bins_are_those_counted_there(cases, bits):
    score, positive = np.array([s for s, _ in cases]), np.array([y for _, y in cases])
    fine, coarse = Bins.of_rows(score, positive, 14).coarser(bits), Bins.of_rows(score, positive, bits)
    for part in ("keys", "cases", "least", "most"):
        np.testing.assert_array_equal(getattr(fine, part), getattr(coarse, part), part)
    assert fine.losses == coarse.losses
    assert (np.abs(fine.within - coarse.within) <= fine.cases).all()  # their last bit is cut, not the count


def test_scores_stand_for_their_bin_and_descend():
    score, positive, _ = rows(4, n=20_000)
    table = BinnedScoreTable.of_rows(score, positive, bits=5)
    exact = ScoreTable.from_rows(score, positive)
    assert (np.diff(table.scores) < 0).all()
    assert table.scores.size < exact.scores.size / 20
    means = [(t.scores * (t.positives + t.negatives)).sum() / score.size for t in (table, exact)]
    assert means[0] == pytest.approx(means[1], rel=1e-9)
    assert (table.n_positive, table.n_negative) == (exact.n_positive, exact.n_negative)


def test_what_needs_no_order_is_known_exactly():
    """Bins of one score, of one class, or with one class above the other open nothing."""
    score = np.array([0.7, 0.7, 0.3, 0.3001, 0.9, 0.90001])
    positive = np.array([True, False, True, False, False, True])
    table = BinnedScoreTable.of_rows(score, positive, bits=6)
    exact = ScoreTable.from_rows(score, positive)
    assert table.bins.keys.size == 3
    assert not table.bins.open.any()
    for part in ("scores", "positives", "negatives"):
        np.testing.assert_array_equal(getattr(table, part), getattr(exact, part))


def test_labels_at_a_threshold_are_exact_or_refused():
    score, positive, _ = rows(5)
    table, exact = BinnedScoreTable.of_rows(score, positive, bits=4), ScoreTable.from_rows(score, positive)
    np.testing.assert_array_equal(table.at(0.5).counts, exact.at(0.5).counts)
    with pytest.raises(InputError, match=r"is within a bin of scores. Use 0") as told:
        table.at(0.31)
    named = str(told.value).split("Use ")[1].split(",")[0]
    for text in named.split(" or "):
        np.testing.assert_array_equal(table.at(float(text)).counts, exact.at(float(text)).counts)


def test_bins_and_exact_tables_add():
    score, positive, _ = rows(6)
    half = score.size // 2
    whole = BinnedScoreTable.of_rows(score, positive, bits=7)
    here, there = (
        ScoreTable.from_rows(score[cut], positive[cut]) for cut in (slice(0, half), slice(half, None))
    )
    same((BinnedScoreTable.of_table(here, 7) + there).bins, whole.bins)
    same((here + BinnedScoreTable.of_table(there, 7)).bins, whole.bins)
    with pytest.raises(MergeError, match="float32"):
        whole + BinnedScoreTable.of_rows(score.astype(np.float32), positive, bits=7)


@given(st.lists(st.tuples(st.floats(-1e300, 1e300), st.integers(0, 5)), max_size=30))
def test_sums_of_repeated_values_are_exact(pairs):
    values, times = np.array([v for v, _ in pairs]), np.array([t for _, t in pairs], np.int64)
    wanted = sum((Fraction(v) * int(t) for v, t in zip(values.tolist(), times, strict=True)), Fraction(0))
    (found,) = ExactSum.of_blocks([((values,), times)], values.size)
    assert Fraction(found.units, 1 << 1127) == wanted


@pytest.mark.covering(2)
@pytest.mark.parametrize("kind", ["cases", "frequencies", "weights"])
@pytest.mark.parametrize("bits", [1, 4, 10])
@pytest.mark.parametrize("split", [0, 3])
def test_bins_that_are_sorted_are_those_that_have_slots(monkeypatch, kind, bits, split):
    rng = np.random.default_rng(bits)
    score = np.concatenate(
        [rng.random(400), [0.0, 1.0, 5e-324, 1 - 2**-53], -rng.random(20), [1e300, -np.inf, np.inf]]
    )
    positive = rng.random(score.size) < 0.4
    times = {
        "cases": np.ones(score.size, np.int8),
        "frequencies": rng.integers(1, 10**6, score.size),
        "weights": rng.random(score.size),
    }[kind]
    own = np.unique(places(score) >> (SIGNIFICAND - bits))[::2][:split]
    scale = BinScale(bits, own, np.arange(own.size) + 1)
    slots = binning.count(score, positive, times, scale)
    monkeypatch.setattr(binning, "MOST_SLOTS", 0)
    found = binning.count(score, positive, times, scale)
    order = np.argsort(slots.least.min(0))
    for name in ("keys", "bits", "cases", "squares", "within", "least", "most"):
        one, other = getattr(found, name), getattr(slots, name)
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_array_equal(one, other[..., order], name)
            assert one.dtype == other.dtype


@pytest.mark.parametrize("bits", [13, 20, 26])
def test_the_finest_bins_take_no_memory_of_their_own(bits):
    """A slot for each bin of 20 bits took 16 GB, for thirteen rows."""
    import tracemalloc

    score = np.array([0.0, 0.25, 0.9, 1.0, 5e-324])
    tracemalloc.start()
    bins = Bins.of_rows(score, np.array([False, True, True, True, False]), bits)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert bins.cases.sum() == score.size
    assert most < 1 << 20


def test_a_part_cannot_be_taken_out_of_bins():
    whole = BinnedScoreTable.of_rows(np.array([0.3, 0.7, 0.71]), np.array([True, False, True]), bits=4)
    with pytest.raises(MergeError, match="Add the other parts"):
        whole.without(ScoreTable.from_rows(np.array([0.7]), np.array([False])))


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_nobody_is_certain_and_wrong_because_others_of_the_bin_are_certain_and_right(end):
    """The mean of a bin of many zeros and a positive at the least number above is 0, whose log-loss is infinite."""
    near = 5e-324 if end == 0 else 1 - 1e-16
    score = np.array([near, end, end, end, end, end, end, end])
    positive = (np.arange(8) == 0) ^ bool(end)
    binned = BinnedScoreTable.of_rows(score, positive, bits=3)
    exact = ScoreTable.from_rows(score, positive)
    for one, other in ((binned.positives, exact.positives), (binned.negatives, exact.negatives)):
        assert one.sum() == other.sum()
    assert not (binned.positives[binned.scores == 0]).any()
    assert not (binned.negatives[binned.scores == 1]).any()
    assert log_loss(binned) == log_loss(exact)


@pytest.mark.parametrize("positive", [0, 1, 2])
def test_negative_scores_that_share_the_place_next_to_zero_are_no_tie(positive):
    """Nearer to 0 than 2^-961 they have one place, for places to fit 64 bits: their order is open, not known."""
    score, is_positive = np.array([-1e-300, -1e-310, -5e-324, -1.0]), np.arange(4) == positive
    exact = roc_auc(ScoreTable.from_rows(score, is_positive))
    low, high = certain(roc_auc, BinnedScoreTable.of_rows(score, is_positive, bits=10))
    assert low <= exact <= high


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.floats(0, 1, width=16), st.booleans()), min_size=2, max_size=40),
    st.integers(1, 10),
    st.sampled_from([np.float16, np.float32, np.float64]),
    st.floats(-0.1, 1.1),
)
def test_a_threshold_is_known_exactly_or_refused_and_those_of_the_table_are_known(cases, bits, dtype, other):
    score, positive = np.array([s for s, _ in cases], dtype), np.array([y for _, y in cases])
    exact = ScoreTable.from_rows(score, positive)
    table = BinnedScoreTable.of_rows(score, positive, bits=bits)
    for place, threshold in enumerate(table.thresholds, 1):
        assert (table.at(threshold).counts == exact.at(threshold).counts).all()
        assert table.reached(threshold) == place
        assert table.at(threshold).counts[1, 1] == table.positives[:place].sum()
    for threshold in (other, *score, *table.scores):  # the mean of a bin too
        if table.tells(threshold):
            assert (table.at(threshold).counts == exact.at(threshold).counts).all()
            continue
        with pytest.raises(InputError, match="Use"):
            table.at(threshold)
