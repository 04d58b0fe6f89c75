#!/usr/bin/env bash
# toad 0.1.7: metrics.PSI of a category that one of the two samples alone has.
# Behaviour: the shares are matched by name, and a category without a partner is left out of the sum.
# Seen: half of the base is a and half b; b is replaced by c in the new month: PSI 0.0, no shift at all. A tenth of b
# instead of half has .88.
# One would guess: a large or infinite value, or an error. A category that appears or vanishes is the shift one looks for.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q toad==0.1.7 pandas==2.3.3 numpy==2.4.6 scikit-learn==1.9.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

import pandas as pd
from toad.metrics import PSI

base = pd.Series(["a"] * 50 + ["b"] * 50)
less = PSI(pd.Series(["a"] * 90 + ["b"] * 10), base)
other = PSI(pd.Series(["a"] * 50 + ["c"] * 50), base)
print("toad", version("toad"), "b falls to a tenth:", less, "b becomes c:", other)
assert abs(less - 0.87889) < 1e-4
assert other == 0, "changed: the PSI of a category that is new"
PY
