"""Pages in headless Firefox: what the same probe saw there that looks at them in Chromium.

Firefox prints no page, so a server of this process hands out the pages and hears what each of them told its window.
"""

import json
import os
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from browser import PROBE, batched, framed

FIREFOX = os.environ.get("CLASSAY_FIREFOX") or next(
    filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None
)
"""The program, found or named by CLASSAY_FIREFOX."""

FRAMES = 24
LISTEN = "addEventListener('message', e => fetch('/seen', {method: 'POST', body: e.data}));"
SETTINGS = """
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.enabled", false);
user_pref("app.normandy.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("privacy.resistFingerprinting", false);
"""


def looked_at_in_firefox(pages, folder, probe=PROBE):
    """What the probe saw of each page, by its name and width."""
    found = {}
    for chosen in batched(pages.items(), FRAMES):
        found |= looked_at_once(dict(chosen), folder, probe)
    return found


def looked_at_once(pages, folder, probe):
    framed(pages, folder, probe, LISTEN)
    profile = folder / "firefox"
    profile.mkdir(exist_ok=True)
    (profile / "user.js").write_text(SETTINGS, encoding="utf-8")
    seen, done = [], threading.Event()

    class Hearing(SimpleHTTPRequestHandler):
        def do_POST(self):
            seen.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            if len(seen) == len(pages):
                done.set()

        def log_message(self, *_):
            """Keep the tests' output free of requests."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Hearing, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/window.html"
        browser = subprocess.Popen(
            [FIREFOX, "--headless", "--no-remote", "--profile", str(profile), address],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"HOME": str(folder), "MOZ_CRASHREPORTER_DISABLE": "1"},
        )
        try:
            ended = done.wait(300)
        finally:
            browser.terminate()
            browser.wait(30)
            server.shutdown()
    assert ended, f"Firefox told of {len(seen)} of {len(pages)} pages"
    return {tuple(each["name"].split()): each for each in seen}
