#!/usr/bin/env bash
# Writes tables that Weights & Biases and DVCLive log of the same forty cases to tests/outside/data/; run by hand.
# Nothing is sent: W&B is offline, and DVCLive writes to a repository in a temporary folder.
set -euo pipefail
cd "$(dirname "$0")/../data"
data=$PWD; work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q wandb==0.31.0 dvclive==3.49.1 scikit-learn==1.9.1
cd "$work"
git init -q . && git -c user.name=nobody -c user.email=nobody@example.org commit -q --allow-empty -m begin
export DVC_NO_ANALYTICS=1 WANDB_MODE=offline WANDB_SILENT=true WANDB_DIR=$work WANDB_CONFIG_DIR=$work WANDB_CACHE_DIR=$work
"$work/venv/bin/python" -W ignore - "$data" <<'PY'
import math
import shutil
import sys
from pathlib import Path

import wandb
from dvclive import Live

truth = ["yes" if k % 2 else "no" for k in range(40)]
score = [((k * 7) % 20 + 5 * (k % 2)) / 30 for k in range(40)]
predicted = ["yes" if each > 0.4 else "no" for each in score]
codes = [int(each == "yes") for each in truth]
goal = Path(sys.argv[1])

run = wandb.init(project="cases")
rows = [
    [k, truth[k], math.nan if k == 7 else score[k], None if k == 4 else "north", predicted[k]] for k in range(40)
]
run.log({"cases": wandb.Table(columns=["id", "truth", "p", "site", "predicted"], data=rows, allow_mixed_types=True)})
by_code = [int(each == "yes") for each in predicted]
run.log({"confusion": wandb.plot.confusion_matrix(y_true=codes, preds=by_code, class_names=["no", "yes"])})
run.log({"roc": wandb.plot.roc_curve(codes, [[1 - each, each] for each in score], labels=["no", "yes"])})
run.finish()
for name in ("cases", "confusion", "roc"):
    (path,) = Path().glob(f"wandb/offline-run-*/files/media/table/{name}*.table.json")
    shutil.copy(path, goal / f"wandb-0.31.0-{name}.table.json")

with Live(dir="live", save_dvc_exp=False, report=None, monitor_system=False) as live:
    live.log_sklearn_plot("confusion_matrix", truth, predicted, name="confusion")
    live.log_sklearn_plot("roc", codes, score, name="roc")
for name in ("confusion", "roc"):
    shutil.copy(f"live/plots/sklearn/{name}.json", goal / f"dvclive-3.49.1-{name}.json")
PY
