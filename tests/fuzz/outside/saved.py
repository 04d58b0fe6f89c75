"""Saved assessments and evaluations with other bits, members, arrays and JSON: damaged, or made so on purpose."""

import io
import json
import tempfile
import zipfile
from functools import lru_cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from ..calls.rows import look_at
from ..contract import hold
from .files import EDITS, command, damaged

WHOLE = {
    "two": {},
    "labels": {"labels_only": True},
    "weights": {"weight": True},
    "frequencies": {"frequency": True},
    "clusters": {"cluster": True},
    "ids": {"id": True},
    "threshold": {"threshold": 0.3},
    "three": {"k": 3},
    "three ids": {"k": 3, "id": True},
    "three clusters weights": {"k": 3, "cluster": True, "weight": True},
    "text": {"text": True, "id": True},
    "evaluation": {"protocol": "3fold"},
    "evaluation of three": {"protocol": "2x2", "k": 3},
    "evaluation in clusters": {"protocol": "2fold", "cluster": True, "weight": True},
}
PLAIN = [
    None, True, 0, -1, 1, 2, 1.5, -0.5, float("nan"), float("inf"), "", "a", "none", "sampling", [], [0], {},
    {"a": 1},
    2**63, 2**70, 10**400, "ü" * 50, [[[]]], ["0x1", 0], ["-0x1", 0], ["0x" + "f" * 600, 0], {"tuple": [1]},
    {"date": "x"}, "10fold",
]  # fmt: skip
NUMBERS = [
    0,
    1,
    -1,
    2,
    50,
    127,
    2**31,
    2**53,
    2**62,
    -(2**63),
    1e11,
    0.5,
    float("nan"),
    float("inf"),
    1e300,
    5e-324,
]
DTYPES = [
    "int8",
    "int64",
    "uint8",
    "uint64",
    "float32",
    "float64",
    "float16",
    "longdouble",
    ">i8",
    ">f8",
    "bool",
    "<U3",
    "complex64",
    "M8[s]",
]

_which = st.integers(0, 10_000)
_array = st.one_of(
    st.tuples(st.just("value"), _which, st.floats(0, 1, exclude_max=True), st.sampled_from(NUMBERS)),
    st.tuples(st.just("dtype"), _which, st.sampled_from(DTYPES)),
    st.tuples(
        st.just("shape"), _which, st.sampled_from([(0,), (1,), (2, 2), (10**12,), (-1,), (2**40, 2**40)])
    ),
    st.tuples(st.just("length"), _which, st.sampled_from([-1, 1, 0])),
    st.tuples(st.just("scale"), _which, st.sampled_from([0, 2, -1, 1e-300])),
    st.tuples(st.just("reversed"), _which),
    st.tuples(
        st.just("header"),
        _which,
        st.sampled_from(["{" * 5000, "[" * 3000, "{}", "{'descr': '|O'}", "9" * 5000]),
    ),
)
_member = st.one_of(
    st.tuples(st.sampled_from(["removed", "empty", "twice", "renamed"]), _which),
    st.tuples(st.just("swapped"), _which, _which),
    st.tuples(
        st.just("added"), st.sampled_from(["x", "x.npy", "../x", "assessment.json", "0/0/99", "0/weight.npy"])
    ),
    st.tuples(st.just("bytes"), _which, EDITS),
)
_json = st.one_of(
    st.tuples(st.just("json"), _which, st.sampled_from(PLAIN)),
    st.tuples(st.just("without"), _which),
    st.tuples(st.just("more"), _which),
    st.tuples(
        st.just("deep"), st.sampled_from(["[" * 10_000, '{"a":' * 5000, "", "null", "[]", "\xff", "9" * 5000])
    ),
)
INPUTS = st.fixed_dictionaries(
    {
        "whole": st.sampled_from(list(WHOLE)),
        "seed": st.integers(0, 9),
        "cases": st.sampled_from([24, 24, 3, 8, 60]),
        "forged": st.one_of(st.just([]), st.lists(st.one_of(_array, _member, _json), min_size=1, max_size=2)),
        "damaged": st.integers(0, 4).flatmap(lambda drawn: st.just([]) if drawn else EDITS),
        "seal": st.sampled_from(["renewed"] * 4 + ["kept", "without"]),
        "look": st.sampled_from(["text", "json", "saved", "merged", "measures", "command"]),
    }
)


@lru_cache(256)
def whole(name, seed=0, n=24):
    """The bytes of a saved file, of so many cases drawn by a seed."""
    import classay as ca

    how = dict(WHOLE[name])
    rng = np.random.default_rng(seed)
    k = how.pop("k", 2)
    if "protocol" in how:
        n = 24  # fewer have too few of a class for the folds
    y = np.arange(n) % k if seed == 0 or "protocol" in how else rng.integers(0, k, n)
    how |= {"labels": [*range(k)]} if "protocol" not in how else {}
    if how.pop("text", False):
        y = np.array(["no", "ü"])[y]
        how |= {"positive": "ü", "labels": ["no", "ü"]}
    columns = {"weight": rng.random(n) + 0.5, "frequency": y * 2 + 1 if y.dtype.kind == "i" else None}
    columns |= {"cluster": np.array(list("abcdef"))[np.arange(n) // 4 % 6], "id": np.arange(n)}
    for each in columns:
        if how.pop(each, False):
            how[each] = columns[each]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.classay")
        if "protocol" in how:
            _evaluation(rng.random((n, 2)), y, how).save(path)
        elif how.pop("labels_only", False):
            ca.assess(y, y_pred=rng.permutation(y), **how).save(path)
        else:
            scores = np.round(rng.random(n) if k == 2 else rng.dirichlet(np.ones(k), n), 2 if k == 2 else 9)
            ca.assess(y, scores, **how).save(path)
        return path.read_bytes()


def _evaluation(X, y, how):
    from sklearn.tree import DecisionTreeClassifier

    import classay as ca

    return ca.evaluate(DecisionTreeClassifier(max_depth=2), X, y, **how)


def original(given):
    """The bytes of the file that an input damages."""
    return whole(given["whole"], given["seed"] if "evaluation" not in given["whole"] else 0, given["cases"])


def content_of(given):
    """The bytes of an input."""
    content = original(given)
    if given["forged"]:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [[name, archive.read(name)] for name in archive.namelist()]
        for edit in given["forged"]:
            _forge(members, *edit)
        content = _zipped(members, given["seal"])
    return damaged(content, given["damaged"])


def _zipped(members, seal):
    from classay.files.archives import SEAL, _digest

    if seal != "kept":
        members = [each for each in members if each[0] != SEAL]
    if seal == "renewed":
        digests = {name: _digest(content) for name, content in members}
        members.append([SEAL, json.dumps(digests).encode()])
    if seal == "without":  # what an older version wrote
        members = [[name, content.replace(b'"format": 2', b'"format": 1')] for name, content in members]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a name twice
            for name, content in members:
                archive.writestr(name, content)
    return buffer.getvalue()


def _forge(members, kind, *how):
    arrays = [each for each in members if each[0].endswith(".npy")]
    if kind in ("value", "dtype", "shape", "length", "scale", "reversed", "header"):
        if arrays:
            each = arrays[how[0] % len(arrays)]
            each[1] = _array_forged(each[1], kind, *how[1:])
    elif kind in ("json", "without", "more", "deep"):
        for each in members:
            if each[0] in ("assessment.json", "evaluation.json"):  # which may be gone, or renamed before
                each[1] = _json_forged(each[1], kind, *how)
    elif kind == "added":
        members.append([how[0], b"x"])
    else:
        _member_forged(members, kind, *how)


def _member_forged(members, kind, which, *how):
    each = members[which % len(members)]
    if kind == "removed" and len(members) > 1:
        members.remove(each)
    elif kind == "empty":
        each[1] = b""
    elif kind == "twice":
        members.append(list(each))
    elif kind == "renamed":
        each[0] += "x"
    elif kind == "swapped":
        other = members[how[0] % len(members)]
        each[1], other[1] = other[1], each[1]
    elif kind == "bytes":
        each[1] = damaged(each[1], how[0])


def _array_forged(content, kind, *how):
    try:
        array = np.load(io.BytesIO(content))
    except Exception:  # noqa: BLE001 - a header forged before makes it raise nearly anything
        return content
    if not isinstance(array, np.ndarray):  # a zip of arrays, of a member swapped before
        return content
    with np.errstate(all="ignore"):
        if kind == "value" and array.size:
            array = array.copy()
            value = np.array(how[1]).astype(array.dtype, casting="unsafe") if array.dtype.kind in "fiu" else 0
            array.flat[int(how[0] * array.size)] = value
        elif kind == "dtype":
            array = array.real.astype(how[0])  # the imaginary part, of a type forged before, is nothing
        elif kind == "length":
            array = array[:-1] if how[0] < 0 else np.concatenate([array, array[:1]]) if how[0] else array[:0]
        elif kind == "scale" and array.dtype.kind in "fiub":
            array = np.multiply(array, how[0], dtype=float).astype(array.dtype, casting="unsafe")
        elif kind == "reversed":
            array = array[::-1]
    out = io.BytesIO()
    np.save(out, np.ascontiguousarray(array))
    content = out.getvalue()
    if kind == "shape":
        old = str(array.shape).encode()
        content = content.replace(old, str(how[0]).encode().ljust(len(old)), 1)
    if kind == "header":
        text = how[0].encode() + b"\n"
        content = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text
    return content


def _json_forged(content, kind, *how):
    if kind == "deep":
        return how[0].encode("latin-1")
    try:
        about = json.loads(content)
    except (ValueError, RecursionError):
        return content
    places = [*_places(about)]
    if not places:
        return content
    inside, key = places[how[0] % len(places)]
    if kind == "json":
        inside[key] = how[1]
    elif kind == "without":
        del inside[key]
    elif isinstance(inside, dict):
        inside["more"] = 1
    return json.dumps(about).encode()


def _places(value):
    """Every place of a JSON value that can be changed: what it is in, and its key."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def check(given):
    """Load the file: what was saved comes back, or one line says what is wrong."""
    import classay as ca

    content = content_of(given)
    with tempfile.TemporaryDirectory() as folder:
        path, again = Path(folder, "a.classay"), Path(folder, "b.classay")
        path.write_bytes(content)
        if given["look"] == "command":
            _by_command(given, path)
            return
        loaded = ca.load(path)
        loaded.save(again)
        if not given["forged"] or given["seal"] == "kept":
            hold(again.read_bytes() == original(given), "a damaged file loads as something else")
    if isinstance(loaded, ca.Evaluation):
        _look_at_evaluation(loaded)
    else:
        look_at(loaded, given["look"])


def _by_command(given, path):
    if given["whole"].startswith("evaluation"):
        command("runs", path)
    else:
        command("compare", path, path)


def _look_at_evaluation(e):
    from ..contract import estimate

    for summary in e.summaries(["accuracy"]):
        estimate(summary.measure, summary.estimate)
    str(e)
