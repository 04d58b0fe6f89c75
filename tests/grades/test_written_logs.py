"""Logs written from a table: what is read of each tool is what was written, with groups, targets and means."""

import csv
import json
import math
import warnings
import zipfile

import numpy as np
import pytest

import classay as ca
from classay.grades.json_fields import Fields, json_lines
from classay.grades.json_stream import CutJson, items, members
from classay.grades.reading import read_runs
from classay.grades.records import FAILED, SILENT, Grade, Run, digest, key_of, keys_of


def read(path, **how):
    """The one run of a file, and what is warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (run,) = ca.read_grades(path, **how).runs
    return run, [str(one.message).removeprefix(f"{run.name}: ") for one in caught]


EPOCHS, CASES = 2, 7


def samples():
    """Samples of Inspect: letters of one scorer, two numbers of another, errors, and a scorer that is silent."""
    rows = []
    for k in range(CASES):
        for e in range(1, EPOCHS + 1):
            scores = {"letter": {"value": "CPIN"[(k + e) % 4]}, "parts": {"value": {"a": k / 10, "b": e}}}
            if (k, e) == (3, 2):
                scores = {"letter": {"value": "C"}}
            rows.append(
                {
                    **{"id": k if k % 2 else f"q{k}", "epoch": e, "target": f"answer {k // 2}"},
                    **{
                        "metadata": {
                            "kind": "ab"[k % 2],
                            "in": {"level": k % 3},
                            "long": "x" * 65,
                            "own": f"{k}",
                            "many": [k],
                        }
                    },
                    "scores": scores if (k, e) != (5, 1) else None,
                    "error": {"message": "failed"} if (k, e) == (5, 1) else None,
                }
            )
    return rows


def header(status="success", version=2, **more):
    about = {
        "task": "sums",
        "task_version": 3,
        "model": "tool/one",
        "eval_id": "id1",
        "config": {"epochs": EPOCHS},
    }
    about |= {"dataset": {"name": "numbers", "samples": CASES}, "packages": {"inspect_ai": "0.3.285"}}
    metrics = {"accuracy": {"value": 0.4}, "stderr": {"value": 0.05, "params": {"cluster": "kind"}}}
    score = {"name": "letter", "scorer": "letter", "reducer": "mean", "scored_samples": 7, "metrics": metrics}
    other = {"name": "a", "scorer": "parts", "scored_samples": 6, "metrics": {"mean": {"value": 0.3}}}
    again = score | {"reducer": "max", "metrics": {"accuracy": {"value": 0.9}}}
    results = {"completed_samples": 13, "total_samples": 14, "scores": [score, other, again]}
    return {"version": version, "status": status, "eval": about, "results": results} | more


def archive(path, form):
    with zipfile.ZipFile(path, "w") as file:
        first = "_journal/start.json" if form == "journal" else "header.json"
        file.writestr(first, json.dumps(header()))
        rows = samples()
        if form == "summaries":
            file.writestr("summaries.json", json.dumps(rows))
        elif form == "journal":
            for number, part in ((10, rows[8:]), (2, rows[:8])):
                file.writestr(f"_journal/summaries/{number}.json", json.dumps(part))
        else:
            for row in rows:
                file.writestr(f"samples/{row['id']}_epoch_{row['epoch']}.json", json.dumps(row))
    return path


FORMS = ("json", "summaries", "journal", "samples")


@pytest.mark.parametrize("form", FORMS)
def test_a_log_of_inspect_is_read_as_it_was_written(form, tmp_path):
    path = tmp_path / ("log.json" if form == "json" else "log.eval")
    if form == "json":
        path.write_text(json.dumps(header() | {"samples": samples()}))
    else:
        archive(path, form)
    run, said = read(path, grade="letter")
    rows = samples()
    assert (run.name, run.tool, run.task, run.grade) == ("tool/one", "Inspect", "sums", "letter")
    assert run.about == {"task version": "3", "data": "numbers"}
    assert run.case == tuple(str(row["id"]) for row in rows)
    assert run.repeat.tolist() == [row["epoch"] for row in rows]
    assert run.target == tuple(digest(row["target"]) for row in rows)
    numbers = {"C": 1, "P": 0.5, "I": 0, "N": 0}
    wanted = [
        math.nan if row["scores"] is None else numbers[row["scores"]["letter"]["value"]] for row in rows
    ]
    assert run.mapped.values == pytest.approx(wanted, nan_ok=True)
    assert run.mapped.statuses == ["error" if row["error"] else "graded" for row in rows]
    assert {*run.groups} == {"kind", "in.level"}
    assert run.groups["kind"] == tuple(row["metadata"]["kind"] for row in rows)
    assert run.groups["in.level"] == tuple(str(row["metadata"]["in"]["level"]) for row in rows)
    assert (run.reported.value, run.reported.error, run.reported.cluster) == (0.4, 0.05, "kind")
    assert run.reported.over == "mean of the means of 7 questions; 13 of 14 answers completed"
    assert said == []
    part, _ = read(path, grade="parts/a")
    assert part.mapped.statuses.count("scorer silent") == 1
    assert part.reported.value == 0.3
    assert part.reported.error is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"status": "started"}, ["The job still runs or was ended: the log has 14 of 14 answers."]),
        ({"status": "cancelled"}, ["The job was cancelled: the log has 14 of 14 answers."]),
        ({"status": "error"}, ["The job ended with an error: the log has 14 of 14 answers."]),
        ({"version": 3}, ["The log has format 3. Logs of format 2 were tried."]),
        ({"invalidated": True}, ["Samples of the log were invalidated. They are counted."]),
        ({"invalidated": False}, []),
    ],
)
def test_what_a_log_of_inspect_lacks_is_told(change, said, tmp_path):
    path = tmp_path / "log.json"
    path.write_text(json.dumps(header(**change) | {"samples": samples()}))
    run, found = read(path, grade="letter")
    assert (found, [*run.notes]) == (said, said)
    path.write_text(json.dumps(header() | {"samples": samples()[:-1]}))
    assert read(path, grade="letter")[1] == ["The log has 13 of 14 answers."]
    for version, is_told in (("0.3.286", False), ("0.3", False), ("0.4.1", True), ("1.0", True)):
        newer = header()
        newer["eval"]["packages"]["inspect_ai"] = version
        path.write_text(json.dumps(newer | {"samples": samples()}))
        told = f"Inspect {version} is newer than 0.3.285, which was tried. Check some grades."
        assert read(path, grade="letter")[1] == [told] * is_told


def test_samples_of_one_epoch_and_without_an_id(tmp_path):
    path = tmp_path / "log.json"
    once = header()
    once["eval"]["config"] = {}
    path.write_text(json.dumps(once | {"samples": [row for row in samples() if row["epoch"] == 1]}))
    run, _ = read(path, grade="letter")
    assert run.reported.over == "mean of 7 questions; 13 of 14 answers completed"
    path.write_text(json.dumps(header() | {"samples": [{"epoch": 1, "scores": {}}]}))
    with pytest.raises(ca.FileError, match=r"log\.json has a sample without an id or scores"):
        ca.read_grades(path)
    path.write_text(json.dumps(header() | {"samples": []}))
    with pytest.raises(ca.FileError, match=r"log\.json has no answers"):
        ca.read_grades(path)


def harness(folder, *, lines=6, cases=6, has_results=True):
    """Samples of lm-eval with two filters and two metrics, of which one is better when lower."""
    date = "2026-01-02T03-04-05.678"
    path = folder / f"samples_sums_{date}.jsonl"
    rows = []
    for k in range(lines):
        for name in ("strict", "loose"):
            row = {"doc_id": k, "doc": {"kind": "ab"[k % 2]}, "doc_hash": f"{k:064}", "target_hash": "f" * 64}
            row |= {"filtered_resps": [], "filter": name, "metrics": ["acc", "loss"]}
            rows.append(row | {"acc": int((k + len(name)) % 3 == 0), "loss": k / 4})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    results = {"acc,strict": 1 / 3, "acc_stderr,strict": 0.2, "acc,loose": 0.5, "sample_len": 9}
    about = {"lm_eval_version": "0.4.13", "model_name": "one", "versions": {"sums": 2}, "n-shot": {"sums": 5}}
    about |= {
        "results": {"sums": results},
        "n-samples": {"sums": {"effective": cases}},
        "higher_is_better": {"sums": {"acc": True, "loss": False}},
    }
    if has_results:
        (folder / f"results_{date}.json").write_text(json.dumps(about))
    return path


@pytest.mark.parametrize("name", ["strict", "loose"])
def test_samples_of_lm_eval_are_read_as_they_were_written(name, tmp_path):
    path = harness(tmp_path)
    run, said = read(path, grade="acc", filter=name)
    assert (run.name, run.tool, run.task, run.grade) == ("one", "lm-eval", "sums", f"acc (filter {name})")
    assert run.about == {"task version": "2", "number of shots": "5"}
    assert run.case == tuple(map(str, range(6)))
    assert run.mapped.values.tolist() == [int((k + len(name)) % 3 == 0) for k in range(6)]
    assert run.target == tuple("0" * 12 + "f" * 6 for k in range(6))
    assert run.groups["kind"] == tuple("ababab")
    wanted = {"strict": (1 / 3, 0.2), "loose": (0.5, None)}[name]
    assert (run.reported.value, run.reported.error, run.reported.over) == (*wanted, "mean of 6 questions")
    assert said == []
    assert run.better == "higher"
    assert read(path, grade="loss", filter=name)[0].better == "lower"
    assert read(path, grade="loss", filter=name)[0].reported is None


def test_what_samples_of_lm_eval_lack_is_told(tmp_path):
    assert read(harness(tmp_path, cases=8), grade="acc", filter="strict")[1] == [
        "The file has 6 of 8 questions. It may have been cut."
    ]
    folder = tmp_path / "model"
    folder.mkdir()
    run, said = read(harness(folder, has_results=False), grade="acc", filter="strict")
    assert (run.name, run.reported) == ("model", None)
    assert said == ["The folder has no results file of lm-eval. Its means are not compared."]


def promptfoo(form, n=6):
    rows = []
    for k in range(n):
        for repeat in range(2):
            failed = 2 if (k, repeat) == (4, 1) else 0
            row = {
                "promptIdx": 0,
                "testIdx": 2 * k + repeat,
                "success": k % 2 == 0,
                "score": k / 10,
                "vars": {"q": k},
            }
            row |= {
                "namedScores": {"tone": k / 5},
                "failureReason": failed,
                "provider": {"id": "https://u:p@host/x?key=1"},
            }
            row |= {
                "prompt": {"raw": "Say it"},
                "testCase": {"metadata": {"kind": "ab"[k % 2]}},
                "error": "Custom function threw error: x" if k == 1 else None,
            }
            rows.append(row)
    rows.reverse()
    if form == "lines":
        return "".join(json.dumps(row) + "\n" for row in rows)
    metrics = {
        "testPassCount": 6,
        "testFailCount": 5,
        "testErrorCount": 1,
        "score": 3.0,
        "namedScores": {"tone": 5.5},
        "namedScoresCount": {"tone": 11},
    }
    prompts = [{"provider": "https://u:p@host/x?key=1", "raw": "Say it", "metrics": metrics}]
    return json.dumps(
        {
            "evalId": "e",
            "results": {"version": 3, "prompts": prompts, "results": rows},
            "metadata": {"promptfooVersion": "0.123.1"},
        }
    )


@pytest.mark.parametrize("form", ["json", "lines"])
def test_results_of_promptfoo_are_read_as_they_were_written(form, tmp_path):
    path = tmp_path / ("results.json" if form == "json" else "results.jsonl")
    path.write_text(promptfoo(form))
    run, said = read(path, grade="score")
    assert (run.name, run.tool) == ("https://host/x", "promptfoo")
    assert run.case == tuple(key_of({"q": k}) for k in range(6) for _ in range(2))
    assert run.repeat.tolist() == [1, 2] * 6
    wanted = [math.nan if (k, r) == (4, 1) else k / 10 for k in range(6) for r in range(2)]
    assert run.mapped.values == pytest.approx(wanted, nan_ok=True)
    assert run.mapped.statuses.count("error") == 1
    assert run.groups["kind"] == tuple("aabb" * 3)
    assert said == ["A grading function threw an error in 2 answers. promptfoo grades such answers 0."]
    passed, _ = read(path, grade="pass")
    tone, _ = read(path, grade="tone")
    assert passed.mapped.values[:4].tolist() == [1, 1, 0, 0]
    if form == "lines":
        assert (run.reported, passed.reported, tone.reported) == (None, None, None)
        return
    over = "mean of 12 answers, of which 1 failed and count 0"
    assert [(one.reported.value, one.reported.over) for one in (passed, run)] == [(0.5, over), (0.25, over)]
    assert (tone.reported.value, tone.reported.over) == (0.5, "mean of 11 answers")


def test_a_test_run_of_deepeval_is_read_as_it_was_written(tmp_path):
    cases = []
    for k in range(6):
        metrics = [{"name": "near", "score": k / 10, "error": "x" if k == 4 else None}]
        metrics += [{"name": "exact", "score": k % 2}] if k != 2 else [{"name": "exact"}]
        name = f"test_case_{k}" if k % 2 else f"case {k}"
        cases.append(
            {
                "name": name,
                "input": f"what {k}",
                "expectedOutput": f"{k // 2}",
                "metricsData": metrics,
                "additionalMetadata": {"kind": "ab"[k % 2]},
            }
        )
    means = [
        {"metric": "near", "scores": [0.1, 0.2, None, 0.3], "errors": 1},
        {"metric": "exact", "scores": [1, 0], "errors": 0},
    ]
    path = tmp_path / "test_run_1.json"
    path.write_text(
        json.dumps({"testCases": cases, "conversationalTestCases": [{}, {}], "metricsScores": means})
    )
    run, said = read(path, grade="near")
    assert run.case == tuple(f"what {k}" if k % 2 else f"case {k}" for k in range(6))
    assert run.target == tuple(digest(f"what {k}", f"{k // 2}") for k in range(6))
    assert run.mapped.values == pytest.approx([0, 0.1, 0.2, 0.3, math.nan, 0.5], nan_ok=True)
    assert run.mapped.statuses == ["graded"] * 4 + ["error", "graded"]
    assert (run.reported.value, run.reported.over) == (
        pytest.approx(0.2),
        "mean of 3 graded cases, without 1 error",
    )
    assert said == ["2 conversations of the run are not read."]
    exact, _ = read(path, grade="exact")
    assert exact.mapped.statuses[2] == "scorer silent"
    assert (exact.reported.value, exact.reported.over) == (0.5, "mean of 2 graded cases")
    assert run.groups["kind"] == tuple("ababab")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_table_of_mlflow_is_read_as_it_was_written(form, tmp_path):
    rows = [
        {
            **{"trace_id": f"t{k}", "state": "ERROR" if k == 3 else "OK", "request": f"what {k}"},
            **{
                "right/value": "" if k == 2 else "yes" if k % 2 else "no",
                "right/error_message": "x" if k == 4 else "",
            },
            "expected_response/value": f"r{k // 2}",
        }
        for k in range(6)
    ]
    path = tmp_path / f"table.{form}"
    if form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    run, said = read(path, grade="right")
    assert (run.tool, run.case, said) == ("MLflow", tuple(f"what {k}" for k in range(6)), [])
    assert run.mapped.statuses == ["graded", "graded", "scorer silent", "error", "error", "graded"]
    assert run.mapped.values[[0, 1, 5]].tolist() == [0, 1, 1]
    assert run.target == tuple(digest(f"r{k // 2}") for k in range(6))


def test_questions_are_known_by_their_text():
    for length in (79, 80, 81, 500):
        key = key_of("a" * length)
        assert len(key) == min(length, 80)
        assert (key == "a" * length) == (length <= 80)
    assert key_of("a" * 100) != key_of("a" * 101)
    assert key_of("a" * 67 + "b" * 20).startswith("a" * 67 + " ")
    assert keys_of([" a ", "b\tc", "d"]) == ["a", "b c", "d"]
    assert keys_of(["é", "b" * 90]) == ["é", key_of("b" * 90)]
    assert keys_of([1, "1"]) == ["1", "1"]
    assert digest("a" * 1000 + "b") == digest("a" * 1000 + "c")
    assert digest("a" * 999 + "b") != digest("a" * 999 + "c")
    assert digest("a", "b") != digest("ab")
    assert digest({"b": 1, "a": 2}) == digest({"a": 2, "b": 1})


def test_metadata_becomes_groups_where_its_values_repeat():
    run, named = Run("f", "t"), Run("f", "t", named=("own", "long"))
    for one in (run, named):
        for k in range(6):
            about = {
                "pair": k // 2,
                "own": k,
                "long": "x" * (64 + k // 3),
                "part": {"of": k % 2, "in": {"deep": 1}},
            }
            about |= {"flag": k > 2, "list": [1]} | ({"late": "yes"} if k > 3 else {})
            one.add(
                f"q{k}",
                1,
                None,
                failed=False,
                grades={Grade("a"): k, **({Grade("b"): k} if k in (2, 3) else {})},
                metadata=Fields(about),
            )
    found = run.finished()
    assert {*found.groups} == {"pair", "long", "part.of", "flag", "late"}
    assert found.groups["pair"] == ["0", "0", "1", "1", "2", "2"]
    assert found.groups["long"] == ["x" * 64] * 3 + [None] * 3
    assert found.groups["flag"] == ["false"] * 3 + ["true"] * 3
    assert found.groups["late"] == [None] * 4 + ["yes"] * 2
    assert found.grades[Grade("b")] == [SILENT, SILENT, 2, 3, SILENT, SILENT]
    more = named.finished()
    assert more.groups["own"] == [*map(str, range(6))]
    assert more.groups["long"] == ["x" * 64] * 3 + ["x" * 65] * 3


@pytest.mark.parametrize("seed", range(6))
def test_json_in_pieces_is_json(seed):
    rng = np.random.default_rng(seed)

    def value(depth):
        kind = rng.integers(0, 7 if depth else 5)
        if kind == 5:
            return [value(depth - 1) for _ in range(rng.integers(0, 4))]
        if kind == 6:
            return {f"k{n}": value(depth - 1) for n in range(rng.integers(0, 4))}
        return [
            None,
            True,
            int(rng.integers(-(10**9), 10**9)),
            float(rng.normal()),
            'a"é]}' * int(rng.integers(0, 4)),
        ][kind]

    array = [value(3) for _ in range(6)]
    whole = {"a": array, "b": {"c": array, "d": 1}, "e": {}}
    for content, of in (
        (array, lambda pieces: [*items(pieces)]),
        (whole, lambda pieces: [*members(pieces, {"b.c"})]),
    ):
        text = json.dumps(content, indent=int(rng.integers(0, 3)) or None, ensure_ascii=False).encode()
        wanted = (
            array
            if content is array
            else [("a", array), *(("b.c", item) for item in array), ("b.d", 1), ("e", {})]
        )
        for size in (1, 5, len(text)):
            assert of([text[at : at + size] for at in range(0, len(text), size)]) == wanted
        with pytest.raises(CutJson):
            of([text[:-2]])


def test_lines_of_json_name_the_line_that_is_none(tmp_path):
    path = tmp_path / "lines.jsonl"
    for lines, at in (
        (['{"a": 1}', "", '{"a": 2}'], None),
        (['{"a": 1}', "[2]"], 2),
        (['{"a": 1}', "", '{"a"'], 3),
        (["3"], 1),
    ):
        path.write_text("\n".join(lines))
        if at is None:
            assert [row.get("a") for row in json_lines(str(path))] == [1, 2]
            continue
        with pytest.raises(ca.FileError, match=f"Line {at} of lines.jsonl is not a JSON object"):
            [*json_lines(str(path))]


def test_fields_of_other_kinds_are_empty():
    fields = Fields(
        {
            "n": 3,
            "big": 1 << 53,
            "near": (1 << 53) - 1,
            "x": 1.5,
            "t": "é",
            "l": [1, {"a": 2}],
            "o": {"b": 1},
            "none": None,
        }
    )
    assert (fields.whole("n"), fields.whole("big", 7), fields.whole("near"), fields.whole("x", 4)) == (
        3,
        7,
        (1 << 53) - 1,
        4,
    )
    assert (fields.number("n"), fields.number("x"), fields.number("t"), fields.number("none")) == (
        3,
        1.5,
        None,
        None,
    )
    assert (fields.text("n"), fields.text("t"), fields.text("none"), fields.text("o")) == (
        "3",
        "é",
        "",
        '{"b": 1}',
    )
    assert (fields.several("l"), fields.several("o")) == ([1, {"a": 2}], [])
    assert [one.content for one in fields.objects("l")] == [{}, {"a": 2}]
    assert (fields.fields("o").whole("b"), fields.fields("l").content, "n" in fields, "m" in fields) == (
        1,
        {},
        True,
        False,
    )
    assert FAILED is not SILENT


def test_two_logs_of_one_run_are_refused(tmp_path):
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps(header() | {"samples": samples()}))
    with pytest.raises(ca.InputError, match=r"a\.json and b\.json are logs of the same run\. Name one"):
        ca.read_grades(tmp_path, grade="letter")
    assert len([*read_runs(tmp_path)]) == 2
    with pytest.raises(
        ca.InputError,
        match=r"several grades: letter, 13 answers; parts/a, 12 answers; and parts/b, 12",
    ):
        ca.read_grades(tmp_path / "a.json")
    with pytest.raises(ca.InputError, match=r"No run is of the task 'sum'. Tasks: sums. Did you mean"):
        ca.read_grades(tmp_path / "a.json", task="sum")


def test_json_that_is_none_and_values_that_are_too_long(monkeypatch):
    for text in (b"{1: 2}", b'{"a": 1, 2: 3}', b'{"a" 1}', b'{"a": 1', b"", b"[1]"):
        ends = text in (b'{"a": 1', b"")
        with pytest.raises(CutJson, match="the text ends too early$" if ends else "the text is no JSON$"):
            [*members([text], ())]
    for text in (b"[1 2]", b"[1,", b"{}", b"[1}"):
        is_number = text != b"{}"  # which may go on
        with pytest.raises(CutJson, match=", or is no JSON$" if is_number else "the text is no JSON$"):
            [*items([text, b" "])]
    assert [*items([b" [ ]"])] == [*members([b" { } "], ())] == []
    monkeypatch.setattr("classay.grades.json_stream.LONGEST", 20)
    assert [*items([b'["' + b"x" * 15 + b'"]'])] == ["x" * 15]
    with pytest.raises(CutJson, match="longer than a log can have"):
        [*items([b'["' + b"x" * 30 + b'"]'])]


def test_columns_of_tables_are_named_where_one_is_needed(tmp_path):
    for ending, text in (
        ("jsonl", '{"item": 1, "right": 0}\n'),
        ("json", '[{"item": 1, "right": 0}]'),
        ("csv", "item,right\n1,0\n"),
        ("tsv", "item\tright\n1\t0\n"),
    ):
        path = tmp_path / f"grades.{ending}"
        path.write_text(text)
        with pytest.raises(ca.InputError, match=r"column of grades is needed.* item.* right"):
            ca.read_grades(path)
        with pytest.raises(ca.InputError, match=r"column of cases is needed.* item.* right"):
            ca.read_grades(path, grade="right")
