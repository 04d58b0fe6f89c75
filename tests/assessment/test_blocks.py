"""Blocks of cases: against tables built again without each block, merged shards, saved files, and rows compared."""

from decimal import Decimal
from functools import cache

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import classay as ca
from classay.assessment.merging import OF_CASES, OF_SCORES, BlockValues, without_blocks
from classay.assessment.restoring import load_block_values
from classay.columns.coding import hash_column, hash_numbers, hash_text, hash_texts
from classay.comparison.cases.compare_assessments import compare_saved, jackknife
from classay.errors import FileError, InputError, MergeError
from classay.inference import left_out
from classay.inference.scores.auc import delong_variance
from classay.measures import get
from classay.tables.paired import block_of, merge_blocks
from classay.tables.tabulating import tabulate_blocks


def rows(n=400, seed=0, decimals=2, share=0.4):
    """Truth, two models' scores with ties, and ids."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    scores = [
        np.clip(np.round(0.3 + 0.3 * y + rng.normal(0, 0.2, n), decimals), 0.01, 0.99) for _ in range(2)
    ]
    return y, *scores, np.arange(n) * 7 + 3


def without(a, name):
    (found,) = without_blocks(a, [name]).values()
    return found


# -- hashes -----------------------------------------------------------------------------------------------------


def fnv1a(text):
    """The published algorithm, one byte after the other (Fowler, Noll & Vo)."""
    state = 0xCBF29CE484222325
    for byte in text.encode():
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return state


@given(st.lists(st.text(max_size=9), min_size=1, max_size=20), st.sampled_from([1, 80]))
@settings(deadline=None)
def test_hash_of_texts(texts, times):
    texts = texts * times  # few and many, some of them longer than all others
    data = "".join(texts).encode()
    offsets = np.cumsum([0, *(len(each.encode()) for each in texts)])
    wanted = [fnv1a(each) for each in texts]
    for version in (hash_texts.twin, hash_texts.compiled):
        assert version(offsets, np.frombuffer(data, np.uint8)).tolist() == wanted


def test_known_hashes():
    """FNV-1a's own test vectors, and SplitMix64 from seed 1234567 (Steele et al.; also Rosetta Code)."""
    assert fnv1a("a") == 0xAF63DC4C8601EC8C
    assert fnv1a("foobar") == 0x85944171F73967E8
    assert int(hash_numbers(np.array([1234567], np.uint64))[0]) == 6457827717110365317


@pytest.mark.parametrize(
    "kind", [list, np.array, pa.array, pl.Series, lambda v: pa.chunked_array([v[:2], v[2:]])]
)
@pytest.mark.parametrize("values", [["a", "bb", "", "é"], [3, -1, 2**62, 0]])
def test_every_kind_of_column_hashes_alike(kind, values):
    wanted = [hash_text(each) for each in values] if isinstance(values[0], str) else None
    found = hash_column(kind(values), "id").tolist()
    assert found == (wanted or hash_numbers(np.array(values, np.int64).view(np.uint64)).tolist())


@pytest.mark.parametrize("kind", [float, Decimal, "categories"])
def test_the_hash_of_a_number_is_its_own_whatever_stands_beside_it(kind):
    import pandas as pd

    def hashed(values):
        made = pd.Categorical(values) if kind == "categories" else [kind(each) for each in values]
        return hash_column(made, "id").tolist()

    whole, others = [0.0, 3.0, -7.0, 2.0**40], [0.25, 2.75, 2.0**64]
    both = hashed(whole + others)
    assert both[:4] == hashed(whole) == hash_column([0, 3, -7, 2**40], "id").tolist()
    assert both[4:6] == hashed(others[:2]) == hash_column(["0.25", "2.75"], "id").tolist()
    assert len({*both}) == 7


def test_ids_must_be_there():
    with pytest.raises(InputError, match="id has missing values in 1 row"):
        hash_column(["a", None], "id")
    with pytest.raises(InputError, match="id is not a column of ids"):
        hash_column([1, "a", object()], "id")
    with pytest.raises(InputError, match="id has 3"):
        ca.assess([0, 1], [0.1, 0.9], id=[1, 2, 3])


# -- values without each block ------------------------------------------------------------------------------------

MEASURES = [
    *OF_SCORES,
    "max_f1",
    "kolmogorov_smirnov",
    "brier_skill",
    "f1",
    "accuracy",
    "mcc",
    "macro_f1",
    "precision",
]


@cache
def in_blocks(decimals):
    """An assessment of rows with ids, and those of the rows without each block."""
    y, s, _, ids = rows(decimals=decimals)
    block = block_of(hash_column(ids, "id"))
    return ca.assess(y, s, id=ids), [ca.assess(y[block != k], s[block != k]) for k in range(64)]


@pytest.mark.covering(1)
@pytest.mark.parametrize("decimals", [1, 2, 9])
@pytest.mark.parametrize("name", MEASURES)
def test_values_without_each_block(name, decimals):
    a, others = in_blocks(decimals)
    assert without(a, name) == pytest.approx(
        [float(get(name)(other.table(get(name)))) for other in others], rel=1e-12
    )


@pytest.mark.parametrize("decimals", [1, 9])
@pytest.mark.parametrize("kernel", [left_out.pair_sums, left_out.precision_sums, left_out.loss_sums])
def test_compiled_equals_twin(kernel, decimals):
    y, s, _, ids = rows(decimals=decimals)
    a = ca.assess(y, s, id=ids)
    losses = (-np.log(a.scores.scores), a.scores.scores**2) if kernel is left_out.loss_sums else ()
    args = (a.blocks.of_scores, a.scores.positives, a.scores.negatives, *losses, 64)
    for one, other in zip(kernel.twin(*args), kernel.compiled(*args), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("decimals", [1, 3, 12])
def test_long_columns_are_put_in_the_same_order(decimals, dtype):
    """The compiled sort of many rows against NumPy's."""
    rng = np.random.default_rng(1)
    n = 120_000
    s = np.round(rng.normal(size=n), decimals).astype(dtype)
    positive, block = rng.random(n) < 0.3, rng.integers(0, 64, n).astype(np.uint8)
    wanted = block[np.lexsort((block, ~positive, -s))]
    np.testing.assert_array_equal(tabulate_blocks(s, positive, block, 64), wanted)


@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 5), max_size=4), st.lists(st.integers(0, 5), max_size=4)),
        max_size=6,
    )
)
def test_merging_runs(groups):
    here, there = ([b for group in groups for b in sorted(group[side])] for side in (0, 1))
    counts = [np.array([len(group[side]) for group in groups], np.int64) for side in (0, 1)]
    wanted = [b for group in groups for b in sorted(group[0] + group[1])]
    arrays = np.array(here, np.uint8), counts[0], np.array(there, np.uint8), counts[1]
    for version in (merge_blocks.twin, merge_blocks.compiled):
        assert version(*arrays).tolist() == wanted


# -- merging and saving -------------------------------------------------------------------------------------------


def saved(a, folder, name="a"):
    a.save(folder / f"{name}.classay")
    return load_block_values(folder / f"{name}.classay")


@pytest.mark.parametrize("decimals", [1, 9])
def test_shards_added_are_the_whole(decimals, tmp_path):
    y, s, _, ids = rows(decimals=decimals)
    order = np.random.default_rng(3).permutation(y.size)
    cuts = np.split(order, [10, 150, 390])
    whole = ca.assess(y, s, id=ids)
    parts = [ca.assess(y[c], s[c], id=ids[c], labels=[0, 1]) for c in cuts]
    for i, part in enumerate(parts):
        part.save(tmp_path / f"{i}.classay")
    added = sum((ca.load(tmp_path / f"{i}.classay") for i in (1, 2, 3)), parts[0])
    added.save(tmp_path / "added.classay")
    whole.save(tmp_path / "whole.classay")
    assert (tmp_path / "added.classay").read_bytes() == (tmp_path / "whole.classay").read_bytes()


def test_given_labels_and_several_classes():
    rng = np.random.default_rng(0)
    y, p, ids = rng.integers(0, 3, 300), rng.integers(0, 3, 300), [f"c{i}" for i in range(300)]
    a = ca.assess(y, y_pred=p, id=ids)
    block = block_of(hash_column(ids, "id"))
    wanted = [ca.assess(y[block != k], y_pred=p[block != k])["macro_recall"].value for k in range(64)]
    assert without(a, "macro_recall") == pytest.approx(np.array(wanted))
    halves = ca.assess(y[:99], y_pred=p[:99], id=ids[:99]) + ca.assess(y[99:], y_pred=p[99:], id=ids[99:])
    np.testing.assert_array_equal(without(halves, "accuracy"), without(a, "accuracy"))
    scored = ca.assess(y, rng.dirichlet([1, 1, 1], 300), id=ids)
    assert np.isfinite(without(scored, "accuracy")).all()
    with pytest.raises(InputError, match="Blocks for macro_roc_auc of several classes"):
        without(scored, "macro_roc_auc")
    with pytest.raises(InputError, match="Blocks for top_label_calibration_error of several classes"):
        without(scored, "top_label_calibration_error")


def several(n=400, k=6, seed=0):
    """Truth of six classes, two models' class probabilities, and ids."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return y, *(rng.dirichlet(np.ones(k), n) * 0.9 + 0.1 * np.eye(k)[y] for _ in range(2)), np.arange(n)


@cache
def built_again():
    """The six classes assessed without each block of ids, and without each block of clusters of four ids."""
    y, p, _, ids = several()
    clusters = [repr(each) for each in (ids // 4).tolist()]
    blocks = block_of(hash_column(ids, "id")), block_of(hash_column(clusters, "cluster"))
    return [[ca.assess(y[block != b], p[block != b]) for b in range(64)] for block in blocks]


@pytest.mark.parametrize("name", OF_CASES)
def test_means_over_cases_of_several_classes(name, tmp_path):
    y, p, _, ids = several()
    a, clustered = ca.assess(y, p, id=ids), ca.assess(y, p, cluster=ids // 4)
    for found, parts in zip((a, clustered), built_again(), strict=True):
        np.testing.assert_allclose(without(found, name), [each[name].value for each in parts], rtol=1e-12)
    np.testing.assert_array_equal(saved(a, tmp_path).without[name], without(a, name))


def test_shards_of_several_classes_added_are_the_whole(tmp_path):
    y, p, _, ids = several()
    cuts = np.split(np.random.default_rng(3).permutation(y.size), [10, 150, 390])
    labels = list(range(6))
    for i, cut in enumerate(cuts):
        ca.assess(y[cut], p[cut], id=ids[cut], labels=labels).save(tmp_path / f"{i}.classay")
    parts = [ca.load(tmp_path / f"{i}.classay") for i in range(4)]
    sum(parts[2:], parts[1] + parts[0]).save(tmp_path / "added.classay")
    ca.assess(y, p, id=ids, labels=labels).save(tmp_path / "whole.classay")
    assert (tmp_path / "added.classay").read_bytes() == (tmp_path / "whole.classay").read_bytes()
    with pytest.raises(MergeError, match="The class scores are for different labels"):
        parts[0] + ca.assess(y % 5, p[:, :5] / p[:, :5].sum(1, keepdims=True), id=ids)


def test_saved_means_of_several_classes_compare_as_their_cases_do(tmp_path):
    y, p, q, ids = several(4000)
    found = compare_saved(*(saved(ca.assess(y, each, id=ids), tmp_path) for each in (p, q)), "log_loss")
    losses = -np.log(np.stack([each[np.arange(y.size), y] for each in (p, q)]))
    apart = losses[0] - losses[1]
    assert found.effect.value == pytest.approx(apart.mean(), rel=1e-9)
    half = (found.effect.high - found.effect.low) / 2
    assert half == pytest.approx(1.96 * apart.std() / np.sqrt(y.size), rel=0.33)


def test_an_infinite_loss_of_several_classes_has_no_interval():
    y, p, q, ids = several()
    p[0] = np.eye(6)[(y[0] + 1) % 6]
    values = [BlockValues.of(ca.assess(y, each, id=ids)) for each in (p, q)]
    assert (
        "log_loss is infinite or not defined without one block" in compare_saved(*values, "log_loss").reason
    )
    assert np.isfinite(compare_saved(*values, "multiclass_brier_score").p)
    improper = BlockValues.of(ca.assess(y, p * 2, id=ids))
    assert ("log_loss" in improper.whole, "top_2_accuracy" in improper.whole) == (False, True)


def test_classes_without_a_matrix_have_their_losses():
    y, p, _, ids = several(2000, k=130)
    values = BlockValues.of(ca.assess(y, p, id=ids, labels=list(range(130))))
    assert {*values.whole} == {*OF_CASES}
    assert values.cases.sum() == 2000


def test_a_threshold_chosen_later():
    y, s, _, ids = rows()
    later = ca.assess(y, s, id=ids).at(0.4)
    np.testing.assert_array_equal(without(later, "f1"), without(ca.assess(y, s, id=ids, threshold=0.4), "f1"))
    given_labels = ca.assess(y, s, y_pred=(s > 0.7).astype(int), id=ids)
    np.testing.assert_array_equal(without(given_labels.at(0.4), "f1"), without(later, "f1"))


def test_what_has_no_blocks(tmp_path):
    y, s, _, ids = rows()
    for of in ("weight", "frequency"):
        with pytest.raises(InputError, match="id= cannot be combined with weight= or"):
            ca.assess(y, s, id=ids, **{of: np.ones(y.size, int)})
    weighted = (ca.assess(y, s, **{of: np.ones(y.size, int)}) for of in ("weight", "frequency"))
    for a in (ca.assess(y, s), *weighted):
        why = r"has no saved blocks of cases.* Assess it with id=, without weights or frequencies"
        with pytest.raises(InputError, match=why):
            without(a, "f1")
        with pytest.raises(InputError, match=why):
            BlockValues.of(a)
        with pytest.raises(FileError, match=why):
            saved(a, tmp_path)
    with pytest.raises(MergeError, match="has IDs of its rows"):
        ca.assess(y, s) + ca.assess(y, s, id=ids)
    many = np.arange(260) % 130
    assert ca.assess(many, y_pred=many, id=np.arange(260)).blocks.matrix is None


# -- comparing ----------------------------------------------------------------------------------------------------


def pair(seed=0, n=4000, **more):
    y, a, b, ids = rows(n, seed, decimals=6)
    return (y, a, b, ids), [BlockValues.of(ca.assess(y, s, id=ids, **more)) for s in (a, b)]


@pytest.mark.parametrize("name", ["accuracy", "recall", "roc_auc", "brier_score"])
def test_close_to_the_standard_error_of_the_rows(name):
    """The jackknife's standard error is within a third of the one from all rows (its own is 9%)."""
    (y, a, b, _), (first, second) = pair()
    found = compare_saved(first, second, name, ("a", "b"))
    if name == "roc_auc":
        tables = [ca.ScoreTable.from_rows(s, y == 1) for s in (a, b)]
        variance = sum(map(delong_variance, tables))  # independent given the truth, as made
        se = float(np.sqrt(variance))
    else:
        each = {"accuracy": (a >= 0.5) == y, "recall": (a >= 0.5), "brier_score": (a - y) ** 2}[name].astype(
            float
        )
        other = {"accuracy": (b >= 0.5) == y, "recall": (b >= 0.5), "brier_score": (b - y) ** 2}[name].astype(
            float
        )
        d = (each - other)[y == 1] if name == "recall" else each - other
        assert found.effect.value == pytest.approx(d.mean(), abs=1e-12)
        se = d.std() / np.sqrt(d.size)
    half = (found.effect.high - found.effect.low) / 2
    assert half == pytest.approx(2 * se, rel=0.33)
    assert (found.n, found.units) == (4000, "cases")
    assert "delete-a-block jackknife" in found.effect.method


def test_jackknife_of_a_mean_is_its_variance():
    """Without one of n values each: the textbook's s²/n."""
    x = np.random.default_rng(0).normal(size=30)
    variance, degrees = jackknife((x.sum() - x) / 29)
    assert variance == pytest.approx(x.var(ddof=1) / 30)
    assert 8 < degrees <= 29
    assert jackknife(np.array([1.0, -1.0] * 10))[1] == 19
    assert jackknife(np.array([5.0] + [0.0] * 63))[1] < 3


def test_identical_models():
    y, s, _, ids = rows()
    values = BlockValues.of(ca.assess(y, s, id=ids))
    found = compare_saved(values, values, "f1")
    assert found.p == 1
    assert "shows no variation" in found.effect.reason


def test_other_cases_are_refused():
    y, s, _, ids = rows()
    first = BlockValues.of(ca.assess(y, s, id=ids))
    wrong = y.copy()
    wrong[np.flatnonzero(y == 0)[0]], wrong[np.flatnonzero(y == 1)[0]] = 1, 0
    others = {
        "shuffled ids": (y, s, np.random.default_rng(0).permutation(ids)),
        "other ids": (y, s, ids + 1),
        "other truths": (wrong, s, ids),
        "one case fewer": (y[1:], s[1:], ids[1:]),
        "text ids": (y, s, ids.astype(str)),
    }
    for what, (truth, score, id) in others.items():
        second = BlockValues.of(ca.assess(truth, score, id=id))
        with pytest.raises(InputError, match="were assessed on different cases"):
            compare_saved(first, second, "f1", (what, "old"))
    back = np.arange(y.size)[::-1]  # the order of the rows is nothing
    again = BlockValues.of(ca.assess(y[back], s[back], id=ids[back]))
    assert compare_saved(first, again, "f1").p == 1


def test_too_little_is_refused():
    y, a, b, ids = rows(200)
    clusters = ids % 12
    values = [BlockValues.of(ca.assess(y, s, cluster=clusters)) for s in (a, b)]
    found = compare_saved(*values, "roc_auc")
    assert np.isnan(found.p)
    assert "blocks, but 16 are needed" in found.reason
    few = a.copy()
    few[:2] = 1 - few[:2]  # two cases tell the models apart
    values = [BlockValues.of(ca.assess(y, s, id=ids)) for s in (a, few)]
    assert "a few of 60 blocks determine the difference" in compare_saved(*values, "roc_auc").reason
    values = [BlockValues.of(ca.assess(y, s * 0.01, id=ids)) for s in (a, b)]
    assert "not defined, or not saved by blocks" in compare_saved(*values, "precision").reason
    some = [np.where(np.arange(200) % 9 == j, 0.9, 0.1) for j in (0, 1)]
    values = [BlockValues.of(ca.assess(y, s, id=ids), ["precision"]) for s in some]
    assert "predicts 23 cases positive, too few for precision" in compare_saved(*values, "precision").reason
    one = np.where(np.arange(200) == 7, 0.9, 0.1)
    values = [BlockValues.of(ca.assess(y, s, id=ids)) for s in (one, b)]
    assert "not defined without one block" in compare_saved(*values, "precision").reason


@pytest.mark.filterwarnings("error")
def test_losses_that_are_infinite_in_both_models_are_a_reason():
    y, a, b, ids = rows(200)
    for each in (a, b):
        each[[3, 90]] = 1 - y[[3, 90]]  # certain, and wrong
    found = ca.compare(
        {n: ca.assess(y, s, id=ids) for n, s in {"a": a, "b": b}.items()}, measures=["log_loss"]
    )
    assert "log_loss is infinite or not defined without one block" in found[0].reason


def test_files_compare_as_assessments_do(tmp_path):
    y, a, b, ids = rows(1000)
    made = [ca.assess(y, s, id=ids) for s in (a, b)]
    files = [saved(each, tmp_path, name) for each, name in zip(made, "ab", strict=True)]
    for name in files[0].whole:
        found = (
            compare_saved(*files, name),
            compare_saved(*(BlockValues.of(each, [name]) for each in made), name),
        )
        assert repr(found[0]) == repr(found[1])
    assert {get(name).name for name in ("mcc", "f1", "auc", "ap", "brier_score")} <= {*files[0].whole}
