"""Measures of one class in brackets, `recall[other]`: in Python, in the command, in requirements and comparisons."""

import numpy as np
import pytest

import classay as ca
from classay.errors import ClassayError, InputError
from classay.measures import get, recall

LABELS = ("New York", "cat", "dog")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    true = rng.integers(0, 3, 240)

    def said(strength):
        raw = rng.normal(size=(240, 3))
        raw[np.arange(240), true] += strength
        return np.exp(raw) / np.exp(raw).sum(1, keepdims=True)

    return np.array(LABELS)[true], said(1.5), said(1.0)


def test_names_are_canonical_and_read_back():
    for name, canonical in (
        ("ppv[cat]", "precision[cat]"),
        (" recall [ New York ] ", 'recall["New York"]'),
        ('f_beta(3)["a, \\"b\\""]', 'f_beta(3)["a, \\"b\\""]'),
        ("recall[-1.5]", "recall[-1.5]"),
    ):
        assert get(name).name == canonical
        assert get(get(name).name) is get(name)
    assert recall["cat"] is get("recall[cat]")
    assert get("recall[cat]").base == "recall"


@pytest.mark.parametrize("name", ["accuracy[cat]", "macro_f1[cat]", "hand_till_auc[cat]"])
def test_a_measure_of_all_classes_has_no_class(name):
    with pytest.raises(InputError, match=r"applies to all classes together. Remove \[cat\]"):
        get(name)


@pytest.mark.parametrize("name", ["recall[]", "recall[cat][dog]", "recal[cat]", "recall[cat"])
def test_other_brackets_are_refused_with_the_name(name):
    with pytest.raises(ClassayError, match="Unknown measure"):
        get(name)


def test_it_is_the_measure_of_the_class_against_the_rest(rows):
    y, p, _ = rows
    a = ca.assess(y, p)
    for label in LABELS:
        alone = a.one_vs_rest(label)
        for name in ("recall", "precision", "f1", "roc_auc", "average_precision", "brier_score"):
            found = a[get(name)[label]]
            assert found == alone[name]
        assert a[recall[label]] == a.class_estimates()[label]["recall"]
    with pytest.raises(InputError, match="Labels: 'New York', 'cat', 'dog'"):
        a["recall[bird]"]


def test_of_two_classes_the_other_has_labels_and_no_scores(rows):
    y, p, _ = rows
    a = ca.assess(y == "cat", p[:, 1])
    assert a["recall[True]"] == a["recall"]
    assert a["recall[False]"] == a["specificity"]
    assert a["precision[false]"] == a["negative_predictive_value"]
    assert a["roc_auc[False]"].reason == "the scores are those of class True"


def test_labels_of_numbers_are_found_by_their_text(rows):
    _, p, _ = rows
    y = np.arange(240) % 3
    a = ca.assess(y, p)
    assert a["recall[2]"] == a[recall[2]] == a.one_vs_rest(2)["recall"]


def test_a_comparison_is_that_of_the_two_classes(rows):
    y, p, q = rows
    names = [
        "recall",
        "specificity",
        "precision",
        "f1",
        "roc_auc",
        "average_precision",
        "brier_score",
        "log_loss",
    ]
    found = ca.compare(
        {"a": p, "b": q}, y, measures=[get(name)["cat"] for name in names], adjustment="bonferroni"
    )
    of_two = ca.compare(
        {"a": p[:, 1], "b": q[:, 1]},
        y == "cat",
        y_pred={"a": p.argmax(1) == 1, "b": q.argmax(1) == 1},
        measures=names,
        adjustment="bonferroni",
    )
    for one, other in zip(found, of_two, strict=True):
        assert one.measure == f"{other.measure}[cat]"
        assert one.method == other.method
        for part in ("value", "low", "high"):
            assert getattr(one.effect, part) == pytest.approx(getattr(other.effect, part), rel=1e-9)
        assert (*one.values, one.p) == pytest.approx((*other.values, other.p), rel=1e-9)


def test_measures_keep_their_order_whatever_they_are_of(rows):
    y, p, q = rows
    names = ("average_precision[dog]", "accuracy", "average_precision[cat]", "log_loss", "recall[dog]")
    assert ca.compare({"a": p, "b": q}, y, measures=names).measures == names


def test_blocks_of_saved_assessments_have_the_labels_of_one_class(rows):
    y, p, q = rows
    ids = np.arange(240)
    both = {"a": ca.assess(y, p, id=ids), "b": ca.assess(y, q, id=ids)}
    found = ca.compare(both, measures=["recall[cat]"])
    assert found[0].values == (both["a"]["recall[cat]"].value, both["b"]["recall[cat]"].value)
    assert found[0].effect.has_interval


def test_a_threshold_and_a_prevalence_say_that_they_are_of_the_positive_class(rows):
    y, p, _ = rows
    a = ca.assess(y == "cat", p[:, 1])
    with pytest.raises(InputError, match=r"names a class, but a threshold applies to the positive class"):
        a.threshold(where="recall[False] >= 0.5", maximize="recall")
    assert a.at_prevalence(0.1)["recall[True]"] == a.at_prevalence(0.1)["recall"]
    with pytest.raises(InputError, match="is of another class"):
        a.at_prevalence(0.1)["precision[False]"]


@pytest.mark.parametrize("name", ['recall["\\x"]', 'recall["a\\u12"]'])
def test_quotes_that_json_does_not_have_are_refused(name):
    with pytest.raises(InputError, match=r"quoted text .* is not valid"):
        get(name)


def test_a_label_may_hold_the_end_of_a_line():
    assert get('recall["a\nb"]') == get('recall["a\\nb"]')
