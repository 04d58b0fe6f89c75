"""What a door answers: all that the law is about, or a refusal; and what two answers say otherwise."""

import contextlib
import math
import re
import traceback
import warnings
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
from tests.fuzz.contract import Refused
from tests.fuzz.targets import of_wings

import classay as ca

TOLERANCE = 1e-9
TWO = ("accuracy", "recall", "precision", "f1", "matthews_correlation", "cohen_kappa", "roc_auc", "average_precision",
       "brier_score", "log_loss", "kolmogorov_smirnov")  # fmt: skip
SEVERAL = (
    "accuracy",
    "macro_f1",
    "cohen_kappa",
    "quadratic_kappa",
    "log_loss",
    "macro_roc_auc",
    "top_2_accuracy",
)
EXACT = r"labels|positive|rows|n$|counts|(accuracy|recall|precision|f1|cohen_kappa|matthews_correlation)\."
"""What a database with bins of scores knows exactly."""


class Refusing(Exception):
    """Carries a refusal of a part out of a call."""


@dataclass(frozen=True)
class Refusal:
    """What came instead of a result: the kind of error and what it said."""

    kind: str
    text: str


def told(a, thorough):
    """All that the law is about: facts, estimates, sentences."""
    facts = {
        "labels": [(type(each).__name__, each) for each in a.labels],
        "positive": a.positive,
        "threshold": (a.cutoff, a.cutoff_chosen),
        "rows": a.rows,
        "dropped": (a.dropped, a.unscored, a.unanswered, a.undeclared),
        "n": a.n,
        "weights": a.kind_of_weight,
        "level": a.level,
        "counts": None if a.confusion_matrix is None else a.confusion_matrix.counts.ravel().tolist(),
        "clusters": None if a.clusters is None else sorted(map(str, a.clusters)),
        "blocks": None if a.blocks is None else a.blocks.fingerprint.tolist(),
    }
    known = {measure.name for measure in a.applicable()}
    wanted = (
        known if thorough else [name for name in (SEVERAL if a.positive is None else TWO) if name in known]
    )
    facts["measures"] = sorted(known)
    estimates = {name: a[name] for name in wanted}
    found = facts | {
        f"{name}.{part}": value for name, each in estimates.items() for part, value in parts(each).items()
    }
    found |= {f"warning {code}": text for code, text in warned(a)}
    if thorough:
        found |= {"text": str(a.changed(model="")), "methods text": a.changed(model="").methods_text()}
    return found


def state(value):
    """All that a result holds, to the last bit and with its types: two of one state are told alike."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, np.ndarray | pa.Array | pa.ChunkedArray):
        return type(value).__name__, str(getattr(value, "type", "")), state(value.tolist())
    if isinstance(value, dict):
        return "dict", *((state(key), state(each)) for key, each in value.items())
    if isinstance(value, list | tuple):
        return type(value).__name__, *map(state, value)
    if is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__, *(
            state(getattr(value, each.name)) for each in fields(value) if each.init
        )
    if type(value).__repr__ is object.__repr__:
        return type(value).__name__, state(vars(value))
    return type(value).__name__, repr(value)


class Memory:
    """Tells each state of a result, and makes its JSON, once: both follow from the state. The command asks it too."""

    def __init__(self, is_kept):
        self.is_kept, self._known = is_kept, {}

    def of(self, function, a, *more):
        if not self.is_kept:
            return function(a, *more)
        key = function, state(a), more
        if key not in self._known:
            self._known[key] = function(a, *more)
        return self._known[key]

    @contextlib.contextmanager
    def of_json(self):
        """While it lasts, the JSON of assessments comes from here."""
        from classay.assessment.remembered import remembered
        from classay.report.results import assessments

        made = assessments.as_dict

        def as_dict(a, names=None, *findings):
            if any(map(tuple, findings)):  # of groups, which are not of the assessment alone
                return made(a, names, *findings)
            return dict(self.of(made, remembered(a), None if names is None else tuple(names)))

        with mock.patch.object(assessments, "as_dict", as_dict):
            yield


def parts(found):
    return {name: getattr(found, name) for name in ("value", "low", "high", "level", "method", "reason")}


def warned(a):
    from classay.assessment.assessment_warnings import warnings as of

    return [(each.code, each.text) for each in of(a)]


def near(a, b):
    """Whether two values are equal: numbers but for rounding, NaN to NaN, lists part by part."""
    if type(a) is type(b) and type(a) in (str, float, int, bool) and a == b:
        return True
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(near, a, b))
    if isinstance(a, float | int) and isinstance(b, float | int):
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        return a == b or math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    if isinstance(a, str) and isinstance(b, str) and a != b:
        return is_rounding(a, b)
    return a == b


NUMBER = r"[-−]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?"


def is_rounding(a, b):
    """Whether texts differ only in numbers by one of their last digits, as sums of parts of weights may."""
    if re.sub(NUMBER, "#", a) != re.sub(NUMBER, "#", b):
        return False
    for one, other in zip(re.findall(NUMBER, a), re.findall(NUMBER, b), strict=True):
        if one != other:
            if "." not in one + other:
                return False
            unit = 10.0 ** -max(len(each.partition(".")[2]) for each in (one, other))
            if abs(float(one.replace(",", "")) - float(other.replace(",", ""))) > 1.01 * unit:
                return False
    return True


def differences(found, wanted, only=""):
    """What two answers say otherwise: what it is, here, there."""
    if isinstance(found, Refusal) or isinstance(wanted, Refusal):
        mine, theirs = (each.kind if isinstance(each, Refusal) else "a result" for each in (found, wanted))
        said = [each.text if isinstance(each, Refusal) else "" for each in (found, wanted)]
        same = mine == theirs or {mine, theirs} == {"MergeError", "InputError"}  # parts that cannot be added
        return [] if same else [("refusal", f"{mine}: {said[0]}", f"{theirs}: {said[1]}")]
    names = [name for name in {**wanted, **found} if re.match(only, name)]
    pairs = [(name, found.get(name), wanted.get(name)) for name in names]
    return [(name, *apart(a, b)) for name, a, b in pairs if not near(a, b)]


def apart(a, b):
    """Two values; of long texts only the first lines that differ."""
    if not (isinstance(a, str) and isinstance(b, str)):
        return a, b
    lines = zip_longest(a.splitlines(), b.splitlines(), fillvalue="")
    one, other = next(((x, y) for x, y in lines if x != y), ("", ""))
    start = next((i for i, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), 0)
    return one[max(start - 60, 0) : start + 60], other[max(start - 60, 0) : start + 60]


def answer(work):
    """The result of a call, or its refusal; other errors are of this kind too, and so differ from a refusal."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for module, name in (each for wing in of_wings() for each in wing.IGNORED_WARNINGS):
                warnings.simplefilter("ignore", getattr(import_module(module), name))
            return work()
    except ca.ClassayError as error:
        kind = next(each for each in type(error).__mro__ if each.__name__ in ca.__all__)
        return Refusal(kind.__name__, str(error))
    except Refusing as carried:
        return carried.args[0]
    except Refused:
        return Refusal("InputError", "the command refuses")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever comes through a door
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Refusal(
            f"{type(error).__name__} in {Path(where.filename).name}:{where.name}", str(error)[:300]
        )


def as_json(values, path=""):
    """Plain values by their paths, without pictures."""
    if isinstance(values, dict):
        for name, each in values.items():
            if name not in ("curves", "classay", "schema"):
                yield from as_json(each, f"{path}.{name}".strip("."))
    elif isinstance(values, list):
        for place, each in enumerate(values):
            yield from as_json(each, f"{path}[{place}]")
    else:
        yield path, values
