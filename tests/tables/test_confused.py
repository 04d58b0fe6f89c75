"""What a confusion matrix shows of itself: shares, confusions, and of many classes those in the most errors."""

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.metrics import confusion_matrix

import classay as ca
from classay.errors import InputError
from classay.report.document import Document, Section
from classay.report.results.parts import matrix_of
from classay.report.text import as_text
from classay.tables import ConfusionMatrix
from classay.tables.sparse import SparseConfusionMatrix

mpl.use("agg")
NORMALISED = {"true": "true", "predicted": "pred", "all": "all"}


def rows(k=30, n=900, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    return truth, np.where(rng.random(n) < 0.6, truth, (truth + rng.integers(1, 4, n)) % k)


def both(k=30, **how):
    """The same cases counted into all pairs, and into the pairs that occur."""
    truth, called = rows(k)
    dense = ca.assess(truth, y_pred=called, **how).confusion_matrix
    return dense, SparseConfusionMatrix.of_matrix(dense)


@pytest.mark.parametrize("share", NORMALISED)
def test_shares_are_those_of_scikit_learn(share):
    truth, called = rows(6)
    matrix = ca.assess(truth, y_pred=called).confusion_matrix
    theirs = confusion_matrix(truth, called, normalize=NORMALISED[share]).T
    assert matrix.shares(share) == pytest.approx(theirs)
    frame = matrix.frame(share)
    assert pytest.approx(theirs) == np.reshape(frame["share"], (6, 6)).T
    assert frame["cases"].to_numpy().sum() == truth.size


def test_a_class_without_cases_has_no_shares():
    matrix = ConfusionMatrix.from_array([[3, 1], [0, 0]], ["a", "b"], rows="true")
    assert np.isnan(matrix.shares("true")[:, 1]).all()
    assert matrix.frame("true")["share"].to_pylist() == [0.75, 0.25, None, None]


@pytest.mark.parametrize("most", [1, 5, 29, 30, 40])
@pytest.mark.parametrize("weight", [None, np.arange(900) % 3 + 0.5], ids=["counted", "weighted"])
def test_put_together_no_case_is_lost(most, weight):
    dense, pairs = (matrix.most_confused(most) for matrix in both(weight=weight))
    assert dense.labels == pairs.labels
    assert np.allclose(dense.counts, pairs.counts)
    whole = both(weight=weight)[0]
    assert dense.total == pytest.approx(whole.total)
    assert (dense.squares is None) == (weight is None)
    kept = [label for label in dense.labels if label != "others"]
    assert len(kept) == min(most, 30)
    assert np.allclose(dense.restrict(kept).counts, whole.restrict(kept).counts)
    errors = whole.margins.predicted + whole.margins.true - 2 * whole.margins.hits
    involved = dict(zip(whole.labels, errors.tolist(), strict=True))
    others = [involved[each] for each in whole.labels if each not in kept]
    assert min(involved[each] for each in kept) >= max(others, default=0) - 1e-9


def test_documents_put_together_as_tables_do():
    matrix = both()[0]
    errors = matrix.total - matrix.margins.hits.sum()
    for shown in (matrix_of(matrix, 40).within(12), matrix_of(matrix, 20).within(12), matrix_of(matrix, 11)):
        counts = np.array(shown.counts)
        assert counts.sum() == matrix.total
        assert shown.classes == 30
        assert len(shown.labels) == 12
        assert counts.sum() - np.trace(counts) + shown.among == errors
        assert shown.labels == matrix_of(matrix, 11).labels


def test_confusions_by_cases_and_by_share():
    for matrix in both(8):
        by_cases, by_share = matrix.confusions(), matrix.confusions("share")
        assert sorted(map(repr, by_cases)) == sorted(map(repr, by_share))
        assert sum(each.cases for each in by_cases) == matrix.total - matrix.margins.hits.sum()
        assert [each.cases for each in by_cases] == sorted((each.cases for each in by_cases), reverse=True)
        assert [each.share for each in by_share] == sorted((each.share for each in by_share), reverse=True)
        assert matrix.confusions(most=3) == by_cases[:3]


@pytest.mark.parametrize("share", [None, *NORMALISED])
@pytest.mark.parametrize("k", [2, 12, 60])
def test_a_matrix_is_drawn(share, k):
    for matrix in both(k, **({"positive": 1} if k == 2 else {})):
        ax = matrix.plot(Figure().subplots(), share=share)
        names = [tick.get_text() for tick in ax.get_xticklabels()]
        assert names == [str(label) for label in range(k)] if k < 41 else names[-1] == "20 others"
        assert len(ax.texts) >= 1 + (k if k <= 12 else 0)


def test_cases_without_an_answer_have_a_row():
    truth, called = list("aabbcc") * 3, [*"abbbca", None, *"bbbcc", *"aabbcc"]
    matrix = ca.assess(truth, y_pred=called, unanswered="wrong").confusion_matrix
    ax = matrix.plot(Figure().subplots(), share="true")
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a", "b", "c", "(no answer)"]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["a", "b", "c"]
    assert [each.predicted for each in matrix.confusions()] == ["b", "a"]
    assert "(no answer)" in matrix._repr_html_()
    small = matrix.most_confused(1)
    assert [str(label) for label in small.labels] == ["a", "others", "(no answer)"]
    assert small.total == 18


def test_one_class_is_drawn_and_listed():
    matrix = ConfusionMatrix.from_array([[5]], ["only"], rows="true")
    assert matrix.plot(Figure().subplots(), share="predicted").get_ylabel() == "predicted"
    assert matrix.confusions() == ()
    assert "only" in matrix._repr_html_()


@pytest.mark.covering(2)
@pytest.mark.parametrize("k", [3, 12, 13, 40, 300])
@pytest.mark.parametrize("times", [1, 1000, 10**8])
@pytest.mark.parametrize("width", [60, 80, 100])
def test_every_matrix_fits_every_window(k, times, width):
    matrix = ConfusionMatrix.from_codes(*rows(k), tuple(f"the class number {i}" for i in range(k)))
    many = matrix_of(replace(matrix, counts=matrix.counts * times))
    text = as_text(Document("", sections=(Section("", (many,)),)), width, "utf-8")
    assert "too large" not in text.lower()
    assert "too wide" not in text.lower()
    assert max(map(len, text.splitlines())) <= width
    assert ("others" in text) == (k > 12) or width == 60


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: m.shares("columns"), "share"),
        (lambda m: m.plot(share="row"), "share"),
        (lambda m: m.frame("row"), "share"),
        (lambda m: m.confusions("name"), "by"),
        (lambda m: m.most_confused(0), "most"),
        (lambda m: m.most_confused(1, rest="a"), "rest"),
        (lambda m: ConfusionMatrix(m.counts[None], m.labels).frame(), "leading axes"),
        (lambda m: ConfusionMatrix(m.counts[None], m.labels).plot(), "leading axes"),
    ],
)
def test_what_is_wrong_is_told(call, said):
    with pytest.raises(InputError, match=said):
        call(ConfusionMatrix.from_array([[3, 1], [0, 2]], ["a", "b"], rows="true"))
