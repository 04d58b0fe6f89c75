#!/usr/bin/env bash
# fairlearn 0.15.0: demographic_parity_difference of predictions that are words.
# Behaviour: the selection rate counts predictions equal to 1. The word "yes" is none, so every group has the rate 0.
# Seen: group a is always "yes", group b always "no": the difference is 0.0, perfect fairness. As 1 and 0 it is 1.0.
# One would guess: 1.0, or the ValueError that equalized_odds_difference raises for the same words.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q fairlearn==0.15.0 scikit-learn==1.9.1 pandas==3.1.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

from fairlearn.metrics import demographic_parity_difference, equalized_odds_difference

truth, group = ["no", "yes"] * 4, ["a"] * 4 + ["b"] * 4
predicted = ["yes"] * 4 + ["no"] * 4
words = demographic_parity_difference(truth, predicted, sensitive_features=group)
numbers = demographic_parity_difference(
    [int(each == "yes") for each in truth], [int(each == "yes") for each in predicted], sensitive_features=group
)
print("fairlearn", version("fairlearn"), "words", words, "numbers", numbers)
assert numbers == 1
assert words == 0, "changed: the difference of words is no longer 0"
try:
    equalized_odds_difference(truth, predicted, sensitive_features=group)
    raise SystemExit("changed: equalized odds take words")
except ValueError as error:
    print("equalized odds:", error)
PY
