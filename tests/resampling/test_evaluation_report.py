"""What the report and the page of an evaluation say, against what the folds hold."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.comparison.findings_differences import difference_sentence
from classay.report.document import Figures, Table
from classay.report.door import with_pictures
from classay.report.pictures.curve_pictures import thin
from classay.resampling.comparing_learners import lead, pooled_and_single
from classay.resampling.results import _sections
from sample_results import RESULTS

MODELS = {"tree": DecisionTreeClassifier(max_depth=2), "bayes": GaussianNB()}


@pytest.fixture(scope="module")
def cancer():
    return ca.evaluate(MODELS, *load_breast_cancer(return_X_y=True), protocol="2x5")


def test_the_first_against_the_second_is_the_corrected_resampled_t():
    cancer = ca.evaluate(MODELS, *load_breast_cancer(return_X_y=True), protocol="10fold")
    found = lead(cancer, cancer.summaries(["roc_auc"]))
    values = {
        model: np.array([row["value"] for row in cancer.frame().to_pylist()
                         if (row["model"], row["measure"]) == (model, "roc_auc")])
        for model in MODELS
    }  # fmt: skip
    differences = values["tree"] - values["bayes"]
    n_test = np.array([len(place.test) for place in cancer.runs[0].places])
    ratio = n_test.sum() / (569 - n_test).sum()
    se = np.sqrt((1 / 10 + ratio) * differences.var(ddof=1))
    assert found.models == ("tree", "bayes")
    assert found.effect.value == pytest.approx(differences.mean())
    assert found.p == pytest.approx(2 * stats.t.sf(abs(differences.mean()) / se, 9))
    assert difference_sentence(found, 569) in " ".join(str(cancer).replace("┃", "").split())


def test_evaluate_and_compare_say_the_same_of_the_first_two(cancer):
    """One family of all pairs in all measures that are compared unasked: no p-value is adjusted twice or for less."""
    models = MODELS | {"deeper": DecisionTreeClassifier(max_depth=3, random_state=0)}
    for e in (cancer, ca.evaluate(models, *load_breast_cancer(return_X_y=True), protocol="5fold")):
        found = lead(e, e.summaries(["roc_auc"]))
        made = e.compare()
        same = made["roc_auc", *found.models]
        assert (found.sentence, found.p_adjusted, found.family) == (
            same.sentence,
            same.p_adjusted,
            len(made),
        )
        assert difference_sentence(found, 569) in " ".join(str(e).replace("┃", "").split())


@pytest.mark.parametrize("protocol", ["holdout:0.3", "632:3", "time:3"])
def test_without_the_corrected_t_nothing_is_said_of_the_second(protocol):
    e = ca.evaluate(MODELS, *load_breast_cancer(return_X_y=True), protocol=protocol)
    assert " than for " not in str(e)
    assert "No difference in ROC AUC" not in str(e)


def test_models_are_drawn_with_their_folds_and_their_training(cancer):
    picture = next(cancer.document().tables).picture
    *specks, baseline, training, marks = picture.marks
    assert picture.rows == ("tree", "bayes", "baseline")
    assert marks.x[:2] == pytest.approx([cancer[model]["roc_auc"].value for model in MODELS], rel=1e-5)
    assert training.x == pytest.approx([cancer[m].summary("roc_auc").training for m in MODELS], rel=1e-5)
    assert baseline.x.tolist() == [0.5, 0.5]
    assert [each.x.size for each in specks] == [10, 10]
    assert np.mean(specks[0].x) == pytest.approx(marks.x[0], rel=1e-5)


def test_curves_of_folds_are_never_joined_and_calibration_is(cancer):
    calibration, by_fold = pooled_and_single(cancer)
    assert [each.series for each in calibration] == ["tree", "bayes"]
    assert [len(each) for each in by_fold.values()] == [10, 10]
    figures = next(
        part for each in with_pictures(cancer).sections for part in each.parts if isinstance(part, Figures)
    )
    assert [figure.is_thin for figure in figures.shown] == [False, True, True]
    picture = thin(figures.shown[1])
    assert sum(each.rank == 0 for each in picture.marks) == 10
    assert picture.legend == ()
    several = ca.evaluate(MODELS, *load_iris(return_X_y=True), protocol="3fold")
    assert pooled_and_single(several) == ((), {})
    sections = [each for each in several.document().sections if not each.title.startswith("Folds")]
    tables = [part for each in sections for part in each.parts if isinstance(part, Table)]
    assert all(table.picture is not None for table in tables)


def test_any_measure_can_be_shown_later(cancer):
    shown = cancer.showing(["specificity", "mcc"])
    assert shown.measures == ("specificity", "matthews_correlation")
    assert shown["tree"]["roc_auc"] == cancer["tree"]["roc_auc"]
    with pytest.raises(ca.UnknownMeasureError, match="more than two classes"):
        cancer.showing("hand_till_auc")
    with pytest.raises(ca.InputError, match="measures is empty"):
        cancer.showing([])


def test_the_page_begins_with_all_models_by_all_measures_the_best_first(cancer):
    (table,) = with_pictures(cancer).sections[0].parts
    assert table.columns[1].name == "roc_auc"
    values = {each.model: each.estimate.value for each in cancer.summaries(["roc_auc"])}
    order = [row[0].text for row in table.rows]
    assert order == sorted(values, key=values.get, reverse=True)
    for row in table.rows:
        for column, cell in zip(table.columns[1:], row[1:], strict=True):
            [found] = [each for each in cancer.summaries([column.name]) if each.model == row[0].text]
            assert cell is None or cell.estimate.value == found.estimate.value
            assert row[0].text != "baseline" or cell is None or not cell.estimate.has_interval


def test_what_is_undefined_of_one_model_is_said_and_not_left_blank():
    sections = with_pictures(RESULTS["evaluation of two learners"]()).sections
    (table,) = next(section.parts for section in sections if section.title == "Models")
    assert all(cell is not None for row in table.rows for cell in row)
    assert any(cell.estimate.is_undefined for row in table.rows for cell in row[1:])


def test_several_data_sets_say_first_who_leads_by_how_much_and_how_surely():
    """Means and places by hand, and the p-value of SciPy."""
    e = RESULTS["evaluation over data sets"]()
    values = {
        model: np.array([each.estimate.value for each in e.summaries(["accuracy"]) if each.model == model])
        for model in ("centroid", "nearest")
    }
    first, second = values["centroid"], values["nearest"]
    p = stats.wilcoxon(first, second, method=stats.PermutationMethod()).pvalue
    lead, sure, *_ = e.document().verdict
    assert lead == (
        f"centroid has the highest mean accuracy over 5 data sets: {first.mean():.3f}, compared with "
        f"{second.mean():.3f} for nearest. centroid has the best value on {(first > second).sum()} data sets and ties "
        f"for the best value on {(first == second).sum()}."
    )
    assert f"p = {p:.2g}, Wilcoxon signed-rank, exact)" in sure
    assert [each for each in e["d0"].document().verdict if "data sets" in each] == []


@pytest.mark.parametrize("number", [1, 2, 5])
def test_tables_name_their_data_set_where_there_are_several(number):
    e = RESULTS["evaluation over data sets"]()
    e = replace(e, runs=e.runs[:number])
    titles = [section.title for section in _sections(e, e.summaries(["accuracy"]))]
    of_sets = [title for title in titles if title.startswith("Accuracy")]
    assert of_sets == (["Accuracy"] if number == 1 else [f"Accuracy on {run.cases.name}" for run in e.runs])
