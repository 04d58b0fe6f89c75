#!/usr/bin/env bash
# Writes the logs of Inspect in tests/outside/data/, with a model that needs no network; run by hand.
# Answers of two models to six questions in three epochs: some epochs fail, some get no score, and rows come in the order
# in which answers were completed. What a log says of the machine (events, tracebacks) is removed afterwards.
set -euo pipefail
cd "$(dirname "$0")/../data"
data=$PWD; work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q inspect_ai==0.3.285 zstandard==0.25.0 zipfile-zstd==0.0.4
cd "$work"
cat > colours.py <<'PY'
import os

import anyio
from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, accuracy, match, mean, scorer, stderr
from inspect_ai.solver import solver

QUESTIONS = [
    ("sky", "Which colour has the sky at noon?", "blue", "nature"),
    ("grass", "Which colour has fresh grass?", "green", "nature"),
    ("snow", "Which colour has snow?", "white", "nature"),
    ("coal", "Which colour has coal?", "black", "goods"),
    ("brick", "Which colour has a brick?", "red", "goods"),
    ("lemon", "Which colour has a lemon?", "yellow", "goods"),
]
# One answer for each epoch. "-": the provider fails. "grey": one scorer gives no score.
ANSWERS = {
    "new": dict(sky="blue blue blue", grass="green green red", snow="white white white", coal="black grey -",
                brick="red red red", lemon="green yellow yellow"),
    "old": dict(sky="blue grey blue", grass="green red red", snow="white white pink", coal="black black grey",
                brick="brown red -", lemon="green green yellow"),
}
GRADES = dict(a="C", b="P", c="I", d="N", e="B", f=float("nan"), g="C", h="I")


@solver
def answers(who):
    async def solve(state, generate):
        text = ANSWERS[who][state.sample_id].split()[state.epoch - 1]
        if who == "old":
            await anyio.sleep(0.05 * (20 - state.epoch * len(state.sample_id)))
        if text == "-":
            raise RuntimeError("the provider closed the connection")
        state.output = ModelOutput.from_content("mockllm/model", text)
        return state

    return solve


@scorer(metrics=[mean(), stderr()])
def closeness():
    async def score(state, target):
        text = state.output.completion
        return None if text == "grey" else Score(value=1.0 if text == target.text else 0.25)

    return score


@task
def colours(who="new", version=1, targets=None):
    targets = targets or {}
    return Task(
        dataset=MemoryDataset(
            [Sample(id=i, input=q, target=targets.get(i, t), metadata={"kind": k}) for i, q, t, k in QUESTIONS],
            name="colours",
        ),
        solver=answers(who),
        scorer=[match(location="exact"), closeness()],
        epochs=Epochs(3, "mean"),
        fail_on_error=False,
        version=version,
    )


@solver
def nothing(how):
    async def solve(state, generate):
        if how == "failed":
            raise RuntimeError("the provider closed the connection")
        if how == "started" and state.sample_id == "f":
            os._exit(9)
        state.output = ModelOutput.from_content("mockllm/model", "answer")
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def judge():
    async def score(state, target):
        return Score(value=GRADES[state.sample_id])

    return score


@scorer(metrics={"short": [mean(), stderr()], "polite": [mean(), stderr()]})
def style():
    async def score(state, target):
        return Score(value={"short": int(state.sample_id < "d"), "polite": state.sample_id != "a"})

    return score


@task
def graded(how="graded"):
    return Task(
        dataset=MemoryDataset([Sample(id=i, input=f"Question {i}?", target=f"answer {i}") for i in GRADES], name="graded"),
        solver=nothing(how),
        scorer=[judge(), style()],
        fail_on_error=False,
    )


def clustered_scorer(name, column):
    @scorer(name=name, metrics=[accuracy(), stderr(cluster=column)])
    def made():
        async def score(state, target):
            return Score(value="C" if (int(state.sample_id) * 7 + state.epoch) % 5 > int(state.metadata["pair"] > "b") else "I")

        return score

    return made


by_pair, by_source = clustered_scorer("by_pair", "pair"), clustered_scorer("by_source", "source")


@task
def clustered():
    return Task(
        dataset=MemoryDataset(
            [
                Sample(id=i, input=f"Question {i}?", target="answer",
                       metadata={"pair": "abcdef"[i // 2], "source": "xxxxxxyyyzzw"[i], "topic": "st"[i // 5 % 2]})
                for i in range(12)
            ],
            name="clustered",
        ),
        solver=nothing("clustered"),
        scorer=[by_pair(), by_source()],
        epochs=Epochs(2, "mean"),
    )
PY
cat > run.py <<'PY'
import sys
from pathlib import Path

from colours import clustered, colours, graded
from inspect_ai import eval

name, format = sys.argv[1:]
task = {
    "new": lambda: colours("new"),
    "old": lambda: colours("old"),
    "changed": lambda: colours("old", 2, {"sky": "grey"}),
    "clustered": clustered,
    **{how: (lambda how=how: graded(how)) for how in ("graded", "failed", "started")},
}[name.rpartition("-")[2]]()
eval(task, model="mockllm/model", log_dir=f"logs/{name}.{format}", log_format=format, display="none", retry_on_error=0,
     max_samples=18 if name.endswith("old") else 1, log_buffer=2)
PY
cat > clean.py <<'PY'
import json
import sys
import zipfile
from pathlib import Path

import zipfile_zstd  # noqa: F401

DROPPED = ("events", "events_data", "messages", "attachments", "store", "model_usage", "role_usage", "output")


def cleaned(sample):
    if sample.get("error"):
        sample["error"] = {**sample["error"], "traceback": "", "traceback_ansi": ""}
    return {key: value for key, value in sample.items() if key not in DROPPED}


for path in sorted(Path("logs").glob("*/*")):
    goal = Path(sys.argv[1]) / path.parent.name
    if path.suffix == ".json":
        log = json.loads(path.read_text())
        log["samples"] = [cleaned(sample) for sample in log["samples"]]
        goal.write_text(json.dumps(log) + "\n")
        continue
    with zipfile.ZipFile(path) as log, zipfile.ZipFile(goal, "w") as copy:
        for member in log.infolist():
            text = log.read(member)
            if member.filename.startswith("samples/") and not member.filename.endswith("_epoch_1.json"):
                continue  # the scores are in the summaries, and the files should stay small
            if member.filename.startswith("samples/"):
                text = json.dumps(cleaned(json.loads(text))).encode()
            copy.writestr(member.filename, text, member.compress_type)
PY
for name in inspect-0.3.285-new inspect-0.3.285-old inspect-0.3.285-changed inspect-0.3.285-graded inspect-0.3.285-failed \
    inspect-0.3.285-clustered; do
    "$work/venv/bin/python" run.py $name eval
done
"$work/venv/bin/python" run.py inspect-0.3.285-new json
"$work/venv/bin/python" run.py inspect-0.3.285-started eval || true
"$work/venv/bin/python" clean.py "$data"
