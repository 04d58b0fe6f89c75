"""One classifier on one test set: its measures, its curves, at another prevalence, saved; what to say of it."""
