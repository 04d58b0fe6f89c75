"""What people look at: the page of a large table, a card of a notebook, and a move of the threshold in a browser."""

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import classay as ca
from bench.cases import binary, case
from bench.timing import Figure, alone

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MOVES = 200
MOVED = """<script>
addEventListener('load', () => {
  const slider = document.getElementById('slider'), most = +slider.max, taken = [];
  let ready = 0;  // since the navigation to the page: loaded, and the first move answered
  for (let k = 0; k < MOVES; k++) {
    const start = performance.now();
    slider.value = Math.round(most * k / MOVES);
    slider.dispatchEvent(new Event('input', {bubbles: true}));
    document.body.getBoundingClientRect();
    taken.push(performance.now() - start);
    ready ||= performance.now();
  }
  const place = document.createElement('pre');
  place.textContent = JSON.stringify({ready, taken: taken.sort((a, b) => a - b)});
  document.body.append(place);
});
</script>""".replace("MOVES", str(MOVES))
"""Moves the slider, each time until the page is laid out anew."""


@case
def pages() -> Iterator[Figure]:
    y, score = binary(10**7)
    a = ca.assess(y, score)

    def new() -> ca.Assessment:
        """The same rows, of whose table nothing is known yet."""
        return a.changed(scores=replace(a.scores))

    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        yield alone(
            "page of an assessed table, n=1e7, the first", lambda: new().report(page), "≤ 1 s", runs=3
        )
        yield alone("the same page again", lambda: a.report(page), "≤ 1 s", runs=3)
        yield Figure("its size", "", page.stat().st_size / 1000, None, "kB", "≤ 1,500 kB")
        yield alone("card of it", a._repr_html_, "≤ 0.05 s")
        yield alone("card of a table of which nothing is known yet", lambda: new()._repr_html_(), "", runs=3)
        yield Figure("its size", "", len(a._repr_html_().encode()) / 1000, None, "kB", "≤ 300 kB")
        if CHROMIUM is None:
            print("SKIPPED: no Chromium here, so that no page was opened and no threshold moved")
            return
        seen = moved(page, Path(folder))
    ready, taken = seen["ready"] / 1000, seen["taken"]
    yield Figure("from opening the page to the answer to its first move", "", ready, None, "s", "≤ 1 s")
    yield Figure(f"move of its threshold, median of {MOVES}", "", taken[MOVES // 2], None, "ms", "≤ 16 ms")
    yield Figure("the slowest twentieth of them", "", taken[19 * MOVES // 20], None, "ms", "≤ 16 ms")


def moved(page: Path, folder: Path) -> dict[str, Any]:
    """Milliseconds until the page was `ready`, the first move made, and those `taken` by each move, the least first."""
    html = page.read_text(encoding="utf-8")
    probed = folder / "moved.html"
    probed.write_text(html.replace("<head>", f"<head>{MOVED}"), encoding="utf-8")
    done = subprocess.run(
        [
            *(
                str(CHROMIUM),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
            ),
            *(
                f"--user-data-dir={folder / 'profile'}",
                "--window-size=1280,900",
                "--dump-dom",
                probed.as_uri(),
            ),
        ],
        capture_output=True,
        check=True,
        timeout=300,
    )
    (found,) = re.findall("<pre>(.*?)</pre>", done.stdout.decode(), re.DOTALL)
    seen: dict[str, Any] = json.loads(unescape(found))
    return seen
