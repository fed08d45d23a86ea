"""Commands of jobs: from the options as typed to a plan and a release."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from inspect import Parameter, Signature, signature
from pathlib import Path
from signal import SIGINT
from typing import Annotated, Any

import typer

from headcount.account import Ledger, Spend
from headcount.cli import stopping
from headcount.cli.options import arguments, own_options
from headcount.cli.panels import in_panels
from headcount.cli.progress import steps
from headcount.cli.spelling import advice_as_options
from headcount.cli.tables import open_view, read_rows
from headcount.errors import BadParameter, visible
from headcount.jobs.calls.described import parameters_of
from headcount.jobs.registry import FUNCTIONS, columns_read, plan
from headcount.planner import Plan
from headcount.release import Release
from headcount.release.files import check_target
from headcount.release.release import FORMATS, PICTURE_FORMATS, bad_format
from headcount.source.engines.engine import Engine
from headcount.source.engines.registry import engine_named
from headcount.source.engines.spark import Spark
from headcount.source.files.files import found_files, name_of, opened_by
from headcount.source.table import table
from headcount.wording import first_sentence
from headcount.wording.parameter import ADVANCED, OUTPUT, PRIVACY, WHAT

SUMMARY_ROWS = 25
"""Rows printed on the terminal."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """Options of every job, as typed."""

    files: Annotated[
        list[str] | None,
        typer.Argument(
            help="A .parquet, .csv, .tsv or .jsonl file (or .csv.gz), a pattern, or several of these.",
            show_default=False,
        ),
    ] = None
    user: Annotated[str, typer.Option(help="The column that tells people apart.", rich_help_panel=WHAT)]
    neighbours: Annotated[str, typer.Option(help="add-remove or replace.", rich_help_panel=PRIVACY)] = "add-remove"
    ledger: Annotated[Path | None, typer.Option("--ledger", help="Charge this ledger.", rich_help_panel=PRIVACY)] = None
    analyst: Annotated[
        str | None,
        typer.Option(help="Who makes the charge, for the ledger and the report.", rich_help_panel=PRIVACY),
    ] = None
    purpose: Annotated[str | None, typer.Option(help="What the release is for, likewise.", rich_help_panel=PRIVACY)] = (
        None
    )
    serves: Annotated[
        bool | None,
        typer.Option(
            "--serves/--no-serves",
            help="Answer for others: never say whether the data changed since. Else as the ledger was made.",
            show_default=False,
            rich_help_panel=PRIVACY,
        ),
    ] = None
    again: Annotated[
        bool, typer.Option("--again", help="Pay for a new draw of a sealed request.", rich_help_panel=PRIVACY)
    ] = False
    dataset: Annotated[
        str | None, typer.Option(help="What the data are called; else the file's name.", rich_help_panel=PRIVACY)
    ] = None
    table: Annotated[
        list[str] | None,
        typer.Option(
            help="Instead of files: a table about people, for a view. As visit=visit.parquet. May be repeated.",
            rich_help_panel=ADVANCED,
        ),
    ] = None
    public: Annotated[
        list[str] | None,
        typer.Option(
            help="A table that holds nothing about these people. As ward=ward.csv. May be repeated.",
            rich_help_panel=ADVANCED,
        ),
    ] = None
    links: Annotated[
        list[str] | None,
        typer.Option(
            "--link",
            "--links",
            help="A column that holds a key of another table. As line.order=orders.order. May be repeated.",
            rich_help_panel=ADVANCED,
        ),
    ] = None
    view: Annotated[
        Path | None,
        typer.Option(
            help="A Python file with def view(tables), which returns an Ibis table of them.", rich_help_panel=ADVANCED
        ),
    ] = None
    engine: Annotated[str, typer.Option(help="What reads the file: duckdb or spark.", rich_help_panel=ADVANCED)] = (
        "duckdb"
    )
    memory: Annotated[
        str | None, typer.Option(help="The most that DuckDB may take: 4GB, 512MB.", rich_help_panel=ADVANCED)
    ] = None
    spill: Annotated[
        Path | None,
        typer.Option(
            help="Where DuckDB puts what does not fit; else the system's temporary folder.", rich_help_panel=ADVANCED
        ),
    ] = None
    master: Annotated[
        str | None,
        typer.Option(help=f"Address of Spark; else {Spark.default_address}.", rich_help_panel=ADVANCED),
    ] = None
    out: Annotated[
        list[Path] | None,
        typer.Option(help=f"Write it: {' '.join(FORMATS)}. May be repeated.", rich_help_panel=OUTPUT),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.", rich_help_panel=OUTPUT)] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan; read and spend nothing.", rich_help_panel=OUTPUT)
    ] = False

    @property
    def paths(self) -> list[str]:
        """The files, if there is no view."""
        return self.files or []

    @property
    def has_view(self) -> bool:
        """True if the data are a view of several tables."""
        return any((self.table, self.public, self.links, self.view))


def command(name: str) -> Callable[..., None]:
    """Build the command of a job: its own options, from the parameters of its function, and those of every job."""
    function, shared = FUNCTIONS[name], signature(Run).parameters

    def run_job(**typed: Any) -> None:
        run = Run(**{option: typed.pop(option) for option in shared})
        _engine(run)
        check_targets(run.out or [])
        _check_ledger_options(run)
        _check_data(run)
        _carry_out(name, arguments(function, typed), run)

    files, user, *others = shared.values()
    grouped = [files, *in_panels([user, *own_options(function), *others])]
    options = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in grouped]
    run_job.__signature__ = Signature(options)  # type: ignore[attr-defined]
    run_job.__annotations__ = {each.name: each.annotation for each in options}
    run_job.__doc__ = first_sentence(function.__doc__ or "")
    return run_job


def option_names(command: str = "") -> list[str]:
    """Names of the options of a command, or of those of all jobs."""
    functions = [function for name, function in FUNCTIONS.items() if name == command] or FUNCTIONS.values()
    own = {name: each for function in functions for name, each in parameters_of(function).items()}
    files = [f"{name}_file" for name, each in own.items() if each.typed.file]
    shown = {*own, *files, *signature(Run).parameters} - {"data"}
    return sorted(shown - {"files", "out", "dry_run", "as_json"})


def _spelled(advice: str) -> str:
    return advice_as_options(advice, option_names())


def _engine(run: Run) -> Engine:
    """Find the engine by name, and check that it takes the given options."""
    return engine_named(run.engine, {"memory": run.memory, "spill": run.spill, "master": run.master})


def check_targets(out: Sequence[Path]) -> None:
    """Refuse paths that cannot be written, before anything is spent."""
    for path in out:
        if path.suffix.lower() not in FORMATS:
            raise bad_format(path)
        if not _is_folder(path.absolute().parent):
            raise BadParameter(f"{path!s:.200}: there is no such folder.", fix=f"mkdir -p {path.parent}")
        check_target(path)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a name that is too long
        return False


def _check_ledger_options(run: Run) -> None:
    """Refuse options that mean nothing without a ledger."""
    for name, given in (("analyst", run.analyst), ("purpose", run.purpose)):
        if given is not None and run.ledger is None:
            raise BadParameter(f"{name}={given!r:.60}: nothing records it without a ledger.", fix="ledger=visits.db")
    if run.serves is not None and run.ledger is None:
        raise BadParameter(f"serves={run.serves}: only a ledger serves others.", fix="ledger=visits.db")


def _check_data(run: Run) -> None:
    """Refuse files and tables together, neither, and tables on another engine."""
    if run.has_view and run.files:
        raise BadParameter(
            f"{run.files[0]}: a file and a view are typed; only one of them is read.",
            fix=f"--table visit={run.files[0]}",
        )
    if not run.has_view and not run.files:
        raise BadParameter(
            "no table is typed.", fix="headcount histogram visits.parquet --user user --by song --epsilon 1"
        )
    if run.has_view and _engine(run).file_kinds:
        raise BadParameter(f"engine={run.engine}: a view of tables runs on DuckDB.", fix="no engine")


def _carry_out(name: str, parameters: dict[str, Any], run: Run) -> None:
    """Print the plan, or draw the release and print that."""
    _check_files(run.paths, parameters.get("keys"))
    arguments = {
        "user": run.user,
        "neighbours": run.neighbours,
        **parameters,
    }
    declared = table(run.paths, name=_dataset(run), memory=run.memory, spill=run.spill)
    with _open_data(run, columns_read(name, arguments)) as data:
        planned = plan(name, replace(declared, data=data), **arguments)
        planned = _with_files(planned, run)
        _check_pictures(planned, run.out or [])
        if run.dry_run:
            print(planned.to_json() if run.as_json else planned.summary(_spelled))
        else:
            read_rows(data)
            _release(planned, run)


def _dataset(run: Run) -> str | None:
    """The name of the data: as typed; of what an engine reads by itself, that of its files."""
    return run.dataset or (name_of(run.paths) if _engine(run).file_kinds else None)


def _check_files(files: Sequence[str], keys: Any) -> None:
    """Refuse keys that were typed with spaces between them: all but the first would be files."""
    plain = [name for name in files if not Path(name).suffix and not set("/*?") & set(name)]
    stray = [name for name in plain if len(name) < 200 and not Path(name).exists()]
    if stray and isinstance(keys, list) and len(stray) < len(files):
        listed = ",".join([*map(str, keys), *stray])
        raise BadParameter(
            f"{stray[0]}: there is no such file. Keys are typed without spaces between them.", fix=f"--keys {listed}"
        )


def _with_files(plan: Plan, run: Run) -> Plan:
    """Add the files of its table to a plan, whatever engine reads them: to a ledger the data are the same."""
    if plan.events is None or plan.events.files or run.has_view or any("://" in path for path in run.paths):
        return plan
    return replace(plan, events=replace(plan.events, files=lambda: found_files(run.paths)))


@contextmanager
def _open_data(run: Run, columns: Sequence[str]) -> Iterator[Any]:
    """Open the files with their engine for the duration of the block, with our own signal handlers."""
    engine = _engine(run)
    try:
        engine.start(run.master)
    except KeyboardInterrupt:  # the engine's process received the signal first
        raise stopping.Stopped(SIGINT) from None
    stopping.listen()
    if run.has_view:
        yield open_view(run.table or [], run.public or [], run.links or [], run.view, run.user, run.dataset)
        return
    with opened_by(engine, run.paths, columns, run.master) as data:
        yield data


def _check_pictures(plan: Plan, out: Sequence[Path]) -> None:
    if plan.job.value_name == "rank" and any(path.suffix.lower() in PICTURE_FORMATS for path in out):
        raise BadParameter("out: items without counts have no picture.", fix="out=items.csv, or count=users")


def _release(plan: Plan, run: Run) -> None:
    ledger = Ledger(run.ledger, analyst=run.analyst, purpose=run.purpose, serves=run.serves) if run.ledger else None
    there = {path: _version(path) for path in run.out or []}
    before = len(_charges(plan, ledger))
    try:
        release = _draw_release(plan, ledger, again=run.again)
        for path in run.out or []:
            release.save(path)
        print(release.to_json() if run.as_json else release.summary_of(SUMMARY_ROWS, _spelled))
        for hint in release.hints if run.as_json else []:
            print(f"headcount: hint: {visible(_spelled(hint))}", file=sys.stderr)
    except stopping.Stopped as stopped:
        wrote = [path for path, version in there.items() if _version(path) != version]
        stopped.outcome = f"wrote {', '.join(map(str, wrote))}, nothing else" if wrote else "nothing was released"
        if ledger:
            charges = _charges(plan, ledger)
            outcome = _describe_new_draw(charges, before) if run.again else _describe_charges(charges, ledger.serves)
            stopped.outcome += f"; {outcome}"
        raise


def _version(path: Path) -> tuple[int, int] | None:
    """Identity of a file, to tell it from one that replaces it; None if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _draw_release(plan: Plan, ledger: Ledger | None, *, again: bool) -> Release:
    with steps() as progress:
        release = plan.release(ledger=ledger, again=again, progress=progress)
    if not release.fresh:
        more = "" if ledger and ledger.serves else " (--again pays for a new draw)"
        print(f"sealed before: no new noise, no new charge{more}", file=sys.stderr)
    return release


def _charges(plan: Plan, ledger: Ledger | None) -> list[Spend]:
    """Charges for this request in the ledger so far."""
    request = plan.charge().request
    return [spend for spend in ledger.spends() if spend.request == request] if ledger else []


def _describe_charges(charges: list[Spend], serves: bool) -> str:
    """Describe what an interrupted release was charged; whoever is served cannot finish it."""
    if not charges:
        return "nothing was charged"
    without = ", with --no-serves," if serves and not charges[-1].sealed else ""
    return f"the ledger was charged: asking the same again{without} costs nothing more"


def _describe_new_draw(charges: list[Spend], before: int) -> str:
    """Describe what an interrupted release with --again was charged, beyond the charges that were there before."""
    if not charges[before:]:
        return "nothing more was charged" if charges else "nothing was charged"
    if charges[-1].sealed:
        return "the ledger was charged: asking the same again, without --again, costs nothing more"
    return (
        "the ledger was charged for a new draw: asking the same again, with --again, finishes it and costs nothing more"
    )
