"""Notebooks, made from the tutorials: a cell for each block of Python, one for each text between them."""

import json
import re
from pathlib import Path

BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"^```(?:text|sh)\n((?:\$ )?classay .*?)^```\n", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"\A\s*```text\n(?!\$ ).*?^```\n", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^]]*)\]\((?!https?:|#)[^)]*\)")


def tutorials(docs: Path) -> list[Path]:
    """The pages that are notebooks too."""
    return sorted(each for each in (docs / "tutorials").glob("*.md") if each.stem != "index")


def notebook(page: Path) -> str:
    """A page as a notebook without outputs; what its Python prints is left out, because running it shows that."""
    cells = []
    rest = page.read_text(encoding="utf-8")
    while found := min(
        filter(None, (BLOCK.search(rest), COMMANDS.search(rest))), key=lambda m: m.start(), default=None
    ):
        cells += _text(rest[: found.start()])
        source = found[1] if found.re is BLOCK else "".join(map("!{}\n".format, _commands(found[1])))
        cells.append(_cell("code", source) | {"execution_count": None, "outputs": []})
        rest = PRINTED.sub("", rest[found.end() :])
    cells += _text(rest)
    for number, each in enumerate(cells):
        each["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    made = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def _text(text: str) -> list[dict]:
    """Text without links into the site, which a notebook that was downloaded does not have."""
    plain = LINK.sub(r"\1", text).strip("\n")
    return [_cell("markdown", plain)] if plain.strip() else []


def _commands(block: str) -> list[str]:
    """The commands of a block, without what they print; the exit code of the last is of no use in a notebook."""
    lines = block.replace("\\\n", "").splitlines()
    known = [
        re.sub(r"\s+", " ", line.removeprefix("$ ")) for line in lines if re.match(r"(\$ )?classay ", line)
    ]
    return [each.strip() for each in known]


def _cell(kind: str, text: str) -> dict:
    lines = text.rstrip("\n").splitlines(keepends=True)
    return {"cell_type": kind, "metadata": {}, "source": lines}
