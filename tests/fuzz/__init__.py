"""Fuzzing: inputs that nobody prepared, each held against one contract. `python -m tests.fuzz --help` says more.

What wings add lies in `tests/WING/fuzz/`, and is imported as if it lay here.
"""

from pathlib import Path

__path__ += [str(folder) for folder in sorted(Path(__file__).parents[1].glob("*/fuzz"))]
