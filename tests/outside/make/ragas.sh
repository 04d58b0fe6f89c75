#!/usr/bin/env bash
# Writes result tables of ragas in tests/outside/data/, with metrics that need no model; run by hand.
set -euo pipefail
cd "$(dirname "$0")/../data"
data=$PWD; work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q ragas==0.4.3 langchain-community==0.3.31 langchain==0.3.30 langchain-openai==0.3.35
cd "$work"
cat > run.py <<'PY'
import sys
from dataclasses import dataclass, field

from ragas import EvaluationDataset, SingleTurnSample, evaluate
from ragas.metrics import ExactMatch, StringPresence
from ragas.metrics.base import MetricType, SingleTurnMetric
from ragas.run_config import RunConfig

CASES = [("2 + 3 =", "5", "5"), ("4 + 4 =", "8", "9"), ("9 - 2 =", "7", "7 or so"), ("1 + 1 =", "2", "-")]


@dataclass
class Judge(SingleTurnMetric):
    """A metric that fails on one answer."""

    name: str = "judge"
    _required_columns: dict = field(default_factory=lambda: {MetricType.SINGLE_TURN: {"response", "reference"}})

    def init(self, run_config):
        pass

    async def _single_turn_ascore(self, sample, callbacks):
        if sample.response == "-":
            raise RuntimeError("the judge did not answer")
        return 1.0 if sample.response == sample.reference else 0.25


table = evaluate(
    EvaluationDataset(samples=[SingleTurnSample(user_input=q, reference=t, response=a) for q, t, a in CASES]),
    metrics=[ExactMatch(), StringPresence(), Judge()],
    run_config=RunConfig(max_retries=1),
    show_progress=False,
).to_pandas()
table.to_csv(f"{sys.argv[1]}/ragas-0.4.3.csv", index=False)
table.to_json(f"{sys.argv[1]}/ragas-0.4.3.jsonl", orient="records", lines=True)
PY
RAGAS_DO_NOT_TRACK=true "$work/venv/bin/python" run.py "$data"
