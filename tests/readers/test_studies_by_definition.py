"""Studies of several readers recomputed from the definitions: values, covariances, means, differences, checks.

DeLong 1988, Obuchowski 1997 (clusters), Obuchowski & Rockette 1995, Hillis 2007 and 2014, Gallas 2006, Hotelling 1931.
"""

from functools import cache
from itertools import combinations, product
from math import isnan, sqrt

import numpy as np
import pandas as pd
import pytest
import scipy.stats as st
from sklearn.metrics import cohen_kappa_score

import classay as ca
from readers.test_readers import NAMES, readings

CLASSES = {"roc_auc": (True, False), "recall": (True,), "specificity": (False,)}
DESIGNS = {
    "two modalities": {},
    "three modalities, few levels of scores": {"modalities": ("a", "b", "c"), "readers": 3, "cases": 24},
    "two readers": {"readers": 2, "seed": 9},
    "one modality": {"modalities": ("a",)},
    "readings are missing": {"lost": 0.1},
    "pairs of cases": {"together": 2, "cases": 60},
    "pairs of cases, readings are missing": {"together": 2, "cases": 60, "lost": 0.1},
    "mixed pairs of cases": {"together": 3, "cases": 60},
    "three modalities of pairs": {"modalities": ("a", "b", "c"), "together": 2, "cases": 48},
    "readers within modalities": {"within": True, "readers": 5},
    "readers within three modalities": {"within": True, "readers": 7, "modalities": ("a", "b", "c")},
    "two readers, one in each modality": {"within": True, "readers": 2},
}
LEVELS = {None: 0.95, "readers": 0.8, "cases": 0.9}
"""The confidence level of a study by what is fixed."""


@cache
def rows_of(design):
    """Readings in long form, with ties, `patient` the cluster of a case."""
    options = dict(DESIGNS[design])
    lost, together, within = (
        options.pop(name, value) for name, value in (("lost", 0), ("together", 1), ("within", 0))
    )
    frame = readings(**{"seed": len(design), "readers": 3} | options)
    frame["score"] = frame["score"].round(1)
    frame["patient"] = frame["case"] // together
    if together == 2:  # clusters of two cases of one class
        frame["patient"] = np.where(frame["ill"], frame["case"] // 6, 99 - (2 * frame["case"] // 3) // 2)
    if lost:
        frame = frame[np.random.default_rng(1).random(len(frame)) >= lost]
    if within:
        names = sorted(frame["modality"].unique())
        at = frame["reader"].str[1:].astype(int) % len(names)
        frame = frame[frame["modality"] == np.array(names)[at]]
    return frame.reset_index(drop=True)


@cache
def study_of(design, fixed=None):
    cluster = "patient" if "pairs" in design else None
    frame = rows_of(design)
    return ca.compare_readers(
        frame, **NAMES, score="score", prediction="label", cluster=cluster, fixed=fixed, level=LEVELS[fixed]
    )


@cache
def cells_of(design, measure):
    """The value of each modality and reader, and what each case adds to it, 0 where it is not read or of no class."""
    frame, found = rows_of(design), {}
    for cell, part in frame.groupby(["modality", "reader"]):
        ill, score, label, case = (part[name].to_numpy() for name in ("ill", "score", "label", "case"))
        adds = np.zeros(frame["case"].max() + 1)
        if measure == "roc_auc":
            better = (1 + np.sign(score[ill][:, None] - score[~ill][None, :])) / 2
            value = better.mean()
            adds[case[ill]] = (better.mean(1) - value) / ill.sum()
            adds[case[~ill]] = (better.mean(0) - value) / (~ill).sum()
        else:
            of_class = ill == CLASSES[measure][0]
            right = (label == ill)[of_class]
            value = right.mean()
            adds[case[of_class]] = (right - value) / right.size
        found[cell] = value, part, adds
    return found


def units_of(part, kind):
    return part.loc[part["ill"] == kind, "patient"].nunique()


def corrected(n):
    return n / (n - 1)


def sums_of(design, measure, cells, kind):
    """What the clusters of a class add to each value, `(cells, clusters)`, by n / (n - 1) of those that were read."""
    found, frame = cells_of(design, measure), rows_of(design).drop_duplicates("case")
    at = frame.loc[frame["ill"] == kind, ["case", "patient"]].to_numpy()
    sums = np.zeros((len(cells), frame["patient"].max() + 1))
    for k, cell in enumerate(cells):
        _, part, adds = found[cell]
        np.add.at(sums[k], at[:, 1], adds[at[:, 0]] * sqrt(corrected(units_of(part, kind))))
    return sums


def spread_of(design, measure, cells):
    """The covariances of values over the cases, where no cluster holds both classes."""
    return sum(sums @ sums.T for sums in (sums_of(design, measure, cells, kind) for kind in CLASSES[measure]))


def degrees_of_cases(design, measure):
    parts = [part for _, part, _ in cells_of(design, measure).values()]
    return min(units_of(part, kind) for part in parts for kind in CLASSES[measure]) - 1


@cache
def by_hand_of(design, measure, fixed):
    return ByHand(design, measure, fixed)


class ByHand:
    """What a study of readers who all read in all modalities must find."""

    def __init__(self, design, measure, fixed):
        self.measure, self.fixed = measure, fixed
        found = cells_of(design, measure)
        self.modalities, self.readers = (sorted({cell[k] for cell in found}) for k in (0, 1))
        self.cells = [*product(self.modalities, self.readers)]
        shape = len(self.modalities), len(self.readers)
        self.values = np.array([found[cell][0] for cell in self.cells]).reshape(shape)
        self.cov = spread_of(design, measure, self.cells).reshape(shape * 2)
        if fixed == "cases":
            self.cov = 0 * self.cov
        self.df = degrees_of_cases(design, measure)

    def parts(self):
        """Var, Cov1, Cov2 and Cov3, means over what is alike."""
        kinds = {}
        for (i, j), (k, m) in product(product(*map(range, self.values.shape)), repeat=2):
            kinds.setdefault((i != k, j != m), []).append(self.cov[i, j, k, m])
        return [np.mean(kinds[at]) if at in kinds else np.nan for at in ((0, 0), (1, 0), (0, 1), (1, 1))]

    def squares(self):
        n_modalities, n_readers = self.values.shape
        rows, columns, mean = self.values.mean(1), self.values.mean(0), self.values.mean()
        both = sum(
            (self.values[i, j] - rows[i] - columns[j] + mean) ** 2
            for i in range(n_modalities)
            for j in range(n_readers)
        )
        return (
            n_readers * ((rows - mean) ** 2).sum() / (n_modalities - 1),
            n_modalities * ((columns - mean) ** 2).sum() / (n_readers - 1),
            both / ((n_modalities - 1) * (n_readers - 1)),
        )

    def mean(self, i):
        """The mean over readers, its standard error and degrees of freedom."""
        values, own = self.values[i], self.cov[i, :, i]
        j = values.size
        if self.fixed == "readers":
            return values.mean(), sqrt(own.mean()), self.df
        cov2 = (own.sum() - np.trace(own)) / (j * (j - 1))
        square = values.var(ddof=1)
        total = square + max(j * cov2, 0)
        df = (total / square) ** 2 * (j - 1)
        return values.mean(), sqrt(total / j), df if self.fixed == "cases" else min(df, self.df)

    def error(self):
        """What the mean square of modalities is compared with, and its degrees of freedom."""
        *_, cov2, cov3 = self.parts()
        left = self.squares()[2]
        n_modalities, n_readers = self.values.shape
        total = left + max(n_readers * (cov2 - cov3), 0)
        return total, (total / left) ** 2 * (n_modalities - 1) * (n_readers - 1)

    def difference(self, i, k):
        gap = self.values[i].mean() - self.values[k].mean()
        if self.fixed == "readers":
            signs = np.zeros(self.values.shape)
            signs[i], signs[k] = 1 / len(self.readers), -1 / len(self.readers)
            return gap, sqrt(signs.ravel() @ self.cov.reshape(signs.size, -1) @ signs.ravel()), self.df
        error, df = self.error()
        return gap, sqrt(2 * error / len(self.readers)), df


def is_estimate(estimate, value, se, df, level, scale="plain"):
    """Whether an estimate is value ± t · se, on the logit scale or cut to [-1, 1]."""
    half = st.t.ppf((1 + level) / 2, df) * se
    if scale == "logit":
        middle, half = np.log(value / (1 - value)), half / (value * (1 - value))
        ends = [1 / (1 + np.exp(-(middle + sign * half))) for sign in (-1, 1)]
    else:
        ends = [max(value - half, -1), min(value + half, 1)]
    assert [estimate.value, estimate.low, estimate.high] == pytest.approx([value, *ends], rel=1e-8, abs=1e-10)
    assert estimate.level == level


CROSSED = [
    design for design in DESIGNS if not any(word in design for word in ("within", "one in each", "mixed"))
]
STUDIED = [(design, None) for design in DESIGNS] + [
    (design, fixed)
    for design, kinds in {
        "two modalities": ("readers", "cases"),
        "three modalities, few levels of scores": ("readers", "cases"),
        "one modality": ("readers", "cases"),
        "pairs of cases": ("readers",),
        "readers within modalities": ("readers", "cases"),
        "two readers, one in each modality": ("readers", "cases"),
    }.items()
    for fixed in kinds
]
"""Designs, and what is fixed in their studies."""


def check_readings(design, measure, fixed):
    found, values = study_of(design, fixed)[measure], cells_of(design, measure)
    assert {(one.modality, one.reader) for one in found.readings} == set(values)
    for one in found.readings:
        value, part, _ = values[one.modality, one.reader]
        assert (one.estimate.value, one.cases) == (pytest.approx(value, abs=1e-12), len(part))
        assert found[one.modality, one.reader] is one.estimate
        answers = {"y_score": part["score"]} if measure == "roc_auc" else {"y_pred": part["label"]}
        cluster = part["patient"].to_numpy() if "pairs" in design else None
        alone = ca.assess(part["ill"].to_numpy(), **answers, cluster=cluster, level=LEVELS[fixed])
        assert one.estimate == alone[measure]


def check_crossed_readers(design, measure, fixed):
    level = LEVELS[fixed]
    found, by_hand = study_of(design, fixed)[measure], by_hand_of(design, measure, fixed)
    for i, name in enumerate(by_hand.modalities):
        is_estimate(found.means[name], *by_hand.mean(i), level, "logit")
    named = {None: "Obuchowski-Rockette, t", "cases": "t over readers"}
    of_auc = "Obuchowski, t" if "pairs" in design else "DeLong, t"
    of_cases = of_auc if measure == "roc_auc" else "t over cases"
    method = named.get(fixed, of_cases)
    assert {mean.method for mean in found.means.values()} == {f"{method}, logit"}
    if len(by_hand.modalities) == 1:
        assert (found.comparisons, found.overall, found.variances) == ((), None, None)
        return
    assert found.variances.components == pytest.approx(by_hand.parts(), rel=1e-8, abs=1e-14)
    assert found.variances.mean_squares == pytest.approx(by_hand.squares(), rel=1e-8)
    pairs = [*combinations(range(len(by_hand.modalities)), 2)]
    for one, (i, k) in zip(found.comparisons, pairs, strict=True):
        assert one.models == (by_hand.modalities[i], by_hand.modalities[k])
        gap, se, df = by_hand.difference(i, k)
        is_estimate(one.effect, gap, se, df, level)
        assert one.effect.method == method
        assert (one.statistic, one.df, one.p) == pytest.approx(
            (gap / se, df, 2 * st.t.sf(abs(gap / se), df)), rel=1e-7
        )
        assert one.values == pytest.approx([by_hand.values[at].mean() for at in (i, k)])
        assert (
            one.random == {None: "readers and test cases", "readers": "test cases", "cases": "readers"}[fixed]
        )
        if fixed is None:  # the covariances of AUCs have a source of their own
            assert ("DeLong" in one.reference) == (measure == "roc_auc" and "pairs" not in design)
            assert ("Biometrics 53:567" in one.reference) == (measure == "roc_auc" and "pairs" in design)
        units = len(by_hand.readers) if fixed != "readers" else None
        assert (one.sample.units == "readers") == (fixed != "readers")
        assert units in (None, one.sample.n)
        if fixed == "readers":
            frame = rows_of(design)
            frame = frame if measure == "roc_auc" else frame[frame["ill"] == CLASSES[measure][0]]
            assert one.sample.units == ("clusters" if "pairs" in design else "cases")
            assert one.sample.n == frame["patient" if "pairs" in design else "case"].nunique()


def check_all_modalities(design, measure, fixed):
    one, by_hand = study_of(design, fixed)[measure].overall, by_hand_of(design, measure, fixed)
    first = len(by_hand.modalities) - 1
    assert one.values == pytest.approx(by_hand.values.mean(1))
    assert (one.models, one.df, one.effect, one.measure) == (tuple(by_hand.modalities), first, None, measure)
    assert one.random == {None: "readers and test cases", "readers": "test cases", "cases": "readers"}[fixed]
    assert one.criterion.level == LEVELS[fixed]
    if fixed == "readers":
        by = np.kron(np.eye(first + 1), np.full(len(by_hand.readers), 1 / len(by_hand.readers)))
        gaps = np.hstack([np.ones((first, 1)), -np.eye(first)])
        spread = gaps @ by @ by_hand.cov.reshape(by.shape[1], -1) @ by.T @ gaps.T
        gap = gaps @ by_hand.values.mean(1)
        second = by_hand.df + 1 - first
        f = gap @ np.linalg.solve(spread, gap) * second / (first * by_hand.df)
        assert f"on {first} and {second} df" in one.method
    else:
        error, second = by_hand.error()
        f = by_hand.squares()[0] / error
        named = "t over readers" if fixed else "Obuchowski-Rockette"
        assert one.method == f"{named}, F on {first} and {second:.4g} df"
        assert (one.sample.n, one.sample.units) == (len(by_hand.readers), "readers")
    assert (one.statistic, one.p) == pytest.approx((f, st.f.sf(f, first, second)), rel=1e-7)


def check_one_shots(design):
    """Mean kernel squared minus its mean products over triples that share no reader and no case."""
    found, frame = study_of(design)["roc_auc"], rows_of(design)
    by_hand = by_hand_of(design, "roc_auc", None)
    wide = frame.pivot(index=["ill", "case"], columns=["modality", "reader"], values="score")
    kernels = {}
    for name in by_hand.modalities:
        p, n = (wide.loc[kind][name].to_numpy().T for kind in (True, False))
        kernels[name] = (1 + np.sign(p[:, :, None] - n[:, None, :])) / 2
    assert [check.models for check in found.one_shot] == [one.models for one in found.comparisons]
    for check in found.one_shot:
        first, second = check.models
        kernel = kernels[first] - kernels[second]
        other = [1 - np.eye(size) for size in kernel.shape]
        apart = np.einsum("rpn,sqm,rs,pq,nm->", kernel, kernel, *other, optimize=True)
        variance = kernel.mean() ** 2 - apart / np.prod([size * (size - 1) for size in kernel.shape])
        if variance <= 0:
            assert isnan(check.standard_error)
            assert isnan(check.p)
            continue
        assert check.standard_error == pytest.approx(sqrt(variance), rel=1e-8)
        ratio = kernel.mean() / sqrt(variance)
        assert check.p == pytest.approx(2 * st.t.sf(abs(ratio), by_hand.error()[1]), rel=1e-7)


def check_where_one_shots_are(design, fixed):
    for measure, one in study_of(design, fixed).measures.items():
        has = measure == "roc_auc" and fixed is None and design in CROSSED
        has &= not any(word in design for word in ("pairs", "missing", "one modality"))
        assert len(one.one_shot) == (len(one.comparisons) if has else 0)


def check_readers_within_modalities(design, measure, fixed):
    """Hillis 2014: a mean square of readers for each modality, by Satterthwaite."""
    found, cells = study_of(design, fixed)[measure], cells_of(design, measure)
    names = sorted({cell[0] for cell in cells})
    assert (found.overall, found.variances, found.one_shot) == (None, None, ())
    assert all(reading.is_compared for reading in found.readings)
    for one, (first, second) in zip(found.comparisons, combinations(names, 2), strict=True):
        groups = [[cell for cell in cells if cell[0] == name] for name in (first, second)]
        values = [np.array([cells[cell][0] for cell in group]) for group in groups]
        cov = spread_of(design, measure, groups[0] + groups[1]) * (fixed != "cases")
        k = len(groups[0])
        if fixed == "readers":
            by = np.concatenate([np.full(k, 1 / k), np.full(len(groups[1]), -1 / len(groups[1]))])
            variance, df = by @ cov @ by, degrees_of_cases(design, measure)
        else:
            parts = np.array([each.var(ddof=1) / each.size for each in values])
            shared = -2 * cov[:k, k:].mean()
            for own in (cov[:k, :k], cov[k:, k:]):
                shared += own[~np.eye(len(own), dtype=bool)].mean()
            variance = parts.sum() + max(shared, 0)
            df = variance**2 / sum(parts**2 / (np.array([each.size for each in values]) - 1))
        gap = values[0].mean() - values[1].mean()
        is_estimate(one.effect, gap, sqrt(variance), df, LEVELS[fixed])
        assert one.p == pytest.approx(2 * st.t.sf(abs(gap) / sqrt(variance), df), rel=1e-7)
        assert one.models == (first, second)
        of_cases = "DeLong, t" if measure == "roc_auc" else "t over cases"
        assert one.effect.method == {None: "Obuchowski-Rockette, t", "readers": of_cases}.get(
            fixed, "t over readers"
        )


def test_one_reader_in_each_modality_has_no_comparison_over_readers():
    study_of.cache_clear()
    design = "two readers, one in each modality"
    for fixed, random in ((None, "readers and test cases"), ("cases", "readers and test cases")):
        for one in study_of(design, fixed).comparisons:
            assert one.reason == "each reader has a value in one modality, and a has fewer than two readers"
            assert one.random == random
            values = [value for value, *_ in cells_of(design, one.measure).values()]
            assert one.values == pytest.approx(values)
            assert one.effect.value == pytest.approx(values[0] - values[1])
        for measure, one in study_of(design, fixed).measures.items():
            for mean in one.means.values():
                assert mean.reason == "one reader shows no variation between readers"
                assert any(
                    mean.value == pytest.approx(value) for value, *_ in cells_of(design, measure).values()
                )
    for measure, one in study_of(design, "readers").measures.items():
        assert one.means["a"] == one["a", "r0"]
        assert one.means["b"] == one["b", "r1"]
        assert one.comparisons[0].effect.has_interval, measure


def test_clusters_of_both_classes():
    """Obuchowski 1997: what the classes of a cluster add goes together too, by n / (n - 1) of all clusters."""
    study_of.cache_clear()
    design = "mixed pairs of cases"
    names = [*cells_of(design, "roc_auc")]
    ill, well = (sums_of(design, "roc_auc", names, kind) for kind in (True, False))
    frame = rows_of(design)
    together = [
        corrected(n) for n in (units_of(frame, True), units_of(frame, False), frame["patient"].nunique())
    ]
    beside = ill @ well.T / sqrt(together[0] * together[1]) * together[2]
    expected = ill @ ill.T + well @ well.T + beside + beside.T
    found = study_of(design)["roc_auc"].variances.covariance.reshape(expected.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def check_agreement(design):
    """Of each modality's readers on the cases that all of them read: Spearman, Cohen, Fleiss."""
    found, frame = study_of(design).agreement, rows_of(design)
    expected = []
    for name, part in frame.groupby("modality"):
        scores = part.pivot(index="case", columns="reader", values="score").dropna().to_numpy().T
        if len(scores) < 2:
            continue
        rank = np.mean([st.spearmanr(a, b).statistic for a, b in combinations(scores, 2)])
        labels = (
            part.astype({"label": float})
            .pivot(index="case", columns="reader", values="label")
            .dropna()
            .to_numpy()
            .T
        )
        two = len(labels) == 2
        if two:
            kappa = cohen_kappa_score(*labels)
        else:
            yes = labels.sum(0)
            no = len(labels) - yes
            seen = ((yes * (yes - 1) + no * (no - 1)) / (len(labels) * (len(labels) - 1))).mean()
            chance = labels.mean() ** 2 + (1 - labels.mean()) ** 2
            kappa = (seen - chance) / (1 - chance)
        size = scores.shape[1]
        expected += [
            (name, "Spearman's correlation" + ("" if two else ", mean of pairs"), size, rank),
            (name, "Cohen's kappa" if two else "Fleiss' kappa", size, kappa),
        ]
    assert [tuple(one[:3]) for one in found] == [one[:3] for one in expected]
    assert [one.estimate.value for one in found] == pytest.approx([one[3] for one in expected])
    for one in found:
        value, low, high = np.arctanh([one.estimate.value, one.estimate.low, one.estimate.high])
        assert high - value == pytest.approx(value - low)
        assert one.estimate.method == ("clusters, Fisher z" if "pairs" in design else "Fisher z")
        assert one.reference.split()[0] == {"S": "Croux", "C": "Cohen,", "F": "Fleiss,"}[
            one.method[0]
        ].rstrip(",")
    if (design, "readers") in STUDIED:  # at a lower level
        narrow = study_of(design, "readers").agreement
        assert all(one.estimate.low < other.estimate.low for one, other in zip(found, narrow, strict=True))


@pytest.mark.parametrize(("design", "fixed"), STUDIED)
def test_numbers_of_studies(design, fixed):
    """A study is built in one test, so that this test notices any fault in it."""
    study_of.cache_clear()
    check_where_one_shots_are(design, fixed)
    for measure in CLASSES:
        check_readings(design, measure, fixed)
        if design in CROSSED:
            check_crossed_readers(design, measure, fixed)
        if design in CROSSED and design != "one modality":
            check_all_modalities(design, measure, fixed)
        if "within" in design:
            check_readers_within_modalities(design, measure, fixed)
    if fixed is None:
        check_agreement(design)
        if design in CROSSED and not any(word in design for word in ("pairs", "missing", "one modality")):
            check_one_shots(design)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("shared", "reason"), [(0, "share 0 cases"), (1, "share 1 case"), (2, None)])
def test_agreement_needs_two_shared_cases(shared, reason, turned):
    frame = readings(readers=2, cases=20, modalities=("a",))
    own = (frame["case"] < 10) == (frame["reader"] == ("r1" if turned else "r0"))
    frame = frame[own | (frame["case"] < shared)].assign(modality="")
    found = ca.compare_readers(frame, **NAMES, score="score", prediction="label").agreement
    assert [one.cases for one in found] == [shared] * 2
    for one in found:
        assert one.estimate.is_undefined or reason is None
        if reason:
            assert one.estimate.reason == f"the readers {reason}"
    assert next(one.method for one in found) == "Spearman's correlation"


def test_means_of_values_that_do_not_vary_have_no_interval():
    """All readers rank all cases correctly, or are all equal."""
    frame = readings(cases=20)
    perfect = ca.compare_readers(frame.assign(score=frame["ill"] * 1.0), **NAMES, score="score")["roc_auc"]
    for fixed, what in ((None, "readers and test cases"), ("readers", "test cases"), ("cases", "readers")):
        perfect = ca.compare_readers(
            frame.assign(score=frame["ill"] * 1.0), **NAMES, score="score", fixed=fixed
        )
        mean = perfect["roc_auc"].means["a"]
        assert (mean.value, mean.has_interval, mean.reason) == (1.0, False, f"the {what} show no variation")
        if fixed != "readers":
            assert perfect["roc_auc"].overall is None
    one = frame[frame["reader"] == "r0"]
    copies = pd.concat([one.assign(reader=name) for name in ("x", "y")])
    alike = ca.compare_readers(copies, **NAMES, score="score", fixed="cases")["roc_auc"]
    assert alike.means["a"].reason == "the readers show no variation"
    assert alike.means["a"].value == alike["a", "x"].value
