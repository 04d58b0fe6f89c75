"""What each column may be, with the reason and what stands against it, and every command line of small files."""

import numpy as np
import pyarrow as pa
import pytest

from classay.describing.columns import ColumnFacts, facts_of
from classay.describing.command_lines import MAX_COMMANDS, Target, suggested
from classay.describing.complements import complements
from classay.describing.judged_columns import judged_columns
from classay.describing.long_results import long_form, wanted_of_results
from classay.describing.roles import (
    case_variants,
    label_in_name,
    order_of,
    roles_of,
    stem_of,
    usual_positive,
)
from classay.describing.shapes import four_counts, graded_columns, matrix_corner, tag_cells, tag_columns

N = 60
RNG = np.random.default_rng(1)
Y = np.arange(N) % 2
RARE = np.where(np.arange(N) % 3 == 0, "ill", "well")
P, Q, R = RNG.uniform(0.01, 0.99, (3, N)).round(4)
ANIMAL = np.resize(["cat", "dog", "eel"], N)
SEX = np.resize(["f", "m", "m"], N)
PERSON = [f"P-{k // 3}" for k in range(N)]
DAYS = [f"2025-{1 + k // 10:02d}-{1 + k % 28:02d}" for k in range(N)]


def gap(values, *places):
    return [None if k in places else value for k, value in enumerate(np.asarray(values).tolist())]


def table_of(columns):
    return pa.table(
        {
            name: pa.array(np.asarray(c).tolist() if not isinstance(c, list) else c)
            for name, c in columns.items()
        }
    )


def roles(**columns):
    return roles_of(facts_of(table_of(columns)))


def said(**columns):
    """Roles with their reasons, by column."""
    found = roles(**columns)
    return {
        column.facts.name: [(role.name, role.reason) for role in column.roles] for column in found.columns
    }


def against(**columns):
    return {column.facts.name: column.against for column in roles(**columns).columns}


def commands(columns, *, is_several=False, **options):
    table = table_of(columns)
    facts = facts_of(table)
    found = suggested(facts, roles_of(facts), Target("f.csv", "csv", options, is_several=is_several), table)
    assert len(found) <= MAX_COMMANDS
    return [(command.text, command.reason) for command in found]


ILL = "2 labels ('well' and 'ill')"
ONE = "2 labels (0 and 1)"


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (
            {"y": Y, "p": P},
            {
                "y": [("truth", f"{ONE}; 'y' in its name")],
                "p": [("probability", "numbers from 0 to 1; 'p' in its name")],
            },
        ),
        (
            {"zustand": RARE, "x": P},
            {"zustand": [("truth", ILL)], "x": [("probability", "numbers from 0 to 1")]},
        ),
        (
            {"outcome": RARE, "risk_score": 10 * P},
            {
                "outcome": [("truth", f"{ILL}; 'outcome' in its name")],
                "risk_score": [
                    ("score", f"numbers from {10 * P.min():.6g} to {10 * P.max():.6g}; 'risk' in its name")
                ],
            },
        ),
        (
            {"y": Y, "bmi": P, "dose": 9 * P, "thing": 9 * P, "points": 9 * np.arange(N)[::-1] % 59},
            {
                "y": [("truth", f"{ONE}; 'y' in its name")],
                "bmi": [],
                "dose": [],
                "thing": [("score", f"numbers from {9 * P.min():.6g} to {9 * P.max():.6g}, maybe a feature")],
                "points": [],
            },
        ),
        (
            {"state": RARE, "x_ill": 3 * P, "ill": Q},
            {
                "state": [("truth", ILL)],
                "x_ill": [
                    ("score", f"numbers from {3 * P.min():.6g} to {3 * P.max():.6g}; a label in its name")
                ],
                "ill": [("probability", "numbers from 0 to 1; a label in its name")],
            },
        ),
        (
            {"y": RARE, "y_pred": RARE[::-1], "again": RARE, "sex": SEX, "other": SEX},
            {
                "y": [("truth", f"{ILL}; 'y' in its name")],
                "y_pred": [("prediction", "labels of y; 'pred' in its name")],
                "again": [("prediction", "labels of y"), ("group", "2 values ('well' and 'ill')")],
                "sex": [("group", "2 values ('m' and 'f'); 'sex' in its name")],
                "other": [("group", "2 values ('m' and 'f')")],
            },
        ),
        (
            {"y": Y, "p": P, "weight": 1 + Y, "n": 1 + Y, "w": -P, "freq": P, "case_id": PERSON, "day": DAYS},
            {
                "y": [("truth", f"{ONE}; 'y' in its name")],
                "p": [("probability", "numbers from 0 to 1; 'p' in its name")],
                "weight": [("weight", "numbers from 0 on; 'weight' in its name")],
                "n": [("frequency", "whole numbers; 'n' in its name")],
                "w": [("score", f"numbers from {-P.max():.6g} to {-P.min():.6g}, maybe a feature")],
                "freq": [("probability", "numbers from 0 to 1")],
                "case_id": [("id", "20 values, some repeated; a name of ids")],
                "day": [("time", "dates")],
            },
        ),
        (
            {
                "text": [f"k{k}" for k in range(N)],
                "y": Y,
                "weight": gap(1 + Y, 3),
                "n": gap(1 + Y, 3),
                "one": [1] * N,
            },
            {
                "text": [("id", "all values are distinct")],
                "y": [("truth", f"{ONE}; 'y' in its name")],
                "weight": [("prediction", "labels of y"), ("group", "2 values (1 and 2)")][1:],
                "n": [("group", "2 values (1 and 2)")],
                "one": [],
            },
        ),
        (
            {"fpr": P, "tpr": Q, "threshold": R},
            {
                "fpr": [("curve point", "a row is a point of a curve")],
                "tpr": [("curve point", "a row is a point of a curve")],
                "threshold": [],
            },
        ),
    ],
    ids=range(9),
)
def test_roles_and_reasons(columns, expected):
    assert said(**columns) == expected


TRUE_WORDS = (
    "truth label actual gold target outcome observed reference annotated groundtruth expected wahrheit"
)
LIKE_TRUE = (
    "class event status diagnosis died mortality default churn fraud disease condition result spam befund tod"
)
PREDICTED = "pred predicted prediction yhat decision call output guess forecast vorhersage prognose"
SCORES = (
    "score prob proba probability risk logit confidence margin posterior softmax wahrscheinlichkeit riesgo"
)
GROUPS = "gender region site hospital country race segment group city device language smoker stage cohort alter sexe"
AMOUNTS = "cost amount price length income bmi duration dose kosten betrag"


@pytest.mark.parametrize("word", TRUE_WORDS.split())
def test_a_word_of_true_labels_decides(word):
    """Even after another column of two labels, and against the name of a group."""
    found = roles(**{"other": RARE, f"{word}_sex": SEX, "p": P})
    assert found.truth.facts.name == f"{word}_sex"
    assert found.truth.roles[0].reason.endswith(f"'{word}' in its name")


@pytest.mark.parametrize("word", LIKE_TRUE.split())
def test_a_word_like_true_labels_decides_among_others(word):
    assert roles(other=RARE, **{word: SEX, "p": P}).truth.facts.name == word
    assert roles(truth=RARE, **{word: SEX, "p": P}).truth.facts.name == "truth"
    assert roles(**{word: SEX, "p": P}, y=RARE).truth.facts.name == "y"


@pytest.mark.parametrize("word", PREDICTED.split())
def test_a_word_of_predictions_is_no_truth(word):
    found = roles(**{word: RARE[::-1], "z": RARE})
    assert found.truth.facts.name == "z"
    assert [role.name for role in found.columns[0].roles] == ["prediction"]
    assert found.columns[0].roles[0].is_named


@pytest.mark.parametrize("word", SCORES.split())
def test_a_word_of_scores(word):
    found = roles(y=Y, **{f"{word}_a": 1 + P})
    (role,) = found.columns[1].roles
    assert (role.name, role.is_named) == ("score", True)
    assert roles(**{word: Y, "other": RARE}).truth.facts.name == "other"


@pytest.mark.parametrize("word", GROUPS.split())
def test_a_word_of_groups(word):
    found = roles(**{word: SEX, "other": RARE, "p": P})
    assert found.truth.facts.name == "other"
    (role,) = found.columns[0].roles
    assert (role.name, role.is_named) == ("group", True)


@pytest.mark.parametrize("word", AMOUNTS.split())
def test_a_word_of_amounts_is_no_score(word):
    assert roles(y=Y, **{word: P}).columns[1].roles == []
    assert roles(**{word: Y, "other": RARE, "p": P}).truth.facts.name == "other"
    assert [role.name for role in roles(y=Y, **{f"{word}_score": P}).columns[1].roles] == ["probability"]


def test_which_column_has_the_true_labels():
    """By points for names, two labels, predictions of them, and labels in names of scores."""
    for columns, name in (
        ({"a": ANIMAL, "b": SEX, "x": P}, "b"),  # two labels are likelier than three
        ({"a": ANIMAL, "b": SEX, "p_cat": P, "p_dog": Q, "p_eel": R}, "a"),
        ({"a": ANIMAL, "b": SEX, "predicted": ANIMAL[::-1]}, "a"),
        (
            {"a": ANIMAL, "b": SEX, "predicted": np.resize(["cat", "dog"], N)},
            "a",
        ),  # one label is never predicted
        ({"a": SEX, "b": SEX[::-1]}, "a"),  # the first of equals
        ({"class": ANIMAL, "y": ANIMAL}, "y"),
        ({"class": RARE, "week": SEX}, "class"),
        ({"week": SEX, "class": ANIMAL}, "class"),
    ):
        assert roles(**columns).truth.facts.name == name, columns
    assert roles(p=P, x=Q).truth is None
    assert roles(a=ANIMAL, p=P).truth is None  # nothing says so
    assert roles(week=SEX, p=P).truth is None


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"y": Y, "p": gap(P, 1, 2)}, {"y": [], "p": ["2 of 60 values are missing"]}),
        (
            {"y": Y, "x": [None] * N, "one": [3] * N},
            {"y": [], "x": ["no values"], "one": ["all values are equal"]},
        ),
        ({"y": Y, "logit": 8 * P - 4}, {"y": [], "logit": ["not from 0 to 1, so no probability"]}),
        ({"y": Y, "score": 100 * P}, {"y": [], "score": ["not from 0 to 1, maybe a percentage"]}),
        ({"y": Y, "score": 101 * P / P.max()}, {"y": [], "score": ["not from 0 to 1, so no probability"]}),
        ({"y": Y, "score": 100 * P / P.max()}, {"y": [], "score": ["not from 0 to 1, maybe a percentage"]}),
        ({"y": Y, "thing": 99 * P}, {"y": [], "thing": ["not from 0 to 1, so no probability"]}),
        (
            {"y": Y, "p": P, "patient": PERSON},
            {
                "y": [],
                "p": [],
                "patient": ["rows of one value may depend on each other: --cluster treats them as one unit"],
            },
        ),
        (
            {"y": Y, "p": P, "patient": gap(PERSON, 5)},
            {"y": [], "p": [], "patient": ["1 of 60 values are missing"]},
        ),
        (
            {
                "y": Y,
                "p": P,
                "patient": [f"P{k % 4}" for k in range(N)],
                "id": [f"P{k % 5}" for k in range(N)],
            },
            {
                "y": [],
                "p": [],
                "patient": [],
                "id": ["rows of one value may depend on each other: --cluster treats them as one unit"],
            },
        ),
        ({"y": [*RARE[:-1], "unknown"]}, {"y": ["'unknown' may stand for missing values"]}),
        ({"y": [*RARE[:-2], "unknown", "NA"]}, {"y": ["'unknown' and 'NA' may stand for missing values"]}),
        (
            {"y": [*Y[:-1].tolist(), 99]},
            {"y": ["99 far from all others may stand for missing values: --na 99"]},
        ),
        ({"y": [*RARE[:-1], "Well"]}, {"y": ["labels that differ in case or blanks: 'well' and 'Well'"]}),
        (
            {
                "y": Y,
                "t": ["13.01.2025"] * (N - 1) + ["14.01.2025"],
                "u": ["01.01.2025"] * (N - 1) + ["02.01.2025"],
            },
            {
                "y": [],
                "t": ["dates that need --date-format '%d.%m.%Y'"],
                "u": ["the day or the month may come first: name the format with --date-format"],
            },
        ),
        (
            {"y": Y, "r": [{"a": 1}] * N, "b": [b"x"] * N, "l": [[1]] * N},
            {
                "y": [],
                "r": ["each row has a record, which is not described"],
                "b": ["each row has bytes, which is not described"],
                "l": ["each row has a list, which is not described"],
            },
        ),
    ],
    ids=range(16),
)
def test_what_stands_against_a_column(columns, expected):
    assert against(**columns) == expected


def test_values_that_are_missing_after_the_first_rows():
    table = table_of({"y": Y, "p": P})
    (y, p) = roles_of(facts_of(table, {"p": 1234})).columns
    assert (y.against, p.against) == ([], ["1,234 values are missing, after the first rows"])


@pytest.mark.parametrize(
    ("name", "label", "stem"),
    [
        ("p_cat", "cat", "p"),
        ("P_Cat ", "cat", "p"),
        ("cat", "cat", ""),
        ("p(cat)", "cat", "p"),
        ("p[cat]", "cat", "p"),
        ("p=cat", "cat", "p"),
        ("p.cat", "cat", "p"),
        ("p cat", "cat", "p"),
        ("_cat", "cat", None),
        ("pcat", "cat", None),
        ("prob1", "1", "prob"),
        ("x1", "1", None),
        ("prob_1", "1", "prob"),
        ("cat_prob", "cat", "prob"),
        ("cat_size", "cat", None),
        ("catprob", "cat", None),
        ("concat", "cat", None),
        ("cat-score", "cat", "score"),
    ],
)
def test_labels_in_names(name, label, stem):
    assert stem_of(name, label) == stem
    assert label_in_name(name, [label, "zebra"]) == (None if stem is None else label)
    assert label_in_name(name, [label, label]) is None


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (["high", "low", "medium"], ("low", "medium", "high")),
        (["severe", "mild", "moderate"], ("mild", "moderate", "severe")),
        (["high risk", "low risk", "mid risk"], ("low risk", "mid risk", "high risk")),
        (["high", "low"], ()),
        (["high", "low", "other"], ()),
        (["high", "low", "severe"], ()),
        (["high", "low", "medium high"], ()),
        ([3, 1, 2], (1, 2, 3)),
        ([3.0, 1.0, 2.0], (1.0, 2.0, 3.0)),
        ([4, 1, 2], ()),
        ([*range(11)], tuple(range(11))),
        ([*range(12)], ()),
        ([True, 2, 3], ()),
        ([1, 2, "3"], ()),
    ],
)
def test_orders_of_labels(labels, order):
    assert order_of(labels) == order


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([0, 1], (1, "the default")),
        ([1, 0], (1, "the default")),
        (["1", "0"], ("1", "the default")),
        ([True, False], (True, "the default")),
        ([1.0, 0.0], (1.0, "the default")),
        ([1, 2], (1, "a guess by its word")),
        ([2, 1], (1, "a guess by its word")),
        (["yes", "no"], ("yes", "a guess by its word")),
        (["No", " YES "], (" YES ", "a guess by its word")),
        (["yes", "positive"], ("positive", "a guess, the rarer class")),
        (["b", "a"], ("a", "a guess, the rarer class")),
        ([3, 2], (2, "a guess, the rarer class")),
    ],
)
def test_the_positive_class(labels, expected):
    assert usual_positive(labels) == expected


def test_the_positive_class_of_the_name_of_a_score():
    found = roles(state=RARE, score_well=P)
    assert (found.positive, found.positive_reason) == ("well", "it is in the name score_well")
    found = roles(state=RARE, score_well=P, score_ill=Q)  # both have their scores
    assert (found.positive, found.positive_reason) == ("ill", "a guess by its word")
    found = roles(y=Y, prob_0=P)
    assert (found.positive, found.positive_reason) == (1, "the default")
    assert roles(y=ANIMAL, p_cat=P).positive is None


def test_spellings_of_one_label():
    assert case_variants(["a b", "A  b ", "c", "C", 1, "1"]) == ["'a b' and 'A  b '", "'c' and 'C'"]
    assert case_variants(["a", "b"]) == []


T, S = "classay assess f.csv --truth", "as the probability of"
PLAIN = (f"{T} y --score p", f"true labels in y, p {S} 1")


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"y": Y, "p": P}, [PLAIN]),
        ({"y": Y, "logit": 9 * P}, [(f"{T} y --score logit", "true labels in y, logit as the score of 1")]),
        (
            {"y": Y, "logit": 9 * Q, "prob": P},
            [
                (f"{T} y --score prob", f"true labels in y, prob {S} 1"),
                (f"{T} y --score logit", "true labels in y, logit as the score of 1"),
            ],
        ),
        (
            {"y": Y, "p": P, "other": SEX, "sex": SEX, "region": SEX},
            [PLAIN, (f"{T} y --score p --by sex", "the same by groups of sex")],
        ),
        (
            {"y": Y, "p": P, "sex": gap(SEX, 1), "region": SEX},
            [PLAIN, (f"{T} y --score p --by region", "the same by groups of region")],
        ),
        (
            {"y": Y, "p": P, "sex": SEX, "day": DAYS},
            [
                PLAIN,
                (f"{T} y --score p --by sex", "the same by groups of sex"),
                (f"{T} y --score p --time day --per month", "the same over months of day"),
            ],
        ),
        (
            {"y": RARE, "pred": RARE[::-1]},
            [(f"{T} y --prediction pred --positive ill", "true labels in y, labels predicted in pred")],
        ),
        (
            {"state": RARE, "score_ill": P, "score_well": Q},
            [
                (
                    f"{T} state --score score_ill --positive ill",
                    f"true labels in state, score_ill {S} ill (a guess by its word)",
                )
            ],
        ),
        (
            {"y": Y, "a_score": P, "b_score": Q, "a_pred": Y[::-1], "b_pred": np.roll(Y, 1)},
            [
                (f"{T} y --score a_score", f"true labels in y, a_score {S} 1"),
                (
                    "classay compare f.csv --truth y --scores a_score,b_score",
                    "models a_score and b_score on the same cases",
                ),
                (f"{T} y --score b_score", f"true labels in y, b_score {S} 1"),
                (f"{T} y --prediction a_pred", "true labels in y, labels predicted in a_pred"),
                (f"{T} y --prediction b_pred", "true labels in y, labels predicted in b_pred"),
            ],
        ),
        (
            {"y": Y, "p": P, "weight": 1 + Y, "patient": PERSON},
            [
                (
                    f"{T} y --score p --weight weight --cluster patient",
                    f"true labels in y, p {S} 1; weight weight and cluster patient",
                )
            ],
        ),
        (
            {"y": Y, "p": P, "n": 1 + Y},
            [(f"{T} y --score p --frequency n", f"true labels in y, p {S} 1; frequency n")],
        ),
        (
            {"y": Y, "p": P, "n": 1 + Y, "patient": PERSON},
            [(f"{T} y --score p --cluster patient", f"true labels in y, p {S} 1; cluster patient")],
        ),
        (
            {"y": gap(Y, 1), "p": gap(P, 2), "sex": gap(SEX, 3)},
            [
                (f"{T} y --score p --missing drop --unanswered drop", f"true labels in y, p {S} 1"),
                (f"{T} y --score p --by sex --missing drop --unanswered drop", "the same by groups of sex"),
            ],
        ),
        (
            {"y": Y, "p": P, "sex": gap(SEX, 3)},
            [PLAIN, (f"{T} y --score p --by sex --missing drop", "the same by groups of sex")],
        ),
        (
            {"y": ANIMAL, "p_cat": P, "p_dog": Q, "p_eel": R, "pred": ANIMAL[::-1]},
            [
                (
                    f"{T} y --class-scores cat=p_cat,dog=p_dog,eel=p_eel",
                    "true labels in y, a score column for each class",
                ),
                (f"{T} y --prediction pred", "true labels in y, labels predicted in pred"),
            ],
        ),
        (
            {"y": np.resize(["low", "medium", "high"], N), "pred": np.resize(["low", "high", "medium"], N)},
            [
                (
                    f"{T} y --prediction pred --order low,medium,high",
                    "true labels in y, labels predicted in pred; classes in their order",
                ),
                (f"{T} y --prediction pred", "true labels in y, labels predicted in pred"),
            ],
        ),
        (
            {"y": np.resize([1, 2, 3], N), "pred": np.resize([1, 3, 2], N)},
            [
                (f"{T} y --prediction pred", "true labels in y, labels predicted in pred"),
                (
                    f"{T} y --prediction pred --order 1,2,3",
                    "true labels in y, labels predicted in pred; classes in their order",
                ),
            ],
        ),
        (
            {
                "y": ANIMAL,
                **{
                    f"{m}_{k}": c
                    for m in ("new", "old")
                    for k, c in zip(("cat", "dog", "eel"), (P, Q, R), strict=True)
                },
            },
            [
                (
                    f"{T} y --class-scores cat=new_cat,dog=new_dog,eel=new_eel",
                    "true labels in y, a score column for each class",
                ),
                (
                    "classay compare f.csv --truth y --class-scores new:cat=new_cat,dog=new_dog,eel=new_eel "
                    "--class-scores old:cat=old_cat,dog=old_dog,eel=old_eel",
                    "models new and old on the same cases",
                ),
                (
                    f"{T} y --class-scores cat=old_cat,dog=old_dog,eel=old_eel",
                    "true labels in y, a score column for each class",
                ),
            ],
        ),
        (
            {
                "new": np.resize([1, 2, 3, 4, 4], N),
                "old": np.resize([4, 2, 3, 1, 1, 1], N),
                "third": np.resize([0, 9, 9], N),
            },
            [
                (
                    "classay compare f.csv --graded new,old",
                    "new,old as grades of the same cases, such as 1 for correct",
                )
            ],
        ),
        (
            {"y_sea": Y, "y_dog": Y[::-1], "p_sea": P, "p_dog": Q, "c_sea": Y, "c_dog": Y},
            [
                (
                    "classay assess f.csv --truth-tags 'y_*' --tag-scores 'p_*'",
                    "multilabel cases with the tags sea and dog, by their scores",
                ),
                (
                    "classay assess f.csv --truth-tags 'y_*' --tag-predictions 'c_*'",
                    "multilabel cases with the tags sea and dog, by predicted tags",
                ),
            ],
        ),
        (
            {"tags": ["sea;dog", "sea", "dog;sun"] * 20, "predicted": ["sea", "sea;sun", "dog;sun"] * 20},
            [
                (
                    "classay assess f.csv --tags tags --prediction predicted --separator ';'",
                    "multilabel cases with all tags of a case in tags",
                )
            ],
        ),
        (
            {"tp": [4], "fp": [0], "fn": [2], "tn": [9]},
            [("classay assess --counts tp=4,fp=0,fn=2,tn=9", "the four counts of two classes")],
        ),
        (
            {"actual": ["cat", "dog"], "cat": [4, 0], "dog": [1, 5]},
            [
                (
                    "classay assess --matrix f.csv --matrix-rows true --positive dog",
                    "a confusion matrix whose rows are the true classes",
                ),
                (
                    "classay assess --matrix f.csv --matrix-rows predicted --positive dog",
                    "a confusion matrix whose rows are the predicted classes",
                ),
            ],
        ),
        (
            {"predicted\\true": ["0", "1", "2"], "0": [4, 0, 1], "1": [1, 5, 1], "2": [1, 5, 1]},
            [
                (
                    "classay assess --matrix f.csv --matrix-rows predicted",
                    "a confusion matrix whose rows are the predicted classes",
                ),
                (
                    "classay assess --matrix f.csv --matrix-rows true",
                    "a confusion matrix whose rows are the true classes",
                ),
            ],
        ),
        (
            {
                "dataset": ["a", "a", "b", "b"],
                "model": ["m", "n", "m", "n"],
                "accuracy": [0.5, 0.75, 0.25, 0.125],
            },
            [
                (
                    "classay compare f.csv --dataset dataset --model model --value accuracy",
                    "results of models over data sets or folds, in long form",
                )
            ],
        ),
        ({"x": P, "z": Q}, []),
        ({"a": ANIMAL, "x": P}, []),
    ],
    ids=range(27),
)
def test_all_command_lines(columns, expected):
    assert commands(columns) == expected


def test_command_lines_of_several_files_have_no_groups_and_no_grades():
    assert commands({"y": Y, "p": P, "sex": SEX, "day": DAYS}, is_several=True) == [PLAIN]
    grades = {"new": np.resize([1, 2, 3, 4], N), "old": np.resize([4, 2, 3, 1, 1], N)}
    assert commands(grades, is_several=True) == []
    long = {
        "dataset": ["a", "a", "b", "b"],
        "model": ["m", "n", "m", "n"],
        "accuracy": [0.5, 0.75, 0.25, 0.125],
    }
    assert not [text for text, _ in commands(long, is_several=True) if "--dataset" in text]


def test_options_of_reading_and_odd_names_of_files_are_in_each_line():
    (line, _), *_ = commands({"y": Y, "p": P}, delimiter=";", header_line="3")
    assert line == "classay assess f.csv --delimiter ';' --header-line 3 --truth y --score p"
    assert Target("-f.csv", "csv", {}).command("assess", "x") == ("classay", "assess", "./-f.csv", "x")
    assert Target("-", "csv", {}).command("assess") == ("classay", "assess", "-")


def test_labels_that_are_lost_with_missing_scores_suggest_nothing():
    """Scores of one class only."""
    assert commands({"y": Y, "p": [p if y else None for y, p in zip(Y, P.tolist(), strict=True)]}) == []


# -- shapes of files -------------------------------------------------------------------------------------------------


def matrix(rows=("a", "b"), columns=("a", "b"), counts=((1, 2), (3, 0))):
    return facts_of(
        pa.table({"": list(rows), **{n: [row[k] for row in counts] for k, n in enumerate(columns)}})
    )


@pytest.mark.parametrize(
    ("facts", "corner"),
    [
        (matrix(), ""),
        (matrix(rows=("b", "a")), ""),
        (matrix(rows=("a", "c")), None),
        (matrix(counts=((1, 2), (3, -1))), None),
        (matrix(counts=((1, 2), (3, None))), None),
        (matrix(counts=((1, 2), (3, 0.5))), None),
        (matrix(counts=((1, 2), (3, 0), (1, 1)), rows=("a", "b", "c")), None),
        (matrix(rows=("a",), columns=("a",), counts=((1,),)), None),
    ],
)
def test_matrices(facts, corner):
    assert matrix_corner(facts) == corner


@pytest.mark.parametrize(
    ("columns", "counts"),
    [
        ({"TP": [1], " fp": [2], "fn": [0], "tn": [4.0]}, {"tp": 1, "fp": 2, "fn": 0, "tn": 4}),
        ({"tp": [1], "fp": [2], "fn": [0]}, None),
        ({"tp": [1], "fp": [2], "fn": [0], "tn": [-1]}, None),
        ({"tp": [1], "fp": [2], "fn": [0], "tn": [0.5]}, None),
        ({"tp": [1], "fp": [2], "fn": [0], "tn": ["a"]}, None),
        ({"tp": [1, 1], "fp": [2, 2], "fn": [0, 0], "tn": [1, 1]}, None),
    ],
)
def test_four_counts(columns, counts):
    assert four_counts(facts_of(pa.table(columns))) == counts


def tags(**columns):
    found = tag_columns(facts_of(table_of(columns)))
    return found and (found.truth, found.scores, found.predictions, found.tags)


def test_columns_of_tags():
    two = {"y_a": Y, "y_b": Y[::-1]}
    assert tags(**two) is None
    assert tags(**two, p_a=P, p_b=Q) == ("y_", "p_", None, ("a", "b"))
    assert tags(**two, p_a=P, p_b=gap(Q, 1)) is None
    assert tags(**two, p_a=P) is None
    assert tags(**two, p_a=P, p_c=Q) is None
    assert tags(y_a=Y, p_a=P) is None  # one tag
    assert tags(**two, c_a=Y, c_b=Y) == ("y_", None, "c_", ("a", "b"))
    assert tags(c_a=Y, c_b=Y, **two) == ("y_", None, "c_", ("a", "b"))  # by the words, not the order
    assert tags(**two, z_a=Y, z_b=Y) == ("y_", None, "z_", ("a", "b"))
    assert tags(**two, z_a=Y, z_b=Y, p_a=P, p_b=Q) == ("y_", "p_", None, ("a", "b"))
    assert tags(**two, pred_a=Y, pred_b=Y, p_a=P, p_b=Q) == ("y_", "p_", "pred_", ("a", "b"))
    assert tags(**{"y_a": Y, "y_b": gap(Y, 1)}, p_a=P, p_b=Q) is None
    assert tags(**{"y_a": Y, "y_b": 2 * Y}, p_a=P, p_b=Q) is None
    assert tags(**{'y_a"': Y, "y_b": Y, 'p_a"': P, "p_b": Q}) is None


def cells(**columns):
    found = tag_cells(roles(**columns))
    return found and (found.truth, found.prediction, found.separator)


def test_tags_in_cells():
    bars, dots = ["a|b", "a", "b|c"] * 20, ["a;b", "a", "b;c"] * 20
    assert cells(true=bars, predicted=bars) == ("true", "predicted", "|")
    assert cells(predicted=bars, true=bars) == ("true", "predicted", "|")
    assert cells(true=bars, y_hat=bars) == ("true", "y_hat", "|")
    assert cells(true=dots, predicted=bars) is None
    assert cells(true=bars, other=bars) is None
    assert cells(pred=bars, predicted=bars) is None


def test_columns_of_grades():
    five, four = np.resize([1, 2, 3, 4, 5], N), np.resize([1, 2, 3, 4], N)
    for columns, names in (
        ({"a": five, "b": five[::-1]}, ["a", "b"]),
        ({"a": five, "b": four}, []),
        ({"a": five, "b": gap(five, 1)}, []),
        ({"a": five, "b": [3] * N, "c": [3] * N}, []),
        ({"a": four, "b": four, "c": five, "d": five, "e": five}, ["c", "d", "e"]),
        ({"a": five, "b": five, "p": P}, []),
        ({"a": five, "weight": five}, []),
        ({"a": five + 0.5, "b": five + 0.5}, []),
        ({"a": np.arange(N), "b": np.arange(N)}, []),
    ):
        assert graded_columns(roles(**columns)) == names, columns


def judged(**columns):
    found = judged_columns(facts_of(table_of(columns)))
    return found and (found.words, found.reason)


def test_a_judge_and_few_human_labels():
    few = [y if k % 3 == 0 else None for k, y in enumerate(Y.tolist())]
    text = "grades of a judge in judge, corrected by the human labels in human"
    assert judged(human=few, judge=Y) == (("--human", "human", "--judge", "judge"), text)
    assert judged(human=Y, judge=Y) is None  # not few
    half = [y if k % 2 else None for k, y in enumerate(Y.tolist())]
    assert judged(human=half, judge=Y) is None
    assert judged(human=few, judge=few) is None
    assert judged(human=few, other=Y) is None
    assert judged(human=few, judge=RARE) is None  # other labels
    words = [w if k % 4 == 0 else None for k, w in enumerate(RARE.tolist())]
    assert judged(gold=words, llm=RARE) == (
        ("--human", "gold", "--judge", "llm", "--positive", "ill"),
        "grades of a judge in llm, corrected by the human labels in gold",
    )
    systems = {"system": np.resize(["s", "t"], N), "question": [f"q{k // 2}" for k in range(N)]}
    assert judged(human=few, judge=Y, **systems) == (
        ("--human", "human", "--judge", "judge", "--model", "system", "--id", "question"),
        f"{text}; systems in system",
    )
    assert judged(human=few, judge=Y, system=["s"] * N)[1] == text
    assert judged(human=few, judge=Y, system=gap(np.resize(["s", "t"], N), 1))[1] == text
    many = [f"s{k % 20}" for k in range(N)]
    assert judged(human=few, judge=Y, system=many)[1] == f"{text}; systems in system"
    assert judged(human=few, judge=Y, system=[f"s{k % 21}" for k in range(N)])[1] == text


def test_results_in_long_form():
    text, number = False, True
    for columns, options in (
        ({"dataset": text, "model": text, "auc": number}, "--dataset dataset --model model --value auc"),
        ({"model": text, "fold": number, "auc": number}, "--model model --fold fold --value auc"),
        (
            {"model": text, "fold": number, "run": number, "auc": number},
            "--model model --fold fold --run run --value auc",
        ),
        (
            {"Data_name": text, "Algorithm": text, "v": number},
            "--dataset Data_name --model Algorithm --value v",
        ),
        ({"model": text, "auc": number}, ""),
        ({"model": text, "run": number, "auc": number}, ""),
        ({"dataset": text, "auc": number}, ""),
        ({"dataset": text, "model": text, "auc": text}, ""),
        ({"dataset": text, "model": number, "auc": number}, ""),
        ({"dataset": text, "model": text, "auc": number, "f1": number}, ""),
        ({"dataset": text, "data": text, "model": text, "auc": number}, ""),
    ):
        assert " ".join(word for pair in long_form(columns).items() for word in pair) == options
    usual = ("a", "b", "c")
    assert wanted_of_results(usual, [("y", "int64")]) == usual
    kinds = [("data set", "string"), ("dataset", "string"), ("model", "string"), ("auc", "double")]
    assert wanted_of_results(usual, kinds[1:]) == (
        "the columns of results over data sets or folds",
        "",
        "--dataset dataset --model model --value auc",
    )


def test_values_of_long_results_are_in_each_cell_and_of_a_known_measure():
    full = {
        "dataset": ["a", "a", "b", "b"],
        "model": ["m", "n", "m", "n"],
        "accuracy": [0.5, 0.75, 0.25, 0.125],
    }
    assert "--dataset" in commands(full)[0][0]
    for changed in (
        {
            "dataset": ["a", "a", "b", "b", "b"],
            "model": ["m", "n", "m", "n", "n"],
            "accuracy": [0.5] * 4 + [0.25],
        },
        {"dataset": ["a"] * 4, "model": ["m", "n", "o", "q"]},
        {"accuracy": [0.5, 0.75, 0.25, None]},
    ):
        assert not [text for text, _ in commands(full | changed) if "--dataset" in text]
    full["size_in_mm"] = full.pop("accuracy")
    assert not [text for text, _ in commands(full) if "--dataset" in text]


# -- columns that say the same ---------------------------------------------------------------------------------------


def same(**columns):
    table = table_of(columns)
    return [*complements(table, roles_of(facts_of(table)))]


def test_equal_columns_and_complements():
    assert same(y=Y, p_a=P, p_b=Q) == []
    assert same(y=Y, p_a=P, p_b=P) == [("p_b", "equal to p_a")]
    assert same(y=Y, p_a=P, p_b=1 - P) == [("p_b", "1 minus p_a")]
    assert same(y=Y, p_a=P, p_b=gap(P, 3)) == [("p_b", "equal to p_a, where both have values")]
    assert same(y=Y, p_a=gap(P, 3), p_b=1 - P) == [("p_b", "1 minus p_a, where both have values")]
    assert same(y=Y, p_a=P, p_b=Q, p_c=Q, p_d=P) == [("p_c", "equal to p_b"), ("p_d", "equal to p_a")]
    assert same(y=Y, p_a=P, p_b=P + 2e-6) == []
    halves = (
        [None if k % 2 else p for k, p in enumerate(P.tolist())],
        [None if k % 2 == 0 else p for k, p in enumerate(P.tolist())],
    )
    assert same(y=Y, p_a=halves[0], p_b=halves[1]) == []


def test_class_scores_that_do_not_add_up():
    third = 1 - (P + Q) / 3
    scores = {"p_cat": P / 3, "p_dog": Q / 3, "p_eel": third}
    assert same(y=ANIMAL, **scores) == []
    off = third.copy()
    off[:7] += 0.02
    off[7:9] += 0.009
    assert same(y=ANIMAL, **scores | {"p_eel": off}) == [
        ("p_eel", "the class scores do not add up to 1 in 7 of 60 rows")
    ]


def test_facts_are_of_columns_with_names():
    assert not ColumnFacts(" ", "text", 9, 0, 2, ("a", "b")).is_named
