#!/usr/bin/env bash
# pandas 3.1.1: DataFrame.to_json of probabilities.
# Behaviour: numbers have ten decimals (double_precision=10), not ten digits. A probability below 5e-11 is written as 0.
# Seen: scores of 1e-12 for negatives and 2e-12 for positives have the AUC 1, and .5 after to_json and read_json. to_csv
# keeps every bit.
# One would guess: the shortest text that reads back as the same number, as of to_csv and json.dumps.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q pandas==3.1.1 scikit-learn==1.9.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
from io import StringIO

import pandas as pd
from sklearn.metrics import roc_auc_score

cases = pd.DataFrame({"truth": [0, 1] * 10, "score": [1e-12, 2e-12] * 10})
by_json = pd.read_json(StringIO(cases.to_json(orient="records")))
by_csv = pd.read_csv(StringIO(cases.to_csv(index=False)))
aucs = [roc_auc_score(each["truth"], each["score"]) for each in (cases, by_csv, by_json)]
print("pandas", pd.__version__, "AUC before, by CSV, by JSON:", aucs)
assert aucs[:2] == [1, 1]
assert aucs[2] == 0.5 and (by_json["score"] == 0).all(), "changed: to_json keeps small numbers"
PY
