"""Compared systems: each as if it were alone, and sentences, tables and JSON with the numbers of the result."""

import math

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.inference.estimate import level_text, p_equation
from classay.inference.phrasing import percent
from classay.report.document import Label, Table
from classay.texts import quote, some


def made(kind, seed, systems=2):
    """Columns of systems by name, and further columns."""
    rng = np.random.default_rng(seed)
    n, labels = (400, 90, 240)[seed % 3], (150, 30, 20)[seed % 3]
    names = ["new", "old", "odd", "own"][:systems]
    hard, drawn = rng.random(n), rng.permutation(n) < labels
    human, judge, how = {}, {}, {}
    for k, name in enumerate(names):
        truth = (hard + rng.normal(0, 0.2, n) < 0.75 - 0.25 * k * (seed % 2)) * 1.0
        if kind == "grades":
            truth = truth + (rng.random(n) < 0.5)
        right = rng.random(n) < (0.95 if kind == "unequal" and k else 0.7 if kind == "unequal" else 0.85)
        judge[name] = np.where(right, truth, rng.integers(0, 3 if kind == "grades" else 2, n))
        if kind == "score":
            judge[name] = np.round(judge[name] + rng.normal(0, 0.5, n), 4)
        if kind == "other cases":
            drawn = rng.permutation(n) < labels
        human[name] = np.where(drawn, truth, np.nan)
    if kind == "cluster":
        how["cluster"] = np.arange(n) // 3
    if kind == "time":
        how["time"] = np.arange(n) * 4 // n
    if kind == "finite":
        how["finite"] = True
    if kind == "chance":
        chance = np.where(hard < 0.5, 0.9, 0.4)
        drawn = rng.random(n) < chance
        how["chance"] = chance
        human = {
            name: np.where(drawn, np.nan_to_num(column, nan=1.0), np.nan) for name, column in human.items()
        }
    if kind == "by":
        how["by"] = np.arange(n) % 2
    return human, judge, how


KINDS = ("share", "grades", "score", "other cases", "cluster", "time", "finite", "chance", "by", "unequal")


def seeds_of(kind):
    """Three draws of the usual kinds, of which the last has few labels, and two of others."""
    return range(3 if kind in ("share", "grades", "other cases") else 2)


def built(kind):
    """Results of a kind, with the columns that they are of."""
    found = {}
    if kind == "far":
        human, judge, _ = made("share", 0, 4)
        for name in ("old", "own"):
            human[name], judge[name] = np.where(np.isnan(human[name]), np.nan, 0), 0 * judge[name]
        return {("far", 0): (human, judge, {}, ca.compare_judged(human, judge))}
    if kind == "equal":
        human, judge, _ = made("share", 0, 2)
        human, judge = ({"a": of["new"], "b": of["new"].copy()} for of in (human, judge))
        return {("equal", 0): (human, judge, {}, ca.compare_judged(human, judge))}
    for seed in seeds_of(kind):
        human, judge, how = made(kind, seed, 2 + (seed == 1) + (kind in ("share", "other cases")))
        level = (0.95, 0.9, 0.95)[seed]
        found[kind, seed] = human, judge, how, ca.compare_judged(human, judge, level=level, **how)
    return found


@pytest.mark.parametrize("kind", [*KINDS, "far", "equal"])
def test_systems_are_compared_by_their_definition(kind):
    many = built(kind)
    if kind in KINDS:
        each_is_as_if_it_were_alone(kind, many)
    differences_are_adjusted_and_turn_around(many)
    for _, _, _, s in many.values():
        assert list(s.sentences) == list(sentences_of(s))
    documents_have_the_numbers(many)
    json_has_the_numbers(many)


def test_sentences_of_all_kinds_occur():
    results = built("share") | built("far") | built("other cases")
    said = " ".join(" ".join(s.sentences) for _, _, _, s in results.values())
    for words in ("higher", "No difference in", "ahead", "jointly", "also"):
        assert words in said


def each_is_as_if_it_were_alone(kind, many):
    for seed in seeds_of(kind):
        human, judge, how, s = many[kind, seed]
        how = {name: column for name, column in how.items() if name in ("cluster", "chance", "finite")}
        if "chance" in how and kind == "chance":
            pass
        bounds = None
        if kind == "grades":
            ends = [*human.values(), *judge.values()]
            bounds = (min(map(np.nanmin, ends)), max(map(np.nanmax, ends)))
        for one in s.systems:
            j = ca.judged(
                human[one.name],
                judge[one.name],
                level=s.level,
                bounds=bounds,
                **({} if bounds else {"positive": 1}),
                **how,
            )
            alone = j.measures["mean_grade" if bounds else "pass_rate"]
            wanted = (alone.estimate.value, alone.estimate.low, alone.estimate.high)
            if kind != "score":
                found = one.measured.estimate
                assert (found.value, found.low, found.high) == pytest.approx(wanted, abs=1e-9)
                assert one.measured.judge_alone == pytest.approx(alone.judge_alone)
                assert one.agreement.value == pytest.approx(j.judge["agreement"].value, abs=0.02)
            else:
                assert math.isnan(one.measured.judge_alone)
                assert one.agreement is None
            own, labels = one.measured.labels_alone, alone.labels_alone
            assert own.value == pytest.approx(labels.value)
            assert (one.n_cases, one.n_labels) == (j.n_cases, j.n_labels)
            assert one.measured.is_share == (bounds is None) == s.is_share
        assert s.measure == ("mean grade" if bounds else "share of '1'")
        values = {one.name: one.measured.estimate.value for one in s.systems}
        assert [one.rank for one in s.systems] == [*range(1, len(values) + 1)]
        assert list(values.values()) == sorted(values.values(), reverse=True)
        of_scores = [np.nanmean(judge[one.name]) for one in sorted(s.systems, key=lambda one: one.judge_rank)]
        if kind == "score":
            assert of_scores == sorted(of_scores, reverse=True)
        else:
            by_judge = [one.measured.judge_alone for one in sorted(s.systems, key=lambda one: one.judge_rank)]
            assert by_judge == sorted(by_judge, reverse=True)
            for one in s.differences:
                shares = {each.name: each.measured.judge_alone for each in s.systems}
                assert one.judge_difference == pytest.approx(shares[one.systems[0]] - shares[one.systems[1]])
                assert one.is_turned == (one.estimate.value * one.judge_difference < 0)
        facts = dict(s.facts)
        assert facts["systems"] == str(len(values))
        assert facts["human labels"] == f"{sum(one.n_labels for one in s.systems):,}"
        paired = sum(one.is_paired for one in s.differences)
        assert facts["pairs on the same cases"] == f"{paired} of {len(s.differences)}"
        assert facts["estimated for"] == ("these cases" if kind == "finite" else "new cases")
        assert ("human labels weighted" in facts) == (kind == "chance")
        assert facts.get("clusters") == (f"{len(np.unique(how['cluster'])):,}" if kind == "cluster" else None)


def holm(p):
    """Adjusted p-values, step by step."""
    order, most, adjusted = np.argsort(p), 0.0, np.empty(len(p))
    for k, place in enumerate(order):
        most = max(most, min(1.0, (len(p) - k) * p[place]))
        adjusted[place] = most
    return adjusted


def differences_are_adjusted_and_turn_around(many):
    for (kind, _), (human, judge, _, s) in many.items():
        p = [one.p for one in s.differences]
        if not np.isnan(p).any():
            assert [one.p_adjusted for one in s.differences] == pytest.approx(
                list(holm(p)) if len(p) > 1 else p
            )
        for one in s.differences:
            first, second = one.systems
            found, other = s[first, second], s[second, first]
            assert (found.value, found.low, found.high) == (-other.value, -other.high, -other.low)
            both = np.isfinite(human[first]) & np.isfinite(human[second])
            alone = [np.isfinite(human[name]).sum() for name in one.systems]
            assert one.is_paired == (2 * both.sum() >= max(alone)) or kind == "equal"
            assert one.n_labels == (both.sum() if one.is_paired else sum(alone))
            if one.estimate.has_interval and kind not in ("finite", "cluster"):
                is_far = one.estimate.low > 0 or one.estimate.high < 0
                assert is_far == (one.p < 1 - s.level)
            if not one.is_paired and kind != "cluster":
                each = {system.name: system.measured.estimate for system in s.systems}
                a, b = each[first], each[second]
                low = a.value - b.value - math.hypot(a.value - a.low, b.high - b.value)
                high = a.value - b.value + math.hypot(a.high - a.value, b.value - b.low)
                assert (found.value, found.low, found.high) == pytest.approx((a.value - b.value, low, high))
                assert one.n_cases == judge[first].size + judge[second].size
        assert (s.steps == ()) == all(one.is_paired for one in s.differences)
        if len(s.differences) == 1:
            assert s["difference"] is s.differences[0].estimate


def size_of(s, value):
    return f"{100 * value:.1f} percentage points" if s.is_share else f"{value:.3f}"


def value_of(s, value):
    return f"{100 * value:.1f}%" if s.is_share else f"{value:.3f}"


def shown(s, one):
    p, e = one.p if math.isnan(one.p_adjusted) else one.p_adjusted, one.estimate
    return p < 1 - s.level and (e.low > 0 or e.high < 0 or len(s.differences) > 1)


def sentences_of(s):
    """What a comparison says of its first two systems, of the others, and of the judge."""
    best, other = s.systems[:2]
    alone = {one.name: one.measured.estimate.value for one in s.systems}
    one = next(one for one in s.differences if {*one.systems} == {best.name, other.name})
    is_opposite = s[best.name, other.name].value < 0
    if is_opposite:
        best, other = other, best
    e = s[best.name, other.name]
    scale, digits = (100, 1) if s.is_share else (1, 3)
    limits = f"{scale * e.low:.{digits}f} to {scale * e.high:.{digits}f}"
    level, many = level_text(s.level), len(s.differences)
    tested = p_equation(one.p_adjusted) + (f", adjusted for {many} pairs (Holm)" if many > 1 else "")
    if shown(s, one):
        size = f"{size_of(s, e.value)} ({level} {limits}; {tested})"
        lead = f"{best.name} has a higher {s.measure} than {other.name}: "
        if one.is_paired:
            yield f"{lead}the difference is {size}."
        else:
            values = [value_of(s, alone[each.name]) for each in (best, other)]
            yield f"{lead}{' versus '.join(values)}, a difference of {size}."
    else:
        names = [
            f"{each.name}" if one.is_paired else f"{each.name} ({value_of(s, alone[each.name])})"
            for each in (best, other)
        ]
        unit = " percentage points" if s.is_share else ""
        yield (
            f"No difference in the {s.measure} was detected between {' and '.join(names)}: differences from "
            f"{limits}{unit} are compatible with the data ({level}; {tested})."
        )
    if one.is_paired:
        order = ", in the opposite order" if is_opposite else ""
        yield (
            f"Estimated for each system alone, the {s.measure} is {value_of(s, alone[best.name])} for {best.name} and "
            f"{value_of(s, alone[other.name])} for {other.name}{order}."
        )
        joint, apart = size_of(s, abs(e.value)), size_of(s, abs(alone[best.name] - alone[other.name]))
        if joint != apart:
            yield (
                f"The difference of {joint} is estimated from both systems jointly, so it is not exactly the "
                f"difference of these two values ({apart.split()[0]})."
            )
    judge = one.judge_difference if one.systems[0] == best.name else -one.judge_difference
    if size_of(s, abs(judge)) == size_of(s, 0.0):
        yield f"By the judge's uncorrected grades, the difference is {size_of(s, 0.0)}."
    elif not math.isnan(judge):
        place = "ahead" if judge > 0 else "behind"
        yield f"By the judge's uncorrected grades, {best.name} is {place} by {size_of(s, abs(judge))}."
    yield from others_of(s, best, other)
    if all(each.agreement is not None and each.agreement.has_interval for each in s.systems):
        ranked = sorted(s.systems, key=lambda each: each.agreement.value)
        low, high = ranked[0], max(s.systems, key=lambda each: each.agreement.value)
        texts = [percent(each.agreement.value, each.n_labels) for each in (low, high)]
        few = min(each.n_labels for each in s.systems) < 30
        said = f"{texts[0]} ({low.name}) to {texts[1]} ({high.name}) of answers"
        if texts[0] == texts[1]:
            said = f"{texts[0]} of each system's answers"
        doubt = " Differences in agreement are uncertain with fewer than 30 labels." if few else ""
        yield f"The judge agrees with humans in {said}.{doubt}"


def others_of(s, best, other):
    rest = [each.name for each in s.systems if each.name not in (best.name, other.name)]
    found = {True: [], False: []}
    for one in s.differences:
        if best.name in one.systems and {*one.systems} & {*rest} and shown(s, one):
            name = one.systems[1] if one.systems[0] == best.name else one.systems[0]
            found[s[best.name, name].value > 0].append(name)
    for is_below, names in found.items():
        if names:
            verb = "has" if len(names) == 1 else "have"
            word = "lower" if is_below else "higher"
            of_both = next(one for one in s.differences if {*one.systems} == {best.name, other.name})
            also = "also " if is_below and shown(s, of_both) else ""
            yield f"{some(names)} {also}{verb} a {word} {s.measure} than {best.name} (adjusted p < {1 - s.level:.2g})."
    if rest and not any(found.values()):
        yield f"No difference was detected between {best.name} and {some(rest)}."


def documents_have_the_numbers(many):
    for (kind, _), (_, _, _, s) in many.items():
        document = s.document()
        tables = {section.title: section.parts[0] for section in document.sections if section.parts}
        rows = tables[f"Systems by {s.measure}"].rows
        assert all(
            cell.whole
            for table in tables.values()
            if isinstance(table, Table)
            for row in table.rows
            for cell in row
            if isinstance(cell, Label)
        )
        for row, one in zip(rows, s.systems, strict=True):
            assert (row[0].text, row[1].value, row[2].estimate) == (
                one.name,
                one.n_labels,
                one.measured.estimate,
            )
            arrow = "" if one.rank == one.judge_rank else "↑ " if one.judge_rank < one.rank else "↓ "
            assert row[4].text == f"{arrow}{one.judge_rank}"
            assert row[4].tone == ("bad" if arrow else "plain")
            assert row[5].estimate == one.measured.labels_alone
            assert row[3].text == (
                "" if math.isnan(one.measured.judge_alone) else f"{one.measured.judge_alone:.3f}"
            )
        is_moved = any(one.rank != one.judge_rank for one in s.systems)
        assert (tables[f"Systems by {s.measure}"].note != "") == is_moved
        table = tables["Differences"]
        for row, one in zip(table.rows, s.differences, strict=True):
            assert (row[0].text, row[1].estimate) == (" minus ".join(one.systems), one.estimate)
            judge = one.judge_difference
            assert row[2].text == ("" if math.isnan(judge) else f"{judge:+.3f}")
            assert row[2].tone == ("bad" if one.is_turned else "plain")
            assert (row[3].value, row[4].text) == (
                pytest.approx(one.p_adjusted, nan_ok=True),
                "yes" if one.is_paired else "no",
            )
        is_several = len(s.differences) > 1
        assert table.columns[3].head == ("adjusted p" if is_several else "p")
        assert (table.foot, table.note) == ("Intervals are not adjusted." if is_several else "", "")
        assert ("Agreement of judge and humans" in tables) == (kind != "score")
        if kind != "score":
            of_judge = tables["Agreement of judge and humans"]
            for row, one in zip(of_judge.rows, s.systems, strict=True):
                assert (row[0].text, row[1].estimate) == (one.name, one.agreement)
                if kind == "time":
                    assert row[2].value == one.drift.p
            assert len(of_judge.columns) == (3 if kind == "time" else 2)
        assert ("Agreement over time" in tables, "By group" in tables) == (kind == "time", kind == "by")
        if kind == "time":
            wanted = [
                (one.name, str(t), m, e)
                for one in s.systems
                for t, m, e in zip(one.drift.times, one.drift.labels, one.drift.agreement, strict=True)
            ]
            assert [
                (r[0].text, r[1].text, r[2].value, r[3].estimate) for r in tables["Agreement over time"].rows
            ] == wanted
        if kind == "by":
            wanted = [
                (str(g), one.estimate, one.p_adjusted) for g, of in s.groups.items() for one in of.differences
            ]
            assert [(r[0].text, r[2].estimate, r[4].value) for r in tables["By group"].rows] == wanted
        sources, methods = " ".join(document.sources), " ".join(document.methods)
        assert ("Kish" in sources, "Armitage" in sources) == (kind == "chance", kind == "time")
        assert (f"P-values of {len(s.differences)} comparisons were adjusted" in methods) == is_several
        assert ("These cases and the judge are held fixed" in s.to_markdown()) == (kind == "finite")
        assert dict(document.facts)["confidence level"] == f"{100 * s.level:g}%"


def json_has_the_numbers(many):
    for (kind, _), (_, _, _, s) in many.items():
        written = s.to_dict()
        assert (written["measure"], written["level"], written["finite"]) == (
            s.measure,
            s.level,
            kind == "finite",
        )
        assert written["sentences"] == list(s.sentences)
        for row, one in zip(written["systems"], s.systems, strict=True):
            assert (row["system"], row["cases"], row["labels"]) == (one.name, one.n_cases, one.n_labels)
            assert (row["rank"], row["judge_rank"]) == (one.rank, one.judge_rank)
            assert row["corrected"]["value"] == one.measured.estimate.value
            assert row["labels_alone"]["value"] == one.measured.labels_alone.value
            assert (row["agreement"] is None, row["drift"] is None) == (kind == "score", kind != "time")
        for row, one in zip(written["differences"], s.differences, strict=True):
            assert (row["first"], row["second"]) == one.systems
            assert (row["cases"], row["labels"], row["merged"]) == (one.n_cases, one.n_labels, one.is_merged)
            assert (row["difference"]["value"], row["same_cases"]) == (one.estimate.value, one.is_paired)
            assert (row["p"], row["p_adjusted"]) == tuple(
                None if math.isnan(p) else p for p in (one.p, one.p_adjusted)
            )
        assert [row["group"] for row in written["groups"]] == [*s.groups]


@pytest.mark.parametrize("kind", ["share", "grades", "cluster", "time", "chance", "by"])
def test_rows_of_one_answer_are_columns_of_systems(kind):
    human, judge, how = made(kind, 0, 3)
    n = len(human["new"])
    order = np.random.default_rng(1).permutation(3 * n)
    long = {name: np.tile(column, 3)[order] for name, column in how.items()}
    s = ca.compare_judged(
        np.concatenate([*human.values()])[order],
        np.concatenate([*judge.values()])[order],
        system=np.repeat([*human], n)[order],
        id=np.tile(np.arange(n), 3)[order],
        **long,
    )
    wide = ca.compare_judged(human, judge, **how)
    for one in s.differences:
        found, wanted = s[one.systems], wide[one.systems]
        assert (found.value, found.low, found.high) == pytest.approx((wanted.value, wanted.low, wanted.high))
    assert {w.code for w in s.warnings} == {w.code for w in wide.warnings}
    apart = ca.compare_judged(
        np.concatenate([*human.values()]), np.concatenate([*judge.values()]), system=np.repeat([*human], n)
    )
    assert not any(one.is_paired for one in apart.differences)


def test_the_order_of_cases_and_the_names_of_systems_change_nothing():
    human, judge, _ = made("share", 0, 3)
    order = np.random.default_rng(2).permutation(len(human["new"]))
    s = ca.compare_judged(human, judge)
    moved = ca.compare_judged(
        {k: v[order] for k, v in human.items()}, {k: v[order] for k, v in judge.items()}
    )
    named = ca.compare_judged(
        {f"the {k}": human[k] for k in reversed(human)}, {f"the {k}": judge[k] for k in reversed(judge)}
    )
    for one in s.differences:
        wanted = pytest.approx((one.estimate.value, one.estimate.low, one.estimate.high))
        for found in (moved[one.systems], named[f"the {one.systems[0]}", f"the {one.systems[1]}"]):
            assert (found.value, found.low, found.high) == wanted


def test_a_test_of_agreement_between_systems_warns_below_one_percent():
    """Fisher's exact test of the labels that the judge agrees with."""
    for n, right in ((200, (180, 150)), (200, (180, 165)), (60, (55, 44)), (60, (55, 41))):
        human = {name: np.concatenate([np.arange(n) % 2, np.full(50, np.nan)]) for name in "ab"}
        judge = {name: np.nan_to_num(human[name]) for name in "ab"}
        for name, number in zip("ab", right, strict=True):
            judge[name][number:n] = 1 - judge[name][number:n]
        p = stats.fisher_exact([[right[0], n - right[0]], [right[1], n - right[1]]]).pvalue
        s = ca.compare_judged(human, judge)
        texts = [w.text for w in s.warnings if w.code == "unequal_judge"]
        assert (len(texts) == 1) == (p < 0.01)
        assert all(f"({p_equation(p)})" in text for text in texts)


def test_a_measure_that_is_unknown_is_refused():
    human, judge, _ = made("share", 0, 3)
    s = ca.compare_judged(human, judge)
    for name in ("newer", ("new", "newer"), ("new",), "difference", ("new", "new")):
        with pytest.raises(ca.UnknownMeasureError, match="no measure"):
            s[name]
    assert quote("1") in s.measure
