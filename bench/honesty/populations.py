"""Populations whose measures are known by integration, and samples of them, for simulations of coverage.

A latent score is normal, `apart` standard deviations higher for positives. The probability reported is the right one,
its logit stretched by `slope` and shifted; rounded to multiples of 1 / `ties`, kept off 0 and 1, where ties are wanted.
With `tail`, the latent score follows Student's t of so many degrees instead, and the probability, the right one of a
normal score and cut at one in a million, is wrong in the tails. Of a share `flipped` of the cases the truth is the
other class, which the probability does not know: few far errors where the classes are far apart.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import beta, norm
from scipy.stats import t as student

BINS = 15
FARTHEST = (-13.8, 13.8)


def expit(x):
    return 1 / (1 + np.exp(-x))


@dataclass(frozen=True)
class Population:
    share: float
    apart: float
    slope: float = 1.0
    shift: float = 0.0
    ties: int = 0
    tail: float = np.inf
    flipped: float = 0.0

    def report(self, x):
        right = self.apart * x - self.apart**2 / 2 + np.log(self.share / (1 - self.share))
        logit = self.slope * right + self.shift
        p = expit(logit if np.isinf(self.tail) else np.clip(logit, *FARTHEST))
        return (
            np.clip(np.round(p * self.ties) / self.ties, 0.25 / self.ties, 1 - 0.25 / self.ties)
            if self.ties
            else p
        )

    def rows(self, rng, n):
        """Truth and probability of n cases, drawn as in a cohort."""
        positive = rng.random(n) < self.share
        noise = rng.normal(size=n) if np.isinf(self.tail) else rng.standard_t(self.tail, n)
        p = self.report(noise + self.apart * positive)
        return (positive ^ (rng.random(n) < self.flipped) if self.flipped else positive), p

    def clustered_rows(self, rng, clusters, size, shared=0.6):
        """The same, with latent scores of one cluster that correlate by shared²."""
        group = np.repeat(np.arange(clusters), size)
        positive = rng.random(group.size) < self.share
        noise = shared * rng.normal(size=clusters)[group] + np.sqrt(1 - shared**2) * rng.normal(
            size=group.size
        )
        return positive, self.report(noise + self.apart * positive), group

    @cached_property
    def grid(self):
        """Probabilities, from the highest, and the mass of positives and negatives at each."""
        if np.isinf(self.tail):
            x = np.linspace(-9, 9 + self.apart, 200_001)
            negative, positive = norm.pdf(x), norm.pdf(x - self.apart)
        else:  # dense in the middle, wide enough for the tails
            wide = np.linspace(-9, 9, 200_001)
            x, step = np.sinh(wide) + self.apart / 2, np.cosh(wide)
            negative, positive = (student.pdf(x - at, self.tail) * step for at in (0, self.apart))
        p, at = np.unique(-self.report(x), return_inverse=True)
        pos, neg = np.bincount(at, positive), np.bincount(at, negative)
        pos, neg = self.share * pos / pos.sum(), (1 - self.share) * neg / neg.sum()
        moved = self.flipped * (neg - pos)
        return -p, pos + moved, neg - moved

    def truth(self, name):
        return float(TRUTHS[name](*self.grid))


def curve(p, pos, neg):
    """TPR and FPR from (0, 0)."""
    return (np.concatenate([[0], np.cumsum(each)]) / each.sum() for each in (pos, neg))


def binned(p, pos, neg):
    """Share of all cases and gap in each bin of equal width, closed on the right."""
    at = np.clip(np.ceil(p * BINS).astype(int) - 1, 0, BINS - 1)
    weight = np.bincount(at, pos + neg, BINS)
    return weight, np.bincount(at, pos - (pos + neg) * p, BINS) / np.where(weight > 0, weight, 1)


def equal_mass(p, pos, neg):
    mass = (pos + neg)[::-1]
    middle = np.cumsum(mass) - mass / 2
    at = np.minimum((middle / mass.sum() * BINS).astype(int), BINS - 1)
    return np.abs(np.bincount(at, (pos - (pos + neg) * p)[::-1])).sum()


def entropy(x):
    return -(x * np.log(x) + (1 - x) * np.log1p(-x))


def log_loss(p, pos, neg):
    p = np.clip(p, 1e-300, 1 - 2**-53)  # probabilities that round to 0 or 1 have no mass to speak of
    return -(pos * np.log(p) + neg * np.log1p(-p)).sum()


def brier(p, pos, neg):
    return (pos * (1 - p) ** 2 + neg * p**2).sum()


def right(p, pos, neg):
    return pos / (pos + neg)


def recalibrated_entropy(p, pos, neg):
    return ((pos + neg) * np.nan_to_num(entropy(np.clip(right(p, pos, neg), 1e-300, 1 - 1e-16)))).sum()


def recalibrated_brier(p, pos, neg):
    return ((pos + neg) * right(p, pos, neg) * (1 - right(p, pos, neg))).sum()


def auc(p, pos, neg):
    tpr, fpr = curve(p, pos, neg)
    return np.trapezoid(tpr, fpr)


def partial_area(p, pos, neg):
    tpr, fpr = curve(p, pos, neg)
    x = np.append(fpr[fpr < 0.1], 0.1)
    return np.trapezoid(np.interp(x, fpr, tpr), x)


def risk_coverage(p, pos, neg):
    """Cases of one confidence are taken in random order."""
    confidence = np.round(np.maximum(p, 1 - p), 15)
    _, at = np.unique(-confidence, return_inverse=True)
    cases, errors = np.bincount(at, pos + neg), np.bincount(at, np.where(p >= 0.5, neg, pos))
    covered = np.cumsum(cases)
    before, wrong = covered - cases, np.cumsum(errors) - errors
    total = 0.0
    for a, b, e, r in zip(before, covered, wrong, errors / cases, strict=True):
        total += r * (b - a) + (0 if a < 1e-12 else (e - r * a) * np.log(b / a))
    return total


def gain_area(p, pos, neg):
    """1 - odds · the integral of FPR(t) / t³ over recalls from the prevalence on, FPR straight between points."""
    share = pos.sum()
    tpr, fpr = curve(p, pos, neg)
    t = np.unique(np.concatenate([np.linspace(share, 1, 400_001), tpr[tpr > share]]))
    return 1 - share / (1 - share) * np.trapezoid(np.interp(t, tpr, fpr) / t**3, t)


def smooth_error(p, pos, neg):
    t = (np.arange(500) + 0.5) / 500
    mass, edges = np.histogram(p, 2000, (0, 1), weights=(pos + neg) * p - pos)
    centre = (edges[:-1] + edges[1:]) / 2

    def off(width):
        images = (centre, -centre, 2 - centre)
        kernel = sum(np.exp(-(((t[:, None] - each) / width) ** 2) / 2) for each in images)
        return np.abs(kernel @ mass).mean() / (width * np.sqrt(2 * np.pi)) - width

    return brentq(off, 1e-3, 0.6, xtol=1e-6) if off(1e-3) > 0 else off(1e-3) + 1e-3


def smooth_gaps(p, pos, neg):
    """|local quadratic through the truth - p| at the middle of 1,000 groups of equal mass, span 3/4."""
    order = np.argsort(p)
    p, mass, y = p[order], (pos + neg)[order], pos[order]
    if p.size > 1000:
        at = np.minimum((np.cumsum(mass) / mass.sum() * 1000).astype(int), 999)
        at = np.unique(at, return_inverse=True)[1]  # a probability may hold several groups' mass
        weight = np.bincount(at, mass)
        x, o = np.bincount(at, mass * p) / weight, np.bincount(at, y) / weight
    else:
        x, o, weight = p, y / mass, mass
    fitted = np.empty(x.size)
    for i, here in enumerate(x):
        near = np.argsort(np.abs(x - here))
        reach = np.abs(x - here)[near][
            np.searchsorted(np.cumsum(weight[near]), 0.75 * weight.sum() * (1 - 1e-9))
        ]
        w = weight * (np.maximum(1 - (np.abs(x - here) / reach) ** 3, 0) ** 3 if reach else x == here)
        if (w > 0).sum() == 1:  # most cases share this probability
            fitted[i] = o[i]
            continue
        fitted[i] = np.polyfit(x - here, o, min(2, (w > 0).sum() - 1), w=np.sqrt(w))[-1]
    return np.abs(fitted - x), weight


def gap_quantile(share):
    def quantile(p, pos, neg):
        gap, weight = smooth_gaps(p, pos, neg)
        order = np.argsort(gap)
        return gap[order][np.searchsorted(np.cumsum(weight[order]), share * weight.sum())]

    return quantile


def h_measure(p, pos, neg):
    share = pos.sum()
    tpr, fpr = curve(p, pos, neg)
    costs = beta(1 + share, 2 - share)

    c = np.linspace(0, 1, 20_001)
    above = np.searchsorted(
        -right(p, pos, neg), -c
    )  # Bayes' rule: call positive what is so with probability over c
    lost = np.trapezoid((c * (1 - share) * fpr[above] + (1 - c) * share * (1 - tpr[above])) * costs.pdf(c), c)
    trivial = quad(lambda c: min(c * (1 - share), (1 - c) * share) * costs.pdf(c), 0, 1, points=[share])[0]
    return 1 - lost / trivial


def best(of):
    def value(p, pos, neg):
        tpr, fpr = curve(p, pos, neg)
        return of(tpr, fpr, pos.sum()).max()

    return value


def walk(p, pos, neg):
    return np.concatenate([[0], np.cumsum((pos - (pos + neg) * p)[::-1])])


def base(p, pos, neg):
    return pos.sum() * neg.sum()


TRUTHS = {
    "roc_auc": auc,
    "gini": lambda *grid: 2 * auc(*grid) - 1,
    "hull_auc": auc,
    "partial_roc_auc": partial_area,
    "standardized_partial_roc_auc": lambda *grid: (1 + (partial_area(*grid) - 0.005) / 0.095) / 2,
    "kolmogorov_smirnov": best(lambda tpr, fpr, share: tpr - fpr),
    "max_f1": best(lambda tpr, fpr, share: 2 * share * tpr / (share * tpr + (1 - share) * fpr + share)),
    "h_measure": h_measure,
    "area_under_prg": gain_area,
    "area_under_risk_coverage": risk_coverage,
    "log_loss": log_loss,
    "brier_score": brier,
    "log_loss_skill": lambda *grid: 1 - log_loss(*grid) / entropy(grid[1].sum()),
    "brier_skill": lambda *grid: 1 - brier(*grid) / base(*grid),
    "brier_miscalibration": lambda *grid: brier(*grid) - recalibrated_brier(*grid),
    "brier_discrimination": lambda *grid: base(*grid) - recalibrated_brier(*grid),
    "brier_uncertainty": base,
    "log_loss_miscalibration": lambda *grid: log_loss(*grid) - recalibrated_entropy(*grid),
    "log_loss_discrimination": lambda *grid: entropy(grid[1].sum()) - recalibrated_entropy(*grid),
    "log_loss_uncertainty": lambda *grid: entropy(grid[1].sum()),
    "expected_calibration_error": lambda *grid: (binned(*grid)[0] * np.abs(binned(*grid)[1])).sum(),
    "equal_mass_calibration_error": equal_mass,
    "root_mean_squared_calibration_error": lambda *grid: np.sqrt(
        (binned(*grid)[0] * binned(*grid)[1] ** 2).sum()
    ),
    "debiased_squared_calibration_error": lambda *grid: (binned(*grid)[0] * binned(*grid)[1] ** 2).sum(),
    "maximum_calibration_error": lambda *grid: np.abs(binned(*grid)[1]).max(),
    "cumulative_calibration_error": lambda *grid: np.abs(walk(*grid)).max(),
    "cumulative_calibration_range": lambda *grid: np.ptp(walk(*grid)),
    "smooth_calibration_error": smooth_error,
    "integrated_calibration_index": lambda *grid: np.average(
        smooth_gaps(*grid)[0], weights=smooth_gaps(*grid)[1]
    ),
    "median_calibration_error": gap_quantile(0.5),
    "calibration_error_90": gap_quantile(0.9),
    "observed_expected_ratio": lambda p, pos, neg: pos.sum() / ((pos + neg) * p).sum(),
}
"""The value of each measure in a population, by naive formulas."""
