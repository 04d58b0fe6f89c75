#!/usr/bin/env bash
# Writes a test run of deepeval in tests/outside/data/, with metrics that need no model; run by hand.
# Four sums, two metrics; one metric fails on one case.
set -euo pipefail
cd "$(dirname "$0")/../data"
data=$PWD; work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q deepeval==4.3.1
cd "$work"
cat > run.py <<'PY'
import sys

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

CASES = [("2 + 3 =", "5"), ("4 + 4 =", "8"), ("9 - 2 =", "7"), ("1 + 1 =", "2")]
ANSWERS = {"new": ["5", "9", "seven or so", "-"], "old": ["5", "8", "7", "three"]}


class Exact(BaseMetric):
    def __init__(self):
        self.threshold, self.async_mode, self.error, self.skipped = 1.0, False, None, False
        self.include_reason = self.strict_mode = self.verbose_mode = False
        self.evaluation_model = self.score_breakdown = self.reason = None

    def measure(self, case, *_, **__):
        if case.actual_output == "-":
            raise RuntimeError("the judge did not answer")
        return self.graded(float(case.actual_output == case.expected_output))

    def graded(self, score):
        self.score, self.success = score, score >= self.threshold
        return score

    async def a_measure(self, case, *_, **__):
        return self.measure(case)

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return type(self).__name__


class Length(Exact):
    def measure(self, case, *_, **__):
        return self.graded(min(1.0, 3 / len(case.actual_output)))


who = sys.argv[1]
answers = dict(zip(CASES, ANSWERS[who], strict=True))
evaluate(
    test_cases=[
        LLMTestCase(input=question, expected_output=target, actual_output=answers[question, target])
        for question, target in (CASES if who == "new" else CASES[::-1])
    ],
    metrics=[Exact(), Length()],
    async_config=AsyncConfig(run_async=False),
    cache_config=CacheConfig(write_cache=False),
    display_config=DisplayConfig(show_indicator=False, print_results=False),
    error_config=ErrorConfig(ignore_errors=True),
)
PY
export DEEPEVAL_TELEMETRY_OPT_OUT=YES DEEPEVAL_UPDATE_WARNING_OPT_OUT=YES DEEPEVAL_RESULTS_FOLDER=out
"$work/venv/bin/python" run.py new
mv out/test_run_*.json "$data/deepeval-4.3.1-new.json"
"$work/venv/bin/python" run.py old
mv out/test_run_*.json "$data/deepeval-4.3.1-old.json"
