"""Comparisons as one HTML file that needs neither network nor JavaScript: intervals drawn, a matrix of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from classay.report import wording
from classay.report.comparison import Block, Line, report_of
from classay.report.html import COLOURS, templates

if TYPE_CHECKING:
    from classay.comparison.comparisons import Comparisons


def comparisons_page(found: Comparisons) -> str:
    """The comparisons as a whole page."""
    from markupsafe import Markup

    environment = templates(clean=wording.clean, unbroken=wording.unbroken)
    report = report_of(found)
    return environment.get_template("comparison.html.j2").render(
        report=report,
        colours=COLOURS,
        blocks=[_block(block) for block in report.blocks],
        ranks=Markup(themed(report.ranks.svg())) if report.ranks is not None else "",
    )


def themed(svg: str) -> str:
    """The diagram in the colours of the page, light or dark."""
    for name, colour in COLOURS["light"].items():
        svg = svg.replace(f'"{colour}"', f'"var(--{name})"')
    return svg


def _block(block: Block) -> dict[str, Any]:
    return {
        "block": block,
        "reach": f"{block.reach:g}",
        "lines": [{"line": line, "bar": _bar(line, block.reach)} for line in block.lines],
        "margin": f"{block.margin:g}",
        "margins": [f"{50 + 50 * at / block.reach:.2f}" for at in (-block.margin, block.margin) if at],
        "tests": "; ".join(dict.fromkeys(line.test for line in block.lines if line.test)),
    }


def _bar(line: Line, reach: float) -> dict[str, str] | None:
    """Places on the scale in per cent, or None where there is no interval to draw."""
    if line.at != line.at:
        return None
    places = {"low": line.low, "at": line.at, "high": line.high}
    return {name: f"{50 + 50 * max(-1.0, min(1.0, each / reach)):.2f}" for name, each in places.items()}
