"""What learners of tags answer, what their evaluation says of it, and files that have been changed."""

import json
import zipfile
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.comparison.findings_differences import difference_sentence
from classay.errors import FileError, InputError
from classay.files.archives import sealed
from classay.inference.estimate import format_estimate, measure_phrase
from classay.multilabel_learn.tag_folds import TagEvaluation, _of_true, _strata
from classay.report.document import EstimateCell, Table
from command import refusal
from samples import tag_rows

Y, X = tag_rows(np.random.default_rng(5), 60, 3)


class Said(BaseEstimator):
    """A learner that answers from the columns of the cases, whatever it was fitted to."""

    def __init__(self, share=0.5, turn=1):
        self.share, self.turn = share, turn

    def fit(self, X, y):
        self.tags_ = y.shape[1]
        return self

    def answer(self, X):
        return self.turn * np.asarray(X)[:, : self.tags_]

    def predict(self, X):
        return (self.answer(X) >= self.share).astype(int)


class Called(Said):
    """Tags alone, as an array."""


class Sparse(Said):
    """Tags alone, as a sparse matrix."""

    def predict(self, X):
        return csr_array(super().predict(X))


class Decided(Called):
    """Decisions, and tags that do not follow from them at any threshold."""

    def decision_function(self, X):
        return 10 * self.answer(X)[:, ::-1]


class Probable(Said):
    def predict_proba(self, X):
        return self.answer(X)


class Listed(Said):
    """Of each tag the probabilities of both classes."""

    def predict_proba(self, X):
        return [np.column_stack([1 - one, one]) for one in self.answer(X).T]


@pytest.mark.parametrize("drawn", ["none", "weight", "cluster", "both"])
@pytest.mark.parametrize("kind", [Called, Sparse, Decided, Probable, Listed])
def test_answers_are_assessed_as_columns_are(kind, drawn):
    """Decisions of cases in clusters call from the usual threshold on, as rows in clusters have one column only."""
    design = {"weight": np.linspace(0.5, 2, 60)} if drawn in ("weight", "both") else {}
    design |= {"cluster": np.arange(60) // 4} if drawn in ("cluster", "both") else {}
    e = ca.evaluate(kind(), X, Y, protocol=KFold(3), level=0.8, seed=3, **design)
    called = (X >= 0.5).astype(int)
    scores = {Decided: 10 * X[:, ::-1], Called: None, Sparse: None}.get(kind, X)
    if kind in (Probable, Listed) or (kind is Decided and "cluster" in design):
        called = None
    wanted = ca.assess(Y, scores, y_pred=called, level=0.8, seed=3, **design)
    assert e["micro_f1"] == wanted["micro_f1"]
    found = e.estimates(e.models[0])
    assert [*found] == [*e.measures]
    for name, one in found.items():
        assert repr(one) == repr(wanted[name]), name
    assert {one.level for one in found.values() if one.has_interval} == {0.8}


LEARNERS = {f"model {k}": Probable(turn=turn) for k, turn in enumerate((0.9, 1, 0.6, 0.75, 0.5))}


def evaluated(k, **options):
    return ca.evaluate(dict([*LEARNERS.items()][:k]), X, Y, protocol="3fold", **options)


ORDERED = [(1, "micro_f1"), (2, "hamming_loss"), (2, "samples_recall"), (4, "hamming_loss"), (5, "micro_f1")]


@pytest.mark.parametrize(("k", "measure"), ORDERED)
def test_the_sentences_order_the_learners_from_best_to_worst(k, measure):
    e = evaluated(k, measures=[measure, "exact_match"], level=0.9)
    page, found = e.document(), {name: e[name][measure] if k > 1 else e[measure] for name in e.models}
    less_is_better = measure == "hamming_loss"
    order = sorted(found, key=lambda name: found[name].value, reverse=not less_is_better)
    phrase = measure_phrase(measure)
    lines = [line for line in page.verdict if " versus " not in line]
    said = [f"The {phrase} of {name} is {format_estimate(found[name])}." for name in order]
    if k > 1:
        most = "lowest" if less_is_better else "highest"
        said[0] = f"Of {k} learners, {order[0]} has the {most} {phrase}: {format_estimate(found[order[0]])}."
    assert [line for line in page.verdict if line in said] == said
    tests = [line for line in page.verdict if line not in said]
    assert tests == (
        []
        if k == 1
        else [difference_sentence(one, 60) for one in e.compare([measure]) if {*one.models} == {*order[:2]}]
    )
    assert len(tests) == (k > 1)
    assert not lines or page.verdict.index(lines[0]) == 0
    names = [f"model {i}" for i in range(k)]
    listed = {
        1: "model 0",
        2: "model 0 and model 1",
        4: "model 0, model 1, model 2 and model 3",
        5: "5 learners",
    }
    assert page.title == f"Evaluation of {listed[k]} on multilabel cases"
    facts = dict(page.facts)
    assert (facts["learners"], facts["cases"], facts["tags"]) == (", ".join(names), "60", "3")
    assert (facts["confidence level"], facts["seed"]) == ("90%", "0")
    assert facts["protocol"].startswith(e.protocol)
    (table,) = (part for part in page.sections[0].parts if isinstance(part, Table))
    for row, name in zip(table.rows, names, strict=True):
        assert row[0].text == name
        cells = [cell.estimate for cell in row[1:] if isinstance(cell, EstimateCell)]
        assert cells == [e.assessments[name][one] for one in (measure, "exact_match")]
    assert [column.name for column in table.columns[1:]] == [measure, "exact_match"]
    shown = e.to_dict()
    assert [(one["model"], one["assessment"]["n"]) for one in shown["models"]] == [(n, 60) for n in names]
    assert (shown["level"], shown["seed"], shown["protocol"]) == (0.9, 0, e.protocol)


def test_a_measure_that_only_one_learner_has():
    """The loss of ranks needs scores, so that a learner of tags alone has none: it is neither best nor compared."""
    e = ca.evaluate({"a": Called(), "b": Probable()}, X, Y, protocol="3fold", measures=["macro_roc_auc"])
    assert e.estimates("a")["macro_roc_auc"].is_undefined
    value = format_estimate(e["b"]["macro_roc_auc"])
    assert e.document().verdict == (f"The {measure_phrase('macro_roc_auc')} of b is {value}.",)


def leads(comparisons):
    """The limits of leads over the best of the others, which need draws."""
    return [end for one in comparisons.leaderboard().standings for end in (one.lead.low, one.lead.high)]


def test_learners_are_compared_as_columns_are():
    e = evaluated(3, level=0.9, seed=4)
    scores = {name: learner.turn * X for name, learner in [*LEARNERS.items()][:3]}
    truth = Y
    for names in (None, ["hamming_loss", "micro_f1"]):
        found = e.compare(names, control="model 1", adjustment="bonferroni")
        used = names or list(e.measures)
        wanted = ca.compare(
            scores, truth, measures=used, control="model 1", adjustment="bonferroni", level=0.9, seed=4
        )
        assert [repr(one) for one in found] == [repr(one) for one in wanted]
        assert [(one.p, repr(one.effect)) for one in found] == [(one.p, repr(one.effect)) for one in wanted]
    limits = leads(evaluated(5, seed=4).compare(["micro_f1"]))
    scores = {name: learner.turn * X for name, learner in LEARNERS.items()}
    wanted = [leads(ca.compare(scores, Y, measures=["micro_f1"], seed=seed)) for seed in (4, 0)]
    assert [limits == pytest.approx(one, rel=1e-9, abs=1e-12) for one in wanted] == [True, False]
    asked = evaluated(2, measures=["samples_recall", "micro_f1"])
    assert {one.measure for one in asked.compare()} == {"micro_f1"}
    assert {one.measure for one in asked.compare(["samples_recall"])} == {"samples_recall"}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda X: X[:, :2], "predictions of shape (20, 2) for 3 tags. Return a score for each tag"),
        (lambda X: X[:, 0], "predictions of shape (20,) for 3 tags"),
        (lambda X: [np.column_stack([1 - X[:, 0], X[:, 0]])] * 2, "predictions of shape (20, 2) for 3 tags"),
        (lambda X: 1 / 0, "odd failed in repeat 1, fold 1: ZeroDivisionError: division by zero"),
    ],
)
def test_answers_of_another_shape_are_refused(answer, words):
    class Odd(Said):
        def predict_proba(self, X):
            return answer(np.asarray(X))

    with pytest.raises(InputError) as refused:
        ca.evaluate({"odd": Odd()}, X[:, :3], Y, protocol=KFold(3))
    assert words in str(refused.value)
    assert ("failed in " in str(refused.value)) == ("failed in " in words)


def test_a_tag_that_training_has_always_or_never():
    """The column of the one class is its probability; the tag has 1 where always seen, and 0 where never."""
    for seen in (0, 1):
        assert _of_true(np.ones((4, 1)), np.full(3, seen)).tolist() == [seen] * 4
    assert _of_true([[0.2, 0.8], [0.7, 0.3]], np.array([0, 1])).tolist() == [0.8, 0.3]
    truth = Y.copy()
    truth[:, 1] = np.arange(60) < 20  # so that two folds of three never see it, and the other sees it in half
    e = ca.evaluate(MultiOutputClassifier(GaussianNB()), X, truth, protocol=KFold(3))
    (rows,) = e.rows.values()
    assert rows.scores[:20, 1].tolist() == [0] * 20


def plain_strata(marks):
    """Sets of tags by name; rare ones by how many tags, and what is still rare together."""
    sets = ["".join(map(str, row)) for row in marks.tolist()]
    sizes = Counter(sets)
    names = [one if sizes[one] >= 10 else f"{one.count('1')} tags" for one in sets]
    sizes = Counter(names)
    names = [one if sizes[one] >= 10 else "rare" for one in names]
    return names if len({*names}) > 1 else [str(k % 2) for k in range(len(names))]


@pytest.mark.parametrize(
    "counts",
    [
        {(1, 0, 0): 10, (0, 1, 0): 9, (0, 0, 1): 10},
        {(1, 0, 0): 10, (0, 1, 0): 10},
        {(1, 0, 0): 9, (0, 1, 0): 1, (1, 1, 0): 9},
        {(1, 0, 0): 9, (1, 1, 0): 9, (1, 1, 1): 9},
        {(1, 0, 0): 25},
        {(1, 0, 0): 12, (0, 0, 0): 4, (1, 1, 1): 3, (1, 1, 0): 5, (0, 1, 1): 6},
    ],
)
def test_strata_by_hand(counts):
    marks = np.repeat(np.array([*counts]), [*counts.values()], axis=0)
    found, wanted = _strata(csr_array(marks)).tolist(), plain_strata(marks)
    assert len({*found}) == len({*wanted}) == len({*zip(found, wanted, strict=True)})
    assert all(isinstance(one, str) for one in found)


def test_a_frame_of_one_column_has_classes():
    one = pd.DataFrame({"y": Y[:, 0]})
    e = ca.evaluate(DecisionTreeClassifier(), X, one, protocol="3fold")
    assert not isinstance(e, TagEvaluation)
    two = pd.DataFrame({"a": Y[:, 0], "b": Y[:, 1]})
    assert isinstance(ca.evaluate(DecisionTreeClassifier(), X, two, protocol="3fold"), TagEvaluation)


def test_an_overview_has_a_row_for_each_learner(tmp_path):
    e = evaluated(2)
    e.save(tmp_path / "e")
    rows = ca.overview(tmp_path, ["micro_f1", "exact_match"]).results
    assert [(row.what, row.cases, row.model) for row in rows] == [
        ("tag evaluation", 60, "model 0"),
        ("tag evaluation", 60, "model 1"),
    ]
    for row in rows:
        assert row.estimates == {name: e[row.model][name] for name in ("micro_f1", "exact_match")}


def changed(path, about=None, without=(), more=None):
    """Write a sealed file again with other contents."""
    from classay.files.archives import SEAL

    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if name != SEAL}
    told = json.loads(members.pop("tag_evaluation.json")) | (about or {})
    members = {
        name: content for name, content in members.items() if not name.startswith(tuple(without) or "-")
    }
    path.write_bytes(sealed("tag_evaluation.json", told, members | (more or {})))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"about": {"other": 1}}, "other"),
        ({"about": {"models": []}}, "models are none, or one stands twice"),
        ({"about": {"models": ["a", "a"]}}, "models are none, or one stands twice"),
        ({"about": {"rows": 0}}, "rows"),
        ({"about": {"seed": -1}}, "seed"),
        ({"about": {"level": 1.5}}, "level"),
        ({"about": {"measures": ["nothing"]}}, "nothing"),
        ({"without": ["scores.1"]}, "model 1 said nothing"),
        ({"more": {"other.npy": np.ones(3)}}, "other.npy"),
        ({"more": {"weight.npy": np.full(60, -1.0)}}, "weight"),
        ({"more": {"weight.npy": np.ones(59)}}, "weight"),
    ],
)
def test_a_file_with_other_contents_is_refused(change, words, tmp_path):
    path = tmp_path / "e.classay"
    evaluated(2, weight=np.linspace(0.5, 2, 60)).save(path)
    changed(path)
    assert ca.load(path).models == ("model 0", "model 1")
    changed(path, **change)
    with pytest.raises(FileError, match=words):
        ca.load(path)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ('"y_a,y_b"', "--target has only one column, "),
        ("*_a", "--target has only one column, '*_a'. Use --target y_a."),
        ("z*", "No column matches 'z*' of target"),
    ],
)
def test_targets_of_one_column_or_none(target, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"x": X[:, 0], "y_a": Y[:, 0], "y_b": Y[:, 1]})
    frame.to_csv("c.csv", index=False)
    assert words in refusal("evaluate", "c.csv", "--target", target, "--models", "tree", columns=300)
