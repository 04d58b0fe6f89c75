"""The best of several models on one test set, and all models against one: what the choice among many takes."""
