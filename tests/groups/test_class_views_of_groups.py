"""What groups of cases add to `assessment/test_class_views.py`."""

from command import call


def test_a_class_that_is_named_like_a_group_says_what_to_write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{y},{y},{'ns'[k % 2]}\n" for k in range(60) for y in ("r=n", "r=s", "cat"))
    (tmp_path / "p.csv").write_text(f"y,l,r\n{rows}")
    how = ("assess", "p.csv", "--truth", "y", "--prediction", "l", "--by", "r", "--require")
    said = call(*how, "recall[r=n] > 0.5").stderr
    assert 'r=n is a group. Write the class of this name as recall["r=n"].' in said
    assert call(*how, 'recall["r=n"] > 0.5').exit_code == 0
    assert "Write the group of this name as recall[r=n]." in call(*how, "recall[n] > 0.5").stderr
