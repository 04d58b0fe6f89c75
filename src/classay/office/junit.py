"""Demands as JUnit XML, which systems of continuous integration show beside tests."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from classay.inference.requirements import Verdict
from classay.texts import clean

Demand = tuple[str, Verdict, str]
"""What is demanded, the verdict, and why."""
TAGS = {Verdict.FAIL: "failure", Verdict.UNDECIDED: "error"}


def as_junit(suite: str, demands: Sequence[Demand]) -> str:
    """Return a suite with a test for each demand: a failed one is a failure, an inconclusive one an error.

    >>> print(as_junit("gate", [("auc >= 0.9", Verdict.FAIL, "auc is 0.8")]).splitlines()[1])
    <testsuite name="gate" tests="1" failures="1" errors="0" skipped="0">
    """
    verdicts = [verdict for _, verdict, _ in demands]
    counts = {
        "tests": len(demands),
        "failures": verdicts.count(Verdict.FAIL),
        "errors": verdicts.count(Verdict.UNDECIDED),
        "skipped": 0,
    }
    root = ElementTree.Element(
        "testsuite", {"name": _xml(suite)} | {name: str(n) for name, n in counts.items()}
    )
    for name, verdict, text in demands:
        case = ElementTree.SubElement(root, "testcase", classname=_xml(suite), name=_xml(name), time="0")
        if (tag := TAGS.get(verdict)) is not None:
            ElementTree.SubElement(case, tag, type=verdict.word, message=_xml(text))
    ElementTree.indent(root)
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return f"{head}\n{ElementTree.tostring(root, encoding='unicode')}\n"


def _xml(text: str) -> str:
    """Return a text without what XML cannot have."""
    return "".join(character for character in clean(text) if ord(character) & 0xFFFE != 0xFFFE)
