#!/usr/bin/env bash
# mlxtend 0.25.0: evaluate.mcnemar of two models that agree in every case, and of equal counts of discordant cases.
# Behaviour: with the default continuity correction the statistic is (|b - c| - 1)² / (b + c), also where b = c.
# Seen: b = c = 0 gives chi² = infinity and p = 0.0: two models with the same predictions differ beyond all doubt.
#       b = c = 3 gives p = .68, where the exact test has 1.
# One would guess: p = 1, or no p, where there is nothing to tell the models apart.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q mlxtend==0.25.0 statsmodels==0.15.0
"$work/venv/bin/python" - <<'PY'
import warnings
from importlib.metadata import version

import numpy as np
from mlxtend.evaluate import mcnemar
from statsmodels.stats.contingency_tables import mcnemar as exact

warnings.simplefilter("ignore")
agree, balanced = np.array([[5, 0], [0, 5]]), np.array([[5, 3], [3, 5]])
statistic, p = mcnemar(agree)
_, p_balanced = mcnemar(balanced)
print("mlxtend", version("mlxtend"), "agree:", statistic, p, "b = c = 3:", p_balanced)
print("statsmodels, exact: agree", exact(agree, exact=True).pvalue, "b = c = 3:", exact(balanced, exact=True).pvalue)
assert np.isinf(statistic) and p == 0, "changed: models that agree everywhere no longer have p = 0"
assert abs(p_balanced - 0.6831) < 1e-4, "changed: equal counts of discordant cases"
PY
