"""A page of text: lines, columns and paragraphs on a Rich console of any width, colour and encoding."""

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from classay.report.words import unbroken
from classay.texts import clean

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

GAP = 2
INDENT = 2
MAX_WIDTH = 120  # lines longer than this are hard to follow from a title to its number
MIN_WIDTH = 60  # below this a narrow window does better to wrap the lines itself

ACCENT = "color(31)"  # one blue that reads on black and on white
ALARM = "bold color(172)"
QUIET = "dim"

# Only for encodings that lack the character; one that is not here is escaped.
_PLAIN = {
    **{
        "–": "-",
        "—": "-",
        "−": "-",
        "…": "...",
        "·": "|",
        "×": "x",
        "≥": ">=",
        "≤": "<=",
        "≠": "!=",
        "±": "+/-",
    },
    **{
        "→": "->",
        "↓": "(down)",
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "²": "^2",
        "≈": "~",
        "∞": "infinite",
    },
    **{
        "─": "-",
        "┃": "|",
        "√": "sqrt",
        "§": "section",
        "\u00a0": " ",
        "\u2009": " ",
        "\u202f": " ",
        "•": "*",
    },
    **{
        "α": "alpha",
        "β": "beta",
        "κ": "kappa",
        "χ": "chi",
        "Σ": "sum",
        "σ": "sigma",
        "μ": "mu",
        "Δ": "delta",
    },
}

_GLUE = "\ue000"  # a space that Rich does not break at; it breaks at the no-break space


class EncodedText(StringIO):
    """Text in memory that tells Rich which encoding it is meant for."""

    def __init__(self, encoding: str) -> None:
        super().__init__(newline="\n")
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding the text will end up in."""
        return self._encoding


class Page:
    """Writes lines on a console: fits characters to its encoding, wraps, and sets columns.

    Rich's own tables cannot let a reason run over two columns, nor keep an interval whole in a narrow window.
    """

    def __init__(self, console: "Console") -> None:
        self.console = console
        self.width = max(min(console.width, MAX_WIDTH), MIN_WIDTH)
        self.has_colour = console.is_terminal and console.color_system is not None and not console.no_color
        self._can_encode: dict[str, bool] = {}

    def fit(self, text: str) -> str:
        """The text in characters that the console's encoding has."""
        return "".join(c if c == _GLUE or self.encodes(c) else _fallback(c) for c in text)

    def encodes(self, character: str) -> bool:
        """Whether the console can show the character."""
        if character not in self._can_encode:
            try:
                character.encode(self.console.encoding)
            except UnicodeEncodeError:
                self._can_encode[character] = False
            else:
                self._can_encode[character] = True
        return self._can_encode[character]

    def text(self, text: str, style: str = "") -> "Text":
        """The text, literally: markup and highlighting are left alone."""
        from rich.text import Text

        return Text(self.fit(unbroken(clean(text)).replace("\u00a0", _GLUE)), style=style)

    def label(self, text: str, width: int) -> "Text":
        """A label in at most `width` cells: emoji and ideographs take two, an escaped character more."""
        from rich.text import Text

        pieces = [self.fit(character) for character in clean(text)]
        whole = Text("".join(pieces))
        if whole.cell_len <= width:
            return whole
        ellipsis = self.fit("…")
        kept = Text("")
        for piece in pieces:
            if kept.cell_len + Text(piece).cell_len + len(ellipsis) > width:
                break
            kept.append(piece)
        kept.rstrip()
        kept.append(ellipsis[:width])
        return kept

    def line(self, *parts: "Text") -> None:
        """One line made of the parts."""
        from rich.text import Text

        joined = Text.assemble(*parts)
        joined.rstrip()
        joined.plain = joined.plain.replace(_GLUE, " ")
        self.console.print(joined, soft_wrap=True, highlight=False, markup=False, emoji=False)

    def columns(
        self, cells: Sequence["Text"], widths: Sequence[int], align: str = "", indent: int = INDENT
    ) -> None:
        """One row of a table; long cells wrap inside their column. `align` has an "l" or an "r" for each."""
        from rich.text import Text

        wrapped = [
            list(cell.wrap(self.console, max(width, 1))) if cell.cell_len > width else [cell]
            for cell, width in zip(cells, widths, strict=True)
        ]
        for lines in zip(*_padded(wrapped), strict=True):
            parts = [Text(" " * indent)]
            for k, (piece, width) in enumerate(zip(lines, widths, strict=True)):
                piece.rstrip()
                room = Text(" " * max(width - piece.cell_len, 0))
                parts += [room, piece] if align[k : k + 1] == "r" else [piece, room]
                parts.append(Text(" " * GAP))
            self.line(*parts)

    def paragraph(self, text: "Text", lead: "Text | None" = None, indent: int = INDENT) -> None:
        """A paragraph with a hanging indent behind its lead (a bullet, a word)."""
        from rich.text import Text

        lead = lead or Text("")
        self.columns([lead, text], [lead.cell_len, self.width - indent - lead.cell_len - GAP], indent=indent)

    def prose(self, text: str) -> None:
        """A paragraph of running text."""
        self.columns([self.text(text)], [self.width - INDENT])

    def heading(self, text: str, style: str = f"bold {ACCENT}") -> None:
        """A blank line and the title of a section."""
        self.line()
        self.columns([self.text(text, style)], [self.width], indent=0)

    def quiet(self, text: str) -> None:
        """A note under a table."""
        self.columns([self.text(text, style=QUIET)], [self.width - INDENT])


def _fallback(character: str) -> str:
    return _PLAIN.get(character) or character.encode("unicode_escape").decode("ascii")


def _padded(wrapped: list[list["Text"]]) -> Iterator[list["Text"]]:
    from rich.text import Text

    height = max(len(lines) for lines in wrapped)
    for lines in wrapped:
        yield lines + [Text("") for _ in range(height - len(lines))]


def widest(texts: Iterable[str]) -> int:
    """Cells of the widest text."""
    from rich.cells import cell_len

    return max((cell_len(text) for text in texts), default=0)
