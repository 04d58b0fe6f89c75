"""What groups of cases add to `comparison/test_compare_tags.py`."""

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from multilabel.test_compare_tags import NEW, OLD, N, Y, compared, numbers


def test_groups_are_the_comparisons_of_their_cases():
    by = np.where(np.arange(N) % 3 == 0, "north", "south")
    found = compared(by=by, measures=["micro_f1", "macro_roc_auc", "f1[cat]"])
    for label in ("north", "south"):
        part = by == label
        alone = compared(
            {"new": NEW[part], "old": OLD[part]}, Y[part], ["micro_f1", "macro_roc_auc", "f1[cat]"]
        )
        for one, two in zip(found.groups[label], alone, strict=True):
            assert numbers(one) == pytest.approx(numbers(two))
    assert {each.measure for each in found.interactions} == {"micro_f1", "macro_roc_auc", "f1[cat]"}


REFUSED = [
    ({"models": {"new": NEW[:, :3], "old": OLD}}, "new: score has 3 columns for 4 tags"),
    ({"models": {"new": NEW[:-1], "old": OLD}}, "new: truth has 80 rows, but score has 79"),
    ({"models": {"new": NEW}}, "A comparison needs at least two models, but has one"),
    ({"measures": ["accuracy"]}, "accuracy needs one label per case, but these cases are multilabel"),
    ({"measures": ["recall"]}, "recall needs one tag, but these cases are multilabel"),
    ({"measures": ["recall[cow]"]}, "cow"),
    ({"threshold": {"newer": 0.3}}, "newer"),
    ({"threshold": 0.3, "top": 2}, "Use one of them to predict tags"),
    ({"method": "sequential"}, "needs one label per case, but the data are multilabel"),
    ({"positive": "cat"}, "'positive' cannot be used with multilabel cases"),
    ({"by": ["n"] * 79}, "by has 79 rows, but truth has 80"),
    (
        {"measures": [ca.Costs(fp=1, fn=2)]},
        "Costs are for the errors of one tag, but these cases are multilabel",
    ),
]


@pytest.mark.parametrize(("given", "words"), REFUSED, ids=[words[:30] for _, words in REFUSED])
def test_what_is_refused_in_one_line(given, words):
    given = {"measures": ["micro_f1"]} | given
    with pytest.raises((InputError, ca.errors.UnknownMeasureError)) as error:
        compared(**given)
    assert words in str(error.value)
    assert "\n" not in str(error.value)
