"""A result in a notebook: a fragment that styles itself alone, in the colours of its surroundings.

No page, no global style sheet, no script: what a notebook shows of the user's own stays as it is.
"""

from __future__ import annotations

from html import escape

STYLE = (
    "max-height: 40em; overflow: auto; white-space: pre; line-height: 1.35; font-size: 0.85em; "
    "color: inherit; background: transparent; margin: 0; padding: 0; border: 0; "
    "font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
)
WIDTH = 96


def as_fragment(text: str) -> str:
    """The text of a report as one element with a style of its own.

    >>> as_fragment("a < b").endswith(">a &lt; b</pre></div>")
    True
    """
    return f'<div class="classay"><pre style="{STYLE}">{escape(text.rstrip())}</pre></div>'
