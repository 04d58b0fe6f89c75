"""`compare` of files with one column of values each, joined by ids that may be several columns."""

import json
from pathlib import Path

import pytest

import classay as ca
from command import call, refusal


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Two files of the same answers in other orders."""
    monkeypatch.chdir(tmp_path)
    rows = [
        (f"q{k}", epoch, (k + epoch) % 3 > 0, k * epoch % 3 > 0, "ab"[k % 2])
        for k in range(12)
        for epoch in (1, 2)
    ]
    for name, at, order in (("new", 2, rows), ("old", 3, rows[::-1])):
        lines = [f"{row[0]},{row[1]},{row[at]:d},{row[4]}" for row in order]
        Path(f"{name}.csv").write_text("\n".join(["item,epoch,grade,kind", *lines]) + "\n")
    return rows


GRADED = ("compare", "new.csv", "old.csv", "--graded", "grade")


def test_values_of_two_files_are_joined_by_ids(files):
    done = call(*GRADED, "--id", "item,epoch", "--cluster", "item", "--json", "found.json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(Path("found.json").read_text())
    values = {"new": [float(row[2]) for row in files], "old": [float(row[3]) for row in files]}
    expected = ca.compare_values(values, cluster=[row[0] for row in files])
    assert found["models"] == ["new", "old"]
    assert found["comparisons"][0]["difference"] == pytest.approx(expected[0].effect.value)
    assert found["comparisons"][0]["p"] == pytest.approx(expected[0].p)


def test_answers_to_one_item_without_clusters_are_told(files):
    done = call(*GRADED, "--id", "item,epoch")
    assert "item" in done.stdout[done.stdout.index("Warnings") :]


def test_cases_that_a_file_lacks_have_no_value(files):
    lines = Path("old.csv").read_text().splitlines()
    Path("old.csv").write_text("\n".join(lines[:20]) + "\n")
    assert "values of old are missing in 5 rows" in call(*GRADED, "--id", "item,epoch").stderr
    assert "old: 5" in call(*GRADED, "--id", "item,epoch", "--unanswered", "drop").stdout


def test_groups_come_from_the_first_file(files):
    done = call(*GRADED, "--id", "item,epoch", "--cluster", "item", "--by", "kind")
    assert done.exit_code == 0, done.stderr
    assert "kind" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            (),
            "Several files need one column of values and the ids of their cases. Use --graded COL --id COL.",
        ),
        (("--id", "item"), "12 ids occur more than once in new, such as 'q0'."),
        (("--id", "item,epoc"), "new.csv has no column 'epoc'."),
    ],
)
def test_ids_that_do_not_join_are_refused(arguments, said, files):
    assert said in refusal(*GRADED, *arguments)


def test_ids_of_several_columns_join_predictions(files):
    for name in ("new", "old"):
        text = Path(f"{name}.csv").read_text()
        Path(f"{name}.csv").write_text(text.replace("grade", "p"))
    lines = [line.split(",") for line in Path("new.csv").read_text().splitlines()[1:]]
    truth = {(item, epoch): int(item[1:]) % 2 for item, epoch, *_ in lines}
    for name in ("new", "old"):
        head, *rows = Path(f"{name}.csv").read_text().splitlines()
        written = [f"{row},{truth[tuple(row.split(',')[:2])]}" for row in rows]
        Path(f"{name}.csv").write_text("\n".join([f"{head},y", *written]) + "\n")
    done = call("compare", "new.csv", "old.csv", "--truth", "y", "--predictions", "p", "--id", "item,epoch")
    assert done.exit_code == 0, done.stderr
    assert (
        "12 ids occur more than once"
        in call("compare", "new.csv", "old.csv", "--truth", "y", "--predictions", "p", "--id", "item").stderr
    )


@pytest.mark.parametrize(("bounds", "shown"), [("0,1,2", "'0,1,2'"), ("low", "'low'")])
def test_bounds_are_two_numbers(bounds, shown, files):
    done = call("compare", "new.csv", "--graded", "grade,epoch", "--bounds", bounds)
    assert f"--bounds must be 2 numbers, such as 0,1, but is {shown}." in done.stderr


def test_a_gate_of_a_file_each_is_that_of_columns_of_one(files):
    rule = ("--graded", "grade", "--id", "item,epoch", "--cluster", "item", "--bounds", "0,1")
    rule = (*rule, "--rule", "non-inferior", "--margin", "0.1", "--json", "-")
    of_two = call("gate", "new.csv", "old.csv", *rule)
    rows = [f"{row[0]},{row[1]},{row[2]:d},{row[3]:d}" for row in files]
    Path("both.csv").write_text("\n".join(["item,epoch,new,old", *rows]) + "\n")
    of_one = call("gate", "both.csv", "--graded", "new,old", "--cluster", "item", *rule[6:])
    assert of_two.exit_code == of_one.exit_code
    assert of_two.stdout == of_one.stdout
    refusal("gate", "new.csv", "old.csv", *rule[:2], *rule[8:])  # without ids


def test_weights_of_ids_of_several_columns_are_used(files):
    """Weighted predictions of two files are those of their columns in one call."""
    frames = {}
    for name in ("new", "old"):
        head, *rows = Path(f"{name}.csv").read_text().splitlines()
        rows = [row.split(",") for row in rows]
        frames[name] = {(row[0], row[1]): row[2] for row in rows}
        lines = [
            ",".join([*row, str(int(int(row[0][1:]) % 5 > 1)), str(1 + int(row[0][1:]) % 3)]).replace(
                "grade", "p"
            )
            for row in rows
        ]
        Path(f"{name}.csv").write_text("\n".join([f"{head.replace('grade', 'p')},y,w", *lines]) + "\n")
    words = (
        "--truth",
        "y",
        "--predictions",
        "p",
        "--id",
        "item,epoch",
        "--measures",
        "accuracy",
        "--json",
        "-",
    )
    weighted = json.loads(call("compare", "new.csv", "old.csv", *words, "--weight", "w").stdout)
    plain = json.loads(call("compare", "new.csv", "old.csv", *words).stdout)
    keys = [*frames["new"]]
    y = [int(int(item[1:]) % 5 > 1) for item, _ in keys]
    w = [1 + int(item[1:]) % 3 for item, _ in keys]
    models = {name: [int(frames[name][key]) for key in keys] for name in frames}
    for found, how in ((weighted, {"weight": w}), (plain, {})):
        (wanted,) = ca.compare(y_true=y, y_pred=models, measures=["accuracy"], **how)
        one, effect = found["comparisons"][0], wanted.effect
        assert [one[key] for key in ("difference", "low", "high")] == pytest.approx(
            [effect.value, effect.low, effect.high]
        )
    assert weighted["comparisons"][0]["low"] != plain["comparisons"][0]["low"]
