"""What plans and their assessments refuse, with the nearest input that they accept, and lists of cases in files."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import classay as ca
from classay.errors import ClassayError, FileError, InputError
from classay.label.lists import described, drawn_list, plan_beside, refuse_lost_labels
from command import as_json, call, json_of, refusal
from label.test_label_sums import CALLED, PLAN, SCORES, SECOND, TRUTH, WHOLE, N, assessed

MODELS = {"a": SCORES, "b": SECOND}
PAIR = ca.plan_labels(MODELS, budget=150, threshold=0.4)
DRAWN = TRUTH[PLAN.rows]


def plan(scores=SCORES, **how):
    return ca.plan_labels(scores, **{"budget": 120, "threshold": 0.4} | how)


def of_list(y_true=DRAWN, y_score=None, **how):
    return ca.assess_labeled(y_true, y_score, **{"rows": PLAN.rows, "plan": PLAN} | how)


def of_pool(y_score=SCORES, **how):
    labels = np.full(N, np.nan)
    labels[PLAN.rows] = DRAWN
    return ca.assess_labeled(how.pop("y_true", labels), y_score, **{"plan": PLAN} | how)


MARKS = [1, *[0] * 119]
LOW, HIGH = SCORES.min(), SCORES.max()
TWO_LABELS = ["yes", "no"] * 60
UNLIKE = np.array([0.2, 0.6, 0.6, 0.3] * 40), np.array([0.2, 0.3, 0.6, 0.6] * 40)

REFUSED = {
    "no case to label": (
        lambda: plan(budget=0),
        "The budget is 0, but there are 600 cases. Use a number from 1 to 600.",
    ),
    "above the pool": (lambda: plan(budget=601), "The budget is 601, but there are 600 cases."),
    "below the floors": (
        lambda: plan(budget=14),
        "too small for 3 strata. Use at least 15: 5 labels in every stratum.",
    ),
    "two columns": (lambda: plan(np.zeros((9, 2))), "one score for each case"),
    "no cases": (lambda: plan([]), "There are no cases. Use at least one score."),
    "missing": (
        lambda: plan([0.1, None, 0.9]),
        "score is missing or infinite in 1 row (index 1). Every case needs a score",
    ),
    "infinite": (lambda: plan([0.1, 0.9, -np.inf]), "score is missing or infinite in 1 row (index 2)."),
    "equal": (lambda: plan([0.25] * 9), "All scores are 0.25. Strata need different scores."),
    "all above": (
        lambda: plan(threshold=float(LOW)),
        f"All scores reach the threshold {LOW:g} (scores: {LOW:.4g} to {HIGH:.4g}). Use a threshold above "
        f"{LOW:.4g} and at most {HIGH:.4g}.",
    ),
    "all below": (
        lambda: plan(threshold=1.0),
        f"No score reaches the threshold 1 (scores: {LOW:.4g} to {HIGH:.4g}).",
    ),
    "prevalence above 1": (
        lambda: plan(SCORES * 2, prevalence=0.1),
        f"A prevalence has no effect on scores outside 0 to 1 ({2 * LOW:.4g} to {2 * HIGH:.4g}). Remove prevalence=.",
    ),
    "prevalence below 0": (
        lambda: plan(SCORES - 0.1, prevalence=0.1),
        "A prevalence has no effect on scores outside 0",
    ),
    "unknown aim": (lambda: plan(measures=["recall", "precison"]), "A plan cannot aim at 'precison'."),
    "another aim": (lambda: plan(measures=["roc_auc"]), "A plan cannot aim at 'roc_auc'. Measures: recall"),
    "no aim": (lambda: plan(measures=[]), "A plan needs a measure to aim at. Measures: recall, precision"),
    "one model": (lambda: plan({"a": SCORES}), "A plan compares two models, but there are 1."),
    "three models": (lambda: plan(MODELS | {"c": SCORES}), "A plan compares two models, but there are 3."),
    "lengths": (lambda: plan({"a": SCORES, "b": SECOND[:-1]}), "The models have 600 and 599 scores."),
    "negative": (
        lambda: plan({"a": SCORES - 0.1, "b": SECOND}),
        "Plans for two models need scores in [0, 1].",
    ),
    "above 1": (
        lambda: plan({"a": SCORES, "b": SECOND + 0.1}),
        "Plans for two models need scores in [0, 1].",
    ),
    "the same": (
        lambda: plan({"a": SCORES, "b": SCORES}),
        "Both models predict the same cases positive at threshold 0.4.",
    ),
    "none by one": (
        lambda: plan({"a": SCORES, "b": SECOND / 3}),
        "A model predicts no case positive, or every case has a",
    ),
    "all by one of both": (
        lambda: plan({"a": np.where(CALLED, SCORES, 0.1), "b": np.where(CALLED, 0.1, 0.9 - 0.1 * SCORES)}),
        "A model predicts no case positive, or every case has a positive prediction, at threshold 0.4.",
    ),
    "few for two": (
        lambda: plan(
            MODELS, budget=int(sum(min(one.cases, 15 if one.is_called else 5) for one in PAIR.strata)) - 1
        ),
        f"too small for {len(PAIR.strata)} strata of two models. Use at least ",
    ),
    "none for two": (
        lambda: plan(MODELS, budget=0),
        "The budget is 0, but there are 600 cases. Use a number from 1 to 600.",
    ),
    "all for two": (lambda: plan(MODELS, budget=601), "The budget is 601, but there are 600 cases."),
    "prevalence of two": (
        lambda: plan(MODELS, measures=["recall", "prevalence"]),
        "The prevalence is the same for both models.",
    ),
    "no more": (
        lambda: PLAN.more(SCORES, budget=0),
        "The budget is 0, but 480 cases are left. Use a number from 1 to 480.",
    ),
    "too many more": (lambda: PLAN.more(SCORES, budget=481), "The budget is 481, but 480 cases are left."),
    "other length": (
        lambda: PLAN.more(SCORES[1:], budget=9),
        "There are 599 scores, but the plan is for 600 cases.",
    ),
    "other scores": (
        lambda: PLAN.more(SECOND, budget=9),
        "The scores differ from those of the plan, or are in another order.",
    ),
    "other models": (
        lambda: PAIR.more({"a": SECOND, "b": SCORES}, budget=9),
        "The scores differ from those of the plan",
    ),
    "strata of others": (lambda: PLAN.strata_of(SECOND), "The scores differ from those of the plan"),
    "strata of one": (lambda: PAIR.strata_of(SCORES), "A plan compares two models, but there are 1."),
    "no label": (lambda: of_list([None] * 120), "No case has a label. Label the drawn cases first."),
    "all unsure": (lambda: of_list(["?"] * 120, unsure="?"), "No case has a label."),
    "no positive": (lambda: of_list(TWO_LABELS), "The positive class is not set. Labels: "),
    "three": (
        lambda: of_list(["yes", "no", "x"] * 40, positive="yes"),
        "A plan needs two labels, but there are 3: ",
    ),
    "none drawn": (
        lambda: of_list(rows=np.setdiff1d(np.arange(N), PLAN.rows)[:120]),
        "None of the cases that the plan drew has a label. Label the cases of the list.",
    ),
    "all known": (lambda: of_list(known=[1] * 120), "None of the cases that the plan drew has a label."),
    "marks": (lambda: of_list(known=[1] * 119), "known has 119 values, but there are 120 labels."),
    "words as marks": (
        lambda: of_list(known=["a", "b"] * 60),
        "known has the values 'a', 'b'. Use 1 for cases of another",
    ),
    "known without scores": (
        lambda: ca.assess_labeled(np.where(np.arange(N) < 9, 1, np.nan), plan=PLAN, known=np.ones(N)),
        "known= needs the scores of all cases. Pass y_score.",
    ),
    "known elsewhere": (
        lambda: ca.assess_labeled(
            [*DRAWN, True],
            rows=[*PLAN.rows, np.setdiff1d(np.arange(N), PLAN.rows)[0]],
            plan=PLAN,
            known=[0] * 120 + [1],
        ),
        "Cases that another process labeled need their scores. Use y_score=.",
    ),
    "no rows": (
        lambda: of_list(rows=None),
        "There are 120 labels, but the plan is for 600 cases. Name the rows of the labels with rows=, such as "
        "plan.rows.",
    ),
    "few rows": (lambda: of_list(rows=PLAN.rows[1:]), "rows has 119 values, but there are 120 labels."),
    "negative row": (
        lambda: of_list(rows=[-1, *PLAN.rows[1:]]),
        "from 0 to 599, but 1 row (index 0) is not.",
    ),
    "row beyond": (
        lambda: of_list(rows=[600, 600, *PLAN.rows[2:]]),
        "from 0 to 599, but 2 rows (first: index 0) are not.",
    ),
    "half a row": (
        lambda: of_list(rows=[*PLAN.rows[:119], 0.5]),
        "from 0 to 599, but 1 row (index 119) is not.",
    ),
    "row twice": (
        lambda: of_list(rows=[*PLAN.rows[:119], PLAN.rows[3]]),
        f"Row {PLAN.rows[3]} of the pool occurs twice. Keep one label of each row.",
    ),
    "other pool": (lambda: of_pool(SECOND), "The scores differ from those of the plan"),
    "other score": (
        lambda: of_list(y_score=np.where(np.arange(120) == 4, 0.5, PLAN.scores)),
        "The score differs from that of the plan in 1 row (index 4). Use the scores and the pool of the plan.",
    ),
    "scores of other length": (
        lambda: of_list(y_score=SCORES[:100]),
        "score and truth have different lengths. Use columns of equal length.",
    ),
    "two models": (
        lambda: ca.assess_labeled(TRUTH[PAIR.rows], rows=PAIR.rows, plan=PAIR),
        "The plan is for the difference of a and b. Use ca.compare.",
    ),
    "threshold": (
        lambda: ca.assess(TRUTH, SCORES, design=PLAN, threshold=0.5),
        "threshold= is 0.5, but the plan has 0.4. Remove threshold=, or make another plan.",
    ),
    "thresholds": (
        lambda: ca.assess(TRUTH, SCORES, design=PLAN, threshold=[0.4]),
        "Several thresholds are not available yet with a design. Use one threshold.",
    ),
    "thresholds of two": (
        lambda: ca.compare(MODELS, TRUTH, design=PAIR, threshold=[0.4, 0.4]),
        "Several thresholds are not available yet with a design.",
    ),
    "costs of amounts": (
        lambda: WHOLE[ca.Costs(fn="loss")],
        "Costs of amounts are not available yet from a plan",
    ),
    "scores of a frame": (
        lambda: ca.compare({"y": TRUTH, **MODELS}, truth="y", scores=["a"], design=PAIR),
        'Name the columns of scores of both models, such as scores=["new", "old"].',
    ),
    "scores of nobody": (
        lambda: ca.compare(SCORES, TRUTH, design=PAIR),
        "Pass the scores of both models by name, or a frame with truth= and scores=.",
    ),
    "an empty stratum": (
        lambda: ca.compare(
            MODELS,
            np.where(PAIR.places_of(np.column_stack([SCORES, SECOND])) > 3, TRUTH, np.nan),
            design=PAIR,
        ),
        "A stratum of the plan has no label. Label cases of every stratum.",
    ),
    "three flagged": (
        lambda: ca.compare(MODELS | {"c": SCORES}, TRUTH, design="flagged", threshold=0.4),
        "A ratio of recalls compares two models, but 3 are named.",
    ),
    "a rule for flagged": (
        lambda: ca.compare(MODELS, TRUTH, design="flagged", threshold=0.4, measures=["recall", "f1"]),
        "only the ratio of two recalls can be estimated",
    ),
    "prevalence of a difference": (
        lambda: ca.compare(MODELS, TRUTH, design=PAIR, measures=["prevalence"]),
        "prevalence of two models is not available yet from a plan of labels.",
    ),
    "scores of labels needed": (
        lambda: ca.sample_size.for_labels(SCORES * 2, 0.1, threshold=0.4),
        "Expected half-widths need scores from 0 to 1. Convert the scores to probabilities.",
    ),
    "labels needed of another": (
        lambda: ca.sample_size.for_labels(SCORES, 0.1, measure="accuracy", threshold=0.4),
        "A plan cannot aim at 'accuracy'. Measures: recall, precision",
    ),
    "few labels": (lambda: needed(cases=14), "The number of labels is 14. Use one from 15 to 600."),
    "many labels": (lambda: needed(cases=601), "The number of labels is 601. Use one from 15 to 600."),
}


def needed(half_width=None, **how):
    return ca.sample_size.for_labels(SCORES, half_width, **{"threshold": 0.4} | how)


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    make, text = REFUSED[case]
    with pytest.raises(ClassayError) as error:
        make()
    assert text in str(error.value)


ACCEPTED = {
    "least budget": lambda: plan(budget=15),
    "whole pool": lambda: plan(budget=600),
    "whole pool of two": lambda: plan(MODELS, budget=600),
    "least budget of two": lambda: plan(
        MODELS, budget=int(sum(min(one.cases, 15 if one.is_called else 5) for one in PAIR.strata))
    ),
    "scores of 0 and 1": lambda: plan([0.0] * 9 + [1.0] * 9, budget=15, threshold=1.0),
    "models of 0 and 1": lambda: plan(
        {"a": np.repeat([0, 0, 1, 1.0], 40), "b": np.repeat([0, 1, 0, 1.0], 40)}, budget=80
    ),
    "prevalence of 0 and 1": lambda: plan(
        [0.0, 0.1, 0.2] * 9 + [1.0] * 9, budget=15, threshold=0.5, prevalence=0.1
    ),
    "least threshold": lambda: plan(threshold=float(np.sort(SCORES)[1])),
    "greatest threshold": lambda: plan(threshold=float(HIGH)),
    "one more": lambda: PLAN.more(SCORES, budget=1),
    "all more": lambda: PLAN.more(SCORES, budget=480),
    "half precision": lambda: plan(np.round(SCORES, 1).astype(np.float16)),
    "one known": lambda: of_list(known=MARKS),
    "one drawn": lambda: of_list(known=[*[1] * 119, 0]),
    "known of nobody": lambda: of_list(known=[0] * 120),
    "known of nobody, in words": lambda: of_list(known=["0"] * 120),
    "first and last row": lambda: (
        of_list([1, 0, *DRAWN], rows=[0, 599, *PLAN.rows]) if not {0, 599} & {*PLAN.rows} else 0
    ),
    "three with an unsure one": lambda: of_list(["yes", "no", "x"] * 40, positive="yes", unsure="x"),
    "near scores": lambda: of_list(y_score=PLAN.scores * (1 + 5e-7)),
    "scores of half of them": lambda: of_list(y_score=PLAN.scores.astype(np.float32)),
    "the plan's threshold": lambda: ca.assess(
        np.where(np.isin(np.arange(N), PLAN.rows), TRUTH, np.nan), SCORES, design=PLAN, threshold=0.4
    ),
    "least number of labels": lambda: needed(cases=15),
    "all labels": lambda: needed(cases=600),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_the_nearest_that_is_accepted(case):
    assert ACCEPTED[case]() is not None


def test_marks_of_no_other_process_change_nothing():
    assert of_list(known=[0] * 120).to_dict() == of_list(known=["0"] * 120).to_dict() == of_list().to_dict()
    for marks in ([True, *[False] * 119], ["1", *["0"] * 119], MARKS, [1.0, *[0.0] * 118, np.nan]):
        assert of_list(known=marks).to_dict() == of_list(known=MARKS).to_dict()
    assert of_list(known=MARKS).matched.known_rows.tolist() == [PLAN.rows[0]]


def test_rows_and_scores_in_any_order_are_the_pool():
    order = np.random.default_rng(0).permutation(120)
    shuffled = of_list(DRAWN[order], PLAN.scores[order], rows=PLAN.rows[order])
    assert shuffled.to_dict() == of_list().to_dict()
    assert of_pool().estimates == of_list().estimates
    extra = np.setdiff1d(np.arange(N), PLAN.rows)[:3]
    rows = [*extra, *PLAN.rows]
    more = of_list(TRUTH[rows], SCORES[rows], rows=rows)
    assert (more.matched.not_drawn, more.estimates) == (3, of_list().estimates)
    assert more.warnings[-1].text.startswith(
        "3 labeled cases were not drawn by the plan, and were excluded. If another"
    )
    marked = of_list(TRUTH[rows], SCORES[rows], rows=rows, known=[1] * 3 + [0] * 120)
    assert marked.matched.known_places.tolist() == PLAN.places_of(SCORES[extra]).tolist()
    assert (marked.matched.not_drawn, marked.matched.known_truths.tolist()) == (0, TRUTH[extra].tolist())


def test_labels_needed_are_the_least():
    for how in ({"measure": "f1"}, {"design": "random", "prevalence": 0.1, "level": 0.8}):
        for half_width in (0.15,):
            found = needed(half_width, **how)
            assert found.reached <= half_width
            if found.cases > 15:
                assert needed(cases=found.cases - 1, **how).reached > half_width
    assert needed(0.9).cases == 15
    for cases in (99, 100):
        of_plan = plan(budget=cases, measures=["recall"])
        assert needed(cases=cases).reached == pytest.approx(of_plan.expected["recall"])
        assert needed(cases=cases, design="random").reached == pytest.approx(
            of_plan.others["simple random"]["recall"]
        )
    usual = needed(cases=100, measure="recall", level=0.95)
    assert usual.reached == needed(cases=100).reached


# plans in files

FIELDS = as_json(PLAN)
PAIR_FIELDS = as_json(PAIR)
STRATUM = FIELDS["strata"][0]


def of_stratum(**changed):
    return {"strata": [STRATUM | changed, *FIELDS["strata"][1:]]}


DAMAGED = {
    "another kind": (
        {"kind": "groups"},
        "is not a labeling plan. Use the .plan.json that `classay label` wrote.",
    ),
    "another format": ({"schema": 2}, "has format 2, but this version of classay reads 1. Update classay."),
    "a part of a format": ({"schema": 1.0}, "has format 1.0"),
    "a negative row": ({"rows": [-1, *FIELDS["rows"][1:]]}, "a row is not a whole number"),
    "half a row": ({"rows": [0.5, *FIELDS["rows"][1:]]}, "a row is not a whole number"),
    "one row more": ({"rows": [*FIELDS["rows"], 9]}, "its rows and strata differ in number"),
    "one score less": ({"scores": FIELDS["scores"][1:]}, "its rows and strata differ in number"),
    "a row twice": ({"rows": [FIELDS["rows"][1], *FIELDS["rows"][1:]]}, "a row occurs twice"),
    "a row beyond": ({"rows": [600, *FIELDS["rows"][1:]]}, "a row is beyond the pool"),
    "a stratum more": ({"strata": [*FIELDS["strata"], STRATUM]}, "its strata and labels disagree"),
    "another number of labels": (of_stratum(labels=STRATUM["labels"] + 1), "its strata and labels disagree"),
    "no cases": (of_stratum(cases=0), "cases of a stratum is 0"),
    "a share above 1": (of_stratum(planned=1.5), "planned of a stratum is 1.5"),
    "a share below 0": (of_stratum(planned=-0.5), "planned of a stratum is -0.5"),
    "a word as a prediction": (of_stratum(called="yes"), "called of a stratum is 'yes'"),
    "a negative half-width": ({"expected": {"recall": -0.1}}, "recall of "),
    "a level of 1": ({"level": 1.0}, "level of the plan is 1.0"),
    "a half-width of 0": ({"half_width": 0.0}, "half_width of the plan is 0.0"),
    "three models": ({"models": ["a", "b", "c"]}, "it is not of two models"),
    "two models of one": ({"models": ["a", "b"]}, "it is not of two models"),
    "a wave": ({"waves": [-1]}, "a row is not a whole number"),
    "a word as a number": ({"labels_used": "3"}, "labels_used of the plan is '3'"),
    "a warning without a text": ({"warnings": [{"code": "a"}]}, "text"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_plans(case, tmp_path):
    changed, text = DAMAGED[case]
    path = tmp_path / "a.plan.json"
    path.write_text(json.dumps(FIELDS | changed))
    with pytest.raises(FileError) as error:
        ca.LabelPlan.load(path)
    assert text in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("fields", [FIELDS, PAIR_FIELDS], ids=["one", "two"])
def test_plans_in_files_are_the_same(fields, tmp_path):
    path = tmp_path / "a.plan.json"
    path.write_text(json.dumps(fields))
    assert as_json(ca.LabelPlan.load(path)) == fields
    for name in fields.keys() - {
        "sentences",
        "expected_if_not_calibrated",
        "labels_used",
        "cases",
        "classay",
        "version",
    }:
        path.write_text(json.dumps({key: value for key, value in fields.items() if key != name}))
        with pytest.raises(FileError):
            ca.LabelPlan.load(path)


def test_a_plan_is_saved_only_over_one_that_it_continues(tmp_path):
    path = tmp_path / "a.plan.json"
    path.touch()
    PLAN.save(path)  # over an empty file
    PLAN.save(path)
    other = ca.plan_labels(np.where(np.arange(N) == 0, 0.123, SCORES), budget=120, threshold=0.4)
    for another in (plan(seed=1), replace(PLAN, pool="x"), other):
        with pytest.raises(FileError, match="has another plan, which the labels of its list need"):
            another.save(path)
    PLAN.more(SCORES, budget=3).save(path)
    with pytest.raises(FileError, match="has another plan"):
        PLAN.save(path)


def test_saved_assessments_that_do_not_add_up(tmp_path):
    from classay.files.archives import sealed

    def write(**changed):
        a = assessed(PLAN.rows[3:], known=PLAN.rows[:3])
        about = {
            "format": 2,
            "what": "labeled assessment",
            "plan": as_json(PLAN),
            "positive": 1,
            "level": 0.95,
            "finite": True,
            "not_drawn": 0,
            "unsure": 0,
        }
        names = ("at", "truths", "known_rows", "known_places", "known_truths")
        arrays = {name: getattr(a.matched, name).astype(np.int64) for name in names}
        about |= {name: value for name, value in changed.items() if name in about}
        arrays |= {name: np.array(value, np.int64) for name, value in changed.items() if name in arrays}
        path = tmp_path / "a.classay"
        path.write_bytes(sealed("labeled_assessment.json", about, {f"{k}.npy": v for k, v in arrays.items()}))
        return ca.LabeledAssessment.load(path)

    assert write().estimates == assessed(PLAN.rows[3:], known=PLAN.rows[:3]).estimates
    places = [*range(3, 120)]
    for changed, text in (
        ({"at": [5, 5, *places[2:]]}, "a case occurs twice, or none has a label"),
        ({"at": [120, *places[1:]]}, "at.npy"),
        ({"at": [-1, *places[1:]]}, "at.npy"),
        ({"at": [], "truths": []}, "a case occurs twice, or none has a label"),
        ({"truths": [2, *[0] * 116]}, "truths.npy"),
        ({"truths": [-1, *[0] * 116]}, "truths.npy"),
        ({"truths": [0] * 3}, "truths.npy"),
        ({"known_rows": [1, 1, 2]}, "a row occurs twice"),
        ({"known_rows": [600, 1, 2]}, "known_rows.npy"),
        ({"known_rows": [-1, 1, 2]}, "known_rows.npy"),
        ({"known_places": [-1, 0, 0]}, "known_places.npy"),
        ({"known_truths": [0, 0, -1]}, "known_truths.npy"),
        ({"known_places": [6, 0, 0]}, "known_places.npy"),
        ({"known_truths": [0, 0, 2]}, "known_truths.npy"),
        ({"level": 1.0}, "level"),
        ({"finite": 1}, "finite"),
        ({"unsure": -1}, "unsure"),
        ({"not_drawn": -1}, "not_drawn"),
    ):
        with pytest.raises(FileError) as error:
            write(**changed)
        assert text in str(error.value), changed
    many = PLAN.arrays[0][5] - PLAN.arrays[1][5] + 1
    rows = np.arange(many)
    with pytest.raises(FileError, match="strata have more labels than cases"):
        write(
            at=[*range(120)],
            truths=[0] * 120,
            known_rows=rows,
            known_places=[5] * many,
            known_truths=[0] * many,
        )
    assert (
        write(
            at=[*range(120)],
            truths=[0] * 120,
            known_rows=rows[1:],
            known_places=[5] * (many - 1),
            known_truths=[0] * (many - 1),
        ).n_labels
        == 120 + many - 1
    )


# lists in files


@pytest.fixture
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_here")
def test_a_file_is_known_as_a_list_by_its_columns():
    Path("a.csv").write_text("pool_row,y\n1,1\n")
    Path("b.csv").write_text("row,y\n1,1\n")
    assert drawn_list(None, "a.csv") == drawn_list(None, Path("a.csv"))
    name, use = drawn_list(None, "a.csv")
    assert name == "a.csv"
    assert "`assess`" in use
    assert drawn_list(None, "b.csv") is None
    assert drawn_list(None, "none.csv") is None
    assert plan_beside("a.csv") is None
    assert described(None, ["pool_row", "y", "chance"], "a.csv") == (
        (),
        {
            "pool_row": ("id", "row of the pool"),
            "chance": ("weight", described(None, ["pool_row", "chance"], "a.csv")[1]["chance"][1]),
        },
    )
    assert described(None, ["pool_row", "stratum"], "a.csv")[1]["stratum"] == ("group", "stratum of the plan")
    assert described(None, ["row", "y"], "a.csv") is None
    PLAN.save("a.plan.json")
    assert plan_beside("a.csv") == "a.plan.json"
    assert described(None, ["pool_row"], "a.csv")[0] == ("assess", "--design", "a.plan.json")
    PAIR.save("b.plan.json")
    assert described(None, ["pool_row"], "b.csv")[0] == (
        "compare",
        "--scores",
        "a,b",
        "--design",
        "b.plan.json",
    )
    Path("b.csv").write_text("pool_row,y\n1,1\n")
    assert "`compare`" in drawn_list(None, "b.csv")[1]
    Path("c.plan.json").write_text("{}")  # which is no plan
    assert described(None, ["pool_row"], "c.csv")[0] == ()
    assert drawn_list(None, {"pool_row": [1], "y": [1]})[0] == "The frame"
    assert drawn_list(None, {"row": [1], "y": [1]}) is None
    assert drawn_list(None, pa.table({"pool_row": [1]}))[0] == "The frame"
    assert drawn_list(None, [1, 2]) is None


NEW = b"pool_row,name,y,stratum,chance\n0,a,,1,0.5\n2,c,,2,0.5\n"
LOST = {
    "the same": ("pool_row,name,y,stratum,chance\n0,a,,1,0.5\n2,c,,2,0.5\n", None),
    "empty": ("", None),
    "another row of the pool": ("pool_row,name,y\n1,b,\n", None),
    "fewer columns": ("pool_row,y\n0,\n", None),
    "other strata": ("pool_row,name,stratum,chance\n0,a,7,0.1\n", None),
    "a label": ("pool_row,name,y\n0,a,1\n", "y"),
    "a label of another row": ("pool_row,name,y\n1,b,1\n", "y"),
    "a name that the list has": ("pool_row,name,y\n0,z,\n", None),
    "a column of its own": ("pool_row,note\n0,\n", "note"),
    "a row beyond the pool": ("pool_row,name\n3,d\n", "name"),
    "the last row of the pool": ("pool_row,name\n2,c\n", None),
    "a row without a number": ("pool_row,name\nx,d\n", "name"),
    "a file of something else": ("name,y\na,\n", "name"),
    "no text": (b"\xff\xfe\x00", "no text"),
    "a column of the pool only": ("pool_row,old\n0,5\n", None),
    "a column of the pool without its value": ("pool_row,old\n1,5\n", "old"),
}


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize("case", LOST)
def test_values_that_a_new_list_would_lose(case):
    content, lost = LOST[case]
    Path("l.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    pool = pa.table({"name": ["a", "b", "c"], "y": [None, None, None], "old": [4, None, 6]})
    if lost is None:
        refuse_lost_labels("l.csv", NEW, pool)
        return
    with pytest.raises(InputError) as error:
        refuse_lost_labels("l.csv", NEW, pool)
    assert f"--out would overwrite l.csv, and the column {lost} would be lost." in str(error.value)


def test_a_file_that_is_not_there_loses_nothing(tmp_path):
    refuse_lost_labels(str(tmp_path / "none.csv"), NEW, pa.table({"name": ["a"]}))


# the commands


@pytest.fixture
def _files(_here):
    lines = [
        f"c{k},{p!r},{q!r},{int(y)}"
        for k, (p, q, y) in enumerate(zip(SCORES.tolist(), SECOND.tolist(), TRUTH, strict=True))
    ]
    Path("pool.csv").write_text("\n".join(["name,p,q,y", *lines]) + "\n")
    Path("blank.csv").write_text("\n".join(["name,p,q,y", *(line[:-1] for line in lines)]) + "\n")
    PLAN.save("l.plan.json")
    rows = [
        f"{row},{SCORES[row]!r},{int(TRUTH[row])},{int(k < 5)},{'x' if k < 3 else 'yn'[int(TRUTH[row])]}"
        for k, row in enumerate(PLAN.rows)
    ]
    Path("l.csv").write_text(
        "\n".join(["pool_row,p,y,old,word", *rows]).replace("np.float64(", "").replace(")", "") + "\n"
    )
    PAIR.save("two.plan.json")
    rows = [f"{row},{SCORES[row].item()!r},{SECOND[row].item()!r},{int(TRUTH[row])}" for row in PAIR.rows]
    Path("two.csv").write_text("\n".join(["pool_row,a,b,y", *rows]) + "\n")


def written(*arguments):
    return json_of(*arguments, quiet=True)


def run(*arguments):
    done = call(*arguments, columns=400)
    return done.exit_code, done.stdout, done.stderr


AIMS = {
    "default": ((), {}),
    "measures": (("--measures", "f1,prevalence"), {"measures": ["f1", "prevalence"]}),
    "threshold": (("--threshold", "0.3"), {"threshold": 0.3}),
    "prevalence": (("--prevalence", "0.1"), {"prevalence": 0.1}),
    "half-width": (("--half-width", "0.2"), {"half_width": 0.2}),
    "level": (("--level", "0.9"), {"level": 0.9}),
    "seed": (("--seed", "4"), {"seed": 4}),
}


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("aim", AIMS)
def test_a_plan_by_command_is_that_of_python(aim):
    words, how = AIMS[aim]
    assert written("label", "pool.csv", "--score", "p", "--budget", "120", *words) == as_json(
        ca.plan_labels(SCORES, budget=120, **how)
    )
    if aim in ("default", "level"):
        two = written("label", "pool.csv", "--scores", "p,q", "--budget", "150", "--threshold", "0.4", *words)
        assert two == as_json(ca.plan_labels({"p": SCORES, "q": SECOND}, budget=150, threshold=0.4, **how))


OF_LIST = {
    "default": ((), {}),
    "level": (("--level", "0.9"), {"level": 0.9}),
    "positive": (("--positive", "0"), {"positive": 0}),
    "known": (("--known", "old"), {"known": [1] * 5 + [0] * 115}),
    "score": (("--score", "p"), {"y_score": PLAN.scores}),
    "threshold": (("--threshold", "0.4"), {}),
}


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("option", OF_LIST)
def test_an_assessment_by_command_is_that_of_python(option):
    words, how = OF_LIST[option]
    found = written("assess", "l.csv", "--truth", "y", "--design", "l.plan.json", *words)
    assert found == as_json(
        ca.assess_labeled(DRAWN.astype(int), how.pop("y_score", None), rows=PLAN.rows, plan=PLAN, **how)
    )
    labels = ["x" if k < 3 else "yn"[int(y)] for k, y in enumerate(DRAWN)]
    design = ("assess", "l.csv", "--truth", "word", "--design", "l.plan.json", "--positive", "n")
    unsure = written(*design, "--unsure", "x")
    assert unsure == as_json(ca.assess_labeled(labels, rows=PLAN.rows, plan=PLAN, positive="n", unsure="x"))


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize(
    ("words", "how"),
    [
        ((), {}),
        (("--level", "0.9"), {"level": 0.9}),
        (("--adjustment", "bonferroni"), {"adjustment": "bonferroni"}),
        (("--alternative", "greater"), {"alternative": "greater"}),
        (("--positive", "0"), {"positive": 0}),
    ],
)
def test_a_comparison_by_command_is_that_of_python(words, how):
    found = written(
        "compare", "two.csv", "--truth", "y", "--scores", "a,b", "--design", "two.plan.json", *words
    )
    frame = pa.table(
        {
            "pool_row": PAIR.rows,
            "y": TRUTH[PAIR.rows].astype(int),
            "a": SCORES[PAIR.rows],
            "b": SECOND[PAIR.rows],
        }
    )
    wanted = as_json(ca.compare(frame, truth="y", scores=["a", "b"], design=PAIR, **how))
    assert found["comparisons"] == wanted["comparisons"]


@pytest.mark.usefixtures("_files")
def test_flagged_cases_by_command():
    labels = np.where(SCORES >= 0.4, TRUTH, np.nan)
    rows = [f"{p!r},{'' if np.isnan(y) else int(y)}" for p, y in zip(SCORES.tolist(), labels, strict=True)]
    Path("f.csv").write_text("\n".join(["p,y", *rows]) + "\n")
    words = ("assess", "f.csv", "--truth", "y", "--score", "p", "--design", "flagged", "--positive", "1")
    for more, how in ((("--threshold", "0.4"), {"threshold": 0.4}), (("--level", "0.9"), {"level": 0.9})):
        assert written(*words, *more) == as_json(
            ca.assess(labels, SCORES, design="flagged", positive=1, **how)
        )


BLANK = ("label", "blank.csv", "--score", "p")


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("blind", [False, True])
def test_the_list_has_the_columns_of_the_pool(blind):
    import csv

    how = (*BLANK, "--budget", "120", "--threshold", "0.4", "--out", "my list.csv")
    how += ("--blind",) if blind else ()
    assert run(*how)[0] == 0
    with open("my list.csv", newline="") as stream:
        rows = [*csv.DictReader(stream)]
    names = (
        ["pool_row", "name", "q", "y"] if blind else ["pool_row", "name", "p", "q", "y", "stratum", "chance"]
    )
    assert [*rows[0]] == names
    assert ca.LabelPlan.load("my list.plan.json").to_dict() == PLAN.to_dict()
    for k, row in enumerate(rows):
        at = PLAN.rows[k]
        assert (int(row["pool_row"]), row["name"], float(row["q"]), row["y"]) == (
            at,
            f"c{at}",
            SECOND[at],
            "",
        )
        if not blind:
            one = PLAN.strata[PLAN.stratum[k]]
            assert float(row["p"]) == SCORES[at]
            assert int(row["stratum"]) == PLAN.stratum[k] + 1
            assert float(row["chance"]) == pytest.approx(one.labels / one.cases, abs=1e-12)
    shown = run(*how)[1]
    assert "`classay assess 'my list.csv' --truth COL --design 'my list.plan.json'`" in " ".join(
        shown.split()
    )


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize(
    "columns", [["pool_row", "p", "y", "old"], ["pool_row", "y"], ["pool_row", "note", "chance", "y"]]
)
def test_the_list_of_a_later_draw_begins_with_the_earlier_one(columns):
    import csv

    chance = PLAN.chance
    values = {
        "pool_row": lambda k, row: str(row),
        "p": lambda k, row: repr(SCORES[row].item()),
        "y": lambda k, row: str(int(TRUTH[row])),
        "old": lambda k, row: str(k % 2),
        "note": lambda k, row: f"n{k}",
        "chance": lambda k, row: repr(chance[k].item()),
    }
    lines = [",".join(values[name](k, row) for name in columns) for k, row in enumerate(PLAN.rows)]
    Path("first.csv").write_text("\n".join([",".join(columns), *lines]) + "\n")
    after = ("--after", "first.csv", "--truth", "y", "--design", "l.plan.json")
    how = (*BLANK, "--budget", "30", *after, "--seed", "6")
    assert run(*how, "--out", "second.csv")[0] == 0
    more = WHOLE.more(SCORES, budget=30, seed=6)
    assert ca.LabelPlan.load("second.plan.json").to_dict() == more.to_dict()
    with open("second.csv", newline="") as stream:
        rows = [*csv.DictReader(stream)]
    assert {*rows[0]} == {*columns}
    assert [int(row["pool_row"]) for row in rows] == more.rows.tolist()
    for k, row in enumerate(rows):
        for name in columns:
            if name == "chance":
                assert float(row[name]) == pytest.approx(more.chance[k], abs=1e-12)
            elif name in ("y", "old", "note"):
                assert row[name] == (values[name](k, more.rows[k]) if k < 120 else "")
            else:
                assert float(row[name]) == float(values[name](k, more.rows[k]))


POOL = ("label", "pool.csv", "--score", "p", "--threshold", "0.4", "--budget", "60")
AFTER = ("label", "pool.csv", "--score", "p", "--budget", "30", "--after", "l.csv", "--design", "l.plan.json")
AFTER += ("--truth", "y")
OF_PLAN = ("assess", "l.csv", "--truth", "y", "--design", "l.plan.json")
CALLS_REFUSED = {
    "no score": (("label", "pool.csv", "--budget", "60"), "Name the column of --score. "),
    "score and scores": (
        (*POOL, "--scores", "p,q"),
        "--score and --scores cannot be combined. Remove one of the two.",
    ),
    "no budget": (POOL[:-2], "The number of cases to label is missing. Use --budget N."),
    "blind": ((*POOL, "--blind"), "--blind has no effect without a list. Use --out too."),
    "over the pool": (
        (*POOL, "--out", "pool.csv"),
        "--out would overwrite pool.csv (pool.csv, pool.plan.json). Choose another",
    ),
    "over the first list": ((*AFTER, "--out", "l.csv"), "--out would overwrite l.csv (l.csv, l.plan.json)."),
    "over the first plan": (
        (*AFTER, "--out", "l.txt"),
        "--out would overwrite l.plan.json (l.txt, l.plan.json).",
    ),
    "over the page": (
        (*POOL, "--out", "a.csv", "--html", "a.csv"),
        "--out would overwrite another output (a.csv, a.plan.json).",
    ),
    "no such folder": ((*POOL, "--out", "none/a.csv"), "none"),
    "only after": (
        (*POOL, "--after", "l.csv"),
        "More labels need --design and --truth. Use --after, --design and --truth.",
    ),
    "only design": ((*POOL, "--design", "l.plan.json"), "More labels need --after and --truth."),
    "only truth": ((*POOL, "--truth", "y"), "More labels need --after and --design."),
    "no truth": ((*POOL, "--after", "l.csv", "--design", "l.plan.json"), "More labels need --truth."),
    "only positive": (
        (*POOL, "--positive", "1"),
        "--positive needs labels. Use --after, --design and --truth too.",
    ),
    "half-width": (
        (*AFTER, "--half-width", "0.1"),
        "--half-width cannot be combined with --after. The plan sets the half width.",
    ),
    "level": (
        (*AFTER, "--level", "0.9"),
        "--level cannot be combined with --after. The plan sets the level. Remove --level.",
    ),
    "threshold": ((*AFTER, "--threshold", "0.4"), "--threshold cannot be combined with --after."),
    "unsure": (
        ("assess", "l.csv", "--truth", "y", "--unsure", "x"),
        "--unsure needs a plan of labels. Use --design too.",
    ),
    "known": (
        ("assess", "l.csv", "--truth", "y", "--known", "x"),
        "--known needs a plan of labels. Use --design too.",
    ),
    "no labels": ((*OF_PLAN[:2], *OF_PLAN[4:]), "Name the column of --truth. "),
    "another threshold": (
        (*OF_PLAN, "--threshold", "0.5"),
        "--threshold is 0.5, but the plan has 0.4. Remove --threshold",
    ),
    "a bad requirement": ((*OF_PLAN, "--require", "recall >"), "recall >"),
    "over the plan": ((*OF_PLAN, "--json", "l.plan.json"), "l.plan.json"),
    "known and flagged": (
        ("assess", "pool.csv", "--truth", "y", "--score", "p", "--design", "flagged", "--known", "y"),
        "--known needs a plan of labels. Remove --known.",
    ),
    "flagged without scores": (
        ("assess", "pool.csv", "--truth", "y", "--design", "flagged"),
        "--design flagged needs the scores of all cases. Name their column with --score.",
    ),
    "two files": (
        ("compare", "two.csv", "l.csv", "--truth", "y", "--scores", "a,b", "--design", "two.plan.json"),
        "--design compares two columns of scores of one file. Use --scores A,B.",
    ),
    "three models": (
        ("compare", "two.csv", "--truth", "y", "--scores", "a,b,pool_row", "--design", "two.plan.json"),
        "--design compares two columns of scores of one file.",
    ),
    "one model": (
        ("compare", "two.csv", "--truth", "y", "--scores", "a", "--design", "two.plan.json"),
        "--design compares two columns of scores of one file.",
    ),
    "saved": (
        ("compare", "a.classay", "--truth", "y", "--scores", "a,b", "--design", "two.plan.json"),
        "--design needs the rows of the labels, but a.classay is a saved result.",
    ),
    "a plan of one": (
        ("compare", "two.csv", "--truth", "y", "--scores", "a,b", "--design", "l.plan.json"),
        "The plan is for one model. To compare two models, plan with the scores of both: classay label "
        "--scores new,old.",
    ),
    "a plan of two": (
        ("assess", "two.csv", "--truth", "y", "--design", "two.plan.json"),
        "Use `classay compare`.",
    ),
    "a row is lost": (("assess", "pool.csv", "--truth", "word", "--design", "l.plan.json"), "word"),
}


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("case", CALLS_REFUSED)
def test_commands_refuse(case):
    words, text = CALLS_REFUSED[case]
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    assert text in refusal(*words)
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


@pytest.mark.usefixtures("_files")
def test_sums_by_command_are_those_of_python():
    HALVES = (assessed(PLAN.rows[:60]), assessed(PLAN.rows[60:]))
    for k, half in enumerate(HALVES):
        half.save(f"{k}.classay")
    assert written("merge", "0.classay", "1.classay") == as_json(HALVES[0] + HALVES[1])
    assert written("runs", "0.classay") == as_json(HALVES[0])
    code, shown, _ = run("merge", "0.classay", "1.classay", "--require", "recall >= 0.99", "--json", "-")
    assert code == 1
    assert (
        json.loads(shown)["requirements"]
        == as_json(replace(WHOLE, outcomes=tuple(WHOLE.check("recall >= 0.99"))))["requirements"]
    )
    assert run("merge", "0.classay", "1.classay", "--require", "recall >= 0.01")[0] == 0
    assessed(PLAN.rows, level=0.9).save("c.classay")
    assert "The files cannot be merged. level is 0.95 and 0.9." in refusal("merge", "0.classay", "c.classay")
