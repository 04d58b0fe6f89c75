"""Notebooks, made from the tutorials: a cell for each block of Python, one for each text between them."""

import json
import re
from pathlib import Path

BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"\A\s*```text\n(?!\$ ).*?^```\n", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^]]*)\]\((?!https?:|#)[^)]*\)")


def tutorials(docs: Path) -> list[Path]:
    """The pages that are notebooks too."""
    return sorted((docs / "tutorials").glob("*.md"))


def notebook(page: Path) -> str:
    """A page as a notebook without outputs; what its Python prints is left out, because running it shows that."""
    cells = []
    rest = page.read_text(encoding="utf-8")
    while found := BLOCK.search(rest):
        cells += _text(rest[: found.start()])
        cells.append(_cell("code", found[1], len(cells)) | {"execution_count": None, "outputs": []})
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
    return [_cell("markdown", plain, 0)] if plain.strip() else []


def _cell(kind: str, text: str, number: int) -> dict:
    lines = text.rstrip("\n").splitlines(keepends=True)
    return {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": lines}
