"""Requirements for every group of columns, `recall[region=*] >= 0.8`: one for each group, also for a new one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from classay.assessment.required import InParts, without_group
from classay.errors import InputError
from classay.inference.requirements import Requirement
from classay.measures.vocabulary import columns_within, pairs_of, quoted, read_name
from classay.texts import hint

EVERY = "*"
"""What stands for every label of a column."""


def columns_of_groups(_: object, demands: Iterable[str | Requirement]) -> tuple[str, ...]:
    """Return the columns by which requirements are for every group, `recall[region=*] >= 0.8`; none without such.

    Raises InputError where they name different columns.

    >>> columns_of_groups((), ["recall[region=*]", "precision"]), columns_of_groups((), ["recall[sex=f]"])
    (('region',), ())
    """
    several: list[list[str]] = []
    for demand in demands:
        written = read_name(demand if isinstance(demand, str) else demand.name)
        bracket = written.brackets[-1] if written is not None and written.brackets else ""
        columns = columns_within(bracket)
        if EVERY in (pairs_of(bracket, columns) or ()) and sorted(columns) not in map(sorted, several):
            several.append(columns)
    if len(several) > 1:
        both = " and ".join(",".join(columns) for columns in several[:2])
        raise InputError(f"Requirements name different groups: {both}. Require one of them at a time.")
    return tuple(several[0]) if several else ()


def refuse_other_groups(_: object, demands: Iterable[str | Requirement], columns: Sequence[str]) -> None:
    """Refuse requirements for every group of columns that do not make the groups."""
    wanted = columns_of_groups((), demands)
    if wanted and {*wanted} != {*columns}:
        names = ",".join(wanted)
        raise InputError(
            f"Requirements are for every group of {names}, but groups are by {','.join(columns) or 'no column'}. "
            f"Use {hint(f'by={names!r}', f'--by {names}')}."
        )


def of_each_group(demands: Iterable[Requirement], a: Any) -> list[Requirement]:
    """Return the requirements of an assessment, each for every group as those of its groups."""
    is_grouped = isinstance(a, InParts)
    return each_group(demands, a.columns if is_grouped else (), a.groups if is_grouped else ())


def each_group(
    demands: Iterable[Requirement], columns: Sequence[str], groups: Iterable[Hashable]
) -> list[Requirement]:
    """Return the requirements, one for each group that `*` stands for.

    >>> from classay.inference.requirements import parse
    >>> print(*each_group(parse("recall[region=*] >= 0.8"), ["region"], ["north", "the east"]), sep="; ")
    recall[region=north] >= 0.8; recall[region="the east"] >= 0.8
    """
    demands = list(demands)
    refuse_other_groups(None, demands, columns)
    every = [label if isinstance(label, tuple) else (label,) for label in groups]
    return [one for demand in demands for one in _of_groups(demand, columns, every)]


def _of_groups(
    demand: Requirement, columns: Sequence[str], groups: Sequence[tuple[Hashable, ...]]
) -> Iterator[Requirement]:
    """Yield a requirement for each group that it means; one without `*` as it is."""
    label, plain = without_group(demand.name, columns)
    wanted = label if isinstance(label, tuple) else (label,)
    if EVERY not in wanted:
        yield demand
        return
    meant = [
        group
        for group in groups
        if all(one in (EVERY, str(of)) for one, of in zip(wanted, group, strict=True))
    ]
    if not meant:
        raise InputError(f"{demand.name} matches no group. Use a label of these groups, or *.")
    for group in meant:
        pairs = zip(columns, group, strict=True)
        text = ", ".join(f"{quoted(column)}={quoted(str(of))}" for column, of in pairs)
        yield replace(demand, name=f"{plain}[{text}]")
