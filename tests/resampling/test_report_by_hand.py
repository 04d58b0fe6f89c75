"""Sentences and tables of evaluations whose folds have given accuracies, made once more from these numbers."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.naive_bayes import GaussianNB

import classay as ca
from classay.comparison.comparison import BASELINE
from classay.inference.estimate import number
from classay.report.document import Listing, Prose, Table
from classay.resampling.comparing_learners import over_data_sets
from classay.resampling.data import FoldResult
from published import evaluation

NAMES = ("ash", "birch", "cedar", "date", "elm", "fir")


def made(seed, models, folds=5, repeats=1, baseline=None):
    """An evaluation in which each fold of a hundred cases has an accuracy with two digits, some of them equal."""
    rng = np.random.default_rng(seed)
    values = {name: rng.integers(60, 66, folds * repeats) / 100 for name in NAMES[:models]}
    if baseline is not None:
        values[BASELINE] = np.full(folds * repeats, baseline)
    return evaluation(folds, repeats, **values), values


def of_sets(seed, models, sets):
    """The same of several data sets, whose means have ties."""
    rng = np.random.default_rng(seed)
    runs, table = [], {name: [] for name in NAMES[:models]}
    for k in range(sets):
        values = {name: np.full(5, rng.integers(60, 64) / 100) for name in table}
        one = evaluation(5, **values)
        runs.append(replace(one.runs[0], cases=replace(one.runs[0].cases, name=f"set {k}")))
        for name, value in values.items():
            table[name].append(value[0])
    return replace(one, runs=tuple(runs)), {name: np.array(row) for name, row in table.items()}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("models", "sets"), [(1, 3), (2, 2), (3, 7), (4, 5)])
def test_who_leads_over_data_sets_is_who_has_the_highest_mean(seed, models, sets):
    e, table = of_sets(seed, models, sets)
    sentences = over_data_sets(e, e.summaries(["accuracy"]))
    order = sorted(table, key=lambda name: -table[name].mean().round(12))
    best = order[0]
    if models == 1:
        low, high = int(table[best].argmin()), sets - 1 - int(table[best][::-1].argmax())
        assert sentences == [
            f"Over {sets} data sets, {best} has an accuracy of {number(table[best].mean())} on average, from "
            f"{number(table[best].min())} on set {low} to {number(table[best].max())} on set {high}."
        ]
        return
    others = np.max([table[name] for name in order[1:]], axis=0)
    alone, shared = int((table[best] > others).sum()), int((table[best] == others).sum())
    assert sentences[0] == (
        f"{best} has the highest mean accuracy over {sets} data sets: {number(table[best].mean())}, compared with "
        f"{number(table[order[1]].mean())} for {order[1]}. {best} has the best value on {alone} data sets"
        f"{f' and ties for the best value on {shared}' if shared else ''}."
    )
    pairs = list(itertools.combinations(sorted(table, key=[*table].index), 2))
    ps = {}
    for one, other in pairs:
        d = np.round(table[one] - table[other], 9)
        kept = d[d != 0]
        ranks = stats.rankdata(abs(kept))
        least = min(ranks[kept > 0].sum(), ranks[kept < 0].sum())
        sums = [np.dot(signs, ranks) for signs in itertools.product((0, 1), repeat=kept.size)]
        ps[one, other] = min(1.0, 2 * float(np.mean([total <= least + 1e-9 for total in sums])))
    holm, most = {}, 0.0
    for at, pair in enumerate(sorted(ps, key=ps.get)):
        most = max(most, min(1.0, (len(ps) - at) * ps[pair]))
        holm[pair] = most
    p = holm[next(pair for pair in pairs if {*pair} == {*order[:2]})]
    assert len(sentences) == 2
    is_shown = p <= 0.05
    assert ("No difference in accuracy was detected" not in sentences[1]) == is_shown


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("models", "baseline"), [(1, 0.5), (1, 0.7), (2, 0.5), (3, 0.62)])
def test_the_best_model_is_named_with_what_it_is_of(seed, models, baseline):
    e, values = made(seed, models, baseline=baseline)
    first, *rest = e.document().verdict
    means = {name: row.mean() for name, row in values.items() if name != BASELINE}
    best = max(means, key=means.get)
    assert first.startswith(
        f"The expected accuracy of {best} on new cases is {100 * means[best]:.1f}% (95% CI "
    )
    picked = f", the highest of {models} models and optimistic because the best was selected."
    assert first.endswith(picked) == (models > 1)
    (said,) = [each for each in rest if each.startswith("Always predicting")]
    assert said.startswith("Always predicting class 0 has an accuracy of 50.0%.")
    estimate = e[best]["accuracy"]
    assert ("No difference from" in said) == (estimate.low <= 0.5 <= estimate.high)


@pytest.mark.parametrize(("share", "is_above"), [(0.45, True), (0.5, False), (0.55, False)])
def test_a_model_below_the_majority_is_told_so(share, is_above):
    folds = share + np.array([-0.03, 0.01, 0.02, 0.01, -0.01])
    e = evaluation(5, ash=folds, **{BASELINE: np.full(5, 0.5)})
    (said,) = [each for each in e.document().verdict if each.startswith("Always predicting")]
    assert (", which is above the estimate for ash" in said) == is_above


FORMS = [
    (2, 5, 1),
    (2, 10, 1),
    (2, 11, 1),
    (4, 5, 1),
    (5, 5, 1),
    (2, 3, 2),
    (3, 4, 10),
    (2, 2, 11),
    (5, 2, 3),
]


@pytest.mark.parametrize(("models", "folds", "repeats"), FORMS)
def test_folds_stand_one_by_one_where_they_are_few(models, folds, repeats):
    """Up to ten folds, or means of repeats; of more than four models a row is a model."""
    e, values = made(1, models, folds, repeats)
    (section,) = [each for each in e.document().sections if each.title.startswith("Folds")]
    assert section.title == "Folds: Accuracy"
    each, naive = section.parts
    what = "fold" if repeats == 1 else "repeat"
    of_each = {
        name: row if repeats == 1 else row.reshape(repeats, folds).mean(1) for name, row in values.items()
    }
    most = folds if repeats == 1 else repeats
    is_each = most <= 10
    heads = (
        [f"{what} {k + 1}" for k in range(most)] * is_each
        + ["mean", "SD"]
        + ["lowest", "highest"] * (not is_each)
    )
    wanted = {
        name: [*of_each[name]] * is_each
        + [row.mean(), row.std(ddof=1)]
        + [of_each[name].min(), of_each[name].max()] * (not is_each)
        for name, row in values.items()
    }
    columns = [column.head for column in each.columns[1:]]
    rows = [row[0].text for row in each.rows]
    cells = np.array([[cell.value for cell in row[1:]] for row in each.rows])
    if models > 4:
        assert (columns, rows) == (heads, [*values])
        cells = cells.T
    else:
        assert (columns, rows) == ([*values], heads)
    assert cells == pytest.approx(np.array([*wanted.values()]).T)
    assert (each.note == "") == (each.foot == "") == (repeats == 1)
    if repeats > 1:
        assert each.note.endswith(f"Mean and SD are over all {folds * repeats} folds.")
        for name in values:
            assert f"{number(of_each[name].std(ddof=1))} ({name})" in each.foot
    widths = [row[-1].value for row in naive.rows]
    for name, width in zip(values, widths, strict=True):
        row = values[name]
        half = (e[name]["accuracy"].high - e[name]["accuracy"].low) / 2
        assert width == pytest.approx(
            half / (stats.t.ppf(0.975, row.size - 1) * row.std(ddof=1) / np.sqrt(row.size)), rel=0.03
        )
    inflation = np.sqrt(folds * repeats / (folds * repeats - 1))
    assert f"√(K / (K - 1)) = {inflation:.3f}" in naive.foot


def test_a_model_whose_folds_agree_has_no_naive_interval():
    e = evaluation(5, ash=np.full(5, 0.6), birch=np.array([0.6, 0.7, 0.6, 0.5, 0.6]))
    (section,) = [each for each in e.document().sections if each.title.startswith("Folds")]
    _, naive = section.parts
    assert [row[0].text for row in naive.rows] == ["birch"]
    alone = evaluation(5, ash=np.full(5, 0.6))
    (section,) = [each for each in alone.document().sections if each.title.startswith("Folds")]
    assert len(section.parts) == 1


@pytest.mark.parametrize("sets", [1, 2, 4, 5, 7])
def test_facts_count_data_sets_and_cases(sets):
    e, _ = of_sets(0, 2, sets)
    facts = dict(e.document().facts)
    if sets == 1:
        assert (facts["cases"], facts["cases by class"]) == ("500", "0: 250, 1: 250")
        assert facts["positive class"] == "1"
        return
    assert facts["data sets"] == str(sets)
    named = sets if sets <= 4 else 3
    assert [name for name in facts if name.startswith("set ")] == [f"set {k}" for k in range(named)]
    assert facts["set 0"] == "500 cases; 0: 250, 1: 250; positive class 1"
    assert facts.get("others") == (
        f"{sets - 3} more data sets with {500 * (sets - 3):,} cases" if sets > 4 else None
    )


@pytest.mark.parametrize("models", [1, 2, 4, 5])
def test_the_title_names_up_to_four_models(models):
    e, values = made(0, models)
    title = e.document().title
    if models > 4:
        assert title == "Evaluation of 5 models"
    else:
        assert title.startswith("Evaluation of ash")
        assert all(name in title for name in values)
    facts = dict(e.document().facts)
    assert facts["protocol"].endswith(", 5 fits of each model to 400 cases")
    assert (facts["leak check"], facts["confidence level"], facts["seed"]) == ("nothing found", "95%", "0")


@pytest.mark.parametrize(("folds", "share"), [(3, 0.6), (10, 0.6)])
def test_every_measure_has_a_table_of_all_models(folds, share):
    e, values = made(2, 3, folds, baseline=0.5)
    sections = {section.title: section.parts for section in e.document().sections}
    (table,) = sections["Accuracy"]
    assert isinstance(table, Table)
    assert [row[0].text for row in table.rows] == [*values]
    assert table.note.startswith(("Mean over the folds", "Pooled over all folds"))
    assert "lower is better" not in table.note
    error = e.showing(["error_rate"]).document()
    (table,) = next(section.parts for section in error.sections if section.title == "Error rate")
    assert "; lower is better." in table.note
    lacking = e.showing(["roc_auc", "accuracy"]).document()
    (absent,) = next(section.parts for section in lacking.sections if section.title == "Not available")
    assert isinstance(absent, Listing)
    (item,) = absent.items
    assert "ROC AUC" in item[1]
    assert "Not available" not in sections


def test_next_steps_fit_what_was_done():
    def steps(e):
        (section,) = [each for each in e.document().sections if each.title == "Next steps"]
        return " ".join(
            part.text if isinstance(part, Prose) else " ".join(map(str, part.items)) for part in section.parts
        )

    one, several = (steps(made(0, models)[0]) for models in (1, 2))
    assert ("Compare the models" in one, "Compare the models" in several) == (False, True)
    assert "missing confidence intervals" not in several
    constant = evaluation(5, ash=np.full(5, 0.6))
    assert "missing confidence intervals" in steps(constant)


@pytest.mark.parametrize(
    ("lacking", "on"), [((0, 1, 2), ""), ((1,), " on set 1"), ((0, 2), " on set 0 and set 2")]
)
def test_measures_that_no_model_has_are_told_by_data_set(lacking, on):
    """A data set of one class in all predictions of both models has no precision."""
    runs = []
    for k in range(3):
        one = evaluation(3, ash=np.full(3, 0.6), birch=np.array([0.6, 0.7, 0.8]))
        run = one.runs[0]
        cases = replace(run.cases, name=f"set {k}")
        results = run.results
        if k in lacking:
            none = tuple(FoldResult(np.zeros(100, int)) for _ in range(3))
            results = {"ash": none, "birch": none}
        runs.append(replace(run, cases=cases, results=results))
    e = replace(one, runs=tuple(runs), measures=("precision", "accuracy"))
    (section,) = [each for each in e.document().sections if each.title == "Not available"]
    ((_, text),) = section.parts[0].items
    assert text == f"Precision (positive predictive value){on}: no case is predicted positive."
    titles = [each.title for each in e.document().sections]
    shown = [
        any(each.startswith("Precision") and each.endswith(f"on set {k}") for each in titles)
        for k in range(3)
    ]
    assert shown == [k not in lacking for k in range(3)]


@pytest.mark.parametrize(("positives", "told"), [(10, 100.0), (9, None), (8, None)])
def test_the_artifact_of_leave_one_out_is_told_where_the_baseline_errs_more(positives, told):
    """Of 20 cases, half of each class, the case held out always turns the majority against itself."""
    y = np.arange(20) < positives
    e = ca.evaluate(GaussianNB(), np.arange(20.0)[:, None] % 7, y, protocol="loo", measures=["accuracy"])
    (said,) = [each for each in e.notes if "baseline" in each] or [None]
    expected = 100 * min(positives, 20 - positives) / 20
    assert said == (
        f"The error rate of the majority-class baseline is {told:.1f}% on held-out cases but {expected:.1f}% on new "
        "cases, which is an artifact of leave-one-out."
        if told
        else None
    )
