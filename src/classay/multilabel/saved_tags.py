"""Assessments of several labels a case, written to files and read again, each part checked when it is taken."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from classay.assessment.parts import InputSummary, KindOfWeight, Sampling
from classay.assessment.restoring import estimation_of, labels_in
from classay.assessment.saving import RARE, labels_out
from classay.columns import Labels
from classay.files.archives import Archive, Array, Fields, label_in, label_out, require_file, saved, sealed
from classay.files.writing import write_bytes
from classay.multilabel.mark_pairs import MarkPairs
from classay.multilabel.tag_scores import MultilabelScores
from classay.multilabel.tag_tables import MultilabelTable, Outcomes
from classay.multilabel.task import Multilabel

if TYPE_CHECKING:
    from classay.multilabel.tag_assessment import MultilabelAssessment

TAG_FORMAT = 2


OF_TAGS = "tag assessment"


TAG_COUNTS = ("tp", "fp", "fn")


ROWS_OF_TAGS = ("weight", "frequency", "cluster")


RARE_OF_TAGS = ("dropped", "limit", "model", "rounded", "score_scale", "scales_of_parts", "repeats")
"""What is written of several labels a case only where it is not as usual."""


def save_tags(a: MultilabelAssessment, path: Path) -> None:
    """Write an assessment of several labels a case, in one step. Raises FileError where that cannot be."""
    arrays: dict[str, Array] = {}
    task = a.task
    about: dict[str, Any] = {"format": TAG_FORMAT, "what": OF_TAGS} | labels_out(task.labels)
    about |= {
        "level": a.level,
        "seed": a.seed,
        "interval": a.interval,
        "rows": a.rows,
        "kind_of_weight": a.kind_of_weight,
        "weight_scale": a.weight_scale,
        "cutoffs": list(task.cutoffs) if isinstance(task.cutoffs, tuple) else task.cutoffs,
        "top": task.top,
        "cutoff_chosen": task.cutoff_chosen,
        "clusters": None if a.clusters is None else [label_out(label) for label in a.clusters],
    }
    for name in RARE_OF_TAGS:
        if getattr(a, name) != RARE.get(name, 0):
            about[name] = getattr(a, name)
    if task.tags is not None:
        _put_tags(arrays, task.tags)
    if task.tag_scores is not None:
        of = task.tag_scores
        put_sparse(arrays, "truth", of.truth)
        put_matrix(arrays, "scores", of.scores)
        arrays |= {name: getattr(of, name) for name in ROWS_OF_TAGS if getattr(of, name) is not None}
    write_bytes(
        path, sealed("tag_assessment.json", about, {f"{name}.npy": array for name, array in arrays.items()})
    )


def _put_tags(arrays: dict[str, Array], table: MultilabelTable) -> None:
    arrays["cells"] = table.cells
    if table.squares is not None:
        arrays["squares"] = table.squares
    if table.rest is not None:
        arrays["rest"] = table.rest
    if isinstance(table.joint, MarkPairs):
        put_sparse(arrays, "marks", table.joint.marks)
        if table.joint.weight is not None:
            arrays["marks.weight"] = table.joint.weight
    elif table.joint is not None:
        from scipy.sparse import triu

        put_sparse(arrays, "joint", triu(table.joint, format="csr"))
    if table.by_cluster is not None:
        put_sparse(arrays, "by_cluster", table.by_cluster)
    outcomes = table.outcomes
    arrays |= {f"outcomes.{name}": getattr(outcomes, name) for name in (*TAG_COUNTS, "weight")}
    if outcomes.squares is not outcomes.weight:
        arrays["outcomes.squares"] = outcomes.squares
    if outcomes.cluster is not None:
        arrays["outcomes.cluster"] = outcomes.cluster


def put_matrix(arrays: dict[str, Array], name: str, matrix: Any) -> None:
    """Put an array, or a sparse matrix, among the arrays of a file."""
    if hasattr(matrix, "tocsr"):
        put_sparse(arrays, name, matrix)
    else:
        arrays[name] = matrix


def put_sparse(arrays: dict[str, Array], name: str, matrix: Any) -> None:
    """Put a sparse matrix among the arrays of a file."""
    csr = matrix.tocsr()
    csr.sort_indices()
    arrays |= {f"{name}.data": csr.data, f"{name}.indices": csr.indices, f"{name}.indptr": csr.indptr}


def load_tags(path: str | Path, kind: type[MultilabelAssessment]) -> MultilabelAssessment:
    """Read what `save_tags` wrote. Raises FileError when the file is none, or damaged."""
    with saved(path, OF_TAGS, TAG_FORMAT) as (about, archive):
        a = _assessment_of_tags(about, archive, kind)
        archive.done()
        return a


def _assessment_of_tags(
    about: Fields, archive: Archive, tag_type: type[MultilabelAssessment]
) -> MultilabelAssessment:
    labels = labels_in(about)
    kind = about.choice("kind_of_weight", get_args(KindOfWeight))
    weights = "f" if kind == "sampling" else "iu"
    clusters = about.maybe("clusters", lambda name: about.list(name, label_in))
    rows = about.whole("rows", 1)
    table = _tags(archive, labels, weights, clusters) if "cells.npy" in archive else None
    scores = _scores_of_tags(archive, labels, clusters, rows, kind) if "truth.indptr.npy" in archive else None
    require_file(table is not None or scores is not None, "it holds no table of the cases")
    cutoffs: Any = about.take("cutoffs")
    cutoffs = tuple(cutoffs) if isinstance(cutoffs, list) else cutoffs
    top = about.maybe("top", lambda name: about.whole(name, 1))
    require_file(
        scores is not None or (cutoffs is None and top is None), "it holds a threshold, and no scores"
    )
    task = Multilabel(labels, table, scores, cutoffs, top, about.flag("cutoff_chosen"))
    if table is not None and scores is not None:
        require_file(
            bool(np.allclose(table.true, scores.truth.T @ scores.weights)), "the tags and the scores disagree"
        )
    if kind != "sampling" and scores is None:
        require_file(kind != "none" or int(task.weight) == rows, "the outcomes and the rows disagree")
    a = tag_type(
        task,
        InputSummary(
            rows=rows,
            **about.present(
                {
                    "dropped": lambda name: about.whole(name, 1),
                    "rounded": lambda name: about.whole(name, most=rows),
                }
            ),
        ),
        Sampling(kind, about.number("weight_scale"), **about.present({"repeats": about.values})),
        estimation_of(about),
    )
    about.done()
    return a


def _tags(archive: Archive, labels: Labels, weights: str, clusters: Any) -> MultilabelTable:
    tags = len(labels)
    cells = archive.array("cells.npy", weights, (3, tags), least=0)
    sums = archive.array("outcomes.weight.npy", weights, (None,), least=0)
    counts = [archive.array(f"outcomes.{name}.npy", "iu", (sums.size,), least=0) for name in TAG_COUNTS]
    require_file(bool((counts[0] + counts[1] + counts[2] <= tags).all()), "a case has more marks than tags")
    squares = archive.maybe_array("outcomes.squares.npy", "f", (sums.size,), least=0)
    of_cells = archive.maybe_array("squares.npy", "f", (3, tags), least=0)
    rest = archive.maybe_array("rest.npy", "f", (2, tags), least=0)  # early versions kept none
    require_file(
        (squares is None) == (weights != "f") == (of_cells is None),
        "squares of weights are there without them",
    )
    require_file(rest is None or squares is not None, "there are sums of weights without weights")
    below = None if clusters is None else len(clusters)
    cluster = archive.maybe_array("outcomes.cluster.npy", "iu", (sums.size,), least=0, below=below)
    require_file((cluster is None) == (clusters is None), "outcomes and clusters disagree")
    if rest is not None and squares is not None and of_cells is not None:
        checks = zip(rest, (cells, of_cells), (sums.sum(), squares.sum()), strict=True)
        require_file(
            all(bool(np.allclose(unmarked + marked.sum(0), total)) for unmarked, marked, total in checks),
            "the cases without a mark and the cells disagree",
        )
    for count, total in zip(counts, cells.sum(1), strict=True):
        require_file(bool(np.isclose((count * sums).sum(), total)), "the outcomes and the cells disagree")
    outcomes = Outcomes(counts[0], counts[1], counts[2], sums, sums if squares is None else squares, cluster)
    if clusters is None:
        joint = _pairs_of_tags(archive, tags, weights)
        diagonal = cells if of_cells is None else of_cells
        require_file(
            bool(np.allclose(joint.diagonal(), diagonal.ravel())), "the joint counts and the cells disagree"
        )
        return MultilabelTable(labels, cells, joint, outcomes, squares=of_cells, rest=rest)
    by_cluster = _sparse(archive, "by_cluster", (len(clusters), 3 * tags), "f")
    require_file(
        bool(np.allclose(by_cluster.sum(0), cells.ravel())), "the sums of clusters and the cells disagree"
    )
    return MultilabelTable(labels, cells, None, outcomes, tuple(clusters), by_cluster, of_cells, rest)


def _pairs_of_tags(archive: Archive, tags: int, weights: str) -> Any:
    """Return how often a case has two marks: from the marks of cases, where these were kept, or counted."""
    if "marks.indptr.npy" in archive:
        marks = ones_in(archive, "marks", (None, 3 * tags))
        weight = archive.maybe_array("marks.weight.npy", weights, (marks.shape[0],), least=0)
        return MarkPairs(marks, weight)
    upper = _sparse(archive, "joint", (3 * tags, 3 * tags), weights)
    joint = (upper + upper.T).tocsr()
    joint.setdiag(upper.diagonal())
    return joint


def _scores_of_tags(
    archive: Archive, labels: Labels, clusters: Any, rows: int, kind: str
) -> MultilabelScores:
    shape = rows, len(labels)
    truth, scores = ones_in(archive, "truth", shape), scores_in(archive, "scores", shape)
    drawn = {
        "weight": archive.maybe_array("weight.npy", "f", (rows,), least=0),
        "frequency": archive.maybe_array("frequency.npy", "iu", (rows,), least=0),
        "cluster": clusters_in(archive, clusters, rows),
    }
    require_file((drawn["weight"] is None) == (kind != "sampling"), "weights of rows disagree")
    require_file((drawn["frequency"] is None) == (kind != "frequency"), "frequencies of rows disagree")
    return MultilabelScores(
        labels, truth, scores, **drawn, clusters=None if clusters is None else tuple(clusters)
    )


def clusters_in(archive: Archive, clusters: Sequence[Hashable] | None, rows: int) -> Any:
    """Return the codes of the clusters of rows, read from a file; None where there are no clusters."""
    if clusters is None:
        return None
    return archive.array("cluster.npy", "iu", (rows,), least=0, below=len(clusters))


def ones_in(archive: Archive, name: str, shape: tuple[int | None, int]) -> Any:
    """Return a sparse matrix of ones, read from a file; None stands for whatever number of rows it has."""
    matrix = _sparse(archive, name, shape, "iu")
    require_file(bool((matrix.data == 1).all()), f"{name} holds other numbers than 1")
    return matrix


def scores_in(archive: Archive, name: str, shape: tuple[int, int]) -> Any:
    """Scores, read from a file as an array or a sparse matrix."""
    if f"{name}.npy" not in archive:
        return _sparse(archive, name, shape, "f")
    scores = archive.array(f"{name}.npy", "f", shape, finite=False)
    require_file(not np.isnan(scores).any(), f"{name} are missing")
    return scores


def _sparse(archive: Archive, name: str, shape: tuple[int | None, int], kinds: str) -> Any:
    from scipy.sparse import csr_array

    rows, columns = shape
    indptr = archive.array(f"{name}.indptr.npy", "i", (None if rows is None else rows + 1,), least=0)
    require_file(indptr.size > 0, f"{name} is torn")
    indices = archive.array(f"{name}.indices.npy", "i", (None,), least=0, below=columns)
    data = archive.array(f"{name}.data.npy", kinds, (indices.size,))
    require_file(
        bool((np.diff(indptr) >= 0).all()) and indptr[0] == 0 and indptr[-1] == indices.size,
        f"{name} is torn",
    )
    matrix = csr_array((data, indices, indptr), (indptr.size - 1, columns))
    require_file(matrix.has_canonical_format, f"{name} has a place twice")
    return matrix
