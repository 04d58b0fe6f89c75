"""A seed means the same on every processor: last digits may differ, and no choice and no draw with them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from sample_results import RESULTS
from samples import binary_rows, class_rows
from wing_samples import of_wings

TESTS = Path(__file__).parents[1]
ASKED = (
    "assessment of two classes",
    "assessment of three classes",
    "assessment with sampling weights",
    "assessment in clusters",
    "comparison of three models",
    "decision by cost",
    "comparison by groups",
    "best in clusters",
    "thresholds of several classes",
    "assessment of tags",
    "thresholds of tags",
)
CODE = """
import json, sys
sys.path[:0] = sys.argv[1:3]
from sample_results import RESULTS
json.dump([RESULTS[name]().to_dict() for name in sys.argv[3:]], sys.stdout, default=lambda of: of.tolist())
"""


def plain_processor():
    """The environment of a process that uses none of what newer processors can do: NumPy's and BLAS's oldest loops."""
    from numpy._core._multiarray_umath import __cpu_dispatch__

    return os.environ | {
        "NPY_DISABLE_CPU_FEATURES": " ".join(__cpu_dispatch__),
        "OPENBLAS_CORETYPE": "Prescott",
        "PYTHONPATH": str(Path(ca.__file__).parents[1]),
        "PYTHONWARNINGS": "ignore",
    }


def as_read(made):
    return json.loads(json.dumps(made.to_dict(), default=lambda of: of.tolist()))


def unlike(one, other, where=""):
    """Where two values of JSON differ by more than rounding."""
    if isinstance(one, dict) and isinstance(other, dict) and [*one] == [*other]:
        return [found for key in one for found in unlike(one[key], other[key], f"{where}/{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [
            found
            for k, pair in enumerate(zip(one, other, strict=True))
            for found in unlike(*pair, f"{where}/{k}")
        ]
    if isinstance(one, float) and isinstance(other, float):
        return [] if one == pytest.approx(other, rel=1e-9, abs=1e-9, nan_ok=True) else [(where, one, other)]
    return [] if one == other else [(where, one, other)]


def test_processors_change_last_digits_alone():
    known = [name for name in ASKED if name in RESULTS]  # those of tags come with their wing
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(TESTS), str(TESTS / "support"), *known],
        env=plain_processor(), cwd=TESTS.parent, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for name, there in zip(known, json.loads(done.stdout), strict=True):
        assert unlike(as_read(RESULTS[name]()), there) == [], name


def shifted(scores):
    """Scores with other last digits, as another processor makes them; those that tied or are one half still do."""
    distinct, at = np.unique(scores, return_inverse=True)
    side = np.random.default_rng(1).choice([-np.inf, np.inf], distinct.size)
    side[distinct == 0.5] = 0.5
    return np.nextafter(distinct, side)[at].reshape(np.shape(scores))


def of_two(change):
    y, p = binary_rows(np.random.default_rng(0), 200)
    p = p / 1.1 + 0.013  # no two are equally certain of different classes, which a last digit would change
    a = ca.assess(y, change(p), cluster=np.arange(200) // 3)
    return {"assessment": a, "decision": ca.assess(y, change(p)).threshold(cost=ca.Costs(fp=1, fn=3))}


def of_models(change):
    y, p = binary_rows(np.random.default_rng(1), 150)
    models = {"a": change(p), "b": change(p[::-1].copy()), "c": change(1 - p)}
    return {"comparison": ca.compare(models, y, measures=["roc_auc", "brier_score"])}


def of_classes(change):
    y, p = class_rows(np.random.default_rng(2), 200, 3)
    p = np.column_stack([change(p[:, 0]), change(p[:, 1]), p[:, 2]])
    a = ca.assess(y, p)
    return {"assessment": a, "thresholds": a.class_thresholds(maximize="f1")}


def of_groups(change):
    y, p = binary_rows(np.random.default_rng(3), 200)
    s = ca.assess_by(y, change(p), by=np.arange(200) % 3)
    return {
        "groups": s,
        "thresholds": ca.decide_by(s, cost=ca.Costs(fp=1, fn=3), where="disparity(recall) <= 0.2"),
    }


KINDS = {"two": of_two, "models": of_models, "classes": of_classes, "groups": of_groups}
KINDS |= {f"wing {k}": made for k, made in enumerate(of_wings("WITH_OTHER_DIGITS"))}


@pytest.mark.parametrize(
    "kind",
    [
        *(kind for kind in KINDS if kind != "groups"),
        pytest.param("groups", marks=pytest.mark.wings("groups")),
    ],
)
def test_last_digits_of_scores_change_last_digits_alone(kind):
    here, there = KINDS[kind](lambda scores: scores), KINDS[kind](shifted)
    for name, made in here.items():
        assert unlike(as_read(made), as_read(there[name])) == [], name
