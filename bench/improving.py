"""Taking the loss of a learner apart, against mlxtend: the same number of fits, and what stands around them."""

from collections.abc import Iterator

from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from bench.cases import case
from bench.resampling import learnable
from bench.timing import Figure, versus

ROUNDS = 200


@case
def decompose() -> Iterator[Figure]:
    from mlxtend.evaluate import bias_variance_decomp

    x, y = learnable(1500)
    train, test, y_train, y_test = train_test_split(x, y, test_size=1 / 3, random_state=0, stratify=y)
    tree = DecisionTreeClassifier(random_state=0)
    for loss, theirs in (("0-1", "0-1_loss"), ("squared", "mse")):

        def ours(n_jobs: int, loss: str = loss) -> None:
            d = ca.decompose(
                tree, train, y_train, test=(test, y_test), rounds=ROUNDS, loss=loss, n_jobs=n_jobs
            )
            assert d["variance"].value > 0

        def mlxtend(loss: str = theirs) -> None:
            bias_variance_decomp(
                tree, train, y_train, test, y_test, loss=loss, num_rounds=ROUNDS, random_seed=0
            )

        for jobs, wanted in ((1, "1×"), (2, "1.8×")):
            yield versus(
                f"decompose, {ROUNDS} rounds of a tree, {loss} loss, {jobs} worker{'s' if jobs > 1 else ''}",
                lambda jobs=jobs, ours=ours: ours(jobs),
                "mlxtend bias_variance_decomp",
                mlxtend,
                wanted,
                runs=3,
                peer_runs=3,
            )
