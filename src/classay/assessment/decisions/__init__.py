"""Decisions of an assessment: thresholds, costs that are demanded, days and weeks."""
