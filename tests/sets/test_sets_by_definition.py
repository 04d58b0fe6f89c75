"""Prediction sets: every number from its definition, case by case, and every sentence from the numbers."""

import re
from math import ceil, exp, sqrt

import numpy as np
import pytest
from scipy.stats import beta, betabinom, norm, t

import classay as ca
from classay.errors import FileError, InputError, MergeError
from classay.report.document import Bar, Difference
from classay.report.door import pages
from classay.sets.conformal import calibration_range, promise_p, rank_of
from classay.sets.results import MOST_SHOWN
from forged import forge

NAMES = ("ant", "bee", "cat", "dog", "eel", "fox")
GROUPS = ("north", "south", "west")


def drawn(seed):
    """True labels, sets as sorted lists, groups, and all labels: 2 to 6 labels, 1 to 40 cases, some sets empty."""
    rng = np.random.default_rng(seed)
    labels, cases = NAMES[: 2 + seed % 5], int(rng.integers(1, 40))
    y = rng.choice(labels, cases).tolist()
    inside = rng.random((cases, len(labels))) < rng.choice([0.1, 0.4, 0.7])
    inside |= (np.array(y)[:, None] == np.array(labels)) & (rng.random((cases, 1)) < 0.8)
    sets = [[label for label, here in zip(labels, row, strict=True) if here] for row in inside]
    return y, sets, rng.choice(GROUPS, cases).tolist(), labels


def wilson(x, n, level):
    z = norm.ppf(0.5 + level / 2)
    middle, half = (x + z * z / 2) / (n + z * z), z * sqrt(x * (n - x) / n + z * z / 4) / (n + z * z)
    return x / n, max(middle - half, 0.0), min(middle + half, 1.0)


def exact(x, n, level):
    tail = (1 - level) / 2
    low = beta.ppf(tail, x, n - x + 1) if x else 0.0
    return x / n, low, beta.ppf(1 - tail, x + 1, n - x) if x < n else 1.0


def half_of_mean(values, level):
    """t times the standard error; degrees of freedom 2 V² / var(V), from 1 to n - 1 (Satterthwaite)."""
    n, away = len(values), np.array(values, float) - np.mean(values)
    squares, fourths = (away**2).sum(), (away**4).sum()
    uneven = fourths - squares**2 / n
    degrees = max(1.0, min(n - 1, max(1.0, min(n, 2 * squares**2 / uneven if uneven > 1e-12 else n) - 1) + 1))
    return t.ppf(0.5 + level / 2, degrees) * sqrt(squares / n / (n - 1))


def numbers(estimate):
    return estimate.value, estimate.low, estimate.high


def rows_by(key, covered, level, joint):
    """Cases and covered cases of every value of a key that occurs, with limits."""
    found = {}
    for value in sorted({*key}):
        of_value = [hit for one, hit in zip(key, covered, strict=True) if one == value]
        found[value] = (len(of_value), *exact(sum(of_value), len(of_value), joint))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_every_number_of_an_assessment_is_that_of_its_cases(seed):
    y, sets, site, labels = drawn(seed)
    level = (0.95, 0.8, 0.99)[seed % 3]
    a = ca.assess_sets(y, sets, labels=labels, by=site, level=level)
    n, sizes = len(y), [len(row) for row in sets]
    covered = [true in row for true, row in zip(y, sets, strict=True)]
    singles = [hit for hit, size in zip(covered, sizes, strict=True) if size == 1]
    assert (a.n, a.labels, a.level) == (n, labels, level)
    for name, x in (("coverage", sum(covered)), ("empty_sets", sizes.count(0)), ("singletons", len(singles))):
        assert numbers(a[name]) == pytest.approx(wilson(x, n, level), abs=1e-9), name
    if singles:
        wrong = len(singles) - sum(singles)
        assert numbers(a["singleton_error"]) == pytest.approx(wilson(wrong, len(singles), level), abs=1e-9)
    else:
        assert a["singleton_error"].reason == "no set has one label"
    mean = sum(sizes) / n
    assert a["mean_size"].value == pytest.approx(mean)
    if len({*sizes}) > 1:
        half = half_of_mean(sizes, level) / mean
        wanted = (mean * exp(-half), min(mean * exp(half), len(labels)))
        assert numbers(a["mean_size"])[1:] == pytest.approx(wanted, abs=1e-9)
    else:
        assert a["mean_size"].reason == "all sets have the same size"
        assert not a["mean_size"].has_interval
    tables = {"by_class": (y, [*labels]), "by_group": (site, None), "by_size": (sizes, None)}
    for name, (key, order) in tables.items():
        joint = 1 - (1 - level) / len({*key})
        wanted = rows_by(key, covered, level, joint)
        shown = getattr(a, name)
        found = {row.name: (row.cases, *numbers(row.coverage)) for row in shown}
        assert found.keys() == wanted.keys()
        assert [*found] == [one for one in order or [*dict.fromkeys(sorted(key))] if one in wanted]
        for one, row in found.items():
            assert row == pytest.approx(wanted[one], abs=1e-9), (name, one)
        if name != "by_size":
            least = a[{"by_class": "least_covered_class", "by_group": "least_covered_group"}[name]]
            single = rows_by(key, covered, level, level)
            lowest = [min(row[at] for row in wanted.values()) for at in (1, 3)]
            low = min(row[2] for row in single.values())
            assert numbers(least) == pytest.approx((lowest[0], low, lowest[1]), abs=1e-9)
    for size, share in a.sizes.items():
        assert numbers(share) == pytest.approx(wilson(sizes.count(size), n, level), abs=1e-9)
    assert [*a.sizes] == sorted({*sizes})


@pytest.mark.parametrize("seed", range(40))
def test_every_number_of_a_comparison_is_that_of_its_cases_and_of_the_turned_one(seed):
    y, first, _, labels = drawn(seed)
    rng = np.random.default_rng(seed + 1000)
    second = [
        row if rng.random() < 0.5 else [label for label in labels if rng.random() < 0.5] for row in first
    ]
    level = (0.95, 0.8, 0.99)[seed % 3]
    c = ca.compare_sets(y, {"one": first, "two": second}, labels=labels, level=level)
    gaps = [len(a) - len(b) for a, b in zip(first, second, strict=True)]
    hits = [(int(true in a), int(true in b)) for true, a, b in zip(y, first, second, strict=True)]
    assert c.size_difference.value == pytest.approx(np.mean(gaps))
    if len({*gaps}) > 1:
        half = half_of_mean(gaps, level)
        ends = np.mean(gaps) + np.array([-half, half])
        assert numbers(c.size_difference)[1:] == pytest.approx(ends, abs=1e-9)
    else:
        assert c.size_difference.reason == "the sizes of all cases differ by the same number"
    assert c.coverage_difference.value == pytest.approx(np.mean([a - b for a, b in hits]))
    # Tango's limits are where the score statistic is the normal quantile
    b, d, n = sum(p == (1, 0) for p in hits), sum(p == (0, 1) for p in hits), len(hits)
    for end in numbers(c.coverage_difference)[1:]:
        if abs(end) < 1:
            assert abs(score_of_pairs(b, d, n, end)) == pytest.approx(norm.ppf(0.5 + level / 2), abs=1e-4)
    for name, sets in (("one", first), ("two", second)):
        alone = ca.assess_sets(y, sets, labels=labels, level=level)
        assert c.methods[name].estimates == alone.estimates
    back = ca.compare_sets(y, {"two": second, "one": first}, labels=labels, level=level)
    for name in ("size_difference", "coverage_difference"):
        value, low, high = numbers(getattr(c, name))
        assert numbers(getattr(back, name)) == pytest.approx((-value, -high, -low), abs=1e-6, nan_ok=True)
    assert (c.n, c.names, back.names, c.level) == (n, ("one", "two"), ("two", "one"), level)


def score_of_pairs(b, c, n, gap):
    """Tango's score statistic of a difference of paired shares (Tango 1998, equation 3)."""
    two = 2 * n
    up = -b - c + (2 * n - b + c) * gap
    q21 = (sqrt(up * up - 8 * n * -c * gap * (1 - gap)) - up) / (2 * two)
    return (b - c - n * gap) / sqrt(n * (2 * q21 + gap * (1 - gap)))


@pytest.mark.parametrize(
    ("n", "target"), [(1, 0.5), (9, 0.9), (19, 0.9), (20, 0.95), (100, 0.8), (333, 0.97)]
)
def test_the_range_and_the_test_of_a_promise_are_those_of_the_beta(n, target):
    from fractions import Fraction

    rank = ceil((n + 1) * Fraction(str(target)))
    shape = beta(rank, n + 1 - rank)
    below = [beta.cdf(target, k, n + 1 - k) for k in range(1, n + 1)]
    sure = next((k for k, share in enumerate(below, 1) if share <= 0.05), None)
    wanted = (n, target, rank, shape.ppf(0.05), shape.ppf(0.95), shape.cdf(target), sure)
    for found, expected in zip(calibration_range(n, target), wanted, strict=True):
        assert found == (None if expected is None else pytest.approx(expected, abs=1e-9))
    for cases in (1, 7, 40):
        of_cases = betabinom(cases, rank, n + 1 - rank)
        for covered in {0, 1, cases // 2, cases - 1, cases}:
            wanted = min(1, 2 * min(of_cases.cdf(covered), of_cases.sf(covered - 1)))
            assert promise_p(covered, cases, n, target) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(
    ("target", "least"), [(0.5, 1), (0.9, 9), (0.95, 19), (0.75, 3), (0.6, 2), (0.99, 99)]
)
def test_the_least_number_of_calibration_cases_is_named_and_is_enough(target, least):
    assert rank_of(least, target) == least
    for few in {least - 1, 0}:
        with pytest.raises(
            InputError, match=rf"^{few} calibration cases cannot .* {target:g}\. .*least {least},"
        ):
            rank_of(few, target)


def test_the_most_calibration_cases_with_a_sure_rank_is_the_rank_of_all_of_them():
    """n cases have a sure rank where target ** n <= 5%: of 0.9, from 29 cases on."""
    for n in range(9, 40):
        assert (calibration_range(n, 0.9).sure_rank is None) == (0.9**n > 0.05)
    assert calibration_range(29, 0.9).sure_rank == 29


@pytest.mark.parametrize("seed", range(12))
def test_sentences_and_warnings_have_the_numbers_of_an_assessment(seed):
    y, sets, site, labels = drawn(seed)
    target, calibration = (0.9, 30) if seed % 2 else (0.5, 400)
    level = (0.95, 0.8)[seed // 2 % 2]
    a = ca.assess_sets(y, sets, labels=labels, by=site, target=target, calibration=calibration, level=level)
    n, covered = len(y), sum(true in row for true, row in zip(y, sets, strict=True))
    wanted = betabinom_p(covered, n, calibration, target)
    assert a.p == pytest.approx(wanted, abs=1e-9)
    lead, promise, span = a.sentences
    value = 100 * covered / n
    assert float(re.match(r"The coverage is ([\d.]+)%", lead)[1]) == pytest.approx(value, abs=0.51)
    assert f"mean size of {sum(map(len, sets)) / n:.3f}" in lead
    assert ("differs from" in promise) == (wanted < 1 - level)
    assert ("is compatible with" in promise) == (wanted >= 1 - level)
    assert f"promise of {100 * target:g}% from {calibration} calibration cases (p" in promise
    told = calibration_range(calibration, target)
    found = re.fullmatch(
        r"With (\d+) calibration cases, 90% of thresholds have a coverage of ([\d.]+)% to ([\d.]+)%\. "
        r"The coverage is below ([\d.]+)% for (\d+)% of thresholds\.",
        span,
    )
    assert [*map(float, found.groups())] == pytest.approx(
        [calibration, 100 * told.low, 100 * told.high, 100 * target, 100 * told.below], abs=0.501
    )
    assert [*map(float, found.groups()[1:3])] == pytest.approx([100 * told.low, 100 * told.high], abs=0.051)
    facts = dict(a.facts)
    assert facts == {
        "cases": str(n),
        "labels": str(len(labels)),
        "groups": str(len({*site})),
        "target coverage": f"{100 * target:g}%",
        "calibration cases": str(calibration),
    }
    plain = ca.assess_sets(y, sets, labels=labels)
    assert dict(plain.facts) == {"cases": str(n), "labels": str(len(labels))}
    assert (plain.sentences[1:], plain.p, plain.calibration_range) == ((), None, None)
    assert (plain.by_group, plain.by) == ((), None)
    assert [one.text for one in plain.warnings] == [*warned(y, sets, labels)]
    aimed = ca.assess_sets(y, sets, labels=labels, target=target)
    assert [one.text for one in aimed.warnings][:-1] == [*warned(y, sets, labels)]
    assert aimed.warnings[-1].text.startswith(
        "A test of the promised coverage needs the number of calibration"
    )
    assert [one.text for one in a.warnings] == [*warned(y, sets, labels)]
    assert (len(aimed.sentences), aimed.p, aimed.calibration_range) == (1, None, None)


def betabinom_p(covered, n, calibration, target):
    rank = ceil((calibration + 1) * target - 1e-9)
    of_cases = betabinom(n, rank, calibration + 1 - rank)
    return min(1, 2 * min(of_cases.cdf(covered), of_cases.sf(covered - 1)))


def warned(y, sets, labels):
    """The warnings of text without blank cells, of counts of cases."""
    empty = sum(not row for row in sets)
    if empty:
        yield (
            f"{empty} set{'s are' if empty > 1 else ' is'} empty and count{'' if empty > 1 else 's'} as "
            + ("misses." if empty > 1 else "a miss.")
        )
    never = [label for label in labels if label not in y]
    if never:
        verb = "is" if len(never) == 1 else "are"
        yield f"{len(never)} of {len(labels)} labels {verb} not the true label of any case, such as '{never[0]}'."
    lost = [
        label
        for label in labels
        if label in y and not any(label in row for true, row in zip(y, sets, strict=True) if true == label)
    ]
    if lost:
        more = {1: "", 2: " 1 more label is in no set of its cases."}.get(
            len(lost), f" {len(lost) - 1} more labels are in no set of their cases."
        )
        yield f"No set of a case with true label '{lost[0]}' contains '{lost[0]}'.{more}"


@pytest.mark.parametrize("lost", [0, 1, 2, 3])
@pytest.mark.parametrize("never", [0, 1, 2])
@pytest.mark.parametrize("empty", [0, 1, 2])
def test_warnings_count_labels_and_sets(lost, never, empty):
    y = ["a", *NAMES[:3], *["a"] * empty]
    sets = [["a"], *([["a"] if k < lost else [name] for k, name in enumerate(NAMES[:3])]), *[[]] * empty]
    labels = ("a", *NAMES[:3], *("x", "y")[:never])
    a = ca.assess_sets(y, sets, labels=labels)
    assert [one.text for one in a.warnings] == [*warned(y, sets, labels)]
    assert {one.code for one in a.warnings} <= {"note"}


@pytest.mark.parametrize(
    ("blank", "said"), [(0, ""), (1, " 1 cell without text is"), (2, " 2 cells without text are")]
)
def test_cells_without_text_are_counted_among_empty_sets(blank, said):
    a = ca.assess_sets(
        ["a", "b", "a"] * 2, ["a", "b", "a", "", *[None] * blank, *[""] * (2 - blank)], separator="|"
    )
    assert a.n_blank == blank
    behind = f"{said} among them." if said else ""
    assert a.warnings[0].text == f"3 sets are empty and count as misses.{behind}"


def compared(sizes, hits=None):
    """Methods `one` and `two` of six labels: each case has sizes of both, and whether both have its true label."""
    y, first, second = [], [], []
    for (a, b), (p, q) in zip(sizes, hits or [(True, True)] * len(sizes), strict=True):
        y.append("ant")
        first.append([*(["ant"] if p else []), *NAMES[1:]][:a] if p else [*NAMES[1:]][:a])
        second.append([*(["ant"] if q else []), *NAMES[1:]][:b] if q else [*NAMES[1:]][:b])
    return ca.compare_sets(y, {"one": first, "two": second}, labels=NAMES)


SMALLER = "The sets of {} are {} than the sets of {}: "


@pytest.mark.parametrize(
    ("sizes", "hits", "lead", "last"),
    [
        (
            [(1, 2)] * 30 + [(1, 3)] * 10,
            None,
            SMALLER.format("one", "smaller", "two"),
            "No lower coverage of one",
        ),
        (
            [(2, 1)] * 30 + [(3, 1)] * 10,
            None,
            SMALLER.format("one", "larger", "two"),
            "No lower coverage of two",
        ),
        ([(1, 2)] * 40, None, SMALLER.format("one", "smaller", "two"), "No lower coverage of one"),
        ([(2, 1)] * 40, None, SMALLER.format("one", "larger", "two"), "No lower coverage of two"),
        (
            [(1, 2)] * 40,
            [(False, True)] * 40,
            SMALLER.format("one", "smaller", "two"),
            "Smaller sets with a lower",
        ),
        (
            [(2, 1)] * 40,
            [(True, False)] * 40,
            SMALLER.format("one", "larger", "two"),
            "Smaller sets with a lower",
        ),
        (
            [(1, 2)] * 40,
            [(True, False)] * 40,
            SMALLER.format("one", "smaller", "two"),
            "No lower coverage of one",
        ),
        (
            [(2, 1)] * 40,
            [(False, True)] * 40,
            SMALLER.format("one", "larger", "two"),
            "No lower coverage of two",
        ),
        (
            [(2, 2)] * 40,
            None,
            "The sets of one and two have the same mean size of 2.000 labels.",
            "The coverage of",
        ),
        ([(1, 2), (2, 1)] * 20, None, "No difference in mean size was detected: ", "The coverage of"),
        (
            [(1, 2), (2, 1)] * 20 + [(1, 2)],
            None,
            "No difference in mean size was detected: ",
            "The coverage of",
        ),
    ],
)
def test_sentences_say_which_sets_are_smaller_and_whether_they_cover_less(sizes, hits, lead, last):
    c = compared(sizes, hits)
    first, second, *rest = c.sentences
    assert first.startswith(lead)
    a, b = np.mean(sizes, 0)
    if "same" not in lead:
        assert f": {a:.3f} versus {b:.3f} labels, a difference of {a - b:.3f}" in first
        limits = re.search(r"95% CI (-?[\d.]+) to (-?[\d.]+)\)", first)
        if c.size_difference.has_interval:
            assert [*map(float, limits.groups())] == pytest.approx(numbers(c.size_difference)[1:], abs=6e-4)
        else:
            assert limits is None
    found = re.fullmatch(
        r"The coverage of one minus that of two is (\S+) percentage points \(95% CI (\S+) to (\S+)\)\.",
        second,
    )
    assert [*map(float, found.groups())] == pytest.approx(
        [100 * end for end in numbers(c.coverage_difference)], abs=0.051
    )
    assert [second, *rest][-1].startswith(last)
    assert len(c.sentences) == (2 if last == "The coverage of" else 3)
    words = repr(c)
    assert words == f"SetComparison(one and two, {len(sizes)} cases; print it, or see .size_difference)"


def test_a_comparison_has_the_warnings_of_both_methods_under_their_names():
    y, sets = ["a", "b", "b"], {"one": [["a"], [], ["b"]], "two": [["a"], ["a"], ["a"]]}
    c = ca.compare_sets(y, sets)
    found = [(one.concerns, one.text) for one in c.warnings]
    assert found == [
        (("one",), "1 set is empty and counts as a miss."),
        (("two",), "No set of a case with true label 'b' contains 'b'."),
    ]
    blank = ca.compare_sets(y, {"one": ["a", None, "b"], "two": ["a", "", "b"]}, separator="|")
    assert [a.n_blank for a in blank.methods.values()] == [1, 0]
    aimed = ca.compare_sets(y, sets, target=0.6, calibration=30)
    for name, rows in sets.items():
        alone = ca.assess_sets(y, rows, target=0.6, calibration=30, labels=["a", "b"])
        assert aimed.methods[name].to_dict() == alone.to_dict()


@pytest.mark.parametrize("seed", range(8))
def test_tables_are_those_of_the_result_sorted_and_counted(seed, monkeypatch):
    most = (MOST_SHOWN, 2)[seed % 2]
    monkeypatch.setattr("classay.sets.results.MOST_SHOWN", most)
    y, sets, site, labels = drawn(seed + 3)
    a = ca.assess_sets(y, sets, labels=labels, by=site, target=0.6, calibration=(None, 30)[seed // 2 % 2])
    document = pages(a).paper()
    tables = {section.title: section.parts[0] for section in document.sections[:4]}
    assert [*tables] == ["Coverage and size", "By size of the set", "By true label", "By group"]
    assert [row[0].text for row in tables["Coverage and size"].rows] == [
        {
            "coverage": "Coverage",
            "mean_size": "Mean size",
            "empty_sets": "Empty sets",
            "singletons": "Sets of one label",
            "singleton_error": "Error rate of sets of one label",
            "least_covered_class": "Coverage of the least covered class",
            "least_covered_group": "Coverage of the least covered group",
        }[name]
        for name in a.estimates
    ]
    for (name, estimate), row in zip(a.estimates.items(), tables["Coverage and size"].rows, strict=True):
        assert row[1].estimate is estimate
        is_drawn = name != "mean_size" and estimate.has_interval
        assert row[2] == (Bar(estimate.low, estimate.value, estimate.high) if is_drawn else None)
    of = {"By true label": a.by_class, "By group": a.by_group, "By size of the set": a.by_size}
    for title, rows in of.items():
        is_by_size = title == "By size of the set"
        order = [*rows] if is_by_size else sorted(rows, key=lambda row: row.coverage.value)
        shown = [(row[0].text, row[1].value, row[2].estimate) for row in tables[title].rows]
        assert shown == [(str(row.name), row.cases, row.coverage) for row in order[:most]]
        for row in tables[title].rows:
            assert row[3] == Bar(row[2].estimate.low, row[2].estimate.value, row[2].estimate.high)
        rest = f"smallest of {len(rows)} sizes." if is_by_size else f"least covered of {len(rows)}."
        assert tables[title].note == (f"The {most} {rest}" if len(rows) > most else "")
    assert bool(document.sources) == (a.calibration is not None)
    assert dict(document.facts)["confidence level"] == "95%"
    without = pages(ca.assess_sets(y, sets, labels=labels)).paper()
    assert "By group" not in [section.title for section in without.sections]


def test_the_tables_of_a_comparison_have_both_methods_and_the_differences():
    y, first, _, labels = drawn(7)
    c = ca.compare_sets(y, {"one": first, "two": first[::-1]}, labels=labels, level=0.8)
    document = pages(c).paper()
    both, gaps = (section.parts[0] for section in document.sections[:2])
    assert [section.title for section in document.sections[:2]] == ["Size and coverage", "one minus two"]
    assert [(row[0].text, row[1].estimate) for row in both.rows] == [
        ("Mean size, one", c.methods["one"]["mean_size"]),
        ("Mean size, two", c.methods["two"]["mean_size"]),
        ("Coverage, one", c.methods["one"]["coverage"]),
        ("Coverage, two", c.methods["two"]["coverage"]),
    ]
    assert [(row[0].text, row[1]) for row in gaps.rows] == [
        ("Mean size", Difference(c.size_difference)),
        ("Coverage", Difference(c.coverage_difference)),
    ]
    assert dict(document.facts) == {"cases": str(len(y)), "confidence level": "80%"}
    found = c.to_dict()
    assert (found["first"], found["second"], found["cases"], found["level"]) == ("one", "two", len(y), 0.8)
    for name, estimate in (
        ("size_difference", c.size_difference),
        ("coverage_difference", c.coverage_difference),
    ):
        assert (found[name]["value"], found[name]["low"]) == (estimate.value, estimate.low)
    assert found["methods"].keys() == {"one", "two"}


@pytest.mark.parametrize("seed", range(6))
def test_json_has_the_numbers_of_the_result(seed):
    y, sets, site, labels = drawn(seed + 20)
    a = ca.assess_sets(y, sets, labels=labels, by=site, target=0.6, calibration=30)
    found = a.to_dict()
    told = calibration_range(30, 0.6)
    assert found["calibration_range"] == {
        name: getattr(told, name) for name in ("rank", "low", "high", "below", "sure_rank")
    }
    assert (found["cases"], found["labels"], found["target"], found["calibration"]) == (
        len(y),
        [*labels],
        0.6,
        30,
    )
    assert (found["p"], found["level"], found["by"]) == (a.p, 0.95, None)
    assert {name: one["value"] for name, one in found["measures"].items()} == pytest.approx(
        {name: one.value for name, one in a.estimates.items() if one.value == one.value}
        | {name: None for name, one in a.estimates.items() if one.value != one.value}
    )
    sizes = [
        (row["size"], row["sets"], row["share"]["value"], row["coverage"]["value"])
        for row in found["by_size"]
    ]
    assert sizes == [(row.name, row.cases, row.cases / len(y), row.coverage.value) for row in a.by_size]
    for key, name, rows in (("by_class", "label", a.by_class), ("by_group", "group", a.by_group)):
        assert [(row[name], row["cases"], row["coverage"]["low"]) for row in found[key]] == [
            (row.name, row.cases, row.coverage.low) for row in rows
        ]
    assert [one["text"] for one in found["warnings"]] == [one.text for one in a.warnings]


@pytest.mark.parametrize("seed", range(8))
def test_parts_in_any_order_of_other_labels_and_groups_are_the_whole(seed, tmp_path):
    y, sets, site, labels = drawn(seed + 8)
    whole = ca.assess_sets(y, sets, by=site, target=0.6, calibration=30, labels=labels)
    order = np.random.default_rng(seed).permutation(len(y))
    cut = len(y) // 3
    parts = []
    for k, at in enumerate((order[:cut], order[cut:])):
        if not at.size:
            return
        part = ca.assess_sets(
            [y[k] for k in at],
            [sets[k] for k in at],
            by=[site[k] for k in at],
            labels=labels if k else labels[::-1],
            target=0.6,
            calibration=30,
        )
        part.save(tmp_path / f"{k}.classay")
        again = ca.load(tmp_path / f"{k}.classay")
        assert again.to_dict() == part.to_dict()
        assert repr(again) == repr(part)
        parts.append(again)
    for both in (parts[0] + parts[1], parts[1] + parts[0]):
        assert both.estimates == whole.estimates
        assert (both.p, both.n, both.level, both.target, both.calibration) == (whole.p, len(y), 0.95, 0.6, 30)
        for name in ("by_class", "by_group"):
            assert {(row.name, row.cases, row.coverage) for row in getattr(both, name)} == {
                (row.name, row.cases, row.coverage) for row in getattr(whole, name)
            }
        assert both.by_size == whole.by_size


@pytest.mark.parametrize(
    "other",
    [{"level": 0.9}, {"target": 0.7}, {"calibration": 40}, {"target": None, "calibration": None}],
)
def test_only_results_of_the_same_settings_are_added(other):
    how = {"labels": ["a", "b"], "target": 0.6, "calibration": 30}
    a = ca.assess_sets(["a", "b"], [["a"], ["b"]], **how)
    with pytest.raises(MergeError, match="different levels, targets, calibration cases or groups"):
        a + ca.assess_sets(["a", "b"], [["a"], ["b"]], **how | other)
    assert (a + a).n == 4
    with pytest.raises(TypeError):
        a + 1
    with pytest.raises(TypeError):
        a.table + 1


def test_groups_are_added_where_both_have_them_under_the_same_name():
    pd = pytest.importorskip("pandas")
    rows = ["a", "b"], [["a"], ["b"]]
    plain, grouped = ca.assess_sets(*rows), ca.assess_sets(*rows, by=["x", "y"])
    for left, right in ((plain, grouped), (grouped, plain)):
        with pytest.raises(MergeError, match="One result has groups and the other has none"):
            left + right
    named = ca.assess_sets(*rows, by=pd.Series(["x", "y"], name="site"))
    assert (grouped.by, named.by, dict(named.facts)["groups"]) == (None, "site", "2 of site")
    assert (named + named).by == "site"
    with pytest.raises(MergeError, match="or groups"):
        grouped + named


def changed(cells, at, value):
    cells = cells.copy()
    cells[at] = value
    return cells


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda cells, cases: {"cells.npy": changed(cells, (0, 3), 2)}, "cells and groups disagree"),
        (lambda cells, cases: {"cells.npy": changed(cells, (0, 3), -1)}, "cells and groups disagree"),
        (
            lambda cells, cases: {"cells.npy": changed(cells, (0, slice(1, 3)), (0, 1))},
            "an empty set has a label",
        ),
        (lambda cells, cases: {"cells.npy": cells[:0], "cases.npy": cases[:0]}, "it has no cases"),
        (lambda cells, cases: {"cases.npy": changed(cases, 0, 0)}, "cases"),
        (lambda cells, cases: {"cases.npy": cases[:-1]}, "cases"),
    ],
)
def test_files_that_no_assessment_has_written_are_refused(change, says, tmp_path):
    path = tmp_path / "a.classay"
    a = ca.assess_sets(["a", "b", "a"], [["a"], ["b"], ["b"]], by=["x", "y", "x"])
    a.save(path)
    forge(path, change(a.table.cells, a.table.cases))
    with pytest.raises(FileError, match=says):
        ca.load(path)


def test_a_file_without_groups_has_none_in_its_cells(tmp_path):
    path = tmp_path / "a.classay"
    a = ca.assess_sets(["a", "b"], [["a"], ["b"]])
    a.save(path)
    assert ca.load(path).table.groups is None
    forge(path, {"cells.npy": changed(a.table.cells, (0, 3), 0)})
    with pytest.raises(FileError, match="cells and groups disagree"):
        ca.load(path)


def test_rows_are_as_wide_as_needed_and_cases_are_counted_once():
    """One case is the least; two of the same size have no interval, two of other sizes have one."""
    one = ca.assess_sets(["a"], [["a"]], labels=["a", "b"])
    assert (one.n, one["mean_size"].has_interval, one["coverage"].value) == (1, False, 1.0)
    two = ca.assess_sets(["a", "b"], [["a"], ["a", "b"]])
    assert two["mean_size"].has_interval
    half = t.ppf(0.975, 1) * sqrt(0.25) / 1.5
    assert two["mean_size"].low == pytest.approx(1.5 * exp(-half))
    assert two["mean_size"].high == 2.0
    none = ca.assess_sets(["a", "b"], [["b"], []])
    assert (none["coverage"].value, none["mean_size"].value) == (0.0, 0.5)
    empty = ca.assess_sets(["a", "b"], [[], []], labels=["a", "b"])
    assert (empty["mean_size"].value, empty["mean_size"].reason) == (0.0, "all sets have the same size")
