"""Samples of several labels a case (tags), for the sweeps over all measures, results, pages and options."""

import json
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import classay as ca
from classay.columns import Labels
from classay.compiled import compiled_at_once
from classay.multilabel import tag_measures
from classay.multilabel.tag_marks import tag_marks
from classay.multilabel.tag_scores import MultilabelScores
from classay.multilabel.tag_tables import MultilabelTable
from classay.shown import Reportable
from classay.tables.tabulating import sorted_run
from sample_results import result
from samples import ORACLES, tag_rows


def tag_table(needs, truth, scores):
    """The table of tags that a measure needs, called from a score of one half on."""
    found = MultilabelScores(Labels(range(truth.shape[1])), tag_marks(truth, "truth").marks, scores)
    return (
        found
        if needs == "tag_scores"
        else MultilabelTable.from_marks(found.truth, found.called(0.5), found.labels)
    )


def tables(needs):
    """A random table of so many cases and tags, and that of a classifier that is always right and certain."""

    def random(rng, n, k):
        truth, scores = tag_rows(rng, n, k, share=rng.choice([0.0, 0.2, 0.5, 1.0]))
        return tag_table(needs, truth, scores.round(1))

    return random, lambda truth: tag_table(needs, np.eye(3)[truth].astype(int), np.eye(3)[truth])


TABLES = {needs: tables(needs) for needs in ("tags", "tag_scores")}


@result
def assessment_of_tags() -> Reportable:
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(120, 1))
    truth = 0.7 * shared + rng.normal(size=(120, 3)) > np.array([0.2, 0.9, 1.8])
    scores = 1 / (1 + np.exp(1 - 2.5 * truth - 0.5 * shared - rng.normal(size=(120, 3))))
    return ca.assess(truth, scores.round(3), labels=["beach", "city", "night"])


@result
def thresholds_of_tags() -> Reportable:
    truth, scores = tag_rows(np.random.default_rng(3), 120, 3)
    return ca.assess(truth, scores, labels=["ant", "bee", "cat"]).threshold(maximize="f1")


def tags_50():
    rng = np.random.default_rng(3)
    shared = rng.normal(size=(500, 1))
    truth = shared + rng.normal(size=(500, 50)) > 2
    scores = 1 / (1 + np.exp(2 - 2.5 * truth - shared - rng.normal(size=(500, 50))))
    return ca.assess(truth, scores.round(3), labels=[f"tag {k + 1}" for k in range(50)])


LARGE_PAGES = (tags_50,)
TITLED_OTHERWISE = {
    "thresholds of tags": "its model has no name",
    "assessment of tags": "several labels a case, in the facts",
}
WITH_NEXT_STEPS = ("assessment of tags", "thresholds of tags")

PAIR = ("p.csv", "--truth", "y", "--scores", "p,q", "--measures", "auc")
GATE = ("p.csv", "q.csv", "--truth", "y", "--score", "p", "--measure", "auc", "--rule", "superior")
ROWS = ("p.csv", "--truth", "y", "--score", "p")
DECIDE = (*ROWS, "--cost", "fp=1", "--cost", "fn=3")
TAGGED = ("tags.csv", "--truth-tags", "y_*")
OF_TAGS = ("--measure", "micro_f1", "--rule", "superior")
PAIRS = ("pairs.csv", "--truth", "true", "--score", "p", "--case", "photo", "--tag", "tag")
USED = {
    "assess": {
        "--truth-tags": (("tags.csv", "--tag-scores", "p_*"), ("--truth-tags", "y_*")),
        "--tag-scores": ((*TAGGED, "--tag-predictions", "c_*"), ("--tag-scores", "p_*")),
        "--tag-predictions": ((*TAGGED, "--tag-scores", "p_*"), ("--tag-predictions", "c_*")),
        "--tags": (("tags.csv", "--tag-scores", "p_*", "--separator", "|"), ("--tags", "tags")),
        "--separator": (("tags.csv", "--tag-scores", "p_*", "--tags", "tags"), ("--separator", "|")),
        "--case": ((*PAIRS[:-4], *PAIRS[-2:]), PAIRS[-4:-2]),
        "--tag": (PAIRS[:-2], PAIRS[-2:]),
        "--tag-thresholds": ((*TAGGED, "--tag-scores", "p_*"), ("--tag-thresholds", "a=0.3,b=0.6,c=0.2")),
        "--top": ((*TAGGED, "--tag-scores", "p_*"), ("--top", "1")),
        "--task": (ROWS, ("--task", "tags")),
    },
    "decide": {
        "--truth-tags": (("tags.csv", "--tag-scores", "p_*", "--maximize", "f1"), ("--truth-tags", "y_*")),
        "--tag-scores": ((*TAGGED, "--maximize", "f1"), ("--tag-scores", "p_*")),
        "--tags": (
            ("tags.csv", "--tag-scores", "p_*", "--separator", "|", "--maximize", "f1"),
            ("--tags", "tags"),
        ),
        "--separator": (
            ("tags.csv", "--tag-scores", "p_*", "--tags", "tags", "--maximize", "f1"),
            ("--separator", "|"),
        ),
        "--task": (DECIDE, ("--task", "tags")),
    },
    "compare": {
        "--truth-tags": (("tags.csv", "--tag-scores", "p=p_*,q=q_*"), ("--truth-tags", "y_*")),
        "--tag-scores": ((*TAGGED, "--tag-predictions", "c=c_*,d=d_*"), ("--tag-scores", "c=p_*,d=q_*")),
        "--tag-predictions": ((*TAGGED, "--tag-scores", "p=p_*,q=q_*"), ("--tag-predictions", "p=c_*,q=d_*")),
        "--tags": (("tags.csv", "--predictions", "told,told2", "--separator", "|"), ("--tags", "tags")),
        "--separator": (("tags.csv", "--predictions", "told,told2", "--tags", "tags"), ("--separator", "|")),
        "--top": ((*TAGGED, "--tag-scores", "p=p_*,q=q_*"), ("--top", "1")),
        "--task": (PAIR, ("--task", "tags")),
    },
    "best": {
        "--task": (PAIR[:-2], ("--task", "tags")),
    },
    "gate": {
        "--truth-tags": (("tags.csv", "--tag-scores", "p=p_*,q=q_*", *OF_TAGS), ("--truth-tags", "y_*")),
        "--tag-scores": (
            (*TAGGED, "--tag-predictions", "c=c_*,d=d_*", "--measure", "micro_roc_auc", *OF_TAGS[2:]),
            ("--tag-scores", "c=p_*,d=q_*"),
        ),
        "--tag-predictions": (
            (*TAGGED, "--tag-scores", "p=p_*,q=q_*", *OF_TAGS),
            ("--tag-predictions", "p=c_*,q=d_*"),
        ),
        "--tags": (
            ("tags.csv", "--predictions", "told,told2", "--separator", "|", *OF_TAGS),
            ("--tags", "tags"),
        ),
        "--separator": (
            ("tags.csv", "--predictions", "told,told2", "--tags", "tags", *OF_TAGS),
            ("--separator", "|"),
        ),
        "--top": ((*TAGGED, "--tag-scores", "p=p_*,q=q_*", *OF_TAGS), ("--top", "1")),
        "--task": (GATE, ("--task", "tags")),
    },
}
NO_TRUTH_NEEDED = ("--truth-tags", "--tags")


def write_inputs():
    """The files that calls read."""
    rng = np.random.default_rng(0)
    tags = rng.random((60, 3)) < [0.5, 0.3, 0.1]
    scores = np.clip(0.3 + 0.4 * tags + rng.normal(0, 0.2, (60, 3)), 0.01, 0.99).round(3)
    columns = [f"{kind}_{tag}" for kind in "ypcqd" for tag in "abc"]
    wide = [",".join([*columns, "tags", "told", "told2"])]
    rows = ["photo,tag,true,p"]
    for i, (own, held) in enumerate(zip(tags, scores, strict=True)):
        called, turned = held > 0.6, np.roll(held, 1)
        told = ["|".join(np.array(list("abc"))[each]) for each in (own, called, turned > 0.6)]
        marks = (*own.astype(int), *held, *called.astype(int), *turned, *(turned > 0.6).astype(int))
        wide.append(",".join(map(str, (*marks, *told))))
        rows += [f"{i},{tag},{int(own[j])},{held[j]}" for j, tag in enumerate("abc")]
    Path("tags.csv").write_text("\n".join(wide) + "\n")
    Path("pairs.csv").write_text("\n".join(rows) + "\n")


NEEDS = ("tags", "tag_scores")


def standard():
    """The tables of the published example, ten cases of four tags."""
    data = json.loads((ORACLES / "tags.json").read_text())["data"]
    truth, scores = (np.array(data[each]) for each in "YS")
    return {needs: tag_table(needs, truth, scores) for needs in NEEDS}


def of_extremes(needs, y, scores):
    """Tables of scores that are always right, and always wrong."""
    if needs in NEEDS:
        truth = np.eye(3)[y].astype(int)
        yield tag_table(needs, truth, scores)
        yield tag_table(needs, truth, 1 - scores)


def assessed(rng):
    """The tables of an ordinary sample."""
    task = ca.assess(*tag_rows(rng, 200)).task
    return {"tags": task.tags, "tag_scores": task.tag_scores}


@cache
def averages():
    """What the averages over classes are of several labels a case."""
    shown = (each for each in tag_measures.shown_of_tags() if each.average is not None)
    return {each.name: tag_measures.of_tags(each) for each in shown}


OTHER_ROWS = SimpleNamespace(
    label="tag",
    rows=tag_rows,
    standard=standard,
    tables=of_extremes,
    assessed=assessed,
    averages=averages,
    renamed=lambda tags, scores: ca.assess(tags[:, ::-1], scores[:, ::-1], labels=["d", "c", "b", "a"]),
)


def tags_of_cases(rng, *, sparse):
    """The true tags of cases, of which some have none, with tied scores, some below 0; absent ones are 0."""
    truth, scores = rng.random((60, 7)) < 0.3, rng.integers(-2, 5, (60, 7)) / 4
    rows, columns = (each.astype(np.int64) for each in np.nonzero(truth))
    first = np.concatenate([[0], np.cumsum(truth.sum(1))])
    counts = [np.zeros(rows.size, np.int64) for _ in range(3)]
    if not sparse:
        return rows, columns, scores, first, *counts
    start = np.concatenate([[0], np.cumsum((scores != 0).sum(1))])
    return rows, scores[rows, columns], start, scores[scores != 0], 7, first, *counts


def marked(rng):
    """Where the marks of cases begin, and the marks."""
    has = rng.random((300, 9)) < 0.3
    return np.concatenate([[0], np.cumsum(has.sum(1))]), np.nonzero(has)[1]


def entries_at_places(rng, weight, rest):
    """The places of entries among 20 scores of true ones, which are true; a weight each, and that of the rest."""
    true = rng.random(300) < 0.3
    places = np.where(true, 2 * rng.integers(0, 20, 300) + 1, rng.integers(0, 41, 300)).astype(np.int32)
    return places, true, weight, 20, rest, 8, np.empty(300), np.empty(300)


def sorted_pairs(rng, kind, levels, groups, rest):
    """A run of 630 entries as the compiled loops sort them, and what a sweep over them takes."""
    score = np.round(rng.random(630) * levels - levels // 3).astype(kind)
    true = rng.random(630) < 0.3
    with compiled_at_once():
        run = sorted_run(score, true)
    return run.keys, run.starts, run.plan.scale, (int((~true).sum()), int(true.sum())), rest, groups


def grouped_entries(rng):
    """The places of entries among 20 groups by their lowest score, which are true, and of which rows."""
    rows = np.repeat(np.arange(90, dtype=np.int32), 7)
    places = rng.integers(1, 41, 630).astype(np.int32)
    return places, rng.random(630) < 0.3, rows, rng.normal(size=(20, 4)), np.ones((90, 2))


KERNEL_INPUTS = {
    "add_groups": lambda rng: [grouped_entries(rng)],
    "rank_entries": lambda rng: [
        entries_at_places(rng, weight, rest) for weight in (None, rng.random(300)) for rest in (0.0, 40.5)
    ],
    "sweep_pairs": lambda rng: [
        sorted_pairs(rng, kind, levels, groups, rest)
        for kind in ("f4", "f8")
        for levels in (1, 9, 10**6)
        for groups in (5, 50)
        for rest in (0.0, 40.5)
    ],
    "add_pairs": lambda rng: [
        (*marked(rng), weight, np.zeros((9, 9), weight.dtype))
        for weight in (rng.integers(1, 9, 300), rng.random(300))
    ],
    "place_dense": lambda rng: [tags_of_cases(rng, sparse=False)],
    "place_sparse": lambda rng: [tags_of_cases(rng, sparse=True)],
}


SCALES_REFUSED = (
    (("--truth", "y", "--score", "d", "--task", "tags"), "--task tags is for multilabel data"),
    (
        ("--truth-tags", "y", "--tag-scores", "d", "--task", "classes"),
        "--task classes contradicts --truth-tags",
    ),
)


def BOARDS(scores, y, **how):
    """The leaderboard of models of tags."""
    tags = {name: np.stack([each, each**2], 1) for name, each in scores.items()}
    return ca.compare(tags, np.stack([y, y], 1), measures=["macro_f1"], **how).leaderboards


def SAVED_ASSESSMENTS(truth, score, drawn):
    """Assessments of a matrix of two tags, of labels and of scores."""
    for called in (np.zeros_like(truth), np.ones_like(truth), truth, truth[::-1]):
        yield ca.assess(truth, y_pred=called, labels=["a", "b"], **drawn)
    for scores in (np.zeros(truth.shape), np.ones(truth.shape), np.column_stack([score, score[::-1]])):
        yield ca.assess(truth, scores, labels=["a", "b"], **drawn)


def WITH_OTHER_DIGITS(change):
    """Results of scores that a change is made to."""
    y, p = tag_rows(np.random.default_rng(3), 120, 3)
    a = ca.assess(y, change(p), weight=np.random.default_rng(4).uniform(1, 2, 120))
    models = {"a": change(p), "b": change(p[::-1])}
    return {
        "assessment": a,
        "thresholds": ca.assess(y, change(p)).threshold(maximize="f1"),
        "comparison": ca.compare(models, y, measures=["micro_f1", "macro_roc_auc"]),
    }
