"""The nets themselves: a mutant is another program that parses, and the golden run tells what changed."""

import ast
import json
from pathlib import Path

from bench import golden, mutants

ROOT = Path(mutants.__file__).parents[1]


def test_a_mutant_is_another_program():
    made = mutants.drawn(60, 1, ["curves"])
    assert len({(each.file, each.line) for each in made}) == 60
    assert len({each.kind for each in made}) >= 5
    assert made == mutants.drawn(60, 1, ["curves"])
    for each in made:
        clean = (ROOT / each.file).read_bytes()
        assert clean[each.start : each.end].decode() == each.old
        assert ast.dump(ast.parse(each.applied(clean))) != ast.dump(ast.parse(clean)), each


def test_the_golden_run_tells_what_changed(tmp_path, capsys):
    one = next(golden.data_sets())
    a = golden.assessed(one, {})
    lines = [
        f"{one.name} two, alike\tassess\t{name}\t{json.dumps(golden.plain(a[name]))}"
        for name in ("recall", "roc_auc")
    ]
    before, after = tmp_path / "before", tmp_path / "after"
    before.write_text("\n".join(lines))
    after.write_text("\n".join(lines))
    assert not golden.compare(before, after)
    value = a["roc_auc"].value
    after.write_text("\n".join(lines).replace(repr(value), repr(value * 1.01)))
    assert golden.compare(before, after)
    told = capsys.readouterr().out
    assert "assess: roc_auc: 1 of 1 changed" in told
    assert "largest relative difference 0.0099" in told
    assert "recall" not in told.partition("changed,")[2]


def test_the_golden_run_knows_all_kinds_of_data():
    kinds = [each.kind for each in golden.data_sets()]
    assert len(kinds) == 200
    assert {*kinds} == {*golden.KINDS}
