"""CSV for spreadsheets: no text is a formula, numbers stay numbers, and all is read again as it was."""

import csv
import io
import re
from pathlib import Path

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import csv as arrow_csv

import classay
from classay.files.sheets import as_csv, guarded_text, plain_text

TEXTS = st.text(alphabet="'=+-@\t\r\n1.e,\" aé;", max_size=6)


@given(st.lists(TEXTS, min_size=1, max_size=5))
@example(
    ["=1+1", "+1", "-1", "-a", "@x", "\tx", "\rx", "'=x", "'x", "-", "+", "=", "", "NA", "x;=1", "x;'=1"]
)
def test_texts_are_no_formulas_and_are_read_again(texts):
    for column in (pa.array(texts), pa.array(texts, pa.large_string()), pa.array(texts).dictionary_encode()):
        written = as_csv(pa.table({"=n": column, "x": pa.array(range(len(texts)))}))
        header, *rows = csv.reader(io.StringIO(written.decode(), newline=""))
        assert header == ["'=n", "x"]
        for (cell, _), text in zip(rows, texts, strict=True):
            assert plain_text(cell) == text
            if len(cell) > 1 and cell[0] in "=+-@\t\r":
                assert cell[0] == "-"
                assert float(cell) == float(text)
        read = arrow_csv.read_csv(
            io.BytesIO(written),
            parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(column_types={"'=n": pa.string()}),
        )
        assert [plain_text(text) for text in read["'=n"].to_pylist()] == texts


@given(TEXTS)
@example("x;=1+1")
@example('x";=1+1;"')
@example('x;"=1+1')
@example("a\n=1+1")
@example("a\r@b")
@example("x;-1+a;-1;-")
def test_no_text_is_a_formula_where_cells_end_at_semicolons(text):
    """A program with other settings divides cells at semicolons, tabs and ends of lines, also within quotes."""
    for cell in re.split(r'[;\t\r\n]"*', guarded_text(text)):
        is_harmless = cell in [*"=+-@"] or re.fullmatch(r"-(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", cell)
        assert cell[:1] not in [*"=+-@"] or is_harmless
    assert plain_text(guarded_text(text)) == text


@given(TEXTS, TEXTS)
def test_no_two_texts_are_written_alike(one, other):
    assert (guarded_text(one) == guarded_text(other)) == (one == other)


def test_numbers_and_what_is_missing_stay():
    table = pa.table({"a": [-1, None], "b": [-0.5, float("-inf")], "c": pa.array([None, "-2.5e-3"])})
    assert as_csv(table).decode() == '"a","b","c"\n-1,-0.5,\n,-inf,"-2.5e-3"\n'


def test_nothing_else_writes_csv():
    writers = [
        path.name
        for path in Path(classay.__file__).parent.rglob("*.py")
        if re.search(r"write_csv\(|csv\.(Dict)?[wW]riter|CSVWriter|\.to_csv\(", path.read_text("utf-8"))
    ]
    assert not {*writers} - {"sheets.py"}
