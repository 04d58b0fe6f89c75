#!/usr/bin/env bash
# dcurves 1.1.7: dca of a model that has no prediction (NaN) for some cases.
# Behaviour: such a case stays in n and is below every threshold. "Treat all" counts it as treated. Nothing is raised.
# Seen: a model that is right in all of 100 cases, 40 of them events, has the net benefit .4; without 20 of the events'
# predictions .2, with n 100.
# One would guess: the cases with a prediction for all strategies, or an error, as for a missing outcome.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q dcurves==1.1.7 pandas==2.3.3 numpy==2.4.6
cd "$work"
"$work/venv/bin/python" - <<'PY'
import warnings
from importlib.metadata import version

import numpy as np
import pandas as pd
from dcurves import dca

warnings.simplefilter("error", UserWarning)
cases = pd.DataFrame({"event": [1] * 40 + [0] * 60, "model": [0.9] * 40 + [0.1] * 60})
gaps = cases.copy()
gaps.loc[:19, "model"] = np.nan
rows = {}
for name, frame in (("all predicted", cases), ("20 missing", gaps), ("80 predicted", gaps.dropna())):
    result = dca(frame.reset_index(drop=True), "event", ["model"], thresholds=[0.5])
    rows[name] = {row.model: (int(row.n), round(float(row.net_benefit), 4)) for row in result.itertuples()}
print("dcurves", version("dcurves"), rows)
assert rows["all predicted"]["model"] == (100, 0.4)
assert rows["80 predicted"]["model"] == (80, 0.25)
assert rows["20 missing"]["model"] == (100, 0.2), "changed: missing predictions"
assert rows["20 missing"]["all"] == rows["all predicted"]["all"]
PY
