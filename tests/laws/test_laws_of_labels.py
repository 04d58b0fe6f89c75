"""Laws of labels: text and numbers never meet, an order is one that somebody gave, and every door says the same."""

import datetime
import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn.metrics as skm
from hypothesis import given, settings
from hypothesis import strategies as st

import classay as ca
from classay.columns import Labels, code_labels
from classay.columns.coding import hash_column, id_column
from classay.errors import InputError, MergeError
from classay.measures import get
from classay.sources.files import read_table, read_tables
from classay.tables import ConfusionMatrix, PairedTable

GRADES = ("low", "mid", "high")  # sorted by alphabet they are high, low, mid
RNG = np.random.default_rng(5)
TRUE = RNG.integers(0, 3, 40)
CALLED = np.clip(TRUE + RNG.integers(-1, 2, 40), 0, 2)
NAMED = {"truth": "y", "prediction": "p"}
ORDINAL = ("linear_kappa", "quadratic_kappa", "mean_absolute_error")
WANTED = {
    "linear_kappa": skm.cohen_kappa_score(TRUE, CALLED, weights="linear"),
    "quadratic_kappa": skm.cohen_kappa_score(TRUE, CALLED, weights="quadratic"),
    "mean_absolute_error": skm.mean_absolute_error(TRUE, CALLED),
}


def texts(codes):
    return [GRADES[code] for code in codes]


def frame(codes, called):
    def column(each):
        return pd.Categorical.from_codes(each, GRADES, ordered=True)

    return pd.DataFrame({"y": column(codes), "p": column(called)})


def plain(rows=slice(None), **how):
    return ca.assess(texts(TRUE[rows]), y_pred=texts(CALLED[rows]), **how)


# --- an order


def doors(folder):
    """The same rows, with their order, through every door."""
    given = {"labels": GRADES, "ordered": True}
    whole, parts = frame(TRUE, CALLED), [frame(TRUE[at], CALLED[at]) for at in (slice(0, 15), slice(15, 40))]
    yield "frame", ca.assess(whole, **NAMED)
    yield "declared", plain(**given)
    yield "added", parts_of(parts)
    yield "declared part", plain(slice(0, 15), **given) + plain(slice(15, 40))
    yield "clusters", parts_of(parts, cluster=True)
    ca.assess(whole, **NAMED).save(folder / "a.classay")
    yield "saved", ca.load(folder / "a.classay")


def parts_of(parts, *, cluster=False):
    made = [
        ca.assess(each, **NAMED, cluster=np.arange(len(each)) + 100 * i if cluster else None)
        for i, each in enumerate(parts)
    ]
    return made[0] + made[1]


def test_an_order_goes_through_every_door(tmp_path):
    for door, a in doors(tmp_path):
        assert a.labels == GRADES, door
        assert Labels.of(a.labels).is_given, door
        for name, wanted in WANTED.items():
            assert a[name].value == pytest.approx(wanted), (door, name)


def test_comparisons_and_tables_keep_an_order():
    y, called, other = texts(TRUE), texts(CALLED), texts(TRUE)
    given = {"labels": GRADES, "ordered": True}
    found = ca.compare(y_true=y, y_pred={"a": called, "b": other}, measures=["quadratic_kappa"], **given)
    assert found[0].effect.value == pytest.approx(WANTED["quadratic_kappa"] - 1)
    frame_of = frame(TRUE, CALLED)
    found = ca.compare(
        y_true=frame_of["y"], y_pred={"a": frame_of["p"], "b": frame_of["y"]}, measures=["linear_kappa"]
    )
    assert found[0].effect.value == pytest.approx(WANTED["linear_kappa"] - 1)
    matrix = ConfusionMatrix.from_labels(y, called, **given)
    paired = PairedTable.from_labels(y, called, other, **given)
    for each in (matrix, matrix.restrict(matrix.labels), paired.first, (paired + paired).first):
        assert get("quadratic_kappa")(each) == pytest.approx(WANTED["quadratic_kappa"])


def test_without_an_order_there_is_no_ordinal_measure():
    shares = np.full((40, 3), 1 / 3)
    for a in (plain(), plain(labels=GRADES), plain(slice(0, 20)) + plain(slice(20, 40))):
        for name in ORDINAL:
            assert np.isnan(a[name].value)
            assert "need a declared order" in a[name].reason
            assert "--order" in a[name].reason
    scored = ca.assess(texts(TRUE), shares, labels=GRADES)
    assert "need a declared order" in scored["ranked_probability_score"].reason
    scored = ca.assess(texts(TRUE), shares, labels=GRADES, ordered=True)
    assert scored["ranked_probability_score"].value == pytest.approx(
        np.mean([(1 / 3) ** 2 + (1 / 3) ** 2 if t == 1 else (1 / 3) ** 2 + (2 / 3) ** 2 for t in TRUE]) / 2
    )
    for called in (
        TRUE / 2 + 0.25,
        TRUE.astype(str),
    ):  # numbers that are not whole, and their texts, have none
        assert np.isnan(ca.assess(called, y_pred=called)["quadratic_kappa"].value)
    with pytest.raises(InputError, match="needs all labels in their order"):
        plain(ordered=True)


def test_whole_numbers_have_their_order_and_say_so():
    a = ca.assess(TRUE, y_pred=CALLED)
    assert a["quadratic_kappa"].value == pytest.approx(WANTED["quadratic_kappa"])
    assert "0 < 1 < 2, from the numbers" in " ".join(str(a).split())
    assert "one step" not in str(a)
    gap = ca.assess([0, 1, 3], y_pred=[0, 3, 3])
    assert "1 to 3 is one step" in " ".join(str(gap).split())
    assert gap["mean_absolute_error"].value == pytest.approx(1 / 3)
    assert ca.assess([0, 1, 3], y_pred=[0, 3, 3], labels=range(4))[
        "mean_absolute_error"
    ].value == pytest.approx(2 / 3)
    assert np.isnan(ca.assess(TRUE, y_pred=CALLED, labels=[2, 0, 1])["quadratic_kappa"].value)
    other = ca.assess(TRUE, y_pred=CALLED, labels=[2, 0, 1], ordered=True)["quadratic_kappa"].value
    moved = np.array([1, 2, 0])
    assert other == pytest.approx(skm.cohen_kappa_score(moved[TRUE], moved[CALLED], weights="quadratic"))
    two = ca.assess(TRUE > 0, y_pred=CALLED > 0)
    assert two["quadratic_kappa"].value == pytest.approx(two["cohen_kappa"].value)


def test_the_sequence_of_an_order_counts_not_its_direction():
    backwards = plain(labels=GRADES[::-1], ordered=True)
    for name in ORDINAL:
        assert backwards[name].value == pytest.approx(WANTED[name])


def test_an_order_that_contradicts_the_categories_is_refused():
    data = frame(TRUE, CALLED)
    for order in (GRADES[::-1], ("low", "high", "mid")):
        given = {"labels": order, "ordered": True}
        for call in (
            lambda given=given: ca.assess(data, **NAMED, **given),
            lambda given=given: ca.compare(
                y_true=data["y"], y_pred={"a": data["p"], "b": data["y"]}, measures=["linear_kappa"], **given
            ),
        ):
            with pytest.raises(
                InputError, match=r"contradicts the order of the categories of .*'low', 'mid'"
            ):
                call()
    for labels in (GRADES, ("worst", *GRADES)):
        assert ca.assess(data, **NAMED, labels=labels, ordered=True).labels == labels
    assert ca.assess(data, **NAMED, labels=GRADES[::-1])["linear_kappa"].is_undefined  # no order of its own


def test_orders_that_lack_a_label_or_repeat_one_are_refused():
    for order, words in (
        (GRADES[:2], "contains labels that are not declared: 'high'"),
        ((*GRADES, "mid"), "contains 'mid' twice"),
    ):
        with pytest.raises(InputError, match=words):
            plain(labels=order, ordered=True)


def orders_of(line):
    return Labels(line, "categories")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from("abcdef"), max_size=5, unique=True), st.permutations("abcdef"))
def test_orders_unite_in_one_way_or_are_refused(some, line):
    """The sequence that unites two orders is the one that all permutations allow which keep both."""
    other = [each for each in line if each in set("abcd")]
    one, two = orders_of(some), orders_of(other)
    names = sorted({*some, *other})

    def keeps(sequence, order):
        return [each for each in sequence if each in {*order}] == [*order]

    allowed = [each for each in itertools.permutations(names) if keeps(each, some) and keeps(each, other)]
    if len(allowed) == 1:
        assert (one | two) == (two | one) == allowed[0]
        assert (one | two).is_given
    else:
        for left, right in ((one, two), (two, one)):
            with pytest.raises(MergeError, match="do not determine" if allowed else "contradict"):
                left | right


def test_an_order_takes_in_what_has_none_if_it_has_a_place():
    order, inside, outside = Labels(GRADES, "declared"), Labels(("low", "high")), Labels(("low", "top"))
    assert (order | inside).source == (inside | order).source == "declared"
    assert (order | inside) == (inside | order) == GRADES
    for left, right in ((order, outside), (outside, order)):
        with pytest.raises(MergeError, match="does not include 'top'"):
            left | right


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True), min_size=3, max_size=3)
)
def test_labels_without_an_order_unite_in_any_sequence_of_parts(parts):
    a, b, c = map(Labels, parts)
    assert (a | b) | c == a | (b | c) == (c | a) | b


# --- kinds


def test_text_and_numbers_never_meet():
    numbers = {"y": [1, 2, 3, 1], "p": [1, 2, 1, 1]}
    written = {name: [*map(str, column)] for name, column in numbers.items()}
    a, b = (ca.assess(each["y"], y_pred=each["p"]) for each in (numbers, written))
    pairs = [(a, b), (b, a), (a.confusion_matrix, b.confusion_matrix)]
    given = {"cluster": [1, 1, 2, 3]}, {"cluster": ["1", "1", "2", "3"]}
    pairs.append(tuple(ca.assess(numbers["y"], y_pred=numbers["p"], **each) for each in given))
    for one, other in pairs:
        with pytest.raises(MergeError, match="text such as"):
            one + other
    assert ca.assess([True, False], y_pred=[True, False]) + ca.assess([1, 0], y_pred=[0, 0])


def test_dates_and_times_never_meet():
    dates = [datetime.date(2024, 1, 30), datetime.date(2024, 1, 31)] * 2
    times = [datetime.datetime.combine(day, datetime.time()) for day in dates]
    for one, other in ((dates, times), (times, dates)):
        with pytest.raises(InputError, match=r"dates such as .*times such as|times such as .*dates such as"):
            ca.assess(one, y_pred=other, positive=one[0])
        a, b = (ca.assess(each, y_pred=each, positive=each[0]) for each in (one, other))
        with pytest.raises(MergeError, match=r"Convert one of them|assess both alike|Assess both"):
            a + b
    assert ca.assess(times, y_pred=np.array(times, "datetime64[s]"), positive=times[0])["accuracy"].value == 1


def test_columns_of_a_file_are_typed_together(tmp_path):
    (tmp_path / "a.csv").write_text("y,p\n1,1\n2,2\nx,1\n")
    (tmp_path / "b.csv").write_text("y,p\n1,1\n2,2\n1,1\n")
    how = {"labels": ["y", "p"], "together": ["y", "p"]}
    one, two = read_tables([(tmp_path / f"{name}.csv", ["y", "p"]) for name in "ab"], **how)
    assert one["p"].to_pylist() == [*two["p"].to_pylist()[:2], "1"] == ["1", "2", "1"]
    assert read_table(tmp_path / "b.csv", **how)["p"].to_pylist() == [1, 2, 1]


@pytest.mark.parametrize("names", [("a", "b", "id"), (0, 1, 7)])
def test_a_column_too_many_is_no_class(names):
    table = pd.DataFrame({str(name): [0.5, 0.3, 0.2] for name in names})
    truth = [names[0], names[1], names[0]]
    with pytest.raises(InputError, match=f"{names[2]!s}'? do not match"):
        ca.assess(truth, table, positive=names[1])
    assert ca.assess(truth, table, labels=names).labels == names


def test_scalars_of_arrow_are_what_they_hold():
    coded = code_labels([pa.scalar("a"), pa.scalar(None, pa.string()), pa.scalar("b")], "truth")
    assert (coded.labels, coded.missing) == (("a", "b"), 1)


def test_times_finer_than_python_has_are_not_merged():
    with pytest.raises(InputError, match="finer than a microsecond"):
        code_labels(pa.array([1, 2, 3], pa.time64("ns")), "truth")
    assert len(code_labels(pa.array([1000, 2000, 3000], pa.time64("ns")), "truth").labels) == 3


def test_a_large_id_changes_no_other(tmp_path):
    large = 2**63 + 5
    forms = [[1, 2, large], np.array([1, 2, large], np.uint64), pa.array([1, 2, large], pa.uint64())]
    (tmp_path / "a.csv").write_text(f"i\n1\n2\n{large}\n")
    forms.append(read_table(tmp_path / "a.csv", labels=["i"])["i"])
    short = hash_column([1, 2], "id").tolist()
    for each in forms:
        assert hash_column(each, "id").tolist()[:2] == short
        assert [int(value) for value in id_column(each, "id").to_pylist()] == [1, 2, large]
    assert hash_column([-1], "id") != hash_column(np.array([2**64 - 1], np.uint64), "id")


@pytest.mark.parametrize("depth", [1, 49, 50, 60])
def test_what_is_assessed_can_be_saved(tmp_path, depth):
    label = "a"
    for _ in range(depth):
        label = (label,)
    rows = [label, "b", "b"], [label, "b", label]
    if depth >= 50:
        with pytest.raises(InputError, match="nested tuples"):
            ca.assess(rows[0], y_pred=rows[1], positive="b")
        return
    ca.assess(rows[0], y_pred=rows[1], positive="b").save(tmp_path / "a.classay")
    assert label in ca.load(tmp_path / "a.classay").labels


def test_scores_of_classes_keep_the_order_of_one_part():
    shares = RNG.dirichlet((1, 1, 1), 40)
    made = [
        ca.assess(texts(TRUE[at]), shares[at], labels=GRADES, ordered=ordered)
        for at, ordered in ((slice(0, 20), False), (slice(20, 40), True))
    ]
    whole = ca.assess(texts(TRUE), shares, labels=GRADES, ordered=True)
    for a in (made[0] + made[1], made[1] + made[0]):
        for name in ("ranked_probability_score", "quadratic_kappa"):
            assert a[name].value == pytest.approx(whole[name].value)


@pytest.mark.wings("resampling")
def test_an_evaluation_keeps_the_order_of_its_target(tmp_path):
    from sklearn.tree import DecisionTreeClassifier

    X = np.stack([TRUE + RNG.normal(size=40), CALLED], 1)
    how = {"protocol": ca.StratifiedKFold(2), "measures": ["quadratic_kappa"]}
    tree = DecisionTreeClassifier(random_state=0)
    numbers, named, unnamed = (
        ca.evaluate(tree, X, y, **how) for y in (TRUE, frame(TRUE, CALLED)["y"], np.array(texts(TRUE)))
    )
    named.save(tmp_path / "e.classay")
    for each in (named, ca.load(tmp_path / "e.classay")):
        assert each["quadratic_kappa"].value == pytest.approx(numbers["quadratic_kappa"].value)
    assert np.isnan(unnamed["quadratic_kappa"].value)
