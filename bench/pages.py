"""What people look at: the page of a large table, a card of a notebook, and a move of the threshold in a browser."""

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import classay as ca
from bench.cases import binary, case
from bench.timing import Figure, alone

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MOVES = 200
MOVED = """<script>
addEventListener('load', () => {
  const slider = document.getElementById('slider'), most = +slider.max, taken = [];
  for (let k = 0; k < MOVES; k++) {
    const start = performance.now();
    slider.value = Math.round(most * k / MOVES);
    slider.dispatchEvent(new Event('input', {bubbles: true}));
    document.body.getBoundingClientRect();
    taken.push(performance.now() - start);
  }
  const place = document.createElement('pre');
  place.textContent = JSON.stringify(taken.sort((a, b) => a - b));
  document.body.append(place);
});
</script>""".replace("MOVES", str(MOVES))
"""Moves the slider, each time until the page is laid out anew."""


@case
def pages() -> Iterator[Figure]:
    y, score = binary(10**7)
    a = ca.assess(y, score)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        yield alone("page of an assessed table, n=1e7", lambda: a.report(page), "≤ 1 s", runs=3)
        yield Figure("its size", "", page.stat().st_size / 1000, None, "kB", "≤ 1,500 kB")
        yield alone("card of it", a._repr_html_, "≤ 0.05 s")
        yield Figure("its size", "", len(a._repr_html_().encode()) / 1000, None, "kB", "≤ 300 kB")
        if CHROMIUM is None:
            print("no Chromium here: no threshold was moved")
            return
        taken = moved(page, Path(folder))
    yield Figure(f"move of its threshold, median of {MOVES}", "", taken[MOVES // 2], None, "ms", "≤ 16 ms")
    yield Figure("the slowest twentieth of them", "", taken[19 * MOVES // 20], None, "ms", "≤ 16 ms")


def moved(page: Path, folder: Path) -> list[float]:
    """Milliseconds of each move, in order of their length."""
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
    taken: list[float] = json.loads(unescape(found))
    return taken
