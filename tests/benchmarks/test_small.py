"""First and later releases of a small table: what is measured is a release, and what it imports."""

import json
from pathlib import Path

from benchmarks.scale.events import table

from benchmarks import small


def test_a_first_release_and_its_imports_are_measured_in_processes_of_their_own(tmp_path: Path) -> None:
    release = small.RELEASES["`histogram` of a Parquet file"].format(path=str(table(1_000, tmp_path)))
    seconds, modules = small.process(small.FIRST.format(release=release) + small.SAID)
    assert seconds > 0
    assert {"headcount.run", "duckdb"} <= {*modules}
    imported, none = small.process(small.IMPORTS, json.dumps(["headcount.run", "no such module"]))
    assert imported > 0
    assert none == []


def test_later_releases_take_turns_with_the_plain_query(tmp_path: Path) -> None:
    found = small.later(small.with_amounts(table(1_000, tmp_path)), 1)
    assert [*found] == ["plain", *small.RELEASES]
