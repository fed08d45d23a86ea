"""Parameters of a job's public function as data: what the command line, a form or a page about them is made from.

Name, type and default come from the signature; the text from the docstring, where an editor shows it, so that it is
written once; the text form from the annotation of the job's field.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from inspect import Parameter, signature
from typing import Any, Literal, get_args, get_origin

from headcount.job import Job
from headcount.jobs.parameters.notation import COST
from headcount.wording import first_sentence
from headcount.wording.docstring import described_parameters
from headcount.wording.parameter import Typed, typed_fields

BUDGET = dict.fromkeys(("epsilon", "delta", "target_error"), COST)
"""Parameters that say what a release costs: every job has some, and they are no fields."""


@dataclass(frozen=True)
class JobParameter:
    """A parameter of a public function."""

    name: str
    annotation: Any
    default: Any
    """`Parameter.empty` if it is required."""
    text: str
    """Its paragraph in the docstring."""
    typed: Typed
    """How it is typed as text."""

    @property
    def flag(self) -> str:
        """Its option on a command line."""
        return f"--{(self.typed.flag or self.name).replace('_', '-')}"

    @property
    def help(self) -> str:
        """One sentence of what it is, then how it is typed."""
        plain = self.text.replace('"', "").replace("`", "")
        sentence = plain if self.text.startswith('"') else plain[:1].upper() + plain[1:]
        return f"{self._with_choices(self.typed.help or first_sentence(sentence))} {self.typed.notation}".rstrip()

    def _with_choices(self, text: str) -> str:
        """The text, with all values that there are unless it names them."""
        literals = [kind for kind in self.kinds if get_origin(kind) is Literal]
        choices = [each for kind in literals for each in get_args(kind) if isinstance(each, str)]
        return text if all(each in text for each in choices) else f"{text} One of {', '.join(choices)}."

    @cached_property
    def kinds(self) -> tuple[Any, ...]:
        """The types that it takes, one by one."""
        return (self.annotation, *get_args(self.annotation))

    @property
    def number(self) -> str:
        """What a value is, if it is a number: any, or a whole one; empty if it is none."""
        if self.typed.several != "no" or self.typed.parse:
            return ""
        if Fraction in self.kinds:
            return "number"
        return "int" if int in self.kinds and str not in self.kinds else ""


def parameters_of(function: Callable[..., Any]) -> dict[str, JobParameter]:
    """The parameters of the public function of a job, by name."""
    return _parameters(function, Job.kind(function.__name__))


@lru_cache(maxsize=64)
def _parameters(function: Callable[..., Any], kind: type[Job]) -> dict[str, JobParameter]:
    texts, typed = described_parameters(function.__doc__), BUDGET | typed_fields(kind)
    return {
        name: JobParameter(name, each.annotation, each.default, texts.get(name, ""), typed.get(name, Typed()))
        for name, each in signature(function).parameters.items()
    }


__all__ = ["JobParameter", "Parameter", "parameters_of"]
