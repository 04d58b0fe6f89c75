"""No inputs: what the tests of the fuzzer itself make a child do."""

import os
import signal
import sys
import warnings


def check(how):
    """Break the contract in the named way."""
    from classay.errors import InputError

    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "exit":
        sys.exit(0)
    elif how == "warn":
        warnings.warn("one", stacklevel=1)
    elif how == "lines":
        error = InputError("one")
        error.args = ("one\ntwo",)  # its own text is always one line
        raise error
    elif how == "refuse":
        raise InputError("one")
