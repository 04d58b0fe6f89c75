"""`classay describe`: every command line that it suggests runs, on files of every kind."""

import json
import shlex
from pathlib import Path

import jsonschema
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from classay.describing.columns import _period
from command import call, json_of, refusal

ROOT = Path(__file__).parents[2]
OUTSIDE = ROOT / "tests" / "outside" / "data"
N = 60
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
P, Q = ((0.3 + gap * Y + RNG.uniform(-0.25, 0.25, N)).round(3) for gap in (0.4, 0.2))
DAYS = [f"2025-{1 + k // 10:02d}-{1 + k % 28:02d}" for k in range(N)]
CLASSES = RNG.choice(["cat", "dog", "eel"], N)
SHARES = RNG.dirichlet([1, 1, 1], N).round(3)
GRADES = RNG.integers(1, 6, N)


def csv(**columns):
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n"


WORDS = np.where(Y == 1, "ill", "well")
ZOO = {
    "two classes": (csv(id=range(N), y=Y, p=P), "--truth y --score p"),
    "words": (csv(outcome=WORDS, risk=P), "--truth outcome --score risk --positive ill"),
    "named by its score": (
        csv(zustand=WORDS, p_well=P),
        "--truth zustand --score p_well --positive well",
    ),
    "two scores of two classes": (csv(y=WORDS, prob_ill=P, prob_well=(1 - P).round(3)), "--score prob_ill"),
    "two models": (csv(truth=Y, score_a=P, score_b=Q), "compare"),
    "logits": (csv(label=Y, logit=(8 * P - 4).round(3)), "--truth label --score logit"),
    "predictions": (csv(y_true=WORDS, y_pred=np.roll(WORDS, 3)), "--truth y_true --prediction y_pred"),
    "two predictions": (
        csv(y=WORDS, pred_a=np.roll(WORDS, 3), pred_b=np.roll(WORDS, 5)),
        "--predictions pred_a,pred_b",
    ),
    "groups and days": (csv(y=Y, p=P, sex=np.where(Y ^ (Q > 0.4), "f", "m"), day=DAYS), "--by sex"),
    "a judge": (
        csv(human=np.where(np.arange(N) % 3 == 0, Y, ""), judge=np.roll(Y, 3)),
        "classay judge rows.csv --human human --judge judge",
    ),
    "answers of two prompts": (
        csv(
            prompt=["new", "old"] * (N // 2),
            question=[f"q{k // 2}" for k in range(N)],
            human_label=np.where(np.arange(N) % 6 < 2, WORDS, ""),
            judge=WORDS[::-1],
        ),
        "--human human_label --judge judge --model prompt --id question --positive ill",
    ),
    "clusters": (csv(patient=np.arange(N) // 3, y=Y, p=P), "--cluster patient"),
    "weights": (csv(y=Y, p=P, weight=1 + np.arange(N) % 3), "--weight weight"),
    "counted rows": (csv(y=[0, 0, 1, 1], pred=[0, 1, 0, 1], n=[40, 7, 3, 50]), "--frequency n"),
    "several classes": (
        csv(animal=CLASSES, **{f"p_{name}": SHARES[:, k] for k, name in enumerate(("cat", "dog", "eel"))}),
        "--class-scores",
    ),
    "codes of classes": (
        csv(y=RNG.integers(0, 3, N), **{f"p{k}": SHARES[:, k] for k in range(3)}),
        "--class-scores",
    ),
    "two models of several classes": (
        csv(
            y=CLASSES,
            **{f"new_{name}": SHARES[:, k] for k, name in enumerate(("cat", "dog", "eel"))},
            **{f"old_{name}": SHARES[:, k] for k, name in enumerate(("cat", "dog", "eel"))},
        ),
        "compare",
    ),
    "grades": (
        csv(grade=GRADES, predicted=np.clip(GRADES + RNG.integers(-1, 2, N), 1, 5)),
        "--order 1,2,3,4,5",
    ),
    "worded grades": (
        csv(
            severity=RNG.choice(["low", "medium", "high"], N), y_pred=RNG.choice(["low", "medium", "high"], N)
        ),
        "--order low,medium,high",
    ),
    "judged models": (csv(case=range(N), new=GRADES, old=np.roll(GRADES, 1)), "--graded new,old"),
    "tags": (csv(y_sea=Y, y_dog=np.roll(Y, 1), p_sea=P, p_dog=Q), "--truth-tags 'y_*' --tag-scores 'p_*'"),
    "predicted tags": (csv(y_sea=Y, y_dog=1 - Y, c_sea=1 - Y, c_dog=Y), "--tag-predictions 'c_*'"),
    "tags in a cell": (
        csv(tags=["sea|dog", "sea", "dog|sun"] * 20, predicted=["sea", "sea|sun", "dog|sun"] * 20),
        "--separator '|'",
    ),
    "a matrix": (",cat,dog\ncat,40,3\ndog,5,50\n", "--matrix-rows true"),
    "four counts": ("tp,fp,fn,tn\n40,3,7,50\n", "--counts tp=40,fp=3,fn=7,tn=50"),
    "missing labels and scores": (csv(y=["", *Y[1:]], p=[*P[:-1], ""]), "--missing drop --unanswered drop"),
    "words for missing": (csv(y=["unknown", *WORDS[1:]], p=["k.A.", *P[1:]]), "--na unknown,k.A."),
    "a number for missing": (csv(y=[*Y[:-1], -9], p=[-9, *P[1:]]), "--na -9"),
    "semicolons and commas": (
        csv(y=Y, p=P, cost=Q).replace(",", ";").replace(".", ","),
        "--delimiter ';' --truth y --score p",
    ),
    "a title": ("Ward 3, sepsis\n\n" + csv(y=Y, p=P).replace(",", ";"), "--delimiter ';' --header-line 3"),
    "odd names": (csv(**{"true label": WORDS, '"p, new"': P}), "--score 'p, new'"),
    "dates day first": (
        csv(y=Y, p=P, day=[f"{1 + k % 28:02d}.04.2025" for k in range(N)]),
        "--date-format %d.%m.%Y",
    ),
    "truth values": (csv(y=Y == 1, p=P), "--truth y --score p"),
}


def described(path):
    return json_of("describe", str(path))


def run_all(description, known=None):
    """Run each command line; of those after the first only what is not `known` for such columns of another file."""
    for place, command in enumerate(description["commands"]):
        assert shlex.split(command["command"]) == command["arguments"]
        if known is not None:
            words = [word for word in command["arguments"] if word != description["path"]]
            named = [
                column for column in description["columns"] if any(column["name"] in word for word in words)
            ]
            asked = json.dumps([words, named])
            if place and asked in known:
                continue
            known.add(asked)
        done = call(*command["arguments"][1:])
        assert done.exit_code == 0, (command["command"], done.output[-500:])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ZOO)
def test_every_command_line_runs(kind, tmp_path, monkeypatch):
    content, expected = ZOO[kind]
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text(content)
    description = described("rows.csv")
    assert any(expected in command["command"] for command in description["commands"]), description["commands"]
    run_all(description)


FILES = [ROOT / "docs" / "data" / "credit.csv", *sorted(OUTSIDE.iterdir())]
ALREADY_RUN = set()
NEEDS = {
    ".rds": "rdata",
    ".rda": "rdata",
    ".avro": "fastavro",
    ".sav": "pyreadstat",
    ".xlsx": "python_calamine",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_of_tools_are_described_or_refused_in_one_line(path):
    """Every command line of every file that a real tool wrote runs.

    The first reads the file; the others run once for all files whose columns have the same names, types and values.
    """
    if path.suffix in NEEDS:
        pytest.importorskip(NEEDS[path.suffix])
    done = call("describe", path, "--json", "-")
    if done.exit_code:
        assert done.exit_code == 2
        assert len(done.stderr.splitlines()) == 1
        return
    description = json.loads(done.stdout)
    run_all(description | {"path": str(path)}, ALREADY_RUN)
    if any(column["name"] == "outcome" for column in description["columns"]):
        assert description["commands"], description["columns"]


def test_ids_and_free_text_are_never_echoed(tmp_path):
    path = tmp_path / "secret.csv"
    names = [f"Person {k}" for k in range(N)]
    path.write_text(csv(patient_id=[9000 + k for k in range(N)], name=names, few=names[:1] * N, y=Y, p=P))
    done = call("describe", path)
    assert done.exit_code == 0
    for output in (done.output, call("describe", path, "--json", "-").stdout):
        assert "Person" not in output
        assert "9000" not in output


def test_what_stands_against_a_column_is_said(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(
        csv(
            y=["Yes", *np.where(Y == 1, "yes", "no")[1:]],
            score=(100 * P).round(),
            p_yes=P,
            p_no=(1 - P).round(3),
            same=P,
            gone=["", *P[1:]],
            day=["03.04.2025"] * (N - 1) + ["04.05.2025"],
            empty=[""] * N,
            one=[1] * N,
        )
    )
    against = {column["name"]: column["against"] for column in described(path)["columns"]}
    assert against == {
        "y": ["labels that differ in case or blanks: 'yes' and 'Yes'"],
        "score": ["not from 0 to 1, maybe a percentage"],
        "p_yes": [],
        "p_no": ["1 minus p_yes"],
        "same": ["equal to p_yes"],
        "gone": ["1 of 60 values are missing", "equal to p_yes, where both have values"],
        "day": ["the day or the month may come first: name the format with --date-format"],
        "empty": ["no values"],
        "one": ["all values are equal"],
    }


def test_a_large_file_is_looked_at_in_its_first_rows(tmp_path):
    n = 200_000
    table = pa.table({"y": np.arange(n) % 2, "p": np.linspace(0, 1, n), "late": [*range(n - 1), None]})
    pq.write_table(table, tmp_path / "rows.parquet")
    description = described(tmp_path / "rows.parquet")
    assert (description["rows"], description["rows_read"]) == (n, 20_000)
    assert description["columns"][2]["missing"] == 1
    run_all(description)
    (tmp_path / "rows.csv").write_text("id,y,note\n" + '1,0,"two\nlines"\n' * 400_000)
    description = described(tmp_path / "rows.csv")
    assert description["rows"] is None
    assert description["rows_read"] == 20_000


def test_assess_without_columns_shows_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text(ZOO["two classes"][0])
    assert call("assess", "rows.csv").stdout == call("describe", "rows.csv").stdout
    assert "--score needs one more column" in refusal("assess", "rows.csv", "--score", "p")


@pytest.mark.filterwarnings("ignore")
def test_a_folder_is_described_by_its_first_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("days").mkdir()
    Path("days/a.csv").write_text(ZOO["groups and days"][0])
    Path("days/b.csv").write_text(ZOO["groups and days"][0].replace("2025", "2026").replace("0.5", "0.6"))
    done = call("assess", "days")
    lines = [line for line in done.stdout.splitlines() if line.startswith("  classay ")]
    assert lines == ["  classay assess days --truth y --score p"]
    assert call(*lines[0].split()[1:]).exit_code == 0


@pytest.mark.parametrize(
    "content", [b"", b"\x80\x04\x95", b"y,p\n", b"one line without an end", b"{", b"\xff\xfey\0,\0p\0\n\0"]
)
def test_what_cannot_be_read_is_refused_in_one_line(content, tmp_path):
    for name in ("rows.csv", "rows.dat", "rows.parquet"):
        path = tmp_path / name
        path.write_bytes(content)
        done = call("describe", path)
        if done.exit_code:
            assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def test_pages_and_the_schema(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text(ZOO["groups and days"][0])
    outputs = ("--html", "a.html", "--markdown", "a.md", "--latex", "a.tex", "--json", "a.json")
    assert call("describe", "rows.csv", *outputs).exit_code == 0
    command = "classay assess rows.csv --truth y --score p"
    assert command in Path("a.md").read_text()
    schema = json.loads((ROOT / "docs" / "description.schema.json").read_text())
    jsonschema.validate(json.loads(Path("a.json").read_text()), schema)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("duckdb-2.0.1.parquet", "--truth outcome --class-scores p_struct --positive yes"),
        ("polars-2.1.0.jsonl", "--class-scores p_list --labels no,yes --positive yes"),
        ("pyspark-4.3.0-outcome.parquet", "--class-scores probability --labels yes,no --positive yes"),
        ("datasets-5.2.0.parquet", "--class-scores probability --positive yes --missing drop"),
        ("onnxruntime-1.32.0-zipmap.jsonl", "--class-scores probability --positive yes"),
        ("river-0.26.1.jsonl", "--class-scores probability --positive yes --unanswered drop"),
    ],
)
def test_one_column_with_the_scores_of_all_classes(name, expected):
    description = described(OUTSIDE / name)
    assert any(expected in command["command"] for command in description["commands"]), description["commands"]


def test_an_order_of_classes_that_nothing_says_is_a_guess(tmp_path):
    found = described(OUTSIDE / "duckdb-2.0.1.parquet")
    (column,) = [column for column in found["columns"] if column["name"] == "p_list"]
    assert column["roles"][0]["role"] == "class scores"
    assert column["against"] == ["the order of the classes is a guess"]
    pq.write_table(pa.table({"y": WORDS, "p": [[1 - p, p] for p in P.tolist()]}), tmp_path / "p.parquet")
    (command,) = described(tmp_path / "p.parquet")["commands"][:1]
    assert command["reason"].endswith("p with a score of each class, supposed in the order ill and well")


@pytest.mark.parametrize(
    ("labels", "score", "positive", "why"),
    [
        ("10", "p", "1", ""),
        (("no", "yes"), "p", "yes", " (a guess by its word)"),
        (("b", "a"), "p", "a", " (a guess, the rarer class)"),
        (("b", "a"), "p_b", "b", ""),
    ],
)
def test_a_positive_class_that_nothing_says_is_told_to_be_a_guess(labels, score, positive, why, tmp_path):
    path = tmp_path / "rows.csv"
    rows = "".join(f"{labels[k % 5 == 4]},0.{k + 10}\n" for k in range(30))
    path.write_text(f"y,{score}\n{rows}")
    assert described(path)["commands"][0]["reason"] == (
        f"true labels in y, {score} as the probability of {positive}{why}"
    )


def test_the_rows_of_a_report_are_as_its_format_says():
    words = [
        command["arguments"] for command in described(OUTSIDE / "scikit-learn-1.9.1-report.json")["commands"]
    ]
    assert [line[line.index("--matrix-rows") + 1] for line in words] == ["true"]


def test_fields_of_several_kinds_are_left_out_and_told(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"y": 0, "p": 0.2, "x": 1}\n{"y": 1, "p": 0.7, "x": "a"}\n' * 20)
    description = described(path)
    assert [column["name"] for column in description["columns"]] == ["y", "p"]
    assert description["notes"] == ["x has values of several kinds, so no role is suggested."]
    run_all(description)


def test_words_for_missing_values_are_those_of_other_readers(tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("y;p\n" + "ja;0.5\nnein;0.25\nunbekannt;0.1\nja;0.75\n" * 3)
    assert "--na unbekannt --truth y --score p --positive ja" in call("describe", str(path)).stdout


def test_a_score_that_does_not_fit_the_labels_is_named(tmp_path):
    path = tmp_path / "three.csv"
    path.write_text("y;p\n" + "a;0.5\nb;0.25\nc;0.1\n" * 4)
    told = " ".join(call("describe", str(path)).stdout.replace("┃", "").split())
    assert "y may have the true labels, but p does not fit their number." in told


def test_fields_within_columns_are_listed_by_the_paths_that_options_take(tmp_path):
    """The suggested command on nested rows has the answer of the same rows as columns."""
    nested = [
        {"id": f"c{k}", "doc": {"truth": bool(y)}, "out": {"scores": [{"name": "m", "value": float(p)}]}}
        for k, (y, p) in enumerate(zip(Y, P, strict=True))
    ]
    flat = csv(y=Y, p=P)
    (tmp_path / "flat.csv").write_text(flat)
    pq.write_table(pa.Table.from_pylist(nested), tmp_path / "nested.parquet")
    (tmp_path / "nested.json").write_text(json.dumps({"rows": nested}))
    expected = assessed("assess", str(tmp_path / "flat.csv"), "--truth", "y", "--score", "p")
    for name in ("nested.parquet", "nested.json"):
        known = json_of("describe", str(tmp_path / name))
        paths = {column["name"]: column for column in known["columns"]}
        assert {"doc.truth", "out.scores[0].name", "out.scores[0].value"} <= {*paths}
        assert paths["out"]["against"] == ["its fields have paths, such as out.scores[0].name"]
        assert assessed(*known["commands"][0]["arguments"][1:]) == expected


def assessed(*arguments):
    return json_of(*arguments)["measures"]["roc_auc"]["value"]


def test_long_lists_and_deep_records_are_not_spelled_out(tmp_path):
    rows = [{"y": k % 2, "v": [0.5] * 50, "d": {f"f{j}": j for j in range(100)}} for k in range(10)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
    known = json_of("describe", str(tmp_path / "rows.parquet"))
    names = [column["name"] for column in known["columns"]]
    assert (len(names), any(name.startswith("v[") for name in names)) == (3 + 40, False)


def test_numbers_of_rows_are_ids_and_come_behind_scores(tmp_path):
    for numbers in (range(1, 41), range(1003, 1203, 5)):
        rows = csv(score_no=[f"{n}.0" for n in numbers], risk=P[:40], y=Y[:40])
        (tmp_path / "rows.csv").write_text(rows)
        known = json_of("describe", str(tmp_path / "rows.csv"))
        assert known["columns"][0]["roles"][0]["role"] == "id"
        assert known["commands"][0]["command"].endswith("--truth y --score risk")
    (tmp_path / "rows.csv").write_text(csv(score_a=(np.arange(N) + 0.5) / N, score_b=P, y=Y))
    known = json_of("describe", str(tmp_path / "rows.csv"))
    assert known["commands"][0]["command"].endswith("--truth y --score score_b")


def test_repeated_patients_suggest_clusters(tmp_path):
    """Names with digits of which many occur again are those of patients, whatever their column is called."""
    patients = [f"KX-{k}" for k in np.random.default_rng(2).integers(0, 90, 200)]
    (tmp_path / "rows.csv").write_text(csv(kennung=patients, y=np.resize(Y, 200), p=np.resize(P, 200)))
    known = json_of("describe", str(tmp_path / "rows.csv"))
    assert "--cluster treats them as one unit" in known["columns"][0]["against"][0]
    assert known["commands"][0]["arguments"][-2:] == ["--cluster", "kennung"]
    assert known["columns"][0]["values"] == ""


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("Geschlecht", "Befund", "Risiko"), (("m", "w"), ("negativ", "positiv"))),
        (("sexe", "diagnostic", "probabilité"), (("f", "h"), ("négatif", "positif"))),
        (("sexo", "diagnóstico", "riesgo"), (("f", "m"), ("negativo", "positivo"))),
    ],
)
def test_words_of_other_languages(names, words, tmp_path):
    group, truth, score = names
    sexes, labels = words
    rows = csv(**{group: np.resize(sexes, N), truth: np.array(labels)[Y], score: P})
    (tmp_path / "rows.csv").write_text(rows)
    known = json_of("describe", str(tmp_path / "rows.csv"))
    options = known["commands"][0]["arguments"][3:]
    assert options == ["--truth", truth, "--score", score, "--positive", labels[1]]


def test_all_files_of_a_folder_are_described_and_those_that_differ_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("days").mkdir()
    for name in "abc":
        Path(f"days/{name}.csv").write_text(csv(y=Y, p=np.roll(P, 2 * ord(name))))
    for command in ("describe", "assess"):
        shown = " ".join(call(command, "days").stdout.split())
        assert "3 files are alike: they have the columns of days/a.csv" in shown
        assert "classay assess days --truth y --score p" in shown
    assert call("assess", "days", "--truth", "y", "--score", "p").exit_code == 0
    Path("days/b.csv").write_text(csv(y=Y, p=P).replace(",", ";"))
    known = json_of("describe", "days")
    assert known["notes"][0] == "days/b.csv needs --delimiter ';', other than days/a.csv."
    assert (
        "Save days/b.csv in the layout of days/a.csv and use: classay assess days --truth"
        in known["notes"][-1]
    )
    commands = [command["arguments"][1:] for command in known["commands"]]
    assert [command[1] for command in commands] == ["days/a.csv", "days/b.csv"]
    assert all(call(*command).exit_code == 0 for command in commands)
    Path("days/a.csv").rename("days/z.csv")  # now the first file is b.csv, which alone needs an option
    known = json_of("describe", "days")
    assert known["notes"][0] == "days/c.csv needs no --delimiter, other than days/b.csv."
    Path("days/c.csv").unlink()
    Path("days/z.csv").write_text(csv(y=Y, p=P).replace(",", ";"))
    known = json_of("describe", "days")
    assert known["notes"][0].startswith("2 files are alike")


@pytest.mark.parametrize(
    ("days", "period"),
    [
        (["2025-02-03", "2025-02-04", "2025-02-09"], "day"),
        (["2025-02-03", "2025-02-10", "2025-02-17"], "week"),
        (["2024-12-28", "2024-12-30", "2025-01-06"], "week"),
        (["2024-12-29", "2024-12-31", "2025-01-01"], "day"),  # the year of a week is not that of its days
        (["2024-12-29", "2025-01-01", "2025-02-01"], "month"),
        (["2025-02-03", "2025-02-04", "2025-02-04"], None),
    ],
)
def test_the_period_of_days_is_the_longest_that_occurs_three_times(days, period):
    assert _period(days, None) == period
    assert _period([f"{day[8:]}.{day[5:7]}.{day[:4]}" for day in days], "%d.%m.%Y") == period


def test_a_number_beside_the_scores_of_classes_is_no_score(tmp_path):
    shares = {f"p_{name}": SHARES[:, k] for k, name in enumerate(("cat", "dog", "eel"))}
    (tmp_path / "rows.csv").write_text(csv(animal=CLASSES, **shares, bmi=(20 + 9 * P).round(2)))
    found = {each["name"]: each["roles"] for each in described(tmp_path / "rows.csv")["columns"]}
    assert "a label in its name" in found["p_cat"][0]["reason"]
    assert found["bmi"] == []


def test_cases_with_columns_named_like_axes_of_a_curve_are_cases(tmp_path):
    """A column of true labels beside further numbers makes rows cases."""
    rows = [(k, k % 2, (k * 7 % 40) / 40, k / 40, 1 - k / 40, 0.5) for k in range(40)]
    for first, is_curve in (("truth", False), ("class", False)):
        path = tmp_path / f"{first}.csv"
        lines = [f"case,{first},p,precision,recall,threshold", *(",".join(map(str, row)) for row in rows)]
        path.write_text("\n".join(lines), encoding="utf-8")
        found = json_of("describe", str(path))["columns"]
        roles = {column["name"]: {role["role"] for role in column["roles"]} for column in found}
        assert ("curve point" in roles["precision"]) == is_curve
        assert ("truth" in roles[first]) != is_curve


def columns_of(table, tmp_path):
    pq.write_table(table, tmp_path / "rows.parquet")
    return {column["name"]: column for column in described(tmp_path / "rows.parquet")["columns"]}


def test_what_is_no_plain_value_is_named_by_its_kind(tmp_path):
    kinds = {
        "map": pa.map_(pa.string(), pa.int64()),
        "list of 2": pa.list_(pa.int64(), 2),
        "list": pa.list_(pa.int64()),
        "bytes": pa.binary(),
    }
    values = {"map": [("a", 1)], "list of 2": [1, 2], "list": [1], "bytes": b"x"}
    table = pa.table({kind: pa.array([values[kind]] * 9, of) for kind, of in kinds.items()} | {"y": Y[:9]})
    found = columns_of(table, tmp_path)
    assert {kind: found[kind]["type"] for kind in kinds} == {kind: kind for kind in kinds}


def test_days_are_no_labels_however_they_are_written(tmp_path):
    days = pa.array([19_000 + k % 2 for k in range(N)], pa.date32())
    texts = {
        "as dates": days,
        "as text": [str(day) for day in days],
        "in words": [day.as_py().strftime("%d.%m.%Y") for day in days],
    }
    for name, column in texts.items():
        found = columns_of(pa.table({"day": column, "y": Y, "p": P}), tmp_path)["day"]
        assert not found.get("values"), name
