"""What the documents print is what classay prints: their commands and code are run, their results compared."""

import json
import re
import shlex
import shutil
from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import classay as ca
from classay.improving import remedies
from classay.improving.remedies import remedies_against
from command import call
from documents import Reader, blocks_of, is_rewritten, squeezed

ROOT = Path(__file__).parents[2]
DOCUMENTS = {
    name: (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "docs/by-example.md", "docs/comparison.md")
}
IMPROVE = (ROOT / "docs" / "improve.md").read_text(encoding="utf-8")
EVALUATE = (ROOT / "docs" / "evaluate.md").read_text(encoding="utf-8")


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    """The demo's folder, with all that it writes."""
    folder = tmp_path_factory.mktemp("documents") / "classay-demo"
    assert call("demo", folder).exit_code == 0
    return folder


def transcripts():
    """The command and what a document says it prints."""
    for text in DOCUMENTS.values():
        for command, printed in transcripts_of(text):
            yield pytest.param(command, printed, id=shlex.split(command)[-1])


def transcripts_of(text):
    for block in blocks(text, "text"):
        command, _, printed = block.replace("\\\n", "").partition("\n")
        yield command.removeprefix("$ "), printed


@pytest.mark.parametrize(("command", "printed"), list(transcripts()))
def test_transcripts(command, printed, demo_folder, monkeypatch):
    monkeypatch.chdir(demo_folder.parent if "classay-demo/" in command else demo_folder)
    pacsv.write_csv(pa.table(results()), "results.csv")
    shutil.copytree(ROOT / "docs" / "data", "docs/data", dirs_exist_ok=True)
    prints(command, printed)


def prints(command, printed):
    """The command ends well, and prints these lines in this order, others between them."""
    done = call(*shlex.split(command)[1:])
    assert done.exit_code == 0, done.output
    if not is_rewritten(printed, done.output, somewhere):
        somewhere(printed, done.output)


def somewhere(stated, printed):
    lines = iter(squeezed(line) for line in printed.splitlines())
    for line in stated.splitlines():
        wanted = squeezed(line)
        if wanted and wanted != "…":
            assert wanted in lines, f"not printed, or not in this place: {line!r}"


def results():
    """Demšar's table 6, long."""
    table = json.loads((ROOT / "tests" / "oracles" / "learners.json").read_text())["Demsar_table6"]
    rows = [
        (i, m, v) for i, row in enumerate(table["values"]) for m, v in zip(table["models"], row, strict=True)
    ]
    return dict(zip(("data", "model", "auc"), map(list, zip(*rows, strict=True)), strict=True))


def wide():
    """The same with a column a model."""
    long = results()
    models = dict.fromkeys(long["model"])
    found = {m: [v for v, k in zip(long["auc"], long["model"], strict=True) if k == m] for m in models}
    return {"data": list(range(14))} | found


@pytest.fixture
def names(demo_folder, tmp_path, monkeypatch):
    """What the documents' code takes as given: the demo's rows, three classes and a model of them, results."""
    from sklearn.datasets import load_breast_cancer, load_iris
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    monkeypatch.chdir(tmp_path)
    rows = pacsv.read_csv(demo_folder / "predictions.csv")
    truth, score = rows["diagnosis"].to_pylist(), rows["p_malignant"].to_numpy()
    iris, species = load_iris(return_X_y=True)
    X, y = load_breast_cancer(return_X_y=True)
    animals = np.array(["cat", "dog", "owl"])[species]
    region = np.resize(["north", "south"], len(truth))
    malignant = np.array(truth) == "malignant"
    for month in ("january", "february"):
        ca.assess(truth, score, positive="malignant").save(f"{month}.classay")
    return {
        "y_true": truth,
        "y_score": score,
        "frame": pa.table({"y": malignant, "p": score, "region": region}),
        "X": X,
        "y": 1 - y,
        "X_new": X[::3] * 1.001,  # other cases than those of training
        "y_new": 1 - y[::3],
        "X_animal": iris,
        "ca": ca,
        "bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(random_state=0),
        "forest": RandomForestClassifier(30, random_state=0).fit(X, 1 - y),
        "results": results(),
        "wide": wide(),
        "y_animal": animals,
        "model": LogisticRegression(max_iter=1000).fit(iris, animals),
        "new_scores": score,
        "old_scores": np.round(score, 1),
        "grades_new": np.round(4 * score) / 4,
        "grades_old": np.round(2 * score) / 2,
        "question": np.arange(len(score)) // 4,
    }


@pytest.mark.parametrize("document", DOCUMENTS)
def test_code(document, names):
    matplotlib.use("Agg")
    assert run_code(DOCUMENTS[document], names) >= 5


@pytest.mark.filterwarnings("default")  # libraries may say what they like of these data
def test_evaluation_of_learners(tmp_path, monkeypatch):
    """docs/evaluate.md, from its data to its runs; upsampling before the split (E-56) among it."""
    monkeypatch.chdir(tmp_path)
    assert run_code(EVALUATE, {}) >= 10
    for command, printed in transcripts_of(EVALUATE):
        prints(command, printed)
    assert call("runs", "runs.db").exit_code == 0
    shown = call("runs", "bayes.classay", "--measures", "recall,specificity")
    assert "Specificity" in shown.output


def test_decisions():
    """docs/decide.md, from its data to its cost curves."""
    decide = (ROOT / "docs" / "decide.md").read_text(encoding="utf-8")
    assert run_code(decide, {}) >= 8


def test_rows_beyond_memory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "big-data.md").read_text(encoding="utf-8")
    many, fewer = "integers(0, 100_000,", "integers(0, 5_000,"  # classes, whose pairs are kept all the same
    assert text.count(many) == 2
    assert run_code(text.replace(many, fewer), {}) == 2


def test_ensembles():
    assert run_code((ROOT / "docs" / "ensembles.md").read_text(encoding="utf-8"), {}) >= 13


@pytest.mark.filterwarnings("default")
def test_improving_learners(tmp_path, monkeypatch):
    """docs/improve.md: its code, and what it says that a decomposition prints."""
    monkeypatch.chdir(tmp_path)
    names = {}
    before = {*remedies_against(remedies.AGAINST)}
    try:
        assert run_code(IMPROVE, names) >= 10
    finally:  # the document registers a remedy of its own
        for each in {*remedies_against(remedies.AGAINST)} - before:
            del remedies.REMEDIES[each.name]


def run_code(text, names):
    """Run the Python of a document, and compare what it says of results and prints; how many it said."""
    reader = Reader(names)
    for language, body in blocks_of(text):
        if language == "python":
            reader.python(body)
        elif language == "text" and not body.startswith("$ ") and reader.printed:
            reader.text(language, body)
    return reader.checked
