"""The command: parse, read, measure, report. Nothing is computed here."""

from classay.cli.app import main

__all__ = ["main"]
