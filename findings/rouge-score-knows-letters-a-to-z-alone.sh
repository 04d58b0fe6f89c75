#!/usr/bin/env bash
# rouge-score 0.1.2: RougeScorer with its own tokenizer, of answers that have other signs than a to z and 0 to 9.
# Behaviour: all other signs are blanks. A text in Cyrillic has no token, "-5" is 5, and 3.5 is 3 and 5.
# Seen: the same Russian sentence twice has the F of 0.0; the answers -5 and 5 have 1.0, and so have 3.5 and 5 3 for rouge1.
# One would guess: 1.0 for equal texts, and less than 1 for numbers that differ.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q rouge-score==0.1.2
cd "$work"
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

from rouge_score.rouge_scorer import RougeScorer

scorer = RougeScorer(["rouge1", "rougeL"])


def f(reference, answer):
    return {name: score.fmeasure for name, score in scorer.score(reference, answer).items()}


russian, sign, point = f("Москва столица России", "Москва столица России"), f("-5", "5"), f("3.5", "5 3")
print("rouge-score", version("rouge-score"), "equal texts", russian, "-5 and 5", sign, "3.5 and 5 3", point)
assert f("Moscow", "Moscow") == {"rouge1": 1, "rougeL": 1}
assert russian == {"rouge1": 0, "rougeL": 0}, "changed: equal texts in Cyrillic"
assert sign == {"rouge1": 1, "rougeL": 1}, "changed: -5 and 5"
assert point["rouge1"] == 1
PY
