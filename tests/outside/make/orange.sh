#!/usr/bin/env bash
# Writes predictions of cross-validation in the forms of Orange to tests/outside/data/, without its window; run by hand.
# Forty patients, two classifiers; a site, an id and a number are missing. A value has a space.
set -euo pipefail
cd "$(dirname "$0")/../data"
data=$PWD; work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q orange3==3.40.0
cd "$work"
"$work/venv/bin/python" -W ignore - "$data" <<'PY'
import random
import sys

from Orange.classification import LogisticRegressionLearner, TreeLearner
from Orange.data import ContinuousVariable, DiscreteVariable, Domain, StringVariable, Table
from Orange.evaluation import CrossValidation

draw = random.Random(1)
outcome = DiscreteVariable("outcome", values=("no", "yes"))
site = DiscreteVariable("site", values=("north", "far south"))
rows = [
    [draw.gauss(k % 2, 1), draw.choice(["north", "far south"]), "yes" if k % 2 else "no", f"p{k}"] for k in range(40)
]
rows[5][1], rows[6][0], rows[8][3] = None, None, ""
cases = Table.from_list(Domain([ContinuousVariable("x"), site], outcome, [StringVariable("patient")]), rows)
results = CrossValidation(k=5, store_data=True)(cases, [LogisticRegressionLearner(), TreeLearner()])
predicted = results.get_augmented_data(["Logistic Regression", "Tree"])
for ending in ("tab", "csv", "xlsx"):
    predicted.save(f"{sys.argv[1]}/orange3-3.40.0.{ending}")
PY
