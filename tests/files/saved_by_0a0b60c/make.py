"""How the files of this folder were made, and the numbers that they load with: with the sources of 0a0b60c, once.

`PYTHONPATH=SOURCES_OF_0a0b60c/src:. python tests/files/saved_by_0a0b60c/make.py`. To be read, and not to be run anew:
files of newer code would prove nothing of older ones.
"""

import datetime
import gzip
import json
import warnings
from pathlib import Path

import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import classay as ca

HERE = Path(__file__).parent
N = 60
RNG = np.random.default_rng(0)
SICK = RNG.random(N) < 0.4
SCORE = np.round(1 / (1 + np.exp(-(1.5 * SICK - 0.7 + RNG.normal(size=N)))), 2)
OTHER = np.round(1 / (1 + np.exp(-(0.8 * SICK - 0.4 + RNG.normal(size=N)))), 2)
WEIGHT, CLUSTER = RNG.gamma(3, size=N).round(2) + 0.01, RNG.integers(0, 9, N)
FREQUENCY, AMOUNT = RNG.integers(1, 5, N), RNG.gamma(2, 50, N).round(1)
CODES = RNG.integers(0, 3, N)
CLASS_SCORES = RNG.gamma(1 + 1.5 * np.eye(3)[CODES])
CLASS_SCORES /= CLASS_SCORES.sum(1, keepdims=True)
NAMES = np.array(["ape", "bee", "cat"])
TRUE, CALLED = NAMES[CODES], NAMES[CLASS_SCORES.argmax(1)]
TEXT = np.where(SICK, "sick", "well")
FRAME = {"y": SICK.astype(int), "p": SCORE, "w": WEIGHT, "c": TRUE}
FRAME |= {f"p_{name}": CLASS_SCORES[:, k] for k, name in enumerate(NAMES)}
DAYS = [datetime.date(2024, 1, 1 + code) for code in CODES]
MIXED = [(1, "a") if code else (1, "b") for code in CODES]


def of_classes(**how):
    return ca.assess(TRUE, CLASS_SCORES, labels=[*NAMES], **how)


def many_labels():
    """More classes than are written out: pairs that occur."""
    truth = np.arange(1200)
    return ca.assess(truth, y_pred=np.where(truth % 7 == 0, (truth + 1) % 1200, truth))


def scanned(**how):
    return ca.scan(FRAME, truth="y", score="p", **how)


def scanned_classes(**how):
    return ca.scan(FRAME, truth="c", score={name: f"p_{name}" for name in NAMES}, **how)


FEATURES = np.round(np.c_[SICK + RNG.normal(size=N), RNG.normal(size=N)], 2)
LEARNERS = {"bayes": GaussianNB(), "nearest": KNeighborsClassifier(3)}


def with_missing():
    truth, score = [*TEXT], [*SCORE]
    truth[3], score[5] = None, None
    return ca.assess(truth, score, positive="sick", missing="drop-unscored")


ASSESSMENTS = {
    "two_classes": lambda: ca.assess(SICK.astype(int), SCORE),
    "two_classes_text": lambda: ca.assess(TEXT, SCORE, positive="sick", threshold=0.4, level=0.9, seed=3),
    "two_classes_boolean": lambda: ca.assess(SICK, SCORE.astype("f4")),
    "two_classes_raw_scores": lambda: ca.assess(TEXT, 10 * SCORE - 3, positive="sick"),
    "two_classes_weighted": lambda: ca.assess(TEXT, SCORE, positive="sick", weight=WEIGHT),
    "two_classes_frequency": lambda: ca.assess(TEXT, SCORE, positive="sick", frequency=FREQUENCY),
    "two_classes_clustered": lambda: ca.assess(TEXT, SCORE, positive="sick", cluster=CLUSTER),
    "two_classes_weighted_clustered": lambda: ca.assess(
        TEXT, SCORE, positive="sick", cluster=CLUSTER, weight=WEIGHT
    ),
    "two_classes_amounts": lambda: ca.assess(TEXT, SCORE, positive="sick", amounts={"euro": AMOUNT}),
    "two_classes_ids": lambda: ca.assess(TEXT, SCORE, positive="sick", id=np.arange(N)),
    "two_classes_missing": with_missing,
    "two_classes_interval": lambda: ca.assess(TEXT, SCORE, positive="sick", interval="jeffreys"),
    "labels_only": lambda: ca.assess(TEXT, y_pred=np.where(SCORE > 0.5, "sick", "well"), positive="sick"),
    "labels_only_ids": lambda: ca.assess(
        TEXT, y_pred=np.where(SCORE > 0.5, "sick", "well"), positive="sick", id=np.arange(N)
    ),
    "labels_only_weighted_clustered": lambda: ca.assess(
        TEXT, y_pred=np.where(SCORE > 0.5, "sick", "well"), positive="sick", weight=WEIGHT, cluster=CLUSTER
    ),
    "several_classes": of_classes,
    "several_classes_weighted": lambda: of_classes(weight=WEIGHT),
    "several_classes_frequency": lambda: of_classes(frequency=FREQUENCY),
    "several_classes_clustered": lambda: of_classes(cluster=CLUSTER),
    "several_classes_ids": lambda: of_classes(id=np.arange(N)),
    "several_classes_renormalised": lambda: ca.assess(
        TRUE, CLASS_SCORES.round(2), labels=[*NAMES], improper="renormalise"
    ),
    "several_labels_only": lambda: ca.assess(TRUE, y_pred=CALLED),
    "several_labels_of_days": lambda: ca.assess(DAYS, y_pred=DAYS[1:] + DAYS[:1]),
    "several_labels_of_tuples": lambda: ca.assess(MIXED, y_pred=MIXED[1:] + MIXED[:1], positive=(1, "a")),
    "several_labels_ordered": lambda: ca.assess(CODES, y_pred=np.roll(CODES, 1)),
    "sparse": many_labels,
    "binned": lambda: scanned(bits=5),
    "binned_weighted": lambda: scanned(bits=5, weight="w"),
    "binned_classes": lambda: scanned_classes(bits=4),
    "scanned": scanned,
    "scanned_limit": lambda: scanned(limit=40),
}
OTHERS = {
    "evaluation": lambda: ca.evaluate(LEARNERS, FEATURES, TEXT, positive="sick", protocol="2x2"),
    "evaluation_several_classes": lambda: ca.evaluate(LEARNERS, FEATURES, TRUE, protocol="3fold"),
    "evaluation_weighted_clusters": lambda: ca.evaluate(
        LEARNERS, FEATURES, TEXT, positive="sick", protocol="3fold", weight=WEIGHT, cluster=CLUSTER
    ),
    "evaluation_data_sets": lambda: ca.evaluate(
        LEARNERS, {"one": (FEATURES, SICK), "two": (FEATURES[:40], SICK[:40])}, protocol="3fold"
    ),
    "decomposition": lambda: ca.decompose(LEARNERS["nearest"], FEATURES, TEXT, rounds=10),
    "decomposition_path": lambda: ca.decompose_over(
        LEARNERS["nearest"], FEATURES, TEXT, parameter="n_neighbors", values=[1, 9], rounds=8
    ),
    "learning_curve": lambda: ca.learning_curve(
        LEARNERS["bayes"], FEATURES, SICK, sizes=[15, 30], protocol="3fold"
    ),
    "improvement": lambda: ca.improve(
        LEARNERS["nearest"], FEATURES, SICK, rounds=5, protocol="3fold", remedies=["bagging"]
    ),
}


def main():
    from test_saved_earlier import numbers, of_table

    known = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, made in (ASSESSMENTS | OTHERS).items():
            made().save(HERE / f"{name}.classay")
            known[name] = numbers(ca.load(HERE / f"{name}.classay"))
        store = HERE / "runs.db"
        known["runs"] = of_table(
            ca.evaluate(LEARNERS, FEATURES, TEXT, positive="sick", protocol="3fold", store=store)
        )
        (HERE / "runs.db.gz").write_bytes(gzip.compress(store.read_bytes(), mtime=0))
        store.unlink()
    text = json.dumps(known, sort_keys=True, separators=(",", ":")).replace("},", "},\n")
    (HERE / "numbers.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
