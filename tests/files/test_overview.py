"""The overview of saved results: each as it was saved, in the order of time, whoever looks from where."""

import json
import os
import re
import shlex
import shutil
import zipfile
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from classay.report.words import blocks
from command import call, refusal
from learners import Centroid, Nearest, noise
from pages import Page

TRUTH = np.arange(40) % 2


@pytest.fixture
def folder(tmp_path):
    """Five saved assessments, a day between two, and a page beside one."""
    rng = np.random.default_rng(0)
    for k in (9, 10, 2, 11, 1):
        path = tmp_path / f"run {k}.classay"
        ca.assess(TRUTH, TRUTH + 0.9 * rng.normal(size=40), threshold=0.5).save(path)
        os.utime(path, (1.7e9 + 86400 * k,) * 2)
    (tmp_path / "run 9.html").write_text("<p>the page</p>")
    return tmp_path


def names(o):
    return [each.name for each in o.results]


def test_results_stand_in_the_order_of_time_and_numbers(folder):
    assert names(ca.overview(folder)) == ["run 1", "run 2", "run 9", "run 10", "run 11"]
    for path in folder.glob("*.classay"):
        os.utime(path, (1.7e9,) * 2)
    assert names(ca.overview(folder)) == ["run 1", "run 2", "run 9", "run 10", "run 11"]


def test_each_estimate_is_that_of_the_file(folder):
    for each in ca.overview(folder).results:
        a = ca.load(folder / each.name)
        assert each.cases == a.n
        assert each.estimates == {name: a.estimate(name) for name in each.estimates}


def test_a_measure_can_be_named_and_one_of_other_classes_is_refused(folder):
    assert ca.overview(folder, ["mcc"]).measures == ("matthews_correlation",)
    with pytest.raises(ca.InputError, match=r"None of the results in .* has measure hand_till_auc"):
        ca.overview(folder, ["hand_till_auc"])


def test_links_lead_to_the_pages_beside_the_files_from_wherever_the_overview_lies(folder):
    for place in (folder / "overview.html", folder / "deep" / "overview.html"):
        place.parent.mkdir(exist_ok=True)
        ca.overview(folder).report(place)
        page = Page(place.read_text(encoding="utf-8"))
        (link,) = [each["href"] for tag, each in page.tags if tag == "a" and not each["href"].startswith("#")]
        assert (place.parent / link.replace("%20", " ")).resolve() == (folder / "run 9.html").resolve()


@pytest.mark.wings("resampling")
def test_folders_and_models_are_series_and_what_has_no_measures_says_why(folder):
    (folder / "other").mkdir()
    shutil.copy(folder / "run 1.classay", folder / "other" / "run 1.classay")
    ca.evaluate({"centroid": Centroid(), "nearest": Nearest()}, *noise(60), protocol="3fold").save(
        folder / "e"
    )
    (folder / "torn.classay").write_bytes(b"torn")
    o = ca.overview(folder)
    assert {*o.series()} == {"", "other", "centroid", "nearest"}
    assert len(o.series()[""]) == 5
    (torn,) = [each for each in o.results if not each.estimates]
    assert torn.name == "torn"
    assert "cannot be read" in torn.what
    assert torn.what[:30] in " ".join(str(o).split())


@pytest.mark.wings("resampling")
def test_the_runs_of_a_store_are_an_overview_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for protocol in (
        "3fold",
        "4fold",
        "5fold",
        "2fold",
    ):  # within a second, and in the order of time all the same
        e = ca.evaluate(Centroid(), *noise(60), protocol=protocol, store="runs.db")
    done = call("runs", "runs.db", "--html", "page.html", "--json", "page.json")
    assert done.exit_code == 0, done.stderr
    o = ca.overview("runs.db")
    assert [each.what for each in o.results] == [f"evaluation, {k}fold" for k in (3, 4, 5, 2)]
    assert o.results[-1].estimates["accuracy"] == e["accuracy"]
    assert Path("page.html").read_text(encoding="utf-8").count('class="spark"') == len(o.measures)


def test_the_command_shows_a_folder_and_one_of_it(folder):
    whole, one = call("runs", str(folder)), call("runs", str(folder), "run 9")
    assert whole.exit_code == one.exit_code == 0
    assert whole.stdout.index("run 11") < whole.stdout.index("run 2")
    assert one.stdout == call("runs", str(folder / "run 9.classay")).stdout


@pytest.mark.parametrize("option", ["--save", "--times"])
def test_what_only_one_result_has_is_refused_of_all(folder, option):
    assert "needs one result" in refusal("runs", str(folder), option, "x")


def test_folders_and_what_is_hidden_are_no_results(folder):
    before = ca.overview(folder)
    (folder / "folder.classay").mkdir()
    (folder / ".hidden").mkdir()
    for place in (".run.classay", ".hidden/run.classay"):
        shutil.copy(folder / "run 1.classay", folder / place)
    assert ca.overview(folder).results == before.results
    shutil.copy(folder / "run 1.classay", folder / "folder.classay" / "run.classay")
    assert {*names(ca.overview(folder))} == {*names(before), "folder.classay/run"}


def test_nothing_saved_is_said(tmp_path):
    with pytest.raises(ca.FileError, match="contains no saved results"):
        ca.overview(tmp_path)


def test_blocks_keep_the_last_and_turn_with_the_values():
    values = list(np.random.default_rng(1).normal(size=100))
    assert len(blocks(values)) == 24
    assert blocks([0.0, 1.0]) == blocks([0.0, 1.0][::-1])[::-1] == "▁█"
    assert blocks([0.0, float("nan"), 1.0]) == "▁ █"


def test_results_that_can_be_added_have_one_sum(tmp_path):
    """Those of two classes if the classes are the same; those of several also if one lacks a class."""
    y, rows = np.arange(30), np.arange(30)
    families = {
        "numbers": [(y % 2, 1), (y % 2, 1)],
        "words": [(np.array(["u", "v"])[y % 2], "v"), (np.array(["u", "v"])[y % 2], "v")],
        "several": [(y % 3, None), (y % 4, None)],
    }
    for family, parts in families.items():
        for k, (labels, positive) in enumerate(parts):
            how = {} if positive is None else {"positive": positive}
            ids = [f"{family} {k} {row}" for row in rows]
            ca.assess(labels, y_pred=labels[::-1], id=ids, **how).save(tmp_path / f"{family} {k}")
    sums = {each.name: each.sum for each in ca.overview(tmp_path).results}
    assert sums == {f"{family} {k}": f"{family} 0" for family in families for k in (0, 1)}
    for family in families:
        assert (ca.load(tmp_path / f"{family} 0") + ca.load(tmp_path / f"{family} 1")).n == 60


@pytest.mark.wings("over_time")
def test_only_results_that_can_be_added_are_suggested_to_be(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, p = [1, 0] * 30, [(7 * k % 11) / 11 for k in range(60)]

    def saved(name, *, of="", level=0.95):
        ids = None if of is None else [f"{of or name} {k}" for k in range(60)]
        ca.assess(y, p, id=ids, level=level).save(tmp_path / f"{name}.classay")

    for name in ("b day 1", "day2", "day3"):
        saved(name)
    saved("again", of="day2")
    saved("without", of=None)
    saved("strict", level=0.99)
    shutil.copy(tmp_path / "day3.classay", tmp_path / "copy.classay")
    ca.assess(["u", "v"] * 30, y_pred=["u", "u", "v"] * 20, positive="v").save(tmp_path / "words.classay")
    said = call("runs", ".").stdout
    command = re.search(r"`classay (merge [^`]*--trend)`", " ".join(said.split()))
    assert command, said
    words = shlex.split(command[1])
    assert len(words) == 5
    assert "./b day 1.classay" in words
    done = call(*words)
    assert done.exit_code == 0, done.stderr


def test_what_is_read_from_the_head_of_files_is_what_their_tables_give(tmp_path, monkeypatch):
    """Files of another version, of whose measures this one may think otherwise, are read whole."""
    rng, y = np.random.default_rng(0), np.arange(60)
    p, ids = rng.random((4, 60)).round(2), [f"case {k}" for k in y]
    several = rng.dirichlet(np.ones(3), 60)
    for k, name in enumerate(("a", "b")):
        ca.assess(y % 2, p[k]).save(tmp_path / f"plain {name}")
        ca.assess(y % 2, p[k], weight=p[2] + 0.1).save(tmp_path / f"weighted {name}")
        ca.assess(y % 2, p[k], cluster=y // 4, id=ids).save(tmp_path / f"clustered {name}")
        ca.assess(y % 2, 3 * p[k]).save(tmp_path / f"no probabilities {name}")
        ca.assess((y + k) % 3, several).save(tmp_path / f"several {name}")
    ca.assess(y % 2, p[0], level=0.9).save(tmp_path / "another level")
    ca.assess(np.zeros(60, int), p[0], labels=[0, 1]).save(tmp_path / "one class")
    heads = ca.overview(tmp_path)
    loads, load = [], ca.load
    monkeypatch.setattr("classay.saved_results.load", lambda path: loads.append(path) or load(path))
    ca.overview(tmp_path)
    assert {path.name[:7] for path in loads} == {"several"}  # whose sums are not known to be of one kind
    monkeypatch.setattr(ca, "__version__", "0.0.1")
    assert ca.overview(tmp_path).results == heads.results
    assert len(loads) > len(heads.results)


def rewritten(file, change, *, is_sealed=True):
    """Write a saved assessment again, its members changed, with new checksums or without any."""
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    about = json.loads(members["assessment.json"])
    members = change(about, members) or members
    members["assessment.json"] = json.dumps(about).encode()
    del members["checksums.json"]
    if is_sealed:
        seal = {name: blake2b(content, digest_size=16).hexdigest() for name, content in members.items()}
        members["checksums.json"] = json.dumps(seal).encode()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def flipped(file):
    """Change one byte of an array where it lies in the file, its head intact."""
    content = bytearray(file.read_bytes())
    with zipfile.ZipFile(file) as archive:
        entry = next(one for one in archive.infolist() if one.filename.endswith(".npy"))
    lengths = content[entry.header_offset + 26 : entry.header_offset + 30]
    begin = entry.header_offset + 30 + lengths[0] + 256 * lengths[1] + lengths[2] + 256 * lengths[3]
    content[begin + entry.compress_size // 2] ^= 1
    file.write_bytes(content)


def doubled(about, members):
    about["extra"]["main"] = {version: [9, {}] for version in about["extra"]["main"]}


def unknown(about, members):
    for _, estimates in about["extra"]["main"].values():
        estimates["no_such_measure"] = next(iter(estimates.values()))


def of_no_case(about, members):
    about["extra"]["main"] = {version: [0, {}] for version in about["extra"]["main"]}


def of_another_format(about, members):
    about["format"] = 99


@pytest.mark.parametrize(
    "damage",
    [
        flipped,
        lambda file: rewritten(file, doubled, is_sealed=False),
        lambda file: rewritten(file, of_another_format),
    ],
)
@pytest.mark.parametrize("name", ["run 1", "run 10"])
def test_what_cannot_be_loaded_shows_no_number(folder, damage, name):
    """And it keeps no other result from its place in the sum."""
    before = {each.name: each for each in ca.overview(folder).results}
    file = folder / f"{name}.classay"
    damage(file)
    with pytest.raises(ca.FileError):
        ca.load(file)
    results = {each.name: each for each in ca.overview(folder).results}
    assert results[name].estimates is None
    assert results[name].what.startswith("cannot be read")
    others = {*results} - {name}
    assert all(results[other].estimates == before[other].estimates for other in others)
    assert len({results[other].sum for other in others}) == len({before[other].sum for other in others})


@pytest.mark.parametrize("change", [unknown, of_no_case])
def test_a_head_that_cannot_be_right_is_not_read(folder, change):
    before = {each.name: each.estimates for each in ca.overview(folder).results}
    rewritten(folder / "run 1.classay", change)
    assert {each.name: each.estimates for each in ca.overview(folder).results} == before


def test_a_first_file_that_only_its_tables_show_to_be_damaged_spoils_no_sum(tmp_path):
    def without_counts(about, members):
        name = next(name for name in members if name.endswith("positives.npy"))
        return {key: content for key, content in members.items() if key != name}

    for k, name in enumerate("acd"):
        rng = np.random.default_rng(k)
        ids = [f"{name} {row}" for row in range(40)]
        p = rng.random(40).astype(np.float64 if name == "a" else np.float32)
        ca.assess(TRUTH, p, id=ids, threshold=0.5).save(tmp_path / name)
    rewritten(tmp_path / "a.classay", without_counts)
    with pytest.raises(ca.FileError):
        ca.load(tmp_path / "a.classay")
    sums = {each.name: each.sum for each in ca.overview(tmp_path).results}
    assert sums["c"] == sums["d"] == "c"


def test_results_with_other_types_of_scores_are_in_no_sum(tmp_path):
    for name, kind in (("a", np.float64), ("b", np.float64), ("c", np.float32)):
        p = np.random.default_rng(ord(name)).random(40).astype(kind)
        ca.assess(TRUTH, p, id=[f"{name} {k}" for k in range(40)]).save(tmp_path / name)
    results = {each.name: each for each in ca.overview(tmp_path).results}
    for name in "bc":
        try:
            ca.load(tmp_path / "a.classay") + ca.load(tmp_path / name)
            is_addable = True
        except ca.ClassayError:
            is_addable = False
        assert (results[name].sum == "a") == is_addable


def test_readers_skip_what_later_versions_add(folder):
    a = ca.load(folder / "run 1.classay")
    rewritten(folder / "run 1.classay", lambda about, members: about["extra"].update(later={"x": 1}))
    assert ca.load(folder / "run 1.classay")["roc_auc"] == a["roc_auc"]


def test_heads_of_other_numbers_are_not_read(folder, monkeypatch):
    def wrong(about, members):
        for head in about["extra"]["main"].values():
            head[0] = 7

    rewritten(folder / "run 1.classay", wrong)
    assert {each.name: each.cases for each in ca.overview(folder).results}["run 1"] == 7
    monkeypatch.setattr("classay.saved_results.ESTIMATES", 2)
    assert {each.name: each.cases for each in ca.overview(folder).results}["run 1"] == 40


def test_copies_and_other_levels_and_thresholds_are_told(folder):
    alike = ca.overview(folder).document().verdict
    assert not any("different" in sentence or "copies" in sentence for sentence in alike)
    shutil.copy(folder / "run 1.classay", folder / "copy.classay")
    score = np.linspace(0, 1, 40)
    ca.assess(TRUTH, score, threshold=0.3).save(folder / "at.classay")
    ca.assess(TRUTH, score, threshold=0.3, level=0.9).save(folder / "level.classay")
    text = " ".join(ca.overview(folder).document().verdict)
    for sentence in (
        "The results have different confidence levels: 90%, 95%.",
        "The results have different thresholds: 0.3, 0.5.",
        "Copies of other results (same cases and estimates): 1.",
    ):
        assert sentence in text
