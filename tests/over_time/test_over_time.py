"""Decisions over time: counts by hand in each day and week, capacity a day, labels that are not yet ripe, the trend."""

import json
from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from classay.errors import InputError
from classay.over_time.courses import over_time, periods_in_part, ripe_rows
from command import call, json_of, refusal, typed

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "decision.schema.json").read_text(encoding="utf-8"))
RNG = np.random.default_rng(8)
N = 600
Y = RNG.random(N) < 0.2
P = np.clip(0.3 + 0.4 * Y + RNG.normal(0, 0.2, N), 0, 1).round(3)
AMOUNT = RNG.integers(1, 50, N)
DAY = np.datetime64("2026-03-02") + RNG.integers(0, 20, N)
COST = ca.Costs(fp=3, fn="amount")


def decided(keep=slice(None), **rule):
    return ca.assess(Y[keep], P[keep], amounts={"amount": AMOUNT[keep]}).threshold(**rule)


@pytest.mark.parametrize("per", ["day", "week", "month", "quarter"])
def test_each_period_by_hand(per):
    until = np.datetime64("2026-03-15")
    ripe = until >= DAY
    d = decided(ripe, cost=COST)
    found = over_time(d, Y, P, DAY, per=per, labels_until=until, capacity=5, amounts={"amount": AMOUNT})
    by = {
        "day": str,
        "week": lambda day: str(day - timedelta(day.weekday())),
        "month": lambda day: f"{day:%Y-%m}",
        "quarter": lambda day: f"{day.year}-Q{(day.month + 2) // 3}",
    }
    when = np.array([by[per](day) for day in DAY.tolist()])
    called = d.threshold.value <= P
    cost = np.where(called & ~Y, 3, np.where(~called & Y, AMOUNT, 0))
    assert [each.name for each in found.periods] == np.unique(when).tolist()
    assert found.unripe == (~ripe).sum()
    assert f"{found.unripe} cases are later than 2026-03-15" in found.sentence
    for each in found.periods:
        own = when == each.name
        assert (each.cases, each.called) == (own.sum(), (own & called).sum())
        assert each.ripe == (own & ripe).sum()
        assert each.met == ((own & called).sum() <= 5)
        if each.ripe:
            assert each.value.value == pytest.approx(cost[own & ripe].mean())
        else:
            assert each.value.reason == "no label is complete"


def test_the_threshold_is_compared_in_the_precision_of_the_scores():
    """0.7 in 32 bits is below 0.7 in 64, and is called."""
    y, p = [1, 0, 1, 0, 0, 0], [0.7, 0.2, 0.8, 0.1, 0.3, 0.3]
    d = ca.assess(y, p).threshold(maximize="f1")
    assert d.threshold.value == 0.7
    (found,) = over_time(d, y, np.array(p, np.float32), [1] * 6).periods
    assert (found.called, found.value.value) == (2, 1.0)


def test_the_trend_is_least_squares_with_the_wider_error():
    import statsmodels.api as sm

    d = decided(cost=COST)
    found = over_time(d, Y, P, DAY, amounts={"amount": AMOUNT})
    x = sm.add_constant((np.unique(DAY) - DAY.min()).astype(int))
    fit = sm.OLS([each.value.value for each in found.periods], x).fit()
    assert found.trend.value == pytest.approx(fit.params[1])
    low, high = fit.conf_int()[1]
    assert found.trend.low <= low + 1e-12
    assert found.trend.high >= high - 1e-12


def test_a_trend_that_is_there_is_found():
    day = np.arange(N) // 20
    worse = RNG.random(N) < day / 60  # more and more scores say nothing
    score = np.where(worse, RNG.random(N), 0.9 * Y + 0.05)
    d = ca.assess(Y[:200], score[:200]).threshold(cost=ca.Costs(fp=1, fn=4))
    assert over_time(d, Y, score, day).trend.low > 0
    steady = over_time(d, Y, 0.9 * Y + 0.05, day)
    assert steady.trend.value == pytest.approx(0, abs=1e-12)
    assert "rises" in over_time(d, Y, score, day).sentence


def test_unripe_labels_say_nothing():
    """Whatever the labels after the date are, missing too, nothing changes."""
    until = np.datetime64("2026-03-12")
    d = decided(until >= DAY, cost=COST)
    other = [None if late else bool(y) for y, late in zip(Y, until < DAY, strict=True)]
    how = {"labels_until": until, "amounts": {"amount": AMOUNT}}
    assert repr(over_time(d, Y, P, DAY, **how)) == repr(
        over_time(d, other, P, DAY, **how)
    )  # NaN is not itself


def test_a_capacity_a_day():
    days = np.unique(DAY).size
    a = ca.assess(Y, P)
    d = a.threshold(top=4, per=DAY)
    assert d.threshold.value == a.threshold(top=4, per=days).threshold.value
    assert d.threshold.value == a.threshold(top=4 * days).threshold.value
    assert d.called <= 4 * days
    assert "4 highest scores per period (on average over 20 periods)" in d.rule.text
    with pytest.raises(InputError, match="Pass top too"):
        a.threshold(maximize="youden", per=DAY)
    with pytest.raises(InputError, match="number of periods"):
        a.threshold(top=4, per=0)


def test_the_capacity_of_a_period_that_is_ripe_in_part(tmp_path, monkeypatch):
    """Half a week allows half of what a week allows: a period counts by its share of ripe rows."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    day = np.repeat(np.datetime64("2026-03-02") + np.arange(14), 20)
    y, p = rng.random(280) < 0.3, np.arange(280) % 140 / 140
    columns = {"y": y.astype(int), "p": p, "day": day}
    pacsv.write_csv(pa.table(columns), "p.csv")
    base = typed("decide p.csv --truth y --score p --time day --per week --top 28")
    pacsv.write_csv(pa.table(columns | {"p": [None, *p[1:].tolist()]}), "m.csv")
    assert "1 rows have no label or no score" in refusal(
        "decide", "m.csv", *base[2:], "--missing", "drop", "--unanswered", "drop"
    )
    until = "2026-03-11"  # a Wednesday: three of seven days of the second week
    whole, part = (call(*base, *more, "--json", "-") for more in ((), ("--labels-until", until)))
    for done, periods in ((whole, 2), (part, 1 + 3 / 7)):
        found = json.loads(done.stdout)
        called = sum(found["confusion_matrix"]["counts"][1])
        allowed = 28 * periods
        assert called <= allowed
        assert called > 0.85 * allowed
        number = "2" if periods == 2 else "1.43"
        assert f"28 highest scores per week (on average over {number} weeks)" in found["rule"]


def test_times_that_are_none():
    for until in ("now", "2026-02-30", 3):
        with pytest.raises(InputError, match=r"labels_until (must be a date|is 3, but the times look like)"):
            ripe_rows(["2026-03-01"], until)
    alone = over_time(decided(cost=COST), Y, P, np.zeros(N, int), amounts={"amount": AMOUNT})
    assert alone.trend.is_undefined
    assert alone.until is None


@pytest.mark.parametrize("offset", ["-05:00", "", "Z", "+0530"])
def test_a_file_has_its_times_as_they_are_written(tmp_path, monkeypatch, offset):
    """The day is the one that was there, however far it is from that of UTC."""
    monkeypatch.chdir(tmp_path)
    hours = [
        f"{day}T{hour}:30:00{offset}" for day in ("2026-03-31", "2026-04-01") for hour in ("00", "12", "23")
    ]
    rows = [f"{i % 2},{p},{hours[i % 6]}" for i, p in enumerate(P[:60])]
    Path("p.csv").write_text("\n".join(["y,p,at", *rows]) + "\n")
    call_of = typed("decide p.csv --truth y --score p --cost fp=1 --time at --json -")
    for per, names in (
        ("day", ["2026-03-31", "2026-04-01"]),
        ("month", ["2026-03", "2026-04"]),
        ("quarter", ["2026-Q1", "2026-Q2"]),
    ):
        found = json.loads(call(*call_of, "--per", per).stdout)
        assert [(each["period"], each["cases"]) for each in found["time"]["periods"]] == [
            (name, 30) for name in names
        ]
        assert not list(Draft202012Validator(SCHEMA).iter_errors(found))


@pytest.mark.parametrize("text", [True, False])
def test_the_command(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    late = np.datetime64("2026-03-15") < DAY
    hours = "T12:30:00" if text else ""
    lines = [
        f"{'' if unripe else int(y)},{p},{a},{d}{hours}"
        for y, p, a, d, unripe in zip(Y, P, AMOUNT, DAY, late, strict=True)
    ]
    Path("p.csv").write_text("\n".join(["y,p,amount,day", *lines]) + "\n")
    base = ("decide", "p.csv", "--truth", "y", "--score", "p", "--cost", "fp=3", "--cost", "fn=amount")
    when = ("--time", "day", "--labels-until", "2026-03-15")
    found = json_of(*base, *when, "--top", "6")
    assert not list(Draft202012Validator(SCHEMA).iter_errors(found))
    assert found["time"]["unripe"] == late.sum()
    assert len(found["time"]["periods"]) == 20
    assert found["cases"] == (~late).sum()
    called = sum(each["called"] for each in found["time"]["periods"] if each["ripe"])
    assert called <= 6 * 14
    shown = call(*base, *when, "--per", "week", "--top", "30", "--html", "page.html").stdout
    assert "By week" in shown
    assert "without complete labels" in " ".join(shown.replace("┃", " ").split())
    assert "2026-03-09" in Path("page.html").read_text()
    assert "name the column of dates" in call(*base, "--labels-until", "2026-03-15").stderr
    assert (
        "No row has a label by 2020-01-01"
        in call(*base, "--time", "day", "--labels-until", "2020-01-01").stderr
    )
    assert "Use one --score" in call(*base, "--score", "amount", "--time", "day").stderr


EXTRA = 200
MORE = (np.r_[Y, np.ones(EXTRA, bool)], np.r_[P, np.full(EXTRA, 0.99)])


@pytest.mark.covering(1)
@pytest.mark.parametrize("day", ["2026-03-02", "2026-03-09", "2025-01-01", "2026-12-31"])
@pytest.mark.parametrize(("name", "unit"), [("weight", 1.0), ("weight", 0.1), ("frequency", 1)])
def test_rows_of_weight_0_count_nowhere(name, unit, day):
    """In no period, none by themselves, no capacity and no trend."""
    d = decided(cost=ca.Costs(fp=1, fn=3))
    how = {"labels_until": np.datetime64("2026-03-15"), "capacity": 5}
    alone = over_time(d, Y, P, DAY, **{name: np.full(N, unit)}, **how)
    weight = np.r_[np.full(N, unit), np.zeros(EXTRA, type(unit))]
    days = np.r_[DAY, np.full(EXTRA, np.datetime64(day))]
    assert repr(over_time(d, *MORE, days, **{name: weight}, **how)) == repr(alone)
    with pytest.raises(InputError, match="Weight or frequency is zero in every row"):
        over_time(d, *MORE, days, **{name: 0 * weight})


@pytest.mark.covering(1)
@pytest.mark.parametrize("per", ["day", "week"])
@pytest.mark.parametrize("role", ["weight", "frequency"])
def test_rows_of_weight_0_count_nowhere_at_the_command(tmp_path, monkeypatch, role, per):
    """Also in the number of periods that a capacity is for."""
    monkeypatch.chdir(tmp_path)
    base = (
        "--truth",
        "y",
        "--score",
        "p",
        f"--{role}",
        "w",
        "--cost",
        "fp=1",
        "--cost",
        "fn=3",
        "--time",
        "day",
    )
    base += ("--per", per, "--top", "6", "--labels-until", "2026-03-18", "--json", "-")
    found = []
    for extra in ([], ["2026-03-18"] * 50, ["2026-03-19"] * 50, ["2025-01-01"] * 50):
        rows = [f"{int(y)},{p},1,{day}" for y, p, day in zip(Y, P, DAY, strict=True)]
        rows += [f"1,0.99,0,{day}" for day in extra]
        Path("p.csv").write_text("\n".join(["y,p,w,day", *rows]) + "\n")
        done = call("decide", "p.csv", *base)
        assert done.exit_code == 0, done.stderr
        found.append(json.loads(done.stdout))
    for each in found[1:]:
        assert each["time"] == found[0]["time"]
        assert each["rule"] == found[0]["rule"]
        assert each["threshold"] == found[0]["threshold"]


def test_a_frequency_is_as_many_rows_in_the_share_of_a_period_that_is_ripe():
    rng = np.random.default_rng(1)
    periods, ripe, times = rng.integers(0, 4, 60), rng.random(60) < 0.5, rng.integers(0, 4, 60)
    repeated = periods_in_part(np.repeat(periods, times), np.repeat(ripe, times))
    assert periods_in_part(periods, ripe, times) == pytest.approx(repeated)


def test_cases_without_a_label_count_among_those_called_and_nowhere_else():
    """Left out, they are as cases are whose labels are not yet ripe."""
    d = decided(cost=ca.Costs(fp=1, fn=3))
    lacks = np.arange(N) % 7 == 0
    truth = [None if without else bool(y) for y, without in zip(Y, lacks, strict=True)]
    found = over_time(d, truth, P, DAY, missing="drop", weight=np.full(N, 0.1))
    known = over_time(d, Y[~lacks], P[~lacks], DAY[~lacks], weight=np.full(N, 0.1)[~lacks])
    called = over_time(d, Y, P, DAY)
    assert [(each.ripe, repr(each.value)) for each in found.periods] == [
        (each.ripe, repr(each.value)) for each in known.periods
    ]
    assert [(each.cases, each.called) for each in found.periods] == [
        (each.cases, each.called) for each in called.periods
    ]
    assert repr(found.trend) == repr(known.trend)


@pytest.mark.parametrize("rule", [{"cost": ca.Costs(fp=1, fn=5)}, {"maximize": "f1"}])
def test_the_value_of_each_period_is_that_at_the_prevalence_of_the_decision(rule):
    d = ca.assess(Y, P).threshold(**rule, prevalence=0.02)
    found = over_time(d, Y, P, DAY)
    for each in found.periods:
        own = each.name == DAY.astype(str)
        there = ca.assess(Y[own], P[own], labels=[False, True], positive=True).at(d.threshold.value)
        there = there.at_prevalence(0.02)
        value = there.expected_cost(rule["cost"]).per_case if "cost" in rule else there["f1"]
        assert each.value.value == pytest.approx(value.value, nan_ok=True)
