"""Rectangles and lines of a picture as SVG."""

from __future__ import annotations

INK, QUIET, RULE = "ink", "quiet", "rule"


def rect(x: float, y: float, width: float, height: float, colour: str) -> str:
    """Return a filled rectangle from its upper left corner."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'


def line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float) -> str:
    """Return a line between two points."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width:g}"/>'
