"""What `classay compare`, `classay gate` and `ca.compare` refuse, by name."""

import numpy as np

import classay as ca
from learners import noise
from published import E_TEN, LONG, WIDE

Y = [0, 1, 1, 0, 1, 0]
A, B = [0.1, 0.8, 0.6, 0.4, 0.9, 0.3], [0.2, 0.7, 0.4, 0.5, 0.6, 0.3]

FILES = {
    "both.csv": "y,a,b\n0,.1,.2\n1,.8,.7\n1,.6,.4\n0,.4,.5\n",
    "new.csv": "id,y,p\n1,0,.1\n2,1,.8\n3,1,.6\n4,0,.4\n",
    "old.csv": "id,y,p\n1,0,.2\n2,1,.7\n3,1,.4\n4,0,.5\n",
    "other.csv": "id,y,p\n1,1,.2\n2,1,.7\n3,1,.4\n5,0,.5\n",
    "wide.csv": "set,a,b,c\nx,.8,.7,.6\ny,.7,.6,.8\nz,.9,.8,.7\n",
    "long.csv": "set,model,run,auc\nx,a,1,.8\nx,a,2,.7\nx,b,1,.6\ny,a,1,.8\n",
    "text.csv": "set,a,b,note\nx,.8,.7,good\ny,.7,.6,bad\n",
}
TWO = ("new.csv", "old.csv", "--id", "id", "--truth", "y", "--score", "p")
BOTH = ("both.csv", "--truth", "y", "--scores", "a,b")
SETS = ("wide.csv", "--dataset", "set")
GATE = (*TWO, "--measure", "roc_auc", "--rule")

COMMANDS = {
    "compare: no truth": ("compare", "both.csv", "--scores", "a,b"),
    "compare: nothing to compare": ("compare", "both.csv", "--truth", "y"),
    "compare: one model": ("compare", "both.csv", "--truth", "y", "--scores", "a"),
    "compare: two columns of several files": ("compare", *TWO[:6], "--scores", "p,q"),
    "compare: a file twice": ("compare", "new.csv", "new.csv", *TWO[2:]),
    "compare: other cases": ("compare", "new.csv", "other.csv", *TWO[2:]),
    "compare: other truths": ("compare", "new.csv", "other.csv", "--truth", "y", "--score", "p"),
    "compare: unknown method": ("compare", *BOTH, "--method", "bootstap"),
    "compare: unknown adjustment": ("compare", *BOTH, "--adjustment", "hom"),
    "compare: unknown measure": ("compare", *BOTH, "--measures", "auk"),
    "compare: threshold miswritten": ("compare", *BOTH, "--threshold", "a:0.5"),
    "compare: margin without a rule": ("compare", *BOTH, "--margin", "0.1"),
    "compare: rule without a margin": ("compare", *BOTH, "--rule", "equivalent"),
    "compare: unknown rule": ("compare", *BOTH, "--rule", "equal", "--margin", "0.1"),
    "compare: margin is negative": ("compare", *BOTH, "--rule", "equivalent", "--margin", "-0.1"),
    "compare: unknown control on one test set": ("compare", *BOTH, "--control", "c"),
    "compare: rope on one test set": ("compare", *BOTH, "--rope", "0.01"),
    "compare: rule of unpaired files": ("compare", *TWO[:2], "--unpaired", "--rule", "superior"),
    "compare: value without data sets": ("compare", "long.csv", "--value", "auc"),
    "compare: model without value": ("compare", *SETS, "--model", "a"),
    "compare: truth beside data sets": ("compare", *SETS, "--truth", "y"),
    "compare: measures beside data sets": ("compare", *SETS, "--measures", "auc"),
    "compare: two files of results": ("compare", "wide.csv", "text.csv", "--dataset", "set"),
    "compare: rule over data sets": ("compare", *SETS, "--rule", "equivalent", "--margin", "0.1"),
    "compare: runs that are not named": (
        *("compare", "long.csv", "--dataset", "set", "--model", "model"),
        *("--value", "auc"),
    ),
    "compare: a model lacks a data set": (
        *("compare", "long.csv", "--dataset", "set", "--model", "model"),
        *("--value", "auc", "--run", "run"),
    ),
    "compare: a column of text is no model": ("compare", "text.csv", "--dataset", "set"),
    "compare: no such column of data sets": ("compare", "wide.csv", "--dataset", "sets"),
    "compare: unknown method over data sets": ("compare", *SETS, "--method", "wilcoxn"),
    "compare: unknown control": ("compare", *SETS, "--control", "d"),
    "compare: mean ranks without a control": ("compare", *SETS, "--method", "mean-ranks"),
    "compare: Nemenyi with a control": ("compare", *SETS, "--method", "nemenyi", "--control", "a"),
    "compare: posterior without a rope": ("compare", *SETS, "--method", "bayesian"),
    "compare: rope beside another method": ("compare", *SETS, "--method", "sign", "--rope", "0.1"),
    "compare: better is a sign": ("compare", *SETS, "--better", "+"),
    "gate: one file": ("gate", "new.csv", "new.csv", *GATE[2:], "superior"),
    "gate: unknown rule": ("gate", *GATE, "better"),
    "gate: no margin": ("gate", *GATE, "non-inferior"),
    "gate: margin is 0": ("gate", *GATE, "equivalent", "--margin", "0"),
    "gate: measure without a better end": (*("gate", *TWO, "--measure", "prevalence"), "--rule", "superior"),
    "gate: unknown measure": ("gate", *TWO, "--measure", "auk", "--rule", "superior"),
    "gate: no truth": ("gate", "new.csv", "old.csv", "--measure", "auc", "--rule", "superior"),
}


def learners(protocol, **how):
    from sklearn.naive_bayes import GaussianNB

    x, y = noise(n=40)
    return ca.evaluate({"a": GaussianNB(), "b": GaussianNB(var_smoothing=1)}, x, y, protocol=protocol, **how)


CALLS = {
    "compare: no models": lambda: ca.compare(None, Y),
    "compare: a list": lambda: ca.compare([A, B], Y),
    "compare: no truth": lambda: ca.compare({"a": A, "b": B}),
    "compare: columns without truth=": lambda: ca.compare({"a": A, "b": B}, Y, id="case"),
    "compare: unequal lengths": lambda: ca.compare({"a": A, "b": B[1:]}, Y),
    "compare: level in percent": lambda: ca.compare({"a": A, "b": B}, Y, level=95),
    "compare: method of folds on one test set": lambda: ca.compare({"a": A, "b": B}, Y, method="corrected-t"),
    "compare: results without dataset=": lambda: ca.compare(LONG, model="model", value="auc"),
    "compare: assessments without ids": lambda: ca.compare({"a": ca.assess(Y, A), "b": ca.assess(Y, B)}),
    "compare: truth beside assessments": lambda: ca.compare({"a": ca.assess(Y, A), "b": ca.assess(Y, B)}, Y),
    "compare: truth beside an evaluation": lambda: ca.compare(E_TEN, Y),
    "compare: evaluation of one model": lambda: ca.compare(E_TEN["A"]),
    "compare: method of one test set over folds": lambda: ca.compare(E_TEN, method="delta"),
    "compare: 5x2cv of ten folds": lambda: ca.compare(E_TEN, method="5x2cv-f"),
    "compare: rule by another method": lambda: ca.compare(
        E_TEN, rule="equivalent", margin=0.1, method="sign-flip"
    ),
    "compare: rope is negative": lambda: ca.compare(E_TEN, rope=-0.1),
    "compare: leave-one-out": lambda: ca.compare(learners("loo")),
    "compare: one holdout": lambda: ca.compare(learners("holdout:0.33")),
    "compare: evaluations of other folds": lambda: ca.compare(
        {"new": learners("5fold")["a"], "old": learners("5fold", seed=1)["b"]}
    ),
    "compare: one data set": lambda: ca.compare({"set": ["x"], "a": [0.8], "b": [0.7]}, dataset="set"),
    "compare: undefined value": lambda: ca.compare(WIDE | {"C4.5": np.full(14, np.nan)}, dataset="set"),
    "compare: array of results": lambda: ca.compare(np.zeros((3, 2)), dataset="set"),
    "gate: three models": lambda: ca.gate(
        ca.compare(
            {"a": A, "b": B, "c": B}, Y, measures=["roc_auc"]
        ).overall[0],
        "superior",
    ),
}  # fmt: skip
