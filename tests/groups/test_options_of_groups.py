"""What groups of cases add to `cli/test_options.py`."""

from pathlib import Path

from command import call, json_of

ROWS = ("p.csv", "--truth", "y", "--score", "p")


def test_several_columns_of_groups_are_groups_of_their_combinations(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{i % 2},{i * 7 % 11 / 11:.3f},{i % 3 % 2},{i % 5 % 2}" for i in range(120)]
    Path("p.csv").write_text("\n".join(["y,p,l,m", *lines]) + "\n")
    rows = [line.split(",") for line in Path("p.csv").read_text(encoding="utf-8").splitlines()]
    at = [rows[0].index(name) for name in ("l", "m")]
    pairs = {(int(row[at[0]]), int(row[at[1]])) for row in rows[1:]}
    both = json_of("assess", *ROWS, "--by", "l,m")["slices"]
    assert {tuple(each["values"]) for each in both["groups"]} == pairs
    assert {each["label"] for each in both["groups"]} == {f"l={l}, m={m}" for l, m in pairs}
    assert both["by"] == "l, m"
    first = both["groups"][0]["label"]
    demand = f"accuracy[{first}] >= 0 and accuracy <= 1 and expected_cost[{first}].low >= 0"
    found = json_of(
        "assess", *ROWS, "--by", "l,m", "--reference", first, "--require", demand, "--cost", "fp=1"
    )
    assert found["slices"]["reference"] == first
    one = both["groups"][0]["measures"]["accuracy"]["estimate"]
    assert found["requirements"][0]["estimate"] == one != found["requirements"][1]["estimate"]
    wrong = call("assess", *ROWS, "--by", "l,none")
    assert wrong.exit_code == 2
    assert "no column 'none'" in wrong.stderr
