#!/usr/bin/env bash
# Writes the samples and results of lm-evaluation-harness in tests/outside/data/, with answers that need no model; run by hand.
# Two models on two tasks of six sums: one task has two filters, one has two metrics; a third run has --samples in
# another order than the task.
set -euo pipefail
cd "$(dirname "$0")/../data"
data=$PWD/lm_eval-0.4.13; work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q lm_eval==0.4.13
cd "$work"
cat > sums.jsonl <<'E'
{"question": "2 + 3 =", "answer": "5", "kind": "sums"}
{"question": "4 + 4 =", "answer": "8", "kind": "sums"}
{"question": "9 - 2 =", "answer": "7", "kind": "differences"}
{"question": "8 - 3 =", "answer": "5", "kind": "differences"}
{"question": "1 + 1 =", "answer": "2", "kind": "sums"}
{"question": "6 - 6 =", "answer": "0", "kind": "differences"}
E
cat > written.yaml <<'E'
task: written
dataset_path: json
dataset_kwargs:
  data_files: {test: sums.jsonl}
test_split: test
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{answer}}"
generation_kwargs:
  until: ["\n"]
filter_list:
  - name: strict
    filter:
      - function: regex
        regex_pattern: "answer is (\\d+)"
      - function: take_first
  - name: flexible
    filter:
      - function: regex
        group_select: -1
        regex_pattern: "(\\d+)"
      - function: take_first
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
E
cat > chosen.yaml <<'E'
task: chosen
dataset_path: json
dataset_kwargs:
  data_files: {test: sums.jsonl}
test_split: test
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: ["0", "2", "5", "7", "eight"]
doc_to_target: "{{['0','2','5','7','8'].index(answer)}}"
metric_list:
  - metric: acc
  - metric: acc_norm
metadata:
  version: 1.0
E
cat > run.py <<'PY'
from lm_eval.__main__ import cli_evaluate
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model

SAYS = {
    "first": ["The answer is 5", "8", "The answer is 7", "It is 6", "The answer is 2", "none"],
    "second": ["The answer is 5", "The answer is 8", "6", "The answer is 5", "The answer is 3", "The answer is 0"],
}
QUESTIONS = ["2 + 3 =", "4 + 4 =", "9 - 2 =", "8 - 3 =", "1 + 1 =", "6 - 6 ="]


@register_model("scripted")
class Scripted(LM):
    def __init__(self, who):
        super().__init__()
        self.says = dict(zip(QUESTIONS, SAYS[who], strict=True))

    @classmethod
    def create_from_arg_obj(cls, arguments, additional_config=None):
        return cls(arguments["pretrained"])

    def generate_until(self, requests, disable_tqdm=False):
        return [self.says[request.args[0]] for request in requests]

    def loglikelihood(self, requests, disable_tqdm=False):
        return [
            (-1.0 if request.args[1].strip() in self.says[request.args[0]] else -2.0 - len(request.args[1]), False)
            for request in requests
        ]

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError


cli_evaluate()
PY
export HF_HUB_OFFLINE=1 HF_DATASETS_OFFLINE=1 HF_HOME=$work/home
evaluate() { "$work/venv/bin/python" run.py run --model scripted --model_args "pretrained=$1" --include_path . --log_samples "${@:2}"; }
evaluate first --tasks written chosen --output_path out
evaluate second --tasks written chosen --output_path out
evaluate second --tasks chosen --samples '{"chosen": [4, 0, 3]}' --output_path some
rm -rf "$data"; mkdir -p "$data"
cp -r out/first out/second "$data"
cp -r some/second "$data/second-some"
