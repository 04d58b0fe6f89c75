"""Scores of several classes in bins: what adds up, what is certain, what is no longer to be had, and says so."""

import numpy as np
import pyarrow as pa
import pytest

import classay as ca
from classay.errors import InputError, MergeError
from classay.in_parts import fragments, scanning
from classay.measures import macro_roc_auc, weighted_roc_auc
from classay.tables import ClassScoreTable
from classay.tables.bins import BinnedClassScoreTable

LABELS = ("a", "b", "c", "d")
AUCS = ("macro_roc_auc", "weighted_roc_auc")


def rows(kind="clear", n=1200, seed=0):
    """Scores `(n, 4)` and the codes of their classes, of populations that nobody chose to flatter bins."""
    rng = np.random.default_rng(seed)
    shares = [0.9, 0.06, 0.03, 0.01] if kind == "rare" else [0.25] * 4
    true = np.concatenate([np.arange(4), rng.choice(4, n - 4, p=shares)])
    drawn = rng.normal(size=(n, 4))
    drawn[np.arange(n), true] += {"clear": 3, "chance": 0, "turned": -1}.get(kind, 1)
    scores = np.exp(drawn * (20 if kind == "saturated" else 2))
    scores /= scores.sum(1, keepdims=True)
    return (np.round(scores, 1) if kind == "tied" else scores), true


KINDS = ("clear", "chance", "turned", "rare", "saturated", "tied")


@pytest.mark.parametrize("bits", [1, 4, 10])
@pytest.mark.parametrize("kind", KINDS)
def test_the_exact_means_lie_within_what_is_certain_of_them(kind, bits):
    scores, true = rows(kind)
    exact = ca.assess(true, scores, labels=range(4))
    frame = pa.table({"y": true} | {f"c{k}": scores[:, k] for k in range(4)})
    named = {k: f"c{k}" for k in range(4)}
    found = ca.scan(frame, truth="y", score=named, bits=bits)
    for name in AUCS:
        value, binned = exact[name], found[name]
        low, high = binned.certain
        assert low <= value.value <= high
        assert binned.low <= value.low + 1e-12  # wider by what is open, and by a bound of what goes together
        assert binned.high >= value.high - 1e-12
    for name in ("log_loss", "multiclass_brier_score", "accuracy", "top_2_accuracy"):
        assert (found[name].value, found[name].low) == (exact[name].value, exact[name].low) or kind == "tied"
    for label in range(4):
        one, other = found.class_estimates()[label]["roc_auc"], exact.class_estimates()[label]["roc_auc"]
        assert one.certain[0] <= other.value <= one.certain[1]


@pytest.mark.parametrize("weights", [{}, {"weight": True}, {"frequency": True}])
def test_parts_add_up_to_the_bins_of_all_rows(weights):
    scores, true = rows()
    rng = np.random.default_rng(1)
    given = {name: rng.integers(1, 5, true.size) * (1.0 if name == "weight" else 1) for name in weights}

    def of(at, bits=5):
        own = {name: each[at] for name, each in given.items()}
        return BinnedClassScoreTable.from_rows(scores[at], true[at], LABELS, bits=bits, **own)

    whole, shuffled = of(slice(None)), rng.permutation(true.size)
    parts = of(shuffled[:100]) + (of(shuffled[100:700], bits=8) + of(shuffled[700:])).coarser(5)
    exact = ClassScoreTable.from_rows(scores, true, LABELS, **given)
    for other in (parts, BinnedClassScoreTable.of_table(exact, 5), of(slice(None), bits=9).coarser(5)):
        for a, b in zip(whole.bins, other.bins, strict=True):
            for name in ("keys", "least", "most"):
                np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
            np.testing.assert_allclose(a.cases, b.cases, rtol=1e-12)
            # where cases lie within a bin is known to 2^-26 of the bin, and of a finer bin to as much of that
            np.testing.assert_allclose(a.within, b.within, atol=4 * a.cases.max())
    assert macro_roc_auc(exact + whole) == macro_roc_auc(whole + exact)
    np.testing.assert_array_equal(whole.class_totals, exact.class_totals)
    with pytest.raises(MergeError, match="Declare labels="):
        whole + BinnedClassScoreTable.from_rows(scores, true, tuple("wxyz"), bits=5)


def test_bins_of_one_score_each_are_the_exact_table():
    scores, true = rows("tied")
    exact = ClassScoreTable.from_rows(scores, true, LABELS)
    binned = BinnedClassScoreTable.of_table(exact, 20)
    for measure in (macro_roc_auc, weighted_roc_auc):
        assert measure(binned) == pytest.approx(measure(exact), abs=1e-14)


def wide(n=3000, k=30):
    rng = np.random.default_rng(3)
    true = rng.integers(0, k, n)
    drawn = rng.normal(size=(n, k))
    drawn[np.arange(n), true] += 2
    scores = np.exp(drawn)
    scores /= scores.sum(1, keepdims=True)
    named = {label: f"c{label}" for label in range(k)}
    return pa.table({"y": true} | {f"c{i}": scores[:, i] for i in range(k)}), named


def test_scores_that_outgrow_memory_go_on_in_bins_that_fit(monkeypatch):
    monkeypatch.setattr(fragments, "ROWS", 300)
    monkeypatch.setattr(scanning, "LEAST", 2**20)
    frame, named = wide()
    exact, found = (ca.scan(frame, truth="y", score=named, memory=each) for each in (2**30, 2**20))
    assert isinstance(found.class_scores, BinnedClassScoreTable)
    assert scanning.bytes_of(found.class_scores) * scanning.COPIES <= 2**20
    assert found.class_scores.bits < 10
    for name in AUCS:
        low, high = found[name].certain
        assert low <= exact[name].value <= high
    np.testing.assert_array_equal(found.confusion_matrix.counts, exact.confusion_matrix.counts)
    assert found["log_loss"] == exact["log_loss"]
    assert "exact mean one-vs-rest AUC is within" in " ".join(str(found).split())


@pytest.mark.parametrize("weights", ["none", "frequency", "weight"])
def test_a_rare_class_has_as_few_degrees_of_freedom_as_cases(weights):
    """However many cases the others have: the interval in bins is no narrower than that of the exact scores."""
    for seed in range(4):
        scores, true = rows(n=3000, seed=seed)
        rare = np.flatnonzero(true == 3)[3:]
        true[rare] = 0
        rng = np.random.default_rng(seed)
        given = {"frequency": rng.integers(1, 3, true.size), "weight": rng.uniform(0.5, 2, true.size)}
        own = {name: each for name, each in given.items() if name == weights}
        frame = pa.table({"y": true} | {f"c{k}": scores[:, k] for k in range(4)} | own)
        named = {k: f"c{k}" for k in range(4)}
        found = ca.scan(frame, truth="y", score=named, bits=12, **{name: name for name in own})
        exact = ca.assess(true, scores, labels=range(4), **own)
        for name in AUCS:
            assert found[name].low <= exact[name].low + 1e-9
            assert found[name].high >= exact[name].high - 1e-9


def test_more_cases_than_bins_add_up_are_refused():
    """Beyond 2^36 the sums of losses beside bins overflow: 40 rows of 10^11 had a log-loss of 0.017 instead of 0.48."""
    scores, true = rows(n=40)
    score, y = scores[:, 0], (true == 0).astype(int)
    frame = pa.table({"y": y, "p": score, "half": np.full(40, 2**36 // 80), "f": np.full(40, 10**11)})
    held = ca.scan(frame, truth="y", score="p", frequency="half", bits=4)
    exact = ca.assess(y, score, frequency=np.full(40, 2**36 // 80))
    for name in ("log_loss", "brier_score"):
        assert held[name].value == pytest.approx(exact[name].value, rel=1e-12)
    assert (held + held).n == 2 * held.n
    for refused in (
        lambda: held + held + held,
        lambda: ca.scan(frame, truth="y", score="p", frequency="f", bits=4),
    ):
        with pytest.raises(InputError, match="at most 68,719,476,736 cases"):
            refused()
    many = ca.scan(frame, truth="y", score="p", frequency="f")
    assert many["log_loss"].value == pytest.approx(ca.assess(y, score)["log_loss"].value, rel=1e-9)


def test_what_bins_cannot_give_is_left_out_and_explained_to_who_asks():
    frame, named = wide(400, 4)
    found = ca.scan(frame, truth="y", score=named, bits=6)
    assert "hand_till_auc" not in {measure.name for measure in found.applicable()}
    for name in (
        "hand_till_auc",
        "weighted_one_vs_one_roc_auc",
        "classwise_calibration_error",
        "label_ranking_loss",
    ):
        if name in ca.measures.MEASURES:
            assert "take more memory" in found[name].reason


def test_they_are_saved_and_come_back(tmp_path):
    frame, named = wide(400, 4)
    weight = pa.array(np.random.default_rng(0).uniform(0.5, 2, 400))
    for more in ({}, {"weight": "w"}):
        found = ca.scan(frame.append_column("w", weight), truth="y", score=named, bits=6, **more)
        found.save(tmp_path / "a.classay")
        again = ca.load(tmp_path / "a.classay")
        assert again.to_dict() == found.to_dict()
        again.save(tmp_path / "b.classay")
        assert (tmp_path / "a.classay").read_bytes() == (tmp_path / "b.classay").read_bytes()
        assert (again + found).n == 2 * found.n


def test_the_classes_of_a_file_belong_together():
    """A file whose classes were exchanged, or of which one is missing, is refused, whatever its checksums say."""
    from classay.assessment.restoring import agree
    from classay.files.archives import Damaged

    frame, named = wide(400, 4)
    found = ca.scan(frame, truth="y", score=named, bits=6)
    bins = found.class_scores.bins
    assert len({int(each.cases[1].sum()) for each in bins}) > 1
    for wrong in ((*bins[1:], bins[0]), (bins[0],) * 4):
        made = BinnedClassScoreTable(found.labels, wrong)
        with pytest.raises(Damaged, match="the scores of a class and the cases disagree"):
            agree(found.changed(class_scores=made))


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("n", [60, 600])
def test_bins_make_a_mean_auc_less_sure_and_not_much_less(n, weights):
    """What a case adds through the scores of other classes is bounded: by half as much again at most."""
    rng = np.random.default_rng(n)
    y = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    hit = np.where(rng.random(n) < 0.5, y, rng.integers(0, 3, n))
    scores = 0.5 * rng.dirichlet([1, 1, 1], n) + 0.5 * np.eye(3)[hit]
    rows = pa.table({"y": np.array(list("abc"))[y], **{f"p{k}": scores[:, k] for k in range(3)}})
    given = {"truth": "y", "score": {"a": "p0", "b": "p1", "c": "p2"}}
    if weights:
        rows, given = rows.append_column("w", pa.array(rng.gamma(3, size=n))), given | {"weight": "w"}
    exact, binned = ca.assess(rows, **given), ca.scan(rows, bits=14, **given)
    for name in ("macro_roc_auc", "weighted_roc_auc"):
        wider = (binned[name].high - binned[name].low) / (exact[name].high - exact[name].low)
        assert "bounded" in binned[name].method
        assert 1 <= wider < 1.5, name
