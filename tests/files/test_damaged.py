"""Saved files that are damaged, or made so on purpose: one line, or the same numbers; and what is old still loads."""

import contextlib
import datetime
import io
import json
import os
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import FileError, InputError
from classay.files.archives import _PIECE, SEAL, Archive, Damaged, array_bytes, label_in, sealed
from classay.resampling.data import FoldResult
from classay.resampling.run_store import Store
from command import refusal

N = 24
Y = np.arange(N) % 2
P = np.round(np.random.default_rng(0).random(N), 2)


def assessed(**how):
    return ca.assess(Y, P, **how)


def evaluated():
    return ca.evaluate(DecisionTreeClassifier(max_depth=2), P[:, None], Y, protocol="3fold")


MADE = {
    "assessment": lambda: assessed(id=range(N)),
    "clusters": lambda: assessed(cluster=np.arange(N) // 3, weight=P + 0.5),
    "three": lambda: ca.assess(
        np.arange(N) % 3, np.random.default_rng(0).dirichlet(np.ones(3), N), id=range(N)
    ),
    "evaluation": evaluated,
}


def members_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def old(members):
    """The file as the first format had it: without checksums."""
    return zipped(
        {name: each.replace(b'"format": 2', b'"format": 1') for name, each in members.items() if name != SEAL}
    )


def forged(members):
    """The file with right checksums of wrong contents."""
    (name,) = members.keys() & {"assessment.json", "evaluation.json"}
    rest = {each: content for each, content in members.items() if each not in (name, SEAL)}
    return sealed(name, json.loads(members[name]), rest)


@pytest.mark.parametrize("size", [0, 1, _PIECE - 1, _PIECE, _PIECE + 1, 3 * _PIECE + 5])
def test_pieces_deflated_on_several_threads_are_one_stream_of_the_zip_format(size, monkeypatch):
    """Whatever the number of threads, the file is the same, and every reader of zips can read it."""
    content = (b"0123456789 of several threads; " * (size // 31 + 1))[:size]
    made = set()
    for threads in ("1", "3"):
        monkeypatch.setenv("CLASSAY_THREADS", threads)
        made.add(sealed("about.json", {}, {"long": content, "after": b"it"}))
    (archive,) = made
    with zipfile.ZipFile(io.BytesIO(archive)) as read:
        assert read.testzip() is None
        assert read.read("long") == content
        assert read.read("after") == b"it"
        assert read.getinfo("long").compress_type == zipfile.ZIP_DEFLATED
        assert read.getinfo("long").compress_size <= max(size // 20, 10)


def test_what_deflating_would_not_shrink_is_stored():
    """Either way the archive reads alike, and equal contents make equal files."""
    dense, sparse = np.random.default_rng(0).random(100_000), np.zeros(100_000)
    content = sealed("about.json", {}, {"dense.npy": dense, "sparse.npy": sparse})
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        kinds = {name: archive.getinfo(name).compress_type for name in ("dense.npy", "sparse.npy")}
    assert kinds == {"dense.npy": zipfile.ZIP_STORED, "sparse.npy": zipfile.ZIP_DEFLATED}
    assert content == sealed("about.json", {}, {"dense.npy": dense, "sparse.npy": sparse})
    with Archive(io.BytesIO(content)) as archive:
        np.testing.assert_array_equal(archive.array("dense.npy", "f", (100_000,)), dense)
        np.testing.assert_array_equal(archive.array("sparse.npy", "f", (100_000,)), sparse)
    broken = bytearray(content)
    broken[content.index(dense.tobytes()[:64]) + 7] ^= 1
    with Archive(io.BytesIO(bytes(broken))) as archive, pytest.raises(Damaged):
        archive.bytes("dense.npy")


@pytest.fixture
def saved(tmp_path):
    def save(kind):
        path = tmp_path / "a.classay"
        MADE[kind]().save(path)
        return path, members_of(path.read_bytes())

    return save


@pytest.mark.parametrize("kind", MADE)
def test_save_load_save_gives_the_same_bytes_and_old_files_load(saved, kind):
    path, members = saved(kind)
    content = path.read_bytes()
    for each in (content, old(members)):
        path.write_bytes(each)
        ca.load(path).save(path)
        assert path.read_bytes() == content


@pytest.mark.parametrize("kind", MADE)
def test_a_flipped_bit_is_one_line_or_changes_nothing(saved, kind):
    path, _ = saved(kind)
    content, same, lines = path.read_bytes(), 0, []
    for at in np.random.default_rng(1).integers(0, 8 * len(content), 90).tolist():
        damaged = bytearray(content)
        damaged[at // 8] ^= 1 << at % 8
        path.write_bytes(damaged)
        try:
            loaded = ca.load(path)
        except FileError as error:
            lines.append(str(error).count("\n"))
            continue
        loaded.save(path)
        assert path.read_bytes() == content
        same += 1
    assert set(lines) == {0}
    assert same < 60  # what stands in a date or an attribute of the zip is nobody's


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("make", [zipped, old, forged])
def test_a_member_that_is_missing_or_called_otherwise_is_refused(saved, kind, make):
    path, members = saved(kind)
    for name in sorted(members.keys() - {SEAL, "assessment.json", "evaluation.json"}):
        rest = {each: content for each, content in members.items() if each != name}
        if not name.startswith("blocks."):  # the measures that are kept by blocks differ
            path.write_bytes(make(rest))
            with pytest.raises(FileError, match="damaged"):
                ca.load(path)
        path.write_bytes(make(rest | {name[:-1] + chr(ord(name[-1]) ^ 1): members[name]}))
        with pytest.raises(FileError, match="damaged"):
            ca.load(path)


def test_a_fold_that_is_missing_is_not_ignored(saved):
    path, members = saved("evaluation")
    for name in sorted(each for each in members if each.count("/") == 2):
        path.write_bytes(zipped({each: content for each, content in members.items() if each != name}))
        with pytest.raises(FileError, match="its members differ from its list of checksums"):
            ca.load(path)
        refusal("runs", path)


def arrays(members, *kinds):
    return [
        name
        for name in members
        if name.endswith(".npy") and np.load(io.BytesIO(members[name])).dtype.kind in kinds
    ]


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("value", [-1, 50, 1e11, 2**63 - 1, np.nan])
def test_codes_counts_and_weights_out_of_range_are_refused(saved, kind, value):
    path, members = saved(kind)
    skipped = ("blocks.fingerprint", "blocks.without")  # any number is one of theirs
    for name in arrays(members, "i", "u", "f"):
        array = np.load(io.BytesIO(members[name])).copy()
        if name.startswith(skipped) or name.endswith("scores.npy") or name == "coded.score.npy":
            continue
        if np.isnan(value) and array.dtype.kind != "f":
            continue
        with np.errstate(all="ignore"):
            array = array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
            array.flat[0] = value
        path.write_bytes(forged(members | {name: array_bytes(array)}))
        with pytest.raises(FileError, match="damaged"):
            ca.load(path)


WIDE = np.random.default_rng(0).dirichlet(np.ones(3), N)
OF_BLOCKS = {
    "scores": lambda rows: ca.assess(Y[rows], P[rows], id=rows),
    "labels": lambda rows: ca.assess(Y[rows], y_pred=P[rows].round(), id=rows),
    "class scores": lambda rows: ca.assess(rows % 3, WIDE[rows], id=rows),
    "classes": lambda rows: ca.assess(rows % 3, y_pred=rows % 3, id=rows),
    "weights": lambda rows: ca.assess(Y[rows], P[rows], weight=P[rows] + 0.5),
}


@pytest.mark.parametrize(
    ("kind", "other"),
    [(kind, kind) for kind in ("scores", "labels", "class scores")]
    + [("scores", "labels"), ("labels", "scores"), ("classes", "class scores"), ("weights", "scores")],
)
def test_blocks_of_other_cases_are_refused(tmp_path, kind, other):
    """They agree among each other, and not with the tables of all cases."""
    path, found = tmp_path / "a.classay", []
    for name, number in ((kind, N), (other, N - 3 if other == kind else N)):
        OF_BLOCKS[name](np.arange(number)).save(path)
        found.append(members_of(path.read_bytes()))
    own, others = (json.loads(each["assessment.json"]) for each in found)
    members = {name: content for name, content in found[0].items() if not name.startswith("blocks.")}
    members |= {name: content for name, content in found[1].items() if name.startswith("blocks.")}
    members["assessment.json"] = json.dumps(own | {"blocks": others["blocks"]}).encode()
    path.write_bytes(forged(members))
    with pytest.raises(FileError, match="damaged"):
        ca.load(path)
    if "blocks.ranks.npy" in members and kind == other:
        path.write_bytes(forged(found[0] | {"blocks.ranks.npy": found[1]["blocks.ranks.npy"]}))
        with pytest.raises(FileError, match="the ranks of blocks and their cases disagree"):
            ca.load(path)


def recoded(members, dtype):
    """The file with all its integers of another kind, the same in value; folds are files in the file."""
    return {name: recoded_member(name, content, dtype) for name, content in members.items()}


def recoded_member(name, content, dtype):
    if name.count("/") == 2:
        return zipped(recoded(members_of(content), dtype))
    if not name.endswith(".npy"):
        return content
    array = np.load(io.BytesIO(content))
    same = array.dtype.kind in "iu" and (array == array.astype(dtype)).all()
    return array_bytes(array.astype(dtype)) if same else content


@pytest.mark.parametrize("dtype", ["uint64", ">i2", "uint32", "int64"])
@pytest.mark.parametrize("kind", MADE)
def test_integers_of_another_kind_are_refused_or_give_the_same_numbers(saved, kind, dtype):
    path, members = saved(kind)
    wanted = str(ca.load(path))
    path.write_bytes(forged(recoded(members, dtype)))
    if kind == "evaluation":  # its codes may be of any kind of integer
        found = ca.load(path)
        assert str(found) == wanted
        assert found.to_dict()
        return
    with contextlib.suppress(FileError):
        assert str(ca.load(path)) == wanted


@pytest.mark.parametrize("value", [50, 2**62, -1])
def test_predictions_of_a_fold_beyond_the_labels_are_refused(saved, value):
    path, members = saved("evaluation")
    name = next(each for each in members if each.count("/") == 2)
    inner = members_of(members[name])
    predicted = np.load(io.BytesIO(inner["predicted.npy"])).astype(np.int64)
    predicted[0] = value
    inner["predicted.npy"] = array_bytes(predicted)
    path.write_bytes(forged(members | {name: zipped(inner)}))
    with pytest.raises(FileError, match="damaged"):
        ca.load(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[" * 100_000,
        b"null",
        b"\xff",
        b"{}",
        b'{"format": 2, "what": "assessment"}',
        b'{"format": [], "what": 3}',
    ],
)
def test_json_of_another_kind_is_one_line(tmp_path, content):
    path = tmp_path / "a.classay"
    path.write_bytes(zipped({"assessment.json": content}))
    with pytest.raises(FileError):
        ca.load(path)


def test_a_header_of_a_huge_shape_takes_no_memory(saved):
    path, members = saved("assessment")
    huge = members["scores.scores.npy"].replace(b"(22,), }", b"(9999999999999,), }")
    assert huge != members["scores.scores.npy"] or b"(22,)" not in huge
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }"
    huge = b"\x93NUMPY\x01\x00" + (len(header) + 1).to_bytes(2, "little") + header + b"\n" + b"\0" * 8
    path.write_bytes(forged(members | {"scores.scores.npy": huge}))
    with pytest.raises(FileError, match=r"declares shape '?\(1099511627776,\)'?, but has 8 bytes"):
        ca.load(path)


LABELS = {"labels", "score_labels", "positive", "clusters", "example"}


def numbers_in(plain, path=()):
    """The paths of the numbers in JSON that are no labels, one of each list."""
    if type(plain) in (int, float):
        yield path
    elif isinstance(plain, dict):
        for key in plain.keys() - LABELS - {"main"}:
            yield from numbers_in(plain[key], (*path, key))
    elif isinstance(plain, list) and plain:
        yield from numbers_in(plain[-1], (*path, -1))


@pytest.mark.parametrize("kind", sorted(MADE.keys() - {"three"}))
def test_a_truth_value_is_no_number(saved, kind):
    path, members = saved(kind)
    (name,) = members.keys() & {"assessment.json", "evaluation.json"}
    paths = [*numbers_in(json.loads(members[name]))]
    assert paths
    for keys in paths:
        about = inner = json.loads(members[name])
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = True
        path.write_bytes(forged(members | {name: json.dumps(about).encode()}))
        with pytest.raises(FileError):
            ca.load(path)


def test_the_cases_of_a_saved_head_are_no_truth_value(saved):
    path, members = saved("assessment")
    about = json.loads(members["assessment.json"])
    (head,) = about["extra"]["main"].values()
    head[0] = True
    path.write_bytes(forged(members | {"assessment.json": json.dumps(about).encode()}))
    (result,) = ca.overview(path.parent).results
    assert result.cases == N


def test_a_stored_fold_has_a_format_that_is_a_number():
    content = evaluated().runs[0].results["DecisionTreeClassifier"][0].to_bytes()
    members = members_of(content)
    members["fold.json"] = members["fold.json"].replace(b'"format": 1', b'"format": true')
    with pytest.raises(FileError):
        FoldResult.from_bytes(zipped(members))


def test_a_member_that_claims_more_than_it_can_hold_is_refused():
    content = bytearray(sealed("a.json", {}, {"b": b"x" * 100}))
    at = content.rindex(b"PK\x01\x02", 0, content.rindex(b"checksums.json"))
    content[at + 24 : at + 28] = (2**31).to_bytes(4, "little")
    with pytest.raises(Damaged), Archive(io.BytesIO(bytes(content))):
        pass


def test_a_small_file_that_grows_is_refused_before_it_takes_memory():
    """Of zeros a megabyte holds a gigabyte: one with another checksum is never in memory."""
    content = bytearray(sealed("a.json", {}, {"b": bytes(60_000_000)}))
    with zipfile.ZipFile(io.BytesIO(bytes(content))) as whole:
        members = {name: whole.read(name) for name in ("a.json", "checksums.json")}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as other:
        for name, each in members.items():
            other.writestr(name, each)
        other.writestr("b", bytes(60_000_000 - 1) + b"x")
    tracemalloc.start()
    with Archive(made) as archive, pytest.raises(Damaged, match="checksum"):
        archive.bytes("b")
    assert tracemalloc.get_traced_memory()[1] < 20e6
    tracemalloc.stop()


def test_labels_that_double_are_refused_at_the_door_and_in_files():
    label = (1,)
    for _ in range(12):
        label = (label, label)
    with pytest.raises(InputError, match="nested tuples"):
        ca.assess([0, 0], y_pred=[label, 0], labels=[0, label])
    saved = {"tuple": [1] * 1_500}
    with pytest.raises(Damaged, match="nested"):
        label_in(saved)


def test_sums_that_disagree_are_refused(saved):
    path, members = saved("assessment")
    about = json.loads(members["assessment.json"])
    for change in (
        {"rows": 23},
        {"threshold": 0.9},
        {"kind_of_weight": "sampling"},
        {"positive": 7},
        {"level": 2},
        {"threshold": 10**400},  # which is no float
    ):
        text = json.dumps(about | change).encode()
        path.write_bytes(forged(members | {"assessment.json": text}))
        with pytest.raises(FileError, match="damaged"):
            ca.load(path)


def test_a_score_of_no_case_is_refused(tmp_path):
    """Such rows are left out of tables; the sums, and what is called, are as before."""
    path, scores = tmp_path / "a.classay", [0.9, 0.8, 0.3, 0.2]
    ca.assess([1, 1, 0, 0], scores).save(path)
    members = members_of(path.read_bytes())
    for counts in ([1, 1, 0, 0], [2, 0, 0, 0]):
        path.write_bytes(forged(members | {"scores.positives.npy": array_bytes(np.array(counts))}))
        if all(counts[:2]):
            assert ca.load(path)["recall"].value == 1
        else:
            with pytest.raises(FileError, match="no case has a score of its tables"):
                ca.load(path)


def test_names_of_files_may_be_bytes(tmp_path):
    made, path = assessed(), tmp_path / "a.classay"
    made.save(os.fsencode(path))
    assert ca.load(os.fsencode(path)).to_dict() == ca.load(str(path)).to_dict() == made.to_dict()


TIMES = [pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")]


def test_timestamps_and_datetimes_come_back(tmp_path):
    path = tmp_path / "a.classay"
    a = ca.assess([TIMES[i] for i in Y], P, positive=TIMES[1], cluster=[TIMES[i] for i in Y])
    a.save(path)
    assert ca.load(path).labels == a.labels == tuple(TIMES)
    assert ca.load(path).clusters == a.clusters
    zone = datetime.timezone(datetime.timedelta(hours=1))
    for labels in (
        [datetime.datetime(2020, 1, 1, 3), datetime.datetime(2021, 1, 1, 0, 0, 0, 7)],
        [datetime.datetime(2020, 1, 1, tzinfo=zone), datetime.datetime(2021, 1, 1, tzinfo=zone)],
        [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)],
    ):
        ca.assess([labels[i] for i in Y], P, positive=labels[1]).save(path)
        assert repr(ca.load(path).labels) == repr(tuple(labels))


def test_a_damaged_store_is_one_line(tmp_path):
    path = tmp_path / "runs.db"
    with Store(path) as store:
        store.begin("r1", {"estimators": ["tree"]}, ["k"])
    rows = '{"data": {"one": {"rows": true}}}'
    for about in ("", "[]", "null", '{"estimators": 3}', '{"data": 1}', rows, b"\xff"):
        with Store(path) as store:
            store._connection.execute("UPDATE runs SET about = CAST(? AS TEXT)", (about,))
        assert "is damaged" in refusal("runs", path)


@pytest.mark.parametrize("factor", [1e150, 1e-150, 1e60])
def test_weights_that_no_case_can_have_are_refused(tmp_path, factor):
    """Products of such sums would overflow or vanish; classay scales weights before it counts them."""
    assessed(weight=P + 0.5).save(tmp_path / "a.classay")
    members = members_of((tmp_path / "a.classay").read_bytes())
    for name, content in members.items():
        if name.endswith(".npy"):
            array = np.load(io.BytesIO(content))
            if array.dtype.kind == "f" and not name.endswith("/scores.npy"):
                with np.errstate(all="ignore"):
                    members[name] = array_bytes(array * (factor**2 if "squares" in name else factor))
    (tmp_path / "a.classay").write_bytes(forged(members))
    with pytest.raises(FileError, match="is damaged or not"):
        ca.load(tmp_path / "a.classay")


@pytest.mark.parametrize(
    "weights", [{0: 1e300}, {0: 1e-300}, {0: float("inf")}, dict.fromkeys(range(N), 0.0)]
)
def test_weights_of_an_evaluation_are_those_that_may_be_passed(tmp_path, weights):
    path = tmp_path / "e.classay"
    learner = DecisionTreeClassifier(max_depth=2)
    ca.evaluate(learner, P[:, None], Y, protocol="3fold", weight=P + 0.5).save(path)
    members = members_of(path.read_bytes())
    (name,) = (each for each in members if each.endswith("/weight.npy"))
    weight = np.load(io.BytesIO(members[name]))
    for i, value in weights.items():
        weight[i] = value
    members[name] = array_bytes(weight)
    path.write_bytes(forged(members))
    with pytest.raises(FileError, match="is damaged or not"):
        ca.load(path)


def test_an_archive_of_a_later_kind_is_one_line(tmp_path):
    path = tmp_path / "a.classay"
    assessed().save(path)
    content = bytearray(path.read_bytes())
    content[content.rindex(b"PK\x01\x02") + 6] = 255  # the version that is needed to extract it
    path.write_bytes(content)
    refusal("assess", path)
