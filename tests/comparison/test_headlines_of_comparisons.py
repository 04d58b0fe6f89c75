"""What leads a comparison, a leaderboard and a gate: values, differences, intervals, p-values, verdicts; and how swaps
and other names change the sentences."""

from html import unescape

import numpy as np
import pytest

import classay as ca
from classay.assessment.finding import MAX_SENTENCES
from classay.comparison.comparison import UnitsTested, adjusted
from classay.comparison.findings_differences import difference_sentence
from classay.report.results.compared import as_dict_of_gate

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 300)
SCORES = {
    "new": np.clip(RNG.normal(0.35 + 0.3 * Y, 0.2), 0, 1),
    "old": np.clip(RNG.normal(0.4 + 0.2 * Y, 0.25), 0, 1),
    "third": np.clip(RNG.normal(0.4 + 0.2 * Y, 0.25), 0, 1),
}
MANY_RNG = np.random.default_rng(4)
MANY = {f"m{k}": np.clip(MANY_RNG.normal(0.35 + (0.35 - 0.04 * k) * Y, 0.2), 0, 1) for k in range(6)}


def two(first, second, **options):
    return ca.compare({first: SCORES[first], second: SCORES[second]}, Y, **options)


def lead(found):
    """The sentences of the headline, the same at every door."""
    made = found.to_dict()
    said = [each["sentence"] for each in made["headline"]]
    flat = " ".join(str(found).replace("┃", " ").split())
    page = unescape(found._repr_html_())
    assert 1 <= len(said) <= MAX_SENTENCES
    for each in said:
        assert each in flat
        assert each.partition(":")[0] in page
    return said


def test_two_models_lead_with_both_values_the_difference_and_its_adjusted_p():
    first, others = lead(two("new", "old"))
    assert first == (
        "ROC AUC is higher for new than for old: 0.888 versus 0.772 (difference 0.116, unadjusted 95% CI 0.050 to "
        "0.182; p = 0.0040, adjusted for 6 tests)."
    )
    assert others == (
        "Average precision, accuracy and specificity are also higher for new. Brier score is lower (better) "
        "for new. The comparison of recall is inconclusive."
    )


def test_a_swap_of_the_models_mirrors_the_sentences():
    first, others = lead(two("old", "new"))
    assert first == (
        "ROC AUC is lower for old than for new: 0.772 versus 0.888 (difference -0.116, unadjusted 95% CI -0.182 to "
        "-0.050; p = 0.0040, adjusted for 6 tests)."
    )
    assert "are also lower for old" in others
    assert others.endswith("The comparison of recall is inconclusive.")


def test_no_difference_says_what_remains_possible():
    first = lead(two("third", "old"))[0]
    assert first.startswith(
        "No difference in ROC AUC was detected between third (0.700) and old (0.772): differences from -0.153 to 0.009 "
        "are compatible with the data (unadjusted 95% CI; p = "
    )
    labels = {name: (score > 0.5).astype(int) for name, score in SCORES.items() if name != "third"}
    shares = lead(ca.compare(y_true=Y, y_pred=labels, measures=["recall"]))[0]
    assert "from -0.4 to 17.6 percentage points" in shares


def test_a_difference_shown_alone_and_not_after_adjustment_says_so():
    one = two("new", "old", measures=["roc_auc"])[0]
    (made, *_) = adjusted([one.changed(p=0.03), *(one.changed(p=0.9) for _ in range(5))])
    sentence = difference_sentence(made, 300)
    assert sentence.startswith("No difference in ROC AUC was detected between new and old after adjustment")
    assert sentence.endswith("p = 0.18, adjusted for 6 tests; unadjusted p = 0.030).")


def test_a_one_sided_test_has_one_limit():
    first = lead(two("new", "old", alternative="greater"))[0]
    assert "(difference 0.116, unadjusted 95% lower limit 0.061; p = " in first
    assert "differences of -0.139 or more" in lead(two("third", "old", alternative="greater"))[0]


def test_three_models_name_the_pairs_that_differ():
    first, second, rest = lead(ca.compare(SCORES, Y))
    assert first.startswith("ROC AUC is higher for new than for old: 0.888 versus 0.772")
    assert second.startswith("ROC AUC is higher for new than for third: 0.888 versus 0.700")
    assert rest == "A difference was detected in 7 of the other 16 comparisons."


def test_many_models_lead_with_the_set_that_may_be_best_and_the_corrected_value():
    found = ca.compare(MANY, Y)
    may_be_best, expected, others = lead(found)
    board = found.leaderboard()
    assert may_be_best.startswith(
        f"{len(board.may_be_best)} of 6 models may be the best in ROC AUC (95% confidence): "
    )
    assert (
        f"the expected ROC AUC of {board.leader} on new cases is {board.expected.value:.3f} (95% CI"
        in expected
    )
    assert others.startswith(f"{board.leader} may also be the best in average precision")
    observed = f"{board.standings[0].value.value:.3f}"
    assert observed not in " ".join((may_be_best, expected, others))


@pytest.mark.parametrize(
    ("models", "measure", "rule", "margin", "start"),
    [
        (
            ("new", "old"),
            "roc_auc",
            "non-inferior",
            0.02,
            "PASS: new is non-inferior to old in ROC AUC at a margin of 0.02: 0.888 versus 0.772 (difference 0.116, "
            "95% CI 0.050 to 0.182; one-sided test of non-inferiority: p < 0.001). new is also superior "
            "(the CI excludes 0).",
        ),
        (
            ("old", "new"),
            "roc_auc",
            "non-inferior",
            0.02,
            "FAIL: old is worse than new in ROC AUC by more than the margin of 0.02: 0.772 versus 0.888 (difference "
            "-0.116, 95% CI -0.182 to -0.050).",
        ),
        (
            ("third", "old"),
            "roc_auc",
            "non-inferior",
            0.02,
            "INCONCLUSIVE: non-inferiority of third compared with old in ROC AUC at a margin of 0.02 was neither "
            "confirmed nor excluded: 0.700 versus 0.772 (difference -0.072, 95% CI -0.153 to 0.009). The 95% CI "
            "includes -0.020",
        ),
        (
            ("new", "old"),
            "recall",
            "not-worse",
            None,
            "PASS: new has no detected loss in recall compared with old: 81.6% versus 73.0% (difference 8.6 percentage "
            "points, 95% CI -0.4 to 17.6). A loss of up to 0.4 percentage points is compatible with the data",
        ),
        (
            ("old", "new"),
            "brier_score",
            "superior",
            None,
            "FAIL: old is worse than new in Brier score: 0.193 versus 0.147 (difference 0.046, 95% CI 0.019 to 0.073).",
        ),
        (
            ("new", "old"),
            "brier_score",
            "equivalent",
            0.1,
            "PASS: new is equivalent to old in Brier score at a margin of 0.1: 0.147 versus 0.193 (difference -0.046, "
            "90% CI -0.069 to -0.023; one-sided test of equivalence: p < 0.001).",
        ),
    ],
)
def test_gates_lead_with_the_verdict_the_values_the_difference_and_the_margin(
    models, measure, rule, margin, start
):
    made = ca.gate(two(*models, measures=[measure], rule=rule, margin=margin), rule, margin)
    said = " ".join(lead(made))
    assert said.startswith(start)
    assert str(made) == said
    assert made.sentence
    (first, *_) = as_dict_of_gate(made)["headline"]
    assert first["evidence"]["verdict"] == made.verdict.value
    if made.verdict.word == "fail":
        assert "p " not in said.partition("(")[2]


def test_a_measure_with_a_name_of_its_own_is_written_as_a_number():
    one = two("new", "old", measures=["roc_auc"])[0].changed(
        measure="my_score", sample=UnitsTested(12, "folds")
    )
    assert difference_sentence(one, 12).startswith(
        "My score is higher for new than for old: 0.888 versus 0.772"
    )
