"""The parameters of a job, as people type them and as a ledger keeps them."""

import json
from abc import ABC
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Self, get_args

from headcount.account.events import Neighbours
from headcount.errors import BadParameter
from headcount.exact import one_of
from headcount.source.conditions.conditions import Where, conditions
from headcount.source.conditions.typed_conditions import NOTATION, typed_conditions
from headcount.wording.options import Options, parsers_of
from headcount.wording.parameter import WHAT, Typed
from headcount.wording.typed import column_name

REQUIRED = {
    "user": ("which column tells people apart?", 'user="user_id"'),
    "by": ("which column makes an item?", 'by="word"'),
    "value": ("which column holds the numbers?", 'value="amount"'),
    "metrics": ("which statistics?", 'metrics=["people", "sum(price)"]'),
    "ranges": ("which ranges?", "ranges=[(0, 10), (10, 50)]"),
}
"""Parameters without a default: the question to ask, and an example."""


def parse_neighbours(name: str, value: Any, before: Mapping[str, Any]) -> Any:
    """The relation between tables that nobody may be able to tell apart."""
    return one_of(name, value, get_args(Neighbours))


def parse_where(name: str, where: Any, before: Mapping[str, Any]) -> Where:
    """The conditions that rows must meet."""
    return conditions(where)


TYPED_WHERE = Typed(
    panel=WHAT,
    notation=NOTATION,
    parse=lambda typed, before: typed_conditions(typed),
    several="commas",
    help="Count only rows that meet a condition.",
)


def parse_user(name: str, user: Any, before: Mapping[str, Any]) -> str:
    """The column that tells people apart."""
    return column_name(name, user, REQUIRED["user"][1])


@dataclass(frozen=True, kw_only=True)
class Parameters(ABC):
    """The parameters of one public function, checked."""

    later_parameters: ClassVar[tuple[str, ...]] = ("where",)
    """Parameters that plans of earlier versions do not have: one that is not given is left out of the plain form, so
    that the same request stays the same to a ledger."""
    options: ClassVar[tuple[type[Options], ...]] = ()
    """Objects that its parameters take: what only one mechanism, or one way to choose a bound, has."""
    option_parameters: ClassVar[tuple[str, ...]] = ()
    """Fields that options fill, and that no parameter of the public function does."""
    keeps_options: ClassVar[tuple[str, ...]] = ()
    """Fields that hold such an object as it is; all others hold its name."""

    user: Annotated[str, parse_user]
    """The column that tells people apart."""
    neighbours: Annotated[Neighbours, parse_neighbours] = "add-remove"
    where: Annotated[Where, parse_where, TYPED_WHERE] = ()
    """The conditions that rows must meet; others are not counted."""

    @classmethod
    def from_typed(cls, **typed: Any) -> Self:
        """The job from its parameters as typed, checked."""
        parsers, parsed = parsers_of(cls), dict[str, Any]()
        for field in fields(cls):
            value = typed.get(field.name, None if field.default is MISSING else field.default)
            if value is None and field.default is MISSING:
                question, example = REQUIRED.get(field.name, ("it is needed.", f"{field.name}=..."))
                raise BadParameter(f"{field.name}=None: {question}", fix=example)
            unset = field.name not in typed or (value is None and field.default is None)
            parsed[field.name] = value if unset else parsers[field.name](field.name, value, parsed)
        job = cls(**cls.resolve(parsed))
        job.check()
        return job

    @classmethod
    def resolve(cls, parsed: dict[str, Any]) -> dict[str, Any]:
        """Parameters with what they mean together: two spellings of one request are one request to a ledger."""
        return parsed

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Self:
        """The job that `to_plain` wrote, checked like one that is typed."""
        where = {name: values if ends is None else tuple(ends) for name, values, ends in plain.get("where", ())}
        return cls.from_typed(**{**plain, "where": where or None})

    def to_plain(self) -> dict[str, Any]:
        """The parameters as plain data."""
        given = {name: value for name, value in self._fields.items() if value or name not in self.later_parameters}
        plain: dict[str, Any] = json.loads(json.dumps(given, default=_plain_fraction))
        return plain

    @property
    def _fields(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def relative_target(cls, typed: Mapping[str, Any]) -> bool:
        """True if `target_error` is a relative error of the job, and not what epsilon follows from."""
        return False

    def check(self) -> None:
        """Refuse parameters that contradict each other."""
        return

    @property
    def pure(self) -> bool:
        """True if no delta is ever needed."""
        return False

    def check_zero_delta(self) -> None:
        """Refuse a delta of 0 where one is needed."""
        return

    def check_rho(self) -> None:
        """Refuse a budget in zCDP where nothing is paid in it."""
        raise BadParameter('rho: only mechanism="count-release" is paid in it.', fix="epsilon=1")

    @property
    def cost_example(self) -> str:
        """An example of a cost, for the error if none was typed."""
        return "epsilon=1"

    def check_target(self, target: Any) -> None:
        """Refuse a wanted error where no one error follows from epsilon alone."""
        return


def _plain_fraction(value: Any) -> str:
    """A fraction as text; nothing else is written as whatever it prints."""
    if not isinstance(value, Fraction):
        raise TypeError(f"{type(value).__name__}: no parameter is kept as this")
    return str(value)
