"""What a saved file may hold: each kind of field and of array up to its limit, and the words beyond it."""

import datetime as dt
import io
import json
import re
import struct
import uuid
import zipfile
import zlib
from decimal import Decimal
from math import inf, nan
from sys import float_info

import numpy as np
import pytest

from classay.errors import FileError, InputError
from classay.files import archives
from classay.files.archives import (
    DEEPEST,
    MOST_PARTS,
    SEAL,
    Archive,
    Damaged,
    Fields,
    array_bytes,
    array_of,
    checked,
    distinct,
    label_in,
    label_out,
    require_file,
    saved,
    sealed,
    shown,
)
from classay.files.writing import clash, saved_path, with_ending, write_content, written_paths

LARGEST = int(float_info.max)
ODD = [
    None,
    True,
    0,
    1,
    -1,
    2**63 - 1,
    2**63,
    0.5,
    1.0,
    0.0,
    nan,
    inf,
    "a",
    [],
    [1],
    {},
    {"a": 1},
    LARGEST,
    LARGEST + 1,
]
"""A value of every kind that JSON has, and at its limits."""


def is_number(value):
    return type(value) is float or (type(value) is int and value <= LARGEST)


def is_whole(value):
    return type(value) is int and 0 <= value <= 2**63 - 1


KINDS = {
    # method: (its arguments, which values it takes, what it wants)
    "whole": ((), is_whole, "a whole number from 0"),
    "whole from 1": ((1,), lambda value: is_whole(value) and value >= 1, "a whole number from 1"),
    "whole up to 0": ((-1, 0), lambda value: type(value) is int and -1 <= value <= 0, "a whole number from -1"),
    "number": ((), lambda value: is_number(value) and value == value, "a number from -inf to inf"),
    "number from 0 to 1": ((0, 1), lambda value: is_number(value) and 0 <= value <= 1, "a number from 0 to 1"),
    "share": ((), lambda value: type(value) is float and 0 < value < 1, "a number between 0 and 1"),
    "measured": ((), lambda value: type(value) in (int, float), "a number, or NaN"),
    "object": ((), lambda value: type(value) is dict, "an object"),
    "flag": ((), lambda value: type(value) is bool, "true or false"),
    "text": ((), lambda value: type(value) is str, "a text"),
    "choice": ((("a", 0.5),), lambda value: value in ("a", 0.5), "one of a, 0.5"),
    "values": ((), lambda value: type(value) is list, "a list"),
    "numbers": ((), lambda value: type(value) is list, "a list"),
}  # fmt: skip


@pytest.mark.parametrize("value", ODD, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_a_field_is_of_its_kind_or_told(kind, value):
    arguments, is_right, wanted = KINDS[kind]
    fields = Fields({"it": value, "more": 1}, "thing")
    assert "it" in fields
    read = getattr(fields, kind.split()[0])
    if not is_right(value):
        said = re.escape(f"it of thing is {shown(value)}, not {wanted}")
        with pytest.raises(Damaged, match=f"^{said}$"):
            read("it", *arguments)
        return
    found = read("it", *arguments)
    known = tuple(value) if type(value) is list else value
    assert found == known or value != value
    assert type(found) is type(known)
    assert fields.names == ("more",)
    with pytest.raises(Damaged, match=r"^it of thing is missing$"):
        read("it", *arguments)
    with pytest.raises(Damaged, match=r"^thing has the unknown field 'more'$"):
        fields.done()
    fields.take("more")
    fields.done()


def test_parts_of_lists_are_of_their_kinds():
    fields = Fields({"n": [0, 1.5], "t": ["a", ""], "o": {"a": 1}, "z": None, "list": [1, 2]}, "thing")
    assert fields.numbers("n", 0, 1.5) == (0, 1.5)
    assert fields.texts("t") == ("a", "")
    assert fields.maybe("z", fields.text) is None
    assert fields.present({"list": fields.values, "none": fields.text}) == {"list": (1, 2)}
    inner = fields.inner("o")
    assert (inner.where, inner.whole("a")) == ("o of thing", 1)
    fields.done()
    for value in ([0, -1], [True], ["a"], [nan]):
        with pytest.raises(Damaged, match=r"n of thing is .*, not a number from 0 to 1"):
            Fields({"n": value}, "thing").numbers("n", 0, 1)
    with pytest.raises(Damaged, match="t of thing contains a value that is not text"):
        Fields({"t": ["a", 1]}, "thing").texts("t")
    with pytest.raises(Damaged, match="z of thing is missing"):
        fields.maybe("z", fields.text)
    assert Fields({"z": "a"}, "thing").maybe("z", lambda name: name * 2) == "zz"
    for value in ([], 1, None, "a"):
        with pytest.raises(Damaged, match="thing is not an object"):
            Fields(value, "thing")
    with pytest.raises(Damaged, match="number of thing is 1000"):
        Fields({"number": 10**400}, "thing").number("number")


def test_values_are_shown_on_one_short_line():
    assert shown("a" * 58) == f"'{'a' * 58}'"
    assert shown("a" * 59) == f"'{'a' * 58}…"
    assert shown("é\n") == r"'\xe9\n'"


def test_values_of_which_two_are_equal_are_refused():
    distinct([1, 2, "1"], "it")
    distinct(iter([]), "it")
    with pytest.raises(Damaged, match="it contains a value twice"):
        distinct([1, 2, 1.0], "it")
    with pytest.raises(Damaged, match="it contains a value that is not a label"):
        distinct([1, []], "it")
    require_file([0], "no")
    with pytest.raises(Damaged, match="no"):
        require_file([], "no")


LABELS = [
    *[None, True, False, 0, -3, 2**70, 0.5, -inf, "", "é", b"", b"\x00\xff"],
    *[dt.date(2020, 2, 29), dt.datetime(2020, 2, 29, 1, 2, 3, 4), dt.time(1, 2, 3, 4)],
    *[dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.timedelta(-1, 5, 7), np.datetime64("2020-01-01T01", "h")],
    *[Decimal("1.10"), uuid.UUID(int=5), (), (1, "a"), (1, (2, (dt.date(2020, 1, 1), None)))],
]


@pytest.mark.parametrize("label", LABELS, ids=str)
def test_a_label_comes_back_as_it_was(label):
    plain = json.loads(json.dumps(label_out(label)))
    found = label_in(plain)
    assert (found, type(found)) == (label, type(label))
    assert str(found) == str(label)


@pytest.mark.parametrize(
    "value",
    [
        *([], [1], {}, {"a": 1, "b": 2}, {"date": "2020"}, {"date": 3}, {"tuple": 3}, {"tuple": {"a": 1}}),
        *(
            {"int": 1},
            {"Decimal": "x"},
            {"UUID": "x"},
            {"bytes": "x"},
            {"timedelta": ["a"]},
            {"datetime64": ["a"]},
        ),
    ],
    ids=str,
)
def test_what_is_no_label_is_told(value):
    with pytest.raises(Damaged, match=f"^{re.escape(shown(value))} is not a label$"):
        label_in(value)


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "label", [np.float64(1), Text("a"), frozenset(), 1j, dt.time(fold=1, tzinfo=dt.UTC), (1, [])]
)
def test_labels_without_a_plain_form_are_refused(label):
    is_written = False
    try:
        is_written = label_in(label_out(label)) == label
    except FileError as error:
        assert "which cannot be saved. Use text or numbers as labels." in str(error)  # noqa: PT017
    assert not is_written or type(label) is dt.time


@pytest.mark.parametrize(("depth", "is_label"), [(DEEPEST - 1, True), (DEEPEST, False)])
def test_tuples_in_tuples_up_to_a_depth(depth, is_label):
    plain = 1
    for _ in range(depth):
        plain = {"tuple": [plain]}
    if is_label:
        label_in(plain)
        return
    with pytest.raises(Damaged, match="a label is nested too deeply"):
        label_in(plain)


@pytest.mark.parametrize(("parts", "is_label"), [(MOST_PARTS, True), (MOST_PARTS + 1, False)])
def test_parts_of_a_tuple_up_to_a_number(parts, is_label):
    if is_label:
        assert label_in({"tuple": [1] * parts}) == (1,) * parts
        return
    with pytest.raises(Damaged, match="a label is nested too deeply"):
        label_in({"tuple": [1] * parts})


ARRAYS = {
    # what is wrong: (the array, its kinds, its shape, its range, the words)
    "type": (np.array([1.0]), "iu", (1,), {}, "a.npy' contains float64, which is another type"),
    "dimensions": (np.zeros((2, 1)), "f", (2,), {}, "a.npy' has shape (2, 1) instead of (2,)"),
    "length": (np.zeros((2, 3)), "f", (None, 2), {}, "a.npy' has shape (2, 3) instead of (any, 2)"),
    "not finite": (np.array([1, inf]), "f", (2,), {}, "a.npy' contains a value that is not a finite number"),
    "not a number": (np.array([nan]), "f", (1,), {}, "a.npy' contains a value that is not a finite number"),
    "too small": (np.array([0, -1]), "i", (None,), {"least": 0}, "a.npy' contains a number below 0"),
    "too large": (np.array([0, 5]), "i", (None,), {"below": 5}, "a.npy' contains a number that is not below 5"),
    "NaN in a range": (np.array([nan]), "f", (1,), {"least": 0, "finite": False}, "contains a number below 0"),
    "beyond 63 bits": (np.array([2**63], np.uint64), "iu", (1,), {}, "contains a number that is not below 2^63"),
}  # fmt: skip


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_beyond_its_limit_is_told(name):
    array, kinds, shape, limits, words = ARRAYS[name]
    with pytest.raises(Damaged, match=re.escape(words)):
        checked(array, "a.npy", kinds, shape, **limits)


@pytest.mark.parametrize(
    ("array", "kinds", "shape", "limits"),
    [
        (np.array([1, 2]), "iu", (2,), {"least": 1, "below": 3}),
        (np.array([1, inf]), "f", (None,), {"finite": False}),
        (np.zeros((2, 3)), "f", (None, 3), {"least": 0}),
        (np.zeros((0, 3)), "f", (0, 3), {"least": 1, "below": 0}),
        (np.array([True]), "b", (1,), {}),
    ],
)
def test_an_array_at_its_limit_is_returned(array, kinds, shape, limits):
    assert checked(array, "a.npy", kinds, shape, **limits) is array
    held = checked(np.array([2**63 - 1], np.uint64), "a.npy", "iu", (1,))
    assert (held.dtype, held.tolist()) == (np.int64, [2**63 - 1])
    assert checked(np.array([], np.uint64), "a.npy", "iu", (0,)).dtype == np.int64


@pytest.mark.parametrize("dtype", ["<i8", ">i8", "<f4", ">f8", "|b1", "<u2", "|i1"])
@pytest.mark.parametrize("shape", [(6,), (2, 3), (0,), ()])
def test_an_array_is_read_as_it_was_written_in_the_order_of_the_machine(dtype, shape):
    array = np.ones(shape, dtype)
    found = array_of(array_bytes(array), "a.npy")
    assert (found.tolist(), found.shape, found.dtype) == (
        np.atleast_1d(array).tolist(),
        shape or (1,),
        np.dtype(dtype).newbyteorder("="),
    )
    assert found.flags.writeable  # fmt: skip


def npy(header, content=bytes(16)):
    text = header.encode() + b" " * (117 - len(header)) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + content


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "has no array header ('ValueError"),
        (npy("{"), "has no array header ("),
        (npy("{'descr': '<i8', 'fortran_order': True, 'shape': (2,)}"), "contains '<i8', not plain numbers"),
        (npy("{'descr': '<U2', 'fortran_order': False, 'shape': (2,)}"), "contains '<U2', not plain numbers"),
        (
            npy("{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}"),
            "contains '<f16', not plain numbers",
        ),
        (
            npy("{'descr': '<i8', 'fortran_order': False, 'shape': (3,)}"),
            "declares shape (3,), but has 16 bytes",
        ),
        (
            npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1,)}"),
            "declares shape (1,), but has 16 bytes",
        ),
    ],
)
def test_an_array_that_is_none_is_told(content, words):
    with pytest.raises(Damaged, match=re.escape(words)):
        array_of(content, "a.npy")
    whole = npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2,)}")
    assert array_of(whole, "a.npy").tolist() == [0, 0]


def archived(members, *, digests=True):
    """An archive of these members, with or without the checksums of all."""
    content = sealed("a.json", {"x": 1}, members)
    if digests:
        return content
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            if name != SEAL:
                new.writestr(name, old.read(name))
    return buffer.getvalue()


@pytest.mark.parametrize("digests", [True, False])
@pytest.mark.parametrize("size", [0, 5, 4096, 70_000, 300_000, 3_000_000])
def test_members_come_back_once(digests, size):
    rng = np.random.default_rng(size)
    dense, sparse = rng.bytes(size), bytes(size)
    content = archived({"d": dense, "s": sparse, "n.npy": np.arange(size % 7)}, digests=digests)
    assert content == archived({"d": dense, "s": sparse, "n.npy": np.arange(size % 7)}, digests=digests)
    with Archive(io.BytesIO(content)) as archive:
        assert (archive.seal is not None) == digests
        assert (archive.bytes("d"), archive.bytes("s")) == (dense, sparse)
        assert archive.array("n.npy", "i", (None,)).tolist() == [*range(size % 7)]
        assert archive.maybe_array("n.npy", "i", (None,)) is None
        with pytest.raises(Damaged, match="'d' is missing"):
            archive.bytes("d")
        with pytest.raises(Damaged, match=r"it contains the unknown member 'a\.json'"):
            archive.done()
        assert archive.fields("a.json").whole("x") == 1
        archive.done()
    if size == 300_000 and digests:
        assert len(content) > size  # what is dense is stored
        assert len(content) < 1.1 * size


def test_a_program_that_reads_an_archive_from_its_beginning_finds_what_its_directory_says():
    """Before each member stand the same kind, checksum and sizes as in the directory, and its stream is complete."""
    dense = np.random.default_rng(0).bytes(300_000)
    members = {"none": b"", "short": b"a" * 9, "long": bytes(3_000_000), "dense": dense}
    content = sealed("about.json", {"a": 1}, members)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {entry.filename: entry for entry in archive.infolist()}
    assert {*entries} == {*members, "about.json", SEAL}
    for name, entry in entries.items():
        begin = entry.header_offset + 30
        kind, _, _, *sizes, of_name, of_extra = struct.unpack("<8xHHHIIIHH", content[begin - 30 : begin])
        assert (kind, *sizes) == (entry.compress_type, entry.CRC, entry.compress_size, entry.file_size)
        stream = content[begin + of_name + of_extra :][: entry.compress_size]
        if kind == zipfile.ZIP_DEFLATED:
            inflate = zlib.decompressobj(-zlib.MAX_WBITS)
            stream = inflate.decompress(stream)
            assert inflate.eof
        assert name not in members or stream == members[name]
        assert zlib.crc32(stream) == entry.CRC
    assert entries["dense"].compress_type == zipfile.ZIP_STORED
    assert len(content) < len(dense) + 20_000


def test_a_member_that_grows_much_is_read_if_its_checksum_is_right(monkeypatch):
    """Before it is in memory, its checksum is the same that is compared afterwards."""
    monkeypatch.setattr(archives, "_SUSPECT", 1_000)
    content = sealed("about.json", {}, {"zeros": bytes(100_000)})
    with Archive(io.BytesIO(content)) as archive:
        assert archive.bytes("zeros") == bytes(100_000)


def test_objects_are_never_written():
    with pytest.raises(ValueError, match="allow_pickle"):
        array_bytes(np.array([{"a": 1}], object))


def test_an_archive_whose_members_are_not_those_of_its_checksums_is_refused():
    def changed(change):
        buffer = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(archived({"d": b"abc"}))) as old, zipfile.ZipFile(buffer, "w") as new:
            change({name: old.read(name) for name in old.namelist()}, new)
        return io.BytesIO(buffer.getvalue())

    def write(members, new):
        for name, content in members.items():
            new.writestr(name, content)

    cases = {
        "its members differ": lambda m, new: write(m | {"more": b""}, new),
        "members differ": lambda m, new: write({k: v for k, v in m.items() if k != "d"}, new),
        "list of checksums is damaged": lambda m, new: write(m | {SEAL: b'{"a.json": 1, "d": 2}'}, new),
        "its list of checksums is damaged": lambda m, new: write(m | {SEAL: b"[]"}, new),
        "is not JSON": lambda m, new: write(m | {SEAL: b"{"}, new),
    }
    for words, change in cases.items():
        with pytest.raises(Damaged, match=words):
            Archive(changed(change))
    archive = Archive(changed(lambda m, new: write(m | {"d": b"abd"}, new)))
    with archive, pytest.raises(Damaged, match="the checksum of 'd' does not match"):
        archive.bytes("d")
    for content in (b"", b"PK", b"no zip"):
        with pytest.raises(Damaged, match="not a complete zip archive"):
            Archive(io.BytesIO(content))


FORMATS = {
    # of a result with checksums, whose newest format is 3: (its JSON, the words; None where it is read)
    "present": ({"format": 3, "what": "curve"}, None),
    "earlier": ({"format": 2, "what": "curve"}, None),
    "later": ({"format": 4, "what": "curve"}, "has format 4, but this version of classay reads 3. Update classay."),
    "none": ({"format": 0, "what": "curve"}, "has format 0, but this version of classay reads 3. Update"),
    "no number": ({"format": True, "what": "curve"}, "has format True, but this version of classay reads 3."),
    "a text": ({"format": "2", "what": "curve"}, "has format '2', but this version"),
    "the first": ({"format": 1, "what": "curve"}, "is damaged or not a saved curve (its format is wrong)."),
    "another kind": ({"format": 3, "what": "tree"}, "is damaged or not a saved curve (not a curve). Save it again"),
    "nothing": ({"what": "curve"}, "is damaged or not a saved curve (format of curve.json is missing)."),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_a_saved_result_is_of_a_format_that_is_read(name):
    about, words = FORMATS[name]
    content = sealed("curve.json", about, {})
    if words is None:
        with saved(content, "curve", 3, "it") as (fields, archive):
            fields.done()
            archive.done()
        return
    with pytest.raises(FileError, match=f"^it {re.escape(words)}"), saved(content, "curve", 3, "it"):
        pass


def test_a_result_without_checksums_is_of_the_first_format_and_of_the_first_kinds():
    def bare(what, number):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr(f"{what}.json", json.dumps({"format": number, "what": what}))
        return buffer.getvalue()

    for what in ("assessment", "evaluation"):
        with saved(bare(what, 1), what, 3, "it") as (fields, _):
            fields.done()
        with pytest.raises(FileError, match="its checksums are missing"), saved(bare(what, 2), what, 3, "it"):
            pass
    with (
        pytest.raises(FileError, match="its checksums are missing"),
        saved(bare("curve", 1), "curve", 3, "it"),
    ):
        pass


def test_what_a_class_refuses_is_a_damaged_file_and_another_kind_is_named(tmp_path):
    content = sealed("curve.json", {"format": 2, "what": "curve"}, {})
    for error in (InputError("no level."), Damaged("no level")):
        with (
            pytest.raises(
                FileError, match=r"it is damaged or not a saved curve \(no level\)\. Save it again"
            ),
            saved(content, "curve", 2, "it"),
        ):
            raise error
    path = tmp_path / "a.classay"
    path.write_bytes(sealed("assessment.json", {}, {}))
    wanted = "is not a saved curve but an assessment. Use a file that its `save` wrote."
    with pytest.raises(FileError, match=re.escape(wanted)), saved(path, "curve", 2):
        pass
    wanted = "is not a saved assessment. Use a file that `classay assess --save` or `save` wrote."
    with pytest.raises(FileError, match=re.escape(f"it {wanted}")), saved(content, "assessment", 2, "it"):
        pass
    told = pytest.raises(FileError, match=r"^Cannot read .*none: No such file or directory\.$")
    with told, saved(tmp_path / "none", "curve", 2):
        pass


def test_names_of_what_is_written(tmp_path):
    assert [str(saved_path(name)) for name in ("a", "a.zip", "a.0", "a.b.1", "a.classay", "-")] == [
        *("a.classay", "a.zip", "a.0.classay", "a.b.1.classay", "a.classay", "-")
    ]
    assert [str(with_ending(name)) for name in ("a", "a.zip", "a.classay", "-", "/dev/null")] == [
        *("a.classay", "a.zip.classay", "a.classay", "-", "/dev/null")
    ]
    content = {"": b"one", "-2.svg": b"two", "-3.svg": b"three"}
    first = tmp_path / "t.docx"
    assert written_paths(first, content) == [str(first), str(tmp_path / "t-2.svg"), str(tmp_path / "t-3.svg")]
    write_content(first, content)
    assert [path.read_bytes() for path in sorted(tmp_path.iterdir())] == [b"two", b"three", b"one"]
    assert written_paths(first, "text") == [str(first)]
    assert written_paths("/dev/null", content) == ["/dev/null"]
    write_content(first, "é\ud800")
    assert first.read_bytes() == "é\\ud800".encode()


def test_an_output_clashes_with_an_input_or_another_output(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in "ab":
        (tmp_path / name).write_text(name)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    a, b, link = (str(tmp_path / name) for name in ("a", "b", "link"))
    assert clash([a], [b]) is None
    assert clash([a, b], []) is None
    assert clash([link], [b, "~/a"]) == "~/a"
    assert clash([a, link], []) == ""
    assert clash([a, link], [b, a]) == a
    assert clash(["/dev/null", "/dev/null"], ["/dev/null"]) is None
