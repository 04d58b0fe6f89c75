"""Folds that are rows of a file: against published numbers, the same folds as arrays, and by laws."""

import json

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from classay.resampling.compare_datasets import hierarchical
from classay.resampling.fold_tests import fold_differences
from command import call, typed
from published import ORACLES

TEN = ORACLES["paired_t_10fold"]
RNG = np.random.default_rng(7)
SETS = {
    name: {model: RNG.normal(mean, 0.02, (2, 5)) for model, mean in (("a", 0.84), ("b", 0.8), ("c", 0.8))}
    for name in ("iris", "wine", "glass", "heart")
}
NAMED = {"model": "model", "value": "accuracy", "fold": "fold"}


def long(sets):
    rows = [
        {"set": name, "model": model, "repeat": int(repeat), "fold": int(fold) + 1, "accuracy": float(value)}
        for name, models in sets.items()
        for model, values in models.items()
        for (repeat, fold), value in np.ndenumerate(np.atleast_2d(values))
    ]
    return {key: [row[key] for row in rows] for key in rows[0]}


OF_TEN = long({"one": {"A": TEN["A"], "B": TEN["B"]}})
OF_SETS = long(SETS)


def write(columns, file):
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    file.write_text("\n".join([",".join(columns), *rows]) + "\n")


def run(file, *arguments):
    done = call("compare", file, *arguments, "--model", "model", "--value", "accuracy", "--fold", "fold")
    return done.exit_code, done.stdout, done.stderr


def test_one_data_set_against_the_published_tests(tmp_path):
    write(OF_TEN, tmp_path / "ten.csv")
    code, shown, said = run(tmp_path / "ten.csv", "--method", "nadeau-bengio-t", "--json", "-")
    assert (code, said) == (0, "")
    (one,) = json.loads(shown)["comparisons"]
    assert one["p"] == pytest.approx(TEN["p_NB"])
    assert (one["low"], one["high"]) == pytest.approx(tuple(TEN["ci_NB"]))
    of_bayes = ca.compare(OF_TEN, **NAMED, rope=0.01)[0].odds
    baycomp = ORACLES["bayes_corr_t_rope0.01"]
    published = ca.compare(OF_TEN, **NAMED, rope=0.01, method="corani-benavoli")[0].odds
    assert published.first == pytest.approx(baycomp["p_A_better"])
    assert of_bayes.first == pytest.approx(
        ca.compare({"A": TEN["A"], "B": TEN["B"]}, test_over_train=1 / 9, rope=0.01)[0].odds.first
    )


@pytest.mark.parametrize("ratio", [None, 0.5])
def test_repeated_folds_are_those_of_arrays(ratio):
    one = {"iris": SETS["iris"]}
    of_rows = ca.compare(long(one), **NAMED, run="repeat", test_over_train=ratio)
    of_arrays = ca.compare(one["iris"], measures=["accuracy"], test_over_train=ratio or 1 / 4)
    assert [row.to_dict() for row in of_rows] == [row.to_dict() for row in of_arrays]
    named = ca.compare(long(one), dataset="set", **NAMED, run="repeat", test_over_train=ratio)
    assert named[0].p == of_rows[0].p


def test_the_hierarchical_test_of_a_file(tmp_path):
    write(OF_SETS, tmp_path / "sets.csv")
    more = typed("--dataset set --run repeat --rope 0.01 --method hierarchical --json -")
    code, shown, said = run(tmp_path / "sets.csv", *more)
    assert (code, said) == (0, "")
    rows = json.loads(shown)["comparisons"]
    direct = ca.compare(OF_SETS, dataset="set", **NAMED, run="repeat", rope=0.01)
    for one, pair in zip(direct, ("ab", "ac", "bc"), strict=True):
        folds = [
            fold_differences(
                of[pair[0]], of[pair[1]], test_over_train=1 / 4, models=tuple(pair), measure="accuracy"
            )
            for of in SETS.values()
        ]
        assert one.odds == hierarchical(folds, rope=0.01).odds
    assert [(row["first"], row["second"]) for row in rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [row["low"] for row in rows] == [one.effect.low for one in direct]
    assert [row["sentence"] for row in rows] == [one.sentence for one in direct]


def test_other_tests_take_the_means_of_folds():
    means = {"set": [*SETS], **{m: [of[m].mean() for of in SETS.values()] for m in "abc"}}
    of_folds = ca.compare(OF_SETS, dataset="set", **NAMED, run="repeat")
    of_means = ca.compare(means, dataset="set", better="higher")
    assert [one.p for one in of_folds] == [one.p for one in of_means]
    assert of_folds[0].effect.value == pytest.approx(of_means[0].effect.value)
    assert dict(of_folds.facts)["values of folds"] == "10, averaged"
    assert "runs" not in dict(of_folds.facts)


def test_the_order_of_rows_does_not_matter():
    order = RNG.permutation(len(OF_SETS["set"]))
    shuffled = {name: [column[k] for k in order] for name, column in OF_SETS.items()}
    one, other = (
        {one.models: one for one in ca.compare(each, dataset="set", **NAMED, run="repeat", rope=0.01)}
        for each in (OF_SETS, shuffled)
    )
    for models, comparison in one.items():
        if models in other:
            assert other[models].odds.first == pytest.approx(comparison.odds.first)
        else:
            assert other[models[::-1]].odds.second == pytest.approx(comparison.odds.first)


REFUSED = {
    "two values": (OF_SETS, {"dataset": "set"}, "has two values. Name the column of repeats"),
    "no value": (
        {name: column[:-1] for name, column in OF_SETS.items()},
        {"dataset": "set", "run": "repeat"},
        "Model 'c' in fold 5 of repeat 1 of data set 'heart' has no value.",
    ),
    "no direction": (
        OF_SETS | {"x": OF_SETS["accuracy"]},
        {"dataset": "set", "run": "repeat", "value": "x"},
        "direction of 'x'",
    ),
    "no model": (OF_TEN, {"model": None}, "A comparison of folds needs the column of models."),
    "no rows": ({name: [] for name in OF_TEN}, {"dataset": "set"}, "Column 'model' has no model"),
    "an undefined value": (
        OF_SETS | {"accuracy": [np.nan, *OF_SETS["accuracy"][1:]]},
        {"dataset": "set", "run": "repeat"},
        "1 value is not defined or infinite, for example 'a' on 'iris'.",
    ),
    "no name": (OF_TEN, {"fold": 3}, "fold must be the name of a column"),
    "one fold": (
        {name: [column[0], column[10]] for name, column in OF_TEN.items()},
        {},
        "Cross-validation needs at least two folds.",
    ),
    "one model": (
        {name: column[:10] for name, column in OF_TEN.items()},
        {},
        "Column 'model' has only the model 'A'. Use values of two or more models.",
    ),
    "values of text": (
        OF_TEN | {"accuracy": ["x", *OF_TEN["accuracy"][1:]]},
        {},
        "Column 'accuracy' is not numeric. Use a column of numbers as values.",
    ),
    **{
        f"a row without its {name}": (
            OF_SETS | {name: [missing, *OF_SETS[name][1:]]},
            {"dataset": "set", "run": "repeat"},
            f"Column '{name}' has missing values in 1 of the rows.",
        )
        for name in ("set", "model", "repeat", "fold")
        for missing in (None, float("nan"))
    },
    "two data sets": (
        {
            name: [x for x, of in zip(column, OF_SETS["set"], strict=True) if of in ("iris", "wine")]
            for name, column in OF_SETS.items()
        },
        {"dataset": "set", "run": "repeat", "rope": 0.01},
        "at least 3 data sets, but there are 2",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    frame, columns, words = REFUSED[name]
    with pytest.raises(InputError) as error:
        ca.compare(frame, **(NAMED | columns))
    assert words in str(error.value)


def test_a_ratio_without_folds_is_refused():
    means = {"set": ["iris", "wine"] * 2, "model": ["a", "a", "b", "b"], "accuracy": [0.8, 0.9, 0.7, 0.8]}
    with pytest.raises(InputError, match="test_over_train= needs the column of folds"):
        ca.compare_datasets(
            means, dataset="set", model="model", value="accuracy", better="higher", test_over_train=0.25
        )
