"""One thread of linear algebra a process, and Hypothesis without deadlines: a busy machine is not an error.

Processes that run beside each other have all cores already, and threads of BLAS that wait for each other there take
five times the processor time of the work. 25 examples, where a test does not say otherwise: each run draws others.
"""

import gc
import os
import re
import sys
from functools import cache
from importlib.util import find_spec

assert "numpy" not in sys.modules, "the limits are read once, when NumPy is loaded"
for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")
# What is compiled is kept: a hundred tests start the command or workers, and each would compile all modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

settings.register_profile("classay", deadline=None, max_examples=25)
settings.load_profile("classay")
gc.disable()  # until all tests are collected: what is loaded stays


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Before slow tests are left out: most combinations of a test with `covering` are slow.

    Tests of the core that show it together with a wing (`wings`) are left out where that wing was deleted.
    """
    from covering import leave_to_the_slow

    leave_to_the_slow(items, pytest.mark.slow)
    leave_out_what_needs_missing_wings(config, items)


def pytest_ignore_collect(collection_path):
    """Leave out a file that imports from a wing which was deleted."""
    if collection_path.suffix == ".py":
        modules = re.findall(
            r"^from (classay\.\w+)", collection_path.read_text(encoding="utf-8"), re.MULTILINE
        )
        return any(find_spec(module) is None for module in {*modules}) or None
    return None


def leave_out_what_needs_missing_wings(config, items):
    """Deselect tests whose wings are not all here."""
    from classay.wings import wings

    here = {wing.name for wing in wings()}
    needed = {item: {name for mark in item.iter_markers("wings") for name in mark.args} for item in items}
    config.hook.pytest_deselected(items=[item for item in items if needed[item] - here])
    items[:] = [item for item in items if not needed[item] - here]


def pytest_collection_finish():
    """What is loaded stays: garbage is not looked for in it again, as statsmodels does at each call of Holm's.

    Nor is it looked for after every 700 new objects: a call of `assess` makes thousands, and few in a circle.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()
    arrays_are_no_frames()
    settings_are_of_a_class()


def arrays_are_no_frames():
    """An array of NumPy is no frame, which narwhals takes 0.05 ms to find: two thirds of each check of a small fit."""
    numpy = sys.modules.get("numpy")
    scikit_learn_asks = "narwhals.stable.v2.dependencies"
    for module in ("narwhals.dependencies", scikit_learn_asks):
        for name in ("is_into_dataframe", "is_into_series"):
            if asks := getattr(sys.modules.get(module), name, None):
                quick = lambda given, asks=asks: type(given) is not numpy.ndarray and asks(given)  # noqa: E731
                setattr(sys.modules[module], name, quick)


def settings_are_of_a_class():
    """The names of an estimator's settings are read once from its class, not at every clone and look at them."""
    base = getattr(sys.modules.get("sklearn.base"), "BaseEstimator", None)
    if reads := getattr(base, "_get_param_names", None):
        known = cache(reads.__func__)
        base._get_param_names = classmethod(lambda cls: [*known(cls)])


def skips_of(config):
    """The lines on what was skipped, and the reasons that are not on the list; a worker tells none."""
    from skips import LIST, allowed, told

    teller = config.pluginmanager.get_plugin("terminalreporter")
    skipped = teller.stats.get("skipped", []) if teller else []
    held = os.environ.get("CLASSAY_SKIPS", "held")
    may = allowed(LIST.read_text(encoding="utf-8")) | (
        {} if held in ("", "held") else {held: "CLASSAY_SKIPS"}
    )
    return told((each.longrepr[2] for each in skipped), may)


def pytest_sessionfinish(session):
    """Where `CLASSAY_SKIPS` is set, as .ci/run does, a session fails on a skip that is not on the list.

    "held" holds the list as it is; another value is one more beginning of a reason, for this session.
    """
    held = os.environ.get("CLASSAY_SKIPS")
    if held and skips_of(session.config)[1] and session.exitstatus in (0, 5):
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter):
    """How many were skipped, and why that is no error."""
    lines, unlisted = skips_of(terminalreporter.config)
    if lines:
        terminalreporter.section("what was left out, and why that is no error (tests/allowed_skips.txt)")
        for line in lines:
            terminalreporter.write_line(line)
    if unlisted and os.environ.get("CLASSAY_SKIPS"):
        terminalreporter.write_line(
            "FAILED: a skip is not on the list: let the test run, or say there why it need not"
        )
