"""Steps of programs: rows counted part by part, exactly and in bins."""

from itertools import pairwise

import numpy as np

from .calls.program_chains import NAMES, known_of
from .calls.program_rows import numbers, parts, same, weights
from .contract import hold


def scan(rows, a):
    """The same rows from a frame, in parts."""
    import pyarrow as pa

    import classay as ca

    if not all(isinstance(each, str) for each in rows.labels) or not rows.columns.keys() <= {
        "weight",
        "frequency",
    }:
        return rows, a
    table = pa.table({"y": [rows.labels[each] for each in rows.truth], "p": rows.score, **rows.columns})
    how = {name: name for name in rows.columns}
    found = ca.scan(
        table,
        truth="y",
        score="p",
        labels=list(rows.labels),
        positive=rows.labels[1],
        threshold=rows.threshold,
        interval=rows.interval,
        level=rows.level,
        **how,
    )
    same(rows.numbers(found), rows.numbers(a), "scanning", parts=parts(rows))
    return rows, found


def refine(rows, a):
    """Bins of parts are the bins of all, in any order; the exact value is where they say; refined, they say more."""
    import pyarrow as pa

    import classay as ca

    if "cluster" in rows.columns or rows.interval == "bootstrap":
        return rows, a
    named = {name: name for name in rows.columns}
    table = pa.table({"y": np.array(NAMES)[rows.truth].tolist(), "p": rows.score, **rows.columns})
    how = {"truth": "y", "score": "p", **named}
    more = {
        "labels": NAMES,
        "positive": "y",
        "threshold": rows.threshold,
        "interval": rows.interval,
        "bits": 2,
    }
    whole = ca.scan(table, **how, **more)
    cuts = [0, *sorted(rows.rng.integers(1, rows.truth.size, 2).tolist()), rows.truth.size]
    held = weights(rows)
    made = [ca.scan(table.slice(i, j - i), **how, **more) for i, j in pairwise(cuts) if held[i:j].any()]
    order = rows.rng.permutation(len(made))
    added = sum((made[each] for each in order[1:]), made[order[0]])
    names = [each for each in ("accuracy", "roc_auc", "recall", "brier_score") if each in known_of(whole)]
    same(numbers(added, names), numbers(whole, names), "adding bins of parts")
    finer = ca.refine(whole, table, **how)
    for name in ("roc_auc", "average_precision"):
        exact, once, twice = (each.estimate(name) for each in (a, whole, finer))
        if np.isnan(exact.value):
            continue
        for each in (once, twice):
            low, high = each.certain or (each.value, each.value)
            hold(
                low - 1e-9 <= exact.value <= high + 1e-9,
                f"bins tell where {name} is",
                f"{exact} {each} {each.certain}",
            )
        if once.certain and twice.certain:
            widths = [high - low for low, high in (once.certain, twice.certain)]
            hold(widths[1] <= widths[0] + 1e-12, f"refined, bins tell more of {name}", widths)
    return rows, a


STEPS = {each.__name__: each for each in (scan, refine)}
