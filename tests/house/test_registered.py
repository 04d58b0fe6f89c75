"""What registers itself is there once the door that reads the registry is opened: no module waits to be imported."""

import json
import subprocess
import sys

import pytest

ALL = """
import importlib, pkgutil
for each in pkgutil.walk_packages(ca.__path__, "classay."):
    if not each.name.endswith("__main__"):
        importlib.import_module(each.name)
"""
TRUTH = "[0, 1, 1, 0, 1, 0, 1, 0]"
DOORS = {
    "measures": (
        "from classay.measures import MEASURES; from classay.measures.registry import FAMILIES",
        "{*map(str, MEASURES), *map(str, FAMILIES)}",
    ),
    "curves": (
        f"ca.assess({TRUTH}, [.1, .8, .6, .4, .9, .3, .7, .2]).curve('roc');"
        "from classay.curves.curve import CURVES",
        "{*CURVES}",
    ),
    "intervals": (
        f"ca.assess({TRUTH}, y_pred={TRUTH})['accuracy']; from classay.inference.methods import METHODS",
        "{f'{each.name} of {getattr(each.of, \"__name__\", each.of)}' for each in METHODS}",
    ),
    "tests": (
        f"ca.compare({{'a': {TRUTH}, 'b': {TRUTH}}}, {TRUTH}, measures=['brier_score']);"
        "from classay.resampling.compare_learners import compare_learners;"
        "from classay.resampling.compare_datasets import compare_datasets;"
        "from classay.comparison.named_tests import TESTS",
        "{f'{each.name} {each.where}, {each.of}' for each in TESTS}",
    ),
    "protocols": (
        "from classay.resampling.bootstraps import protocol_of; protocol_of('10x10');"
        "from classay.resampling.protocol import Protocol",
        "{each.__name__ for each in Protocol.__subclasses__()}",
    ),
}


def registered(*programs):
    """The names that are registered after the programs, in a process of its own: a set for each of the last lines."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", "\n".join(["import json, classay as ca", *programs])],
        capture_output=True,
        text=True,
        check=True,
    )
    return [{*json.loads(line)} for line in done.stdout.splitlines()]


def shown(names):
    return f"print(json.dumps(sorted({names})))"


@pytest.fixture(scope="module")
def everything():
    """What each registry holds once every module is imported."""
    told = (line for opened, names in DOORS.values() for line in (opened, shown(names)))
    return dict(zip(DOORS, registered(ALL, *told), strict=True))


@pytest.mark.parametrize("registry", DOORS)
def test_every_module_that_registers_is_imported_by_its_door(registry, everything):
    opened, names = DOORS[registry]
    (found,) = registered(opened, shown(names))
    assert found, "the door registers nothing"
    assert everything[registry] - found == set(), "import these where the others of the registry are imported"


def test_help_does_not_depend_on_the_order_of_imports():
    """Tests are registered when their modules are loaded: whoever was loaded first, help and errors list the same."""
    first = [
        "classay.resampling.compare_datasets",
        "classay.resampling.fold_tests",
        "classay.comparison.cases.sequential",
        "classay.cli",
    ]
    program = (
        "import importlib, sys; importlib.import_module(sys.argv[1]);"
        "from classay.cli import given as registries; print(*registries.WORDS['tests'](), *registries.tests())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program, each], capture_output=True, text=True, check=True
        ).stdout
        for each in first
    }
    assert len(found) == 1
