"""Settings of a gate in files of TOML: what they hold, how they are written, where they lie."""

import json
import tempfile
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from ..contract import Refused, hold
from .files import EDITS, command, damaged
from .names import ODD

SUITS = {
    "truth": ["y"],
    "score": ["p"],
    "scores": ["p"],
    "id": ["id"],
    "measure": ["auc", "recall", "f_beta(2)", "recall[1]"],
    "rule": ["superior", "non-inferior", "not-worse"],
    "margin": [0.05, 0.1],
    "require": ["auc > 0.5", ["recall.low >= 0.9", "auc > 0.1"], ["auc > 0"]],
    "level": [0.9, 0.5],
    "seed": [0, 7],
    "positive": [1, "1", 0],
    "threshold": [0.5, 0.3, {"p": 0.4, "q": 0.2}],
    "cost": [{"fp": 1, "fn": 5}, "fp=1", ["fp=1", "fn=2"]],
    "class_scores": [{"0": "n", "1": "p"}],
    "missing": ["drop", "refuse"],
    "weight": ["id"],
    "cluster": ["id"],
    "format": ["csv"],
    "delimiter": [","],
    "method": ["bootstrap", "delong"],
}
"""Settings, each with what suits it."""
VALUES = [
    "", "x", 0, 1, -1, 0.5, 1e308, float("nan"), float("inf"), True, False, [], [[]], ["a", 1], [""], {},
    {"a": {}}, {"fp": []}, {"": ""}, {"a": "x", "b": {"c": 1}}, 2**62, "a,b", '"', "a=b", "=", ",", ":",
    ["a,b", 'c"'], "x" * 400, {"new": {"0": "n", "1": "p"}}, {"new": {"0": "n"}, "old": 3},
    {'a"b': {"1,2": "p=q"}},
]  # fmt: skip
RAW = [
    "1979-05-27", "1979-05-27T07:32:00Z", "07:32:00", "0xff", "1_000", "+inf", '"""a\nb"""', "'''x'''",
    "'\\'", '"\\u0000"', '"\\ud800"', '"\\U0010ffff"', "1.", "", "tru", "[1,", "{a=1", "01", "9" * 400,
    "[" * 400, '"\\x1b"',
]  # fmt: skip
KEYS = [
    "marging",
    "Truth",
    "json",
    "html",
    "config",
    "help",
    "truth ",
    "class-scores",
    "gate",
    "tool",
    "classay",
    "x.y",
    "by",
]


def toml(value):
    """A value as TOML has it, inside of a line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float | int):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(key)} = {toml(each)}" for key, each in value.items()) + "}"
    return "[" + ", ".join(map(toml, value)) + "]"


def _text(value):
    """A basic string, with what TOML refuses as it is escaped."""
    return json.dumps(value, ensure_ascii=True).replace("\x7f", "\\u007f")


_name = st.sampled_from([*SUITS] * 4 + KEYS + ODD)
_value = st.one_of(
    st.sampled_from(VALUES).map(toml), st.sampled_from(VALUES + ODD).map(toml), st.sampled_from(RAW)
)
OFTEN = [
    "truth",
    "score",
    "id",
    "measure",
    "rule",
    "margin",
    "require",
    "level",
    "seed",
    "threshold",
    "missing",
]
_suiting = st.sampled_from([*OFTEN * 3, *SUITS]).flatmap(
    lambda name: st.tuples(st.just(name), st.sampled_from(SUITS[name]).map(toml))
)
_setting = st.integers(0, 9).flatmap(lambda drawn: _suiting if drawn else st.tuples(_name, _value))
INPUTS = st.fixed_dictionaries(
    {
        "right": st.lists(_setting, max_size=3, unique_by=lambda each: each[0]),
        "own": st.lists(_setting, max_size=3, unique_by=lambda each: each[0]),
        "table": st.sampled_from(["gate"] * 20 + ["Gate", "gate.more", "gate ", "compare", ""]),
        "base": st.sampled_from([True] * 19 + [False]),
        "file": st.sampled_from(
            ["classay.toml"] * 3 + ["pyproject.toml"] * 3 + ["both", "above", "--config", "--config"]
        ),
        "kind": st.sampled_from(
            ["file"] * 30
            + ["folder", "link to nothing", "link to itself", "device", "long", "none", "unreadable"]
        ),
        "ends": st.sampled_from(["\n"] * 9 + ["\r\n", "\r\n", "\r"]),
        "encoding": st.sampled_from(["utf-8"] * 24 + ["utf-8-sig", "utf-16", "latin-1"]),
        "edits": st.one_of(*[st.just([])] * 9, EDITS),
        "flags": st.lists(
            st.sampled_from(
                [("--margin", "0.2"), ("--rule", "superior"), ("--truth", "y"), ("--level", "0.8")]
            ),
            max_size=2,
            unique=True,
        ),
    }
)
BASE = [
    ("truth", '"y"'),
    ("score", '"p"'),
    ("id", '"id"'),
    ("measure", '"auc"'),
    ("rule", '"non-inferior"'),
    ("margin", "0.1"),
]


def _content(given):
    """The text of the file, with what a gate cannot do without where nothing else says it."""
    named = {name for name, _ in [*given["right"], *given["own"]]}
    more = [each for each in BASE if each[0] not in named] if given["base"] else []
    head, own = [*more, *given["right"]], given["own"]

    def lines(settings):
        return [
            f"{name if name.replace('_', '').isalnum() and name.isascii() else _text(name)} = {value}"
            for name, value in settings
        ]

    project = given["file"] == "pyproject.toml" or (
        given["file"] == "--config" and given["base"] and len(own) % 2
    )
    before = "tool.classay." if project else ""
    text = ["[tool.classay]"] if project else []
    text += [*lines(head), f"[{before}{given['table']}]", *lines(own)]
    return damaged(given["ends"].join(text).encode(given["encoding"], "replace"), given["edits"]), project


@cache
def _rows():
    """Predictions of two models."""
    lines = [
        [
            f"{i},{i % 2},{(3 * i + k * i * i) % 11 / 11},{1 - (3 * i + k * i * i) % 11 / 11}"
            for i in range(40)
        ]
        for k in (0, 1)
    ]
    return ["\n".join(["id,y,p,n", *each]) for each in lines]


def check(given):
    """Gate with these settings; where they are the simple ones, options say the same."""
    content, project = _content(given)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made, "a", "b")
        folder.mkdir(parents=True)
        for name, text in zip(("new.csv", "old.csv"), _rows(), strict=True):
            (folder / name).write_text(text)
        name = "pyproject.toml" if project else "classay.toml"
        place = {"above": Path(made), "--config": folder / "deep"}.get(given["file"], folder)
        place.mkdir(exist_ok=True)
        _write(place / name, given["kind"], content)
        if given["file"] == "both":
            (folder / "pyproject.toml").write_text("[tool.classay]\nmargin = 0.01\n")
        flags = [part for flag in given["flags"] for part in flag]
        flags += ["--config", str(place / name)] if given["file"] == "--config" else []
        printed = command("gate", "new.csv", "old.csv", *flags, folder=folder)
        _as_options(given, flags, printed, folder, place / name)


def _write(path, kind, content):
    if kind == "folder":
        path.mkdir()
    elif kind.startswith("link"):
        path.symlink_to("nowhere" if kind == "link to nothing" else path.name)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "long":
        path.write_bytes(content + b"\n#" + b"x" * (5 << 20))
    elif kind != "none":
        path.write_bytes(content)
        if kind == "unreadable":
            path.chmod(0)


def _as_options(given, flags, printed, folder, path):
    """The same settings as options give the same text; plain texts and numbers only, each named once."""
    settings = [*given["right"], *given["own"]]
    plain = all(
        name in SUITS and value[:1] not in "[{" and value in map(toml, SUITS[name])
        for name, value in settings
    )
    names = [name for name, _ in settings]
    simple = (
        given["table"] == "gate"
        and given["kind"] == "file"
        and not given["edits"]
        and given["file"] != "both"
    )
    if (
        not (plain and simple and given["base"] and len({*names}) == len(names))
        or given["encoding"] != "utf-8"
    ):
        return
    if {"score", "scores"} <= {*names} or given["ends"] == "\r":
        return
    path.unlink()
    base = [each for each in BASE if each[0] not in names and not ("scores" in names and each[0] == "score")]
    over = {*flags[::2]}
    options = [
        part
        for name, value in [*base, *settings]
        if (option := f"--{name.replace('_', '-')}") not in over
        for part in (option, str(json.loads(value)))
    ]
    flags = flags[: flags.index("--config")] if "--config" in flags else flags
    try:
        again = command("gate", "new.csv", "old.csv", *options, *flags, folder=folder)
    except Refused:
        hold(False, "a gate takes of a file what it refuses as options", options)
    hold(again == printed, "settings of a file say another thing than the same options", (printed, again))
