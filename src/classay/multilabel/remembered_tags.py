"""An assessment of several labels a case that computes each estimate once."""

from __future__ import annotations

from dataclasses import dataclass

from classay.assessment.remembered import Remembered
from classay.multilabel.tag_assessment import MultilabelAssessment
from classay.multilabel.task import Multilabel


@dataclass(frozen=True, eq=False, repr=False)
class RememberedTags(Remembered, MultilabelAssessment):
    """An assessment of several labels a case, and the estimates it was asked for so far."""

    task: Multilabel
