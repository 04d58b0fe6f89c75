#!/usr/bin/env bash
# MAPIE 1.6.0: classification_coverage_score of prediction sets for the classes -1 and 1.
# Behaviour: the label is taken for the number of a column. Column -1 is the last one, which belongs to class 1.
# Seen: SplitConformalClassifier fits, conforms and predicts with these classes; sets that hold the truth for 91 % of
# 2,000 cases have the coverage .66. With the truth as 0 and 1, the same function gives .91.
# One would guess: the right coverage, since the classifier takes these labels, or an error.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q mapie==1.6.0 scikit-learn==1.9.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

import numpy as np
from mapie.classification import SplitConformalClassifier
from mapie.metrics.classification import classification_coverage_score
from sklearn.linear_model import LogisticRegression

draw = np.random.default_rng(0)


def cases(n):
    truth = np.where(draw.random(n) < 0.5, 1, -1)
    return (0.7 * truth + draw.normal(size=n))[:, None], truth


train, calibration, (x, truth) = cases(500), cases(1000), cases(2000)
model = SplitConformalClassifier(LogisticRegression().fit(*train), confidence_level=0.9, prefit=True)
_, sets = model.conformalize(*calibration).predict_set(x)
column = (truth == 1).astype(int)
right = sets[np.arange(len(truth)), column, 0].mean()
seen, again = classification_coverage_score(truth, sets)[0], classification_coverage_score(column, sets)[0]
print("mapie", version("mapie"), "classes -1 and 1:", seen, "classes 0 and 1:", again, "counted:", right)
assert abs(again - right) < 1e-12 and abs(right - 0.9) < 0.03
assert seen < 0.75, "changed: the coverage of classes -1 and 1"
PY
