"""The run of a release: read, select the bound, bound, draw noise, make columns. It knows no job and no mechanism.

Noise is drawn only once the rows are read to their end, and nothing can fail any more by what they are. What is looked
at after the first noise are rows that are held already. If an engine fails there all the same, the work is done again
under its charge, with the same noise.

A machine checks the price: before the first noise of a mechanism, `check_paid` compares its events with what the
selections before it left of the price, and ends the release as a `Defect` if they cost more.
"""

from __future__ import annotations

import secrets
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from traceback import walk_tb
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from headcount.account.composition.receipt import check_paid
from headcount.account.events import Event
from headcount.account.guarantee import Cost
from headcount.bound.pairs.pairs import pairs_of
from headcount.bound.selection.people import NoisyCount
from headcount.bound.selection.selection import BoundSelection, bounding_of
from headcount.errors import BadParameter, Defect, FileChanged, ReadingFailed, TableChanged
from headcount.job import Job
from headcount.mechanism.mechanism import AnyMechanism, Columns
from headcount.mechanism.strategy import Strategy
from headcount.noise import Entropy, SystemEntropy
from headcount.release.about import check_packable
from headcount.source import Events, contributions, identified, identified_rows, watch_rows
from headcount.source.contributions.contributions import Contributions, ReadPlan
from headcount.source.contributions.plain import PlainContributions
from headcount.source.engines.contract import try_operations
from headcount.source.engines.limits import Limits
from headcount.source.engines.registry import engine_of
from headcount.source.engines.scan import Scan
from headcount.source.expressions import ir
from headcount.source.files.scans import stop_behind
from headcount.source.reading import opened_once, reading
from headcount.source.scales.amounts import Numbers
from headcount.source.schema import item_names

Progress = Callable[[str], None]
READING = ("headcount.source.", "headcount.bound.", "headcount.release.")
"""Modules that read rows, or hold items as they were read: they fail by what these are."""
OWN = ("headcount", "numpy", "scipy", "flint")
_REHEARSED: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()
"""Requests that were rehearsed, by connection of the user's."""


@dataclass(frozen=True)
class Decision:
    """The mechanism, once everything is selected."""

    mechanism: AnyMechanism
    selections: tuple[BoundSelection[Any], ...] = ()
    """The selections that led to it."""

    def events(self, strategy: Strategy) -> tuple[Event, ...]:
        """All privacy events of the release: of the number of people, every selection, and the mechanism."""
        return (*strategy.extra_events, *self.selected, *self.mechanism.events)

    @property
    def selected(self) -> tuple[Event, ...]:
        """The privacy events of every selection."""
        return tuple(event for selection in self.selections for event in selection.events)

    def check_paid(self, paid: Cost, relation: str, strategy: Strategy) -> None:
        """Raise `Defect` if noise that is drawn from now on costs more than the selections left of the price, or is for
        less than neighbours differ by."""
        if not self.mechanism.allows(strategy.neighbours):
            raise Defect(f"{self.mechanism.name}: its noise is not for neighbours={strategy.neighbours!r}.")
        check_paid(paid, relation, (*strategy.extra_events, *self.mechanism.events), self.selected)


@dataclass(frozen=True)
class Outcome:
    """The result of a run, which may be released."""

    decision: Decision
    table: pa.Table
    columns: Columns
    """What the mechanism released."""
    people: NoisyCount
    """The number of people: with noise, or as it is public."""


@dataclass(frozen=True)
class Source:
    """The table that is read, and its limits."""

    events: Events
    limits: Limits
    domain: pa.Table | None
    """The public items, sorted: noise is drawn in this order."""
    dataset: str
    check_unchanged: Callable[[], None] = lambda: None
    """Raises `FileChanged` once a file is not the one that was there at first."""
    check_rows: Callable[[], None] = lambda: None
    """Raises `FileChanged` if a user's engine no longer shows the rows of the fingerprint: called once, when all rows
    are read and before the first noise."""

    @property
    def has_rows(self) -> bool:
        """True for files whose rows are cheap to look at beside their bytes."""
        return self.events.files is not None and self.events.cheap_to_reread

    def rows(self, job: Job, *, by_number: bool) -> ir.Table | Scan:
        """Open the table; as SQL if all its columns, and what is done to its rows, are plain."""
        plain = by_number and job.counts_plain_rows and self.events.scan
        return plain().counted(len(job.numbers)) if plain else self.events.table()

    def check_all(self) -> None:
        """Raise `FileChanged` if the files or the rows changed."""
        self.check_unchanged()
        self.check_rows()

    @contextmanager
    def opened_once(self) -> Iterator[Source]:
        """Open a table of the user's engine once for the duration of the block: its fingerprint and its rows are read
        from the same one."""
        if self.events.owns_engine:
            yield self
            return
        with opened_once(self.events.table) as table:
            yield replace(self, events=replace(self.events, table=table))


def draw(job: Job, strategy: Strategy, source: Source, paid: Cost, entropy: Entropy, progress: Progress) -> Outcome:
    """Read, select, bound, noise, columns: for no more than what was paid."""
    with quiet(), read(job, strategy, source, progress) as pairs:  # user, items, count
        decision = _select(strategy, pairs, entropy, progress, source.check_all)
        decision.check_paid(paid, job.relation, strategy)
        bounded = decision.mechanism.bounding.bound(pairs, entropy.secret(), source.domain)  # items, totals
        there = strategy.people_count.look(pairs) if strategy.people_count else 0
        if strategy.selection is None:
            check_packable(bounded.items)
            source.check_rows()
        progress("drawing noise")
        source.check_unchanged()
        noisy = decision.mechanism.run(bounded, entropy)  # items, noisy values
    with quiet():
        counted = strategy.people_count
        people = counted.draw(there, entropy) if counted else NoisyCount(job.public_people)
        columns = decision.mechanism.estimate(noisy)
        return Outcome(decision, job.table(noisy, columns, people), columns, people)


def _select(
    strategy: Strategy, pairs: Contributions, entropy: Entropy, progress: Progress, check_unchanged: Callable[[], None]
) -> Decision:
    """The mechanism, with its bound selected if need be, and what that may lead to."""
    selection = strategy.selection
    if selection is None:
        return Decision(strategy.given())
    progress("choosing the bound")
    if others := [name for name in pairs.items if not pairs.is_text(name)]:
        check_packable(pairs_of(pairs).listed(others))
    seen = selection.look(pairs)
    check_unchanged()
    chosen, selections = selection.draw(seen, entropy), [selection]
    while following := strategy.next_selection(chosen, selections):
        chosen, strategy = following.draw(following.look(pairs), entropy), strategy.after(following)
        selections.append(following)
    progress("bounding")
    return Decision(strategy.mechanism(bounding_of(chosen)), tuple(selections))


def rehearse_once(job: Job, strategy: Strategy, source: Source, request: str) -> None:
    """Rehearse a request on a user's engine, unless this was done on the same connection before. An engine of our own
    needs no rehearsal: tests run every job on it."""
    if source.events.owns_engine:
        return
    table = source.events.table()
    connection = engine_of(table).connection(table)
    done = set() if connection is None else _REHEARSED.setdefault(connection, set())
    if request not in done:
        rehearse(job, strategy, source)
        done.add(request)


def rehearse(job: Job, strategy: Strategy, source: Source) -> None:
    """Refuse a request that the engine cannot run on no rows. A table that cannot be opened says nothing of its
    engine."""
    with quiet(), source.opened_once() as opened:
        with unquoted(source):
            table = opened.events.table()
        try:
            _run_on_no_rows(job, strategy, source, table)
        except (ReadingFailed, Defect):
            raise BadParameter(
                f"{source.dataset}: its engine cannot run this request, not even on no rows. Nothing was charged.",
                fix="write the table to a Parquet file, and read that",
            ) from None


def _run_on_no_rows(job: Job, strategy: Strategy, source: Source, table: ir.Table) -> None:
    """Read, select and bound no rows, and compute what only some rows need. What is drawn here is about nobody."""
    with unquoted(source):
        try_operations(engine_of(table), table)
    nobody = replace(source.events, table=lambda: table.limit(0), scan=None)
    with read(job, strategy, replace(source, events=nobody), lambda step: None) as pairs:
        decision = _select(strategy, pairs, SystemEntropy(), lambda step: None, lambda: None)
        decision.mechanism.bounding.bound(pairs, bytes(32), source.domain)


@contextmanager
def read(job: Job, strategy: Strategy, source: Source, progress: Progress) -> Iterator[Contributions]:
    """What each person did; read to its end beforehand, if there will be noise before the totals."""
    with unquoted(source):
        progress("reading")
        first = strategy.selection or strategy.given().bounding
        read_plan = ReadPlan(
            people=job.measures_people,
            encoded=first.by_number,
            reread=source.events.cheap_to_reread,
            single_pass=first.reads_once,
        )
        rows = source.rows(job, by_number=first.by_number)
        pairs = _plain(job, source, rows) if isinstance(rows, Scan) else expressed(job, source, rows)
        with reading(rows, source.limits if source.events.owns_engine else None), pairs.read(read_plan) as ready:
            yield ready


def expressed(job: Job, source: Source, rows: ir.Table) -> Contributions:
    """What is counted of rows, as expressions."""
    matching = job.matching(rows, source.events.types)
    return contributions(
        job.prepare(matching, source.events.types),  # user, what makes an item
        job.item_bins,
        events=job.counts_events,
        keys=source.domain if job.joins_domain else None,
        everybody=rows if job.people_of_all_rows else matching,
        amounts=job.adds_amounts,
        scales=job.scales,
        single=job.measures_single_amounts,
    )


def _plain(job: Job, source: Source, rows: Scan) -> PlainContributions:
    """The same of rows that are counted as they are."""
    return PlainContributions(
        job.prepare(rows, source.events.columns),
        item_names(len(job.item_bins)),
        lambda: expressed(job, source, rows.table),
        public=source.domain if job.joins_domain else None,
        once=not job.counts_events,
        numbers=None if job.scales is None else Numbers(job.scales, job.measures_single_amounts),
    )


@contextmanager
def explained(job: Job, strategy: Strategy, source: Source) -> Iterator[None]:
    """Say that the engine cannot run the request, if reading fails in the block, and would fail on no rows as well."""
    try:
        yield
    except (FileChanged, TableChanged):
        raise
    except ReadingFailed:
        if not source.events.owns_engine:
            rehearse(job, strategy, source)
        raise


def fingerprint(source: Source, progress: Progress) -> tuple[bytes, Source]:
    """What stands for the data in a ledger, and the source to be read next: it must still have the same rows."""
    with quiet(), unquoted(source):
        progress("looking at the data")
        found, events = identified(source.events, source.limits)
        source.check_unchanged()
        return found, replace(source, events=events, check_rows=watch_rows(events, found))


def rows_fingerprint(source: Source, progress: Progress) -> bytes:
    """What stands in a ledger for the rows of files that may have been written again; what no other look equals, if
    they cannot be read: that is found out, and said, once the charge is made."""
    progress("looking at the rows")
    try:
        with quiet(), unquoted(source):
            found = identified_rows(source.events, source.limits)
            source.check_unchanged()
            return found
    except ReadingFailed:
        return secrets.token_bytes(32)


@contextmanager
def unquoted(source: Source) -> Iterator[None]:
    """Whatever fails while rows are read says only that, or that a file changed, or that headcount has a defect: what
    an engine says may quote a row, and so may the error of a defect."""
    try:
        yield
    except (FileChanged, TableChanged, Defect):
        raise
    except Exception as error:
        if stop := stop_behind(error):
            raise stop from None
        _check_unchanged_quietly(source)
        if place := _place_of_defect(error):
            raise Defect(f"{source.dataset}: {place} failed.") from None
        raise ReadingFailed(
            f"{source.dataset}: the rows could not be read to their end. Nothing was released.",
            fix='hc.table(data, memory="8GB"), or spill="/var/tmp" for a folder with more room, if the table is large; '
            "else read it with its own engine to see why. Then ask again: a ledger charges only once",
        ) from None


def _place_of_defect(error: Exception) -> str:
    """The module of headcount in which its own code failed; empty if reading did. An error of memory or of a file, or
    of another package, is one of reading wherever it is raised."""
    if isinstance(error, OSError | MemoryError | ReadingFailed) or not _is_own(type(error).__module__):
        return ""
    modules = [frame.f_globals.get("__name__", "") for frame, _ in walk_tb(error.__traceback__)]
    last = max(index for index, module in enumerate(modules) if module.startswith("headcount."))
    reads = modules[last].startswith(READING) or not all(map(_is_own, modules[last:]))
    return "" if reads else modules[last]


def _is_own(module: str) -> bool:
    """True for headcount's modules, and for those that it computes with."""
    return (package := module.partition(".")[0]) in OWN or package in sys.stdlib_module_names


def _check_unchanged_quietly(source: Source) -> None:
    """Raise `FileChanged` without the engine's error behind it."""
    try:
        source.check_unchanged()
    except FileChanged as changed:
        raise changed from None


@contextmanager
def quiet() -> Iterator[None]:
    """Ignore the caller's NumPy, SciPy and warning settings: a warning turned into an exception after noise was drawn
    would make a retry draw fresh noise under the same charge."""
    with np.errstate(all="ignore"), _quiet_scipy(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _quiet_scipy() -> AbstractContextManager[Any]:
    """Ignore the caller's settings of SciPy, if there can be any: what is not imported yet ignores errors by itself,
    and takes as long to import as a small release."""
    special = sys.modules.get("scipy.special")
    return special.errstate(all="ignore") if special else nullcontext()
