"""What a command writes with an option is what Python returns with it: `compare`, `decide`, `gate` and `proportion`."""

import json
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from classay.comparison.gate_rules import interval_level
from command import call

N = 80
RNG = np.random.default_rng(5)
Y = np.arange(N) % 2
P, Q, R = (np.clip(0.3 + 0.35 * Y + s * RNG.normal(size=N), 0.02, 0.98).round(2) for s in (0.2, 0.3, 0.4))
G, W, F = np.arange(N) // 4, RNG.uniform(0.5, 2, N).round(2), RNG.integers(1, 4, N)
FEE, SITE = RNG.gamma(2, 20, N).round(1), np.where(np.arange(N) % 3 > 0, "north", "south")
COLUMNS = {"y": Y, "p": P, "q": Q, "r": R, "g": G, "w": W, "f": F, "fee": FEE, "site": SITE}
LEARNED = Path(__file__).parents[1] / "files/saved_by_0a0b60c/evaluation.classay"
GRADES = ["mild", "ill", "grave"]
T = np.array(GRADES)[np.digitize(P + 0.3 * RNG.normal(size=N), [0.4, 0.6])]
COLUMNS |= {"t": T, "id": range(N)}
TWO, THREE = {"p": P, "q": Q}, {"p": P, "q": Q, "r": R}
LABELS = {name: (score > 0.5) * 1 for name, score in TWO.items()}
COLUMNS |= {"l": LABELS["p"], "m": LABELS["q"], "h": np.where(np.arange(N) % 20 == 3, np.nan, P)}
DISTINCT = {name: (np.argsort(np.argsort(score)) + 1) / 100 for name, score in TWO.items()}
"""Scores without ties."""
A = ca.assess(Y, P)
ROWS = ("p.csv", "--truth", "y", "--score", "p")
PAIR = ("p.csv", "--truth", "y", "--scores", "p,q", "--measures", "auc,recall")
NAMES = ["auc", "recall"]
COST = ("--cost", "fp=1", "--cost", "fn=4")


def compare(*options, models=TWO, measures=NAMES, **named):
    arguments = ("compare", *PAIR, *options)
    return arguments, lambda: ca.compare(models, Y, measures=measures, **named)


def decide(*options, rows=None, cost=True, **named):
    arguments = ("decide", *ROWS, *(COST if cost else ()), *options)
    rule = {"cost": {"fp": 1, "fn": 4}} if cost else {}
    return arguments, lambda: ca.assess(Y, P, **(rows or {})).threshold(**(rule | named))


def files(*options, **named):
    """A file for each model, in another order of rows."""
    arguments = (
        "compare",
        "p.csv",
        "q.csv",
        "--truth",
        "y",
        "--score",
        "p",
        "--id",
        "id",
        "--measures",
        "auc,recall",
    )
    return (*arguments, *options), lambda: ca.compare(TWO, Y, measures=NAMES, **named)


def unpaired(*options, measures=NAMES, rows=lambda _: {}, **named):
    """The first half of the cases by one model, the second half by another."""
    halves = {"one": np.arange(N // 2), "two": np.arange(N // 2, N)}
    arguments = ("compare", "one.csv", "two.csv", "--unpaired", "--truth", "y", "--score", "p")
    return (*arguments, "--measures", ",".join(measures), *options), lambda: ca.compare_unpaired(
        {name: ca.assess(Y[k], P[k], **rows(k)) for name, k in halves.items()}, measures, **named
    )


def saved(*options, **named):
    arguments = ("compare", "p.classay", "q.classay", "--measures", "auc,recall", *options)
    return arguments, lambda: ca.compare(
        {name: ca.assess(Y, score, id=range(N)) for name, score in TWO.items()}, measures=NAMES, **named
    )


def learners(*options, **named):
    arguments = ("compare", "learned.classay", "--measures", "roc_auc,f1", *options)
    return arguments, lambda: ca.compare(ca.load(LEARNED), measures=["roc_auc", "f1"], **named)


def graded(*options, **named):
    return ("compare", "p.csv", "--graded", "p,q,r", *options), lambda: ca.compare_values(THREE, **named)


def best(*options, **named):
    arguments = ("best", "p.csv", "--truth", "y", "--scores", "p,q,r", *options)
    return arguments, lambda: ca.best_of(THREE, Y, **named)


def in_order(*options, **named):
    arguments = ("decide", "p.csv", "--truth", "t", "--score", "p", "--order", ",".join(GRADES), *options)
    return arguments, lambda: ca.cut_points(P, T, GRADES, **named)


def several(*options, **named):
    arguments = ("decide", *ROWS, "--score", "q", *options)
    return arguments, lambda: ca.cost_curves(TWO, Y, **named)


def gate(*options, rule="non-inferior", margin=0.1, measure="auc", **named):
    arguments = ("gate", "p.csv", "--truth", "y", "--scores", "p,q", "--measure", measure, "--rule", rule)
    if margin:
        arguments += ("--margin", str(margin))
    return (*arguments, *options), lambda: ca.gate(
        ca.compare(TWO, Y, measures=[measure], **named), rule, margin
    )


def values(*options, rule="non-inferior", margin=0.1, level=0.95, **named):
    arguments = ("gate", "p.csv", "--graded", "p,q", "--rule", rule)
    if margin:
        arguments += ("--margin", str(margin))
    sided = interval_level(rule, level)
    return (*arguments, *options), lambda: ca.gate(ca.compare_values(TWO, level=sided, **named), rule, margin)


def gate_of_saved(*options, rule="non-inferior", margin=0.1, measure="auc", level=0.95):
    arguments = (
        "gate",
        "p.classay",
        "q.classay",
        "--measure",
        measure,
        "--rule",
        rule,
        "--margin",
        str(margin),
    )
    sided = interval_level(rule, level)
    return (*arguments, *options), lambda: ca.gate(
        ca.compare(
            {name: ca.assess(Y, score, id=range(N)) for name, score in TWO.items()},
            measures=[measure],
            level=sided,
        ),
        rule,
        margin,
    )


CALLS = {
    "compare": compare(),
    "compare: positive": compare("--positive", "0", positive=0),
    "compare: threshold": compare("--threshold", "0.3", threshold=0.3),
    "compare: thresholds": compare("--threshold", "p=0.3,q=0.6", threshold={"p": 0.3, "q": 0.6}),
    "compare: level": compare("--level", "0.8", level=0.8),
    "compare: method": compare("--method", "bootstrap", "--seed", "3", method="bootstrap", seed=3),
    "compare: adjustment": compare("--adjustment", "bonferroni", adjustment="bonferroni"),
    "compare: cluster": compare("--cluster", "g", cluster=G),
    "compare: weight": compare("--weight", "w", weight=W),
    "compare: frequency": compare("--frequency", "f", frequency=F),
    "compare: greater": compare("--alternative", "greater", alternative="greater"),
    "compare: less": compare("--alternative", "less", alternative="less"),
    "compare: rule": compare("--rule", "equivalent", "--margin", "0.2", rule="equivalent", margin=0.2),
    "compare: score scale": compare("--score-scale", "logit", score_scale="logit"),
    "compare: control": (
        ("compare", *PAIR[:3], "--scores", "p,q,r", "--measures", "auc", "--control", "q"),
        lambda: ca.compare(THREE, Y, measures=["auc"], control="q"),
    ),
    "compare: labels": (
        ("compare", *PAIR[:3], "--predictions", "l,m", "--measures", "recall"),
        lambda: ca.compare(y_true=Y, y_pred={"l": LABELS["p"], "m": LABELS["q"]}, measures=["recall"]),
    ),
    "compare: unanswered": (
        ("compare", *PAIR[:3], "--scores", "h,q", "--measures", "auc", "--unanswered", "wrong"),
        lambda: ca.compare({"h": COLUMNS["h"], "q": Q}, Y, measures=["auc"], unanswered="wrong"),
    ),
    "compare: missing": (
        ("compare", *PAIR[:3], "--scores", "h,q", "--measures", "auc", "--unanswered", "drop"),
        lambda: ca.compare({"h": COLUMNS["h"], "q": Q}, Y, measures=["auc"], unanswered="drop"),
    ),
    "compare: costs": compare(
        *COST, measures=[*NAMES, ca.Costs(fp=1, fn=4)], positive=1
    ),
    "compare: amounts": compare(
        *("--cost", "fp=w", "--cost", "fn=fee"),
        measures=[*NAMES, ca.Costs(fp="w", fn="fee")],
        amounts={"w": W, "fee": FEE},
    ),
    "compare: groups": compare("--by", "site", by={"site": SITE}),
    "compare: all groups": (
        ("compare", "d.csv", "--truth", "y", "--scores", "p,q", "--by", "*"),
        lambda: ca.compare(
            {"y": Y, **DISTINCT, "fee": FEE, "w": W, "site": SITE}, truth="y", scores=["p", "q"], by="*"
        ),
    ),
    "compare: pool": compare("--by", "site", "--pool", "30", by={"site": SITE}, pool=30),
    "compare: bands": compare("--by", "fee", "--bands", "fee=40", by={"fee": FEE}, bands={"fee": [40]}),
    "compare: pairs": (
        ("compare", *PAIR[:3], "--scores", "p,q,r,fee", "--measures", "auc", "--pairs"),
        lambda: ca.compare(THREE | {"fee": FEE}, Y, measures=["auc"]).in_pairs(),
    ),
    "compare files": files(),
    "compare files: cluster": files("--cluster", "g", cluster=G),
    "compare files: weight": files("--weight", "w", weight=W),
    "compare files: threshold": files("--threshold", "p=0.3,q=0.6", threshold={"p": 0.3, "q": 0.6}),
    "compare unpaired": unpaired(),
    "compare unpaired: weight": unpaired("--weight", "w", rows=lambda k: {"weight": W[k]}),
    "compare unpaired: frequency": unpaired("--frequency", "f", rows=lambda k: {"frequency": F[k]}),
    "compare unpaired: cluster": unpaired("--cluster", "g", rows=lambda k: {"cluster": G[k]}),
    "compare unpaired: level": unpaired("--level", "0.8", rows=lambda k: {"level": 0.8}),
    "compare unpaired: threshold": unpaired("--threshold", "0.3", rows=lambda k: {"threshold": 0.3}),
    "compare unpaired: positive": unpaired("--positive", "0", rows=lambda k: {"positive": 0}),
    "compare unpaired: score scale": unpaired("--score-scale", "logit", rows=lambda k: {"score_scale": "logit"}),
    "compare unpaired: greater": unpaired("--alternative", "greater", alternative="greater"),
    "compare unpaired: adjustment": unpaired("--adjustment", "bonferroni", adjustment="bonferroni"),
    "compare unpaired: method": unpaired(
        *("--method", "agresti-caffo"), measures=["recall"], method="agresti-caffo"
    ),
    "compare saved": saved(),
    "compare saved: level": saved("--level", "0.8", level=0.8),
    "compare saved: greater": saved("--alternative", "greater", alternative="greater"),
    "compare saved: less": saved("--alternative", "less", alternative="less"),
    "compare saved: adjustment": saved("--adjustment", "bonferroni", adjustment="bonferroni"),
    "compare saved: rule": saved("--rule", "non-inferior", "--margin", "0.3", rule="non-inferior", margin=0.3),
    "compare saved: equivalent": saved("--rule", "equivalent", "--margin", "0.3", rule="equivalent", margin=0.3),
    "compare learners": learners(),
    "compare learners: control": learners("--control", "bayes", control="bayes"),
    "compare learners: level": learners("--level", "0.8", level=0.8),
    "compare learners: greater": learners("--alternative", "greater", alternative="greater"),
    "compare learners: adjustment": learners("--adjustment", "bonferroni", adjustment="bonferroni"),
    "compare learners: rule": learners("--rule", "non-inferior", "--margin", "0.2", rule="non-inferior", margin=0.2),
    "compare values": graded(),
    "compare values: bounds": graded("--bounds", "0,1", bounds=(0, 1)),
    "compare values: better": graded("--better", "lower", better="lower"),
    "compare values: weight": graded("--weight", "w", weight=W),
    "compare values: frequency": graded("--frequency", "f", frequency=F),
    "compare values: cluster": graded("--cluster", "g", cluster=G),
    "compare values: level": graded("--level", "0.8", level=0.8),
    "compare values: control": graded("--control", "q", control="q"),
    "compare values: greater": graded("--alternative", "greater", alternative="greater"),
    "compare values: adjustment": graded("--adjustment", "bonferroni", adjustment="bonferroni"),
    "compare values: rule": graded("--rule", "superior", "--control", "q", rule="superior", control="q"),
    "compare values: groups": graded("--by", "site", by={"site": SITE}),
    "compare values: groups of two columns": graded("--by", "site,l", by={"site": SITE, "l": LABELS["p"]}),
    "compare values: bands": graded("--by", "fee", "--bands", "fee=40", by={"fee": FEE}, bands={"fee": [40]}),
    "best": best(),
    "best: measure": best("--measure", "roc_auc", measure="roc_auc"),
    "best: threshold": best("--threshold", "0.3", threshold=0.3),
    "best: level": best("--level", "0.8", level=0.8),
    "best: seed": best("--seed", "3", seed=3),
    "best: cluster": best("--cluster", "g", cluster=G),
    "best: positive": best("--measure", "recall", "--positive", "0", measure="recall", positive=0),
    "decide": decide(),
    "decide: positive": decide("--positive", "0", rows={"positive": 0}),
    "decide: amounts": (
        ("decide", *ROWS, "--cost", "fp=1", "--cost", "fn=fee"),
        lambda: ca.assess(Y, P, amounts={"fee": FEE}).threshold(cost={"fp": 1, "fn": "fee"}),
    ),
    "decide: where": decide("--where", "fpr <= 0.2", where="fpr <= 0.2"),
    "decide: maximize": decide(
        *("--maximize", "recall", "--where", "fpr <= 0.2"), cost=False, maximize="recall", where="fpr <= 0.2"
    ),
    "decide: minimize": decide(
        *("--minimize", "fpr", "--where", "recall >= 0.6"), cost=False, minimize="fpr", where="recall >= 0.6"
    ),
    "decide: top": decide("--top", "9", cost=False, top=9),
    "decide: prevalence": decide("--prevalence", "0.1", prevalence=0.1),
    "decide: level": decide("--level", "0.8", rows={"level": 0.8}),
    "decide: seed": decide("--seed", "3", rows={"seed": 3}),
    "decide: cluster": decide("--cluster", "g", rows={"cluster": G}),
    "decide: weight": decide("--weight", "w", rows={"weight": W}),
    "decide: frequency": decide("--frequency", "f", rows={"frequency": F}),
    "decide: amount of a true positive": (
        ("decide", *ROWS, "--cost", "fp=2,fn=fee,tp=w,tn=0.5", "--weight", "f"),
        lambda: ca.assess(Y, P, amounts={"fee": FEE, "w": W}, weight=F).threshold(
            cost={"fp": 2, "fn": "fee", "tp": "w", "tn": 0.5}
        ),
    ),
    "decide: unanswered and excluded": (
        ("decide", *ROWS[:-1], "h", *COST, "--unanswered", "drop"),
        lambda: ca.assess(Y, COLUMNS["h"], unanswered="drop").threshold(cost={"fp": 1, "fn": 4}),
    ),
    "decide: score scale": decide("--score-scale", "logit", rows={"score_scale": "logit"}),
    "decide in order": in_order(),
    "decide in order: steps": in_order(
        "--steps", "0,1,5", cost=ca.Costs.from_array([[0, 1, 5], [1, 0, 1], [5, 1, 0]], GRADES, rows="true")
    ),
    "decide in order: weight": in_order("--weight", "w", weight=W),
    "decide in order: frequency": in_order("--frequency", "f", frequency=F),
    "decide in order: level": in_order("--level", "0.8", level=0.8),
    "decide in order: seed": in_order("--seed", "3", seed=3),
    "decide in order: score scale": in_order("--score-scale", "logit", score_scale="logit"),
    "decide several": several(),
    "decide several: costs": several(*COST, cost={"fp": 1, "fn": 4}),
    "decide several: amounts": several(
        *("--cost", "fp=w", "--cost", "fn=fee"), cost={"fp": "w", "fn": "fee"}, amounts={"w": W, "fee": FEE}
    ),
    "decide several: prevalence": several(*COST, "--prevalence", "0.1", cost={"fp": 1, "fn": 4}, prevalence=0.1),
    "decide several: positive": several(*COST, "--positive", "0", cost={"fp": 1, "fn": 4}, positive=0),
    "decide several: weight": several(*COST, "--weight", "w", cost={"fp": 1, "fn": 4}, weight=W),
    "decide several: frequency": several(*COST, "--frequency", "f", cost={"fp": 1, "fn": 4}, frequency=F),
    "decide several: cluster": several(*COST, "--cluster", "g", cost={"fp": 1, "fn": 4}, cluster=G),
    "decide several: level": several(*COST, "--level", "0.8", cost={"fp": 1, "fn": 4}, level=0.8),
    "decide several: seed": several(*COST, "--seed", "3", cost={"fp": 1, "fn": 4}, seed=3),
    "decide several: score scale": several(
        *COST, "--score-scale", "logit", cost={"fp": 1, "fn": 4}, score_scale="logit"
    ),
    "proportion": (("proportion", "75", "100"), lambda: ca.proportion(75, 100)),
    "proportion: level": (("proportion", "3", "8", "--level", "0.8"), lambda: ca.proportion(3, 8, level=0.8)),
    "gate": gate(),
    "gate: superior": gate(rule="superior", margin=None),
    "gate: not worse": gate(rule="not-worse", margin=0.05),
    "gate: a loss": gate(measure="brier_score"),
    "gate: superior of values": values(rule="superior", margin=None),
    "gate: values": values(),
    "gate: values: better": values("--better", "lower", better="lower"),
    "gate: values: bounds": values("--bounds", "0,1", bounds=(0, 1)),
    "gate: values: weight": values("--weight", "w", weight=W),
    "gate: values: cluster": values("--cluster", "g", cluster=G),
    "gate: values: level": values("--level", "0.8", level=0.8),
    "gate: values: not worse": values(rule="not-worse", margin=0.05),
    "gate: saved": gate_of_saved(),
    "gate: saved: level": gate_of_saved("--level", "0.8", level=0.8),
    "gate: saved: not worse": gate_of_saved(rule="not-worse", margin=0.05),
    "gate: saved: recall": gate_of_saved(measure="recall"),
    "gate: frequency": gate("--frequency", "f", frequency=F),
    "gate: positive": gate("--positive", "0", measure="recall", positive=0),
    "gate: costs": (
        ("gate", *ROWS[:3], "--scores", "p,q", "--measure", "expected_cost", "--rule", "superior", *COST),
        lambda: ca.gate(ca.compare(TWO, Y, measures=[ca.Costs(fp=1, fn=4)]), "superior"),
    ),
    "gate: level": gate("--level", "0.8", level=0.8),
    "gate: cluster": gate("--cluster", "g", cluster=G),
    "gate: weight": gate("--weight", "w", weight=W),
    "gate: threshold": gate("--threshold", "0.3", measure="recall", threshold=0.3),
}  # fmt: skip
ELSEWHERE = {"facts", "title", "files", "file", "data", "headline", "warnings", "next_steps"}
"""What tells of the file, or in which words the reader is spoken to."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    to = tmp_path_factory.mktemp("called")
    lines = [
        ",".join("" if str(each) == "nan" else str(each) for each in row)
        for row in zip(*COLUMNS.values(), strict=True)
    ]
    (to / "p.csv").write_text("\n".join([",".join(COLUMNS), *lines]) + "\n")
    order = RNG.permutation(N)
    with_ids = {
        "p.csv": (P, range(N)),
        "q.csv": (Q, order),
        "one.csv": (P, range(N // 2)),
        "two.csv": (P, range(N // 2, N)),
    }
    for name, (score, cases) in with_ids.items():
        if name != "p.csv":
            rows = "".join(f"{i},{Y[i]},{score[i]},{G[i]},{W[i]},{F[i]}\n" for i in cases)
            (to / name).write_text("id,y,p,g,w,f\n" + rows)
    (to / "learned.classay").write_bytes(LEARNED.read_bytes())
    for name, score in TWO.items():
        ca.assess(Y, score, id=range(N)).save(to / f"{name}.classay")
    rows = zip(Y, *DISTINCT.values(), FEE, W, SITE, strict=True)
    (to / "d.csv").write_text(
        "\n".join(["y,p,q,fee,w,site", *(",".join(map(str, row)) for row in rows)]) + "\n"
    )
    return to


GROUPS = (pytest.mark.wings("groups"),)
WINGS = {"compare learners": (pytest.mark.wings("resampling"),)}
WINGS |= {name: GROUPS for name in CALLS if name.split(": ")[-1].split()[-1] in ("groups", "pool", "bands")}
WINGS["compare values: groups of two columns"] = GROUPS


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=WINGS.get(name.split(":")[0] if "learners" in name else name, ()))
        for name in CALLS
    ],
)
def test_a_command_writes_what_python_returns(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    arguments, wanted = CALLS[name]
    done = call(*arguments, "--json", "-")
    assert done.exit_code in (0, 1, 3), done.stderr
    found, known = json.loads(done.stdout), json.loads(json.dumps(wanted().to_dict()))
    assert {*known} <= {*found}
    for key in {*known} - ELSEWHERE:
        named = "p" if key == "model" and name.startswith("decide in order") else known[key]
        assert found[key] == named, key
    codes = [{each["code"] for each in told.get("warnings", ())} for told in (found, known)]
    assert codes[0] == codes[1]


@pytest.mark.parametrize(("top", "score"), [(None, "p"), (7, "p"), (7, "q"), (80, "p"), (1, "q")])
def test_the_highest_scores_of_a_decision_hold_what_the_rows_do(folder, monkeypatch, top, score):
    """Tenths of the cases, and the capacity: how many are positive, and their share of the first amount."""
    monkeypatch.chdir(folder)
    capacity = () if top is None else ("--top", str(top))
    done = call("decide", "d.csv", *ROWS[1:-1], score, "--cost", "fp=1,fn=fee", *capacity, "--json", "-")
    assert done.exit_code == 0, done.stderr
    gain = json.loads(done.stdout)["gain"]
    extra = {top / N} if top is not None and 1 <= top < N else set()
    wanted = sorted({k / 10 for k in range(1, 11)} | extra)
    assert gain["amount"] == "fee"
    assert [each["share"] for each in gain["parts"]] == pytest.approx(wanted)
    order = np.argsort(-DISTINCT[score])
    for each in gain["parts"]:
        k = round(each["share"] * N)
        highest = order[:k]
        assert each["k"] == pytest.approx(k)
        assert each["threshold"] == DISTINCT[score][highest[-1]]
        assert each["precision"]["value"] == pytest.approx(Y[highest].mean())
        assert each["recall"]["value"] == pytest.approx(Y[highest].sum() / Y.sum())
        assert each["captured"]["value"] == pytest.approx((FEE * Y)[highest].sum() / (FEE * Y).sum())
