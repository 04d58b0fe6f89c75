"""Cases with a missing true tag: refused, or left out, counted and told, whatever the columns are and at every door."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import classay as ca
from classay.errors import InputError, NothingCountsError
from command import call, refusal
from samples import tag_rows

N, TAGS = 90, ("ant", "bee", "cat")
RNG = np.random.default_rng(6)
Y, P = tag_rows(RNG, N, 3)
GONE = np.arange(N) % 10 == 3
LACKING = np.where(GONE[:, None] & (np.arange(3) == RNG.integers(0, 3, N)[:, None]), np.nan, Y)
BLANK = np.where(GONE[:, None] & (np.arange(3) == 1), np.nan, P)  # what else such a row lacks is not asked
FRAME = pd.DataFrame(
    {f"y_{t}": LACKING[:, k] for k, t in enumerate(TAGS)}
    | {f"p_{t}": BLANK[:, k] for k, t in enumerate(TAGS)}
)
NAMES = ("micro_f1", "exact_match", "macro_roc_auc", "recall[bee]")


def of_rows(truth, scores=BLANK, **how):
    return ca.assess(truth, scores, labels=TAGS, **how)


@pytest.mark.parametrize("name", ["weight", "frequency", "cluster"])
def test_what_else_they_lack_is_not_asked(name):
    values = {"weight": RNG.random(N), "frequency": RNG.integers(1, 4, N), "cluster": np.arange(N) // 3}[name]
    lacking = np.where(GONE, None, values.astype(object))
    found = of_rows(
        LACKING, missing="drop", **{name: lacking if name == "cluster" else lacking.astype(float)}
    )
    known = ca.assess(Y[~GONE], P[~GONE], labels=TAGS, **{name: values[~GONE]})
    assert [found.estimate(each) for each in NAMES] == [known.estimate(each) for each in NAMES]


def test_a_missing_prediction_of_a_known_case_is_refused():
    called = np.where(GONE[:, None], np.nan, P > 0.5)
    found = ca.assess(LACKING, y_pred=called, labels=TAGS, missing="drop")
    known = ca.assess(Y[~GONE], y_pred=(P > 0.5)[~GONE], labels=TAGS)
    assert found["micro_f1"] == known["micro_f1"]
    called[0, 0] = np.nan
    with pytest.raises(InputError, match="prediction has a missing tag at index 0"):
        ca.assess(LACKING, y_pred=called, labels=TAGS, missing="drop")
    with pytest.raises(InputError, match="score is missing for 1 pair"):
        of_rows(LACKING, np.where(np.arange(N)[:, None] + np.arange(3) == 0, np.nan, P), missing="drop")
    with pytest.raises(NothingCountsError, match="Every case has a missing true tag"):
        of_rows(np.full((N, 3), np.nan), missing="drop")


def test_they_are_told_saved_and_added(tmp_path):
    whole = of_rows(LACKING, missing="drop")
    parts = [of_rows(LACKING[rows], BLANK[rows], missing="drop") for rows in (slice(40), slice(40, N))]
    whole.save(tmp_path / "a")
    for found in (whole, ca.load(tmp_path / "a"), parts[0] + parts[1]):
        assert found.dropped == GONE.sum()
        assert found["micro_f1"] == whole["micro_f1"]
        assert "independent; 9 excluded for a missing true tag" in " ".join(str(found).split())
        assert [each.text for each in found.warnings if each.code == "dropped_rows"] == [
            "9 rows (10%) excluded: a true tag is missing."
        ]
    assert whole.to_dict()["dropped"] == 9
    chosen = whole.threshold(cost=ca.Costs(fp=1, fn=2))
    assert "9 rows with a missing true tag" in str(chosen)


def test_files_and_the_command(tmp_path):
    lines = FRAME.to_csv(index=False).splitlines()
    (tmp_path / "p.csv").write_text("\n".join(lines))
    file = str(tmp_path / "p.csv")
    columns = (file, "--truth-tags", "y_*", "--tag-scores", "p_*")
    done = call("assess", *columns, "--missing", "drop", "--json", "-")
    assert json.loads(done.stdout)["dropped"] == 9
    assert "Use --missing drop to exclude cases with a missing true tag" in refusal("assess", *columns)
    decided = call("decide", file, *columns[1:], "--missing", "drop", "--cost", "fp=1", "--cost", "fn=2")
    assert "9 rows with a missing true tag" in decided.stdout


def test_a_sparse_matrix_of_the_caller_is_left_as_it_came():
    truth = csr_array(np.array([[0, 1], [np.nan, 1], [1, 0]]))
    before = truth.toarray()
    ca.assess(truth, y_pred=np.array([[0, 1], [1, 1], [1, 0]]), labels=["a", "b"], missing="drop")
    np.testing.assert_array_equal(truth.toarray(), before)
