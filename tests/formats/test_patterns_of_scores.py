"""Every command takes a pattern in --class-scores, as it takes each label with its column."""

import json

import pytest

from command import call, refusal

PATTERN = "p_*"
NAMED = "cat=p_cat,dog=p_dog,owl=p_owl"


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ["cat", "dog", "owl"]
    lines = ["y,p_cat,p_dog,p_owl,q_cat,q_dog,q_owl"]
    for k in range(90):
        scores = [0.2, 0.3, 0.5]
        first, second = scores[k % 3 :] + scores[: k % 3], scores[k % 2 :] + scores[: k % 2]
        lines.append(",".join(map(str, [names[(k * 7 + k // 4) % 3], *first, *second])))
    (tmp_path / "p.csv").write_text("\n".join(lines))


def result(*words):
    done = call(*words, "--json", "out.json")
    assert done.exit_code == 0, done.stderr
    with open("out.json") as file:
        return json.load(file)


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    "words",
    [
        ("assess", "p.csv", "--truth", "y", "--class-scores", "{}"),
        ("assess", "p.csv", "--truth", "y", "--class-scores", "{}", "--limit-rows", "50"),
        pytest.param(
            (
                "assess",
                "p.csv",
                "--truth",
                "y",
                "--class-scores",
                "{}",
                "--require",
                "coverage(error_rate<=0.9) >= 0",
            ),
            marks=pytest.mark.wings("selective"),
        ),
        ("compare", "p.csv", "--truth", "y", "--class-scores", "new:{}", "--class-scores", "old:{other}"),
        pytest.param(
            ("decide", "p.csv", "--truth", "y", "--class-scores", "{}", "--guarantee", "error_rate <= 0.9"),
            marks=pytest.mark.wings("selective"),
        ),
    ],
    ids=["assess", "in parts", "require", "compare", "decide"],
)
def test_a_pattern_means_the_columns_it_matches_by_label(words):
    by_pattern = [word.format(PATTERN, other="q_*") for word in words]
    by_name = [word.format(NAMED, other=NAMED.replace("p_", "q_")) for word in words]
    assert result(*by_pattern) == result(*by_name)


@pytest.mark.usefixtures("rows")
def test_a_pattern_of_fewer_than_two_columns_is_refused():
    assert "--class-scores 'z_*' needs two columns, but names 0. Columns: y, p_cat" in refusal(
        "assess", "p.csv", "--truth", "y", "--class-scores", "z_*"
    )
