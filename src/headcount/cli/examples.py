"""Examples at the end of the help: commands that run as they are, on a table of visits."""

EXAMPLES = {
    "": (
        "headcount demo",
        "headcount histogram visits.parquet --user user --by song --epsilon 1 --dry-run",
        "headcount ledger new visits.db --epsilon 3 --delta 1e-5",
    ),
    "histogram": (
        "headcount histogram visits.parquet --user user --by song --epsilon 1",
        "headcount histogram visits.parquet --user user --by day --per month --epsilon 1 --out months.html",
        "headcount histogram visits.parquet --user user --by country --keys FR,DE --count events --epsilon 1 --bound 5",
    ),
    "aggregate": (
        "headcount aggregate visits.parquet --user user --by country --metric people --metric 'mean(price)' "
        "--epsilon 1",
        "headcount aggregate visits.parquet --user user --by country --metric 'median(price)' --range 0..500 "
        "--epsilon 1",
    ),
    "top": (
        "headcount top visits.parquet --user user --by song --k 10 --epsilon 1",
        "headcount top visits.parquet --user user --by song --k 10 --count none --epsilon 0.5",
    ),
    "heavy_hitters": (
        "headcount heavy-hitters visits.parquet --user user --by song --share 0.05 --epsilon 1",
        "headcount heavy-hitters visits.parquet --user user --by song --people 100000 --epsilon 1",
    ),
    "quantiles": (
        "headcount quantiles visits.parquet --user user --value price --range 0..1000 --q 0.5,0.9 --epsilon 1",
        "headcount quantiles visits.parquet --user user --value price --edges 0,10,100,1000 --bound 1 --epsilon 1",
    ),
    "ranges": (
        "headcount ranges visits.parquet --user user --value price --ranges 0..10,10..100 --epsilon 1",
        "headcount ranges visits.parquet --user user --value price --ranges 0..10 --where country=FR --epsilon 1",
    ),
    "shape": (
        "headcount shape visits.parquet --user user --by song --epsilon 1",
        "headcount shape visits.parquet --user user --by song --epsilon 1 --bound 1 --out shape.png",
    ),
    "distribution": (
        "headcount distribution visits.parquet --user user --by country --keys FR,DE,IT --epsilon 1",
        "headcount distribution visits.parquet --user user --by price --bins 0,10,100,1000 --epsilon 1",
    ),
    "profile": (
        "headcount profile visits.parquet --user user --by song --epsilon 0.1",
        "headcount profile visits.parquet --user user --by song --epsilon 0.1 --ledger visits.db",
    ),
    "total": (
        "headcount total visits.parquet --user user --epsilon 0.5",
        "headcount total visits.parquet --user user --count users --where country=FR --epsilon 0.5",
        "headcount total visits.parquet --user user --sum price --epsilon 1",
    ),
}
"""Commands by job; those of no job stand in the help of all commands."""


def epilog(command: str) -> str:
    """The examples of a command, a paragraph each, which Typer prints as lines; empty if it has none."""
    examples = EXAMPLES.get(command, ())
    return "\n\n".join(["Examples:", *(f"  {example}" for example in examples)]) if examples else ""
