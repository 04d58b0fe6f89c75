"""Codes for missing values, such as -99 and 999: recognised, told at every interface, and never dropped unasked."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv as arrow_csv
from pyarrow import feather, orc, parquet

import classay as ca
from classay.errors import InputError
from classay.formats.missing_codes import missing_codes
from classay.warned import Warned
from command import call, json_of

N = 120
RNG = np.random.default_rng(3)
Y = (RNG.random(N) < 0.4).astype(int)
P = (1 / (1 + np.exp(-RNG.normal(1.5 * Y - 1)))).round(3)
LACKS = np.isin(np.arange(N), [3, 40, 77])


def codes_in(column):
    return missing_codes(*np.unique(column, return_counts=True))


@pytest.mark.parametrize("code", [-1, -9, -99, -999, 9, 99, 999])
@pytest.mark.parametrize("scale", [1, 40])
def test_a_code_is_what_no_score_can_be(code, scale):
    """Adding a code to scores shows it; without it nothing is shown, in whatever sequence, and however often scored."""
    column = np.where(LACKS, code, scale * P)
    expected = [] if code == 9 and scale > 1 else [code]
    assert codes_in(column) == codes_in(np.tile(column[::-1], 3)) == expected
    assert codes_in(scale * P) == codes_in(np.tile(P, 3)) == []


@pytest.mark.parametrize(
    "column",
    [
        [-1, 1],
        [-1, 0, 1, 1.5, -0.5],
        np.arange(100),
        np.arange(-20, 20),
        [0.5],
        [],
        [99, 99, 99, 1, 2],
        [0, 70, 99],
    ],
)
def test_numbers_near_others_are_no_codes(column):
    assert codes_in(column) == []


def written(folder, ending, **columns):
    table, path = pa.table(columns), folder / f"rows.{ending}"
    if ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        write = {"csv": arrow_csv.write_csv, "parquet": parquet.write_table, "orc": orc.write_table}
        write.get(ending, feather.write_feather)(table, str(path))
    return str(path)


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "jsonl", "orc"])
def test_every_interface_names_the_option_that_leaves_the_code_out(ending, tmp_path):
    """The assessment with `--na` is that of the rows without the code; without it the code is scored and told."""
    path = written(tmp_path, ending, y=Y, p=np.where(LACKS, -99, 40 * P), q=np.where(LACKS, 999, P))
    expected = ca.assess(Y[~LACKS], P[~LACKS])["roc_auc"].value
    columns = {"truth": "y", "score": "p"}
    for a in (
        ca.assess(Y, np.where(LACKS, -99, 40 * P)),
        ca.scan(path, **columns),
        ca.scan(path, **columns, bits=8),
    ):
        (warned,) = (warned for warned in a.warnings if warned.code == "scores_outside_unit")
        assert "-99 is far from all other scores." in warned.text
        assert a.n == N
    scanned = ca.scan(path, **columns, na="-99", unanswered="drop")
    assert (scanned["roc_auc"].value, scanned.n) == (expected, N - 3)
    done = call("assess", path, "--truth", "y", "--score", "p")
    assert "use --na -99 --unanswered drop." in " ".join(done.stdout.split())
    compared = call("compare", path, "--truth", "y", "--scores", "p,q")
    shown = " ".join(compared.stdout.split())
    assert "-99 is far from all other scores" in shown
    assert "999 is far from all other scores" in shown
    assert "The same warning concerns q." not in shown
    described = json_of("describe", path)
    arguments = described["commands"][0]["arguments"][1:]
    assert arguments[arguments.index("--na") + 1] == "-99,999"
    suggested = next(
        command["arguments"][1:] for command in described["commands"] if "--score" in command["arguments"]
    )
    assessed = json_of(*suggested)
    assert assessed["measures"]["roc_auc"]["value"] == expected


@pytest.mark.parametrize("code", [9, -9, 99, -1])
def test_a_code_among_labels_names_its_option(code, tmp_path):
    path = written(tmp_path, "csv", y=np.where(LACKS, code, Y), p=P)
    with pytest.raises(InputError, match=f"If {code} means 'no label', make it missing with None"):
        ca.assess(np.where(LACKS, code, Y), P)
    done = call("assess", path, "--truth", "y", "--score", "p")
    assert f"make it missing with --na {code}." in done.stderr
    described = json_of("describe", path)
    assessed = call(*described["commands"][0]["arguments"][1:], "--json", "-")
    value = json.loads(assessed.stdout)["measures"]["roc_auc"]["value"]
    assert value == ca.assess(Y[~LACKS], P[~LACKS])["roc_auc"].value


def test_a_code_that_another_column_has_as_a_value_is_told_and_not_suggested(tmp_path):
    """`--na 99` would leave out the rows of the group 99 too."""
    group = np.arange(N) % 3 + 97
    path = written(tmp_path, "csv", y=Y, p=np.where(LACKS, 99, P), ward=group)
    described = json_of("describe", path)
    assert "--na" not in described["commands"][0]["arguments"]
    (column,) = (column for column in described["columns"] if column["name"] == "p")
    assert "99 far from all others may stand for missing values: --na 99" in column["against"]


def test_a_warning_is_plain_for_python_and_the_command():
    (warned,) = (w for w in ca.assess(Y, np.where(LACKS, -99, P)).warnings if w.code == "scores_outside_unit")
    assert isinstance(warned, Warned)
    assert "replace it by NaN (na='-99' of a file), and use unanswered='drop'." in warned.text


def test_codes_among_class_scores():
    truth = RNG.integers(0, 3, N)
    scores = RNG.dirichlet([1, 1, 1], N)
    plain = ca.assess(truth, scores * 40, labels=[0, 1, 2])
    scores[:4, 0] = -99
    scores[2:7, 2] = 999
    coded = ca.assess(truth, scores, labels=[0, 1, 2])
    text, other = (dict(a.warnings)["raw_scores"] for a in (coded, plain))
    assert "-99 and 999 are far from all other scores. If they mean 'missing'" in text
    assert "far from" not in other
