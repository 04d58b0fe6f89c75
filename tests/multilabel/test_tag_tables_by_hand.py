"""Tables of tags by brute force over cases and pairs, in every way they are counted; and files that are damaged."""

import json
import zipfile
from io import BytesIO

import numpy as np
import pytest
import scipy.sparse as sp

import classay as ca
from classay.columns import Labels
from classay.compiled import compiled_at_once
from classay.errors import FileError, InputError, MergeError
from classay.files.archives import sealed
from classay.multilabel import mark_pairs, tag_tables
from classay.multilabel.mark_pairs import MarkPairs, are_few, most_pairs, sum_of_pairs
from classay.multilabel.tag_scores import MultilabelScores, entries_at, sparse_columns
from classay.multilabel.tag_tables import MultilabelTable, marks_of, unmarked_sums
from forged import forge
from samples import tag_rows

N, TAGS = 40, 5
RNG = np.random.default_rng(3)
TRUTH, CALLED = (RNG.random((2, N, TAGS)) < 0.4).astype(int)
TRUTH[:3], CALLED[:2] = 0, 0
WEIGHT, TIMES, CLUSTER = RNG.uniform(0.5, 2, N), RNG.integers(1, 4, N), RNG.integers(0, 9, N)
HOW = {
    "alike": {},
    "weight": {"weight": WEIGHT},
    "frequency": {"frequency": TIMES},
    "cluster": {"cluster": CLUSTER, "clusters": tuple(range(9))},
    "clustered weights": {"cluster": CLUSTER, "clusters": tuple(range(9)), "weight": WEIGHT},
}
MARKS = np.concatenate([TRUTH * CALLED, (1 - TRUTH) * CALLED, TRUTH * (1 - CALLED)], 1)


def table_of(kind, rows=slice(None), labels="abcde"):
    truth, called = (sp.csr_array(each[rows].astype(np.int8)) for each in (TRUTH, CALLED))
    how = {name: each if name == "clusters" else each[rows] for name, each in HOW[kind].items()}
    return MultilabelTable.from_marks(truth, called, labels, **how)


def counted(kind):
    """The weight of every case, and its square, or the weight again where cases are counted."""
    times = {"weight": WEIGHT, "clustered weights": WEIGHT, "frequency": TIMES}.get(kind, np.ones(N))
    return times, times**2 if kind in ("weight", "clustered weights") else times


WAYS = {
    "sparse": {},
    "dense": {"DENSE_FROM": 0},
    "dense, a few marks and cases at a time": {"DENSE_FROM": 0, "MARKS": 4, "BLOCK": 7},
    "by loops": {"DENSE_FROM": 1e9},
    "more tags than fit": {"MOST_DENSE_TAGS": 1},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", HOW)
def test_counts_of_tags_and_pairs_are_sums_over_cases(kind, way, monkeypatch):
    for name, value in WAYS[way].items():
        monkeypatch.setattr(tag_tables, name, value)
    times, squares = counted(kind)
    if way == "by loops":
        with compiled_at_once():
            table = table_of(kind)
    else:
        table = table_of(kind)
    cells = (MARKS * times[:, None]).sum(0).reshape(3, TAGS)
    assert table.cells == pytest.approx(cells)
    tn = (((TRUTH + CALLED) == 0) * times[:, None]).sum(0)
    assert table.counts.tn == pytest.approx(tn)
    assert table.true == pytest.approx((TRUTH * times[:, None]).sum(0))
    assert float(table.cases) == pytest.approx(times.sum())
    assert table.is_weighted == (kind in ("weight", "clustered weights"))
    if "cluster" in HOW[kind]:
        sums = np.stack([(MARKS * times[:, None])[k == CLUSTER].sum(0) for k in range(9)])
        assert table.by_cluster.toarray() == pytest.approx(sums)
        pairs = sums.T @ sums
    else:
        pairs = (MARKS * squares[:, None]).T @ MARKS
    assert table.products.toarray() == pytest.approx(pairs)
    for k, tag in enumerate("abcde"):
        assert [*table.one(tag)] == pytest.approx([*cells[:, k], tn[k]])
        matrix = table.matrix_of(tag, "rest")
        assert matrix.counts == pytest.approx(np.array([[tn[k], cells[2, k]], [cells[1, k], cells[0, k]]]))
        if table.squares is not None:
            marked = (MARKS * squares[:, None]).sum(0).reshape(3, TAGS)[:, k]
            rest = (((TRUTH + CALLED) == 0) * squares[:, None]).sum(0)[k]
            wanted = np.array([[rest, marked[2]], [marked[1], marked[0]]])
            assert matrix.squares == pytest.approx(wanted)
    of = table.outcomes
    keys = list(zip(of.tp, of.fp, of.fn, *([] if of.cluster is None else [of.cluster]), strict=True))
    assert len({*map(tuple, keys)}) == len(keys)
    parts = MARKS.reshape(N, 3, TAGS).sum(2)
    for key, weight, square in zip(keys, of.weight, of.squares, strict=True):
        here = (parts == key[:3]).all(1) & ((key[3] == CLUSTER) if of.cluster is not None else True)
        assert weight == pytest.approx(times[here].sum())
        assert square == pytest.approx(squares[here].sum())


@pytest.mark.parametrize("kind", HOW)
@pytest.mark.parametrize("keep", [False, True])
def test_parts_with_other_tags_are_the_whole(kind, keep, monkeypatch):
    """Where the second part knows the tags in another order, and one more that no case has."""
    if keep:
        monkeypatch.setattr(mark_pairs, "MOST_PAIRS", 0)
        monkeypatch.setattr(mark_pairs, "FEWER", 0)
    whole = table_of(kind)
    first, second = table_of(kind, slice(0, 15)), table_of(kind, slice(15, None))
    wide = second.over(Labels("zabcde"))
    assert wide.cells[:, 0].tolist() == [0, 0, 0]
    assert wide.counts.tn[0] == pytest.approx(float(second.cases))
    assert wide.over(wide.labels).cells is wide.cells
    both = first + wide
    order = [both.labels.index(tag) for tag in "abcde"]
    assert both.cells[:, order] == pytest.approx(whole.cells)
    assert both.counts.tn[order] == pytest.approx(whole.counts.tn)
    marks = np.array(order)[None] + len(both.labels) * np.arange(3)[:, None]
    products = [
        each.whole() if isinstance(each, MarkPairs) else each for each in (both.products, whole.products)
    ]
    assert products[0].toarray()[np.ix_(marks.ravel(), marks.ravel())] == pytest.approx(products[1].toarray())
    assert both.outcomes.weight == pytest.approx(whole.outcomes.weight)
    assert both.outcomes.squares == pytest.approx(whole.outcomes.squares)
    assert (both.squares is None) == (whole.squares is None)
    with pytest.raises(
        MergeError, match=r"Only one of the tables has clusters\. Assess both in the same way\."
    ):
        table_of("alike") + table_of("cluster")


def test_clusters_of_two_parts_are_united_by_their_names():
    at = CLUSTER < 4
    codes = {True: CLUSTER[at], False: CLUSTER[~at] - 3}
    parts = [
        MultilabelTable.from_marks(
            sp.csr_array(TRUTH[rows]),
            sp.csr_array(CALLED[rows]),
            "abcde",
            cluster=codes[first],
            clusters=names,
        )
        for rows, first, names in ((at, True, tuple("pqrs")), (~at, False, tuple("stuvwx")))
    ]
    both = parts[0] + parts[1]
    assert {*both.clusters} == {*"pqrstuvwx"}
    sums = {name: both.by_cluster[[k]].toarray().ravel() for k, name in enumerate(both.clusters)}
    for name, code in zip("pqr", range(3), strict=True):
        assert sums[name].tolist() == MARKS[code == CLUSTER].sum(0).tolist()
    for name, code in zip("tuvwx", range(4, 9), strict=True):
        assert sums[name].tolist() == MARKS[code == CLUSTER].sum(0).tolist()


def test_the_weight_of_unmarked_cases_has_no_rounding():
    marked = sp.csr_array((RNG.random((N, 6)) < [0.0, 0.1, 0.5, 0.9, 1.0, 0.99]).astype(np.int8))
    sums = unmarked_sums(marked, WEIGHT)
    assert sums == pytest.approx(((1 - marked.toarray()) * WEIGHT[:, None]).sum(0))
    assert sums[4] == 0.0


@pytest.mark.parametrize("weight", [None, TIMES])
def test_pairs_of_marks_are_those_of_cases(weight):
    marks = sp.csr_array(MARKS)
    pairs = MarkPairs(marks, weight)
    times = np.ones(N) if weight is None else weight
    whole = (MARKS * times[:, None]).T @ MARKS
    assert pairs.whole().toarray() == pytest.approx(whole)
    assert pairs.diagonal() == pytest.approx(np.diagonal(whole))
    assert pairs @ np.arange(15.0) == pytest.approx(whole @ np.arange(15.0))
    assert pairs.between(slice(2, 5), slice(1, 9)).toarray() == pytest.approx(whole[2:5, 1:9])
    assert (pairs.rooted.T @ pairs.rooted).toarray() == pytest.approx(whole)
    moved = pairs.moved(np.arange(15)[::-1] + 2, 20).whole().toarray()
    assert moved[2:17, 2:17] == pytest.approx(whole[::-1, ::-1])
    assert moved[:2].sum() == moved[17:].sum() == 0
    counted_pairs = pairs.whole()
    for one, other in ((pairs, pairs), (pairs, counted_pairs), (counted_pairs, counted_pairs)):
        total = sum_of_pairs(one, other)
        total = total.whole() if isinstance(total, MarkPairs) else total
        assert total.toarray() == pytest.approx(2 * whole)
    mixed = MarkPairs(marks, weight) + MarkPairs(marks)
    mixed = mixed.whole() if isinstance(mixed, MarkPairs) else mixed
    assert mixed.toarray() == pytest.approx(whole + MARKS.T @ MARKS)
    for source in (pairs, counted_pairs):
        for rows, columns in ((slice(10, None), slice(5, 10)), (slice(0, 4), slice(2, 15))):
            part = whole[rows, columns]
            order = sorted(zip(*np.nonzero(part), strict=True), key=lambda at: (-part[at], at))
            for most in (0, 1, 6, 100):
                row, column, number = most_pairs(source, rows, columns, most)
                assert [*zip(row, column, strict=True)] == order[:most]
                assert number == pytest.approx([part[at] for at in order[:most]])


@pytest.mark.parametrize("step", [1, 2, 512])
def test_the_most_frequent_pairs_are_the_same_in_blocks(step, monkeypatch):
    pairs = MarkPairs(sp.csr_array(MARKS))
    wanted = [each.tolist() for each in most_pairs(pairs, slice(10, 15), slice(5, 10), 8)]
    monkeypatch.setattr(mark_pairs, "ROWS", step)
    assert [each.tolist() for each in most_pairs(pairs, slice(10, 15), slice(5, 10), 8)] == wanted


@pytest.mark.parametrize(
    ("rows", "width", "each", "few"),
    [(10, 5000, 2500, True), (10, 1000, 500, False), (60_000, 60, 2, False), (300, 3000, 2, False)],
)
def test_marks_are_kept_where_they_are_far_fewer_than_their_pairs(rows, width, each, few):
    at = np.tile(np.arange(each), rows)
    marks = sp.csr_array((np.ones(at.size), at, np.arange(rows + 1) * each), (rows, width))
    assert are_few(marks) is few


# -- scores -----------------------------------------------------------------------------------------------

Y, P = tag_rows(np.random.default_rng(4), 30, 6, share=0.3)
P = np.where(P < 0.35, 0, P.round(1))
DRAWN = {"alike": {}, "weight": {"weight": WEIGHT[:30]}, "frequency": {"frequency": TIMES[:30]}}


def scores_of(kind, how, rows=slice(None)):
    given = {name: each[rows] for name, each in DRAWN[how].items()}
    return MultilabelScores(Labels("abcdef"), sp.csr_array(Y[rows].astype(np.int8)), kind(P[rows]), **given)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("how", DRAWN)
@pytest.mark.parametrize("compiled", [False, True])
def test_ranks_of_true_tags_and_scores_of_each_tag_are_those_of_all_pairs(kind, how, compiled):
    table = scores_of(kind, how)
    if compiled:
        with compiled_at_once():
            placed = table.placed
    else:
        placed = table.placed
    at = 0
    for row in range(30):
        for tag in np.flatnonzero(Y[row]):
            same = (
                (P[row] > P[row, tag]).sum(),
                (P[row] == P[row, tag]).sum(),
                (P[row][Y[row] == 1] >= P[row, tag]).sum(),
            )
            assert (placed.row[at], placed.above[at], placed.tied[at], placed.reached[at]) == (row, *same)
            at += 1
    assert at == placed.row.size
    times = next(iter(DRAWN[how].values()), np.ones(30))
    for k, (tag, entry) in enumerate(zip("abcdef", table.entries(), strict=True)):
        score, true = table.columns_of(tag)
        assert (score.tolist(), true.tolist()) == (P[:, k].tolist(), (Y[:, k] == 1).tolist())
        rows = np.arange(30) if entry.rows is None else entry.rows
        assert entry.score.tolist() == P[rows, k].tolist()
        assert entry.true.tolist() == (Y[rows, k] == 1).tolist()
        assert entry.rest == pytest.approx(np.delete(times, rows).sum())
        assert not Y[np.setdiff1d(np.arange(30), rows), k].any()
        assert entry.of_rows(times).tolist() == times[rows].tolist()
        one = table.one(tag, "rest")
        for level, plus, minus in zip(one.scores, one.positives, one.negatives, strict=True):
            here = P[:, k] == level
            assert plus == pytest.approx(times[here & (Y[:, k] == 1)].sum())
            assert minus == pytest.approx(times[here & (Y[:, k] == 0)].sum())
        assert one.n_positive + one.n_negative == pytest.approx(times.sum())
        if how == "weight":
            both = one.positive_squares.sum() + one.negative_squares.sum()
            assert both == pytest.approx((times**2).sum())


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("k", [1, 3, 6])
def test_the_highest_tags_of_each_case_are_the_first_of_equal_ones(kind, k):
    table = scores_of(kind, "alike")
    called = table.called_of_top(k).toarray()
    for row in range(30):
        order = sorted(range(6), key=lambda tag: (-P[row, tag], tag))[:k]
        assert np.flatnonzero(called[row]).tolist() == sorted(order)
    below = MultilabelScores(Labels("abcdef"), table.truth, kind(-P))
    for row, marks in enumerate(below.called_of_top(k).toarray()):
        order = sorted(range(6), key=lambda tag: (P[row, tag], tag))[:k]
        assert np.flatnonzero(marks).tolist() == sorted(order)
    for wrong in (0, 7):
        with pytest.raises(InputError, match=f"from 1 to 6, but is {wrong}"):
            table.called_of_top(wrong)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_tags_are_called_from_their_threshold_on(kind):
    table = scores_of(kind, "alike")
    cuts = np.array([0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    for cut in (0.6, cuts.tolist()):
        assert (table.called(cut).toarray() == (np.broadcast_to(cut, (30, 6)) <= P)).all()
    single = MultilabelScores(Labels("abcdef"), table.truth, kind(P.astype(np.float32)))
    assert (single.called(0.6).toarray() == (P >= 0.6)).all()
    assert (table.in_unit, single.in_unit) == (True, True)
    for shift in (-1, 1):
        assert not MultilabelScores(Labels("abcdef"), table.truth, kind(P + shift)).in_unit


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("how", DRAWN)
def test_scores_of_two_parts_are_those_of_all_cases_in_an_order_of_their_own(kind, how):
    whole = scores_of(kind, how).in_order()
    first, second = (scores_of(kind, how, rows) for rows in (slice(0, 11), slice(11, None)))
    for both in (first + second, second + first):
        for one, other in (
            (both.truth, whole.truth),
            (sp.csr_array(both.scores), sp.csr_array(whole.scores)),
        ):
            assert (one.toarray() == other.toarray()).all()
        assert both.weights.tolist() == whole.weights.tolist()
        assert both.squares.tolist() == whole.squares.tolist()
    other = scores_of(kind, "weight" if how != "weight" else "frequency")
    for one, two in ((whole, other), (other, whole)):
        with pytest.raises(MergeError, match="Only one of the tables has weights or clusters of rows"):
            one + two
    for wrong in (np.float32(P), sp.csr_array(P) if kind is np.asarray else P):
        differing = MultilabelScores(Labels("abcdef"), whole.truth, wrong)
        with pytest.raises(MergeError, match="different tags or precision, or only one is sparse"):
            scores_of(kind, "alike") + differing


def test_small_sparse_helpers():
    matrix = sparse_columns([(np.array([0, 2]), np.array([1.0, 3.0])), (np.array([1]), np.array([5.0]))], 4)
    assert matrix.toarray().tolist() == [[1, 0], [0, 5], [3, 0], [0, 0]]
    assert entries_at(matrix, np.array([2, 1, 3]), np.array([0, 1, 1])).tolist() == [3, 5, 0]
    assert entries_at(matrix, np.zeros(0, int), np.zeros(0, int)).tolist() == []
    hits, extra, missed = marks_of(sp.csr_array(TRUTH), sp.csr_array(CALLED))
    assert np.concatenate([part.toarray() for part in (hits, extra, missed)], 1).tolist() == MARKS.tolist()
    assert [part.nnz for part in (hits, extra, missed)] == MARKS.reshape(N, 3, TAGS).sum((0, 2)).tolist()


# -- files ------------------------------------------------------------------------------------------------


def saved(what, path):
    """An assessment, saved; and what its table and scores hold, by name, to be changed."""
    if what == "scores":
        a = ca.assess(Y, P, threshold=0.5)
    elif what == "sparse":
        a = ca.assess(Y, sp.csr_array(P), threshold=0.5)
    else:
        how = {name: each for name, each in HOW[what].items() if name != "clusters"}
        a = ca.assess(TRUTH, y_pred=CALLED, **how)
    a.save(path)
    return a.task.tags, a.task.tag_scores


def with_one(array, at, value):
    copy = np.array(array)
    copy[at] = value
    return copy


DAMAGED = {
    "a case has more marks than tags": (
        "alike",
        lambda t, _: {"outcomes.tp.npy": with_one(t.outcomes.tp, 0, 6)},
    ),
    "squares of weights are there without them": (
        "alike",
        lambda t, _: {
            "squares.npy": t.cells.astype(float),
            "outcomes.squares.npy": t.outcomes.weight.astype(float),
        },
    ),
    "there are sums of weights without weights": ("alike", lambda t, _: {"rest.npy": np.zeros((2, TAGS))}),
    "outcomes and clusters disagree": (
        "alike",
        lambda t, _: {"outcomes.cluster.npy": np.zeros(t.outcomes.tp.size, int)},
    ),
    "the cases without a mark and the cells disagree": ("weight", lambda t, _: {"rest.npy": 2 * t.rest}),
    "the outcomes and the cells disagree": (
        "alike",
        lambda t, _: {"cells.npy": with_one(t.cells, (1, 2), 30)},
    ),
    "the joint counts and the cells disagree": (
        "alike",
        lambda t, _: {
            "cells.npy": with_one(with_one(t.cells, (1, 2), t.cells[1, 2] + 1), (1, 3), t.cells[1, 3] - 1)
        },
    ),
    "the sums of clusters and the cells disagree": (
        "cluster",
        lambda t, _: {
            "cells.npy": with_one(with_one(t.cells, (1, 2), t.cells[1, 2] + 1), (1, 3), t.cells[1, 3] - 1)
        },
    ),
    "weights of rows disagree": ("scores", lambda t, s: {"weight.npy": np.ones(30)}),
    "frequencies of rows disagree": ("scores", lambda t, s: {"frequency.npy": np.ones(30, int)}),
    "scores are missing": ("scores", lambda t, s: {"scores.npy": with_one(s.scores, (0, 0), np.nan)}),
    "truth holds other numbers than 1": (
        "scores",
        lambda t, s: {"truth.data.npy": with_one(s.truth.data, 0, 2)},
    ),
    "truth is torn": ("scores", lambda t, s: {"truth.indptr.npy": with_one(s.truth.indptr, 0, 1)}),
    "truth has a place twice": (
        "scores",
        lambda t, s: {"truth.indices.npy": np.zeros(s.truth.nnz, s.truth.indices.dtype)},
    ),
    "scores is torn": ("sparse", lambda t, s: {"scores.indptr.npy": with_one(s.scores.indptr, -1, 1)}),
    "the tags and the scores disagree": (
        "scores",
        lambda t, s: {"truth.indices.npy": 5 - s.truth.indices[: s.truth.nnz].reshape(-1)},
    ),
}


@pytest.mark.parametrize("says", DAMAGED)
def test_a_file_that_no_assessment_has_written_is_refused(says, tmp_path):
    path = tmp_path / "a.classay"
    what, change = DAMAGED[says]
    tables = saved(what, path)
    forge(path)
    assert ca.load(path).task.labels
    forge(path, change(*tables))
    known = "twice|disagree" if says == "the tags and the scores disagree" else says
    with pytest.raises(FileError, match=known):
        ca.load(path)


def arrays_of(path):
    """The arrays of a saved file by name."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".npy")]
        return {name: np.load(BytesIO(archive.read(name))) for name in names}


def test_a_file_has_tags_or_scores(tmp_path):
    path = tmp_path / "a.classay"
    a = ca.assess(Y, 9 * P - 4)  # scores of no scale have no threshold
    a.save(path)
    assert a.task.tags is None
    assert ca.load(path).to_dict() == a.to_dict()
    with zipfile.ZipFile(path) as archive:
        head = next(
            name for name in archive.namelist() if name.endswith(".json") and "seal" not in name.lower()
        )
        about = json.loads(archive.read(head))
    path.write_bytes(sealed(head, about, {}))
    with pytest.raises(FileError, match="it holds no table of the cases"):
        ca.load(path)


@pytest.mark.parametrize("what", ["alike", "weight", "frequency", "cluster", "scores", "sparse"])
def test_no_number_of_a_file_is_below_zero(what, tmp_path):
    """Only scores may be; a number whose total is kept by another one is refused too."""
    path = tmp_path / "a.classay"
    saved(what, path)
    content, known = path.read_bytes(), arrays_of(path)
    for name, array in known.items():
        if name.startswith("scores") and "ind" not in name:
            continue
        numbers = array.astype(np.int64 if array.dtype.kind == "u" else array.dtype)
        flat = numbers.flatten()
        flat[:-1][-1:] += flat[-1] + 1
        flat[-1] = -1
        path.write_bytes(content)
        forge(path, {name: flat.reshape(array.shape)})
        with pytest.raises(FileError):
            ca.load(path)


@pytest.mark.parametrize("name", ["truth.indices.npy", "cluster.npy", "truth.indptr.npy"])
@pytest.mark.parametrize("end", [-1, 1])
def test_codes_out_of_range_are_refused(name, end, tmp_path):
    path = tmp_path / "a.classay"
    a = ca.assess(Y, P, threshold=0.5, cluster=CLUSTER[:30])
    a.save(path)
    of = a.task.tag_scores
    known = {
        "truth.indices.npy": of.truth.indices,
        "cluster.npy": of.cluster,
        "truth.indptr.npy": of.truth.indptr,
    }
    most = {"truth.indices.npy": 6, "cluster.npy": len(of.clusters), "truth.indptr.npy": of.truth.nnz + 1}
    forge(path, {name: known[name]})
    assert ca.load(path)["micro_f1"] == a["micro_f1"]
    forge(path, {name: with_one(known[name], -1, -1 if end < 0 else most[name])})
    with pytest.raises(FileError):
        ca.load(path)


@pytest.mark.parametrize(
    ("what", "changed"),
    [
        ("alike", {"rows": N + 1}),
        ("alike", {"cutoffs": 0.5}),
        ("alike", {"top": 1}),
        ("alike", {"rows": 0}),
        ("frequency", {"kind_of_weight": "none"}),
        ("scores", {"rounded": 31}),
        ("scores", {"dropped": 0}),
        ("scores", {"top": 0}),
        ("scores", {"cutoffs": [0.5]}),
        ("scores", {"more": 1}),
    ],
)
def test_fields_that_do_not_fit_the_tables_are_refused(what, changed, tmp_path):
    path = tmp_path / "a.classay"
    saved(what, path)
    forge(path, **changed)
    with pytest.raises(ca.ClassayError):
        ca.load(path)


def test_what_was_saved_beside_the_tables_is_loaded(tmp_path):
    frame = (
        {f"y_{k}": Y[:, k] for k in range(6)}
        | {f"p_{k}": P[:, k] for k in range(6)}
        | {"id": np.arange(30) // 2}
    )
    lacking = {**frame, "y_0": [None, *Y[1:, 0].tolist()]}
    a = ca.assess(lacking, truth="y_*", score="p_*", missing="drop", level=0.9, seed=3, interval="wilson")
    a.save(tmp_path / "a.classay")
    again = ca.load(tmp_path / "a.classay")
    for name in (
        "level",
        "seed",
        "interval",
        "rows",
        "n",
        "kind_of_weight",
        "weight_scale",
        "labels",
        "warnings",
    ):
        assert getattr(again, name) == getattr(a, name), name
    assert (again.received, again.sampling.repeats, again.estimation) == (
        a.received,
        ("id", 15),
        a.estimation,
    )
    assert again.received.dropped == 1
    thresholds = ca.assess(Y, P, threshold=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    thresholds.save(tmp_path / "t.classay")
    assert ca.load(tmp_path / "t.classay").task.cutoffs == (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    ca.assess(Y, P, top=2).save(tmp_path / "k.classay")
    assert (ca.load(tmp_path / "k.classay").task.top, ca.load(tmp_path / "k.classay").task.cutoffs) == (
        2,
        None,
    )
