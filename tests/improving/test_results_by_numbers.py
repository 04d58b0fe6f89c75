"""Documents, tables and races of remedies against the numbers that they are of; equal results from equal fits."""

import re
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import InputError
from classay.improving.improvement import Improvement, _choices, _mean
from classay.improving.improving import FLOOR, WORTH, Race
from classay.improving.learning_curve import DecompositionPath
from classay.improving.remedies import REMEDIES
from classay.improving.results_of_improvement import document_of, with_costs
from classay.improving.results_of_parts import (
    as_dict_of_decomposition,
    as_dict_of_path,
    document_of_decomposition,
    document_of_learning_curve,
    document_of_path,
    stack_of,
)
from classay.improving.results_of_stacks import StackedBar, _end, _marks, _said_of_stack, _svg, diagram
from classay.inference.estimate import Estimate

RNG = np.random.default_rng(8)
N = 120
Y = np.arange(N) % 2
X = pd.DataFrame(
    RNG.normal(size=(N, 3)) + Y[:, None] * [1.2, 0.4, 0.0],
    columns=["a", "b", "c"],
    index=[f"r{k}" for k in range(N)],
)
X["b"] *= 50
NAMES = np.array(["no", "yes"])[Y]


@pytest.fixture(scope="module")
def improved():
    moved = X.iloc[:30].assign(b=X["b"][:30] + 500)
    new = moved, NAMES[:30]
    return ca.improve(
        LogisticRegression(C=0.01), X, NAMES, rounds=5, protocol="3fold", test=new,
        remedies=["scaling", "class_weights", "forest", "calibration"], seed=3,
    )  # fmt: skip


@pytest.fixture(scope="module")
def curve():
    return ca.learning_curve(GaussianNB(), X.to_numpy(), NAMES, protocol="5x5", seed=1, level=0.9)


@pytest.fixture(scope="module")
def path():
    return ca.decompose_over(
        DecisionTreeClassifier(),
        X,
        NAMES,
        parameter="max_depth",
        values=[1, 3, None],
        rounds=6,
        loss="squared",
    )


def cells(table):
    return [[getattr(cell, "text", cell) for cell in row] for row in table.rows]


def test_trials_are_differences_of_what_the_folds_show(improved):
    i = improved
    assert i.tried == ("scaling", "class_weights", "calibration")
    assert i.left_out == (("forest", "it is not a tree"),)
    assert [name for name, _ in i.findings] == ["scaling"]
    for trial in i.trials:
        measure = trial.comparison.measure
        mine, others = i.value(trial.name, measure).value, i.value(i.learner, measure).value
        better = 1 if measure == "balanced_accuracy" else -1
        assert trial.gain.value == pytest.approx(better * (mine - others))
        assert i[trial.name] is trial
    with pytest.raises(
        KeyError, match=r"forest was not tried\. Trials: scaling, class_weights, calibration\."
    ):
        i["forest"]
    wrong = [
        (r.predicted != i.evaluation.runs[0].cases.truth[p.test]).mean()
        for p, r in zip(i.folds.places, i.folds.results, strict=True)
    ]
    assert i.value(i.learner).value == pytest.approx(np.mean(wrong))
    assert i.gap.value == pytest.approx(np.mean(wrong) - i.evidence.training)
    assert i.evidence.baseline == pytest.approx(0.5)
    assert i.evidence.loss == i.value(i.learner)


def test_hard_rows_are_those_that_every_model_gets_wrong(improved):
    i = improved
    right = []
    for model in (i.learner, *i.tried):
        folds, mine = i.folds_of(model), np.full(N, np.nan)
        for place, result in zip(folds.places, folds.results, strict=True):
            mine[place.test] = result.predicted == i.evaluation.runs[0].cases.truth[place.test]
        right.append(mine)
    hard = np.flatnonzero((np.array(right) == 0).all(0))
    found = i.hard_rows().to_pylist()
    assert [row["row"] for row in found] == hard.tolist()
    assert [row["index"] for row in found] == [f"r{k}" for k in hard]
    assert [row["class"] for row in found] == NAMES[hard].tolist()
    assert all(row["predicted"] != row["class"] for row in found)
    assert {row["share_right"] for row in found} <= {0.0}


def test_costs_are_mean_seconds_in_units_of_the_learner(improved):
    rows = {row["model"]: row for row in improved.costs.to_pylist()}
    assert [*rows] == [improved.learner, *improved.tried]
    own = rows[improved.learner]
    assert (own["fit_times"], own["predict_times"]) == (1, 1)
    for row in rows.values():
        assert row["fit_times"] == pytest.approx(row["fit_seconds"] / own["fit_seconds"])
        assert row["predict_times"] == pytest.approx(row["predict_seconds"] / own["predict_seconds"])
    titles = [section.title for section in with_costs(document_of(improved), improved).sections]
    assert titles.index("Computing time") + 1 == titles.index("Error rate by training size")
    assert _mean([1.0, float("nan"), 3.0]) == 2
    assert np.isnan(_mean([float("nan")]))


def test_drift_is_tested_against_the_errors_of_the_folds(improved):
    drift, i = improved.drift, improved
    wrong = round(i.value(i.learner).value * N)
    new_wrong = round(drift.error.value * 30)
    table = [[new_wrong, 30 - new_wrong], [wrong, N - wrong]]
    assert drift.p == pytest.approx(stats.fisher_exact(table, alternative="greater").pvalue)
    assert (drift.rows, drift.moved) == (30, ("b",))
    assert drift.known == i.value(i.learner).value
    counts = [[N / 2, N / 2], [15, 15]]
    assert drift.shares_p == pytest.approx(stats.chi2_contingency(counts).pvalue)


def test_the_document_of_an_improvement(improved):
    i = improved
    document = document_of(i)
    facts = dict(document.facts)
    assert facts["cases"] == "120"
    assert facts["cases by class"] == "no: 60, yes: 60"
    assert facts["folds"] == "3fold, the same for the learner and all remedies"
    assert (
        facts["decomposition"]
        == f"5 bootstrap samples of {i.before.size} rows, {len(i.before.rows)} test rows"
    )
    assert (facts["confidence level"], facts["seed"]) == ("95%", "3")
    sections = {section.title: section for section in document.sections}
    assert len(sections) == len(document.sections)  # what the curve covers is told once
    tried = sections["Remedies tried"].parts
    assert [table.title for table in tried] == ["Error rate", "Balanced accuracy", "Brier score"]
    rows = [row for table in tried for row in table.rows]
    by_title = {row[0].text: row for row in rows}
    assert {*by_title} == {trial.remedy.title for trial in i.trials}
    for trial in i.trials:
        row = by_title[trial.remedy.title]
        assert row[1].text == trial.remedy.against.replace("_", " ")
        assert row[2].estimate.value == i.value(trial.name, trial.comparison.measure).value
        assert row[-1].text == ("helps" if trial.helps else "inconclusive")
    assert "(3, Holm" in tried[0].foot
    assert "folds of the first repeat" not in tried[0].foot
    assert sections["Remedies not tried or failed"].parts[0].items[0][1] == (
        "A random forest of the learner's trees: it is not a tree"
    )
    assert ("Loss breakdown" in sections) == (i.after is None)
    assert [*i.failures] == []
    assert i.suspects().num_rows == (len(i.doubts.rows) if i.has_suspects else 0)


def test_an_improvement_is_saved_as_it_is(improved, tmp_path):
    improved.save(tmp_path / "a")
    again = ca.load(tmp_path / "a")
    assert again.to_dict() == improved.to_dict()
    assert again.drift == improved.drift
    for name in (
        "learner",
        "suspected",
        "left_out",
        "notes",
        "index",
        "findings",
        "verdict",
        "level",
        "seed",
    ):
        assert getattr(again, name) == getattr(improved, name)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ([], ""),
        ([{"C": 1.0}, {"C": 10.0}, {"C": 0.1}], "Settings chosen inside the folds: C = 1 (0.1 to 10)."),
        ([{"C": 1.0}, {"C": 1.0}], "Settings chosen inside the folds: C = 1."),
        (
            [{"k": 3, "w": "b"}, {"k": 3, "w": "b"}, {"k": 5, "w": "a"}],
            "Settings chosen inside the folds: k = 3 (3 to 5), w = b.",
        ),
        ([{"w": "b"}, {"w": "a"}], "Settings chosen inside the folds: w = a."),
        ([{"d": None}, {"d": 3}], "Settings chosen inside the folds: d = 3."),
        ([{"b": True}, {"b": True}], "Settings chosen inside the folds: b = True."),
    ],
)
def test_what_a_search_chose(settings, text):
    assert _choices(settings) == text


def test_the_settings_of_every_search_are_named():
    choices = {
        "tuned": [{"params": {"C": 1.0}}, None],
        "forest": [None, None],
        "pruned": [{"params": {"k": 3}}],
    }
    made = SimpleNamespace(
        tried=(*choices,),
        folds_of=lambda name: SimpleNamespace(
            results=[SimpleNamespace(choice=each) for each in choices[name]]
        ),
    )
    begin = "Settings chosen inside the folds: "
    assert Improvement.chosen.fget(made) == (("tuned", f"{begin}C = 1."), ("pruned", f"{begin}k = 3."))


class Paper(Race):
    """A race of which the gains are known and no model is fitted."""

    def __init__(self, gains, helping="", own=""):
        super().__init__(SimpleNamespace(evaluation="all", trials=()), None, None)
        self.gains, self.helping, self.completed, self.screened = gains, helping, [], []

    def early_gain(self, name):
        return self.gains.get(name, -1.0) if name in self.results else -1.0

    def loss(self, remedy=None):
        return 0.4

    def own_best(self):
        return self.helping

    def _is_made(self, remedy):
        return remedy.name in self.gains

    def _fit(self, name, known):
        (self.completed if known == "all" else self.screened).append(name)
        self.results[name] = (1,) if known == "all" else (1, None)

    @property
    def _first_repeat(self):
        return "first"


@pytest.mark.parametrize(
    ("gains", "completed"),
    [
        ({"bagging": WORTH * 0.4 + 1e-9}, ["bagging"]),
        ({"bagging": WORTH * 0.4}, []),
        ({"interactions": 0.1, "bagging": 0.1 + WORTH * 0.4 + 1e-9}, ["interactions", "bagging"]),
        ({"interactions": 0.1, "bagging": 0.1 + WORTH * 0.4 - 1e-9}, ["interactions"]),
        ({"bagging": 0.1, "forest": 0.05}, ["bagging"]),
    ],
)
def test_a_remedy_goes_on_if_it_is_better_than_the_simpler_ones(gains, completed):
    race = Paper(gains)
    race.try_stage("members")
    assert {*race.screened} == {*gains}
    assert race.completed == completed
    race = Paper(gains)
    race.try_stage("members", ["scale"])
    assert (race.screened, race.completed) == ([], [])


@pytest.mark.parametrize(
    ("stage", "helping", "rival", "is_settled"),
    [
        ("members", "", None, False),
        ("members", "", FLOOR * 0.4, False),
        ("members", "", FLOOR * 0.4 - 1e-9, True),
        ("settings", "", FLOOR * 0.4 - 1e-9, True),
        ("probabilities", "", FLOOR * 0.4 - 1e-9, False),
        ("members", "scaling", 0.1 + 0.2 * 0.4 - 1e-9, True),
        ("members", "scaling", 0.1 + 0.2 * 0.4 + 1e-9, False),
        ("probabilities", "scaling", 0.4, True),
        ("columns", "scaling", 0.1, False),
    ],
)
def test_nothing_more_is_tried_where_all_is_settled(stage, helping, rival, is_settled):
    race = Paper(
        {"scaling": 0.1, "kernel_machine": rival, "bagging": 0.3, "flexibility": 0.3, "calibration": 0.3}
    )
    race.helping = helping
    race.results["scaling"] = (1,)
    if rival is not None:
        race.results["kernel_machine"] = (1, None)
    names = {remedy.name for remedy in REMEDIES.values() if remedy.stage == stage}
    race.try_stage(stage)
    if is_settled:
        assert {name for name, _ in race.left_out} == names
        (reason,) = {why for _, why in race.left_out}
        assert reason == (
            "not needed because scaling of features comes first"
            if helping
            else "not needed because no learner of another kind did much better on its first folds"
        )
    else:
        assert race.left_out == []


@pytest.mark.parametrize(("helping", "completed"), [("", ["random_forest", "linear_model"]), ("bagging", [])])
def test_the_best_two_rivals_go_on_where_nothing_else_helps(helping, completed):
    race = Paper({"kernel_machine": 0.1, "random_forest": 0.3, "linear_model": 0.2}, helping)
    for name in race.gains:
        race.results[name] = (1, None)
    race.finish_rivals()
    assert race.completed == completed


# -- curves and paths --------------------------------------------------------------------------------------------------


def test_points_of_a_curve_are_its_evaluations(curve):
    c = curve
    assert c.sizes == (12, 17, 24, 34, 48, 68, 96)
    for point, e in zip(c.points, c.evaluations, strict=True):
        (folds,) = [folds for _, name, folds in e.model_folds() if name == c.learner]
        wrong = [
            (r.predicted != e.runs[0].cases.truth[p.test]).mean()
            for p, r in zip(folds.places, folds.results, strict=True)
        ]
        assert point.test.value == pytest.approx(np.mean(wrong))
        assert point.test.low <= point.test.value <= point.test.high
    frame = c.frame().to_pylist()
    assert [row["size"] for row in frame] == [*c.sizes]
    for row, point in zip(frame, c.points, strict=True):
        for which in ("test", "training"):
            for side in ("value", "low", "high"):
                found, expected = row[f"{which}_{side}"], getattr(getattr(point, which), side)
                assert found == expected or (np.isnan(found) and np.isnan(expected))
    assert (c.level, c.seed, c.failures) == (0.9, 1, ())


def test_the_picture_and_the_document_of_a_curve(curve):
    c = curve
    new, training, *beyond = c.curves()
    assert (new.series, training.series) == ("new cases", "training cases")
    assert new.x.tolist() == [*c.sizes]
    assert new.y.tolist() == [point.test.value for point in c.points]
    assert new.low.tolist() == [point.test.low for point in c.points]
    assert training.y.tolist() == [point.training.value for point in c.points]
    assert new.band == "90% CI at each size"
    law = c.extrapolation
    facts = dict(document_of_learning_curve(c).facts)
    assert facts["protocol"] == "5x5, 7 training sizes"
    assert facts["confidence level"] == "90%"
    text = " ".join(str(c).split()).replace("┃ ", "")
    assert f"With 96 training cases, the error rate of {c.learner} is" in text
    if isinstance(law, str):
        assert f"The gain from more cases was not estimated: {law}." in text
        assert beyond == []
    elif law.estimate.is_undefined:
        assert f"The gain from more cases was not estimated: {law.estimate.reason}." in text
    else:
        assert "By a power law, 192 cases would give" in text
        assert beyond[0].x.tolist() == [size for size, *_ in law.path]
        assert beyond[0].y.tolist() == [value for _, value, *_ in law.path]


def test_a_curve_of_a_measure_that_is_best_at_1_turns_its_extrapolation(curve):
    loss, right = curve.extrapolation, curve.of("accuracy").extrapolation
    assert isinstance(loss, str) == isinstance(right, str)
    if not isinstance(loss, str):
        for name in ("estimate", "expected", "seen"):
            one, other = getattr(loss, name), getattr(right, name)
            if not one.is_undefined:
                assert (other.value, other.low, other.high) == pytest.approx(
                    (1 - one.value, 1 - one.high, 1 - one.low)
                )
        for name in ("change", "miss"):
            one, other = getattr(loss, name), getattr(right, name)
            if not one.is_undefined:
                assert (other.value, other.low, other.high) == pytest.approx(
                    (-one.value, -one.high, -one.low)
                )
        assert [point[0] for point in right.path] == [point[0] for point in loss.path]
        assert [point[1] for point in right.path] == pytest.approx([1 - point[1] for point in loss.path])


def test_a_path_is_its_decompositions(path):
    p = path
    assert p.shown_terms == {"loss": "loss", "bias": "squared bias", "variance": "variance"}
    for curve_, name in zip(p.curves(), p.shown_terms, strict=True):
        assert curve_.y.tolist() == [p[value][name].value for value in p.values]
        assert curve_.low.tolist() == [p[value][name].low for value in p.values]
    rows = p.frame().to_pylist()
    assert Counter(row["max_depth"] for row in rows) == {"1": 4, "3": 4, "None": 4}
    for row in rows:
        value = {"1": 1, "3": 3, "None": None}[row["max_depth"]]
        estimate = p[value].terms[row["term"]]
        assert row["value"] == estimate.value or estimate.is_undefined
    with pytest.raises(InputError, match=r"max_depth was not set to 2 but to 1, 3, None"):
        p[2]
    losses = [d["loss"].value for d in p.decompositions]
    best = p.values[int(np.argmin(losses))]
    lead = document_of_path(p)
    text = " ".join(str(p).split()).replace("┃ ", "")
    assert f"The squared loss is lowest at max_depth {best}: " in text
    assert dict(lead.facts)["max_depth"] == "1, 3, None"
    assert "training sets" in dict(lead.facts)
    assert "The lowest of several losses on the same rows is optimistic" in text
    assert [point["value"] for point in as_dict_of_path(p)["points"]] == [1, 3, None]
    alone = DecompositionPath("max_depth", (1,), p.decompositions[:1])
    assert "is optimistic" not in str(alone)
    with pytest.raises(InputError, match=r"There are 2 values but 1 decompositions. Use decompose_over"):
        DecompositionPath("max_depth", (1, 2), p.decompositions[:1])
    with pytest.raises(InputError, match="There are 0 values but 0 decompositions"):
        DecompositionPath("max_depth", (), ())
    sized = DecompositionPath("size", p.values, p.decompositions)
    assert "training sets" not in dict(document_of_path(sized).facts)


@pytest.mark.parametrize(
    ("values", "words"),
    [([], "must be one or more different values"), ([1, 2, 1], "must be one or more different")],
)
def test_values_of_a_path_differ(values, words):
    with pytest.raises(InputError, match=words):
        ca.decompose_over(DecisionTreeClassifier(), X, NAMES, parameter="max_depth", values=values, rounds=2)


def test_the_json_of_a_decomposition_has_its_numbers(path):
    d = path[3]
    found = as_dict_of_decomposition(d)
    (scheme,) = found["decompositions"]
    assert {term["name"]: term.get("value") for term in scheme["terms"]} == {
        name: (None if e.is_undefined else e.value) for name, e in d.terms.items()
    }
    assert scheme["adds_up"] == {"noise": 1, "bias": 1, "variance": 1}
    assert (found["rounds"], found["planned"], found["test_rows"]) == (6, 6, len(d.rows))
    assert found["biased"]["count"] == d.biased_rows.size
    assert found["unstable"]["rows"] == d.unstable_rows.tolist()
    assert (found["weighted"], found["test_clusters"], found["noise_known"]) == (False, None, False)
    sections = {s.title: s for s in document_of_decomposition(d).sections}
    for table, rows in zip(
        sections["Rows"].parts, [r for r in (d.biased_rows, d.unstable_rows) if r.size], strict=True
    ):
        assert [row[0].text for row in table.rows] == [f"r{k}" for k in rows[:5]]
    terms = sections["Parts of squared loss"].parts[0]
    assert [row[1].estimate for row in terms.rows] == [*d.terms.values()]


# -- bars ------------------------------------------------------------------------------------------------------------


def bar(loss, *parts, taken=0.0, low=None, high=None):
    value = Estimate.bare(loss, "") if low is None else Estimate(loss, low, high, 0.95, "t")
    return StackedBar("tree", value, tuple(parts), taken)


def test_bars_are_as_long_as_their_parts(path):
    one = stack_of(path[1])
    terms = path[1].terms
    assert dict(one.parts)["bias"] == terms["bias"].value
    assert dict(one.parts)["variance"] == terms["variance"].value
    assert (one.label, one.taken, one.loss) == (path[1].learner, 0.0, terms["loss"])
    two = bar(0.4, ("bias", 0.3), ("variance", 0.2), taken=0.1)
    assert _end([two]) == pytest.approx(1.02 * 0.5)
    assert _end([bar(0.4, ("bias", 0.4), low=0.2, high=0.9)]) == pytest.approx(1.02 * 0.9)
    marks = _marks(two, 0.5)
    assert marks.index("│") == 40
    counts = Counter(marks)
    counts.pop("│")
    assert sorted(counts.values()) == [20, 30]
    assert _said_of_stack(two).endswith("bias 0.300, variance 0.200, minus 0.100 at biased rows")
    assert "minus" not in _said_of_stack(bar(0.4, ("bias", 0.4)))
    assert diagram([bar(float("inf"), ("bias", 0.4))], "x") is None
    assert diagram([bar(0.4)], "x") is None
    drawn = diagram([two], "learner")
    assert "(the part beyond the mark reduces the loss)" in drawn.note
    assert "reduces" not in diagram([bar(0.4, ("bias", 0.2), ("variance", 0.2))], "learner").note
    svg = _svg([two], ["bias", "variance"], 0.5)
    assert svg.count("<rect") == 4  # two of the legend
    bars = [
        [float(at) for at in found]
        for found in re.findall(r'<rect x="([0-9.]+)" y="[0-9.]+" width="([0-9.]+)" height', svg)[2:]
    ]
    (first, wide), (second, narrow) = bars
    assert second == pytest.approx(first + wide, abs=0.11)  # each begins where the one before ends
    assert wide / narrow == pytest.approx(0.3 / 0.2, rel=0.01)
