"""The page of a terminal: its width, its colours and its characters; lines and columns are written on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
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

    def __init__(self, console: Console) -> None:
        self.console = console
        self.width = max(min(console.width, MAX_WIDTH), MIN_WIDTH)
        self.has_colour = console.is_terminal and console.color_system is not None and not console.no_color
        self._can_encode: dict[str, bool] = {}
        self._told: set[frozenset[tuple[str, ...]]] = set()
        self._lines: list[Text] = []

    def fit(self, text: str) -> str:
        """Return the text in characters that the console's encoding has."""
        if text.isascii():
            return text
        return "".join(c if c == _GLUE or self.encodes(c) else _fallback(c) for c in text)

    def encodes(self, character: str) -> bool:
        """Check whether the console can show the character."""
        if character not in self._can_encode:
            try:
                character.encode(self.console.encoding)
            except UnicodeEncodeError:
                self._can_encode[character] = False
            else:
                self._can_encode[character] = True
        return self._can_encode[character]

    def text(self, text: str, style: str = "") -> Text:
        """Return the text, literally: markup and highlighting are left alone."""
        from rich.text import Text

        return Text(self.fit(unbroken(clean(text)).replace("\u00a0", _GLUE)), style=style)

    def label(self, text: str, width: int, beside: Sequence[str] = ()) -> Text:
        """Return a label in at most `width` cells; emoji and ideographs take two, an escaped character more.

        If one of the labels beside it begins with what would be left of it after a cut, its end is kept too.
        """
        from rich.text import Text

        pieces = [self.fit(character) for character in clean(text)]
        label_text = Text("".join(pieces))
        if label_text.cell_len <= width:
            return label_text
        ellipsis = self.fit("…")
        room = width - len(ellipsis)
        begin = text[: max(room, 1)]
        is_alike = any(other != text and other.startswith(begin) for other in beside)
        end = fitting(pieces[::-1], room * 2 // 3)[::-1] if is_alike else []
        kept = Text("".join(fitting(pieces, room - Text("".join(end)).cell_len)))
        kept.rstrip()
        kept.append(ellipsis[:width])
        kept.append("".join(end))
        return kept

    def line(self, *parts: Text | str) -> None:
        """One line made of the parts."""
        from rich.text import Text

        joined = Text.assemble(*parts)
        joined.rstrip()
        if _GLUE in joined.plain:
            joined.plain = joined.plain.replace(_GLUE, " ")
        self._lines.append(joined)

    def print(self) -> None:
        """Print all lines at once: each print of Rich asks anew what its console is."""
        from rich.text import Text

        text = Text("\n").join(self._lines)
        self.console.print(text, soft_wrap=True, highlight=False, markup=False, emoji=False)
        self._lines.clear()

    def columns(
        self, cells: Sequence[Text], widths: Sequence[int], align: str = "", indent: int = INDENT
    ) -> None:
        """One row of a table; long cells wrap inside their column. `align` has an "l" or an "r" for each."""
        wrapped = [
            list(cell.wrap(self.console, max(width, 1))) if cell.cell_len > width else [cell]
            for cell, width in zip(cells, widths, strict=True)
        ]
        for lines in zip(*_padded(wrapped), strict=True):
            parts: list[Text | str] = [" " * indent]
            for k, (piece, width) in enumerate(zip(lines, widths, strict=True)):
                piece.rstrip()
                room = " " * max(width - piece.cell_len, 0)
                parts += [room, piece] if align[k : k + 1] == "r" else [piece, room]
                parts.append(" " * GAP)
            self.line(*parts)

    def paragraph(self, text: Text, lead: Text | None = None, indent: int = INDENT) -> None:
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

    def is_new(self, notices: Set[tuple[str, ...]]) -> bool:
        """Check whether these rows were not written before; they count as written from now on."""
        key = frozenset(notices)
        is_new = key not in self._told
        self._told.add(key)
        return is_new

    def quiet(self, text: str) -> None:
        """A note under a table."""
        self.columns([self.text(text, style=QUIET)], [self.width - INDENT])


def _fallback(character: str) -> str:
    return _PLAIN.get(character) or character.encode("unicode_escape").decode("ascii")


def _padded(wrapped: list[list[Text]]) -> Iterator[list[Text]]:
    from rich.text import Text

    height = max(len(lines) for lines in wrapped)
    for lines in wrapped:
        yield lines + [Text("") for _ in range(height - len(lines))]


def widest(texts: Iterable[str]) -> int:
    """Cells of the widest text."""
    from rich.cells import cell_len

    return max((cell_len(text) for text in texts), default=0)


def fitting(pieces: Sequence[str], room: int) -> list[str]:
    """Return the first of the pieces, as many as fit."""
    from rich.cells import cell_len

    kept: list[str] = []
    for piece in pieces:
        room -= cell_len(piece)
        if room < 0:
            break
        kept.append(piece)
    return kept
