"""One grammar of names: what `get` reads, requirements and lists read alike, whatever stands in it."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classay.cli.outputs import listed_names
from classay.errors import ClassayError, InputError, UnknownMeasureError
from classay.inference.requirements import parse
from classay.measures import ALIASES, FAMILIES, MEASURES, f1, get, recall
from classay.measures.registry import FAMILY_ALIASES

LABEL = st.text(st.sampled_from("ab3 .,=()[]<>\"\\\n'é") | st.characters(codec="utf-8"), min_size=1)


def held(name):
    """The measure that a name stands for through each door; all must agree."""
    (low,) = parse(f"{name}.low >= 0.5")
    (value,) = parse(f"  {name} < -1e-3 ")
    assert (low.part, value.part, low.name, value.name) == ("low", "value", name.strip(), name.strip()), name
    listed = listed_names(f"auc, {name} ,recall")
    joined = [each.name for each in parse(f"{name} > 0 and {name}.high <= 1")]
    found = {*map(get, [name, low.name, *joined, listed[1]])}
    assert (len(listed), len(joined), len(found)) == (3, 2, 1), name
    return found.pop()


def test_every_door_reads_every_name():
    names = {*MEASURES, *ALIASES, "f0.5", "F-beta( 0.5 )", "ROC AUC", "ece()", "f_beta(beta=3.5)"} - {
        *FAMILIES
    }
    read = {name: held(name).name for name in names}
    assert read == {name: get(get(name).name).name for name in names}


@given(label=LABEL, other=LABEL)
def test_every_door_reads_every_label(label, other):
    for made in (FAMILIES["f1_over"](label, other), recall[label], get("f_beta(3)")[other]):
        assert held(made.name) is made
    assert get(FAMILIES["f1_over"](label, other).name).parameters["labels"] == (label, other)
    assert recall[label].label == label


@given(text=st.text(st.sampled_from('af1_.,=()[]<>" \\') | st.characters(codec="utf-8"), max_size=12))
def test_whatever_is_written_is_read_or_refused(text):
    for read in (get, parse, listed_names):
        with suppress(ClassayError):
            read(text)


@pytest.mark.parametrize(
    "text", ["recall[cat >= 0.8", "recall[cat]low >= 0.8", "[cat] >= 0.8", "f1(a >= 3", "recall and f1 > 0"]
)
def test_requirements_that_are_not_understood(text):
    with pytest.raises(InputError, match="cannot be read"):
        parse(text)


def test_a_label_with_parentheses_is_no_call():
    assert get('f1_over("a (b)", c (d))').parameters["labels"] == ("a (b)", "c (d)")
    assert get("f1_over(a, c)").formula.endswith(f1.formula)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("eer", "equal_error_rate"),
        ("MRR", "mean_reciprocal_rank"),
        ("rps", "ranked_probability_score"),
        ("nb", r"net_benefit\(THRESHOLD\)"),
        ("f_beta(beta=3, 4)", r"f_beta\(BETA\)"),
    ],
)
def test_initials_and_wrong_calls_lead_to_their_family(name, hint):
    with pytest.raises(UnknownMeasureError, match=f"Did you mean '{hint}'"):
        get(name)


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("pod", "recall"),
        ("Peirce", "informedness"),
        ("HSS", "cohen_kappa"),
        ("heidke", "cohen_kappa"),
        ("emax", "calibration_error_max"),
        ("Scott's pi".replace("'", ""), "scott_pi"),
        ("normalized_expected_cost(2, 5)", "normalised_expected_cost(2, 5)"),
    ],
)
def test_peers_names_are_known(name, of):
    assert get(name).name == of


@pytest.mark.parametrize(
    ("name", "readings"),
    [
        ("far", ("false_discovery_rate", "false_positive_rate")),
        ("FAR", ("forecasting", "biometrics")),
        ("detection_rate", ("recall", "recall times prevalence")),
        ("macro_g_mean", ("multiclass_g_mean",)),
    ],
)
def test_names_of_two_meanings_are_refused_with_both(name, readings):
    with pytest.raises(UnknownMeasureError) as refused:
        get(name)
    assert all(each in str(refused.value) for each in readings)


def test_other_names_of_families_lead_to_families():
    assert {*FAMILY_ALIASES.values()} <= {*FAMILIES}
    assert not {*FAMILY_ALIASES} & ({*FAMILIES} | {*MEASURES} | {*ALIASES})
