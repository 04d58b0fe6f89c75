"""Texts keep the standard of words: habits that readers stumble over become fewer, and pages keep their length."""

from lint_words import HABITS, LONG, ROOT, all_counts, counts

from documents import without_code

CEILINGS = {
    "space before %": (0, 0),
    "interval without its level [95% CI 0.1 to 0.2]": (0, 0),
    "What is random [What the intervals cover]": (0, 0),
    "taken as it is [held fixed]": (0, 0),
    "call [predict]": (91, 149),
    "open [inconclusive]": (0, 0),
    "is no + noun [is not a]": (7, 93),
    "the data show [was detected]": (0, 1),
    "remain possible [are compatible with the data]": (0, 1),
    "shown to be [detected]": (0, 10),
    "alone [only]": (6, 6),
    "beside [in addition]": (5, 13),
    "of which, whose [two sentences]": (0, 26),
    "tell, say [give, report]": (0, 25),
    "beforehand [prespecified]": (0, 0),
    "as many as [the same number]": (5, 21),
    "less [minus]": (0, 25),
    # two are the former name `each` in the reference
    "each [every, the noun]": (13, 304),
    "a case, a month [per]": (0, 0),
    "always saying [baseline]": (0, 0),
    "p = 1 [p > 0.99]": (0, 0),
    "stands [is]": (0, 15),
    "rests on [is determined by]": (0, 2),
    "settle [final]": (0, 0),
    "honest [expected on new cases]": (0, 8),
    "one more case [one pseudo-case added]": (0, 9),
    "left out [excluded]": (1, 9),
    "no answer [no prediction]": (14, 44),
    "right, wrong [correct, incorrect]": (7, 47),
    "grades [the number]": (0, 12),
    LONG: (18, 358),  # of documents, those of evidence and reference, which programs write; guides have none
}
"""How often each habit may occur in snapshots and documents. Lower a ceiling with each gain; none may rise.

Those of documents rose twice, with the reference of six wings: judges, labels, raters, sets, guarantees, office."""
KINDS = ("snapshots", "documents")
MOST_LINES_OF_A_HOW_TO, MOST_LINES_OF_CONTRIBUTING, MOST_CHARACTERS_OF_A_CHANGE = 60, 300, 140


def test_habits_become_fewer():
    assert {*CEILINGS} == {*HABITS, LONG}
    found = all_counts(ROOT)
    risen = {
        (habit, kind): (found[kind][habit], most)
        for habit, ceilings in CEILINGS.items()
        for kind, most in zip(KINDS, ceilings, strict=True)
        if found[kind][habit] > most
    }
    assert not risen, f"now, and at most: {risen}; `python tests/house/lint_words.py` shows all counts"


def test_habits_are_found():
    """The counter sees text of lines and tables, and nothing between fences."""
    text = "A row whose label is wrong,\n┃ of which\n\n```text\nwrong, whose\n```\n"
    found = counts([text, "The gate is open\n", "long " * 31 + "."])
    assert found["of which, whose [two sentences]"] == 2
    assert found["right, wrong [correct, incorrect]"] == 1
    assert found["open [inconclusive]"] == 1
    assert found[LONG] == 1


def test_pages_keep_their_length():
    """Output and code do not count: how-tos of one screen or two, recipes, and one line for each change."""
    for path in sorted((ROOT / "docs" / "how-to").glob("*.md")):
        lines = [line for line in without_code(path.read_text(encoding="utf-8")).splitlines() if line.strip()]
        assert len(lines) <= MOST_LINES_OF_A_HOW_TO, path
    recipes = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()
    assert len(recipes) <= MOST_LINES_OF_CONTRIBUTING
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert not [line for line in changes if len(line) > MOST_CHARACTERS_OF_A_CHANGE]
