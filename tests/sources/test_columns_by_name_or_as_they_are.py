"""With a frame, every argument that takes a column takes its name, and the column itself, and means the same."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import classay as ca

N = 240
rng = np.random.default_rng(5)
Y = np.arange(N) % 3 == 0
COLUMNS = {
    "y": Y.tolist(),
    "p": np.round(0.4 * Y + 0.6 * rng.random(N), 3).tolist(),
    "q": np.round(0.3 * Y + 0.7 * rng.random(N), 3).tolist(),
    "said": (np.arange(N) % 4 == 0).tolist(),
    "w": (rng.random(N) + 0.5).tolist(),
    "times": rng.integers(1, 4, N).tolist(),
    "ward": (np.arange(N) // 6).tolist(),
    "case": [f"c{i}" for i in range(N)],
    "site": np.where(np.arange(N) % 5 < 2, "north", "south").tolist(),
    "Amount (EUR)": rng.gamma(2.0, 50.0, N).round(2).tolist(),
}
FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "arrow": pa.table,
    "dict": dict,
}
FORMS = {"list": list, "array": np.asarray, "pandas": pd.Series, "polars": pl.Series, "arrow": pa.array}
ROLES = {"weight": "w", "frequency": "times", "cluster": "ward", "id": "case"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_a_name_or_a_column(role, form):
    for made in FRAMES.values():
        frame = made(COLUMNS)
        by_name = ca.assess(frame, truth="y", score="p", **{role: ROLES[role]})
        given = ca.assess(frame, truth="y", score="p", **{role: FORMS[form](COLUMNS[ROLES[role]])})
        assert given["roc_auc"] == by_name["roc_auc"]
        assert given["recall"] == by_name["recall"]


def amounts_of(frame):
    """The same amounts, in every form they may be given, with the name that costs use."""
    column = COLUMNS["Amount (EUR)"]
    return [
        *((each, "Amount (EUR)") for each in ("Amount (EUR)", ["Amount (EUR)"])),
        *(
            ({"amount": each}, "amount")
            for each in ("Amount (EUR)", *(made(column) for made in FORMS.values()))
        ),
    ]


@pytest.mark.parametrize("kind", FRAMES)
def test_amounts_of_a_frame(kind):
    """By the names of its columns, or by names of one's own for columns or their names."""
    frame = FRAMES[kind](COLUMNS)
    found = [
        ca.assess(frame, truth="y", score="p", amounts=amounts)
        .expected_cost(ca.Costs(fp=5, fn=name))
        .per_case
        for amounts, name in amounts_of(frame)
    ]
    assert found == [found[0]] * len(found)
    compared = [
        ca.compare(
            frame,
            truth="y",
            scores=["p", "q"],
            threshold=0.5,
            amounts=each,
            measures=[ca.Costs(fp=5, fn=name)],
        )
        for each, name in amounts_of(frame)
    ]
    assert [each[0].effect for each in compared] == [compared[0][0].effect] * len(compared)


@pytest.mark.parametrize("role", ["weight", "frequency", "cluster"])
def test_models_in_a_frame_and_in_a_frame_each(role):
    column = COLUMNS[ROLES[role]]
    frame = pd.DataFrame(COLUMNS)
    how = {"truth": "y", "measures": ["roc_auc"]}
    one = [ca.compare(frame, scores=["p", "q"], **how, **{role: each}) for each in (ROLES[role], column)]
    assert one[0][0].effect == one[1][0].effect
    frames = {"p": frame, "q": frame.assign(p=frame["q"])}
    each = [ca.compare(frames, scores="p", **how, **{role: given}) for given in (ROLES[role], column)]
    assert each[0][0].effect == each[1][0].effect == one[0][0].effect


def test_a_column_of_periods():
    """An assessment keeps no columns: the one of periods is passed itself, and a name says so."""
    frame = pd.DataFrame(COLUMNS)
    a = ca.assess(frame, truth="y", score="p")
    costs = ca.Costs(fp=1, fn=5)
    found = a.threshold(cost=costs, top=30, per=frame["site"])
    assert found.threshold == a.threshold(cost=costs, top=30, per=2).threshold
    with pytest.raises(ca.InputError, match=r"per='site' cannot be found.*per=frame\['site'\]"):
        a.threshold(cost=costs, top=30, per="site")
