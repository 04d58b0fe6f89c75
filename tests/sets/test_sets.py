"""Prediction sets: published figures, forms of input, bad input, tables that are added, saved files, the command."""

import json

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.errors import FileError, InputError, MergeError
from classay.sets.conformal import calibration_range, promise_p
from command import call, refusal
from sets.in_sweeps import LABELS, sets, write_inputs

# 16 cases of 3 classes, assessed by mapie 1.6.0: coverage .8125, mean width 1.5, size-stratified 0, .75, 1, 1
Y = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 1, 0, 2, 1, 0]
SETS = np.array(
    [
        *([1, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1], [0, 0, 1]),
        *([0, 1, 1], [0, 0, 1], [1, 0, 0], [0, 0, 0], [1, 1, 1], [0, 1, 1], [0, 1, 0], [1, 0, 1]),
    ],
    bool,
)


def test_sets_have_the_figures_of_mapie():
    a = ca.assess_sets(Y, SETS)
    assert a["coverage"].value == 0.8125
    assert a["mean_size"].value == 1.5
    assert [(row.name, row.cases, row.coverage.value) for row in a.by_size] == [
        (0, 1, 0.0),
        (1, 8, 0.75),
        (2, 5, 1.0),
        (3, 2, 1.0),
    ]
    assert [(row.cases, row.coverage.value) for row in a.by_class] == [(6, 5 / 6), (5, 0.8), (5, 0.8)]
    assert a["singleton_error"].value == 2 / 8
    assert a["empty_sets"].value == 1 / 16


def test_the_range_of_calibration_is_that_of_the_beta():
    found = calibration_range(100, 0.9)
    assert found.rank == 91
    assert (found.low, found.high) == pytest.approx((0.8482045713864065, 0.94473676231713), abs=1e-12)
    assert found.below == pytest.approx(0.451290165442004, abs=1e-12)
    assert calibration_range(200, 0.9).sure_rank == 188
    assert calibration_range(1000, 0.9).sure_rank == 916
    assert calibration_range(20, 0.9).sure_rank is None


def test_a_promise_is_tested_by_the_beta_binomial():
    assert promise_p(431, 500, 200, 0.9) == pytest.approx(0.14974707179848606, abs=1e-10)
    assert promise_p(181, 200, 200, 0.9) > 0.9
    assert promise_p(100, 200, 200, 0.9) < 1e-6


def test_the_mean_size_has_limits_on_the_scale_of_its_logarithm():
    """The standard error of a logarithm is that of the mean as a share of the mean."""
    mean = ca.assess_sets(Y, SETS)["mean_size"]
    sizes = SETS.sum(1)
    half = stats.t.ppf(0.975, 15) * sizes.std(ddof=1) / 4 / 1.5
    assert np.log([mean.low / 1.5, mean.high / 1.5]) == pytest.approx([-half, half], abs=1e-12)


@pytest.mark.parametrize(
    ("most", "said"), [(2, ("2 smallest of 4", "2 least covered of 3")), (4, ()), (5, ())]
)
def test_rows_that_are_not_shown_are_counted(most, said, monkeypatch):
    monkeypatch.setattr("classay.sets.results.MOST_SHOWN", most)
    text = ca.assess_sets(Y, SETS).to_markdown()
    assert tuple(words for words in ("2 smallest of 4", "2 least covered of 3") if words in text) == said
    assert ("smallest of" in text) == ("least covered of" in text) == bool(said)


def test_joint_limits_are_clopper_and_pearsons_at_smaller_tails():
    a = ca.assess_sets(Y, SETS)
    expected = ca.proportion(5, 6, level=1 - 0.05 / 3)["Clopper-Pearson"]
    row = a.by_class[0].coverage
    assert (row.low, row.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    least = a["least_covered_class"]
    plain = ca.proportion(4, 5)["Clopper-Pearson"]
    joint = ca.proportion(4, 5, level=1 - 0.05 / 3)["Clopper-Pearson"]
    assert (least.value, least.low, least.high) == pytest.approx((0.8, plain.low, joint.high), abs=1e-12)


def test_all_forms_of_sets_agree():
    pa, pd = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    from scipy.sparse import csr_array

    rows = sets()
    y, matrix = rows["y"], rows["new"]
    names = [[label for label, inside in zip(LABELS, row, strict=True) if inside] for row in matrix]
    columns = {label: matrix[:, k] for k, label in enumerate(LABELS)}
    forms = [
        matrix.astype(int),
        matrix[:, :, None],
        csr_array(matrix.astype(int)),
        matrix.tolist(),
        columns,
        pd.DataFrame(columns),
        names,
        [{*row} for row in names],
        pa.array(names),
        pd.Series(names),
    ]
    whole = ca.assess_sets(y, matrix)
    for form in forms:
        assert ca.assess_sets(y, form).estimates == whole.estimates
    text = ["|".join(row) for row in names]
    assert ca.assess_sets(y, text, separator="|").estimates == whole.estimates
    assert ca.assess_sets(y, [part or None for part in text], separator="|").estimates == whole.estimates
    turned = ca.assess_sets(y, matrix[:, ::-1], labels=LABELS[::-1])
    assert turned.estimates == whole.estimates
    numbers = np.array([LABELS.index(label) for label in y])
    of_numbers = [[LABELS.index(name) for name in row] for row in names]
    assert ca.assess_sets(numbers, of_numbers).estimates == whole.estimates


def test_labels_that_are_numbers_may_be_written_as_text():
    whole = ca.assess_sets(Y, SETS)
    text = ["|".join(str(k) for k in range(3) if row[k]) for row in SETS]
    assert ca.assess_sets(Y, text, separator="|").estimates == whole.estimates
    columns = {str(k): SETS[:, k] for k in range(3)}
    assert ca.assess_sets(Y, columns).estimates == whole.estimates
    assert ca.assess_sets(Y, text, separator="|", labels=[2, 1, 0]).estimates == whole.estimates
    assert ca.assess_sets(Y, columns, labels=[2, 1, 0]).estimates == whole.estimates
    with pytest.raises(InputError, match="'x' is not a number"):
        ca.assess_sets(Y, ["0|x"] * 16, separator="|")


def test_lists_of_the_labels_0_and_1_are_labels():
    a = ca.assess_sets([0, 1, 1, 0], [[0, 1], [1, 0], [0, 1], [1, 0]])
    assert a["coverage"].value == 1
    assert a["mean_size"].value == 2


def test_a_label_without_a_case_counts_as_a_label():
    a = ca.assess_sets(["a", "b"], [["a", "c"], ["b"]])
    assert a.labels == ("a", "b", "c")
    assert a["coverage"].value == 1


def test_empty_and_blank_sets_are_misses_and_told():
    a = ca.assess_sets(["a", "b", "a"], ["a", None, ""], separator="|")
    assert a["coverage"].value == 1 / 3
    assert a["empty_sets"].value == 2 / 3
    assert a.warnings[0].text == "2 sets are empty and count as misses. 1 cell without text is among them."
    assert "No set of a case with true label 'b'" in a.warnings[1].text


def test_no_singletons_and_equal_sizes_have_reasons():
    a = ca.assess_sets([0, 1, 2], np.ones((3, 3), bool))
    assert a["singleton_error"].reason == "no set has one label"
    assert a["mean_size"].reason == "all sets have the same size"


BAD = [
    (lambda: ca.assess_sets(Y, np.linspace(0, 1, 48).reshape(16, 3)), "Scores are not sets"),
    (lambda: ca.assess_sets(Y, SETS[:, :2]), "sets have 2 columns, but there are 3 true labels"),
    (lambda: ca.assess_sets(Y, SETS, labels=[0, 1]), "3 columns, but there are 2 declared"),
    (lambda: ca.assess_sets(Y, SETS[:5]), "There are 16 true labels, but 5 sets"),
    (lambda: ca.assess_sets(Y, np.ones(16)), "sets have shape"),
    (lambda: ca.assess_sets(["a", "b"], ["a|b", "b"]), "Use separator="),
    (lambda: ca.assess_sets(["a", "b"], [["a"], None]), "The set at index 1 is None"),
    (lambda: ca.assess_sets(["a", "b"], [["a", "a"], ["b"]]), "has the label 'a' twice"),
    (lambda: ca.assess_sets(["a", "b"], ["a|a", "b"], separator="|"), "has the label 'a' twice"),
    (lambda: ca.assess_sets(["a", "b"], ["a", "b"], separator=""), "The separator is empty"),
    (lambda: ca.assess_sets(["a", "b"], [["x"], ["z"]]), "No true label"),
    (
        lambda: ca.assess_sets(["a", "b"], [["a"], ["z"]], labels=["a", "b"]),
        "not declared: 'z'. Declared labels",
    ),
    (lambda: ca.assess_sets([1, 2], [["1"], ["2"]]), "Convert one"),
    (lambda: ca.assess_sets(["a", None], [["a"], ["b"]]), "truth is missing in 1 case"),
    (lambda: ca.assess_sets(["a", "b"], 3), "sets must be a Boolean matrix"),
    (lambda: ca.assess_sets(Y, SETS, by=["u"] * 15), "by has 15 groups for 16 cases"),
    (lambda: ca.assess_sets(Y, SETS, by=["u"] * 15 + [None]), "by is missing in 1 case"),
    (lambda: ca.assess_sets(Y, SETS, calibration=100), "need a target coverage"),
    (lambda: ca.assess_sets(Y, SETS, calibration=8, target=0.9), "Use at least 9"),
    (lambda: ca.assess_sets(Y, SETS)["covrage"], "Did you mean 'coverage'"),
    (lambda: ca.assess_sets(Y, SETS).check("coverage >= 90"), "Write 0.9 if you mean percent"),
    (lambda: ca.assess_sets(Y, SETS, calibration="100", target=0.9), "must be a whole number of cases"),
    (lambda: ca.assess_sets(Y, SETS, target="0.9"), "target must be a number between 0 and 1"),
    (lambda: ca.assess_sets(Y, SETS, separator="|"), "sets are columns of labels"),
    (lambda: ca.compare_sets(Y, {"a": SETS, "b": SETS}, separator="|"), "sets are columns of labels"),
    (lambda: ca.assess_sets([], []), "There are no cases"),
    (lambda: ca.assess_sets(["a", "b"], [*np.array(["a", "b"])]), "are text, such as 'a'"),
    (lambda: ca.compare_sets(Y, {"a": SETS}), "Two methods are compared"),
    (lambda: ca.compare_sets(Y, SETS), "Two methods are compared"),
]


@pytest.mark.parametrize(("call_", "says"), BAD, ids=[says for _, says in BAD])
def test_bad_input_is_refused(call_, says):
    with pytest.raises(InputError, match=says) as caught:
        call_()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= 300


def test_text_and_columns_are_compared():
    both = {"columns": np.eye(2, dtype=bool), "text": ["a|b", "b"]}
    assert ca.compare_sets(["a", "b"], both, separator="|").size_difference.value == -0.5


def test_lists_of_polars_are_lists():
    polars = pytest.importorskip("polars")
    lists = [["a"], ["a", "b"], []]
    found = ca.assess_sets(["a", "b", "b"], polars.Series(lists))
    assert found.to_dict() == ca.assess_sets(["a", "b", "b"], lists).to_dict()


def test_labels_that_are_never_true_are_named():
    """Such as those of text that another separator divides."""
    found = ca.assess_sets(["a", "b"], ["a|b", "b"], separator=",")
    assert found.warnings[0].text == "1 of 3 labels is not the true label of any case, such as 'a|b'."


def test_nine_calibration_cases_promise_nine_tenths():
    assert ca.assess_sets(Y, SETS, calibration=9, target=0.9).calibration_range.rank == 9


def test_a_matrix_of_sets_is_not_taken_for_scores():
    for refused in (
        lambda: ca.assess(Y, SETS),
        lambda: ca.assess(Y, y_pred=SETS),
        lambda: ca.assess_by(Y, SETS, by=Y),
    ):
        with pytest.raises(
            InputError, match=r"is a prediction set, not scores. Use ca.assess_sets\(y, sets\)"
        ):
            refused()
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    columns = {k: SETS[:, k] for k in range(3)}
    for form in (
        columns,
        SETS.tolist(),
        pd.DataFrame(columns),
        {k: pa.array(column) for k, column in columns.items()},
    ):
        with pytest.raises(InputError, match="is a prediction set"):
            ca.assess(Y, form)
    one_hot = np.eye(3, dtype=bool)[Y]
    assert ca.assess(Y, one_hot)["accuracy"].value == 1


def test_groups_and_their_least_covered():
    rows = sets()
    a = ca.assess_sets(rows["y"], rows["new"], by=rows["site"])
    assert {row.name for row in a.by_group} == {"north", "south"}
    assert a["least_covered_group"].value == min(row.coverage.value for row in a.by_group)
    assert "least_covered_group" not in ca.assess_sets(rows["y"], rows["new"]).estimates


def test_tables_are_added():
    rows = sets()
    whole = ca.assess_sets(rows["y"], rows["new"], by=rows["site"], target=0.9)
    parts = [
        ca.assess_sets(rows["y"][at], rows["new"][at], labels=LABELS, by=rows["site"][at], target=0.9)
        for at in (slice(0, 50), slice(50, None))
    ]
    both = parts[0] + parts[1]
    assert both.estimates == whole.estimates
    assert {row.name: row.coverage for row in both.by_group} == {
        row.name: row.coverage for row in whole.by_group
    }
    with pytest.raises(MergeError, match="different levels"):
        whole + ca.assess_sets(rows["y"], rows["new"], target=0.8)
    with pytest.raises(MergeError, match="One result has groups and the other has none"):
        whole + ca.assess_sets(rows["y"], rows["new"], target=0.9)


@pytest.mark.parametrize("by", [None, "site"])
def test_a_saved_assessment_is_the_same(by, tmp_path):
    rows = sets()
    by = None if by is None else rows[by]
    a = ca.assess_sets(rows["y"], rows["new"], by=by, target=0.9, calibration=200)
    a.save(tmp_path / "sets")
    loaded = ca.load(tmp_path / "sets")
    assert loaded.estimates == a.estimates
    assert loaded.by_group == a.by_group
    assert (loaded.p, loaded.calibration_range, loaded.labels) == (a.p, a.calibration_range, a.labels)
    (tmp_path / "cut.classay").write_bytes((tmp_path / "sets.classay").read_bytes()[:-30])
    with pytest.raises(FileError):
        ca.load(tmp_path / "cut.classay")


def test_smaller_sets_of_lower_coverage_are_no_gain():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 2000)
    wide = np.eye(4, dtype=bool)[y] & (rng.random((2000, 1)) < 0.95) | (rng.random((2000, 4)) < 0.3)
    narrow = wide & (rng.random((2000, 4)) < 0.9)
    c = ca.compare_sets(y, {"narrow": narrow, "wide": wide})
    assert c.size_difference.high < 0
    assert c.coverage_difference.high < 0
    assert c.sentences[-1] == "Smaller sets with a lower coverage are not an improvement."
    back = ca.compare_sets(y, {"wide": wide, "narrow": narrow})
    assert back.sentences[-1] == c.sentences[-1]
    assert back.size_difference.value == -c.size_difference.value
    same = ca.compare_sets(y, {"one": wide, "two": wide.copy()})
    assert same.size_difference.reason is not None
    assert same.coverage_difference.value == 0


def test_the_command_takes_sets_for_no_scores(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text("y,a,b\na,True,True\nb,False,True\na,True,False\n")
    assert "Use `classay sets` for sets" in refusal(
        "assess", "p.csv", "--truth", "y", "--class-scores", "a=a,b=b", "--positive", "b"
    )


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_inputs()
    text = ("sets.csv", "--truth", "y", "--set", "new", "--separator", "|")
    done = call(
        "sets",
        *text,
        "--by",
        "site",
        "--target",
        "0.9",
        "--calibration",
        "200",
        "--json",
        "a.json",
        "--save",
        "a",
    )
    assert done.exit_code == 0, done.stderr
    saved = json.loads((tmp_path / "a.json").read_text())
    assert saved["by"] == "site"
    assert saved["calibration_range"]["rank"] == 181
    matrix = call("sets", "sets.csv", "--truth", "y", "--set", "in_*", "--json", "b.json")
    assert matrix.exit_code == 0, matrix.stderr
    assert (
        json.loads((tmp_path / "b.json").read_text())["measures"]["coverage"] == saved["measures"]["coverage"]
    )
    assert "By group" in call("runs", "a.classay").stdout
    two = call("sets", *text, "--set", "old")
    assert two.exit_code == 0, two.stderr
    assert "new minus old" in two.stdout
    failed = call("sets", *text, "--require", "coverage.low >= 0.95")
    assert failed.exit_code == 1
    assert "--set" in refusal("sets", "sets.csv", "--truth", "y")
    assert call("sets", *text, "--set", "old", "--by", "site").exit_code == 2


@pytest.mark.parametrize("target", [0, 1, 1.5, -1, float("nan")])
@pytest.mark.parametrize("calibration", [None, 20])
def test_a_target_is_a_share(target, calibration):
    with pytest.raises(InputError, match="between 0 and 1"):
        ca.assess_sets(Y, SETS, target=target, calibration=calibration)


def test_the_sure_rank_is_the_least_of_any_number_of_calibration_cases():
    from scipy.stats import beta

    for n in (9, 29, 57, 200, 1000):
        below = [beta.cdf(0.9, k, n + 1 - k) for k in range(1, n + 1)]
        sure = next((k for k, share in enumerate(below, 1) if share <= 0.05), None)
        assert calibration_range(n, 0.9).sure_rank == sure
    assert calibration_range(10**12, 0.9).sure_rank > 9 * 10**11


def test_true_labels_are_no_sets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sets.csv").write_text("y,s\na,a|b\nb,b\n")
    assert "the same column 'y'" in refusal(
        "sets", "sets.csv", "--truth", "y", "--set", "y", "--separator", "|"
    )


def test_sets_without_text_are_counted_in_every_split():
    y, text = ["a", "b"] * 5, ["a", "", None, "b", "a|b", "a", None, "", None, "b"]
    whole = ca.assess_sets(y, text, separator="|")
    assert whole.n_blank == sum(each is None for each in text)
    for at in range(2, 9):
        parts = [
            ca.assess_sets(y[rows], text[rows], separator="|", labels=["a", "b"])
            for rows in (slice(at), slice(at, None))
        ]
        for both in (parts[0] + parts[1], parts[1] + parts[0]):
            assert (both.n_blank, both.estimates) == (whole.n_blank, whole.estimates)
            assert both.warnings[0] == whole.warnings[0]
