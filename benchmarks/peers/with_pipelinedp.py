"""One release by PipelineDP 0.3.1, on its local backend: people per item, items not known in advance.

    .venv-pipelinedp/bin/python with_pipelinedp.py TABLE BOUND NOISE OUT        NOISE: gaussian or laplace

`max_partitions_contributed` is the bound: it keeps this number of a person's items, chosen at random. It selects items
by its default, a truncated geometric law, and its accountant splits the budget between that and the counts. The local
backend is one process over Python's own lists; on Beam or Spark the same steps run on several.
"""

import sys

import pipeline_dp  # type: ignore[import-not-found]
import pyarrow as pa
import pyarrow.parquet as pq

EPSILON, DELTA = 1.0, 1e-6


def asked(bound: int, noise: str) -> pipeline_dp.AggregateParams:
    """People per item."""
    return pipeline_dp.AggregateParams(
        noise_kind=pipeline_dp.NoiseKind[noise.upper()],
        metrics=[pipeline_dp.Metrics.PRIVACY_ID_COUNT],
        max_partitions_contributed=bound,
        max_contributions_per_partition=1,
    )


def columns() -> pipeline_dp.DataExtractors:
    """Which part of a row is what."""
    return pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda row: 0,
    )


def release(table: str, bound: int, noise: str) -> pa.Table:
    """(item, count)"""
    read = pq.read_table(table, columns=["user_id", "item"])
    rows = list(zip(*(column.to_pylist() for column in read.columns), strict=True))
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=EPSILON, total_delta=DELTA)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    made = engine.aggregate(rows, asked(bound, noise), columns())
    accountant.compute_budgets()
    found = [(item, round(counted.privacy_id_count)) for item, counted in made]
    items, counts = [item for item, _ in found], [count for _, count in found]
    return pa.table({"item": pa.array(items, pa.string()), "count": pa.array(counts, pa.int64())})


def write(found: pa.Table, out: str) -> None:
    """To a file."""
    pq.write_table(found, out)


if __name__ == "__main__":
    write(release(sys.argv[1], int(sys.argv[2]), sys.argv[3]), sys.argv[4])
