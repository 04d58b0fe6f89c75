"""What searches tried, put together by hand: scores and limits of candidates, the choice by one standard error."""

from math import inf, isnan, nan, sqrt

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.errors import InputError
from classay.resampling.tuning import Candidate, Tuned, _candidates, _unless_unbounded, short, shortly

SETTINGS = [{"tree__max_depth": depth, "C": c} for depth in (1, 2, None) for c in (0.1, 1.0)]


def near(wanted):
    return pytest.approx(wanted, rel=1e-9, nan_ok=True)


def choices(seed, searches, inner=3, ratio=0.5):
    """What each search kept: some candidates are tried by some searches only, and some have a score that lacks."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(searches):
        tried = [
            (params, (0.7 + rng.normal(0, 0.05, inner)).tolist()) for params in SETTINGS if rng.random() < 0.9
        ]
        if seed % 2:
            tried[0][1][1] = None
        made.append({"params": tried[-1][0], "candidates": tried, "test_over_train": ratio})
    return made


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("searches", [1, 3, 6])
@pytest.mark.parametrize(("sign", "bounds"), [(1, (-inf, inf)), (-1, (-0.75, inf)), (1, (0, 0.72))])
def test_scores_are_means_over_all_searches_with_corrected_limits(seed, searches, sign, bounds):
    kept = choices(seed, searches)
    found = _candidates(kept, sign, 0.9, bounds)
    by_key = {}
    for choice in kept:
        for params, values in choice["candidates"]:
            by_key.setdefault(str(sorted(params.items())), []).append(
                [nan if x is None else sign * x for x in values]
            )
    assert {str(sorted(each.params.items())) for each in found} == {*by_key}
    for each in found:
        values = np.array(by_key[str(sorted(each.params.items()))])
        assert each.tried == len(values)
        assert each.chosen == sum(choice["params"] == each.params for choice in kept)
        if np.isnan(values).any():
            assert each.score.is_undefined
            assert each.score.reason == "an inner fold has no score"
            assert isnan(each.se)
            continue
        inside, df = values.var(ddof=1), values.size - 1
        variance = (1 / values.size + 0.5) * inside
        if len(values) >= 5:
            within, between = inside / 3, 0.4 * 3 * values.mean(1).var(ddof=1)
            if within + between > variance:
                variance = within + between
                df = variance**2 / (within**2 / (values.size - 1) + between**2 / (len(values) - 1))
        half = stats.t.ppf(0.95, df) * sqrt(variance)
        mean = values.mean()
        assert (each.score.value, each.se) == near((mean, sqrt(variance)))
        assert (each.score.low, each.score.high) == near(
            (max(bounds[0], mean - half), min(bounds[1], mean + half))
        )
        assert each.score.level == 0.9
    scores = [sign * each.score.value for each in found]
    defined = [score for score in scores if not isnan(score)]
    assert scores[: len(defined)] == sorted(defined, reverse=True)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"ratio": None}, "the inner folds of the search are not known"),
        ({"searches": 1, "inner": 1}, "one resample shows no variation"),
    ],
)
def test_scores_without_limits_say_why(how, why):
    for each in _candidates(choices(0, **{"searches": 3} | how), 1, 0.95, (0, 1)):
        assert not isnan(each.score.value)
        assert isnan(each.score.low)
        assert isnan(each.se)
        assert each.score.reason == why


def test_searches_that_kept_nothing_have_no_candidates():
    assert _candidates([{"params": {}}, {"params": {}, "candidates": []}], 1, 0.95, (0, 1)) == ()
    kept = [{"params": {"C": 1}, "candidates": []}, *choices(0, 1)]
    assert _candidates(kept, 1, 0.95, (0, 1))[0].tried == 1


def test_unbounded_scores_have_no_limits():
    limited = Candidate({"C": 1}, ca.Estimate(0.5, 0.4, 0.6, 0.95, "t"), 0.1, 2, 1)
    assert _unless_unbounded(limited, None) is limited
    assert _unless_unbounded(limited, "scores of 1").score.reason == "scores of 1"
    assert isnan(_unless_unbounded(limited, "scores of 1").score.low)
    never = Candidate({"C": 1}, limited.score, 0.1, 2, 0)
    assert _unless_unbounded(never, "scores of 1").score.reason == (
        "its scores were not saved, and among the chosen candidates scores of 1"
    )


def made(values, settings, scoring="accuracy", se=0.02, searches=2, tried=None, **limits):
    rows = [
        Candidate(params, ca.Estimate(value, value - 0.1, value + 0.1, 0.95, "t"), se, n, int(i == 0))
        for i, (value, params, n) in enumerate(
            zip(values, settings, tried or [searches] * len(values), strict=True)
        )
    ]
    return Tuned("", "m", scoring, 0.9, 0.9, 0.0, ("{}",) * searches, ca.Estimate(0.0), tuple(rows))


@pytest.mark.parametrize(
    ("scoring", "sign"), [("accuracy", 1), ("log_loss", -1), ("neg_other", -1), ("other", 1)]
)
@pytest.mark.parametrize("se", [0.02, 0.0, nan])
def test_within_one_standard_error_are_scores_at_most_so_far_from_the_best(scoring, sign, se):
    gaps = [0, 0.01, 0.0199, 0.02, 0.0201, 0.5, 0.001]
    tried = [2] * 6 + [1]
    found = made([0.5 - sign * gap for gap in gaps], [{"C": k} for k in range(7)], scoring, se, tried=tried)
    most = 0 if isnan(se) else se
    wanted = [k for k, gap in enumerate(gaps) if gap <= most + 1e-9 and tried[k] == 2]
    assert [each.params["C"] for each in found.within] == wanted
    assert found.is_loss == (sign < 0)
    frame = found.frame().to_pydict()
    assert [
        C for C, is_within in zip(frame["C"], frame["within_one_standard_error"], strict=True) if is_within
    ] == wanted
    assert frame["score"] == [each.score.value for each in found.candidates]
    assert frame["low"] == [each.score.low for each in found.candidates]
    assert frame["high"] == [each.score.high for each in found.candidates]
    assert (frame["tried"], frame["chosen"]) == (tried, [1] + [0] * 6)
    margin = found.curves()[-1]
    assert (margin.series == "1 SE from the best") == (not isnan(se))
    if not isnan(se):
        assert margin.y.tolist() == near([0.5 - sign * se] * 2)


def test_columns_of_a_frame_have_the_kinds_of_the_parameters():
    settings = [
        {"a__depth": 3, "C": 0.5, "fit": True, "how": "x", "mixed": 1},
        {"a__depth": 4, "C": 1.5, "fit": False, "how": "y", "mixed": None},
    ]
    found = made([0.9, 0.8], settings).frame()
    kinds = {name: str(found.schema.field(name).type) for name in found.column_names}
    assert kinds["depth"] == kinds["tried"] == "int64"
    assert kinds["C"] == kinds["score"] == "double"
    assert kinds["fit"] == "bool"
    assert found["mixed"].to_pylist() == ["1", "None"]
    assert found["how"].to_pylist() == ["x", "y"]
    assert found["fit"].to_pylist() == [True, False]
    lacking = made([0.9, 0.8], [{"C": 1}, {"D": 2}]).frame()
    assert lacking["C"].to_pylist() == ["1", "None"]
    assert made([], []).frame().num_rows == 0


SIMPLE = {
    "low numbers": ({"C": [10, 1, 0.1]}, {}, 0.1),
    "high numbers": ({"alpha": [10, 1, 0.1]}, {}, 10),
    "no limit is the least simple": ({"max_leaf_nodes": [None, 9, 5]}, {}, 5),
    "no limit where more is simpler": ({"max_depth": [None, 9, 5]}, {"max_depth": "high"}, None),
    "a list": ({"kernel": ["rbf", "poly", "linear"]}, {"kernel": ["linear", "poly", "rbf"]}, "linear"),
}


@pytest.mark.parametrize("name", SIMPLE)
def test_the_simplest_is_by_what_is_known_or_said_of_a_parameter(name):
    values, said, wanted = SIMPLE[name]
    ((parameter, listed),) = values.items()
    found = made([0.9] * 3, [{f"step__{parameter}": value} for value in listed])
    assert found.simplest(**said).params == {f"step__{parameter}": wanted}
    turned = made([0.9] * 3, [{f"step__{parameter}": value} for value in listed[::-1]])
    assert turned.simplest(**said).params == {f"step__{parameter}": wanted}


REFUSED = {
    "nobody knows": (
        {"shape": [1, 2]},
        {},
        "The values of shape that make a simpler model are not known. Pass .simplest(shape=…) with 'low', 'high', or a "
        "list of values from the simplest on.",
    ),
    "another word": (
        {"C": [1, 2]},
        {"C": "small"},
        "C must be 'low', 'high' or a list of values from the simplest on, but is 'small'.",
    ),
    "a value that is no number": (
        {"C": [1, "auto"]},
        {},
        "Value 'auto' of C is not a number. List the values of C from the simplest on.",
    ),
    "no limit of another parameter": (
        {"C": [1, None]},
        {},
        "Value None of C is not a number. List the values of C from the simplest on.",
    ),
    "a truth value": (
        {"C": [1, True, 0]},
        {},
        "Value True of C is not a number. List the values of C from the simplest on.",
    ),
    "a value that the list lacks": (
        {"kernel": ["a", "b"]},
        {"kernel": ["a"]},
        "Value 'b' of kernel is missing in ['a']. List all values.",
    ),
    "what was not varied": ({"C": [1, 2]}, {"D": "low"}, "'D' was not varied. Use one of C."),
    "what has one value": ({"C": [1, 2], "D": [3, 3]}, {"D": "low"}, "'D' was not varied. Use one of C."),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_known_to_be_simple_is_refused(name):
    values, said, words = REFUSED[name]
    settings = [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]
    found = made([0.9] * len(settings), settings)
    with pytest.raises(InputError) as refused:
        found.simplest(**said)
    assert str(refused.value) == words
    if not said:
        assert found.by_one_standard_error == words


def test_candidates_of_each_search_alone_have_no_simplest():
    found = made([0.9, 0.8], [{"C": 1}, {"C": 2}], tried=[1, 1])
    with pytest.raises(InputError) as refused:
        found.simplest()
    assert str(refused.value) == (
        "Each search drew its own candidates, and none was tried by all searches. Use a grid search for the "
        "one-standard-error rule."
    )
    assert found.curves() == ()


@pytest.mark.parametrize(
    ("settings", "series", "x"),
    [
        ([{"C": 2}, {"C": 1}, {"C": 3}], ["mean over the inner folds"], [1, 2, 3]),
        ([{"C": 1}, {"C": 1000}, {"C": 10}], ["mean over the inner folds"], [0, 1, 3]),
        ([{"a__C": c, "k": k} for c in (3, 2, 1) for k in "yx"], ["k x", "k y"], [1, 2, 3]),
        ([{"C": c, "k": k} for c in (1, 2) for k in range(8)], ["C 1", "C 2"], [*range(8)]),
        ([{"C": c, "k": k} for c in (1, 2, 3) for k in (9, 10, 2)], ["k 2", "k 9", "k 10"], [1, 2, 3]),
        ([{"C": c, "k": k, "m": m} for c in (1, 2) for k in (1, 2) for m in (1, 2)], None, None),
        ([{"C": 1}, {"C": 1}], None, None),
        ([{"C": c, "k": k} for c in range(9) for k in range(9)], None, None),
    ],
)
def test_lines_of_a_picture_are_the_values_of_the_second_parameter(settings, series, x):
    rng = np.random.default_rng(0)
    found = made((0.9 - rng.random(len(settings)) / 10).tolist(), settings)
    curves = found.curves()
    if series is None:
        assert curves == ()
        return
    *lines, margin = curves
    assert {line.series for line in lines} == {*series}
    if all(name.startswith("k ") and name[2:].isdigit() for name in series):
        assert [line.series for line in lines] == series
    for line in lines:
        assert line.x.tolist() == near([float(place) for place in x])
        assert sorted(line.y.tolist()) == sorted(
            each.score.value
            for each in found.candidates
            if len(lines) == 1
            or line.series in [f"{short(name)} {value}" for name, value in each.params.items()]
        )
        assert (line.low is None) == (len(lines) > 1)
        assert line.title == "Candidates of m"
        if line.low is not None:
            assert line.band == "95%, t"
            assert (line.y - line.low).tolist() == near([0.1] * len(x))
            assert (line.high - line.y).tolist() == near([0.1] * len(x))
    assert (margin.x.tolist(), margin.kind) == (near([float(min(x)), float(max(x))]), "reference")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.123456, "0.1235"), (1e-9, "1e-09"), (15, "15"), (123456, "123456"), (None, "None"), (True, "True")],
)
def test_values_are_shown_with_four_digits_where_they_were_drawn(value, text):
    assert shortly(value) == text
    candidate = Candidate({"a__b__C": value, "D": 1}, ca.Estimate(0.5), 0.1, 1, 1)
    assert str(candidate) == f"C {text}, D 1"


@pytest.mark.parametrize("names", [{"C"}, {"C", "k"}])
def test_only_parameters_with_several_values_are_varied(names):
    settings = [{"C": c, "fixed": 5, "k": 2 if "k" in names and c else 1} for c in (0, 1)]
    assert {*made([0.9, 0.8], settings).varied} == names
    assert {*made([0.9, 0.8], [{"C": 1}, {}]).varied} == {"C"}
