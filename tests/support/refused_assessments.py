"""The rows of the tests of `ca.assess`, and the calls that it refuses, by name."""

import numpy as np
import pandas as pd
import polars as pl

import classay as ca

N = 120
_random = np.random.default_rng(3)
Y = _random.integers(0, 2, N)
P = np.round(0.3 * Y + 0.7 * _random.random(N), 4)
S = np.where(Y == 1, "pos", "neg")
BOTH = np.stack([1 - P, P], axis=1)
COLUMNS = {
    "y": S.tolist(),
    "p": P.tolist(),
    "q": (1 - P).tolist(),
    "one": [1] * N,
    "g": [i // 4 for i in range(N)],
}


def refusing(*arguments, **options):
    return lambda: ca.assess(*arguments, **options)


THREE = np.array([0, 1, 2, 0])
REFUSED_CALLS = {
    "nothing to assess": refusing(Y),
    "unequal lengths": refusing(Y, P[:-1]),
    "unequal length of a prediction": refusing(Y, y_pred=Y[1:]),
    "unequal length of a weight": refusing(Y, P, weight=[1.0]),
    "no rows": refusing([], []),
    "a frame without names": refusing(pd.DataFrame(COLUMNS)),
    "a frame with only the score named": refusing(pd.DataFrame(COLUMNS), score="p"),
    "a frame and fewer weights": refusing(COLUMNS, truth="y", score="p", weight=np.ones(N - 1)),
    "a frame and a score twice": refusing(COLUMNS, P, truth="y", score="p"),
    "a frame and a prediction twice": refusing(COLUMNS, truth="y", prediction="y", y_pred=Y),
    "a frame and amounts without a name": refusing(COLUMNS, truth="y", score="p", amounts=pd.Series(P)),
    "a frame and amounts of no column": refusing(COLUMNS, truth="y", score="p", amounts={"amount": "loan"}),
    "a frame with class scores that are no labels": refusing(
        pd.DataFrame(COLUMNS), truth="y", score=["q", "p"], positive="pos"
    ),
    "tags that are neither 0 nor 1": refusing((BOTH > 0.5) * 2, BOTH),
    "several labels a case and one score": refusing(BOTH > 0.5, BOTH[:, 0]),
    "text": refusing("abc", "abc"),
    "a set": refusing({1, 0}, P),
    "truth and prediction of different types": refusing(Y, y_pred=Y.astype(str)),
    "mixed labels": refusing([0, "1"], [0.1, 0.9]),
    "infinite label": refusing([0.0, float("inf")], [0.1, 0.9]),
    "missing label": refusing([0, None, 1], [0.1, 0.2, 0.3]),
    "missing labels of both": refusing([0, None, 1], y_pred=[0, 1, None]),
    "missing score": refusing([0, 1, 1], [0.1, None, 0.3]),
    "missing score, polars": refusing([0, 1, 1], pl.Series([0.1, None, 0.3])),
    "score of text": refusing(Y, S),
    "score of complex numbers": refusing(Y, P + 0j),
    "score of dates": refusing([0, 1], np.array(["2020-01-01", "2020-01-02"], "M8[D]")),
    "ragged scores": refusing([0, 1], [[0.1, 0.9], [0.4]]),
    "score of three dimensions": refusing([0, 1], np.zeros((2, 2, 2))),
    "more score columns than labels": refusing(Y, np.zeros((N, 3))),
    "fewer score columns than labels": refusing(THREE, BOTH[:4]),
    "one score for three classes": refusing(THREE, P[:4]),
    "scores of a class lacking": refusing(THREE, {0: P[:4], 1: P[:4]}),
    "scores under text labels": refusing(Y, {"0": P, "1": P}),
    "score columns of unequal lengths": refusing([0, 1], {0: [0.1, 0.2], 1: [0.3]}),
    "positive is not named": refusing(S, P),
    "positive is not a label": refusing(Y, P, positive=7),
    "positive among three": refusing(THREE, np.eye(3)[THREE], positive=1),
    "labels not declared": refusing(S, P, labels=["neg"], positive="neg"),
    "labels declared twice": refusing(Y, P, labels=[0, 1, 1]),
    "labels in one text": refusing(S, P, labels="pos", positive="pos"),
    "threshold of text": refusing(Y, P, threshold="0.5"),
    "threshold is NaN": refusing(Y, P, threshold=float("nan")),
    "threshold for given labels": refusing(Y, y_pred=Y, threshold=0.5),
    "level in percent": refusing(Y, P, level=95),
    "level of text": refusing(Y, P, level="0.95"),
    "no seed": refusing(Y, P, seed=None),
    "unknown word for missing": refusing(Y, P, missing="ignore"),
    "negative weight": refusing(Y, P, weight=-np.ones(N)),
    "weight is NaN": refusing(Y, P, weight=np.full(N, np.nan)),
    "weight and frequency": refusing(Y, P, weight=np.ones(N), frequency=np.ones(N)),
    "weight in columns": refusing(Y, P, weight=BOTH),
    "frequency beyond counting": refusing(Y, P, frequency=np.full(N, 1e300)),
    "frequency in halves": refusing(Y, P, frequency=np.full(N, 1.5)),
    "cluster missing": refusing(Y, P, cluster=[None] * N),
    "unknown measure": lambda: ca.assess(Y, P)["acuracy"],
    "measure of one class for three": lambda: ca.assess(THREE, y_pred=THREE)["precision"],
    "AUC of three classes": lambda: ca.assess(THREE, np.eye(3)[THREE])["roc_auc"],
    "threshold without scores": lambda: ca.assess(Y, y_pred=Y).at(0.3),
    "class that does not occur": lambda: ca.assess(THREE, y_pred=THREE).one_vs_rest(5),
    "adding other positives": lambda: ca.assess(Y, P) + ca.assess(Y, P, positive=0),
    "adding other levels": lambda: ca.assess(Y, P) + ca.assess(Y, P, level=0.9),
    "adding hard labels to scores": lambda: ca.assess(Y, P, y_pred=Y) + ca.assess(Y, y_pred=Y),
    "adding weights to counts": lambda: ca.assess(Y, P) + ca.assess(Y, P, weight=np.ones(N)),
    "adding other precision": lambda: ca.assess(Y, P) + ca.assess(Y, P.astype(np.float32)),
    "loading what is missing": lambda: ca.load("nowhere.classay"),
}
