"""Pieces of Markdown."""

import re
import textwrap
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


SECTION = re.compile(r"^(\w+)\n-{3,}\n", re.MULTILINE)
"""The head of a section of a numpydoc docstring."""


def sections(text: str) -> dict[str, str]:
    """The sections of a numpydoc docstring by their names; what stands before the first has the name ""."""
    about, *rest = SECTION.split(text.strip("\n") + "\n")
    return {"": about} | dict(zip(rest[::2], rest[1::2], strict=True))


def entries(text: str) -> list[tuple[str, str, str]]:
    """The entries of a section, such as its parameters: name, type, and what is said of it."""
    found = []
    for head, said in re.findall(r"^(\S.*)\n((?:(?:[ ]{4}.*)?\n)*)", text, re.MULTILINE):
        name, _, kind = head.partition(" : ")
        found.append((name, kind, textwrap.dedent(said).strip("\n")))
    return found


def docstring(text: str) -> str:
    """A docstring as Markdown: parameters as a table, what it raises as a list, examples as code."""
    found = sections(text)
    parts = [paragraphs(found.pop(""))]
    for name, said in found.items():
        if name in ("Parameters", "Attributes"):
            rows = [[code(of), code(kind), prose(about)] for of, kind, about in entries(said)]
            parts.append(table([name.lower().removesuffix("s"), "type", "meaning"], rows))
        elif name in ("Returns", "Raises"):
            lines = [(code(of), line) for of, _, about in entries(said) for line in items(about)]
            parts.append(f"**{name}**\n\n" + "\n".join(f"- {of}: {prose(line)}" for of, line in lines))
        elif name == "Examples":
            parts.append(paragraphs(said))
        else:
            parts.append(f"**{name}**\n\n{paragraphs(said)}")
    return "\n\n".join(parts)


def items(text: str) -> list[str]:
    """The conditions of an error, each of which starts with If; any other text as it is, on one line."""
    return [" ".join(item.split()) for item in re.split(r"\n(?=If )", text)]


def paragraphs(text: str) -> str:
    """Paragraphs as Markdown, and indented or interactive lines as code."""
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
