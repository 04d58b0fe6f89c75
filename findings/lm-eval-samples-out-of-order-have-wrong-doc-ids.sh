#!/usr/bin/env bash
# lm-eval 0.4.13: --samples with numbers in another order than the task, and --log_samples.
# Behaviour: questions are evaluated in the order of the task, but written with the numbers in the order of --samples.
# Seen: --samples '{"sums": [2, 0]}': the line with doc_id 2 has question 0, and the line with doc_id 0 has question 2.
# One would guess: each doc_id is that of its question. Two runs that are joined by doc_id compare different questions.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q lm_eval==0.4.13
cd "$work"
for k in 0 1 2; do echo "{\"question\": \"question $k\", \"answer\": \"$k\"}"; done > sums.jsonl
cat > sums.yaml <<'E'
task: sums
dataset_path: json
dataset_kwargs: {data_files: {test: sums.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{answer}}"
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
E
export HF_HUB_OFFLINE=1 HF_DATASETS_OFFLINE=1 HF_HOME=$work/home
"$work/venv/bin/python" -m lm_eval run --model dummy --include_path . --tasks sums --samples '{"sums": [2, 0]}' \
    --log_samples --output_path out >/dev/null 2>&1
"$work/venv/bin/python" - <<'PY'
import json
from importlib.metadata import version
from pathlib import Path

lines = [json.loads(line) for line in next(Path("out").rglob("samples_*.jsonl")).read_text().splitlines()]
seen = {line["doc_id"]: line["doc"]["question"] for line in lines}
print("lm_eval", version("lm_eval"), seen)
assert seen == {2: "question 0", 0: "question 2"}, "changed: doc_id is now that of the question"
PY
