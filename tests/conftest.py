"""One thread of linear algebra a process, and Hypothesis without deadlines: a busy machine is not an error.

Processes that run beside each other have all cores already, and threads of BLAS that wait for each other there take
five times the processor time of the work. 50 examples, where a test does not say otherwise: each run draws others.
"""

import gc
import os
import sys

assert "numpy" not in sys.modules, "the limits are read once, when NumPy is loaded"
for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")
# What is compiled is kept: a hundred tests start the command or workers, and each would compile all modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

from hypothesis import settings  # noqa: E402

settings.register_profile("classay", deadline=None, max_examples=50)
settings.load_profile("classay")


def pytest_collection_finish():
    """What is loaded stays: garbage is not looked for in it again, as statsmodels does at each call of Holm's."""
    gc.freeze()
