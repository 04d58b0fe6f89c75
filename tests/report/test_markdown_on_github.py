"""Markdown as GitHub reads it: tables stay tables, names say what they said, nothing of them is markup."""

import re
from itertools import pairwise

import numpy as np
import pytest
from markdown_it import MarkdownIt

import classay as ca
from classay.inference.requirements import check
from classay.report.paper import as_markdown
from classay.report.results.compared import document_of_gate

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
NASTY = (
    "a|b <img src=x> ```<b>`",
    "*new* ~~old~~ [x](y) `z` #1 @me $q$ &lt; https://x.example www.x.example GH-12 me@x.example",
)
JOINER = "\u2060"
"""A sign without width, which parts what GitHub would make a link of."""


def comparison():
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.4
    return ca.compare(
        {
            name: np.clip(0.3 + gap * y + rng.normal(0, 0.2, 200), 0, 1)
            for name, gap in zip(NASTY, (0.3, 0.2), strict=True)
        },
        y,
    )


def texts():
    found = comparison()
    yield found.to_markdown()
    gate = ca.gate(found["roc_auc"], "non-inferior", 0.01)
    yield gate.to_markdown()
    outcomes = check(
        "recall.low >= 0.9 and auc > 0.1", lambda name: ca.Estimate(0.95, 0.88, 0.99, 0.95, "Wilson")
    )
    yield as_markdown(document_of_gate(gate, outcomes))
    yield ca.assess(["a|b", "c<d>"] * 20, np.linspace(0, 1, 40), positive="a|b").to_markdown()


def inline(tokens):
    return [each for token in tokens for each in (token.children or ()) if token.type == "inline"]


@pytest.mark.parametrize("text", [*texts()])
def test_nothing_is_markup_but_what_we_mean(text):
    tokens = READER.parse(text)
    kinds = {each.type for each in tokens} | {each.type for each in inline(tokens)}
    assert not kinds & {
        "html_block",
        "html_inline",
        "link_open",
        "image",
        "em_open",
        "s_open",
        "code_block",
        "hr",
    }
    bold = [each for each in inline(tokens) if each.type == "strong_open"]
    assert len(bold) == text.count("**") / 2


@pytest.mark.parametrize("text", [*texts()])
def test_every_row_has_the_cells_of_its_head(text):
    heads, cells, tables = 0, 0, 0
    for token in READER.parse(text):
        if token.type == "table_open":
            heads, tables = 0, tables + 1
        elif token.type == "th_open":
            heads += 1
        elif token.type == "tr_open":
            cells = 0
        elif token.type == "td_open":
            cells += 1
        elif token.type == "tr_close" and cells:
            assert cells == heads
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert tables == sum(line.startswith("| ---") for line in lines)
    # a row with more pipes than its head loses cells silently, so that each row is counted as it is written
    for line in lines:
        written = line.replace("\\\\", "").replace("\\|", "").count("|")
        assert written >= 2


def test_names_read_as_they_are():
    text = comparison().to_markdown()
    shown = "".join(
        each.content
        for each in inline(READER.parse(text))
        if each.type in ("text", "text_special", "code_inline")
    )
    for name in NASTY:
        assert name.replace("`", "") in shown.replace("`", "").replace(JOINER, "")


@pytest.mark.wings("groups")
@pytest.mark.parametrize("label", ["`a`", "a `b` c", "``a``", "`", "a`b", "```a"])
def test_backticks_of_labels_are_no_code_in_tables(label):
    """A label stands in a table as it is; code is for sentences of ours."""
    scores, by = np.linspace(0, 1, 40), [label, "other"] * 20
    results = (
        ca.assess(by, scores, positive=label),
        ca.assess(by, y_pred=["other", label, label, "other"] * 10, positive=label),
        ca.assess_by([0, 1, 1, 0] * 10, scores, by=by),
        ca.compare({label: scores, "other": scores**2}, [0, 1, 1, 0] * 10),
    )
    for result in results:
        cells = [
            "".join(each.content for each in token.children)
            for before, token in pairwise(READER.parse(result.to_markdown()))
            if before.type in ("td_open", "th_open") and "`" in token.content
        ]
        assert any(label in cell for cell in cells)
        rows = [line for line in result.to_markdown().splitlines() if line.startswith("| ")]
        beside = [row.partition(" | ")[0] for row in rows]
        assert not any(re.search(r"(?<!\\)`", row) for row in beside)


@pytest.mark.parametrize("text", [*texts()])
def test_no_text_is_a_person_an_issue_or_an_address(text):
    """GitHub looks for these in the texts of the page, where what was escaped stands as it is."""
    for each in inline(READER.parse(text)):
        if each.type != "code_inline":
            assert not re.search(r"@\w|#\d|://|www\.|GH-\d", each.content or "")
