"""Agreement of raters: published figures, forms of input, bad input, tables that are added, saved files, speed."""

import itertools
import json
import time

import numpy as np
import pytest

import classay as ca
from classay.errors import FileError, InputError, MergeError
from command import call, refusal
from forged import forge
from raters.in_sweeps import ratings

# 12 cases and 4 raters with gaps; krippendorff 0.9.0 and irrCAC 0.4.4 computed the values
X = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, None, 3, None],
]
KRIPPENDORFF = {
    "krippendorff_alpha": 0.743421052631579,
    "ordinal_alpha": 0.8153875037548814,
    "interval_alpha": 0.8491071428571428,
}
IRRCAC = {
    "fleiss_kappa": 0.76117,
    "gwet_ac1": 0.77544,
    "brennan_prediger": 0.77273,
    "gwet_ac2_linear": 0.85874,
    "gwet_ac2_quadratic": 0.91400,
    "pairwise_agreement": 0.81818,
}
# own numpy code, by the jackknife over cases: shared/oracles/statistics-3b.json, D
LIMITS = {
    "krippendorff_alpha": (0.19684485489905, 0.93746687065891),
    "ordinal_alpha": (-0.01688971539319, 0.98020199705042),
    "interval_alpha": (-0.03355326474077, 0.98762365440038),
}


@pytest.fixture(scope="module")
def agreement():
    return ca.rater_agreement(X, scale="interval")


@pytest.mark.parametrize(("name", "value"), KRIPPENDORFF.items())
def test_alpha_is_that_of_krippendorff(agreement, name, value):
    assert agreement[name].value == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(("name", "value"), IRRCAC.items())
def test_coefficients_are_those_of_irrcac(agreement, name, value):
    assert agreement[name].value == pytest.approx(value, abs=5.1e-6)


@pytest.mark.parametrize(("name", "limits"), LIMITS.items())
def test_limits_of_alpha_are_those_of_a_jackknife(agreement, name, limits):
    assert (agreement[name].low, agreement[name].high) == pytest.approx(
        limits, abs=1e-8
    )  # of Student's quantile


def _two():
    """Two raters of 82 cases: the published pairs of categories."""
    counts = {("a", "a"): 40, ("a", "b"): 6, ("b", "a"): 4, ("b", "b"): 32}
    return [list(pair) for pair, times in counts.items() for _ in range(times)]


def test_two_raters_have_the_pi_of_scott_and_the_share_of_wilson():
    a = ca.rater_agreement(_two())
    p = 72 / 82
    shares = np.array([90, 74]) / 164
    assert a["scott_pi"].value == pytest.approx((p - (shares**2).sum()) / (1 - (shares**2).sum()), abs=1e-12)
    assert a["pabak"].value == pytest.approx(2 * p - 1, abs=1e-12)
    wilson = ca.proportion(72, 82)["Wilson"]
    assert (a["pairwise_agreement"].low, a["pairwise_agreement"].high) == pytest.approx(
        (wilson.low, wilson.high)
    )
    assert a["not_unanimous"].value == pytest.approx(10 / 82)
    assert a["tied_majority"].value == pytest.approx(10 / 82)
    assert "fleiss_kappa" not in a.estimates


def test_rows_columns_frames_and_arrays_agree():
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    columns = ratings()
    rows = [(k, name, label) for name, column in columns.items() for k, label in enumerate(column) if label]
    np.random.default_rng(1).shuffle(rows)
    case, rater, label = zip(*rows, strict=True)
    long = {"item": [int(k) for k in case], "who": [*rater], "y": [*label]}
    roles = {"case": "item", "rater": "who", "label": "y"}
    results = [
        ca.rater_agreement(columns),
        ca.rater_agreement({**columns, "note": ["x"] * 60}, raters=["r_*"]),
        ca.rater_agreement(pd.DataFrame(columns)),
        ca.rater_agreement(pa.table(columns)),
        ca.rater_agreement([*zip(*columns.values(), strict=True)], raters=[*columns]),
        ca.rater_agreement(long, **roles),
        ca.rater_agreement(pd.DataFrame(long), **roles),
    ]
    for a in results[1:]:
        assert a.estimates == results[0].estimates
        assert a.confusions == results[0].confusions
        assert {*a.pairs} == {*results[0].pairs}


def test_the_order_of_raters_cases_and_names_of_categories_does_not_count():
    values = ca.rater_agreement(X)
    turned = [[None if label is None else "fbcda"[label - 1] for label in row[::-1]] for row in X[::-1]]
    other = ca.rater_agreement(turned)
    for name, estimate in values.estimates.items():
        assert other[name].value == pytest.approx(estimate.value, abs=1e-12)
        assert other[name].high == pytest.approx(estimate.high, abs=1e-9)


def test_alpha_is_that_of_its_definition():
    rng = np.random.default_rng(3)
    given = rng.integers(0, 4, (15, 4)).tolist()
    for row in given:
        row[rng.integers(4)] = None
    known = [[x for x in row if x is not None] for row in given]
    known = [row for row in known if len(row) > 1]
    everything = [*itertools.chain(*known)]
    counts = np.bincount(everything, minlength=4)

    def ranks(c, d):
        low, high = sorted((c, d))
        return (counts[low : high + 1].sum() - (counts[low] + counts[high]) / 2) ** 2

    differences = {
        "krippendorff_alpha": lambda c, d: c != d,
        "ordinal_alpha": ranks,
        "interval_alpha": lambda c, d: (c - d) ** 2,
    }
    a = ca.rater_agreement(given, scale="interval")
    for name, difference in differences.items():
        within = sum(difference(c, d) / (len(row) - 1) for row in known for c in row for d in row)
        between = sum(difference(c, d) for c in everything for d in everything)
        assert a[name].value == pytest.approx(1 - (len(everything) - 1) * within / between, abs=1e-12)


def test_the_influence_of_a_case_is_a_derivative():
    from scipy.sparse import csr_array

    from classay.raters import coefficients as of

    counts = np.array([[3.0, 1, 0], [0, 3, 0], [1, 1, 1], [0, 0, 4], [1, 0, 0]])
    cases = np.array([4.0, 5, 3, 2, 1])
    for function in (of.fleiss_kappa, of.gwet_ac1, of.brennan_prediger):
        influence = function(of.CategoryCounts.of(csr_array(counts), cases)).influence
        for at in range(5):
            values = [
                function(of.CategoryCounts.of(csr_array(counts), cases + step * np.eye(5)[at])).value
                for step in (1e-6, -1e-6)
            ]
            assert influence[at] == pytest.approx((values[0] - values[1]) / 2e-6, abs=1e-7)


def test_all_agree_and_one_category_alone():
    a = ca.rater_agreement([["a", "a", "a"]] * 20 + [["b", "b", "b"]] * 5)
    for name in ("alpha", "fleiss_kappa", "ac1", "pabak"):
        assert a[name].value == 1
        assert 0 < a[name].low < a[name].high == 1
    same = ca.rater_agreement([["a", "a", "a"]] * 20)
    for name in ("alpha", "fleiss_kappa", "ac1", "pabak"):
        assert same[name].reason == "all ratings are of one category"
    declared = ca.rater_agreement([["a", "a", "a"]] * 20, labels=["a", "b"])
    assert declared["pabak"].value == 1
    assert declared["alpha"].is_undefined


def test_one_unanimous_case_of_a_rare_category_shows_little():
    """Without it, kappa and alpha are undefined: where all agree, both have the lower limit of alpha's jackknife."""
    a = ca.rater_agreement([["a", "a"]] * 49 + [["b", "b"]])
    assert a["scott_pi"].low == a["alpha"].low < 0.5


def test_a_rare_label_of_one_rater_leaves_the_upper_limit_high():
    a = ca.rater_agreement([["a", "a"]] * 30 + [["a", "b"]])
    assert a["alpha"].value == pytest.approx(0, abs=0.02)
    assert a["alpha"].high > 0.9


def test_pairs_and_confusions():
    a = ca.rater_agreement(X)
    assert a.n_pairs == 6
    worst = a.pairs[0]
    assert (worst.first, worst.second, worst.cases) == ("rater 1", "rater 3", 8)
    assert worst.agreement.value == 5 / 8
    assert sum(pair.ratings for pair in a.confusions) == pytest.approx(
        8
    )  # irrCAC: pa .805 = .8 (1 - 1/40) + 1/40
    assert {(pair.first, pair.second) for pair in a.confusions[:2]} == {(1, 2), (2, 3)}


def test_kappa_of_a_pair_is_that_of_its_shared_cases():
    """By scikit-learn, and by the door of two classifiers."""
    from sklearn.metrics import cohen_kappa_score

    table = np.array(X, float)
    for pair in ca.rater_agreement(X).pairs:
        first, second = (table[:, int(name[-1]) - 1] for name in (pair.first, pair.second))
        shared = ~(np.isnan(first) | np.isnan(second))
        one, other = first[shared].astype(int), second[shared].astype(int)
        assert pair.cases == shared.sum()
        assert pair.kappa.value == pytest.approx(cohen_kappa_score(one, other), abs=1e-12)
        same = ca.assess(one, y_pred=other)["cohen_kappa"]
        assert (pair.kappa.low, pair.kappa.high) == pytest.approx((same.low, same.high))
    two = np.array(_two())
    (pair,) = ca.rater_agreement(two).pairs
    same = ca.assess(two[:, 0], y_pred=two[:, 1], positive="b")["cohen_kappa"]
    assert (pair.kappa.low, pair.kappa.high) == pytest.approx(
        (same.low, same.high), abs=2e-3
    )  # posterior, drawn
    (pair,) = ca.rater_agreement([["a", "a"], ["a", "a"], ["a", None]]).pairs
    assert pair.kappa.is_undefined
    many = ca.rater_agreement(np.random.default_rng(0).integers(0, 2, (40, 20))).pairs
    assert [pair.kappa.has_interval for pair in many] == [k < 100 for k in range(190)]


@pytest.mark.parametrize(
    ("call_", "says"),
    [
        (lambda: ca.rater_agreement({"a": [1, 2]}), "Agreement needs two raters, but there is 1 column"),
        (lambda: ca.rater_agreement({"a": [1, 2], "b": [None, None]}), "there is 1"),
        (lambda: ca.rater_agreement({"a": [1, None], "b": [None, 2]}), "No case was rated twice"),
        (lambda: ca.rater_agreement([["a", "b"], ["a"]]), "as many labels in every row"),
        (lambda: ca.rater_agreement(3), "must be a frame"),
        (lambda: ca.rater_agreement(X, scale="ratio"), "scale must be nominal, ordinal or interval"),
        (lambda: ca.rater_agreement([["a", "b"], ["c", "c"]], scale="ordinal"), "have no order"),
        (lambda: ca.rater_agreement([["a", "b"], ["c", "c"]], scale="interval"), "numeric"),
        (lambda: ca.rater_agreement([[1, np.inf], [2, 2]], scale="interval"), "finite"),
        (lambda: ca.rater_agreement([[1, 1e300], [2, 2]], scale="interval"), "up to 1e\\+100"),
        (lambda: ca.rater_agreement([["a", "b"]], raters=["ann", "ann"]), "has a duplicate name"),
        (lambda: ca.rater_agreement([["a", "b"]], raters=["ann", "bob", "cyd"]), "3 names for 2 columns"),
        (lambda: ca.rater_agreement({"a": [1, 2], "b": [1]}), "different lengths"),
        (
            lambda: ca.rater_agreement({"c": [1, 2], "r": [1, 2], "l": [1]}, case="c", rater="r", label="l"),
            "different lengths",
        ),
        (
            lambda: ca.rater_agreement([[1, 2], [2, 2]], scale="interval", labels=[1, 2]),
            "labels have no effect",
        ),
        (lambda: ca.rater_agreement([["a", "b"]], raters=["ann"]), "raters has 1 names for 2 columns"),
        (lambda: ca.rater_agreement([["a", "b"], ["a", "a"]], labels=["a", "c"]), "not declared"),
        (lambda: ca.rater_agreement(ratings(), raters=["q_*"]), "No column matches"),
        (lambda: ca.rater_agreement({"r_": [1, 2], "r_a": [1, 2]}, raters=["r_*"]), "there is 1 column"),
        (lambda: ca.rater_agreement(ratings(), case="item"), "rater and label"),
        (
            lambda: ca.rater_agreement(ratings(), case="a", rater="b", label="c", raters=["d"]),
            "cannot be combined",
        ),
        (lambda: ca.rater_agreement(X)["kapa"], "Unknown measure 'kapa'"),
        (lambda: ca.rater_agreement(X)["ordinal_alpha"], "needs scale='ordinal'"),
        (lambda: ca.rater_agreement(X).check("alpha >= 67"), "never holds"),
        (lambda: ca.rater_agreement(X).check("auc >= 0.5"), "Unknown measure 'auc'"),
    ],
)
def test_bad_input_is_refused(call_, says):
    with pytest.raises(InputError, match=says) as caught:
        call_()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= 300


ROWS = {"case": "i", "rater": "r", "label": "y"}


def test_two_labels_of_one_rater_and_case_are_refused():
    rows = {"i": [1, 1, 1, 2, 2], "r": ["ann", "bob", "ann", "ann", "bob"], "y": ["x", "x", "z", "x", "x"]}
    with pytest.raises(
        InputError, match=r"Rater 'ann' has two labels .'x' and 'z'. for case 1. Keep one label"
    ):
        ca.rater_agreement(rows, **ROWS)


def test_a_missing_rater_is_refused_and_a_missing_label_is_a_gap():
    rows = {"i": [1, 1, 2, 2, 3], "r": ["a", "b", "a", "b", "a"], "y": ["x", "x", "y", None, "x"]}
    a = ca.rater_agreement(rows, **ROWS)
    assert (a.n_cases, a.table.n_single, a.n_unlabeled) == (1, 2, 1)
    assert "2 cases have one rating." in a.warnings[0].text
    with pytest.raises(InputError, match=r"rater .r. is missing in 1 rating"):
        ca.rater_agreement({**rows, "r": ["a", None, "a", "b", "a"]}, **ROWS)


def test_tables_are_added():
    for scale in ("nominal", "interval"):
        parts = [ca.rater_agreement(X[:7], scale=scale), ca.rater_agreement(X[7:], scale=scale)]
        whole, both = ca.rater_agreement(X, scale=scale), parts[0] + parts[1]
        assert both.labels == whole.labels
        assert both.n_cases == whole.n_cases
        for name, estimate in whole.estimates.items():
            assert both[name].value == pytest.approx(estimate.value, abs=1e-12)
        assert both.pairs == whole.pairs
    with pytest.raises(MergeError, match="different scales"):
        ca.rater_agreement(X) + ca.rater_agreement(X, scale="ordinal")


def test_raters_of_other_names_are_added_beside():
    first = ca.rater_agreement({"bob": ["x", "y"], "cyd": ["x", "x"]})
    second = ca.rater_agreement({"ann": ["x", "z"], "bob": ["x", "x"]})
    both = first + second
    assert both.raters == ("bob", "cyd", "ann")
    assert both.n_cases == 4
    assert {(pair.first, pair.second): pair.cases for pair in both.pairs} == {
        ("bob", "cyd"): 2,
        ("bob", "ann"): 2,
    }


def test_a_saved_agreement_is_the_same(tmp_path):
    a = ca.rater_agreement(ratings(), labels=["dog", "cat", "bee", "ant"], scale="ordinal")
    a.save(tmp_path / "rated")
    loaded = ca.load(tmp_path / "rated")
    assert loaded.estimates == a.estimates
    assert (loaded.labels, loaded.raters, loaded.scale, loaded.n_unlabeled) == (
        a.labels,
        a.raters,
        a.scale,
        0,
    )
    (tmp_path / "cut.classay").write_bytes((tmp_path / "rated.classay").read_bytes()[:-40])
    with pytest.raises(FileError):
        ca.load(tmp_path / "cut.classay")


def first_is(array, value):
    copy = array.copy()
    copy[0, 0] = value
    return copy


DAMAGED = {
    "an unknown rater": ("rater", lambda of: np.where(of == of.max(), of.max() + 1, of), "rater.npy"),
    "a rater below none": ("rater", lambda of: np.where(of < 0, -2, of), "rater.npy"),
    "an unknown label": ("label", lambda of: first_is(of, 4), "label.npy"),
    "a label below none": ("label", lambda of: np.where(of < 0, -2, of), "label.npy"),
    "labels of other cases": ("label", lambda of: of[1:], "label.npy"),
    "numbers of other cases": ("cases", lambda of: of[1:], "cases.npy"),
    "no case": ("cases", lambda of: 0 * of, "cases.npy"),
    "a label of nobody": ("label", lambda of: np.where(of < 0, 0, of), "raters and labels disagree"),
    "a rater without a label": ("label", lambda of: first_is(of, -1), "raters and labels disagree"),
    "a rater twice": ("rater", lambda of: np.where(of >= 0, 0, of), "not ascending"),
    "raters in another order": ("rater", lambda of: np.where(of >= 0, of.max() - of, of), "not ascending"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_files_that_no_agreement_has_written_are_refused(name, tmp_path):
    a = ca.rater_agreement(ratings(), labels=["dog", "cat", "bee", "ant"])
    path = tmp_path / "rated.classay"
    a.save(path)
    array, change, said = DAMAGED[name]
    forge(path, {f"{array}.npy": getattr(a.table, array)})
    assert ca.load(path).estimates == a.estimates
    forge(path, {f"{array}.npy": change(getattr(a.table, array))})
    with pytest.raises(FileError, match=said):
        ca.load(path)


def test_a_file_of_an_agreement_with_one_more_array_is_refused(tmp_path):
    path = tmp_path / "rated.classay"
    ca.rater_agreement(ratings()).save(path)
    forge(path, {"more.npy": np.arange(3)})
    with pytest.raises(FileError, match=r"unknown member 'more\.npy'"):
        ca.load(path)


@pytest.mark.parametrize(
    "changed",
    [
        {"raters": ["ann", "ann", "cyd"]},
        {"source": "guessed"},
        {"scale": "metric"},
        {"level": 1.0},
        {"level": 0.0},
        {"unlabeled": -1},
        {"more": 1},
    ],
)
def test_fields_that_no_agreement_has_written_are_refused(changed, tmp_path):
    path = tmp_path / "rated.classay"
    ca.rater_agreement(ratings()).save(path)
    forge(path, **changed)
    with pytest.raises(FileError):
        ca.load(path)


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"{i},{r},{y}" for i, row in enumerate(X) for r, y in enumerate(row) if y)
    (tmp_path / "labels.csv").write_text(f"item,who,y\n{rows}\n")
    named = ("labels.csv", "--case", "item", "--rater", "who", "--label", "y")
    done = call("raters", *named, "--json", "a.json", "--save", "a")
    assert done.exit_code == 0, done.stderr
    saved = json.loads((tmp_path / "a.json").read_text())
    assert saved["measures"]["krippendorff_alpha"]["value"] == pytest.approx(0.743421052631579)
    assert saved["single"] == 1
    assert "held fixed" in done.stdout
    again = call("runs", "a.classay")
    assert "Krippendorff's alpha" in again.stdout
    failed = call("raters", *named, "--require", "krippendorff_alpha.low >= 0.667", "--json", "b.json")
    assert failed.exit_code == 1
    assert "FAIL: krippendorff_alpha.low >= 0.667" in failed.stderr
    assert json.loads((tmp_path / "b.json").read_text())["requirements"][0]["verdict"] == "fail"
    assert "--rater and --label" in refusal("raters", "labels.csv", "--case", "item")


def test_many_cases_are_quick():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 5, 100_000)
    given = np.where(rng.random((100_000, 5)) < 0.8, true[:, None], rng.integers(0, 5, (100_000, 5)))
    assert ca.rater_agreement(X).estimates
    start = time.perf_counter()
    a = ca.rater_agreement(given)
    assert a.estimates
    assert a.pairs
    assert time.perf_counter() - start < 5  # 0.05 s on a quiet machine


def test_very_many_raters_have_no_pairs():
    raters = np.arange(4200)
    rows = {"i": raters // 2, "r": raters, "y": raters // 2 % 3}
    a = ca.rater_agreement(rows, case="i", rater="r", label="y")
    assert (a.pairs, a.n_pairs) == ((), 0)
    assert "pairs of raters are not compared" in a.warnings[0].text
    assert a["alpha"].value == 1


def test_columns_that_are_no_raters_are_not_taken_for_raters():
    labels = {"ann": [0, 1] * 6, "bob": [0, 1, 1] * 4}
    with pytest.raises(InputError, match="Column 'id' has another label in each of 12 rows"):
        ca.rater_agreement({"id": [*range(12)], **labels})
    assert ca.rater_agreement({"id": [*range(12)], **labels}, raters=["ann", "bob"]).n_cases == 12
    with pytest.raises(InputError, match="look like one rating in each row"):
        ca.rater_agreement({"case": [1, 1, 2, 2], "rater": [0, 1, 0, 1], "label": [0, 1, 1, 1]})


def test_pairs_are_listed_from_the_least_agreement_and_the_most_cases(monkeypatch):
    rng = np.random.default_rng(5)
    labels = np.where(rng.random((30, 7)) < np.linspace(0.2, 1, 7), rng.integers(0, 3, (30, 7)), -1)
    rows = [[None if label < 0 else int(label) for label in row] for row in labels]
    a = ca.rater_agreement(rows)
    listed = [(pair.agreement.value, -pair.cases) for pair in a.pairs]
    assert listed == sorted(listed)
    assert len({cases for _, cases in listed}) > 5
    monkeypatch.setattr("classay.raters.agreement.MOST_PAIRS", 3)
    assert ca.rater_agreement(rows).pairs == a.pairs[:3]


def test_few_cases_without_a_large_disagreement_are_warned_of():
    """Ten times as many cases say that large disagreements are rare; names have no sizes of disagreement."""
    ratings = np.array([[0, 0], [4, 4], [0, 1], [4, 4], [0, 0], [4, 3]] * 10, float)

    def is_warned(rows, scale):
        a = ca.rater_agreement(rows, scale=scale, labels=range(5) if scale == "ordinal" else None)
        return any("lack the large disagreements" in warning.text for warning in a.warnings)

    assert is_warned(ratings, "interval")
    assert is_warned(ratings[:, ::-1], "ordinal")
    assert not is_warned(np.tile(ratings, (10, 1)), "interval")
    assert not is_warned(ratings, "nominal")
    assert not is_warned(np.repeat(ratings[:, :1], 2, 1), "interval")


def test_two_labels_need_no_order():
    rows = [["b", "a"], ["b", "b"], ["a", "a"], ["a", "b"], ["b", "b"]]
    ordinal, nominal = (ca.rater_agreement(rows, scale=scale) for scale in ("ordinal", "nominal"))
    assert ordinal["ordinal_alpha"].value == pytest.approx(nominal["alpha"].value)


@pytest.mark.parametrize("scale", ["nominal", "interval"])
def test_parts_with_fewer_raters_add_up_to_the_whole(scale):
    """Cases of two and of three raters, one of whom is the first, from whom a part may lack every label."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, (30, 3)).astype(float)
    labels[:10, 2] = labels[20:, 0] = np.nan
    names = ["ann", "bob", "cyd"]
    whole = ca.rater_agreement(labels, raters=names, scale=scale)
    parts = [
        ca.rater_agreement(labels[:10, :2], raters=names[:2], scale=scale),
        ca.rater_agreement(labels[10:20], raters=names, scale=scale),
        ca.rater_agreement(labels[20:, 1:], raters=names[1:], scale=scale),
    ]
    for both in (parts[0] + parts[1] + parts[2], parts[0] + (parts[1] + parts[2])):
        assert both.pairs == whole.pairs
        for name, estimate in whole.estimates.items():
            assert both[name].value == pytest.approx(estimate.value, abs=1e-12)
            assert both[name].low == pytest.approx(estimate.low, abs=1e-9)
