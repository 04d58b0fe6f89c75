"""A document as a Word file: tables with a style and captions, pictures, warnings, methods and references.

Pictures are PNG of 300 dpi, because python-docx takes no drawing; their SVG lies beside the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

from classay.office.characters import for_xml, unmarked
from classay.report.document import (
    COVERS,
    Diagram,
    Document,
    Figure,
    Figures,
    Listing,
    Matrix,
    Part,
    Prose,
    Section,
    Table,
)
from classay.report.forms import FileForm, Pages
from classay.report.paper import MATRIX_CLASSES, PrintedTable, methods_of, printed
from classay.report.pictures import plots
from classay.report.words import unbroken

if TYPE_CHECKING:
    from docx.document import Document as WordDocument

    from classay.curves.curve import Curve

MOST_ROWS = 2_000
"""Rows of a table: Word needs minutes for a table of many more."""
BESIDE = "-figure-{}.svg"
"""Names of the drawings beside a Word file, after its own."""
MOST_PICTURES = 99
"""Drawings that replace no other output and no input; a page has fewer."""
DPI = 300
TEXT_WIDTH = 9_360
"""Twentieths of a point between the margins."""
NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def as_docx(pages: Pages) -> Mapping[str, bytes]:
    """Return the document for a paper as a Word file, and the drawings of its pictures as SVG."""
    written = _Word(pages.paper().complete)
    drawings = written.write([*_figures(pages.page())])
    file = BytesIO()
    written.word.save(file)
    beside = {BESIDE.format(k): drawing for k, drawing in enumerate(drawings, 1)}
    return {"": file.getvalue()} | beside


DOCX = FileForm("writing a Word file", ("docx", "matplotlib"), as_docx)


def _figures(page: Document) -> Iterator[Figure]:
    """Yield the pictures that a page shows at once."""
    for section in page.sections:
        for part in section.parts:
            if isinstance(part, Figures):
                yield from part.shown


class _Word:
    """A Word file that is written from top to bottom, and the numbers of its tables and figures."""

    def __init__(self, document: Document) -> None:
        import docx
        from docx.shared import Inches, Pt

        self.document = document
        self.word: WordDocument = docx.Document()
        self.numbers = {"Table": 0, "Figure": 0}
        page = self.word.sections[0]
        page.left_margin = page.right_margin = page.top_margin = page.bottom_margin = Inches(1)
        self.word.styles["Normal"].font.size = Pt(10)
        self.word.styles.element.append(_style_of_tables())
        about = self.word.core_properties
        about.title, about.author = for_xml(document.title)[:255], f"classay {document.version}"
        about.comments = ""
        package = self.word.part.package
        for name, relation in [*package.rels.items()]:
            if relation.reltype.endswith("/thumbnail"):  # of python-docx's own sample
                del package.rels[name]

    def write(self, figures: Sequence[Figure]) -> list[bytes]:
        """Write everything, and return the drawings of the figures."""
        status = f"{self.document.status}: " if self.document.status else ""
        self.word.add_heading(for_xml(status + self.document.title), 0)
        for sentence in self.document.verdict:
            self.word.add_paragraph(unmarked(sentence))
        if facts := [[name, text] for name, text in self.document.arranged.facts]:
            self._table(PrintedTable("Data and settings", (), "ll", ["", ""], facts))
        warned = [section for section in self.document.sections if section.role == "warnings"]
        plain = [section for section in self.document.sections if section.role == "plain"]
        for section in (*warned, *plain):
            if section.title != COVERS:
                self._section(section)
        if figures:
            self.word.add_heading("Figures", 1)
        drawings = [drawing for figure in figures for drawing in self._figure(figure)]
        self.word.add_heading("Methods", 1)
        for paragraph in methods_of(self.document).split("\n\n"):
            self.word.add_paragraph(unmarked(paragraph))
        return drawings

    def _section(self, section: Section) -> None:
        if section.title:
            self.word.add_heading(for_xml(section.title), 1)
        for part in section.parts:
            self._part(part, section.title or self.document.title)

    def _part(self, part: Part, title: str) -> None:
        if isinstance(part, Table):
            self._table(printed(part, title, MOST_ROWS))
        elif isinstance(part, Matrix):
            shown = part.within(MATRIX_CLASSES)
            self._table(printed(shown, title))
            self._note(shown.said)
        elif isinstance(part, Prose):
            self.word.add_paragraph(unmarked(part.text))
        elif isinstance(part, Listing):
            for _, text in part.items:
                self.word.add_paragraph(unmarked(text), "List Bullet")
        elif isinstance(part, Diagram):
            rows = [[name, number, marks] for name, number, marks in part.lines]
            self._table(PrintedTable(title, (), "lrl", [*part.heads, ""], rows))
            self._note(part.note)

    def _table(self, table: PrintedTable) -> None:
        """Write a table below its caption, with its notes below it."""
        if not table.rows:
            return
        self._caption("Table", f"{table.title}.").paragraph_format.keep_with_next = True
        self.word.element.body.insert_element_before(_table_of(table), "w:sectPr")
        rest = (
            f"The table shows the first {len(table.rows):,} of {len(table.rows) + table.more:,} rows. An Excel file "
            "has all rows."
            if table.more
            else ""
        )
        self._note(" ".join(filter(None, (*table.notes, rest))), always=True)

    def _note(self, text: str, *, always: bool = False) -> None:
        from docx.shared import Pt

        if text or always:  # an empty one keeps two tables from growing together
            paragraph = self.word.add_paragraph()
            paragraph.paragraph_format.space_before = Pt(3)
            paragraph.add_run(unmarked(text)).font.size = Pt(8)

    def _caption(self, kind: str, text: str) -> Any:
        self.numbers[kind] += 1
        paragraph = self.word.add_paragraph(style="Caption")
        paragraph.add_run(f"{kind} ")
        paragraph._p.append(_field(kind, self.numbers[kind]))
        paragraph.add_run(f". {unmarked(text)}")
        return paragraph

    def _figure(self, figure: Figure) -> Iterator[bytes]:
        """Write the pictures of a figure, one for each name among its curves, and yield their drawings."""
        from docx.shared import Mm

        by_name: dict[str, list[Curve]] = {}
        for curve in figure.curves:
            by_name.setdefault(curve.name, []).append(curve)
        for curves in by_name.values():
            raster, drawing = _drawn(curves)
            self.word.add_picture(BytesIO(raster), width=Mm(89))
            self.word.paragraphs[-1].paragraph_format.keep_with_next = True
            self._caption("Figure", f"{figure.title or curves[0].title}.")
            yield drawing


def _drawn(curves: Sequence[Curve]) -> tuple[bytes, bytes]:
    """Return the picture of curves as PNG and as SVG, each drawn once: `savefig` draws everything twice."""
    from matplotlib import pyplot
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    picture = plots.plot(curves, None, "one column").figure
    pyplot.close(picture)
    raster, drawing = BytesIO(), BytesIO()
    picture.set_dpi(DPI)
    FigureCanvasAgg(picture).print_png(  # type: ignore[no-untyped-call]
        raster, pil_kwargs={"compress_level": 3, "dpi": (DPI, DPI)}
    )
    picture.set_layout_engine("none")  # it has its places by now
    FigureCanvasSVG(picture).print_svg(drawing)  # type: ignore[no-untyped-call]
    return raster.getvalue(), drawing.getvalue()


def _style_of_tables() -> Any:
    """The style of all tables: lines above, below and under the heads, as journals have them."""
    from docx.oxml import parse_xml

    line = 'w:val="single" w:sz="8" w:space="0" w:color="auto"'
    return parse_xml(
        f'<w:style {NAMESPACE} w:type="table" w:customStyle="1" w:styleId="{STYLE}"><w:name w:val="classay table"/>'
        '<w:basedOn w:val="TableNormal"/><w:uiPriority w:val="99"/>'
        '<w:pPr><w:spacing w:before="20" w:after="20" w:line="240" w:lineRule="auto"/></w:pPr>'
        '<w:rPr><w:sz w:val="18"/></w:rPr>'
        f"<w:tblPr><w:tblBorders><w:top {line}/><w:bottom {line}/></w:tblBorders>"
        '<w:tblCellMar><w:left w:w="70" w:type="dxa"/><w:right w:w="70" w:type="dxa"/></w:tblCellMar></w:tblPr>'
        '<w:tblStylePr w:type="firstRow"><w:rPr><w:b/></w:rPr><w:tcPr><w:tcBorders>'
        f"<w:bottom {line}/></w:tcBorders></w:tcPr></w:tblStylePr></w:style>"
    )


STYLE = "AssayTable"
LONGEST = 45
"""Letters of a cell beyond which its column gets no wider."""
LETTER, MARGIN = 125, 170
"""Width of a letter, and room at both sides of a cell, in twentieths of a point."""
TOGETHER = 25
"""Rows of a table up to which all stand on one page."""


def _widths(columns: Sequence[Sequence[str]]) -> tuple[list[int], int]:
    """Return widths of columns that break no word, if there is room, and the size of letters in half points."""
    wanted = [MARGIN + LETTER * min(max(map(len, texts)), LONGEST) for texts in columns]
    if sum(wanted) <= TEXT_WIDTH:
        return wanted, 18
    least = [
        MARGIN + LETTER * max(len(word) for text in texts for word in f"{text} ".split(" "))
        for texts in columns
    ]
    least = [min(*pair) for pair in zip(least, wanted, strict=True)]
    if sum(least) >= TEXT_WIDTH:
        return [int(width * TEXT_WIDTH / sum(least)) for width in least], max(
            18 * TEXT_WIDTH // sum(least), 10
        )
    share = (TEXT_WIDTH - sum(least)) / (sum(wanted) - sum(least))
    return [int(low + share * (high - low)) for low, high in zip(least, wanted, strict=True)], 18


def _table_of(table: PrintedTable) -> Any:
    """The XML of a table: written whole, because python-docx takes a millisecond for each cell."""
    from docx.oxml import parse_xml

    has_head = any(table.heads)
    rows = [
        [unbroken(for_xml(text)) for text in row] for row in ([table.heads] if has_head else []) + table.rows
    ]
    widths, size = _widths([*zip(*rows, strict=True)])
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in widths)
    looks = [
        (width, "right" if side == "r" else "left", size)
        for width, side in zip(widths, table.align, strict=True)
    ]
    last = len(rows) - 1 if len(rows) <= TOGETHER else 0
    lines = "".join(
        f"<w:tr>{_HEAD if k == 0 and has_head else _ROW}{_cells(row, looks, k < last)}</w:tr>"
        for k, row in enumerate(rows)
    )
    look = f'<w:tblLook w:val="06{2 * has_head}0" w:firstRow="{int(has_head)}"/>'
    return parse_xml(
        f'<w:tbl {NAMESPACE}><w:tblPr><w:tblStyle w:val="{STYLE}"/><w:tblW w:w="{sum(widths)}" w:type="dxa"/>'
        f"{look}</w:tblPr><w:tblGrid>{grid}</w:tblGrid>{lines}</w:tbl>"
    )


_ROW = "<w:trPr><w:cantSplit/></w:trPr>"
_HEAD = "<w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>"


def _cells(row: Sequence[str], looks: Sequence[tuple[int, str, int]], is_kept: bool) -> str:  # noqa: FBT001
    kept = "<w:keepNext/>" if is_kept else ""
    return "".join(
        f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/></w:tcPr><w:p><w:pPr>{kept}<w:jc w:val="{side}"/></w:pPr>'
        f'<w:r><w:rPr><w:sz w:val="{size}"/></w:rPr><w:t xml:space="preserve">{escape(text, quote=False)}</w:t></w:r>'
        "</w:p></w:tc>"
        for text, (width, side, size) in zip(row, looks, strict=True)
    )


def _field(kind: str, number: int) -> Any:
    """A number that Word counts again when tables or figures are moved."""
    from docx.oxml import parse_xml

    return parse_xml(
        f'<w:fldSimple {NAMESPACE} w:instr=" SEQ {kind} \\* ARABIC "><w:r><w:t>{number}</w:t></w:r></w:fldSimple>'
    )
