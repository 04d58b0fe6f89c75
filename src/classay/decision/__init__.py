"""From scores to decisions: costs, thresholds, the top of the list, cost curves of several models."""
