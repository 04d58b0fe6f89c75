"""Any measure of labels of two classifiers on the same cases."""
