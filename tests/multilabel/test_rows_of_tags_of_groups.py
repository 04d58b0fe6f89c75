"""Groups of cases with tags: each is assessed as its own rows are, called as the whole is; rows without a group."""

import numpy as np
import pytest
import scipy.sparse as sp

import classay as ca
from classay.errors import InputError
from samples import tag_rows

N = 60
Y, P = tag_rows(np.random.default_rng(41), N, 3, share=0.4)
C = (P >= 0.6).astype(int)
SITE = np.array(["north", "south", "west"])[np.arange(N) * 7 % 3]
NAMES = ("micro_f1", "macro_f1", "exact_match")
pytestmark = pytest.mark.wings("groups")


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"threshold": 0.3},
        {"threshold": [0.2, 0.4, 0.6]},
        {"top": 1},
        {"weight": np.linspace(1, 2, N)},
        {"frequency": 1 + np.arange(N) % 3},
        {"cluster": np.arange(N) // 2},
        {"level": 0.8, "seed": 3},
    ],
)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_group_is_what_its_rows_are(how, kind):
    if kind is sp.csr_array and "cluster" in how:
        how = {**how, "threshold": 0.5}
    s = ca.assess_by(Y, kind(P), by=SITE, **how)
    for label, one in s.groups.items():
        rows = np.flatnonzero(label == SITE)
        given = {
            name: np.asarray(each)[rows] if name in ("weight", "frequency", "cluster") else each
            for name, each in how.items()
        }
        alone = ca.assess(Y[rows], kind(P[rows]), **given)
        assert one.n == alone.n
        assert (one.task.cutoffs, one.task.top) == (alone.task.cutoffs, alone.task.top)
        assert one.task.cutoff_chosen == s.overall.task.cutoff_chosen == ("threshold" in how or "top" in how)
        for name in NAMES:
            found, wanted = one[name], alone[name]
            assert [found.value, found.low, found.high] == pytest.approx(
                [wanted.value, wanted.low, wanted.high], abs=1e-9
            ), (label, name)
    assert s.overall.estimates(NAMES) == ca.assess(Y, kind(P), **how).estimates(NAMES)
    assert [*s.groups] == ["north", "south", "west"]


def test_predicted_tags_of_groups_are_those_of_their_rows():
    s = ca.assess_by(Y, y_pred=C, by=SITE)
    for label, one in s.groups.items():
        rows = label == SITE
        assert one.estimates(NAMES) == ca.assess(Y[rows], y_pred=C[rows]).estimates(NAMES)
    raw = ca.assess_by(Y, 9 * P, by=SITE)
    for label, one in raw.groups.items():
        assert one.task.tags is None
        assert (
            one["micro_roc_auc"].value == ca.assess(Y[label == SITE], P[label == SITE])["micro_roc_auc"].value
        )


def test_rows_without_a_group_are_refused_or_shown_on_their_own():
    by = SITE.astype(object)
    by[[4, 9]] = None
    with pytest.raises(
        InputError, match=r"group is missing in 2 rows\. Fill in the values, or use missing='drop'"
    ):
        ca.assess_by(Y, P, by=by)
    s = ca.assess_by(Y, P, by=by, missing="drop")
    assert sum(one.n for one in s.groups.values()) == N - 2
    assert s.overall.n == N
    with pytest.raises(InputError, match="by has 59 rows, but truth has 60"):
        ca.assess_by(Y, P, by=SITE[1:])
    with pytest.raises(ca.ClassayError, match="No included row has a recorded group"):
        ca.assess_by(Y, P, by=[None] * N, missing="drop")


def test_groups_of_weight_0_have_no_case_that_counts():
    weight = np.where(SITE == "west", 0.0, 1.0)
    s = ca.assess_by(Y, P, by=SITE, weight=weight)
    assert [*s.groups] == ["north", "south"]
    assert s.overall.rows == int((weight > 0).sum())
    assert s.uncounted == ("west",)
    assert "All rows of 'west' have weight 0 or were excluded." in " ".join(str(s).split())


def test_rows_of_a_case_and_a_tag_share_their_group_and_cluster():
    case, tag = np.divmod(np.arange(3 * N), 3)
    order = np.random.default_rng(0).permutation(3 * N)
    case, tag = case[order], tag[order]
    long = {"case": case, "tag": np.array(["a", "b", "c"])[tag]}
    s = ca.assess_by(Y[case, tag], P[case, tag], by=SITE[case], **long)
    wide = ca.assess_by(Y, P, by=SITE, labels=["a", "b", "c"])
    assert {*s.groups} == {*wide.groups}
    for label, one in s.groups.items():
        for name in NAMES:
            assert one[name].value == pytest.approx(wide.groups[label][name].value)
    by = SITE.astype(object)
    by[4] = None
    dropped = ca.assess_by(Y[case, tag], P[case, tag], by=by[case], missing="drop", **long)
    assert sum(one.n for one in dropped.groups.values()) == N - 1
    with pytest.raises(InputError, match=r"by differs between the rows of one case\. Pass one by"):
        ca.assess_by(Y[case, tag], P[case, tag], by=tag, **long)
