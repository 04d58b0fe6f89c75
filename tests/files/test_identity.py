"""One file has many names, and a copy is the same too: content and inode decide, whatever is said."""

import filecmp
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from classay.errors import MergeError
from classay.files.writing import FEW, is_stream, is_written_in_place, same_files
from command import call, json_of, refusal

RULE = ("--truth", "y", "--score", "p", "--measure", "auc", "--rule", "not-worse")
PAIR = ("--truth", "y", "--score", "p")
MEMORY_DISK = Path("/dev/shm")


def spelled(name):
    """The same file under another name, in each way that there is."""
    path = Path(name)
    os.symlink(path, "soft" + path.suffix)
    os.link(path, "hard" + path.suffix)
    shutil.copy(path, "copy" + path.suffix)
    return [
        name,
        f"./{name}",
        str(path.absolute()),
        *(each + path.suffix for each in ("soft", "hard", "copy")),
    ]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, seed in (("a", 0), ("b", 1)):
        rng = np.random.default_rng(seed)
        rows = "".join(f"{i % 2},{p:.3f}\n" for i, p in enumerate(rng.random(40)))
        Path(f"{name}.csv").write_text("y,p\n" + rows)
        assert call("assess", f"{name}.csv", *PAIR, "--save", name).exit_code == 0
    return tmp_path


@pytest.mark.parametrize(
    ("command", "file", "more"),
    [
        ("merge", "b.classay", ()),
        ("gate", "b.csv", RULE),
        ("compare", "b.csv", PAIR),
        ("best", "b.csv", PAIR),
    ],
)
def test_no_spelling_makes_two_of_one_file(command, file, more):
    other = file.replace("b", "a")
    assert call(command, file, other, *more).exit_code in (0, 1, 3)
    for name in spelled(file):
        done = call(command, file, name, *more)
        if name.startswith("copy") and command in ("compare", "best"):  # a model that says the same
            assert (done.exit_code, "have the same content. " in done.stderr) == (0, True)
            continue
        assert (done.exit_code, done.stdout) == (2, "")
        assert "is named twice. " in done.stderr if name == file else "have the same content. " in done.stderr
        assert [*same_files([other, name, file])] == [(name, file, True)]
        assert not [*same_files([name, other])]


@pytest.mark.parametrize(
    ("command", "more"),
    [("compare", ()), ("best", ()), ("compare", ("--id", "id")), ("best", ("--id", "id"))],
)
def test_a_copy_is_a_model_that_says_the_same(command, more):
    rows = "".join(f"{k % 2},{k * 37 % 100 / 100},{k}\n" for k in range(40))
    for name in "uvw":
        Path(f"{name}.csv").write_text("y,p,id\n" + rows)
    done = call(command, "u.csv", "v.csv", "w.csv", *PAIR, *more)
    assert done.exit_code == 0, done.stderr
    assert "warning: u.csv and v.csv have the same content. Exclude one if it is a copy." in done.stderr
    assert "u.csv and w.csv have the same content" in done.stderr
    assert done.stderr.count("have the same content") == 2  # each pair once
    refusal(command, "u.csv", "v.csv", "u.csv", *PAIR, *more, lines=2)


def test_copies_are_no_different_cases_and_no_new_model():
    shutil.copy("a.csv", "copy.csv")
    for command, more in (("compare", ("--unpaired",)), ("gate", ("--measure", "auc", "--rule", "superior"))):
        assert "have the same content. " in refusal(command, "a.csv", "copy.csv", *PAIR, *more)


def test_equal_counts_of_different_cases_are_added_with_a_warning():
    days = {"mon": ["a", "b"], "tue": ["b", "a"]}
    for day, labels in days.items():
        ca.assess(labels, y_pred=labels, positive="a").save(f"{day}.classay")
    done = call("merge", "mon.classay", "tue.classay", "--save", "both")
    assert done.exit_code == 0
    assert "warning: mon.classay and tue.classay contain the same counts" in done.stderr
    assert ca.load("both.classay").rows == 4
    os.link("mon.classay", "link.classay")
    refusal("merge", "mon.classay", "link.classay")
    for marks, twice in (
        ({"id": range(22)}, 2),
        ({"cluster": ["u", "v"] * 11}, 2),
        ({"frequency": [1] * 22}, 0),
    ):
        for day in days:
            ca.assess(["a", "b"] * 11, y_pred=["a", "b"] * 11, positive="a", **marks).save(f"{day}.classay")
        done = call("merge", "mon.classay", "tue.classay")
        assert (done.exit_code, "have the same content. " in done.stderr) == (twice, twice == 2)


@pytest.mark.parametrize(("scores", "surely"), [(FEW, False), (FEW + 1, True)])
def test_equal_counts_of_many_scores_are_surely_of_the_same_rows(scores, surely):
    y, p = np.arange(scores) % 2, np.arange(scores) / scores
    for name in ("one", "two"):
        ca.assess(y, p, positive=1).save(f"{name}.classay")
    assert [*same_files(["one.classay", "two.classay"])] == [("one.classay", "two.classay", surely)]


def test_files_alike_in_length_date_and_beginning_are_compared_to_their_ends():
    for name, end in (("u", b"a"), ("v", b"b"), ("w", b"a")):
        Path(name).write_bytes(bytes(2**16) + end)
        os.utime(name, (1e9, 1e9))
    assert [*same_files("uvw")] == [("u", "w", True)]


def test_thousands_of_parts_are_told_apart_by_their_beginnings(tmp_path, monkeypatch):
    paths = [tmp_path / f"{k:04}.csv" for k in range(2000)]
    for k, path in enumerate(paths):
        path.write_text(f"{k % 1999:04}")
    compared = []
    cmp = filecmp.cmp
    monkeypatch.setattr(filecmp, "cmp", lambda *given, **how: compared.append(given) or cmp(*given, **how))
    assert [*same_files(paths)] == [(str(paths[0]), str(paths[1999]), True)]
    assert len(compared) == 1


def test_the_same_cases_in_two_assessments_are_told_by_their_marks():
    rng = np.random.default_rng(0)
    y, p, ids = rng.integers(0, 2, 200), rng.random((2, 200)), np.arange(200)
    one, again = (ca.assess(y, each, id=ids) for each in p)
    for other in (one, again):
        with pytest.raises(MergeError, match="Both assessments contain the same cases"):
            one + other
    assert (one + ca.assess(y, p[0], id=ids + 200)).n == 400
    assert (ca.assess(y, p[0]) + ca.assess(y, p[0])).n == 400  # no ids: nothing tells


def test_a_stream_is_what_is_one_not_what_is_called_so(tmp_path):
    os.mkfifo("pipe")
    Path("file").touch()
    os.symlink("/dev/null", "null")
    found = {name: is_stream(name) for name in ("pipe", "file", "null", "/dev/null", ".", "none", "-")}
    assert {name for name, each in found.items() if each} == {"pipe", "null", "/dev/null", "-"}
    with open("file") as file:
        assert is_written_in_place(f"/dev/fd/{file.fileno()}")
    assert not is_written_in_place("/dev/shm/none")


@pytest.mark.skipif(not os.access(MEMORY_DISK, os.W_OK), reason="no disk in memory")
def test_a_file_on_a_disk_in_memory_is_a_file():
    """Neither the input nor a read-only file is replaced there, and an output has its ending."""
    folder = MEMORY_DISK / f"classay-{os.getpid()}"
    folder.mkdir()
    try:
        file, kept = folder / "a.csv", folder / "kept.html"
        shutil.copy("a.csv", file)
        before = file.read_bytes()
        for option in ("--html", "--json", "--markdown"):
            done = call("assess", str(file), *PAIR, option, str(file))
            assert (done.exit_code, file.read_bytes()) == (2, before)
            assert "would overwrite the input" in done.stderr
        kept.write_text("kept")
        kept.chmod(0o444)
        assert "is read-only" in call("assess", str(file), *PAIR, "--html", str(kept)).stderr
        assert kept.read_text() == "kept"
        assert call("assess", str(file), *PAIR, "--save", str(folder / "a")).exit_code == 0
        assert (folder / "a.classay").is_file()
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", ["model_0.95", "2024.01", "v1.2-rc", "plain"])
def test_a_saved_result_is_found_by_the_name_it_was_given(name, tmp_path):
    a, folder = ca.assess([0, 1, 1, 0], [0.1, 0.7, 0.4, 0.3]), tmp_path / "results"
    folder.mkdir()
    a.save(folder / name)
    assert [each.name for each in folder.iterdir()] == [f"{name}.classay"]
    assert ca.load(folder / name)["roc_auc"] == a["roc_auc"]
    (folder / f"{name}.classay").rename(folder / name)  # as earlier versions named it
    assert ca.load(folder / name)["roc_auc"] == a["roc_auc"]


@pytest.mark.parametrize(("one", "other"), [("{}", "{}.0"), ("{}", "{}"), ("{}.0", "{}.0")])
def test_ids_that_are_equal_numbers_meet_in_two_files(tmp_path, one, other):
    """What pandas writes as 1.0 once a value was missing is the case 1 of the other file."""
    for name, form in (("a", one), ("b", other)):
        rows = "".join(f"{form.format(k)},{k % 2},{(k + k % 3) % 2}\n" for k in range(40))
        (tmp_path / f"{name}.csv").write_text("id,y,p\n" + rows)
    paths = [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    assert (
        json_of("compare", *paths, "--truth", "y", "--prediction", "p", "--id", "id")["facts"]["cases"]
        == "40"
    )


@pytest.mark.parametrize("spelt", [("0", "1.0"), ("0.0", "1"), ("0", "1")])
def test_classes_that_are_equal_numbers_are_one_however_a_column_writes_them(tmp_path, spelt):
    truth = [k % 2 for k in range(40)]
    said = [spelt[(k + (k % 5 == 0)) % 2] for k in range(40)]
    (tmp_path / "a.csv").write_text("y,p\n" + "".join(f"{y},{p}\n" for y, p in zip(truth, said, strict=True)))
    found = json_of("assess", str(tmp_path / "a.csv"), "--truth", "y", "--prediction", "p")
    assert found["measures"]["accuracy"]["value"] == 0.8
