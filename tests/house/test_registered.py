"""What registers itself is there once the door that reads the registry is opened: no module waits to be imported."""

import subprocess
import sys

import pytest

SHOW = """
import importlib, pkgutil
import classay as ca
{open}
def names():
    return {names}
before = names()
for each in pkgutil.walk_packages(ca.__path__, "classay."):
    if not each.name.endswith("__main__"):
        importlib.import_module(each.name)
print(*sorted(names() - before))
"""
TRUTH = "[0, 1, 1, 0, 1, 0, 1, 0]"
DOORS = {
    "measures": (
        "from classay.measures import MEASURES; from classay.measures.registry import FAMILIES",
        "{*map(str, MEASURES), *map(str, FAMILIES)}",
    ),
    "curves": (
        f"ca.assess({TRUTH}, [.1, .8, .6, .4, .9, .3, .7, .2]).curve('roc');"
        "from classay.curves.registry import CURVES",
        "{*CURVES}",
    ),
    "intervals": (
        f"ca.assess({TRUTH}, y_pred={TRUTH})['accuracy']; from classay.inference.registry import METHODS",
        "{f'{each.name} of {each.of}' for each in METHODS}",
    ),
    "tests": (
        f"ca.compare({{'a': {TRUTH}, 'b': {TRUTH}}}, {TRUTH}, measures=['brier_score']);"
        "from classay.comparison.folds.compare_learners import compare_learners;"
        "from classay.comparison.datasets.compare_datasets import compare_datasets;"
        "from classay.comparison.registry import TESTS",
        "{f'{each.name} {each.where}, {each.of}' for each in TESTS}",
    ),
    "protocols": (
        "from classay.resampling.protocols.registry import protocol_of; protocol_of('10x10');"
        "from classay.resampling.protocols.protocol import Protocol",
        "{each.__name__ for each in Protocol.__subclasses__()}",
    ),
}


@pytest.mark.parametrize("registry", DOORS)
def test_every_module_that_registers_is_imported_by_its_door(registry):
    opened, names = DOORS[registry]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SHOW.format(open=opened, names=names)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "", "import these where the others of the registry are imported"


def test_help_does_not_depend_on_the_order_of_imports():
    """Tests are registered when their modules are loaded: whoever was loaded first, help and errors list the same."""
    first = [
        "classay.comparison.datasets.hierarchical",
        "classay.comparison.folds.t_tests",
        "classay.comparison.cases.unpaired",
        "classay.comparison.cases.sequential",
        "classay.cli.app",
    ]
    program = (
        "import importlib, sys; importlib.import_module(sys.argv[1]);"
        "from classay.cli import registries; print(*registries.WORDS['tests'](), *registries.tests())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program, each], capture_output=True, text=True, check=True
        ).stdout
        for each in first
    }
    assert len(found) == 1
