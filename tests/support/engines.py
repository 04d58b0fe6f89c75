"""The browsers that look at pages. One that is not here is skipped, with a word."""

import pytest

from browser import CHROMIUM, looked_at
from firefox import FIREFOX, looked_at_in_firefox

ENGINES = (
    pytest.param(
        looked_at,
        id="chromium",
        marks=pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: it looked at no page"),
    ),
    pytest.param(
        looked_at_in_firefox,
        id="firefox",
        marks=pytest.mark.skipif(
            FIREFOX is None,
            reason="no Firefox here, and CLASSAY_FIREFOX names none: it looked at no page",
        ),
    ),
)
"""What looks at pages: `looked(pages, folder, probe)`, for the parameters of a fixture."""
