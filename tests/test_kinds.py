"""Options of a wrong kind, in every public function: one line that names them, and never a traceback."""

import inspect
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import classay as ca
from classay.errors import ClassayError
from classay.inference import sample_size
from classay.kinds import KINDS

Y, P = [1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]
A = ca.assess(Y, P)
MODELS = {"a": P, "b": P[::-1]}
WRONG = [[0.9], {}, object(), b"x", 1j, np.array([0.1, 0.2]), float("nan"), 10**400, True]

# each with the arguments that make it a call, of which one at a time is replaced
CALLS = {
    "assess": (ca.assess, (Y, P)),
    "assess_by": (ca.assess_by, (Y, P, "ab" * 4)),
    "compare": (ca.compare, (MODELS, Y)),
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
    "for_proportion": (sample_size.for_proportion, ()),
    "for_auc": (sample_size.for_auc, ()),
    "for_mcnemar": (sample_size.for_mcnemar, ()),
    "for_no_failures": (sample_size.for_no_failures, ()),
}
ARGUMENTS = [
    (name, argument)
    for name, (function, _) in CALLS.items()
    for argument in inspect.signature(function).parameters
    if argument in KINDS
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
        assert A.at(half).threshold == 0.5
        assert type(A.at(half).threshold) is float
        assert ca.assess(Y, P, level=half).level == 0.5
    assert A.roc.tpr_at(specificity=0.9) == A.roc.tpr_at(fpr=0.1)
    assert A.roc.tpr_at(specificity=0.75).value == A.roc.tpr_at(0.25).value


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: A.at(None), "threshold is None: pass a number"),
        (lambda: A.at(float("nan")), "threshold is nan"),
        (lambda: A.at_prevalence(1e-300), "prevalence is 1e-300"),
        (lambda: ca.assess(Y, P, labels=5), "labels is 5: pass a list"),
        (lambda: ca.assess(Y, P, interval=5), "interval is 5"),
        (lambda: ca.compare(MODELS, Y, measures="auc"), "pass a list of names"),
        (lambda: ca.compare(MODELS, Y, rule="superior", margin="x"), "margin is 'x'"),
        (A.roc.tpr_at, "pass either fpr= or specificity="),
        (lambda: A.roc.tpr_at(0.1, specificity=0.9), "pass either fpr= or specificity="),
        (lambda: A[5], "pass a text"),
        (lambda: A + 5, "pass two assessments"),
        (lambda: ca.load(5), "path is 5"),
        (lambda: ca.gate(5, "superior"), "pass what `compare` returns"),
        (lambda: ca.auc_grade("x"), "pass a number from 0 to 1"),
        (lambda: A["recall"] > 0.5, "write e.value > 0.5"),
        (lambda: A["recall"] <= A["precision"], "compare a.value with b.value"),
        (lambda: f"{A['recall']:d}", "no format of a number"),
        (lambda: sample_size.for_mcnemar(float("nan"), 0.1), "first_only is nan"),
        (lambda: sample_size.for_mcnemar(0.1, 0.05, 0.01), "power is 0.01"),
        (lambda: sample_size.for_no_failures(1e-300), "more than"),
    ],
)
def test_what_is_said(call, said):
    with pytest.raises(ClassayError, match=re.escape(said)):
        call()


def test_a_wrong_argument_is_pythons_own_error():
    with pytest.raises(TypeError, match="unexpected keyword argument 'treshold'"):
        ca.assess(Y, P, treshold=0.5)


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
    assert fragment.startswith('<div class="classay"')
    assert len(fragment) < 100_000
