"""Judged results by their definitions: values, sentences, tables and JSON, recomputed case by case from the rows."""

import math

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.inference.phrasing import number_with_interval, percent, share_with_interval
from classay.judge.cells import _join_nominal, _join_ordered
from classay.judge.measured import _up_to
from classay.texts import quote
from documented import other_defaults

CALLS = ("recall", "precision", "specificity", "accuracy", "f1", "negative_predictive_value")


def joined(cells, labels, is_ordered):
    """The groups of cells after those of fewer than 3 labels were combined."""
    if not is_ordered:
        small = [k for k in cells if labels[k] < 3]
        large = [[k] for k in cells if labels[k] >= 3]
        if sum(labels[k] for k in small) < 3 and small and large:
            min(large, key=lambda group: labels[group[0]]).extend(small)
            small = []
        return large + ([small] if small else [])
    groups, open_ = [], []
    for k in cells:
        open_.append(k)
        if sum(labels[j] for j in open_) >= 3:
            groups.append(open_)
            open_ = []
    if open_:
        groups = [*groups[:-1], groups[-1] + open_] if groups else [open_]
    return groups


def test_labels_go_to_cells_in_proportion_until_a_cell_is_full():
    """One scale for all cells: min(scale · labels, cases), and none where there was no label; the total is given."""
    rng = np.random.default_rng(4)
    for _ in range(60):
        labels = rng.choice([0.0, 0.5, 1.0, 2.0, 7.0, 30.0], (2, 3))
        sizes = labels + rng.integers(0, 40, (2, 3))
        most = np.where(labels > 0, sizes, 0)
        number = float(rng.uniform(0, 1.2) * most.sum())
        found = _up_to(sizes, labels, number)
        low, high = 0.0, 1e6
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (low, middle) if np.minimum(middle * labels, most).sum() > number else (middle, high)
        assert found == pytest.approx(np.minimum(low * labels, most), abs=1e-6)


@pytest.mark.parametrize(("join", "is_ordered"), [(_join_ordered, True), (_join_nominal, False)])
def test_cells_are_combined_by_the_rule(join, is_ordered):
    """Cells that share a place are those that are combined by hand, with 3 labels a cell that stays."""
    rng = np.random.default_rng(6)
    for size in rng.integers(1, 6, 200):
        labels = rng.integers(0, 6, size).astype(float)
        target = join(labels)
        assert np.isin(target, range(size)).all()
        found = {frozenset(np.flatnonzero(target == place).tolist()) for place in target}
        assert found == {frozenset(group) for group in joined(range(size), labels, is_ordered)}


@pytest.mark.parametrize("is_ordered", [False, True])
def test_words_of_a_judge_have_no_order(is_ordered):
    """Few labels of "b" and "d": as words they are combined with "c", as numbers with their neighbors."""
    labels = {1: [1, 2, 2, 3, 1], 2: [5], 3: [2, 4, 4, 5], 4: [1], 5: [5, 5, 4, 5, 3, 5]}
    judge = np.repeat([1, 2, 3, 4, 5], [20, 15, 10, 15, 20])
    human = np.full(80, np.nan)
    for grade, values in labels.items():
        human[np.flatnonzero(judge == grade)[: len(values)]] = values
    cases, words = Cases(judge, is_ordered=is_ordered), "?abcde"
    given = (human, judge)
    if not is_ordered:
        given = [None if math.isnan(x) else words[int(x)] for x in human], [words[k] for k in judge]
    j = ca.judged(*given)
    for label in (1, 2, 3, 4, 5):
        value = np.where(np.isfinite(human), human == label, np.nan)
        name = label if is_ordered else words[label]
        assert j[f"share[{name}]"].value == pytest.approx(cases.mean(value)), label


@pytest.mark.parametrize("is_ordered", [False, True])
def test_true_and_false_of_a_judge_have_no_order_for_a_mean(is_ordered):
    """Two labels of False: as words they are combined with the missing grades, as numbers with 1."""
    judge = np.repeat([-1, 0, 1], [20, 30, 40])
    human = np.full(90, np.nan)
    for grade, values in {-1: [0, 1, 0, 0], 0: [0, 1], 1: [1, 1, 0, 1, 1, 1, 1]}.items():
        human[np.flatnonzero(judge == grade)[: len(values)]] = values
    grades = [None if k < 0 else k if is_ordered else bool(k) for k in judge.tolist()]
    j = ca.judged(human, grades, bounds=(0, 1))
    assert j["mean_grade"].value == pytest.approx(Cases(judge, is_ordered=is_ordered).mean(human))


class Cases:
    """Cases with values of their human labels, NaN without one, and their cell and weight."""

    def __init__(self, cell, weight=None, is_ordered=True, within=None):
        self.cell, self.is_ordered = np.asarray(cell), is_ordered
        self.weight = np.ones(self.cell.size) if weight is None else weight
        self.within = np.zeros(self.cell.size, int) if within is None else np.asarray(within)

    def shares(self, value):
        """The mean of the values in the cell of each case, cells of few labels combined."""
        known, share = np.isfinite(value), np.full(value.size, np.nan)
        for code in np.unique(self.within):
            cells = np.unique(self.cell[self.within == code])
            labels = {}
            for k in cells:
                inside = (self.cell == k) & (self.within == code)
                at_worst = math.inf if self.weight.max() == 1 else inside.sum() / self.weight[known].max()
                labels[k] = min((known & inside).sum(), at_worst * 3 / 7)
            for group in joined(list(cells), labels, self.is_ordered):
                inside = np.isin(self.cell, group) & (self.within == code)
                of = inside & known
                share[inside] = np.average(value[of], weights=self.weight[of]) if of.any() else np.nan
        return share

    def mean(self, value):
        return self.shares(value).mean()

    def alone(self, value):
        known = np.isfinite(value)
        return np.average(value[known], weights=self.weight[known])

    def measures(self, value, is_called):
        """Measures of calls where the share of positives in each cell is that of its labels."""
        p = self.shares(value)
        return of_counts(
            p[is_called].sum(), (1 - p[is_called]).sum(), p[~is_called].sum(), (1 - p[~is_called]).sum()
        )


def of_counts(tp, fp, fn, tn):
    n = tp + fp + fn + tn
    chance = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / n**2
    with np.errstate(all="ignore"):
        return {
            "recall": tp / (tp + fn),
            "precision": tp / (tp + fp),
            "specificity": tn / (tn + fp),
            "accuracy": (tp + tn) / n,
            "f1": 2 * tp / (2 * tp + fp + fn),
            "negative_predictive_value": tn / (tn + fn),
            "cohen_kappa": ((tp + tn) / n - chance) / (1 - chance),
        }


def made(kind, seed):
    """Columns of one judge: human labels, grades, and what the kind has of further ones."""
    rng = np.random.default_rng(seed)
    n, labels = (300, 60, 900)[seed % 3], (50, 12, 200)[seed % 3]
    grades = 3 if kind in ("grades", "words") else 2
    truth = rng.choice(grades, n, p=[0.5, 0.3, 0.2] if grades == 3 else [0.65, 0.35])
    judge = np.where(rng.random(n) < 0.8, truth, rng.integers(0, grades, n)).astype(float)
    if kind == "missing grades":
        judge[rng.random(n) < 0.15] = np.nan
    human = np.where(rng.permutation(n) < labels, truth, np.nan)
    how, weight = {}, None
    if kind == "chance":
        chance = np.where(judge == 1, 0.5, 0.2)
        human = np.where(rng.random(n) < chance, truth, np.nan)
        how["chance"], weight = chance, 1 / chance
    if kind == "strata":
        how["stratum"] = np.where(np.arange(n) < n // 3, "x", "y")
        drawn = rng.random(n) < np.where(np.arange(n) < n // 3, 0.5, 0.25)
        human = np.where(drawn, truth, np.nan)
    if kind == "calls":
        how["y_pred"] = np.where(rng.random(n) < 0.7, truth, rng.integers(0, 2, n))
    if kind == "score":
        judge = np.round(judge + rng.normal(0, 0.7, n), 3)
    return human, judge, how, weight


KINDS = ("two", "grades", "words", "missing grades", "chance", "strata", "calls", "score")


def cases_of(human, judge, how, weight, is_ordered):
    """The cases with their cells: grades, a missing one the lowest, ranges of a score, or strata of grades."""
    n_labels = np.isfinite(human).sum()
    if len(np.unique(judge[np.isfinite(judge)])) > 10:
        number = min(5, max(2, n_labels // 20))
        edges = np.quantile(judge, np.arange(1, number) / number, method="higher")
        cell = np.array([sum(x >= edge for edge in np.unique(edges)) for x in judge])
    else:
        cell = np.where(np.isfinite(judge), judge, -1).astype(int)
    if "stratum" in how:
        code = (how["stratum"] == "y").astype(int)
        fine = code * 10 + cell
        labels = [(np.isfinite(human) & (fine == k)).sum() for k in np.unique(fine)]
        by_stratum = [(code == k).sum() / (np.isfinite(human) & (code == k)).sum() for k in (0, 1)]
        alone = Cases(cell, np.array(by_stratum)[code])
        return (Cases(fine) if min(labels) >= 3 else alone), alone
    cases = Cases(cell, weight, is_ordered)
    return cases, cases


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_values_are_those_of_their_definition(kind, seed):  # noqa: C901 - each kind of columns has its own cells
    human, judge, how, weight = made(kind, seed)
    names = np.array(["bad", "fair", "good"]) if kind == "words" else None
    given = (human, judge)
    if names is not None:
        given = [[None if math.isnan(x) else names[int(x)] for x in column] for column in (human, judge)]
    j = ca.judged(*given, **how)
    excluded = np.zeros(human.size, bool)
    if np.isfinite(human[np.isnan(judge)]).sum() < 3:
        excluded = np.isnan(judge)
    human, judge = human[~excluded], judge[~excluded]
    how = {name: column[~excluded] for name, column in how.items()}
    cases, alone = cases_of(human, judge, how, weight, is_ordered=names is None)
    assert (j.n_cases, j.n_labels) == (human.size, np.isfinite(human).sum())
    graded, is_score = np.isfinite(judge), kind == "score"
    occurring = np.unique(human[np.isfinite(human)])
    if len(occurring) == 2 and kind != "grades":
        checks = {"pass_rate": np.where(np.isfinite(human), human == 1, np.nan)}
    else:
        checks = {
            f"share[{int(k) if names is None else names[int(k)]}]": np.where(
                np.isfinite(human), human == k, np.nan
            )
            for k in occurring
        }
        if names is None:
            checks["mean_grade"] = human
    for name, value in checks.items():
        one = j.measures[name]
        label = {"pass_rate": 1}.get(name)
        assert one.estimate.value == pytest.approx(cases.mean(value), abs=1e-9), name
        assert one.labels_alone.value == pytest.approx(alone.alone(value), abs=1e-9), name
        if name == "mean_grade":
            by_judge = judge[graded].mean()
        else:
            label = 1 if name == "pass_rate" else name[6:-1]
            label = {"bad": 0, "fair": 1, "good": 2}.get(label, label)
            by_judge = (judge[graded] == float(label)).mean()
        assert one.judge_alone == pytest.approx(math.nan if is_score else by_judge, nan_ok=True)
        assert one.estimate.low <= one.estimate.value <= one.estimate.high
        assert one.is_share == (name != "mean_grade")
    assert set(j.measures) == {*checks, *(CALLS if kind == "calls" else ())}
    if is_score:
        assert len(j.judge) == 0
        return
    if kind in ("two", "missing grades", "chance", "calls", "strata"):
        value, is_called = checks["pass_rate"], judge == 1
        cells = Cases(cases.cell, cases.weight, within=is_called)
        local = Cases(is_called * 1, alone.weight, within=is_called)
        known = np.isfinite(value)
        of_labels = of_counts(
            *(
                alone.weight[known & (is_called == call) & (value == true)].sum()
                for call, true in ((1, 1), (1, 0), (0, 1), (0, 0))
            )
        )
        for name, wanted in cells.measures(value, is_called).items():
            assert j.judge[name].value == pytest.approx(wanted, abs=1e-9), name
            assert j.judge_labels_alone[name].value == pytest.approx(
                of_labels[name], abs=1e-9, nan_ok=True
            ), name
        assert local.is_ordered
    else:
        same = np.where(np.isfinite(human), human == judge, np.nan)
        assert j.judge["agreement"].value == pytest.approx(cases.mean(same))
        assert j.judge_labels_alone["agreement"].value == pytest.approx(alone.alone(same))
    if kind == "calls":
        value, is_called = checks["pass_rate"], how["y_pred"] == 1
        cells = Cases(judge, within=is_called)
        known = np.isfinite(value)
        counts = [
            (known & (is_called == call) & (value == true)).sum()
            for call, true in ((1, 1), (1, 0), (0, 1), (0, 0))
        ]
        by_judge = of_counts(
            *(
                ((judge == true) & (is_called == call)).sum()
                for call, true in ((1, 1), (1, 0), (0, 1), (0, 0))
            )
        )
        for name in CALLS:
            one = j.measures[name]
            assert one.estimate.value == pytest.approx(cells.measures(value, is_called)[name], abs=1e-9), name
            assert one.labels_alone.value == pytest.approx(of_counts(*counts)[name], abs=1e-9, nan_ok=True)
            assert one.judge_alone == pytest.approx(by_judge[name])


@pytest.mark.parametrize("kind", ["two", "grades", "score", "missing grades"])
@pytest.mark.parametrize("seed", range(3))
def test_the_power_tuned_value_has_the_weight_of_least_variance(kind, seed):
    """Labels plus λ times what the judge gives the others more than the labeled ones (PPI++)."""
    human, judge, _, _ = made(kind, seed)
    tuned = ca.judged(human, judge).power_tuned
    graded = np.isfinite(judge)
    human, judge = human[graded], judge[graded]
    known = np.isfinite(human)
    y, f, others = human[known], judge[known], judge[~known]
    covariance = np.mean(y * f) - y.mean() * f.mean()
    weight = covariance / (np.var(judge, ddof=1) * (1 + y.size / others.size))
    assert tuned.weight == pytest.approx(weight)
    assert tuned.value == pytest.approx(y.mean() + weight * (others.mean() - f.mean()))


@pytest.mark.parametrize(("labels", "is_tuned"), [(1, False), (2, True), (19, True), (20, False)])
def test_a_power_tuned_value_needs_two_labels_and_a_case_without_one(labels, is_tuned):
    human = [k % 2 if k < labels else None for k in range(20)]
    j = ca.judged(human, [k % 3 // 2 for k in range(20)], positive=1)
    assert (j.power_tuned is not None) == is_tuned


def results(kind):
    """Judged results of a kind with groups, times and plans, of new cases and of these very ones."""
    if kind == "few":
        yield ca.judged([None] * 30 + [0, 1] * 20, [1, 0] * 35, positive=1, y_pred=[1] * 70)
        yield ca.judged([0, 1] * 20, [1, 0] * 20, finite=True, time=np.arange(40) // 20)
        return
    for seed in (0, 1):
        human, judge, how, _ = made(kind, seed)
        further = {"by": np.arange(human.size) % 2, "finite": bool(seed), "level": (0.95, 0.9)[seed]}
        if kind in ("two", "grades", "calls"):
            further["time"] = np.arange(human.size) * 3 // human.size
        j = ca.judged(human, judge, **how, **further)
        yield j.with_plan(0.06) if seed and kind != "grades" else j


@pytest.mark.parametrize("kind", [*KINDS, "few"])
def test_all_forms_of_a_result_have_its_numbers(kind):
    many = list(results(kind))
    sentences_are_about_the_numbers(many)
    documents_have_the_numbers(many)
    json_has_the_numbers(many)


def sentences_are_about_the_numbers(many):
    for j in many:
        name, one = next(iter(j.measures.items()))
        assert j.first == name
        text = (
            share_with_interval(one.estimate, j.n_cases)
            if one.is_share
            else number_with_interval(one.estimate)
        )
        title = f"The share of {quote(str(j.positive))}" if name == "pass_rate" else "The mean grade"
        wanted = f"{title} is {text}."
        parts = []
        if not math.isnan(one.judge_alone):
            judge = percent(one.judge_alone, j.n_cases) if one.is_share else f"{one.judge_alone:.3f}"
            parts.append(f"{judge} by the judge only")
        own = one.labels_alone
        text = share_with_interval(own, j.n_labels) if one.is_share else number_with_interval(own)
        parts.append(f"{text} by the {j.n_labels:,} human labels only")
        wanted += f" The {'share' if one.is_share else 'mean'} is {', and '.join(parts)}."
        assert j.sentence == wanted
        assert repr(j) == f"Judged({wanted})"
        assert j["mean" if name == "mean_grade" else "share" if name == "pass_rate" else name] is one.estimate
        assert j.half_width_of(j.n_labels) == pytest.approx(
            (one.estimate.high - one.estimate.low) / 2, rel=0.2
        )
        for key in j.measures:
            title = j.title(key)
            if key.startswith("share["):
                assert title == f"Share of {key[6:-1]}"


def documents_have_the_numbers(many):
    for j in many:
        document = j.document()
        titles = [section.title for section in document.sections]
        wanted = ["Corrected", *(["Accuracy of the judge"] if len(j.judge) else [])]
        wanted += ["By group"] * bool(j.groups) + ["Agreement over time"] * (j.drift is not None)
        assert titles[: len(wanted)] == wanted
        tables = {section.title: section.parts[0] for section in document.sections[: len(wanted)]}
        assert all(row[0].whole for table in tables.values() for row in table.rows)
        for row, (name, one) in zip(tables["Corrected"].rows, j.measures.items(), strict=True):
            assert (row[0].text, row[1].estimate, row[3].estimate) == (
                j.title(name),
                one.estimate,
                one.labels_alone,
            )
            assert row[2].text == ("" if math.isnan(one.judge_alone) else f"{one.judge_alone:.3f}")
        tuned = j.power_tuned
        assert (tables["Corrected"].note == "") == (tuned is None)
        if tuned is not None:
            assert f"first row: {tuned.value:.3f}, with weight {tuned.weight:.2f}" in tables["Corrected"].note
        if len(j.judge):
            for row, (name, one) in zip(tables["Accuracy of the judge"].rows, j.judge.items(), strict=True):
                assert (row[1].estimate, row[2].estimate) == (one, j.judge_labels_alone[name])
                assert (row[0].text == "Agreement") == (name == "accuracy")
        if j.groups:
            for row, (group, part) in zip(tables["By group"].rows, j.groups.items(), strict=True):
                assert (row[0].text, row[1].value, row[2].value) == (str(group), part.n_cases, part.n_labels)
                assert row[3].estimate == part[j.first]
                heads = [column.head for column in tables["By group"].columns]
                assert ("agreement" in heads, "trend p" in heads) == (len(j.judge) > 0, j.drift is not None)
                if len(j.judge):
                    assert row[heads.index("agreement")].estimate == part.judge["agreement"]
                if j.drift is not None:
                    shown = row[heads.index("trend p")].value
                    assert shown == pytest.approx(
                        math.nan if part.drift is None else part.drift.p, nan_ok=True
                    )
        assert dict(document.facts)["confidence level"] == f"{100 * j.level:g}%"
        said = " ".join(document.verdict)
        assert (f"{j.n_labels:,} human labels are as precise as {j.effective_labels:,.0f}" in said) == (
            j.effective_labels > j.n_labels + 0.5
        )
        assert (j.planned is not None) == ("A half-width of" in said)
        covers = j.to_markdown()
        assert ("These cases and the judge are held fixed" in covers) == j.is_finite
        sources = " ".join(document.sources)
        assert ("Kish" in sources) == ("human labels weighted" in dict(j.facts))
        assert ("arXiv:2311.01453" in sources, "Armitage" in sources) == (
            tuned is not None,
            j.drift is not None,
        )


def json_has_the_numbers(many):
    for j in many:
        written = j.to_dict()
        assert (written["cases"], written["labels"], written["finite"]) == (
            j.n_cases,
            j.n_labels,
            j.is_finite,
        )
        assert (written["sentence"], written["level"], written["positive"]) == (
            j.sentence,
            j.level,
            j.positive,
        )
        assert written["effective_labels"] == j.effective_labels
        for name, one in j.measures.items():
            row = written["measures"][name]
            values = (row["corrected"]["value"], row["labels_alone"]["value"], row["judge_alone"])
            wanted = (one.estimate.value, one.labels_alone.value, one.judge_alone)
            assert values == tuple(None if math.isnan(x) else x for x in wanted)
        assert {*written["judge"]} == {*j.judge}
        for name, row in written["judge"].items():
            assert row["corrected"]["value"] == (None if j.judge[name].is_undefined else j.judge[name].value)
            alone = j.judge_labels_alone[name]
            assert row["labels_alone"]["value"] == (None if alone.is_undefined else alone.value)
        assert [(each["group"], each["cases"]) for each in written["groups"]] == [
            (k, part.n_cases) for k, part in j.groups.items()
        ]
        drift = written["drift"]
        assert (drift is None) == (j.drift is None)
        if drift is not None:
            assert drift["p"] == (None if math.isnan(j.drift.p) else j.drift.p)
            assert [row["labels"] for row in drift["times"]] == list(j.drift.labels)
            assert [row["time"] for row in drift["times"]] == list(j.drift.times)
            assert [row["agreement"]["value"] for row in drift["times"]] == [
                one.value for one in j.drift.agreement
            ]
        tuned = written["power_tuned"]
        assert tuned == (
            None if j.power_tuned is None else {"value": j.power_tuned.value, "weight": j.power_tuned.weight}
        )
        if j.planned is not None:
            assert written["planned"] == {"half_width": 0.06, "labels": j.planned.labels}


@pytest.mark.parametrize("finite", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_drift_by_its_definition(finite, seed):
    rng = np.random.default_rng(seed)
    truth, judge = rng.integers(0, 2, (2, 400))
    judge = np.where(rng.random(400) < 0.7, truth, judge)
    human = np.where(rng.random(400) < 0.4, truth, np.nan)
    time = rng.integers(0, 3 + seed, 400)
    drift = ca.judged(human, judge, time=time, finite=finite).drift
    known = np.isfinite(human)
    m = np.array([(known & (time == k)).sum() for k in range(3 + seed)])
    x = np.array([(known & (time == k) & (human == judge)).sum() for k in range(3 + seed)])
    n = np.array([(time == k).sum() for k in range(3 + seed)])
    assert (drift.times, drift.labels, drift.agreed) == (tuple(range(3 + seed)), tuple(m), tuple(x))
    assert [one.value for one in drift.agreement] == pytest.approx(list(x / m))
    counts = m / ((n - m) / (n - 1)) if finite else m
    share, z = x.sum() / m.sum(), stats.norm.ppf(0.975)
    scores = np.arange(m.size) - (np.arange(m.size) * m).sum() / m.sum()
    statistic = (scores * x).sum() / math.sqrt(share * (1 - share) * (m**2 / counts * scores**2).sum())
    assert drift.statistic == pytest.approx(statistic)
    assert drift.p == pytest.approx(2 * stats.norm.sf(abs(statistic)))
    for one, p, count in zip(drift.agreement, x / m, counts, strict=True):
        centre, half = p + z * z / (2 * count), z * math.sqrt(p * (1 - p) / count + z * z / (4 * count**2))
        ends = ((centre - half) / (1 + z * z / count), (centre + half) / (1 + z * z / count))
        assert (one.low, one.high) == pytest.approx(ends)
    for k, one in enumerate(drift.corrected):
        inside = time == k
        cases = Cases(judge[inside])
        same = np.where(known, human == judge, np.nan)[inside]
        assert one.value == pytest.approx(cases.mean(same))


def test_calls_have_the_defaults_of_their_docstrings():
    assert other_defaults(ca.judged, ca.compare_judged, ca.rogan_gladen) == {}
