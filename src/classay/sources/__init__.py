"""Readers: files and frames to columns."""
