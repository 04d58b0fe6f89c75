"""Calls in which each option of a file's layout matters, for the sweep over all options of all commands.

Each is derived from the command's call with --delimiter, whose files are written in other layouts here.
"""

import zipfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

Rows = list[list[Any]]
Call = tuple[tuple[str, ...], tuple[str, ...]]


def write_book(path: str | Path, sheets: dict[str, Rows]) -> None:
    """Write a workbook of texts and numbers, as small as Excel takes it."""
    kinds = "http://schemas.openxmlformats.org/"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        tags, links = "", ""
        for number, (name, rows) in enumerate(sheets.items(), 1):
            tags += f'<sheet name="{escape(name)}" sheetId="{number}" r:id="r{number}"/>'
            links += (
                f'<Relationship Id="r{number}" Type="{kinds}officeDocument/2006/relationships/worksheet" '
                f'Target="worksheets/sheet{number}.xml"/>'
            )
            lines = "".join(f'<row r="{r}">{_cells(row, r)}</row>' for r, row in enumerate(rows, 1))
            archive.writestr(
                f"xl/worksheets/sheet{number}.xml",
                f'<worksheet xmlns="{kinds}spreadsheetml/2006/main"><sheetData>{lines}</sheetData></worksheet>',
            )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{kinds}spreadsheetml/2006/main" '
            f'xmlns:r="{kinds}officeDocument/2006/relationships"><sheets>{tags}</sheets></workbook>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{kinds}package/2006/relationships"><Relationship Id="r0" '
            f'Type="{kinds}officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/>'
            "</Relationships>",
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{kinds}package/2006/relationships">{links}</Relationships>',
        )


def _cells(row: list[Any], number: int) -> str:
    cells = ""
    for place, value in enumerate(row):
        at = f'r="{chr(65 + place)}{number}"'
        if isinstance(value, str):
            cells += f'<c {at} t="inlineStr"><is><t>{escape(value)}</t></is></c>' if value else ""
        else:
            cells += f"<c {at}><v>{value}</v></c>"
    return cells


def _typed(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def written_otherwise(name: str) -> None:
    """Write a file of semicolons in each layout, beside it."""
    lines = [line.split(";") for line in Path(name).read_text().splitlines()]
    head, *rows = lines
    table = [head, *([_typed(cell) for cell in row] for row in rows)]
    write_book(f"{name}.two.xlsx", {"rows": table, "notes": [["none"]]})
    write_book(f"{name}.title.xlsx", {"rows": [["A title"], [], *table]})
    changed = {
        "comma": [head, *([cell.replace(".", ",") for cell in row] for row in rows)],
        "unknown": [head, ["unknown"] * len(head), *rows],
        "lines": [["A title"], ["made by a program"], *lines],
        "dates": [
            head,
            *(
                [
                    f"2025/04/{1 + k % 28:02d}" if name == "p" else cell
                    for name, cell in zip(head, row, strict=True)
                ]
                for k, row in enumerate(rows)
            ),
        ],
    }
    at = 0 if "y" not in head else head.index("y")
    changed["rows"] = [[cell for k, cell in enumerate(line) if k != at] for line in lines]
    Path(f"{name}.more.csv").write_text("\n".join(line[at] for line in lines) + "\n")
    for word, cells in changed.items():
        Path(f"{name}.{word}.csv").write_text("\n".join(";".join(row) for row in cells) + "\n")


def write_inputs_after() -> None:
    """Write each file that a call with --delimiter reads in other layouts."""
    for path in [*Path().glob("*semi*.csv")]:
        written_otherwise(str(path))


def used_from_delimiter(base: tuple[str, ...], delimiter: tuple[str, ...]) -> dict[str, Call]:
    """Calls for the options of a layout, from the base call with --delimiter and this option."""

    def renamed(ending: str, *more: str) -> tuple[str, ...]:
        return (*(f"{word}.{ending}" if word.endswith(".csv") else word for word in base), *more)

    return {
        "--sheet": (renamed("two.xlsx"), ("--sheet", "rows")),
        "--range": (renamed("title.xlsx"), ("--range", "A3:Z999")),
        "--decimal": (renamed("comma.csv", *delimiter), ("--decimal", ",")),
        "--na": (renamed("unknown.csv", *delimiter), ("--na", "unknown")),
        "--header-line": (renamed("lines.csv", *delimiter), ("--header-line", "3")),
        "--columns-from": (renamed("rows.csv", *delimiter), ("--columns-from", f"{base[0]}.more.csv")),
        "--date-format": (renamed("dates.csv", *delimiter), ("--date-format", "%d.%m.%Y")),
    }


MAY_BE_REFUSED = ("--na", "--date-format")
"""Options whose calls then say what is missing, or that dates are no scores."""
