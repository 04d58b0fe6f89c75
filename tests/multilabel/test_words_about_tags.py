"""Words about tags agree with their numbers: warnings, findings, facts, tables, verdicts on thresholds."""

import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import classay as ca
from classay.inference.estimate import Estimate, format_estimate, number
from classay.inference.phrasing import number_with_interval, share_with_interval, value_with_interval
from classay.multilabel.results import (
    ON_PAGE,
    TAGS_OPEN,
    TAGS_SHOWN,
    _called,
    _facts,
    _of_thresholds,
    document_of,
    document_of_thresholds,
    with_pictures,
)
from classay.multilabel.sentences import left_out, top_said
from classay.report.document import Difference, EstimateCell
from samples import tag_rows

NAMES = [f"t{k:02}" for k in range(40)]


def of_counts(*tags):
    """Cases that count as often as tags say: TP, FP and FN of each tag in cases of their own, 40 without any."""
    rows = [
        (k, truth, called, times)
        for k, counts in enumerate(tags)
        for (truth, called), times in zip(((1, 1), (0, 1), (1, 0)), counts, strict=True)
        if times
    ]
    y, c = np.zeros((2, len(rows) + 1, len(tags)), int)
    for row, (k, truth, called, _) in enumerate(rows):
        y[row, k], c[row, k] = truth, called
    times = [*(times for *_, times in rows), 40]
    truth, called = map(sp.csr_array, (y, c))  # one column of an array would be labels
    return ca.assess(truth, y_pred=called, frequency=times, labels=NAMES[: len(tags)])


def told(a):
    return {warning.code: warning.text for warning in a.warnings}


def listing(names, rest="and"):
    """Names as a sentence has them: of more than five the first four."""
    quoted = [f"'{name}'" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {rest} {quoted[-1]}"


@pytest.mark.parametrize("few", [0, 1, 2])
@pytest.mark.parametrize(("never", "silent"), [(0, 0), (1, 0), (0, 1), (2, 1), (1, 2)])
def test_warnings_name_the_tags_that_have_few_cases_or_none_or_are_never_predicted(few, never, silent):
    kinds = {"few": (10, 2, 19), "never": (0, 3, 0), "silent": (0, 0, 35), "usual": (20, 3, 10)}
    wanted = ["usual", *["few"] * few, *["never"] * never, *["silent"] * silent]
    a = of_counts(*(kinds[kind] for kind in wanted))
    of = {kind: [name for name, one in zip(NAMES, wanted, strict=False) if one == kind] for kind in kinds}
    texts = told(a)
    assert ("tiny_class" in texts, "never_true" in texts, "never_predicted" in texts) == (
        few > 0,
        never > 0,
        silent > 0,
    )
    assert a.never_true == tuple(of["never"])
    if few:
        has, these = ("has", "this tag") if few == 1 else ("have", "these tags")
        assert texts["tiny_class"] == (
            f"{few} tag{'s' * (few > 1)} {has} fewer than 30 true cases ({listing(of['few'])}). "
            f"Estimates of {these} are imprecise."
        )
    if never:
        assert texts["never_true"].startswith(
            f"no case has these true tags: {listing(of['never'])}. Their recall"
        )
    if silent:
        wanted = f"tags never predicted, though true in some cases: {listing(of['silent'])}."
        assert texts["never_predicted"] == wanted


@pytest.mark.parametrize(("cases", "warned"), [(1, True), (29, True), (30, False)])
def test_thirty_true_cases_of_a_tag_are_enough(cases, warned):
    assert ("tiny_class" in told(of_counts((cases, 0, 0), (50, 0, 0)))) == warned


def test_weights_are_no_counts_of_cases():
    y, p = tag_rows(np.random.default_rng(0), 40, 2)
    assert "tiny_class" in told(ca.assess(y, p))
    assert "tiny_class" not in told(ca.assess(y, p, weight=np.linspace(1, 2, 40)))


@pytest.mark.parametrize(("clusters", "warned"), [(2, True), (29, True), (30, False)])
def test_thirty_clusters_are_enough(clusters, warned):
    y, p = tag_rows(np.random.default_rng(0), 60, 2)
    texts = told(ca.assess(y, p, cluster=np.arange(60) % clusters))
    assert ("few_clusters" in texts) == warned
    if warned:
        assert texts["few_clusters"].startswith(
            f"only {clusters} clusters. The clusters are the independent units"
        )
    assert "few_clusters" not in told(ca.assess(y, p))


def test_warnings_on_thresholds_dropped_rows_and_turned_scores():
    y, p = tag_rows(np.random.default_rng(1), 80, 3, share=0.5)
    texts = told(ca.assess(y, p))
    assert texts["default_threshold"].startswith("the default threshold 0.5 was not chosen for these data.")
    for how in ({"threshold": 0.5}, {"top": 1}):
        assert "default_threshold" not in told(ca.assess(y, p, **how))
    assert "default_threshold" not in told(ca.assess(y, y_pred=p > 0.5))
    assert told(ca.assess(y, 10 * p, task="tags"))["no_threshold"].startswith(
        "some scores lie outside [0, 1]"
    )
    assert "no_threshold" not in texts
    turned = ca.assess(y, np.c_[p[:, 0], 1 - p[:, 1], p[:, 2]], labels=["a", "b", "c"])
    (warning,) = [one for one in turned.warnings if one.code == "class_auc_below_half"]
    assert turned.tag("b")["roc_auc"].value < 0.5
    assert warning.text.startswith("the scores of 'b' rank cases with the tag below cases without it.")
    assert warning.concerns == ("b",)
    turned["macro_roc_auc"]  # ranked before, it is found the same
    assert turned.changed(seed=1).warnings[0].code == turned.warnings[0].code
    assert "class_auc_below_half" not in texts
    lacking = y.astype(float)
    lacking[:8, 1] = np.nan
    dropped = told(ca.assess(lacking, p, missing="drop"))["dropped_rows"]
    assert dropped == "8 rows (10%) excluded: a true tag is missing."
    assert "dropped_rows" not in texts


@pytest.mark.parametrize("tags", [5, 6])
def test_of_many_tags_some_are_named(tags):
    text = told(of_counts(*[(30, 0, 0)] * 2, *[(0, 3, 0)] * tags))["never_true"]
    assert ("more tags" in text) == (text.count("'") < 2 * tags)


@pytest.mark.parametrize(
    ("y", "c", "words"),
    [
        ([[1, 0], [0, 1]], [[1, 0], [0, 1]], ""),
        ([[1, 0], [0, 0]], [[1, 0], [0, 1]], "1 case without a true tag."),
        ([[1, 0], [0, 0], [0, 0]], [[1, 0], [0, 1], [1, 1]], "2 cases without a true tag."),
        ([[1, 0], [0, 1]], [[1, 0], [0, 0]], "1 case without a predicted tag."),
        ([[1, 0], [0, 0]], [[1, 0], [0, 0]], "1 case without a true tag and 1 case without a predicted tag."),
        ([[1, 1], [0, 1]], [[1, 0], [1, 0]], ""),
    ],
)
def test_cases_without_a_value_are_counted(y, c, words):
    start = "Means over cases exclude cases without a value: "
    assert left_out(ca.assess(y, y_pred=c, task="tags")) == (start + words if words else "")
    times = [3] * len(y)
    often = re.sub(r"(\d) case ", lambda found: f"{3 * int(found[1])} cases ", words).replace(
        "2 cases", "6 cases"
    )
    assert left_out(ca.assess(y, y_pred=c, frequency=times, task="tags")) == (start + often if words else "")


def test_cases_with_all_tags_true_have_no_rank_of_one_and_weights_are_told():
    y, p = [[1, 1], [1, 0], [0, 0]], [[0.9, 0.8], [0.9, 0.1], [0.7, 0.2]]
    start = "Means over cases exclude cases without a value: "
    assert left_out(ca.assess(y, p)) == f"{start}1 case without a true tag and 1 case with all tags true."
    assert left_out(ca.assess(y, np.array(p) * 9)) == left_out(ca.assess(y, p))
    weighted = left_out(ca.assess(y, p, weight=[1.5, 1, 0.5]))
    assert weighted == (
        f"{start}cases of weight 0.500 without a true tag and cases of weight 1.500 with all tags true."
    )
    assert [top_said(k) for k in (1, 2)] == [
        "the tag with the highest score of each case",
        "the 2 tags with the highest scores of each case",
    ]


# -- findings -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_findings_have_the_values_of_their_measures(seed):
    y, p = tag_rows(np.random.default_rng(seed), 60 + 20 * seed, 3, share=0.4)
    a = ca.assess(y, p)
    sentences = a.to_dict()["verdict"]
    f1, exact, auc = (a[name] for name in ("micro_f1", "exact_match", "micro_roc_auc"))
    assert sentences[0] == (
        f"Micro-averaged F1 is {value_with_interval(f1, 'micro_f1', a.n)} and all tags are correct in "
        f"{share_with_interval(exact, a.n)} of the cases (exact match)."
    )
    assert f"Micro-averaged ROC AUC is {value_with_interval(auc, 'micro_roc_auc', a.n)}." in sentences
    labels = ca.assess(y, y_pred=p >= 0.5).to_dict()["verdict"]
    assert labels[0] == sentences[0]
    assert not any("ROC AUC" in one for one in labels)


def test_nothing_predicted_is_why_the_f1_is_zero():
    y = np.eye(3, dtype=int)[np.arange(60) % 3]
    (lead, *_) = ca.assess(y, y_pred=0 * y, task="tags").to_dict()["verdict"]
    assert lead.endswith("of the cases (exact match), because no tag is predicted positive.")
    (lead, *_) = ca.assess(y, y_pred=np.roll(y, 1, 1), task="tags").to_dict()["verdict"]
    assert "because" not in lead


def weak(*tags):
    found = [one for one in of_counts(*tags).to_dict()["verdict"] if one.startswith("F1 is lowest for")]
    return found[0] if found else None


def test_the_weakest_tag_is_named_where_it_is_surely_below_the_mean():
    good, bad = (90, 5, 5), (30, 60, 60)
    a = of_counts(good, bad, good)
    f1, mean = a.tag("t01")["f1"], a["macro_f1"].value
    interval = number_with_interval(f1, 3, 0.0, 1.0)
    assert weak(good, bad, good) == (
        f"F1 is lowest for 't01': {interval}, compared with a mean of {mean:.3f} over tags."
    )
    assert weak(good, good, good) is None
    assert weak(good, (25, 12, 4), good) is None  # 29 true cases are too few
    assert weak(good, (26, 80, 4), good) is not None  # 30 are enough
    assert weak((90, 5, 5), (88, 8, 8)) is None  # the gap is small
    assert weak(bad) is None
    assert "t04" in weak(good, good, good, (0, 5, 0), bad)  # a tag that no case has is not the weakest
    assert weak(good, (3, 3, 0), bad).startswith("F1 is lowest for 't02': ")


# -- facts and tables -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        ({}, {"cases": "50", "rows": "independent", "threshold": "0.5 (default, not chosen for these data)"}),
        ({"threshold": 0.25}, {"threshold": "0.25"}),
        ({"top": 1}, {"called": "the tag with the highest score of each case"}),
        ({"threshold": [0.1, 0.2, 0.3]}, {"thresholds": "x: 0.100, y: 0.200, z: 0.300"}),
        ({"frequency": [1] * 49 + [951]}, {"cases": "1,000 in 50 rows", "weights": "frequency weights"}),
        ({"weight": [1.0] * 25 + [2.0] * 25}, {"cases": "50", "weights": "sampling weights"}),
        ({"cluster": [k // 5 for k in range(50)]}, {"rows": "in 10 clusters"}),
        ({"level": 0.8, "seed": 7}, {"confidence level": "80%", "seed of draws": "7"}),
        ({"interval": "bootstrap"}, {"intervals": "bootstrap where available, otherwise the default"}),
    ],
)
def test_facts_are_those_of_the_rows(how, wanted):
    y, p = tag_rows(np.random.default_rng(2), 50, 3)
    a = ca.assess(y, p, labels=["x", "y", "z"], **how)
    facts = dict(_facts(a))
    assert facts | wanted == facts
    assert ("weights" in facts) == (a.kind_of_weight != "none")
    assert ("intervals" in facts) == ("interval" in how)
    totals = a.class_totals
    per_case = float(sum(totals)) / a.weight_of_cases
    assert facts["tags"] == f"3, with {number(per_case)} true tags per case"
    unit = "weight by tag" if "weight" in how else "cases by tag"
    counts = re.findall(r"[xyz]: ([\d.,]+?)(?:,|$) ?", facts[unit])
    assert [float(one.replace(",", "")) for one in counts] == pytest.approx([*totals], abs=0.06)
    assert len(_called(a)) == 1
    assert _called(ca.assess(y, y_pred=p > 0.5)) == []
    lacking = y.astype(float)
    lacking[0, 0] = np.nan
    assert dict(_facts(ca.assess(lacking, p, missing="drop")))["rows"].endswith(
        "; 1 excluded for a missing true tag"
    )


@pytest.mark.parametrize("tags", [6, 7, 8])
def test_the_cases_of_the_first_six_tags_are_facts(tags):
    a = of_counts(*[(30, 1, 1)] * tags)
    text = dict(_facts(a))["cases by tag"]
    assert text.count(": ") == (6 if tags > 7 else tags)
    assert text.endswith(f", and {tags - 6} more tags") == (tags > 7)


def sections_of(document):
    return {section.title: section.parts for section in document.sections}


@pytest.mark.parametrize("number_of", [3, TAGS_SHOWN, TAGS_SHOWN + 1])
@pytest.mark.parametrize("detail", ["main", "page", "all"])
def test_tables_have_the_worst_tags_first_and_say_how_many_they_lack(number_of, detail):
    rng = np.random.default_rng(number_of)
    a = of_counts(*rng.integers(1, 60, (number_of, 3)).tolist())
    sections = sections_of(document_of(a, detail=detail))
    (table,) = sections["Tags, lowest F1 first"]
    most = TAGS_SHOWN if detail == "main" else ON_PAGE
    f1 = {name: a.tag(name)["f1"].value for name in a.labels}
    order = sorted(a.labels, key=lambda name: (f1[name], -a.class_totals[a.labels.index(name)]))[:most]
    assert [row[0].text for row in table.rows] == order == a.worst_tags(most)
    assert [column.head for column in table.columns[:2]] == ["tag", "true"]
    names = [column.name for column in table.columns[2:]]
    assert names == ["precision", "recall", "f1"]
    for row in table.rows:
        one = a.tag(row[0].text)
        assert row[1].value == a.class_totals[a.labels.index(row[0].text)]
        assert [cell.estimate for cell in row[2:]] == [one[name] for name in names]
    lacks = len(a.labels) > most
    start = f"Only the {most} of {len(a.labels)} tags with the lowest F1."
    assert (table.foot.startswith(start) if lacks else table.foot == "") is True
    assert table.main == (TAGS_OPEN if len(table.rows) > TAGS_SHOWN else 0)


def test_tables_of_scores_alone_have_the_lowest_areas_first():
    y, p = tag_rows(np.random.default_rng(3), 80, 4)
    a = ca.assess(y, 10 * p, task="tags")
    (table,) = sections_of(document_of(a))["Tags, lowest ROC AUC first"]
    areas = [a.tag(int(row[0].text))["roc_auc"].value for row in table.rows]
    assert areas == sorted(areas)
    assert [column.name for column in table.columns[2:]] == ["roc_auc", "average_precision"]
    both = sections_of(document_of(ca.assess(y, p)))
    assert [column.name for column in both["Tags, lowest F1 first"][0].columns[2:]] == [
        *("precision", "recall", "f1", "roc_auc", "average_precision")
    ]
    heads = (
        "Measures per case",
        "Measures over all tags",
        "Ranking of the tags of each case",
        "Ranking of cases",
    )
    assert [head in both for head in heads] == [True] * 4
    alone = sections_of(document_of(a))
    assert [head in alone for head in heads] == [False, False, True, True]
    called = sections_of(document_of(ca.assess(y, y_pred=p > 0.5)))
    assert [head in called for head in heads] == [True, True, False, False]
    assert called["Measures per case"][0].foot == left_out(ca.assess(y, y_pred=p > 0.5))
    assert both["Ranking of the tags of each case"][0].foot == ""
    assert alone["Ranking of the tags of each case"][0].foot == left_out(a)
    assert both["Measures over all tags"][0].foot.startswith("Micro average: computed from the pooled counts")
    assert "Further averages over tags" not in both
    everything = sections_of(document_of(ca.assess(y, p), detail="all"))
    shown = {row[0].name for head in heads for row in everything[head][0].rows}
    rest = {row[0].name for row in everything["Further averages over tags"][0].rows}
    assert not shown & rest
    assert shown | rest == {measure.name for measure in ca.assess(y, p).applicable()}


def test_a_page_has_large_measures_and_its_tables_behind_a_switch():
    y, p = tag_rows(np.random.default_rng(4), 60, 3)
    for a in (ca.assess(y, p), ca.assess(y, y_pred=p > 0.5), ca.assess(y, 9 * p, task="tags")):
        document = document_of(a, detail="page")
        tiles = with_pictures(document, a).tiles
        has = {measure.name for measure in a.applicable()}
        known = [name for name in ("micro_f1", "macro_f1", "exact_match", "micro_roc_auc") if name in has]
        assert [(tile.name, tile.estimate) for tile in tiles] == [(name, a[name]) for name in known]
        assert {tile.text for tile in tiles} <= {"Micro F1", "Macro F1", "Exact match", "Micro AUC"}
        assert document.tiles == ()
        assert any(section.is_switched for section in document.sections)
    named = document_of(a, names=["micro_roc_auc", "one_error"])
    (table,) = sections_of(named)["Measures"]
    assert [row[1].estimate for row in table.rows if isinstance(row[1], EstimateCell)] == [
        a["micro_roc_auc"],
        a["one_error"],
    ]


def test_pairs_of_tags_that_are_wrong_together_are_counted_by_every_case():
    rng = np.random.default_rng(5)
    y, c = (rng.random((2, 90, 4)) < 0.4).astype(int)
    times = rng.integers(1, 4, 90)
    a = ca.assess(y, y_pred=c, frequency=times, labels=list("abcd"), task="tags")
    brute = {
        (m, n): times[(y[:, i] > c[:, i]) & (c[:, j] > y[:, j])].sum()
        for i, m in enumerate("abcd")
        for j, n in enumerate("abcd")
        if i != j
    }
    order = sorted(brute, key=lambda pair: (-brute[pair], pair))
    missed = {m: times[y[:, i] > c[:, i]].sum() for i, m in enumerate("abcd")}
    for most in (1, 5, 12, 50):
        found = a.wrong_together(most)
        assert [(one.missed, one.called, one.cases) for one in found] == [
            (*pair, brute[pair]) for pair in order[:most] if brute[pair]
        ]
        assert [one.share for one in found] == pytest.approx(
            [one.cases / missed[one.missed] for one in found]
        )
    (table,) = sections_of(document_of(a))["Missed and incorrectly predicted together"]
    for row, one in zip(table.rows, a.wrong_together(5), strict=True):
        assert (row[0].text, row[1].text, row[2].value) == (one.missed, one.called, one.cases)
        assert float(row[3].text.rstrip("%")) == pytest.approx(100 * one.share, abs=0.51)
    assert [(one["missed"], one["cases"]) for one in a.to_dict()["wrong_together"]] == [
        (one.missed, one.cases) for one in a.wrong_together(50)
    ]
    none = ca.assess(y, y_pred=c, weight=times / 2, task="tags")
    assert none.wrong_together() == ca.assess(y, y_pred=c, cluster=times, task="tags").wrong_together() == ()
    assert "Missed and incorrectly predicted together" not in sections_of(document_of(none))
    assert ca.assess(y, y_pred=y, task="tags").wrong_together() == ()


# -- thresholds -----------------------------------------------------------------------------------------

TRUTH, SCORES = tag_rows(np.random.default_rng(6), 120, 7, share=0.3)
FOUND = ca.assess(TRUTH, SCORES, labels=list("abcdefg")).threshold(maximize="f1")
BY_COST = ca.assess(TRUTH, SCORES, labels=list("abcdefg")).threshold(cost={"fp": 1, "fn": 3})


def gained(low, high):
    return Estimate((low + high) / 2, low, high, 0.95, "cases, t")


@pytest.mark.parametrize("found", [FOUND, BY_COST])
@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.01, 0.05, "is better than with one threshold for all tags by 0.030"),
        (-0.05, -0.01, "is better by 0.030 (95% CI 0.010 to 0.050), with an expected"),
        (-0.01, 0.03, "was detected: 0.010 (95% CI -0.010 to 0.030). With one threshold, the expected"),
        (0.0, 0.04, "was detected: 0.020 (95% CI 0.000 to 0.040)."),
        (-0.04, 0.0, "was detected: -0.020 (95% CI -0.040 to 0.000)."),
    ],
)
def test_the_verdict_on_thresholds_is_that_of_the_gain(found, low, high, words):
    lines = _of_thresholds(replace(found, gain=gained(low, high)))
    what = "cost per case" if found is BY_COST else "macro F1"
    assert words in lines[1]
    if low > 0:
        assert lines[1].startswith(f"The expected {what} is better")
    elif high < 0:
        assert lines[1].startswith(f"One threshold for all tags ({number(found.common)}) is better")
    else:
        assert lines[1].startswith(
            f"No gain over one threshold for all tags ({number(found.common)}) was detected"
        )
    assert len(_of_thresholds(replace(found, gain=Estimate.undefined("none")))) == 1


@pytest.mark.parametrize("found", [FOUND, BY_COST])
def test_the_verdict_on_thresholds_has_what_is_expected_and_how_optimistic_the_selection_is(found):
    lead = _of_thresholds(found)[0]
    here, expected, _ = found.costs or [
        one[found.objective] for one in (found.here, found.expected, found.expected_common)
    ]
    assert f"on new cases is {format_estimate(expected)}. On the selection data, the" in lead
    gap = (expected.value - here.value) if found.costs else (here.value - expected.value)
    word = "optimistic" if gap >= 0 else "pessimistic"
    assert lead.endswith(f"is {number(here.value)}, which is {word} by {number(abs(gap))}.")
    turned = replace(found, here=found.expected, expected=found.here)
    if found.costs:
        turned = replace(turned, costs=(found.costs[1], found.costs[0], found.costs[2]))
    assert f"{'pessimistic' if gap > 0 else 'optimistic'} by {number(abs(gap))}." in _of_thresholds(turned)[0]


@pytest.mark.parametrize("number_of", [0, 1, 2, 5, 6])
def test_tags_without_a_threshold_of_their_own_are_counted_and_five_are_named(number_of):
    lines = _of_thresholds(replace(FOUND, without=tuple("abcdefg"[:number_of])))
    if not number_of:
        assert not any("separate" in line for line in lines)
        return
    many = "1 tag has" if number_of == 1 else f"{number_of} tags have"
    use = "uses" if number_of == 1 else "use"
    names = ", ".join(f"'{name}'" for name in "abcde"[:number_of])
    rest = " …" if number_of > 5 else ""
    assert lines[-1] == f"{many} no separate threshold and {use} the common threshold: {names}{rest}."


@pytest.mark.parametrize("found", [FOUND, BY_COST])
def test_the_tables_of_thresholds_have_every_value(found, monkeypatch):
    document = document_of_thresholds(found)
    facts = dict(document.facts)
    assert (facts["cases"], facts["tags"], facts["confidence level"], facts["seed"]) == (
        "120",
        "7",
        "95%",
        "0",
    )
    assert facts["rule"].endswith(" of each tag")
    assert facts["one threshold for all tags"] == f"{number(found.common)}, chosen by the same rule"
    assert facts["expected"] == found.how_expected
    assert "excluded" not in facts
    sections = sections_of(document)
    (table,) = sections["All tags"]
    values = [(row[1].estimate, row[2].estimate, row[3].estimate) for row in table.rows]
    wanted = [
        tuple(a[name] for a in (found.here, found.expected, found.expected_common)) for name in found.measures
    ]
    assert values == ([found.costs] if found.costs else []) + wanted
    said = Difference(found.gain).estimate
    assert table.foot == f"Gain over one threshold for all tags: {format_estimate(said)}, paired by case."
    (each,) = sections["Thresholds, lowest expected value first"]
    order = found.expected.worst_tags(7)
    assert [row[0].text for row in each.rows] == order == found.worst_tags(7)
    of_one = found.of_one
    for row in each.rows:
        tag = row[0].text
        assert row[1].value == found.here.class_totals[found.labels.index(tag)]
        assert row[2].text == number(found.thresholds[tag])
        assert (row[3].estimate, row[4].estimate) == (
            found.here.tag(tag)[of_one],
            found.expected.tag(tag)[of_one],
        )
    assert each.foot == ""
    common = document_of_thresholds(replace(found, without=("b",)))
    (each,) = sections_of(common)["Thresholds, lowest expected value first"]
    assert {row[0].text: row[2].text for row in each.rows}["b"] == f"{number(found.thresholds['b'])} (common)"
    monkeypatch.setattr("classay.multilabel.results.ON_PAGE", 3)
    (each,) = sections_of(document_of_thresholds(found))["Thresholds, lowest expected value first"]
    assert [row[0].text for row in each.rows] == order[:3]
    assert each.foot.startswith("Only the 3 of 7 tags with the lowest expected value.")
    found_json = found.to_dict()
    assert {one["tag"]: one["threshold"] for one in found_json["tags"]} == found.thresholds
    assert [one["own"] for one in replace(found, without=("b",)).to_dict()["tags"]] == [
        True,
        False,
        *[True] * 5,
    ]
    assert (found_json["optimism"], found_json["common"]) == (found.optimism, found.common)
    assert repr(found) == f"MultilabelThresholds(7 tags by {found.rule.text}; print it, or see .thresholds)"


def test_cases_left_out_are_a_fact_of_thresholds():
    lacking = TRUTH.astype(float)
    lacking[:2, 0] = np.nan
    found = ca.assess(lacking, SCORES, missing="drop").threshold(maximize="f1")
    assert dict(document_of_thresholds(found).facts)["excluded"] == "2 rows with a missing true tag"
    assert found.here.n == 118


@pytest.mark.parametrize("number_of", [1, 5, 6, 8])
def test_a_reason_names_the_tags_that_lack_a_value(number_of):
    tags = [*[(30, 2, 3)] * 2, *[(0, 3, 0)] * number_of]
    a = of_counts(*tags)
    names = ", ".join(f"'{name}'" for name in NAMES[2 : 2 + min(number_of, 5)])
    rest = f" and {number_of - 5} more tag{'s' * (number_of > 6)}" if number_of > 5 else ""
    assert a["macro_recall"].reason == f"never true: {names}{rest}"
    assert not a["macro_f1"].is_undefined
    assert not a["weighted_recall"].is_undefined
    silent = of_counts(*[(30, 2, 3)] * 2, *[(0, 0, 4)] * number_of)
    assert silent["macro_precision"].reason == f"never predicted: {names}{rest}"
    y, p = tag_rows(np.random.default_rng(0), 40, 2)
    for column, why in ((0 * y[:, :1], "never true"), (0 * y[:, :1] + 1, "always true")):
        wide = ca.assess(np.c_[y, column], np.c_[p, p[:, :1]], labels=["a", "b", "c"])
        assert wide["macro_roc_auc"].reason == f"{why}: 'c'"
    none = ca.assess(0 * y, p, labels=["a", "b"])
    assert none["micro_roc_auc"].reason == "all tags of all cases are true, or none is"
    assert none["weighted_recall"].reason is not None
    assert none["samples_recall"].reason == "no case has a true tag"
    assert ca.assess(y, y_pred=0 * y)["samples_precision"].reason == "no case has a predicted tag"
    assert none["precision_at(3)"].reason == "there are fewer than 3 tags"
    assert not none["precision_at(2)"].is_undefined


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("recall", "recall needs one tag, but these cases are multilabel. Use macro_recall, micro_recall"),
        ("roc_auc", "roc_auc needs one tag, but these cases are multilabel. Use macro_roc_auc"),
        ("brier_score", "brier_score needs one tag, but these cases are multilabel. Use brier_score[TAG]."),
        (
            "accuracy",
            "needs one label per case, but these cases are multilabel. Use exact_match, hamming_loss,",
        ),
    ],
)
def test_measures_of_one_label_say_what_tags_have_instead(name, says):
    y, p = tag_rows(np.random.default_rng(0), 40, 2)
    with pytest.raises(ca.UnknownMeasureError, match=re.escape(says)):
        ca.assess(y, p)[name]
    with pytest.raises(
        ca.UnknownMeasureError, match="exact_match needs multilabel cases, but these have one label"
    ):
        ca.assess(y[:, 0], p[:, 0])["exact_match"]


@pytest.mark.parametrize("seed", range(3))
def test_measures_of_cases_are_means_of_what_each_case_has(seed):
    """By brute force over cases and tags, with ties; ties stand in any order."""
    rng = np.random.default_rng(seed)
    y, p = tag_rows(rng, 25, 4, share=0.4)
    p, weight = p.round(1), rng.uniform(0.5, 2, 25)
    a = ca.assess(y, p, weight=weight)
    gains = 1 / np.log2(np.arange(2, 6))
    by_case = {
        name: []
        for name in ("precision_at(2)", "recall_at(2)", "ndcg_at(2)", "ndcg_at(9)", "samples_f_beta(2)")
    }
    for true, score in zip(y == 1, p, strict=True):
        above, tied = ((score[None] > score[:, None]).sum(1), (score[None] == score[:, None]).sum(1))
        share = np.clip((2 - above) / tied, 0, 1)[true].sum()
        n, called = true.sum(), score >= 0.5
        by_case["precision_at(2)"].append(share / 2)
        by_case["recall_at(2)"].append(share / n if n else np.nan)
        for k in (2, 9):
            kept = np.where(np.arange(4) < k, gains, 0)
            dcg = sum(
                kept[above[tag] : above[tag] + tied[tag]].sum() / tied[tag] for tag in np.flatnonzero(true)
            )
            by_case[f"ndcg_at({k})"].append(dcg / kept[:n].sum() if n else np.nan)
        among = 5 * (true & called).sum() + 4 * (true & ~called).sum() + (~true & called).sum()
        by_case["samples_f_beta(2)"].append(5 * (true & called).sum() / among if among else np.nan)
    for name, values in by_case.items():
        has = ~np.isnan(values)
        wanted = (weight[has] * np.array(values)[has]).sum() / weight[has].sum()
        assert a[name].value == pytest.approx(wanted), name
