"""The colours of pages and pictures, in both themes."""

from collections.abc import Mapping

# The style sheet and the pictures draw on the same ones.
COLOURS = {
    "light": {
        "page": "#f4f5f6",
        "paper": "#ffffff",
        "ink": "#1b2329",
        "quiet": "#5b6770",
        "rule": "#dfe3e6",
        "accent": "#0b6a94",
        "alarm": "#9a4b00",
        "alarm-paper": "#fdf3e4",
    },
    "dark": {
        "page": "#101417",
        "paper": "#171d21",
        "ink": "#e4e9ec",
        "quiet": "#9aa7b0",
        "rule": "#2c353b",
        "accent": "#58b4dc",
        "alarm": "#f0ac52",
        "alarm-paper": "#2b2216",
    },
}

# After the accent: told apart also by readers who do not see all colours.
SERIES = {
    "light": ["#0b6a94", "#c2691c", "#5e7f31", "#8a4f92", "#6b7680", "#b03a48", "#2b8a7e", "#8f7415"],
    "dark": ["#58b4dc", "#eea04f", "#a3c46c", "#cb97d3", "#aab4bc", "#ee8590", "#66c9bb", "#d8bd5c"],
}


def recoloured(svg: str, colours: Mapping[str, str]) -> str:
    """A drawing in light colours with others in their place, by name: those of the page around it, say.

    >>> recoloured('<rect fill="#1b2329"/>', {"ink": "currentColor"})
    '<rect fill="currentColor"/>'
    """
    for name, colour in colours.items():
        svg = svg.replace(f'"{COLOURS["light"][name]}"', f'"{colour}"')
    return svg
