"""Remedies: what may help a learner that errs, against bias, variance or imbalance, and their registry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import ceil, inf, log10
from typing import Any, Literal, get_args

import numpy as np

from classay.errors import InputError, nearest
from classay.improving.ingredients import MEMBERS, RemedyContext, spread_of

Against = Literal[
    "missing_codes",
    "categories",
    "scale",
    "irrelevant_features",
    "variance",
    "bias",
    "imbalance",
    "miscalibration",
]
"""The causes that something can be done about."""
AGAINST: tuple[Against, ...] = get_args(Against)
MEASURES: dict[str, str] = {"imbalance": "balanced_accuracy", "miscalibration": "brier_score"}
"""What a remedy is judged by, where that is not the error rate: those against imbalance trade errors of the rare class
for more of the frequent one, and a calibration changes probabilities."""

Stage = Literal["columns", "settings", "rivals", "members", "classes", "probabilities"]
"""What a remedy changes: the columns, the learner's own settings, the learner for a rival of another kind, the number
of its members, the weights of the classes, or what it makes of its scores."""
COSTS: dict[Stage, int] = {
    "columns": 1,
    "settings": 3,
    "classes": 3,
    "probabilities": 3,
    "members": 5,
    "rivals": 6,
}
"""The order of cost: of remedies that are not shown to differ, the one with the lowest is advised."""


@dataclass(frozen=True)
class Remedy:
    """A change of a learner that may help against one cause of its errors.

    `make` gives another estimator for a `RemedyContext`, a `SupportedLearner` with what in the data speaks for it, or a
    text that says why this remedy does not apply. `cost` is its place in the order of simplicity, 1 the simplest.
    """

    name: str
    title: str
    against: Against
    reference: str
    make: Callable[[RemedyContext], Any]
    stage: Stage = "members"
    cost: int = COSTS["members"]

    @property
    def measure(self) -> str:
        """The measure by which it is compared with the learner, of two classes."""
        return MEASURES.get(self.against, "error_rate")

    def measure_of(self, classes: int) -> str:
        """Return the measure for this number of classes."""
        return "multiclass_brier_score" if self.measure == "brier_score" and classes > 2 else self.measure


@dataclass(frozen=True)
class SupportedLearner:
    """An estimator, and a sentence that says what in the data speaks for it."""

    estimator: Any
    sentence: str


REMEDIES: dict[str, Remedy] = {}
"""All that are known, by their names, in the order in which they are tried."""


def remedy(
    name: str,
    title: str,
    *,
    against: Against,
    reference: str,
    stage: Stage = "members",
    cost: int | None = None,
) -> Callable[[Callable[[RemedyContext], Any]], Callable[[RemedyContext], Any]]:
    """Register a function from a `RemedyContext` to another estimator, or to the reason why it does not apply.

    `cost` is that of its `stage` (`COSTS`) unless another is given.

    >>> from sklearn.linear_model import LogisticRegression
    >>> @remedy("logistic", "Logistic regression", against="bias", reference="Cox 1958", stage="rivals")
    ... def logistic(situation):
    ...     return situation.with_model(LogisticRegression())
    >>> entry = REMEDIES.pop("logistic")
    >>> entry.measure, entry.cost
    ('error_rate', 6)
    """

    def register(make: Callable[[RemedyContext], Any]) -> Callable[[RemedyContext], Any]:
        if against not in AGAINST:
            raise InputError(f"against must be one of {', '.join(AGAINST)}, but is {against!r}.")
        remedy_cost = COSTS[stage] if cost is None else cost
        REMEDIES[name] = Remedy(name, title, against, reference, make, stage, remedy_cost)
        return make

    return register


REFERENCE = "Hastie, Tibshirani & Friedman 2009, The Elements of Statistical Learning, 7"
NO_SETTING = "none of its settings is known to {do} it"
WIDEST = 1e-6, 1e6
"""Twelve decades, between which a setting on a log scale is looked for."""
LEAVES = (1, 2, 5, 10, 20, 50, 100, 200, 500)
NEIGHBOURS = (1, 3, 5, 9, 15, 25, 41, 61, 101, 161, 251)
DEPTHS = (1, 2, 3, 5, 8, 12, 20, None)
NODES = (2, 4, 8, 16, 32, 64, 128, 256, None)
SHARES = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.6, 1.0)
Values = list[Any]
Axis = Callable[[Any, RemedyContext], tuple[Values, Values]]
"""From the present value to stricter and freer ones, each list from the nearest to the farthest."""


@remedy("regularisation", "Regularisation", against="variance", reference=REFERENCE, stage="settings")
def regularisation(situation: RemedyContext) -> Any:
    """The learner's own settings, as they are or stricter, over twelve decades, chosen inside the training cases."""
    axes = axes_of(situation, 0)
    return situation.with_model(situation.searched(axes)) if axes else NO_SETTING.format(do="restrain")


@remedy("flexibility", "A more flexible setting", against="bias", reference=REFERENCE, stage="settings")
def flexibility(situation: RemedyContext) -> Any:
    """The learner's own settings, as they are or freer, over twelve decades, chosen inside the training cases."""
    axes = axes_of(situation, 1)
    return situation.with_model(situation.searched(axes)) if axes else NO_SETTING.format(do="free")


def axes_of(situation: RemedyContext, way: int) -> list[list[dict[str, Any]]]:
    """Return an axis for each setting that can be made stricter (`way` 0) or freer (1), from the present value on.

    Of an ensemble, of which each fit is many, only the first one, and a few of its values.
    """
    axes = []
    for name, values in SETTINGS.items():
        if name not in situation.settings:
            continue
        present = situation.settings[name]
        others = values(present, situation)[way]
        settings = [entry if isinstance(entry, dict) else {name: entry} for entry in others]
        if settings:
            axes.append([{name: present}, *settings])
    return [axes[0][:1] + axes[0][1::2]] if axes and situation.is_ensemble else axes


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _log(strict: str, low: float = WIDEST[0], high: float = WIDEST[1]) -> Axis:
    """Half decades from the present value to the end of the range; `strict` says which end restrains."""

    def values(present: Any, _: RemedyContext) -> tuple[Values, Values]:
        if not _is_number(present) or present < 0 or present == inf:
            return [], []
        if present == 0:
            above = _half_decades(low, high)
            return (above, []) if strict == "high" else ([], above)
        down, up = _half_decades(present, low)[1:], _half_decades(present, high)[1:]
        return (down, up) if strict == "low" else (up, down)

    return values


def _half_decades(start: float, end: float) -> list[float]:
    """From one number to another in steps of half a decade, the first included; nothing beyond the end.

    >>> [f"{value:.3g}" for value in _half_decades(1e-5, 1e-3)]
    ['1e-05', '3.16e-05', '0.0001', '0.000316', '0.001']
    """
    steps = round(2 * abs(log10(end) - log10(start)))
    sign = 1 if end > start else -1
    return [start * 10 ** (sign * k / 2) for k in range(steps + 1)]


def _gamma(present: Any, situation: RemedyContext) -> tuple[Values, Values]:
    """The width of a kernel: six decades on both sides of what "scale" is; of other learners gamma is another thing."""
    kernel = situation.settings.get("kernel", "rbf" if "n_components" in situation.settings else None)
    if kernel not in ("rbf", "poly", "sigmoid"):
        return [], []
    if _is_number(present) and present > 0:
        return _log("low", 1e-9, 1e6)(present, situation)
    gamma = scale_gamma(situation)
    return _half_decades(gamma, gamma * 1e-6)[1:], _half_decades(gamma, gamma * 1e6)[1:]


def scale_gamma(situation: RemedyContext) -> float:
    """Return what "scale" means for these cases: one over the number of features and their variance."""
    features = max(situation.features or 1, 1)
    numbers = None if situation.is_pipeline else situation.numbers
    variance = 1.0 if numbers is None else float(np.nanvar(numbers))
    return 1 / (features * variance) if variance > 0 else 1.0


def _counts(known: tuple[Any, ...], strict: str, most: float = 1.0) -> Axis:
    """Whole numbers, up to a share of the rows; None among them says that it is a value, the freest one."""
    none, known = None in known, tuple(number for number in known if number is not None)

    def values(present: Any, situation: RemedyContext) -> tuple[Values, Values]:
        if (present is None and not none) or not (present is None or isinstance(present, int)):
            return [], []
        present_number = inf if present is None else present
        below = [number for number in known if number < present_number][::-1]
        above = [number for number in known if present_number < number <= most * situation.rows]
        freest = [None] if none and present is not None else []
        return (below, [*above, *freest]) if strict == "low" else (above, below)

    return values


def _counts_or_shares(least: int) -> Axis:
    """Cases that a leaf or a split needs: a whole number counts them, another number is a share of the rows."""

    def values(present: Any, situation: RemedyContext) -> tuple[Values, Values]:
        is_share = isinstance(present, float) and present < 1
        n_present = max(ceil(present * situation.rows), least) if is_share else present
        if not _is_number(n_present):
            return [], []
        above = [n_leaf for n_leaf in LEAVES if n_present < n_leaf <= 0.4 * situation.rows]
        below = [n_leaf for n_leaf in LEAVES if least <= n_leaf < n_present][::-1]
        kind: Callable[[int], Any] = (lambda n: n / situation.rows) if is_share else int
        return [kind(n_leaf) for n_leaf in above], [kind(n_leaf) for n_leaf in below]

    return values


def _shares(present: Any, situation: RemedyContext) -> tuple[Values, Values]:
    """Return a share from 0, free, to 1, strict."""
    if not _is_number(present):
        return [], []
    stricter = [share for share in SHARES if share > present]
    return stricter, [share for share in SHARES if share < present][::-1]


def _shrinkage(present: Any, situation: RemedyContext) -> tuple[Values, Values]:
    """Return the shrinkage of a covariance, which only two of the solvers know."""
    if present is None:
        solver = {"solver": "lsqr"}
        return [solver | {"shrinkage": share} for share in SHARES[1:]], []
    return _shares(present, situation)


def _rate(present: Any, situation: RemedyContext) -> tuple[Values, Values]:
    """Return the learning rate of boosting, its shrinkage: a small one restrains."""
    if "n_estimators" not in situation.settings and "max_iter" not in situation.settings:
        return [], []
    return _log("low", 1e-4, 1.0)(present, situation)


def _added(present: Any, situation: RemedyContext) -> tuple[Values, Values]:
    """Return a small cost that restrains a tree, of 0 by default."""
    if not _is_number(present):
        return [], []
    known = (0.0, 0.0003, 0.001, 0.003, 0.01, 0.03)
    return [cost for cost in known if cost > present], [cost for cost in known if cost < present][::-1]


SETTINGS: dict[str, Axis] = {
    "C": _log("low"),
    "alpha": _log("high"),
    "gamma": _gamma,
    "n_neighbors": _counts(NEIGHBOURS, "high", 0.4),
    "min_samples_leaf": _counts_or_shares(1),
    "max_depth": _counts(DEPTHS, "low"),
    "max_leaf_nodes": _counts(NODES, "low"),
    "min_samples_split": _counts_or_shares(2),
    "ccp_alpha": _added,
    "min_impurity_decrease": _added,
    "learning_rate": _rate,
    "l2_regularization": _log("high"),
    "reg_lambda": _log("high"),
    "reg_alpha": _log("high"),
    "shrinkage": _shrinkage,
    "reg_param": _shares,
    "var_smoothing": _log("high", 1e-12, 10.0),
    "shrink_threshold": _log("high", 1e-3, 1e2),
}
"""Settings that restrain a learner or free it, in the order in which they are searched."""


def spread_ratio(situation: RemedyContext) -> tuple[float, int, int]:
    """Return the largest standard deviation of a column over the smallest that is not 0, and which two these are."""
    numbers = situation.numbers
    if numbers is None:
        return float("nan"), -1, -1
    spread = spread_of(numbers)
    known = np.flatnonzero(spread > 0)
    if known.size < 2:
        return 1.0, -1, -1
    wide, narrow = known[spread[known].argmax()], known[spread[known].argmin()]
    return float(spread[wide] / spread[narrow]), int(wide), int(narrow)


IS_ENSEMBLE = "it already consists of many members"


@remedy("bagging", "Bagging", against="variance", reference="Breiman 1996, Machine Learning 24:123")
def bagging(situation: RemedyContext) -> Any:
    """Many of the learner, each fitted to a bootstrap sample; they vote."""
    from sklearn.ensemble import BaggingClassifier

    if situation.is_ensemble:
        return IS_ENSEMBLE
    return situation.with_model(BaggingClassifier(situation.copy(), MEMBERS))


@remedy(
    "forest",
    "A random forest of the learner's trees",
    against="variance",
    reference="Breiman 2001, Machine Learning 45:5",
)
def forest(situation: RemedyContext) -> Any:
    """Return a forest of the learner's own trees; of any other learner it would be another family."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    if not isinstance(situation.model, DecisionTreeClassifier):
        return "it is not a tree"
    known = RandomForestClassifier(MEMBERS).get_params(deep=False)
    settings = {
        name: value
        for name, value in situation.settings.items()
        if name in known and name not in ("max_features", "random_state")
    }
    return situation.with_model(RandomForestClassifier(MEMBERS).set_params(**settings))


@remedy(
    "linear_model",
    "A simpler learner, a linear model",
    against="variance",
    reference="Hand 2006, Statistical Science 21:1",
    stage="rivals",
    cost=4,
)
def linear_model(situation: RemedyContext) -> Any:
    """Logistic regression on scaled columns, its penalty chosen inside: the simplest learner that often suffices."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    axis = [{"C": strength} for strength in (1.0, 0.1, 0.01, 100.0)]
    return situation.with_steps(
        filled(), StandardScaler(), situation.searched([axis], LogisticRegression(max_iter=1000))
    )


def filled(*, marked: bool = True) -> Any:
    """Return what fills missing numbers for a learner that takes none, whatever the one it stands in for takes.

    By the mean of the training cases, beside columns that mark the gaps, as models by name get it; whole columns stay.
    Without marks for naive Bayes, to which one that is rare in a class is all but certain.
    """
    from sklearn.impute import SimpleImputer

    return SimpleImputer(add_indicator=marked, keep_empty_features=True)


MOST_FEATURES = 30
"""Columns up to which their products are tried: 30 make 495."""


@remedy(
    "interactions",
    "Products of features",
    against="bias",
    cost=4,
    reference="Hastie, Tibshirani & Friedman 2009, The Elements of Statistical Learning, 5",
)
def interactions(situation: RemedyContext) -> Any:
    """Return a linear learner with all squares and products of two features, a family that holds its own."""
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    if not _is_linear(situation.model):
        return "it is not linear in its features"
    if situation.features is None:
        return "its features are not a table of numbers"
    if situation.features > MOST_FEATURES:
        return f"it has more than {MOST_FEATURES} features, so their products are too many"
    products = PolynomialFeatures(2, include_bias=False)
    return situation.with_steps(StandardScaler(), products, StandardScaler(), situation.copy())


@remedy("boosting", "Boosting", against="bias", reference="Freund & Schapire 1997, JCSS 55:119", cost=6)
def boosting(situation: RemedyContext) -> Any:
    """AdaBoost of the learner by resampling: each member sees more of the cases that those before it got wrong."""
    from classay.ensembles import AdaBoost

    if situation.is_ensemble:
        return IS_ENSEMBLE
    return situation.with_steps(filled(), AdaBoost(situation.copy(), MEMBERS))


@remedy(
    "gradient_boosting",
    "Gradient boosting",
    against="bias",
    reference="Friedman 2001, Annals of Statistics 29:1189",
    stage="rivals",
)
def gradient_boosting(situation: RemedyContext) -> Any:
    """Return a richer family: boosted trees, which follow steps and interactions; their number is chosen inside."""
    from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier

    if isinstance(situation.model, GradientBoostingClassifier | HistGradientBoostingClassifier):
        return "it is already gradient boosting"
    # its leaves hold 20 cases by default, which is most of a small training set
    leaf = max(1, min(20, situation.rows // 20))
    boosted = HistGradientBoostingClassifier(
        min_samples_leaf=leaf, max_leaf_nodes=12, early_stopping=True, validation_fraction=0.2
    )
    return situation.with_model(boosted)


@remedy(
    "random_forest",
    "A tuned random forest",
    against="bias",
    reference="Breiman 2001, Machine Learning 45:5",
    stage="rivals",
)
def random_forest(situation: RemedyContext) -> Any:
    """Return a richer family: a forest of trees, whose leaf size is chosen out of bag."""
    from classay.improving.ingredients import OutOfBagForest

    return situation.with_model(OutOfBagForest((1, max(5, situation.rows // 40))))


@remedy(
    "kernel_machine",
    "A kernel machine",
    against="bias",
    reference="Cortes & Vapnik 1995, Machine Learning 20:273",
    stage="rivals",
)
def kernel_machine(situation: RemedyContext) -> Any:
    """Return a richer family: a support vector machine with a Gaussian kernel, C and width chosen inside."""
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    if situation.rows > MOST_OF_KERNEL:
        return f"a kernel machine takes too long with more than {MOST_OF_KERNEL:,} training cases"
    gamma = 1 / max(situation.features or 1, 1)
    axes: list[list[dict[str, Any]]] = [
        [{"C": strength} for strength in (1.0, 0.1, 10.0, 100.0)],
        [{"gamma": "scale"}, {"gamma": 0.1 * gamma}, {"gamma": 4 * gamma}],
    ]
    return situation.with_steps(filled(), StandardScaler(), situation.searched(axes, SVC()))


MOST_OF_KERNEL = 5000
"""Training cases up to which a kernel machine is tried: its time is their square."""


@remedy("stacking", "Stacking", against="bias", reference="Wolpert 1992, Neural Networks 5:241", cost=7)
def stacking(situation: RemedyContext) -> Any:
    """Return the learner with others of different kinds, and a combiner that learns from what they say out of fold."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from classay.ensembles import Stacking

    neighbours = KNeighborsClassifier(max(1, min(15, situation.rows // 10)))
    members = [
        ("learner", situation.copy()),
        ("logistic", make_pipeline(filled(), StandardScaler(), LogisticRegression(max_iter=1000))),
        ("neighbours", make_pipeline(filled(), StandardScaler(), neighbours)),
        ("bayes", make_pipeline(filled(marked=False), GaussianNB())),
    ]
    return situation.with_model(Stacking(members, LogisticRegression(max_iter=1000)))


def _is_linear(model: Any) -> bool:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model._base import LinearClassifierMixin
    from sklearn.svm import SVC

    if isinstance(model, SVC):
        return bool(model.kernel == "linear")
    return isinstance(model, LinearClassifierMixin | LinearDiscriminantAnalysis)


REFERENCE_OF_AGAINST_IMBALANCE = (
    "He & Garcia 2009, IEEE Transactions on Knowledge and Data Engineering 21:1263"
)


@remedy(
    "class_weights",
    "Class weights",
    against="imbalance",
    reference=REFERENCE_OF_AGAINST_IMBALANCE,
    stage="classes",
)
def class_weights(situation: RemedyContext) -> Any:
    """Errors of each class count as if all classes had as many cases."""
    if "class_weight" not in situation.settings:
        return "it does not accept class weights"
    if situation.settings["class_weight"] is not None:
        return "it already has class weights"
    return situation.with_model(situation.copy().set_params(class_weight="balanced"))


@remedy(
    "oversampling",
    "Oversampling",
    against="imbalance",
    reference=REFERENCE_OF_AGAINST_IMBALANCE,
    stage="classes",
    cost=4,
)
def oversampling(situation: RemedyContext) -> Any:
    """Cases of the rare class are repeated until all classes have as many, in the training cases of each fold alone."""
    if find_spec("imblearn") is None:
        return "imbalanced-learn is not installed"
    from imblearn.over_sampling import RandomOverSampler  # type: ignore[import-untyped]

    return situation.with_steps(RandomOverSampler(), situation.copy())


UNLIKE = 3.0
"""Times one column's standard deviation is another's, from which on scaling is tried."""
SEVERAL = 6
"""Features from which on fewer of them are tried."""
NO_NUMBERS = "its columns are not a table of numbers"
FEW_ROWS = 1000
"""Training cases below which a calibration has two parameters, and is no step function."""


@remedy(
    "missing_values",
    "Codes of missing values",
    against="missing_codes",
    reference="Little & Rubin 2019, Statistical Analysis with Missing Data",
    stage="columns",
)
def missing_values(situation: RemedyContext) -> Any:
    """Numbers such as -999, which stand for a missing value, become the median and a column that marks them."""
    from classay.improving.ingredients import MissingCodes, codes_in

    numbers = situation.numbers
    if numbers is None:
        return NO_NUMBERS
    codes_of = {k: codes_in(numbers[:, k]) for k in range(numbers.shape[1])}
    codes_of = {k: codes for k, codes in codes_of.items() if codes}
    if not codes_of:
        return "no column has a number that looks like a code of a missing value"
    k = max(codes_of, key=lambda column: np.isin(numbers[:, column], codes_of[column]).sum())
    share = np.isin(numbers[:, k], codes_of[k]).mean()
    others = f" {len(codes_of) - 1} other columns have such values too." if len(codes_of) > 1 else ""
    codes = " and ".join(f"{code:g}" for code in codes_of[k])
    sentence = (
        f"{_column(situation, k)} has {codes} in {100 * share:.3g}% of the cases. These values are far "
        f"from all others, like codes of missing values.{others}"
    )
    return SupportedLearner(situation.with_first(MissingCodes()), sentence)


@remedy(
    "encoding",
    "Encoding of categories",
    against="categories",
    reference="Micci-Barreca 2001, SIGKDD Explorations 3(1):27",
    stage="columns",
)
def encoding(situation: RemedyContext) -> Any:
    """Whole numbers that name categories become columns of 0 and 1, or means of the target of other cases.

    Text goes through skrub's encoders already, in every model that has a name here.
    """
    from classay.improving.ingredients import CategoryCodes, are_categories

    numbers = situation.numbers
    if numbers is None:
        return NO_NUMBERS
    y = np.unique(np.asarray(situation.y), return_inverse=True)[1]
    categorical = [k for k in range(numbers.shape[1]) if are_categories(numbers[:, k], y, numbers.shape[1])]
    if not categorical:
        return "no column of whole numbers looks like codes of categories"
    others = f" {len(categorical) - 1} other columns have such numbers too." if len(categorical) > 1 else ""
    sentence = (
        f"The numbers of {_column(situation, categorical[0], lower=True)} look like codes of categories, "
        f"because the share of a class rises and falls with them.{others}"
    )
    return SupportedLearner(situation.with_first(CategoryCodes()), sentence)


@remedy(
    "scaling",
    "Scaling of features",
    against="scale",
    reference="Hastie, Tibshirani & Friedman 2009, The Elements of Statistical Learning, 13",
    stage="columns",
)
def scaling(situation: RemedyContext) -> Any:
    """Return all columns get mean 0 and standard deviation 1, by those of the training cases."""
    from sklearn.preprocessing import StandardScaler

    if situation.is_of_trees:
        return "it splits on one column at a time, so scale has no effect"
    if situation.is_scaled:
        return "its columns are already scaled"
    ratio, wide, narrow = spread_ratio(situation)
    if ratio < UNLIKE:
        return "its columns have similar standard deviations"
    scaled = situation.with_steps(StandardScaler(), situation.copy())
    if np.isnan(ratio):
        return scaled
    sentence = (
        f"The standard deviation of {_column(situation, wide, lower=True)} is {ratio:,.3g} times that of "
        f"{_column(situation, narrow, lower=True)}. {type(situation.model).__name__} weights columns by "
        "their scale."
    )
    return SupportedLearner(scaled, sentence)


@remedy(
    "selection",
    "Selection of features",
    against="irrelevant_features",
    reference="Guyon & Elisseeff 2003, JMLR 3:1157",
    stage="columns",
    cost=2,
)
def selection(situation: RemedyContext) -> Any:
    """Return the features that a forest finds important, as many as serve the learner best, chosen inside the folds."""
    from classay.improving.ingredients import ChosenFeatures

    if situation.is_of_trees:
        return "it selects features itself"
    if situation.features is None or (situation.is_pipeline and situation.numbers is None):
        return NO_NUMBERS
    if situation.features < SEVERAL:
        return f"it has fewer than {SEVERAL} features"
    cv = None if situation.cluster is not None else situation.inner
    return situation.with_steps(ChosenFeatures(situation.copy(), cv), situation.copy())


@remedy(
    "calibration",
    "Calibration",
    against="miscalibration",
    reference="Niculescu-Mizil & Caruana 2005, ICML 625",
    stage="probabilities",
)
def calibration(situation: RemedyContext) -> Any:
    """Probabilities are set right by a curve that is fitted to what the learner says of inner folds."""
    from sklearn.calibration import CalibratedClassifierCV

    if situation.cluster is not None:
        return "its inner folds would split clusters"
    method = "sigmoid" if situation.rows < FEW_ROWS else "isotonic"
    return situation.with_model(CalibratedClassifierCV(situation.copy(), method=method, cv=situation.inner))


def _column(situation: RemedyContext, k: int, *, lower: bool = False) -> str:
    """Return a column by its name, or its number."""
    names = getattr(situation.X, "columns", None)
    column = f"column {k}" if names is None else f"column {str(names[k])!r}"
    return column if lower else column[0].upper() + column[1:]


def remedies_named(names: Sequence[str]) -> tuple[Remedy, ...]:
    """Remedies by their names, each once. Raises InputError for one that is unknown."""
    for name in names:
        if name not in REMEDIES:
            near = nearest(str(name), REMEDIES) or "."
            raise InputError(f"Unknown remedy {name!r}. Remedies: {', '.join(REMEDIES)}{near}")
    return tuple(REMEDIES[name] for name in dict.fromkeys(names))


def remedies_against(causes: Sequence[str]) -> tuple[Remedy, ...]:
    """Return all remedies against these causes, the simplest first."""
    remedies = (candidate for candidate in REMEDIES.values() if candidate.against in causes)
    return tuple(sorted(remedies, key=lambda candidate: candidate.cost))
