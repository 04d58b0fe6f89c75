"""Pages as a browser would see them."""

import re
from html.parser import HTMLParser


class Page(HTMLParser):
    """The tags and the visible text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self._inside = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside == "script":
            self.scripts.append(data)
        elif self._inside != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        """All visible text, with single spaces."""
        return squeezed(" ".join(self.texts))


def squeezed(text: str) -> str:
    """The text with single spaces."""
    return re.sub(r"\s+", " ", text)
