"""Requirements and gates: the grammar, the edges of margins, what cannot be told, and how the command ends."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import classay as ca
from classay.assessment.required import known
from classay.comparison.comparison import Comparison, SignificanceTest
from classay.comparison.comparisons import gate
from classay.comparison.findings_gates import margin_text
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.requirements import Requirement, Verdict, check, parse
from classay.measures import MEASURES
from classay.report.document import EstimateCell
from classay.report.results.parts import of_estimate
from classay.testing import assert_gate, assert_requirements
from command import call, refusal
from days import write_models

PASS, FAIL, UNDECIDED = Verdict.PASS, Verdict.FAIL, Verdict.UNDECIDED


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# -- the grammar ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("recall >= 0.9", [("recall", "value", ">=", 0.9)]),
        ("recall.value>=.9", [("recall", "value", ">=", 0.9)]),
        (" f0_5.low > 1e-3 ", [("f0_5", "low", ">", 0.001)]),
        ("log_loss.high < inf", [("log_loss", "high", "<", float("inf"))]),
        ("mcc > -0.1  and  fpr.high <= 0.05", [("mcc", "value", ">", -0.1), ("fpr", "high", "<=", 0.05)]),
    ],
)
def test_the_grammar(text, wanted):
    assert parse(text) == [Requirement(*each) for each in wanted]


@pytest.mark.parametrize(
    "text",
    [
        "", "recall", "recall >=", ">= 0.9", "recall = 0.9", "recall == 0.9", "recall != 0.9", "recall => 0.9",
        "recall.mean > 1", "recall. > 1", "recall >= 90%", "recall >= nan", "recall > 0.9 or f1 > 1",
        "recall > 0.9 and", "recall > 0.9, f1 > 1", "0.9 < recall < 1",
    ],
)  # fmt: skip
def test_what_is_not_understood(text):
    with pytest.raises(InputError, match=r"such as 'recall.low >= 0.9'"):
        parse(text)


@given(st.sampled_from([">=", ">", "<=", "<"]), st.floats(-2, 2), st.floats(-2, 2))
@settings(deadline=None)
def test_requirements_compare_as_python_does(operator, value, bound):
    made = Requirement("x", "value", operator, bound)
    assert made.met_by(value) == eval(f"{value!r} {operator} {bound!r}")
    assert not made.met_by(float("nan"))
    assert parse(str(Requirement("x", "low", operator, 0.25)))[0].part == "low"


def test_undefined_is_not_met_and_not_failed():
    found = check("precision.low > 0.5", lambda _: Estimate.undefined("nothing is predicted positive"))
    assert found[0].verdict is UNDECIDED
    assert str(found[0]) == "INCONCLUSIVE: precision.low > 0.5 (nothing is predicted positive)"
    found = check("precision > 0.5 and precision.low > 0.5", lambda _: Estimate.bare(0.7, "no interval here"))
    assert [each.verdict for each in found] == [PASS, UNDECIDED]
    assert Verdict.of([]) is PASS


# -- the rules --------------------------------------------------------------------------------------------------


def compared(value, low, high, measure="roc_auc", **more):
    effect = Estimate(value, low, high, 0.95, "DeLong")
    more = {"n": 400, **more}
    return Comparison(("new", "old"), measure, effect, 0.3, "z, DeLong", "test cases").changed(**more)


@pytest.mark.parametrize(
    ("low", "high", "rule", "margin", "wanted"),
    [
        (-0.009, 0.01, "non-inferior", 0.01, PASS),
        (-0.01, 0.01, "non-inferior", 0.01, UNDECIDED),  # the edge is no pass
        (-0.02, 0.01, "non-inferior", 0.01, UNDECIDED),
        (-0.014, 0.042, "non-inferior", 0.01, UNDECIDED),
        (-0.04, -0.01, "non-inferior", 0.01, UNDECIDED),  # and no failure
        (-0.04, -0.02, "non-inferior", 0.01, FAIL),
        (0.0, 0.0, "non-inferior", 0.01, PASS),  # identical models
        (-0.3, 0.4, "not-worse", None, PASS),
        (-0.3, 0.0, "not-worse", None, PASS),
        (-0.3, -1e-9, "not-worse", None, FAIL),
        (-0.3, -0.01, "not-worse", 0.01, PASS),
        (-0.3, -0.011, "not-worse", 0.01, FAIL),
        (1e-9, 0.1, "superior", None, PASS),
        (0.0, 0.1, "superior", None, UNDECIDED),
        (0.0, 0.0, "superior", None, UNDECIDED),
        (-0.1, -1e-9, "superior", None, FAIL),
        (0.011, 0.1, "superior", 0.01, PASS),
        (0.01, 0.1, "superior", 0.01, UNDECIDED),
        (-0.1, 0.01, "superior", 0.01, UNDECIDED),
        (-0.1, 0.009, "superior", 0.01, FAIL),
        (-0.009, 0.009, "equivalent", 0.01, PASS),
        (-0.01, 0.009, "equivalent", 0.01, UNDECIDED),
        (-0.009, 0.01, "equivalent", 0.01, UNDECIDED),
        (-0.02, -0.01, "equivalent", 0.01, UNDECIDED),
        (-0.02, -0.011, "equivalent", 0.01, FAIL),
        (0.011, 0.02, "equivalent", 0.01, FAIL),
    ],
)
def test_rules_at_their_edges(low, high, rule, margin, wanted):
    assert gate(compared((low + high) / 2, low, high), rule, margin).verdict is wanted
    loss = compared(-(low + high) / 2, -high, -low, "log_loss")
    assert gate(loss, rule, margin).verdict is wanted


@pytest.mark.parametrize("measure", ["roc_auc", "log_loss"])
@pytest.mark.parametrize("rule", ["non-inferior", "not-worse", "superior", "equivalent"])
@pytest.mark.parametrize("middle", [-0.05, -0.015, 0.0, 0.015, 0.05])
def test_the_rule_that_is_printed_decides_the_difference_that_is_printed(measure, rule, middle):
    """Also for losses: the condition below the table, held against the table's own difference, is the verdict."""
    made = gate(
        compared(middle, middle - 0.01, middle + 0.01, measure), rule, None if rule == "not-worse" else 0.02
    )
    (table,) = made.document().tables
    (shown,) = [cell.estimate for cell in table.rows[0] if isinstance(cell, EstimateCell)]
    assert shown.value == middle
    passes = re.match(r"Rule: passes if `([^`]+)`", table.foot)[1]
    fails = re.search(r"fails if `([^`]+)`", table.foot)

    def holds(text):
        return [each.verdict is PASS for each in check(text, lambda _: shown)]

    assert all(holds(passes)) == (made.verdict is PASS)
    if fails is None:
        assert rule == "not-worse"
    else:
        failed = any(any(holds(each)) for each in fails[1].split(" or "))
        assert failed == (made.verdict is FAIL)
    assert f"{'Higher ROC AUC' if measure == 'roc_auc' else 'Lower log-loss'} is better" in table.foot


@given(st.floats(-0.2, 0.2), st.floats(0, 0.2), st.floats(0.001, 0.2))
@settings(deadline=None)
def test_rules_imply_each_other(middle, half, margin):
    found = compared(middle, middle - half, middle + half)
    verdict = {rule: gate(found, rule, m).passed
               for rule, m in (("non-inferior", margin), ("not-worse", None), ("superior", None))}  # fmt: skip
    if verdict["superior"]:
        assert verdict["non-inferior"]
        assert verdict["not-worse"]


def test_a_gate_takes_one_comparison_made_for_its_rule():
    y, new, old = [1, 1, 0, 1, 0, 0, 1, 0], [9, 8, 7, 6, 4, 3, 2, 1], [9, 3, 7, 4, 8, 6, 2, 1]
    one = ca.compare({"new": new, "old": old}, y, measures=["roc_auc"])
    assert replace(gate(one, "not-worse"), warnings=()) == gate(one[0], "not-worse")
    assert_gate(one, "not-worse")
    with pytest.raises(InputError, match="A gate needs one comparison, but has 2"):
        gate(ca.compare({"new": new, "old": old}, y, measures=["roc_auc", "average_precision"]), "not-worse")
    made = ca.compare({"new": new, "old": old}, y, measures=["roc_auc"], rule="equivalent", margin=0.1)
    with pytest.raises(InputError, match="The comparison was made for rule 'equivalent', with a CI of"):
        gate(made, "non-inferior", 0.1)


def test_sentences_say_what_is_not_shown():
    weak = gate(compared(0.0, -0.08, 0.08), "not-worse").sentence
    assert "A loss of up to 0.080 is compatible with the data, and a small sample can pass this rule" in weak
    short = gate(compared(0.0, -0.02, 0.02), "non-inferior", 0.01).sentence
    assert (
        "of new with old in ROC AUC is inconclusive, because a loss of 0.01 or more is compatible with"
        in short
    )
    power = (1.959964 + 0.841621) / 1.959964  # both normal quantiles, of the level and of a power of 80%
    assert round(400 * (0.02 * power / 0.01) ** 2, -2) == 3300
    assert "About 3,300 cases are needed to pass with 80% power if the true difference equals the" in short
    worse = gate(compared(-0.05, -0.06, -0.04), "non-inferior", 0.01).sentence
    assert "new is worse than old in ROC AUC by more than the margin of 0.01" in worse
    assert "About" not in worse
    loss = gate(compared(0.05, 0.04, 0.06, "log_loss"), "not-worse").sentence
    assert loss == "new is worse than old in log-loss (difference 0.050, 95% CI 0.040 to 0.060)."


def test_without_an_interval_nothing_is_decided():
    none = Comparison(
        ("new", "old"),
        "f1",
        None,
        float("nan"),
        "t",
        "cases",
        test=SignificanceTest(reason="never predicted"),
    )
    found = gate(none, "non-inferior", 0.01)
    assert (found.verdict, found.passed) == (UNDECIDED, False)
    assert "never predicted" in found.sentence
    bare = Comparison(("new", "old"), "f1", Estimate.bare(0.1, "no spread"), 0.1, "t", "cases")
    assert gate(bare, "not-worse").verdict is UNDECIDED
    assert "no CI: no spread" in str(gate(bare, "not-worse"))


def test_gates_refuse():
    found = compared(0.0, -0.1, 0.1)
    with pytest.raises(InputError, match="Did you mean 'non-inferior'"):
        gate(found, "noninferior", 0.1)
    with pytest.raises(InputError, match="needs a margin"):
        gate(found, "non-inferior")
    with pytest.raises(InputError, match="margin must be a positive number, the largest acceptable loss,"):
        gate(found, "superior", -0.1)
    with pytest.raises(InputError, match="Neither higher nor lower values of prevalence are better"):
        gate(compared(0.0, -0.1, 0.1, "prevalence"), "not-worse")


NEITHER = [
    name
    for name, each in MEASURES.items()
    if each.best is None and each.needs in ("counts", "scores", "probabilities")
]


@pytest.mark.parametrize(("rule", "margin"), [("non-inferior", 0.1), ("superior", None), ("equivalent", 0.1)])
@pytest.mark.parametrize("name", NEITHER)
def test_a_comparison_by_a_rule_refuses_what_a_gate_refuses(name, rule, margin):
    y, scores = np.arange(40) % 2, np.linspace(0.1, 0.9, 40)
    models = {"new": scores, "old": scores[::-1]}
    with pytest.raises(InputError, match="Neither higher nor lower values of"):
        gate(ca.compare(models, y, measures=[name]), rule, margin)
    with pytest.raises(InputError, match=f"Neither higher nor lower values of {name} are better"):
        ca.compare(models, y, measures=[name], rule=rule, margin=margin)


# -- what lies outside the range of a measure -----------------------------------------------------------------------


BOUNDED = [name for name, each in MEASURES.items() if np.isfinite(each.bounds).all()]


@pytest.mark.parametrize("name", BOUNDED)
def test_a_margin_that_no_difference_exceeds_is_refused(name):
    low, high = MEASURES[name].bounds
    width = high - low
    effect = Estimate(0.0, -0.01, 0.01, level=0.95, method="some interval")
    found = Comparison(("new", "old"), name, effect, 0.5, "some test", "test cases").changed(better=1)
    for rule in ("non-inferior", "superior", "equivalent"):
        gate(found, rule, 0.99 * width)
        for margin in (width, 1.01 * width, 100 * width):
            with pytest.raises(InputError, match=rf"but {re.escape(name)} is between .*\. Use margin="):
                gate(found, rule, margin)


@pytest.mark.parametrize("name", ["log_loss", "lr_positive", "brier_skill_score", "grade"])
def test_without_a_range_any_margin_may_be_meant(name):
    effect = Estimate(0.0, -0.01, 0.01, level=0.95, method="some interval")
    found = Comparison(("new", "old"), name, effect, 0.5, "some test", "test cases").changed(better=1)
    assert gate(found, "non-inferior", 5).passed


@pytest.mark.wings("resampling")
def test_values_in_percent_under_the_name_of_a_measure_have_margins_in_percent():
    new, old = [82.0, 79, 85, 80, 81], [80.0, 78, 81, 80, 79]
    how = {"rule": "non-inferior", "margin": 5, "measures": ["accuracy"], "test_over_train": 0.25}
    assert len(ca.compare({"new": new, "old": old}, **how)) == 1
    shares = {"new": np.divide(new, 100), "old": np.divide(old, 100)}
    with pytest.raises(InputError, match=r"margin is 5, but accuracy .*Use margin=0\.05 if you mean percent"):
        ca.compare(shares, **how)
    with pytest.raises(InputError, match=r"rope is 5, but accuracy .*Use rope=0\.05 if you mean percent"):
        ca.compare(shares, rope=5, measures=["accuracy"], test_over_train=0.25)
    assert len(ca.compare({"new": new, "old": old}, rope=5, measures=["accuracy"], test_over_train=0.25)) == 1


@pytest.mark.parametrize("name", BOUNDED)
def test_a_demand_that_always_or_never_holds_is_refused(name):
    low, high = MEASURES[name].bounds
    for operator, beyond, holds in [
        (">=", high + 1, "never"), (">", high + 1, "never"), ("<=", high + 1, "always"), ("<", 100, "always"),
        (">=", low - 1, "always"), (">", low - 1, "always"), ("<=", low - 1, "never"), ("<", -100, "never"),
    ]:  # fmt: skip
        for part in ("", ".low", ".high"):
            with pytest.raises(InputError, match=f"{holds} holds, because .* is between"):
                known(parse(f"{name}{part} {operator} {beyond}"), None)
    for end in (low, high, (low + high) / 2):
        for operator in (">=", ">", "<=", "<"):
            known(parse(f"{name} {operator} {end!r}"), None)


# -- in tests ---------------------------------------------------------------------------------------------------


def test_assertions():
    a = ca.assess([1, 1, 0, 0] * 50, [0.9, 0.4, 0.2, 0.1] * 50)
    assert_requirements(a, "recall >= 0.5", "specificity.low > 0.9 and roc_auc > 0.9")
    with pytest.raises(
        AssertionError, match=r"FAIL: recall >= 0\.6 \(value 0\.500, 95% CI 0\.404 to 0\.596\)"
    ):
        assert_requirements(a, "recall >= 0.6", "roc_auc > 0.9")
    assert_gate(compared(0.0, -0.005, 0.005), "non-inferior", 0.01)
    with pytest.raises(AssertionError, match=r"INCONCLUSIVE: superiority of new compared with old"):
        assert_gate(compared(0.0, -0.005, 0.005), "superior")
    assert_gate(compared(0.0, -0.005, 0.005), "superior", inconclusive="pass")
    with pytest.raises(AssertionError, match=r"FAIL: .* is worse than old"):
        assert_gate(compared(-0.2, -0.3, -0.1), "superior", inconclusive="pass")


# -- the command ------------------------------------------------------------------------------------------------


def table(folder, **columns):
    path = folder / "preds.csv"
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join(",".join(map(str, row)) for row in [columns, *rows]))
    return path.name


@pytest.fixture
def file(folder):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    return table(folder, y=y, p=np.round(np.clip(0.3 + 0.4 * y + rng.normal(0, 0.2, 300), 0, 1), 3))


@pytest.mark.parametrize(
    ("demands", "code", "said"),
    [
        (["roc_auc.low >= 0.5"], 0, ["PASS: roc_auc.low >= 0.5"]),
        (["roc_auc.low >= 0.5", "auc >= 0.999"], 1, ["PASS: roc_auc.low", "FAIL: auc >= 0.999"]),
        (["roc_auc.low >= 0.5 and accuracy > 1"], 1, ["PASS: roc_auc.low", "FAIL: accuracy > 1"]),
        (["brier_skill.low > 0 and max_f1 > 0.999"], 1, ["FAIL: max_f1"]),
        (["spiegelhalter_z.low > 0"], 3, ["INCONCLUSIVE: spiegelhalter_z.low > 0"]),
        (["recal > 0.9"], 2, ["Did you mean 'recall'"]),
        (["recall = 0.9"], 2, ["'recall = 0.9' cannot be read. Write NAME"]),
    ],
)
def test_assess_with_requirements(file, demands, code, said):
    options = [word for each in demands for word in ("--require", each)]
    done = call("assess", file, "--truth", "y", "--score", "p", *options)
    assert done.exit_code == code, done.stderr
    for text in said:
        assert text in done.stderr


def test_undefined_requirements_cannot_be_told(folder):
    file = table(folder, y=[1, 1, 1], p=[0.9, 0.8, 0.7])
    options = ("--truth", "y", "--score", "p", "--require", "roc_auc > 0.5", "--json", "-")
    done = call("assess", file, *options)
    assert done.exit_code == 3
    assert "INCONCLUSIVE: roc_auc > 0.5 (no case is negative)" in done.stderr
    found = json.loads(done.stdout)["requirements"]
    assert found == [
        {
            "requirement": "roc_auc > 0.5",
            "verdict": "cannot tell",
            "value": None,
            "reason": "no case is negative",
            "estimate": of_estimate(Estimate.undefined("no case is negative")),
        }
    ]


# -- the gate as a command ------------------------------------------------------------------------------------------


@pytest.fixture
def models(folder):
    return write_models(folder)


ROWS = ("--truth", "y", "--score", "p", "--id", "id")
RULE = ("--measure", "roc_auc", "--rule", "non-inferior", "--margin", "0.01")


@pytest.mark.parametrize(
    ("files", "options", "code", "said"),
    [
        (
            ("new", "old"),
            RULE,
            0,
            "PASS: new is non-inferior to old in ROC AUC at a margin of 0.01: 0.",
        ),
        (
            ("old", "new"),
            RULE,
            1,
            "FAIL: old is worse than new in ROC AUC by more than the margin of 0.01: 0.",
        ),
        (
            ("new", "old"),
            ("--measure", "auc", "--rule", "superior"),
            0,
            "PASS: new is superior to old in ROC AUC: 0.",
        ),
        (
            ("old", "new"),
            ("--measure", "log_loss", "--rule", "not-worse"),
            1,
            "FAIL: old is worse than new in log-loss: 0.",
        ),
        (
            ("new", "old"),
            ("--measure", "f1", "--rule", "not-worse"),
            0,
            "PASS: new has no detected loss in F1 compared with old: 0.",
        ),
        (("new", "old"), (*RULE, "--require", "recall.low > 0.99"), 1, "FAIL: recall.low > 0.99"),
        (
            ("new", "old"),
            (*RULE, "--require", "spiegelhalter_z.low > 0"),
            3,
            "INCONCLUSIVE: spiegelhalter_z.low",
        ),
        (("new", "old"), (*RULE, "--require", "recall > 0.5"), 0, "PASS: recall > 0.5"),
    ],
)
def test_gates_of_rows(models, files, options, code, said):
    done = call("gate", *(f"{name}.csv" for name in files), *ROWS, *options)
    assert done.exit_code == code, done.stderr
    assert said in done.stdout


@pytest.fixture
def both(models):
    """The predictions of both models in one file, with labels, and a third model that is another's."""
    rows = {}
    for name in ("new", "old"):
        for line in (models / f"{name}.csv").read_text().split("\n")[1:]:
            case, y, p = line.split(",")
            rows.setdefault((case, y), []).append(p)
    lines = ["y,new,old,new_says,old_says,new_0,old_0"]
    for (_, y), (new, old) in rows.items():
        says = [int(float(p) >= 0.5) for p in (new, old)]
        lines.append(f"{y},{new},{old},{says[0]},{says[1]},{1 - float(new)},{1 - float(old)}")
    (models / "both.csv").write_text("\n".join(lines))
    return models


@pytest.mark.parametrize(
    ("columns", "of_files", "measure"),
    [
        (("--scores", "new,old"), ROWS, "roc_auc"),
        (("--scores", "new,old", "--threshold", "new=0.4,old=0.5"),
         (*ROWS, "--threshold", "new=0.4,old=0.5"), "recall"),
        (("--predictions", "new_says,old_says"), ROWS, "f1"),
        (("--class-scores", "new:0=new_0,1=new", "--class-scores", "old:0=old_0,1=old"), ROWS, "roc_auc"),
    ],
)  # fmt: skip
def test_two_columns_of_one_file_are_gated_as_two_files_are(both, columns, of_files, measure):
    demands = ("--measure", measure, "--rule", "superior", "--require", "recall.low >= 0.5", "--json", "-")
    in_one = json.loads(call("gate", "both.csv", "--truth", "y", *columns, *demands).stdout)
    in_two = json.loads(call("gate", "new.csv", "old.csv", *of_files, *demands).stdout)
    assert in_one["verdict"] == in_two["verdict"]
    for key in ("value", "low", "high"):
        assert in_one["effect"][key] == pytest.approx(in_two["effect"][key])
    assert in_one["requirements"] == in_two["requirements"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--score", "new"), "Use two files, or one file with --scores new,old"),
        ((), "A gate needs two models"),
        (("--scores", "new,old,new_0"), "3 are named: new, old and new_0"),
        (("--scores", "new,old", "--id", "y"), "--truth and --id name the same column"),
    ],
)
def test_one_file_must_hold_two_models(both, options, said):
    assert said in refusal("gate", "both.csv", "--truth", "y", *options, *RULE)


@pytest.mark.parametrize(
    ("files", "options", "said"),
    [
        (("new.csv", "old.csv"), (*ROWS[:4], *RULE), "differs from that of new"),
        (("new.csv", "new.csv"), (*ROWS, *RULE), "Use two files, the new model first"),
        (("new.csv", "old.csv"), (*ROWS, *RULE[:4]), "needs a margin"),
        (
            ("new.csv", "old.csv"),
            (*ROWS, *RULE[:2], "--rule", "better"),
            "'better' is not one of 'non-inferior'",
        ),
        (("new.csv", "old.csv"), (*ROWS, *RULE[2:], "--measure", "aucc"), "Did you mean 'auc'"),
        (
            ("new.csv", "old.csv"),
            (*ROWS, *RULE, "--require", "recall"),
            "'recall' cannot be read. Write NAME",
        ),
        (("new.csv", "old.csv"), RULE, "--truth"),
        (("new.csv", "none.csv"), (*ROWS, *RULE), "File not found: none.csv"),
        (
            ("new.csv", "old.csv"),
            (*ROWS, *RULE, "--markdown", "new.csv"),
            "would overwrite the input new.csv",
        ),
    ],
)
def test_gates_refuse_wrong_input(models, files, options, said):
    assert said in refusal("gate", *files, *options)


def assess_and_save(*names):
    for name in names:
        done = call("assess", f"{name}.csv", *ROWS, "--save", f"{name}.classay")
        assert done.exit_code == 0, done.stderr


def test_saved_assessments_give_the_verdict_of_their_rows(models):
    assess_and_save("new", "old")
    for files in (("new", "old"), ("old", "new")):
        for options in (
            RULE,
            ("--measure", "recall", "--rule", "superior"),
            ("--measure", "max_f1", *RULE[2:]),
        ):
            both = [
                call("gate", *(f"{name}.csv" for name in files), *ROWS, *options),
                call("gate", *(f"{name}.classay" for name in files), *options),
            ]
            assert both[0].exit_code == both[1].exit_code, both[1].stderr
    done = call("gate", "new.classay", "old.classay", *RULE, "--require", "recall > 0.99", "--json", "-")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert (found["verdict"], found["rule_verdict"]) == ("fail", "pass")
    assert "delete-a-block jackknife" in found["effect"]["method"]


@pytest.mark.wings("groups")
def test_groups_of_saved_assessments_are_refused_with_the_reason(models):
    assess_and_save("new", "old")
    assert "Name files of predictions" in refusal(
        "gate", "new.classay", "old.classay", *RULE, "--by", "region"
    )


def test_saved_assessments_are_refused_with_the_reason(models):
    assess_and_save("new", "old")
    assert "Use two files of one kind" in refusal("gate", "new.classay", "old.csv", *RULE)
    assert "--truth cannot be used with saved assessments" in refusal(
        "gate", "new.classay", "old.classay", *RULE, *ROWS
    )
    call("assess", "old.csv", *ROWS[:4], "--save", "bare.classay")
    assert "has no saved blocks of cases" in refusal("gate", "new.classay", "bare.classay", *RULE)
    lines = (models / "old.csv").read_text().split("\n")
    (models / "fewer.csv").write_text("\n".join(lines[:-1]))
    assess_and_save("fewer")
    assert "were assessed on different cases" in refusal("gate", "new.classay", "fewer.classay", *RULE)


def test_cannot_tell_ends_with_three(models):
    for name, more in (("a", 1), ("b", 2)):
        few = ["id,y,p", *(f"c{i},1,0.{i + more}" for i in range(7))]
        (models / f"{name}.csv").write_text("\n".join(few))
    done = call("gate", "a.csv", "b.csv", *ROWS, *RULE)
    assert done.exit_code == 3, done.stderr
    assert done.stdout.startswith("INCONCLUSIVE: ")


@pytest.mark.parametrize(
    ("option", "code", "counted"),
    [((), 3, False), (("report",), 3, False), (("fail",), 1, True), (("pass",), 0, True)],
)
def test_those_who_must_have_two_verdicts_choose_what_an_inconclusive_one_is(models, option, code, counted):
    """The report and the JSON say that it is inconclusive whatever the exit code is."""
    for name, more in (("a", 1), ("b", 2)):
        few = ["id,y,p", *(f"c{i},{i % 2},0.{i + more}" for i in range(7))]
        (models / f"{name}.csv").write_text("\n".join(few))
    chosen = [word for each in option for word in ("--inconclusive", each)]
    done = call("gate", "a.csv", "b.csv", *ROWS, *RULE, *chosen, "--json", "gate.json")
    assert done.exit_code == code, done.stderr
    assert done.stdout.startswith("INCONCLUSIVE: ")
    assert json.loads((models / "gate.json").read_text())["verdict"] == "cannot tell"
    assert (f"inconclusive: counted as {'failed' if code else 'passed'}" in done.stdout) == counted


def test_whether_all_else_cannot_be_told_is_no_choice_any_more():
    made = gate(compared(0.0, -0.02, 0.02), "non-inferior", 0.01)
    parts = (made.rule, made.margin, made.comparison, made.difference, made.outcome)
    with pytest.warns(DeprecationWarning, match="open_cannot_tell"):
        assert type(made)(*parts, open_cannot_tell=False) == made


def test_json_and_markdown(models):
    done = call("gate", "new.csv", "old.csv", *ROWS, *RULE, "--json", "gate.json", "--markdown", "gate.md",
                "--require", "recall >= 0.5")  # fmt: skip
    assert done.exit_code == 0
    found = json.loads((models / "gate.json").read_text())
    assert (found["verdict"], found["rule"], found["margin"]) == ("pass", "non-inferior", 0.01)
    assert found["condition"] == "difference.low > -0.01"
    assert found["models"] == ["new", "old"]
    assert found["effect"]["low"] > -0.01
    assert found["values"][0] - found["values"][1] == pytest.approx(found["effect"]["value"])
    assert found["requirements"][0]["verdict"] == "pass"
    text = (models / "gate.md").read_text()
    assert text.startswith(
        "### ✅ Passed: non-inferior, margin 0.01; recall \\>= 0.5, new compared with old\n\n"
    )
    assert "PASS: new is non-inferior to old in ROC AUC at a margin of 0.01: 0." in text
    assert "| ROC AUC | 0." in text
    assert "| recall \\>= 0.5 | 0." in text
    for line in text.splitlines():
        if line.startswith("|"):
            assert line.count("|") in (5, 6)


def test_saved_assessments_are_compared(models):
    assess_and_save("new", "old")
    names = ("--measures", "roc_auc,recall,max_f1", "--json", "-")
    saved = json.loads(call("compare", "new.classay", "old.classay", *names).stdout)
    rows = json.loads(call("compare", "new.csv", "old.csv", *ROWS, *names).stdout)
    for measure, values in rows["values"].items():
        assert saved["values"][measure] == pytest.approx(values)
    for one, other in zip(saved["comparisons"], rows["comparisons"], strict=True):
        assert one["measure"] == other["measure"]
        assert one["difference"] == pytest.approx(other["difference"])
        assert (one["low"], one["high"]) == pytest.approx((other["low"], other["high"]), rel=0.3)
    loaded = {name: ca.load(f"{name}.classay") for name in ("new", "old")}
    assert ca.compare(loaded, measures=["roc_auc"])[0].p == saved["comparisons"][0]["p"]
    assert ca.compare(loaded).measures == (
        "roc_auc",
        "average_precision",
        "accuracy",
        "recall",
        "specificity",
    )
    with pytest.raises(InputError, match="y_true= has no effect on assessments, which contain their"):
        ca.compare(loaded, [0, 1])
    refusal("compare", "new.classay", "old.classay", *ROWS)
    refusal("compare", "new.csv", "old.csv", *ROWS[2:])


@pytest.mark.parametrize("rule", ["non-inferior", "not-worse", "superior", "equivalent"])
@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_a_one_sided_comparison_is_refused(rule, alternative):
    y = np.tile([0, 1], 50)
    new, old = (np.where(np.arange(100) < wrong, 1 - y, y) for wrong in (40, 10))
    found = ca.compare(
        y_true=y, y_pred={"new": new, "old": old}, measures=["accuracy"], alternative=alternative
    )
    with pytest.raises(InputError, match="one-sided"):
        gate(found, rule, None if rule in ("not-worse", "superior") else 0.1)


@pytest.mark.parametrize("margin", [None, 0.01, 0.2])
def test_a_model_shown_worse_is_told_whatever_the_margin_of_superiority(margin):
    effect = Estimate(-0.05, -0.08, -0.02, level=0.95, method="DeLong")
    found = Comparison(("new", "old"), "roc_auc", effect, 0.001, method="z, DeLong", random="test cases")
    assert gate(found, "superior", margin).finding == "worse"


def test_a_margin_may_be_a_number_of_numpy():
    effect = Estimate(-0.005, -0.008, -0.002, level=0.95, method="DeLong")
    found = Comparison(("new", "old"), "roc_auc", effect, 0.001, method="z, DeLong", random="test cases")
    for rule in ("non-inferior", "equivalent", "superior"):
        assert gate(found, rule, np.float64(0.01)).sentence == gate(found, rule, 0.01).sentence


@given(
    st.sampled_from(["non-inferior", "superior", "equivalent", "not-worse"]),
    st.floats(-0.1, 0.1),
    st.floats(0.001, 0.1),
    st.floats(0.001, 0.1),
    st.sampled_from([None, 0.01, 0.05]),
)
@settings(deadline=None)
def test_the_p_of_the_demand_agrees_with_the_verdict_and_with_the_swapped_models(
    rule, value, below, above, margin
):
    margin = margin or (None if rule in ("superior", "not-worse") else 0.02)
    made = gate(compared(value, value - below, value + above), rule, margin)
    holds = made.p <= 0.025
    if abs(made.p - 0.025) > 1e-9:
        assert made.passed == (holds if rule != "not-worse" else not holds)
    if rule == "equivalent":
        swapped = gate(compared(-value, -value - above, -value + below), rule, margin)
        assert swapped.p == pytest.approx(made.p)


def test_the_p_of_the_demand_is_that_of_the_margin_and_not_of_zero():
    made = gate(compared(0.0, -0.01, 0.01), "non-inferior", 0.02)
    assert made.p == pytest.approx(4.4e-5, rel=0.02)  # 2 * 1.96 standard errors from the margin
    assert "; one-sided test of non-inferiority: p < 0.001)." in str(made)
    assert made.to_dict()["p_of_demand"] == made.p


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        pytest.param('by = "region"', "Groups (--by) need the rows", marks=pytest.mark.wings("groups")),
        ("threshold = 0.3", "The setting 'threshold' cannot be used with saved assessments"),
    ],
)
def test_a_setting_that_changes_the_verdict_is_not_passed_over(models, setting, said):
    """Groups that a file of settings asks for were left out, so that a gate passed in which one would have failed."""
    assess_and_save("new", "old")
    (models / "classay.toml").write_text(f"{setting}\n", encoding="utf-8")
    assert said in refusal("gate", "new.classay", "old.classay", *RULE)


@pytest.mark.parametrize(("measure", "text"), [("recall", "2.5 percentage points"), ("log_loss", "0.025")])
def test_margins_are_written_as_differences_are(measure, text):
    one = SimpleNamespace(margin=0.025, comparison=SimpleNamespace(measure=measure))
    assert margin_text(one) == text
