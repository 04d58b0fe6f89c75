"""The pictures of the gallery: each block of Python of docs/gallery.md is run, and draws the picture below it."""

import io
import re
from pathlib import Path
from typing import Any

PICTURE = re.compile(r"^```python\n(.*?)^```\n+!\[[^]]*\]\((gallery/[\w-]+\.svg)\)", re.MULTILINE | re.DOTALL)
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "classay",
    "font.size": 11,
    "figure.figsize": (5.5, 4.2),
}
BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def drawn(page: Path) -> dict[str, str]:
    """The pictures by their path: SVG with its letters as text, the same for the same libraries."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    pictures = {}
    with matplotlib.rc_context(STYLE):
        for block in BLOCK.finditer(text):
            exec(block[1], names)
            if shown := PICTURE.match(text, block.start()):
                pictures[shown[2]] = svg(plt.gcf())
            plt.close("all")
    return pictures


def svg(figure: Any) -> str:
    """A figure as SVG, with its letters as text."""
    written = io.StringIO()
    figure.savefig(written, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    return re.sub(r"[ \t]+$", "", written.getvalue(), flags=re.MULTILINE)


def words(svg: str) -> list[str]:
    """The texts of a picture, in their order."""
    return [found.strip() for found in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]
