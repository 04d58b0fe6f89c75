#!/usr/bin/env bash
# confidenceinterval 1.0.5: the analytic interval of a macro F1 is Wald's without an end.
# Behaviour: limits leave [0, 1], and a classifier without an error has a WIDER interval than Wilson's of its accuracy.
# Seen: ten cases, all right: macro F1 .99999999 with limits .56 and 1.44; accuracy of the same cases 1 with .72 and 1.
# One would guess: an interval inside [0, 1], of no width or of Wilson's shape where no case is wrong.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q confidenceinterval==1.0.5 scikit-learn==1.9.1 numpy==1.26.4
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

import confidenceinterval

cases = [0, 1] * 5
value, (low, high) = confidenceinterval.f1_score(cases, cases, average="macro")
right, (least, most) = confidenceinterval.accuracy_score(cases, cases)
print("confidenceinterval", version("confidenceinterval"), "macro F1", value, low, high, "accuracy", right, least, most)
assert 0.72 < least < 0.73 and most <= 1
assert abs(low - 0.5617) < 1e-3 and abs(high - 1.4383) < 1e-3, "changed: the limits of macro F1"
PY
