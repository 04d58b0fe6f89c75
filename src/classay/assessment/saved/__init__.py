"""Saved assessments: written, read again, and checked."""
