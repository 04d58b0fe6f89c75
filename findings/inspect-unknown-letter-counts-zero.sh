#!/usr/bin/env bash
# Inspect 0.3.285: accuracy() of a scorer whose value is a text that is none of C, P, I and N, such as a letter grade.
# Behaviour: the text counts 0. The log has status success and no trace of it.
# Seen: grades A, A, B of three answers: accuracy 0.0 with standard error 0.0, scored_samples 3, unscored_samples 0.
# One would guess: an error, or unscored samples. A judge that answers in letters looks like a model that is always wrong.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q inspect_ai==0.3.285
cd "$work"
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, accuracy, scorer, stderr
from inspect_ai.solver import solver

GRADES = {"one": "A", "two": "A", "three": "B"}


@solver
def answer():  # without the model, which loads a tokenizer from the network
    async def solve(state, generate):
        state.output = ModelOutput.from_content("mockllm/model", "4")
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def judge():
    async def score(state, target):
        return Score(value=GRADES[state.sample_id])

    return score


samples = [Sample(id=name, input="2 + 2 =", target="4") for name in GRADES]
task = Task(dataset=MemoryDataset(samples), solver=answer(), scorer=judge())
(log,) = eval(task, model="mockllm/model", log_dir="logs", display="none")
(result,) = log.results.scores
metrics = {name: metric.value for name, metric in result.metrics.items()}
print("inspect_ai", version("inspect_ai"), log.status, metrics, "scored", result.scored_samples, result.unscored_samples)
assert log.status == "success"
assert metrics == {"accuracy": 0.0, "stderr": 0.0}, "changed: letters no longer count 0"
assert (result.scored_samples, result.unscored_samples) == (3, 0), "changed: letters are no longer scored samples"
PY
