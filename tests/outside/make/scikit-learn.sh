#!/usr/bin/env bash
# Writes the reports of scikit-learn and the tables of MLflow in tests/outside/data/; run by hand.
set -euo pipefail
cd "$(dirname "$0")/../data"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q scikit-learn==1.9.1 mlflow==3.17.2 pandas==3.1.1
WORK="$work" "$work/venv/bin/python" - <<'PY'
import json
import os
import shutil
import warnings
from random import Random

warnings.filterwarnings("ignore")

import mlflow
import pandas as pd
from mlflow.metrics import MetricValue
from sklearn.metrics import classification_report, confusion_matrix

work, learn = os.environ["WORK"], "scikit-learn-1.9.1"
draw = Random(1)
truth = [draw.choice(["no", "yes"]) for _ in range(40)]
score = [min(max(draw.gauss(0.4 + 0.25 * (label == "yes"), 0.2), 0.0), 1.0) for label in truth]
frame = pd.DataFrame({"case": range(101, 141), "truth": truth, "p": score})
frame["predicted"] = ["yes" if p >= 0.5 else "no" for p in score]
three = [draw.choice(["no", "yes", "may"]) if draw.random() < 0.3 else label for label in truth]


def dump(name, value):
    with open(f"{learn}-{name}.json", "w") as file:
        json.dump(value, file)


dump("report", classification_report(frame["truth"], frame["predicted"], output_dict=True))
dump("matrix", confusion_matrix(frame["truth"], frame["predicted"]).tolist())
dump("report-three", classification_report(three, truth, output_dict=True))
dump("matrix-three", confusion_matrix(three, truth).tolist())
dump("report-subset", classification_report(three, truth, labels=["no", "yes"], output_dict=True))
dump("report-accuracy", classification_report(["accuracy", "b", "b"], ["accuracy", "accuracy", "b"], output_dict=True))


def hit(predictions, targets, metrics=None):
    return MetricValue(scores=[float(a == b) for a, b in zip(predictions, targets)])


frame["tried"] = pd.Timestamp("2025-04-03 08:30")
frame["pair"] = [[1.0 - p, p] for p in score]
frame.loc[3, "p"] = None
mlflow.set_tracking_uri(f"sqlite:///{work}/db")
mlflow.create_experiment("files", artifact_location=f"{work}/artifacts")
mlflow.set_experiment("files")
with mlflow.start_run() as run:
    mlflow.log_table(frame[:12], "once.json")
    mlflow.log_table(frame[:12], "twice.json")
    mlflow.log_table(frame[:12], "twice.json")
    metric = mlflow.models.make_metric(eval_fn=hit, greater_is_better=True, name="hit")
    mlflow.models.evaluate(
        data=frame[["case", "truth", "p", "predicted"]].dropna(),
        targets="truth",
        predictions="predicted",
        extra_metrics=[metric],
    )
    folder = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, dst_path=f"{work}/files")
for name in ("once", "twice", "eval_results_table"):
    shutil.copy(f"{folder}/{name}.json", f"mlflow-3.17.2-{name}.json")
PY
