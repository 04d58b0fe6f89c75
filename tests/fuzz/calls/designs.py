"""Sample sizes of odd designs, measures of odd labels in brackets, their requirements, MLflow where there is none."""

import json
import math
import sys
from contextlib import contextmanager
from unittest import mock

from hypothesis import strategies as st

from ..contract import estimate, hold
from ..outside.names import ODD

NUMBERS = [
    0.5, 0.05, 0.1, 0.8, 0.95, 0.01, 0, 1, -0.1, 2, 1e-9, 1 - 1e-9, 1e-300, 5e-324, 1 - 1e-16, math.nan,
    math.inf, "x", None, True, [0.5], 0.999999, 1e-5, 3, 0.85, 0.81,
]  # fmt: skip
CALLS = {
    "for_proportion": ["half_width", "expected"],
    "for_class_rate": ["half_width", "prevalence", "expected"],
    "for_auc": ["auc", "half_width", "prevalence"],
    "for_auc_difference": ["first", "second", "correlation", "prevalence", "power", "score_correlation"],
    "for_mcnemar": ["first_only", "second_only", "power"],
    "for_no_failures": ["rate"],
    "auc_difference_power": ["first", "second", "positives", "negatives", "correlation"],
}
COUNTS = [100, 10, 1, 0, -1, 10**9, 2**70, 0.5, math.nan, "x"]
LABELS = [
    *ODD,
    "a]",
    "]",
    "[",
    '"',
    "\\",
    '\\"',
    "low",
    ".low",
    "] >= 0",
    " and ",
    "a and b",
    "(",
    ")",
    ">= 0.5",
    "é",
    "1",
    "0.5",
    "true",
    "'",
    "a,b",
    "a=b",
    "macro",
]
_values = st.one_of(st.sampled_from(NUMBERS[:6]), st.sampled_from(NUMBERS))
_call = st.sampled_from([*CALLS]).flatmap(
    lambda name: st.fixed_dictionaries(
        {
            "call": st.just(name),
            "how": st.fixed_dictionaries(
                {
                    each: st.sampled_from(COUNTS) if each in ("positives", "negatives") else _values
                    for each in CALLS[name]
                }
            ),
            "level": st.sampled_from([None, None, None, 0.5, 1e-9, 1 - 1e-9, 0.999, 1.0, "x"]),
        }
    )
)
_label = st.one_of(st.sampled_from(LABELS), st.text(max_size=5))
_brackets = st.fixed_dictionaries(
    {
        "labels": st.lists(_label, min_size=3, max_size=3, unique=True),
        "kind": st.sampled_from(["text", "text", "text", "whole", "truth", "float", "tuple"]),
        "measure": st.sampled_from(
            [
                "recall",
                "precision",
                "f1",
                "specificity",
                "roc_auc",
                "f_beta(2)",
                "average_precision",
                "accuracy",
                "mcc",
            ]
        ),
        "written": st.sampled_from(["json", "json", "json", "bare", "as it is", "odd"]),
        "part": st.sampled_from(["", ".low", ".high", ".value"]),
        "classes": st.sampled_from([3, 3, 2]),
    }
)
_logged = st.fixed_dictionaries(
    {
        "log": st.sampled_from(
            ["assessment", "comparison", "gate", "decision", "None", "text", "estimate", "evaluation"]
        ),
        "name": st.sampled_from([None, "", "a/b", 3, "x" * 300, "ü\x1b"]),
        "there": st.booleans(),
    }
)
INPUTS = st.one_of(_call, _call, _call, _brackets, _brackets, _brackets, _brackets, _logged)


def check(given):
    """Call, and look at what came of it."""
    if "call" in given:
        _size(given)
    elif "log" in given:
        _log(given)
    else:
        _in_brackets(given)


def _size(given):
    """Cases that reach what was asked for."""
    import classay as ca

    level = {} if given["level"] is None else {"level": given["level"]}
    found = getattr(ca.sample_size, given["call"])(**given["how"], **level)
    if given["call"] == "auc_difference_power":
        hold(0 <= found <= 1, "a power is none", found)
        return
    hold(isinstance(found.cases, int) and found.cases >= 1, "a sample size is no number of cases", found)
    hold(math.isfinite(found.reached), "what is reached is no number", found)
    if found.positives is not None:
        hold(
            found.positives + found.negatives == found.cases and min(found.positives, found.negatives) >= 0,
            "the classes do not add up",
            found,
        )
    if found.what == "half-width":
        hold(
            found.reached <= given["how"]["half_width"] * (1 + 1e-9),
            "the interval is wider than asked for",
            found,
        )
    str(found)


def _in_brackets(given):
    """A measure of a class by its label is that of the classes; a requirement of it is read as it is written."""
    import classay as ca
    from classay.inference.requirements import parse

    labels = {
        "whole": [1, 2, -3],
        "truth": [False, True],
        "float": [0.5, 1.5, 2.5],
        "tuple": [(each, i) for i, each in enumerate(given["labels"])],
    }.get(given["kind"], given["labels"])[: given["classes"]]
    y = [labels[i % len(labels)] for i in range(24)]
    q = [labels[i % 5 % len(labels)] for i in range(24)]
    positive = {"positive": labels[1]} if len(labels) == 2 else {}
    a = ca.assess(y, y_pred=q, **positive)
    label = labels[0]
    written = {
        "json": json.dumps(str(label), ensure_ascii=False),
        "bare": str(label),
        "as it is": repr(label),
        "odd": given["labels"][1] + '"',
    }[given["written"]]
    name = f"{given['measure']}[{written}]"
    found = a[name]
    estimate(name, found)
    if (
        given["written"] == "json"
        and given["kind"] == "text"
        and len(labels) == 3
        and given["measure"] in ("recall", "precision", "f1")
    ):
        wanted = a.class_estimates()[label].get(given["measure"])
        if wanted is not None:
            hold(
                found.value == wanted.value or (math.isnan(found.value) and math.isnan(wanted.value)),
                "recall[label] is not that of the class",
                (found, wanted),
            )
    if given["written"] == "json":
        text = f"{name}{given['part']} >= 0.5"
        (one,) = parse(text)
        hold(one.name == name, "a requirement is read as another", (one, text))
        (again,) = parse(str(one))
        hold(again == one, "a requirement is read otherwise than it is written", (again, one))


class _Run:
    """What stands for a run of MLflow."""

    class info:
        run_id = "1"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


@contextmanager
def _mlflow(module):
    """Something in the place of MLflow; None stands for nothing. Other modules stay as they are."""
    kept = sys.modules.get("mlflow")
    sys.modules["mlflow"] = module
    try:
        yield
    finally:
        del sys.modules["mlflow"]
        if kept is not None:
            sys.modules["mlflow"] = kept


def _log(given):
    """Without MLflow one line says what to install; with it, all that is logged has names that it takes."""
    import re

    import classay as ca

    y, p = [0, 1] * 15, [i % 7 / 7 for i in range(30)]
    a = ca.assess(y, p)
    made = {
        "assessment": lambda: a,
        "comparison": lambda: ca.compare({"a\x1b": p, "<b>": p[::-1]}, y, measures=["roc_auc"]),
        "gate": lambda: ca.gate(ca.compare({"a": p, "b": p[::-1]}, y, measures=["roc_auc"])[0], "superior"),
        "decision": lambda: a.threshold(cost={"fp": 1, "fn": 2}),
        "None": lambda: None,
        "text": lambda: "x",
        "estimate": lambda: a["recall"],
        "evaluation": lambda: a,
    }[given["log"]]()
    if not given["there"]:
        with _mlflow(None):
            ca.log_to_mlflow(made, given["name"])
        return
    mlflow = mock.MagicMock()
    mlflow.active_run.return_value = None
    mlflow.start_run.return_value = _Run()
    with _mlflow(mlflow):
        ca.log_to_mlflow(made, given["name"])
    logged = mlflow.log_metrics.call_args[0][0]
    for key, value in logged.items():
        hold(math.isfinite(value), "a metric is no finite number", (key, value))
        hold(re.fullmatch(r"[\w./ -]+", key), "a metric has a name that MLflow refuses", key)
