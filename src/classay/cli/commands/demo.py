"""`classay demo`: the main job on real data, from a fitted model to every output."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from classay.cli.failures import guarded
from classay.errors import FileError, MissingExtraError
from classay.files.writing import write_bytes

FILES = ("predictions.csv", "assessment.json", "assessment.classay", "report.html")
"""What the demo writes into its folder."""


EXAMPLE = "Example: classay demo classay-demo"


@guarded
def demo(
    folder: Annotated[str, typer.Argument(help="Where to write the files.")] = "classay-demo",
) -> None:
    """Fit a logistic regression to real data, assess it, and write every kind of output beside each other."""
    run(folder)


def run(folder: str) -> None:
    """Fit on a stratified half of scikit-learn's breast-cancer data, assess on the other half, write all outputs.

    Scores of different folds are not comparable, so nothing is pooled: one model, one test set.
    """
    if importlib.util.find_spec("sklearn") is None:
        raise MissingExtraError("the demo fits a scikit-learn model and", "train")
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv as pacsv
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    to = Path(folder)
    try:
        to.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {to}: {error.strerror}.") from error
    data = load_breast_cancer()
    diagnosis = np.where(data.target == 0, "malignant", "benign")
    train, test, y_train, y_test = train_test_split(
        data.data, diagnosis, test_size=0.5, stratify=diagnosis, random_state=0
    )
    # shrunk, so that no probability comes out as exactly 0 or 1, of which calibration has no logit
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000)).fit(train, y_train)
    malignant = list(model.classes_).index("malignant")
    rows = {"diagnosis": y_test, "p_malignant": model.predict_proba(test)[:, malignant].round(12)}
    texture = test[:, list(data.feature_names).index("mean texture")]
    rows["texture"] = np.select([texture < 17, texture < 21], ["fine", "medium"], "coarse")  # for --by
    made = io.BytesIO()
    pacsv.write_csv(pa.table(rows), made)
    _refuse_to_replace(to, made.getvalue())
    write_bytes(to / "predictions.csv", made.getvalue())
    from classay.cli.commands.assess import Demands, Sections
    from classay.cli.commands.assess import run as assess
    from classay.cli.options import Showing
    from classay.cli.outputs import Outputs
    from classay.cli.row_options import RowOptions

    file = str(to / "predictions.csv")
    print(f"$ classay assess {quote(file)} --truth diagnosis --score p_malignant --positive malignant \\")
    written = {"json": "assessment.json", "save": "assessment.classay", "html": "report.html"}
    paths = {option: str(to / name) for option, name in written.items()}
    print(f"    {' '.join(f'--{option} {quote(path)}' for option, path in paths.items())}\n")
    outputs = Outputs(**paths)
    shown = RowOptions(file, truth="diagnosis", score="p_malignant", positive="malignant")
    assess(shown, Sections(), Showing(), Demands(), outputs)


def _refuse_to_replace(folder: Path, predictions: bytes) -> None:
    """Refuse a folder that holds files of these names, unless an earlier demo wrote them."""
    there = [name for name in FILES if (folder / name).exists()]
    first = folder / FILES[0]
    if not there or (first.is_file() and first.read_bytes() == predictions):
        return
    raise FileError(
        f"{folder / there[0]} is there already, and the demo would replace it: name another folder, as "
        "`classay demo FOLDER`."
    )
