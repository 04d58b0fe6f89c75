"""Every finding on predicted labels of several and of ordered classes, said where its rule holds and nowhere else."""

import numpy as np
import pytest
from scipy.stats import binom

import classay as ca
from classay.assessment.findings_labels import finding_on_request, findings_on_labels
from classay.inference.phrasing import (
    number_with_interval,
    percent,
    share_with_interval,
    value_with_interval,
)


def rows(seed, n, shares, right):
    """Classes with these shares, of which so many of each are predicted rightly and all others as the next one."""
    rng = np.random.default_rng(seed)
    true = np.repeat(np.arange(len(shares)), np.round(np.array(shares) * n).astype(int))
    hit = rng.random(true.size) < np.array(right)[true]
    return true, np.where(hit, true, (true + 1) % len(shares))


SETS = {
    "even": (0, 300, [0.35, 0.35, 0.3], [0.8, 0.8, 0.8]),
    "one weak": (1, 300, [0.35, 0.35, 0.3], [0.9, 0.9, 0.4]),
    "two weak": (2, 400, [0.25, 0.25, 0.25, 0.25], [0.9, 0.9, 0.5, 0.4]),
    "weak and few": (3, 300, [0.5, 0.42, 0.08], [0.9, 0.9, 0.2]),
    "weak and just enough": (4, 300, [0.5, 0.4, 0.1], [0.9, 0.9, 0.2]),
    "one large": (5, 300, [0.7, 0.2, 0.1], [0.9, 0.5, 0.5]),
    "half": (6, 300, [0.5, 0.3, 0.2], [0.9, 0.7, 0.6]),
    "bad": (7, 300, [0.4, 0.3, 0.3], [0.3, 0.3, 0.3]),
    "bad and one large": (8, 300, [0.8, 0.1, 0.1], [0.5, 0.3, 0.3]),
    "few": (9, 29, [0.4, 0.3, 0.3], [0.8, 0.8, 0.8]),
    "just enough": (10, 30, [0.4, 0.3, 0.3], [0.8, 0.8, 0.8]),
    "ties": (11, 400, [0.2] * 5, [1, 1, 1, 0, 0]),
    "many ties": (12, 400, [0.1] * 10, [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]),
}
WEIGHTS = {"alike": None, "weights": 0.25}


def said(found):
    return {one.code: one for one in found}


def listed(names):
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("name", SETS)
def test_findings_on_several_classes(name, weight):
    true, predicted = rows(*SETS[name])
    labels = np.array(["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen", "ibis", "jay"])
    more = {} if WEIGHTS[weight] is None else {"weight": np.full(true.size, WEIGHTS[weight])}
    a = ca.assess(labels[true], y_pred=labels[predicted], **more)
    found = said(findings_on_labels(a))
    n, counts = true.size, np.bincount(true)
    main = "accuracy" if counts.max() / n <= 0.5 else "balanced_accuracy"
    hits = true == predicted
    largest = [k for k, count in enumerate(counts) if count == counts.max()]
    accuracy, base = a["accuracy"], counts.max() / n
    shown = True
    for answer in largest:
        only_model, only_rule = (hits & (true != answer)).sum(), (~hits & (true == answer)).sum()
        trials = int(only_model + only_rule)
        mid = binom.sf(only_model, trials, 0.5) + binom.pmf(only_model, trials, 0.5) / 2
        shown = shown and only_model > only_rule and 2 * mid <= 0.05
    can_lead = main == "accuracy" and n >= 30
    is_base = (
        not shown and (can_lead or accuracy.value <= base)
        if weight == "alike"
        else "not_above_baseline" in found
    )
    assert ("not_above_baseline" in found) == is_base
    if is_base:
        one = found["not_above_baseline"]
        assert one.sentence == (
            f"Accuracy is {share_with_interval(accuracy, a.n)}, compared with {percent(base, a.n)} for always "
            f"predicting {labels[largest[0]]}; no improvement was detected."
        )
        assert one.may_lead == can_lead
        assert (one.tier, one.next_step) == (("main", "Report balanced accuracy.") if can_lead else ("B", ""))
    _main_sentence(a, found, main, counts, leads=is_base and can_lead)
    _weakest(a, found, main, counts, labels, hits, true)


def _main_sentence(a, found, main, counts, *, leads):
    code = "tiny_class" if counts.sum() < 30 else main
    assert (code in found) == (not leads)
    if leads:
        return
    title = {"accuracy": "Accuracy", "balanced_accuracy": "Balanced accuracy"}[main]
    text = f"{title} is {share_with_interval(a[main], a.n)} over {len(counts)} classes."
    if counts.sum() < 30:
        text = f"Only {counts.sum()} cases: {text[0].lower()}{text[1:]}"
    assert found[code].sentence == text
    assert (found[code].next_step == "") == (counts.sum() >= 30)


def _weakest(a, found, main, counts, labels, hits, true):
    recalls = np.array([hits[true == k].mean() for k in range(len(counts))])
    overall = a[main].value
    large = [k for k, count in enumerate(counts) if count >= 30]
    weak = []
    if len(large) >= 2:
        strict = a.changed(level=1 - 0.05 / len(large))
        below = sorted((k for k in large if recalls[k] <= overall - 0.05), key=lambda k: recalls[k])
        sure = [k for k in below if strict.estimate(f"recall[{labels[k]}]").high < overall]
        weak = [k for k in below if recalls[k] == recalls[sure[0]]] if sure else []
    assert ("weak_class" in found) == bool(weak)
    if not weak:
        return
    recall = a.estimate(f"recall[{labels[weak[0]]}]")
    gap = f"{100 * (overall - recall.value):.1f} percentage points below the overall value."
    where = " in each" if len(weak) > 1 else ""
    names, share = listed([str(labels[k]) for k in weak]), percent(recall.value, a.n)
    text = f"Recall is lowest for {names}: {share_with_interval(recall, a.n)}{where}, {gap}"
    if len(weak) > 3:
        text = f"Recall is lowest in {len(weak)} of the {len(counts)} classes, {share} in each, {gap}"
    assert found["weak_class"].sentence == text


@pytest.mark.parametrize("n", [29, 30, 300])
@pytest.mark.parametrize("shift", [0.0, 0.6, -0.6])
@pytest.mark.parametrize("classes", [3, 5])
def test_findings_on_ordered_classes(n, shift, classes):
    rng = np.random.default_rng(n + classes)
    true = np.arange(n) % classes
    predicted = np.clip(np.rint(true + shift + 0.6 * rng.normal(size=n)), 0, classes - 1).astype(int)
    a = ca.assess(true, y_pred=predicted, labels=range(classes), ordered=True)
    found = said(findings_on_labels(a))
    far, within, signed = a["mean_absolute_error"], a["accuracy_within(1)"], a["mean_signed_error"]
    assert far.value == pytest.approx(abs(predicted - true).mean())
    assert signed.value == pytest.approx((predicted - true).mean())
    value, _, ends = number_with_interval(far, 2).partition(" ")
    text = f"redictions are off by {value} classes on average {ends}"
    if within.has_interval:
        text += f"; {share_with_interval(within, a.n)} are within one class"
    code, start = ("tiny_class", f"Only {n} cases: p") if n < 30 else ("class_distance", "P")
    assert found[code].sentence == f"{start}{text}."
    assert (found[code].next_step == "") == (n >= 30)
    side = "high" if signed.value > 0 else "low"
    bias = found["class_bias"].sentence
    if signed.low <= 0 <= signed.high:
        assert bias == "No systematic over- or underestimation was detected."
    else:
        size = f"{abs(signed.value):.2f}"
        low, high = sorted((abs(signed.low), abs(signed.high)))
        assert bias.startswith(f"Predictions are too {side} by {size} classes on average (95% CI ")
        assert (
            bias
            == f"Predictions are too {side} by {size} classes on average (95% CI {low:.2f} to {high:.2f})."
        )
    assert {*found} == {code, "class_bias"}


@pytest.mark.parametrize(("threshold", "at"), [(None, " at the default threshold 0.5"), (0.4, "")])
def test_the_measure_asked_for_first_leads(threshold, at):
    y = np.arange(200) % 3 == 0
    a = ca.assess(y, np.clip(0.4 + 0.2 * y + 0.2 * np.sin(np.arange(200.0)), 0, 1), threshold=threshold)
    for name in ("recall", "roc_auc", "f1"):
        one = finding_on_request(a, [name, "accuracy"])
        where = "" if name == "roc_auc" else at
        title = {"recall": "Recall", "roc_auc": "ROC AUC", "f1": "F1"}[name]
        assert one.sentence == f"{title} is {value_with_interval(a[name], name, 200)}{where}."
        assert (one.code, one.rank, one.tier) == (name, -1, "main")
    accuracy = finding_on_request(a, ["accuracy"]).sentence
    base = percent(max(y.mean(), 1 - y.mean()), 200)
    assert accuracy == (
        f"Accuracy is {share_with_interval(a['accuracy'], 200)}{at}, compared with {base} for always predicting class "
        "False."
    )
    assert finding_on_request(a, []) is None
