"""NRI and IDI: by hand in fractions, laws, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import classay as ca
from classay.errors import InputError
from classay.report.results.reclassifications import document_of
from command import call, refusal

Y = [1, 1, 1, 0, 0, 0, 0, 1]
OLD = [0.6, 0.4, 0.7, 0.3, 0.2, 0.6, 0.1, 0.5]
NEW = [0.8, 0.5, 0.6, 0.2, 0.3, 0.4, 0.1, 0.7]


def drawn(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    old = np.clip(0.3 * y + 0.5 * rng.random(n), 0.01, 0.99)
    return y, np.clip(old + 0.1 * (y - 0.4) + rng.normal(0, 0.05, n), 0.01, 0.99), old


def test_by_hand():
    """Positives up 3, down 1 of 4; negatives down 2, up 1 of 4; mean changes 0.1 and -0.05."""
    found = ca.reclassification(Y, NEW, OLD)
    parts = found.nri_of_positives.value, found.nri_of_negatives.value, found.nri.value
    assert parts == pytest.approx((2 / 4, 1 / 4, 3 / 4))
    assert found.idi.value == pytest.approx(0.15)
    # cut at 0.35 and 0.55: one positive up (0.5 to 0.7); one negative down (0.6 to 0.4)
    cut = ca.reclassification(Y, NEW, OLD, cuts=[0.35, 0.55])
    assert (cut.nri_of_positives.value, cut.nri_of_negatives.value) == (1 / 4, 1 / 4)
    assert cut.idi == found.idi
    assert (found.moved_up, found.moved_down) == ((3, 1), (1, 2))
    assert "risk categories (bounds 0.35, 0.55)" in str(cut)


def test_with_one_cut_it_is_the_difference_of_informedness():
    y, new, old = drawn()
    found = ca.reclassification(y, new, old, cuts=[0.5])
    apart = [ca.assess(y, each)["informedness"].value for each in (new, old)]
    assert found.nri.value == pytest.approx(apart[0] - apart[1])


def test_the_idi_is_the_difference_of_the_discrimination_slopes():
    y, new, old = drawn()
    found = ca.reclassification(y, new, old)
    (compared,) = ca.compare({"new": new, "old": old}, y, measures=["discrimination_slope"])
    assert found.idi.value == pytest.approx(compared.effect.value)
    assert (found.idi.low, found.idi.high) == pytest.approx((compared.effect.low, compared.effect.high))


def test_laws():
    y, new, old = drawn()
    found, swapped = ca.reclassification(y, new, old), ca.reclassification(y, old, new)
    turned = ca.reclassification(~y, 1 - new, 1 - old)
    order = np.random.default_rng(1).permutation(y.size)
    again = ca.reclassification(np.where(y, "a", "b")[order], new[order], old[order], positive="a")
    for name in ("nri", "idi"):
        one, other = getattr(found, name), getattr(swapped, name)
        assert (one.value, one.low, one.high) == pytest.approx(
            (-other.value, -other.high, -other.low), abs=1e-9
        )
        for same in (turned, again):
            other = getattr(same, name)
            assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))
    same = ca.reclassification(y, old, old)
    assert (same.nri.value, same.idi.value) == (0, 0)
    assert same.nri.low < 0 < same.nri.high
    assert "no variation" in same.idi.reason
    level = ca.reclassification(y, new, old, level=0.8)
    assert found.idi.low < level.idi.low < level.idi.high < found.idi.high


@pytest.mark.parametrize(
    "given",
    [
        {"cuts": [0.5, 0.2]},
        {"cuts": [0.0]},
        {"new": [3.0] * 8},
        {"y_true": [1] * 8},
        {"old": OLD[:-1]},
        {"new": [float("nan"), *NEW[1:]]},
    ],
)
def test_what_cannot_be_is_refused(given):
    with pytest.raises(InputError):
        ca.reclassification(**{"y_true": Y, "new": NEW, "old": OLD} | given)


def test_a_probability_beyond_1_by_rounding_alone_is_1():
    y, new, old = drawn()
    new[0] = 1
    rounded = new.copy()
    rounded[0] = 1 + 1e-7
    assert ca.reclassification(y, rounded, old).estimates == ca.reclassification(y, new, old).estimates
    with pytest.raises(InputError, match=r"are outside \[0, 1\]"):
        ca.reclassification(y, np.where(np.arange(y.size) == 0, 1.1, new), old)


def test_it_is_shown_as_other_results_are(tmp_path, monkeypatch):
    y, new, old = drawn()
    found = ca.reclassification(y, new, old, cuts=[0.2, 0.5])
    text = str(found)
    assert "favor a model that is not better" in text
    assert " ".join(text.replace("┃", "").split()).count("95% CI") == 3
    assert found.warnings[0].code == "reclassification"
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"y": np.where(y, "ill", "well"), "new": new, "old": old}), "f.parquet")
    columns = ["--truth", "y", "--new", "new", "--old", "old", "--positive", "ill"]
    done = call(
        "reclassification", "f.parquet", *columns, "--cuts", "0.2,0.5", "--json", "r.json", "--html", "r.html"
    )
    assert done.exit_code == 0, done.stderr
    from_command, here = json.loads(Path("r.json").read_text()), found.to_dict()
    assert from_command["positive"] == "ill"
    for name in ("nri", "nri_of_positives", "nri_of_negatives", "idi", "positives", "negatives", "cuts"):
        assert from_command[name] == here[name], name
    assert "favor a model that is not better" in Path("r.html").read_text()
    assert "Name the columns with --old" in refusal("reclassification", "f.parquet", *columns[:4])
    same = call("reclassification", "f.parquet", "--truth", "y", "--new", "new", "--old", "new")
    assert same.exit_code == 2
    assert "--new and --old name the same column 'new'" in same.stderr


def test_the_headline_says_which_direction_is_shown():
    y, new, old = drawn()
    right, wrong = (document_of(ca.reclassification(y, *pair)).verdict for pair in ((new, old), (old, new)))
    assert "more cases in the correct direction" in right[0]
    assert "farther apart" in right[1]
    assert "more cases in the incorrect direction" in wrong[0]
    assert "closer together" in wrong[1]
    few = document_of(ca.reclassification(y, old + 0.01 * np.sin(np.arange(y.size)), old)).verdict
    assert few[0].startswith("No net reclassification was detected (NRI ")
    assert few[1].startswith("No difference in discrimination slope was detected (IDI ")


def test_the_scale_has_two_digits_and_no_better_end():
    y, new, old = drawn()
    section = document_of(ca.reclassification(y, new, old)).sections[0]
    low, middle, high = section.parts[0].scale.texts
    assert (len(low.strip("-.0")) <= 3, middle, len(high.strip("-.0")) <= 3) == (True, "0", True)
    assert float(low) < 0 < float(high)
