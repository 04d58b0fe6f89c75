"""Improving learners: why a learner errs (noise, bias, variance), and what more data would bring."""
