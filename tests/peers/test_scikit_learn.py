"""scikit-learn's own metric tests run with classay's answer beside each that they ask for."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLUGIN = ["-p", "tests.peers.scikit_learn", "-p", "no:cacheprovider", "--pyargs"]
TESTS = ["sklearn.metrics.tests.test_classification", "sklearn.metrics.tests.test_ranking"]


@pytest.mark.slow
def test_every_number_of_their_tests_is_ours(tmp_path):
    pytest.importorskip("sklearn.metrics.tests")
    found = tmp_path / "found.json"
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", str(tmp_path), *PLUGIN, *TESTS],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": paths, "PEERS_FOUND": str(found)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert " passed" in run.stdout, run.stdout[-2000:]
    told = json.loads(found.read_text())
    assert not told["different"], "\n".join(told["different"])
    assert sum(told["compared"].values()) > 500
    assert len(told["compared"]) > 14
    if find_spec("classay.multilabel") is not None:
        assert sum(told["of tags"].values()) > 350
        assert sum(each > 0 for each in told["of tags"].values()) > 10
