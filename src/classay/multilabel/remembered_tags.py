"""An assessment of several labels a case that computes each estimate once."""

from __future__ import annotations

from dataclasses import dataclass

from classay.assessment.remembered import Remembered
from classay.multilabel.tag_assessment import TagAssessment
from classay.multilabel.task import Tags


@dataclass(frozen=True, eq=False, repr=False)
class RememberedTags(Remembered, TagAssessment):
    """An assessment of several labels a case, and the estimates it was asked for so far."""

    task: Tags
