"""Models on the same cases: compared in pairs, held against the rules of a gate, sliced, ranked over data sets.

The rows come from a generator and a seed, so that most are such as people have; the odd ones are a share of them.
"""

import numpy as np
from hypothesis import strategies as st

from ..contract import estimate, hold
from .rows import NUMBERS

LABELS = ["accuracy", "recall", "precision", "f1", "mcc", "specificity", "balanced_accuracy", "cohen_kappa"]
SCORES = ["roc_auc", "average_precision", "ks_statistic", "gini", "max_f1"]
PROBABILITIES = ["brier_score", "log_loss", "brier_skill", "log_loss_skill"]
SEVERAL = ["accuracy", "macro_f1", "macro_recall", "mcc", "weighted_precision"]
OF_SEVERAL_SCORES = ["macro_roc_auc", "hand_till_auc", "multiclass_brier_score", "log_loss"]
RULES = {
    "non-inferior": [0.05, 0.01, 0.2],
    "superior": [None, 0.01],
    "equivalent": [0.05, 0.2],
    "not-worse": [None],
}
"""The rules, and the margins that suit each."""
ODD_MARGINS = [None, 0.0, -1.0, 5e-324, float("inf"), float("nan"), 0.05]
NAMES = [["new", "old"]] * 6 + [["a", "b", "c"]] * 2 + [["", "ü\u202e"], ["a", "a\n"], ["x" * 300, "-"]]
KINDS = ["signal"] * 4 + ["random", "random", "ties", "ties", "equal", "separated", "constant", "far", "odd"]
METHODS = [None] * 8 + [
    "bootstrap",
    "delta",
    "delong",
    "mid-p",
    "newcombe",
    "permutation",
    "posterior",
    "wrong",
]
DO = ["pairs", "rule", "gate", "slices", "assessments", "data sets"]


def scores_of(kind, truth, classes, rng):
    """One model's scores of a kind: `(cases,)` of two classes, `(cases, classes)` of more."""
    n = len(truth)
    logits = rng.normal(size=(n, classes))
    if kind in ("signal", "separated", "odd"):
        logits[np.arange(n), truth] += 9 if kind == "separated" else 1.5
    if kind == "far":
        logits *= 200
    each = np.exp(logits - logits.max(1, keepdims=True))
    each /= each.sum(1, keepdims=True)
    if kind == "constant":
        each[:] = 1 / classes
    elif kind == "ties":
        each = np.eye(classes)[logits.argmax(1)] if rng.random() < 0.5 else each.round(1)
    found = each[:, 1] if classes == 2 else each
    if kind == "odd":
        found.flat[rng.integers(0, found.size, min(n, 3))] = rng.choice(NUMBERS)
    return found


@st.composite
def models(draw):
    """Two or three models on the same rows, what is done with them, and what is asked of them."""
    n = draw(st.one_of(st.integers(2, 20), st.integers(20, 60)))
    rng = np.random.default_rng(draw(st.integers(0, 9999)))
    classes = draw(st.sampled_from([2, 2, 2, 2, 3, 4]))
    truth = rng.integers(0, classes, n) if draw(st.integers(0, 11)) else np.zeros(n, int)
    names, kinds = draw(st.sampled_from(NAMES)), st.sampled_from(KINDS)
    first = draw(kinds)
    found = {
        name: scores_of(draw(st.sampled_from([first, first, *KINDS])), truth, classes, rng) for name in names
    }
    if first == "equal":
        found = dict.fromkeys(names, found[names[0]])
    given = {"do": draw(st.sampled_from(DO)), "truth": truth.tolist()}
    given["scores"] = {name: each.tolist() for name, each in found.items()}
    by_label = LABELS if classes == 2 else SEVERAL
    by_score = (SCORES + PROBABILITIES) if classes == 2 else OF_SEVERAL_SCORES
    if draw(st.integers(0, 4)) == 0:
        given["labels only"] = True
        by_score = by_label
    measures = st.one_of(st.sampled_from(by_score), st.sampled_from(by_label))
    given["measures"] = draw(st.lists(measures, min_size=1, max_size=2, unique=True))
    given["groups"] = rng.integers(0, draw(st.sampled_from([2, 3, 5, 9, 1])), n).tolist()
    given["rule"] = draw(st.sampled_from([*RULES]))
    given["margin"] = draw(
        st.sampled_from(RULES[given["rule"]] * 4 + ODD_MARGINS[:: draw(st.integers(1, 7))])
    )
    return given | _more(draw, given["do"], rng, n, names)


def _more(draw, do, rng, n, names):
    """Options, each of a share of the inputs."""
    kept = do != "assessments" or draw(st.integers(0, 5)) == 0  # with ids, assessments take no weights
    more = draw(
        st.sampled_from(["", "", "", "cluster", "weight", "weight cluster", "frequency"][: 7 if kept else 4])
    )
    columns = {
        "weight": lambda: rng.choice([1.0, 2.0, 0.5, 0.0, 1e-9], n, p=[0.4, 0.3, 0.2, 0.05, 0.05]).tolist(),
        "frequency": lambda: rng.choice([1, 2, 3, 0], n).tolist(),
        "cluster": lambda: rng.choice([*"abcdef"][: 1 + rng.integers(1, 6)], n).tolist(),
    }
    given = {name: columns[name]() for name in more.split()}
    options = {
        "adjustment": ["bonferroni", "hommel", "hochberg", "benjamini_hochberg", "wrong"],
        "alternative": ["greater", "less"],
        "level": [0.5, 0.8, 0.999, 1e-9, 1 - 1e-9],
        "threshold": [0.2, 0.9, 0.0, 2.0],
        "control": [names[0], names[-1], "absent"],
        "method": METHODS,
    }
    if do == "rule":  # which says itself to which side
        options.pop("alternative")
    for name in draw(st.sampled_from([[]] * 3 + [[name] for name in options] + [["level", "adjustment"]])):
        given[name] = draw(st.sampled_from(options[name]))
    return given


INPUTS = models()
COLUMNS = ("weight", "frequency", "cluster")
OPTIONS = ("adjustment", "alternative", "level", "control", "method")


def check(given):
    """Compare, look at the estimates of the differences, and ask the gate; or look at the groups of one model."""
    DOES[given["do"]](given)


def _rows(given):
    """What `compare` is called with: the models, the truth, and the columns beside them."""
    scores = {name: np.array(each) for name, each in given["scores"].items()}
    columns = {name: given[name] for name in (*COLUMNS, "threshold") if name in given}
    if np.array(given["truth"]).max(initial=0) <= 1 and next(iter(scores.values())).ndim == 1:
        columns["positive"] = 1
        labels = {name: (each >= 0.5).astype(int) for name, each in scores.items()}
    else:
        columns["labels"] = [*range(next(iter(scores.values())).shape[1])]
        labels = {name: each.argmax(1) for name, each in scores.items()}
    if "labels only" in given:
        columns.pop("threshold", None)
        return (None, given["truth"]), columns | {"y_pred": labels}
    return (scores, given["truth"]), columns


def _compared(given, **how):
    import classay as ca

    rows, columns = _rows(given)
    how |= {name: given[name] for name in OPTIONS if name in given}
    found = ca.compare(*rows, measures=given["measures"], **columns, **how)
    hold(len(found), "nothing is compared")
    for each in found:
        difference(each)
    return found


def _pairs(given):
    found = _compared(given)
    str(found)
    hold(found.frame().num_rows == len(found), "the frame has other comparisons")


def _rule(given):
    found = _compared(given, rule=given["rule"], margin=given["margin"])
    hold(all(found.sentences), "a rule says nothing")


def _gate(given):
    import classay as ca

    for each in _compared(given):
        gate = ca.gate(each, given["rule"], margin=given["margin"])
        hold(isinstance(gate.sentence, str) and gate.sentence, "a gate says nothing")
        hold(gate.passed == (gate.verdict.value == "pass"), "a gate passes without its verdict")


def _one_assessed(given, by=None):
    """What `assess` or `assess_by` makes of each model."""
    import classay as ca

    (scores, truth), columns = _rows(given)
    models = columns.pop("y_pred", scores)
    level = {"level": given["level"]} if "level" in given else {}
    for name, each in models.items():
        rows = {"y_pred": each} if scores is None else {"y_score": each}
        if by is None:
            yield name, ca.assess(truth, **rows, **columns, **level, id=range(len(truth)))
        else:
            yield name, ca.assess_by(truth, **rows, **columns, **level, by=by)


def _slices(given):
    _, groups = next(_one_assessed(given, by=given["groups"]))
    for each in groups.compare(*given["measures"]):
        estimate(each.measure, each.estimate)
        estimate(f"the difference in {each.measure}", each.difference)
    hold(sum(part.n for part in groups.groups.values()) == groups.overall.n, "groups have lost cases")


def _assessments(given):
    import classay as ca

    how = {"adjustment": given["adjustment"]} if "adjustment" in given else {}
    for each in ca.compare(dict(_one_assessed(given)), measures=given["measures"], **how):
        difference(each)


def _data_sets(given):
    """The groups of cases are the data sets, the share of each a model calls right the value."""
    import classay as ca

    (scores, truth), columns = _rows(given)
    truth, groups = np.array(truth), np.array(given["groups"])
    models = columns.get("y_pred") or {
        name: (each >= 0.5) if each.ndim == 1 else each.argmax(1) for name, each in scores.items()
    }
    values = {
        name: [float((each == truth)[groups == group].mean()) for group in np.unique(groups)]
        for name, each in models.items()
    }
    how = {name: given[name] for name in ("adjustment", "alternative", "level", "control") if name in given}
    frame = {"data": [f"d{group}" for group in np.unique(groups)]} | values
    found = ca.compare(frame, dataset="data", **how)
    for each in found:
        difference(each)
    str(found)


DOES = dict(zip(DO, (_pairs, _rule, _gate, _slices, _assessments, _data_sets), strict=True))


def difference(each):
    """low ≤ value ≤ high of a comparison's effect, or a reason; a p-value from 0 to 1."""
    found, name = each.effect, each.measure
    if found is None or np.isnan([found.value, found.low, found.high]).any():
        reason = each.reason or (found and found.reason)
        hold(reason, f"the difference in {name} is NaN without a reason", each)
    else:
        hold(found.low <= found.value <= found.high, f"the difference in {name}: low ≤ value ≤ high", found)
    hold(np.isnan(each.p) or 0 <= each.p <= 1, f"the p-value in {name} is none", each.p)
