"""The columns of a file, listed for somebody who has not named any yet."""

from classay.errors import InputError
from classay.sources.inputs import Format
from classay.texts import clean


def columns_of(file: str, format: Format | None, delimiter: str | None) -> str:
    """The names of a file's columns, as the end of a message."""
    return f"Columns: {', '.join(name for name, _ in _found(file, format, delimiter))}"


def show_columns(file: str, format: Format | None, delimiter: str | None) -> None:
    """Print the name and type of each column. Raises InputError for a file of one, whose name holds several."""
    from classay.sources.delimited import other_delimiter

    found = _found(file, format, delimiter)
    if advice := other_delimiter([name for name, _ in found]):
        raise InputError(f"{file} has one column, {found[0][0]!r}. {advice}")
    names = [clean(name) for name, _ in found]
    width = max(map(len, names))
    print(clean(f"{file} has {len(found)} columns:"))
    for name, (_, kind) in zip(names, found, strict=True):
        print(f"  {name:<{width}}  {clean(kind)}")


def _found(file: str, format: Format | None, delimiter: str | None) -> list[tuple[str, str]]:
    from classay.sources.files import column_names

    return column_names(file, format=format, delimiter=delimiter)
