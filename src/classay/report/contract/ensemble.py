"""The JSON of an ensemble: a published contract, docs/ensemble.schema.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from classay.report.contract.writer import of_estimate, plain

if TYPE_CHECKING:
    from classay.ensembles.assessment import EnsembleAssessment
    from classay.ensembles.diversity import Diversity
    from classay.ensembles.growth import Growth

SCHEMA = 1
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def as_dict(a: EnsembleAssessment) -> dict[str, Any]:
    """The assessment of an ensemble as values that JSON knows: undefined is None."""
    from classay import __version__

    return {
        "schema": SCHEMA,
        "classay": __version__,
        "ensemble": a.name,
        "member": a.member,
        "members": a.members,
        "classes": [plain(label) for label in a.classes],
        "rule": a.rule,
        "random": a.random,
        "level": a.level,
        "error": of_estimate(a.error()),
        "no_out_of_bag": a.no_out_of_bag if a.out_of_bag is None else None,
        "growth": [_of_growth(each, a.level) for each in a.growths.values()],
        "training_error_bound": None if a.bound is None else [plain(float(each)) for each in a.bound],
        "margins": [_of_margins(cases, each) for cases, each in a.margins.items()],
        "diversity": None if a.diversity is None else _of_diversity(a.diversity, a.level),
    }


def _of_growth(grown: Growth, level: float) -> dict[str, Any]:
    found = [grown.estimate(size, level) for size in range(1, grown.members + 1)]
    plateau = grown.plateau()
    return {
        "cases": grown.cases,
        **of_estimate(found[-1]),
        "errors": [plain(each.value) for each in found],
        "lows": [plain(each.low) for each in found],
        "highs": [plain(each.high) for each in found],
        "unvoted": [int(each) for each in grown.unvoted],
        "tied": grown.tied,
        "plateau": None
        if plateau is None
        else {
            "members": plateau.members,
            "margin": plain(plateau.margin),
            "is_reached": plateau.is_reached,
        },
    }


def _of_margins(cases: str, margins: Any) -> dict[str, Any]:
    known = margins[~np.isnan(margins)]
    cuts = np.quantile(known, QUANTILES) if known.size else np.full(len(QUANTILES), np.nan)
    return {
        "cases": cases,
        "n": int(known.size),
        "mean": plain(float(known.mean())) if known.size else None,
        "quantiles": [
            {"share": share, "margin": plain(float(cut))} for share, cut in zip(QUANTILES, cuts, strict=True)
        ],
    }


def _of_diversity(of: Diversity, level: float) -> dict[str, Any]:
    return {
        "cases": of.cases,
        "errors": [plain(float(each)) for each in of.errors],
        "mean_error": of_estimate(of.mean_error(level)),
        "agreement": of_estimate(of.mean_pair("agreement")),
        "kappa": of_estimate(of.mean_pair("kappa")),
        "both_wrong": of_estimate(of.mean_pair("both_wrong")),
    }
