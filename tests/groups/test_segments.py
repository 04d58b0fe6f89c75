"""Segments: exact tails, all values of columns and their pairs, and what makes none."""

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from scipy.stats import beta, hypergeom

import classay as ca
from classay.groups.segments import SegmentColumns, find_segments
from classay.inference.significance import hypergeometric_tail
from classay.report.results.parts import json_text
from command import json_of, refusal

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "segments.schema.json").read_text(encoding="utf-8"))
RNG = np.random.default_rng(7)
N = 1200
PLAN, REGION = RNG.choice(["a", "b", "c"], N), RNG.choice(["n", "s"], N)
Y = RNG.random(N) < 0.5
BAD = (PLAN == "b") & (REGION == "s")
P = np.clip(np.where(RNG.random(N) < np.where(BAD, 0.65, 0.92), Y, ~Y) * 0.6 + 0.2, 0, 1)
Q = np.clip(np.where(RNG.random(N) < 0.9, Y, ~Y) * 0.6 + 0.2, 0, 1)
FRAME = {"y": Y.astype(int), "p": P, "plan": PLAN, "region": REGION, "id": [f"r{i}" for i in range(N)]}
BOTH = {**FRAME, "q": Q}


def test_tails_are_scipys():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(2, 900))
        e, m = (int(each) for each in rng.integers(0, n + 1, 2))
        x = int(rng.integers(0, m + 1))
        assert hypergeometric_tail([x], n, e, [m])[0] == pytest.approx(
            hypergeom.sf(x - 1, n, e, m), rel=1e-7, abs=1e-12
        )


def test_the_worst_segment_is_found_and_counted_right():
    found = ca.assess_by(FRAME, truth="y", score="p", by="*")
    assert str(found.worst.group) == "plan=b, region=s"
    assert (found.listed, found.columns) == (3 + 2 + 6, ("plan", "region"))
    wrong = (P >= 0.5) != Y
    assert found.worst.value.value == pytest.approx(1 - wrong[BAD].mean())
    assert found.worst.elsewhere == pytest.approx(1 - wrong[~BAD].mean())
    assert found.worst.p == pytest.approx(hypergeom.sf(wrong[BAD].sum() - 1, N, wrong.sum(), BAD.sum()))
    assert found.worst.p_adjusted == pytest.approx(min(1, found.listed * found.worst.p))
    assert found.left_out == (("id", "an ID"),)


def test_two_models_are_compared_by_mcnemars_exact_test():
    found = ca.compare(BOTH, truth="y", scores=["p", "q"], by="*")
    right = [(each >= 0.5) == Y for each in (P, Q)]
    c, b = (int((one & ~other)[BAD].sum()) for one, other in (right[::-1], right))
    exact = ca.compare(
        {"p": P[BAD], "q": Q[BAD]}, Y[BAD], measures=["accuracy"], method="exact", alternative="less"
    )
    assert str(found.worst.group) == "plan=b, region=s"
    assert found.worst.p == pytest.approx(exact[0].p)
    assert found.worst.value.value == pytest.approx((b - c) / BAD.sum())


def test_the_limit_of_one_model_is_clopper_and_pearsons_with_its_error_shared_by_all_segments():
    found = ca.assess_by(FRAME, truth="y", score="p", by="*")
    right = ((P >= 0.5) == Y)[BAD]
    limit = beta.ppf(1 - 0.05 / found.listed, right.sum() + 1, (~right).sum())
    assert found.worst.value.high == pytest.approx(limit)
    assert found.worst.value.low == 0


def test_what_is_said_agrees_with_the_limit():
    """The first model is called worse where the limit of its difference is not above 0, and nowhere else."""
    codes = RNG.integers(0, 12, N)
    columns = SegmentColumns({"k": codes}, {"k": tuple(range(12))})
    said = set()
    for rate in (0.5, 0.7, 0.9):
        worse = RNG.random(N) < np.where(codes < 6, rate, 0.9)
        found = find_segments(columns, {"a": worse, "b": RNG.random(N) < 0.9})
        for one in found.segments:
            said.add(one in found.shown)
            assert one.value.low == -1
            assert one.value.high <= 0 if one in found.shown else one.value.high >= 0
    assert said == {True, False}


def test_recall_is_of_the_positive_cases():
    found = ca.compare(BOTH, truth="y", scores=["p", "q"], by="*", measures=["recall"])
    only = {
        name: each[Y] if isinstance(each, np.ndarray) else each for name, each in BOTH.items() if name != "id"
    }
    alone = ca.compare(only, truth="y", scores=["p", "q"], by="*", labels=[0, 1])
    assert [(one.group, one.p) for one in found.segments] == [(one.group, one.p) for one in alone.segments]


def test_frequencies_are_repeated_rows():
    times = RNG.integers(1, 4, N)
    columns = SegmentColumns({"plan": np.unique(PLAN, return_inverse=True)[1]}, {"plan": ("a", "b", "c")})
    right = {"": (P >= 0.5) == Y}
    found = find_segments(columns, right, frequency=times)
    repeated = find_segments(columns.taken(np.repeat(np.arange(N), times)), {"": np.repeat(right[""], times)})
    assert found == repeated


def test_rows_that_are_left_out_are_of_no_segment():
    frame = {**FRAME, "y": [None] * 300 + FRAME["y"].tolist()[300:]}
    later = {name: each[300:] for name, each in FRAME.items()}
    found = ca.assess_by(frame, truth="y", score="p", by="*", missing="drop")
    assert found.segments == ca.assess_by(later, truth="y", score="p", by="*").segments


@pytest.mark.parametrize(
    ("call_it", "said"),
    [
        (lambda: ca.assess_by(Y, P, by="*"), r"by='\*' searches the unused columns of a frame"),
        (
            lambda: ca.assess_by({"y": Y, "p": P}, truth="y", score="p", by="*"),
            "There is no column to search",
        ),
        (
            lambda: ca.assess_by(FRAME, truth="y", score="p", by="*", reference="a"),
            r"reference= has no effect with by='\*', which tests all",
        ),
        (lambda: ca.assess_by(FRAME, truth="y", score="p", by="*", weight=P), "Remove weight"),
        (
            lambda: ca.compare(BOTH, truth="y", scores=["p", "q"], by="*", measures=["auc"]),
            r"by='\*' compares accuracy, recall or specificity",
        ),
        (lambda: ca.compare({**BOTH, "r": Q}, truth="y", scores=["p", "q", "r"], by="*"), "two models"),
        (
            lambda: ca.compare(BOTH, truth="y", scores=["p", "q"], by="*", control="q"),
            r"control= has no effect with by='\*', which tests all subgroups",
        ),
    ],
)
def test_refusals(call_it, said):
    with pytest.raises(ca.InputError, match=said):
        call_it()


@pytest.mark.parametrize("columns", [("assess", "--score", "p"), ("compare", "--scores", "p,q")])
def test_the_commands_write_what_the_schema_says(tmp_path, monkeypatch, columns):
    monkeypatch.chdir(tmp_path)
    rows = zip(*(np.asarray(each).astype(str) for each in BOTH.values()), strict=True)
    (tmp_path / "f.csv").write_text("\n".join([",".join(BOTH), *map(",".join, rows)]) + "\n")
    command, *how = columns
    found = json_of(command, "f.csv", "--truth", "y", *how, "--by", "*")
    assert not list(Draft202012Validator(SCHEMA).iter_errors(found))
    assert found["segments"][0]["group"] == "plan=b, region=s"
    assert json_text(found)


@pytest.mark.parametrize("names", [("well", "sick"), ("sick", "well"), (7, 3)])
def test_the_truth_renamed_makes_no_segments_and_is_named(names):
    renamed = {**BOTH, "diagnosis": np.where(Y, *names)}
    for found, plain in (
        [ca.assess_by(each, truth="y", score="p", by="*") for each in (renamed, BOTH)],
        [ca.compare(each, truth="y", scores=["p", "q"], by="*") for each in (renamed, BOTH)],
    ):
        assert found.segments == plain.segments
        assert ("diagnosis", "the truth renamed") in found.left_out
        assert "diagnosis" in found.unsearched


def test_a_column_that_is_nearly_the_truth_or_finer_makes_segments():
    nearly, finer = np.where(Y, "sick", "well"), np.where(Y, np.where(RNG.random(N) < 0.5, "I", "II"), "none")
    nearly[0] = "well" if Y[0] else "sick"
    found = ca.assess_by({**FRAME, "nearly": nearly, "finer": finer}, truth="y", score="p", by="*")
    assert {"nearly", "finer"} <= {*found.columns}


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The rows as a file, of which the command looks for segments."""
    monkeypatch.chdir(tmp_path)
    rows = zip(*(np.asarray(each).astype(str) for each in FRAME.values()), strict=True)
    (tmp_path / "f.csv").write_text("\n".join([",".join(FRAME), *map(",".join, rows)]) + "\n")
    return "f.csv", "--truth", "y", "--score", "p", "--by", "*"


@pytest.mark.parametrize(
    "given",
    [
        ("--measures", "log_loss"),
        ("--measures", "accuracy,log_loss"),
        ("--all",),
        ("--interval", "jeffreys"),
        ("--cost", "fp=1"),
        ("--reference", "a"),
        ("--prevalence", "0.1"),
        ("--require", "accuracy>=0.5"),
    ],
)
def test_the_command_refuses_what_the_search_has_no_use_for(file, given):
    done = refusal("assess", *file, *given)
    refused = f"{given[0]} log_loss has no effect" if "--measures" in given else f"{given[0]} cannot be used"
    assert f"{refused} with --by '*'" in done
    assert "Remove it" in done


def test_the_command_uses_what_serves(file):
    plain = json_of("assess", *file)
    same = json_of("assess", *file, "--measures", "accuracy", "--seed", "3")
    assert same == plain
    named = json_of("assess", *file, "--id", "id")
    assert named["segments"] == plain["segments"]
    assert "id" in str(plain["left_out"])
    assert "id" not in str(named["left_out"])  # it has a role


def test_only_columns_with_a_role_are_left_out_of_the_search():
    """Values of options may be called what columns are called: other names of columns change no segment."""
    word = {"region": "churn", "plan": "drop"}
    renamed = {word.get(name, name): each for name, each in BOTH.items()}
    renamed["y"] = np.where(Y, "churn", "stay")
    how = {"positive": "churn", "labels": ["stay", "churn"], "missing": "drop", "unanswered": "drop"}
    for found, plain in (
        [
            ca.assess_by(renamed, truth="y", score="p", by="*", **how),
            ca.assess_by(BOTH, truth="y", score="p", by="*"),
        ],
        [
            ca.compare(renamed, truth="y", scores=["p", "q"], by="*", **how),
            ca.compare(BOTH, truth="y", scores=["p", "q"], by="*"),
        ],
    ):
        assert [word.get(name, name) for name in plain.columns] == [*found.columns]
        assert sorted(each.p for each in found.segments) == sorted(each.p for each in plain.segments)


def test_a_value_of_rows_that_never_occurred_makes_no_column_of_two_values():
    frame = {"y": [1, 0] * 30, "p": [0.9, 0.1] * 20 + [0.2, 0.7] * 10}
    frame |= {"plan": ["a"] * 60, "region": ["n", "s", "s"] * 20, "times": [1] * 60}
    more = {"y": [1, 0], "p": [0.9, 0.9], "plan": ["b", "b"], "region": ["n", "w"], "times": [0, 0]}
    without, within = (
        ca.assess_by(each, truth="y", score="p", frequency="times", by="*")
        for each in (frame, {name: values + more[name] for name, values in frame.items()})
    )
    assert within.columns == without.columns == ("region",)
    assert within.left_out == without.left_out == (("plan", "one value"),)
    assert within.segments == without.segments
