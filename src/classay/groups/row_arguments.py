"""The arguments of `assess_by` by name, as they are passed on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from classay.assessment.bands import Bands
from classay.assessment.row_arguments import RowArguments


class RowsByGroup(RowArguments, total=False):
    """The arguments of `assess_by` beside the groups."""

    reference: Hashable | None
    pool: int | None
    bands: Mapping[str, Bands] | Bands | None
    threshold: Any
    level: float
    seed: int | np.random.Generator
    interval: str | None
