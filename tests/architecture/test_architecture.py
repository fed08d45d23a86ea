"""Arrows go down only: which rooms of the package there are, and what each of them may import."""

from collections import Counter
from collections.abc import Set
from inspect import signature
from pathlib import Path

import pytest
from benchmarks.architecture import (
    SRC,
    circles,
    floors,
    imported,
    indices,
    modules,
    of_files,
    of_rooms,
    room,
    told_apart,
)

from headcount.jobs.registry import FUNCTIONS

pytestmark = pytest.mark.every_case

FILES = of_files(SRC)
ROOMS = of_rooms(FILES)
MAX_ROOMS, MAX_FLOORS = 23, 12  # the uppermost of both is `python -m headcount`; one is `headcount.papers`
MAX_TOLD_APART = 8
MAX_PARAMETERS = 18
MAX_FILES = 22
"""Most files of one folder, besides what says what the folder is for: more are grouped by what they are about."""

BASE = {"errors", "exact", "system", "wording"}
ONLY = {
    "errors": set(),
    "wording": {"errors"},
    "system": set(),
    "exact": {"errors", "system", "wording"},
    "noise": BASE,
    "account": BASE,
    "estimate": BASE | {"noise"},
    "source": BASE,
}
"""All that these may import."""
TOP = {"audit", "simulation", "cli", "papers", "__init__", "__main__"}
APART = {"federated", "stream"}
FLOW = {"job", "jobs", "run", "planner"} | APART | TOP
NEVER = {
    "bound": {"mechanism", "release"} | FLOW,
    "mechanism": {"release"} | FLOW,
    "release": {"mechanism"} | FLOW,
    "job": {"jobs", "run", "planner"} | APART | TOP,
    "run": {"jobs", "planner"} | APART | TOP,
    "planner": {"jobs"} | APART | TOP,
    "jobs": APART | TOP,
    "papers": {"release"} | FLOW,
    "federated": FLOW - {"federated"},
    "stream": FLOW - APART,
    "audit": {"cli", "__init__"},
    "simulation": APART | {"audit", "cli", "__init__"},
    "__init__": {"cli"},
    "cli": {"__main__"},
    "__main__": TOP - {"cli", "__main__"},
}
"""What these may not import."""
BESIDE = {"audits", "experiments", "benchmarks", "tests"}


def test_no_room_imports_itself_by_way_of_others() -> None:
    assert circles(ROOMS) == []


def test_no_file_imports_itself_by_way_of_others() -> None:
    assert circles(FILES) == []


def test_there_are_few_rooms_on_few_floors() -> None:
    assert len(ROOMS) <= MAX_ROOMS, sorted(ROOMS)
    assert max(floors(ROOMS).values()) <= MAX_FLOORS, floors(ROOMS)


def test_no_folder_has_many_files() -> None:
    sizes = Counter(
        path.parent.relative_to(SRC).as_posix() for path in modules(SRC).values() if path.stem != "__init__"
    )
    assert sizes["headcount/account/ledger"] > 10
    assert {folder: size for folder, size in sizes.items() if size > MAX_FILES} == {}


def test_every_room_has_a_rule() -> None:
    assert sorted(ROOMS.keys() - ONLY.keys() - NEVER.keys()) == []


@pytest.mark.parametrize("name", [*ONLY, *NEVER])
def test_arrows_go_down_only(name: str) -> None:
    assert name in ROOMS
    wrong = ROOMS[name] - ONLY[name] if name in ONLY else ROOMS[name] & NEVER[name]
    assert _arrows(name, wrong) == []


def _arrows(name: str, wrong: Set[str]) -> list[str]:
    """The imports of a room that lead into some others."""
    return sorted(
        f"{module} -> {each}"
        for module, several in FILES.items()
        for each in several
        if room(module) == name and room(each) in wrong
    )


def _family(module: str) -> str:
    """The family of mechanisms that a module belongs to; empty for what families share, and for other rooms."""
    parts = module.removeprefix("headcount.").split(".")
    return parts[1] if parts[0] == "mechanism" and len(parts) > 2 and parts[1] != "stages" else ""


def test_no_family_of_mechanisms_imports_another() -> None:
    """What two of them need is a stage, or a part of `mechanism` itself; stages import no family."""
    assert len({_family(module) for module in FILES} - {""}) > 8
    assert _family("headcount.mechanism.known.strategy") == "known"
    wrong = [
        f"{module} -> {each}"
        for module, several in FILES.items()
        for each in several
        if _family(each) not in ("", _family(module)) and (_family(module) or ".mechanism.stages." in module)
    ]
    assert wrong == []


def test_no_module_of_the_package_imports_what_stands_beside() -> None:
    """Neither the experiments nor the optima in hindsight that they look at: a release could depend on them."""
    assert FILES
    heads = {path: {name.partition(".")[0] for name in imported(path.read_text())} for path in modules(SRC).values()}
    assert [path for path, names in heads.items() if names & BESIDE] == []


def test_every_way_to_import_is_seen() -> None:
    assert imported("import experiments.best as best\nfrom tests import process") == {"experiments.best", "tests"}
    assert imported("def f():\n    from benchmarks.scale import run", {"benchmarks.scale.run"}) == {
        "benchmarks.scale.run"
    }
    assert imported("if TYPE_CHECKING:\n    from a.b import C, d", {"a.b", "a.b.d"}) == {"a.b", "a.b.d"}
    assert imported('importlib.import_module("experiments.best")') == {"experiments.best"}
    assert imported("from headcount import tests") == {"headcount"}


def test_relative_imports_and_names_that_are_put_together_are_seen() -> None:
    known = {"a", "a.b", "a.b.c", "a.b.d", "a.e"}
    assert imported("from . import c\nfrom .d import X\nfrom .. import e", known, "a.b") == {"a.b.c", "a.b.d", "a.e"}
    assert imported("from . import X\nfrom ..e import Y", known, "a.b") == {"a.b", "a.e"}
    assert imported('import_module(f"a.b.{name}")', known) == {"a.b.c", "a.b.d"}
    assert imported('import_module(f".{name}", __package__)', known, "a.b") == {"a.b.c", "a.b.d"}
    assert imported('import_module(".c", __package__)', known, "a.b") == {"a.b.c"}
    assert imported("import_module(name)", known, "a.b") == set()


def test_circles_and_floors_of_a_small_house() -> None:
    house = {"roof": {"kitchen", "cellar"}, "kitchen": {"hall"}, "hall": {"kitchen", "cellar"}, "cellar": set[str]()}
    assert circles(house) == [["hall", "kitchen"]]
    assert floors(house) == {"roof": 3, "kitchen": 2, "hall": 2, "cellar": 1}


def test_hardly_a_line_tests_which_job_it_is() -> None:
    """What differs by job is a method of the job, and by kind of result of its view."""
    lines = list(told_apart(SRC))
    assert len(lines) < MAX_TOLD_APART, lines


def test_lines_that_test_which_job_it_is(tmp_path: Path) -> None:
    files = {
        "jobs/total.py": "class Total(Job): ...\njob == 1",
        "release/shape.py": "class Shape(Release): ...",
        "mechanism/shape.py": "class Shape: ...\nisinstance(a, Shape)",
        "page.py": """from headcount.jobs.total import Total
from headcount.release.shape import Shape
from headcount.mechanism.shape import Shape as Kind
isinstance(a, Total | int)
isinstance(a, Shape)
isinstance(a, Kind)
about.view in ("shape", "total") or plan.job.name != "total"
view = text if about.view else "view"
match about.view:
    case _: ...
TABLE[about.view].shown, table.get(job.name)
array.view(int), table[view.layout], job.name
""",
    }
    for name, text in files.items():
        path = tmp_path / "headcount" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert list(told_apart(tmp_path)) == [f"page.py:{line}" for line in (4, 5, 7, 8, 9, 11)]


@pytest.mark.parametrize("job", FUNCTIONS)
def test_a_job_has_few_parameters(job: str) -> None:
    """What belongs to a mechanism is an option of it, what belongs to the data is declared by `hc.table`."""
    assert len(signature(FUNCTIONS[job]).parameters) <= MAX_PARAMETERS


def test_a_parameter_is_known_in_few_places_and_not_on_the_command_line() -> None:
    found = indices(SRC)
    assert found
    assert not any(index.startswith("cli/") for index in found)
    with pytest.raises(ValueError, match="no job has such a parameter"):
        indices(SRC, "selection_delta")
