#!/usr/bin/env bash
# scikit-learn 1.9.1: classification_report(output_dict=True) has the classes and the averages as keys of one dict.
# Behaviour: a class named "accuracy" is overwritten by the average of that name, in silence.
# Seen: classes accuracy and b: the dict has no precision and recall of the class accuracy. The text report shows both.
# One would guess: an entry for each class, or an error for a name that is taken.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q scikit-learn==1.9.1
"$work/venv/bin/python" - <<'PY'
import warnings

import sklearn
from sklearn.metrics import classification_report

warnings.simplefilter("error")
truth, predicted = ["accuracy", "b", "b"], ["accuracy", "accuracy", "b"]
report = classification_report(truth, predicted, output_dict=True)
print("scikit-learn", sklearn.__version__, report)
print(classification_report(truth, predicted))
assert isinstance(report["b"], dict)
assert isinstance(report["accuracy"], float), "changed: the class named accuracy is no longer overwritten"
PY
