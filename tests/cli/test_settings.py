"""A gate's settings in classay.toml or pyproject.toml: found upwards, beaten by options, wrong keys named."""

import json
from pathlib import Path

import numpy as np
import pytest

from command import call, refusal

FILES = ("p.csv", "q.csv")
COLUMNS = 'truth = "y"\nscore = "p"\nid = "id"\n'
RULE = ("--rule", "not-worse")
DEMANDS = 'measure = "auc"\nrule = "non-inferior"\nmargin = 0.05\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Predictions of two models in the current folder."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    for name, gap in zip(FILES, (0.3, 0.2), strict=True):
        p = np.clip(0.4 + gap * y + rng.normal(0, 0.2, 120), 0.01, 0.99).round(4)
        rows = [f"{i},{y[i]},{p[i]},{1 - p[i]:.4f}" for i in range(120)]
        Path(name).write_text("\n".join(["id,y,p,n", *rows]))
    return tmp_path


def gated(*arguments):
    done = call("gate", *FILES, *arguments, "--json", "-")
    assert done.exit_code in (0, 1, 3), done.stderr
    return json.loads(done.stdout), done.stderr


def test_pyproject_and_classay_toml_say_what_options_say(folder):
    by_options, said = gated(
        *("--truth", "y", "--score", "p", "--id", "id", "--measure", "auc", "--rule", "non-inferior"),
        *("--margin", "0.05", "--require", "recall.low >= 0.5", "--require", "auc > 0.5", "--level", "0.9"),
    )
    assert said == ""
    more = 'require = ["recall.low >= 0.5", "auc > 0.5"]\nlevel = 0.9\n'
    for name, text in (
        ("pyproject.toml", f"[tool.classay]\n{COLUMNS}[tool.classay.gate]\n{DEMANDS}{more}"),
        ("pyproject.toml", f"[tool.classay]\n{COLUMNS}{DEMANDS}{more}"),
        ("classay.toml", f"{COLUMNS}[gate]\n{DEMANDS}{more}"),
    ):
        Path(name).write_text(text)
        found, said = gated()
        assert found == by_options
        assert said.startswith(f"settings of {Path.cwd() / name}")
        assert "margin" in said
        Path(name).unlink()


def test_the_nearest_file_upwards_counts_and_options_go_before(folder, monkeypatch):
    Path("classay.toml").write_text(COLUMNS + DEMANDS)
    inner = Path("deep/deeper")
    inner.mkdir(parents=True)
    for name in FILES:
        (inner / name).write_bytes(Path(name).read_bytes())
    Path("deep/pyproject.toml").write_text('[project]\nname = "another"\n')  # without a table of ours
    monkeypatch.chdir(inner)
    assert gated()[0]["margin"] == 0.05
    assert gated("--margin", "0.2")[0]["margin"] == 0.2
    Path("classay.toml").write_text(COLUMNS + DEMANDS.replace("0.05", "0.1"))
    assert gated()[0]["margin"] == 0.1
    assert gated("--config", str(folder / "classay.toml"))[0]["margin"] == 0.05


def test_lists_and_tables_are_written_as_toml_has_them(folder):
    Path("classay.toml").write_text(
        f'truth = "y"\nid = "id"\n{DEMANDS}require = "expected_cost <= 1"\n'
        '[class_scores]\n0 = "n"\n1 = "p"\n[cost]\nfp = 1\nfn = 5\n'
    )
    found, _ = gated()
    assert [each["requirement"] for each in found["requirements"]] == ["expected_cost <= 1"]


def test_the_columns_of_two_models_in_one_file_are_a_list_or_a_table_for_each(folder):
    rows = Path("p.csv").read_text().split("\n")[1:], Path("q.csv").read_text().split("\n")[1:]
    both = [f"{a},{','.join(b.split(',')[2:])}" for a, b in zip(*rows, strict=True)]
    Path("both.csv").write_text("\n".join(['id,y,p,pn,"q, old",qn', *both]))
    separate, _ = gated("--truth", "y", "--score", "p", "--measure", "auc", "--rule", "superior")
    for said in (
        'scores = ["p", "q, old"]\n',
        """scores = 'p,"q, old"'\n""",
        '[gate.class_scores.p]\n0 = "pn"\n1 = "p"\n[gate.class_scores."q, old"]\n0 = "qn"\n1 = "q, old"\n',
    ):
        Path("classay.toml").write_text(f'truth = "y"\n[gate]\nmeasure = "auc"\nrule = "superior"\n{said}')
        done = call("gate", "both.csv", "--json", "-")
        found = json.loads(done.stdout)
        assert found["models"] == ["p", "q, old"]
        assert found["effect"] == separate["effect"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("truth = ['y', 'z']", "truth must be a text or a number, but is ['y', 'z']"),
        (
            "markdown = 'pr.md'",
            "is not a setting, but an option of one call of `classay gate`. Use --markdown",
        ),
        (
            "marging = 0.05",
            "'marging' is not a setting of `classay gate`. Settings are named like its options. Did you mean 'margin'?",
        ),
        ("[gate]\nmesure = 'auc'", "'mesure' in [gate]"),
        ("json = 'a.json'", "'json' is not"),
        ("gate = 3", "gate must be a table, [gate], but is 3"),
        ("margin = [1]", "margin must be a text or a number, but is [1]"),
        ("margin = {a = 1}", "margin must be a text or a number, but is a table"),
        ("margin = true", "but is True"),
        ("rule = 'better'", "better"),
        ("margin = ", "is not valid TOML"),
        ("truth = ['y']", "truth must be a text or a number, but is ['y']"),
        ("require = [1]", "require must be a text, a number, or a list of texts, but is [1]"),
        ("margin = 2", "margin"),
        ("truth = 'z'", "no column 'z'"),
        (
            "[class_scores]\na = 'b'\n[class-scores]\na = 'b'",
            "'class-scores' and 'class_scores', which are the same",
        ),
        ("a = " + 20_000 * "[" + 20_000 * "]", "nested too deep"),
        ("seed = " + 5000 * "1", "is not valid TOML"),
        (f"{3_000_000 * 'a'} = 1", "is not a setting"),
        (5_000_000 * "#", "is longer than 4 MB"),
    ],
)
def test_what_is_wrong_in_a_file_is_one_line(folder, text, words):
    Path("classay.toml").write_text(text)
    beside = [] if "truth" in text else ["--truth", "y"]
    beside += [] if "rule" in text else RULE
    assert words in refusal("gate", *FILES, *beside, "--score", "p", "--measure", "auc")


def test_a_byte_order_mark_is_passed_by_and_other_encodings_are_named(folder):
    Path("classay.toml").write_bytes(b"\xef\xbb\xbf" + (COLUMNS + DEMANDS).encode())
    assert gated()[0]["margin"] == 0.05
    Path("classay.toml").write_bytes(b"# caf\xe9\n" + (COLUMNS + DEMANDS).encode())
    assert "byte 5 is not UTF-8. Save the file as UTF-8" in refusal("gate", *FILES)


def test_a_link_to_settings_that_leads_nowhere_is_not_passed_by(folder):
    Path("classay.toml").symlink_to("classay.toml")
    assert "classay.toml is not valid" in refusal("gate", *FILES)


def test_a_fault_before_a_command_begins_is_no_verdict(folder, monkeypatch):
    def broken(*_):
        raise KeyError("unforeseen")

    monkeypatch.setattr("classay.cli.given.settings_for", broken)
    done = call("gate", *FILES)
    assert done.exit_code == 70
    assert "Internal error (KeyError: 'unforeseen')" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_that_is_named_must_be_there_and_help_needs_none(folder):
    assert "Settings file not found: no.toml" in call("gate", *FILES, "--config", "no.toml").stderr
    Path("classay.toml").write_text("wrong =")
    assert call("gate", "--help").exit_code == 0
