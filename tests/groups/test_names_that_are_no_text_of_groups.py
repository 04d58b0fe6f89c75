"""What groups of cases add to `columns/test_names_that_are_no_text.py`."""

import classay as ca
from columns.test_names_that_are_no_text import INTS, frame


def test_a_column_of_numbers_is_no_list_of_names() -> None:
    data = frame(INTS)
    by = [0, 1] * 60
    assert list(ca.assess_by(data, truth=0, score=1, by=by)) == [0, 1]
