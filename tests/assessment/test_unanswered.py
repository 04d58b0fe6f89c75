"""Cases that a model did not answer: refused, counted as wrong, or left out; the same through every door."""

import json
import pickle
import re
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk
import typer.main
from scipy import stats

import classay as ca
from classay.answers import NO_ANSWER, WORDS
from classay.assessment.flow import flow, missing_in
from classay.cli import app
from classay.comparison.omissions import Omissions, omissions_of
from classay.errors import InputError, MergeError
from classay.inference import intervals
from classay.inference.significance import fisher_exact
from classay.measures import MEASURES
from classay.measures.matrices import among_answers
from classay.tables import ConfusionMatrix
from command import call, refusal

N = 120
RNG = np.random.default_rng(24)
TRUTH = RNG.integers(0, 2, N)
SCORE = np.clip(0.3 * TRUTH + 0.7 * RNG.random(N), 0, 1).round(3)
GONE = RNG.random(N) < 0.2
HOLES = np.where(GONE, np.nan, SCORE)
CALLED = np.where(GONE, None, (SCORE >= 0.5).astype(int))
KINDS = RNG.choice(list("abc"), N)
WIDE = RNG.dirichlet([1, 1, 1], N)
WIDE[np.arange(N), np.searchsorted(list("abc"), KINDS)] += 0.7
WIDE = np.where(GONE[:, None], np.nan, WIDE / WIDE.sum(1, keepdims=True))
SAID = np.where(RNG.random(N) < 0.8, KINDS, "a").astype(object)
SAID[GONE] = None
SAID[:6] = "A."
ABC = ["a", "b", "c"]
DRAWN = {
    "alike": {},
    "weights": {"weight": RNG.integers(1, 5, N).astype(float)},
    "frequencies": {"frequency": RNG.integers(1, 4, N)},
    "clusters": {"cluster": np.arange(N) // 3},
    "ids": {"id": np.arange(N)},
}
TASKS = {
    "scores": ((TRUTH, HOLES), {}),
    "labels": ((TRUTH,), {"y_pred": CALLED}),
    "class scores": ((KINDS, WIDE), {"labels": ABC}),
    "classes": ((KINDS,), {"y_pred": SAID, "labels": ABC}),
}


def assessed(task, rows=slice(None), drawn="alike", **how):
    columns, given = TASKS[task]
    named = {name: each[rows] if name == "y_pred" else each for name, each in given.items()}
    return ca.assess(
        *(each[rows] for each in columns), **named, **{k: v[rows] for k, v in DRAWN[drawn].items()}, **how
    )


@pytest.mark.parametrize(
    ("task", "drawn", "unanswered"),
    [
        (task, drawn, ("wrong", "drop")[(i + k) % 2])
        for (i, task), (k, drawn) in product(enumerate(TASKS), enumerate(DRAWN))
    ],
)
def test_parts_make_the_whole_and_survive_a_file(tmp_path, task, unanswered, drawn):
    whole = assessed(task, drawn=drawn, unanswered=unanswered)
    parts = [assessed(task, each, drawn, unanswered=unanswered) for each in (slice(0, 40), slice(40, N))]
    parts[1].save(tmp_path / "a.classay")
    assert (parts[0] + ca.load(tmp_path / "a.classay")).to_dict() == whole.to_dict()
    order = np.random.default_rng(1).permutation(N)
    assert assessed(task, order, drawn, unanswered=unanswered).to_dict() == whole.to_dict()


@pytest.mark.parametrize("drawn", ["alike", "weights", "clusters"])
def test_of_two_classes_wrong_is_the_other_class(drawn):
    """Schuetz et al. 2012: a case of the class is missed, one without it is a false alarm."""
    filled = np.where(GONE, 1 - TRUTH, (SCORE >= 0.5).astype(int))
    wanted = ca.assess(TRUTH, y_pred=filled, **DRAWN[drawn]).to_dict()["measures"]
    assert assessed("labels", drawn=drawn, unanswered="wrong").to_dict()["measures"] == wanted
    found = assessed("scores", drawn=drawn, unanswered="wrong")
    assert (
        found.confusion_matrix.counts.tolist()
        == assessed("labels", drawn=drawn, unanswered="wrong").confusion_matrix.counts.tolist()
    )
    far = np.where(GONE, np.where(TRUTH == 1, -9.0, 9.0), SCORE)
    ranked = ca.assess(TRUTH, far, threshold=0.5, **DRAWN[drawn])
    for name in ("roc_auc", "average_precision", "accuracy", "f1", "mcc"):
        assert found[name] == ranked[name]
    assert found["roc_auc"].value == pytest.approx(
        sk.roc_auc_score(TRUTH, far, sample_weight=DRAWN[drawn].get("weight"))
    )
    for name in ("log_loss", "brier_score", "calibration_slope"):
        assert "predictions are missing" in found[name].reason


@pytest.mark.parametrize("task", TASKS)
def test_the_flow_of_a_class_adds_up_to_its_cases(task):
    truth = TASKS[task][0][0]
    none = ~np.isin(SAID, ABC) if task == "classes" else GONE
    a = assessed(task, unanswered="wrong")
    rows = flow(a).classes
    assert [row.label for row in rows] == [*a.labels]
    for row in rows:
        called = dict(row.called)
        assert next(iter(called)) == row.label
        assert sum(called.values()) == row.total == (truth == row.label).sum()
        assert called[NO_ANSWER] == none[truth == row.label].sum()


def test_of_several_classes_it_is_no_class():
    a = assessed("classes", unanswered="wrong")
    said = np.where([each in ABC for each in SAID], SAID, "(none)").astype(str)
    how = {"labels": ABC, "zero_division": np.nan}
    for name, function in (
        ("precision", sk.precision_score),
        ("recall", sk.recall_score),
        ("f1", sk.f1_score),
    ):
        for average in ("macro", "micro", "weighted"):
            wanted = function(KINDS, said, average=average, **how)
            assert a[f"{average}_{name}"].value == pytest.approx(wanted)
        for label, wanted in zip(ABC, function(KINDS, said, average=None, **how), strict=True):
            assert a[f"{name}[{label}]"].value == pytest.approx(wanted)
    assert a["accuracy"].value == pytest.approx(np.mean(said == KINDS))
    assert a["kappa"].value == pytest.approx(sk.cohen_kappa_score(KINDS, said))
    assert a["mcc"].value == pytest.approx(sk.matthews_corrcoef(KINDS, said))
    assert a["balanced_accuracy"].value == a["macro_recall"].value
    assert "no place in the order" in a["quadratic_kappa"].reason
    assert a.labels == tuple(ABC)
    assert a.confusion_matrix.labels[-1] is NO_ANSWER
    assert set(a.class_estimates()) == set(ABC)
    assert (a.unanswered, a.undeclared) == (int((GONE | (np.arange(N) < 6)).sum()), 6)
    ranked = np.where(GONE[:, None], np.where(np.array(ABC) == KINDS[:, None], 0.0, 1.0), WIDE)
    found, wanted = assessed("class scores", unanswered="wrong"), ca.assess(KINDS, ranked)
    for name in ("hand_till_auc", "macro_roc_auc", "top_2_accuracy", "roc_auc[b]"):
        assert str(found[name]) == str(wanted[name])


@pytest.mark.covering(1)
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("drawn", DRAWN)
def test_dropping_is_assessing_the_rest(task, drawn):
    kept = ~GONE if task != "classes" else ~GONE & (np.arange(N) >= 6)
    found, wanted = assessed(task, drawn=drawn, unanswered="drop"), assessed(task, kept, drawn)
    assert found.to_dict()["measures"] == wanted.to_dict()["measures"]
    assert (found.dropped, found.unanswered) == (N - kept.sum(), N - kept.sum())
    assert "excluded for" in " ".join(str(found).split())


@pytest.mark.parametrize("unanswered", ["wrong", "drop"])
def test_where_all_is_answered_the_choice_changes_nothing(unanswered):
    for task in TASKS:
        kept = ~GONE & (np.arange(N) >= 6)
        assert assessed(task, kept, unanswered=unanswered).to_dict() == assessed(task, kept).to_dict()
    scores = {"a": SCORE, "b": SCORE[::-1].copy()}
    found = ca.compare(scores, TRUTH, unanswered=unanswered)
    assert found.to_dict() == ca.compare(scores, TRUTH).to_dict()


def test_no_label_of_a_user_is_the_reserved_answer():
    said = SAID.copy()
    said[6:10] = WORDS
    assert WORDS != NO_ANSWER
    assert pickle.loads(pickle.dumps(NO_ANSWER)) is NO_ANSWER
    a = ca.assess(KINDS, y_pred=said, labels=[*ABC, WORDS], unanswered="wrong")
    matrix = a.to_dict()["confusion_matrix"]
    assert sum(matrix["counts"][3]) == 4
    assert sum(matrix["no_answer"]) == a.unanswered
    assert str(a).count(WORDS) >= 3  # a row, a column, and the row of cases without an answer


def test_undeclared_labels_of_the_truth_are_refused_and_all_undeclared_ones_too():
    for unanswered in ("refuse", "wrong", "drop"):  # a truth that is not declared is no fault of the answers
        for said in (["a", "b", "a"], ["a", "b", "x"]):
            with pytest.raises(InputError, match="truth contains labels that are not declared: 'x'"):
                ca.assess(
                    ["a", "b", "x"], y_pred=said, labels=["a", "b"], positive="b", unanswered=unanswered
                )
    with pytest.raises(InputError, match="No predicted label is among the declared"):
        ca.assess(["a", "b"], y_pred=["A.", "B."], labels=["a", "b"], positive="b", unanswered="wrong")
    with pytest.raises(InputError, match="lack a prediction"):
        ca.assess(["a", "b"], y_pred=["A.", "B."], labels=["a", "b"], positive="b", unanswered="drop")
    said = {"a": ["A."] * 4, "b": list("abab")}
    with pytest.raises(InputError, match="No predicted label of a is among"):
        ca.compare(y_true=list("abab"), y_pred=said, labels=["a", "b"], positive="b", unanswered="wrong")


def test_labels_are_declared_at_the_command_as_in_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y = list("abc") * 20
    models = {"m": [*y[:40], *["A."] * 20], "o": [*y[30:], *y[:29], "N/A"]}
    frame = pd.DataFrame({"y": y} | models)
    frame.to_csv("x.csv", index=False)
    columns = ("x.csv", "--truth", "y", "--predictions", "m,o", "--unanswered", "wrong", "--json", "-")
    for extra in ({}, {"ordered": True}):
        how = {"labels": ["a", "b", "c"], "unanswered": "wrong", "measures": ["accuracy"]} | extra
        wanted = ca.compare(frame, truth="y", predictions=["m", "o"], **how)
        option = ("--order" if extra else "--labels", "a,b,c")
        done = call("compare", *columns, *option, "--measures", "accuracy")
        assert json.loads(done.stdout)["comparisons"] == wanted.to_dict()["comparisons"]
        judged = call("gate", *columns, *option, "--measure", "accuracy", "--rule", "superior")
        assert json.loads(judged.stdout)["difference"]["value"] == wanted[0].effect.value
        assert json.loads(call("best", *columns, *option).stdout)["model"] == "o"
    assert "Remove --labels" in refusal("compare", *columns, "--labels", "a,b,c", "--order", "a,b,c")


def test_what_cannot_be_told_is_refused():
    a = assessed("scores", unanswered="wrong")
    with pytest.raises(InputError, match="A threshold needs a score for every case, but"):
        a.threshold(maximize="youden")
    with pytest.raises(InputError, match="The threshold must be finite, because missing"):
        a.at(float("inf"))
    infinite = np.where(SCORE > 0.9, np.inf, SCORE)
    with pytest.raises(InputError, match="cannot be used with infinite scores"):
        ca.assess(TRUTH, np.where(GONE, np.nan, infinite), unanswered="wrong")
    with pytest.raises(InputError, match="cannot be used with infinite scores"):
        ca.assess(TRUTH, infinite, threshold=0.5) + ca.assess(TRUTH, HOLES, threshold=0.5, unanswered="wrong")


def test_every_command_tells_the_former_word(tmp_path, monkeypatch):
    """It is told by its new name on standard error, wherever the option is, and does what that does."""
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"y": TRUTH, "a": HOLES, "b": MODELS["old"]}).to_csv("x.csv", index=False)
    models = ("--truth", "y", "--scores", "a,b")
    calls = {
        "assess": ("x.csv", "--truth", "y", "--score", "a"),
        "decide": ("x.csv", "--truth", "y", "--score", "a", "--maximize", "youden"),
        "compare": ("x.csv", *models, "--measures", "auc"),
        "gate": ("x.csv", *models, "--measure", "auc", "--rule", "not-worse"),
        "best": ("x.csv", *models),
    }
    group = typer.main.get_command(app)
    known = {name for name, each in group.commands.items() for one in each.params if has_former_word(one)}
    assert known == {*calls}
    for command, given in calls.items():
        old = call(command, *given, "--missing", "drop-unscored", "--json", "-")
        new = call(command, *given, "--missing", "drop", "--unanswered", "drop", "--json", "-")
        assert (old.exit_code, old.stdout) == (new.exit_code, new.stdout)
        told = [line for line in old.stderr.splitlines() if line not in new.stderr.splitlines()]
        assert told == [
            "note: --missing drop-unscored is now --missing drop --unanswered drop. The old name will be removed."
        ]


def has_former_word(parameter):
    if hasattr(parameter, "type_descriptor"):
        words = parameter.type_descriptor.annotation
    else:  # of an older typer
        words = getattr(parameter.type, "choices", ())
    return "--missing" in parameter.opts and "drop-unscored" in str(words)


def test_the_former_word_warns_and_does_the_same():
    with pytest.warns(DeprecationWarning, match="missing='drop', unanswered='drop'"):
        old = ca.assess(TRUTH, HOLES, missing="drop-unscored")
    assert old.to_dict() == ca.assess(TRUTH, HOLES, missing="drop", unanswered="drop").to_dict()


MODELS = {"new": HOLES, "old": np.where(np.arange(N) % 17 == 3, np.nan, SCORE[::-1] * 0.3 + SCORE * 0.7)}


@pytest.mark.parametrize("unanswered", ["wrong", "drop"])
def test_models_that_change_places_negate(unanswered):
    one = ca.compare(MODELS, TRUTH, unanswered=unanswered)
    other = ca.compare(dict(reversed(MODELS.items())), TRUTH, unanswered=unanswered)
    for here, there in zip(one, other, strict=True):
        assert here.effect.value == -there.effect.value
        assert (here.effect.low, here.p) == (pytest.approx(-there.effect.high, abs=1e-12), there.p)
        if here.omissions is not None:
            assert here.omissions.omitted == there.omissions.omitted[::-1]
            assert here.omissions.adjusted[0] == there.omissions.adjusted[0]
            assert here.omissions.adjusted[1:] == there.omissions.adjusted[:0:-1]


def test_a_comparison_that_drops_is_one_of_the_rest():
    kept = ~np.isnan(MODELS["new"]) & ~np.isnan(MODELS["old"])
    found = ca.compare(MODELS, TRUTH, unanswered="drop")
    wanted = ca.compare({name: each[kept] for name, each in MODELS.items()}, TRUTH[kept])
    for here, there in zip(found, wanted, strict=True):
        assert (here.effect, here.p) == (there.effect, there.p)
        assert here.omissions.omitted == tuple(int(np.isnan(each).sum()) for each in MODELS.values())
    wrong = ca.compare(MODELS, TRUTH, unanswered="wrong")
    assert found["accuracy"].omissions.worst == wrong["accuracy"].effect
    assert "has no prediction for" in str(found)


def written(new, old, truth):
    pd.DataFrame({"y": truth, "new": new, "old": old}).to_csv("both.csv", index=False)
    how = ("--truth", "y", "--predictions", "new,old", "--measure", "accuracy")
    return ("gate", "both.csv", *how, "--rule", "non-inferior", "--margin", "0.1")


def test_a_gate_does_not_pass_a_model_that_refuses_the_hard_cases(tmp_path, monkeypatch):
    """New answers 60% and is right there; old answers all, 80% of them rightly."""
    monkeypatch.chdir(tmp_path)
    truth = np.arange(200) % 2
    old = np.where(np.arange(200) % 5 == 0, 1 - truth, truth)
    new = np.where(np.arange(200) % 10 < 6, truth.astype(object), None)
    gate = written(new, old, truth)
    refusal(*gate)
    done = call(*gate, "--unanswered", "drop", "--json", "g.json", "--html", "g.html", "--markdown", "g.md")
    assert done.exit_code == 3, done.stdout
    for text in (done.stdout, Path("g.md").read_text(), Path("g.html").read_text()):
        assert "new has no prediction for 80 and old for 0 of 200 cases" in " ".join(text.split())
    found = json.loads(Path("g.json").read_text())
    assert found["omissions"]["one_sided"]
    assert not found["omissions"]["passes_at_worst"]
    assert call(*gate, "--unanswered", "wrong").exit_code == 3  # -0.301 to -0.094 holds the margin
    old_word = call(*gate, "--missing", "drop-unscored")
    assert old_word.exit_code == 3
    assert "note: --missing drop-unscored is now" in old_word.stderr
    Path("classay.toml").write_text('[gate]\nunanswered = "wrong"\n')
    assert call(*gate).exit_code == 3


def test_a_gate_passes_where_omissions_do_not_matter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    truth = np.arange(400) % 2
    said = [np.where(rng.random(400) < 0.9, truth, 1 - truth) for _ in range(2)]
    chance = [np.where(rng.random(400) < 0.1, None, each.astype(object)) for each in said]
    done = call(*written(*chance, truth), "--unanswered", "drop")
    assert done.exit_code == 0, done.stdout
    assert "No bias of the exclusion was detected" in " ".join(done.stdout.split())
    few = said[0].astype(object)
    few[:8] = None  # one-sided, and too few to matter
    done = call(*written(few, said[1], truth), "--unanswered", "drop")
    assert done.exit_code == 0, done.stdout
    assert "which also passes" in " ".join(done.stdout.split())


def test_saved_assessments_are_not_gated_over_what_they_left_out(tmp_path, monkeypatch):
    """Answered cases that are the same may be all that one model was given, and the easy part of what the other was."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    n = 600
    truth, ids = np.arange(n) % 2, np.arange(n)
    said = [np.where(rng.random(n) < 0.9, truth, 1 - truth).astype(object) for _ in range(2)]
    rule = ("--measure", "accuracy", "--rule", "non-inferior", "--margin", "0.1")

    def saved(name, answers, rows=slice(None), **how):
        ca.assess(truth[rows], y_pred=answers[rows], id=ids[rows], **how).save(f"{name}.classay")

    some = said[0].copy()
    some[400:] = None
    saved("new", some, unanswered="drop")
    saved("easy", said[1], slice(0, 400))
    saved("old", said[1])
    done = call("gate", "new.classay", "easy.classay", *rule, "--json", "g.json")
    assert done.exit_code == 3
    assert "new has no prediction for 200 and easy for 0 of 600 cases" in done.stdout
    found = json.loads(Path("g.json").read_text())
    assert (found["rule_verdict"], found["omissions"]["p_unequal"]) == ("cannot tell", None)
    for reversed_ in (("new", "easy"), ("easy", "new")):
        models = {name: ca.load(f"{name}.classay") for name in reversed_}
        compared = ca.compare(models, measures=["accuracy"])
        assert ca.gate(compared, "non-inferior", 0.1).verdict.value == "cannot tell"
        assert "a bias of the exclusion cannot be tested" in " ".join(str(compared).split())
    assert (
        "exclude different cases without a prediction: 200 cases of new, 0 of old. Compare the rows"
        in refusal("gate", "new.classay", "old.classay", *rule)
    )
    both = said[1].copy()
    both[400:] = None
    saved("both", both, unanswered="drop")  # the same cases left out, as the rows would show
    assert call("gate", "new.classay", "both.classay", *rule).exit_code == 0
    for name, answers in (("new", some), ("both", both)):
        saved(name, answers, unanswered="wrong")
    done = call("gate", "new.classay", "both.classay", *rule)
    assert done.exit_code == 0
    assert "no prediction" not in done.stdout


@pytest.mark.parametrize("ordered", [False, True])
def test_a_case_that_a_model_has_no_row_for_is_one_without_an_answer(ordered):
    """Joined by an id and counted as wrong, it is what a missing score is in a row of its own; in any order of rows."""
    names = pd.Categorical(np.where(TRUTH == 1, "x", "z"), ["z", "x"], ordered=ordered)
    truth = names if ordered else TRUTH
    whole = pd.DataFrame({"id": np.arange(N), "y": truth, "w": 1.0 + np.arange(N) % 3})
    scores = {"new": SCORE, "old": np.clip(SCORE[::-1] * 0.3 + SCORE * 0.7, 0, 1)}
    rows = {"new": np.arange(N) < 100, "old": np.arange(N) >= 15}
    holes = {name: np.where(rows[name], each, np.nan) for name, each in scores.items()}
    frames = {
        name: whole.assign(p=each)[rows[name]].sample(frac=1, random_state=1) for name, each in scores.items()
    }
    how = {"unanswered": "wrong", "measures": ["roc_auc", "accuracy"], "positive": "x" if ordered else 1}
    wanted = ca.compare(holes, truth, **how)
    found = ca.compare(frames, truth="y", scores="p", id="id", **how)
    for here, there in zip(found, wanted, strict=True):
        assert here.effect.value == there.effect.value
        assert (here.effect.low, here.p) == (pytest.approx(there.effect.low), pytest.approx(there.p))
    joined = {"truth": "y", "scores": "p", "id": "id", "weight": "w"}
    with pytest.raises(InputError, match="new, the first model, has no row for 20 cases of other models,"):
        ca.compare(frames, **joined, **how)
    full = {"new": whole.assign(p=scores["new"]), "old": frames["old"]}
    weighted = ca.compare({"new": scores["new"], "old": holes["old"]}, truth, weight=whole["w"], **how)
    assert ca.compare(full, **joined, **how)[0].effect.value == pytest.approx(weighted[0].effect.value)


def test_cases_without_a_row_are_judged_too():
    whole = pd.DataFrame({"id": np.arange(N), "y": TRUTH, "p": SCORE})
    found = ca.compare(
        {"new": whole[30:], "old": whole}, truth="y", scores="p", id="id", unanswered="drop", measures=["auc"]
    )
    assert found[0].omissions.omitted == (30, 0)
    assert found[0].omissions.is_one_sided
    assert ca.gate(found, "not-worse").verdict.value == "cannot tell"


@pytest.mark.parametrize("seed", range(20))
def test_the_exact_tests_are_those_of_others(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 12, (2, 2))
    assert fisher_exact(*table.ravel().tolist()) == pytest.approx(stats.fisher_exact(table).pvalue)
    gone = {name: rng.random(60) < 0.3 for name in "ab"}
    right = {name: rng.random(60) < 0.7 for name in "ab"}
    found = omissions_of(("a", "b"), gone, right)
    alone = [int((gone[x] & ~gone[y]).sum()) for x, y in ("ab", "ba")]
    assert found.p_unequal == pytest.approx(stats.binomtest(alone[0], sum(alone)).pvalue)
    for k, (one, other) in enumerate(("ab", "ba")):
        hit, of_one, rest = right[other], gone[one] & ~gone[other], ~gone[one] & ~gone[other]
        counts = [[(of & hit).sum(), (of & ~hit).sum()] for of in (of_one, rest)]
        assert found.p_hard[k] == pytest.approx(stats.fisher_exact(counts).pvalue)
        assert found.harder[k] == (hit[of_one].mean() < hit[rest].mean())
    times = rng.integers(1, 4, 60)
    repeated = [{name: np.repeat(each, times) for name, each in of.items()} for of in (gone, right)]
    assert omissions_of(("a", "b"), gone, right, times) == omissions_of(("a", "b"), *repeated)


def test_p_values_are_holms():
    made = Omissions(("a", "b"), 9, (1, 1), (1, 1), 0.03, (0.01, 0.4))
    assert made.adjusted == (pytest.approx(0.06), pytest.approx(0.03), pytest.approx(0.4))
    by_cluster = omissions_of(
        ("a", "b"), {"a": np.ones(6, bool), "b": np.zeros(6, bool)}, {}, None, np.arange(6) // 2
    )
    assert by_cluster.p_unequal == stats.binomtest(3, 3).pvalue


def test_cases_that_a_model_lacks_count_whatever_the_clusters():
    """Of 30 cases that only the other model has no cluster is known; one answer missing elsewhere hides them not."""
    gone = {"a": np.arange(40) == 3, "b": np.arange(40) == 30}
    for cluster in (None, np.arange(40) // 4):
        found = omissions_of(("a", "b"), gone, {}, None, cluster, (30, 2))
        assert found.p_unequal == pytest.approx(stats.binomtest(31, 34).pvalue)
        assert found.is_one_sided
        assert "The missing predictions differ between the models: a has more of them" in found.sentence
        turned = omissions_of(("b", "a"), gone, {}, None, cluster, (2, 30))
        assert (turned.alone, turned.omitted) == (found.alone[::-1], found.omitted[::-1])
        assert (turned.p_unequal, turned.cases) == (found.p_unequal, found.cases)


def test_fishers_test_of_billions_of_cases_looks_at_those_that_have_a_chance():
    counts = 3 * 10**8, 10**8, 10**9 + 250_000, 333_333_000
    a, b, c, d = counts
    n, z = sum(counts), np.sqrt(sum(counts))
    z *= (a * d - b * c) / np.sqrt(float(a + b) * (c + d) * (a + c) * (b + d))
    assert n > 10**9
    assert fisher_exact(*counts) == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-3)


def test_nothing_warns_about_what_is_told_already():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codes = {each["code"] for each in assessed("class scores", unanswered="wrong").to_dict()["warnings"]}
    assert not codes & {"infinite_scores", "tied_scores", "improper_rows", "scores_outside_unit"}
    assert "unanswered_wrong" in codes


@pytest.mark.parametrize(
    "counts", [[[40, 3, 1], [2, 25, 4], [0, 2, 9]], [[900, 0, 0], [1, 58, 0], [0, 0, 41]]]
)
def test_a_reserved_answer_that_nobody_gave_changes_no_interval(counts):
    """The delta method held in 73% where a large class gets few false calls: averages keep their own method."""
    plain = ConfusionMatrix(np.array(counts), tuple(ABC))
    beside = ConfusionMatrix(np.pad(counts, (0, 1)), (*ABC, NO_ANSWER))
    for measure in MEASURES.values():
        if measure.needs == "margins" and measure.name not in (
            "micro_precision",
            "micro_f1",
        ):  # of the answered
            among = among_answers(measure, beside.labels)
            assert among_answers(among, beside.labels) is among
            one, other = intervals.estimate(measure, plain), intervals.estimate(among, beside)
            assert (one.value, one.low, one.high) == pytest.approx(
                (other.value, other.low, other.high), rel=1e-6, nan_ok=True
            ), measure.name


@pytest.mark.parametrize("unanswered", ["wrong", "drop"])
@pytest.mark.parametrize("gone", [0, 2])
def test_what_was_left_out_is_counted_once(gone, unanswered):
    """Rows that count as wrong are not left out, whatever else is; what is left out adds up."""
    truth, score = TRUTH.astype(object), SCORE.copy()
    truth[:gone] = None
    score[10:15] = np.nan
    a = ca.assess(truth, score, positive=1, missing="drop", unanswered=unanswered)
    told = missing_in(a)
    counts = [int(each.replace(",", "")) for each in re.findall(r"\((-?[\d,]+)\)", told)]
    assert all(each > 0 for each in counts)
    assert not counts or sum(counts) == a.dropped == gone + 5 * (unanswered == "drop")
    assert ("score" in told or "answer" in told) == (unanswered == "drop")


def test_parts_that_treat_missing_answers_differently_are_not_added():
    score = SCORE.copy()
    score[10:15] = np.nan
    whole = ca.assess(TRUTH, SCORE, positive=1)
    wrong, dropped = (ca.assess(TRUTH, score, positive=1, unanswered=each) for each in ("wrong", "drop"))
    for a, b in ((wrong, dropped), (dropped, wrong)):
        with pytest.raises(MergeError, match="One assessment counts missing predictions as"):
            a + b
    for part in (wrong, dropped):
        assert (part + whole).n == (whole + part).n == part.n + whole.n


@pytest.mark.parametrize("share", [0.3, 0.7, 1.0])
def test_cases_without_an_answer_do_not_turn_a_score_around(share):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 300)
    p = 1 / (1 + np.exp(-rng.normal(2 * y - 1, 1.2)))
    bare = np.arange(300) < 300 * share
    a = ca.assess(y, np.where(bare, np.nan, p), unanswered="wrong")
    codes = {each.code for each in a.warnings}
    assert not codes & {"auc_below_half", "two_scores", "constant_scores"}
    assert "have no prediction" in str(a)
    if share < 1:
        turned = ca.assess(y, np.where(bare, np.nan, 1 - p), unanswered="wrong")
        assert "auc_below_half" in {each.code for each in turned.warnings}
    constant = ca.assess(y, np.where(bare, np.nan, 0.5), unanswered="wrong")
    assert ("constant_scores" in {each.code for each in constant.warnings}) == (share < 1)
    assert "auc_below_half" not in {each.code for each in constant.warnings}


def test_nor_the_columns_of_several_classes():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 300)
    scores = rng.dirichlet([1, 1, 1], 300) + np.eye(3)[y]
    scores /= scores.sum(1, keepdims=True)
    bare = rng.random(300)[:, None] < 0.6
    for each, is_told in ((scores, False), (scores[:, [1, 2, 0]], True)):
        a = ca.assess(y, np.where(bare, np.nan, each), unanswered="wrong")
        assert ("class_auc_below_half" in {w.code for w in a.warnings}) == is_told


def test_a_class_is_never_predicted_by_its_predictions_and_not_by_its_cases():
    """Beside a row without a prediction: class 2 has cases alone, then predictions alone."""
    one, other = np.arange(30) % 3, np.arange(30) % 2
    for true, called, never in ((one, other, [2]), (other, one, [])):
        answers = called.astype(object)
        answers[0] = None
        warned = ca.assess(true, y_pred=answers, unanswered="wrong", labels=[0, 1, 2]).warnings
        texts = [one.text for one in warned if one.code == "never_predicted"]
        assert len(texts) == len(never)
        assert all("no case is predicted as class 2, so" in text for text in texts)
