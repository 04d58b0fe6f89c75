"""Counts habits of language that readers stumble over, in the texts of results and in the documents.

    python tests/house/lint_words.py [FOLDER]

Code between fences is not counted. Brackets have the better form of a habit.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
HABITS = {
    "space before %": r"\d %",
    "interval without its level [95% CI 0.1 to 0.2]": r"\d \(-?\d[\d.]* to -?[\d.]+\)",
    "What is random [What the intervals cover]": r"What is random",
    "taken as it is [held fixed]": r"taken as it is",
    "call [predict]": r"\bcall(?:s|ed|ing)?\b",
    "open [inconclusive]": r"\bopen$",
    "is no + noun [is not a]": r"\b(?:is|are) no (?!longer)\w+",
    "the data show [was detected]": r"\bdata (?:do not )?show",
    "remain possible [are compatible with the data]": r"remains? possible",
    "shown to be [detected]": r"shown to (?:be|hold|help|err)",
    "alone [only]": r"\balone\b",
    "beside [in addition]": r"\bbeside\b",
    "of which, whose [two sentences]": r"\bof which\b|\bwhose\b",
    "tell, say [give, report]": r"\b(?:tell|tells|told|say|says|said)\b",
    "beforehand [prespecified]": r"\bbeforehand\b",
    "as many as [the same number]": r"\bas (?:many|large|high|well|good|much|sure)\b",
    "less [minus]": r"\w less \w",
    "each [every, the noun]": r"\beach\b(?! (?:of|class|group|case|model|tag|row|fold|week|month|score|column))",
    "a case, a month [per]": r"\d (?:a|an) (?:case|month|week|day|class|tag|row|model|group)\b",
    "always saying [baseline]": r"always says?|always saying",
    "p = 1 [p > 0.99]": r"p = 1\b|p < 0\.0001",
    "stands [is]": r"\bstands?\b",
    "rests on [is determined by]": r"\b(?:hangs?|rests?) on\b",
    "settle [final]": r"\bsettle[sd]?\b",
    "honest [expected on new cases]": r"\b(?:honest|innocent)\b",
    "one more case [one pseudo-case added]": r"one more case|one more like",
    "left out [excluded]": r"\bleft out\b|\bleave out\b",
    "no answer [no prediction]": r"\bno answer\b|unanswered",
    "right, wrong [correct, incorrect]": r"\b(?:right|wrong)\b",
    "grades [the number]": r"\b(?:excellent|surely|certain|clearly)\b",
}
LONG = "sentences over 30 words"
MOST_WORDS = 30
FENCES = re.compile(r"```.*?```", re.DOTALL)
LINE_ENDS = re.compile(r"\n\s*(?:┃ )?")
SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+|\n\n")
TABLES = re.compile(r"^\s*\|.*$|^(?!\s*┃).*\S {2,}\S.*$|^[\s─│┃]*$|^#.*$", re.MULTILINE)
"""Lines of tables in pages and in reports, rules, titles and empty lines: no sentence goes on behind one."""


def counts(texts: Iterable[str]) -> Counter[str]:
    """How often each habit occurs."""
    found: Counter[str] = Counter()
    for text in texts:
        by_line = FENCES.sub("", text)
        flat = LINE_ENDS.sub(" ", by_line)
        for habit, pattern in HABITS.items():
            read = by_line if pattern.endswith("$") else flat
            found[habit] += len(re.findall(pattern, read, re.MULTILINE))
        paragraphs = re.split(r"\n{2,}|\n\s*[-*·] ", TABLES.sub("\n", by_line))
        sentences = SENTENCE_ENDS.split("\n\n".join(LINE_ENDS.sub(" ", part) for part in paragraphs))
        found[LONG] += sum(len(sentence.split()) > MOST_WORDS for sentence in sentences)
    return found


def pages(root: Path) -> dict[str, list[Path]]:
    """What is counted: the snapshots of results, and the documents."""
    documents = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return {
        "snapshots": sorted((root / "tests" / "snapshots").rglob("*.txt")),
        "documents": [*sorted((root / "docs").rglob("*.md")), *documents],
    }


def all_counts(root: Path = ROOT) -> dict[str, Counter[str]]:
    """The counts of snapshots and documents."""
    return {
        kind: counts(path.read_text(encoding="utf-8") for path in paths)
        for kind, paths in pages(root).items()
    }


if __name__ == "__main__":
    by_kind = all_counts(Path(sys.argv[1]) if sys.argv[1:] else ROOT)
    print(f"{'habit':48}", *(f"{kind:>10}" for kind in by_kind))
    for row in (*HABITS, LONG):
        print(f"{row:48}", *(f"{found[row]:10}" for found in by_kind.values()))
