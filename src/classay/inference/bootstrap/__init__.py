"""The bootstrap: samples made ready, drawn, and turned into limits."""

import classay.inference.intervals  # noqa: F401 - methods stand in one order, whichever module is imported first
