"""Scans, in parts and in bins, give what `assess` gives, and refuse what it refuses."""

import math
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as csv
import pytest

import classay as ca
from assessment import test_chosen_labels as chosen_labels_tests
from assessment import test_two_columns as two_columns_tests
from assessment.test_chosen_labels import BY_SCORE
from assessment.test_headline import COMMON, YC, every
from assessment.test_two_columns import BOTH, MATRIX, counts
from classay.assessment.labeling import chosen_labels
from classay.columns.scales import scaled
from columns import test_score_scales as score_scales_tests
from columns.test_score_scales import THREE, TWO, Y3, N
from columns.test_unscored import SCORE, TRUTH
from inference import test_scores_at_ends as scores_at_ends_tests
from inference.test_scores_at_ends import EXACT, TENTHS, WORDS
from measures import test_own_threshold as own_threshold_tests
from measures.test_calibration import EXTREME
from measures.test_own_threshold import SHARES, benefit
from report.test_schema import VALIDATOR


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("threshold", [1e308, -1e308, 3.5e38, -3.5e38, math.inf, -math.inf])
def test_thresholds_beyond_the_type_of_binned_scores_divide_them_as_exact_numbers_do(dtype, threshold):
    y = [0, 0, 1, 1, 1]
    p = np.array([-np.inf, -1.0, 0.5, 65504.0, np.inf], dtype)
    exact = ca.assess(y, y_pred=(p.astype(float) >= threshold).astype(int), labels=[0, 1]).confusion_matrix
    binned = ca.scan(pa.table({"y": y, "p": p}), truth="y", score="p", threshold=threshold, bits=3)
    for a in (binned, binned.at(threshold=threshold)):
        assert a.confusion_matrix.counts.tolist() == exact.counts.tolist()


def test_chosen_labels_are_found_in_scans():
    a = ca.assess(BY_SCORE, chosen_labels_tests.P, missing="drop")
    table = pa.table({"y": pa.array(BY_SCORE, from_pandas=True), "p": chosen_labels_tests.P})
    batches = pa.Table.from_batches(table.to_batches(max_chunksize=100))
    for made in (
        ca.scan(batches, truth="y", score="p", missing="drop"),
        ca.scan(batches, truth="y", score="p", missing="drop", bits=6),
    ):
        assert made.received == a.received
        assert chosen_labels(made) == chosen_labels(a)
    assert chosen_labels(ca.scan(table, truth="y", score="p", missing="drop", bits=2)) == chosen_labels(a)


@pytest.mark.parametrize("end", [0, 1])
def test_scores_that_rounding_would_make_one_stay_apart_in_scans(end):
    score = np.spacing(1.0) * np.array([-2, -1.5, -1, 0]) if end == 0 else 1 + np.spacing(1.0) * np.arange(4)
    truth = np.array([0, 0, 1, 1])
    for table in ({"y": truth, "s": score}, {"y": truth[::-1], "s": score[::-1]}):
        assert ca.scan(table, truth="y", score="s")["roc_auc"].value == 1
    others = {
        "y": np.append(truth, [0, 1]),
        "s": np.append(score, [0.2, 0.7]),
    }  # among which they are rounded
    scanned = ca.scan(others, truth="y", score="s")
    assert sorted(scanned.scores.scores) == sorted([end, 0.2, 0.7])


def test_the_first_rows_alone_are_a_finding():
    columns = {"y": YC.astype(int), "p": COMMON}
    limited, whole = (ca.scan(columns, truth="y", score="p", limit=rows) for rows in (500, None))
    assert "first_rows" in every(limited)
    assert "first_rows" not in every(whole)


def test_others_of_bins_are_the_sum_of_the_other_bins():
    """A bin has another mean score in each part, so that no part is found in the whole."""
    rng, parts = np.random.default_rng(5), {}
    for name in "abc":
        truth = rng.random(200) < 0.4
        frame = {"y": truth.astype(int), "p": rng.beta(1 + 2 * truth, 2)}
        parts[name] = ca.scan(frame, truth="y", score="p", bits=2)
    groups = ca.GroupAssessments("file", reduce(add, parts.values()), parts)
    for measure in ("roc_auc", "brier_score", "average_precision"):
        for each in groups.compare(measure):
            rest = reduce(add, [part for name, part in parts.items() if name != each.group])
            apart = each.estimate.value - rest[measure].value
            assert each.difference.value == pytest.approx(apart, rel=1e-12)


def test_files_and_scans_keep_the_rule(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"y": two_columns_tests.Y, "p0": BOTH[:, 0], "p1": BOTH[:, 1]})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    columns: dict[Any, str] = {0: "p0", 1: "p1"}
    assert counts(ca.assess(frame, truth="y", score=columns)) == MATRIX
    for memory in (10**8, 0):  # exact, and in bins
        scanned = ca.scan(tmp_path / "rows.csv", truth="y", score=columns, memory=memory)
        assert counts(scanned) == MATRIX
        scanned.save(tmp_path / "scan.classay")
        loaded = ca.load(tmp_path / "scan.classay")
        assert counts(loaded + loaded) == [[2 * count for count in row] for row in MATRIX]


@pytest.mark.parametrize("columns", ["p", {0: "q", 1: "p"}])
def test_cases_at_the_threshold_of_scores_in_bins(columns: Any) -> None:
    rng = np.random.default_rng(0)
    y, spread = rng.integers(0, 2, 600), np.round(rng.random(600), 2)
    for p in (spread, np.where(spread == 0.5, 0.51, spread)):  # all of a bin at its lower end, or none there
        whole = ca.assess(y, np.c_[1 - p, p] if isinstance(columns, dict) else p)
        rows = pa.table({"y": y, "p": p, "q": 1 - p})
        found = ca.scan(rows, truth="y", score=columns, bits=10)
        assert found.task.tied_at_threshold == whole.task.tied_at_threshold == (p == 0.5).sum()
    beside = np.where(np.arange(600) < 9, 0.5, np.where(np.arange(600) < 30, 0.5 + 1e-9, spread))
    rows = pa.table({"y": y, "p": beside, "q": 1 - beside})
    found = ca.scan(rows, truth="y", score=columns, bits=10)
    assert found.task.tied_at_threshold is None
    assert "not available, because scores were counted in bins" in found.methods_text()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_thresholds_are_compared_in_the_precision_of_binned_scores(dtype):
    written = [0.1, 0.2, 0.3, 0.6, 0.7, 0.9]
    scores = pa.array(np.array(written, dtype))
    binned = ca.scan({"y": [1, 0, 1, 0, 1, 0], "s": scores}, truth="y", score="s", bits=10)
    assert [binned.scores.at(each).counts[1].sum() for each in written] == [6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize("scale", [None, "logit"])
@pytest.mark.parametrize("classes", [2, 3])
def test_raw_scores_in_files_are_read_as_together(tmp_path, classes, scale):
    y, scores = (score_scales_tests.Y, TWO.copy()) if classes == 2 else (Y3, THREE.copy())
    scores[: N // 2] = scaled(scores[: N // 2], "logit")  # the first parts alone look like probabilities
    wanted = ca.assess(y, scores, score_scale=scale)
    columns = {label: f"s{label}" for label in range(classes)}
    frame = pd.DataFrame({"y": y} | {name: scores[:, label] for label, name in columns.items()})
    for part in range(4):
        frame[part * 50 : part * 50 + 50].to_csv(tmp_path / f"{part}.csv", index=False)
    found = ca.scan(str(tmp_path / "*.csv"), truth="y", score=columns, score_scale=scale)
    told, expected = ({k: str(v) for k, v in each.estimates().items()} for each in (found, wanted))
    assert told == expected


def test_rounding_of_a_text_file_is_that_of_its_digits(tmp_path):
    (tmp_path / "p.csv").write_text("y,p\n1,1.0000098\n0,0.2\n1,0.9\n")
    assert ca.scan(str(tmp_path / "p.csv"), truth="y", score="p").rounded == 1


def test_scanning_leaves_out_the_same_rows(tmp_path):
    csv.write_csv(pa.table({"t": TRUTH, "s": SCORE}), tmp_path / "rows.csv")
    a = ca.scan(
        str(tmp_path / "rows.csv"), truth="t", score="s", positive="b", missing="drop", unanswered="drop"
    )
    assert (a.rows, a.dropped, a.unscored) == (24, 16, 8)


def test_an_interval_is_as_much_wider_as_the_bins_leave_open():
    rng = np.random.default_rng(1)
    y = rng.random(3000) < 0.3
    score = rng.beta(1 + 2 * y, 2)
    exact = ca.assess(y.astype(int), score)
    binned = ca.scan({"y": y.astype(int), "p": score}, truth="y", score="p", bits=2)
    for name in ("roc_auc", "average_precision", "max_f1", "log_loss", "recall"):
        found, wanted = binned[name], exact[name]
        assert found.low <= wanted.low + 1e-3, name
        assert wanted.high <= found.high + 1e-3, name
    assert binned["roc_auc"].certain[0] <= exact["roc_auc"].value <= binned["roc_auc"].certain[1]
    assert binned["expected_calibration_error"].certain is None
    assert exact["roc_auc"].certain is None
    told = binned.to_dict()["measures"]
    assert told["roc_auc"]["certain"] == [*binned["roc_auc"].certain]
    assert "certain" not in told["recall"]


def test_scans_and_bins_say_that_scores_lie_at_ends(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    np.savetxt(
        rows,
        np.c_[scores_at_ends_tests.Y, TENTHS],
        delimiter=",",
        header="y,p",
        comments="",
        fmt=("%d", "%.1f"),
    )
    for memory, said in ((10**8, WORDS), (0, "some scores are exactly 0 or 1")):
        assert said in str(ca.scan(rows, truth="y", score="p", memory=memory)["log_loss"].reason)
    np.savetxt(
        rows,
        np.c_[scores_at_ends_tests.Y, EXACT],
        delimiter=",",
        header="y,p",
        comments="",
        fmt=("%d", "%.9f"),
    )
    assert ca.scan(rows, truth="y", score="p", memory=0)["log_loss"].has_interval


@pytest.mark.parametrize(("truth", "score"), [(truth, score) for truth, score, _ in EXTREME])
@pytest.mark.parametrize("bits", [1, 4, 10])
def test_binned_probabilities_that_leave_no_information_have_a_result(truth, score, bits):
    assert ca.scan({"y": truth, "p": score}, truth="y", score="p", bits=bits).to_dict()


def test_bins_tell_a_net_benefit_or_say_why_not():
    frame = pa.table({"y": own_threshold_tests.Y.astype(int), "p": own_threshold_tests.P["a"]})
    fine = ca.scan(frame, truth="y", score="p", bits=12)
    for share in SHARES:
        found = fine[f"net_benefit({share})"]
        assert found.is_undefined == bool(found.reason)
        assert found.is_undefined or found.value == pytest.approx(benefit(share))


def test_bins_keep_the_contract():
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.3
    a = ca.scan({"y": y.astype(int), "p": rng.random(300)}, truth="y", score="p", bits=3, limit=200)
    VALIDATOR.validate(a.to_dict())
    assert a.to_dict()["measures"]["roc_auc"]["certain"]
