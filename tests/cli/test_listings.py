"""Lists that commands print: whole in a pipe, and in a narrow terminal without a word in pieces."""

import itertools
import re
import shlex

import numpy as np
import pytest

import classay as ca
from classay.cli.commands.without_file import WIDE, explain_measure
from classay.measures import ALIASES, FAMILIES, get
from classay.measures.registry import FAMILY_ALIASES, OF_OTHERS, undefined_text
from classay.measures.vocabulary import REFERENCES
from command import call


@pytest.mark.parametrize(
    "arguments",
    [
        ("measures",),
        ("measures", "brier_score"),
        pytest.param(("protocols",), marks=pytest.mark.wings("resampling")),
    ],
)
def test_what_is_piped_is_not_broken_over_lines(arguments, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    piped = call(*arguments).stdout.splitlines()
    monkeypatch.setenv("COLUMNS", "60")
    narrow = call(*arguments).stdout.splitlines()
    assert len(piped) < len(narrow)


def test_every_measure_stands_on_one_line_of_a_pipe(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    lines = {
        line.split()[0]: " ".join(line.split())
        for line in call("measures").stdout.splitlines()
        if line.split()
    }
    for name, measure in ca.MEASURES.items():
        assert " ".join(measure.formula.split()) in lines[name]
        assert ", ".join(measure.aliases) in lines[name]


def written(bound):
    return {np.inf: "∞", -np.inf: "-∞"}.get(bound, f"{bound:g}")


def limits(measure):
    """The range in brackets, round beside what is infinite."""
    low, high = measure.bounds
    opening, closing = "(["[low > -np.inf], ")]"[high < np.inf]
    return f"{opening}{written(low)}, {written(high)}{closing}"


def best(measure):
    return "–" if measure.best is None else written(measure.best)


OF = {
    "counts": "one class (the positive one, or each against the rest)",
    "margins": "all classes",
    "matrix": "all classes, in their order",
    "scores": "the scores of two classes",
    "probabilities": "probabilities",
    "class_scores": "the scores of several classes",
}


@pytest.mark.parametrize("width", [None, 100])
def test_every_measure_stands_under_what_it_is_of_with_its_range_and_best(width, monkeypatch):
    """In a pipe as a row of a table; in a narrow terminal as a line, with the formula and the other names below."""
    monkeypatch.delenv("COLUMNS", raising=False)
    if width:
        monkeypatch.setenv("COLUMNS", str(width))
    shown = call("measures").stdout
    for needs, title in OF.items():
        section = shown.split(f"Measures of {title}\n")[1].split("\nMeasures of ")[0]
        for measure in ca.MEASURES.values():
            if measure.needs != needs:
                continue
            if width:
                also = f" also: {', '.join(measure.aliases)}" if measure.aliases else ""
                told = f"{measure.name}: {limits(measure)}, best {best(measure)} {measure.formula}{also}"
                assert " ".join(told.split()) in " ".join(section.split())
                continue
            row = next(line for line in section.splitlines() if line.split()[:1] == [measure.name])
            told = [each.strip() for each in re.split(r"\s{2,}", row.strip())]
            assert told[1:4] == [" ".join(measure.formula.split()), limits(measure), best(measure)], row
            assert told[4:] == ([", ".join(measure.aliases)] if measure.aliases else [])
    for family in FAMILIES.values():
        assert family.written in "".join(shown.split("\n")) if width is None else family.name in shown


@pytest.mark.parametrize("name", [*ca.MEASURES, "f_beta(3)", "recall[a]", "partial_roc_auc(0.2)"])
def test_a_measure_is_explained_by_what_the_registry_knows(name, capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    explain_measure(name)
    lines = [line.split("  ", 1) for line in capsys.readouterr().out.splitlines()]
    told = {key.strip(): text.strip() for key, text in lines if key.strip()}
    measure = get(name)
    aliases = [
        alias for alias, of in (ALIASES | FAMILY_ALIASES).items() if of in (measure.name, measure.base)
    ]
    assert told["title"] == measure.title
    assert told["name"] == measure.name
    assert told["also called"] == (", ".join(dict.fromkeys(aliases)) or "–")
    assert told["formula"] == " ".join(measure.formula.split())
    assert (told["range"], told["best"]) == (limits(measure), best(measure))
    assert told["of"] == (OF | {"cases": OF["class_scores"]} | OF_OTHERS)[measure.needs]
    assert told["reference"] == REFERENCES[measure.reference]
    assert told["not defined"] == undefined_text(measure)
    requested = told.get("on request", "").split("; ")
    explained = [
        text.split(": ")[0].strip()
        for text in (
            *([told["CI methods"]] if "CI methods" in told else []),
            *(text for key, text in lines if not key.strip()),
        )
    ]
    assert "on request" not in told or explained == requested


@pytest.mark.parametrize("width", [80, WIDE - 1, WIDE, 200])
def test_no_other_name_is_broken(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    words = {*re.split(r"[\s,]+", call("measures").stdout)}
    assert {alias for alias, name in ALIASES.items() if name in ca.MEASURES} <= words


@pytest.mark.wings("describing", "resampling")
@pytest.mark.parametrize(
    ("names", "is_long"),
    [
        (("dataset", "classifier", "accuracy"), True),
        (("model", "data_set", "log_loss"), True),
        (("algorithm", "fold", "roc_auc"), True),
        (("y", "model", "score"), False),
        (("dataset", "y", "score"), False),
    ],
)
def test_what_compare_suggests_for_results_in_long_form_runs(names, is_long, tmp_path, monkeypatch):
    """In any order of columns; other files get the example of rows."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    for order in itertools.permutations(range(3)):
        lines = [",".join(names[i] for i in order)]
        for first, second in itertools.product("abcdef", "uvwxyz"):
            row = (first, second, f"{rng.uniform(0.6, 0.9):.3f}")
            lines.append(",".join(row[i] for i in order))
        (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
        shown = call("compare", "r.csv").stdout.splitlines()[-1]
        assert ("--value" in shown) == is_long
        if is_long:
            assert call(*shlex.split(shown)[1:]).exit_code == 0
