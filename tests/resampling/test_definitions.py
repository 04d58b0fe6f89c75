"""What makes the key of a fold: an edited learner is another one, whatever it is written in."""

import functools
import importlib
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import loguniform
from sklearn.model_selection import RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.ensembles import AdaBoost, Bagging, RandomForest, Stacking
from classay.resampling.store.fingerprint import of_estimator
from classay.resampling.store.fingerprint import of_text as text_of
from classay.resampling.store.run_store import Store
from command import SOURCE
from learners import noise

NOTEBOOK = """
import numpy as np
import helpers
from sklearn.base import BaseEstimator, ClassifierMixin

FLIP = {flip}

def says(y, times=1):
    return y * times

class Base(ClassifierMixin, BaseEstimator):
    threshold = {threshold}

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

class Mine(Base):
    def __init__(self, depth=1):
        self.depth = depth

    def predict(self, X):
        import helpers as late
        codes = (X[:, 0] > self.threshold).astype(int)
        return self._turned(codes)

    def _turned(self, codes):
        pick = lambda values: values {lambda_}
        return pick(self.classes_[(1 - codes) if FLIP else codes] * helpers.factor({argument}) * says(1))
"""
HELPERS = """
def factor(x):
    return x {factor}

def unused(x):
    return x {unused}
"""
PLAIN = {"flip": False, "threshold": 0.4, "lambda_": "", "argument": "1", "factor": "* 1", "unused": ""}
EDITS = {
    "a global": {"flip": True},
    "an attribute of a base class": {"threshold": 0.5},
    "a function inside a method": {"lambda_": "+ 0"},
    "an argument": {"argument": "1 + 0.0"},
    "a function of another module": {"factor": "* 2"},
}


def written(tmp_path, monkeypatch, name, **edits):
    """The class Mine of a module without a version, as it is after these edits."""
    how = PLAIN | edits
    (tmp_path / "helpers.py").write_text(HELPERS.format(**how))
    (tmp_path / f"{name}.py").write_text(NOTEBOOK.format(**how))
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    importlib.invalidate_caches()
    for module in ("helpers", name):
        sys.modules.pop(module, None)
    try:
        return importlib.import_module(name).Mine
    finally:
        sys.dont_write_bytecode = before
        sys.modules.pop(name)


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_anywhere_is_another_learner(edit, tmp_path, monkeypatch):
    before = of_estimator("it", written(tmp_path, monkeypatch, "mine")())
    assert of_estimator("it", written(tmp_path, monkeypatch, "mine")()) == before
    assert of_estimator("it", written(tmp_path, monkeypatch, "mine", **EDITS[edit])()) != before


def test_what_is_not_used_changes_nothing(tmp_path, monkeypatch):
    before = of_estimator("it", written(tmp_path, monkeypatch, "mine")())
    assert of_estimator("it", written(tmp_path, monkeypatch, "mine", unused="+ 1")()) == before


def test_an_edited_class_does_not_get_its_old_folds(tmp_path, monkeypatch):
    """A class of a module without a version returned its folds of before the edit: .433 instead of .967."""
    x, y = noise(80, signal=4)
    found = []
    for flip in (False, True):
        mine = written(tmp_path, monkeypatch, "mine", flip=flip, threshold=2)
        e = ca.evaluate(mine(), x, y, protocol="3fold", store=tmp_path / "runs.db")
        found.append(e["accuracy"].value)
    assert found[0] > 0.9
    assert found[1] == pytest.approx(1 - found[0])


@pytest.mark.slow
def test_an_edited_class_of_a_notebook(tmp_path):
    """In a notebook, the class is defined anew in __main__, and no file has its source."""
    code = f"""
import sys
sys.path[:0] = [{str(tmp_path)!r}]
from classay.ensembles import AdaBoost, Bagging, RandomForest, Stacking
from classay.resampling.store.fingerprint import of_estimator
prints = []
for k in (1, 1, 2):
    exec("from sklearn.base import BaseEstimator\\nclass Mine(BaseEstimator):\\n def fit(self, X, y): return %d" % k)
    prints.append(of_estimator("it", Mine()))
print(prints[0] == prints[1], prints[1] == prints[2], prints[0])
"""

    def shown(hashes):
        return subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=False,
            env={"PYTHONPATH": SOURCE, "PATH": "", "PYTHONHASHSEED": hashes},
        ).stdout

    assert shown("0").startswith("True False ")
    assert shown("0") == shown("1")  # the same in every process


def test_functions_without_a_name_are_told_apart():
    def made(function):
        return of_estimator("it", make_pipeline(FunctionTransformer(function), GaussianNB()))

    assert made(lambda x: x) == made(lambda x: x)
    assert made(lambda x: x) != made(lambda x: x + 1)
    factors = [made(lambda x, by=by: x * by) for by in (1, 2)] + [made(_times(by)) for by in (1, 2)]
    assert len({*factors}) == 4
    assert made(functools.lru_cache(_times(2))) != made(functools.lru_cache(_times(3)))


def _times(by):
    def times(x):
        return x * by

    return times


class Calls:
    """Refers to itself, in its definition and in its state."""

    def __init__(self, word):
        self.word, self.me = word, self

    def __call__(self, values):
        return Calls(self.word) and values


def test_circles_end():
    prints = [
        of_estimator("it", make_pipeline(FunctionTransformer(Calls(word)), GaussianNB())) for word in "aab"
    ]
    assert prints[0] == prints[1] != prints[2]


def test_a_search_over_distributions_has_the_same_key_whatever_was_drawn_before():
    search = RandomizedSearchCV(DecisionTreeClassifier(), {"ccp_alpha": loguniform(1e-5, 0.1)})
    before = of_estimator("it", search)
    np.random.random()  # noqa: NPY002  the global state is nobody's setting
    assert of_estimator("it", search) == before
    other = RandomizedSearchCV(DecisionTreeClassifier(), {"ccp_alpha": loguniform(1e-5, 0.2)})
    assert of_estimator("it", other) != before


def test_measures_of_training_are_in_the_key(tmp_path):
    """A fold kept without the training side of a measure was returned where it was asked for."""
    x, y = noise(60)
    how = {"protocol": "3fold", "store": tmp_path / "runs.db"}
    ca.evaluate(GaussianNB(), x, y, **how)
    e = ca.evaluate(GaussianNB(), x, y, measures=["ks_statistic"], **how)
    alone = ca.evaluate(GaussianNB(), x, y, measures=["ks_statistic"], protocol="3fold")
    assert e.summary("ks_statistic").training == alone.summary("ks_statistic").training
    assert not np.isnan(e.summary("ks_statistic").training)
    with Store.existing(how["store"]) as store:
        assert [run.done for run in store.runs()] == [3, 3]


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()


def nests(inner):
    return st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)


@given(st.recursive(LEAVES, nests))
@settings(deadline=None, max_examples=60)
def test_any_plain_value_has_a_print_of_its_own(value):
    from classay.resampling.store.fingerprint import _digest

    assert _digest(value) == _digest(value)
    assert _digest([value]) != _digest(value)
    assert _digest((value, value)) != _digest([value, value])
    assert len(text_of("a")) == 40


SLOTS = """
from typing import NamedTuple
from sklearn.base import BaseEstimator

class Pair(NamedTuple):
    first: int
    second: int = {second}

class Box:
    __slots__ = ("content",)

    def opened(self):
        return {content}

class Mine(BaseEstimator):
    def fit(self, X, y):
        return Pair(1), Box()
"""


def test_classes_with_slots_are_looked_into(tmp_path, monkeypatch):
    """Named tuples and classes with `__slots__` are written in Python, though their objects have no dictionary."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    found = []
    for second, content in ((1, 1), (1, 1), (2, 1), (1, 2)):
        (tmp_path / "with_slots.py").write_text(SLOTS.format(second=second, content=content))
        importlib.invalidate_caches()
        sys.modules.pop("with_slots", None)
        found.append(of_estimator("m", importlib.import_module("with_slots").Mine()))
    assert found[0] == found[1]
    assert len({*found}) == 3


def test_our_ensembles_can_be_told_apart_wherever_the_library_lies():
    members = [("tree", DecisionTreeClassifier()), ("bayes", GaussianNB())]
    all_of = [
        Bagging(n_estimators=5),
        Bagging(n_estimators=6),
        RandomForest(5),
        AdaBoost(),
        Stacking(members),
    ]
    assert len({of_estimator("e", each) for each in all_of}) == len(all_of)


def columns_of(values):
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    yield pd.Series(values)
    yield pd.Series(values, dtype="category")
    yield pl.Series(values)
    yield pa.array(values)
    yield pa.chunked_array([values])


def test_features_of_one_column_are_told_apart_by_their_values():
    """Such as the texts that a vectorizer takes."""
    from classay.resampling.store.fingerprint import _digest

    for one, same, other in zip(*map(columns_of, (["a", "b"], ["a", "b"], ["a", "c"])), strict=True):
        assert _digest(one) == _digest(same) != _digest(other)


def test_a_compiled_function_whose_class_names_no_module_has_no_print():
    import pyarrow as pa

    from classay.resampling.store.fingerprint import Unhashable, _digest

    compiled, *_ = pa.array(["a"]).__reduce_ex__(4)
    assert not isinstance(type(type(compiled)).__module__, str)
    with pytest.raises(Unhashable, match="it holds a getset_descriptor"):
        _digest(compiled)
