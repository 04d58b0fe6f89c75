"""Which columns were asked for, and what to say when a file or a frame cannot give them."""

from collections.abc import Sequence
from typing import Any

from classay.errors import InputError, nearest_column

_LISTED = 20  # a wide table would otherwise drown the sentence that matters


def chosen(names: Sequence[str] | None, available: Sequence[Any], where: str, hint: str = "") -> list[str]:
    """Check that each name asked for (all when None) is one column of those available, and return the names.

    Raises:
        InputError: when a name is missing, asked for twice or borne by two columns; when none is asked for.

    Examples:
        >>> chosen(["score"], ["id", "y", "score"], "preds.csv")
        ['score']
    """
    if isinstance(names, str):
        raise InputError(f"columns is the text {names!r}: pass a list of names, such as [{names!r}].")
    wanted = list(available if names is None else names)
    if not available:
        raise InputError(f"{where} has no columns: pass a table of predictions.")
    if not wanted:
        raise InputError(f"no columns of {where} are asked for: name at least one.")
    present = set(available)
    for name in wanted:
        if name not in present:
            raise InputError(_missing(name, available, where, hint))
    twice = _first_repeated([name for name in available if name in set(wanted)])
    if twice is not None:
        raise InputError(f"column {twice!r} occurs twice in {where}: rename one of the two.")
    twice = _first_repeated(wanted)
    if twice is not None:
        raise InputError(f"column {twice!r} occurs twice among the columns asked for: name it once.")
    return wanted


def listed(schema: Any) -> list[tuple[str, str]]:
    """Names and types, as text, of an Arrow schema."""
    return [(field.name, str(field.type)) for field in schema]


def _first_repeated(names: Sequence[Any]) -> Any:
    seen = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _missing(name: Any, available: Sequence[Any], where: str, hint: str) -> str:
    # A hint says that the names were not even split, so none of them is near.
    near = "" if hint else nearest_column(str(name), [other for other in available if isinstance(other, str)])
    if isinstance(name, str) and "," in name and {*name.split(",")} <= {*available}:
        hint, near = "One column is wanted; `classay compare` and `best` take those of several models.", ""
    listed = ", ".join(_shown(other) for other in available[:_LISTED])
    rest = len(available) - _LISTED
    more = f", … and {rest} more" if rest > 0 else ""
    remark = f" {hint}" if hint else ""
    return f"no column {name!r} in {where}{near or '.'}{remark} Columns: {listed or 'none'}{more}"


def _shown(name: Any) -> str:
    """The bare name, or its repr where blanks, commas or control characters would mislead."""
    plain = isinstance(name, str) and name and name.isprintable() and name == name.strip() and "," not in name
    return str(name) if plain else repr(name)
