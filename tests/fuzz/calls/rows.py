"""Prediction sets: rows of every type and size, with ties, infinities, denormals, weights, clusters, many classes."""

import datetime
import json
import math
import tempfile
from decimal import Decimal
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from ..contract import estimate, hold, plain

PAIRS = [
    (0, 1),
    (False, True),
    ("no", "yes"),
    ("", " "),
    (-1, 1),
    (1.5, 2.5),
    (b"a", b"b"),
    ("x\u202ey", "ü"),
    ("a\nb", "\x1b[31m"),
    (2**70, 3),
    ((1, 2), (1, 3)),
    (datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)),
    (1, "a"),
    (float("nan"), 1.0),
    (None, "a"),
    (0, 2**63),
    (Decimal(1), Decimal(2)),
    ("9" * 200, "1"),
]
NUMBERS = [
    0.0, -0.0, 1.0, 0.5, 0.25, 0.1, 0.9, 0.7, 5e-324, 1e-300, 1e-17, 1 - 1e-16, 1.0000001, -1e-9, 1e308, -1e308,
    math.inf, -math.inf, 3.0, -2.5, 2.0**53 + 2, 1e19,
]  # fmt: skip
DTYPES = [
    "float64",
    "float32",
    "float16",
    "longdouble",
    "int64",
    "int8",
    "uint64",
    "bool",
    "object",
    "str",
    "complex",
]
HOLDERS = [
    "list",
    "numpy",
    "tuple",
    "pandas",
    "polars",
    "arrow",
    "chunked",
    "dictionary",
    "iterator",
    "memory",
]
WEIGHTS = [1.0, 2.0, 0.5, 0.0, 1e-170, 1e170, 1e-300, 5e-324, 1e308, 3.7, 1e-9]
MORE = ["weight", "frequency", "cluster", "cluster weight", "id", "id cluster"]
PASSED = ("positive", "labels", "level", "interval", "threshold", "missing")
LOOKS = ["curves", "merged", "prevalence", "threshold", "few measures", "saved"] * 6 + [
    "text", "html", "measures", "json", "per class"
]  # fmt: skip
"""What is looked at: what costs much, such as whole reports, of fewer inputs."""
FEW = 7
"""Measures whose estimates are looked at, of all applicable ones; which ones depends on the rows."""


@st.composite
def _two(draw):
    n = draw(st.one_of(st.integers(1, 12), st.integers(0, 40)))
    pair = draw(st.sampled_from(PAIRS[:6] * 3 + PAIRS))
    codes = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    usual = st.sampled_from(NUMBERS[:8])
    number = draw(st.sampled_from([usual, usual, st.floats(0, 1), st.sampled_from(NUMBERS), st.floats()]))
    given = {
        "truth": [pair[code] for code in codes],
        "score": draw(st.lists(number, min_size=n, max_size=n)),
        "positive": draw(st.sampled_from([pair[1]] * 8 + [pair[0], None, "absent"])),
        "dtype": draw(st.sampled_from(["float64"] * 12 + DTYPES)),
    }
    if draw(st.integers(0, 5)) == 0:
        del given["score"]
        given["prediction"] = [
            pair[code] for code in draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
        ]
    return given


@st.composite
def _several(draw):
    k = draw(st.sampled_from([3, 3, 3, 4, 4, 5, 6] * 4 + [12, 130, 300]))
    n = draw(st.integers(1, 30)) if k < 10 else draw(st.integers(1, 60))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    labels = draw(
        st.sampled_from([list(range(k)), [f"c{i:03}" for i in range(k)], [f"ü{i} x" for i in range(k)]])
    )
    scores = rng.random((n, k))
    kind = draw(st.sampled_from(["probabilities", "ties", "certain", "decision", "odd"]))
    if kind == "certain":
        scores = np.eye(k)[rng.integers(0, k, n)]
    elif kind == "ties":
        scores = np.ones((n, k)) / k
    elif kind == "probabilities":
        scores /= scores.sum(1)[:, None]
    elif kind == "odd":
        scores.flat[rng.integers(0, n * k, 3)] = draw(st.sampled_from(NUMBERS))
    truth = [labels[code] for code in rng.integers(0, draw(st.sampled_from([1, 2, k])), n)]
    if draw(st.integers(0, 3)) == 0:
        return {
            "truth": truth,
            "prediction": [labels[code] for code in rng.integers(0, k, n)],
            "dtype": "float64",
        }
    return {"truth": truth, "score": scores.tolist(), "labels": labels, "dtype": "float64"}


def _reals(values):
    return st.one_of(st.sampled_from(values[:4]), st.sampled_from(values))


@st.composite
def rows(draw):
    """One prediction set, as plain values, with how it is held and what is looked at."""
    given = draw(st.one_of(_two(), _two(), _several()))
    n = len(given["truth"])

    def column(values):
        return draw(st.lists(values, min_size=n, max_size=n))

    more = draw(st.sampled_from(["", "", "", "", *MORE]))
    if "weight" in more:
        given["weight"] = column(_reals(WEIGHTS))
    if "frequency" in more:
        given["frequency"] = column(st.sampled_from([1, 1, 2, 3, 0, 10**6, 2**40]))
    if "cluster" in more:
        given["cluster"] = column(st.sampled_from(["a", "b", "c", "d", "ü"]))
    if "id" in more:
        given["id"] = list(range(n)) if draw(st.integers(0, 3)) else column(st.sampled_from([1, 2, 3]))
    given["holder"] = draw(st.sampled_from(["numpy", "list"] * 5 + HOLDERS))
    given["look"] = draw(st.sampled_from(LOOKS))
    if draw(st.integers(0, 9)) == 0:
        given["level"] = draw(st.sampled_from([0.5, 0.9, 0.999999, 1e-9, 1 - 1e-9]))
    if draw(st.integers(0, 9)) == 0:
        given["interval"] = draw(
            st.sampled_from(["bootstrap", "jeffreys", "mid-P", "wilson", "Clopper-Pearson"])
        )
    if draw(st.integers(0, 9)) == 0:
        given["threshold"] = draw(st.sampled_from(NUMBERS))
    if draw(st.integers(0, 9)) == 0:
        given["missing"] = "drop"
    return given


INPUTS = rows()


def column(values, dtype, holder):
    """A column of the wanted type in the wanted container; as a list where the container cannot hold it."""
    import pandas
    import polars
    import pyarrow

    try:
        with np.errstate(all="ignore"):
            array = np.array(values, dtype) if dtype != "object" else _objects(values)
        made = {
            "list": lambda: values,
            "tuple": lambda: tuple(values),
            "iterator": lambda: iter(values),
            "numpy": lambda: array,
            "memory": lambda: memoryview(array),
            "pandas": lambda: pandas.Series(array),
            "polars": lambda: polars.Series("x", array),
            "arrow": lambda: pyarrow.array(values),
            "chunked": lambda: pyarrow.chunked_array(
                [values[: len(values) // 2], values[len(values) // 2 :]]
            ),
            "dictionary": lambda: pyarrow.array(values).dictionary_encode(),
        }
        return made[holder]()
    except Exception:  # noqa: BLE001 - other people's containers refuse in many ways
        return values


def _objects(values):
    made = np.empty(len(values), object)
    made[:] = values
    return made


def arguments(given):
    """What `assess` is called with."""
    holder = given["holder"]
    how = {name: given[name] for name in PASSED if name in given}
    for name in ("weight", "frequency", "cluster", "id"):
        if name in given:
            how[name] = column(given[name], None, holder)
    if "prediction" in given:
        how["y_pred"] = column(given["prediction"], None, holder)
    score = None
    if "score" in given:
        several = given["score"] and isinstance(given["score"][0], list)
        score = np.array(given["score"]) if several else column(given["score"], given["dtype"], holder)
    return (column(given["truth"], None, holder), score), how


def check(given):
    """Assess the rows, and look at what came of it."""
    import classay as ca

    rows, how = arguments(given)
    look_at(ca.assess(*rows, **how), given["look"])


def look_at(a, look):
    """Hold an assessment against the laws: its estimates, or one more view of it."""
    VIEWS[look](a)
    if look in ("merged", "saved", "few measures"):
        estimates(a, FEW)
    elif look == "measures":
        estimates(a)


def _text(a):
    hold(plain(str(a), "\n"), "a report holds control characters", ascii(str(a)))
    repr(a)


def _per_class(a):
    repr(a.per_class)
    for name in ("macro_recall", "accuracy"):
        estimate(name, a[name])


def _prevalence(a):
    if a.positive is not None:
        shifted = a.at_prevalence(0.01)
        for name in ("precision", "recall", "log_loss"):
            estimate(f"{name} at a prevalence", shifted[name])


def _threshold(a):
    if a.positive is not None and a.scores is not None:
        estimates(a.at(threshold=0.3), FEW)


def strict(plain_values):
    """What `to_dict` gives is JSON in the strict sense, and comes back from it."""
    try:
        text = json.dumps(plain_values, allow_nan=False)
    except (TypeError, ValueError) as error:
        hold(False, "to_dict is no strict JSON", error)
    hold(json.loads(text) == plain_values, "to_dict comes back from JSON as something else")


def estimates(a, most=None):
    """The estimates of an assessment that take no long bootstrap; at most so many, each number of rows others."""
    found = [each for each in a.applicable() if len(a.labels) <= 12 or each.needs in ("margins", "cases")]
    first = 0 if most is None else a.n * 7919 % len(found)
    for measure in (found + found)[first:][: most or len(found)]:
        estimate(measure.name, a[measure.name])


def saved_again(a, folder=None):
    """save → load → save gives the same bytes, and the same estimates."""
    import classay as ca

    with tempfile.TemporaryDirectory() as made:
        first, second = Path(folder or made, "first.classay"), Path(folder or made, "second.classay")
        a.save(first)
        loaded = ca.load(first)
        loaded.save(second)
        hold(first.read_bytes() == second.read_bytes(), "save → load → save gives other bytes")
    hold(
        repr(loaded.labels) == repr(a.labels),
        "a loaded assessment has other labels",
        (loaded.labels, a.labels),
    )
    hold(str(loaded.cutoff) == str(a.cutoff), "a loaded assessment has another threshold")
    return loaded


def _merged(a):
    both = a + a
    hold(both.rows == 2 * a.rows, "a merged assessment has lost rows", (both.rows, a.rows))
    hold(both.dropped == 2 * a.dropped, "a merged assessment has lost dropped rows")


def _curves(a):
    if a.positive is None or a.scores is None:
        return
    for name in ("roc", "precision_recall", "cost", "calibration", "net_benefit", "gain"):
        chart = getattr(a, name)
        frame = chart.frame()
        hold(frame.num_rows > 0, f"the {name} curve has no points")


VIEWS = {
    "text": _text,
    "json": lambda a: strict(a.to_dict()),
    "saved": saved_again,
    "curves": _curves,
    "merged": _merged,
    "per class": _per_class,
    "html": lambda a: a._repr_html_(),
    "prevalence": _prevalence,
    "threshold": _threshold,
    "measures": lambda a: repr(a.measures),
    "few measures": repr,
}
