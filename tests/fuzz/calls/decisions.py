"""Decisions: thresholds by every rule, what is applied of them, what they do over time, verification, least costs."""

import math
import tempfile
from pathlib import Path

import numpy as np

from ..contract import estimate, hold, plain
from ..outside.files import command
from .scored import assessed, cases, decisions

INPUTS = decisions()


def _decided(given):
    a, rows = assessed(given)
    how = dict(given["how"])
    if how.get("per") == "column":
        how["per"] = [i % 3 for i in range(given["cases"])]
    if given["more"] == "held back":
        how["held_back"] = assessed(given, more=1)[0]
    return a, a.threshold(**how), rows


def check(given):
    """Decide, and look at what came of it."""
    DOES[given["do"]](given)


def _look(a, decision):
    for name, each in decision.measures.items():
        estimate(name, each)
    for each in (decision.apparent, decision.expected.objective, decision.threshold):
        estimate("a decision's number", each)
    for kept in decision.kept:
        estimate("a condition", kept.apparent)
        estimate("a condition on new cases", kept.expected)
        hold(
            math.isnan(kept.probability) or 0 <= kept.probability <= 1,
            "a probability is none",
            kept.probability,
        )
        if decision.prevalence is None and kept.requirement.part == "value":
            hold(
                kept.requirement.met_by(kept.apparent.value),
                "the threshold does not meet its condition",
                kept,
            )
    if decision.as_good is not None:
        low, high = decision.as_good
        hold(low <= high, "as good from low to high", (low, high))
    value = decision.threshold.value
    there = a.at(threshold=value) if math.isfinite(value) else None
    if there is not None:
        same = np.allclose(there.confusion_matrix.counts, decision.matrix.counts, rtol=1e-9, atol=1e-9)
        hold(
            same or decision.prevalence is not None,
            "the matrix of a decision is another than at its threshold",
            (there.confusion_matrix.counts, decision.matrix.counts),
        )


def _threshold(given):
    a, decision, _ = _decided(given)
    _look(a, decision)
    hold(
        all(isinstance(each, str) and each.strip() for each in decision.advice), "a decision gives no advice"
    )


def _text(given):
    _, decision, _ = _decided(given)
    for each in (str(decision), decision.to_markdown(), decision.to_latex()):
        hold(plain(each, "\n"), "a report holds control characters", ascii(each))
    from .rows import strict

    strict(decision.to_dict())
    hold("<form" in decision._repr_html_() or decision._repr_html_(), "a card is empty")


class Scores:
    """A fitted classifier of scikit-learn's kind that gives its column as probabilities."""

    def __new__(cls):
        from sklearn.base import BaseEstimator, ClassifierMixin

        class Given(ClassifierMixin, BaseEstimator):
            def fit(self, X, y):
                self.classes_ = np.unique(y)
                self.n_features_in_ = 1
                return self

            def predict_proba(self, X):
                return np.stack([1 - X[:, 0], X[:, 0]], 1)

            def predict(self, X):
                return self.classes_[(X[:, 0] >= 0.5).astype(int)]

        return Given()


def _apply(given):
    """The labels that the wrapped estimator predicts are those of the decision's matrix."""
    _, decision, (y, p, _) = _decided(given)
    for wrong in (None, 3, "x", object()):
        made = _refused_or(lambda wrong=wrong: decision.apply(wrong))
        hold(made is None or hasattr(made, "fit"), "what is no estimator is wrapped", wrong)
    if len({*y.tolist()}) < 2 or not ((p >= 0) & (p <= 1)).all() or given["more"] is not None:
        return
    X = p[:, None].astype(float)
    said = decision.apply(Scores().fit(X, y)).fit(X, y).predict(X)
    counts = [[int(((said == i) & (y == j)).sum()) for j in (0, 1)] for i in (0, 1)]
    hold(
        counts == decision.matrix.counts.tolist(),
        "what is applied is another decision",
        (counts, decision.matrix.counts),
    )


def _refused_or(work):
    from classay.errors import ClassayError

    try:
        return work()
    except ClassayError:
        return None


def _over_time(given):
    from classay.over_time.courses import over_time

    _, decision, (y, p, how) = _decided(given)
    n, seed = given["cases"], given["seed"]
    times = [
        [i // 3 for i in range(n)], [f"2026-01-{1 + i % 28:02}" for i in range(n)],
        [f"2026-0{1 + i % 9}-01T12:00" for i in range(n)], ["x"] * n, [None] * n, [1.5] * n, [1] * (n - 1),
        ["0001-01-01", "9999-12-31"] * n, [2**62 + i for i in range(n)], ["NaT"] * n,
    ][seed % 10]  # fmt: skip
    until = [None, 2, "2026-03-01", "x", 2.5, math.nan][seed // 10 % 6]
    own = {name: how[name] for name in ("weight", "frequency", "cluster", "amounts") if name in how}
    found = over_time(
        decision,
        y,
        p,
        times[:n] if seed % 10 != 6 else times,
        per=["day", "week", "x"][seed // 60 % 3],
        labels_until=until,
        capacity=[None, 3, 0][seed % 3],
        **own,
    )
    hold(
        sum(each.cases for each in found.periods) <= np.sum(how.get("frequency", [n])),
        "periods hold more cases than there are",
        found.periods,
    )
    for each in found.periods:
        estimate("a period", each.value)
    estimate("a trend", found.trend)
    found.sentence  # noqa: B018


def _command(given):
    y, p, amount = cases(given)
    flags = []
    for name, value in given["how"].items():
        if name == "cost" and isinstance(value, dict):
            flags += [part for key, each in value.items() for part in ("--cost", f"{key}={each}")]
        elif name not in ("per", "held_back", "cost"):
            flags += [f"--{name}", str(value)]
    when = given["seed"] % 3
    flags += ["--time", "d"] if when == 0 else []
    flags += (
        [f"--{(given['more'] or 'cluster').split()[0]}", "w"]
        if when == 1 and given["more"] in ("weight", "frequency", "cluster")
        else []
    )
    lines = [
        f"{a},{b!r},{c!r},{1 + i % 3},2026-01-{1 + i % 5:02}"
        for i, (a, b, c) in enumerate(zip(y.tolist(), p.tolist(), amount.tolist(), strict=True))
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "preds.csv")
        path.write_text("\n".join(["y,p,a,w,d", *lines]))
        hold(
            plain(command("decide", path, "--truth", "y", "--score", "p", *flags), "\n"),
            "a report holds control characters",
        )


def _several(given):
    """Cost curves of several scores."""
    import classay as ca

    y, p, amount = cases(given)
    other = cases(given, more=1)[1]
    cost = given["how"].get("cost")
    how = {"amounts": {"a": amount}} if "a" in str(cost) else {}
    found = ca.cost_curves(
        {"a": p, "b": other}, y, cost=cost, positive=1, prevalence=given["how"].get("prevalence"), **how
    )
    hold(plain(str(found), "\n"), "a report holds control characters")


def _least_cost(given):
    import classay as ca

    rng = np.random.default_rng(given["seed"])
    k, n = int(rng.integers(2, 5)), given["cases"]
    p = rng.dirichlet(np.ones(k), n)
    if given["scores"] in ("odd", "far"):
        p.flat[0] = [math.nan, math.inf, -1, 2][given["seed"] % 4]
    matrix = rng.choice([0.0, 1.0, 5.0, -1.0, 1e300, math.nan][: 4 + given["seed"] % 3], (k, k))
    labels = [*range(k)] if given["seed"] % 5 else [*"aabbc"][:k]
    costs = ca.Costs.from_array(matrix, labels, rows=["true", "predicted", "x"][given["seed"] % 7 % 3])
    asking = [None, 0.5, 0, -1, math.inf, 1e300][given["seed"] % 6]
    found = ca.least_cost(
        p, costs, labels, y_true=rng.integers(0, k, n) if given["seed"] % 3 else None, asking=asking
    )
    hold(len(found.decisions) == n, "cases are lost", len(found.decisions))
    estimate("asked", found.asked)
    if found.per_case is not None:
        estimate("per case", found.per_case)


def _verified(given):
    """Only some cases have a true label."""
    import classay as ca

    y, p, _ = cases(given)
    rng = np.random.default_rng(given["seed"])
    truth = [int(each) if rng.random() < 0.6 else [None, math.nan][given["seed"] % 2] for each in y]
    said = (p >= np.median(p)).astype(int) if given["scores"] != "odd" else [None, *[1] * (len(y) - 1)]
    found = ca.correct_verification(truth, said, positive=[1, 0, "x", None][given["seed"] % 4])
    for each in (
        found.sensitivity,
        found.specificity,
        found.prevalence,
        found.naive_sensitivity,
        found.naive_specificity,
    ):
        estimate("a corrected share", each)
    hold(plain(str(found) + found.sentence, "\n"), "a report holds control characters")


def _top(given):
    """The gain table, whose parts hold all positives together."""
    a, _ = assessed(given)
    parts = [10, 1, 2, 0, -1, 2.5, 1000, "x"][given["seed"] % 8]
    found = a.gain_table(parts, amount=["a", None, "x"][given["seed"] % 3])
    for part in found.parts:
        for each in (part.precision, part.recall, part.lift, part.captured):
            if each is not None:
                estimate("of the top", each)
    last = found.parts[-1].recall.value
    hold(
        math.isnan(last) or math.isclose(last, 1, rel_tol=1e-9),
        "all parts hold less than all positives",
        last,
    )


DOES = {
    "threshold": _threshold,
    "text": _text,
    "apply": _apply,
    "over time": _over_time,
    "command": _command,
    "several": _several,
    "least cost": _least_cost,
    "verified": _verified,
    "top": _top,
}
