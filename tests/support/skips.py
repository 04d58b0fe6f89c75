"""What a session left out, and why: by reason, held against the list of what may be left out."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

LIST = Path(__file__).parents[1] / "allowed_skips.txt"


def allowed(text: str) -> dict[str, str]:
    """Why a skip is no error, by how its reason begins."""
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    found = {}
    for line in lines:
        begins, _, why = (each.strip() for each in line.partition("|"))
        assert begins, f"no reason of a skip: {line!r}"
        assert why, f"nothing says why it is no error: {line!r}"
        found[begins] = why
    return found


def told(reasons: Iterable[str], may: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """A line for each reason, the most frequent first, and the reasons that are not on the list."""
    lines, unlisted = [], []
    for reason, count in Counter(each.removeprefix("Skipped: ") for each in reasons).most_common():
        why = next((why for begins, why in may.items() if reason.startswith(begins)), None)
        lines.append(f"{count} × {reason} | {why or 'NOT ALLOWED'}")
        unlisted += [] if why else [reason]
    return lines, unlisted
