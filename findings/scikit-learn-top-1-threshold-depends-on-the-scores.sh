#!/usr/bin/env bash
# scikit-learn 1.9.1: top_k_accuracy_score(k=1) of two classes, with scores of one column.
# Behaviour: the threshold is .5 where all scores lie in [0, 1], and 0 where one does not.
# Seen: five values of a decision function, .1, .3, .4, .2 and -.05, have the accuracy .8. With .05 in place of -.05 they
# have .4: all five cases are then negative. Nothing is raised.
# One would guess: one threshold for scores of one kind. Here one case decides about all the others.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q scikit-learn==1.9.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
import numpy as np
import sklearn
from sklearn.metrics import top_k_accuracy_score

truth = [0, 1, 1, 1, 0]
within, beyond = np.array([0.1, 0.3, 0.4, 0.2, 0.05]), np.array([0.1, 0.3, 0.4, 0.2, -0.05])
seen = [top_k_accuracy_score(truth, each, k=1) for each in (within, beyond)]
print("scikit-learn", sklearn.__version__, "within [0, 1]:", seen[0], "one below 0:", seen[1])
assert seen == [0.4, 0.8], "changed: the threshold no longer depends on the range of the scores"
PY
