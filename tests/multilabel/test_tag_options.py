"""Several labels a case on the command line: every way to name them gives what `assess` gives."""

import json
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from command import as_json, call, json_of, refusal

RNG = np.random.default_rng(2)
TRUTH = (RNG.random((40, 3)) < [0.5, 0.3, 0.1]).astype(int)
SCORES = np.clip(0.3 + 0.4 * TRUTH + RNG.normal(0, 0.2, (40, 3)), 0.01, 0.99).round(3)
CALLED = (SCORES >= 0.5).astype(int)
A = ca.assess(TRUTH, SCORES, labels=list("abc"))
B = ca.assess(TRUTH, y_pred=CALLED, labels=list("abc"))


def write_cases():
    """Cases in a row each, in a row for each case and tag, and one of these twice."""

    def told(row):
        return "|".join(tag for tag, mark in zip("abc", row, strict=True) if mark)

    columns = [f"{kind}_{tag}" for kind in "ypc" for tag in "abc"]
    lines = [",".join([*columns, "a", "b", "c", "tags", "called", "hole"])]
    for own, score, called in zip(TRUTH, SCORES, CALLED, strict=True):
        hole = "" if len(lines) == 3 else score[0]
        lines.append(",".join(map(str, [*own, *score, *called, *own, told(own), told(called), hole])))
    Path("wide.csv").write_text("\n".join(lines) + "\n")
    rows = ["photo,tag,true,p,c"] + [
        f"{i},{'abc'[j]},{TRUTH[i, j]},{SCORES[i, j]},{CALLED[i, j]}" for i in range(40) for j in range(3)
    ]
    Path("long.csv").write_text("\n".join(rows) + "\n")
    Path("twice.csv").write_text("\n".join([*rows, rows[-1]]) + "\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_cases()


def told(*arguments):
    return json_of("assess", *arguments)


NAMED = ("--tag-scores", "a=p_a,b=p_b,c=p_c")
WAYS = {
    "names": ("wide.csv", "--truth-tags", "a,b,c", *NAMED),
    "pairs": ("wide.csv", "--truth-tags", "a=y_a,b=y_b,c=y_c", *NAMED),
    "patterns": ("wide.csv", "--truth-tags", "y_*", "--tag-scores", "p_*"),
    "labels": ("wide.csv", "--truth-tags", "y_a,y_b,y_c", "--tag-scores", "p_a,p_b,p_c", "--labels", "a,b,c"),
    "one column": ("wide.csv", "--tags", "tags", "--separator", "|", "--tag-scores", "p_*"),
    "long": ("long.csv", "--case", "photo", "--tag", "tag", "--truth", "true", "--score", "p"),
    "called": ("wide.csv", "--truth-tags", "y_*", "--tag-predictions", "c_*"),
    "two columns": ("wide.csv", "--tags", "tags", "--separator", "|", "--prediction", "called"),
    "long, called": ("long.csv", "--case", "photo", "--tag", "tag", "--truth", "true", "--prediction", "c"),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_every_way_gives_what_assess_gives(folder, way):
    found = told(*WAYS[way])
    wanted = B if "called" in way or way == "two columns" else A
    assert found == as_json(wanted)


def test_thresholds_and_the_highest_tags(folder):
    found = told(*WAYS["names"], "--tag-thresholds", "a=0.3,b=0.5,c=0.7")
    assert found["measures"] == as_json(A.at([0.3, 0.5, 0.7]))["measures"]
    assert (
        told(*WAYS["names"], "--top", "2")["measures"]["micro_f1"]["value"] == A.at_top(2)["micro_f1"].value
    )
    assert told(*WAYS["names"], "--threshold", "0.3")["threshold"] == 0.3


def test_it_is_saved_and_demanded(folder):
    asked = ("--require", "micro_recall.low > 0.99", "--measures", "recall[b]")
    done = call("assess", *WAYS["long"], "--save", "a", *asked)
    assert done.exit_code == 1
    assert "FAIL: micro_recall.low > 0.99" in done.output
    assert ca.load("a.classay")["recall[b]"] == A.tag("b")["recall"]


# -- two models, and groups ---------------------------------------------------------------------------

OTHER = np.roll(SCORES, 1, axis=0)
BOTH = ("two.csv", "--truth-tags", "y_*", "--tag-scores", "new=p_*,old=q_*")


def write_models():
    """Two models in one file, and in a file each, of which the second is in another order."""
    rows = [
        [
            f"k{i}",
            "ns"[i % 2],
            *TRUTH[i],
            *SCORES[i],
            *OTHER[i],
            "|".join(np.array(list("abc"))[TRUTH[i] > 0]),
        ]
        for i in range(40)
    ]
    for row, mine, other in zip(rows, CALLED, OTHER >= 0.5, strict=True):
        row += ["|".join(np.array(list("abc"))[each > 0]) for each in (mine, other)]
    head = ["id", "site", *(f"{kind}_{tag}" for kind in "ypq" for tag in "abc"), "tags", "new", "old"]
    Path("two.csv").write_text("\n".join(",".join(map(str, row)) for row in [head, *rows]) + "\n")
    swapped = [each.replace("q_", "x_").replace("p_", "q_").replace("x_", "p_") for each in head]
    Path("old.csv").write_text("\n".join(",".join(map(str, row)) for row in [swapped, *rows[::-1]]) + "\n")


@pytest.fixture
def two(folder):
    write_models()


def compared(*arguments):
    return json_of("compare", *arguments, "--measures", "micro_f1,recall[tag=b]")["comparisons"]


def test_every_way_to_name_two_models_gives_the_same(two):
    wanted = ca.compare(
        {"new": SCORES, "old": OTHER}, TRUTH, labels=list("abc"), measures=["micro_f1", "recall[b]"]
    )
    ways = {
        "columns": BOTH,
        "files": ("two.csv", "old.csv", "--truth-tags", "y_*", "--tag-scores", "p_*", "--id", "id"),
        "texts": ("two.csv", "--tags", "tags", "--separator", "|", "--predictions", "new,old"),
    }
    for way, arguments in ways.items():
        for found, one in zip(compared(*arguments), wanted, strict=True):
            assert [found["difference"], found["low"], found["high"]] == pytest.approx(
                [one.effect.value, one.effect.low, one.effect.high], abs=1e-9
            ), way


REFUSED_OF_TWO = [
    (("--truth-tags", "y_*", "--tag-scores", "p_*"), "Use new='n_*',old='o_*'"),
    (("--truth-tags", "y_*", "--tag-scores", "a=p_*,b=z_*"), "No column matches 'z_*' of score b"),
    (
        ("--truth-tags", "y_*", "--tag-scores", "a=p_*,b=q_*", "--cost", "fp=1"),
        "--cost cannot be used with --truth-tags or --tags (multilabel)",
    ),
    (
        ("--truth-tags", "y_*", "--tag-scores", "a=p_*,b=q_*", "--positive", "1"),
        "--positive cannot be used with --truth-tags or --tags (multilabel)",
    ),
]


@pytest.mark.parametrize(("given", "words"), REFUSED_OF_TWO, ids=[words[:24] for _, words in REFUSED_OF_TWO])
def test_what_two_models_are_refused_for_in_one_line(two, given, words):
    assert words in refusal("compare", "two.csv", *given)


# -- many files, and saved ones -----------------------------------------------------------------------

ODD = [("1.0", "2.0", "03"), ("TRUE", "FALSE", "true"), ("NA", "null", "n/a"), ("2024-01-01", "1e3", "NaN")]


@pytest.mark.parametrize("names", ODD)
@pytest.mark.parametrize("source", ["odd.csv", "odd.jsonl"])
def test_what_tags_are_called_changes_no_number(folder, names, source):
    """Of cases with one true tag each, beside several that are predicted."""

    def measured(called):
        rows = [
            (called[i % 3] if i % 7 else "", "|".join(called[k] for k in range(3) if (i + k) % (k + 3) < 2))
            for i in range(40)
        ]
        Path("odd").mkdir(exist_ok=True)
        for name, some in (("odd.csv", rows), ("odd/1.csv", rows[:9]), ("odd/2.csv", rows[9:])):
            Path(name).write_text("t,p\n" + "".join(f"{t},{p}\n" for t, p in some))
        Path("odd.jsonl").write_text("".join(json.dumps({"t": t, "p": p}) + "\n" for t, p in rows))
        how = ("--separator", "|", "--json", "-")
        made = [call("assess", source, "--tags", "t", "--prediction", "p", *how)]
        if source != "odd":
            made.append(call("compare", source, "--tags", "t", "--predictions", "p,t", *how))
        assert [each.exit_code for each in made] == [0] * len(made), made[0].output
        one, *two = [json.loads(each.stdout) for each in made]
        found = {name: each["value"] for name, each in one["measures"].items()}
        found |= {each["measure"]: each["difference"] for other in two for each in other["comparisons"]}
        return {name: each for name, each in found.items() if name.startswith(("micro", "macro", "samples"))}

    assert measured(names) == pytest.approx(measured(("a", "b", "c")), nan_ok=True)


def write_parts():
    """The cases of one file in three."""
    Path("parts").mkdir()
    head, *lines = Path("wide.csv").read_text().splitlines()
    for i, (first, last) in enumerate([(0, 3), (3, 25), (25, 40)]):
        Path(f"parts/{i}.csv").write_text("\n".join([head, *lines[first:last]]) + "\n")
