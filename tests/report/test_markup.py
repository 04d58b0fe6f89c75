import re

import numpy as np
import pytest

import classay as ca
from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import Comparisons, by_rule
from classay.comparison.named_tests import methods_text
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.report import words
from classay.report.document import Column, Document, EstimateCell, Label, MethodCell, Section, Table, Words
from classay.report.html import cells, heads, style
from classay.report.paper import as_latex, as_markdown
from classay.tables import ConfusionMatrix
from sample_results import RESULTS


def compared(models, low, high, **more):
    effect = Estimate((low + high) / 2, low, high, 0.95, "DeLong")
    return Comparison(models, "roc_auc", effect, 0.3, "z, DeLong", "test cases").changed(**more)


@pytest.mark.parametrize("title", ["", "Section"])
@pytest.mark.parametrize("foot", ["", "The foot."])
def test_markup_has_no_empty_title_and_every_method(title, foot):
    found = Estimate(0.9, 0.8, 0.95, 0.95, "Wilson")
    columns = (Column("measure", Label), Column("value", EstimateCell), Column("CI method", MethodCell))
    table = Table(columns, ((Label("recall"), EstimateCell(found), MethodCell(found)),), foot=foot)
    made = Document("Whole", sections=(Section(title, (table,)),))
    caption = re.search(r"\\caption\{(.*)\}", as_latex(made))[1]
    assert caption == " ".join(filter(None, [f"{title or 'Whole'}.", foot, "Intervals: Wilson."]))
    assert all(line.strip("# ") for line in as_markdown(made).splitlines() if line.startswith("#"))
    assert "Wilson" in as_markdown(made)


@pytest.mark.parametrize(("shown", "hidden"), [(30, 0), (30, 4), (0, 30), (1, 30)])
def test_the_verdict_counts_every_comparison(shown, hidden):
    """Sentences and the numbers of the others add up to all comparisons; equivalence is no difference."""
    pairs = [(f"a{k}", f"b{k}") for k in range(shown + hidden)]
    each = [
        by_rule(compared(pair, -0.001, 0.001) if k < shown else compared(pair, -0.1, 0.1), "equivalent", 0.01)
        for k, pair in enumerate(pairs)
    ]
    verdict = (
        Comparisons(tuple(each), tuple(name for pair in pairs for name in pair), (), 0.95).document().verdict
    )
    said = sum(" is equivalent to " in sentence for sentence in verdict)
    counts = [
        int(found)
        for each in verdict
        for found in re.findall(r"(\d+) (?:other )?(?:comparisons|pairs)\.$", each)
    ]
    assert said + sum(counts) == shown + hidden
    assert not any("No difference" in each for each in verdict)


def test_methods_say_what_rules_show_and_cite_only_what_there_is():
    found = compared(("a", "b"), -0.1, 0.1)
    text = methods_text([by_rule(found, "not-worse", None)], 0.95)
    assert "must exclude" not in text
    assert "Passing is not evidence of equal performance" in text
    delong = "DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837."
    assert text.endswith(f"\n\nReferences: {delong}")
    assert "must exclude a loss of the first model" in methods_text(
        [by_rule(found, "non-inferior", 0.01)], 0.95
    )
    assert methods_text([compared(("a", "b"), -0.1, 0.1, reference="Source 1988")], 0.95).endswith(
        f"\n\nReferences: Source 1988; {delong}"
    )


def test_saved_assessments_without_a_common_measure_are_refused():
    y, ids = np.arange(400) % 2, np.arange(400)
    labels, scores = ca.assess(y, y_pred=y, id=ids), ca.assess(y, np.linspace(-5, 5, 400), id=ids)
    with pytest.raises(InputError, match="share no measure that is compared by default"):
        ca.compare({"labels": labels, "scores": scores})


def test_tables_show_counts_in_full():
    counts = np.array([[1_000_001, 2], [3, 1_000_567]])
    assert f"{counts.sum():,} cases" in repr(ConfusionMatrix(counts, (0, 1)))


@pytest.mark.parametrize(
    "name", ["[new]", "[", "*", "[2ex]", "{}", "\\\\", "a&b", "50%", "$x$", "\x1b[31m", "\u202e"]
)
def test_no_name_is_a_command_of_latex(name):
    """After the end of a row, a bracket begins a length and a star an option of the row."""
    y, p = [0, 1] * 20, [i % 7 / 7 for i in range(40)]
    text = ca.compare({name: p, "old": p[::-1]}, y, measures=["roc_auc", "recall"]).to_latex()
    rows = text.split("\\\\\n")
    assert len(rows) > 2
    assert not any(row.lstrip().startswith(("[", "*")) for row in rows)
    assert text.count("{") - text.count("\\{") == text.count("}") - text.count("\\}")
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize("name", RESULTS)
def test_a_head_stands_on_the_side_of_its_cells(name):
    """Left over words, right over numbers; and only of pairs of the same models is a table a square."""
    for table in RESULTS[name]().document().tables:
        for k, column in enumerate(table.columns):
            (head, *_) = heads(table, k)
            drawn = [next(cells(table, row, [k], words.Notes())) for row in table.rows if row[k]]
            sides = {each["is_number"] for each in drawn if "is_number" in each}
            if column.kind is Words and len(sides) == 1:
                assert head["is_number"] == sides.pop(), (table.title, column.head)
        if style(table, is_beside=False) == "square":
            assert [column.head for column in table.columns[-len(table.rows) :]] == [
                str(k + 1) for k in range(len(table.rows))
            ]
