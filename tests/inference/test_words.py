import pickle
import re
from dataclasses import replace
from decimal import Decimal
from itertools import product

import numpy as np
import pytest

import classay as ca
from classay.inference.estimate import format_distinct, hundredths, measure_phrase, number, title
from classay.measures import MEASURES

PROPER = (
    "AUC", "Brier", "Cohen", "Fowlkes", "FPR", "Gini", "Hand", "Jaccard", "Kolmogorov", "Mallows", "Matthews", "PR",
    "PRG", "ROC", "Smirnov", "Spiegelhalter", "Till", "TPR", "Youden", "F1", "F2", "F0.5", "G-mean", "H-measure", "P4",
)  # fmt: skip


@pytest.mark.parametrize(
    "text", [title, measure_phrase, lambda name: MEASURES[name].title], ids=["said", "file", "title"]
)
def test_proper_names_keep_their_capitals(text):
    """In the name within a sentence, in the name that is made of the canonical one of files, and in the title."""
    for name in MEASURES:
        for proper in PROPER:
            for found in re.findall(rf"(?<![\w.]){re.escape(proper)}(?![a-z0-9])", text(name), re.IGNORECASE):
                assert found == proper, name


@pytest.mark.parametrize("others", [(0.0141, 0.039), (0.5,), (3.0, 120.0), ()])
def test_the_negative_of_nothing_is_nothing(others):
    """A difference that is turned over has the end -0.0."""
    turned = tuple(-each for each in others)
    assert format_distinct(-0.0, *others) == format_distinct(0.0, *others)
    assert format_distinct(*others, -0.0)[-1] == format_distinct(*others, 0.0)[-1]
    assert format_distinct(*turned, -0.0)[-1] == format_distinct(*turned, 0.0)[-1]
    assert number(-0.0) == number(0.0) == "0.000"


def test_every_name_of_a_measure_has_the_same_proper_names():
    """A proper name of the canonical name is one of the title: none is lost, and the canonical name has no capital."""
    parts = {proper: f"_{re.sub('[.-]', '_', proper.lower())}_" for proper in PROPER}
    for name in MEASURES:
        assert re.fullmatch(r"[a-z0-9_]+", name)
        for proper in (each for each, part in parts.items() if part in f"_{name}_"):
            assert proper in title(name).replace("precision-recall-gain", "PRG"), name
            assert proper in measure_phrase(name), name


def test_names_that_are_no_measures():
    assert title("my_brier_loss") == measure_phrase("my_brier_loss") == "my Brier loss"
    assert len({*map(title, MEASURES)}) == len({*map(measure_phrase, MEASURES)}) == len(MEASURES)


def test_no_name_within_a_sentence_is_torn_by_a_comma():
    for name in MEASURES:
        assert "," not in re.sub(r"\(.*?\)", "", title(name)), name


def test_an_estimate_equals_itself_made_anew_whatever_it_lacks():
    """Python 3.13 compares the fields one by one, and NaN is not equal to itself; before, it was where it was one."""
    nan = float("nan")
    given = list(product((0.5, nan, 0.0), (0.4, nan), (None, "no reason"), (None, (0.4, 0.6))))

    def made(value, low, reason, certain):
        return ca.Estimate(np.float64(value), low * 1.0, low + 0.2, 0.95, "m", reason, certain)

    for (i, one), (k, other) in product(enumerate(given), repeat=2):
        assert (made(*one) == made(*other)) == (i == k)
    for one in given:
        assert hash(made(*one)) == hash(made(*one))
        assert made(*one) != one


def test_results_without_numbers_equal_themselves_read_anew():
    found = ca.compare({"a": [0.9, 0.4, 0.6, 0.1], "b": [0.8, 0.7, 0.2, 0.3]}, [1, 1, 0, 0])
    undefined = ca.compare({"a": [1, 1, 0], "b": [1, 0, 0]}, [1, 1, 1], labels=[0, 1], measures=["mcc"])
    for each in (*found, *undefined):
        again = pickle.loads(pickle.dumps(each))  # NaN is another one there
        assert again == each
        assert hash(again) == hash(each)
        assert replace(each, p=0.123) != each != "other"
    assert any(np.isnan(each.p) for each in undefined)


def test_the_numbers_of_an_estimate_have_the_same_decimals():
    rng = np.random.default_rng(4)
    for scale in (0.03, 0.3, 5, 80, 900):
        for _ in range(50):
            low, value, high = np.sort(rng.uniform(0.05, 1, 3)) * scale
            shown = re.findall(r"\d[\d,]*(?:\.(\d+))?", repr(ca.Estimate(value, low, high, 0.95, "m")))[:3]
            assert len({len(each) for each in shown}) == 1, (low, value, high)
            assert all(float(each.replace(",", "")) > 0 for each in format_distinct(value, low, high))


@pytest.mark.parametrize("n", [97, 2000])
def test_a_percentage_has_the_digits_of_its_number(n):
    """However a share falls between two roundings: its percentage less two places is what stands beside it.

    But for shares that are not 0 or 1 and would be rounded to it: these have as many digits as it takes.
    """
    for k in range(n + 1):
        (percent,) = hundredths(k / n)
        if number(k / n) in ("0.000", "1.000") and 0 < k < n:
            assert 0 < Decimal(percent) < 100
            continue
        assert Decimal(percent) == 100 * Decimal(number(k / n)), (k, percent)


def test_the_sentence_and_the_table_round_a_share_alike():
    """Of 2,000 positives 1,481 found are 0.741 in the table, and 74.1% in the sentence."""
    y = np.repeat([0, 1], 2000)
    a = ca.assess(y, y_pred=np.where(np.arange(4000) % 2000 < 1481, y, 1 - y))
    recall = [a["recall"].value, a["recall"].low, a["recall"].high]
    value, low, high = (f"{100 * Decimal(each):f}" for each in format_distinct(*recall))
    assert f"{value[:-2]}% (95% CI {low[:-2]}% to {high[:-2]}%)" in " ".join(str(a).replace("┃", "").split())
