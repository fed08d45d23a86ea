"""A release file is anybody's: whatever it holds, it is a release that can be shown, or it is refused in one way."""

import json
import random
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import headcount as hc
from headcount.errors import NotATable, ReleaseTooNew
from headcount.release import About, pack
from headcount.release.about import KEY

SCRIPT = "<script>alert(1)</script>\x1b[2J$\\nope{$"
DEEP = "[" * 5000 + "]" * 5000
NESTED: Any = json.loads("[" * 200 + "]" * 200)
NUMBERS = [0, 1, -1, 10**30, 2.5, float("nan"), float("inf"), True, None]
TEXTS = ["", SCRIPT, "nan", "inf", "-1", "1e999999999", "1" * 5000, "1/0", "\ud800", "null", "{}", "[]", "[1]", DEEP]
TEXTS += ['{"a":NaN}', json.dumps({"a": NESTED}), '[{"event":"laplace","scale":"1e999999999","sensitivity":"1"}]']
TEXTS += ['{"rows":1e300,"columns":1,"scale":1}', '{"rows":1000000000000,"columns":1000000000000,"scale":1.0}']
TEXTS += ['{"rows":5,"columns":5,"scale":0}', '{"rows":5,"columns":5,"scale":NaN}', '{"rows":5}']
TEXTS += [
    '{"cells":5,"hashed":true,"noise":[[1,1e9]],"empty":1,"enough":1}',
    '{"cells":5,"hashed":1,"noise":[],"empty":1}',
]
WRONG: list[Any] = [*NUMBERS, *TEXTS, [], [SCRIPT], [1], [None], {}, {"a": 1}, NESTED]
COLUMNS: list[Any] = [
    pa.array([None, None], pa.int64()),
    pa.array([-5, 2**63 - 1]),
    pa.array([float("nan"), float("inf")]),
    pa.array([1.5, 2.5]),
    pa.array(["x", SCRIPT]),
    pa.array([b"\xff", b"x"]),
    pa.array([[1], [2]]),
    pa.array([{"a": 1}, {"a": 2}]),
    pa.array([2**31 - 1, 1], pa.int32()).cast(pa.date32()),
    pa.array([2**62, 1], pa.int64()).cast(pa.timestamp("us")),
    pa.array([1, 2], pa.int64()).cast(pa.timestamp("us", "No/Where")),
    pa.array(["a", "b"]).dictionary_encode(),
    pa.array([b"\xff\xfe", b"x"]).view(pa.string()),
    pa.nulls(2),
]


def people() -> pa.Table:
    """3,000 people with an item and a number each."""
    count = range(3000)
    return pa.table({"user": count, "item": [f"item {k % 2}" for k in count], "number": [float(k % 10) for k in count]})


RELEASES: dict[str, tuple[str, dict[str, Any]]] = {
    "histogram": ("histogram", {"by": "item"}),
    "bins": ("histogram", {"by": "number", "bins": [0, 5, 10], "bound": 1}),
    "sum": ("histogram", {"by": "item", "sum": "number"}),
    "ranks": ("top", {"by": "item", "k": 2, "count": "none"}),
    "heavy hitters": ("heavy_hitters", {"by": "item"}),
    "profile": ("profile", {"by": "item"}),
    "quantiles": ("quantiles", {"value": "number", "range": (0, 10)}),
    "ranges": ("ranges", {"value": "number", "ranges": [(0, 5)]}),
    "staircase": ("shape", {"by": "item"}),
    "buckets": ("shape", {"by": "item", "mechanism": hc.Buckets(buckets=64)}),
    "distribution": ("distribution", {"by": "item", "keys": ["item 0", "item 1"]}),
}


def release_of(kind: str) -> hc.Release:
    """A release of this kind."""
    job, asked = RELEASES[kind]
    release = getattr(hc, job)(people(), user="user", epsilon=1, **asked)
    assert isinstance(release, hc.Release)
    return release


@pytest.fixture(scope="module", params=RELEASES)
def honest(request: pytest.FixtureRequest) -> hc.Release:
    """A release of each kind."""
    return release_of(request.param)


def said(release: hc.Release) -> dict[str, Any]:
    """What the file says beside its rows."""
    plain = json.loads(pq.ParquetFile(pa.BufferReader(release.content)).schema_arrow.metadata[KEY])
    assert isinstance(plain, dict)
    return plain


def forged(table: pa.Table, about: Any) -> bytes:
    """A file with these rows and this description."""
    text = about if isinstance(about, bytes) else json.dumps(about).encode()
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata({KEY: text}), sink)
    return bytes(sink.getvalue())


def loaded(content: bytes, path: Path) -> hc.Release | None:
    """The release; None if it is refused as it should be."""
    path.write_bytes(content)
    try:
        release = hc.load(path)
    except ReleaseTooNew:  # a field that this version does not know
        return None
    except NotATable as refused:
        told = str(refused)
    else:
        show(release)
        return release
    assert told.startswith(f"{path}: not a release")
    assert told.endswith(" Fix: a .parquet file from release.save(...)")
    return None


def show(release: hc.Release) -> None:
    """Everything that is quickly shown of it."""
    assert {char for char in release.summary() + release.explain() if not char.isprintable()} <= {"\n"}
    assert release.cost.epsilon >= 0
    json.loads(release.to_json(), parse_constant=pytest.fail)
    release.table.to_pylist()


def forgeries(about: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """One field that is wrong, missing, or too much."""
    yield from (("", content) for content in (b"", b"\xff", b"nul", b"[]", b"1", DEEP.encode(), b'{"a":' * 3000))
    yield from ((name, {**about, name: wrong}) for name in (*about, "more") for wrong in WRONG)
    yield from ((name, {key: value for key, value in about.items() if key != name}) for name in about)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("kind", ["histogram", "profile", "quantiles", "staircase", "buckets"])
def test_every_field_is_checked(kind: str, tmp_path: Path) -> None:
    honest = release_of(kind)
    about, path = said(honest), tmp_path / "r"
    loose = {name for name, each in forgeries(about) if each != about and loaded(forged(honest.table, each), path)}
    assert {"what", "dataset", "proof"} <= loose
    assert not {"", "more"} & loose
    assert loaded(honest.content, path) is not None


@pytest.mark.slow(one_in=3)
def test_every_column_is_checked(honest: hc.Release, tmp_path: Path) -> None:
    """A column of another kind is refused, or is an item like any other."""
    about, two = said(honest), honest.table.take(pa.array([0, 0]))
    items = honest.about.by if honest.about.view in ("", "distribution", "quantiles", "ranges") else ()
    for index, name in enumerate(honest.table.column_names):
        for column in COLUMNS:
            taken = loaded(forged(two.set_column(index, name, column), about), tmp_path / "r")
            assert taken is None or name in items or column.type == two[name].type
        optional = name in ("deviation", "certain")
        for table in (two.drop_columns([name]), two.rename_columns({name: SCRIPT}), two.append_column(name, two[name])):
            assert loaded(forged(table, about), tmp_path / "r") is None or optional


@pytest.mark.slow(one_in=3)
def test_what_is_let_in_runs_nothing(honest: hc.Release, tmp_path: Path) -> None:
    """Every text of a forged release is shown as text: on a page, in a notebook, in a picture."""
    texts = {field.name: SCRIPT for field in fields(About) if field.name in ("what", "dataset", "proof", "chosen")}
    plan = json.dumps({**json.loads(honest.about.plan), SCRIPT: SCRIPT})
    about = {**said(honest), **texts, "unit": SCRIPT, "steps": [SCRIPT], "kinds": ["guarantee"], "plan": plan}
    release = loaded(forged(honest.table, about), tmp_path / "r")
    assert release is not None
    for page in (release._repr_html_(), release.report(tmp_path / "r.html").read_text()):
        assert "<script" not in page
        assert "alert(1)" in page


def test_costs_are_escaped_even_if_nothing_checked_them() -> None:
    """What a page shows does not rest on who read the file."""
    about: dict[str, Any] = {
        "what": "",
        "dataset": "",
        "by": ("item",),
        "unit": "people",
        "epsilon": SCRIPT,
        "delta": "0",
    }
    rest: dict[str, Any] = {
        "steps": (),
        "proof": "",
        "plan": "",
        "view": "",
        "bound": 1,
        "chosen": "",
        "events": "[]",
        "order": (),
    }
    table = pa.table({"item": ["a"], "count": [1], "low": [0], "high": [2]})
    release = hc.Release(pack(table, About(**about, **rest, head="")), fresh=True)
    release.__dict__["about"] = About(**about, **rest, head="")
    assert "<script" not in release._repr_html_()


def test_changed_bytes(honest: hc.Release, tmp_path: Path) -> None:
    chance = random.Random(7)
    for _ in range(60):
        content = bytearray(honest.content)
        for _ in range(chance.choice([1, 1, 5])):
            content[chance.randrange(len(content))] = chance.randrange(256)
        loaded(bytes(content), tmp_path / "r")
    for size in (0, 4, len(honest.content) // 2, len(honest.content) - 1):
        assert loaded(honest.content[:size], tmp_path / "r") is None


def test_intervals_and_bins_are_checked(tmp_path: Path) -> None:
    release = release_of("bins")
    for table in (
        release.table.set_column(2, "low", pc.add(release.table["count"], 1)),
        release.table.set_column(3, "high", pc.subtract(release.table["count"], 1)),
        release.table.set_column(0, "number", pa.array([SCRIPT, "[0, 5)"])),
    ):
        assert loaded(forged(table, said(release)), tmp_path / "r") is None
