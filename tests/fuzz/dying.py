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
        raise InputError("one\ntwo")
    elif how == "refuse":
        raise InputError("one")
