#!/usr/bin/env bash
# Writes result tables of mlflow.genai.evaluate in tests/outside/data/, with scorers that need no model; run by hand.
# Four sums, three scorers: one fails on a case, one gives no value for a case. Columns that name the machine are removed.
set -euo pipefail
cd "$(dirname "$0")/../data"
data=$PWD; work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q mlflow==3.17.2
cd "$work"
cat > run.py <<'PY'
import sys

import mlflow
from mlflow.entities import Feedback
from mlflow.genai.scorers import scorer

mlflow.set_tracking_uri("sqlite:///runs.db")
mlflow.set_experiment("sums")
CASES = [("2 + 3 =", "5"), ("4 + 4 =", "8"), ("9 - 2 =", "7"), ("1 + 1 =", "2")]
ANSWERS = {"mlflow-3.17.2-new": ["5", "9", "7", "-"], "mlflow-3.17.2-old": ["5", "8", "6", "3"]}


@scorer
def exact(outputs, expectations):
    return outputs == expectations["expected_response"]


@scorer
def closeness(outputs, expectations):
    if outputs == "-":
        raise RuntimeError("the judge did not answer")
    return 1.0 if outputs == expectations["expected_response"] else 0.25


@scorer
def verdict(outputs, expectations):
    if outputs == "9":
        return None
    return Feedback(value="yes" if outputs == expectations["expected_response"] else "no", rationale="as written")


for name, answers in ANSWERS.items():
    rows = [
        dict(inputs={"question": question}, outputs=answer, expectations={"expected_response": target})
        for (question, target), answer in zip(CASES, answers, strict=True)
    ]
    table = mlflow.genai.evaluate(data=rows if name.endswith("new") else rows[::-1], scorers=[exact, closeness, verdict]).result_df
    table.drop(columns=["trace", "trace_metadata", "tags", "spans", "assessments"]).to_csv(
        f"{sys.argv[1]}/{name}.csv", index=False
    )
    if name.endswith("new"):
        table["assessments"] = [
            [{key: value for key, value in each.items() if key in ("assessment_name", "feedback", "expectation")} for each in row]
            for row in table["assessments"]
        ]
        for row in table["assessments"]:
            for each in row:
                (each.get("feedback", {}).get("error") or {}).pop("stack_trace", None)
        table.drop(columns=["trace", "trace_metadata", "tags", "spans"]).to_json(
            f"{sys.argv[1]}/{name}.jsonl", orient="records", lines=True
        )
PY
MLFLOW_DISABLE_TELEMETRY=true "$work/venv/bin/python" run.py "$data"
