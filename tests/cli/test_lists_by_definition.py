"""Texts of options that hold several names, pairs, costs or numbers; ends of a command; each by its definition."""

import errno
import re
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from classay.cli.failures import (
    EXITS,
    LONGEST_VALUE,
    MOST_CHARACTERS,
    OUR_FAULT,
    OUT_OF_MEMORY,
    _own_end,
    _refused_by_system,
    exit_of,
    one_line,
)
from classay.cli.given import as_names, literal
from classay.cli.lists import (
    bounds_in,
    columns_by_label,
    columns_by_model,
    cost_entries,
    costs_in,
    declared_names,
    in_order,
    label_named,
    labels_in,
    model_of,
    names_in,
    numbers_in,
    pairs_in,
    with_costs,
)
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.inference.requirements import Verdict

NAMES = st.text(alphabet="ab ,=\"':(é", min_size=1, max_size=6).filter(str.strip)


def refused(words, call, *arguments, **named):
    with pytest.raises(InputError) as error:
        call(*arguments, **named)
    assert str(error.value.at_the_command) == words


@given(st.lists(NAMES, min_size=1, max_size=4))
@example(['" '])
@example(["="])
def test_names_come_back_from_the_text_of_them(names):
    assert names_in(as_names(names), "--x") == names


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=3))
@example([("=", '" '), ("a", "=")])
def test_pairs_come_back_from_the_text_of_them(pairs):
    quoted = [tuple('"' + text.replace('"', '""') + '"' for text in pair) for pair in pairs]
    assert pairs_in(",".join(map("=".join, quoted)), "--x", "a=b") == pairs


def test_lists_of_names_have_names():
    assert names_in(None, "--x") == []
    assert names_in(" a ,, b,", "--x") == ["a", "b"]
    for empty in ("", " ", ",", " , "):
        refused("--x is empty. Use a list of names with commas, such as a,b.", names_in, empty, "--x")
    for text in ('a,"b', '"', 'a"b"c"'):
        refused(
            f"--x {text!r} has an open double quote. Put a name that contains a comma between two double quotes.",
            names_in, text, "--x",
        )  # fmt: skip
    for text in ("a", "a=", "=a", "a=b,c", "a=b,", " = "):
        refused(f"--x {text!r} is not valid. Use a=b.", pairs_in, text, "--x", "a=b")
    assert pairs_in("a = b , c=d=e", "--x", "a=b") == [("a", "b"), ("c", "d=e")]


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["fp=1"], None),
        (["x=1"], "--cost 'x=1' is not valid. Use fp=3, fn=amount, tp=-0.8*amount or tn=0, for example."),
        (["fp="], "--cost 'fp=' is not valid. Use fp=3, fn=amount, tp=-0.8*amount or tn=0, for example."),
        (["fp"], "--cost 'fp' is not valid. Use fp=3, fn=amount, tp=-0.8*amount or tn=0, for example."),
        (["FP=1"], "--cost 'FP=1' is not valid. Did you mean fp=1?"),
        (["Review=a"], "--cost 'Review=a' is not valid. Did you mean review=a?"),
        (["fp=1", "fp=2"], "--cost sets fp twice, to 1.0 and to 2.0. Remove one of the two."),
        (["fp=1,fp=a"], "--cost sets fp twice, to 1.0 and to a. Remove one of the two."),
        (["fp=1", "fp=1.0"], None),
        (["fp=nan,fp=nan"], None),
    ],
)
def test_costs_are_named_once_each(texts, words):
    if words is None:
        assert [*cost_entries(texts)] == ["fp"]
    else:
        refused(words, cost_entries, texts)


def test_costs_are_numbers_or_columns():
    entries = cost_entries(["fp=1, fn = amount", 'tp=-0.8*amount,tn="a, b",review=2'])
    assert entries == {"fp": 1.0, "fn": "amount", "tp": "-0.8*amount", "tn": '"a, b"', "review": 2.0}
    refused(
        "Nothing is reviewed here. Remove review= from --cost, or use it in `classay decide`.",
        costs_in,
        ["fp=1,review=1"],
    )
    assert costs_in([]) is None
    found = costs_in(["fp=1", "fn=5"])
    assert (found.fp, found.fn) == (1.0, 5.0)


@pytest.mark.parametrize(
    ("measures", "filled", "named"),
    [
        ("auc", "auc", []),
        ("expected_cost", "expected_cost(1,5)", ["expected_cost"]),
        ("auc,normalised_expected_cost", "auc,normalised_expected_cost(1,5)", ["normalised_expected_cost"]),
        ("expected_cost(2,3), expected_cost", "expected_cost(2,3), expected_cost(1,5)", ["expected_cost"]),
        ("expected_cost (2,3)", "expected_cost (2,3)", []),
        (None, None, []),
    ],
)
def test_costs_are_filled_in_where_a_measure_needs_them(measures, filled, named):
    assert with_costs(measures, Costs(fp=1, fn=5)) == (filled, named)
    assert with_costs(measures, None) == (measures, [])


@pytest.mark.parametrize(
    "costs", [Costs(fp=1, fn=5, tp=1), Costs(fp=1, fn=5, tn=-1), Costs(fp=1, fn="amount")]
)
def test_other_costs_are_refused_by_a_measure_that_takes_two(costs):
    refused(
        "--measures expected_cost needs fp and fn costs that are numbers, but --cost has others. Use --require "
        "'expected_cost <= 1', which accepts all costs.",
        with_costs, "auc,expected_cost", costs,
    )  # fmt: skip
    assert with_costs("auc", costs) == ("auc", [])


@pytest.mark.parametrize(
    ("text", "number", "found"),
    [
        ("0,1", 2, [0.0, 1.0]), (" -1.5, 2e3 ,inf", 3, [-1.5, 2000.0, float("inf")]), ("1", 1, [1.0]),
        ("0", 2, "0,1"), ("0,1,2", 2, "0,1"), ("a,b", 2, "0,1"), ("", 3, "0,1,2"), ("1,", 2, "0,1"),
    ],
)  # fmt: skip
def test_so_many_numbers_stand_in_a_text(text, number, found):
    if isinstance(found, list):
        assert numbers_in(text, "--x", number) == found
    else:
        words = f"--x must be {number} numbers, such as {found}, but is {text!r}."
        refused(words, numbers_in, text, "--x", number)
    if number == 2 and isinstance(found, list):
        assert bounds_in(text) == tuple(found)
    assert bounds_in(None) is None


SHAPE = "LABEL=COLUMN,LABEL=COLUMN, such as cat=p_cat,dog=p_dog"
EACH = f"Use MODEL:{SHAPE}, once for each model of a file."


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ([], {}),
        (["a=x,b=y"], {"": {"a": "x", "b": "y"}}),
        (["m:a=x", " n :a=y"], {"m": {"a": "x"}, "n": {"a": "y"}}),
        (['"m, ""1""":a=x'], {'m, "1"': {"a": "x"}}),
        (["a=x:y"], {"": {"a": "x:y"}}),
        (['"a:b"=x'], {"": {"a:b": "x"}}),
        (["m:a=x", "m:a=y"], f"--class-scores is given twice for model 'm'. {EACH}"),
        (["a=x", "a=y"], f"--class-scores is given twice for a model without a name. {EACH}"),
        (["m:a=x", "a=y"], "--class-scores must name a model each time or never. Use MODEL:{}."),
        (["m:a=x,a=y"], "--class-scores names a label twice (a=x,a=y). Name each label once."),
        (["m:a=x,b=x"], "--class-scores names a column twice (a=x,b=x). Use another column for each label."),
        (["m:a"], "--class-scores 'a' is not valid. Use {}."),
    ],
)  # fmt: skip
def test_columns_of_classes_are_of_a_model_each(texts, found):
    if isinstance(found, dict):
        assert columns_by_model(texts) == found
    else:
        refused(found.format(SHAPE), columns_by_model, texts)


def test_what_columns_are_of_is_named_in_a_refusal():
    assert columns_by_label("a=x", "--tags", "TAG=COLUMN", "tag") == {"a": "x"}
    refused(
        "--tags names a tag twice (a=x,a=y). Name each tag once.",
        columns_by_label,
        "a=x,a=y",
        "--tags",
        "",
        "tag",
    )
    refused(
        "--tags names a column twice (a=x,b=x). Use another column for each tag.",
        columns_by_label, "a=x,b=x", "--tags", "", "tag",
    )  # fmt: skip
    assert [model_of(text) for text in ("m:a=x", "a=m:x", ":a=x", '"a=b":c=d')] == [
        ("m", "a=x"), ("", "a=m:x"), ("", "a=x"), ("a=b", "c=d"),
    ]  # fmt: skip


def test_labels_are_declared_in_one_option():
    assert declared_names(None, None) == []
    assert declared_names("b,a", None) == declared_names(None, "b,a") == ["b", "a"]
    refused(
        "--labels and --order cannot be combined. Remove --labels, because --order names all labels.",
        declared_names, "a", "a",
    )  # fmt: skip


def test_labels_of_columns_are_those_that_occur_once_each_in_their_types():
    assert labels_in([2, 1], None, [3, 2]) == (1, 2, 3)
    assert label_named(None, lambda: 1 / 0) is None
    assert label_named("1", lambda: (0, 1)) == 1


def test_a_column_in_an_order_has_its_labels_in_it():
    column = ["low", "high", None, "mid"]
    assert in_order(column, None) is column
    ordered = in_order(column, "low,mid,high,top")
    assert (ordered.type.ordered, ordered.dictionary.to_pylist()) == (True, ["low", "mid", "high", "top"])
    assert ordered.to_pylist() == column
    with pytest.raises(InputError, match="the target contains labels that are not declared: 'mid'"):
        in_order(column, "low,high")


# --- how a command ends


def test_a_verdict_is_an_exit_code_with_its_meaning():
    assert [exit_of(verdict) for verdict in Verdict] == [
        {"pass": 0, "fail": 1}.get(verdict.value, 3) for verdict in Verdict
    ]
    assert {exit_of(verdict) for verdict in Verdict} | {2, OUR_FAULT, OUT_OF_MEMORY} == {*EXITS}


@pytest.mark.parametrize(
    ("error", "line", "code"),
    [
        (
            MemoryError(),
            "There is not enough memory for this input. Use fewer rows or columns, or a larger machine.",
            71,
        ),
        (
            KeyError("a\n b"),
            "Internal error (KeyError: 'a\\n b'). Please report it with the output of `classay --debug …`.",
            70,
        ),
        (
            ValueError("two\n  lines"),
            "Internal error (ValueError: two lines). Please report it with the output of `classay --debug …`.",
            70,
        ),
    ],
)
def test_what_no_input_explains_is_one_line_and_a_code(error, line, code):
    assert _own_end(error) == (line, code)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OSError(errno.ENOSPC, "No space left"), "The system refused: no space left."),
        (OSError(errno.EACCES, "Permission denied", "a.csv"), "Cannot use a.csv: permission denied."),
        (OSError(errno.EACCES, "Permission denied", b"a.csv"), "Cannot use a.csv: permission denied."),
        (OSError("Strange"), "The system refused: strange."),
    ],
)
def test_what_the_system_refuses_is_told_with_the_file(error, line):
    assert _refused_by_system(error) == line


@pytest.mark.parametrize(
    "size", [LONGEST_VALUE - 3, LONGEST_VALUE - 2, LONGEST_VALUE - 1, LONGEST_VALUE, 200]
)
def test_long_values_are_cut_where_a_line_is_long(size):
    """In quotes or not; the sentence stays whole."""
    advice = "Use another one. " * 20
    for value, most in ((f"'{'x y' * size}"[: size + 1] + "'", LONGEST_VALUE), ("x" * size, LONGEST_VALUE)):
        line = one_line(f"{value} is wrong. {advice}")
        assert line.endswith(f" is wrong. {advice.strip()}")
        shown = line.removesuffix(f" is wrong. {advice.strip()}")
        is_cut = size >= LONGEST_VALUE
        assert (shown == value) is not is_cut
        if is_cut:
            assert len(shown) == most
            assert shown.rstrip("'").endswith("…")
            assert value.startswith(shown.rstrip("'").rstrip("…"))


@pytest.mark.parametrize("size", [MOST_CHARACTERS - 1, MOST_CHARACTERS, MOST_CHARACTERS + 1])
def test_a_short_line_stays_as_it_is(size):
    assert (one_line("x" * size) == "x" * size) is (size <= MOST_CHARACTERS)


@given(st.text(alphabet="ab[]/\\#1 ", max_size=8))
def test_a_text_of_help_has_no_markup(text):
    from rich.text import Text

    if "\\" not in text:
        assert Text.from_markup(literal(text)).plain == text
    assert literal(literal(text)) == literal(text)


def test_a_share_is_a_decimal_of_its_percentage():
    from classay.cli.failures import _number_meant

    for text, number in (("45%", "0.45"), ("12,5 %", "0.125"), ("-3.0%", "-0.03"), ("100%", "1")):
        assert _number_meant(text, is_whole=False) == f"Did you mean {number}?"
        assert Decimal(re.sub("[ %]", "", text).replace(",", ".")) / 100 == Decimal(number)
    assert _number_meant("1,5", is_whole=False) == "Did you mean 1.5?"
    assert _number_meant("x", is_whole=False) == "Use a number such as 0.27"
    assert _number_meant("1,500", is_whole=True) == "Did you mean 1500?"
    assert _number_meant("1.5", is_whole=True) == "Use only digits, such as 10"
