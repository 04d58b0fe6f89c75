"""compare() of evaluations: the published numbers through the door, failures, rules, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import InputError
from classay.resampling.data import FoldResult
from command import call, json_of, refusal
from learners import Majority, noise
from published import E_TEN, ORACLES, TEN, evaluation


def near(wanted):
    return pytest.approx(wanted, rel=1e-9)


def test_corrected_t_is_the_published_one():
    [found] = ca.compare(E_TEN)
    assert (found.statistic, found.p) == near((TEN["t_NB"], TEN["p_NB"]))
    assert (found.effect.value, found.effect.low, found.effect.high) == near((TEN["mean"], *TEN["ci_NB"]))
    assert found.values == near((np.mean(TEN["A"]), np.mean(TEN["B"])))
    assert (found.n, found.units, found.random) == (10, "folds", "training sets")


def test_other_methods_by_name():
    [naive] = ca.compare(E_TEN, method="paired-t")
    assert (naive.statistic, naive.p) == near((TEN["t"], TEN["p"]))
    assert "measured size" in naive.method
    assert ca.compare(E_TEN, method="sign-flip")[0].p == near(ORACLES["signflip_exact_p"])
    wanted = ORACLES["bayes_corr_t_rope0.01"]
    [odds] = ca.compare(E_TEN, rope=0.01)
    assert (odds.odds.first, odds.odds.equal, odds.odds.second) == near(
        (wanted["p_A_better"], wanted["p_rope"], wanted["p_B_better"])
    )
    assert "0.845" in odds.sentence
    assert "equivalent in practice (ROPE ±0.01)" in odds.sentence
    [equal] = ca.compare(E_TEN, rule="equivalent", margin=0.02)
    assert equal.p == near(ORACLES["TOST_NB_margin0.02"]["p"])
    assert equal.effect.level == near(0.9)


def test_five_by_two():
    data = ORACLES["5x2cv"]
    differences = np.ravel(data["p"])
    e = evaluation(2, 5, A=0.5 + differences, B=np.full(10, 0.5))
    f, t = (ca.compare(e, method=f"5x2cv-{which}")[0] for which in "ft")
    assert (f.statistic, f.p) == pytest.approx((data["F"], data["p_F"]), rel=1e-9)
    assert (t.statistic, t.p) == pytest.approx((data["t"], data["p_t"]), rel=1e-9)
    with pytest.raises(
        InputError, match="Method '5x2cv-f' needs 5 repeats of 2 folds, but there are 1 of 10"
    ):
        ca.compare(E_TEN, method="5x2cv-f")


def test_rules_are_read_by_the_interval_and_never_call_it_a_win():
    [passed] = ca.compare(E_TEN, rule="non-inferior", margin=0.01)
    assert passed.sentence.startswith("A is superior to B in accuracy, and so non-inferior")
    [is_open] = ca.compare(E_TEN, rule="equivalent", margin=0.02)
    assert "is inconclusive, because a difference of 0.02 or more is compatible" in is_open.sentence
    [wide] = ca.compare(E_TEN, rule="equivalent", margin=0.05)
    assert "are equivalent in accuracy at a margin of 0.05" in wide.sentence
    for margin in np.linspace(0.01, 0.06, 26):
        [found] = ca.compare(E_TEN, rule="equivalent", margin=float(margin))
        inside = -margin < found.effect.low and found.effect.high < margin
        assert inside == (found.p < 0.05)
        assert inside == (found.sentence.find("inconclusive") < 0)


def test_more_folds_of_the_same_cases_settle_nothing():
    """Nadeau and Bengio's variance keeps n_test / n_train of the spread, however many the folds are."""
    [found] = ca.compare(E_TEN, control="A", rule="non-inferior", margin=0.025)
    effect = found.effect
    power = (1.959964 + 0.841621) / 1.959964
    times = (power * (effect.value - effect.low) / (effect.value + 0.025)) ** 2
    wanted = f"About {times:.0f} times as many cases are needed to pass with 80% power if the true difference equals"
    assert wanted in found.sentence


def test_a_loss_that_is_infinite_is_the_reason():
    x, y = noise(60)
    e = ca.evaluate(
        {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()}, x, y, protocol="5fold"
    )
    [found] = e.compare(["log_loss"])
    assert found.reason == "the value is infinite in some folds"


@pytest.mark.parametrize("rule", ["equivalent", "non-inferior"])
def test_losses_are_turned(rule):
    """Of the error rate less is better: the rules say of it what they say of accuracy."""
    by_rate, by_error = (
        ca.compare(E_TEN, measures=[name], rule=rule, margin=0.01)[0] for name in ("accuracy", "error_rate")
    )
    assert by_error.p == near(by_rate.p)
    assert by_error.effect.value == near(-by_rate.effect.value)


def test_a_posterior_of_a_loss_is_turned():
    [found] = ca.compare(E_TEN, measures=["error_rate"], rope=0.01)
    assert found.odds.second == near(ORACLES["bayes_corr_t_rope0.01"]["p_A_better"])
    assert "A is better than B by more than 0.01 in error rate with probability 0.845" in found.sentence


def test_identical_learners():
    e = evaluation(A=TEN["A"], B=TEN["A"])
    assert ca.compare(e)[0].p == 1
    assert ca.compare(e, rope=0.01)[0].odds is None


def test_means_over_folds_are_those_of_the_evaluation():
    x, y = noise(n=200)
    e = ca.evaluate(
        {"nb": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}, x, y, protocol="10fold"
    )
    for measure in ("roc_auc", "accuracy", "f1", "brier_score"):
        [found] = ca.compare(e, measures=[measure])
        assert found.values == near(tuple(e[name][measure].value for name in ("nb", "tree")))
        assert found.effect.value == near(found.values[0] - found.values[1])
    assert ca.compare(e).measures == ("roc_auc", "brier_score", "accuracy")
    with pytest.raises(InputError, match="A comparison needs at least two models, but there is only nb"):
        ca.compare(e["nb"])


def test_only_folds_where_both_were_fitted():
    whole, results = E_TEN.runs[0], E_TEN.runs[0].results
    failed = (FoldResult(failure="no memory"), *results["B"][1:])
    e = replace(E_TEN, runs=(replace(whole, results=results | {"B": failed}),))
    found = ca.compare(e)
    assert found[0].n == 9
    totals = zip(whole.cases.labels, whole.cases.totals, strict=True)
    assert dict(found.facts)["cases by class"] == ", ".join(f"{label}: {n}" for label, n in totals)
    assert dict(found.facts)["folds excluded"] == "A and B, accuracy: 9 of 10 folds have both values"
    assert found[0].values == near((np.mean(TEN["A"][1:]), np.mean(TEN["B"][1:])))


def test_pairs_share_their_own_folds():
    """With a third model that failed elsewhere, a pair is compared as if it were alone."""
    run = E_TEN.runs[0]
    others = run.results | {"C": run.results["B"], "D": (FoldResult(failure="never fits"),) * 10}
    others["C"] = (*others["C"][:9], FoldResult(failure="no memory"))
    e = replace(E_TEN, runs=(replace(run, results=others),))
    found = ca.compare(e)
    assert found["accuracy", "A", "B"].p == near(TEN["p_NB"])
    assert [found["accuracy", *pair].n for pair in ("AB", "AC", "BC")] == [10, 9, 9]
    assert found["accuracy", "A", "C"].p == near(ca.compare(e, control="C")["accuracy", "A", "C"].p)
    never = found["accuracy", "A", "D"]
    assert never.sentence == "A and D cannot be compared in accuracy: none of 10 folds has both fits."


def test_evaluations_of_the_same_folds_are_one():
    one, two = (E_TEN["A"], E_TEN["B"])
    found = ca.compare({"new": one, "old": two})
    assert found.models == ("new", "old")
    assert found[0].p == near(TEN["p_NB"])
    with pytest.raises(
        InputError, match="new and old do not have the same folds: there are 1,000 cases and 500"
    ):
        ca.compare({"new": one, "old": evaluation(5, A=TEN["A"])})
    x, y = noise()
    here, there = (ca.evaluate({"nb": GaussianNB()}, x, y, protocol="10fold", seed=s) for s in (0, 1))
    with pytest.raises(InputError, match="the test cases differ in repeat 1, fold 1"):
        ca.compare({"new": here, "old": there})
    turned = ca.evaluate({"nb": GaussianNB()}, x, 1 - y, protocol="10fold")
    with pytest.raises(InputError, match="the true labels differ"):
        ca.compare({"new": here, "old": turned})


def test_evaluations_of_other_rows_are_told_what_can_be_done():
    """Of another month nobody has the same rows; of the same rows another seed is what is to be mended."""
    x, y = noise()
    january, other_seed = (
        ca.evaluate({"nb": GaussianNB()}, x, y, protocol="10fold", seed=seed) for seed in (0, 1)
    )
    more = noise(seed=1)
    others = [
        ca.evaluate({"nb": GaussianNB()}, *rows, protocol="10fold")
        for rows in ((x[5:], y[5:]), more, (x, 1 - y))
    ]
    for february in others:
        with pytest.raises(
            InputError, match="Compare the learners within each evaluation, pass all data sets to one"
        ) as said:
            ca.compare({"jan": january, "feb": february})
        assert "Evaluate both on the same rows" not in str(said.value)
        assert "call, or assess the predictions with ca.assess_by(y, p, by=month)" in str(said.value)
        assert "`classay merge --apart`" in said.value.at_the_command
    with pytest.raises(InputError, match="Evaluate both on the same rows with the same protocol and seed"):
        ca.compare({"new": january, "old": other_seed})


def test_several_data_sets_are_compared_over_data_sets():
    data = {f"d{k}": noise(seed=k) for k in range(6)}
    e = ca.evaluate(
        {"nb": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}, data, protocol="5fold"
    )
    found = ca.compare(e, measures=["accuracy", "roc_auc"])
    assert [one.random for one in found] == ["data sets"] * 2
    assert found[0].n <= 6
    values = [e[name]["nb"]["accuracy"].value for name in data]
    assert found["accuracy"].values[0] == near(np.mean(values))
    table = {"d": list(data)} | {
        model: [e[name][model]["accuracy"].value for name in data] for model in ("nb", "tree")
    }
    assert ca.compare(table, dataset="d")[0].p == near(found["accuracy"].p)
    with pytest.raises(InputError, match="Rule 'equivalent' needs one data set, but there are 6"):
        ca.compare(e, rule="equivalent", margin=0.01)


def test_control():
    e = evaluation(A=TEN["A"], B=TEN["B"], C=TEN["B"][::-1])
    assert [one.models for one in ca.compare(e, control="B")] == [("A", "B"), ("C", "B")]
    assert len(ca.compare(e)) == 3
    with pytest.raises(InputError, match=r"Unknown control 'b'\. Models: A, B and C\. Did you mean 'B'"):
        ca.compare(e, control="b")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"method": "mcnemar"}, "Unknown method 'mcnemar' for models over folds"),
        ({"method": "bayesian"}, "Method 'bayesian' needs a ROPE: the largest difference that is"),
        (
            {"method": "paired-t", "rope": 0.1},
            "Method 'paired-t' has no ROPE",
        ),
        ({"margin": 0.1}, "A margin has no effect without a rule"),
        ({"rule": "equivalent"}, "Rule 'equivalent' needs a margin"),
        ({"rule": "equal", "margin": 0.1}, "Unknown rule 'equal'"),
        (
            {"rule": "superior", "method": "paired-t"},
            "Rules use the corrected resampled t, but method is 'paired-t'",
        ),
        ({"truth": "y"}, "truth= has no effect on an evaluation"),
        ({"dataset": "d"}, "dataset= has no effect on an evaluation"),
        ({"rope": -1}, "rope must be the largest difference that is equivalent in practice,"),
        ({"level": 2}, "level must be a number between 0 and 1"),
        (
            {"level": 0.4, "rule": "equivalent", "margin": 0.1},
            "level must be above 0.5 for rule 'equivalent', but is 0.4",
        ),
    ],
)
def test_what_is_refused(how, said):
    with pytest.raises(InputError, match=said):
        ca.compare(E_TEN, **how)


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        ("loo", "loo has no test of two learners: the models of leave-one-out share"),
        ("632:20", "has no test of two learners"),
        ("resubstitution", "it tests on the training cases"),
        ("holdout:0.33", "33 has 1 fold, which shows no variation of training sets"),
        ("time:5", "its training sets grow"),
    ],
)
def test_protocols_without_a_test(protocol, said):
    x, y = noise(n=40)
    e = ca.evaluate({"nb": GaussianNB(), "tree": DecisionTreeClassifier()}, x, y, protocol=protocol)
    with pytest.raises(InputError, match=said):
        ca.compare(e)


def test_one_learner_is_compared_with_the_baseline():
    x, y = noise()
    found = ca.compare(ca.evaluate(GaussianNB(), x, y, protocol="10fold"), measures=["accuracy"])
    assert found.models == ("GaussianNB", "baseline")


def test_the_command(tmp_path):
    file = tmp_path / "e.classay"
    E_TEN.save(file)
    assert json_of("compare", file)["comparisons"][0]["p"] == near(TEN["p_NB"])
    done = call("compare", file, "--rule", "equivalent", "--margin", "0.05", "--html", tmp_path / "e.html")
    assert "equivalent" in " ".join(done.stdout.replace("┃", "").split())
    assert 'class="margin"' in (tmp_path / "e.html").read_text(encoding="utf-8")
    E_TEN["A"].save(tmp_path / "a.classay")
    E_TEN["B"].save(tmp_path / "b.classay")
    done = call("compare", tmp_path / "a.classay", tmp_path / "b.classay", "--rope", "0.01")
    assert done.exit_code == 0, done.stderr
    assert "0.845" in done.stdout
    refusal("compare", file, "--truth", "y")


def test_texts_say_what_varies_and_where_from():
    found = ca.compare(E_TEN)
    assert "Intervals and tests apply to learners fitted to training sets" in found.methods_text()
    assert "Nadeau & Bengio 2003" in found.methods_text()
    assert "times as many cases" not in found[0].sentence
    assert "too narrow for unstable ones" in " ".join(str(found).split())
    assert "0.018" in found.to_latex()
    by_rule = ca.compare(E_TEN, rule="equivalent", margin=0.02)
    assert "a prespecified margin of" in by_rule.methods_text()
    assert "Schuirmann 1987" in by_rule.methods_text()


LACKING = {
    "precision": (Majority(), {"shares": [0.3, 0.7]}),
    "log_loss": (DecisionTreeClassifier(), {"signal": 99}),
}


@pytest.mark.parametrize("measure", LACKING)
@pytest.mark.parametrize("at", [0, 2])
def test_a_measure_that_one_data_set_lacks_is_refused_by_the_names_of_both(measure, at):
    odd, how = LACKING[measure]
    data = {f"set {k}": noise(40, seed=k, **({"shares": [0.7, 0.3]} if k == at else how)) for k in range(3)}
    e = ca.evaluate(
        {"bayes": GaussianNB(), "odd": odd}, data, protocol="2fold", measures=[measure, "accuracy"]
    )
    assert len(ca.compare(e, measures=["accuracy"])) == 1
    with pytest.raises(
        InputError, match=rf"of odd is undefined or infinite on set {at}\. Exclude the data set"
    ):
        ca.compare(e, measures=[measure])
