"""A PostgreSQL server for the tests of databases."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL server of this test alone, on the loopback address, as a user that is not root."""
    psycopg = pytest.importorskip("psycopg", reason="SKIPPED LOUDLY: psycopg is not installed")
    initdb, postgres = shutil.which("initdb"), shutil.which("postgres")
    if initdb is None or postgres is None:
        pytest.skip("SKIPPED LOUDLY: PostgreSQL (initdb, postgres) is not on this machine")
    place = Path(tempfile.mkdtemp(prefix="classay-pg-"))
    user = {}
    if os.geteuid() == 0:
        import pwd

        name = next((each.pw_name for each in pwd.getpwall() if each.pw_name in ("postgres", "nobody")), None)
        if name is None:
            pytest.skip("SKIPPED LOUDLY: PostgreSQL does not run as root, and there is no other user")
        user = {"user": name}
        shutil.chown(place, name)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    subprocess.run(
        [initdb, "-D", place / "data", "-U", "tester", "-A", "trust", "--no-sync"],
        check=True, capture_output=True, cwd=place, **user,
    )  # fmt: skip
    process = subprocess.Popen(
        [postgres, "-D", place / "data", "-h", "127.0.0.1", "-p", str(port), "-k", "", "-F"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=place, **user,
    )  # fmt: skip
    address = f"postgresql://tester@127.0.0.1:{port}/postgres"
    for _ in range(100):
        try:
            psycopg.connect(address).close()
            break
        except psycopg.OperationalError:
            time.sleep(0.1)
    yield address
    process.terminate()
    process.wait(20)
    shutil.rmtree(place)
