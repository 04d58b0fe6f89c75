"""Columns that are not what they are taken for are told at every door, by one function, and others pass in silence."""

import numpy as np
import pytest

import classay as ca
from classay.columns.repeats import repeated_ids
from classay.warned import OF_MODELS, Warned, gathered
from command import call


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng, y, np.round(1 / (1 + np.exp(-rng.normal(2 * y - 1, 1.5))), 3)


def codes(result):
    return [each.code for each in result.warnings]


def of_columns(result):
    return {each.code for each in result.warnings} & OF_MODELS


def test_a_warning_unpacks_as_code_and_text():
    code, text = Warned("note", "slow.", ("new",))
    assert (code, text) == ("note", "slow.")
    assert dict([Warned("note", "slow.")]) == {"note": "slow."}
    with pytest.raises(AttributeError):
        Warned("note", "slow.").code = "other"


def test_many_models_are_told_once():
    found = gathered({f"m{i}": [Warned("note", "slow.")] for i in range(200)})
    assert [each.code for each in found] == ["note"]
    assert len(found[0].concerns) == 200
    assert "more models" in found[0].text


# --- every door warns of what assess warns of


@pytest.mark.wings("multilabel")
def test_tags_are_told_at_their_doors():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, (300, 3))
    scores = np.clip(0.4 * truth + 0.6 * rng.random((300, 3)), 0, 1)
    turned = scores.copy()
    turned[:, 1] = 1 - turned[:, 1]
    a = ca.assess(truth, turned, labels=["x", "y", "z"])
    assert a.warnings[0] == Warned("class_auc_below_half", a.warnings[0].text, ("y",))
    found = ca.compare({"old": scores, "new": turned}, truth, labels=["x", "y", "z"])
    assert [(each.code, each.concerns) for each in found.warnings] == [("class_auc_below_half", ("new",))]
    assert "class_auc_below_half" in codes(a.threshold(maximize="f1"))


# --- labels that are not written alike


def test_quotes_are_named():
    _rng, y, _ = rows()
    truth = np.where(y, "ill", "not ill")
    said = [f"'{each}'" if each == "not ill" else each for each in truth]
    a = ca.assess(truth, y_pred=said)
    warned = a.warnings[0]
    assert warned.code == "written_otherwise"
    assert "only in quotes" in warned.text
    found = ca.compare(y_pred={"new": said, "old": truth}, y_true=truth)
    assert next((each.code, each.concerns) for each in found.warnings) == ("written_otherwise", ("new",))
    assert "written_otherwise" not in codes(ca.assess(truth, y_pred=truth, positive="ill"))


@pytest.mark.parametrize("by", [1, -1])
def test_a_shift_of_codes_is_named_whatever_the_side(by):
    y = np.arange(200) % 4 + 5
    assert codes(ca.assess(y, y_pred=y + by))[0] == "shifted_codes"
    found = ca.compare(y_pred={"a": y, "b": y + by}, y_true=y)
    assert [each.concerns for each in found.warnings if each.code == "shifted_codes"] == [("b",)]
    rare = np.where(np.arange(200) == 7, 9, y)  # one wrong answer of an unknown class is no shift
    assert "shifted_codes" not in codes(ca.assess(y, y_pred=rare))
    with pytest.raises(ca.InputError, match="Shift one of the two by 1"):
        ca.assess([0, 1, 1, 0], y_pred=[1, 2, 2, 1], positive=1)


def test_no_shared_label_is_told():
    a = ca.assess(["a", "b"] * 20, y_pred=["x", "y"] * 20)
    assert codes(a)[0] == "no_shared_label"


@pytest.mark.parametrize(("labels", "told"), [([0, 1, 2, -1], True), ([0, 1, -100], True), ([-1, 1], False)])
def test_codes_of_no_label(labels, told):
    truth = np.array(labels * 20)
    a = ca.assess(truth, y_pred=truth, positive=1 if len(labels) == 2 else None)
    assert ("no_label_codes" in codes(a)) == told
    if told:
        assert "often means 'no label'" in dict(a.warnings)["no_label_codes"]
        assert (
            "(20 cases as true label and 20 cases as predicted label)" in dict(a.warnings)["no_label_codes"]
        )


# --- labels that contradict the scores


def brute_force(score, called):
    positive, negative = score[called == 1], score[called == 0]
    return int((positive[:, None] < negative).sum()), positive.size * negative.size


def test_labels_that_contradict_scores():
    rng, y, p = rows(120)
    called = rng.integers(0, 2, 120)
    a = ca.assess(y, p, y_pred=called)
    assert (a.reversed_pairs, a.compared_pairs) == brute_force(p, called)
    assert codes(a)[0] == "labels_contradict_scores"
    turned = ca.assess(y, p, y_pred=(p < 0.5).astype(int))
    assert "100% of pairs" in dict(turned.warnings)["labels_contradict_scores"]
    right = ca.assess(y, p, y_pred=(p >= 0.3).astype(int))
    assert right.reversed_pairs == 0
    assert "labels_contradict_scores" not in codes(right)
    found = ca.compare({"a": p, "b": p}, y, y_pred={"a": called, "b": (p >= 0.5).astype(int)})
    assert [each.concerns for each in found.warnings if each.code == "labels_contradict_scores"] == [("a",)]


def test_pairs_do_not_depend_on_form_of_the_rows(tmp_path):
    rng, y, p = rows(60)
    called, times = rng.integers(0, 2, 60), rng.integers(1, 4, 60)
    repeated = [np.repeat(each, times) for each in (y, p, called)]
    counted = ca.assess(y, p, y_pred=called, frequency=times)
    listed = ca.assess(repeated[0], repeated[1], y_pred=repeated[2])
    assert (counted.reversed_pairs, counted.compared_pairs) == (listed.reversed_pairs, listed.compared_pairs)
    order = rng.permutation(60)
    assert (
        ca.assess(y[order], p[order], y_pred=called[order]).reversed_pairs
        == ca.assess(y, p, y_pred=called).reversed_pairs
    )
    a = ca.assess(np.where(y, "ill", "well"), p, y_pred=np.where(called, "ill", "well"), positive="ill")
    assert a.reversed_pairs == ca.assess(y, p, y_pred=called).reversed_pairs
    a.save(tmp_path / "a")
    assert ca.load(tmp_path / "a.classay").warnings == a.warnings
    both = ca.assess(y[:30], p[:30], y_pred=called[:30]) + ca.assess(y[30:], p[30:], y_pred=called[30:])
    assert 0 < both.reversed_pairs < both.compared_pairs


def test_of_several_classes_pairs_lie_within_a_case():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 90)
    scores = rng.dirichlet([1, 1, 1], 90)
    right = ca.assess(y, scores, y_pred=scores.argmax(1))
    assert right.reversed_pairs == 0
    wrong = ca.assess(y, scores, y_pred=scores.argmin(1))
    assert wrong.reversed_pairs == wrong.compared_pairs == 180
    assert "labels_contradict_scores" in codes(wrong)
    shifted = scores + rng.normal(0, 9, (90, 1))  # a constant a row changes no order
    assert ca.assess(y, shifted, y_pred=scores.argmin(1)).reversed_pairs == 180


# --- which column is which class


def test_exchanged_columns_are_told_first():
    _, y, p = rows()
    truth = np.where(y, "bad", "good")
    a = ca.assess(truth, np.c_[1 - p, p], positive="bad")  # as the sorted labels are bad, good
    assert codes(a)[0] == "exchanged_columns"
    assert "auc_below_half" not in codes(a)
    assert "labels=['good', 'bad']" in a.warnings[0].text
    assert "sorted order of the labels" in str(a)
    right = ca.assess(truth, np.c_[p, 1 - p], positive="bad")
    assert "exchanged_columns" not in codes(right)
    assert "score columns" in dict(right.document().facts)
    for declared in (
        ca.assess(truth, np.c_[1 - p, p], positive="bad", labels=["good", "bad"]),
        ca.assess(truth, {"good": 1 - p, "bad": p}, positive="bad"),
        ca.assess(y, np.c_[1 - p, p]),
    ):
        assert not declared.sorted_columns
        assert not of_columns(declared)
    found = ca.compare({"a": np.c_[p, 1 - p], "b": np.c_[1 - p, p]}, truth, positive="bad")
    assert [(each.code, each.concerns) for each in found.warnings] == [("exchanged_columns", ("b",))]
    assert "score columns" in dict(found.facts)
    chance = ca.assess(truth, np.c_[1 - p, p][np.random.default_rng(2).permutation(len(y))], positive="bad")
    assert "exchanged_columns" not in codes(chance)


# --- repeats taken for independent cases


def epochs(questions=12, times=3, seed=0):
    rng = np.random.default_rng(seed)
    n = questions * times
    return {
        "id": np.tile(np.arange(questions), times),
        "epoch": np.repeat(np.arange(times), questions),
        "y": np.arange(n) % 2,
        "p": rng.random(n),
        "q": rng.random(n),
    }


def test_repeats_survive_a_file(tmp_path):
    a = ca.assess(epochs(), truth="y", score="p")
    a.save(tmp_path / "a")
    assert ca.load(tmp_path / "a.classay").warnings == a.warnings


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_repeats_in_any_frame(library):
    frame = epochs()
    if library == "pyarrow":
        import pyarrow as pa

        made = pa.table(frame)
    else:
        made = pytest.importorskip(library).DataFrame(frame)
    assert "repeated_ids" in codes(ca.assess(made, truth="y", score="p"))


def test_the_index_of_a_series_that_is_named_as_ids_are():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(epochs()).set_index("id")
    assert "repeated_ids" in codes(ca.assess(frame["y"], frame["p"]))
    folds = pd.concat([frame.reset_index(drop=True)] * 3)  # whose index counts anew, and names nothing
    assert "repeated_ids" not in codes(ca.assess(folds["y"], folds["p"]))


@pytest.mark.parametrize(
    "column",
    [
        np.arange(36),  # each once
        np.arange(36) % 2,  # groups
        np.r_[np.zeros(20), np.arange(16)],  # a group
        np.r_[np.arange(34), 0, 1],  # copies by a slip
        [None] * 36,
    ],
)
def test_what_are_no_repeats(column):
    assert repeated_ids({"id": column}) is None
    frame = epochs() | {"id": column}
    assert "repeated_ids" not in codes(ca.assess(frame, truth="y", score="p"))


@pytest.mark.parametrize("values", [36, 35, 2, 1])
def test_a_column_that_is_named_as_ids_repeats_none(values, tmp_path):
    """Whether few ids repeat by a slip, or the column is one of groups: the number of values is said at every door."""
    frame = epochs() | {"nr": np.arange(36) % values}
    y, p = (np.asarray(frame[name])[:36] for name in "yp")
    frame = {"y": y, "p": p, "nr": frame["nr"]}
    (tmp_path / "rows.csv").write_text(
        "y,p,nr\n" + "".join(f"{a},{b},{c}\n" for a, b, c in zip(*frame.values(), strict=True))
    )
    command = call("assess", str(tmp_path / "rows.csv"), "--truth", "y", "--score", "p", "--id", "nr")
    texts = [
        [text for code, text in a.warnings if code == "repeated_ids"]
        for a in (ca.assess(frame, truth="y", score="p", id="nr"), ca.assess(y, p, id=frame["nr"]))
    ]
    said = f"36 rows have {values} values of " if values < 36 else ""
    assert all(len(each) == (values < 36) and said in "".join(each) for each in texts)
    assert ("36 rows have" in command.stdout) == (values < 36)
    assert said in command.stdout


def test_patients_with_different_numbers_of_rows_are_repeated():
    """Visits are seldom as many for each patient; however rows and values are renamed, the finding is the same."""
    patients = np.random.default_rng(0).integers(0, 60, 120)
    found = ("id", np.unique(patients).size)
    assert repeated_ids({"id": patients}) == found
    assert repeated_ids({"id": [f"P{k}" for k in patients[::-1]]}) == found


@pytest.mark.parametrize("score", [lambda y: 0.8 * y + 0.1, lambda y: 0.9 - 0.8 * y, lambda y: 0 * y + 0.5])
@pytest.mark.parametrize("how", [{"id": "id"}, {"cluster": "id"}])
def test_warnings_on_clusters_are_said_whatever_else_is_unreadable(score, how):
    """Leaks, reversed and constant scores say nothing of how cases depend: what is said of clusters stays."""
    y = np.tile([0, 1] * 10, 10)
    p = score(y) + 1e-3 * np.arange(200) / 200
    frame = {"id": np.tile(np.arange(20), 10), "y": y, "p": p}
    a = ca.assess(frame, truth="y", score="p", **how)
    code = "repeated_ids" if "id" in how else "few_clusters"
    assert code in [each.code for each in a.warnings]
    said = "treat all rows as independent cases" if "id" in how else "unreliable below 30 clusters"
    assert said in a.to_markdown()


@pytest.mark.parametrize(
    ("truth", "score"), [([1, 1], [0.2, 0.3]), ([0, 0], [0.8, 0.7]), ([1, 1, 1], [0.9, 0.8, 0.6])]
)
def test_labels_of_a_threshold_are_those_of_the_truth(truth, score):
    """Where all cases are of one class and called the other, nobody took one code for another."""
    codes = {"shifted_codes", "no_shared_label"}
    a = ca.assess(truth, score, labels=[0, 1])
    assert not codes & {warning.code for warning in a.warnings}
    given = ca.assess([1, 2, 1, 2], y_pred=[0, 1, 0, 1], labels=[0, 1, 2])
    assert codes & {warning.code for warning in given.warnings}
