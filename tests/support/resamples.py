"""What intervals are made of, for tests that look at it: the replicates of a bootstrap."""

from bench.cases import bootstrap_replicates

__all__ = ["bootstrap_replicates"]
