#!/usr/bin/env bash
# datasets 5.2.0 (Hugging Face): Dataset.with_format("numpy") gives a column of 64-bit floats as 32-bit floats.
# Behaviour: the stored values keep 64 bits, and an
#   IterableDataset of the same rows with the same format does not either.
# Seen: 1,000 different probabilities just below 1 become one value, and their AUC falls from 1 to .5.
# One would guess: float64, as of the Arrow column, or at least the same type from both kinds of dataset.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q datasets==5.2.0 scikit-learn==1.9.1
HF_HOME="$work/hf" "$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

import numpy as np
from datasets import Dataset
from sklearn.metrics import roc_auc_score

score = 1 - 1e-9 * np.arange(1, 1001) / 1000
truth = np.arange(1000) < 500
rows = Dataset.from_dict({"truth": truth.tolist(), "score": score.tolist()})
rounded = rows.with_format("numpy")[:]["score"]
stored = rows.with_format("arrow")[:]["score"].to_numpy()
streamed = np.array([row["score"] for row in rows.to_iterable_dataset().with_format("numpy")])
aucs = [roc_auc_score(truth, each) for each in (stored, streamed, rounded)]
print("datasets", version("datasets"), "stored, streamed, numpy:", aucs, [each.dtype for each in (stored, streamed, rounded)])
assert np.array_equal(stored, score) and np.array_equal(streamed, score)
assert aucs[0] == aucs[1] == 1
assert rounded.dtype == np.float32, "changed: the format keeps 64 bits"
assert len(set(rounded.tolist())) == 1
assert aucs[2] == 0.5
PY
