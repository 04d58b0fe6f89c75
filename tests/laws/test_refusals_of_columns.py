"""What columns, tables, measures, costs and files refuse, in which words, and what they still take."""

import io
import zipfile

import numpy as np
import pyarrow as pa
import pytest

import classay as ca
from classay.columns.numbers import amount_array
from classay.columns.opened import opened
from classay.columns.scales import renormalised
from classay.columns.values import DEEPEST
from classay.curves.acting import precision_at_k
from classay.files.archives import Archive, array_of
from classay.measures import f1, macro
from classay.measures.matrices import over
from classay.measures.vocabulary import names_listed, unquoted
from classay.report.pictures.plots import plot
from classay.sources.inputs import chosen, numbers_of
from classay.tables import ConfusionMatrix, ScoreTable
from classay.tables.bins import BinnedScoreTable
from classay.tables.checks import checked_cells, checked_codes
from limits import check_limits

N = 40
RNG = np.random.default_rng(0)
Y, P = np.arange(N) % 2, np.round(RNG.random(N), 3)
A = ca.assess(Y, P)
TABLE = ScoreTable.from_rows(P, Y == 1)
MATRIX = ConfusionMatrix(np.ones((3, 3), int), ("a", "b", "c"))
GRADES = ["low", "mid", "high"]
ORDERED = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "a"]).dictionary_encode()]


def ordinal(chunks):
    parts = [pa.DictionaryArray.from_arrays(c.indices, c.dictionary, ordered=True) for c in chunks]
    return opened(pa.chunked_array(parts, parts[0].type), "x")


def nested(depth):
    label = ("a",)
    for _ in range(depth - 1):
        label = (label, "b")
    return [label, "x"]


def archive(content):
    return Archive(io.BytesIO(content))


def zipped(**files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, content in files.items():
            file.writestr(name, content)
    return stream.getvalue()


def npy(values):
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()


LIMITS = {
    "means over classes": (
        macro,
        [(f1,)],
        [("f1", "needs a measure, as in macro(f1), but is 'f1'.")],
    ),
    "classes of a mean": (
        lambda *labels: over(f1, *labels)(MATRIX),
        [("a", "c")],
        [("a", "d", "Class 'd' does not exist. The classes are a, b and c.")],
    ),
    "listed names": (
        lambda text: names_listed(text, "--measures"),
        [("recall, f_beta(3)",), ('recall["New York"]',)],
        [
            ("f_beta(3", "--measures 'f_beta(3' is not valid at "),
            ('auc,"x', "is not valid at '\"x'. Use names with commas"),
        ],
    ),
    "quoted names": (
        unquoted,
        [("plain",), ('"New York"',)],
        [('"a\\q"', "is not valid"), ('"open', 'The quoted text "open is not valid')],
    ),
    "parts of bins": (
        BinnedScoreTable.of_table(TABLE, 10).without,
        [],
        [(TABLE, "A part cannot be subtracted from scores in bins because its mean scores differ.")],
    ),
    "codes": (
        lambda true, *weights: checked_codes(2, *weights, true=true),
        [(np.array([0, 1]),), (np.array([0, 1]), np.ones(2))],
        [
            ([0, 1], "true must be an array of codes, but is a list."),
            (np.array([0, 1]), np.ones(3), "Codes and weights have different lengths (true (2,))."),
            (np.array([[0, 1]]), "Codes and weights have different lengths (true (1, 2))."),
            (np.array([0, 2]), "Codes of true must be from 0 to 1 (2 labels), but one is 2."),
            (np.array([-1, 0]), "Codes of true must be from 0 to 1 (2 labels), but one is -1."),
        ],
    ),
    "cells": (
        lambda cells, squares: checked_cells(cells, (2, 2), squares, "counts"),
        [(np.ones((2, 2)), None), (np.ones((5, 2, 2)), np.ones((5, 2, 2)))],
        [
            ([[1, 2], [3, 4]], None, "counts must be an array of numbers, but are list."),
            (np.array([["a"] * 2] * 2), None, "counts must be an array of numbers, but are <U1."),
            (np.ones((2, 2)), "x", "squares of counts must be an array of numbers, but are str."),
        ],
    ),
    "labels of scores": (
        lambda *labels: ScoreTable(P[:1], np.ones(1, int), np.ones(1, int), labels),
        [("well", "ill")],
        [
            ("well", "labels must be the negative and the positive label, but are ('well',)."),
            ("a", "b", "c", "labels must be the negative and the positive label, but are ('a', 'b', 'c')."),
        ],
    ),
    "cases of the highest scores": (
        lambda table: precision_at_k(table, 1),
        [(TABLE,)],
        [
            (
                ScoreTable(np.array([]), np.array([], int), np.array([], int)),
                "Measures at k need at least one case, but the scores are of 0 cases.",
            )
        ],
    ),
    "costs of errors": (
        lambda costs: ca.Costs(**costs),
        [({"fp": 1},), ({"tn": -1},)],
        [({}, "All costs are 0. Set the cost of an error, as in Costs(fp=1, fn=5)."), ({"fp": 0}, "All costs are 0.")],
    ),
    "costs of classes": (
        lambda matrix, labels: ca.Costs(matrix=matrix, labels=labels),
        [(((0, 1), (2, 0)), ("a", "b"))],
        [
            ([[0, 1], [2, 0]], ("a", "b"), "The matrix of costs is [[0, 1], [2, 0]]. Pass an array to"),
            (((0, 1), (2, 0)), ("a", "b", "c"), "The matrix of costs has 2 rows, but the labels are ('a', 'b', 'c')."),
            (((0, 1), (2,)), ("a", "b"), "The matrix of costs has 2 rows, but the labels are ('a', 'b')."),
        ],
    ),
    "labels of cut points": (
        lambda truth, labels: ca.cut_points(np.arange(9.0), truth, labels=labels),
        [(GRADES * 3, GRADES)],
        [
            (GRADES * 3, None, "Cut points need ordered classes. Pass all classes in labels=, lowest first."),
            (["low"] * 9, ["low"], "Cut points need at least two classes."),
            ([None, *GRADES * 3][:9], GRADES, "truth is missing in 1 row. Exclude these rows."),
        ],
    ),
    "cases of a decision": (
        lambda p: ca.least_cost(p, {"fp": 1, "fn": 5}, ["a", "b"]),
        [([[0.2, 0.8]],)],
        [
            (np.empty((0, 2)), "There are no cases. Pass a row of probabilities per case."),
            ([[0.2, 0.3, 0.5]], "The probabilities must have a column for each of 2 labels, but have shape (1, 3)."),
        ],
    ),
    "columns of class scores": (
        lambda scores: ca.assess(["a", "b"] * 2, scores, positive="b"),
        [({"a": [0.1] * 4, "b": [0.9] * 4},)],
        [({"a": [0.1] * 4, "b": [0.9] * 3}, "The score columns have different lengths.")],
    ),
    "whole frequencies": (
        lambda frequency: ca.assess([0, 1], [0.1, 0.9], frequency=frequency),
        [([1.0, 2.0],)],
        [([1.0, 2.5], "frequency contains 2.5, but counts of identical rows must be whole numbers. Use weight for")],
    ),
    "parts of an ordered column": (
        lambda *chunks: ordinal(chunks),
        [(ORDERED[0], ORDERED[0])],
        [(*ORDERED, "Parts of an ordered column have categories in different orders. Use one order in all")],
    ),
    "sums of class scores": (
        lambda row: renormalised(np.array([[0.5, 0.5], row])),
        [([0.0, 0.2],), ([3.0, 4.0],)],
        [
            ([0.0, 0.0], "Class scores cannot be normalized in "),
            ([-0.1, 0.5], "Values are negative, infinite or all zero."),
            ([np.inf, 0.5], "Values are negative, infinite or all zero."),
        ],
    ),
    "amounts": (
        lambda *values: amount_array(values, "fee"),
        [(0, 0), (1e60, -1), (1.1e-60, 0), (-3,)],
        [
            (1, float("nan"), "fee has missing or infinite values in "),
            (1, float("inf"), "Fill in each value, with 0 for no cost."),
            (2e60, "The largest amount of fee must be from 1e-60 to 1e+60, but is 2e+60. Use another unit."),
            (-1e-61, "The largest amount of fee must be from 1e-60 to 1e+60, but is 1e-61."),
        ],
    ),
    "nested labels": (
        lambda depth: ca.assess(nested(depth), y_pred=nested(depth), positive="x"),
        [(DEEPEST - 1,)],
        [(DEEPEST + 1, "contains a label of nested tuples")],
    ),
    "chosen columns": (
        lambda names, available: chosen(names, available, "p.csv"),
        [(None, ["a"]), (["a"], ["a", "b"])],
        [
            ("a", ["a"], "columns must be a list of names, such as ['a'], but is the text 'a'."),
            (None, [], "p.csv has no columns. Use a table of predictions."),
        ],
    ),
    "arrays of a file": (
        lambda content: array_of(content, "x.npy"),
        [(npy(np.arange(3)),)],
        [
            (b"no array", "'x.npy' has no array header"),
            (npy(np.arange(3)) + b"0", "x.npy"),
            (npy(np.arange(3))[:-1], "x.npy"),
        ],
    ),
    "archives": (
        archive,
        [(zipped(a="1"),)],
        [(b"no archive", "not a complete zip archive"), (zipped(a="1")[:-5], "not a complete zip archive")],
    ),
    "JSON of a file": (
        lambda content: archive(zipped(a=content)).json("a"),
        [("[1]",)],
        [("[1", "'a' is not JSON")],
    ),
    "pictures": (
        lambda names: plot([A.curve(name).curves[0] for name in names]),
        [],
        [
            (["roc", "cumulative_gain"], "A picture shows curves of one name, but these are cumulative_gain, roc."),
            ([], "A picture shows curves of one name, but these are none."),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LIMITS)
def test_limits_are_where_they_are_said_to_be(name):
    check_limits(*LIMITS[name])


def test_only_tables_of_numbers_are_numbers():
    for values in (np.ones((2, 2)), [[1, 2], [3, 4]], np.ones((2, 2), bool)):
        found, columns = numbers_of(values)
        assert (found.shape, columns) == ((2, 2), [0, 1])
    for values in (np.ones(3), np.array([["a"]]), "text", np.ones((2, 2), complex)):
        with pytest.raises(TypeError, match="no table of numbers"):
            numbers_of(values)
