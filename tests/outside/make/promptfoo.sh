#!/usr/bin/env bash
# Writes results of promptfoo in tests/outside/data/, with a provider that needs no network; run by hand.
# Two prompts, five sums, each twice: the provider fails once, an assertion throws once, one test asserts nothing.
set -euo pipefail
cd "$(dirname "$0")/../data"
data=$PWD; work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --no-audit --no-fund promptfoo@0.123.1 node@22 >/dev/null
cat > answers.js <<'JS'
module.exports = class {
  id() { return 'answers'; }
  async callApi(prompt, context) {
    const says = context.vars[prompt];
    if (says === '-') throw new Error('the provider closed the connection');
    await new Promise((done) => setTimeout(done, 40 * (9 - says.length)));
    return { output: says };
  }
};
JS
cat > promptfooconfig.yaml <<'E'
description: sums
prompts: [new, old]
providers: ["file://answers.js"]
defaultTest:
  assert:
    - {type: equals, value: "{{target}}", metric: exact}
    - {type: javascript, value: "output.length < 3 ? 1 : 0.25", metric: short}
tests:
  - {vars: {question: "2 + 3 =", target: "5", new: "5", old: "5"}, metadata: {kind: sums}}
  - {vars: {question: "4 + 4 =", target: "8", new: "8", old: "nine"}, metadata: {kind: sums}}
  - {vars: {question: "9 - 2 =", target: "7", new: "-", old: "seven"}, metadata: {kind: differences}}
  - vars: {question: "8 - 3 =", target: "5", new: "5", old: "5"}
    metadata: {kind: differences}
    assert: [{type: javascript, value: "nowhere.defined", metric: judge}]
  - {vars: {question: "1 + 1 =", target: "2", new: "2", old: "three"}, metadata: {kind: sums}, options: {disableDefaultAsserts: true}}
E
export PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 PROMPTFOO_CONFIG_DIR=$work/home \
    PROMPTFOO_DISABLE_REMOTE_GENERATION=1
export PATH=$work/node_modules/node/bin:$PATH  # it needs Node 22
npx promptfoo eval --no-cache --repeat 2 -o out.json -o out.jsonl -o out.csv || true  # 100: some tests failed
python3 - "$data" <<'PY'
# Removes what a log says of the machine (stack traces) and what is long and no grade.
import csv
import json
import re
import sys
from pathlib import Path

KEPT = ("id", "promptIdx", "testIdx", "provider", "prompt", "vars", "response", "success", "score", "namedScores",
        "failureReason", "error", "testCase", "metadata", "gradingResult")
goal = Path(sys.argv[1])


def short(text):
    return re.split(r"\n\s*(?:Stack Trace|at )", text or "")[0]


def cleaned(row):
    row = {key: row[key] for key in KEPT if key in row}
    if "error" in row:
        row["error"] = short(row["error"])
    row["response"] = {"output": (row.get("response") or {}).get("output")}
    row["prompt"] = {key: row["prompt"][key] for key in ("raw", "label")}
    row["testCase"] = {key: row["testCase"][key] for key in ("vars", "metadata") if key in row["testCase"]}
    grading = row.get("gradingResult")
    if grading:
        row["gradingResult"] = {key: grading[key] for key in ("pass", "score", "namedScores") if key in grading}
        row["gradingResult"]["reason"] = short(grading.get("reason"))
    return row


whole = json.loads(Path("out.json").read_text())
whole["results"]["results"] = [cleaned(row) for row in whole["results"]["results"]]
for prompt in whole["results"]["prompts"]:
    prompt["metrics"].pop("tokenUsage", None)
for name in ("config", "runtimeOptions"):
    whole.pop(name, None)
whole["results"]["stats"].pop("tokenUsage", None)
(goal / "promptfoo-0.123.1.json").write_text(json.dumps(whole) + "\n")
lines = Path("out.jsonl").read_text().splitlines()
(goal / "promptfoo-0.123.1.jsonl").write_text("".join(json.dumps(cleaned(json.loads(line))) + "\n" for line in lines))
rows = list(csv.reader(Path("out.csv").open(newline="")))
with (goal / "promptfoo-0.123.1.csv").open("w", newline="") as file:
    csv.writer(file).writerows([[short(cell) for cell in row] for row in rows])
PY
