"""What counts rows of Parquet files, ours and the engines': a process that measures one of them loads no other."""

from pathlib import Path


def polars_bins(at: Path) -> object:
    import polars as pl

    score = pl.col("p")
    key = (score.reinterpret(dtype=pl.UInt32) // (1 << 13)).alias("key")
    grouped = (
        pl.scan_parquet(f"{at}/*.parquet")
        .group_by(key, "y")
        .agg(pl.len(), score.min(), score.max().alias("most"))
    )
    return grouped.collect(engine="streaming")


def polars_bins_with_losses(at: Path) -> object:
    """The same with the sums of log-loss and Brier score and of their squares, rounded, which ours has exactly."""
    import polars as pl

    score, is_positive = pl.col("p"), pl.col("y") == 1
    p = score.cast(pl.Float64)
    surprise = pl.when(is_positive).then(-p.log()).otherwise(-(-p).log1p())
    squared = pl.when(is_positive).then((1 - p) ** 2).otherwise(p * p)
    sums = [
        each.sum().alias(name)
        for name, each in {
            "a": surprise,
            "b": surprise * surprise,
            "c": squared,
            "d": squared * squared,
        }.items()
    ]
    key = (score.reinterpret(dtype=pl.UInt32) // (1 << 13)).alias("key")
    grouped = (
        pl.scan_parquet(f"{at}/*.parquet")
        .group_by(key, "y")
        .agg(pl.len(), score.min(), score.max().alias("most"), *sums)
    )
    return grouped.collect(engine="streaming")


def polars_matrix(at: Path) -> object:
    import polars as pl

    return pl.scan_parquet(f"{at}/*.parquet").group_by("y", "said").len().collect(engine="streaming")


def duckdb_bins(at: Path) -> object:
    import duckdb

    return duckdb.sql(
        f"select p::BIT::UINTEGER >> 13 as key, y, count(*), min(p), max(p) from '{at}/*.parquet' group by all"
    ).fetchall()


def duckdb_matrix(at: Path) -> object:
    import duckdb

    return duckdb.sql(f"select y, said, count(*) from '{at}/*.parquet' group by all").fetchall()


def our_bins(at: Path) -> object:
    import classay as ca

    return ca.scan(at, truth="y", score="p", bits=10)


def our_matrix(at: Path) -> object:
    import classay as ca

    return ca.scan(at, truth="y", prediction="said")


def our_json(at: Path) -> object:
    import classay as ca

    return ca.scan(at, truth="case.y", score="scores[0].value", positive="yes", bits=10)


def polars_json(at: Path) -> object:
    import polars as pl

    truth = pl.col("case").struct.field("y")
    score = pl.col("scores").list.get(0).struct.field("value")
    return pl.scan_ndjson(f"{at}/*.jsonl").select(truth, score).collect(engine="streaming")


def pyarrow_json(at: Path) -> object:
    import pyarrow as pa
    from pyarrow import json

    score = pa.list_(pa.struct({"value": pa.float64()}))
    schema = pa.schema({"case": pa.struct({"y": pa.string()}), "scores": score})
    parsing = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    return [json.read_json(file, parse_options=parsing) for file in at.glob("*.jsonl")]
