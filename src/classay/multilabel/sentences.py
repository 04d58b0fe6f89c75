"""Sentences about several labels a case."""

from __future__ import annotations

import numpy as np

from classay.columns.numbers import counted
from classay.inference.estimate import number
from classay.multilabel.tag_assessment import MultilabelAssessment
from classay.texts import listed


def top_said(k: int) -> str:
    """Return which tags are called of each case."""
    return (
        "the tag with the highest score of each case"
        if k == 1
        else f"the {k} tags with the highest scores of each case"
    )


def left_out(a: MultilabelAssessment) -> str:
    """Return how many cases have no true or called tag: means over cases leave them out."""
    table, scores, tags = a.task.tags, a.task.tag_scores, len(a.labels)
    if table is None:
        assert scores is not None
        true, weight = np.diff(scores.truth.indptr), scores.weights
        empty = [("without a true tag", true == 0)]
    else:
        of, weight = table.outcomes, table.weights
        true = of.tp + of.fn
        empty = [("without a true tag", true == 0), ("without a predicted tag", of.tp + of.fp == 0)]
    if scores is not None:  # of which there is no rank of a true tag among others
        empty.append(("with all tags true", true == tags))
    unit = "weight" if a.kind_of_weight == "sampling" else "cases"
    texts = [f"{_amount(float(weight[which].sum()), unit)} {words}" for words, which in empty if which.any()]
    return f"Means over cases exclude cases without a value: {listed(texts)}." if texts else ""


def _amount(amount: float, unit: str) -> str:
    return counted(int(amount), "case") if unit == "cases" else f"cases of weight {number(amount)}"
