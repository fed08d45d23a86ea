"""What a collection from people who keep their data takes, before anybody takes part: `headcount federated
plan|simulate`.

The options of a question are the parameters of its function in `headcount.federated.planning`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_type_hints

import typer

from headcount.cli.audit import progress
from headcount.cli.examples import epilog
from headcount.cli.options import options_of, values
from headcount.cli.panels import JobCommand, in_panels
from headcount.cli.people import people_in
from headcount.cli.suggestions import SuggestingGroup
from headcount.errors import BadParameter, visible
from headcount.federated import planning
from headcount.federated.planning import Collection
from headcount.jobs.calls.described import JobParameter
from headcount.jobs.parameters.notation import COST, QUANTILES, RANGE, RANGES, WHAT_IT_IS, alone
from headcount.wording import first_sentence
from headcount.wording.commas import numbers, separate
from headcount.wording.docstring import described_parameters
from headcount.wording.parameter import OUTPUT, WHAT, Typed

QUESTIONS: dict[str, Callable[..., Collection]] = {
    "histogram": planning.histogram,
    "quantiles": planning.quantiles,
    "ranges": planning.ranges,
    "heavy_hitters": planning.heavy_hitters,
    "secure_heavy_hitters": planning.secure_heavy_hitters,
    "shape": planning.shape,
}
EXAMPLES = {
    "histogram": ("--people 1000 --dropouts 5% --keys 1000 --epsilon 1", "--people 20000 --items 3 --epsilon 1"),
    "quantiles": ("--people 10000 --range 0..240 --q 0.1,0.5,0.9 --epsilon 1",),
    "ranges": ("--people 10000 --ranges 0..30,30..60 --epsilon 1",),
    "heavy_hitters": ("--people 10000 --share 1% --epsilon 2",),
    "secure_heavy_hitters": ("--people 1000 --dropouts 5% --share 10% --lengths 2,3,4 --epsilon 4",),
    "shape": ("--people 1000 --dropouts 5% --epsilon 1",),
}
OF_DATA = {
    "histogram": "--data test.csv --user user --by song --epsilon 1",
    "quantiles": "--data test.csv --user user --by minutes --range 0..240 --epsilon 1",
    "ranges": "--data test.csv --user user --by minutes --ranges 0..30,30..60 --epsilon 1",
    "heavy_hitters": "--data test.csv --user user --by song --share 1% --epsilon 2",
    "secure_heavy_hitters": "--data test.csv --user user --by word --share 10% --epsilon 4",
    "shape": "--data test.csv --user user --by song --epsilon 1",
}


def _keys(typed: list[str], before: Mapping[str, Any]) -> int | list[str]:
    """1000 as a number of items; apple,pear as a list."""
    if len(typed) == 1 and typed[0].isascii() and typed[0].isdigit() and len(typed[0]) < 10:
        return int(typed[0])
    return [item for each in typed for item in separate(each, "keys")]


TYPED = {
    "people": WHAT_IT_IS,
    "dropouts": Typed(panel=WHAT, notation="As 5%."),
    "keys": Typed(
        panel=WHAT,
        notation="As 1000, or apple,pear,plum.",
        parse=_keys,
        several="commas",
        file="The public list, from a file with an item on each line.",
    ),
    "items": WHAT_IT_IS,
    "range": RANGE,
    "ranges": RANGES,
    "q": QUANTILES,
    "share": Typed(panel=WHAT, notation="As 1%."),
    "alphabet": Typed(panel=WHAT, notation="As 0123456789."),
    "lengths": Typed(notation="As 2,4.", parse=alone(lambda typed: numbers(",".join(typed))), several="commas"),
    "epsilon": COST,
    "delta": COST,
    "neighbours": COST,
    "honest": COST,
    "insiders": COST,
    "sites": WHAT_IT_IS,
    "sites_per_person": COST,
}
"""How parameters are typed, if they are more than a word or a number."""
JSON = Annotated[bool, typer.Option("--json", help="As JSON, for programs.", rich_help_panel=OUTPUT)]
Files = Annotated[
    list[str] | None,
    typer.Option(
        help="Test data instead of made-up people: a .parquet, .csv, .tsv or .jsonl file.", rich_help_panel=WHAT
    ),
]
User = Annotated[str | None, typer.Option(help="The column that tells people apart.", rich_help_panel=WHAT)]
By = Annotated[str | None, typer.Option(help="The column of items, or of numbers.", rich_help_panel=WHAT)]

app = typer.Typer(
    cls=SuggestingGroup,
    help="What a collection from people who keep their data takes, before anybody takes part.",
    no_args_is_help=True,
)
_plan = typer.Typer(cls=SuggestingGroup, no_args_is_help=True)
_simulate = typer.Typer(cls=SuggestingGroup, no_args_is_help=True)
app.add_typer(_plan, name="plan", help="Messages, bytes, errors and dropouts of a collection. Reads no data.")
app.add_typer(
    _simulate,
    name="simulate",
    help="A whole collection on this machine, next to the truth. NOT PRIVATE: test data only.",
)


def parameters_of(question: str) -> dict[str, JobParameter]:
    """The parameters of a question, by name."""
    function = QUESTIONS[question]
    hints, texts = get_type_hints(function), described_parameters(function.__doc__)
    return {
        name: JobParameter(name, hints[name], each.default, texts[name], TYPED.get(name, Typed()))
        for name, each in signature(function).parameters.items()
    }


def option_names() -> list[str]:
    """Names of the options of all questions."""
    own = {name for question in QUESTIONS for name in parameters_of(question)}
    return sorted({*own, "keys_file", "data", "user", "by"})


def planned(question: str, typed: Mapping[str, Any]) -> Collection:
    """The collection of a question, from options as typed."""
    found = values(parameters_of(question), typed)
    if typed.get("keys_file") is not None:
        found["keys"] = _alone(found["keys"])
    return QUESTIONS[question](**found)


def _alone(rows: Sequence[Sequence[str]]) -> list[str]:
    """The items of a file."""
    if any(len(row) != 1 for row in rows):
        raise BadParameter("keys_file: one item on each line.", fix='an item with a comma in quotes: "a,b"')
    return [row[0] for row in rows]


def _print_plan(question: str, typed: dict[str, Any]) -> None:
    as_json = typed.pop("as_json")
    found = planned(question, typed)
    print(found.to_json() if as_json else _lines(found))


def _print_simulation(question: str, typed: dict[str, Any]) -> None:
    as_json, files, user, by = (typed.pop(name) for name in ("as_json", "data", "user", "by"))
    data = _data(files, user, by, typed) if files or user or by else None
    if data is not None:
        typed["people"] = str(len(data))
    elif typed["people"] is None:
        raise BadParameter("how many people?", fix=f"headcount federated simulate {_spelled(question)}")
    found = planned(question, typed)
    with _bar(found) as advance:
        outcome = planning.simulate(found, data=data, progress=advance)
    print(outcome.to_json() if as_json else _lines(outcome))


def _data(files: list[str] | None, user: str | None, by: str | None, typed: dict[str, Any]) -> list[list[str]]:
    """The items of each person; a public list is then one of real items."""
    if not files or user is None or by is None:
        raise BadParameter("data, user, by: all of them are needed.", fix="--data test.csv --user user --by song")
    if typed["people"] is not None:
        raise BadParameter(f"people={typed['people']}: the data say how many there are.", fix="no people")
    if isinstance(_keys(typed.get("keys") or ["-"], {}), int):
        raise BadParameter("keys: which items of the data?", fix="keys_file=items.csv")
    return people_in(files, user, by)


def _lines(found: object) -> str:
    """What a plan or a simulation says, without what a terminal would obey."""
    return "\n".join(visible(line) for line in str(found).splitlines())


@contextmanager
def _bar(found: Collection) -> Iterator[Callable[[int], None]]:
    """A bar that moves a hundred times."""
    step = max(1, found.steps // 100)
    with progress("simulating (NOT PRIVATE)", found.steps) as advance:
        yield lambda done: advance(done) if done % step == 0 else None


def _spelled(question: str) -> str:
    return f"{question.replace('_', '-')} {EXAMPLES[question][0]}"


def _command(
    question: str, act: Callable[[str, dict[str, Any]], None], more: Sequence[Parameter]
) -> Callable[..., None]:
    """The command of a question."""

    def run(**typed: Any) -> None:
        act(question, typed)

    own = [option for each in parameters_of(question).values() for option in options_of(each)]
    if more:
        own = [_optional(each) if each.name == "people" else each for each in own]
    json = Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=JSON)
    options = in_panels([*more, *own, json])
    run.__signature__ = Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in options}
    run.__doc__ = first_sentence(QUESTIONS[question].__doc__ or "")
    if more:
        run.__doc__ = f"Not private. {run.__doc__.replace('Plan', 'Simulate', 1)}"
    return run


def _optional(option: Parameter) -> Parameter:
    """An option that need not be given."""
    kind, given = option.annotation.__origin__, option.annotation.__metadata__[0]
    return option.replace(default=None, annotation=Annotated[kind | None, given])


def _register() -> None:
    files = (("data", Files), ("user", User), ("by", By))
    more = [Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind) for name, kind in files]
    for question in QUESTIONS:
        name, made_up = question.replace("_", "-"), EXAMPLES[question]
        plans = epilog([f"headcount federated plan {name} {each}" for each in made_up])
        runs = epilog([f"headcount federated simulate {name} {each}" for each in (made_up[0], OF_DATA[question])])
        _plan.command(name, cls=JobCommand, epilog=plans)(_command(question, _print_plan, ()))
        _simulate.command(name, cls=JobCommand, epilog=runs)(_command(question, _print_simulation, more))


_register()
