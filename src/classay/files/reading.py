"""Reading a saved result of any kind: one archive whose JSON says what it is; what is wrong is an error of one line."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from classay.errors import FileError
from classay.files.archives import Archive, Damaged, Fields, hold, shown

PLACES = {
    "assessment": "`classay assess --save` or `save`",
    "evaluation": "`classay evaluate --save` or `save`",
}
"""What else than its `save` writes a kind of result."""
WITHOUT_SEAL = ("assessment", "evaluation")
"""Kinds of results whose first format had no checksums."""


@contextmanager
def saved(
    source: str | Path | bytes, what: str, form: int, name: object = None
) -> Iterator[tuple[Fields, Archive]]:
    """The JSON and the archive of a saved result, from a file or its bytes; `name` is what an error calls it.

    `what` is the kind, such as "learning curve", whose JSON is learning_curve.json; `form` the newest format that is
    read. Raises FileError.
    """
    path = source if name is None else name
    member = f"{what.replace(' ', '_')}.json"
    try:
        with Archive(io.BytesIO(source) if isinstance(source, bytes) else str(source)) as archive:
            if member not in archive:
                raise FileError(
                    f"{path} is no saved {what}: pass a file that {PLACES.get(what, 'its `save`')} wrote."
                )
            about = archive.fields(member)
            _check_format(about, what, form, archive.seal, path)
            hold(archive.seal is not None or what in WITHOUT_SEAL, "its checksums are missing")
            yield about, archive
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}.") from error
    except Damaged as error:
        raise FileError(
            f"{path} is no saved {what}, or a damaged one: {error}. Save it anew, or take another copy."
        ) from error


def _check_format(about: Fields, what: str, known: int, seal: object, path: object) -> None:
    """Refuse another format than those that are read: the first, which has no checksums, and the present one."""
    found = about.take("format")
    if type(found) is not int or not 1 <= found <= known:
        raise FileError(
            f"{path} is of format {shown(found)}; this version of classay reads {known}: update classay."
        )
    hold(
        (seal is not None) == (found > 1),
        "its checksums are missing" if found > 1 else "its format is another",
    )
    hold(about.take("what") == what, f"it is no {what}")
