"""Inference: estimates with intervals."""
