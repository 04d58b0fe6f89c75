#!/usr/bin/env bash
# river 0.26.1: metrics.ROCAUC keeps counts at 10 thresholds, evenly spaced from 0 to 1, by default.
# Behaviour: probabilities that all lie between two of these thresholds rank nothing, and the AUC is near one half.
# Seen: 2,000 cases whose probabilities are all small (the largest about .1): .50, where the exact AUC of the same numbers is .93.
# One would guess: an AUC that depends on ranks alone, or an error of a hundredth. A rare class has such probabilities.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q river==0.26.1 scikit-learn==1.9.1
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version
from math import exp
from random import Random

from river import metrics
from sklearn.metrics import roc_auc_score

draw = Random(0)
truth = [draw.random() < 0.5 for _ in range(2000)]
score = [1 / (1 + exp(6 - draw.gauss(1 if positive else -1, 1))) for positive in truth]
plain, fine = metrics.ROCAUC(), metrics.ROCAUC(n_thresholds=2000)
for positive, probability in zip(truth, score):
    plain.update(positive, probability)
    fine.update(positive, probability)
exact = roc_auc_score(truth, score)
print("river", version("river"), "default", plain.get(), "2,000 thresholds", fine.get(), "exact", exact)
assert exact > 0.9
assert abs(fine.get() - exact) < 0.01
assert plain.get() < 0.6, "changed: the default AUC no longer loses probabilities that are all small"
PY
