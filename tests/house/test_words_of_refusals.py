"""What refusals say: one interface, what must be and what is, and only advice that the caller can follow."""

import numpy as np
import pytest

import classay as ca
from classay.assessment.group_labels import grouped, match_group
from classay.errors import InputError
from classay.texts import hint
from classay.warned import Warned

Y = [0, 1] * 20
P = np.linspace(0.1, 0.9, 40)
THREE = ["a", "b", "c"] * 10
A = ca.assess(THREE, y_pred=THREE)


def refused(call, kind=InputError):
    with pytest.raises(kind) as error:
        call()
    return str(error.value)


def test_a_sentence_of_a_warning_has_no_marks():
    sentence = Warned("note", f"use {hint('cluster=', '--cluster')}.").sentence
    assert sentence == "Use cluster=."
    assert sentence.command == "Use --cluster."


def test_a_label_is_declared_only_where_an_option_declares_it():
    declare = "Declare all labels with labels= if it is another class."
    assert declare in refused(lambda: ca.assess(Y, P, positive=7))
    assert declare in refused(lambda: ca.compare({"a": P, "b": 1 - P}, Y, positive=7))
    assert declare not in refused(lambda: A.one_vs_rest("z"))
    assert declare not in refused(lambda: ca.reclassification(Y, P, 1 - P, positive=7))


def test_arguments_of_class_thresholds_are_named_as_its_own():
    assert "class_thresholds() got" in refused(lambda: A.class_thresholds(foo=1), TypeError)


def test_a_control_without_what_a_measure_needs():
    frame = {"y": Y, "a": P, "b": 1 - P, "c": P**2, "d": Y}
    columns = {"truth": "y", "scores": ["a", "b", "c"], "predictions": {"d": "d"}}
    said = refused(lambda: ca.compare(frame, **columns, measures=["roc_auc"], control="d"))
    assert said == (
        "roc_auc needs scores, which the control 'd' does not have (a, b and c do). Use another control, or remove "
        "the measure."
    )


def test_one_interface_in_a_refusal():
    said = refused(lambda: ca.assess(Y, P).threshold(maximize="f1", cost={"fp": 1, "fn": 2}))
    assert said == "cost= and maximize= cannot be combined. Use one objective."
    said = refused(lambda: ca.assess_by(Y, P, by="*", pool=5))
    assert said == "pool= has no effect with by='*', which tests all subgroups. Remove it."


def test_groups_of_no_named_column():
    assert refused(lambda: match_group("x", ("north", "south"), "group")).startswith(
        "Group 'x' does not occur. Groups: "
    )
    said = refused(lambda: grouped({"a": ["x"] * 200, "b": ["y"] * 5}))
    assert said == "The columns of by= have 5 and 200 rows. Pass columns of one length."


def test_tags_that_one_role_lacks():
    frame = {"y_a": [1, 0], "y_b": [0, 1], "y_c": [0, 1], "p_c": [0.2, 0.8]}
    said = refused(lambda: ca.assess(frame, truth="y_*", score="p_*"))
    assert "score has no column of tags 'a' and 'b'." in said
    assert "as in {'cat': 'y_cat', 'dog': 'y_dog'}." in said


def test_methods_texts_say_the_seed_only_with_random_draws():
    assert "Seed:" not in ca.assess(Y, P).methods_text()
    assert "Seed:" not in ca.compare({"a": P, "b": 1 - P}, Y).methods_text()
