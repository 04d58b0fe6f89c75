"""What the documents print is what classay prints: their commands and code are run, their results compared."""

import ast
import re
import shlex
from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
from typer.testing import CliRunner

import classay as ca
from classay.cli.app import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULT = re.compile(r"# (?:.*: )?(Estimate\(.*\)|[-\d.]+)$")


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    """The demo's folder, with all that it writes."""
    folder = tmp_path_factory.mktemp("documents") / "classay-demo"
    assert CliRunner().invoke(app, ["demo", str(folder)]).exit_code == 0
    return folder


def transcripts():
    """The command and what the README says it prints."""
    for block in blocks(README, "text"):
        command, _, printed = block.replace("\\\n", "").partition("\n")
        yield pytest.param(command.removeprefix("$ "), printed, id=shlex.split(command)[-1])


@pytest.mark.parametrize(("command", "printed"), list(transcripts()))
def test_transcripts(command, printed, demo_folder, monkeypatch):
    monkeypatch.chdir(demo_folder.parent if "classay-demo/" in command else demo_folder)
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == 0, done.output
    lines = iter(squeezed(line) for line in done.output.splitlines())
    for line in printed.splitlines():
        wanted = squeezed(line)
        if wanted and wanted != "…":
            assert wanted in lines, f"not printed, or not in this place: {line!r}"


def squeezed(line):
    return re.sub(r"\s+", " ", line).strip()


@pytest.fixture
def names(demo_folder, tmp_path, monkeypatch):
    """What the README's code takes as given: the demo's rows, three classes and a model of them."""
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression

    monkeypatch.chdir(tmp_path)
    rows = pacsv.read_csv(demo_folder / "predictions.csv")
    truth, score = rows["diagnosis"].to_pylist(), rows["p_malignant"].to_numpy()
    X, y = load_iris(return_X_y=True)
    animals = np.array(["cat", "dog", "owl"])[y]
    region = np.resize(["north", "south"], len(truth))
    malignant = np.array(truth) == "malignant"
    for month in ("january", "february"):
        ca.assess(truth, score, positive="malignant").save(f"{month}.classay")
    return {
        "y_true": truth,
        "y_score": score,
        "frame": pa.table({"y": malignant, "p": score, "region": region}),
        "X": X,
        "y_animal": animals,
        "model": LogisticRegression(max_iter=1000).fit(X, animals),
        "new_scores": score,
        "old_scores": np.round(score, 1),
    }


def test_code(names):
    matplotlib.use("Agg")
    checked = 0
    for block in blocks(README, "python"):
        lines = block.splitlines()
        for statement in ast.parse(block).body:
            source = "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
            if not isinstance(statement, ast.Expr):
                exec(source, names)
                continue
            found = eval(source.strip(), names)
            if stated := RESULT.search(source):
                checked += 1
                pattern = ".*".join(map(re.escape, stated[1].split("…")))
                shown = repr(found) if isinstance(found, ca.Estimate) else f"{found:.3f}"
                assert re.fullmatch(pattern, shown), (source, shown)
    assert checked >= 5
