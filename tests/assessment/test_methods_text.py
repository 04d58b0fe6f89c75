"""The paragraph for a paper: what was measured, by which methods with their sources, n, level, software."""

import re

import numpy as np
import pytest

import classay as ca
from classay.assessment.headline import headline
from classay.curves.display import marks
from classay.inference.estimate import title
from classay.inference.proportions import without_numbers
from classay.inference.significance import METHODS
from sample_results import RESULTS

rng = np.random.default_rng(2)
Y = rng.integers(0, 2, 400)
P = np.clip(0.3 + 0.3 * Y + rng.normal(0, 0.2, 400), 0.01, 0.99)


def three():
    true = rng.integers(0, 3, 300)
    raw = rng.random((300, 3)) + np.eye(3)[true]
    return ca.assess(true, raw / raw.sum(1, keepdims=True), level=0.9)


@pytest.mark.parametrize(
    "a",
    [
        ca.assess(Y, P),
        ca.assess(Y, P, weight=np.linspace(1, 2, 400)),
        ca.assess(Y, P, cluster=np.arange(400) // 4),
        three(),
    ],
    ids=["alike", "weighted", "clustered", "three"],
)
def test_every_measure_its_method_and_a_source_are_named(a):
    text = a.methods_text()
    said, _, references = text.partition("References: ")
    two = ("roc_auc", "average_precision", "recall", "specificity", "precision", "brier_score")
    for name in two if a.positive is not None else ("accuracy", "macro_f1", "macro_roc_auc", "log_loss"):
        assert title(name) in said
        assert without_numbers(a[name].method) in without_numbers(said)
        assert a.methods_text([name]).count("References: ") == 1, name
    assert references
    assert f"The data are {a.n:,} cases" in said
    assert f"{100 * a.level:g}%" in said
    assert f"classay {ca.__version__}" in said


def test_what_was_done_is_said():
    a = ca.assess(Y, P)
    assert "The threshold is 0.5 (default, not chosen for these data)." in a.methods_text()
    assert "The threshold is 0.3." in a.at(0.3).methods_text()
    clustered = ca.assess(Y, P, cluster=np.arange(400) // 4).methods_text()
    assert "in 100 clusters" in clustered
    assert "sampling variability of the 100 clusters (400 test cases)" in clustered
    dropped = ca.assess([*Y.tolist(), None], [*P, 0.5], missing="drop").methods_text()
    assert "Of 401 rows received, 1 with a missing label was excluded, and 400 were analyzed." in dropped
    assert "DeLong" in a.methods_text(["roc_auc"])
    assert "Wilson 1927" in a.methods_text(["recall[0]", "false_negative_rate"])


SAID = {"Newcombe 2006": "Newcombe", "Obuchowski 1997": "Obuchowski", "Smyth 2004": "moderated"}
"""What a method calls itself where it used what a source is about."""


@pytest.mark.parametrize(
    "how",
    [{}, {"weight": np.linspace(1, 2, 400)}, {"cluster": np.arange(400) // 4}],
    ids=["alike", "weighted", "clustered"],
)
@pytest.mark.parametrize("score", [P, P + Y], ids=["overlapping", "apart"])
def test_only_what_was_done_is_cited(score, how):
    a = ca.assess(Y, score, threshold=0.5, **how)
    said, _, references = a.methods_text(["roc_auc", "recall", "balanced_accuracy"]).partition("References: ")
    for source, word in SAID.items():
        assert (source in references) == (word in said), source
    assert ("DeLong" in references) == ("DeLong" in said)
    assert ("DeLong" in said or "Obuchowski" in said) == (
        score is P
    )  # scores that are apart show no variance
    assert ("Rao & Scott 1992" in references) == bool(how)
    assert "Wilson 1927" in references


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_every_threshold_that_is_said_calls_the_same_cases(kind):
    """Where the scores lie nearer to each other than six digits tell apart, more are written."""
    near = np.cumsum(np.full(60, np.float64(np.finfo(kind).eps) * 3)) + 0.3
    score = np.concatenate([near, np.linspace(0.6, 0.9, 40)]).astype(kind)
    y = np.arange(100) % 3 > 0
    for threshold in score[[7, 30, 59]].astype(float):
        a = ca.assess(y, score, threshold=threshold)
        there = [
            *(each.sentence for each in headline(a)),
            a.methods_text(),
            str(a),
            *(each.series for each in marks(["cost"], a.scores, threshold)["cost"]),
        ]
        there += [marks(["roc"], a.scores, threshold)["roc"][0].series]
        said = [
            each
            for text in there
            for each in re.findall(r"(?:threshold(?: is)?|at least) +(\d[\d.]*\d)", text)
        ]
        assert len(said) >= 6
        for text in said:
            assert np.array_equal(score >= kind(text), score >= kind(threshold)), text
    assert "threshold 0.123456, recall" in headline(ca.assess(y, score, threshold=0.123456))[0].sentence


# --- groups: how many tests there are


# --- every method that is named has its source

EPONYMS = (
    *(
        "Begg",
        "Benjamini",
        "Bonferroni",
        "Cochran",
        "Friedman",
        "DeLong",
        "Hochberg",
        "Hodges",
        "Holm",
        "Hommel",
        "Iman",
    ),
    *("Iman", "McNemar", "Nadeau", "Newcombe", "Obuchowski", "Tango", "Wilcoxon", "Wilson"),
)
WORKS = {
    "MOVER": "Donner",
    "max-t": "Romano",
    "corrected resampled t": "Nadeau",
    "Bonferroni": "Dunn",
}


def unsourced(text):
    """Methods that the sentences name, and the references do not."""
    said, _, cited = text.rpartition("References: ")
    assert said or not any(each in cited for each in (*EPONYMS, *WORKS)), "there are no references"
    wanted = {each: WORKS.get(each, each) for each in (*EPONYMS, *WORKS)}
    return [each for each, source in wanted.items() if each in said and source not in cited]


@pytest.mark.parametrize("name", RESULTS)
def test_every_method_named_in_a_methods_text_has_its_reference(name):
    assert unsourced(RESULTS[name]().methods_text()) == []


@pytest.mark.parametrize("how", METHODS)
def test_every_adjustment_has_its_reference(how):
    models = {name: P + shift * np.sin(np.arange(400)) for name, shift in (("a", 0), ("b", 0.2), ("c", 0.4))}
    c = ca.compare_predictions(models, Y, measures=["roc_auc"], adjustment=how)
    assert METHODS[how][0] in c.methods_text()
    assert unsourced(c.methods_text()) == []


@pytest.mark.parametrize("classes", [2, 3])
def test_only_a_prior_that_was_used_makes_credible_intervals(classes):
    a = ca.assess(Y, P) if classes == 2 else three()
    said = a.methods_text().partition("References: ")[0]
    used, _, shown = said.partition(" prior are equal-tailed credible intervals")
    assert shown
    assert used.endswith(f"with the {'Jeffreys' if classes == 2 else 'Perks'}")
    assert ("Jeffreys prior" in said, "Perks prior" in said) == (classes == 2, classes == 3)
