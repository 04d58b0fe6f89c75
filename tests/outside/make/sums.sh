#!/usr/bin/env bash
# Writes docs/data/new.eval and docs/data/old.eval, the logs of the tutorial on evaluation logs, with Inspect and a model
# that needs no network; run by hand. Sixty questions of three kinds have two epochs. Some answers fail. Samples, which
# have events and tracebacks of the machine, are removed afterwards: the summaries have the scores.
set -euo pipefail
cd "$(dirname "$0")/../../../docs/data"
data=$PWD; work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q inspect_ai==0.3.285 zstandard==0.25.0 zipfile-zstd==0.0.4
cd "$work"
cat > sums.py <<'PY'
import random

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import solver

KINDS, NUMBER, EPOCHS = ("products", "dates", "units"), 20, 2
ABILITY = {
    "new": {"products": 0.5, "dates": 1.6, "units": 1.0},
    "old": {"products": 0.6, "dates": 0.0, "units": 0.6},
}
FAILS = {("new", "dates-07", 2), ("new", "units-15", 1), ("old", "products-03", 2)}
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def question(kind, chance):
    if kind == "products":
        a, b = chance.randint(12, 99), chance.randint(12, 99)
        return f"What is {a} times {b}?", str(a * b), str(a * b + 10)
    if kind == "dates":
        day, later = chance.randrange(7), chance.randint(8, 60)
        right = (day + later) % 7
        return f"Which weekday is {later} days after a {DAYS[day]}?", DAYS[right], DAYS[right - 1]
    hours = chance.randint(3, 90)
    return f"How many minutes are {hours} hours and a half?", str(hours * 60 + 30), str(hours * 60)


@task
def sums(who="new"):
    chance = random.Random(0)
    samples, answers = [], {}
    for kind in KINDS:
        for number in range(1, NUMBER + 1):
            name = f"{kind}-{number:02}"
            text, right, wrong = question(kind, chance)
            hardness = chance.gauss(0, 1.6)
            for model in ABILITY:
                for epoch in range(1, EPOCHS + 1):
                    knows = ABILITY[model][kind] + chance.gauss(0, 0.6) > hardness
                    answers[model, name, epoch] = right if knows else wrong
            samples.append(Sample(id=name, input=text, target=right, metadata={"kind": kind}))

    @solver
    def answered():
        async def solve(state, generate):
            asked = who, state.sample_id, state.epoch
            if asked in FAILS:
                raise RuntimeError("the provider closed the connection")
            state.output = ModelOutput.from_content("mockllm/model", answers[asked])
            return state

        return solve

    return Task(
        dataset=MemoryDataset(samples, name="sums"),
        solver=answered(),
        scorer=match(location="exact"),
        epochs=Epochs(EPOCHS, "mean"),
        fail_on_error=False,
    )
PY
cat > run.py <<'PY'
import sys
import zipfile
from pathlib import Path

import zipfile_zstd  # noqa: F401
from inspect_ai import eval
from sums import sums

for who in ("new", "old"):
    eval(sums(who), model="mockllm/model", log_dir=who, log_format="eval", display="none", retry_on_error=0, max_samples=1)
    (path,) = Path(who).glob("*.eval")
    with zipfile.ZipFile(path) as log, zipfile.ZipFile(Path(sys.argv[1]) / f"{who}.eval", "w") as copy:
        for member in log.infolist():
            if not member.filename.startswith(("samples/", "_journal/summaries/")):
                copy.writestr(member.filename, log.read(member), member.compress_type)
PY
"$work/venv/bin/python" run.py "$data"
