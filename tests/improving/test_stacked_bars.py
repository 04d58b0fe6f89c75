"""Stacked bars of a decomposition: what they draw is what the numbers say, in the page and on axes."""

import re
from math import isnan, nan

import pytest

from classay.improving.results_of_stacks import StackedBar, diagram, plot_stacks
from classay.inference.estimate import Estimate

LIMITS = [(0.4, 0.3, 0.6), (0.9, 0.7, 1.0), (0.5, nan, nan)]
STACKS = [
    StackedBar(name, Estimate(loss, low, high), (("noise", 0.1), ("bias", loss - 0.1)))
    for name, (loss, low, high) in zip("abc", LIMITS, strict=True)
]
LINE = re.compile(r'<line x1="([0-9.]+)" y1="([0-9.]+)" x2="([0-9.]+)" y2="([0-9.]+)"')


def test_each_interval_is_a_line_from_its_lower_to_its_upper_limit():
    """The losses set the scale; a stack without an interval has no line."""
    lines = [tuple(map(float, line)) for line in LINE.findall(diagram(STACKS, "").svg)]
    losses = [left for left, top, right, bottom in lines if left == right][-len(STACKS) :]
    scale = (losses[1] - losses[0]) / (LIMITS[1][0] - LIMITS[0][0])
    places = [(left, right) for left, top, right, bottom in lines if top == bottom]
    intervals = [tuple(LIMITS[0][0] + (x - losses[0]) / scale for x in ends) for ends in places]
    wanted = [(low, high) for _, low, high in LIMITS if not isnan(low)]
    assert len(intervals) == len(wanted)
    for limits, own in zip(intervals, wanted, strict=True):
        assert limits == pytest.approx(own, abs=0.005)
    drawn = [line for line in plot_stacks(STACKS).lines if line.get_ydata()[0] == line.get_ydata()[1]]
    assert [tuple(line.get_xdata()) for line in drawn] == wanted
