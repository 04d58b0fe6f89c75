"""Options of a wrong kind, in every public function: one line that names them, and never a traceback."""

import inspect
import json
import re
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import classay as ca
from classay.columns.values import typed
from classay.comparison.comparison import Comparison, UnitsTested
from classay.errors import ClassayError, MissingExtraError, told_of_extras
from classay.kinds import KINDS
from classay.measures import macro, per_class
from wing_samples import of_wings

Y, P = [1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]
A = ca.assess(Y, P)
MODELS = {"a": P, "b": P[::-1]}
WRONG = [[0.9], {}, object(), b"x", 1j, np.array([0.1, 0.2]), float("nan"), 10**400, True]

# each with the arguments that make it a call, of which one at a time is replaced
CALLS = {
    "assess": (ca.assess, (Y, P)),
    "assess_by": (ca.assess_by, (Y, P, "ab" * 4)),
    "compare": (ca.compare, (MODELS, Y)),
    "compare_predictions": (ca.compare_predictions, (MODELS, Y)),
    "compare_learners": (ca.compare_learners, ({"a": P, "b": P[::-1]},)),
    "compare_datasets": (ca.compare_datasets, ({"set": Y, "a": P, "b": P[::-1]},)),
    "gate": (ca.gate, (ca.compare(MODELS, Y, measures=["roc_auc"])[0], "superior")),
    "at": (A.at, ()),
    "at_prevalence": (A.at_prevalence, ()),
    "estimate": (A.estimate, ("recall",)),
    "estimates": (A.estimates, ()),
    "to_dict": (A.to_dict, ()),
    "tpr_at": (A.roc.tpr_at, ()),
    "fpr_at": (A.roc.fpr_at, ()),
    "threshold_for": (A.threshold_for, ()),
    "precision_at": (A.precision_recall.precision_at, ()),
    "precision_at_k": (A.gain.precision_at_k, ()),
    "load": (ca.load, ()),
}
for calls in of_wings("KIND_CALLS"):
    CALLS |= calls
ARGUMENTS = [
    (name, argument)
    for name, (function, _) in CALLS.items()
    for argument in inspect.signature(function).parameters
    if {argument, f"{name}.{argument}"} & KINDS.keys()
]


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_wrong_kinds_are_refused_by_name(name, argument):
    function, given = CALLS[name]
    names = list(inspect.signature(function).parameters)
    arguments = dict(zip(names, given, strict=False))
    others = {"half_width": 0.1, "auc": 0.8, "first_only": 0.1, "second_only": 0.05, "rate": 0.1}
    arguments |= {key: value for key, value in others.items() if key in names}
    refused = 0
    for wrong in WRONG:
        try:
            function(**arguments | {argument: wrong})
        except ClassayError as error:
            refused += "\n" not in str(error)
    assert refused >= 4  # a label may be many things, and a list is a list


def test_numbers_of_every_library_are_numbers():
    for half in (Decimal("0.5"), Fraction(1, 2), np.float32(0.5), np.array(0.5), 0.5):
        assert A.at(half).cutoff == 0.5
        assert type(A.at(half).cutoff) is float
        assert ca.assess(Y, P, level=half).level == 0.5
    assert A.roc.tpr_at(specificity=0.9) == A.roc.tpr_at(fpr=0.1)
    assert A.roc.tpr_at(specificity=0.75).value == A.roc.tpr_at(0.25).value


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: A.at(None), "threshold must be a number"),
        (lambda: A.at(float("nan")), "but is nan"),
        (lambda: A.at_prevalence(1e-300), "but is 1e-300"),
        (lambda: ca.assess(Y, P, labels=5), "labels must be a list"),
        (lambda: ca.assess(Y, P, interval=5), "interval must be a text"),
        (lambda: ca.compare(MODELS, Y, measures="auc"), "must be a list of names"),
        (lambda: ca.compare(MODELS, Y, threshold="x"), "threshold must be a number, or a mapping"),
        (lambda: ca.compare_predictions(MODELS, Y, truth=5), "truth must be the name of a column"),
        (lambda: ca.compare(MODELS, Y, rule="superior", margin="x"), "but is 'x'"),
        (A.roc.tpr_at, "Pass either fpr= or specificity="),
        (lambda: A.roc.tpr_at(0.1, specificity=0.9), "Pass either fpr= or specificity="),
        (lambda: A[5], "must be a text"),
        (lambda: A + 5, "5 cannot be added to an assessment. Pass two"),
        (lambda: ca.load(5), "path must be the name of a file"),
        (lambda: ca.gate(5, "superior"), "not 5. Pass the result of `compare`"),
        (lambda: ca.auc_grade("x"), "must be a number from 0 to 1"),
        (lambda: A["recall"] > 0.5, "Use e.value > 0.5"),
        (lambda: A["recall"] <= A["precision"], "Compare a.value with b.value"),
        (lambda: f"{A['recall']:d}", "not a number format"),
        (
            lambda: ca.compare(MODELS, Y, alternative=np.array([1, 2])),
            "alternative must be a text",
        ),
        (lambda: A.one_vs_rest([1]), "label must be one label"),
        (lambda: A.roc.band([0.9]), "kind must be a text"),
        (lambda: macro(5), "macro needs a measure, as in macro"),
        (lambda: per_class("f1"), "per_class needs a measure, as in per_class"),
        (lambda: A.at_prevalence(1 - 1e-10), "at least 1e-9 from both"),
        (lambda: ca.assess(Y, P, level=1e-300), "but is 1e-300"),
        (lambda: ca.compare(MODELS, Y, level=1 - 1e-16), "at least 1e-9 from both"),
    ],
)
def test_what_is_said(call, said):
    with pytest.raises(ClassayError, match=re.escape(said)):
        call()


def test_a_wrong_argument_is_pythons_own_error():
    with pytest.raises(TypeError, match="unexpected keyword argument 'treshold'"):
        ca.assess(Y, P, treshold=0.5)
    for door in (ca.compare, ca.compare_predictions):
        with pytest.raises(
            TypeError, match=r"unexpected keyword argument 'treshold'. Did you mean 'threshold'"
        ):
            door(MODELS, Y, treshold=0.5)


def collecting():
    """Public functions that collect keywords, but for those of judges, with the parameters they need."""
    for name in ca.__all__:
        function = getattr(ca, name)
        if inspect.isfunction(function) and not function.__module__.startswith("classay.judge"):
            parameters = inspect.signature(function).parameters.values()
            if any(each.kind is each.VAR_KEYWORD for each in parameters):
                yield name, [each for each in parameters if each.default is each.empty]


@pytest.mark.parametrize(("name", "needed"), list(collecting()))
def test_no_collected_keyword_is_ignored(name, needed):
    unlike = {"parameter": "size", "relation": "x", "truth": "x", "values": [1]}
    filled = {each.name: unlike.get(each.name, Y) for each in needed if each.kind is not each.VAR_KEYWORD}
    for unknown in ("weights", "clusters"):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{unknown}'"):
            getattr(ca, name)(**filled, **{unknown: Y})


def test_formats_and_names():
    e = ca.Estimate(0.8731, 0.8612, 0.8844, 0.95, "Wilson")
    assert (f"{e:.2f}", f"{e}") == ("0.87 [0.86, 0.88]", str(e))
    assert f"{ca.Estimate.undefined('no case'):.2f}" == "undefined"
    assert {*ca.__all__} <= {*dir(ca)}
    for name in ca.__all__:
        assert getattr(ca, name) is not None
    assert len(repr(A.document())) < 200


@pytest.mark.parametrize("made", ["assessment", "comparisons", "slices"])
def test_a_notebook_gets_a_fragment_that_styles_itself_alone(made):
    found = {
        "assessment": lambda: A,
        "comparisons": lambda: ca.compare({"<b>&": P, "old": P[::-1]}, Y),
        "slices": lambda: ca.assess_by(Y, P, by=["n", "s"] * 4),
    }[made]()
    fragment = found._repr_html_()
    for part in ("<html", "<head>", "<script", ":root", "<b>&"):
        assert part not in fragment
    assert fragment.startswith('<form class="classay-card"')
    assert len(fragment) < 100_000


FAR = [5e-324, 1e-300, 1e-170, 1e170, 1e300, 1e308]
ROWS = {
    "two classes": ([0, 1] * 10, [i % 7 / 7 for i in range(20)]),
    "one row": ([0], [0.0]),
    "three classes": ([0, 1, 2] * 3, np.eye(3)[[0, 1, 2, 1, 1, 2, 0, 0, 2]]),
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("scale", FAR)
def test_the_scale_of_weights_means_nothing_however_far(rows, scale):
    y, p = rows
    labels = [0, 1, 2] if np.ndim(p) == 2 else [0, 1]
    made = [ca.assess(y, p, labels=labels, weight=[each] * len(y)) for each in (1.0, scale)]
    expected, found = (a.estimates() for a in made)
    for name, each in expected.items():
        assert (found[name].method, found[name].reason) == (each.method, each.reason)
        limits = [[one.value, one.low, one.high] for one in (found[name], each)]
        # of several equally good thresholds rounding chooses one, and with it the interval
        which = slice(1) if name in ("max_f1", "kolmogorov_smirnov", "area_under_prg") else slice(3)
        np.testing.assert_allclose(limits[0][which], limits[1][which], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scale", FAR)
def test_weights_that_no_sum_tells_apart_are_refused(scale):
    """Their squares vanish or overflow beside each other: divisions by zero, and NaN without a reason."""
    with pytest.raises(ClassayError, match="too wide a range"):
        ca.assess(*ROWS["two classes"], weight=[scale, 1.0] * 10)
    assert ca.assess(*ROWS["two classes"], weight=[2.0**-52, 1.0] * 10)["roc_auc"].value >= 0


@pytest.mark.parametrize(
    "labels",
    [(1.5, 2.5), ((1, 2), (1, 3)), (b"a", b"b"), (2**70, 3), ("\ud800", "a"), (0, 2**63), ("nan", "inf")],
)
def test_to_dict_is_strict_json_with_odd_labels(labels):
    y = [labels[each] for each in Y]
    found = ca.assess(y, P, positive=labels[1]), ca.compare(MODELS, y, positive=labels[1])
    for each in found:
        plain = each.to_dict()
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain


@pytest.mark.parametrize("prevalence", [1e-9, 1e-8, 1 - 1e-8, 1 - 1e-9])
def test_a_prevalence_near_its_ends_gives_intervals_around_their_values(prevalence):
    for estimate in A.at_prevalence(prevalence).estimates().values():
        assert estimate.reason or estimate.low <= estimate.value <= estimate.high


@pytest.mark.parametrize("scale", [0.1, 3.0, 1e-7])
def test_conditions_on_effective_cases_do_not_depend_on_the_scale_of_weights(scale):
    """Ten cases of weight 0.1 were "under 10 negatives", and their intervals of another method or absent."""
    for name, (y, p) in ROWS.items():
        labels = [0, 1, 2] if np.ndim(p) == 2 else [0, 1]
        expected, found = (
            ca.assess(y, p, labels=labels, weight=[w] * len(y)).estimates() for w in (1.0, scale)
        )
        for measure in expected:
            assert found[measure].method == expected[measure].method, (name, measure)
            assert found[measure].reason == expected[measure].reason, (name, measure)


def test_an_error_quotes_any_name_on_one_line():
    for text in ("a\x1b[2J", "a\nb\r", "\u202eabc", "x" * 10**6):
        with pytest.raises(ClassayError) as refused:
            A[text]
        assert str(refused.value).isprintable()
        assert len(str(refused.value)) <= 1000


def test_one_weighted_row_of_three_classes_shows_no_spread():
    a = ca.assess([0], [[0.2, 0.3, 0.5]], labels=[0, 1, 2], weight=[2.0])
    assert a["top_2_accuracy"].reason == "determined by one case, which shows no variation"
    for estimate in a.estimates().values():
        assert estimate.reason or estimate.low <= estimate.value <= estimate.high


def test_labels_of_hundreds_of_digits_stay_text():
    assert typed(["9" * 400, "1"]) == ["9" * 400, "1"]


def test_a_sample_size_beyond_reach_is_not_named():
    effect = ca.Estimate(1e-300, -0.1, 0.1, level=0.95, method="DeLong")
    found = Comparison(
        ("new", "old"), "roc_auc", effect, 0.9, method="z", random="test cases", sample=UnitsTested(n=100)
    )
    assert "About" not in ca.gate(found, "superior").sentence


@pytest.mark.parametrize("truth", [[0, 0, 0], [1, 1, 1]])
def test_average_precision_of_clusters_of_one_class_is_undefined_with_a_reason(truth):
    models = {"new": [0.0, 0.5, 0.5], "old": [0.0, 0.0, 0.5]}
    found = ca.compare(models, truth, labels=[0, 1], measures=["average_precision"], cluster=list("aec"))[0]
    assert found.reason or (found.effect is not None and found.effect.reason)


@pytest.mark.parametrize("level", [1e-9, 1 - 1e-9])
@pytest.mark.parametrize(
    "more", [{}, {"cluster": [1, 1, 2, 2, 3, 3, 4, 4]}, {"weight": [1, 2, 1, 2, 1, 2, 1, 3]}]
)
@pytest.mark.filterwarnings("error")
def test_the_widest_and_the_narrowest_level_keep_low_below_value_below_high(level, more):
    a = ca.assess(Y, P, level=level, **more)
    for measure in a.applicable():
        found = a[measure.name]
        if found.has_interval:
            assert found.low <= found.value <= found.high, measure.name
        else:
            assert found.reason, measure.name


@pytest.mark.filterwarnings("error")
def test_scores_whose_reach_or_sum_is_beyond_floating_point_numbers():
    huge = ca.assess([0, 1, 0, 1], [-1e308, 1e308, 0.0, 1.5e308])
    positive, negative = huge.curve("histogram").curves
    assert float(positive.y.sum()) == float(negative.y.sum()) == 1
    assert np.isfinite(positive.x).all()
    several = ca.assess(
        [0, 1, 2], [[-1e308, 0.9, -1e308], [1, 0, 0], [1e308, 1e308, 1e308]], labels=[0, 1, 2]
    )
    assert "raw class scores" in several["log_loss"].reason
    assert several["accuracy"].value == 0  # each highest score, of ties the first, is of another class


def test_what_an_installed_library_lacks_is_no_missing_extra(monkeypatch):
    """A part of one that is there, in the wrong version or misspelt, is not brought by an extra."""
    with pytest.raises(ModuleNotFoundError, match="scipy_of_nobody"), told_of_extras("assess of this"):
        __import__("scipy_of_nobody")
    pytest.importorskip("sklearn")
    with pytest.raises(ModuleNotFoundError) as told, told_of_extras("assess of this"):
        __import__("sklearn.of_nobody")
    assert not isinstance(told.value, MissingExtraError)
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(MissingExtraError, match=r"classay\[mlflow\]"), told_of_extras("assess of this"):
        __import__("mlflow")


@pytest.mark.parametrize(
    ("given", "told"), [({"y_pred": Y}, "missing 1 .* 'by'"), ({"bye": Y}, "Did you mean 'by'")]
)
def test_what_is_passed_on_is_not_taken_for_what_is_misspelt(given, told):
    """`y_pred`, near to `y_true`, which is given."""
    with pytest.raises(TypeError, match=told):
        ca.assess_by(Y, **given)
