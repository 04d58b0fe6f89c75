"""`classay label` and `classay assess --design`: the list, its plan, further labels, and what is refused."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import classay as ca
from classay.errors import InputError
from classay.files.sheets import plain_text
from classay.label.lists import refuse_lost_labels
from command import as_json, call, refusal, typed


@pytest.fixture(scope="module")
def pool():
    rng = np.random.default_rng(0)
    scores = np.round(1 / (1 + np.exp(-rng.normal(-3, 1.6, 5000))), 6)
    lines = [f"c{k:05},{score},{int(rng.random() < score)}" for k, score in enumerate(scores)]
    return "\n".join(["name,p,y", *lines]) + "\n"


@pytest.fixture(autouse=True)
def _files(pool, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pool.csv").write_text(pool)


def run(*arguments):
    done = call(*arguments, columns=400)
    return done.exit_code, done.stdout, done.stderr


POOL = ("label", "pool.csv", "--score", "p", "--budget", "200", "--threshold", "0.3")


def rows_of(file):
    with open(file, newline="") as stream:
        return [*csv.DictReader(stream)]


def test_the_list_its_plan_and_the_estimate():
    code, shown, _ = run(*POOL, "--measures", "recall,precision", "--out", "list.csv")
    assert code == 0
    assert "The plan draws 200 of 5,000 cases from 6 strata by score." in shown
    assert "the expected half-widths of the 95% CIs are 0." in shown
    assert "With a simple random sample, the half-widths are 0." in shown
    listed, pool, plan = rows_of("list.csv"), rows_of("pool.csv"), ca.LabelPlan.load("list.plan.json")
    assert [int(row["pool_row"]) for row in listed] == plan.rows.tolist()
    assert all(row["name"] == pool[int(row["pool_row"])]["name"] for row in listed)
    assert [float(row["chance"]) for row in listed] == pytest.approx(plan.chance.tolist(), abs=1e-9)
    code, shown, said = run(
        "assess", "list.csv", "--truth", "y", "--score", "p", "--design", "list.plan.json", "--json", "-"
    )
    assert (code, said) == (0, "")
    written = json.loads(shown)
    truth = np.array([int(row["y"]) for row in pool])
    a = ca.assess_labeled(truth[plan.rows], rows=plan.rows, plan=plan)
    assert written["measures"]["recall"]["low"] == a["recall"].low
    assert written == as_json(a)


def test_a_list_without_scores():
    run(*POOL, "--out", "list.csv", "--blind")
    assert {*rows_of("list.csv")[0]} == {"pool_row", "name", "y"}
    assert run("assess", "list.csv", "--truth", "y", "--design", "list.plan.json")[0] == 0


def test_more_labels_keep_the_first_ones():
    run(*POOL, "--out", "list.csv")
    more = typed("label pool.csv --score p --after list.csv --design list.plan.json --truth y")
    code, shown, _ = run(*more, "--budget", "100", "--out", "more.csv")
    assert code == 0
    assert "300 of 5,000 cases" in shown
    first, both = rows_of("list.csv"), rows_of("more.csv")
    assert [row["pool_row"] for row in both[:200]] == [row["pool_row"] for row in first]
    assert len({row["pool_row"] for row in both}) == 300
    plan = ca.LabelPlan.load("more.plan.json")
    assert [float(row["chance"]) for row in both] == pytest.approx(plan.chance.tolist(), abs=1e-9)
    code, shown, _ = run("assess", "more.csv", "--truth", "y", "--design", "more.plan.json", "--json", "-")
    assert (code, json.loads(shown)["labels"]) == (0, 300)


@pytest.mark.parametrize(("condition", "code"), [("precision.low >= 0.1", 0), ("recall > 0.99", 1)])
def test_requirements_decide_the_exit_code(condition, code):
    run(*POOL, "--out", "list.csv")
    design = ("--design", "list.plan.json")
    assert run("assess", "list.csv", "--truth", "y", *design, "--require", condition)[0] == code


MORE = ("label", "pool.csv", "--score", "p", "--budget", "10")
LIST = ("assess", "pool.csv", "--truth", "y", "--design", "known.plan.json")
REFUSED = {
    "no score": (("label", "pool.csv"), "Name the column of --score"),
    "no budget": (("label", "pool.csv", "--score", "p"), "Use --budget N"),
    "budget above the pool": ((*MORE[:4], "--budget", "6000"), "there are 5,000 cases"),
    "blind without a list": ((*POOL, "--blind"), "Use --out too"),
    "over the pool": ((*POOL, "--out", "pool.csv"), "--out would overwrite pool.csv"),
    "over the plan": ((*POOL, "--out", "a.csv", "--json", "a.plan.json"), "another output"),
    "after without a plan": ((*MORE, "--after", "pool.csv"), "More labels need --design and --truth"),
    "positive without labels": ((*MORE, "--positive", "1"), "--positive needs labels"),
    "another aim": (
        (*MORE, "--after", "pool.csv", "--design", "known.plan.json", "--truth", "y", "--measures", "f1"),
        "--measures cannot be combined with --after",
    ),
    "no plan": ((*LIST[:-1], "pool.csv"), "damaged or not a labeling plan"),
    "missing plan": ((*LIST[:-1], "none.json"), "Cannot read none.json"),
    "another threshold": ((*LIST, "--threshold", "0.4"), "but the plan has 0.3"),
    "groups": ((*LIST, "--by", "name"), "--by cannot be used with --design"),
    "unsure without a plan": (("assess", "pool.csv", "--truth", "y", "--unsure", "x"), "Use --design too"),
    "known without a plan": (("assess", "pool.csv", "--truth", "y", "--known", "y"), "Use --design too"),
    "score and scores": ((*MORE, "--scores", "p,y"), "--score and --scores cannot be combined"),
    "one model": (("label", "pool.csv", "--scores", "p", "--budget", "100"), "A plan compares two models"),
    "one column of scores": (
        ("compare", "pool.csv", "--truth", "y", "--scores", "p,name,other", "--design", "known.plan.json"),
        "Use --scores A,B",
    ),
    "no truth": (("assess", "pool.csv", "--design", "known.plan.json"), "--truth"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    arguments, text = REFUSED[case]
    if "known.plan.json" in arguments:
        run(*POOL, "--out", "known.csv")
    assert text in refusal(*arguments, columns=400)


def test_two_models_from_a_list():
    rows = rows_of("pool.csv")
    rng = np.random.default_rng(1)
    with open("two.csv", "w") as stream:
        lines = [
            f"{row['p']},{min(float(row['p']) * rng.uniform(0.5, 1.5), 1):.6f},{row['y']}" for row in rows
        ]
        stream.write("\n".join(["new,old,y", *lines]) + "\n")
    plan = typed("label two.csv --scores new,old --threshold 0.3 --budget 200 --out l.csv")
    code, shown, said = run(*plan)
    assert (code, said) == (0, "")
    assert "Differences of new and old can be estimated." in shown
    compare = ("compare", "l.csv", "--truth", "y", "--scores", "new,old", "--design", "l.plan.json")
    code, shown, said = run(*compare, "--json", "-")
    assert (code, said) == (0, "")
    data, made = rows_of("two.csv"), ca.LabelPlan.load("l.plan.json")
    scores = {name: np.array([float(row[name]) for row in data]) for name in ("new", "old")}
    truth = np.full(5000, np.nan)
    truth[made.rows] = [int(data[row]["y"]) for row in made.rows]
    c = ca.compare(scores, truth, design=made)
    written = json.loads(shown)["comparisons"]
    assert [one["p"] for one in written] == pytest.approx([one.p for one in c])
    more = run(
        *plan[:4],
        *typed("--budget 50 --after l.csv --design l.plan.json --truth y --out m.csv"),
    )
    assert more[0] == 0
    assert len(rows_of("m.csv")) == 250


def test_labels_of_flagged_cases_saved_and_shown_again():
    rows = rows_of("pool.csv")
    with open("flagged.csv", "w") as stream:
        lines = [f"{row['p']},{row['y'] if float(row['p']) >= 0.3 else ''}" for row in rows]
        stream.write("\n".join(["p,y", *lines]) + "\n")
    flagged = typed("assess flagged.csv --truth y --score p --threshold 0.3 --design flagged")
    code, shown, _ = run(*flagged, "--save", "a.classay")
    assert code == 0
    assert "Recall cannot be estimated. Recall is between " in shown
    assert run("runs", "a.classay")[1].splitlines()[1:] == shown.splitlines()[1:]
    assert "--score" in run(*flagged[:4], *flagged[6:])[2]


def test_labels_of_another_process():
    run(*POOL, "--out", "list.csv")
    plan, rows = ca.LabelPlan.load("list.plan.json"), rows_of("pool.csv")
    drawn = {*plan.rows.tolist()}
    with open("known.csv", "w") as stream:
        lines = [
            f"{row['p']},{row['y'] if k in drawn or k < 40 else ''},{int(k < 40)}"
            for k, row in enumerate(rows)
        ]
        stream.write("\n".join(["p,y,old", *lines]) + "\n")
    design = ("--truth", "y", "--score", "p", "--design", "list.plan.json")
    code, shown, _ = run("assess", "known.csv", *design, "--known", "old")
    assert code == 0
    assert "40 labels are from another process." in shown


def test_labels_needed_for_a_half_width():
    needed = typed("sample-size labels pool.csv --score p --threshold 0.3 --half-width 0.1")
    code, shown, _ = run(*needed)
    number = int(shown.split()[0])
    scores = np.array([float(row["p"]) for row in rows_of("pool.csv")])
    assert (code, number) == (0, ca.sample_size.for_labels(scores, 0.1, threshold=0.3).cases)
    assert int(run(*needed, "--design", "random")[1].replace(",", "").split()[0]) > number


def test_another_pool_is_refused():
    run(*POOL, "--out", "list.csv")
    rows = rows_of("list.csv")
    lines = [f"{row['pool_row']},{float(row['p']) / 2},{row['y']}" for row in rows]
    with open("other.csv", "w") as stream:
        stream.write("\n".join(["pool_row,p,y", *lines]) + "\n")
    design = ("--truth", "y", "--score", "p", "--design", "list.plan.json")
    code, _, said = run("assess", "other.csv", *design)
    assert code == 2
    assert "The score differs from that of the plan" in said
    code, _, said = run("assess", "pool.csv", "--truth", "y", "--design", "list.plan.json")
    assert code == 0  # all of the pool have a label here, those that were not drawn are excluded
    assert "were not drawn by the plan" in run("assess", "pool.csv", *design)[1]


def test_merged_parts_are_the_assessment_of_all_labels():
    run(*POOL, "--out", "l.csv")
    header, *lines = Path("l.csv").read_text().splitlines()
    for part in range(3):
        Path(f"part{part}.csv").write_text("\n".join([header, *lines[part::3]]) + "\n")
    design = ("--truth", "y", "--design", "l.plan.json")
    for name in ("l", "part0", "part1", "part2"):
        assert run("assess", f"{name}.csv", *design, "--save", f"{name}.classay")[0] == 0
    parts = ("part2.classay", "part0.classay", "part1.classay")
    code, _, said = run("merge", *parts, "--require", "recall.low >= 0.99", "--save", "all.classay")
    assert code == 1
    whole, merged = (ca.load(f"{name}.classay").to_dict() for name in ("l", "all"))
    assert merged == whole
    assert "FAIL: recall.low >= 0.99" in said
    for arguments, text in (
        (parts[:1], "Name two or more files"),
        ((*parts, "--apart"), "--apart cannot be used with assessments from labels"),
        ((*parts, "other.classay"), "other.classay"),
        ((*parts, "pool.classay"), "pool.classay"),
    ):
        run("assess", "pool.csv", "--truth", "y", "--score", "p", "--save", "pool.classay")
        code, _, said = run("merge", *arguments)
        assert (arguments, code, text in said) == (arguments, 2, True), said


def test_the_ratio_of_two_recalls_from_flagged_cases():
    rows = rows_of("pool.csv")
    with open("flagged.csv", "w") as stream:
        stream.write("new,old,y\n")
        for k, row in enumerate(rows):
            new, old = float(row["p"]), float(row["p"]) * (0.6 + 0.8 * (k % 2))
            stream.write(f"{new},{old},{row['y'] if max(new, old) >= 0.3 else ''}\n")
    compare = ("compare", "flagged.csv", "--truth", "y", "--scores", "new,old", "--threshold", "0.3")
    code, shown, said = run(*compare, "--design", "flagged")
    assert (code, said) == (0, "")
    assert "new / old: " in shown
    assert "95% CI" in shown
    code, methods, _ = run(*compare, "--design", "flagged", "--markdown", "-")
    assert "Bonett-Price, paired ratio" in methods
    assert "Bonett & Price 2006" in methods.replace("\\", "")
    assert "Tango" not in methods


def without_labels(source, file, kept=0):
    """Write a copy of a file in which only the first rows have a label."""
    rows = rows_of(source)
    with open(file, "w", newline="") as stream:
        writer = csv.DictWriter(stream, [*rows[0]])
        writer.writeheader()
        writer.writerows(row | {"y": row["y"] if place < kept else ""} for place, row in enumerate(rows))


@pytest.mark.parametrize("how", [(), ("--blind",)])
def test_a_list_with_labels_is_not_overwritten(how):
    without_labels("pool.csv", "blank.csv")
    plan = ("label", "blank.csv", *POOL[2:], "--out", "l.csv", *how)
    assert run(*plan)[0] == run(*plan, "--seed", "1")[0] == run(*plan)[0] == 0  # nothing is lost
    empty = Path("l.csv").read_text()
    rows = rows_of("l.csv")
    with open("l.csv", "w") as stream:
        stream.write(empty.replace(",,", ",1,", 1) if not how else empty.replace(",\n", ",1\n", 1))
    labeled = Path("l.csv").read_text()
    assert labeled != empty
    for more in ((), ("--seed", "1")):
        code, _, said = run(*plan, *more)
        assert (code, "the column y would be lost" in said) == (2, True)
    assert Path("l.csv").read_text() == labeled
    lines = [f"{row['pool_row']}," for row in rows]
    with open("l.csv", "w") as stream:
        stream.write("\n".join(["pool_row,read", *lines]) + "\n")
    code, _, said = run(*plan)
    assert (code, "the column read would be lost" in said) == (2, True)


def test_a_list_loses_nothing_to_its_like_whatever_its_texts_are(tmp_path):
    """No cell of a list is lost where the same list is written again; an emptied cell is."""
    texts = [
        "two\nlines",
        "two\r\nlines",
        "\n",
        'a "quote", and more',
        "two\u2028lines",
        "a\x0cpage",
        "a\x85line",
    ]
    file = tmp_path / "list.csv"
    for header in ("text", *texts[3:]):
        for text in texts:
            content = io.StringIO(newline="")
            writer = csv.DictWriter(content, ["pool_row", header, "y"])
            writer.writeheader()
            writer.writerows({"pool_row": place, header: text, "y": place} for place in range(3))
            written = content.getvalue().encode()
            file.write_bytes(written)
            refuse_lost_labels(str(file), written, pa.table({"other": [1, 2, 3]}))
            with pytest.raises(InputError, match="the column y would be lost"):
                refuse_lost_labels(str(file), written.replace(b",2", b","), pa.table({"other": [1, 2, 3]}))


def test_the_plan_of_another_list_is_not_overwritten(tmp_path):
    run(*POOL, "--out", "l.csv")
    (tmp_path / "l.csv").rename("labeled.csv")
    before = Path("l.plan.json").read_text()
    code, _, said = run(*POOL, "--out", "l.csv", "--seed", "1")
    assert (code, "l.plan.json has another plan" in said) == (2, True)
    assert Path("l.plan.json").read_text() == before
    assert run(*POOL, "--out", "l.csv")[0] == 0  # the same plan
    Path("l.csv").unlink()
    damaged = Path("l.plan.json").read_text()[:-50]
    Path("l.plan.json").write_text(damaged)
    assert run(*POOL, "--out", "l.csv")[0] == 2
    assert Path("l.plan.json").read_text() == damaged


DOORS = (
    ("assess", "l.csv", "--truth", "y", "--score", "p"),
    ("assess", "l.csv", "--truth", "y", "--prediction", "y"),
    ("assess", "l.csv", "--truth", "y", "--by", "name", "--score", "p"),
    ("assess", "l.csv", "--truth", "y", "--score", "p", "--memory", "100"),
    ("decide", "l.csv", "--truth", "y", "--score", "p", "--cost", "fn=5", "--cost", "fp=1"),
    ("compare", "l.csv", "--truth", "y", "--scores", "p,y2"),
    ("gate", "l.csv", "--truth", "y", "--scores", "p,y2", "--measure", "recall", "--rule", "not-worse"),
    typed("gate pool.csv l.csv --truth y --score p --measure recall --rule not-worse"),
    ("judge", "l.csv", "--human", "y", "--judge", "y2"),
)
"""Commands on the list l.csv without its plan."""


@pytest.mark.parametrize("how", [(), ("--blind",)])
def test_a_list_is_no_random_sample(how):
    import pandas as pd

    run(*POOL, "--out", "l.csv", *how)
    frame = pd.read_csv("l.csv")
    frame.assign(y2=frame["y"]).to_csv("l.csv", index=False)
    for door in DOORS:
        code, _, said = run(*door)
        assert (door, code) == (door, 2)
        remedy = "Use `classay assess --design l.plan.json`."
        if door[0] == "judge":
            remedy = "Use the file of all cases with the labels in a column."
        assert f"drawn with unequal chances. {remedy}" in said, door
    assert run("assess", "l.csv", "--truth", "y", "--design", "l.plan.json")[0] == 0


def test_no_door_of_python_takes_a_list_for_a_random_sample():
    import pandas as pd
    import polars as pl

    run(*POOL, "--out", "l.csv")
    frame = pd.read_csv("l.csv").assign(q=lambda frame: frame["p"] / 2)
    weighted = frame.assign(w=1 / frame["chance"])
    compared = {"truth": "y", "scores": ["p", "q"], "threshold": 0.3}
    for table in (frame, {name: frame[name] for name in frame}, pl.from_pandas(frame).lazy()):
        for door in (
            lambda table, **how: ca.assess(table, truth="y", score="p", **how),
            lambda table, **how: ca.assess_by(table, truth="y", score="p", by="name", **how),
            lambda table, **how: ca.compare(table, **compared, **how),
            lambda table, **how: ca.scan(table, truth="y", score="p", **how),
        ):
            with pytest.raises(ca.InputError, match="unequal chances"):
                door(table)
    with pytest.raises(ca.InputError, match="unequal chances"):
        ca.scan("l.csv", truth="y", score="p")
    recall = ca.assess(weighted, truth="y", score="p", weight="w", threshold=0.3)["recall"].value
    a = ca.assess(frame, truth="y", score="p", design=ca.LabelPlan.load("l.plan.json"))
    assert recall == pytest.approx(a["recall"].value)
    assert ca.compare(weighted, **compared, weight="w", measures=["recall"])[0].values[0] == pytest.approx(
        recall
    )
    weighted.to_csv("l.csv", index=False)
    ways = (
        ("assess", "--score", "p", "--threshold", "0.3"),
        ("compare", "--scores", "p,q", "--threshold", "0.3"),
    )
    for verb, *how in ways:
        assert run(verb, "l.csv", "--truth", "y", "--weight", "w", *how)[0] == 0


def test_a_list_is_described_with_its_plan():
    run(*POOL, "--out", "l.csv")
    command = "classay assess l.csv --truth y --design l.plan.json"
    for shown in (run("describe", "l.csv")[1], run("assess", "l.csv")[1]):
        assert [line.strip() for line in shown.splitlines() if "classay assess" in line] == [command]
        assert "--scores" not in shown
    assert run(*command.split()[1:])[0] == 0
    columns = {one["name"]: one for one in json.loads(run("describe", "l.csv", "--json", "-")[1])["columns"]}
    roles = {name: columns[name]["roles"][0]["role"] for name in ("pool_row", "stratum", "chance")}
    assert roles == {"pool_row": "id", "stratum": "group", "chance": "weight"}


def test_drawn_cases_without_a_label_are_told_and_not_expected():
    run(*POOL, "--out", "list.csv")
    without_labels("list.csv", "part.csv", 120)
    more = typed("label pool.csv --score p --budget 60 --design list.plan.json --truth y")
    halves = {}
    for file in ("list.csv", "part.csv"):
        code, shown, said = run(*more, "--after", file, "--out", f"more_{file}")
        assert (code, said) == (0, "")
        plan = ca.LabelPlan.load(f"more_{file}".replace(".csv", ".plan.json"))
        halves[file] = plan.expected
        told = [warning.text for warning in plan.warnings if warning.code == "not_labeled"]
        assert bool(told) is (file == "part.csv")
        assert "80 cases of earlier draws have no label." in shown or not told
        assert f"`classay assess more_{file} --truth y --design more_{file[:-4]}.plan.json`" in " ".join(
            shown.split()
        )
    assert all(halves["part.csv"][name] > half for name, half in halves["list.csv"].items())


@pytest.mark.parametrize("pair", [("=ill", "-well"), ("+", "-"), ("+1", "-1"), ("'=ill", "=ill")])
def test_labels_that_a_spreadsheet_would_compute(pair):
    rows = [line.rsplit(",", 1) for line in Path("pool.csv").read_text().splitlines()[1:1501]]
    measures = []
    for name, (ill, well) in (("plain", "10"), ("signs", pair)):
        text = [f'{row},"{ill if y == "1" else well}","@{y}"' for row, y in rows]
        Path(f"{name}.csv").write_text("\n".join(["name,p,y,=note", *text]) + "\n")
        pool, first, second = (f"{name}.csv", "--score", "p"), f"{name}1.csv", f"{name}2.csv"
        assert run("label", *pool, "--budget", "200", "--threshold", "0.3", "--out", first)[0] == 0
        labels = ("--truth", "y", "--positive", ill, "--design", f"{name}1.plan.json")
        measures.append(json.loads(run("assess", first, *labels, "--json", "-")[1])["measures"])
        code, _, said = run("label", *pool, "--budget", "50", "--after", first, *labels, "--out", second)
        assert (code, said) == (0, "")
    assert measures[0] == measures[1]
    assert {row["'=note"] for file in (first, second) for row in rows_of(file)} == {"'@1", "'@0"}
    assert [plain_text(row["y"]) for row in rows_of(second)] == [
        pair[row["y"] == "0"] for row in rows_of("plain2.csv")
    ]


def test_labels_that_refute_the_plan_name_the_command_for_more_of_them():
    rng = np.random.default_rng(1)
    pool = [{**row, "y": int(rng.random() < float(row["p"]) / 5)} for row in rows_of("pool.csv")]
    with open("pool.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, [*pool[0]])
        writer.writeheader()
        writer.writerows(pool)
    run(*POOL, "--out", "list.csv")
    code, shown, _ = run("assess", "list.csv", "--truth", "y", "--design", "list.plan.json")
    assert code == 0
    assert "is outside the CI of the estimate" in shown
    command = "classay label POOL --score COL --after list.csv --truth y --design list.plan.json --budget N --out MORE"
    assert command in " ".join(shown.split())
    words = {"POOL": "pool.csv", "COL": "p", "N": "50", "MORE": "more.csv"}
    code, shown, _ = run(*[words.get(word, word) for word in command.split()[1:]])
    assert code == 0
    assert "By the 200 labels so far, the expected half-widths" in " ".join(shown.split())
    assert "is outside the CI of the estimate" in shown


def test_a_plan_without_the_later_keys_is_read():
    run(*POOL, "--out", "list.csv")
    fields = json.loads(Path("list.plan.json").read_text())
    for name in ("expected_if_not_calibrated", "labels_used"):
        del fields[name]
    Path("old.plan.json").write_text(json.dumps(fields))
    plan = ca.LabelPlan.load("old.plan.json")
    assert (plan.labels_used, plan.expected_if_not_calibrated) == (0, {})
    assert "If not" not in " ".join(plan.sentences)
    assert plan.document() is not None
