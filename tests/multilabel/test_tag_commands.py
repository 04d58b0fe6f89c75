"""Tags at the command: each option does what the argument of Python does, and what is refused says so in one line."""

import json
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from classay.inference.methods import all_names
from classay.multilabel.commands import ComparedTags, DecidedTags, TagOptions
from classay.multilabel.results import as_dict
from command import as_json, call, json_of, refusal, write_columns
from samples import tag_rows

N, TAGS = 60, ("a", "b", "c")
TRUTH, SCORES = tag_rows(np.random.default_rng(11), N, 3, share=0.4)
SCORES = SCORES.round(3)
OLD = np.roll(SCORES, 1, axis=0)
CALLED, OLD_CALLED = (SCORES >= 0.6).astype(int), (OLD >= 0.6).astype(int)
WEIGHT = np.random.default_rng(1).integers(1, 4, N)
CLUSTER = np.arange(N) // 2
SITE = np.where(np.arange(N) % 3, "north", "south")
AGE = 20 + np.arange(N)


def joined(rows):
    return ["|".join(tag for tag, mark in zip(TAGS, row, strict=True) if mark) for row in rows]


@pytest.fixture(scope="module")
def _files(tmp_path_factory):
    """A file of one row a case, the same of another model in another order, and one of rows of a case and a tag."""
    kinds = {"y": TRUTH, "p": SCORES, "q": OLD, "c": CALLED, "d": OLD_CALLED}
    columns = {f"{kind}_{tag}": each[:, k] for kind, each in kinds.items() for k, tag in enumerate(TAGS)}
    columns |= {"tags": joined(TRUTH), "new": joined(CALLED), "old": joined(OLD_CALLED)}
    columns |= {"w": WEIGHT, "k": CLUSTER, "site": SITE, "age": AGE, "id": np.arange(N)}
    columns |= {
        "label": TRUTH[:, 0],
        "gap_a": ["", *TRUTH[1:, 0]],
        "gap_b": TRUTH[:, 1],
        "gap_c": TRUTH[:, 2],
    }
    swap = {"p": "q", "q": "p", "c": "d", "d": "c"}
    heads = [f"{swap.get(name[0], name[0])}{name[1:]}" if name[1:2] == "_" else name for name in columns]
    long = ["case,tag,true,p,c,w"] + [
        f"x{i},{tag},{TRUTH[i, k]},{SCORES[i, k]},{CALLED[i, k]},{WEIGHT[i]}"
        for i in range(N)
        for k, tag in enumerate(TAGS)
    ]
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(tmp_path_factory.mktemp("tags"))
        write_columns("new.csv", columns)
        lines = Path("new.csv").read_text().splitlines()
        Path("old.csv").write_text("\n".join([",".join(heads), *lines[:0:-1]]) + "\n")
        Path("long.csv").write_text("\n".join(long) + "\n")
        yield


pytestmark = pytest.mark.usefixtures("_files")


FEW = ("--measures", "micro_f1,macro_f1")


def few(a):
    """The JSON of an assessment with two measures of all tags."""
    return json.loads(json.dumps(as_dict(a, ["micro_f1", "macro_f1"])))


SCORED = ("assess", "new.csv", "--truth-tags", "y_*", "--tag-scores", "p_*")
PREDICTED = ("assess", "new.csv", "--truth-tags", "y_*", "--tag-predictions", "c_*")
LONG = ("assess", "long.csv", "--case", "case", "--tag", "tag", "--truth", "true")


@pytest.mark.parametrize(
    ("words", "how"),
    [
        ((), {}),
        (("--weight", "w"), {"weight": WEIGHT}),
        (("--frequency", "w"), {"frequency": WEIGHT}),
        (("--cluster", "k"), {"cluster": CLUSTER}),
        (("--threshold", "0.3"), {"threshold": 0.3}),
        (("--tag-thresholds", "b=0.2,a=0.3,c=0.7"), {"threshold": [0.3, 0.2, 0.7]}),
        (("--top", "2"), {"top": 2}),
        (("--level", "0.8"), {"level": 0.8}),
        (("--seed", "7"), {"seed": 7}),
        (("--interval", "wilson"), {"interval": "wilson"}),
        (("--score-scale", "logit"), {"score_scale": "logit"}),
        (("--task", "tags"), {}),
        (("--missing", "drop"), {"missing": "drop"}),
    ],
)
def test_an_option_of_assess_is_its_argument(words, how):
    wanted = few(ca.assess(TRUTH, SCORES, labels=list(TAGS), **how))
    assert json_of(*SCORED, *words, *FEW) == wanted


@pytest.mark.parametrize(
    ("words", "how"),
    [
        (
            ("assess", "new.csv", "--truth-tags", "y_*", "--tag-predictions", "a=c_a,b=c_b,c=c_c"),
            {"y_pred": CALLED},
        ),
        ((*PREDICTED, "--tag-scores", "p_*"), {"y_pred": CALLED, "y_score": SCORES}),
        ((*PREDICTED, "--labels", "a,b,c"), {"y_pred": CALLED}),
        ((*LONG, "--score", "p", "--weight", "w"), {"y_score": SCORES, "weight": WEIGHT}),
    ],
)
def test_every_way_to_name_columns_is_that_of_python(words, how):
    assert json_of(*words, *FEW) == few(ca.assess(TRUTH, labels=list(TAGS), **how))


def test_a_missing_true_tag_is_refused_or_left_out():
    gaps = ("assess", "new.csv", "--truth-tags", "gap_*", "--tag-scores", "p_*")
    assert "is missing at index 0. Use --missing drop to exclude cases" in refusal(*gaps)
    found = json_of(*gaps, "--missing", "drop", *FEW)
    assert (found["n"], found["dropped"]) == (N - 1, 1)
    assert found["measures"] == few(ca.assess(TRUTH[1:], SCORES[1:], labels=list(TAGS)))["measures"]


def test_measures_and_all_show_what_they_name():
    found = json_of(*SCORED, "--measures", "micro_f1,recall[b]")
    a = ca.assess(TRUTH, SCORES, labels=list(TAGS))
    assert sorted(one["value"] for one in found["measures"].values()) == pytest.approx(
        sorted([a["micro_f1"].value, a.tag("b")["recall"].value])
    )
    short, long = (call(*SCORED, *words).stdout for words in ((), ("--all",)))
    assert "Further averages over tags" in long
    assert "Further averages over tags" not in short
    assert "Assessment of multilabel cases in new.csv" in short


@pytest.mark.parametrize("method", all_names())
def test_an_interval_is_taken_where_it_serves_and_is_refused_nowhere(method):
    names = ("weighted_recall", "weighted_false_negative_rate", "micro_f1", "exact_match", "samples_f1")
    usual, asked = (
        ca.assess(TRUTH, y_pred=CALLED, interval=interval).estimates(names) for interval in (None, method)
    )
    assert {name: one.value for name, one in asked.items()} == {
        name: one.value for name, one in usual.items()
    }
    taken = {name for name, one in asked.items() if one.method != usual[name].method}
    assert taken <= {"exact_match"}


@pytest.mark.wings("groups")
def test_groups_of_tags_are_those_of_python():
    by = (*SCORED, "--by", "site")
    found = json_of(*by, *FEW)
    slices = ca.assess_by(TRUTH, SCORES, labels=list(TAGS), by=SITE)
    assert found["measures"] == few(slices.overall)["measures"]
    assert "slices" in found
    text = call(*by, "--reference", "north", *FEW).stdout
    assert "in new.csv by site" in text
    banded = call(*SCORED, "--by", "age", "--bands", "age=40,60", *FEW)
    assert banded.exit_code == 0, banded.stderr
    for words, says in (
        ((*SCORED, "--reference", "north"), "--reference needs the groups of --by. Use --by too."),
        ((*SCORED, "--pool", "5"), "--pool"),
        ((*SCORED, "--by", "*"), "--by '*' searches subgroups of cases with one label, but these cases are"),
    ):
        assert says in refusal(*words)


@pytest.mark.parametrize(
    ("demand", "code"), [("micro_f1 >= 0.1", 0), ("micro_f1 >= 0.99", 1), ("f1[b] >= 0.1", 0)]
)
def test_a_demand_decides_the_exit_code(demand, code):
    done = call(*SCORED, "--require", demand, "--json", "d.json", *FEW)
    assert done.exit_code == code, done.stderr
    (one,) = json.loads(Path("d.json").read_text(encoding="utf-8"))["requirements"]
    assert demand in one.values()
    assert "requirements" not in json_of(*SCORED, *FEW)


WIDE = ("assess", "new.csv", "--truth-tags", "y_*")
PARTED = ("assess", "new.csv", "--tags", "tags")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("assess", "new.csv", "--tag-scores", "p_*"),
            "--tag-scores needs one more column. Name the true tags with --truth-tags or --tags, or",
        ),
        (
            ("assess", "new.csv", "--top", "2", "--truth", "label", "--score", "p_a"),
            "--top is for multilabel cases, but no true tags",
        ),
        (
            ("assess", "new.csv", "--case", "id"),
            "--case needs one more column. Name the true tags with --truth-tags or --tags",
        ),
        (
            (*WIDE, "--tags", "tags", "--separator", "|"),
            "--truth-tags, --tags name the tags in different ways. Keep one of them.",
        ),
        (
            (*WIDE, "--case", "id", "--tag", "site"),
            "--truth-tags, --case, --tag name the tags in different ways.",
        ),
        (
            ("assess", "long.csv", "--case", "case", "--truth", "true", "--score", "p"),
            "--case and --tag must be used together",
        ),
        (
            ("assess", "long.csv", "--tag", "tag", "--truth", "true", "--score", "p"),
            "--case and --tag must be used together",
        ),
        ((*LONG, "--tag-scores", "p"), "--tag-scores cannot be used with --case and --tag. Remove it."),
        (
            (*LONG, "--tag-predictions", "c"),
            "--tag-predictions cannot be used with --case and --tag. Remove it.",
        ),
        (
            (*LONG, "--score", "p", "--separator", "|"),
            "--separator cannot be used with --case and --tag. Remove it.",
        ),
        (
            (*WIDE, "--truth", "label"),
            "--truth is for one label per case, but these cases are multilabel. Use --truth-tags instead.",
        ),
        (
            (*WIDE, "--score", "p_a"),
            "--score is for one label per case, but these cases are multilabel. Use --tag-scores instead.",
        ),
        (
            (*WIDE, "--tag-scores", "p_*", "--separator", "|"),
            "--separator cannot be used without --tags. Remove it.",
        ),
        (
            (*PARTED, "--prediction", "new"),
            "--tags needs a separator for the tags in the column. Use --separator '|', for example.",
        ),
        (
            (*WIDE, "--prediction", "new"),
            "--prediction is one column, but --truth-tags has several. Use --tag-predictions.",
        ),
        (
            (*PARTED, "--separator", "|", "--tag-predictions", "c_*"),
            "--tag-predictions cannot be used with --tags (use --prediction for the column of",
        ),
        (
            (*SCORED, "--threshold", "0.5", "--tag-thresholds", "a=0.5"),
            "--threshold and --tag-thresholds cannot be combined. Use one of them.",
        ),
        (
            (*SCORED, "--tag-thresholds", "a=0.5,b=0.5,a=0.6"),
            "--tag-thresholds has 'a' twice. Give one threshold for each tag.",
        ),
        (
            (*SCORED, "--tag-thresholds", "a=0.5,b=x,c=1"),
            "--tag-thresholds must have a number for each tag, as in beach=0.3,dog=0.6, but is",
        ),
        ((*SCORED, "--tag-thresholds", "a=0.5"), "threshold"),
        ((*SCORED, "--top", "0"), "--top"),
        ((*SCORED, "--top", "4"), "top must be a number of tags from 1 to 3, but is 4."),
        (WIDE, "Multilabel cases need scores"),
        ((*SCORED, "--positive", "1"), "--positive cannot be used with --truth-tags (multilabel)"),
        ((*SCORED, "--labels", "a,b"), "truth has a column of tag 'c', which the other roles do not have."),
    ],
)
def test_the_command_refuses_in_one_line(words, says):
    assert says in refusal(*words)


# -- two models -----------------------------------------------------------------------------------------

TWO = ("compare", "new.csv", "--truth-tags", "y_*", "--tag-scores", "new=p_*,old=q_*")
CALLED_TWO = ("compare", "new.csv", "--truth-tags", "y_*", "--tag-predictions", "new=c_*,old=d_*")
FILES = ("compare", "new.csv", "old.csv", "--truth-tags", "y_*", "--id", "id")
MODELS = {"new": SCORES, "old": OLD}
PREDICTIONS = {"new": CALLED, "old": OLD_CALLED}


def differences(found):
    return [
        (one["measure"], one["difference"], one["low"], one["high"], one["p"]) for one in found["comparisons"]
    ]


def same_comparisons(found, wanted):
    for one, other in zip(differences(found), differences(as_json(wanted)), strict=True):
        assert one[0] == other[0]
        numbers = [[-1.0 if value is None else value for value in each[1:]] for each in (one, other)]
        assert numbers[0] == pytest.approx(numbers[1], abs=1e-9)


@pytest.mark.parametrize(
    ("words", "how"),
    [
        (TWO, {}),
        ((*TWO, "--threshold", "0.3"), {"threshold": 0.3}),
        ((*TWO, "--top", "1"), {"top": 1}),
        ((*TWO, "--weight", "w"), {"weight": WEIGHT}),
        ((*TWO, "--frequency", "w"), {"frequency": WEIGHT}),
        ((*TWO, "--cluster", "k"), {"cluster": CLUSTER}),
        ((*TWO, "--level", "0.8", "--seed", "3"), {"level": 0.8, "seed": 3}),
        (
            (*TWO, "--measures", "exact_match,micro_f1,one_error"),
            {"measures": ["exact_match", "micro_f1", "one_error"]},
        ),
        (
            (*TWO, "--measures", "exact_match", "--method", "exact"),
            {"measures": ["exact_match"], "method": "exact"},
        ),
        ((*TWO, "--adjustment", "hommel"), {"adjustment": "hommel"}),
        ((*TWO, "--score-scale", "logit"), {"score_scale": "logit"}),
        ((*FILES, "--tag-scores", "p_*"), {}),
    ],
)
def test_an_option_of_compare_is_its_argument(words, how):
    same_comparisons(json_of(*words), ca.compare(MODELS, TRUTH, labels=list(TAGS), **how))


@pytest.mark.parametrize(
    "words",
    [
        CALLED_TWO,
        ("compare", "new.csv", "--tags", "tags", "--separator", "|", "--predictions", "new,old"),
        (*FILES, "--tag-predictions", "c_*"),
    ],
)
def test_predicted_tags_are_compared_however_they_are_named(words):
    same_comparisons(json_of(*words), ca.compare(None, TRUTH, y_pred=PREDICTIONS, labels=list(TAGS)))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("--truth-tags", "y_*", "--tags", "tags", "--separator", "|"),
            "--truth-tags and --tags name the tags in different ways. Keep one of them.",
        ),
        (
            ("--tags", "tags", "--predictions", "new,old"),
            "--tags needs a separator for the tags in the column.",
        ),
        (
            ("--truth-tags", "y_*", "--separator", "|", "--tag-scores", "a=p_*,b=q_*"),
            "--tags needs a separator",
        ),
        (
            ("--truth-tags", "y_*", "--truth", "label", "--tag-scores", "a=p_*,b=q_*"),
            "--truth is for one label per case, but these cases are multilabel. Use --truth-tags instead.",
        ),
        (
            ("--truth-tags", "y_*", "--scores", "p_a,q_a"),
            "--scores is for one label per case, but these cases are multilabel. Use --tag-scores instead.",
        ),
        (
            ("--truth-tags", "y_*", "--predictions", "new,old"),
            "--predictions has single columns, but --truth-tags has several. Use --tag-predictions.",
        ),
        (
            ("--truth-tags", "y_*"),
            "There is nothing to compare. Name the columns of each model with --tag-scores new='n_*',old='o_*' or with",
        ),
        (
            ("--truth-tags", "y_*", "--tag-scores", "a=p_*"),
            "A comparison needs at least two models, but has one.",
        ),
        (
            ("--tag-scores", "a=p_*,b=q_*"),
            "--tag-scores is for multilabel cases, but no true tags are named. Use --truth-tags or --tags.",
        ),
        (
            ("--truth-tags", "y_*", "--tag-scores", "a=p_*,b=q_*", "--top", "1", "--threshold", "0.5"),
            "threshold= and top= cannot be combined",
        ),
        (
            ("--truth-tags", "y_*", "--tag-predictions", "a=c_*,b=d_*", "--threshold", "0.5"),
            "have no effect on predicted labels",
        ),
    ],
)
def test_two_models_are_refused_in_one_line(words, says):
    assert says in refusal("compare", "new.csv", *words)


NEAR = ("--measure", "micro_f1", "--rule", "non-inferior", "--margin", "0.9")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 0),
        (("--require", "micro_f1 >= 0.1"), 0),
        (("--require", "micro_f1 >= 0.999"), 1),
        (("--require", "micro_recall >= 0.9", "--threshold", "0.1"), 0),
        (("--require", "micro_recall >= 0.9", "--threshold", "0.999"), 1),
        (("--require", "precision_at(2) >= 0", "--top", "2"), 0),
        (("--require", "micro_f1[site=*] >= 0.1", "--by", "site"), 0),
    ],
)
def test_a_gate_of_tags_is_judged_on_the_first_model(words, code):
    done = call("gate", *TWO[1:], *NEAR, *words)
    assert done.exit_code == code, done.stdout + done.stderr


def test_a_gate_of_predicted_tags_has_no_threshold():
    a = ca.assess(TRUTH, y_pred=CALLED, labels=list(TAGS))["micro_f1"].value
    for limit, code in ((a - 0.001, 0), (a + 0.001, 1)):
        demand = ("--require", f"micro_f1 >= {limit:.4f}")
        assert call("gate", *CALLED_TWO[1:], *NEAR, *demand).exit_code == code


# -- decide ---------------------------------------------------------------------------------------------

DECIDE = ("decide", "new.csv", "--truth-tags", "y_*", "--tag-scores", "p_*")


@pytest.mark.parametrize(
    ("words", "how", "rule"),
    [
        (("--maximize", "f1"), {}, {"maximize": "f1"}),
        (("--minimize", "fpr"), {}, {"minimize": "fpr"}),
        (("--cost", "fp=1", "--cost", "fn=4"), {}, {"cost": {"fp": 1, "fn": 4}}),
        (("--maximize", "f1", "--weight", "w"), {"weight": WEIGHT}, {"maximize": "f1"}),
        (("--maximize", "f1", "--frequency", "w"), {"frequency": WEIGHT}, {"maximize": "f1"}),
        (("--maximize", "f1", "--cluster", "k"), {"cluster": CLUSTER}, {"maximize": "f1"}),
        (
            ("--maximize", "f1", "--level", "0.8", "--seed", "4"),
            {"level": 0.8, "seed": 4},
            {"maximize": "f1"},
        ),
        (("--maximize", "f1", "--score-scale", "logit"), {"score_scale": "logit"}, {"maximize": "f1"}),
    ],
)
def test_an_option_of_decide_is_its_argument(words, how, rule):
    wanted = ca.assess(TRUTH, SCORES, labels=list(TAGS), **how).threshold(**rule)
    assert json_of(*DECIDE, *words) == as_json(wanted)


def test_decide_reads_tags_of_one_column_and_leaves_out_missing_ones():
    parted = ("decide", *PARTED[1:], "--separator", "|", "--tag-scores", "p_*", "--maximize", "f1")
    wanted = ca.assess(TRUTH, SCORES, labels=list(TAGS)).threshold(maximize="f1")
    assert json_of(*parted) == as_json(wanted)
    gaps = ("decide", "new.csv", "--truth-tags", "gap_*", "--tag-scores", "p_*", "--maximize", "f1")
    refusal(*gaps)
    kept = ca.assess(TRUTH[1:], SCORES[1:], labels=list(TAGS)).threshold(maximize="f1")
    found = json_of(*gaps, "--missing", "drop")
    assert {one["tag"]: one["threshold"] for one in found["tags"]} == kept.thresholds
    for words, says in (
        (
            ("decide", "new.csv", "--tag-scores", "p_*", "--maximize", "f1"),
            "--tag-scores is for multilabel cases, but no",
        ),
        (DECIDE, "The best threshold of a tag is not determined. Use --cost fp=1 --cost fn=5, or a measure"),
        ((*DECIDE, "--maximize", "mcc"), "has no mean over tags"),
        (("decide", "new.csv", "--truth-tags", "y_*", "--maximize", "f1"), "Multilabel cases need scores"),
    ):
        assert says in refusal(*words)


def test_options_know_which_were_given():
    given = TagOptions(truth_tags="y_*", tag_scores="p_*", top=2)
    assert given.given() == ["--truth-tags", "--tag-scores", "--top"]
    assert (given.names_truth, given.beside) == (True, "with --truth-tags (multilabel)")
    assert TagOptions(tags="t").names_truth
    assert not TagOptions(case="c", tag="t").names_truth
    assert TagOptions().given() == []
    decided = DecidedTags(tags="t", separator="|")
    assert (decided.given(), decided.is_named, decided.beside) == (
        ["--tags", "--separator"],
        True,
        "with --tags (multilabel)",
    )
    assert not DecidedTags().is_named
    compared = ComparedTags(tag_scores="new=p_*,old=q_*", tag_predictions="new=c_*,third=d_*")
    assert compared.models_named == 3
    assert ComparedTags(tag_scores="p_*").models_named == 0
    assert not ComparedTags().is_named
    assert not ComparedTags(truth_tags="y").reads(["a.csv"])
