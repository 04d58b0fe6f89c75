"""Findings of leaderboards: which models may be the best, and what to expect of the leader on new cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from classay.assessment.finding import Finding
from classay.comparison.leaderboard import NAMED, Leaderboard
from classay.inference.phrasing import difference_text, short_title, sized, value_with_interval
from classay.inference.plain import plain_estimate
from classay.texts import some

CASES = 1000.0
"""Cases by which percentages are written where nobody knows how many there are: one decimal."""


def findings_on_leaderboards(boards: Sequence[Leaderboard]) -> Iterator[Finding]:
    """Which models may be the best in the first measure, the leader's value after selection, and the other measures."""
    if not boards:
        return
    board, *others = boards
    evidence = {
        "measure": board.measure,
        "may_be_best": list(board.may_be_best),
        "models": len(board.standings),
        "level": board.level,
    }
    yield Finding("may_be_best", "main", 1, _may_be_best(board), evidence)
    if board.leader is not None and board.expected is not None and board.expected.has_interval:
        expected = value_with_interval(board.expected, board.measure, _cases(board))
        yield Finding(
            "expected_of_leader",
            "main",
            2,
            f"After correction for selecting the best, the expected {short_title(board.measure)} of {board.leader} on "
            f"new cases is {expected}.",
            {"measure": board.measure, "model": board.leader, "expected": plain_estimate(board.expected)},
        )
    if others:
        yield from _other_measures(board, others)


def _cases(board: Leaderboard) -> float:
    return board.n if board.units.endswith("cases") and board.n == board.n else CASES


def _may_be_best(board: Leaderboard) -> str:
    """The models that may be the best."""
    measure, count = short_title(board.measure), len(board.standings)
    if board.reason is not None:
        return f"No leaderboard is available for {measure}: {board.reason}."
    first = board.standings[0]
    sure = f"({100 * board.level:g}% confidence)"
    if first.lead.is_undefined:
        return f"Every one of the {count} models may be the best in {measure}: {first.lead.reason}."
    best = board.may_be_best
    if len(best) == 1:
        size, ends = difference_text(sized(first.lead), board.measure, _cases(board))
        interval = f" ({ends})" if ends else ""
        return (
            f"{first.model} is the best of {count} models in {measure} {sure}: its lead over the best other model is "
            f"{size}{interval}."
        )
    if len(best) == count:
        return f"Every one of the {count} models may be the best in {measure} {sure}."
    names = f": {some(best)}" if len(best) <= NAMED else ""
    return f"{len(best)} of {count} models may be the best in {measure} {sure}{names}."


def _other_measures(lead: Leaderboard, others: Sequence[Leaderboard]) -> Iterator[Finding]:
    """In which other measures the leader may be the best too."""
    ordered = [board for board in others if board.reason is None and board.leader is not None]
    if lead.leader is None or not ordered:
        return
    alike = [board for board in ordered if lead.leader in board.may_be_best]
    unlike = [board for board in ordered if lead.leader not in board.may_be_best]
    if alike:
        but = f", but not in {_names(unlike)}" if unlike else ""
        sentence = f"{lead.leader} may also be the best in {_names(alike)}{but}."
    else:
        sentence = f"{lead.leader} is not the best in {_names(unlike)}."
    evidence = {board.measure: list(board.may_be_best) for board in ordered}
    yield Finding("other_measures", "main", 3, sentence, evidence)


def _names(boards: Sequence[Leaderboard]) -> str:
    return some([short_title(board.measure) for board in boards], 6)
