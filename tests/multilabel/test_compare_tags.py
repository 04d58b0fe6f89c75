"""Models that give several labels a case, compared: laws, oracles, doors, and what is refused."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import metrics as sk

import classay as ca
from classay.answers import REFUSE
from classay.comparison.cases.model_columns import Rows
from classay.comparison.gate_rules import Verdict
from classay.errors import InputError
from classay.measures import get
from classay.multilabel.tag_measures import of_tags
from classay.multilabel.tag_panel import tag_panel_from
from samples import tag_rows

N, TAGS = 80, ("ant", "bee", "cat", "dog")
Y, NEW = tag_rows(np.random.default_rng(4), N, 4)
OLD = np.clip(NEW + np.random.default_rng(5).normal(0, 0.3, NEW.shape), 0, 1)
OF_LABELS = {
    "micro_f1": lambda y, p, w: sk.f1_score(y, p, average="micro", sample_weight=w),
    "macro_f1": lambda y, p, w: sk.f1_score(y, p, average="macro", sample_weight=w),
    "weighted_f1": lambda y, p, w: sk.f1_score(y, p, average="weighted", sample_weight=w),
    "micro_jaccard": lambda y, p, w: sk.jaccard_score(y, p, average="micro", sample_weight=w),
    "macro_precision": lambda y, p, w: sk.precision_score(y, p, average="macro", sample_weight=w),
    "weighted_recall": lambda y, p, w: sk.recall_score(y, p, average="weighted", sample_weight=w),
    "hamming_loss": lambda y, p, w: sk.hamming_loss(y, p, sample_weight=w),
    "exact_match": lambda y, p, w: sk.accuracy_score(y, p, sample_weight=w),
}
OF_SCORES = {
    "micro_roc_auc": lambda y, s, w: sk.roc_auc_score(y, s, average="micro", sample_weight=w),
    "macro_roc_auc": lambda y, s, w: sk.roc_auc_score(y, s, average="macro", sample_weight=w),
    "weighted_roc_auc": lambda y, s, w: sk.roc_auc_score(y, s, average="weighted", sample_weight=w),
    "micro_average_precision": lambda y, s, w: sk.average_precision_score(
        y, s, average="micro", sample_weight=w
    ),
    "macro_average_precision": lambda y, s, w: sk.average_precision_score(
        y, s, average="macro", sample_weight=w
    ),
}
EVERY = [*OF_LABELS, *OF_SCORES, "samples_f1", "samples_precision", "ranking_loss", "coverage_error"]
ONE_TAG = ["recall[cat]", "f1[cat]", "roc_auc[cat]", "average_precision[cat]", "brier_score[cat]"]


def compared(models=None, truth=Y, measures=EVERY, **how):
    models = {"new": NEW, "old": OLD} if models is None else models
    return ca.compare(models, truth, labels=TAGS, measures=measures, **how)


def panel_of(**given):
    rows = dict.fromkeys(Rows.__annotations__) | {"y_true": Y, "labels": TAGS} | given
    return tag_panel_from({"new": NEW, "old": OLD}, rows, REFUSE)


def numbers(one):
    return [*one.values, one.effect.value, one.effect.low, one.effect.high, one.p]


def alike(found, other, tolerance=1e-9):
    assert [one.measure for one in found] == [one.measure for one in other]
    for one, two in zip(found, other, strict=True):
        assert numbers(one) == pytest.approx(numbers(two), rel=tolerance, abs=tolerance), one.measure
    return True


# -- oracles -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*OF_LABELS, *OF_SCORES])
def test_influences_are_derivatives_by_the_weight_of_each_case(name):
    """scikit-learn's measure with a little more weight of one case."""
    value, influence = panel_of().on_rows("new", of_tags(get(name)))
    of, said = (OF_LABELS[name], NEW >= 0.5) if name in OF_LABELS else (OF_SCORES[name], NEW)
    assert value == pytest.approx(of(Y, said, None))
    step = 1e-5
    for row in range(0, N, 7):
        weight = np.ones(N)
        up, down = weight.copy(), weight.copy()
        up[row] += step
        down[row] -= step
        wanted = (of(Y, said, up) - of(Y, said, down)) / (2 * step)
        assert influence[row] == pytest.approx(wanted, abs=2e-8)
    assert influence.sum() == pytest.approx(0, abs=1e-10)


def test_the_standard_error_is_that_of_resamples():
    rng = np.random.default_rng(1)
    panel = panel_of()
    for name in ("macro_f1", "micro_roc_auc"):
        of = OF_LABELS.get(name) or OF_SCORES[name]
        said = [each >= 0.5 if name in OF_LABELS else each for each in (NEW, OLD)]
        drawn = [rng.integers(0, N, N) for _ in range(150)]
        apart = [of(Y[i], said[0][i], None) - of(Y[i], said[1][i], None) for i in drawn]
        first, second = (panel.on_rows(model, of_tags(get(name)))[1] for model in ("new", "old"))
        assert np.sqrt(((first - second) ** 2).sum()) == pytest.approx(np.std(apart), rel=0.15)


def test_one_tag_is_two_classes():
    """A measure of one tag is compared as the two classes that it makes."""
    found = compared(measures=ONE_TAG)
    alone = ca.compare(
        {"new": NEW[:, 2], "old": OLD[:, 2]}, Y[:, 2], measures=[each.split("[")[0] for each in ONE_TAG]
    )
    for one, two in zip(found, alone, strict=True):
        assert numbers(one) == pytest.approx(numbers(two))
        assert one.method == two.method


def test_exact_match_has_mcnemars_test():
    right = {name: ((each >= 0.5) == Y).all(1).astype(int) for name, each in (("new", NEW), ("old", OLD))}
    alone = ca.compare(y_pred=right, y_true=np.ones(N, int), labels=[0, 1], measures=["accuracy"])
    found = compared(measures=["exact_match"])
    assert numbers(found[0]) == pytest.approx(numbers(alone[0]))
    assert found[0].method == "McNemar, mid-P"


# -- laws --------------------------------------------------------------------------------------------


def test_models_that_change_places_change_the_sign():
    for how in ({}, {"cluster": np.arange(N) // 4}, {"weight": np.linspace(1, 2, N)}):
        found = compared(measures=[*EVERY, *ONE_TAG], **how)
        turned = compared({"old": OLD, "new": NEW}, measures=[*EVERY, *ONE_TAG], **how)
        for one, two in zip(found, turned, strict=True):
            assert one.effect.value == -two.effect.value
            assert (one.effect.low, one.effect.high) == pytest.approx((-two.effect.high, -two.effect.low))
            assert one.p == pytest.approx(two.p)


def test_the_order_of_cases_and_of_tags_says_nothing():
    rows, columns = np.random.default_rng(0).permutation(N), [2, 0, 3, 1]
    found = compared(measures=[*EVERY, *ONE_TAG])
    by_row = compared({"new": NEW[rows], "old": OLD[rows]}, Y[rows], [*EVERY, *ONE_TAG])
    assert alike(found, by_row)
    by_tag = ca.compare(
        {"new": NEW[:, columns], "old": OLD[:, columns]},
        Y[:, columns],
        labels=[TAGS[i] for i in columns],
        measures=[*EVERY, *ONE_TAG],
    )
    assert alike(found, by_tag)


def test_frequencies_are_repeated_rows_and_equal_weights_are_none():
    times = np.arange(N) % 3
    rows = np.repeat(np.arange(N), times)
    every = [*EVERY, *ONE_TAG]
    repeated = compared({"new": NEW[rows], "old": OLD[rows]}, Y[rows], every)
    assert alike(compared(measures=every, frequency=times), repeated)
    found, weighted = compared(), compared(weight=np.full(N, 2.5))
    for one, two in zip(found, weighted, strict=True):
        if one.measure != "exact_match":
            assert one.effect.value == pytest.approx(two.effect.value)
            assert one.effect.low == pytest.approx(two.effect.low, abs=0.01)


def test_clusters_of_one_case_are_none_and_copies_tell_nothing_new():
    found = compared(measures=[*OF_SCORES, "macro_f1"])
    assert alike(found, compared(measures=[*OF_SCORES, "macro_f1"], cluster=np.arange(N)))
    twice = compared(
        {"new": np.repeat(NEW, 2, 0), "old": np.repeat(OLD, 2, 0)},
        np.repeat(Y, 2, 0),
        [*OF_SCORES, "macro_f1"],
        cluster=np.repeat(np.arange(N), 2),
    )
    assert alike(found, twice)


def test_a_model_beside_itself_is_no_other():
    for one in compared({"new": NEW, "copy": NEW.copy()}, measures=[*EVERY, *ONE_TAG]):
        assert one.effect.value == 0
        assert one.p == 1


def test_four_models_have_a_leaderboard_of_what_each_has_alone():
    models = {"a": NEW, "b": OLD, "c": NEW**2, "d": OLD**2}
    found = compared(models, measures=["micro_f1", "recall[cat]"])
    board = found.leaderboard("micro_f1")
    alone = {name: ca.assess(Y, each, labels=TAGS)["micro_f1"] for name, each in models.items()}
    for each in board.standings:
        assert (each.value.value, each.value.low) == (alone[each.model].value, alone[each.model].low)
    assert len(found.in_pairs()) == 12


# -- doors -------------------------------------------------------------------------------------------


def lists_of(scores):
    return [{tag for tag, p in zip(TAGS, row, strict=True) if p >= 0.5} for row in scores]


def frame_of():
    columns = {"case": [f"c{i}" for i in range(N)], "site": ["n", "s"] * (N // 2)}
    for i, tag in enumerate(TAGS):
        columns |= {f"y_{tag}": Y[:, i], f"new_{tag}": NEW[:, i], f"old_{tag}": OLD[:, i]}
    columns["tags"] = ["|".join(sorted(each)) for each in lists_of(Y)]
    for name, each in (("a", NEW), ("b", OLD)):
        columns[name] = ["|".join(sorted(tags)) for tags in lists_of(each)]
    return pd.DataFrame(columns)


def test_every_door_gives_the_same():
    wanted = compared(measures=["micro_f1", "hamming_loss", "recall[cat]"])
    names = ["micro_f1", "hamming_loss", "recall[cat]"]
    frame = frame_of()
    assert alike(
        wanted,
        compared({"new": sp.csr_array(NEW), "old": sp.csr_array(OLD)}, sp.csr_array(Y), names, threshold=0.5),
    )
    marks = ca.compare(y_pred={"new": NEW >= 0.5, "old": OLD >= 0.5}, y_true=Y, labels=TAGS, measures=names)
    assert alike(wanted, marks)
    assert alike(
        wanted,
        ca.compare(y_pred={"new": lists_of(NEW), "old": lists_of(OLD)}, y_true=lists_of(Y), measures=names),
    )
    columns = {"new": "new_*", "old": {tag: f"old_{tag}" for tag in TAGS}}
    assert alike(wanted, ca.compare(frame, truth="y_*", scores=columns, measures=names))
    texts = ca.compare(frame, truth="tags", predictions=["a", "b"], separator="|", measures=names)
    assert alike(wanted, texts)
    rows = np.random.default_rng(3).permutation(N)
    each = {
        name: frame[["case", *(f"y_{tag}" for tag in TAGS)]].assign(
            **{f"p_{tag}": frame[f"{name}_{tag}"] for tag in TAGS}
        )
        for name in ("new", "old")
    }
    each["old"] = each["old"].iloc[rows].reset_index(drop=True)
    assert alike(wanted, ca.compare(each, truth="y_*", scores="p_*", id="case", measures=names))
    top = compared(measures=names, top=2)
    assert top["micro_f1"].values[0] == ca.assess(Y, NEW, labels=TAGS, top=2)["micro_f1"].value


def test_thresholds_are_of_all_of_models_or_of_tags():
    at = [0.3, 0.4, 0.5, 0.6]
    for threshold in (at, dict(zip(TAGS, at, strict=True)), {"new": at, "old": at}):
        found = compared(measures=["micro_f1"], threshold=threshold)
        assert found[0].values[0] == ca.assess(Y, NEW, labels=TAGS, threshold=at)["micro_f1"].value
    found = compared(measures=["micro_f1"], threshold={"new": 0.5, "old": at})
    assert found[0].values[0] == ca.assess(Y, NEW, labels=TAGS)["micro_f1"].value


def test_the_gate_holds_a_rule():
    found = compared(measures=["micro_f1"])
    assert ca.gate(found, "non-inferior", 0.05).verdict is Verdict.PASS
    assert (
        ca.gate(compared({"old": OLD, "new": NEW}, measures=["micro_f1"]), "superior").verdict is Verdict.FAIL
    )


def test_a_tag_that_no_case_has_is_told():
    truth = Y.copy()
    truth[:, 1] = 0
    found = compared(truth=truth, measures=["macro_recall", "micro_recall"])
    assert found["macro_recall"].effect.reason == "new has no value (never true: 'bee')"
    assert ("tags without true cases", "'bee'") in found.facts
    assert found["micro_recall"].effect.has_interval


def test_rows_of_other_cases_are_refused():
    frame = frame_of()
    other = frame.iloc[::-1].reset_index(drop=True)
    with pytest.raises(InputError, match="If the row order differs, join by an id"):
        ca.compare({"new": frame, "old": other}, truth="y_*", scores="new_*")
    with pytest.raises(InputError, match="must name the columns of each multilabel model, as in scores="):
        ca.compare(frame, truth="y_*", scores="new_*")
    with pytest.raises(InputError, match="labels= names the columns in their order"):
        ca.compare(frame, truth="y_*", scores={"new": "new_*", "old": {"cat": "old_cat"}})


def test_models_on_other_cases_are_compared_by_their_intervals():
    first, second = (ca.assess(Y[part], NEW[part], labels=TAGS) for part in (slice(0, 40), slice(40, N)))
    found = ca.compare_unpaired({"a": first, "b": second}, ["micro_f1", "exact_match", "recall[cat]"])
    for one in found:
        wanted = first[one.measure].value - second[one.measure].value
        assert one.effect.value == pytest.approx(wanted)
        assert one.effect.low < wanted < one.effect.high
    assert ca.compare_unpaired({"a": first, "b": second}).measures[:2] == ("micro_f1", "macro_f1")
    with pytest.raises(InputError, match="Compare the rows, as in compare"):
        ca.compare({"a": first, "b": first})


@pytest.mark.parametrize("tags", [False, True])
@pytest.mark.parametrize("chosen", [False, True])
def test_a_threshold_is_said_to_be_a_default_exactly_where_nobody_chose_it(tags, chosen):
    given = {"threshold": 0.5} if chosen else {}
    if tags:
        found = compared(measures=["micro_f1"], **given)
    else:
        found = ca.compare({"new": NEW[:, 0], "old": OLD[:, 0]}, Y[:, 0], measures=["f1"], **given)
    assert dict(found.facts)["threshold"] == ("0.5" if chosen else "0.5 (default, not chosen for these data)")


def test_what_is_compared_unasked_is_of_tags_and_where_there_are_some_of_scores():
    called = {name: (each >= 0.5).astype(int) for name, each in (("new", NEW), ("old", OLD))}
    of_tags = ["micro_f1", "macro_f1", "samples_f1"]
    of_scores = ["label_ranking_average_precision", "macro_roc_auc"]
    assert [*compared(measures=None).measures] == of_tags + of_scores
    assert [*ca.compare(y_pred=called, y_true=Y, labels=TAGS).measures] == of_tags


@pytest.mark.parametrize(
    ("drawn", "method"),
    [
        ({}, "influence function t"),
        ({"weight": np.linspace(1, 2, N)}, "linearised t"),
        ({"cluster": np.arange(N) // 2}, "t over clusters"),
    ],
)
def test_methods_name_how_the_cases_were_drawn(drawn, method):
    assert {one.method for one in compared(measures=["micro_f1", "macro_f1", "macro_roc_auc"], **drawn)} == {
        method
    }


@pytest.mark.parametrize(("alternative", "which"), [("greater", "higher"), ("less", "lower")])
def test_a_one_sided_question_is_told_as_it_was_asked(alternative, which):
    found = compared(measures=["micro_f1"], alternative=alternative)
    assert f"has the {which} value" in dict(found.facts)["alternative"]
