#!/usr/bin/env bash
# imbalanced-learn 0.14.2: geometric_mean_score of several classes, of which one is predicted and never true.
# Behaviour: the class that no case has enters the product with recall 0, and one such prediction makes the score 0.
# Seen: cases 0 1 0 1, predicted 0 1 2 1: geometric mean 0.0; balanced accuracy of scikit-learn leaves class 2 out: 0.75.
# One would guess: the root of 1/2 * 1 = 0.707, the mean over the classes that occur in the truth.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q imbalanced-learn==0.14.2 scikit-learn==1.9.1
"$work/venv/bin/python" - <<'PY'
import warnings
from importlib.metadata import version

from imblearn.metrics import geometric_mean_score
from sklearn.metrics import balanced_accuracy_score

warnings.simplefilter("ignore")
truth, predicted = [0, 1, 0, 1], [0, 1, 2, 1]
seen, mean = geometric_mean_score(truth, predicted), balanced_accuracy_score(truth, predicted)
print("imbalanced-learn", version("imbalanced-learn"), "geometric mean", seen, "balanced accuracy", mean)
assert mean == 0.75
assert seen == 0, "changed: a class that is only predicted no longer makes the geometric mean 0"
PY
