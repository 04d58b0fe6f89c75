"""Rows counted part by part, exactly or in bins: scores of two classes and of several, against all rows at once."""

import math
import pickle
from concurrent.futures import Future

import numpy as np
from hypothesis import strategies as st

from .calls import rows as at_once
from .contract import hold

PASSED = ("positive", "labels", "level", "interval", "threshold", "missing")
CERTAIN = ("roc_auc", "kolmogorov_smirnov", "max_f1", "macro_roc_auc", "weighted_roc_auc")


@st.composite
def scans(draw):
    """One prediction set, in parts of so many rows, and how fine the bins are."""
    given = draw(at_once.rows())
    return given | {
        "part": draw(st.sampled_from([10**6, 1, 2, 7])),
        "bits": draw(st.sampled_from([None, 1, 3, 10, 26, 26])),
        "memory": draw(st.sampled_from([2**30, 2**30, 0])),
        "elsewhere": draw(st.booleans()),
    }


INPUTS = scans()


class Elsewhere:
    """An executor to which parts go, and from which counts come back, as they do with another process."""

    def submit(self, work, part):
        """Count a part of a copy."""
        done = Future()
        try:
            count, copied = pickle.loads(pickle.dumps((work, part)))
            done.set_result(pickle.loads(pickle.dumps(count(copied))))
        except Exception as error:  # noqa: BLE001 - as executors do
            done.set_exception(error)
        return done


def check(given):
    """Scan the rows, look at what came of it, and compare it with the assessment of all rows."""
    import pyarrow as pa

    import classay as ca
    from classay.in_parts import fragments

    columns = {"truth": given["truth"]}
    named = {name: name for name in ("weight", "frequency", "prediction") if name in given}
    columns |= {name: given[name] for name in named}
    several = "score" in given and given["truth"] and isinstance(given["score"][0], list)
    if several:
        wide = np.array(given["score"])
        named["score"] = {label: f"s{i}" for i, label in enumerate(given["labels"])}
        columns |= {f"s{i}": wide[:, i] for i in range(wide.shape[1])}
    elif "score" in given:
        named["score"] = "score"
        columns["score"] = np.array(given["score"], np.float64)
    try:
        frame = pa.table(columns)
    except (TypeError, ValueError, OverflowError, pa.ArrowException):
        return  # such labels are in no column
    how = {name: given[name] for name in PASSED if name in given}
    fragments.ROWS = given["part"]
    executor = Elsewhere() if given["elsewhere"] else None
    more = {"bits": given["bits"], "memory": given["memory"], "executor": executor}
    found = ca.scan(frame, truth="truth", **named, **how, **more)
    at_once.look_at(found, given["look"])
    whole = ca.assess(frame, truth="truth", **named, **how)
    for name in CERTAIN:
        if is_of_classes(name) == (found.positive is None):
            _lies_within(name, found, whole)


def is_of_classes(name):
    """Whether the measure is of several classes."""
    from classay.measures import get

    return get(name).needs == "class_scores"


def _lies_within(name, found, whole):
    one, other = found[name], whole[name]
    hold(one.is_undefined == other.is_undefined, f"{name} is undefined in one way of counting", (one, other))
    if one.is_undefined:
        return
    low, high = one.certain or (one.value, one.value)
    near = 1e-9 * max(1.0, abs(other.value))
    hold(
        math.isnan(other.value) or low - near <= other.value <= high + near,
        f"{name} is not where it is certain to be",
        (one, other),
    )
