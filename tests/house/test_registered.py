"""What registers itself is there once the door that reads the registry is opened: no module waits to be imported."""

import json
import re
import subprocess
import sys

import pytest

import classay.multilabel  # noqa: F401  registers its methods
from classay.inference.methods import FORMER_NAMES, METHODS, all_names, explanations
from classay.inference.proportions import without_numbers
from classay.report.document import DRAWN_BY, MethodCell
from sample_results import RESULTS

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


MOST_WORDS = 25
"""Words in the sentence on a method."""
PLAIN = {"", "and", "limits", "over cases", "upper limit", "worse limit"}
"""What is left of the names in the samples without the words that are explained, and speaks for itself."""


def test_every_method_of_intervals_says_what_it_does_in_one_sentence():
    for method in METHODS:
        assert re.fullmatch(r"[A-Z][^;:]*[^.]\.", method.about), method.name
        assert len(method.about.split()) <= MOST_WORDS, method.about
    assert all(text.endswith(".") and len(text.split()) <= MOST_WORDS for text in explanations().values())


def test_former_names_of_methods_lead_to_names_of_today():
    assert {*FORMER_NAMES.values()} <= {*all_names()}
    assert not {*FORMER_NAMES} & {*all_names()}


@pytest.mark.parametrize("name", RESULTS)
def test_every_word_in_a_column_of_methods_is_explained(name):
    known = [word.removesuffix(" …") for word in sorted(explanations(), key=len, reverse=True)]
    patterns = (re.escape(word).replace("…", r"\d+") for word in known)
    words = re.compile(rf"(?<!\w)({'|'.join(patterns)})(?!\w)(?: \d[\d.]*)?")
    for table in RESULTS[name]().document().tables:
        for cell in (cell for row in table.rows for cell in row if isinstance(cell, MethodCell)):
            method = without_numbers(DRAWN_BY.sub("", cell.estimate.method or ""))
            left = {" ".join(part.split()).lower() for part in re.split("[,;|]", words.sub("|", method))}
            assert left <= PLAIN, method
