"""Pages, cards, Markdown and LaTeX of results with odd labels, names and groups: no tag is injected, all are whole."""

import re
import tempfile
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from ..contract import hold, plain
from ..outside.names import ODD
from .rows import strict

TAGS = [
    "<b>", "</td><td>x", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)', "'><svg/onload=alert(1)>", "</style><style>*{}", "-->", "<!--", "]]>",
    "<![CDATA[", "&lt;b&gt;", "&#60;b&#62;", "</svg>", "</form></div>", "javascript:alert(1)", "</title>",
    "<x" + "y" * 200, "\\u003cb\\u003e", "${alert(1)}", "{{7*7}}", "{% raw %}", "`${x}`", "<", ">", "&", '"',
    "'", "=", "\\end{table}", "\\input{x}", "$$", "| a |", "[x](javascript:y)", "![x](y)", "#", "---", "1.",
    "<br>", "\u2028", "%s", "%", "&amp", "&nbsp;", "\ud7ff", "\ufffe", "\x7f", "\x85",
]  # fmt: skip
_name = st.one_of(st.sampled_from(TAGS), st.sampled_from(TAGS + ODD), st.text(max_size=8))
KINDS = [
    "assess",
    "assess",
    "several",
    "compare",
    "slices",
    "decision",
    "gate",
    "verified",
    "shifted",
    "best",
    "data sets",
    "evaluation",
]
INPUTS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(KINDS * 3 + KINDS[:-1] * 3),
        "names": st.lists(_name, min_size=3, max_size=3, unique=True),
        "labels": st.sampled_from(["text", "text", "text", "tuple", "bytes", "mixed"]),
        "seed": st.integers(0, 99),
        "as": st.sampled_from(["card", "card", "page", "markdown", "latex", "json", "text"]),
    }
)
VOID = {
    "meta",
    "link",
    "br",
    "img",
    "input",
    "hr",
    "col",
    "area",
    "base",
    "wbr",
    "source",
    "path",
    "line",
    "rect",
    "circle",
    "use",
    "polyline",
    "polygon",
    "stop",
    "ellipse",
}


class Form(HTMLParser):
    """The tags of a page, in their order, with the names of their attributes; what is not closed."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.handlers, self.open, self.wrong = Counter(), [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.handlers += [
            name
            for name, value in attrs
            if name.startswith("on")
            or (name in ("href", "src", "action") and "javascript:" in (value or "").lower())
        ]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags[tag] += 1

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if self.open and self.open[-1] == tag:
            self.open.pop()
        elif tag in self.open and self.open[-1] in ("p", "li", "td", "th", "tr", "option", "tbody", "thead"):
            while self.open.pop() != tag:
                pass
        else:
            self.wrong.append(tag)


def made(given, names):
    """A result of a kind, under these names."""
    import classay as ca

    rng = np.random.default_rng(given["seed"])
    n = 40
    kind, k = given["kind"], 3 if given["kind"] == "several" else 2
    labels = [_label(name, i, given["labels"]) for i, name in enumerate(names)][:k]
    codes = np.arange(n) % k
    y = [labels[code] for code in codes]
    p, q = rng.random((2, n))
    positive = labels[1]
    if kind == "several":
        scores = rng.dirichlet(np.ones(k), n)
        return ca.assess(y, scores, labels=labels)
    if kind == "evaluation":
        from sklearn.naive_bayes import GaussianNB

        return ca.evaluate(
            {names[2]: GaussianNB()},
            rng.normal(size=(n, 2)),
            np.array(y, object),
            protocol="2fold",
            positive=positive,
        )
    if kind == "data sets":
        return ca.compare(
            {
                "data": [f"{names[2]}{i}" for i in range(6)],
                names[0] or "a": rng.random(6),
                names[1] or "b": rng.random(6),
            },
            dataset="data",
        )
    if kind in ("compare", "gate", "best"):
        models = {names[0]: p, names[2]: q}
        if kind == "best":
            return ca.best_of(models, y, "roc_auc", positive=positive)
        found = ca.compare(models, y, positive=positive, measures=["roc_auc"])
        return found if kind == "compare" else ca.gate(found[0], "superior")
    if kind == "slices":
        groups = [names[i % 3] for i in range(n)]
        return ca.assess_by(y, p, by=groups, positive=positive)
    if kind == "verified":
        return ca.correct_verification(
            [each if i % 4 else None for i, each in enumerate(y)], y[::-1], positive=positive
        )
    a = ca.assess(y, p, positive=positive)
    if kind == "decision":
        return a.threshold(cost={"fp": 1, "fn": 3})
    return a.at_prevalence(0.01) if kind == "shifted" else a


def _label(name, i, kind):
    if kind == "tuple":
        return (name, i)
    if kind == "bytes":
        return name.encode("utf-8", "replace")
    return i if kind == "mixed" and i == 0 else name


def check(given):
    """Show the result: the tags are those of plain names, all closed, and none has a handler."""
    result = made(given, given["names"])
    DOES[given["as"]](given, result)


def _form(given, html, write):
    found = Form(html)
    hold(not found.handlers, "a page has handlers", found.handlers)
    hold(
        not found.wrong and not found.open,
        "tags are not closed as they are opened",
        (found.wrong[:5], found.open[:5]),
    )
    hold(plain(html, "\n\t"), "a page holds control characters")
    other = Form(write(made(given, ["aa", "bb", "cc"])))
    hold(
        {*found.tags} <= {*other.tags} | {"wbr", "abbr", "details", "summary", "code"},
        "names make tags",
        {*found.tags} - {*other.tags},
    )
    for tag in ("script", "style", "img", "iframe", "form", "link", "table"):
        hold(
            found.tags[tag] == other.tags[tag],
            f"names change how many tags {tag} there are",
            (found.tags[tag], other.tags[tag]),
        )


def _page(result):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.html")
        result.report(path)
        return path.read_text()


def _markdown(_, result):
    text = result.to_markdown()
    hold(plain(text, "\n"), "Markdown holds control characters", ascii(text)[:500])
    rows = [line for line in text.split("\n") if line.startswith("|")]
    blocks, last = [], None
    for line in text.split("\n"):
        if line.startswith("|"):
            blocks.append([]) if last is None or not last.startswith("|") else None
            blocks[-1].append(line.replace("\\|", "").count("|"))
        last = line
    hold(
        all(len({*block}) == 1 for block in blocks),
        "rows of a Markdown table have other columns than its head",
        rows[:6],
    )
    prose = re.sub(r"`[^`\n]*`", "", text)  # code is shown as it stands
    hold(
        not re.search(r"(?<!\\)<(script|img|svg|b)\b", prose, re.IGNORECASE),
        "Markdown holds tags",
        prose[:500],
    )


def _latex(_, result):
    from ..outside.names import _latex as checked

    checked(result.to_latex())


def _text(_, result):
    hold(plain(str(result), "\n"), "a report holds control characters", ascii(str(result))[:500])
    hold(plain(repr(result), "\n"), "a repr holds control characters", ascii(repr(result))[:500])


DOES = {
    "card": lambda given, result: _form(given, result._repr_html_(), lambda other: other._repr_html_()),
    "page": lambda given, result: _form(given, _page(result), _page),
    "markdown": _markdown,
    "latex": _latex,
    "json": lambda _, result: strict(result.to_dict()),
    "text": _text,
}
