"""An experiment of several parts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from experiments.pictures import Panel
from experiments.report import Progress, Reproduction, Setting, Table


@dataclass(frozen=True)
class Part:
    """A part of an experiment."""

    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    panels: tuple[Panel, ...] = ()


PartFunction = Callable[[Setting], Part]


def combine(
    name: str, title: str, parts: Mapping[str, PartFunction], setting: Setting, progress: Progress
) -> Reproduction:
    """Run all parts and combine their results."""
    found: list[Part] = []
    for what, part in parts.items():
        progress(what, len(found) / len(parts))
        found.append(part(setting))
    notes = [note for each in found for note in each.notes]
    return Reproduction(
        name,
        title,
        tuple(table for each in found for table in each.tables),
        (*notes, *([setting.data_note("", available=True)] if setting.quick else [])),
        tuple(panel for each in found for panel in each.panels),
    )
