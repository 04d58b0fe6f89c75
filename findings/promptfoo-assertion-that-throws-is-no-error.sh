#!/usr/bin/env bash
# promptfoo 0.123.1: an assertion of type javascript that throws, on an answer that is correct.
# Behaviour: the assertion grades 0 and the test has failed, as if the answer were wrong.
# Seen: one correct answer, a grading function with a mistake: 1 failure, 0 errors, named score 0 of 1.
# One would guess: an error, as for a provider that throws, so that a broken grader is not a bad model.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --no-audit --no-fund promptfoo@0.123.1 node@22 >/dev/null
cat > promptfooconfig.yaml <<'E'
prompts: ["{{answer}}"]
providers: [echo]
tests:
  - vars: {answer: "5"}
    assert:
      - {type: equals, value: "5", metric: exact}
      - {type: javascript, value: "nowhere.defined", metric: judge}
E
export PATH=$work/node_modules/node/bin:$PATH  # it needs Node 22
export PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 PROMPTFOO_CONFIG_DIR=$work/home
node_modules/.bin/promptfoo eval --no-cache -o out.json >/dev/null 2>&1 || true  # 100: a test failed
python3 - <<'PY'
import json
from pathlib import Path

log = json.loads(Path("out.json").read_text())
stats = {name: log["results"]["stats"][name] for name in ("successes", "failures", "errors")}
(row,) = log["results"]["results"]
print("promptfoo", log["metadata"]["promptfooVersion"], stats, row["namedScores"], row["failureReason"])
assert row["namedScores"] == {"exact": 1, "judge": 0}
assert stats == {"successes": 0, "failures": 1, "errors": 0}, "changed: an assertion that throws is now an error"
PY
