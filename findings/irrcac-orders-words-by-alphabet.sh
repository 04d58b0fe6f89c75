#!/usr/bin/env bash
# irrCAC 0.4.4: weights of ordered ratings take words in alphabetical order, also those of an ordered categorical.
# Behaviour: "high", "low", "mid" is the order, unless `categories=` lists the words; nothing warns.
# Seen: one of six cases is one step off; Gwet's AC2 with quadratic weights is .52, and .88 in the order low, mid, high.
# One would guess: the order of pandas' ordered categorical, or an error that asks for the order.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q irrCAC==0.4.4 pandas==2.2.3 numpy==1.26.4
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

import pandas as pd
from irrCAC.raw import CAC

order = ["low", "mid", "high"]
first = ["low", "mid", "high", "high", "mid", "low"]
second = ["low", "mid", "high", "mid", "mid", "low"]
ratings = pd.DataFrame({"first": first, "second": second}).astype(pd.CategoricalDtype(order, ordered=True))
unasked = CAC(ratings, weights="quadratic")
listed = CAC(ratings, weights="quadratic", categories=order)
values = [one.gwet()["est"]["coefficient_value"] for one in (unasked, listed)]
print("irrCAC", version("irrCAC"), unasked.categories, values)
assert list(unasked.categories) == sorted(order), "changed: the order of words"
assert abs(values[0] - 0.52) < 1e-3 and abs(values[1] - 0.88) < 1e-3, "changed: AC2"
PY
