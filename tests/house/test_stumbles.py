"""What new users stumbled over, each as a law of all doors, or of the one where it was."""

import inspect

import numpy as np
import pyarrow as pa
import pytest

import classay as ca
from classay.errors import InputError
from command import call, json_of, refusal
from sample_results import RESULTS, patients

FUNCTIONS = {
    name: made for name in ca.__all__ if inspect.isfunction(made := getattr(ca, name)) and made.__module__
}
LONG = {
    name: [
        each.name
        for each in inspect.signature(made).parameters.values()
        if each.kind in (each.KEYWORD_ONLY, each.POSITIONAL_OR_KEYWORD) and len(each.name) > 4
    ]
    for name, made in FUNCTIONS.items()
}
CHECKED = [each for each, known in LONG.items() if known and hasattr(FUNCTIONS[each], "__wrapped__")]


@pytest.mark.parametrize("name", CHECKED)
def test_a_misspelt_argument_is_told_from_its_neighbour(name):
    known = LONG[name][0]
    misspelt = f"{known}x"
    with pytest.raises(TypeError, match=f"{name}.*{misspelt}.*Did you mean '{known}'"):
        FUNCTIONS[name](**{misspelt: 1})


def test_a_misspelt_argument_of_what_is_passed_on():
    with pytest.raises(TypeError, match="Did you mean 'weight'"):
        ca.assess_by([1, 0], [0.2, 0.3], by=["a", "b"], wieght=[1, 2])


def test_groups_of_two_columns():
    rows = patients()
    frame = pa.table({name: rows[name] for name in ("truth", "new", "site", "clinic")})
    frame = frame.append_column("half", pa.array(np.where(rows["clinic"] % 2, "odd", "even")))
    found = ca.assess_by(frame, truth="truth", score="new", by=["site", "half"], positive="sick")
    together = [
        f"{a}, {b}" for a, b in zip(frame["site"].to_pylist(), frame["half"].to_pylist(), strict=True)
    ]
    wanted = ca.assess_by(rows["truth"], rows["new"], by=together, positive="sick")
    assert found.by == "site, half"
    assert sorted(", ".join(group) for group in found) == sorted(wanted)
    assert all(found[group]["recall"] == wanted[", ".join(group)]["recall"] for group in found)
    with pytest.raises(InputError, match="a list of names"):
        ca.assess_by(frame, truth="truth", score="new", by=[], positive="sick")


def frames():
    a = ca.assess(patients()["truth"], patients()["new"], positive="sick")
    yield a.measures
    yield ca.assess([1, 0, 1], y_pred=[1, 0, 0]).measures
    yield ca.assess([1, 0, 1], y_pred=[1, 0, 0]).per_class
    yield a.at_prevalence(0.1).measures
    for made in RESULTS.values():
        shows = made()
        for name in ("frame",):
            if hasattr(shows, name):
                found = getattr(shows, name)
                yield found() if callable(found) else found


def test_columns_of_numbers_are_numbers():
    """Also where all values of a column are missing: pandas would make objects of these."""
    seen = 0
    for frame in frames():
        assert not any(pa.types.is_null(kind) for kind in frame.schema.types)
        for name in {"value", "low", "high", "level", "p", "p_adjusted", "difference"} & {
            *frame.column_names
        }:
            seen += 1
            assert pa.types.is_floating(frame.schema.field(name).type), name
    assert seen > 10


def test_the_band_that_clusters_have_is_named_as_it_is_called():
    rows = patients()
    a = ca.assess(rows["truth"], rows["new"], positive="sick", cluster=rows["clinic"])
    with pytest.raises(InputError, match=r"a\.roc\.band\('bootstrap'\)"):
        a.roc.band()
    assert a.roc.band("bootstrap").low is not None


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = patients()
    lines = [f"{y},{p}" for y, p in zip(rows["truth"], rows["new"], strict=True)]
    (tmp_path / "p.csv").write_text("\n".join(["y,p", *lines]))
    return ("p.csv", "--truth", "y", "--score", "p", "--positive", "sick")


def test_every_text_goes_to_standard_output_alone(file):
    starts = {
        "--json": "{",
        "--markdown": "### Assessment of p on p.csv",
        "--latex": "\\begin{table}",
        "--html": "<!doctype",
    }
    for option, start in starts.items():
        done = call("assess", *file, option, "-")
        assert done.exit_code == 0, done.stderr
        assert done.stdout.casefold().startswith(start.casefold())
    assert json_of("assess", *file)
    assert "--markdown and --json cannot both write to standard output" in refusal(
        "assess", *file, "--json", "-", "--markdown", "-"
    )


def test_an_assessment_is_written_in_latex_and_markdown(file, tmp_path):
    assert call("assess", *file, "--latex", "a.tex", "--markdown", "a.md").exit_code == 0
    a = ca.assess(patients()["truth"], patients()["new"], positive="sick")
    assert "toprule" in (tmp_path / "a.tex").read_text()
    assert "| ROC AUC | 0.898" in (tmp_path / "a.md").read_text()
    assert f"{a['roc_auc'].value:.3f}" == "0.898"


def test_a_gate_of_one_file_says_who_holds_requirements(file):
    assert "classay assess FILE --require" in refusal("gate", file[0], "--require", "recall >= 0.9")
    done = call("gate", file[0], file[0])
    assert "--measure NAME --rule RULE" in " ".join(done.stderr.split())
