"""Several labels a case: values, intervals, laws, and what is refused."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from jsonschema import Draft202012Validator
from sklearn import metrics as sk

import classay as ca
from classay.compiled import compiled_at_once
from classay.inference.labels.shares import shared_quantile
from classay.measures import get
from classay.multilabel import tag_labels as of_labels
from classay.multilabel.long_tags import AbsentPairsWarning
from classay.multilabel.results import _called
from classay.multilabel.tag_labels import TagSpread, _share_slopes, _slopes, tag_design
from classay.multilabel.tag_measures import of_tags
from classay.multilabel.tag_ranking import tag_ranking
from classay.multilabel.tag_ranks import Covariances, _effective
from command import as_json
from forged import forge
from samples import ORACLES, tag_rows

TG = json.loads((ORACLES / "tags.json").read_text())
Y, S = (np.array(TG["data"][each]) for each in "YS")
A = ca.assess(Y, S, labels=list("abcd"))
NAMES = {
    "micro_auc": "micro_roc_auc",
    "macro_auc": "macro_roc_auc",
    "micro_ap": "micro_average_precision",
    "macro_ap": "macro_average_precision",
}


def close(a, b, tolerance=1e-9):
    return b == pytest.approx(a, rel=tolerance, abs=tolerance, nan_ok=True)


def same(a, b, tolerance=1e-9):
    """Whether two assessments have the same measures with the same intervals."""
    mine, other = a.estimates(), b.estimates()
    assert {*mine} == {*other}
    for name, one in mine.items():
        two = other[name]
        assert close([one.value, one.low, one.high], [two.value, two.low, two.high], tolerance), name
        assert one.method == two.method, name
    return True


# -- published values -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TG["measures"])
def test_values_of_the_oracle(name):
    assert close(A[NAMES.get(name, name)].value, TG["measures"][name]["value"])


CASES = {
    "coverage": "coverage_error",
    "rankloss_half": "ranking_loss",
    "lrap": "label_ranking_average_precision",
    "one_error": "one_error",
    "p_at_k": "precision_at(2)",
    "r_at_k": "recall_at(2)",
    "ndcg_k": "ndcg_at(2)",
    "ndcg": "ndcg_at(4)",
}


@pytest.mark.parametrize("name", CASES)
def test_values_of_cases(name):
    """Sparse scores, of which absent ones are 0, give the same as all of them."""
    wanted = [np.nan if each is None else each for each in TG["percase"][name]["values"]]
    by_case = {tuple(row): value for row, value in zip(S.tolist(), wanted, strict=True)}
    for a in (A, ca.assess(Y, sp.csr_array(S), threshold=0.5)):
        table = a.task.tag_scores
        scores = table.scores.toarray() if table.is_sparse else table.scores
        found = get(CASES[name]).of_cases(table)
        assert close(found.tolist(), [by_case[tuple(row)] for row in scores.tolist()])
        assert close(a[CASES[name]].value, TG["percase"][name]["mean_defined"])


@pytest.mark.parametrize("name", ["macro_f1", "macro_recall", "macro_jaccard", "weighted_f1"])
def test_spread_of_averages(name):
    table, measure = A.task.tags, of_tags(get(name))
    spread = TagSpread(table, _slopes(measure, table, float(measure(table))), tag_design(table))
    assert close(spread.of_sum() ** 0.5, TG["measures"][name]["se"] * np.sqrt(10 / 9))


def test_influences_on_areas():
    rows = {tuple(row): i for i, row in enumerate(S.tolist())}
    for a in (A, ca.assess(Y, sp.csr_array(S), threshold=0.5)):
        table = a.task.tag_scores
        scores = table.scores.toarray() if table.is_sparse else table.scores
        order = [rows[tuple(row)] for row in scores.tolist()]
        found = tag_ranking(table)
        for name, each in (
            ("micro_auc", found.micro.of_auc),
            ("micro_ap", found.micro.of_ap),
            ("macro_auc", found.of_mean(np.full(4, 0.25))),
            ("macro_ap", found.of_aps),
        ):
            assert close(each.tolist(), [TG["measures"][name]["influence"][i] for i in order])
        plus = table.truth.sum(0)
        delong = Covariances(found, table, tag_design(table)).delong(plus, 10 - plus)
        assert close(delong.tolist(), TG["intervals"]["moderated_auc"]["delong"])


@pytest.mark.parametrize("absent", [0.0, 1.0])
def test_many_tags_are_looked_at_in_blocks(monkeypatch, absent):
    table, slopes, vectors = A.task.tags, np.arange(16.0).reshape(4, 4), np.arange(8.0).reshape(4, 2)
    slopes[3] *= absent

    def found():
        spread = TagSpread(table, slopes, tag_design(table))
        return spread, [
            *spread.variances,
            *(spread.together @ vectors).ravel(),
            *(spread.together @ vectors[:, 0]),
        ]

    spread, at_once = found()
    whole = spread.rows(0, 4)
    monkeypatch.setattr(of_labels, "BLOCK", 3)
    spread, in_blocks = found()
    assert close(in_blocks, at_once)
    assert close(spread.of_sum(), whole.sum())
    with compiled_at_once():
        assert close(found()[1], at_once)


def test_shared_wilson_with_correlations():
    table, wanted = A.task.tags, TG["intervals"]["shared_f1"]
    hits, cases, slopes = _share_slopes("jaccard", table.counts)
    together = TagSpread(table, slopes, tag_design(table)).together
    assert close((together @ np.eye(4)[1]).tolist(), wanted["R"][1])
    found = shared_quantile(hits, cases, 1.959963984540054, get("f1").share_of.to, together, np.full(4, 0.25))
    assert close(list(found), [wanted["low"], wanted["high"]])


# -- other programs and brute force -----------------------------------------------------------------

RNG = np.random.default_rng(0)
TRUTH, SCORES = tag_rows(RNG, 80, 5)
CALLED = (SCORES >= 0.5).astype(int)
FULL = (TRUTH.sum(1) > 0) & (TRUTH.sum(1) < 5) & (CALLED.sum(1) > 0)
SKLEARN = {
    "exact_match": lambda y, c, s: sk.accuracy_score(y, c),
    "hamming_loss": lambda y, c, s: sk.hamming_loss(y, c),
    "coverage_error": lambda y, c, s: sk.coverage_error(y, s),
    "ranking_loss": lambda y, c, s: sk.label_ranking_loss(y, s),
    "label_ranking_average_precision": lambda y, c, s: sk.label_ranking_average_precision_score(y, s),
    "ndcg_at(3)": lambda y, c, s: sk.ndcg_score(y, s, k=3),
    **{
        f"{kind}_{name}": lambda y, c, s, of=of, kind=kind: of(y, c, average=kind)
        for kind in ("micro", "macro", "weighted", "samples")
        for name, of in (
            ("precision", sk.precision_score),
            ("recall", sk.recall_score),
            ("f1", sk.f1_score),
            ("jaccard", sk.jaccard_score),
        )
    },
    **{
        f"{kind}_{name}": lambda y, c, s, of=of, kind=kind: of(y, s, average=kind)
        for kind in ("micro", "macro")
        for name, of in (("roc_auc", sk.roc_auc_score), ("average_precision", sk.average_precision_score))
    },
    "weighted_roc_auc": lambda y, c, s: sk.roc_auc_score(y, s, average="weighted"),
}  # fmt: skip


@pytest.mark.parametrize("name", SKLEARN)
@pytest.mark.parametrize("weighted", [False, True])
def test_values_of_scikit_learn(name, weighted):
    """On cases that have every value; where a case lacks one, scikit-learn counts it as best or worst."""
    y, c, s = TRUTH[FULL], CALLED[FULL], SCORES[FULL]
    weight = RNG.uniform(0.5, 2, len(y)) if weighted else None
    if weighted:
        repeats = np.random.default_rng(1).integers(1, 4, len(y))
        y, c, s, weight = y.repeat(repeats, 0), c.repeat(repeats, 0), s.repeat(repeats, 0), None
        a = ca.assess(TRUTH[FULL], SCORES[FULL], frequency=repeats)
    else:
        a = ca.assess(y, s, weight=weight)
    assert close(a[name].value, SKLEARN[name](y, c, s))


def test_where_scikit_learn_counts_undefined_cases():
    """Cases without a value are left out and told; scikit-learn takes them for 0 or 1."""
    for name, mine, theirs in (
        ("samples_f1", 0.9, "samples_f1"),
        ("coverage_error", 0.9, "coverage_error"),
        ("ndcg_at(2)", 0.9, "ndcg2"),
    ):
        assert close(A[name].value * mine, TG["sklearn"][theirs])
    assert close(A["label_ranking_average_precision"].value * 0.9 + 0.1, TG["sklearn"]["lrap"])
    assert "1 case without a true tag" in A.to_dict()["left_out"]


def test_small_cases_by_brute_force():
    """Every truth and call of three cases with two tags: what the definitions give, or nothing."""
    every = [np.array(each).reshape(3, 2) for each in product((0, 1), repeat=6)]
    for y in every[::11]:
        for c in every[::9]:
            a = ca.assess(y, y_pred=c)
            tp, fp, fn = (y & c), (c & ~y & 1), (y & ~c & 1)
            of_cases = [
                2 * t.sum() / n if (n := 2 * t.sum() + p.sum() + m.sum()) else None
                for t, p, m in zip(tp, fp, fn, strict=True)
            ]
            known = [each for each in of_cases if each is not None]
            assert close(a["samples_f1"].value, np.mean(known) if known else np.nan)
            assert a["samples_f1"].is_undefined == (not known)
            assert close(a["exact_match"].value, (y == c).all(1).mean())
            assert close(a["hamming_loss"].value, (y != c).mean())
            of_tags_ = [
                2 * t.sum() / n if (n := 2 * t.sum() + p.sum() + m.sum()) else np.nan
                for t, p, m in zip(tp.T, fp.T, fn.T, strict=True)
            ]
            assert close(a["macro_f1"].value, np.mean(of_tags_))
            for found in a.estimates(
                ("samples_f1", "exact_match", "hamming_loss", "macro_f1", "micro_f1")
            ).values():
                assert found.is_undefined or not found.has_interval or found.low <= found.value <= found.high


# -- laws -------------------------------------------------------------------------------------------


def test_tags_in_any_order():
    order = [2, 0, 4, 1, 3]
    names = list("vwxyz")
    assert same(
        ca.assess(TRUTH, SCORES, labels=names),
        ca.assess(TRUTH[:, order], SCORES[:, order], labels=[names[i] for i in order]),
    )


DRAWN = {
    "alike": {},
    "weighted": {"weight": RNG.uniform(0.5, 2, 80)},
    "frequency": {"frequency": RNG.integers(1, 4, 80)},
    "clustered": {"cluster": RNG.integers(0, 25, 80)},
    "both": {"cluster": RNG.integers(0, 25, 80), "weight": RNG.uniform(0.5, 2, 80)},
}


def given(kind, rows=slice(None)):
    return {name: each[rows] for name, each in DRAWN[kind].items()}


@pytest.mark.covering(1)
@pytest.mark.parametrize("kind", DRAWN)
@pytest.mark.parametrize("what", ["scores", "sparse", "labels"])
def test_parts_are_the_whole(kind, what, tmp_path):
    """Added, in either order, saved and loaded."""

    def made(rows=slice(None)):
        drawn = given(kind, rows)
        if what == "labels":
            return ca.assess(TRUTH[rows], y_pred=CALLED[rows], **drawn)
        scores = sp.csr_array(np.where(SCORES > 0.3, SCORES, 0)) if what == "sparse" else SCORES
        return ca.assess(TRUTH[rows], scores[rows], threshold=0.5, **drawn)

    whole, parts = made(), [made(slice(0, 30)), made(slice(30, 80))]
    if kind not in ("weighted", "both"):  # whose scale is that of the part
        assert same(whole, parts[0] + parts[1])
        assert same(parts[1] + parts[0], parts[0] + parts[1], 1e-12)
    whole.save(tmp_path / "a.classay")
    loaded = ca.load(tmp_path / "a.classay")
    assert repr(loaded.estimates()) == repr(whole.estimates())
    assert repr(loaded.tag(2)["f1"]) == repr(whole.tag(2)["f1"])
    assert sum([loaded])["micro_f1"] == whole["micro_f1"]


def test_one_tag_is_two_classes():
    a, b = (
        ca.assess(sp.csr_array(TRUTH[:, :1]), SCORES[:, :1], labels=["x"]),
        ca.assess(TRUTH[:, 0], SCORES[:, 0]),
    )
    for name in ("precision", "recall", "f1", "jaccard", "specificity"):
        for kind in ("macro", "micro", "weighted"):
            if f"{kind}_{name}" in a.estimates():
                assert close(a[f"{kind}_{name}"].value, b[name].value)
    assert close(a["macro_roc_auc"].value, b["roc_auc"].value)
    assert close(a["micro_average_precision"].value, b["average_precision"].value)
    assert close(1 - a["hamming_loss"].value, b["accuracy"].value)
    mine, other = a.tag("x").estimates(), b.estimates()
    assert all(
        close([each.low, each.high], [other[name].low, other[name].high]) for name, each in mine.items()
    )


@pytest.mark.parametrize("kind", DRAWN)
def test_a_tag_alone_is_an_ordinary_assessment(kind):
    a = ca.assess(TRUTH, SCORES, labels=list("vwxyz"), **DRAWN[kind])
    b = ca.assess(TRUTH[:, 3], SCORES[:, 3], **DRAWN[kind])
    mine, other = a.tag("y").estimates(), b.estimates()
    for name, each in mine.items():
        assert close(
            [each.value, each.low, each.high], [other[name].value, other[name].low, other[name].high]
        ), name
    labels = ca.assess(TRUTH, y_pred=CALLED, labels=list("vwxyz"), **DRAWN[kind]).tag("y")
    assert close(labels["recall"].low, b["recall"].low)
    assert a["recall[y]"] == a.tag("y")["recall"]


def test_one_tag_a_case_is_several_classes():
    """Where definitions meet: exact match is accuracy, averages are those over classes, of areas too."""
    truth, called = RNG.integers(0, 3, 60), RNG.integers(0, 3, 60)
    scores = RNG.dirichlet(np.ones(3), 60)
    one, other = ca.assess(np.eye(3, dtype=int)[truth], scores, task="tags"), ca.assess(truth, scores)
    for name in ("micro_roc_auc", "micro_average_precision", "macro_average_precision", "macro_roc_auc"):
        assert close(one[name].value, other[name].value)
        # the classes have a correction n / (n - 1) each
        assert close([one[name].low, one[name].high], [other[name].low, other[name].high], 0.02)
    a = ca.assess(np.eye(3, dtype=int)[truth], y_pred=np.eye(3, dtype=int)[called])
    b = ca.assess(truth, y_pred=called)
    assert a["exact_match"] == b["accuracy"]
    for name in (
        "macro_f1",
        "macro_precision",
        "weighted_recall",
        "micro_f1",
        "macro_specificity",
        "macro_jaccard",
        "micro_jaccard",
    ):
        assert close(a[name].value, b[name].value)


def test_duplicated_cases_are_frequencies_and_clusters():
    twice = ca.assess(np.repeat(TRUTH, 2, 0), np.repeat(SCORES, 2, 0), cluster=np.repeat(np.arange(80), 2))
    once = ca.assess(TRUTH, SCORES, cluster=np.arange(80))
    for name in (
        "micro_f1",
        "macro_f1",
        "micro_roc_auc",
        "macro_roc_auc",
        "samples_f1",
        "one_error",
        "weighted_f1",
    ):
        assert close(twice[name].value, once[name].value)
        if name not in ("macro_roc_auc",):  # whose model counts cases
            assert close(twice[name].low, once[name].low, 0.02), name


def test_every_way_in_is_the_same():
    names = list("vwxyz")
    lists = [[name for name, mark in zip(names, row, strict=True) if mark] for row in TRUTH]
    texts = ["|".join(each) for each in lists]
    called = [{name for name, mark in zip(names, row, strict=True) if mark} for row in CALLED]
    a = ca.assess(TRUTH, y_pred=CALLED, labels=names)
    frame = {name: TRUTH[:, i] for i, name in enumerate(names)}
    predicted = {name: CALLED[:, i] for i, name in reversed([*enumerate(names)])}
    wide = {f"y_{n}": TRUTH[:, i] for i, n in enumerate(names)} | {
        f"c_{n}": CALLED[:, i] for i, n in enumerate(names)
    }
    for b in (
        ca.assess(lists, y_pred=called),
        ca.assess(frame, y_pred=predicted),
        ca.assess(frame, y_pred=CALLED),
        ca.assess(sp.csr_matrix(TRUTH), y_pred=sp.csr_matrix(CALLED), labels=names),
        ca.assess(texts, y_pred=["|".join(sorted(each)) for each in called], separator="|"),
        ca.assess(wide, truth="y_*", prediction="c_*"),
        ca.assess(wide, truth=[f"y_{n}" for n in names], prediction=[f"c_{n}" for n in names], labels=names),
        ca.assess(
            {"y": texts, "c": ["|".join(each) for each in called]}, truth="y", prediction="c", separator="|"
        ),
    ):
        assert same(a, b)
        assert b.tags == tuple(names)


@pytest.mark.parametrize("kind", DRAWN)
def test_rows_of_a_case_and_a_tag(kind):
    """In any order; a pair without a row is not true and scores 0."""
    order = RNG.permutation(400)
    case, tag = (each[order] for each in np.divmod(np.arange(400), 5))
    drawn = {name: each[case] for name, each in DRAWN[kind].items()}
    rows = {"case": case, "tag": np.array(list("vwxyz"))[tag]} | drawn
    whole = ca.assess(TRUTH[case, tag], SCORES[case, tag], **rows)
    assert same(whole, ca.assess(TRUTH, SCORES, labels=list("vwxyz"), **DRAWN[kind]))
    there = (SCORES[case, tag] > 0.3) | (tag == 0)
    some = {name: each[there] for name, each in rows.items()}
    scores, truth = (np.where((SCORES > 0.3) | (np.arange(5) == 0), each, 0) for each in (SCORES, TRUTH))
    with pytest.warns(
        AbsentPairsWarning, match=f"{(~there).sum()} of 400 pairs of a case and a tag have no row"
    ):
        a = ca.assess(truth[case, tag][there], scores[case, tag][there], threshold=0.4, **some)
    assert same(a, ca.assess(truth, sp.csr_array(scores), threshold=0.4, labels=list("vwxyz"), **DRAWN[kind]))


def test_thresholds():
    names = list("vwxyz")
    each = [0.2, 0.4, 0.5, 0.6, 0.8]
    a = ca.assess(TRUTH, SCORES, labels=names, threshold=each)
    b = ca.assess(TRUTH, y_pred=(np.array(each) <= SCORES).astype(int), labels=names)
    assert a["micro_f1"] == b["micro_f1"]
    assert (
        a["macro_f1"]
        == ca.assess(TRUTH, SCORES, labels=names).at(dict(zip(names, each, strict=True)))["macro_f1"]
    )
    top = ca.assess(TRUTH, SCORES, labels=names, top=2)
    assert close(top["samples_precision"].value, ca.assess(TRUTH, SCORES)["precision_at(2)"].value)
    assert a.tag("z").cutoff == 0.8


def test_tags_never_seen_are_told():
    a = ca.assess(np.c_[TRUTH, 0 * TRUTH[:, 0]], np.c_[SCORES, SCORES[:, 0]], labels=list("uvwxyz"))
    for name in ("macro_recall", "macro_roc_auc", "macro_average_precision"):
        assert a[name].is_undefined
    assert "never true: 'z'" in a["macro_recall"].reason
    assert "never true: 'z'" in a["macro_roc_auc"].reason
    assert a.never_true == ("z",)
    assert not a["weighted_recall"].is_undefined
    assert not a["micro_roc_auc"].is_undefined
    assert a["recall[z]"].is_undefined
    assert any(each["code"] == "never_true" for each in a.to_dict()["warnings"])


def test_which_tags_are_wrong_together():
    a = ca.assess([{"cat"}, {"cat"}, {"dog"}], y_pred=[{"dog"}, {"dog"}, {"dog"}])
    (found,) = a.wrong_together()
    assert (found.missed, found.called, found.cases, found.share) == ("cat", "dog", 2.0, 1.0)


def test_uncertainty_is_that_of_cases():
    """Tags of a case that vary together leave an interval wider than as many independent tags would."""
    rng = np.random.default_rng(3)
    right = rng.random(200) < 0.8
    truth = np.ones((200, 10), int)
    truth[:, 5:] = 0
    called = np.where(right[:, None], truth, 1 - truth)
    found = ca.assess(truth, y_pred=called)["hamming_loss"]
    alone = ca.assess(right.astype(int), y_pred=np.ones(200, int))["error_rate"]
    assert found.high - found.low == pytest.approx(alone.high - alone.low, rel=0.06)  # one case all incorrect


# -- what is refused --------------------------------------------------------------------------------

REFUSED = {
    "truth of tag 0 is 2.0 at index 0, but a tag must be 0 or 1 (False or": lambda: (
        ca.assess(np.array([[2, 0], [0, 1]]), S[:2, :2])
    ),
    "truth of tag 0 is missing at index 1": lambda: ca.assess(np.array([[1, 0.0], [np.nan, 1]]), S[:2, :2]),
    "score is missing for 1 pair of case and tag": lambda: ca.assess(Y[:2, :2], np.array([[0.1, np.nan], [0.2, 0.3]])),
    "Pass rows of equal length, or sets if 0 and 1 are labels": lambda: (
        ca.assess([[1, 0], [1]], y_pred=[[1, 0], [1, 0]])
    ),
    "truth has tag 'a' twice at index 0": lambda: ca.assess([["a", "a"], []], y_pred=[["a"], []]),
    "Declared tags: 'a', 'b'": lambda: ca.assess([{"a"}, {"z"}], y_pred=[{"a"}, set()], labels=["a", "b"]),
    "Remove the duplicate": lambda: ca.assess(Y, S, labels=["a", "a", "b", "c"]),
    "score has 3 columns for 4 tags": lambda: ca.assess(Y, S[:, :3]),
    "has no column 'b'": lambda: ca.assess({"a": [1, 0], "b": [0, 1]}, {"a": [0.1, 0.2], "c": [0.3, 0.4]}),
    "truth has 10 rows, but score has 9": lambda: ca.assess(Y, S[:9]),
    "Remove it": lambda: ca.assess(Y, S, positive=1),
    "Use macro_recall, micro_recall, weighted_recall, samples_recall or": lambda: A["recall"],
    "exact_match, hamming_loss": lambda: A["accuracy"],
    "exact_match needs multilabel cases, but these have one label each": lambda: (
        ca.assess([0, 1, 1], [0.1, 0.2, 0.3])["exact_match"]
    ),
    "Use .tag('a') first": lambda: A.roc,
    "Labels: 'a', 'b', 'c', 'd'": lambda: A.tag("z"),
    "cannot be added": lambda: A + ca.assess([0, 1], [0.1, 0.2]),
    "The assessments have different settings: threshold is 0.5 and 0.3": lambda: (
        A + ca.assess(Y, S, labels=list("abcd"), threshold=0.3)
    ),
    "number of tags from 1 to 4": lambda: ca.assess(Y, S, top=5),
    "Pass one number for each tag": lambda: ca.assess(Y, S, threshold=[0.1, 0.2]),
    "Threshold 0 would predict every tag without a score": lambda: ca.assess(Y, sp.csr_array(S), threshold=0),
    "has tag 'x' twice": lambda: ca.assess([1, 0], [0.1, 0.2], case=["a", "a"], tag=["x", "x"]),
    "need both": lambda: ca.assess([1, 0], [0.1, 0.2], case=["a", "b"]),
    "weight differs between the rows of one case": lambda: (
        ca.assess([1, 0], [0.1, 0.2], case=[1, 1], tag=["x", "y"], weight=[1, 2])
    ),
    "truth is 2 at index 1, but a tag must be 0 or 1 (False or True)": lambda: (
        ca.assess([1, 2], [0.1, 0.2], case=[1, 1], tag=["x", "y"])
    ),
    "Declared tags: 'y'": lambda: ca.assess([1], [0.1], case=[1], tag=["x"], labels=["y"]),
    "case has 2 rows, but truth has 1": lambda: ca.assess([1], [0.1, 0.2], case=[1, 1], tag=["x", "y"]),
    "There are no tags: truth has no column, or no case has a label": lambda: (
        ca.assess([set(), set()], y_pred=[set(), set()])
    ),
}  # fmt: skip


@pytest.mark.parametrize("words", REFUSED)
def test_refused_in_one_line(words):
    with pytest.raises(ca.ClassayError) as raised:
        REFUSED[words]()
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


OTHER_SETTINGS = {
    "level": ca.assess(Y, S, labels=list("abcd"), level=0.9),
    "seed": ca.assess(Y, S, labels=list("abcd"), seed=1),
    "kind of weight": ca.assess(Y, S, labels=list("abcd"), weight=np.linspace(1, 2, 10)),
    "limit": A.changed(limit=10),
}


@pytest.mark.parametrize("what", OTHER_SETTINGS)
def test_assessments_with_other_settings_are_not_added(what):
    other = OTHER_SETTINGS[what]
    for one, two in ((A, other), (other, A)):
        with pytest.raises(ca.MergeError, match="Use the same setting") as raised:
            one + two
        assert f"different settings: {what} is" in str(raised.value)


@pytest.mark.parametrize("kind", DRAWN)
def test_shown_in_every_form(kind, tmp_path):
    a = ca.assess(TRUTH, SCORES, labels=list("vwxyz"), **DRAWN[kind])
    for made in (str(a), a.to_markdown(), a.to_latex(), a.methods_text(), a._repr_html_()):
        assert "micro" in made
    a.report(tmp_path / "a.html")
    assert "Tags, lowest F1 first" in (tmp_path / "a.html").read_text()
    assert a.frame("micro_f1")["value"].to_pylist() == [a["micro_f1"].value]
    assert json.dumps(a.to_dict())


SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "tags.schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("top", [0, -1, 1.5, "2"])
def test_a_file_of_no_called_tags_is_refused(top, tmp_path):
    path = tmp_path / "a.classay"
    ca.assess(TRUTH, SCORES, top=2).save(path)
    forge(path, top=1)
    assert ca.load(path).task.top == 1
    forge(path, top=top)
    with pytest.raises(ca.FileError, match="top"):
        ca.load(path)


@pytest.mark.parametrize("number", [5, 6, 7])
def test_six_thresholds_are_listed_and_more_are_said_to_be_left_out(number):
    truth, scores = np.eye(number, dtype=int), np.full((number, number), 0.4)
    ((_, said),) = _called(ca.assess(truth, scores, threshold=np.linspace(0.1, 0.9, number)))
    assert (said.count(": "), said.endswith(" …")) == (min(number, 6), number > 6)


@pytest.mark.parametrize(
    "how", [{}, {"top": 2}, {"threshold": [0.2, 0.4, 0.5, 0.6, 0.8]}, {"weight": DRAWN["weighted"]["weight"]}]
)
def test_the_json_keeps_the_contract(how):
    Draft202012Validator.check_schema(SCHEMA)
    found = as_json(ca.assess(TRUTH, SCORES, **how))
    assert not list(Draft202012Validator(SCHEMA).iter_errors(found))


def test_at_an_end_only_the_cases_that_a_measure_is_about_count():
    truth = np.zeros((400, 3), int)
    truth[[0, 1, 2], [0, 1, 2]] = 1
    scores = truth * 0.6 + np.linspace(0, 0.3, 1200).reshape(400, 3)
    own = {"weight": np.linspace(1, 2, 400)}, {"cluster": np.arange(400)}, {"frequency": np.ones(400, int)}
    for how in ({}, *own):
        for a in (ca.assess(truth, y_pred=truth, **how), ca.assess(truth, scores, threshold=0.5, **how)):
            for name in a.estimates():
                if name.startswith(
                    ("micro", "macro_roc", "macro_average", "weighted_rec", "weighted_false_neg")
                ):
                    assert a[name].high - a[name].low > 0.5, name  # Wilson's of three of three reaches 0.439
    # many cases of one tag tell nothing of another
    truth = np.zeros((400, 2), int)
    truth[:200, 0] = truth[0, 1] = 1
    a = ca.assess(truth, truth * 0.5 + np.linspace(0, 0.3, 800).reshape(400, 2))
    for name in ("macro_roc_auc", "macro_average_precision"):
        assert a[name].value == 1
        assert a[name].low < 0.7


def test_the_clusters_that_hold_a_tag_are_its_units():
    rng = np.random.default_rng(0)
    truth = np.zeros((400, 2), int)
    truth[::2, 0] = 1
    truth[:40, 1] = rng.integers(0, 2, 40)  # in one cluster of ten
    truth[360:] = 1  # and all cases of another have both
    scores = np.clip(0.3 * truth + rng.random((400, 2)) * 0.7, 0, 1)
    held, free = effective(ca.assess(truth, scores, cluster=np.arange(400) // 40).task.tag_scores)
    assert [held.tolist(), free.tolist()] == [[10, 2], [9, 9]]


def effective(table):
    return _effective(table, tag_design(table))


def test_one_case_of_a_weight_beyond_all_others():
    weight = [1e12, 1, 1, 1]
    truth, scores = [[1, 0], [1, 1], [0, 1], [0, 0]], [[0.9, 0.1], [0.3, 0.6], [0.4, 0.7], [0.3, 0.4]]
    table = ca.assess(truth, scores, weight=weight).task.tag_scores
    assert close(effective(table)[1], [2, 1])
    assert not ca.assess(truth, scores, weight=weight)["macro_roc_auc"].has_interval  # of one effective case


def test_what_has_no_value_is_counted_and_what_has_one_is_not_denied():
    truth, called = [[1, 0], [1, 1], [0, 0], [1, 0]], [[1, 0], [1, 1], [1, 0], [0, 1]]
    told = ca.assess(truth, np.array(called) * 0.6).to_dict()["left_out"]
    assert told.endswith("1 case without a true tag and 1 case with all tags true.")
    assert (
        ca.assess(truth, y_pred=called).to_dict()["left_out"].endswith("a value: 1 case without a true tag.")
    )
    # a tag that is called, though never true, has an F1 of 0, and so the mean has a value
    a = ca.assess([[1, 0], [1, 0]], y_pred=[[1, 0], [0, 1]])
    assert a["macro_f1"].value == pytest.approx(1 / 3)
    assert a["macro_recall"].is_undefined
    (text,) = (each["text"] for each in a.to_dict()["warnings"] if each["code"] == "never_true")
    assert "Unweighted means of these measures over tags" in text


def test_columns_of_another_length_are_refused_beside_weights_of_0():
    with pytest.raises(ca.InputError, match="prediction has 2"):
        ca.assess([[1, 0], [0, 1], [1, 1]], y_pred=[[1, 0], [0, 1]], weight=[0, 1, 1])
    with pytest.raises(ca.InputError, match="threshold has a tag twice: 1, '1', 2"):
        ca.assess([[1, 0], [0, 1]], [[1, 0], [1, 1]], labels=[1, 2], threshold={1: 0.5, "1": 0.6, 2: 0.5})


@pytest.mark.covering(1)
@pytest.mark.parametrize("drawn", ["alike", "weight", "frequency", "cluster"])
@pytest.mark.parametrize("sparse", [False, True])
def test_what_many_tags_have_at_once_each_has_by_itself(sparse, drawn):
    rng = np.random.default_rng(3)
    truth = rng.random((60, 9)) < np.array([0.5, 0.3, 0.1, 0, 1, 0.2, 0.2, 0.4, 0.05])
    scores = np.round(rng.random((60, 9)) * (rng.random((60, 9)) < 0.4) + 0.3 * truth, 2).clip(0, 1)
    scores[:, 5] = 0  # never called
    given = {
        "alike": {},
        "weight": {"weight": rng.random(60)},
        "frequency": {"frequency": rng.integers(1, 4, 60)},
        "cluster": {"cluster": rng.integers(0, 20, 60)},
    }[drawn]
    whole = ca.assess(truth.astype(int), scores, threshold=0.5, **given)
    given_scores = sp.csr_array(scores) if sparse else scores
    a = ca.assess(sp.csr_array(truth.astype(np.int8)), given_scores, threshold=0.5, **given)
    for tag, found in a.class_estimates().items():
        for name, each in found.items():
            for other in (a.tag(tag)[name], whole.tag(tag)[name]):
                assert (each.method, each.reason) == (other.method, other.reason), (tag, name)
                assert np.allclose(
                    [each.value, each.low, each.high], [other.value, other.low, other.high], equal_nan=True
                )


@pytest.mark.parametrize("name", ["macro_recall", "macro_precision", "macro_f1", "macro_f2", "weighted_f0_5"])
@pytest.mark.parametrize("right", [True, False])
def test_tags_without_errors_are_taken_to_err_together(name, right):
    """Where all tags are right, or all wrong, more tags of the same cases tell no more; those of other cases do."""
    truth = np.repeat([[1], [0]], 20, axis=0)

    def width(matrix):
        found = ca.assess(matrix, y_pred=matrix if right else 1 - matrix)[name]
        assert found.value == right
        return found.high - found.low

    one, same = (width(np.repeat(truth, tags, axis=1)) for tags in (2, 6))
    apart = width(np.kron(np.eye(5, dtype=int), truth))
    assert 0.8 * one < same <= one
    assert 0.1 * one < apart < 0.5 * one


def test_f_beta_at_an_end_reaches_no_less_far_than_jaccard():
    truth = np.kron(np.eye(3, dtype=int), np.ones((15, 1), int))
    a = ca.assess(truth, y_pred=truth)
    low = {name: a[name].low for name in ("macro_jaccard", "macro_f1", "macro_f2", "macro_f_beta(3)")}
    assert low["macro_jaccard"] < low["macro_f_beta(3)"] < low["macro_f2"] < low["macro_f1"] < 1


@pytest.mark.parametrize("tags", [3, 7])
def test_an_interval_of_tags_that_are_all_ranked_right_holds_1(tags):
    """Seven sevenths add up to less than 1: a limit must not end below the value for it."""
    true = np.random.default_rng(0).random((12, tags)) < 0.4
    true[0], true[1] = True, False
    a = ca.assess(true.astype(int), true + np.random.default_rng(1).random((12, tags)) / 2)
    for name in ("macro_roc_auc", "macro_average_precision"):
        assert a[name].low < a[name].value == a[name].high == 1


@pytest.mark.parametrize("how", ["alike", "weighted", "clustered"])
def test_an_average_over_copies_of_a_tag_is_as_sure_as_the_tag(how):
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.4
    p = 1 / (1 + np.exp(-rng.normal(size=400) - 1.5 * y + 0.7))
    more = {
        "weighted": {"weight": rng.uniform(1, 2, 400)},
        "clustered": {"cluster": rng.integers(0, 150, 400)},
    }.get(how, {})
    a = ca.assess(np.stack([y, y], 1), np.stack([p, p], 1), labels=["a", "b"], **more)
    for name in ("recall", "precision", "f1", "jaccard"):
        whole, one = a[f"macro_{name}"], a.tag("a")[name]
        assert whole.value == pytest.approx(one.value)
        assert (whole.high - whole.low) / (one.high - one.low) == pytest.approx(1, abs=0.04), name


def test_ids_that_repeat_in_one_part_are_told_of_the_sum():
    frame = {"y_a": [0, 1] * 40, "y_b": [1, 1, 0, 0] * 20, "p_a": [0.2, 0.7] * 40, "p_b": [0.6, 0.1] * 40}
    with_ids = ca.assess(frame | {"patient_id": [k // 2 for k in range(80)]}, truth="y_*", score="p_*")
    plain = ca.assess(frame, truth="y_*", score="p_*")
    for made in (with_ids + plain, plain + with_ids):
        (text,) = (each.text for each in made.warnings if each.code == "repeated_ids")
        assert text.startswith("160 rows have repeated values of 'patient_id'.")


@pytest.mark.parametrize(
    "name", ["macro_f1", "macro_f2", "weighted_f1", "weighted_precision", "weighted_f2", "weighted_f0_5"]
)
def test_of_many_cases_an_interval_of_an_average_is_that_of_its_slopes(name):
    """Half the width is z · √(Σ n · slope²), with slopes of scikit-learn's value by the number of each kind of case."""
    kinds = np.array(list(product((0, 1), repeat=4)))
    truth, called = kinds[:, :2], kinds[:, 2:]
    chance = np.where(truth, (0.4, 0.1), (0.6, 0.9)) * np.where(
        called == 1, np.where(truth, (0.95, 0.2), (0.05, 0.1)), np.where(truth, (0.05, 0.8), (0.95, 0.9))
    )
    times = np.round(40_000 * chance.prod(1)).astype(int)
    kind, _, measure = name.partition("_")
    beta = {"precision": 0.0, "f0_5": 0.5, "f1": 1.0, "f2": 2.0}[measure]

    def value(numbers):
        return sk.fbeta_score(truth, called, beta=beta, average=kind, sample_weight=numbers)

    slopes = np.array([value(times + step) - value(times - step) for step in np.eye(16)]) / 2
    a = ca.assess(truth, y_pred=called, frequency=times)
    assert close(a[name].value, value(times))
    assert a[name].high - a[name].low == pytest.approx(2 * 1.96 * np.sqrt(times @ slopes**2), rel=0.02)


@pytest.mark.parametrize("right", [True, False])
def test_cases_that_are_all_right_or_all_wrong_have_wilsons_interval(right):
    truth = np.eye(3, dtype=int)[np.arange(30) % 3]
    a = ca.assess(truth, y_pred=truth if right else truth[:, [1, 2, 0]])
    share = ca.assess(np.arange(30) % 3, y_pred=(np.arange(30) + (0 if right else 2)) % 3)["accuracy"]
    for name in ("samples_f1", "samples_precision", "samples_recall", "samples_jaccard"):
        assert close([a[name].value, a[name].low, a[name].high], [share.value, share.low, share.high])
    assert (share.value, share.high - share.low < 0.2) == (right, True)


def few_cases():
    rng = np.random.default_rng(1)
    truth = (rng.random((14, 2)) < (0.5, 0.4)).astype(int)
    return truth, np.where(rng.random((14, 2)) < 0.7, truth, 1 - truth)


@pytest.mark.parametrize("name", ["weighted_f1", "weighted_f2", "weighted_precision"])
def test_a_tag_without_true_cases_is_nothing_to_an_average_by_true_cases(name):
    truth, called = few_cases()
    wider = np.pad(truth, ((0, 0), (0, 1))), np.c_[called, np.arange(14) < 3].astype(int)
    one, two = ca.assess(truth, y_pred=called)[name], ca.assess(wider[0], y_pred=wider[1])[name]
    assert close([one.value, one.low, one.high], [two.value, two.low, two.high])


@pytest.mark.parametrize("name", ["macro_f1", "macro_f2", "weighted_f2"])
def test_few_cases_are_as_sure_in_clusters_of_their_own_and_of_their_copies(name):
    """The degrees of freedom are by clusters, however many rows hold each."""
    truth, called = few_cases()
    found = [
        ca.assess(np.repeat(truth, n, 0), y_pred=np.repeat(called, n, 0), cluster=np.repeat(np.arange(14), n))
        for n in (1, 3)
    ]
    alike = ca.assess(truth, y_pred=called)[name]
    assert close(found[0][name].low, found[1][name].low)
    assert close(found[0][name].high, found[1][name].high)
    assert found[0][name].high - found[0][name].low == pytest.approx(alike.high - alike.low, rel=0.02)


@pytest.mark.parametrize("name", ["macro_roc_auc", "weighted_roc_auc"])
def test_of_many_cases_an_interval_of_a_mean_area_is_that_of_its_slopes(name):
    """As above; that a mean by true cases has weights of its own sample widens it."""
    kinds = np.array(list(product((0, 1), (0, 1), (1, 2, 3), (1, 2, 3))))
    truth, scores = kinds[:, :2], kinds[:, 2:] / 4
    # the cases with the first tag are those whose second is ranked right
    is_right = np.c_[truth[:, 0] == 1, truth[:, 0] == truth[:, 1]]
    chance = 0.5 * np.where(is_right, kinds[:, 2:], 4 - kinds[:, 2:]) / 6
    times = np.round(40_000 * chance.prod(1)).astype(int)

    def value(numbers):
        return sk.roc_auc_score(truth, scores, average=name.partition("_")[0], sample_weight=numbers)

    slopes = np.array([value(times + step) - value(times - step) for step in np.eye(len(kinds))]) / 2
    a = ca.assess(truth, scores, frequency=times)
    assert close(a[name].value, value(times))
    assert a[name].high - a[name].low == pytest.approx(2 * 1.96 * np.sqrt(times @ slopes**2), rel=0.02)
