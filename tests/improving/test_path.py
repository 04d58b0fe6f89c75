"""Decompositions over a parameter of the learner, or over the size of its training sets."""

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import InputError
from classay.improving.decomposition import to_bytes
from classay.report.results.parts import json_text
from learners import noise

DOCS = Path(__file__).parents[2] / "docs"
TREE = DecisionTreeClassifier()


def path(values=(1, 3, None), parameter="max_depth", learner=TREE, **how):
    return ca.decompose_over(
        learner, *noise(150, features=5), parameter=parameter, values=values, rounds=12, **how
    )


def test_each_point_is_the_decomposition_of_its_value():
    found = path()
    for value in (1, 3, None):
        alone = ca.decompose(DecisionTreeClassifier(max_depth=value), *noise(150, features=5), rounds=12)
        assert to_bytes(found[value]) == to_bytes(alone)
    assert found[1]["bias"].value > found[None]["bias"].value
    assert found[1]["variance"].value < found[None]["variance"].value


def test_over_the_size_of_training_sets():
    found = path((20, 90), "size", GaussianNB())
    assert [each.size for each in found.decompositions] == [20, 90]
    assert found[20]["variance"].value > found[90]["variance"].value
    assert "training sets" not in str(found).partition("┃")[0]


def test_parameters_of_a_pipeline_and_of_models_by_name():
    inner = path((0.1, 1.0), "gaussiannb__var_smoothing", make_pipeline(StandardScaler(), GaussianNB()))
    assert len(inner.decompositions) == 2
    named = path((1, 2), "decisiontreeclassifier__max_depth", "tree")
    assert named.decompositions[0].learner == "tree"


@pytest.mark.parametrize(
    ("given", "name"), [({"mine": TREE}, "mine"), ([TREE], "DecisionTreeClassifier"), ("tree", "tree")]
)
def test_a_learner_comes_as_to_decompose(given, name):
    found = path((1, 3), learner=given)
    assert found[1].learner == name
    assert found[1]["bias"] == path((1,))[1]["bias"]


def test_a_key_of_the_learner_is_another_one_at_each_value(tmp_path):
    how = {"store": tmp_path / "runs.db", "keys": {"DecisionTreeClassifier": "the tree"}}
    found = path((1, 3), **how)
    assert [to_bytes(each) for each in found.decompositions] == [
        to_bytes(each) for each in path((1, 3)).decompositions
    ]
    kept = []
    path((3, 1), progress=lambda step: kept.append(step.last.kept), **how)
    assert all(kept)


def test_curves_and_frame_are_the_terms():
    found = path((1, 2, 4))
    loss, bias, variance = found.curves()
    assert [each.series for each in (loss, bias, variance)] == ["loss", "bias", "net variance"]
    assert loss.x.tolist() == [1, 2, 4]
    for curve, name in ((loss, "loss"), (bias, "bias"), (variance, "net_variance")):
        for k, value in enumerate(found.values):
            estimate = found[value][name]
            assert (curve.y[k], curve.low[k], curve.high[k]) == (estimate.value, estimate.low, estimate.high)
    assert found.frame().num_rows == 3 * 8


@pytest.mark.parametrize(
    ("values", "x", "title"),
    [
        ((1, 2, 4), [1, 2, 4], "max_depth"),
        ((1, 10, 100), [0, 1, 2], "logarithm (base 10) of max_depth"),
        ((2, None), [1, 2], "max_depth (1: 2, 2: None)"),
    ],
)
def test_the_axis_fits_the_values(values, x, title):
    curve = path(values).curves()[0]
    assert curve.x.tolist() == x
    assert curve.x_title == title


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"values": []}, "values of max_depth must be one or more different values, but are"),
        ({"values": 3}, "values must be a list of values to try"),
        ({"values": "gini", "parameter": "criterion"}, "values must be a list of values to try, such as"),
        ({"parameter": 3}, "parameter must be a text, but is 3"),
        ({"values": [1, 1]}, "values of max_depth must be one or more different values, but are"),
        ({"parameter": "depth"}, "no parameter 'depth'.*max_depth"),
        ({"parameter": "max_depth", "values": [-1]}, "Every fit failed"),
        (
            {"parameter": "size", "values": [0]},
            "size must be the number of rows of a training set, or a share of all",
        ),
    ],
)
@pytest.mark.filterwarnings("default")
def test_what_is_refused(how, words):
    with pytest.raises(InputError, match=words):
        path(**how)
    with pytest.raises(InputError, match="max_depth was not set to 7 but to 1, 2"):
        path((1, 2))[7]


def test_every_form_shows_it(tmp_path):
    found = path(loss="squared")
    assert "squared loss is lowest at max_depth" in str(found)
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Over the parameter" in page
    assert "<rect" in page
    assert "max\\_depth" in found.to_latex()
    assert "| max\\_depth | loss, 95% CI |" in found.to_markdown()


def test_json_keeps_to_its_schema():
    read = {
        name: json.loads((DOCS / f"{name}.schema.json").read_text())
        for name in ("decomposition", "decomposition-path")
    }
    registry = Registry().with_resources(
        [("decomposition.schema.json", Resource.from_contents(read["decomposition"]))]
    )
    Draft202012Validator.check_schema(read["decomposition-path"])
    validator = Draft202012Validator(read["decomposition-path"], registry=registry)
    for loss in ("0-1", "log-loss"):
        validator.validate(json.loads(json_text(path(loss=loss).to_dict())))


def test_a_picture_with_matplotlib():
    import matplotlib

    matplotlib.use("Agg")
    assert len(path((1, 2)).plot().get_lines()) == 3
    assert np.isfinite(path((1, 2)).curves()[0].y).all()
