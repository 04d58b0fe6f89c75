"""Learners that misbehave in one place: in what they raise, predict, score, or do to the world around them."""

import io
import os
import random
import sys
import threading
import time
import warnings
from functools import cache

import numpy as np
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin

from ..contract import estimate, hold


class Sick(Exception):
    """An exception that cannot be read."""

    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __str__


class Unkind(UserWarning):
    """A warning that cannot be read."""

    def __str__(self):
        raise RuntimeError("no text")


def _boom(kind):
    raise kind


RAISED = {
    "ValueError": ValueError("first line\nsecond line"),
    "a long text": ValueError("x" * 100_000),
    "control letters": ValueError("a\x1b[31m\x07\u202eb\r"),
    "no text": ValueError(),
    "a text that raises": Sick(),
    "SystemExit": SystemExit(3),
    "MemoryError": MemoryError(),
    "RecursionError": RecursionError("deep"),
    "StopIteration": StopIteration(),
    "GeneratorExit": GeneratorExit(),
    "OSError": OSError(28, "No space left on device"),
    "BaseException": BaseException("base"),
    "AssertionError": AssertionError(),
}
"""What a method raises, by what it is."""

LABELS = {
    "one value": lambda said: said[:1],
    "a scalar": lambda said: said[0],
    "one too few": lambda said: said[:-1],
    "one too many": lambda said: np.append(said, said[:1]),
    "nothing": lambda said: said[:0],
    "None": lambda said: None,
    "two columns": lambda said: np.stack([said, said], 1),
    "one column": lambda said: said[:, None],
    "texts": lambda said: said.astype(str),
    "floats": lambda said: said.astype(float),
    "halves": lambda said: said + 0.5,
    "NaN": lambda said: np.where(np.arange(said.size) == 0, np.nan, said),
    "lists": lambda said: [[each] for each in said.tolist()] + [[1, 2]],
    "unhashable": lambda said: np.array([{} for _ in said] + [None], object)[:-1],
    "a generator": iter,
    "masked": lambda said: np.ma.masked_array(said, np.arange(said.size) == 0),
    "unknown labels": lambda said: said + 7,
    "booleans": lambda said: said.astype(bool),
    "complex": lambda said: said.astype(complex),
    "a text": lambda said: "yes",
    "a dict": lambda said: dict(enumerate(said)),
}
"""What becomes of the predicted labels."""

SCORES = {
    "one row": lambda p: p[:1],
    "one too few": lambda p: p[:-1],
    "one too many": lambda p: np.vstack([p, p[:1]]),
    "nothing": lambda p: p[:0],
    "None": lambda p: None,
    "one column": lambda p: p[:, :1],
    "flat": lambda p: p[:, -1],
    "a column more": lambda p: np.hstack([p, p[:, :1]]),
    "three dimensions": lambda p: p[:, :, None],
    "outside [0, 1]": lambda p: 3 * p - 1,
    "percent": lambda p: 100 * p,
    "a sum of 2": lambda p: p + 0.5,
    "rounded": lambda p: p.round(4),
    "one ulp too much": lambda p: np.nextafter(p, 2),
    "NaN": lambda p: np.where(np.arange(len(p))[:, None] == 0, np.nan, p),
    "infinite": lambda p: np.where(p > p.mean(), np.inf, -np.inf),
    "all infinite": lambda p: np.full_like(p, np.inf),
    "huge": lambda p: p * 1e308,
    "denormal": lambda p: p * 5e-324,
    "texts": lambda p: p.astype(str),
    "objects": lambda p: p.astype(object),
    "float16": lambda p: p.astype(np.float16),
    "float32": lambda p: p.astype(np.float32),
    "long double": lambda p: p.astype(np.longdouble),
    "integers": lambda p: p.round().astype(int),
    "complex": lambda p: p.astype(complex),
    "masked": lambda p: np.ma.masked_array(p, p > p.mean()),
    "all equal": lambda p: np.full_like(p, 1 / p.shape[1]),
    "columns turned round": lambda p: p[:, ::-1],
    "a list of arrays": lambda p: [p, p],
    "zeros": np.zeros_like,
}
"""What becomes of the scores."""

CLASSES = {
    "turned round": lambda classes: classes[::-1],
    "twice the same": lambda classes: np.repeat(classes[:1], classes.size),
    "one missing": lambda classes: classes[:-1],
    "one more": lambda classes: np.append(classes, classes[-1] + 1),
    "texts": lambda classes: classes.astype(str),
    "None": lambda classes: None,
    "a number": lambda classes: 2,
    "empty": lambda classes: classes[:0],
    "a list": lambda classes: classes.tolist(),
    "two dimensions": lambda classes: classes[:, None],
    "a list of lists": lambda classes: [classes, classes],
}
"""What becomes of classes_."""


class Misbehaves(ClassifierMixin, BaseEstimator):
    """The nearest class mean, but for what `how` names: a place (fit, predict, …) and what goes wrong there."""

    def __init__(self, where="", what="", scores="predict_proba"):
        self.where, self.what, self.scores = where, what, scores

    def _turn(self, where, values, ways):
        return ways[self.what](values) if self.where == where else values

    def _may_raise(self, where):
        if self.where == f"{where} raises":
            _boom(RAISED[self.what])

    def get_params(self, deep=True):
        if self.__dict__.get("where") == "get_params raises":
            _boom(RAISED[self.what])
        return super().get_params(deep)

    def fit(self, X, y):
        self._may_raise("fit")
        if self.where == "global state":
            WORLD[self.what]()
        X = np.asarray(X, float)
        classes, codes = np.unique(y, return_inverse=True)
        self.means_ = np.array([X[codes == i].mean(0) for i in range(classes.size)])
        self.known_ = classes
        self.classes_ = self._turn("classes_", classes, CLASSES)
        if self.where == "writes":
            _overwrite(X, y)
        return self

    def _probabilities(self, X):
        gaps = ((np.asarray(X, float)[:, None, :] - self.means_) ** 2).sum(-1)
        shares = np.exp(-(gaps - gaps.min(1, keepdims=True)))
        return shares / shares.sum(1, keepdims=True)

    def predict(self, X):
        self._may_raise("predict")
        said = self.known_[self._probabilities(X).argmax(1)]
        if self.where == "writes":
            _overwrite(X, None)
        return self._turn("predict", said, LABELS)

    def _scores(self, X):
        self._may_raise("scores")
        return self._turn("scores", self._probabilities(X), SCORES)

    @property
    def predict_proba(self):
        if self.scores != "predict_proba":
            raise AttributeError("predict_proba")
        return self._scores

    @property
    def decision_function(self):
        if self.scores != "decision_function":
            raise AttributeError("decision_function")
        return self._scores


def _overwrite(X, y):
    """Write into whatever was given."""
    X[...] = 0
    if y is not None:
        y[...] = y[0]


def _seed():
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)


def _replace_output():
    sys.stdout = io.StringIO()


def _warn_often():
    for step in range(100):
        warnings.warn(f"step {step}", stacklevel=1)


def _fork():
    if not (child := os.fork()):
        os._exit(7)
    os.waitpid(child, 0)


def _recur():
    _recur()


WORLD = {
    "numpy raises": lambda: np.seterr(all="raise"),
    "a warning that cannot be read": lambda: warnings.warn(Unkind(), stacklevel=1),
    "warnings are errors": lambda: warnings.simplefilter("error"),
    "random": _seed,
    "leaves": lambda: sys.exit("bye"),
    "prints": lambda: print("from the learner"),
    "another folder": lambda: os.chdir("/"),
    "another stream": _replace_output,
    "many warnings": _warn_often,
    "a thread": lambda: threading.Thread(target=time.sleep, args=(0.05,), daemon=True).start(),
    "a fork": _fork,
    "endless recursion": _recur,
}
"""What a fit does to the process around it."""


def _world():
    """What a fit may change around it, and must find again as it was."""
    states = np.random.get_state()[1].tolist(), random.getstate()  # noqa: NPY002
    errors = {each for each in warnings.filters if each[0] == "error"}  # imports add others
    return os.getcwd(), sys.stdout, np.geterr(), errors, states


WAYS = {
    "predict": LABELS,
    "scores": SCORES,
    "classes_": CLASSES,
    "fit raises": RAISED,
    "predict raises": RAISED,
    "scores raises": RAISED,
    "get_params raises": RAISED,
    "global state": WORLD,
    "writes": ("",),
    "": ("",),
}
"""Where a learner misbehaves, and how."""


INPUTS = st.sampled_from(
    [*WAYS, *["scores", "global state", "scores", "global state", "classes_", "", "writes"] * 2]
).flatmap(
    lambda where: st.fixed_dictionaries(
        {
            "where": st.just(where),
            "what": st.sampled_from([*WAYS[where]]),
            "scores": st.sampled_from(["predict_proba", "decision_function", "none"]),
            "classes": st.integers(2, 4),
            "cases": st.integers(12, 40),
            "features": st.integers(1, 3),
            "apart": st.sampled_from([0.0, 1.0, 4.0]),
            "seed": st.integers(0, 2**31),
        }
    )
)


def made(given):
    """A learner that misbehaves in one place, and cases to evaluate it on."""
    rng = np.random.default_rng(given["seed"])
    y = np.arange(given["cases"]) % given["classes"]
    X = rng.normal(size=(given["cases"], given["features"])) + y[:, None] * given["apart"]
    return Misbehaves(given["where"], given["what"], given["scores"]), X, y


@cache
def _warmed_up():
    """One evaluation before the first that is watched: what libraries draw as they are imported is no learner's."""
    from sklearn.naive_bayes import GaussianNB

    import classay as ca

    rng = np.random.default_rng(0)
    str(ca.evaluate(GaussianNB(), rng.normal(size=(30, 2)), np.arange(30) % 2, protocol="3fold"))


def evaluated(learner, X, y, protocol="3fold", report="whole"):
    """The evaluation, whose estimates keep their laws and whose rows are untouched; or a ClassayError."""
    import classay as ca

    _warmed_up()
    before, world = (X.copy(), y.copy()), _world()
    try:
        e = ca.evaluate({"it": learner}, X, y, protocol=protocol)
    finally:
        hold(np.array_equal(X, before[0]) and np.array_equal(y, before[1]), "a learner wrote into the rows")
        hold(_world() == world, "a learner changed the process around it")
    hold(not report or (str(e) and e.to_dict()), "an evaluation says nothing")
    for each in e.summaries():
        estimate(each.measure, each.estimate)
    return e


def check(given):
    """Evaluate the learner on the cases."""
    # a whole report costs more than all else together
    evaluated(*made(given), report="" if given["seed"] % 8 else "whole")
