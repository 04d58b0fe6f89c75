"""How often `improve` names the cause that was planted, and how often another one; for docs/evidence/learners.md.

`PYTHONPATH=src:tests/support python tests/simulations/test_planted_causes.py [--store FILE] [--seeds 50] [--of NAMES]`
prints the rows of its table. What is in the store is not run again, so that a run can be continued.
"""

import argparse
import json
from pathlib import Path

import pytest
from sklearn import config_context
from threadpoolctl import threadpool_limits

import classay as ca
from classay.inference.proportions import score_interval
from improving import planted

SEEDS = 50
TRIED = {
    planted.pure_noise: (["flexibility", "interactions"], "10fold"),
    planted.flipped_labels: (["flexibility", "interactions"], "10fold"),
    planted.stump_on_xor: (["flexibility", "boosting"], "10fold"),
    planted.neighbour_of_noise: (["regularisation"], "5x5"),
    planted.few_cases: (["regularisation"], "5x5"),
    planted.rare_class: (["class_weights"], "10fold"),
    planted.own_model: (["regularisation", "boosting"], "10fold"),
    planted.rare_among_correlated: (["class_weights"], "10fold"),
    planted.stump_of_three: (["flexibility", "regularisation"], "10fold"),
    planted.correlated_features: (["regularisation"], "5x5"),
    planted.tree_on_noise_of_three: (["regularisation", "gradient_boosting"], "10fold"),
    planted.own_model_of_three: (["stacking"], "10fold"),
}
"""The remedies, and the folds. No rule was tuned on those from `rare_among_correlated` on."""
NAMED = {each.__name__: each for each in TRIED}
SILENT = (planted.own_model, planted.own_model_of_three)
"""Where there is nothing to name."""
LEAST = {planted.neighbour_of_noise: 0.35, planted.few_cases: 0.0, planted.correlated_features: 0.0}
"""Shares in which the planted cause is named at least, where that is not half.

One nearest neighbour's variance shows in the gain of regularisation alone, which 300 cases show in half of the data
sets (24 of 50; the lower end of Wilson's interval is the bound). With 30 and with 60 cases a cause is seldom shown:
there it only counts that no wrong one is.
"""


def causes(scenario, seed):
    """The causes that are named for the data set of this seed."""
    remedies, protocol = TRIED[scenario]
    learner, X, y = scenario(seed)
    # more threads, and the checks that scikit-learn makes of each fit, only cost fits so small
    with threadpool_limits(1), config_context(assume_finite=True, skip_parameter_validation=True):
        i = ca.improve(learner, X, y, rounds=10, protocol=protocol, remedies=remedies)
    return sorted({each.name for each in i.causes})


def counts(scenario, named):
    """In how many data sets the planted cause was named, nothing, and one that is not true."""
    right = sum(planted.PLANTED[scenario][0] in each for each in named)
    silent = sum(not each for each in named)
    wrong = sum(bool({*each} - {*planted.PLANTED[scenario]}) for each in named)
    return right, silent, wrong


def held(scenario, named):
    """At most one in ten names what is not true; half or `LEAST` the planted cause, or nothing if there is none."""
    right, silent, wrong = counts(scenario, named)
    assert wrong <= 0.1 * len(named)
    assert (silent if scenario in SILENT else right) >= LEAST.get(scenario, 0.5) * len(named)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", TRIED, ids=lambda each: each.__name__)
def test_a_cause_that_was_not_planted_is_seldom_named(scenario):
    held(scenario, [causes(scenario, seed) for seed in range(SEEDS)])


def stored(path):
    """What was named for the scenarios and seeds in the store."""
    lines = path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else []
    return {(name, seed): named for name, seed, named in map(json.loads, lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, help="keep what is found in this file, and go on from there")
    parser.add_argument("--seeds", type=int, default=SEEDS, help=f"data sets of each (default: {SEEDS})")
    parser.add_argument(
        "--of", nargs="+", choices=NAMED, default=[*NAMED], help="the populations, the first ones first"
    )
    chosen = parser.parse_args()
    known = stored(chosen.store)
    scenarios = [NAMED[name] for name in chosen.of]
    for seed in range(chosen.seeds):  # all scenarios have a seed before the next
        for scenario in scenarios:
            key = scenario.__name__, seed
            if key not in known:
                known[key] = causes(scenario, seed)
                if chosen.store is not None:
                    with chosen.store.open("a", encoding="utf-8") as file:
                        file.write(json.dumps([*key, known[key]]) + "\n")
    for scenario in scenarios:
        named = [known[scenario.__name__, seed] for seed in range(chosen.seeds)]
        right, silent, wrong = counts(scenario, named)
        shares = ", ".join(
            f"{each} [{', '.join(f'{100 * end:.0f}' for end in score_interval(each, len(named), 1.96))}%]"
            for each in (right, silent, wrong)
        )
        print(f"{scenario.__name__}, {len(named)} seeds: right, nothing, another one: {shares}")
        held(scenario, named)


if __name__ == "__main__":
    main()
