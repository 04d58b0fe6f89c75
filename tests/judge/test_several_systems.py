"""What readers of three or more systems learn: who is behind, merged pairs, shared labels, the judge by system."""

import numpy as np
import pytest

import classay as ca
from classay.judge.cells import Cells
from classay.judge.pairs import merged_pairs

NAMES = ("a", "b", "c", "d")


def judged(shares, n=600, labels=200, right=0.95, *, apart=False, seed=0):
    """Systems with these shares of passes, a judge that errs, and labels of the same or of different cases."""
    rng = np.random.default_rng(seed)
    human, judge = {}, {}
    for k, (name, share) in enumerate(zip(NAMES, shares, strict=False)):
        truth = rng.random(n) < share
        judge[name] = np.where(rng.random(n) < right, truth, ~truth) * 1
        labelled = np.arange(n) // labels == k if apart else np.arange(n) < labels
        human[name] = [int(y) if known else None for y, known in zip(truth, labelled, strict=True)]
    return ca.compare_judged(human, judge)


@pytest.mark.parametrize(
    ("shares", "text"),
    [
        ((0.9, 0.85, 0.4), "c has a lower share of '1' than "),
        ((0.9, 0.85, 0.4, 0.3), "c and d have a lower share of '1' than "),
        ((0.9, 0.6, 0.3), "c also has a lower share of '1' than "),
        ((0.6, 0.6, 0.6), "No difference was detected between "),
    ],
)
def test_one_sentence_is_about_systems_behind_the_first_two(shares, text):
    s = judged(shares)
    found = [sentence for sentence in s.sentences if text in sentence]
    assert found[-1].startswith(text)
    assert not [sentence for sentence in judged(shares[:2]).sentences if "(adjusted p < " in sentence]


def test_each_system_that_is_told_as_behind_has_a_detected_difference():
    for seed in range(12):
        s = judged(np.random.default_rng(seed).uniform(0.3, 0.9, 4), seed=seed)
        behind = [sentence for sentence in s.sentences if "(adjusted p < " in sentence]
        best = (
            s.sentences[0].split(" has ")[0].removeprefix("No difference in the share of '1' was detected ")
        )
        if best not in NAMES:
            best = best.removeprefix("between ").split(" ")[0]
        for sentence in behind:
            named = sentence.split(" ha")[0].removesuffix(" also").replace(" and ", ", ").split(", ")
            for one in s.differences:
                if best in one.systems and {*one.systems} & {*named}:
                    assert one.p_adjusted < 0.05


def test_labels_of_different_cases_have_a_next_step_and_wider_intervals():
    same, apart = judged((0.7, 0.6, 0.5)), judged((0.7, 0.6, 0.5), apart=True)
    assert (same.steps, len(apart.steps)) == ((), 1)
    assert "Label the same cases for all systems" in apart.to_markdown()
    assert "Label the same cases" not in same.to_markdown()


def test_the_judge_is_told_by_system():
    s = judged((0.7, 0.6, 0.5), labels=20)
    (sentence,) = [sentence for sentence in s.sentences if "The judge agrees" in sentence]
    shares = sorted(100 * system.agreement.value for system in s.systems)
    assert f"{shares[0]:.0f}% (" in sentence
    assert f"{shares[-1]:.0f}% (" in sentence
    assert sentence.endswith("Differences in agreement are uncertain with fewer than 30 labels.")
    assert "uncertain" not in " ".join(judged((0.7, 0.6)).sentences)


def test_merged_pairs_of_grades_are_told_and_only_these():
    rng = np.random.default_rng(2)
    for _ in range(30):
        human, judge = {}, {}
        for name in NAMES[:3]:
            truth = rng.random(80) < 0.8
            judge[name] = np.where(rng.random(80) < 0.9, truth, ~truth) * 1
            human[name] = [int(y) if k < 25 else None for k, y in enumerate(truth)]
        s = ca.compare_judged(human, judge)
        for one in s.differences:
            first, second = (judge[name] for name in one.systems)
            cell = 2 * first + second
            sizes, labels = np.bincount(cell, minlength=4), np.bincount(cell[:25], minlength=4)
            few = (sizes > 0) & (labels < 3)
            assert one.is_merged == few.any()
            cells = Cells.of_counts(sizes, np.stack([labels, 0 * labels, 0 * labels], -1))
            assert one.is_merged == (not np.array_equal(merged_pairs(cells).sizes, cells.sizes))
        told = [text for code, text in s.warnings if code == "small_cells"]
        assert bool(told) == any(one.is_merged for one in s.differences)
