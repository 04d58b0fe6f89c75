"""What periods of time add to `assessment/test_mistaken.py`."""

import numpy as np
import pytest

import classay as ca
from assessment.test_mistaken import of_columns, rows


def doors():
    """What each door makes of a truth, a first model's scores and another's."""

    def by_group(y, p, q):
        return ca.assess_by(y, p, by=np.arange(len(y)) % 3)

    def over_time(y, p, q):
        days = np.datetime64("2026-01-01") + np.sort(np.arange(len(y)) % 8)
        order = np.random.default_rng(5).permutation(len(y))
        return ca.assess_over_time(y[order], p[order], time=days)

    return {
        "assess": lambda y, p, q: ca.assess(y, p),
        "assess_by": by_group,
        "assess_over_time": over_time,
        "compare": lambda y, p, q: ca.compare({"p": p, "q": q}, y),
        "compare by groups": lambda y, p, q: ca.compare({"p": p, "q": q}, y, by=np.arange(len(y)) % 3),
        "compare assessments": lambda y, p, q: ca.compare_unpaired(
            {"p": ca.assess(y, p), "q": ca.assess(y, q)}
        ),
        "gate": lambda y, p, q: ca.gate(ca.compare({"p": p, "q": q}, y, measures=["roc_auc"]), "superior"),
        "best": lambda y, p, q: ca.best_of({"p": p, "q": q}, y, measure="roc_auc"),
        "decide": lambda y, p, q: ca.assess(y, p).threshold(cost=ca.Costs(fp=1, fn=5)),
        "prevalence": lambda y, p, q: ca.assess(y, p).at_prevalence(0.1),
        "segments": lambda y, p, q: ca.assess_by(
            {"y": y, "p": p, "plan": np.arange(len(y)) % 4}, truth="y", score="p", by="*"
        ),
    }


@pytest.mark.parametrize("door", doors())
def test_every_door_tells_what_assess_tells(door):
    _, y, p = rows()
    turned = 1 - p
    wanted = of_columns(ca.assess(y, turned))
    assert wanted == {"auc_below_half"}
    found = doors()[door](y, turned, p)
    assert of_columns(found) >= wanted
    (warned,) = (each for each in found.warnings if each.code == "auc_below_half")
    assert warned.concerns == (("p",) if "q" in str(getattr(found, "models", "")) else warned.concerns)
    assert "ranks the classes in reverse" in " ".join(found.to_markdown().split())
    values = found.to_dict()
    values = values.get("all_cases", values)  # of groups of cases
    told = [each for each in values["warnings"] if each["code"] == "auc_below_half"]
    assert len(told) == 1
    assert told[0].get("concerns", []) == list(warned.concerns)
    silent = doors()[door](y, p, np.clip(p + 0.01, 0, 1))
    assert not of_columns(silent) - {"certain_and_wrong"}


@pytest.mark.parametrize("unanswered", ["drop", "wrong"])
def test_exchanged_columns_are_told_where_some_cases_are_not_answered(unanswered):
    _, y, p = rows()
    truth, lacking = (
        np.where(y, "bad", "good"),
        np.where(np.arange(len(y))[:, None] % 9 == 0, np.nan, np.c_[1 - p, p]),
    )
    half, other = np.arange(len(y)) < len(y) // 2, np.where(np.isnan(lacking), np.c_[p, 1 - p], lacking)
    how = {"positive": "bad", "unanswered": unanswered}
    models, time = {"a": lacking, "b": other}, np.arange(len(y)) % 4
    for found in (
        ca.assess(truth, lacking, **how),
        ca.assess_by(truth, lacking, by=half, **how),
        ca.assess_over_time(truth, lacking, time=time, measures=["roc_auc"], **how),
        ca.assess(truth[half], lacking[half], **how) + ca.assess(truth[~half], lacking[~half], **how),
        ca.compare(models, truth, measures=["roc_auc"], **how),
        ca.compare(models, truth, by=half, measures=["roc_auc"], **how),
    ):
        assert "exchanged_columns" in {each.code for each in found.warnings}
