"""Models compared with one reader: what is counted, drawn and named, option by option, and limits at their boundary."""

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.readers import comparing_readers, variances
from command import as_json, call, json_of
from documented import other_defaults
from readers.test_readers import NAMES, readings

RNG = np.random.default_rng(3)
Y = np.arange(120) % 3 == 0
SCORES = {name: (RNG.normal(size=120) + Y).round(2) for name in ("a", "b")}
READER = np.where(RNG.random(120) < 0.8, Y, ~Y)
PATIENT = np.arange(120) // 2


def compared(**options):
    return ca.compare_reader(SCORES, Y, READER, **options)


def test_units_methods_and_levels():
    for cluster, number, units, kind in (
        (None, 120, "cases", "bootstrap"),
        (PATIENT, 60, "clusters", "cluster bootstrap"),
    ):
        for level in (0.95, 0.8):
            for one in compared(cluster=cluster, level=level):
                assert (one.sample.n, one.sample.units) == (number, units)
                assert one.effect.method == f"percentile, paired {kind} of 2,000"
                assert one.method == f"paired {kind} tail"
                assert (one.effect.level, one.criterion.level) == (level, level)
                assert one.effect.value == pytest.approx(one.values[0] - one.values[1])
                assert one.values[1] == pytest.approx(READER[Y].mean())


def test_seeds_adjustment_names_and_defaults():
    plain = compared()
    named = compared(name="reader", seed=0, level=0.95, adjustment="holm", alternative="two-sided")
    assert plain.to_dict() == named.to_dict()
    other = compared(seed=1)
    assert [one.values for one in other] == [one.values for one in plain]
    assert [one.effect.low for one in other] != [one.effect.low for one in plain]
    assert [one.models for one in compared(name="Ann")] == [("a", "Ann"), ("b", "Ann")]
    p = np.array([one.p for one in plain])
    found = [one.p_adjusted for one in compared(adjustment="bonferroni")]
    assert found == pytest.approx(np.minimum(2 * p, 1))


@pytest.mark.parametrize("words", [("yes", "no"), ("ill", "well")])
def test_labels_of_a_reader_in_other_words(words):
    said = np.where(READER, *words)
    found = ca.compare_reader(SCORES, Y, said, reader_positive=words[0])
    assert [one.effect for one in found] == [one.effect for one in compared()]
    with pytest.raises(
        ca.InputError, match=rf"The labels of reader are '{min(words)}', '{max(words)}', but the true"
    ) as error:
        ca.compare_reader(SCORES, Y, said)
    assert f"reader_positive={max(words)!r}" in str(error.value)
    with pytest.raises(ca.InputError, match="'maybe'"):
        ca.compare_reader(SCORES, Y, said, reader_positive="maybe")


def test_the_command_has_the_options_of_the_call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"y": Y * 1, **SCORES, "said": READER * 1, "patient": PATIENT})
    frame.to_csv("f.csv", index=False)
    options = [
        ((), {}),
        (("--level", "0.8"), {"level": 0.8}),
        (("--seed", "2"), {"seed": 2}),
        (("--alternative", "greater"), {"alternative": "greater"}),
        (("--adjustment", "bonferroni"), {"adjustment": "bonferroni"}),
        (("--cluster", "patient"), {"cluster": PATIENT}),
    ]
    for words, given in options:
        done = json_of("compare", "f.csv", "--truth", "y", "--scores", "a,b", "--reader", "said", *words)
        expected = as_json(compared(name="said", **given))
        assert done["comparisons"] == expected["comparisons"], words
    frame.to_csv("g.csv", index=False)
    done = call("compare", "f.csv", "g.csv", "--truth", "y", "--scores", "a", "--reader", "said")
    assert done.exit_code == 2
    assert "Use one file with both" in " ".join(done.stderr.split())
    for names in ("said,y", "said,y,a"):
        done = call("compare", "f.csv", "--truth", "y", "--scores", "a", "--reader", names)
        text = " ".join(done.stderr.split())
        assert f"--reader has {names.count(',') + 1} columns" in text
        assert "Use one call for each reader, `--reader said` and `--reader y`. To compare" in text


def test_labels_of_a_reader_in_a_file_are_text_as_it_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = np.where(READER, "01", "00")
    pd.DataFrame({"y": Y * 1, **SCORES, "said": said}).to_csv("f.csv", index=False)
    words = "compare f.csv --truth y --scores a,b --reader said --reader-positive 01"
    assert json_of(*words.split())["comparisons"] == as_json(compared(name="said"))["comparisons"]


def test_one_shot_checks_up_to_a_number_of_triples(monkeypatch):
    """Readers times positive times negative cases."""
    frame = readings(readers=3, cases=20)
    triples = 3 * 7 * 13
    for limit, has in ((triples, True), (triples - 1, False)):
        monkeypatch.setattr(comparing_readers, "MOST_TRIPLES", limit)
        assert bool(ca.compare_readers(frame, **NAMES, score="score")["roc_auc"].one_shot) == has


def test_triples_are_counted_alike_in_any_blocks(monkeypatch):
    """Also where the readings of one positive case are more than a block."""
    frame = readings(readers=3, cases=20)
    whole = ca.compare_readers(frame, **NAMES, score="score")["roc_auc"].one_shot
    for block in (1, 3 * 13 - 1, 3 * 13 * 2 + 1):
        monkeypatch.setattr(variances, "BLOCK", block)
        found = ca.compare_readers(frame, **NAMES, score="score")["roc_auc"].one_shot
        assert repr(found) == repr(whole)


@pytest.mark.parametrize("ill", [2, 3, 4])
def test_two_modalities_tested_together_are_the_pair(ill):
    """Of fixed readers; three cases of the rarer class are needed for the joint test, as for models."""
    frame = readings(cases=20).assign(ill=lambda rows: rows["case"] < ill)
    found = ca.compare_readers(frame, **NAMES, score="score", fixed="readers")["roc_auc"]
    joint = found.overall
    if ill == 2:
        assert np.isnan(joint.p)
        assert joint.reason.startswith("fewer than 3 cases are of the rarer class")
    else:
        assert joint.p == pytest.approx(found.comparisons[0].p)


@pytest.mark.parametrize(("ill", "is_compared"), [(1, False), (2, True)])
def test_two_cases_of_each_class_are_enough(ill, is_compared):
    frame = readings(cases=20).assign(ill=lambda rows: rows["case"] < ill)
    for turned in (False, True):
        given = frame.assign(ill=frame["ill"] ^ turned)
        found = ca.compare_readers(given, **NAMES, score="score", prediction="label")
        kinds = {"roc_auc": is_compared, "specificity" if turned else "recall": is_compared}
        for name, one in found.measures.items():
            assert all(reading.is_compared == kinds.get(name, True) for reading in one.readings), name
        out = [warning.text for warning in found.warnings if warning.code == "readers_left_out"]
        assert len(out) == (0 if is_compared else 2)


def test_groups_without_readings_are_named():
    """With fixed readers each of whom reads in one modality, the modality without a value is named."""
    frame = readings(readers=4)
    own = frame[(frame["modality"] == "a") == frame["reader"].isin(["r0", "r1"])]
    few = own[~((own["modality"] == "b") & own["ill"])]
    one = ca.compare_readers(few, **NAMES, score="score", fixed="readers")["roc_auc"].comparisons[0]
    assert one.reason == "no reader read two cases of each class in b"
    few = own[~own["ill"]]
    one = ca.compare_readers(few, **NAMES, score="score", fixed="readers", positive=True)
    assert one["roc_auc"].comparisons[0].reason == "no reader read two cases of each class"


def test_calls_have_the_defaults_of_their_docstrings():
    assert other_defaults(ca.compare_reader, ca.compare_readers) == {}
