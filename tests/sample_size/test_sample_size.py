"""Sample sizes: oracles, that they are the least, and the command."""

import json
import re
from math import ceil
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from classay.errors import InputError
from classay.inference.proportions import wilson
from classay.sample_size.commands import sample_size
from classay.sample_size.normal_scores import normal_auc_variance
from classay.sample_size.sizes import (
    connor_cases,
    for_auc,
    for_class_rate,
    for_mcnemar,
    for_no_failures,
    for_proportion,
    hanley_mcneil_variance,
    mid_p_power,
)
from command import call, json_of, refusal

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "calibration.json").read_text())
CONTRACT = Draft202012Validator(
    json.loads((Path(__file__).parents[2] / "docs" / "sample-size.schema.json").read_text(encoding="utf-8"))
)
EXACT = {"abs": 1e-9, "rel": 0}


def test_proportion_oracles():
    expected = ORACLES["n_wilson_halfwidth"]
    assert for_proportion(0.02).cases == expected["h=.02,worst"]
    assert for_proportion(0.05).cases == expected["h=.05,worst"]
    assert for_proportion(0.01, 0.95).cases == expected["h=.01,p=.95"]
    assert for_proportion(0.05, 0.9).cases == expected["h=.05,p=.9"]


@pytest.mark.parametrize("p", [0.0, 0.03, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("half_width", [0.01, 0.07, 0.2])
def test_proportion_is_the_least(p, half_width):
    def width(n):
        low, high = wilson(p * n, n)
        return (high - low) / 2 if 0 < p < 1 else None

    n = for_proportion(half_width, p).cases
    if width(n) is not None:
        assert width(n) <= half_width + 1e-12 < half_width + 1e-9
        assert width(n - 1) > half_width
        assert for_proportion(half_width, p).reached == pytest.approx(width(n), abs=1e-12)


def test_auc_oracles():
    for given, name in (
        ((0.8, 0.05, 0.5), "A=.8,h=.05,pi=.5"),
        ((0.8, 0.05, 0.1), "A=.8,h=.05,pi=.1"),
        ((0.9, 0.03, 0.3), "A=.9,h=.03,pi=.3"),
    ):
        found = for_auc(*given, method="hanley-mcneil")
        assert [found.cases, found.positives, found.negatives] == ORACLES["n_auc_HM"][name]


def test_auc_is_the_least():
    random = np.random.default_rng(0)
    drawn = zip(
        *(random.uniform(*ends, 60) for ends in ((0.55, 0.97), (0.08, 0.25), (0.02, 0.98))), strict=True
    )
    for auc, half_width, prevalence in [(0.7, 0.1, 0.07), (0.95, 0.08, 0.4), (0.6, 0.2, 0.5), *drawn]:
        found = for_auc(auc, half_width, prevalence, method="hanley-mcneil").cases
        n = np.arange(2, found)
        p = np.ceil(prevalence * n - 1e-9)
        ok = (p > 0) & (p < n)
        widths = 1.959963984540054 * np.sqrt(hanley_mcneil_variance(auc, p[ok], (n - p)[ok]))
        assert (widths > half_width).all()


def test_mcnemar_oracles():
    expected = ORACLES["n_mcnemar_connor"]
    assert connor_cases(0.08, 0.05) == pytest.approx(expected["p10=.08,p01=.05"], **EXACT)
    assert connor_cases(0.02, 0.05) == pytest.approx(expected["p10=.05,p01=.02"], **EXACT)
    found = for_mcnemar(0.08, 0.05)
    assert found.cases == 1132
    assert found.reached == pytest.approx(ORACLES["power_McNemar_midp_n1132"], **EXACT)
    assert for_mcnemar(0.05, 0.02).cases == 609


def test_mid_p_power_by_enumeration():
    from scipy.stats import binom

    n, first, second, power = 30, 0.25, 0.1, 0.0
    for m in range(n + 1):
        for b in range(m + 1):
            k = min(b, m - b)
            p = min(1.0, 2 * binom.cdf(k, m, 0.5) - binom.pmf(k, m, 0.5))
            if p <= 0.05:
                power += binom.pmf(m, n, first + second) * binom.pmf(b, m, first / (first + second))
    assert mid_p_power(n, first, second) == pytest.approx(power, abs=1e-12)


def test_zero_failures():
    expected = ORACLES["rule_of_three"]
    found = for_no_failures(0.01)
    assert found.cases == expected["n_needed_p<=.01"]
    assert found.reached <= 0.01
    exact = expected["n=300 exact 95% one-sided upper"]
    assert for_no_failures(exact).cases == 300
    assert for_no_failures(exact).reached == pytest.approx(exact, **EXACT)


def test_class_rate_divides_by_the_prevalence():
    found = for_class_rate(0.05, 0.1)
    assert (found.cases, found.positives, found.negatives) == (3810, 381, 3429)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: for_proportion(0),
        lambda: for_proportion(0.1, 1.2),
        lambda: for_proportion(0.1, level=1),
        lambda: for_auc(1.0, 0.1),
        lambda: for_mcnemar(0.1, 0.1),
        lambda: for_mcnemar(0.7, 0.6),
        lambda: for_no_failures(float("nan")),
        lambda: for_proportion(1e-9),
    ],
)
def test_refusals(wrong):
    with pytest.raises(InputError):
        wrong()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["proportion", "--half-width", "0.05"], "381 cases"),
        (
            ["proportion", "--half-width", "0.05", "--prevalence", "0.1"],
            "3,810 cases (381 positive, 3,429 negative)",
        ),
        (["auc", "--auc", "0.8", "--half-width", "0.05", "--prevalence", "0.1"], "801 cases (81 positive"),
        (["mcnemar", "--first-only", "0.08", "--second-only", "0.05"], "1,132 cases"),
        (["zero-failures", "--rate", "0.01"], "299 cases"),
    ],
)
def test_command(words, expected):
    result = call("sample-size", *words)
    assert result.exit_code == 0
    assert expected in result.output


DESIGNS = (
    "proportion --half-width 0.03",
    "proportion --half-width 0.05 --prevalence 0.07 --expected 0.9",
    "auc --auc 0.8 --half-width 0.05 --prevalence 0.07",
    "auc-difference --first 0.8 --second 0.87 --prevalence 0.3 --power 0.9",
    "auc-difference --first 0.8 --second 0.87 --prevalence 0.97 --correlation 0.4 --power 0.8 --level 0.9",
    "mcnemar --first-only 0.08 --second-only 0.05 --power 0.7",
    "zero-failures --rate 0.01 --level 0.9",
)
WANTED = ("--half-width", "--power", "--rate")
"""What a design names, and reaches."""


@pytest.mark.parametrize("design", DESIGNS)
def test_the_cases_found_give_what_was_reached(design):
    """`--cases` with the number that a design needs gives its half-width, power or bound, and with fewer less."""

    def called(words):
        return json_of("sample-size", *words)

    words = design.split()
    found = called(words)
    at = next(k for k, each in enumerate(words) if each in WANTED)
    without = words[:at] + words[at + 2 :]
    again = called([*without, "--cases", str(found["cases"])])
    assert again | {"method": found["method"]} == found
    worse = called([*without, "--cases", str(found["cases"] // 2)])["reached"]
    assert worse < found["reached"] if "--power" in words else worse > found["reached"]
    refused = call("sample-size", *words, "--cases", "100")
    assert refused.exit_code == 2
    assert re.search("cases (is|are) set. Use one of them", refused.output)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("proportion", "Neither --half-width nor --cases is set"),
        ("zero-failures", "Neither --rate nor --cases is set"),
        ("proportion --cases 0", "cases must be a number from 1 to 10,000,000,000, but is 0"),
        (
            "proportion --cases 20000000000",
            "cases must be a number from 1 to 10,000,000,000, but is 20000000000",
        ),
        (
            "proportion --cases 9 --prevalence 0.1",
            "9 cases would have 0 positives, but each class needs at least one",
        ),
        ("auc --auc 0.8 --cases 1", "1 case would have 1 positive, but each class needs at least one"),
        (
            "auc-difference --first 0.8 --second 0.9 --cases 9 --prevalence 0.1",
            "9 cases would have 0 positives, but each class needs at least one",
        ),
        (
            "auc-difference --first 0.8 --second 0.9 --power 0.01",
            "power must be above 0.05, the rate of false rejections, but is 0.01",
        ),
    ],
)
def test_designs_that_cannot_be_are_refused(words, said):
    assert said in refusal("sample-size", *words.split())


@pytest.mark.parametrize("words", [[], ["--help"], ["auc", "--help"]])
def test_command_helps(words):
    result = call("sample-size", *words)
    assert "half-width" in result.output
    assert ("zero-failures" in result.output) == (words != ["auc", "--help"])


def test_command_json_and_refusal():
    result = call("sample-size", "auc", "--auc", "0.8", "--half-width", "0.05", "--json", "-")
    assert json.loads(result.output)["cases"] == 292
    assert "half_width must be a number between 0 and 1, but is 2.0" in refusal(
        "sample-size", "proportion", "--half-width", "2"
    )


def test_python_has_what_the_command_has():
    """Every command of `sample-size` says what its public function says, in words and in JSON."""
    import classay as ca

    size = ca.sample_size
    for words, found in (
        ("proportion --half-width 0.05 --level 0.9", size.for_proportion(0.05, level=0.9)),
        ("proportion --half-width 0.05 --prevalence 0.1", size.for_class_rate(0.05, 0.1)),
        ("auc --auc 0.8 --half-width 0.05 --level 0.8", size.for_auc(0.8, 0.05, level=0.8)),
        (
            "auc-difference --first 0.8 --second 0.85 --correlation 0.5 --level 0.99",
            size.for_auc_difference(0.8, 0.85, 0.5, level=0.99),
        ),
        (
            "mcnemar --first-only 0.08 --second-only 0.05 --level 0.9",
            size.for_mcnemar(0.08, 0.05, level=0.9),
        ),
        ("zero-failures --rate 0.01 --level 0.9", size.for_no_failures(0.01, level=0.9)),
        ("proportion --cases 90 --level 0.9", size.for_proportion(cases=90, level=0.9)),
        ("proportion --cases 90 --prevalence 0.1", size.for_class_rate(prevalence=0.1, cases=90)),
        ("auc --auc 0.8 --cases 90 --level 0.8", size.for_auc(0.8, cases=90, level=0.8)),
        (
            "auc-difference --first 0.8 --second 0.85 --correlation 0.5 --cases 90",
            size.for_auc_difference(0.8, 0.85, 0.5, cases=90),
        ),
        ("auc-difference --first 0.8 --second 0.85 --cases 90", size.for_auc_difference(0.8, 0.85, cases=90)),
        ("mcnemar --first-only 0.08 --second-only 0.05 --cases 90", size.for_mcnemar(0.08, 0.05, cases=90)),
        ("zero-failures --cases 90 --level 0.9", size.for_no_failures(cases=90, level=0.9)),
        ("auc-against --auc 0.85 --against 0.8", size.for_auc_against(0.85, 0.8)),
        (
            "auc-against --auc 0.85 --against 0.8 --method obuchowski",
            size.for_auc_against(0.85, 0.8, method="obuchowski"),
        ),
        (
            "auc-difference --first 0.8 --second 0.85 --score-correlation 0.5",
            size.for_auc_difference(0.8, 0.85, score_correlation=0.5),
        ),
        (
            "auc --auc 0.8 --half-width 0.05 --method hanley-mcneil",
            size.for_auc(0.8, 0.05, method="hanley-mcneil"),
        ),
        (
            "precision --half-width 0.05 --precision 0.6 --recall 0.8 --prevalence 0.1",
            size.for_precision(0.05, 0.6, 0.8, 0.1),
        ),
        (
            "leaderboard --models 9 --first-only 0.08 --second-only 0.05",
            size.for_leaderboard(9, 0.08, 0.05),
        ),
        ("gate --margin 0.02 --discordant 0.08 --groups 5", size.for_gate(0.02, 0.08, groups=5)),
        (
            "means --difference 0.02 --deviation 0.2 --per-cluster 5 --correlation 0.3",
            size.for_means(0.02, 0.2, per_cluster=5, correlation=0.3),
        ),
    ):
        assert call("sample-size", *words.split()).stdout == f"{found}\n"
        said = json_of("sample-size", *words.split())
        assert said == vars(found)
        CONTRACT.validate(said)
    # "labels" is tested with plans of labels
    own = [one for one in sample_size.registered_commands if one.name != "labels"]
    assert len(own) == 10  # a new command needs a row above, and a function


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("for_no_failures", {"rate": 5e-324}),
        ("for_no_failures", {"rate": 1e-12}),
        ("for_proportion", {"half_width": 5e-324}),
        ("for_mcnemar", {"first_only": 1e-300, "second_only": 0}),
        ("for_mcnemar", {"first_only": 5e-324, "second_only": 0, "power": 0.9}),
        ("for_mcnemar", {"first_only": 0.5, "second_only": 0.5 - 2**-54}),
        ("for_auc", {"auc": 1 - 1e-16, "half_width": 0.5}),
        ("auc_difference_power", {"first": 0.8, "second": 0.9, "positives": 0, "negatives": 5}),
        ("auc_difference_power", {"first": 0.8, "second": 0.9, "positives": 5, "negatives": -1}),
        ("auc_difference_power", {"first": 0.8, "second": 0.9, "positives": 5, "negatives": 5e-324}),
        ("auc_difference_power", {"first": 0.8, "second": 0.9, "positives": "x", "negatives": 5}),
        (
            "auc_difference_power",
            {"first": 0.8, "second": 0.9, "positives": 5, "negatives": 5, "correlation": 1},
        ),
        ("auc_difference_power", {"first": 0.8, "second": 0.9, "positives": float("nan"), "negatives": 5}),
    ],
)
def test_what_is_no_design_is_refused(name, how):
    with pytest.raises(InputError):
        getattr(ca.sample_size, name)(**how)


def test_an_auc_next_to_one_needs_few_cases():
    found = ca.sample_size.for_auc(1 - 1e-9, 0.5, 1 - 1e-9)
    assert found.reached <= 0.5


@pytest.mark.parametrize("prevalence", [1e-9, 1e-6, 0.003, 0.5, 0.7, 1 - 1e-9])
@pytest.mark.parametrize("auc", [1e-9, 0.2, 0.8, 1 - 1e-9])
def test_the_least_cases_for_an_auc_are_found_at_any_prevalence(prevalence, auc):
    """Two thousand million cases were looked at one by one where positives are as rare as one in a thousand million."""
    found = ca.sample_size.for_auc(auc, 0.3, prevalence)
    assert found.reached <= 0.3
    lower = [
        n for n in range(max(2, found.cases - 300), found.cases) if width_of_auc(auc, prevalence, n) <= 0.3
    ]
    assert lower == []


def width_of_auc(auc, prevalence, n):
    p = ceil(prevalence * n - 1e-9)
    if not 0 < p < n:
        return float("inf")
    return 1.959963984540054 * normal_auc_variance(auc, p, n - p) ** 0.5


@pytest.mark.parametrize(
    ("call_of", "said"),
    [
        (
            lambda: for_mcnemar(float("nan"), 0.1),
            "first_only must be a share of all cases, from 0 to 1, but is nan",
        ),
        (lambda: for_mcnemar(0.1, 0.05, 0.01), "power must be above 0"),
        (lambda: for_no_failures(1e-300), "More than 10,000,000,000 cases would be needed"),
    ],
)
def test_what_is_refused(call_of, said):
    with pytest.raises(InputError, match=said):
        call_of()
