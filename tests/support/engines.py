"""The browsers that look at pages. One that is not here is told of once, and its tests are left out."""

import pytest

from browser import CHROMIUM, looked_at
from firefox import FIREFOX, looked_at_in_firefox

LACKING = {
    name: f"no {name.title()} here: no page was looked at in it{more}"
    for name, program, more in (
        ("chromium", CHROMIUM, ""),
        ("firefox", FIREFOX, "; CLASSAY_FIREFOX may name one"),
    )
    if program is None
}
ENGINES = tuple(
    pytest.param(look, id=name)
    for name, look in (("chromium", looked_at), ("firefox", looked_at_in_firefox))
    if name not in LACKING
) or (
    pytest.param(
        looked_at, id="none", marks=pytest.mark.skip(reason="no Chromium here: no page was looked at")
    ),
)
"""What looks at pages: `looked(pages, folder, probe)`, for the parameters of a fixture."""
