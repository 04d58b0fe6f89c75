"""A script run in a process of its own, which starts a cluster of Dask."""

import subprocess
import sys

from command import SOURCE


def on_dask(code, folder, *arguments):
    """What a script prints, a line each; or what it complains of."""
    script = folder / "on_dask.py"
    script.write_text(code)
    done = subprocess.run(
        [sys.executable, str(script), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={"PYTHONPATH": f"{SOURCE}:{SOURCE}/../tests/support", "PATH": ""},
    )
    return done.stdout.splitlines() or [done.stderr, "", ""]
