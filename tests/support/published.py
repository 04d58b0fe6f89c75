"""Published results that several tests compare: folds of two learners, and Demšar's table of data sets."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from classay.resampling.data import Cases, FoldResult, Place
from classay.resampling.evaluation import Evaluation
from classay.resampling.model_folds import DatasetRun
from classay.resampling.partitions import StratifiedKFold

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "learners.json").read_text())
TABLE = ORACLES["Demsar_table6"]
MODELS, VALUES = TABLE["models"], np.array(TABLE["values"])
WIDE = {"set": [f"set{i}" for i in range(len(VALUES))]} | dict(zip(MODELS, VALUES.T, strict=True))
LONG = pd.DataFrame(WIDE).melt("set", var_name="model", value_name="auc")
TEN = ORACLES["paired_t_10fold"]
CASES = 100


def evaluation(folds=10, repeats=1, **accuracies):
    """An evaluation in which each fold of a hundred cases has just this accuracy."""
    rows = folds * CASES
    truth = np.arange(rows) % 2
    places, results = [], {name: [] for name in accuracies}
    for number in range(folds * repeats):
        test = np.arange(number % folds, rows, folds)
        repeat, fold = divmod(number, folds)
        places.append(Place(number, "test", repeat, fold, test, rows - CASES))
        for name, values in accuracies.items():
            wrong = np.arange(CASES) >= round(CASES * values[number])
            results[name].append(FoldResult(np.where(wrong, 1 - truth[test], truth[test])))
    run = DatasetRun(
        Cases("", truth, (0, 1), 1), tuple(places), {name: tuple(r) for name, r in results.items()}
    )
    return Evaluation(StratifiedKFold(folds, repeats), ("accuracy",), (run,))


E_TEN = evaluation(A=TEN["A"], B=TEN["B"])
