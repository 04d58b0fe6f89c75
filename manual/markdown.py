"""Pieces of Markdown."""

from collections.abc import Iterable, Sequence

MADE = "<!-- Made by `python -m manual`; do not edit. -->\n\n"


def page(title: str, *parts: str) -> str:
    """A made page: its title, what made it, its parts with an empty line between them."""
    return f"# {title}\n\n{MADE}" + "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars in cells are escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(cell, line))} |" for line in lines)


def cell(text: str) -> str:
    """A text as it can stand in a table: on one line, no bar of its own."""
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str) -> str:
    """A name or formula in the letters of code."""
    return f"`{text}`" if text else ""


def codes(names: Iterable[str]) -> str:
    """Several of them."""
    return ", ".join(map(code, names))


def prose(text: str) -> str:
    """A plain text whose signs mean nothing to Markdown, outside `code`."""
    parts = text.split("`")
    for i in range(0, len(parts), 2):
        for sign in "*_<[":
            parts[i] = parts[i].replace(sign, f"\\{sign}")
    return "`".join(parts)


def docstring(text: str) -> str:
    """A docstring as Markdown: paragraphs, and indented or interactive lines as code."""
    blocks: list[str] = []
    for paragraph in filter(str.strip, text.strip("\n").split("\n\n")):
        if ">>> " in paragraph or paragraph.startswith("    ") or paragraph.strip().startswith("| "):
            plain = paragraph.strip("\n")
            if blocks and blocks[-1].startswith("```"):
                blocks[-1] = blocks[-1].removesuffix("\n```") + f"\n\n{plain}\n```"
            else:
                blocks.append(f"```pycon\n{plain}\n```" if ">>> " in plain else f"```text\n{plain}\n```")
        else:
            blocks.append(prose(paragraph))
    return "\n\n".join(blocks)
