"""One table as European programs write it: read as it is, or refused, never as another one."""

import gzip
import tempfile
from pathlib import Path

from hypothesis import strategies as st

from .contract import hold
from .outside.files import EDITS, damaged

GROUPS = {",": ["", ".", " ", "\u00a0", "\u202f"], ".": ["", ",", "'", " ", "’"]}
TITLES = [[], ["Cohort 3"], ["Cohort", ""], ["", "exported today", ""]]
TOTALS = [[], ["Summe"], ["Total:"], ["n = 7"], ["Mean", "n = 7"]]
WORDS = ["", "NA", "unknown", "k.A.", "-9", "entfällt"]
ENDS = ["\n", "\r\n", "\n\n"]
INPUTS = st.fixed_dictionaries(
    {
        "rows": st.lists(
            st.tuples(st.sampled_from(["yes", "no"]), st.integers(0, 1000), st.integers(0, 2_000_000)),
            min_size=3,
            max_size=9,
        ),
        "gaps": st.sets(st.integers(1, 8), max_size=2),
        "delimiter": st.sampled_from([";", ";", "\t", "|"]),
        "decimal": st.sampled_from([",", ",", "."]),
        "group": st.integers(0, 4),
        "percent": st.booleans(),
        "word": st.sampled_from(WORDS),
        "title": st.sampled_from(TITLES),
        "heads": st.booleans(),
        "units": st.booleans(),
        "totals": st.sampled_from(TOTALS),
        "end": st.sampled_from(ENDS),
        "encoding": st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16"]),
        "gzip": st.booleans(),
        "options": st.sets(st.sampled_from(["decimal", "na", "delimiter"])),
        "bytes": st.sampled_from([None, None, 40, 200]),
        "edits": st.one_of(st.just([]), st.just([]), EDITS),
    }
)


def lines_of(given):
    """The lines of the file, and the numbers of its columns."""
    mark, delimiter = given["decimal"], given["delimiter"]
    group = GROUPS[mark][given["group"]]
    p, n, lines = [], [], []
    for k, (label, thousandth, number) in enumerate(given["rows"]):
        share = thousandth / 1000
        shown = f"{thousandth / 10:.1f} %" if given["percent"] else f"{share:.3f}"
        p.append(None if k in given["gaps"] else share)
        n.append(number)
        shown = given["word"] if k in given["gaps"] else shown.replace(".", mark)
        cells = [f"P{k}", label, shown, f"{number:,}".replace(",", group)]
        lines.append(delimiter.join(cells))
    head = [*given["title"]]
    if given["heads"]:
        head.append(delimiter.join(["Patient", "", "Model", ""]))
    head.append(delimiter.join(["id", "y", "p", "n"]))
    if given["units"]:
        head.append(delimiter.join(["", "", "[1]", "mg/l"]))
    totals = [delimiter.join([word, "", "", ""]) for word in given["totals"]]
    return [*head, *lines, *totals], p, n


def content_of(given):
    """The bytes of the file."""
    text = given["end"].join(lines_of(given)[0]) + "\n"
    content = text.encode(given["encoding"])
    return damaged(gzip.compress(content, mtime=0) if given["gzip"] else content, given["edits"])


def check(given):
    """Read the file with some of its options, and compare what came of it."""
    from classay.formats.layout import Layout
    from classay.sources.files import read_table

    options = given["options"]
    na = given["word"] if "na" in options else None
    layout = Layout(decimal=given["decimal"] if "decimal" in options else None, na=na or None)
    delimiter = given["delimiter"] if options else None  # which nothing else is read without
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.csv.gz" if given["gzip"] else "rows.csv")
        path.write_bytes(content_of(given))
        if given["bytes"] is not None:
            check_parts(given, path, delimiter, layout)
            return
        table = read_table(path, ["id", "y", "p", "n"], labels=["y"], delimiter=delimiter, layout=(layout,))
    if given["edits"]:
        table.validate(full=True)
        return
    _, p, n = lines_of(given)
    hold(table["y"].to_pylist() == [row[0] for row in given["rows"]], "other labels", table.to_pylist())
    is_code = given["word"] == "-9" and na is None
    for name, numbers in (("p", p), ("n", n)):
        values = table[name].to_pylist()
        if any(isinstance(value, str) for value in values):
            continue  # what is text is refused where numbers are needed
        expected = [-9 if number is None and is_code else number for number in numbers]
        if name == "p" and is_code and given["percent"]:
            continue
        hold(_are_same(values, expected), f"other numbers in {name}", f"{values} {expected}")


def check_parts(given, path, delimiter, layout):
    """Count the file in parts of few bytes: the AUC is that of the rows, or the file is refused."""
    import classay as ca
    from classay.in_parts import text_parts

    before, text_parts.BYTES = text_parts.BYTES, given["bytes"]
    how = {"positive": "yes", "unanswered": "drop"}
    try:
        a = ca.scan(
            str(path), truth="y", score="p", delimiter=delimiter, decimal=layout.decimal, na=layout.na, **how
        )
    finally:
        text_parts.BYTES = before
    if given["edits"]:
        return
    is_code = given["word"] == "-9" and layout.na is None
    scores = [-9 if number is None and is_code else number for number in lines_of(given)[1]]
    wanted = ca.assess([row[0] for row in given["rows"]], scores, **how)
    hold(a.rows == wanted.rows, "other rows in parts", f"{a.rows} {wanted.rows}")
    values = [each["roc_auc"].value for each in (a, wanted)]
    hold(
        abs(values[0] - values[1]) < 1e-9 or values[0] != values[0] != values[1],
        "another AUC in parts",
        values,
    )


def _are_same(values, expected):
    return len(values) == len(expected) and all(
        (value is None) == (number is None) and (value is None or abs(value - number) < 1e-9)
        for value, number in zip(values, expected, strict=True)
    )
