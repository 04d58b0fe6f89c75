"""Names of columns, files, classes, models and groups with whatever a name can hold."""

import tempfile
from pathlib import Path

from hypothesis import strategies as st

from ..contract import hold, plain
from .files import command

ODD = [
    "a", "ü", "", " ", "a b", "a,b", 'a"b', "a\tb", "a\nb", "a\rb", "\x1b[31mred", "\x07", "\u202eabc",
    "\u2066x", "<b>x</b>",
    "<script>alert(1)</script>", "a&b", "a_b", "$x$", "\\", "[new]", "{x}", "100%", "a|b", "*a*", "`a`",
    "x" * 300, "\u0301",
    "名前", "a=b", "-", "--json", "[/red]", "{{ x }}", "#", "~", "^", "\x00", "\ufeffx", "nan", "None", "\U0001f600",
]  # fmt: skip
_name = st.one_of(st.sampled_from(ODD), st.text(max_size=6))
INPUTS = st.fixed_dictionaries(
    {
        "classes": st.lists(_name, min_size=2, max_size=2, unique=True),
        "columns": st.lists(_name, min_size=2, max_size=2, unique=True),
        "models": st.lists(_name, min_size=2, max_size=2, unique=True),
        "file": _name,
        "by": st.sampled_from(["assess", "compare", "slices", "command"]),
    }
)


def check(given):
    """Assess, compare or slice under these names: no output holds what would steer a terminal or a page."""
    import classay as ca

    y = [given["classes"][i % 3 % 2] for i in range(24)]
    p = [i % 7 / 7 for i in range(24)]
    positive = given["classes"][1]
    if given["by"] == "assess":
        a = ca.assess(y, p, positive=positive)
        _text(str(a))
        _page(a._repr_html_(), given)
    elif given["by"] == "slices":
        groups = ca.assess_by(
            {"y": y, "p": p, "g": (given["models"] * 12)}, truth="y", score="p", by="g", positive=positive
        )
        _text(str(groups))
        _page(groups._repr_html_(), given)
    elif given["by"] == "compare":
        first, second = given["models"]
        found = ca.compare({first: p, second: p[::-1]}, y, positive=positive, measures=["roc_auc", "recall"])
        _text(str(found))
        _latex(found.to_latex())
        _page(found._repr_html_(), given)
    else:
        _command(given, y, p)


def _command(given, y, p):
    import pyarrow as pa
    from pyarrow import parquet

    name = given["file"].replace("/", "_").replace("\0", "_") + ".parquet"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        try:
            parquet.write_table(pa.table(dict(zip(given["columns"], (y, p), strict=True))), str(path))
        except (OSError, UnicodeError):  # the system takes no such name
            path = Path(folder, "x.parquet")
            parquet.write_table(pa.table(dict(zip(given["columns"], (y, p), strict=True))), str(path))
        truth, score = given["columns"]
        printed = command(
            "assess", path, f"--truth={truth}", f"--score={score}", f"--positive={given['classes'][1]}"
        )
        _text(printed)


def _text(text):
    hold(plain(text, "\n"), "a report holds control characters", ascii(text))


def _page(page, given):
    for name in (*given["classes"], *given["models"]):
        if "<" in name and ">" in name:
            hold(name not in page, "a name is markup on the page", name)


def _latex(text):
    hold(plain(text, "\n"), "LaTeX holds control characters", ascii(text))
    depth = 0
    for i, each in enumerate(text):
        if i and text[i - 1] == "\\" and each in "{}":
            continue
        depth += (each == "{") - (each == "}")
        hold(depth >= 0, "the braces of LaTeX do not match", text)
    hold(depth == 0, "the braces of LaTeX do not match", text)
    hold(
        "\\\\\n[" not in text and "\\\\ [" not in text and "\\\\[" not in text,
        "LaTeX reads a name as a length",
        text,
    )
