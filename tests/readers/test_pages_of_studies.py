"""What frames, JSON, pages, facts and warnings of a study of readers say, against its numbers; its refusals."""

from math import isnan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.comparison.comparison import decisive_p
from classay.inference.estimate import heading, p_equation, title
from classay.readers.reader_study import RANDOM
from classay.report.document import Bar, Count, Difference, EstimateCell, MethodCell, PValue, Words
from command import as_json, json_of, refusal
from readers.test_readers import NAMES, readings
from readers.test_studies_by_definition import CLASSES, STUDIED, rows_of, study_of

BOTH = ("value", "low", "high", "level", "method", "reason")


def shown(value):
    """A number or None, with None for NaN and infinity."""
    return None if value is None or not np.isfinite(value) else pytest.approx(value)


def check_frame(design, fixed):
    """A row for each reading, mean, difference and agreement, in this order by measure, with all its numbers."""
    study, expected = study_of(design, fixed), []
    for name, one in study.measures.items():
        for reading in one.readings:
            named = ("reading", name, reading.modality, None, reading.reader, reading.cases)
            expected.append((named, reading.estimate, None))
        expected += [
            (("mean", name, modality, None, None, None), mean, None) for modality, mean in one.means.items()
        ]
        expected += [
            (("difference", name, *pair.models, None, None), pair.effect, pair) for pair in one.comparisons
        ]
    expected += [
        (("agreement", one.method, one.modality, None, None, one.cases), one.estimate, None)
        for one in study.agreement
    ]
    rows = study.frame().to_pylist()
    assert len(rows) == len(expected)
    for row, (named, estimate, pair) in zip(rows, expected, strict=True):
        assert tuple(row[key] for key in ("what", "measure", "modality", "less", "reader", "cases")) == named
        found = {key: None if value != value else value for key, value in row.items()}
        assert [found[key] for key in BOTH[:4]] == [shown(getattr(estimate, key)) for key in BOTH[:4]]
        assert [found[key] or "" for key in BOTH[4:]] == [getattr(estimate, key) or "" for key in BOTH[4:]]
        assert found.get("p") == (None if pair is None else shown(pair.p))
        assert found.get("p_adjusted") == (None if pair is None else shown(pair.p_adjusted))


def check_json(design, fixed):  # noqa: C901 - a key a line
    study = study_of(design, fixed)
    found = as_json(study)
    for key in ("cases", "fixed", "random", "level", "adjustment", "sentence", "positive"):
        assert found[key] == getattr(study, key), key
    assert [*found["readers"], *found["modalities"]] == [*study.readers, *study.modalities]
    assert found["random"] == RANDOM[fixed]
    assert [each["code"] for each in found["warnings"]] == [warning.code for warning in study.warnings]

    def is_same(written, estimate):
        assert [written[key] for key in ("value", "low", "high")] == [
            shown(getattr(estimate, key)) for key in ("value", "low", "high")
        ]

    assert [*found["measures"]] == [*CLASSES]
    for name, one in study.measures.items():
        written = found["measures"][name]
        for row, reading in zip(written["readings"], one.readings, strict=True):
            assert (row["modality"], row["reader"], row["cases"], row["compared"]) == (
                reading.modality,
                reading.reader,
                reading.cases,
                reading.is_compared,
            )
            is_same(row["estimate"], reading.estimate)
        for modality, mean in one.means.items():
            is_same(written["means"][modality], mean)
        for row, pair in zip(written["differences"], one.comparisons, strict=True):
            assert (row["first"], row["second"], row["test"]) == (*pair.models, pair.method)
            is_same(row["difference"], pair.effect)
            expected = [pair.statistic, pair.df, pair.p, pair.p_adjusted]
            assert [row[key] for key in ("statistic", "degrees_of_freedom", "p", "p_adjusted")] == [
                *map(shown, expected)
            ]
        if one.overall is None:
            assert written["overall"] is None
        else:
            assert written["overall"] == {
                "f": shown(one.overall.statistic),
                "p": shown(one.overall.p),
                "test": one.overall.method,
            }
        if one.variances is None:
            assert written["variances"] is None
        else:
            assert list(written["variances"].values()) == [
                shown(value) for value in (*one.variances.components, *one.variances.mean_squares)
            ]
        assert [[row["first"], row["second"]] for row in written["one_shot"]] == [
            [*each.models] for each in one.one_shot
        ]
        for row, check in zip(written["one_shot"], one.one_shot, strict=True):
            assert [row["standard_error"], row["p"]] == [shown(check.standard_error), shown(check.p)]
    for row, one in zip(found["agreement"], study.agreement, strict=True):
        assert [row[key] for key in ("modality", "method", "cases")] == [one.modality, one.method, one.cases]
        is_same(row["estimate"], one.estimate)


def cells(row, kind):
    return [cell for cell in row if isinstance(cell, kind)]


def check_page(design, fixed):
    """Sections of each measure: readings and means, differences, parts of the variance; then the agreement."""
    study = study_of(design, fixed)
    document, several = study.document(), len(study.modalities) > 1
    tables = {section.title: section.parts[0] for section in document.sections}
    count = len(study.readers)
    assert document.title == f"{count} reader{'s' if count > 1 else ''}" + (
        f" in {len(study.modalities)} modalities" if several else ""
    )
    facts = dict(document.facts)
    assert facts["confidence level"] == f"{100 * study.level:g}%"
    for name, one in study.measures.items():
        head = heading(name)
        table, uneven = tables[head], len({reading.cases for reading in one.readings}) > 1
        names = [reading.reader + (f" ({reading.modality})" if several else "") for reading in one.readings]
        names = [
            text + ("" if each.is_compared else ", not compared")
            for text, each in zip(names, one.readings, strict=True)
        ]
        names += [f"mean of {modality}" if several else "mean" for modality in one.means]
        estimates = [*(reading.estimate for reading in one.readings), *one.means.values()]
        assert [column.head for column in table.columns] == [
            "reader",
            *(["cases"] if uneven else []),
            "value",
            "",
            "CI method",
        ]
        assert [row[0].text for row in table.rows] == names
        for k, (row, estimate) in enumerate(zip(table.rows, estimates, strict=True)):
            assert [cells(row, kind)[0].estimate for kind in (EstimateCell, MethodCell)] == [estimate] * 2
            bars = cells(row, Bar)
            assert len(bars) == estimate.has_interval
            if bars:
                assert (bars[0].low, bars[0].at, bars[0].high) == (
                    estimate.low,
                    estimate.value,
                    estimate.high,
                )
                assert bars[0].tone == ("quiet" if k < len(one.readings) else "good")
                assert table.scale.low <= estimate.low <= estimate.high <= table.scale.high
            cases = [one.readings[k].cases] if uneven and k < len(one.readings) else []
            assert [cell.value for cell in cells(row, Count)] == cases
        ends = [estimate.low for estimate in estimates if estimate.has_interval]
        assert table.scale.high == 1
        assert table.scale.low == pytest.approx(min(np.floor(10 * min(ends, default=0)) / 10, 0.9))
        check_differences(study, one, tables, head)
        parts = tables.get(f"{head}: variance components")
        assert (parts is None) == (one.variances is None)
        if parts is not None:
            values = [*one.variances.components, *one.variances.mean_squares]
            assert [cells(row, Words)[0].value for row in parts.rows] == values
            assert [cells(row, Words)[0].text for row in parts.rows] == [f"{value:.4g}" for value in values]
    table = tables.get("Agreement between readers")
    assert (table is None) == (not study.agreement)
    if table is not None:
        assert table.note == "Only cases read by all readers of the modality."
        for row, one in zip(table.rows, study.agreement, strict=True):
            assert row[0].text == one.method + (f" ({one.modality})" if one.modality else "")
            assert cells(row, Count)[0].value == one.cases
            assert cells(row, EstimateCell)[0].estimate is cells(row, MethodCell)[0].estimate is one.estimate
    check_methods(study, document)


def check_differences(study, one, tables, head):
    """The table of differences, its p-values, and the test of all modalities above it."""
    word = "difference" if len(one.comparisons) == 1 else "differences"
    table = tables.get(f"{head}: {word} of the means")
    assert (table is None) == (not one.comparisons)
    if table is None:
        return
    adjusted = (
        any(pair.p_adjusted is not None and not isnan(pair.p) for pair in one.comparisons)
        and len(study.comparisons) > 1
    )
    heads = [column.head for column in table.columns]
    tested = [pair for pair in study.comparisons if not isnan(pair.p)]
    if len(tested) > 1 and adjusted:
        assert heads[2] == "adjusted p"
    assert ("p, one-shot" in heads) == bool(one.one_shot)
    for k, (row, pair) in enumerate(zip(table.rows, one.comparisons, strict=True)):
        assert row[0].text == " minus ".join(pair.models)
        assert cells(row, Difference)[0].estimate is pair.effect
        expected = [decisive_p(pair), *([one.one_shot[k].p] if one.one_shot else [])]
        np.testing.assert_array_equal([cell.value for cell in cells(row, PValue)], expected)
    assert ("The one-shot p is a check" in table.note) == bool(one.one_shot)
    has_test = one.overall is not None and one.overall.statistic is not None
    assert ("Test of equal means" in table.note) == has_test
    if has_test:
        number = len(study.modalities)
        which = "both modalities" if number == 2 else f"all {number} modalities"
        said = (
            f"Test of equal means of {which}: F = {one.overall.statistic:.4g}, {p_equation(one.overall.p)} ("
        )
        assert table.note.startswith(f"{said}{one.overall.method}).")
    methods = {pair.effect.method for pair in one.comparisons}
    assert ("CI method" in heads) == (len(methods) > 1)


def check_methods(study, document):
    """The sentences of methods name tests, checks and adjustment, and the sources are of what was done."""
    tests = [*dict.fromkeys(pair.method for pair in study.comparisons if not isnan(pair.p))]
    said = " ".join(document.methods)
    assert ("Means over readers were compared by" in said) == bool(tests)
    assert all(test in said for test in tests)
    checked = any(one.one_shot for one in study.measures.values())
    assert ("Gallas' one-shot" in said) == checked
    assert any("Gallas" in source for source in document.sources) == checked
    sources = {
        source for pair in study.comparisons if pair.reference for source in pair.reference.split("; ")
    }
    assert sources | {one.reference for one in study.agreement} <= set(document.sources)
    assert len(set(document.sources)) == len(document.sources)
    family = {pair.family for pair in study.comparisons} - {None, 0, 1}
    assert ("were adjusted by" in said) == bool(family)
    if family:
        assert (
            f"P-values of {len([pair for pair in study.comparisons if not isnan(pair.p)])} comparisons"
            in said
        )


def check_facts(design, fixed):
    frame = rows_of(design)
    study = study_of(design, fixed)
    cases = frame.drop_duplicates("case")
    ill, n = int(cases["ill"].sum()), len(cases)
    possible = n * len(study.readers) * len(study.modalities)
    done = len(frame)
    expected = {
        "readers": f"{frame['reader'].nunique()}: {', '.join(sorted(frame['reader'].unique()))}",
        "modalities": ", ".join(sorted(frame["modality"].unique())),
        "cases": f"{n}",
        "cases by class": f"False: {n - ill}, True: {ill}",
        "positive class": "True",
        "readings": f"{done}, all" if done == possible else f"{done} of {possible} possible readings",
    }
    if "pairs" in design:
        expected["clusters"] = f"{frame['patient'].nunique()}"
    if fixed:
        expected["fixed"] = fixed
    assert dict(study.facts) == expected
    assert study.cases == n


def check_warnings(design, fixed):
    """Each warning comes where its condition is met, and nowhere else, with its numbers."""
    study, frame = study_of(design, fixed), rows_of(design)
    told = [(warning.code, warning.text) for warning in study.warnings]
    codes = [code for code, _ in told]
    assert codes.count("fixed_cases") == (fixed == "cases")
    compared = {
        reading.reader for one in study.measures.values() for reading in one.readings if reading.is_compared
    }
    assert codes.count("fixed_readers") == (fixed == "readers" and len(compared) > 1)
    tested = {
        name for name, one in study.measures.items() if any(not isnan(pair.p) for pair in one.comparisons)
    }
    units = "patient" if "pairs" in design else "case"
    for name, kinds in CLASSES.items():
        number = min(frame.loc[frame["ill"] == kind, units].nunique() for kind in kinds)
        kind = {"recall": "positive", "specificity": "negative"}.get(name, "rarer")
        what = "clusters" if "pairs" in design else "cases"
        head = title(name)[0].upper() + title(name)[1:]
        text = f"{head} has only {number} {what} of the {kind} class."
        has = fixed is None and name in tested and number < 20
        assert any(code == "few_cases" and said.startswith(text) for code, said in told) == has
        few = fixed is None and name in tested and len(study.readers) == len(study.modalities) == 2
        assert (
            any(code == "few_readers" and f"in {title(name)} has only two" in said for code, said in told)
            == few
        )
    assert ("incomplete" in codes) == (fixed is None and "missing" in design)
    for code, said in told:
        if code == "incomplete":
            assert said.startswith("Not every reader who is compared read every case in every modality.")
            assert said.endswith("and there is no check by the one-shot variance.")


@pytest.mark.parametrize(("design", "fixed"), STUDIED)
def test_what_is_said_of_studies(design, fixed):
    study_of.cache_clear()
    for check in (check_frame, check_json, check_page, check_facts, check_warnings):
        check(design, fixed)


def test_kappa_of_rare_calls_names_how_many():
    """The rarer of both calls per reader, over the cases that all readers of the modality read."""
    for turned in (False, True):
        frame = readings(readers=2, cases=60).assign(call=lambda rows: rows["case"] < 7)
        frame.loc[(frame["reader"] == "r1") & (frame["case"] == 3), "call"] = False
        frame.loc[(frame["modality"] == "b") & (frame["case"] < 30), "call"] = True
        frame["call"] ^= turned
        study = ca.compare_readers(frame, **NAMES, prediction="call")
        told = [warning.text for warning in study.warnings if warning.code == "rare_calls"]
        assert len(told) == 1
        assert told[0].startswith("Kappa of a has only 6.5 cases of the rarer predicted class per reader.")


@pytest.mark.parametrize(("rarer", "warns"), [(19, True), (20, False)])
def test_few_cases_are_fewer_than_twenty(rarer, warns):
    frame = readings(cases=60).assign(ill=lambda rows: rows["case"] < rarer)
    found = ca.compare_readers(frame, **NAMES, score="score")
    assert [warning.code for warning in found.warnings] == ["few_cases"] * warns


def test_two_readers_are_told_only_in_two_modalities():
    three = ca.compare_readers(
        readings(readers=2, modalities=("a", "b", "c"), cases=70), **NAMES, score="score"
    )
    assert three.warnings == ()
    found = ca.compare_readers(readings(readers=2, cases=70), **NAMES, score="score")
    assert [warning.code for warning in found.warnings] == ["few_readers"]


@pytest.mark.parametrize(
    ("only", "where"), [("score", "In ROC AUC not"), ("label", "In recall"), ("none", "Not")]
)
def test_who_read_other_cases_is_told_by_measure(only, where):
    """A measure whose readers all lack the reader with gaps is complete: the others are named."""
    frame = readings(cases=40)
    frame = frame[
        ~(
            (frame["reader"] == "r3")
            & (frame["modality"] == "b")
            & (frame["case"] % 3 == 0)
            & (only == "label")
        )
    ]
    gap = {"score": (0, "r0"), "label": (1, "r3"), "none": (0, "r0")}[only]
    frame = frame[~((frame["reader"] == gap[1]) & (frame["case"] == gap[0]) & (frame["modality"] == "a"))]
    named = {"score": "score"} if only == "score" else {"score": "score", "prediction": "label"}
    study = ca.compare_readers(frame, **NAMES, **named)
    told = {warning.code: warning.text for warning in study.warnings}
    if only == "label":  # r3 is compared in specificity alone, and has a gap there
        assert told["incomplete"].startswith(
            "In specificity not every reader who is compared read every case"
        )
        assert told["incomplete"].endswith("that two readings share.")
        assert told["readers_left_out"].startswith("r3 is excluded from means and differences of")
    else:
        assert told["incomplete"].startswith("Not every reader who is compared")
        assert "one-shot" in told["incomplete"]


# --- refusals, and what is still accepted beside them

FRAME = readings(cases=12)
SAID = FRAME.assign(ill=np.where(FRAME["ill"], "ill", "well"), yes=np.where(FRAME["label"], "ill", "well"))
GAPS = FRAME.assign(
    score=FRAME["score"].where(FRAME.index > 1), label=FRAME["label"].astype(object).where(FRAME.index != 5)
)
REFUSED = [
    (FRAME, {"missing": "keep"}, r"missing .*'refuse'"),
    (FRAME, {"fixed": "none"}, r"fixed .*'readers'"),
    (FRAME[FRAME["reader"] == "r1"], {}, "There is only one reader, r1, which shows no variation"),
    (FRAME[FRAME["reader"] == "r1"], {"fixed": "cases"}, "only one reader, r1"),
    (FRAME, {"control": "A"}, r"Unknown control 'A'. Modalities: a, b. Did you mean 'a'"),
    (FRAME, {"control": "film"}, r"Unknown control 'film'. Modalities: a, b\.$"),
    (
        FRAME,
        {"score": None},
        r"nothing to compare. Name the column of scores \(score=\), of predicted labels \(prediction=",
    ),
    (GAPS, {}, r"score \(score\) is missing in 2 readings"),
    (GAPS, {"prediction": "label"}, r"score \(score\) and prediction \(label\) is missing in 3 readings"),
    (FRAME.assign(score=np.nan), {"missing": "drop"}, "No reading has a true label and a prediction"),
    (
        FRAME.assign(case=FRAME["case"].where(FRAME.index > 1)),
        {},
        r"case \(case\) is missing in 2 readings. Give the case",
    ),
    (
        FRAME.assign(modality=FRAME["modality"].where(FRAME.index > 0)),
        {},
        r"modality \(modality\) is missing in 1 reading\.",
    ),
    (
        pd.concat([FRAME, FRAME.iloc[[3, 3, 4]]]),
        {},
        "'r0' read case 3 in 'a' 3 times, like 1 other reading. Keep",
    ),
    (
        pd.concat([FRAME, FRAME.iloc[[3]]])[lambda rows: rows["modality"] == "a"],
        {"modality": None},
        "'r0' read case 3 2 times. Keep",
    ),
    (
        FRAME.assign(ill=FRAME["ill"] ^ FRAME.index.isin([5, 7, 8])),
        {},
        r"Case 5 is False and True \(ill\), like 2 other cases. A case",
    ),
    (FRAME.assign(ill=FRAME["ill"] ^ (FRAME.index == 7)), {}, r"Case 7 is False and True \(ill\). A case"),
    (
        FRAME.assign(c=FRAME.index % 12 + (FRAME.index == 2)),
        {"cluster": "c"},
        r"Case 2 lies in 2 and 3 \(c\). A case",
    ),
    (
        FRAME.assign(ill=FRAME["case"] % 3),
        {},
        r"truth has 3 classes \(0, 1, 2\), but readers are compared on two",
    ),
    (
        FRAME.assign(label=FRAME["case"] % 3, ill=FRAME["ill"] * 1),
        {"prediction": "label"},
        "truth and prediction have 3 classes",
    ),
    (SAID, {}, "positive"),
    (FRAME, {"reader": "redaer"}, "Did you mean 'reader'"),
]


@pytest.mark.parametrize("at", range(len(REFUSED)))
def test_refusals(at):
    frame, options, said = REFUSED[at]
    with pytest.raises(ca.InputError, match=said):
        ca.compare_readers(frame, **NAMES | {"score": "score"} | options)


def test_columns_of_one_length():
    columns = {name: FRAME[name].tolist() for name in ("case", "ill", "reader", "modality", "score", "label")}
    columns["label"] = columns["label"][:-1]
    with pytest.raises(ca.InputError, match="length"):
        ca.compare_readers(columns, **NAMES, score="score", prediction="label")


ACCEPTED = [
    (FRAME, {"missing": "refuse"}),
    (FRAME, {"missing": "drop"}),
    (FRAME[FRAME["reader"] == "r1"], {"fixed": "readers"}),
    (FRAME, {"control": "a"}),
    (GAPS, {"missing": "drop"}),
    (GAPS, {"missing": "drop", "prediction": "label"}),
    (SAID, {"positive": "ill"}),
    (SAID, {"positive": "ill", "prediction": "yes"}),
]


@pytest.mark.parametrize("at", range(len(ACCEPTED)))
def test_what_is_accepted_beside_refusals(at):
    frame, options = ACCEPTED[at]
    found = ca.compare_readers(frame, **NAMES | {"score": "score"} | options)
    assert not isnan(found["roc_auc"].means["a"].value)
    excluded = dict(found.facts).get("excluded", "0")
    assert int(excluded.split()[0]) == (frame is GAPS) * (3 if "prediction" in options else 2)


def test_defaults_and_adjustment():
    columns = {**NAMES, "score": "score", "prediction": "label"}
    plain = ca.compare_readers(FRAME, **columns)
    named = ca.compare_readers(
        FRAME,
        **columns,
        fixed=None,
        adjustment="holm",
        level=0.95,
        missing="refuse",
        control=None,
        cluster=None,
    )
    assert plain.to_dict() == named.to_dict()
    p = np.array([pair.p for pair in plain.comparisons])
    raised = ca.compare_readers(FRAME, **columns, adjustment="bonferroni")
    assert [pair.p_adjusted for pair in raised.comparisons] == pytest.approx(np.minimum(3 * p, 1))
    order = np.argsort(p)
    holm = np.minimum(np.maximum.accumulate(p[order] * [3, 2, 1]), 1)
    assert [plain.comparisons[at].p_adjusted for at in order] == pytest.approx(holm)
    assert (
        plain["roc_auc"].comparisons + plain["recall"].comparisons + plain["specificity"].comparisons
        == plain.comparisons
    )
    assert (
        repr(plain)
        == "ReaderStudy(ROC AUC, recall (sensitivity), specificity, 4 readers, 2 modalities, 12 cases)"
    )


@pytest.mark.parametrize("cluster", [None, "patient"])
def test_differences_of_aucs_cite_their_covariances(cluster):
    """DeLong's without clusters, Obuchowski's of 1997 with them; recall has neither."""
    frame = FRAME.assign(patient=FRAME["case"] // 2)
    found = ca.compare_readers(frame, **NAMES, score="score", prediction="label", cluster=cluster)
    for measure, one in found.measures.items():
        for pair in one.comparisons:
            is_auc = measure == "roc_auc"
            assert ("DeLong" in pair.reference) == (is_auc and cluster is None)
            assert ("Obuchowski 1997" in pair.reference) == (is_auc and cluster is not None)


def test_p_values_are_called_adjusted_where_there_are_several():
    frame = readings(modalities=("a", "b", "c"))
    for modalities, head in (("ab", "p"), ("abc", "adjusted p")):
        study = ca.compare_readers(frame[frame["modality"].isin([*modalities])], **NAMES, score="score")
        tables = [part for section in study.document().sections for part in section.parts]
        heads = [column.head for table in tables for column in getattr(table, "columns", ())]
        assert head in heads
        assert ("adjusted p" in heads) == (modalities == "abc")


def test_readers_are_sorted_by_their_numbers():
    names = {"r0": "R10", "r1": "R2", "r2": "R1", "r3": "a"}
    found = ca.compare_readers(FRAME.assign(reader=FRAME["reader"].map(names)), **NAMES, score="score")
    assert found.readers == ("R1", "R2", "R10", "a")
    plain = ca.compare_readers(FRAME, **NAMES, score="score")
    for old, new in names.items():
        assert found["roc_auc"]["b", new] == plain["roc_auc"]["b", old]


def test_one_modality_in_words():
    """The sentence of one modality has its mean, its number of readers and its name, or why there is no mean."""
    one = FRAME[FRAME["modality"] == "b"]
    named = ca.compare_readers(one, **NAMES, score="score")
    bare = ca.compare_readers(one, **NAMES | {"modality": None}, score="score")
    assert named.sentence.startswith("The mean ROC AUC of 4 readers in b is 0.")
    assert bare.sentence.startswith("The mean ROC AUC of 4 readers is 0.")
    alone = ca.compare_readers(one[one["reader"] == "r1"], **NAMES, score="score", fixed="readers")
    assert alone.sentence.startswith("The mean ROC AUC of 1 reader in b is 0.")
    assert alone.document().title == "1 reader"
    assert [code for code, _ in alone.warnings] == []
    assert repr(alone).endswith("1 reader, 1 modality, 12 cases)")
    few = ca.compare_readers(one[~one["ill"] | (one["case"] == 0)], **NAMES, score="score")
    assert (
        few.sentence
        == "The mean ROC AUC of 0 readers in b is not defined: no reader read two cases of each class."
    )


OPTIONS = {
    "--control": ("b", {"control": "b"}),
    "--fixed": ("cases", {"fixed": "cases"}),
    "--adjustment": ("bonferroni", {"adjustment": "bonferroni"}),
    "--level": ("0.8", {"level": 0.8}),
    "--score-scale": ("logit", {"score_scale": "logit"}),
    "--cluster": ("patient", {"cluster": "patient"}),
    "--prediction": ("label", {"prediction": "label"}),
    "--positive": ("False", {"positive": False}),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("readers") / "r.csv"
    FRAME.assign(patient=FRAME["case"] // 2).to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize("option", OPTIONS)
def test_options_of_the_command_are_those_of_the_call(option, file):
    text, given = OPTIONS[option]
    named = [each for role, column in NAMES.items() for each in (f"--{role}", column)]
    named += ["--score", "score", "--prediction", "label", "--positive", "True"]
    if option in named:
        at = named.index(option)
        named = named[:at] + named[at + 2 :]
    done = json_of("readers", file, *named, option, text)
    frame = pd.read_csv(file)
    columns = {**NAMES, "score": "score", "prediction": "label", "positive": True} | given
    expected = as_json(ca.compare_readers(frame, **columns))
    found = done
    for key in ("measures", "fixed", "level", "adjustment", "agreement", "cases", "readers", "modalities"):
        assert found[key] == expected[key], key


@pytest.mark.parametrize(
    ("option", "text", "said"),
    [
        ("--fixed", "both", "readers"),
        ("--missing", "keep", "refuse"),
        ("--level", "1", "level"),
        ("--control", "c", "Modalities: a, b"),
        ("--adjustment", "none at all", "adjustment"),
    ],
)
def test_wrong_options_of_the_command(option, text, said, file):
    named = [each for role, column in NAMES.items() for each in (f"--{role}", column)]
    assert said in refusal("readers", file, *named, "--score", "score", option, text)


def test_an_output_never_replaces_the_readings(file):
    named = [each for role, column in NAMES.items() for each in (f"--{role}", column)]
    before = Path(file).read_bytes()
    said = refusal("readers", file, *named, "--score", "no such column", "--json", file)
    assert Path(file).name in said
    assert "no such column" not in said
    assert Path(file).read_bytes() == before


def test_long_names_of_readers_are_not_cut():
    """Names that differ in their middle would be the same."""
    frame = rows_of("two readers")
    frame = frame.assign(
        reader=[f"{'reader of the hospital ' * 3}{name}{' in town' * 3}" for name in frame["reader"]]
    )
    text = str(ca.compare_readers(frame, **NAMES, score="score"))
    assert "reader of the hospital" in text
    assert "…" not in text
