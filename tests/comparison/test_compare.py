"""compare(): which test is chosen, how rows are aligned, what is refused, and what is said."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats

import classay as ca
from classay.comparison.cases.compare_assessments import compare_unpaired
from classay.comparison.claims import cases_needed
from classay.comparison.comparison import Comparison, UnitsTested, more_cases
from classay.comparison.comparison import adjusted as adjusted_together
from classay.errors import InputError, UnknownMeasureError
from classay.inference.estimate import Estimate, p_text
from classay.inference.significance import adjust, mid_p
from classay.report.html import as_page
from command import call, refusal


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    n = 300
    y = (rng.random(n) < 0.4).astype(int)
    shared = rng.normal(size=n)

    def score(gain):
        return 1 / (1 + np.exp(-(shared + rng.normal(size=n) + gain * y - 1)))

    return {"case": [f"c{i}" for i in range(n)], "y": y, "new": score(2.0), "old": score(0.7)}


def scores_of(data):
    return {name: data[name] for name in ("new", "old")}


def same(a, b):
    assert [each.measure for each in a] == [each.measure for each in b]
    for one, other in zip(a, b, strict=True):
        found, wanted = ([*each.values, each.p, each.effect.low, each.effect.high] for each in (one, other))
        assert found == pytest.approx(wanted), one.measure


def shown(*arguments):
    done = call("compare", *arguments)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_every_door_gives_the_same(data):
    plain = ca.compare(scores_of(data), data["y"])
    assert len(plain) == 6
    frame = pd.DataFrame(data)
    for each in (frame, pl.DataFrame(data), pa.table(data), {k: list(v) for k, v in data.items()}):
        same(ca.compare(each, truth="y", scores=["new", "old"]), plain)
    two = {name: frame[["case", "y", name]].rename(columns={name: "p"}) for name in ("new", "old")}
    same(ca.compare(two, truth="y", scores="p"), plain)
    shuffled = {"new": two["new"], "old": pl.DataFrame(two["old"].sample(frac=1, random_state=1))}
    joined = ca.compare(shuffled, truth="y", scores="p", id="case")
    same(joined, plain)
    assert str(joined) == str(plain)
    labels = {name: (data[name] >= 0.5).astype(int) for name in ("new", "old")}
    of_labels = ca.compare(y_pred=labels, y_true=data["y"], measures=["accuracy", "recall", "specificity"])
    for one in of_labels:
        assert (one.effect, one.p) == (plain[one.measure].effect, plain[one.measure].p)


def test_the_test_suits_the_measure(data):
    found = ca.compare(
        scores_of(data), data["y"], measures=["roc_auc", "ap", "ll", "acc", "f1", "ks", "ece", "gini", "mcc"]
    )
    methods = {one.measure: one.method for one in found}
    assert methods["roc_auc"] == "DeLong's t"
    assert methods["log_loss"] == "paired t"
    assert methods["accuracy"] == "McNemar, mid-P"
    assert "bootstrap" in methods["kolmogorov_smirnov"]
    assert found["gini"].effect.value == pytest.approx(2 * found["roc_auc"].effect.value)
    called = {name: data[name] >= 0.5 for name in ("new", "old")}
    right = {name: each == data["y"] for name, each in called.items()}
    b, c = (right["new"] & ~right["old"]).sum(), (~right["new"] & right["old"]).sum()
    assert found["accuracy"].p == float(mid_p(b, c))
    by_bootstrap = ca.compare(scores_of(data), data["y"], measures=["roc_auc", "f1"], method="bootstrap")
    assert all("bootstrap" in one.method for one in by_bootstrap)
    permuted = ca.compare(scores_of(data), data["y"], measures=["brier"], method="permutation")
    assert permuted[0].method == "sign-flip permutation"


def test_p_values_are_adjusted_over_models_and_measures(data):
    models = scores_of(data) | {"third": np.random.default_rng(3).random(300)}
    found = ca.compare(models, data["y"])
    assert len(found) == 18
    assert [one.p_adjusted for one in found] == pytest.approx(
        adjust([one.p for one in found], "holm").tolist()
    )
    assert {one.adjustment for one in found} == {"Holm"}
    other = ca.compare(models, data["y"], adjustment="bonferroni")
    assert other[0].p_adjusted == pytest.approx(min(1, 18 * other[0].p))
    assert found["accuracy", "new", "third"].models == ("new", "third")
    with pytest.raises(KeyError, match="3 comparisons match 'accuracy'"):
        found["accuracy"]


def test_the_same_seed_gives_the_same_and_company_changes_nothing(data):
    measures = ["average_precision", "kolmogorov_smirnov", "precision"]
    together = ca.compare(scores_of(data), data["y"], measures=measures)
    for name in measures:
        alone = ca.compare(scores_of(data), data["y"], measures=[name])[0]
        assert (alone.p, alone.effect) == (together[name].p, together[name].effect)


def test_identical_models_and_a_perfect_one(data):
    found = ca.compare({"a": data["new"], "b": data["new"].copy()}, data["y"])
    for one in found:
        assert (one.effect.value, one.p) == (0, 1), one
        assert "equivalent" not in one.sentence
        assert one.sentence.startswith("No difference in")
    perfect = ca.compare({"perfect": data["y"] * 0.98 + 0.01, "old": data["old"]}, data["y"])
    assert all(one.p < 0.01 for one in perfect)
    assert all("perfect is better than old" in one.sentence for one in perfect)


def test_clusters_count_as_units(data):
    patient = np.arange(300) // 3
    found = ca.compare(
        scores_of(data), data["y"], cluster=patient, measures=["roc_auc", "ap", "brier", "acc", "f1", "ks"]
    )
    for one in found:
        assert (one.units, one.n) == ("clusters", 100), one
    singles = ca.compare(scores_of(data), data["y"], cluster=np.arange(300), measures=["roc_auc"])[0]
    plain = ca.compare(scores_of(data), data["y"], measures=["roc_auc"])[0]
    assert singles.statistic == pytest.approx(plain.statistic)
    few = ca.compare(scores_of(data), data["y"], cluster=np.arange(300) // 20, measures=["ks", "ap"])
    assert "fewer than 30 clusters" in few["kolmogorov_smirnov"].reason
    assert few["average_precision"].df == 14
    one = ca.compare(
        scores_of(data), data["y"], cluster=np.zeros(300, int), measures=["roc_auc", "acc", "brier"]
    )
    assert all(np.isnan(each.p) and each.reason for each in one)


def test_weights_and_frequencies(data):
    times = np.random.default_rng(1).integers(1, 4, 300)
    rows = np.repeat(np.arange(300), times)
    counted = ca.compare(scores_of(data), data["y"], frequency=times)
    repeated = ca.compare({k: v[rows] for k, v in scores_of(data).items()}, data["y"][rows])
    for one, other in zip(counted, repeated, strict=True):
        assert (one.p, one.effect.low) == pytest.approx((other.p, other.effect.low)), one.measure
    weight = np.random.default_rng(2).random(300) + 0.1
    one, ten = (ca.compare(scores_of(data), data["y"], weight=w) for w in (weight, 10 * weight))
    for a, b in zip(one, ten, strict=True):
        assert (a.p, a.effect.low, a.effect.high) == pytest.approx((b.p, b.effect.low, b.effect.high))


def test_several_classes():
    rng = np.random.default_rng(0)
    y = np.array(["ash", "elm", "fir"])[rng.integers(0, 3, 240)]
    at = np.searchsorted(["ash", "elm", "fir"], y)

    def probabilities(gain):
        p = np.exp(rng.normal(size=(240, 3)) + gain * np.eye(3)[at])
        return p / p.sum(1, keepdims=True)

    found = ca.compare({"a": probabilities(2.0), "b": probabilities(1.0)}, y)
    assert found.measures == ("accuracy", "macro_f1", "log_loss")
    more = ca.compare(
        {"a": probabilities(2.0), "b": probabilities(1.0)},
        y,
        measures=["mcc", "top_2_accuracy", "multiclass_brier_score", "quadratic_kappa", "hand_till_auc"],
        labels=["ash", "elm", "fir"],
        ordered=True,
    )
    assert all(one.p < 0.05 for one in more)
    with pytest.raises(InputError, match="recall needs one class, but none is set"):
        ca.compare({"a": probabilities(2.0), "b": probabilities(1.0)}, y, measures=["recall"])


def test_a_reader_beside_a_model(data):
    reader = np.where(np.random.default_rng(0).random(300) < 0.8, data["y"], 1 - data["y"])
    found = ca.compare({"model": data["new"]}, data["y"], y_pred={"reader": reader})
    assert found.measures == ("accuracy", "recall", "specificity", "precision", "f1")
    with pytest.raises(InputError, match="roc_auc needs two models with scores"):
        ca.compare({"model": data["new"]}, data["y"], y_pred={"reader": reader}, measures=["roc_auc"])


def refused(match, *args, error=InputError, **how):
    with pytest.raises(error, match=match):
        ca.compare(*args, **how)


def test_rows_that_do_not_match_are_refused(data):
    frame = pd.DataFrame(data)
    two = {name: frame[["case", "y", name]].rename(columns={name: "p"}) for name in ("new", "old")}
    how = {"truth": "y", "scores": "p"}
    short = two | {"old": two["old"].iloc[:-2]}
    refused("The models have different numbers of rows: new has 300 rows,", short, **how)
    refused("2 cases of new are not in old, such as 'c298'.*unanswered='drop'", short, id="case", **how)
    turned = two | {"old": two["old"].iloc[::-1]}
    refused("The true label of old differs from that of new in 140 of 300", turned, **how)
    twice = two | {"old": pd.concat([two["old"], two["old"].iloc[:3]])}
    refused("3 ids occur more than once in old, such as 'c0'", twice, id="case", **how)
    lost = two | {"old": two["old"].assign(case=[None, *two["old"]["case"][1:]])}
    refused("the id of old has missing values in 1 row", lost, id="case", **how)
    relabelled = two | {"old": two["old"].assign(y=1 - two["old"]["y"])}
    refused(
        "The true label of old differs from that of new in 300 of 300 cases.*Correct the true labels",
        relabelled,
        id="case",
        **how,
    )


def test_wrong_input_is_refused(data):
    y, scores = data["y"], scores_of(data)
    refused("A comparison needs at least two models, but has one", {"new": data["new"]}, y)
    refused(
        r"old: score has missing values \(NaN\) in 1 row \(index 3\)",
        scores | {"old": np.where(np.arange(300) == 3, np.nan, data["old"])},
        y,
    )
    refused("old: truth has 300 rows, but score has 299", scores | {"old": data["old"][:-1]}, y)
    refused("Unknown method 'magic' for models on one test set", scores, y, method="magic")
    refused("but is 95. Did you mean 0.95", scores, y, level=95)
    refused("Unknown measure", scores, y, measures=["beauty"], error=UnknownMeasureError)
    refused("Unknown adjustment 'none'. Adjustments: holm", scores, y, adjustment="none")
    refused("The true labels are not set", scores)
    refused("truth= is not set. Pass truth=", scores, y, id="case")
    refused("must be a dict of scores by model name or a frame with truth=, but is list", [1, 2], y)
    refused("no model has them", {"a": data["new"] * 9, "b": data["old"] * 9}, y, measures=["recall"])
    refused("A threshold is set for oldd", scores, y, threshold={"oldd": 0.3})
    refused("The positive class is not set", scores, np.where(y == 1, "yes", "no"))
    refused("a: prediction has missing values in 1", y_true=y, y_pred={"a": [None, *y[1:]], "b": y})


def test_missing_labels_are_dropped_for_all(data):
    y = data["y"]
    a, b = (np.where(data[k] >= 0.5, 1.0, 0.0) for k in ("new", "old"))
    holes = a.copy()
    holes[:5] = np.nan
    found = ca.compare(y_true=y, y_pred={"a": holes, "b": b}, unanswered="drop")
    same(found, ca.compare(y_true=y[5:], y_pred={"a": a[5:], "b": b[5:]}))
    assert ("left out", "5 rows without a prediction (a: 5, b: 0)") in found.facts


def test_undefined_measures_have_reasons(data):
    never = np.zeros(300, int)
    found = ca.compare(
        y_true=data["y"], y_pred={"a": never, "b": data["y"]}, measures=["precision", "recall"]
    )
    assert np.isnan(found["precision"].p)
    assert found["precision"].reason.startswith("a has no value (")
    assert found["recall"].p < 0.001
    assert found["recall"].p_adjusted == found["recall"].p  # what has no test does not count
    assert "cannot be compared in precision" in found["precision"].sentence


def sentence(**parts):
    given = {"p": 0.2, "measure": "accuracy", "low": -0.01, "high": 0.05, "value": 0.02} | parts
    effect = Estimate(given["value"], given["low"], given["high"], 0.95, "Tango")
    one = Comparison(
        ("new", "old"),
        given["measure"],
        effect,
        given["p"],
        "McNemar",
        "test cases",
        sample=UnitsTested(n=100),
    )
    return one if "p_adjusted" not in parts else one.adjusted(parts["p_adjusted"], "Holm")


def test_sentences():
    assert sentence().sentence == (
        "No difference in accuracy was detected between new and old: "
        "differences from -0.010 to 0.050 are compatible with the data (95% CI)."
    )
    assert (
        sentence(p=0.01, low=0.003).sentence
        == "new is better than old in accuracy by 0.020 (95% CI 0.003 to 0.050)."
    )
    loss = sentence(p=0.01, low=0.003, measure="log_loss")
    assert loss.sentence == "old is better than new in log-loss by 0.020 (95% CI 0.003 to 0.050)."
    neither = sentence(p=0.01, low=0.003, measure="predicted_prevalence")
    assert "new has a higher value than old" in neither.sentence
    adjusted = sentence(p=0.03, low=0.003, p_adjusted=0.12).sentence
    assert adjusted == (
        "Without adjustment: new is better than old in accuracy by 0.020 (95% CI 0.003 to 0.050). After adjustment for "
        "all tests, no difference was detected (p = 0.12, Holm)."
    )
    family = adjusted_together([sentence(p=p, low=0.003) for p in (0.03, 0.04, 0.2, float("nan"))])
    assert "After adjustment for 3 tests, no difference was detected" in family[0].sentence
    assert "After adjustment" not in family[2].sentence
    assert [p_text(p) for p in (0.049, 0.051, 0.0004, 1e-7)] == ["0.049", "0.051", "< 0.001", "< 0.001"]


def test_how_many_more_cases_would_settle_it(data):
    from classay.inference.paired_shares import connor_cases

    a, b = (data[k] >= 0.5 for k in ("new", "old"))
    found = ca.compare(y_true=data["y"], y_pred={"a": a, "b": b}, measures=["accuracy"])[0]
    right = a == data["y"], b == data["y"]
    shares = (right[0] & ~right[1]).mean(), (~right[0] & right[1]).mean()
    assert found.needed == pytest.approx(connor_cases(*shares))


def test_beside_others_a_comparison_asks_for_cases_as_if_alone(data):
    """The power is that of its own test: adjusted for others, so many cases show a difference more rarely."""
    (found,) = ca.compare({"a": data["new"], "b": data["old"]}, data["y"], measures=["roc_auc"])
    few = found.changed(p=0.2, n=500, needed=1200)
    assert "are needed to detect it with 80% power." in more_cases(few)
    assert "are needed to detect it with 80% power." in more_cases(few.adjusted(0.2, "holm", 1))
    assert "are needed to detect it with 80% power (without adjustment of p)." in more_cases(
        few.adjusted(0.4, "holm", 2)
    )


def test_the_power_of_a_family_is_less_than_that_of_one_test():
    """What the words are for: at `needed` cases one test of 12 has a power of 80%, Holm's of all of them less."""
    needed, effect = cases_needed(300, 0.02, 0.0144, 0.95), 0.02 / 0.0144
    seen = np.sqrt(needed / 300) * effect + np.random.default_rng(0).normal(size=20_000)
    alone, among = (float((seen > stats.norm.isf(0.025 / m)).mean()) for m in (1, 12))
    assert alone == pytest.approx(0.8, abs=0.01)
    assert among < 0.5


def test_outputs(data):
    found = ca.compare(scores_of(data), data["y"])
    table = found.frame()
    assert table.num_rows == 6
    assert table["p"].to_pylist() == [one.p for one in found]
    text = str(found)
    assert "Comparison of new and old" in text
    assert "McNemar, mid-P" in " ".join(text.split())
    methods = found.methods_text()
    assert "Tango 1998" in methods
    assert "Holm 1979" in methods
    latex = found.to_latex()
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 1
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 7
    assert {line.count("&") for line in rows} == {7}
    page = as_page(found.document())
    assert page.count("<svg") == 6
    assert "<script" not in page


def test_a_page_escapes_names(data):
    models = {"<script>alert(1)</script>": data["new"], "b & c_d": data["old"], "x%": data["old"] ** 2}
    found = ca.compare(models, data["y"], measures=["roc_auc", "log_loss"])
    page = as_page(found.document())
    assert "<script>alert" not in page
    assert r"b \& c\_d" in found.to_latex()
    assert "row minus column" in page


def test_unpaired(data):
    a, b = (ca.assess(data["y"], data[name]) for name in ("new", "old"))
    found = compare_unpaired({"a": a, "b": b})
    paired = ca.compare(scores_of(data), data["y"])
    for name in ("roc_auc", "average_precision", "accuracy"):
        one, other = found[name], paired[name]
        assert one.effect.value == pytest.approx(other.effect.value)
        width, narrow = (each.effect.high - each.effect.low for each in (one, other))
        assert width > narrow  # what pairing is worth
    for one in compare_unpaired({"a": a, "b": b}, ["f1", "log_loss", "h_measure", "brier_skill", "ici"]):
        assert one.effect.low < one.effect.value < one.effect.high
        assert (one.p < 0.05) == (not one.effect.low <= 0 <= one.effect.high)
    losses = [-np.log(np.where(data["y"] == 1, data[k], 1 - data[k])) for k in ("new", "old")]
    welch = stats.ttest_ind(*losses, equal_var=False)
    one = compare_unpaired({"a": a, "b": b}, ["log_loss"])[0]
    assert one.p == pytest.approx(welch.pvalue, abs=0.01)
    assert (one.effect.low, one.effect.high) == pytest.approx(welch.confidence_interval(), abs=0.02)


def test_unpaired_clusters_and_weights(data):
    clusters = [np.array([f"{name}{i // 3}" for i in range(300)]) for name in "ab"]
    a, b = (
        ca.assess(data["y"], data[name], cluster=each)
        for name, each in zip(("new", "old"), clusters, strict=True)
    )
    assert all(
        "clusters" in one.effect.method or one.effect.has_interval
        for one in compare_unpaired({"a": a, "b": b})
    )
    with pytest.raises(InputError, match="a and b share 100 clusters, such as 'a0', so the samples are"):
        compare_unpaired({"a": a, "b": ca.assess(data["y"], data["old"], cluster=clusters[0])})
    plain = compare_unpaired({k: ca.assess(data["y"], data[v]) for k, v in (("a", "new"), ("b", "old"))})[
        "roc_auc"
    ]
    alike = {
        k: ca.assess(data["y"], data[v], weight=np.full(300, 2.0)) for k, v in (("a", "new"), ("b", "old"))
    }
    weighed = compare_unpaired(alike)["roc_auc"]
    assert (weighed.effect.low, weighed.effect.high) == pytest.approx(
        (plain.effect.low, plain.effect.high), abs=0.002
    )


@pytest.fixture
def files(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(data)
    frame["reader"] = np.where(np.random.default_rng(0).random(300) < 0.8, frame["y"], 1 - frame["y"])
    frame.to_csv("all.csv", index=False)
    for name in ("new", "old"):
        part = frame[["case", "y", name]].rename(columns={name: "p"})
        part.sample(frac=1, random_state=3).to_parquet(f"{name}.parquet")
    return frame


@pytest.mark.wings("readers")
def test_command(files, data):
    found = ca.compare(scores_of(data), data["y"])
    said = json.loads(shown("all.csv", "--truth", "y", "--scores", "new,old", "--json", "-"))
    assert [one["p"] for one in said["comparisons"]] == pytest.approx([one.p for one in found])
    joined = shown(
        "new.parquet", "old.parquet", "--id", "case", "--truth", "y", "--score", "p", "--json", "-"
    )
    for one, other in zip(json.loads(joined)["comparisons"], found, strict=True):
        assert one["difference"] == pytest.approx(other.effect.value)
    text = shown(
        "all.csv", "--truth", "y", "--scores", "new,old", "--measures", "roc_auc,f1",
        "--html", "page.html", "--latex", "table.tex",
    )  # fmt: skip
    assert "finding" in text
    assert "<!doctype html>" in Path("page.html").read_text()
    assert r"\toprule" in Path("table.tex").read_text()
    reader = shown("all.csv", "--truth", "y", "--scores", "new,old", "--reader", "reader")
    assert "Recall at the reader's specificity" in reader
    unpaired = shown("new.parquet", "old.parquet", "--truth", "y", "--score", "p", "--unpaired")
    assert "different cases" in unpaired
    for name in ("new", "old"):
        part = pd.read_parquet(f"{name}.parquet")
        part["ward"] = [f"{name} {each % 30}" for each in range(len(part))]
        part.to_parquet(f"{name}-wards.parquet")
    wards = ("new-wards.parquet", "old-wards.parquet", "--truth", "y", "--score", "p", "--cluster", "ward")
    assert "300 in 30 clusters" in shown(*wards, "--unpaired")
    thresholds = shown("all.csv", "--truth", "y", "--scores", "new,old", "--threshold", "new=0.4,old=0.3")
    assert "new: 0.4, old: 0.3" in thresholds


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("all.csv", "--truth", "y"), "no scores and no predicted labels"),
        (("all.csv", "--truth", "y", "--scores", "new"), "at least two models, but has one"),
        (("all.csv", "--truth", "y", "--scores", "new,odl"), "Did you mean 'old'"),
        (
            ("all.csv", "--truth", "y", "--scores", "new,old", "--id", "y"),
            "--truth and --id name the same column",
        ),
        (("all.csv", "--truth", "y", "--scores", "new,old", "--unpaired"), "Use one file for each"),
        (
            ("all.csv", "--truth", "y", "--scores", "new,old", "--threshold", "x"),
            "must be a number, or MODEL=NUMBER,MODEL=NUMBER, but is 'x'",
        ),
        (
            ("all.csv", "--truth", "y", "--scores", "new,old", "--html", "all.csv"),
            "would overwrite the input all.csv",
        ),
        (("all.csv", "all.csv", "--truth", "y", "--score", "new"), "named twice"),
        (("new.parquet", "old.parquet", "--truth", "y", "--scores", "p,q"), "need one column for each file"),
        pytest.param(
            ("all.csv", "--truth", "y", "--scores", "new", "--reader", "reader", "--measures", "f1"),
            "--measures cannot be used with --reader",
            marks=pytest.mark.wings("readers"),
        ),
    ],
)
def test_command_refuses(files, arguments, text):
    assert text in refusal("compare", *arguments)


def test_three_models_are_tested_together_too(data):
    from classay.comparison.cases.aucs import all_equal, aucs_of
    from classay.comparison.cases.difference import cochran_q

    models = scores_of(data) | {"third": np.random.default_rng(3).random(300)}
    found = ca.compare(models, data["y"], measures=["roc_auc", "accuracy"])
    auc, accuracy = found.overall
    assert auc.p == pytest.approx(all_equal(aucs_of(models, data["y"] == 1)).p)
    right = np.stack([(each >= 0.5) == data["y"] for each in models.values()], 1)
    assert accuracy.p == pytest.approx(cochran_q(right).p)
    assert "overall test of equal performance: p < 0.001" in str(found)
    assert not ca.compare(scores_of(data), data["y"]).overall
    sizes = [np.unique(np.flatnonzero(data["y"] == each) // 2, return_counts=True)[1] for each in (0, 1)]
    held = min(each.sum() ** 2 / (each**2).sum() for each in sizes)
    assert [one.method for one in ca.compare(models, data["y"], cluster=np.arange(300) // 2).overall] == [
        f"Hotelling's F on 2 and {held - 2:g} df, Obuchowski"
    ]


@pytest.mark.parametrize("rule", ["equivalent", "non-inferior", "superior", "not-worse"])
def test_no_p_value_of_no_difference_stands_beside_a_rule(rule):
    rng = np.random.default_rng(0)
    y = rng.random(80) < 0.5
    scores = {"a": y + rng.normal(size=80), "b": rng.normal(size=80)}
    margin = 0.05 if rule in ("equivalent", "non-inferior") else None
    [found] = ca.compare(scores, y, measures=["roc_auc"], rule=rule, margin=margin)
    assert np.isnan(found.p)
    assert (found.p_adjusted, found.adjustment) == (None, None)
    assert "p = –" in repr(found)


def test_average_precision_over_clusters_names_the_t_it_takes():
    rng = np.random.default_rng(1)
    y, cluster = rng.random(400) < 0.5, np.arange(400) % 8
    scores = {"a": y + rng.normal(size=400), "b": y + rng.normal(size=400)}
    [found] = ca.compare(scores, y, cluster=cluster, measures=["average_precision"])
    assert found.method == "influence function, t over clusters"
    t = found.statistic
    assert found.df == 7
    assert found.p == pytest.approx(2 * stats.t.sf(abs(t), 7))
    half = (found.effect.high - found.effect.low) / 2
    assert half == pytest.approx(stats.t.ppf(0.975, 7) * found.effect.value / t)
