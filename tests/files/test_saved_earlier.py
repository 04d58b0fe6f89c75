"""Files that earlier code saved load with the numbers that it found: one of each kind, kept as they were written."""

import gzip
import json
import math
from pathlib import Path

import pytest

import classay as ca
from classay.columns import is_ordinal
from classay.resampling.run_store import Store

SAVED = Path(__file__).parent / "saved_by_0a0b60c"
KNOWN = json.loads((SAVED / "numbers.json").read_text(encoding="utf-8"))
DRAWN = ("draws", "bootstrap", "resamples", "posterior", "permut")
"""Words of methods whose limits are drawn: another engine of draws gives others, within Monte-Carlo error."""
MEASURES = (
    "accuracy", "recall", "precision", "f1", "matthews_correlation", "cohen_kappa", "quadratic_kappa", "lift",
    "prevalence", "balanced_accuracy", "macro_f1", "weighted_precision", "diagnostic_odds_ratio", "roc_auc",
    "average_precision", "macro_roc_auc", "hand_till_auc", "brier_score", "multiclass_brier_score", "log_loss",
    "kolmogorov_smirnov", "h_measure", "expected_calibration_error", "calibration_slope", "area_under_risk_coverage",
    "top_2_accuracy",
)  # fmt: skip
"""Measures of every kind of table."""
MENDED = {"balanced_accuracy": 0.02, "macro_f1": 0.02, "hand_till_auc": 0.01, "macro_roc_auc": 0.01} | {
    "log_loss": 0.06,
    "multiclass_brier_score": 0.03,
    "brier_score": 0.02,
    "average_precision": 0.02,
    "cohen_kappa": 0.02,
    "quadratic_kappa": 0.02,
    "weighted_precision": 0.03,
    "matthews_correlation": 0.02,
    "top_2_accuracy": 0.05,
}
"""Measures whose values are the same, and whose limits were mended since, by how much at most: shares of the quantile
are of one z, rare classes share their spread, mean losses and average precision allow for one more case or cluster, the
delta method counts how few errors its variance rests on, top-k accuracy claims no more than accuracy does, and
clusters of unequal size are left out in turn."""
TIED = "area_under_risk_coverage"
"""A measure whose ties of p and 1 - p, and degrees of freedom, were mended since: it is near what it was."""
FACTS = ("rows", "dropped", "unscored", "level", "seed", "cutoff", "kind_of_weight", "amounts", "limit")


def numbers(result):
    """What a result must load with: of an assessment its facts, counts and estimates, of others all their numbers."""
    if isinstance(result, ca.Evaluation):
        return of_table(result)
    if not isinstance(result, ca.Assessment):
        return {"numbers": leaves(result.to_dict())}
    facts = {name: plain(getattr(result, name)) for name in FACTS}
    facts |= {"labels": [repr(each) for each in result.labels][:20], "positive": repr(result.positive)}
    if result.confusion_matrix is not None and len(result.labels) < 20:
        facts["matrix"] = [*map(plain, result.confusion_matrix.counts.ravel().tolist())]
    if result.scores is not None:
        facts["scores"] = len(result.scores.scores)
    known = {measure.name for measure in result.applicable()}
    return {"facts": facts, "estimates": {name: estimate(result[name]) for name in MEASURES if name in known}}


def estimate(found):
    """The value, and the limits unless they are drawn; None for what is missing."""
    is_drawn = any(word in (found.method or "") for word in DRAWN)
    limits = () if is_drawn or not found.has_interval else (found.low, found.high)
    return [*map(plain, (found.value, *limits))]


def of_table(evaluation):
    """The estimates of an evaluation by data set, model and measure, and how many predictions it keeps."""
    facts = {"predictions": evaluation.predictions().num_rows, "models": [*evaluation.models]}
    found = {}
    for row in evaluation.estimates.to_pylist():
        name = " ".join(str(row[key]) for key in ("dataset", "model", "measure") if row.get(key))
        found[name] = [*map(plain, (row["value"], row["low"], row["high"]))]
    return {"estimates": found, "facts": facts}


def plain(value):
    """A plain value of few digits, so that the numbers of a file take no more room than the file."""
    if isinstance(value, float):
        return float(f"{value:.8g}") if math.isfinite(value) else None if math.isnan(value) else repr(value)
    return [*value] if isinstance(value, tuple) else value


def leaves(values, path=""):
    """The numbers of plain values by their paths; what is drawn is left out."""
    if isinstance(values, dict):
        parts = [
            (f"{path}.{name}", each) for name, each in values.items() if name not in ("curves", "schema")
        ]
    elif isinstance(values, list):
        parts = [(f"{path}[{place}]", each) for place, each in enumerate(values)]
    else:
        return {path: plain(values)} if isinstance(values, int | float) else {}
    return {name: number for path, each in parts for name, number in leaves(each, path).items()}


def near(value, known):
    if isinstance(value, list) and isinstance(known, list):
        return len(value) == len(known) and all(map(near, value, known))
    if isinstance(value, float | int) and isinstance(known, float | int):
        return math.isclose(value, known, rel_tol=1e-7, abs_tol=1e-12)
    return value == known


WIDER = 1.4
"""How many times as wide intervals of clusters of unequal size, and of unequal weights, are at most, since they have as
many degrees of freedom as clusters, or cases, alike that say as much."""


def is_wider(value, known):
    """Whether limits lie around those that they were, of one value."""
    if not (isinstance(value, list) and isinstance(known, list) and len(value) == len(known) == 3):
        return False
    if None in (*value, *known) or not near(value[0], known[0]):
        return False
    wide, was = value[2] - value[1], known[2] - known[1]
    return value[1] <= known[1] + 1e-7 and known[2] <= value[2] + 1e-7 and wide <= WIDER * was


FOLDS = 0.4
"""How far limits over few folds are at most from where they were, since they lie on the scale of their range, and know
how the shares of the classes vary; those of losses in the size of their loss."""


def of_folds(name, value, known):
    """Whether a number is a limit over folds not far from what it was, or an estimate of one value with such limits."""
    if isinstance(value, list) and isinstance(known, list) and len(value) == len(known) == 3:
        size = max(1.0, abs(known[2] or 0.0))
        return near(value[0], known[0]) and value[1:] == pytest.approx(known[1:], abs=FOLDS * size)
    is_limit = name.rpartition(".")[2] in ("low", "high") and not {value, known} & {None}
    return is_limit and value == pytest.approx(known, abs=FOLDS)


def kept(name, value, known):
    """Whether a number is as it was saved, or where it was mended since, near that."""
    if name in MENDED and len(known) == 3:
        return near(value[0], known[0]) and value[1:] == pytest.approx(known[1:], abs=MENDED[name])
    if name == TIED and None not in known:
        return value[0] == pytest.approx(known[0], rel=0.05) and value == pytest.approx(known, abs=0.02)
    if isinstance(known, list) and len(known) == 3 and known[0] == known[1] == known[2]:
        known = [known[0], None, None]  # folds that all give one value show no spread
    return near(value, known)


def differences(found, known, *, unequal=False, folds=False):
    """What a loaded result has otherwise than it was saved with: another part, what it is, what it was."""
    return [
        (part, name, found[part].get(name), value)
        for part, values in known.items()
        for name, value in values.items()
        if not kept(name, found[part].get(name), value)
        and not of_no_spread(values, name)
        and not (unequal and is_wider(found[part].get(name), value))
        and not (folds and of_folds(name, found[part].get(name), value))
    ]


def of_no_spread(values, name):
    """Whether a number, by its path, is an end of an interval of width 0, which folds of one value once had."""
    estimate_of = name.rpartition(".")[0]
    ends = [values.get(f"{estimate_of}.{part}") for part in ("value", "low", "high")]
    return ends[0] is not None and ends[0] == ends[1] == ends[2]


@pytest.mark.parametrize("name", sorted({*KNOWN} - {"runs"}))
def test_an_earlier_file_loads_with_its_numbers(name):
    loaded, known = ca.load(SAVED / f"{name}.classay"), KNOWN[name]
    if isinstance(loaded, ca.Assessment) and not is_ordinal(
        loaded.labels
    ):  # the file holds no order of its labels
        assert "declared order" in loaded["quadratic_kappa"].reason
        known = known | {"estimates": known["estimates"] | {"quadratic_kappa": [None]}}
    unequal, folds = "clustered" in name or "weighted" in name, not isinstance(loaded, ca.Assessment)
    assert differences(numbers(loaded), known, unequal=unequal, folds=folds) == []


def test_an_earlier_store_is_reopened_with_its_numbers(tmp_path):
    path = tmp_path / "runs.db"
    path.write_bytes(gzip.decompress((SAVED / "runs.db.gz").read_bytes()))
    with Store.existing(path) as store:
        (run,) = store.runs()
        reopened = ca.Evaluation.reopen(store, run.id)
    assert differences(of_table(reopened), KNOWN["runs"], folds=True) == []


def test_an_earlier_file_of_each_kind_is_kept():
    assert {
        path.name.partition(".")[0] for path in SAVED.iterdir() if path.suffix in (".classay", ".gz")
    } == {*KNOWN}
