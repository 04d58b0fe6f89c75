"""Scorers for scikit-learn's searches: of every measure, of estimators that answer in odd shapes, of odd labels."""

import copy
import json
import math
import pickle

import numpy as np
from hypothesis import strategies as st

from ..contract import hold
from .learners import CLASSES, LABELS, SCORES
from .rows import PAIRS

THREE = [("a", "b", "c"), (0, 1, 2), (1, 5, -2), ("x y", "", "ü\u202e"), ("a]", 'b"', "c\\")]
NAMED = [
    "accuracy", "roc_auc", "log_loss", "f1", "macro_f1", "hand_till_auc", "brier_score",
    "matthews_correlation", "average_precision", "kolmogorov_smirnov", "macro_roc_auc", "balanced_accuracy",
    "expected_calibration_error",
]  # fmt: skip
ODD = [
    "", "x", "recall[", "recall[]", "recall[zebra]", "f_beta(0)", "f_beta(nan)", "top_2_accuracy",
    "prevalence", "f_beta(1e308)", "roc_auc[a]", "recall[a][b]", 3, None, len, "partial_roc_auc(0.1)",
    "net_benefit(0.2)", "tp", "recall()", "precision_at_k(3)", "a" * 500,
]  # fmt: skip


def _every():
    from classay.measures.registry import MEASURES

    return [*MEASURES]


@st.composite
def scorers(draw):
    """A measure, an estimator that answers from given arrays, and the cases that it is scored on."""
    classes = draw(st.sampled_from(PAIRS[:12] * 2 + THREE * 3))
    n, k = draw(st.integers(1, 24)), len(classes)
    measure = draw(st.sampled_from([*NAMED * 4, "of a class", "of a class", "every", "every", "odd"]))
    if measure == "every":
        measure = draw(st.deferred(lambda: st.sampled_from(_every())))
    elif measure == "odd":
        measure = draw(st.sampled_from(ODD))
    elif measure == "of a class":
        measure = f"recall[{json.dumps(str(draw(st.sampled_from(classes))))}]"
    given = {
        "measure": measure,
        "classes": classes,
        "truth": draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)),
        "seed": draw(st.integers(0, 999)),
        "scores": draw(
            st.sampled_from(["predict_proba", "predict_proba", "decision_function", "both", "none"])
        ),
        "wrong": draw(
            st.sampled_from([None] * 5 + ["labels", "scores", "classes", "truth", "weight"]).flatmap(_wrong)
        ),
    }
    if draw(st.integers(0, 3)) == 0:
        given["weight"] = draw(
            st.lists(st.sampled_from([1.0, 2.0, 0.5, 0.0, 1e-300]), min_size=n, max_size=n)
        )
    if k == 2 and draw(st.integers(0, 9)):
        given["positive"] = draw(st.sampled_from([classes[1], classes[1], classes[0], "absent", None]))
    if draw(st.integers(0, 5)) == 0:
        given["threshold"] = draw(
            st.sampled_from([0.5, 0.2, 0.0, -1.0, 2, float("inf"), float("nan"), "x", True])
        )
    return given


def _wrong(where):
    ways = {"labels": [*LABELS], "scores": [*SCORES], "classes": [*CLASSES]}
    ways |= {
        "truth": ["shorter", "unseen", "one class", "None", "nothing"],
        "weight": ["shorter", "NaN", "less than 0", "text"],
    }
    return st.just(None) if where is None else st.tuples(st.just(where), st.sampled_from(ways[where]))


INPUTS = scorers()


class Answers:
    """An estimator of scikit-learn's kind that gives what it holds."""

    def __init__(self, given, labels, probabilities):
        where, what = given["wrong"] or ("", "")
        classes = _labels(given["classes"], range(len(given["classes"])))
        self.classes_ = CLASSES[what](classes) if where == "classes" else classes
        self._labels = LABELS[what](labels) if where == "labels" else labels
        self._scores = SCORES[what](probabilities) if where == "scores" else probabilities
        if given["scores"] in ("predict_proba", "both"):
            self.predict_proba = lambda X: self._scores
        if given["scores"] in ("decision_function", "both"):
            kind, shape = np.asarray(self._scores).dtype.kind, np.shape(self._scores)
            two = (
                kind in "fiu" and len(shape) == 2 and shape[1] == 2
            )  # no arithmetic with what is wrong on purpose
            self.decision_function = lambda X: self._scores[:, 1] - 0.5 if two else self._scores

    def predict(self, X):
        return self._labels


def _labels(classes, codes):
    """Labels as an array whose type holds them all."""
    kinds = {type(each) for each in classes}
    found = np.empty(len(codes), object)
    found[:] = [classes[code] for code in codes]
    return found if len(kinds) > 1 or not kinds <= {int, float, str, bool} else np.array(found.tolist())


def _truth(given, y):
    what = given["wrong"][1] if given["wrong"] and given["wrong"][0] == "truth" else ""
    if what == "shorter":
        return y[:-1]
    if what == "unseen":
        return np.append(y[:-1].astype(object), np.array(["never seen"], object))
    if what == "one class":
        return np.repeat(y[:1], y.size)
    return None if what == "None" else y[:0] if what == "nothing" else y


def _weight(given):
    weight = given.get("weight")
    what = given["wrong"][1] if given["wrong"] and given["wrong"][0] == "weight" else ""
    if weight is None or not what:
        return weight
    return {
        "shorter": weight[:-1],
        "NaN": [float("nan"), *weight[1:]],
        "less than 0": [-1.0, *weight[1:]],
        "text": "x",
    }[what]


def check(given):
    """Score: a number inside the bounds or NaN, the same again, and that of the assessment of the same answers."""
    import classay as ca

    options = {name: given[name] for name in ("positive", "threshold") if name in given}
    scorer = ca.scorer(given["measure"], **options)
    for again in (copy.deepcopy(scorer), pickle.loads(pickle.dumps(scorer))):
        hold(repr(again) == repr(scorer), "a copied scorer is another")
    rng = np.random.default_rng(given["seed"])
    try:
        y = _labels(given["classes"], given["truth"])
    except (OverflowError, ValueError):  # NumPy holds no such labels together
        return
    try:
        said = _labels(given["classes"], rng.integers(0, len(given["classes"]), y.size))
        estimator = Answers(given, said, rng.dirichlet(np.ones(len(given["classes"])), y.size))
    except Exception:  # noqa: BLE001 - this wrong answer is none of labels of this kind
        return
    truth, weight = _truth(given, y), _weight(given)
    found = scorer(estimator, np.zeros((y.size, 1)), truth, sample_weight=weight)
    hold(isinstance(found, float), "a score is no float", type(found))
    again = scorer(estimator, np.zeros((y.size, 1)), truth, sample_weight=weight)
    hold(found == again or (math.isnan(found) and math.isnan(again)), "a score is another the second time")
    if given["wrong"] is None:
        _as_assessed(given, scorer, estimator, found)


def _as_assessed(given, scorer, estimator, found):
    """Measures of labels are what an assessment of the predicted labels says."""
    import classay as ca
    from classay.inference.estimate import direction
    from classay.measures import get

    measure = get(scorer.measure)
    low, high = measure.bounds
    value = direction(measure.name) * found
    hold(math.isnan(value) or low <= value <= high, f"{measure.name} is outside its bounds", value)
    if not measure.is_of_matrix or scorer.threshold is not None:
        return
    how = {"weight": given.get("weight"), "labels": list(given["classes"])}
    if len(given["classes"]) == 2:
        how["positive"] = given["classes"][1] if scorer.positive is None else scorer.positive
    a = ca.assess(_labels(given["classes"], given["truth"]), y_pred=estimator.predict(None), **how)
    wanted = a.estimate(measure.name).value
    same = math.isclose(value, wanted, rel_tol=1e-12) or (math.isnan(value) and math.isnan(wanted))
    if scorer.positive is None and measure.label is None and measure.needs == "counts":
        return  # which class is positive is known to the scorer alone
    hold(same, f"{measure.name} of a scorer is not that of the assessment", (value, wanted))
