"""What is alike in the whole house: results do not change, and what nobody says is the same everywhere."""

import dataclasses
import importlib
import inspect
import pkgutil

import pytest

import classay
from classay.measures import FAMILIES, get
from classay.measures.registry import Measure
from samples import members

CHANGED = {
    "classay.describing.roles.RoledColumn",
    "classay.describing.roles.Roles",
    "classay.formats.weka.Predictions",
    "classay.grades.promptfoo_logs._Facts",
    "classay.groups.commands.BesideGroups",
    "classay.inference.labels.delta.Traced",
    "classay.resampling.leaks.SuspiciousFeatures",
    "classay.resampling.searches.Scorer",
    "classay.improving.improving.Race",
}
"""Classes that collect while something is computed or read."""
ALIKE = {"level": 0.95, "seed": 0, "power": 0.8}
"""What is meant where nothing is said."""
BANDS = "classay.inference.scores.calibration.consistency_band"
"""A band whose level is that of its own source."""


@pytest.fixture(scope="module")
def modules():
    names = (each.name for each in pkgutil.walk_packages(classay.__path__, "classay."))
    return [importlib.import_module(each) for each in names if not each.endswith("__main__")]


def own(module, kind):
    """What a module itself defines, and the methods of its classes."""
    for name, each in vars(module).items():
        if getattr(each, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(each):
            if kind == "classes":
                yield name, each
            else:
                yield from ((f"{name}.{key}", one) for key, one in vars(each).items() if callable(one))
        elif kind == "functions" and inspect.isfunction(inspect.unwrap(each)):
            yield name, each


def test_results_cannot_be_changed(modules):
    open_ = {
        f"{module.__name__}.{name}"
        for module in modules
        for name, each in own(module, "classes")
        if dataclasses.is_dataclass(each) and not each.__dataclass_params__.frozen
    }
    known = {module.__name__ for module in modules}
    assert open_ == {each for each in CHANGED if each.rpartition(".")[0] in known}


def test_what_is_not_said_is_the_same_everywhere(modules):
    other = []
    for module in modules:
        for name, each in own(module, "functions"):
            try:
                parameters = inspect.signature(each).parameters
            except (TypeError, ValueError):
                continue
            for key, meant in ALIKE.items():
                default = parameters[key].default if key in parameters else None
                if isinstance(default, int | float) and type(default) is not bool and default != meant:
                    other.append(f"{module.__name__}.{name}({key}={default})")
    assert other == [f"{BANDS}(level=0.9)"]


BY_BINS = {"equal_mass_calibration_error", "expected_calibration_error"}
"""One formula of bins that are made otherwise."""


def within(best, bounds):
    return bounds[0] <= best <= bounds[1]


def test_measures_are_called_by_their_names_and_share_no_part(modules):
    """One that is made from another and forgets a part would have that of the other."""
    named = {}
    for module in modules:
        for name, each in vars(module).items():
            if isinstance(each, Measure):
                named.setdefault(id(each), (each, set()))[1].add(name)
    assert [each.name for each, names in named.values() if each.name not in names] == []
    ends = [
        each for each, _ in named.values() if each.best is not None and each.best not in (*each.bounds, 0, 1)
    ]
    assert [each.name for each in ends] == []
    beyond = [
        each for each, _ in named.values() if each.best is not None and not within(each.best, each.bounds)
    ]
    assert [each.name for each in beyond] == []
    of = {}
    for each, _ in named.values():
        for part in ("name", "title", "formula", "function", "influence", "cell_influence"):
            if getattr(each, part) is not None:
                of.setdefault((part, getattr(each, part)), set()).add(each.name)
    shared = {key[0]: names for key, names in of.items() if len(names) > 1}
    assert shared == {"formula": BY_BINS}


FORMULAS = [
    BY_BINS,
    {"murphy_reliability", "debiased_murphy_reliability", "murphy_resolution"},
    {"exact_murphy_resolution", "exact_murphy_reliability"},
]
"""Families of one equation."""
OTHERWISE = {
    "top_k_accuracy": "top_2_accuracy",
    "weighted_kappa": "linear_kappa",
}
"""Families whose members have names of their own."""


def test_families_are_called_by_their_names_and_share_no_part():
    of = {}
    for family in FAMILIES.values():
        for name in {*members(family, 0, 1), *members(family, 0, 2)}:
            each = get(name)
            assert each.name == name
            assert each.best is None or within(each.best, each.bounds), name
            assert name.startswith((family.name, OTHERWISE.get(family.name, family.name))), name
            for part in ("title", "formula", "cell_influence", "influence"):
                if getattr(each, part) is not None:
                    of.setdefault((part, getattr(each, part)), set()).add(family.name)
    shared = [(part, names) for (part, _), names in of.items() if len(names) > 1]
    assert [part for part, _ in shared] == ["formula"] * len(FORMULAS)
    assert all(names in FORMULAS for _, names in shared)
