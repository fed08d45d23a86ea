"""All mechanisms that are audited: the files of `audits/mechanisms`."""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from audits.specimen import ONE, Cases, Deltas, Enumeration, Plans, Specimen
from headcount.account.events import Neighbours

FOLDER = Path(__file__).parent / "mechanisms"
BOTH: tuple[Neighbours, ...] = ("add-remove", "replace")


def families() -> list[ModuleType]:
    """The modules of the folder, in order of their names."""
    return [import_module(f"audits.mechanisms.{path.stem}") for path in sorted(FOLDER.glob("[!_]*.py"))]


@cache
def specimens() -> tuple[Specimen, ...]:
    """Every specimen, honest ones first. Epsilon is 1 everywhere, delta at most 1/30."""
    return tuple(
        Specimen(name, run, ONE, delta, kind == "honest", *pair, slow)
        for kind in ("honest", "wrong")
        for name, run, delta, pair, slow in _cases(kind)
    )


def plans() -> Plans:
    """Every plan whose forecast stands on the page of a proof."""
    return [each for family in families() for each in getattr(family, "PLANS", ())]


def _cases(kind: str) -> Cases:
    for family in families():
        found: Callable[[], Cases] | None = getattr(family, kind, None)
        yield from found() if found else ()


def enumerations() -> Iterator[Enumeration]:
    """Every mechanism on tiny data, first for people who are added or removed, then for people who are replaced."""
    for neighbours in BOTH:
        for family in families():
            yield from enumerations_of(family, neighbours)


def enumerations_of(family: ModuleType, neighbours: Neighbours) -> Iterator[Enumeration]:
    """The mechanisms of one family on tiny data."""
    deltas: Callable[[Neighbours], Deltas] = getattr(family, "enumerations", lambda neighbours: iter(()))
    for name, epsilon, price, exact in deltas(neighbours):
        yield Enumeration(name, neighbours, epsilon, price, exact)
