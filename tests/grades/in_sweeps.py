"""Samples of grades, for the sweeps over all kinds of results, pages and options."""

from pathlib import Path

import classay as ca
from classay.shown import Reportable
from sample_results import result

LOG = Path(__file__).parents[1] / "outside" / "data" / "inspect-0.3.285-new.eval"


@result
def grades_of_a_run() -> Reportable:
    return ca.assess_grades(ca.read_grades(LOG, grade="match"), unanswered="wrong")
