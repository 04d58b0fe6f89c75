"""Tags that are refused, in words, and what stands just beside them and is taken."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

import classay as ca
from classay.errors import ClassayError, MergeError
from classay.multilabel.long_tags import AbsentPairsWarning
from classay.multilabel.tag_columns import names_of_tags, places_of_tags
from classay.multilabel.tag_marks import are_tags, tag_marks, tag_scores

NAN = float("nan")
Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
P = np.array([[0.9, 0.2], [0.3, 0.6], [0.7, 0.4], [0.2, 0.8]])
C = (P >= 0.5).astype(int)
SETS = [{"a"}, {"b"}, {"a", "b"}, set()]
FRAME = {"y_a": Y[:, 0], "y_b": Y[:, 1], "p_a": P[:, 0], "p_b": P[:, 1], "c_a": C[:, 0], "c_b": C[:, 1]}
LONG = {"case": [1, 1, 2, 2], "tag": ["a", "b", "a", "b"]}


def assess(*arguments, **options):
    return lambda: ca.assess(*arguments, **options)


def sparse(rows):
    return sp.csr_array(np.array(rows, float))


REFUSED = [
    # matrices and lists
    (
        assess(Y, None),
        "Multilabel cases need scores of shape (cases, tags), or y_pred= in the form of the true tags.",
    ),
    (assess(2 * Y, P), "truth of tag 0 is 2.0 at index 0, but a tag must be 0 or 1 (False or True)."),
    (assess(Y, y_pred=-C), "prediction of tag 0 is -1.0 at index 0, but a tag must be 0 or 1"),
    (
        assess([[1, 0], [0, NAN]], P[:2]),
        "truth of tag 1 is missing at index 1. Use missing='drop' to exclude cases with a missing true tag, or assess",
    ),
    (
        assess(Y[:2], y_pred=[[1, 0], [0, NAN]]),
        "prediction of tag 1 is missing at index 1. Pass the predicted tags of every case.",
    ),
    (
        assess(Y[:2], y_pred=[[1, 0], [0, NAN]], missing="drop"),
        "prediction has a missing tag at index 1. Pass the predicted tags of every case.",
    ),
    (
        assess(np.full((2, 2), NAN), P[:2], missing="drop"),
        "Every case has a missing true tag. Check the columns of true tags.",
    ),
    (
        assess([[1, 0], [1]], y_pred=[[1, 0], [0, 1]]),
        "truth has 2 entries at index 0 but 1 at index 1. Pass rows of equal length, or sets if 0 and 1 are labels.",
    ),
    (assess(sparse([[1, 0], [0, 3]]), P[:2]), "truth of tag 1 is 3.0 at index 1, but a tag must be 0 or 1"),
    (assess(sparse([[0, 0], [NAN, 1]]), P[:2]), "truth of tag 0 is missing at index 1."),
    (assess(sparse([[0, 0], [0.5, 1]]), P[:2], labels=["u", "v"]), "truth of tag 'u' is 0.5 at index 1"),
    (
        assess(SETS, y_pred=[["a", "a"], [], [], []]),
        "prediction has tag 'a' twice at index 0. List each tag once.",
    ),
    (
        assess([*SETS[:3], None], y_pred=SETS),
        "truth has a missing tag at index 3. A case without tags has an empty list. Use missing='drop'",
    ),
    (
        assess(SETS, y_pred=[*SETS[:3], None]),
        "prediction has a missing tag at index 3. A case without tags has an empty list. Pass the predicted",
    ),
    (assess([*SETS[:3], [None, "a"]], y_pred=SETS), "truth has a missing tag at index 3."),
    (
        assess([*SETS[:3], 7], y_pred=SETS),
        "truth is 7 at index 3, but a list of labels elsewhere. Pass a list or a set for every case, an empty one",
    ),
    (
        assess(SETS, y_pred=SETS, labels=["a", "c"]),
        "truth has tag 'b' at index 1, which is not declared. Declared tags: 'a', 'c'.",
    ),
    (
        assess(Y, P, labels=["a", "b", "c"]),
        "truth has 2 columns, but labels= has 3 names. Pass one name for each column.",
    ),
    (
        assess(Y, y_pred=C[:, [0, 1, 1]]),
        "truth and prediction have [2, 3] columns. Pass one column for each tag in both.",
    ),
    (
        assess({"a": Y[:, 0]}, y_pred={"b": C[:, 0]}),
        "truth and prediction have different tags: only one has 'a', 'b'. Use the same tags in both.",
    ),
    (
        assess({"a": Y[:, 0], "b": Y[:3, 1]}, P),
        "truth has columns of 3, 4 rows. Pass columns of equal length.",
    ),
    (
        assess({"a": Y[:, 0], "b": [1, 0, 5, 1]}, P),
        "truth of tag 'b' is 5 at index 2, but a tag must be 0 or 1",
    ),
    (assess({"a": Y[:, 0], "b": [1, 0, None, 1]}, P), "truth of tag 'b' is missing at index 2."),
    (
        assess({"a": Y[:, 0], "b": Y[:, 1]}, P, labels=["a"]),
        "truth has a column 'b', which is not a tag. Remove it, or add it to labels=.",
    ),
    (
        assess({"a": Y[:, 0], "b": Y[:, 1]}, P, labels=["a", "b", "c"]),
        "truth has no column 'c'. Columns: 'a', 'b'. Use the names of the tags.",
    ),
    (
        assess(np.zeros((0, 2), int), np.zeros((0, 2))),
        "There are no rows because truth is empty. Pass at least one row.",
    ),
    (
        assess([set()] * 3, y_pred=[set()] * 3),
        "There are no tags: truth has no column, or no case has a label. Pass at least one tag.",
    ),
    # scores
    (assess(Y, P[:3]), "truth has 4 rows, but score has 3. Pass arrays of equal length."),
    (assess(Y, y_pred=C[:3]), "truth has 4 rows, but prediction has 3. Pass arrays of equal length."),
    (assess(Y, P[:, [0, 1, 1]]), "score has 3 columns for 2 tags. Pass a score for each tag."),
    (
        assess(Y, [["a"], [], ["b"], ["a", "b"]]),
        "y_score contains lists of labels. Pass scores of shape (cases, tags), or the lists as y_pred=.",
    ),
    (
        assess(Y, np.where(P > 0.65, NAN, P)),
        "score is missing for 3 pairs of case and tag. Pass a score of every tag for every case.",
    ),
    (
        assess(Y, [P[:, :1], np.c_[1 - P[:, 1], P[:, 1]]]),
        "score is a list of arrays, one for each tag, but the array at index 0 has only one column.",
    ),
    (
        assess(Y, [np.c_[P[:, 0], P[:, 0]], np.c_[P[:3, 1], P[:3, 1]]]),
        "score is a list of arrays of different lengths. Pass arrays of equal length, one for each tag.",
    ),
    (
        assess(Y, P, score_scale="count"),
        "is for scores of classes, but these scores are of tags (multilabel).",
    ),
    (
        assess(Y, sp.csr_array(P), score_scale="logit"),
        "needs a score of every case and tag, but the scores are a sparse matrix. Pass a dense array.",
    ),
    (
        assess(Y, P, top=1, threshold=0.5),
        "threshold= and top= cannot be combined. Use one of them to predict tags.",
    ),
    (
        assess(Y, y_pred=C, threshold=0.5),
        "threshold= and top= have no effect on predicted labels. Remove them.",
    ),
    (assess(Y, y_pred=C, top=1), "threshold= and top= have no effect on predicted labels. Remove them."),
    (assess(Y, P, top=3), "top must be a number of tags from 1 to 2, but is 3."),
    (assess(Y, P, threshold=[0.5]), "Pass one number for each tag"),
    (
        assess(Y, sp.csr_array(P), threshold=[0.5, 0]),
        "Threshold 0 would predict every tag without a score. Pass a threshold above 0, or scores of every case and",
    ),
    (assess(Y, sp.csr_array(P), threshold=-0.5), "Threshold -0.5 would predict every tag"),
    # the rows
    (assess(Y, P, weight=[1, 2, 3]), "truth has 4 rows, but weight has 3. Pass arrays of equal length."),
    (assess(Y, P, frequency=[1, 2, 3]), "truth has 4 rows, but frequency has 3."),
    (assess(Y, P, cluster=[1, 2, 3]), "truth has 4 rows, but cluster has 3."),
    (
        assess(Y, P, cluster=[1, 2, 3, None]),
        "cluster is missing in some rows. Give the cluster of every row.",
    ),
    (
        assess(Y, P, y_pred=C, cluster=[1, 2, 3, 4]),
        "Scores and y_pred= cannot be combined for rows in clusters.",
    ),
    (assess(Y, P, positive=1), "'positive' cannot be used with multilabel cases. Remove it."),
    (
        assess(Y, P, positive=1, ordered=True),
        "'positive', 'ordered' cannot be used with multilabel cases. Remove them.",
    ),
    # one-hot
    (
        assess(np.eye(2, dtype=int)[[0, 1, 0, 1]], np.c_[P[:, 0], 1 - P[:, 0]]),
        "Every row of truth has exactly one 1, and the scores of each row sum to 1. Both fit",
    ),
    (
        assess(np.eye(2, dtype=int)[[0, 1, 0, 1]], 9 * P),
        "Every row of truth has exactly one 1, and some scores lie outside [0, 1]",
    ),
    (
        assess(np.eye(2, dtype=int)[[0, 1, 0, 1]], 9 * P - 4, score_scale="logit"),
        "Every row of truth has exactly one 1, and the scores are logits",
    ),
    (
        assess(Y, P, task="classes"),
        "task='classes' needs exactly one 1 in each row, but truth has 2 at index 2. Use task='tags' for several",
    ),
    (
        assess([0, 1, 1], [0.1, 0.9, 0.8], task="tags"),
        "task='tags' needs several labels per case, but truth is one column of labels.",
    ),
    (
        assess(["a|b", "b"], y_pred=["a", "b"], separator="|", task="classes"),
        "task='classes' is for one label per case, and separator= is for several. Remove one of the two.",
    ),
    (assess(Y, P, task="tag"), "task"),
    # a text with a separator
    (
        assess(["a|b", "b"], y_pred=["a", "b"], separator=""),
        "The separator of tags is empty. Pass one, such as '|'.",
    ),
    (
        assess(["a|b", None], y_pred=["a", "b"], separator="|"),
        "truth is missing in 1 row. A case without tags has an empty text. Use missing='drop'",
    ),
    (
        assess(["a|b", "a"], y_pred=[None, None], separator="|"),
        "prediction is missing in 2 rows. A case without tags has an empty text. Pass the predicted tags",
    ),
    (assess(["a|a", "a"], y_pred=["a", "b"], separator="|"), "truth has tag 'a' twice at index 0."),
    # rows of a case and a tag
    (
        assess([1, 0, 1, 0], P.ravel()[:4], case=[1, 1, 2, 2]),
        "Rows of a case and a tag need both case= and tag=, one value for each row. Pass both.",
    ),
    (assess([1, 0, 1, 0], P.ravel()[:4], tag=LONG["tag"]), "Rows of a case and a tag need both"),
    (
        assess([1, 0, 1], P.ravel()[:4], **LONG),
        "case has 4 rows, but truth has 3. Pass arrays of equal length.",
    ),
    (assess([1, 0, 1, 0], P.ravel()[:3], **LONG), "case has 4 rows, but score has 3."),
    (assess([1, 0, 1, 0], y_pred=[1, 0, 1], **LONG), "case has 4 rows, but prediction has 3."),
    (
        assess([1, 0, 1, 0], P.ravel()[:4], case=[1, 1, 2, 2], tag=["a", "b", "a"]),
        "case has 4 rows, but tag has 3.",
    ),
    (
        assess([1, 0, 1, 0], P.ravel()[:4], case=[1, 1, 2, 1], tag=["a", "b", "a", "b"]),
        "Case 1 has tag 'b' twice, the second time at index 3. Pass one row for each case and tag.",
    ),
    (
        assess([1, 0, 1, 0], P.ravel()[:4], case=[1, 1, 2, None], tag=LONG["tag"]),
        "case is missing in 1 row. Give the case and the tag of every row.",
    ),
    (
        assess([1, 0, 1, 0], P.ravel()[:4], case=LONG["case"], tag=["a", None, None, "b"]),
        "tag is missing in 2 rows. Give the case and the tag of every row.",
    ),
    (
        assess([1, 0, 1, 0], P.ravel()[:4], labels=["a"], **LONG),
        "tag has 'b', which is not declared. Declared tags: 'a'.",
    ),
    (assess([1, 0, 7, 0], P.ravel()[:4], **LONG), "truth is 7 at index 2, but a tag must be 0 or 1"),
    (assess([1, 0, None, 0], P.ravel()[:4], **LONG), "truth is missing at index 2."),
    (assess([1, 0, 1, 0], [0.1, NAN, NAN, 0.5], **LONG), "score is missing in 2 rows. Exclude these rows."),
    (
        assess([1, 0, 1, 0], P.ravel()[:4], weight=[1, 2, 1, 1], **LONG),
        "weight differs between the rows of one case. Pass one weight for each case.",
    ),
    (
        assess([1, 0, 1, 0], P.ravel()[:4], cluster=["u", "u", "u", "v"], **LONG),
        "cluster differs between the rows of one case. Pass one cluster for each case.",
    ),
    (
        assess([1, 0, 1, 0], P.ravel()[:4], frequency=[1, 1, 2], **LONG),
        "truth has 4 rows, but frequency has 3.",
    ),
    # columns of a frame
    (assess(FRAME, truth="y_*", score="p*_*"), "score must have one * in place of the tag, but is 'p*_*'."),
    (
        assess(FRAME, truth="y_*", score="q_*"),
        "No column matches 'q_*' of score. Columns: 'y_a', 'y_b', 'p_a'",
    ),
    (
        assess(FRAME, truth="y_*", score=["p_a", "p_b"]),
        "score has no column of tags 'a' and 'b' and a column of tags 'p_a' and 'p_b', which the other roles do not",
    ),
    (
        assess(FRAME, truth={"a": "y_a", "b": "y_b"}, score={"a": "p_a"}),
        "score has no column of tag 'b'. Use the same tags for all roles, or name each column",
    ),
    (
        assess(FRAME, truth=["y_a", "y_b"], score=["p_a"], labels=["a", "b"]),
        "score has 1 columns for 2 tags. Name one column for each tag.",
    ),
    # results
    (lambda: ca.assess(Y, P).at_top(0), "top must be a number of tags from 1 to 2, but is 0."),
    (lambda: ca.assess(Y, P).at_top(1.5), "k must be a whole number of tags, but is 1.5."),
    (
        lambda: ca.assess(Y, y_pred=C).at(0.5),
        "A threshold needs the scores of the tags, but none were given. Pass scores.",
    ),
    (
        lambda: ca.assess(Y, y_pred=C).at_top(1),
        "The highest tags need the scores of the tags, but none were given. Pass scores.",
    ),
    (lambda: ca.assess(Y, P).at({0: 0.5}), "threshold"),
    (
        lambda: ca.assess(Y, P).roc,
        "A curve or a threshold needs one tag, but these cases are multilabel. Use .tag(0) first.",
    ),
    (
        lambda: ca.assess(Y, P).expected_cost({"fp": 1}),
        "Costs are for the errors of one tag, but these cases are multilabel. Use .tag(0) first.",
    ),
    (lambda: ca.assess(Y, P) + 1, "An assessment of multilabel cases and 1 cannot be added."),
    (
        lambda: ca.assess(Y, P) + ca.assess([0, 1], [0.1, 0.2]),
        "An assessment of multilabel cases and one of cases with one label cannot be added.",
    ),
    (
        lambda: ca.assess(Y, P, top=1) + ca.assess(Y, P, top=2),
        "The assessments have different settings: top is 1 and 2. Use the same setting.",
    ),
    (
        lambda: ca.assess(Y, P) + ca.assess(Y, P, threshold=0.5),
        "The assessments have different settings: threshold chosen is False and True.",
    ),
    (lambda: ca.assess(Y, P, threshold=0.4) + ca.assess(Y, P, threshold=0.5), "threshold is 0.4 and 0.5"),
    (
        lambda: ca.assess(Y, P, threshold=0.5) + ca.assess(Y, sp.csr_array(P), threshold=0.5),
        "The scores have different tags or precision, or only one is sparse.",
    ),
    (
        lambda: ca.assess(Y, P) + ca.assess(Y, P, labels=["a", "b"]),
        "Labels are numbers such as 1 here and text such as 'b' there.",
    ),
    (lambda: ca.assess(Y, P) + ca.assess(Y, P, cluster=[1, 2, 3, 4]), "Only one of the tables has"),
]


@pytest.mark.parametrize(
    ("ask", "says"), REFUSED, ids=[f"{k} {says[:40]}" for k, (_, says) in enumerate(REFUSED)]
)
def test_it_is_refused_in_words(ask, says):
    with pytest.raises(ClassayError, match=re.escape(says)) as caught:
        ask()
    assert "\n" not in str(caught.value)


PLAIN = ca.assess(Y, y_pred=C, labels=["a", "b"])


@pytest.mark.parametrize(
    "truth",
    [
        Y,
        Y.astype(bool),
        Y.astype(float),
        Y.tolist(),
        [*Y],
        Y.astype(bool).tolist(),
        sp.csr_array(Y),
        sp.coo_array(Y.astype(float)),
        sp.csr_array(np.r_[Y, Y])[:4],
        {"a": Y[:, 0], "b": Y[:, 1]},
        {"b": Y[:, 1], "a": Y[:, 0]},
        SETS,
        [sorted(row) for row in SETS],
        [frozenset(row) for row in SETS],
        [np.array(sorted(row), "U1") for row in SETS],
        np.array([sorted(row) for row in SETS], object),
    ],
)
def test_true_tags_of_any_form_are_the_same(truth):
    found = ca.assess(truth, y_pred=C, labels=["a", "b"])
    assert found.labels == ("a", "b")
    assert found.task.tags.cells.tolist() == PLAIN.task.tags.cells.tolist()
    assert found["exact_match"] == PLAIN["exact_match"]


def test_explicit_zeros_and_sums_of_a_sparse_matrix_are_marks_and_stay_as_they_came():
    rows, columns = np.nonzero(np.ones((4, 2)))
    full = sp.csr_array((Y.ravel().astype(float), (rows, columns)), (4, 2))
    assert full.nnz == 8
    halves = sp.coo_array((np.tile(Y.ravel() / 2, 2), (np.tile(rows, 2), np.tile(columns, 2))), (4, 2))
    for truth in (full, halves):
        found = ca.assess(truth, y_pred=C, labels=["a", "b"])
        assert found.task.tags.cells.tolist() == PLAIN.task.tags.cells.tolist()
    assert full.nnz == 8
    marks = tag_marks(full, "truth").marks
    assert (marks.dtype, marks.nnz, marks.has_sorted_indices) == (np.int8, Y.sum(), True)


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([{"a"}], True),
        ([["a"], ["b"]], False),
        ([["a"], []], True),
        ([["a", "b"], ["c"]], True),
        ([("a", "b")], False),
        ([], False),
        (["a", "b"], False),
        ([1, 0], False),
        (Y, True),
        (Y[:, :1], False),
        (Y[:, 0], False),
        (Y.astype("U1"), False),
        (sp.csr_array(Y), True),
        (np.array([{"a"}, set()], object), True),
        (np.array([np.array(1), np.array(0)], object), False),
        (None, False),
        ("ab", False),
        (pa.array([["a"], ["b"]]), True),
        (pa.chunked_array([[["a"]], [["b"]]]), True),
        (pa.array([["a"], ["b"]], pa.large_list(pa.string())), True),
        (pa.array(["a", "b"]), False),
        (pd.Series([["a"], ["b"]], dtype=pd.ArrowDtype(pa.list_(pa.string()))), True),
        (pd.Series([["a"], ["b"]]), False),
    ],
)
def test_what_holds_several_labels_a_case(values, wanted):
    assert are_tags(values) is wanted


@pytest.mark.parametrize(
    ("values", "unknown", "marks"),
    [
        ([[1, 0], [None, 1], [0, 1]], [False, True, False], [[1, 0], [0, 0], [0, 1]]),
        (np.array([[1, 0], [NAN, 1], [0, 1]]), [False, True, False], [[1, 0], [0, 0], [0, 1]]),
        (sparse([[1, 0], [NAN, 1], [0, 1]]), [False, True, False], [[1, 0], [0, 0], [0, 1]]),
        ({"a": [1, None, 0], "b": [0, 1, 1]}, [False, True, False], [[1, 0], [0, 0], [0, 1]]),
        ([{"a"}, None, {"b"}], [False, True, False], [[1, 0], [0, 0], [0, 1]]),
        ([{"a"}, ["b", None], {"b"}], [False, True, False], [[1, 0], [0, 0], [0, 1]]),
        ([[1, 0], [0, 1]], None, [[1, 0], [0, 1]]),
        ([{"a"}, {"b"}], None, [[1, 0], [0, 1]]),
        ({"a": [1, 0], "b": [0, 1]}, None, [[1, 0], [0, 1]]),
        (sparse([[1, 0], [0, 1]]), None, [[1, 0], [0, 1]]),
    ],
)
def test_cases_with_a_missing_tag_have_none_and_are_marked(values, unknown, marks):
    found = tag_marks(values, "truth", may_lack=True)
    assert (None if found.unknown is None else found.unknown.tolist()) == unknown
    assert found.marks.toarray().tolist() == marks
    if unknown is not None and not isinstance(values, list | dict):
        scores = np.array([[0.9, 0.3], [NAN, 0.2], [0.6, 0.7]])
        dropped = ca.assess(values, scores, missing="drop")
        whole = ca.assess(np.array(marks)[[0, 2]], scores[[0, 2]])
        assert (dropped.n, dropped.received.dropped) == (2, 1)
        assert dropped.estimates() == whole.estimates()


def test_named_and_listed_marks():
    frame, lists, matrix = ({"a": [1, 0], "b": [0, 1]}, [{"a"}, {"b"}], [[1, 0], [0, 1]])
    for values, names, named, listed in (
        (frame, ("a", "b"), True, False),
        (lists, ("a", "b"), False, True),
        (matrix, None, True, False),
    ):
        found = tag_marks(values, "truth")
        assert (found.names, found.named, found.listed) == (names, named, listed)
    declared = tag_marks(lists, "truth", ca.assess(lists, y_pred=lists, labels=["c", "b", "a"]).task.labels)
    assert (declared.named, declared.marks.toarray().tolist()) == (True, [[0, 0, 1], [0, 1, 0]])
    wide = ca.assess(lists, y_pred=[{"a"}, {"d"}])
    assert wide.labels == ("a", "b", "d")


def test_scores_of_several_outputs_are_their_second_columns():
    outputs = [np.c_[1 - P[:, k], P[:, k]] for k in range(2)]
    assert ca.assess(Y, outputs).estimates() == ca.assess(Y, P).estimates()
    found, names = tag_scores(tuple(outputs), None, 2)
    assert (found.tolist(), names) == (P.tolist(), None)
    by_name, names = tag_scores({"b": P[:, 1], "a": P[:, 0]}, None, 2)
    assert (by_name.tolist(), tuple(names)) == (P[:, ::-1].tolist(), ("b", "a"))
    for kind, wanted in ((np.float32, np.float32), (np.float64, np.float64), (np.int64, np.float64)):
        stored, _ = tag_scores(sp.coo_array(Y.astype(kind)), None, 2)
        assert (stored.dtype, stored.nnz) == (wanted, Y.sum())
    lacking = P.copy()
    lacking[1, 0] = NAN
    unknown = np.array([False, True, False, False])
    assert np.isnan(tag_scores(lacking, None, 2, unknown)[0]).sum() == 1
    with pytest.raises(ClassayError, match="score is missing for 1 pair of case and tag"):
        tag_scores(lacking, None, 2, ~unknown)
    stored = sp.csr_array(np.where(P > 0.5, lacking, 0))
    assert stored.nnz == tag_scores(stored, None, 2, unknown)[0].nnz


@pytest.mark.parametrize(("scale", "rounded"), [(1 + 1e-12, 2), (1.0, 0)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_scores_beyond_1_by_rounding_alone_are_set_back_and_counted(kind, scale, rounded):
    scores = P.copy()
    scores[[0, 0, 2], [0, 1, 1]] = scale
    a = ca.assess(Y, kind(scores), threshold=0.5)
    assert a.received.rounded == rounded
    table = a.task.tag_scores.scores
    assert (table.max() if rounded else 1.0) == 1.0
    assert a.task.tag_scores.in_unit


@pytest.mark.parametrize(("rows", "warned"), [(20, False), (21, True), (30, True), (39, True), (40, False)])
def test_pairs_without_a_row_are_told_where_most_pairs_have_one(rows, warned, recwarn):
    """Of 10 cases and 4 tags 40 pairs; up to 20 rows, or half of the pairs, nothing is said."""
    case, tag = np.divmod(np.arange(40), 4)
    kept = np.r_[
        np.arange(4),
        np.arange(4, 40, 4)[:9],
        np.setdiff1d(np.arange(40), np.r_[np.arange(4), np.arange(4, 40, 4)]),
    ][:rows]
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, 40), rng.random(40)
    a = ca.assess(truth[kept], score[kept], case=case[kept], tag=tag[kept], threshold=0.5)
    assert (a.n, a.labels) == (10, (0, 1, 2, 3))
    texts = [str(one.message) for one in recwarn if one.category is AbsentPairsWarning]
    if warned:
        (text,) = texts
        assert text.startswith(
            f"{40 - rows} of 40 pairs of a case and a tag have no row. They count as not true and not"
        )
    else:
        assert texts == []
    assert a.task.tag_scores.is_sparse == (rows < 40)
    whole = np.zeros((10, 4), int)
    whole[case[kept], tag[kept]] = truth[kept]
    assert a.task.tag_scores.truth.sum() == whole.sum()


def test_twenty_five_pairs_of_sixty_say_nothing(recwarn):
    case, tag = np.divmod(np.arange(60), 6)
    kept = np.unique(np.r_[np.arange(6), np.arange(0, 60, 6), np.arange(0, 60, 5)])
    assert 20 < kept.size <= 30
    ca.assess(kept % 2, kept / 60, case=case[kept], tag=tag[kept], threshold=0.5)
    assert not [one for one in recwarn if one.category is AbsentPairsWarning]


def test_a_case_of_which_a_true_tag_is_missing_is_left_out_with_all_its_rows():
    case, tag = np.divmod(np.arange(12), 3)
    truth = [1, 0, 1, 0, None, 1, 1, 1, 0, 0, 0, 1]
    score = np.r_[0.1, 0.9, 0.4, 0.2, NAN, 0.6, np.linspace(0.2, 0.8, 6)]
    found = ca.assess(truth, score, case=case, tag=tag, missing="drop")
    kept = case != 1
    whole = ca.assess(np.array(truth, object)[kept].astype(int), score[kept], case=case[kept], tag=tag[kept])
    assert (found.n, found.received.dropped) == (3, 1)
    assert found.estimates() == whole.estimates()
    called = [1, 0, 1, 1, 1, 0, 1, 0, 0, 1, 0, 1]
    two = ca.assess(truth, y_pred=called, case=case, tag=tag, missing="drop")
    assert two["exact_match"].value == 1 / 3
    weighted = ca.assess(truth, score, case=case, tag=tag, missing="drop", weight=1.0 + case)
    assert weighted.weight_of_cases == pytest.approx(8)


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        ({"truth": "y_*", "score": "p_*"}, {"truth": ["y_a", "y_b"], "score": ["p_a", "p_b"]}),
        ({"truth": ["y_*"], "score": None}, {"truth": ["y_a", "y_b"]}),
        ({"truth": ["y_a", "y_b"]}, {"truth": ["y_a", "y_b"]}),
        ({"truth": {"k": "y_a"}}, {"truth": ["y_a"]}),
        ({"truth": "y_a"}, {"truth": ["y_a"]}),
        ({"truth": "*_a"}, {"truth": ["y_a", "p_a", "c_a"]}),
        ({"truth": "*"}, {"truth": [*FRAME]}),
    ],
)
def test_columns_are_found_by_their_names(names, wanted):
    assert names_of_tags([*FRAME], names, None) == wanted


def test_stars_stand_for_tags_and_other_signs_for_themselves():
    known = ["y[a]", "yxa", "y?b", "y_", "y__", "y_c_z"]
    assert places_of_tags(known, {"truth": "y[*]"}, None) == {"truth": {"a": "y[a]"}}
    assert places_of_tags(known, {"truth": "y?*"}, None) == {"truth": {"b": "y?b"}}
    assert places_of_tags(known, {"truth": "y_*"}, None) == {"truth": {"_": "y__", "c_z": "y_c_z"}}
    assert places_of_tags(known, {"truth": "y_*_z"}, None) == {"truth": {"c": "y_c_z"}}
    assert places_of_tags(known, {"truth": ["y_", "y__"]}, ["u", "v"]) == {"truth": {"u": "y_", "v": "y__"}}
    assert places_of_tags(["t", "p_a"], {"truth": "t", "score": "p_*"}, None) == {
        "truth": "t",
        "score": {"a": "p_a"},
    }


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            {},
            "this needs cases with one label each, but these cases are multilabel. Pass groups of cases to",
        ),
        ({"separator": "|"}, "or remove separator=."),
        ({"case": [1], "tag": [2]}, "or remove case= and tag=."),
    ],
)
def test_who_cannot_take_tags_says_so(options, says):
    from classay.assessment.other_rows import refuse_other_rows

    with pytest.raises(ClassayError, match=re.escape(says)):
        refuse_other_rows("this needs", Y, P, options)
    refuse_other_rows("this needs", [0, 1], [0.1, 0.2], {})


def test_tables_of_other_kinds_are_not_added():
    whole = ca.assess(Y, P, labels=["a", "b"])
    for other in ({"weight": [1, 2, 3, 4]}, {"level": 0.9}, {"seed": 5}, {"interval": "bootstrap"}):
        with pytest.raises(MergeError):
            whole + ca.assess(Y, P, labels=["a", "b"], **other)
    one, two = (ca.assess(Y, y_pred=C, labels=["a", "b"], **how) for how in ({}, {"cluster": [1, 2, 3, 4]}))
    for left, right in ((one, two), (two, one)):
        with pytest.raises(
            MergeError, match=r"Only one of the tables has clusters\. Assess both in the same way"
        ):
            left + right
