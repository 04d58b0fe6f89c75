"""The facts of a document as sentences of a paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

SENTENCES = {
    "best": "On these cases {} was the best.",
    "classes": "The classes are {}.",
    "costs": "The costs are {}.",
    "decomposition": "The decomposition rests on {}.",
    "estimated": "The estimates say {}.",
    "folds": "The folds are {}.",
    "labels": "Labels are {}.",
    "leak check": "A search for leaks had this result: {}.",
    "loss": "The loss is the {}.",
    "measure": "The measure is {}.",
    "members": "The ensemble has {}.",
    "models": "The models compared: {}.",
    "noise": "The noise is {}.",
    "positive": "The positive class is {}.",
    "protocol": "The resampling protocol is {}.",
    "reference": "The correction is that of {}.",
    "rows": "The rows are {}.",
    "rule": "The rule is {}.",
    "threshold": "The threshold is {}.",
    "training sets": "The training sets are {}.",
    "votes": "{}.",
}
"""Facts by their names, as sentences; those without one are said as `name: text`."""
CASES = ("cases", "cases by class", "clusters")
SAID_ELSEWHERE = ("level",)
"""Facts that the sentences on intervals say."""


def of_facts(facts: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Each fact as a sentence; the numbers of cases, classes and clusters as one.

    >>> list(of_facts((("cases", "160"), ("cases by class", "sick: 50, well: 110"), ("positive", "'sick'"))))
    ['The data are 160 cases (sick: 50, well: 110).', "The positive class is 'sick'."]
    """
    known = dict(facts)
    if "cases" in known:
        by_class = f" ({known['cases by class']})" if "cases by class" in known else ""
        clusters = f" in {known['clusters']} clusters" if "clusters" in known else ""
        yield f"The data are {known['cases']} cases{by_class}{clusters}."
    for name, text in facts:
        if name in SAID_ELSEWHERE or ("cases" in known and name in CASES):
            continue
        sentence = SENTENCES.get(name, f"{name[:1].upper()}{name[1:]}: {{}}.")
        yield sentence.replace("{}", text.rstrip("."))
