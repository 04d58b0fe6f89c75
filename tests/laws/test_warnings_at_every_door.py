"""A fault of a column that `assess` warns of is warned of at every other door that takes this column.

Each line of `FAULTS` is a column that is not what it is taken for; each door takes the rows of all of them. `EXCEPT`
names the doors that cannot say it, each with the reason, and the law says when a reason no longer holds.
"""

import numpy as np
import pytest

import classay as ca
from classay.warned import OF_MODELS

N = 240
RNG = np.random.default_rng(7)
ORDER = RNG.permutation(N)
Y = (np.arange(N) % 2)[ORDER]
P = np.round(np.clip(0.5 + 0.25 * (2 * Y - 1) + RNG.normal(0, 0.3, N), 0.02, 0.98), 3)
K = (np.arange(N) % 3)[ORDER]
W = (RNG.dirichlet([1, 1, 1], N) + 2 * np.eye(3)[K]) / 3
HALF = np.c_[W[:, :2] / W[:, :2].sum(1, keepdims=True), 0 * P]
ILL = np.where(Y, "ill", "not ill")
COMMON = {"g": np.arange(N) // 20 % 3, "day": np.sort(np.arange(N) % 6), "seg": RNG.integers(0, 3, N)}


def scored(p=P, y=Y, **how):
    return {"y": y, "p": p}, {"score": "p"}, how


def called(y, q, **how):
    return {"y": y, "q": q}, {"prediction": "q"}, how


def by_class(w, **how):
    return {"y": K} | {f"p{k}": w[:, k] for k in range(3)}, {"score": {k: f"p{k}" for k in range(3)}}, how


FAULTS = {
    "labels_contradict_scores": (
        {"y": Y, "p": P, "q": (P < 0.5).astype(int)},
        {"score": "p", "prediction": "q"},
        {},
    ),
    "shifted_codes": called(K + 5, K + 6, labels=[5, 6, 7, 8]),
    "no_label_codes": called(np.where(K == 2, -1, K), np.where(K == 2, -1, K)),
    "no_shared_label": called(np.array(["a", "b"])[Y], np.array(["x", "y"])[Y], labels=[*"abxy"]),
    "written_otherwise": called(ILL, np.where(Y, "ill", "'not ill'"), labels=["ill", "not ill", "'not ill'"]),
    "improper_rows": by_class(0.8 * W),
    "renormalised_rows": by_class(0.8 * W, improper="renormalise"),
    "class_auc_below_half": by_class(W[:, [1, 0, 2]]),
    "constant_scores": scored(0 * P + 0.4),
    "two_scores": scored(np.where(P > 0.5, 0.8, 0.3)),
    "perfect_separation": scored(0.1 + 0.6 * Y + 0.1 * P),
    "auc_below_half": scored(1 - P),
    "scores_outside_unit": scored(5 * P, threshold=2.5),
    "infinite_scores": scored(np.where(np.arange(N) == 5, np.inf, 5 * P), threshold=2.5),
    "certain_and_wrong": scored(np.where((Y == 1) & (np.arange(N) < 40), 0.0, P)),
    "repeated_ids": ({"y": Y, "p": P, "id": np.tile(np.arange(60), 4)}, {"score": "p"}, {}),
    "chosen_labels": scored(y=np.where((P > 0.7) | (P < 0.15), Y.astype(float), np.nan), missing="drop"),
    "raw_scores": by_class(np.log(W + 0.01)),
    "score_scale": scored(5 * (P - 0.5), score_scale="logit"),
    "rounded_scores": scored(np.where(np.arange(N) == 3, 1 + 1e-7, P)),
    "never_scored": by_class(HALF),
}
"""By code: the columns that `assess` warns of, their names by role, and the other arguments."""


def rows(code):
    columns, roles, how = FAULTS[code]
    return {**columns, **COMMON}, {"truth": "y", **roles, **how}


def assessed(code, door=ca.assess, **more):
    frame, roles = rows(code)
    return door(frame, **roles, **more)


def codes(result):
    return {each.code for each in result.warnings}


@pytest.mark.parametrize("code", FAULTS)
def test_assess_warns_of_each_fault(code):
    assert code in codes(assessed(code))


def test_every_fault_of_a_column_is_in_the_table():
    """Columns without names, the only ones that can be exchanged, cannot be those of a frame or a file."""
    assert {*FAULTS} == OF_MODELS - {"exchanged_columns"}


# --- the command: what a text says, its JSON has
