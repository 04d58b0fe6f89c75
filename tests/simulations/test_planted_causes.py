"""How often `improve` names the cause that was planted, and how often another one; for docs/evidence/learners.md."""

import pytest
from threadpoolctl import threadpool_limits

import classay as ca
import planted

SEEDS = 50
TRIED = {
    planted.pure_noise: (["flexibility", "interactions"], "10fold"),
    planted.flipped_labels: (["flexibility", "interactions"], "10fold"),
    planted.stump_on_xor: (["flexibility", "boosting"], "10fold"),
    planted.neighbour_of_noise: (["regularisation"], "5x5"),
    planted.few_cases: ([], "5x5"),
    planted.rare_class: (["class_weights"], "10fold"),
    planted.own_model: (["regularisation", "boosting"], "10fold"),
}
"""The remedies, and the folds."""


@pytest.mark.slow
@pytest.mark.parametrize("scenario", TRIED, ids=lambda each: each.__name__)
def test_a_cause_that_was_not_planted_is_seldom_named(scenario):
    remedies, protocol = TRIED[scenario]
    right = silent = wrong = 0
    for seed in range(SEEDS):
        learner, X, y = scenario(seed)
        with threadpool_limits(1):  # more threads only cost fits so small
            i = ca.improve(learner, X, y, rounds=10, protocol=protocol, remedies=remedies)
        names = {each.name for each in i.causes}
        right += planted.PLANTED[scenario][0] in names
        silent += not names
        wrong += bool(names - {*planted.PLANTED[scenario]})
    print(f"{scenario.__name__}: named in {right} of {SEEDS}, nothing in {silent}, another one in {wrong}")
    assert wrong <= 0.1 * SEEDS
    if scenario is not planted.own_model:  # where silence is the honest answer
        assert right >= SEEDS / 2
