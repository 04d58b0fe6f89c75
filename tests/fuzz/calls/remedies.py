"""Why learners err on odd frames: decompositions, learning curves and remedies, with few rounds."""

import numpy as np
from hypothesis import strategies as st

from ..contract import estimate, hold, plain
from .rows import strict

LABELS = [
    (0, 1),
    ("no", "yes"),
    ("a\x1b", "<b>"),
    (0, 1, 2),
    (True, False),
    (1.5, 2.5),
    (1, "a"),
    (None, 1),
    ("", " "),
    (0, 1, 2, 3),
]
FEATURES = [
    "numbers",
    "numbers",
    "frame",
    "frame with text",
    "NaN",
    "constant",
    "infinite",
    "one column",
    "no column",
    "wide",
    "dates",
    "huge",
    "text",
    "one row",
    "objects",
    "twice named",
]
INPUTS = st.fixed_dictionaries(
    {
        "labels": st.sampled_from(LABELS[:4] * 3 + LABELS),
        "features": st.sampled_from(FEATURES[:4] * 3 + FEATURES),
        "cases": st.sampled_from([30, 24, 40, 8, 3]),
        "seed": st.integers(0, 999),
        "learner": st.sampled_from(["tree", "naive_bayes", "logistic", "class", "x", "pipeline", "None"]),
        "do": st.sampled_from(["decompose"] * 6 + ["curve", "path", "improve"]),
        "how": st.fixed_dictionaries(
            {},
            optional={
                "loss": st.sampled_from(["0-1", "squared", "log-loss", "x"]),
                "rounds": st.sampled_from([3, 5, 2, 1, 0, "x", 2.5]),
                "sampling": st.sampled_from(["bootstrap", "subsample", "disjoint", "x", None]),
                "size": st.sampled_from([0.5, 5, 0, 1, 2.0, 1000, float("nan"), "x"]),
                "test": st.sampled_from([0.3, 0.9, 1e-9, 1.0, 5, "x"]),
                "cluster": st.sampled_from(["groups", "each", "one", "short", "NaN"]),
                "weight": st.sampled_from(["ones", "odd", "zero", "negative", "short"]),
                "level": st.sampled_from([0.9, 0.5, 1e-9]),
            },
        ),
    }
)


def _features(kind, n, rng):
    import pandas as pd

    X = rng.normal(size=(n, 2))
    frame = pd.DataFrame(X, columns=["a", "ü\x1b<b>"])
    made = {
        "frame": lambda: frame,
        "frame with text": lambda: frame.assign(t=[["x", "y", "z"][i % 3] for i in range(n)]),
        "NaN": lambda: np.where(rng.random((n, 2)) < 0.1, np.nan, X),
        "constant": lambda: np.ones((n, 2)),
        "infinite": lambda: np.where(rng.random((n, 2)) < 0.05, np.inf, X),
        "one column": lambda: X[:, 0],
        "no column": lambda: X[:, :0],
        "wide": lambda: rng.normal(size=(n, 60)),
        "dates": lambda: frame.assign(d=pd.date_range("2020", periods=n)),
        "huge": lambda: X * 1e307,
        "text": lambda: np.array([["a", "b"][i % 2] for i in range(n)])[:, None],
        "one row": lambda: X[:1],
        "objects": lambda: np.array([[{}, []]] * n, object),
        "twice named": lambda: pd.concat([frame, frame], axis=1),
    }
    return made.get(kind, lambda: X)()


def _columns(how, n, rng):
    made = dict(how)
    if "cluster" in made:
        made["cluster"] = {
            "groups": np.arange(n) // 3,
            "each": np.arange(n),
            "one": np.zeros(n),
            "short": np.arange(n - 1),
            "NaN": np.where(np.arange(n) == 0, np.nan, 1.0),
        }[made["cluster"]]
    if "weight" in made:
        made["weight"] = {
            "ones": np.ones(n),
            "odd": rng.random(n) + 0.1,
            "zero": np.zeros(n),
            "negative": -np.ones(n),
            "short": np.ones(n - 1),
        }[made["weight"]]
    return made


def _learner(name):
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return {"class": GaussianNB, "pipeline": make_pipeline(StandardScaler(), GaussianNB()), "None": None}.get(
        name, name
    )


def _quick(learner):
    """A learner that is fitted in a moment: remedies fit it thousands of times, which is work and no hang."""
    return "naive_bayes" if isinstance(learner, str) and learner == "logistic" else learner


def check(given):
    """Take the loss apart, draw a curve, or try a remedy."""
    import classay as ca

    rng = np.random.default_rng(given["seed"])
    n = given["cases"]
    X = _features(given["features"], n, rng)
    y = np.array(
        [given["labels"][i % len(given["labels"])] for i in range(n)],
        None if len({*map(type, given["labels"])}) == 1 else object,
    )
    how = {"rounds": 4} | _columns(given["how"], n, rng)
    learner = _learner(given["learner"])
    if given["do"] == "decompose":
        found = ca.decompose(learner, X, y, **how)
        for name, each in found.terms.items():
            estimate(f"the term {name}", each)
    else:
        kept = {name: each for name, each in how.items() if name in ("cluster", "weight", "level")}
        if given["do"] == "curve":
            found = ca.learning_curve(learner, X, y, protocol="2fold", **kept)
        elif given["do"] == "path":
            found = ca.decompose_over("tree", X, y, parameter="max_depth", values=[1, 2], **how)
        else:
            found = ca.improve(
                _quick(learner), X, y, rounds=how["rounds"], protocol="2x2", remedies=["bagging"], **kept
            )
    for each in (str(found), repr(found)):
        hold(plain(each, "\n"), "a report holds control characters", ascii(each)[:500])
    strict(found.to_dict())
