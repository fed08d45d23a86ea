"""Parameters in the spelling of the command line: `bound=20` becomes `--bound 20`."""

import re
from collections.abc import Collection

from headcount.cli.option_objects import CALL, as_typed
from headcount.job import Job
from headcount.jobs import JOBS
from headcount.jobs.calls.described import JobParameter, parameters_of
from headcount.jobs.registry import FUNCTIONS
from headcount.wording.options import Options

VALUE = r"(\[.*?\]|\(.*?\)|\{.*?\}|'[^']*'|\"[^\"]*\"|(?:[^\s,:;()]|\([^()]*\))+)"
"""A value as Python writes it."""
OF_DATA = re.compile(r"hc\.table\(data, (.*?)\)")
"""What is declared about the data, as Python writes it."""
AGAIN = re.compile(r"hc\.plan\(.*?\)\.release\(ledger=ledger, (again=True)\)")
"""A new draw, as Python writes it."""
COMMAND = ", or: headcount "
"""Between what to write in Python and what to type instead."""
CONDITION = re.compile(r"""(['"])(.*?)\1: (\[.*?\]|\(.*?\)|'[^']*'|"[^"]*"|[^,}]+)""")
"""A column and what it must be, as Python writes it."""
SPECIAL = re.compile(r"[\s()&;<>|$`*?!#\"]")
"""What a shell would take for something else, unless it is quoted."""


def as_options(message: str, names: Collection[str]) -> str:
    """An error in the spelling of the command line: where it begins, and after `Fix:`. What lies between may repeat
    what a user typed, and stays."""
    assigned = _assigned(names)
    message_, fix, line = message.partition(" Fix: ")
    message_, line = re.sub("^name=", "dataset=", message_), _of_run(line)
    opening = re.match(assigned, message_) or re.match(rf"({'|'.join(names)})(): ", message_)
    message_ = _option(opening) + message_[opening.end() :] if opening else message_
    command = line.partition(COMMAND)[2]
    if command or "Ledger(" in line:
        return message_ + fix + (f"headcount {command}" if command else line)
    return message_ + fix + re.sub(assigned, _option, line)


def _of_run(line: str) -> str:
    """A line to write, with what belongs to the data and to the release as parameters: a command has them all."""
    return re.sub(r"\bname=", "dataset=", AGAIN.sub(r"\1", OF_DATA.sub(r"\1", line)))


def advice_as_options(advice: str, names: Collection[str]) -> str:
    """A forecast or a hint in the spelling of the command line, throughout; names in quotes are columns, and stay."""
    return re.sub(rf"(?<!['\"]){_assigned(names)}", _option, advice)


def _assigned(names: Collection[str]) -> str:
    return rf"\b({'|'.join(names)})={VALUE}"


def _option(match: re.Match[str]) -> str:
    name, value = match.groups()
    known = _known(name)
    flag = known[0].flag if known else f"--{name.replace('_', '-')}"
    if name == "where" and value.startswith("{"):
        conditions = [_condition(column, allowed) for _, column, allowed in CONDITION.findall(value)]
        return " ".join(f"{flag} {_quoted(each)}" for each in conditions)
    if CALL.fullmatch(value):
        return f"{flag} {_quoted(as_typed(value, _kinds()))}"
    pairs = re.sub(r"\((\S+), (\S+)\)", r"\1..\2", value)
    signs = r"['\"]" if name == "master" else r"[\[\]{}'\"]"  # local[2] is the name of a Spark
    plain = re.sub(signs, "", pairs).replace(", ", ",").replace(": ", "=")
    one_each = "mapping" if value.startswith("{") else "options"
    several = plain.split(",") if any(each.typed.several == one_each for each in known) else [plain]
    if not value:
        return f"{flag}: "
    if plain in ("True", "False"):
        return flag if plain == "True" else f"--no-{flag[2:]}"
    return " ".join(f"{flag} {_quoted(each)}" for each in several)


def _known(name: str) -> list[JobParameter]:
    """The parameter of a name, in all jobs that have it."""
    functions = [parameters_of(function) for function in FUNCTIONS.values()]
    return [parameters[name] for parameters in functions if name in parameters]


def _kinds() -> list[type[Options]]:
    """The classes of options of all jobs."""
    return list(dict.fromkeys(kind for job in JOBS for kind in Job.kind(job).options))


def _condition(column: str, allowed: str) -> str:
    """A condition: (10, None) is 10.., and the one value of a list stands in quotes, as it is."""
    ends = re.fullmatch(r"\((\S+), (\S+)\)", allowed)
    only = re.fullmatch(r"""\[(['"])([^'"]*)\1\]""", allowed)
    written = f'"{only[2]}"' if only else re.sub(r"[\[\]'\"]", "", allowed).replace(", ", ",")
    if ends:
        written = "..".join("" if end == "None" else end.strip("'\"") for end in ends.groups())
    return f"{column}={written}"


def _quoted(value: str) -> str:
    return f"'{value}'" if SPECIAL.search(value) else value
