"""The one writer: what may be replaced, what is a stream, and that no fault loses what was there before."""

import json
import os
import shlex
import signal
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import train_test_split

import classay as ca
from classay.errors import FileError
from classay.files import writing
from classay.files.writing import clash, refuse_unwritable, write_bytes, write_text
from classay.resampling.run_store import Store
from command import CASES, SCORE, SOURCE, TARGET, TWO, call, file_with, refusal, start


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def left(folder):
    return sorted(each.name for each in folder.iterdir())


def test_a_file_is_replaced_and_keeps_its_permissions(folder):
    path = folder / "a"
    write_bytes(path, b"one")
    path.chmod(0o640)
    write_bytes(path, b"two")
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert left(folder) == ["a"]


def test_a_link_is_followed_and_stays(folder):
    (folder / "real").write_text("one")
    (folder / "link").symlink_to("real")
    (folder / "chain").symlink_to("link")
    (folder / "dangling").symlink_to("new")
    write_text(folder / "chain", "two")
    write_text(folder / "dangling", "three")
    assert (folder / "real").read_text() == "two"
    assert (folder / "new").read_text() == "three"
    assert all((folder / name).is_symlink() for name in ("link", "chain", "dangling"))


def test_a_read_only_file_a_folder_and_a_database_are_refused(folder):
    (folder / "a").write_text("one")
    (folder / "a").chmod(0o444)
    with pytest.raises(FileError, match="is read-only"):
        write_text(folder / "a", "two")
    with pytest.raises(FileError, match="is a folder"):
        write_text(folder, "two")
    with pytest.raises(FileError, match="/b does not exist"):
        write_text(folder / "b" / "c", "two")
    with pytest.raises(FileError, match="Cannot write"):
        write_text(f"{folder}/a\0b", "two")
    with Store(folder / "runs.db") as store:
        store.begin("r", {}, ["k"])
        store.put("k", b"hours of work")
    with pytest.raises(FileError, match="is a database, such as a store of runs"):
        ca.assess([0, 1], [0.1, 0.9]).save(folder / "runs.db")
    with Store.existing(folder / "runs.db") as store:
        assert store.get("k") == b"hours of work"
    assert (folder / "a").read_text() == "one"


def test_a_folder_that_does_not_exist_is_named_as_written_or_as_the_link_leads(folder):
    (folder / "link").symlink_to(folder / "gone" / "new")
    for path, missing in (("gone/new", "gone"), ("link", f"{folder}/gone")):
        with pytest.raises(FileError) as refused:
            write_text(path, "two")
        assert str(refused.value) == f"Cannot write {path} because the folder {missing} does not exist."


@pytest.mark.parametrize("denied", [True, False])
def test_a_folder_that_may_not_be_written_is_told(folder, monkeypatch, denied):
    (folder / "a").mkdir()
    real = os.access
    monkeypatch.setattr(
        writing.os, "access", lambda path, mode: real(path, mode) and not (denied and Path(path).name == "a")
    )
    if denied:
        with pytest.raises(FileError) as refused:
            write_text("a/b", "text")
        wanted = "Cannot write a/b. There is no permission to write in the folder a."
        assert (str(refused.value), left(folder / "a")) == (wanted, [])
    else:
        write_text("a/b", "text")
        assert left(folder / "a") == ["b"]


def test_a_file_that_may_not_be_read_is_replaced(folder, monkeypatch):
    """Only a file that is known to be a database is refused."""
    write_text("a", "one")
    real = Path.open

    def closed(path, mode="r", *more, **how):
        if path.name == "a" and "r" in mode:
            raise PermissionError(13, "Permission denied")
        return real(path, mode, *more, **how)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", closed)
        write_bytes("a", b"two")
    assert Path("a").read_bytes() == b"two"


@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077])
def test_a_new_file_has_the_permissions_of_new_files_and_the_mask_stays(folder, mask):
    before = os.umask(mask)
    try:
        write_text("a", "one")
        write_text("b", "two")
    finally:
        after = os.umask(before)
    assert after == mask
    assert {stat.S_IMODE((folder / name).stat().st_mode) for name in "ab"} == {0o666 & ~mask}


def test_no_permissions_of_a_pipe_refuse_it(folder):
    """It has nothing to lose, and no beginning to read."""
    os.mkfifo("pipe")
    os.chmod("pipe", 0o444)
    refuse_unwritable("pipe")


def test_a_pipe_is_written_not_replaced(folder):
    os.mkfifo("pipe")
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(Path("pipe").read_bytes)
        write_bytes("pipe", b"through")
        assert reader.result(timeout=10) == b"through"
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


def test_a_device_is_written_not_replaced(folder):
    write_bytes("/dev/null", b"nothing")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(FileError, match="No space left"):
        write_bytes("/dev/full", b"nothing")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    file_with(TWO)
    done = start("assess", "preds.csv", *SCORE, "--html", "/dev/full")
    assert (done.returncode, done.stderr) == (
        2,
        b"classay: Cannot write /dev/full: No space left on device.\n",
    )


def test_standard_output_by_its_name_is_a_stream(folder):
    file_with(TWO)
    done = start("assess", "preds.csv", *SCORE, "--json", "/dev/stdout")
    assert done.returncode == 0
    assert b'"measures"' in done.stdout
    assert b"Confusion matrix" in done.stdout


@pytest.mark.parametrize("option", ["--html", "--json"])
def test_a_store_is_no_output(folder, option):
    file_with(CASES)
    new = call("evaluate", "preds.csv", *TARGET, "--protocol", "2fold", "--store", "r.db", option, "./r.db")
    assert (new.exit_code, left(folder)) == (2, ["preds.csv"])
    assert "The output would overwrite the input r.db" in new.stderr
    with Store("r.db") as store:
        store.begin("r", {}, ["k"])
    refusal("assess", "preds.csv", "--truth", "ill", "--prediction", "ill", option, "r.db")
    with Store.existing("r.db") as store:
        assert [run.id for run in store.runs()] == ["r"]


def test_two_names_of_one_file_clash(folder):
    for name in ("a", "b"):
        (folder / name).write_text(name)
    os.link("a", "hard")
    os.symlink("a", "soft")
    assert clash(["hard"], ["a"]) == "a"
    assert clash(["soft", "hard"], ["b"]) == ""
    assert clash(["new", "./new"], []) == ""
    assert clash(["/dev/null", "/dev/null", "b"], ["a"]) is None


@pytest.mark.parametrize("fails", ["fsync", "replace", "chmod"])
def test_an_interrupted_write_leaves_what_was_there(folder, monkeypatch, fails):
    write_text("a", "one")

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(writing.os, fails, stop)
    with pytest.raises(KeyboardInterrupt):
        write_text("a", "two")
    assert (left(folder), Path("a").read_text()) == (["a"], "one")


def test_a_full_disk_leaves_what_was_there(folder, monkeypatch):
    write_text("a", "one")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "fsync", full)
    with pytest.raises(FileError, match="Cannot write a: No space left on device"):
        write_text("a", "two")
    assert (left(folder), Path("a").read_text()) == (["a"], "one")


def test_a_file_size_limit_is_one_line(folder):
    """What the kernel does where a quota is reached."""
    file_with(TWO)
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "import classay.cli; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096));"
        "sys.argv = ['classay', 'assess', 'preds.csv', '--truth', 'y', '--score', 'p', '--html', 'out.html'];"
        "classay.cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": SOURCE, "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "classay: Cannot write out.html: File too large.\n")
    assert left(folder) == ["preds.csv"]


KILLED = """
import os, signal, sys
from classay.files import writing
phase = sys.argv[1]
def die(*_, **__): os.kill(os.getpid(), signal.SIGKILL)
setattr(writing.os if phase != "mkstemp" else writing.tempfile, phase, die)
writing.write_text("a", "two")
"""


@pytest.mark.parametrize("phase", ["mkstemp", "fsync", "chmod", "replace"])
def test_a_process_killed_in_any_phase_leaves_what_was_there(folder, phase):
    write_text("a", "one")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, phase], env=os.environ | {"PYTHONPATH": SOURCE}, check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert Path("a").read_text() == "one"


def test_many_writers_leave_one_whole_file(folder):
    texts = [str(i) * 100_000 for i in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: write_text("a", text), texts * 4))
    assert Path("a").read_text() in texts
    assert left(folder) == ["a"]


def test_a_long_name_is_one_line(folder):
    with pytest.raises(FileError, match=r"Cannot write x+: File name too long"):
        write_text("x" * 300, "text")
    write_text("x" * 255, "text")  # as long as the system takes them: the temporary name is shorter
    assert Path("x" * 255).read_text() == "text"


@pytest.mark.wings("resampling")
def test_the_demo_writes_the_scores_of_a_model_for_the_half_that_it_was_not_fitted_on(folder):
    """Each file of the demo is of these rows, and what it prints is the command that makes the others."""
    done = call("demo", "my demo")
    assert done.exit_code == 0, done.stderr
    data = load_breast_cancer()
    ill = data.target == 0
    half = train_test_split(np.arange(ill.size), test_size=0.5, stratify=ill, random_state=0)[1]
    rows = pd.read_csv("my demo/predictions.csv")
    assert [*rows] == ["diagnosis", "p_malignant", "texture"]
    assert [*rows.diagnosis] == [*np.where(ill[half], "malignant", "benign")]
    assert roc_auc_score(ill[half], rows.p_malignant) > 0.98
    assert rows.p_malignant.between(0, 1, inclusive="neither").all()
    assert brier_score_loss(ill[half], rows.p_malignant) < 0.05
    texture = data.data[half, [*data.feature_names].index("mean texture")]
    words = ["fine" if each < 17 else "medium" if each < 21 else "coarse" for each in texture]
    assert [*rows.texture] == words
    a = ca.assess([*rows.diagnosis], rows.p_malignant.to_numpy(), positive="malignant")
    wanted = json.loads(json.dumps(a.to_dict()["measures"]))
    assert json.loads(Path("my demo/assessment.json").read_text())["measures"] == wanted
    assert ca.load("my demo/assessment.classay").to_dict()["measures"] == a.to_dict()["measures"]
    assert "<!doctype html>" in Path("my demo/report.html").read_text()[:99].casefold()
    first, second = done.stdout.splitlines()[:2]
    line = shlex.split(f"{first.removeprefix('$ ').removesuffix(chr(92))}{second}")
    before = {name: Path("my demo", name).read_bytes() for name in ("assessment.json", "report.html")}
    for name in before:
        Path("my demo", name).unlink()
    again = call(*line[1:])
    assert again.exit_code == 0
    assert again.stdout.splitlines() == done.stdout.splitlines()[3:]
    assert {name: Path("my demo", name).read_bytes() for name in before} == before


def test_the_demo_replaces_its_own_files_alone(folder):
    assert call("demo", ".").exit_code == 0
    mine = {name: Path(name).read_bytes() for name in left(folder)}
    assert set(mine) == {"predictions.csv", "assessment.json", "assessment.classay", "report.html"}
    assert call("demo", ".").exit_code == 0
    Path("predictions.csv").write_text("mine")
    assert "predictions.csv exists, and the demo would overwrite it" in refusal("demo", ".")
    assert Path("predictions.csv").read_text() == "mine"
    Path("predictions.csv").unlink()
    assert "assessment.json exists, and the demo would overwrite it" in call("demo", ".").stderr.replace(
        "\n", " "
    )


def test_a_read_only_store_is_read_and_an_empty_one_refused(folder):
    Path("empty.db").touch()
    done = call("runs", "empty.db")
    assert (done.exit_code, Path("empty.db").read_bytes()) == (2, b"")
    assert "empty.db is empty (0 bytes). Make a store" in done.stderr
    with Store("runs.db") as store:
        store.begin("r1", {"estimators": ["tree"], "protocol": "2fold"}, ["k"])
    before = Path("runs.db").read_bytes()
    os.chmod("runs.db", 0o444)
    os.mkdir("closed")
    os.rename("runs.db", "closed/runs.db")
    os.chmod("closed", 0o555)
    try:
        done = call("runs", "closed/runs.db")
    finally:
        os.chmod("closed", 0o755)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "r1" in done.stdout
    assert Path("closed/runs.db").read_bytes() == before


@pytest.mark.parametrize(
    "environment",
    [
        {"HOME": "", "TERM": "dumb", "LC_ALL": "de_DE.UTF-8"},
        {"HOME": "/nowhere", "LC_NUMERIC": "de_DE"},
    ],
)
def test_the_surroundings_change_no_number(folder, environment):
    file_with(TWO)
    here, there = call("assess", "preds.csv", *SCORE), start("assess", "preds.csv", *SCORE, **environment)
    assert (there.returncode, there.stdout.decode()) == (0, here.stdout)


def test_a_clock_that_goes_back_changes_no_result(folder, monkeypatch):
    from classay.resampling import run_store as module

    times = iter(f"20{20 - i}-01-01T00:00:00.000+00:00" for i in range(20))
    monkeypatch.setattr(module, "_now", lambda: next(times))
    with Store("runs.db") as store:
        store.begin("r1", {}, ["a", "b"])
        store.put("a", b"one")
        store.put("b", b"two")
        store.begin("r2", {}, ["a"])
        assert sorted((run.id, run.is_finished) for run in store.runs()) == [("r1", True), ("r2", True)]
        assert list(store.results("r1")) == [("a", b"one"), ("b", b"two")]


def test_a_reader_reads_while_another_writes(folder):
    with Store("runs.db") as writer, Store.existing("runs.db") as reader:
        writer.begin("r", {}, [str(i) for i in range(50)])
        writing_ = threading.Thread(target=lambda: [writer.put(str(i), b"x" * 1000) for i in range(50)])
        writing_.start()
        seen = [reader.runs()[0].done for _ in range(20)]
        writing_.join()
        assert seen == sorted(seen)
        assert reader.runs()[0].is_finished
