"""A model validated against a named development sample, by topic: discrimination, calibration, stability."""
