#!/usr/bin/env bash
# imbalanced-learn 0.14.2 (with scikit-learn 1.9.1): sensitivity_specificity_support with sample_weight.
# Behaviour: the true negatives are the NUMBER of cases less weighted sums, so that specificity is no share.
# Seen: cases 0 0 1 1, predicted 0 1 1 1, weights 1 2 3 4 -> specificities 1 and 1.667; the right value of class 1 is 1/3.
# One would guess: a weighted share, as scikit-learn's recall with sample_weight is. specificity_score and
# geometric_mean_score rest on the same sums. Reported as imbalanced-learn #1180.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q imbalanced-learn==0.14.2 scikit-learn==1.9.1
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

from imblearn.metrics import sensitivity_specificity_support
from sklearn.metrics import recall_score

truth, predicted, weight = [0, 0, 1, 1], [0, 1, 1, 1], [1.0, 2.0, 3.0, 4.0]
_, seen, _ = sensitivity_specificity_support(truth, predicted, sample_weight=weight, average=None)
right = recall_score(truth, predicted, pos_label=0, sample_weight=weight)
print("imbalanced-learn", version("imbalanced-learn"), "specificities", seen, "specificity of class 1 by recall of 0:", right)
assert abs(right - 1 / 3) < 1e-12
assert abs(seen[1] - 5 / 3) < 1e-12, "changed: specificity of class 1 is no longer 1.667"
PY
