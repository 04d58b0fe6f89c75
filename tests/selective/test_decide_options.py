"""Options of `classay decide --guarantee` and `--cost review=`: each has the effect of its argument in Python."""

from pathlib import Path

import numpy as np
import pytest

import classay as ca
from command import OF_THE_FILE, as_json, json_of, refusal, write_columns

RISK = "error_rate <= 0.2"


@pytest.fixture(scope="module")
def rows():
    """Columns of two and of three classes, with groups, clusters, frequencies and missing values."""
    rng = np.random.default_rng(5)
    n = 240
    y = rng.integers(0, 2, n)
    p = np.round(1 / (1 + np.exp(-rng.normal(2.4 * (2 * y - 1), 1.6))), 3)
    third = rng.integers(0, 3, n)
    scores = np.round(rng.dirichlet([1, 1, 1], n) * 0.5 + 0.5 * np.eye(3)[third], 3)
    columns = {
        "y": y,
        "p": p,
        "word": np.array(["no", "yes"])[y],
        "logit": np.round(np.log(p / (1 - p + 1e-9) + 1e-9), 3),
    }
    columns |= {"third": np.array(list("abc"))[third]}
    columns |= {f"p_{name}": scores[:, k] for k, name in enumerate("abc")}
    columns |= {"site": np.array(["east", "west"])[rng.integers(0, 2, n)], "patient": np.arange(n) // 2}
    columns |= {"times": rng.integers(1, 4, n), "weight": np.round(rng.gamma(2, 1, n) + 0.1, 2)}
    columns["gap"] = [None if k == 7 else float(value) for k, value in enumerate(p)]
    columns["open"] = [None if k in (3, 9) else int(value) for k, value in enumerate(y)]
    return columns


@pytest.fixture(scope="module")
def file(rows, tmp_path_factory):
    """The columns in a CSV file."""
    path = tmp_path_factory.mktemp("decide") / "rows.csv"
    return write_columns(path, rows)


def written(*arguments):
    return json_of("decide", *arguments, but=OF_THE_FILE)


def of_python(result):
    return as_json(result, OF_THE_FILE)


TWO = ("--truth", "y", "--score", "p")
COSTS = ("--cost", "fp=1", "--cost", "fn=4", "--cost", "review=0.3")


@pytest.fixture(scope="module")
def usual(file):
    """What a guarantee and a review write without an option."""
    return {words: written(file, *TWO, *words) for words in (("--guarantee", RISK), COSTS)}


THREE = ("--truth", "third", "--class-scores", "p_*")
ABC = {"a": "p_a", "b": "p_b", "c": "p_c"}
GUARANTEES = {
    "plain": (TWO, {}),
    "precision": (TWO, {"guarantee": "precision >= 0.8"}),
    "maximize coverage": ((*TWO, "--maximize", "coverage"), {}),
    "level": ((*TWO, "--level", "0.8"), {"level": 0.8}),
    "by": ((*TWO, "--by", "site"), {"by": "site"}),
    "each class": ((*THREE, "--each-class"), {"truth": "third", "score": ABC, "each_class": True}),
    "class scores": (THREE, {"truth": "third", "score": ABC}),
    "each class of two": ((*TWO, "--each-class"), {"each_class": True}),
    "cluster": ((*TWO, "--cluster", "patient"), {"cluster": "patient"}),
    "frequency": ((*TWO, "--frequency", "times"), {"frequency": "times"}),
    "positive": (
        ("--truth", "word", "--score", "p", "--positive", "yes"),
        {"truth": "word", "positive": "yes"},
    ),
    "the other positive": (
        ("--truth", "word", "--score", "p", "--positive", "no"),
        {"truth": "word", "positive": "no"},
    ),
    "score scale": (
        ("--truth", "y", "--score", "logit", "--score-scale", "logit"),
        {"score": "logit", "score_scale": "logit"},
    ),
    "unanswered": (
        ("--truth", "y", "--score", "gap", "--unanswered", "drop"),
        {"score": "gap", "unanswered": "drop"},
    ),
    "missing": (
        ("--truth", "open", "--score", "p", "--missing", "drop"),
        {"truth": "open", "missing": "drop"},
    ),
}


@pytest.mark.parametrize("name", GUARANTEES)
def test_an_option_of_a_guarantee_is_its_argument(name, rows, file, usual):
    words, how = GUARANTEES[name]
    how = {"truth": "y", "score": "p", "guarantee": RISK} | how
    found = written(file, *words, "--guarantee", how["guarantee"])
    frame = {column: np.array(values, float) if None in values else values for column, values in rows.items()}
    wanted = of_python(ca.guarantee(frame, **how))
    assert found == wanted
    assert (found == usual["--guarantee", RISK]) == (name in ("plain", "maximize coverage", "positive"))


@pytest.mark.parametrize(
    ("words", "how"),
    [
        ((), {}),
        (("--level", "0.8"), {"level": 0.8}),
        (("--seed", "3"), {"seed": 3}),
        (("--frequency", "times"), {"frequency": "times"}),
        (("--weight", "weight"), {"weight": "weight"}),
        (("--truth", "word", "--positive", "no"), {"truth": "word", "positive": "no"}),
        (("--score", "logit", "--score-scale", "logit"), {"score": "logit", "score_scale": "logit"}),
        (("--score", "gap", "--unanswered", "drop"), {"score": "gap", "unanswered": "drop"}),
        (("--truth", "open", "--missing", "drop"), {"truth": "open", "missing": "drop"}),
    ],
)
def test_an_option_of_a_review_is_its_argument(words, how, rows, file, usual):
    given = [] if "--truth" in words else ["--truth", "y"]
    given += [] if "--score" in words else ["--score", "p"]
    prices = {"fp": 1, "fn": 4, "review": 0.3}
    found = written(file, *given, *words, *COSTS)
    how = {"truth": "y", "score": "p"} | how
    frame = {column: np.array(values, float) if None in values else values for column, values in rows.items()}
    assert found == of_python(ca.assess(frame, **how).threshold(cost=prices))
    assert (found == usual[COSTS]) == (not words)


REFUSED = [
    (
        (*TWO, "--score", "logit", "--guarantee", RISK),
        "--guarantee works with one score, but --score names several",
    ),
    ((*TWO, "--score", "logit", *COSTS), "--cost review= works with one score, but --score names several"),
    (
        (*TWO, "--guarantee", RISK, "--maximize", "recall"),
        "A guarantee maximizes coverage, not 'recall'. Remove --maximize",
    ),
    ((*TWO, "--guarantee", "precision >= 0.8", "--maximize", "coverages"), "coverages"),
    ((*TWO, "--guarantee", "precision >= 0.8", "--maximize", "f1"), "A guarantee maximizes recall, not 'f1'"),
    ((*TWO, "--guarantee", RISK, "--weight", "weight"), "Use cases without --weight"),
    ((*TWO, "--guarantee", RISK, "--cluster", "patient", "--frequency", "times"), "Remove --frequency"),
    ((*TWO, "--guarantee", RISK, "--each-class", "--by", "site"), "--by and --each-class cannot be combined"),
    (
        (*TWO, "--guarantee", "precision >= 0.8", "--each-class"),
        "--each-class needs error_rate or accuracy, because precision",
    ),
    (
        ("--truth", "y", "--score", "logit", "--guarantee", RISK),
        "Set --score-scale, or guarantee the precision",
    ),
    (
        ("--truth", "y", "--score", "gap", "--unanswered", "wrong", "--guarantee", RISK),
        "Use --unanswered drop to exclude it",
    ),
    (
        (*THREE, "--guarantee", "precision >= 0.8"),
        "precision needs one positive class, but there are 3 classes",
    ),
    ((*TWO, "--guarantee", RISK, "--json", "no/such/folder.json"), "no/such"),
    ((*TWO, *COSTS, "--json", "no/such/folder.json"), "no/such"),
    ((*TWO, "--guarantee", RISK, "--top", "4"), "--top"),
    ((*TWO, "--guarantee", RISK, "--prevalence", "0.1"), "--prevalence"),
    ((*TWO, *COSTS, "--cluster", "patient"), "remove --cost review="),
    ((*TWO, *COSTS, "--maximize", "recall"), "--maximize"),
    (
        (*TWO, "--cost", "fp=1", "--cost", "fn=4", "--cost", "review=0.9"),
        "At --cost review=0.9 nothing would be reviewed",
    ),
    (
        (*TWO, "--cost", "fp=1", "--cost", "fn=times", "--cost", "review=0.3"),
        "all costs are numbers, but fn is 'times'",
    ),
]


@pytest.mark.parametrize(("words", "said"), REFUSED)
def test_wrong_options_are_refused_before_the_work(words, said, file):
    assert said in refusal("decide", file, *words)


def test_outputs_never_replace_the_rows(file):
    for words in (("--guarantee", RISK), COSTS):
        assert "would overwrite the input" in refusal("decide", file, *TWO, *words, "--json", file)


@pytest.mark.parametrize(
    ("option", "words"), [("--guarantee", ("--guarantee", RISK)), ("--cost review=", COSTS)]
)
def test_rows_in_several_files_are_refused(option, words, file, tmp_path):
    text = Path(file).read_text()
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(text)
    assert f"{option} needs all rows at once, but {tmp_path} is counted part by part" in refusal(
        "decide", str(tmp_path), *TWO, *words
    )
