"""Intervals of measures of labels: of counts and of confusion matrices."""
