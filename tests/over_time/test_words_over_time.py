"""What a decision over time says is what its numbers are; periods, ripe labels and refusals at their limits."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.over_time.courses import (
    MOST_PERIODS,
    OverTime,
    Period,
    cases_of_rows,
    over_time,
    periods_and_names,
    ripe_rows,
)
from classay.over_time.last_period import is_complete
from classay.over_time.results import section_of
from command import as_json, call, refusal, typed
from documented import other_defaults

COST = Estimate(0.25, 0.2, 0.3, 0.9, "m")
NONE = Estimate.undefined("one period")


def span(name="2026-03-01", met=None, value=COST):
    return Period(name, 10, 8, 3, met, value)


def slope(value, low, high):
    return Estimate(value, low, high, 0.9, "least squares")


CAPACITY = "The capacity of 5 per day suffices in {} of {} days."


@pytest.mark.parametrize(
    ("trend", "words"),
    [
        (slope(0.1, 0.05, 0.15), "rises per day (slope +0.100, 90% CI +0.050 to +0.150)."),
        (slope(-0.1, -0.15, -0.05), "falls per day (slope -0.100, 90% CI -0.150 to -0.050)."),
        (slope(0.1, 0.0, 0.2), "does not change detectably per day (slope +0.100, 90% CI 0 to +0.200)."),
        (slope(-0.1, -0.2, 0.0), "does not change detectably per day (slope -0.100, 90% CI -0.200 to 0)."),
        (NONE, ""),
    ],
)
@pytest.mark.parametrize("met", [(), (True,), (True, False, True), (False, False), (None, True)])
@pytest.mark.parametrize("unripe", [0, 1, 2, 1200])
def test_the_sentence_counts_periods_and_cases_and_tells_the_trend(trend, words, met, unripe):
    periods = tuple(span(met=one) for one in met)
    capacity = 5 if met else None
    time = OverTime(periods, "cost per case", trend, unripe, "2026-03-09", "day", capacity)
    said = [CAPACITY.format(sum(one is True for one in met), len(met))] if met else []
    are = {1: "1 case is", 2: "2 cases are", 1200: "1,200 cases are"}.get(unripe)
    said += [f"{are} later than 2026-03-09, without complete labels, and only counted."] if are else []
    said += [f"The cost per case {words}"] if words else []
    assert time.sentence.replace("−", "-") == " ".join(said)
    section = section_of(time)
    assert section.title == "By day"
    assert [part.text for part in section.parts[1:]] == ([time.sentence] if said else [])


@pytest.mark.parametrize("capacity", [None, 5])
def test_the_table_shows_the_periods(capacity):
    met = [None, None] if capacity is None else [True, False]
    periods = (span("a", met[0]), replace(span("b", met[1]), value=NONE, ripe=0))
    time = OverTime(periods, "F1", slope(0.1, 0.05, 0.15), 0, None, "week", capacity)
    (table,) = section_of(time).parts[:1]
    heads = [column.head for column in table.columns]
    assert heads == ["week", "cases", "ripe", "called", *(["capacity met"] if capacity else []), "F1"]
    for row, one, answer, tone in zip(table.rows, periods, ("yes", "no"), ("good", "bad"), strict=True):
        assert row[0].text == one.name
        assert [cell.value for cell in row[1:4]] == [one.cases, one.ripe, one.called]
        assert row[-1].estimate is one.value
        assert len(row) == len(heads)
        assert not capacity or (row[4].text, row[4].tone) == (answer, tone)
    foot = table.foot.replace("−", "-")
    assert foot.startswith("Trend per week: +0.100 (90% CI +0.050 to +0.150), least squares.") or (
        "+0.100" in foot and "+0.050" in foot and "+0.150" in foot and foot.endswith(", least squares.")
    )
    without = replace(time, trend=Estimate(0.1, method="m"))
    assert ", m." not in section_of(without).parts[0].foot
    none = section_of(replace(time, trend=NONE)).parts[0].foot
    assert none == "No trend was estimated: one period."


DAYS = ["2026-03-01", "2026-03-02", "2026-03-31", "2026-04-01"]


@pytest.mark.parametrize(
    ("times", "until", "ripe"),
    [
        (DAYS, None, [1, 1, 1, 1]),
        (DAYS, "2026-02-28", [0, 0, 0, 0]),
        (DAYS, "2026-03-01", [1, 0, 0, 0]),
        (DAYS, "2026-03-02", [1, 1, 0, 0]),
        (DAYS, "2026-03", [1, 1, 1, 0]),
        (DAYS, np.datetime64("2026-04-01"), [1, 1, 1, 1]),
        (["2026-02", "2026-03", "2026-04"], "2026-03", [1, 1, 0]),
        (["2026-02", "2026-03", "2026-04"], "2026-03-30", [1, 0, 0]),
        (["2026-02", "2026-03", "2026-04"], "2026-03-31", [1, 1, 0]),
        ([1, 2, 3], 2, [1, 1, 0]),
        ([1, 2, 3], "2", [1, 1, 0]),
        ([1, 2, 3], 0, [0, 0, 0]),
    ],
)
def test_labels_are_ripe_up_to_the_day(times, until, ripe):
    assert ripe_rows(times, until).tolist() == [bool(one) for one in ripe]


@pytest.mark.parametrize(
    ("times", "until", "words"),
    [
        (DAYS, 3, "labels_until is 3, but the times look like 2026-03-01. Use the same form."),
        ([1, 2], np.datetime64("2026-03-01"), "but the times look like 1. Use the same form."),
        ([1, 2], "x", "labels_until must be a date such as 2026-03-01, but is 'x'."),
        (DAYS, "2026-03-32", "labels_until must be a date such as 2026-03-01, but is '2026-03-32'."),
    ],
)
def test_labels_until_another_kind_of_time(times, until, words):
    with pytest.raises(InputError) as refused:
        ripe_rows(times, until)
    assert words in str(refused.value)


@pytest.mark.parametrize("weight", [None, [0.5, 0, 2]])
@pytest.mark.parametrize("frequency", [None, [3, 1, 0]])
def test_cases_of_rows_by_hand(weight, frequency):
    wanted = [
        (1 if frequency is None else frequency[k]) * (1 if weight is None else weight[k] > 0)
        for k in range(3)
    ]
    assert cases_of_rows({"weight": weight, "frequency": frequency}, 3).tolist() == wanted
    frame = {"w": weight or [1] * 3, "f": frequency or [1] * 3}
    named = {"weight": "w" if weight else None, "frequency": "f" if frequency else None}
    assert cases_of_rows(named, 3, frame).tolist() == wanted


@pytest.mark.parametrize(
    ("per", "period", "last", "open_"),
    [
        ("day", "2026-03-01", "2026-03-01", None),
        ("week", "2026-03-02", "2026-03-08", "2026-03-07"),
        ("month", "2026-02", "2026-02-28", "2026-02-27"),
        ("month", "2024-02", "2024-02-29", "2024-02-28"),
        ("month", "2026-12", "2026-12-31", "2026-12-30"),
        ("quarter", "2026-01", "2026-03-31", "2026-03-30"),
        ("quarter", "2026-10", "2026-12-31", "2026-12-30"),
    ],
)
def test_a_period_is_complete_on_its_last_day(per, period, last, open_):
    start = np.datetime64(period)
    assert is_complete([str(start.astype("M8[D]")), last], start, per)
    assert is_complete([last, "2027-06-01"], start, per)
    assert open_ is None or not is_complete([str(start.astype("M8[D]")), open_], start, per)
    assert is_complete([3, 4], np.int64(4), per)
    if per in ("month", "quarter"):
        assert is_complete(np.array([last], "M8[M]"), start, per)


def test_as_many_periods_as_there_may_be():
    codes, names = periods_and_names(np.arange(MOST_PERIODS)[::-1], "day")
    assert names.tolist() == [*range(MOST_PERIODS)] == codes.tolist()[::-1]
    with pytest.raises(InputError, match="The times have 10,001 days, but at most 10,000 can be compared"):
        periods_and_names(np.arange(MOST_PERIODS + 1), "day")


RNG = np.random.default_rng(3)
N = 240
Y = RNG.integers(0, 2, N)
P = np.clip(0.3 + 0.4 * Y + RNG.normal(0, 0.25, N), 0, 1).round(3)
TIME = np.repeat(["2026-03-02", "2026-03-09", "2026-03-16", "2026-03-23"], 60)
WEIGHT, TIMES, WHO = RNG.integers(0, 3, N) / 2, RNG.integers(0, 3, N), np.arange(N) // 3


@pytest.mark.parametrize("how", ["per", "level", "seed", "threshold"])
def test_defaults_of_a_course(how):
    given = {"per": "day", "level": 0.95, "seed": 0, "threshold": 0.5}[how]
    followed = {"time": TIME, "measures": ["recall"]}
    base = ca.assess_over_time(Y, P, **followed)
    same = ca.assess_over_time(Y, P, **followed, **{how: given})
    assert {**same.to_dict(), "threshold_chosen": None} == {**base.to_dict(), "threshold_chosen": None}
    gate = {"measure": "accuracy", "margin": 0.1, "time": TIME}
    found = ca.gate_over_time(Y, P, **gate, **{how: given})
    plain = ca.gate_over_time(Y, P, **gate)
    assert (found.verdict, found.difference) == (plain.verdict, plain.difference)


@pytest.mark.parametrize("more", [{"level": 0.8}, {"threshold": 0.3}, {"per": "month"}, {"seed": 3}])
def test_options_of_a_gate_reach_its_parts(more):
    """The gate is that of the assessments of the last period and of all earlier ones."""
    time = np.repeat(["2026-02-02", "2026-02-27", "2026-03-16", "2026-03-31"], 60)
    found = ca.gate_over_time(Y, P, time=time, measure="recall", margin=0.1, cluster=WHO, **more)
    last = time >= ("2026-03" if "per" in more else "2026-03-31")
    how = {name: value for name, value in more.items() if name in ("threshold", "seed")}
    parts = {
        name: ca.assess(Y[rows], P[rows], cluster=WHO[rows], level=more.get("level", 0.95), **how)
        for name, rows in (("new", last), ("old", ~last))
    }
    wanted = ca.compare_unpaired(parts, ["recall"], level=more.get("level", 0.95))[0].effect
    assert (found.difference.value, found.difference.low, found.difference.high) == pytest.approx(
        (wanted.value, wanted.low, wanted.high)
    )
    names = ("2026-03", "2026-02") if "per" in more else ("2026-03-31", "2026-02-02 to 2026-03-16")
    assert found.comparison.models == names


@pytest.mark.parametrize(
    ("periods", "per", "words"),
    [
        (
            ["2026-03-01"],
            "day",
            "The last complete day is compared with earlier ones, but only 1 is complete with ",
        ),
        (["2026-02", "2026-03-04"], "month", "only 1 is complete with labels (2026-03 is incomplete). "),
        (["2026-03-04"], "month", "none is complete with labels (2026-03 is incomplete). "),
        ([1], "day", "The last complete period is compared with earlier ones, but only 1 is complete"),
    ],
)
def test_one_complete_period_is_not_enough(periods, per, words):
    periods = [f"{one}-28" if one == "2026-02" else one for one in periods]
    y, time = [0, 1] * 10 * len(periods), [one for one in periods for _ in range(20)]
    how = {"per": per, "measure": "accuracy", "margin": 0.1}
    with pytest.raises(InputError) as refused:
        ca.gate_over_time(y, np.linspace(0, 1, len(y)), time=time, **how)
    assert words in str(refused.value)


def test_two_complete_periods_are_enough():
    found = ca.gate_over_time(Y[:120], P[:120], time=TIME[:120], per="day", measure="accuracy", margin=0.1)
    assert found.comparison.models == ("2026-03-09", "2026-03-02")
    assert found.left_out == {}


@pytest.mark.parametrize("numbers", [1, 2])
def test_a_course_needs_three_periods(numbers):
    are = {1: "there is 1", 2: "there are 2"}[numbers]
    for time, word in ((TIME, "days"), (np.repeat([4, 5, 6, 7], 60), "periods")):
        rows = slice(0, 60 * numbers)
        with pytest.raises(
            InputError, match=f"A trend needs at least 3 {word} with labels, but {are}. Use a shorter"
        ):
            ca.assess_over_time(Y[rows], P[rows], time=time[rows])
    rows = slice(0, 180)
    assert len(ca.assess_over_time(Y[rows], P[rows], time=TIME[rows]).shards) == 3


@pytest.mark.parametrize("drawn", ["none", "weight", "frequency", "cluster"])
@pytest.mark.parametrize("framed", [False, True])
def test_cases_without_a_label_are_counted_in_their_period(drawn, framed):
    """With their weights or frequencies; those of no weight, or of no cluster, count nowhere."""
    lacks = RNG.permutation(N) % 3 == 0
    lacks[180:] = True  # a period without any label
    truth = [None if without else int(y) for y, without in zip(Y, lacks, strict=True)]
    column = {
        "none": None,
        "weight": WEIGHT,
        "frequency": TIMES,
        "cluster": [None if k % 5 == 0 and lacks[k] else str(WHO[k]) for k in range(N)],
    }[drawn]
    columns = {} if column is None else {drawn: column}
    how = {"missing": "drop", "measures": ["accuracy"]}
    if framed:
        frame = pd.DataFrame({"y": pd.array(truth, "Int64"), "p": P, "t": TIME} | columns)
        named = {name: name for name in columns}
        found = ca.assess_over_time(frame, truth="y", score="p", time="t", **named, **how)
    else:
        found = ca.assess_over_time(truth, P, time=TIME, **columns, **how)
    counts = {"none": np.ones(N), "weight": WEIGHT > 0, "frequency": TIMES}.get(drawn)
    if counts is None:
        counts = [each is not None for each in column]
    wanted = [sum(np.array(counts)[lacks & (name == TIME)]) for name in found.drift.periods]
    assert found.drift.unlabelled == pytest.approx(tuple(wanted))
    assert found.shards == tuple(np.unique(TIME)[:3])


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(
        {"y": Y, "p": P, "q": 1 - P, "t": TIME, "w": WEIGHT + 1, "g": WHO, "c": (P > 0.4).astype(int)}
    )
    frame.to_csv("p.csv", index=False)
    return frame


GATE = ("gate", "p.csv", "--truth", "y", "--time", "t", "--measure", "recall")
MARGIN = ("--margin", "0.1")


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--score", "p", *MARGIN, "--by", "g"), "--by and --time cannot be combined."),
        (("--score", "p", *MARGIN, "--method", "delong"), "--method, --cost and --id need two models"),
        (("--score", "p", *MARGIN, "--id", "g"), "--method, --cost and --id need two models"),
        (("--scores", "p,q", *MARGIN), "--time works with one model. Use one file, and name one column"),
        (("--predictions", "c,y", *MARGIN), "--time works with one model."),
        (("--score", "p", *MARGIN, "--threshold", "0.5,0.6"), "--threshold must be one number with --time"),
        (("--score", "p"), "margin"),
    ],
)
def test_the_gate_refuses_what_needs_two_models(arguments, words):
    assert words in refusal(*GATE, *arguments, columns=400)


@pytest.mark.parametrize(
    ("options", "more"),
    [
        (("--score", "p"), {}),
        (("--score", "p", "--threshold", "0.3"), {"threshold": 0.3}),
        (("--score", "p", "--level", "0.8"), {"level": 0.8}),
        (("--score", "p", "--rule", "equivalent"), {"rule": "equivalent"}),
        (("--score", "p", "--positive", "0"), {"positive": 0}),
        (("--score", "p", "--weight", "w"), {"weight": "w"}),
        (("--score", "p", "--cluster", "g"), {"cluster": "g"}),
        (("--score", "p", "--per", "week"), {"per": "week"}),
        (("--prediction", "c"), {"score": None, "prediction": "c"}),
    ],
)
def test_the_gate_at_the_command_is_the_function(file, options, more):
    done = call(*GATE, *MARGIN, *options, "--json", "-")
    how = {"score": "p", "truth": "y", "time": "t", "measure": "recall", "margin": 0.1} | more
    found = ca.gate_over_time(file, **how)
    assert json.loads(done.stdout) == as_json(found)
    assert done.exit_code == {"pass": 0, "fail": 1}.get(found.verdict.value, 3)


@pytest.mark.parametrize("until", ["2026-03-16"])
def test_a_course_at_the_command_is_the_function(file, until):
    """Of the rule, rows that are not ripe are left out; as many are called as the capacity of these periods allows."""
    shown = typed("decide p.csv --truth y --score p --cost fp=1 --cost fn=3 --time t")
    done = call(*shown, *(() if until is None else ("--labels-until", until)), "--json", "-")
    found = json.loads(done.stdout)
    ripe = np.ones(N, bool) if until is None else until >= TIME
    decision = ca.assess(Y[ripe], P[ripe]).threshold(cost=ca.Costs(fp=1, fn=3))
    assert found["threshold"]["value"] == decision.threshold.value
    course = over_time(decision, Y, P, TIME, labels_until=until)
    for shown_, one in zip(found["time"]["periods"], course.periods, strict=True):
        assert (shown_["period"], shown_["cases"], shown_["ripe"], shown_["called"]) == (
            one.name,
            one.cases,
            one.ripe,
            one.called,
        )
    assert course.unripe == (~ripe).sum()
    assert "No row has a label by 2026-03-01, because every row is later." in refusal(
        *shown, "--labels-until", "2026-03-01"
    )


@pytest.mark.parametrize("name", ["y_true", "y_score", "weight", "cluster"])
def test_columns_of_another_length_are_refused(name):
    d = ca.assess(Y, P).threshold(maximize="f1")
    columns = {"y_true": Y, "y_score": P, "time": TIME, "weight": WEIGHT, "cluster": WHO}
    columns[name] = columns[name][:-1]
    with pytest.raises(InputError, match=f"{name} has 239 rows.*Use columns of one length"):
        over_time(d, **columns)


def test_no_value_without_a_number():
    """A period of one class has no recall, and says why; the trend is that of the other periods."""
    y = np.where(TIME == "2026-03-09", 0, Y)
    d = ca.assess(y, P).threshold(maximize="recall", where="precision >= 0.6")
    course = over_time(d, y, P, TIME)
    assert course.periods[1].value.is_undefined
    assert [one.value.is_undefined for one in course.periods] == [False, True, False, False]
    assert not np.isnan(course.trend.value)


def test_calls_have_the_defaults_of_their_docstrings():
    assert other_defaults(ca.assess_over_time, ca.gate_over_time) == {}
