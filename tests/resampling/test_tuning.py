"""All that searches tried: scores, intervals, the choice by one standard error, how the best flatters itself."""

import json
from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import InputError
from classay.resampling.results import _chosen
from classay.resampling.tuning import Candidate, Tuned

GRID = {"n_neighbors": [1, 5], "weights": ["uniform", "distance"]}
X, Y = (each[::8] for each in load_breast_cancer(return_X_y=True))
NEIGHBOURS = KNeighborsClassifier()


def tuned(scoring="accuracy", grid=GRID, protocol="3fold", model=NEIGHBOURS, **how):
    return ca.tune(
        model, grid, X, Y, scoring=scoring, protocol=protocol, folds=2, measures=["accuracy"], **how
    )


@pytest.fixture(scope="module")
def e():
    return tuned()


def searches(e, scoring):
    """The searches of the outer folds, by scikit-learn alone."""
    for place in e.runs[0].places:
        train = np.setdiff1d(np.arange(len(Y)), place.test)
        yield GridSearchCV(NEIGHBOURS, GRID, scoring=scoring, cv=StratifiedKFold(2)).fit(X[train], Y[train])


@pytest.mark.parametrize(
    ("ours", "theirs", "sign"), [("accuracy", "accuracy", 1), ("brier_score", "neg_brier_score", -1)]
)
def test_scores_are_those_of_scikit_learns_searches(e, ours, theirs, sign):
    found = (e if ours == "accuracy" else tuned(ours)).candidates
    kept = [each.cv_results_ for each in searches(e, theirs)]
    means = sign * np.mean([each["mean_test_score"] for each in kept], axis=0)
    wanted = dict(zip(map(json.dumps, kept[0]["params"]), means, strict=True))
    assert len(found.candidates) == 4
    for each in found.candidates:
        assert each.score.value == pytest.approx(wanted[json.dumps(dict(each.params))])
        columns = [[fold[f"split{k}_test_score"] for k in range(2)] for fold in kept]
        at = kept[0]["params"].index(dict(each.params))
        own = np.array(columns)[:, :, at].ravel()
        assert each.se == pytest.approx(np.sqrt((1 / 6 + 1) * own.var(ddof=1)))  # Nadeau & Bengio 2003
    values = [sign * each.score.value for each in found.candidates]
    assert values == sorted(values, reverse=True)
    assert sum(each.chosen for each in found.candidates) == found.searches == 3


def test_flattery_is_what_the_best_promised_less_what_came_of_it(e):
    found = e.candidates
    promised = e.tuning["score"].to_numpy()
    came = e.frame().filter([each == "KNeighborsClassifier tuned" for each in e.frame()["model"].to_pylist()])
    differences = promised - came["value"].to_numpy()
    assert found.flattery.value == pytest.approx(found.inner - found.outer)
    assert found.flattery.value == pytest.approx(differences.mean(), abs=0.01)  # the estimate pools the folds
    half = (found.flattery.high - found.flattery.low) / 2
    assert half == pytest.approx(4.302652729911275 * np.sqrt((1 / 3 + 1 / 2) * differences.var(ddof=1)))


def made(scores, ses, params, scoring="accuracy", tried=2):
    rows = [
        Candidate(each, ca.Estimate(score), se, tried, 0)
        for each, score, se in zip(params, scores, ses, strict=True)
    ]
    flattery = ca.Estimate(0.0)
    return Tuned("", "m", scoring, 0.9, 0.9, 0.0, ("{}", "{}"), flattery, tuple(rows))


DEPTHS = [{"max_depth": each} for each in (None, 8, 3, 1)]


def test_one_standard_error_takes_the_simplest_that_is_as_good():
    found = made([0.90, 0.89, 0.881, 0.879], [0.02, 0.01, 0.01, 0.01], DEPTHS)
    assert found.simplest().params == {"max_depth": 3}
    assert found.simplest(max_depth="high").params == {"max_depth": None}
    assert found.simplest(max_depth=[8, 3, 1, None]).params == {"max_depth": 8}
    loss = made([0.10, 0.11, 0.119, 0.121], [0.02, 0.01, 0.01, 0.01], DEPTHS, "brier_score")
    assert loss.simplest().params == {"max_depth": 3}
    assert loss.is_loss
    exact = made([0.90, 0.89], [float("nan"), 0.01], DEPTHS[:2])
    assert exact.simplest().params == {"max_depth": None}


def test_several_parameters_count_in_their_order():
    params = [{"a__C": c, "a__gamma": g} for c in (1, 10) for g in (0.1, 1)]
    found = made([0.9] * 4, [0.1] * 4, params)
    with pytest.raises(InputError, match="The values of gamma that make a simpler model are not known"):
        found.simplest()
    assert found.simplest(gamma="low").params == {"a__C": 1, "a__gamma": 0.1}
    assert found.simplest(gamma="high", C="high").params == {"a__C": 10, "a__gamma": 1}
    assert "gamma" in found.by_one_standard_error
    with pytest.raises(InputError, match="'depth' was not varied"):
        found.simplest(gamma="low", depth="low")
    with pytest.raises(
        InputError, match="gamma must be 'low', 'high' or a list of values from the simplest on,"
    ):
        found.simplest(gamma="least")
    with pytest.raises(InputError, match="List all values"):
        found.simplest(gamma=[0.1])


def test_searches_that_drew_their_own_have_no_choice_by_one_standard_error():
    e = tuned(grid={"n_neighbors": [*range(1, 21)]}, search="random")
    found = e.candidates
    assert any(each.tried < 3 for each in found.candidates)
    if not found.within:
        with pytest.raises(InputError, match="drew candidates of its own"):
            found.simplest()
    halving = tuned(grid={"n_neighbors": [1, 3, 5]}, search="halving").candidates
    assert halving.candidates


def test_pictures_are_of_one_parameter_or_two(e):
    import matplotlib

    matplotlib.use("Agg")
    two = e.candidates.curves()
    assert [each.series for each in two] == ["weights distance", "weights uniform", "1 SE from the best"]
    assert all(each.low is None for each in two)
    *lines, _ = tuned(grid={"weights": ["uniform", "distance"], "n_neighbors": [1, 5, 9]}).candidates.curves()
    assert [each.x.tolist() for each in lines] == [[1, 5, 9]] * 2  # along what has more values
    line, margin = tuned(grid={"n_neighbors": [15, 1, 5]}).candidates.curves()
    assert line.x.tolist() == [1, 5, 15]
    assert (line.low <= line.y).all()
    assert margin.kind == "reference"
    assert e.candidates.plot() is not None
    e3 = tuned(grid={"n_neighbors": [1, 5], "weights": ["uniform", "distance"], "p": [1, 2]})
    assert e3.candidates.curves() == ()
    with pytest.raises(InputError, match="one or two parameters"):
        e3.candidates.plot()


def test_every_form_tells_of_the_candidates(e, tmp_path):
    e.report(tmp_path / "page.html")
    text, page = str(e), (tmp_path / "page.html").read_text()
    for shown in (text, page, e.to_markdown(), e.to_latex()):
        assert "within 1 SE" in shown
    assert "Candidates of KNeighborsClassifier" in page
    [told] = e.to_dict()["tuning"]
    assert [each["value"] for each in told["candidates"]] == e.candidates.frame()["score"].to_pylist()
    assert told["one_standard_error"] is None
    assert tuned(grid={"n_neighbors": [1, 5]}).to_dict()["tuning"][0]["one_standard_error"][
        "n_neighbors"
    ] in (1, 5)


def test_saved_evaluations_keep_them_and_old_ones_have_none(e, tmp_path):
    e.save(tmp_path / "e.classay")
    again = ca.Evaluation.load(tmp_path / "e.classay")
    assert again.candidates.frame().to_pydict() == e.candidates.frame().to_pydict()
    for results in again.runs[0].results.values():
        for each in results:
            if each.choice is not None:
                del each.choice["candidates"]
    assert again.candidates.candidates == ()
    assert again.to_dict()["tuning"][0]["candidates"] == []
    assert "chosen" in str(again).lower()
    with pytest.raises(InputError, match="The candidates of these searches were not saved"):
        again.candidates.simplest()


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ("aab", "Most frequent choice (2 of 3 fits): C 0.1235."),
        ("aaa", "All 3 fits chose C 0.1235."),
        (
            "ab",
            "The 2 fits chose 2 different settings, none more often than all others. One choice is C 0.1235.",
        ),
        ("a", "The fit chose C 0.1235."),
    ],
)
def test_what_was_chosen_is_said_as_it_is(chosen, said):
    values = {"a": '{"m__C": 0.123456}', "b": '{"m__C": 1}'}
    assert _chosen(Counter(values[each] for each in chosen)) == said


def test_which_search_is_meant():
    plain = ca.evaluate(DecisionTreeClassifier(max_depth=1), X, Y, protocol="2fold")
    with pytest.raises(InputError, match="No model was tuned here"):
        _ = plain.candidates
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=2)
    two = ca.evaluate({"a": search, "b": search}, X, Y, protocol="2fold")
    with pytest.raises(InputError, match=r"e\['a'\]\.candidates"):
        _ = two.candidates
    assert len(two["b"].candidates.candidates) == 2
