"""refine(): a second pass makes bins finer where they leave the AUC open; all else stays as it was."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import classay as ca
from classay.compiled import COMPILE_FROM
from classay.errors import InputError
from classay.in_parts import fragments
from classay.in_parts.scanning import pays
from classay.inference.estimate import certain
from classay.measures import get
from classay.measures.registry import names_with
from classay.tables import ScoreTable
from classay.tables.binning import BinScale
from classay.tables.bins import BinnedScoreTable, Bins, finer
from command import call, refusal
from inference.test_bounds import SHAPES

PARTS = ("keys", "cases", "within", "least", "most", "finer")
RISING = {*names_with("rises with the ROC curve")}
OF_ORDER = sorted(RISING | {"kolmogorov_smirnov", "average_precision"})


@pytest.fixture(autouse=True)
def small_parts(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fragments, "ROWS", 700)


def drawn(n=5000, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return pa.table(
        {
            "y": np.where(y, "ill", "well"),
            "p": rng.beta(1 + 2 * y, 2),
            "w": rng.uniform(0.5, 2, n),
            "n": rng.integers(1, 5, n),
        }
    )


def scanned(source, **more):
    return ca.scan(source, truth="y", score="p", positive="ill", **more)


def refined(a, source, **more):
    return ca.refine(a, source, truth="y", score="p", **more)


def widths(a, name="roc_auc"):
    low, high = a[name].certain
    return high - low


def same(one, other):
    for part in PARTS:
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part), part)
    assert (one.bits, one.losses) == (other.bits, other.losses)


@pytest.mark.parametrize("how", [{}, {"weight": "w"}, {"frequency": "n"}])
def test_the_ends_come_closer_and_all_else_stays(how):
    table = drawn()
    exact, once = scanned(table, **how), scanned(table, bits=3, threshold=0.37, **how)
    twice = refined(once, table, **how)
    for name in OF_ORDER:
        low, high = twice[name].certain
        assert low - 1e-9 <= exact[name].value <= high + 1e-9, name
        assert high - low <= widths(once, name) + 1e-12, name
    assert widths(twice) < widths(once) / 1000
    assert twice.changed(scores=once.scores).to_dict() == once.to_dict()
    assert twice.confusion_matrix.counts.tolist() == once.confusion_matrix.counts.tolist()
    if "weight" not in how:  # whose losses are of the bins' means
        assert twice["log_loss"].value == pytest.approx(exact["log_loss"].value, rel=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_on_every_distribution(shape):
    rng = np.random.default_rng(0)
    y = rng.random(50_000) < (0.01 if "fraud" in shape else 0.3)
    y = ~y if shape == "mirrored fraud" else y
    score = SHAPES[shape](rng, y)
    exact = float(get("roc_auc")(ScoreTable.from_rows(score, y)))
    once = Bins.of_rows(score, y, 8)
    tables = [BinnedScoreTable.of_rows(score, y, bits=each) for each in (8, finer(once))]
    ends = [certain(get("roc_auc"), table) for table in tables]
    for low, high in ends:
        assert low - 1e-12 <= exact <= high + 1e-12
    (low, high), (closer, closest) = ends
    assert closest - closer < (high - low) / 50


@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.floats(0, 1, width=32), st.booleans()), min_size=2, max_size=50),
    st.integers(1, 4),
    st.integers(1, 64),
)
def test_on_any_cases_the_exact_value_lies_within_and_no_case_is_lost(cases, bits, parts):
    score, positive = np.array([s for s, _ in cases]), np.array([y for _, y in cases])
    assume(0 < positive.sum() < positive.size)
    once = Bins.of_rows(score, positive, bits)
    scale = finer(once, parts)
    twice = Bins.of_rows(score, positive, scale)
    back = twice.coarser(once.bits)
    for part in ("keys", "cases", "least", "most"):
        np.testing.assert_array_equal(getattr(back, part), getattr(once, part))
    exact = ScoreTable.from_rows(score, positive)
    table = BinnedScoreTable.of_rows(score, positive, bits=scale)
    for name in OF_ORDER:
        low, high = certain(get(name), table)
        value = float(get(name)(exact))
        assert np.isnan(value) or low - 1e-9 <= value <= high + 1e-9, name


def uneven(seed, n=3000):
    """Rows, and a scale on which some of their bins are split, by different amounts."""
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.3
    score = np.concatenate([rng.normal(size=n // 2), rng.beta(1 + positive[n // 2 :], 2)])
    keys = np.unique(Bins.of_rows(score, positive, 3).keys)[::2]
    return score, positive, rng, BinScale(3, keys, rng.integers(1, 9, keys.size))


def test_uneven_bins_of_all_rows_are_the_sum_of_those_of_parts_in_any_order():
    score, positive, rng, scale = uneven(1)
    whole = Bins.of_rows(score, positive, scale)
    assert whole.finer is not None
    cuts = np.split(rng.permutation(score.size), [3, 700, 701, 2000])
    parts = [Bins.of_rows(score[cut], positive[cut], scale) for cut in cuts]
    same(whole, sum(parts[1:], parts[0]))
    same(whole, sum(parts[:-1], parts[-1]))


def test_bins_of_different_scales_add_up_in_the_widest_of_each_place():
    """In any order: so that days of which some were refined are the same week however they are put together."""
    sets = [(*uneven(seed)[:2], uneven(seed)[3]) for seed in (1, 2, 3)]
    a, b, c = (Bins.of_rows(*each) for each in sets)
    for one, other in (((a + b) + c, a + (b + c)), (a + b, b + a)):
        for part in ("keys", "cases", "least", "most", "finer"):
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part), part)
    total = a + b
    assert (total.starts[:-1] > total.starts[1:]).all()
    assert total.cases.sum() == 6000
    score = np.concatenate([sets[0][0], sets[1][0]])
    positive = np.concatenate([sets[0][1], sets[1][1]])
    back, wanted = total.coarser(3), Bins.of_rows(score, positive, 3)
    for part in ("keys", "cases", "least", "most"):
        np.testing.assert_array_equal(getattr(back, part), getattr(wanted, part), part)


def test_compiled_and_plain_counting_of_uneven_bins_agree():
    score, positive, rng, scale = uneven(4)
    weight = rng.uniform(0.5, 2, score.size)
    for how in ({}, {"weight": weight}, {"frequency": rng.integers(1, 9, score.size)}):
        plain = Bins.of_rows(score, positive, scale, **how)
        compiled = Bins.of_rows(score, positive, scale, rows=COMPILE_FROM, **how)
        for part in PARTS:
            np.testing.assert_allclose(getattr(compiled, part), getattr(plain, part), rtol=1e-12)


def test_a_refined_assessment_is_saved_merged_and_refined_again(tmp_path):
    table = drawn(20_000)
    halves = [table.slice(0, 10_000), table.slice(10_000)]
    fine = [refined(scanned(each, bits=2), each) for each in halves]
    for i, each in enumerate(fine):
        each.save(tmp_path / f"{i}.classay")
        same(ca.load(tmp_path / f"{i}.classay").scores.bins, each.scores.bins)
    week = fine[0] + fine[1]
    assert week.to_dict() == (fine[1] + fine[0]).to_dict()
    exact = scanned(table)["roc_auc"].value
    low, high = week["roc_auc"].certain
    assert low - 1e-12 <= exact <= high + 1e-12
    assert widths(week) < widths(scanned(table, bits=2))
    if pays(week):
        assert widths(refined(week, table)) <= widths(week)


def test_exact_scores_and_bins_that_are_certain_enough_are_left_alone():
    table = drawn()
    for a in (scanned(table), scanned(table, bits=20)):
        assert refined(a, table) is a


def test_another_source_is_refused():
    table = drawn()
    once = scanned(table, bits=3)
    for other in (drawn(seed=1), table.slice(0, 4000), pa.concat_tables([table.slice(1), table.slice(0, 1)])):
        if other.num_rows == 5000 and other["p"][0] == table["p"][1]:
            assert widths(refined(once, other)) < widths(once)  # the order of rows does not matter
            continue
        with pytest.raises(InputError, match="changed after the first pass"):
            refined(once, other)
    with pytest.raises(InputError, match="changed after the first pass"):
        refined(once, table, frequency="n")


def test_what_can_be_read_once_is_refused_with_what_to_do():
    table = drawn()
    with pytest.raises(InputError, match="RecordBatchReader can be read only once, so a second pass"):
        refined(scanned(table, bits=3), table.to_reader(500))


def test_missing_rows_and_limits_are_those_of_the_first_pass():
    table = drawn()
    holes = table.set_column(0, "y", pa.array([None, *table["y"].to_pylist()[1:]]))
    once = scanned(holes, bits=3, missing="drop", limit=3000)
    twice = refined(once, holes)
    assert (twice.dropped, twice.limit, twice.n) == (1, 3000, 2999)
    assert widths(twice) < widths(once) / 100


SCORE = ("--truth", "y", "--score", "p", "--positive", "ill")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "preds").mkdir()
    table = drawn()
    for i in range(0, 5000, 1000):
        parquet.write_table(table.slice(i, 1000), tmp_path / "preds" / f"{i}.parquet")
    return "preds"


def test_the_command_refines(folder, monkeypatch):
    from classay.in_parts import scanning

    monkeypatch.setattr(scanning, "BITS", 3)
    done = call("assess", folder, *SCORE, "--memory", "0", "--refine", "--save", "a.classay")
    assert done.exit_code == 0, done.stderr
    once, twice = scanned(folder, memory=0), ca.load("a.classay")
    assert twice.to_dict() == refined(once, folder).to_dict()
    assert widths(twice) < widths(once) / 1000


def test_the_command_refuses_to_read_twice_what_it_cannot(folder):
    assert "--refine reads the rows twice, but standard input can be read only once. Save it" in refusal(
        "assess", "-", "--format", "csv", *SCORE, "--memory", "0", "--refine"
    )
    assert "--refine needs scores of two classes" in refusal(
        "assess", folder, "--truth", "y", "--prediction", "y", "--positive", "ill", "--refine"
    )


def test_rows_left_out_for_a_missing_prediction_are_left_out_again():
    table = drawn()
    called = pa.array([None, *table["y"].to_pylist()[1:]])
    rows = table.append_column("called", called)
    roles = {"truth": "y", "score": "p", "prediction": "called"}
    once = ca.scan(rows, **roles, positive="ill", bits=3, unanswered="drop")
    twice = ca.refine(once, rows, **roles)
    assert (twice.rows, twice.dropped) == (len(rows) - 1, 1)
    assert widths(twice) < widths(once)


def test_rows_without_a_score_are_left_out_of_the_second_pass_too():
    rows = drawn().to_pandas()
    rows.loc[[3, 700, 4000], "p"] = np.nan
    rows.loc[[9], "y"] = None
    once = scanned(rows, bits=4, missing="drop", unanswered="drop")
    assert pays(once)
    twice = refined(once, rows)
    assert (twice.rows, twice.dropped, twice.unscored) == (4996, 4, 3)
    assert widths(twice) < widths(once)
