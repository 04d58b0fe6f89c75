"""The design of `Sampling`, from the door to the interval: kept, saved, added, used by a judge, refused elsewhere."""

from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import classay as ca
from classay.assessment.drawn import LabelDesign
from classay.assessment.parts import Sampling
from classay.assessment.restoring import load as read_assessment
from classay.cli import app
from classay.errors import FileError, InputError
from label.drawn_labels import FIRST, PAIR, PLAN, SECOND, TRUTH, labeled, limits, pool

A = ca.assess(labeled(PLAN, TRUTH), FIRST, design=PLAN)
FULL = ca.assess(TRUTH, FIRST, threshold=0.3)
UNLIKE = ("compare_predictions", "best_of", "scan", "evaluate", "cut_points", "cost_curves", "compare_judged")
FURTHER = {
    "assess_by": {"by": TRUTH},
    "assess_over_time": {"time": TRUTH},
    "gate_over_time": {"time": TRUTH, "measure": "recall"},
}


def test_the_design_is_kept_from_the_door_on():
    assert A.sampling.design is PLAN
    models = {"new": FIRST, "old": SECOND}
    assert ca.compare(models, labeled(PAIR, TRUTH), design=PAIR).sampling.design is PAIR
    assert ca.compare(models, TRUTH, threshold=0.3).sampling is None
    flagged = np.where(FIRST >= 0.3, TRUTH, np.nan)
    assert ca.assess(flagged, FIRST, threshold=0.3, design="flagged").sampling.design.is_of_flagged


def test_a_design_knows_strata_sizes_and_chances():
    for plan in (PLAN, PAIR):
        sizes, drawn, calls = plan.arrays
        assert isinstance(plan, LabelDesign)
        assert (plan.n_cases, len(calls)) == (TRUTH.size, sizes.size)
        assert drawn.tolist() == np.bincount(plan.stratum).tolist()
        assert np.bincount(plan.stratum, 1 / plan.chance) == pytest.approx(
            sizes
        )  # weights add up to the cases


def test_the_design_is_saved_and_added(tmp_path):
    A.save(tmp_path / "a.classay")
    design = ca.load(tmp_path / "a.classay").sampling.design
    assert design.to_dict() == PLAN.to_dict()
    scores, _, truth = pool(30_000, 3)
    other = ca.plan_labels(scores, budget=200, threshold=0.3)
    both = A + ca.assess(labeled(other, truth), scores, design=other)
    for k, part in enumerate(PLAN.arrays):
        assert both.sampling.design.arrays[k].tolist() == [*part.tolist(), *other.arrays[k].tolist()]
    assert both.sampling.design.chance.tolist() == [*PLAN.chance.tolist(), *other.chance.tolist()]


@pytest.mark.parametrize("design", ["flag", 3, [PLAN]])
def test_what_is_no_design(design):
    for call in (
        lambda: Sampling(design=design),
        lambda: ca.assess(TRUTH, FIRST, design=design),
        lambda: ca.compare({"new": FIRST, "old": SECOND}, TRUTH, design=design),
        lambda: ca.judged(TRUTH, FIRST, design=design),
    ):
        with pytest.raises(InputError, match="Pass a plan of `plan_labels`"):
            call()


def test_a_design_of_somebody_else_is_refused_where_a_plan_is_needed():
    class Other(LabelDesign):
        arrays = PLAN.arrays

        def strata_of(self, scores):
            return PLAN.strata_of(scores)

    with pytest.raises(InputError, match="Use a plan of `plan_labels`"):
        ca.assess(labeled(PLAN, TRUTH), FIRST, design=Other())


@pytest.mark.parametrize(
    "call",
    [
        lambda: ca.compare({"a": A, "b": FULL}),
        lambda: ca.compare({"a": FULL, "b": A}),
        lambda: ca.compare_predictions({"a": A, "b": A}),
        lambda: ca.compare_unpaired({"a": A, "b": FULL}),
        lambda: ca.best_of({"a": A, "b": A}),
        lambda: ca.roc_space({"a": A}),
        lambda: FULL.changed(design=PLAN),
        lambda: replace(FULL, sampling=Sampling(design=PLAN)),
    ],
)
def test_who_counts_cases_alike_refuses_a_result_of_a_design(call):
    with pytest.raises(
        InputError, match=r"Its cases were drawn with unequal chances. Use `\w+` with design="
    ):
        call()


@pytest.mark.parametrize("name", [*UNLIKE, *FURTHER])
def test_functions_without_a_design(name):
    further = FURTHER.get(name, {})
    with pytest.raises(InputError) as error:
        getattr(ca, name)({"a": FIRST, "b": SECOND}, TRUTH, design=PLAN, **further)
    assert str(error.value) == (f"{name} does not take a design. Use `assess`, `compare` or `judged`.")


def test_commands_without_a_design(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in ("decide", "gate", "evaluate", "reclassification"):
        done = CliRunner().invoke(app, [command, "list.csv", "--design", "list.plan.json"])
        assert (command, done.exit_code) == (command, 2)
        assert (
            f"classay {command}` does not take a design. Use `classay assess`, `classay compare` or `classay judge`."
            in done.stderr
        )
    A.save("a.classay")
    FULL.save("b.classay")
    with pytest.raises(FileError, match="is not a saved assessment but a labeled assessment"):
        read_assessment("a.classay")


def test_a_judge_knows_a_design():
    human, judge = labeled(PLAN, TRUTH), FIRST
    one = ca.judged(human, judge, design=PLAN, positive=1)
    other = ca.judged(human, judge, stratum=PLAN.strata_of(judge), positive=1)
    assert limits(one["pass_rate"]) == limits(other["pass_rate"])
    assert one["pass_rate"].low < TRUTH.mean() < one["pass_rate"].high


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"design": "flagged"}, "cannot be used with a judge"),
        ({"chance": np.ones(TRUTH.size)}, "cannot be combined with a design"),
        ({"stratum": TRUTH}, "cannot be combined with a design"),
        ({"judge": SECOND}, "The scores differ from those of the plan"),
        ({"human": TRUTH.astype(float)}, "The design did not draw"),
    ],
)
def test_refusals_of_a_judge(changed, text):
    arguments = {"human": labeled(PLAN, TRUTH), "judge": FIRST, "design": PLAN, "positive": 1} | changed
    with pytest.raises(InputError, match=text):
        ca.judged(**arguments)


def test_the_command_of_a_judge(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    human = ["" if np.isnan(value) else str(int(value)) for value in labeled(PLAN, TRUTH)]
    rows = [f"{h},{score!r}" for h, score in zip(human, FIRST.tolist(), strict=True)]
    (tmp_path / "f.csv").write_text("\n".join(["human,p", *rows]) + "\n")
    PLAN.save("f.plan.json")
    done = CliRunner().invoke(
        app, ["judge", "f.csv", "--human", "human", "--judge", "p", "--design", "f.plan.json", "--json", "-"]
    )
    assert done.exit_code == 0, done.stderr
    value = ca.judged(labeled(PLAN, TRUTH), FIRST, design=PLAN, positive=1)["pass_rate"]
    assert str(value.low) in done.stdout


def test_a_judge_refuses_a_plan_that_may_stop_at_a_half_width():
    plan = ca.plan_labels(FIRST, budget=60, half_width=0.08)
    with pytest.raises(InputError, match="may stop at a half-width"):
        ca.judged(labeled(plan, TRUTH), FIRST, design=plan, positive=1)


@pytest.mark.parametrize("design", [np.array([1, 2]), {"a": [1]}, 3, "others", np.array("flagged")])
def test_what_is_no_design_is_refused(design):
    for call in (
        lambda: ca.assess(TRUTH, FIRST, design=design),
        lambda: ca.compare({"a": FIRST, "b": SECOND}, TRUTH, design=design),
        lambda: ca.judged(TRUTH, FIRST, design=design),
    ):
        with pytest.raises(InputError, match=r"design is .*Pass a plan"):
            call()


def test_a_design_of_none_is_no_design():
    assert ca.assess_by(TRUTH, FIRST, by=TRUTH, design=None).groups


def test_only_the_option_itself_is_a_design():
    done = CliRunner().invoke(app, ["decide", "list.csv", "--designs", "x"])
    assert "No such option: --designs" in done.stderr


def test_a_ratio_of_recalls_knows_its_design():
    labels = np.where((FIRST >= 0.5) | (SECOND >= 0.5), TRUTH, np.nan)
    c = ca.compare(
        {"a": FIRST, "b": SECOND}, labels, design="flagged", threshold=0.5, measures=["recall"], positive=1
    )
    assert c.sampling.design == "flagged"


def test_a_judge_s_list_leads_to_the_file_of_all_cases(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drawn.csv").write_text("pool_row,h,judge\n0,1,1\n1,0,1\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["judge", "drawn.csv", "--human", "h", "--judge", "judge"])
    assert done.exit_code == 2
    assert "Use the file of all cases with the labels in a column." in " ".join(done.stderr.split())
    assert "classay assess" not in done.stderr
