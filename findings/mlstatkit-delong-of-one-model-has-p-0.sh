#!/usr/bin/env bash
# MLstatkit 0.1.91: Delong_test of two models with the same scores.
# Behaviour: the variance of the difference is 0, the function falls back to a bootstrap, and z and p are both 0.
# Seen: scores compared with themselves, and with a copy in the same order that differs by 1e-12 in one case: z = 0.0 and
# p = 0.0, which reads as a difference beyond all doubt. z = 0 belongs to p = 1.
# One would guess: p = 1, or no p.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q MLstatkit==0.1.91 numpy==2.4.6
cd "$work"
"$work/venv/bin/python" - <<'PY'
import warnings
from importlib.metadata import version

import numpy as np
from MLstatkit import Delong_test

warnings.simplefilter("error")
truth, score = np.array([0, 1] * 20), np.random.default_rng(0).random(40)
near = score.copy()
near[0] += 1e-12
z, p, *_ = Delong_test(truth, score, score)
again = Delong_test(truth, score, near)[:2]
print("MLstatkit", version("MLstatkit"), "z", z, "p", p, "with a copy in the same order", again)
assert z == 0
assert p == 0 and again == (0, 0), "changed: the same scores no longer have p = 0"
PY
