#!/usr/bin/env bash
# scikit-learn 1.9.1: cohen_kappa_score(weights="quadratic") of ratings from 1 to 5, of which 3 and 4 were not given.
# Behaviour: the distance of two ratings counts the labels that occur, so 2 and 5 are one step apart, as 1 and 2 are.
# Seen: nine pairs of 1, 2 and 5 have the kappa .83; with labels=[1, 2, 3, 4, 5], .96.
# One would guess: the distances of the numbers themselves.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q scikit-learn==1.9.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
import sklearn
from sklearn.metrics import cohen_kappa_score

first, second = [1, 1, 1, 1, 1, 2, 2, 5, 5], [1, 1, 1, 1, 2, 2, 1, 5, 5]
seen = cohen_kappa_score(first, second, weights="quadratic")
scale = cohen_kappa_score(first, second, weights="quadratic", labels=[1, 2, 3, 4, 5])
expected = sum((a - b) ** 2 for a in first for b in second) / 81
apart = sum((a - b) ** 2 for a, b in zip(first, second)) / 9
near = [[min(each, 3) for each in ratings] for ratings in (first, second)]  # 1, 2 and 3 in place of 1, 2 and 5
renamed = cohen_kappa_score(*near, weights="quadratic")
print("scikit-learn", sklearn.__version__, "ratings", seen, "with labels 1 to 5", scale, "with 3 for 5", renamed)
assert abs(scale - (1 - apart / expected)) < 1e-12
assert abs(seen - 0.8333) < 1e-4 and seen == renamed, "changed: ratings that nobody gave count as steps"
PY
