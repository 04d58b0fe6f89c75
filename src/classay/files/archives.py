"""Archives: a zip of one JSON, plain arrays and other bytes, sealed by checksums; a saved result read from one.

Each field of the JSON is taken by the kind it must be, and labels come back as the labels they were.

Loading executes nothing. Whatever the bytes are, reading ends in what was written, or in `Damaged`.
"""

from __future__ import annotations

import datetime
import io
import json
import uuid
import zipfile
import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from hashlib import blake2b
from math import inf, prod
from pathlib import Path
from sys import float_info
from typing import IO, Any, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from classay.compiled import thread_count, workers
from classay.errors import FileError, InputError, UnknownMeasureError
from classay.texts import an
from classay.wings import brought

Read = TypeVar("Read")


class Damaged(ValueError):
    """What a saved file holds cannot be: the text says what is wrong with it."""


def require_file(condition: Any, text: str) -> None:
    """Raise Damaged with the text unless the condition holds."""
    if not condition:
        raise Damaged(text)


class Fields:
    """The fields of a JSON object. Each is taken once; `done` refuses what nobody took.

    >>> fields = Fields({"rows": 3, "level": 1.5}, "assessment")
    >>> fields.whole("rows")
    3
    >>> fields.share("level")
    Traceback (most recent call last):
    ...
    classay.files.archives.Damaged: level of assessment is 1.5, not a number between 0 and 1
    """

    def __init__(self, plain: Any, where: str) -> None:
        require_file(isinstance(plain, dict), f"{where} is not an object")
        self._left = dict(plain)
        self.where = where

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def take(self, name: str) -> Any:
        """Return the field, whatever it is."""
        require_file(name in self._left, f"{name} of {self.where} is missing")
        return self._left.pop(name)

    def _checked(self, name: str, is_right: Callable[[Any], bool], wanted: str) -> Any:
        value = self.take(name)
        require_file(is_right(value), f"{name} of {self.where} is {shown(value)}, not {wanted}")
        return value

    def whole(self, name: str, least: int = 0, most: float = 2**63 - 1) -> int:
        """Return a whole number."""
        number: int = self._checked(
            name, lambda value: type(value) is int and least <= value <= most, f"a whole number from {least}"
        )
        return number

    def number(self, name: str, low: float = -inf, high: float = inf) -> float:
        """Return a number between two, both included; no whole one is too large for a float."""

        def is_right(value: Any) -> bool:
            is_float = type(value) is float or (type(value) is int and abs(value) <= float_info.max)
            return is_float and low <= value <= high

        number: float = self._checked(name, is_right, f"a number from {low:g} to {high:g}")
        return number

    def share(self, name: str) -> float:
        """Return a number between 0 and 1, and neither of these."""
        wanted = "a number between 0 and 1"
        share: float = self._checked(name, lambda value: type(value) is float and 0 < value < 1, wanted)
        return share

    def measured(self, name: str) -> float:
        """Return a number, or NaN where there is none."""
        number: float = self._checked(name, lambda value: type(value) in (int, float), "a number, or NaN")
        return number

    def object(self, name: str) -> dict[str, Any]:
        """Return an object, whatever is in it."""
        fields: dict[str, Any] = self._checked(name, lambda value: type(value) is dict, "an object")
        return fields

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields that nobody took yet."""
        return tuple(self._left)

    def flag(self, name: str) -> bool:
        """True or false."""
        flag: bool = self._checked(name, lambda value: type(value) is bool, "true or false")
        return flag

    def text(self, name: str) -> str:
        """Return a text."""
        text: str = self._checked(name, lambda value: type(value) is str, "a text")
        return text

    def choice(self, name: str, known: Sequence[Any]) -> Any:
        """Return one of a few values."""
        return self._checked(name, lambda value: value in known, f"one of {', '.join(map(str, known))}")

    def list(self, name: str, of: Callable[[Any], Read]) -> tuple[Read, ...]:
        """Return a list, each part of which is read in the same way."""
        return tuple(map(of, self._checked(name, lambda value: type(value) is list, "a list")))

    def values(self, name: str) -> tuple[Any, ...]:
        """Return a list, whatever is in it."""
        return self.list(name, lambda value: value)

    def numbers(self, name: str, low: float = -inf, high: float = inf) -> tuple[float, ...]:
        """Return a list of numbers, each as `number` takes it."""
        return self.list(name, lambda value: Fields({name: value}, self.where).number(name, low, high))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        texts = self.values(name)
        require_file(
            all(type(text) is str for text in texts),
            f"{name} of {self.where} contains a value that is not text",
        )
        return texts

    def maybe(self, name: str, read: Callable[[str], Read]) -> Read | None:
        """Return what `read` takes, or None where the field is null."""
        require_file(name in self._left, f"{name} of {self.where} is missing")
        if self._left[name] is None:
            return self._left.pop(name)  # type: ignore[no-any-return]
        return read(name)

    def present(self, readers: Mapping[str, Callable[[str], Any]]) -> dict[str, Any]:
        """Return those of some fields that are there, by name, each as its reader takes it."""
        return {name: read(name) for name, read in readers.items() if name in self}

    def inner(self, name: str) -> Fields:
        """Return the fields of an object in this one."""
        return Fields(self.take(name), f"{name} of {self.where}")

    def done(self) -> None:
        """Refuse the fields that nobody took."""
        require_file(
            not self._left, f"{self.where} has the unknown field {shown(next(iter(self._left), ''))}"
        )


def distinct(values: Iterable[Any], what: str) -> None:
    """Refuse values of which two are equal, or that cannot be compared so."""
    entries = tuple(values)
    try:
        require_file(len({*entries}) == len(entries), f"{what} contains a value twice")
    except TypeError:
        raise Damaged(f"{what} contains a value that is not a label") from None


def shown(value: Any) -> str:
    """Return a value as an error shows it: on one line, and short."""
    text = ascii(value)
    return text if len(text) <= 60 else text[:59] + "…"


_READERS: dict[str, Callable[[Any], Hashable]] = {
    "date": datetime.date.fromisoformat,
    "datetime": datetime.datetime.fromisoformat,
    "time": datetime.time.fromisoformat,
    "timedelta": lambda parts: datetime.timedelta(*parts),
    "datetime64": lambda parts: np.datetime64(*parts),
    "Decimal": Decimal,
    "UUID": uuid.UUID,
    "bytes": bytes.fromhex,
}
_WRITERS: dict[type, Callable[[Any], Any]] = {
    datetime.date: datetime.date.isoformat,
    datetime.datetime: datetime.datetime.isoformat,
    datetime.time: datetime.time.isoformat,
    datetime.timedelta: lambda label: [label.days, label.seconds, label.microseconds],
    np.datetime64: lambda label: [int(label.view(np.int64)), np.datetime_data(label)[0]],
    Decimal: str,
    uuid.UUID: str,
    bytes: bytes.hex,
    tuple: lambda label: [label_out(part) for part in label],
}
"""How labels of these very types are written, under the type's name, by which `_READERS` reads them."""
DEEPEST = 50
"""Depth of tuples in tuples from which on a value is no label."""
MOST_PARTS = 1_000
"""The most parts that the tuples of a label have: a tuple that holds another one twice doubles with each step."""


def label_out(label: Hashable) -> Any:
    """Return a label as JSON that `label_in` reads again. Raises FileError for a kind that has no plain form.

    The exact type counts, not its base: a timestamp of pandas is a datetime, but prints as something else.
    """
    if label is None or type(label) in (bool, int, float, str):
        return label
    if type(label) in _WRITERS:
        kind, written = type(label).__name__, _WRITERS[type(label)](label)
        if type(label) is tuple or _READERS[kind](written) == label:  # a time's text may not say all of it
            return {kind: written}
    raise FileError(
        f"Label {shown(label)} is {an(type(label).__name__)}, which cannot be saved. Use text or numbers as labels."
    )


def label_in(saved: Any, depth: int = 0, parts: list[Any] | None = None) -> Hashable:
    """Return the label that `label_out` wrote. Raises Damaged for anything else. `parts` are those read so far."""
    parts = [] if parts is None else parts
    parts.append(saved)
    require_file(depth < DEEPEST and len(parts) <= MOST_PARTS + 1, "a label is nested too deeply")
    if isinstance(saved, dict):
        require_file(len(saved) == 1, f"{shown(saved)} is not a label")
        ((kind, value),) = saved.items()
        if kind == "tuple" and isinstance(value, list):
            return tuple(label_in(part, depth + 1, parts) for part in value)
        with suppress(ArithmeticError, KeyError, TypeError, ValueError):
            return _READERS[kind](value)
    require_file(saved is None or type(saved) in (bool, int, float, str), f"{shown(saved)} is not a label")
    return saved  # type: ignore[no-any-return]


Array = NDArray[Any]
Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
"""What JSON can hold."""
SEAL = "checksums.json"
"""The member that names all others, each with its checksum."""
_DATE = (1980, 1, 1, 0, 0, 0)  # a fixed one, so that equal contents are equal files
_MOST = 1032  # how many times its size the densest deflated stream grows
_SHORTEST = 1 << 12  # members so short may claim any size up to it
# members that grow to more than both are read twice: first for their checksum
_SUSPECT, _SUSPECT_TIMES = 1 << 25, 20
_LONG = 1 << 18  # bytes from which a sample is deflated before all of them are
_SAMPLE, _SAMPLES = 1 << 12, 16
_DENSE = 0.7  # the share of their bytes that scores with all their digits, or blocks of cases, keep
_PIECE = 1 << 20  # bytes that are deflated by themselves, so that several threads can
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def sealed(name: str, about: Mapping[str, Json], members: Mapping[str, Array | bytes]) -> bytes:
    """An archive of the JSON `about` under its name, and members: arrays, or bytes. Equal contents, equal bytes."""
    contents = {name: json.dumps(about, indent=1).encode()}
    for member, value in members.items():
        contents[member] = value if isinstance(value, bytes) else array_bytes(value)
    buffer = io.BytesIO()
    with workers(thread_count(sum(map(len, contents.values())))) as run:
        digests = dict(zip(contents, run(_digest, contents.values()), strict=True))
        contents[SEAL] = json.dumps(digests, indent=0).encode()
        with zipfile.ZipFile(buffer, "w") as archive:
            for member, content in contents.items():
                _add(archive, buffer, zipfile.ZipInfo(member, _DATE), content, run)
    return buffer.getvalue()


def _add(
    archive: zipfile.ZipFile,
    buffer: io.BytesIO,
    entry: zipfile.ZipInfo,
    content: bytes,
    run: Callable[..., list[bytes]],
) -> None:
    """Add a member, deflated where that pays: in pieces, on several threads, which one stream holds in turn.

    The zip module deflates on one thread. It is given the stream as it is to stand in the file, and the entry is then
    told what the stream holds.
    """
    if _is_dense(content):
        archive.writestr(entry, content)
        return
    is_long = len(content) > zipfile.ZIP64_LIMIT
    pieces = [memoryview(content)[at : at + _PIECE] for at in range(0, max(len(content), 1), _PIECE)]
    ends = [zlib.Z_FULL_FLUSH] * (len(pieces) - 1) + [zlib.Z_FINISH]
    with archive.open(entry, "w", force_zip64=is_long) as stream:
        for piece in run(_deflated, pieces, ends):
            stream.write(piece)
    entry.compress_type, entry.file_size, entry.CRC = zipfile.ZIP_DEFLATED, len(content), zlib.crc32(content)
    buffer.seek(entry.header_offset)
    buffer.write(entry.FileHeader(is_long))


def _deflated(piece: memoryview, end: int) -> bytes:
    """Return a piece of a deflated stream, which knows nothing of the pieces before it."""
    deflate = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS)
    return deflate.compress(piece) + deflate.flush(end)


def _is_dense(content: bytes) -> bool:
    """Whether deflating would take long and save little, as of scores with all their digits: by a sample of its bytes.

    >>> _is_dense(np.random.default_rng(0).bytes(1_000_000)), _is_dense(bytes(1_000_000))
    (True, False)
    """
    if len(content) < _LONG:
        return False
    view, step = memoryview(content), len(content) // _SAMPLES
    sample = b"".join(view[at : at + _SAMPLE] for at in range(0, step * _SAMPLES, step))
    return len(zlib.compress(sample, 1)) > _DENSE * len(sample)


def array_bytes(array: Any) -> bytes:
    """Return an array as an .npy file."""
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


class Range(TypedDict, total=False):
    """The range of the numbers in an array, as `checked` takes it."""

    least: float | None
    below: int | None
    finite: bool


class Archive:
    """The members of an archive, taken one by one; `done` refuses what nobody took.

    With a seal, the members are exactly those it names, each checked when it is taken. Archives of the first format
    have no seal, and are accepted if their parts agree. Every method raises Damaged.
    """

    def __init__(self, file: str | IO[bytes]) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except OSError:
            raise
        except Exception as error:
            raise Damaged("not a complete zip archive") from error
        names = self._zip.namelist()
        require_file(len({*names}) == len(names), "a member occurs twice")
        self._left = {*names}
        self.seal: dict[str, str] | None = None
        if SEAL in self._left:
            self.seal = self._digests()
            require_file({*self.seal} == self._left, "its members differ from its list of checksums")

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def _digests(self) -> dict[str, str]:
        seal = self.json(SEAL)
        require_file(
            isinstance(seal, dict) and all(isinstance(digest, str) for digest in seal.values()),
            "its list of checksums is damaged",
        )
        digests: dict[str, str] = seal
        return digests

    def bytes(self, name: str) -> bytes:
        """Return the bytes of a member."""
        require_file(name in self._left, f"{shown(name)} is missing")
        self._left.remove(name)
        try:
            entry = self._zip.getinfo(name)
            claimed = max(_MOST * entry.compress_size, _SHORTEST)
            require_file(
                entry.file_size <= claimed,
                f"{shown(name)} declares {entry.file_size:,} bytes, more than possible",
            )
            if entry.file_size > max(_SUSPECT, _SUSPECT_TIMES * entry.compress_size):
                self._hold_digest(entry)
            content = self._zip.read(entry)
        except Damaged:
            raise
        except MemoryError as error:
            raise Damaged(f"{shown(name)} needs more memory than is available") from error
        except Exception as error:
            raise Damaged(f"{shown(name)} cannot be read ({_short(error)})") from error
        if self.seal is not None:
            require_file(
                self.seal.get(name) == _digest(content), f"the checksum of {shown(name)} does not match"
            )
        return content

    def _hold_digest(self, entry: zipfile.ZipInfo) -> None:
        """Refuse a member that the seal does not name so, before its bytes, many times what it takes, are in memory."""
        digest = blake2b(digest_size=16)
        with self._zip.open(entry) as stream:
            while piece := stream.read(_PIECE):
                digest.update(piece)
        if self.seal is not None:
            is_named = self.seal.get(entry.filename) == digest.hexdigest()
            require_file(is_named, f"the checksum of {shown(entry.filename)} does not match")

    def json(self, name: str) -> Any:
        """Return the JSON that a member is."""
        content = self.bytes(name)
        try:
            return json.loads(content)
        except (ValueError, RecursionError, MemoryError) as error:
            raise Damaged(f"{shown(name)} is not JSON ({_short(error)})") from error

    def fields(self, name: str) -> Fields:
        """Return the fields of the JSON that a member is."""
        return Fields(self.json(name), name)

    def array(self, name: str, kinds: str, shape: tuple[int | None, ...], **range: Unpack[Range]) -> Array:
        """Return the array of a member: of such kinds of dtype, of this shape (None is any length), within a range."""
        content = self.bytes(name)
        return checked(array_of(content, name), name, kinds, shape, **range)

    def maybe_array(
        self, name: str, kinds: str, shape: tuple[int | None, ...], **range: Unpack[Range]
    ) -> Array | None:
        """Return the same, or None where there is no such member."""
        return self.array(name, kinds, shape, **range) if name in self else None

    def done(self) -> None:
        """Refuse the members that nobody took."""
        require_file(not self._left, f"it contains the unknown member {shown(min(self._left, default=''))}")


def array_of(content: bytes, name: str) -> Array:
    """Return the array of an .npy file, whose header must claim exactly the bytes that are there."""
    stream = io.BytesIO(content)
    try:
        shape, fortran, dtype = _HEADERS[np.lib.format.read_magic(stream)](stream)
    except Exception as error:
        raise Damaged(f"{shown(name)} has no array header ({_short(error)})") from error
    require_file(
        dtype.kind in "biuf" and dtype.itemsize <= 8 and not fortran,
        f"{shown(name)} contains {shown(dtype.str)}, not plain numbers",
    )
    left = len(content) - stream.tell()
    require_file(
        prod(shape) * dtype.itemsize == left and all(size >= 0 for size in shape),
        f"{shown(name)} declares shape {shown(shape)}, but has {left:,} bytes",
    )
    array = np.frombuffer(content, dtype, offset=stream.tell()).reshape(shape)
    return array.astype(dtype.newbyteorder("="))  # its own memory, in the machine's order


def checked(
    array: Array,
    name: str,
    kinds: str,
    shape: tuple[int | None, ...],
    *,
    least: float | None = None,
    below: int | None = None,
    finite: bool = True,
) -> Array:
    """Return the array, if it is of such a kind, shape and range. NaN is in no range."""
    name = shown(name)
    require_file(array.dtype.kind in kinds, f"{name} contains {array.dtype}, which is another type")
    is_shape = array.ndim == len(shape) and all(
        wanted in (None, size) for wanted, size in zip(shape, array.shape, strict=True)
    )
    require_file(is_shape, f"{name} has shape {array.shape} instead of {shape}".replace("None", "any"))
    if array.dtype.kind == "f" and finite:
        require_file(np.isfinite(array).all(), f"{name} contains a value that is not a finite number")
    if array.size and least is not None:
        require_file(array.min() >= least, f"{name} contains a number below {least:g}")
    if array.size and below is not None:
        require_file(array.max() < below, f"{name} contains a number that is not below {below:,}")
    if kinds == "iu" and array.dtype == np.uint64:  # NumPy adds these to signed integers as floats
        require_file(
            not array.size or array.max() < 2**63, f"{name} contains a number that is not below 2^63"
        )
        return array.astype(np.int64)
    return array


def _short(error: BaseException) -> str:
    return shown(f"{type(error).__name__}: {error}")


PLACES = {
    "assessment": "`classay assess --save` or `save`",
    "evaluation": "`classay evaluate --save` or `save`",
}
"""What writes a kind of result, besides its `save`."""
WITHOUT_SEAL = ("assessment", "evaluation")
"""Kinds of results whose first format had no checksums."""


@contextmanager
def saved(
    source: str | Path | bytes, what: str, form: int, name: object = None
) -> Iterator[tuple[Fields, Archive]]:
    """Yield the JSON and the archive of a saved result, from a file or its bytes; `name` is what an error calls it.

    `what` is the kind, such as "learning curve", whose JSON is learning_curve.json; `form` the newest format that is
    read. Raises FileError, also where what is read from it is refused by the class that is made of it.
    """
    path = source if name is None else name
    member = f"{what.replace(' ', '_')}.json"
    try:
        with Archive(io.BytesIO(source) if isinstance(source, bytes) else str(source)) as archive:
            if member not in archive:
                others = (kind.replace("_", " ") for kind in brought("saved") if f"{kind}.json" in archive)
                kind = next((f" but {an(other)}" for other in others), "")
                raise FileError(
                    f"{path} is not a saved {what}{kind}. Use a file that {PLACES.get(what, 'its `save`')} wrote."
                )
            about = archive.fields(member)
            _check_format(about, what, form, archive.seal, path)
            require_file(archive.seal is not None or what in WITHOUT_SEAL, "its checksums are missing")
            yield about, archive
    except OSError as error:
        raise FileError(f"Cannot read {path}: {error.strerror or error}.") from error
    except (Damaged, InputError, UnknownMeasureError) as error:
        reason = str(error).removesuffix(".")
        raise FileError(
            f"{path} is damaged or not a saved {what} ({reason}). Save it again, or restore a copy."
        ) from error


def _check_format(about: Fields, what: str, known: int, seal: object, path: object) -> None:
    """Refuse another format than those that are read: the first, which has no checksums, and the present one."""
    number = about.take("format")
    if type(number) is not int or not 1 <= number <= known:
        raise FileError(
            f"{path} has format {shown(number)}, but this version of classay reads {known}. Update classay."
        )
    require_file(
        (seal is not None) == (number > 1),
        "its checksums are missing" if number > 1 else "its format is wrong",
    )
    require_file(about.take("what") == what, f"not {an(what)}")
