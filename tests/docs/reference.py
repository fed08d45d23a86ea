"""One page of reference per job, generated from its function: signature, parameters, an example, where to read on.

The words about a parameter are those of the docstring. What a docstring does not hold is here: when to touch a
parameter, an example to run, and links. `python -m tests.docs.update` writes the pages.
"""

import re
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING
from inspect import Parameter, signature
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from headcount.account import Ledger
from headcount.exact import Number
from headcount.job import Job
from headcount.jobs import JOBS
from headcount.jobs.registry import FUNCTIONS
from headcount.wording.docstring import described_parameters
from headcount.wording.options import Options, option_fields
from tests.docs.advice import EXAMPLES, GROUPS, OWN_WHEN, READ_ON, WHEN
from tests.docs.snippets import ONE_RUN, ROOT

WORDS: dict[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    Path: "path",
    PathLike: "path",
    Ledger: "Ledger",
    Sequence: "list",
    Mapping: "mapping",
    tuple: "pair",
}
"""What a type is called."""
OUTPUT = re.compile(rf"(```text{ONE_RUN}\n).*?(```\n)", re.DOTALL)


def path(job: str) -> Path:
    """Where the page of a job is."""
    return ROOT / "docs" / "reference" / f"{job}.md"


def page(job: str) -> str:
    """The page of a job, without the output of its example."""
    parts = [_head(job), _example(job), _parameters(job), _read_on(job)]
    return "\n\n".join(parts) + "\n"


OPTIONS = ROOT / "docs" / "reference" / "options.md"
"""The page of all options."""
OPTIONS_HEAD = """# Options of mechanisms

What only one mechanism, or one way to choose a bound, has is an option of its object. A name alone is the \
object with its defaults: `mechanism="count-release"` is `mechanism=hc.CountRelease()`. A ledger keeps options flat, \
under the names below: a request is the same in either spelling. On the command line they follow a colon: \
`--mechanism count-release:variant=rogers,kbar=500`.

A former parameter is refused with the line to write instead:

```python
import headcount as hc

try:
    hc.histogram(hc.example(), user="user", by="song", epsilon=1, kbar=500)
except hc.HeadcountError as refusal:
    print(refusal)
```

```text
kbar: an option of CountRelease. Fix: mechanism=hc.CountRelease(kbar=500)
```

## Which option belongs to what

| object | value of | options | functions |
|---|---|---|---|
"""


def option_kinds() -> list[type[Options]]:
    """The classes that have options, the paper's last."""
    every = dict.fromkeys(kind for job in JOBS for kind in Job.kind(job).options)
    return sorted((kind for kind in every if option_fields(kind) or kind.home == "papers"), key=lambda k: k.home)


def options_page() -> str:
    """The page of all options, from their classes."""
    rows = "\n".join(map(_option_row, option_kinds()))
    return f"{OPTIONS_HEAD}{rows}\n\n" + "\n\n".join(map(_option_section, option_kinds())) + "\n"


def _option_row(kind: type[Options]) -> str:
    names = ", ".join(f"`{field.name}`" for field in option_fields(kind)) or "none"
    jobs = ", ".join(f"[{job}]({job}.md)" for job in JOBS if kind in Job.kind(job).options)
    return f"| `{kind.home}.{kind.__name__}` | `{kind.parameter}` | {names} | {jobs} |"


def _option_section(kind: type[Options]) -> str:
    """What the class says of itself and of its options."""
    text = kind.__doc__ or ""
    said = described_parameters(text)
    first = " ".join(text.split("\n\n")[0].split())
    head = f"### {kind.home}.{kind.__name__}\n\n{_as_code(first)}"
    if not said:
        return head
    hints = get_type_hints(kind)
    rows = [
        f"| `{field.name}`<br>{type_words(hints[field.name])} | {_option_default(field.default)} "
        f"| {_as_code(said[field.name][0].upper() + said[field.name][1:])} |"
        for field in option_fields(kind)
    ]
    return f"{head}\n\n| option | default | meaning |\n|---|---|---|\n" + "\n".join(rows)


def _option_default(default: Any) -> str:
    return "required" if default is MISSING else f"`{default!r}`".replace("'", '"')


def without_output(text: str) -> str:
    """A page before its example has run."""
    return OUTPUT.sub(r"\1\2", text)


def _head(job: str) -> str:
    """Title, what the function does, and its folded signature."""
    first = (FUNCTIONS[job].__doc__ or "").split("\n\n")[0]
    arguments = "".join(f"        {line}\n" for line in _signature(job))
    folded = f'??? signature "Signature"\n\n    ```py\n    hc.{job}(\n{arguments}    )\n    ```'
    return f"# hc.{job}\n\n{' '.join(first.split())}\n\n{folded}"


def _signature(job: str) -> Iterator[str]:
    """The parameters as they would be typed."""
    yield "data,"
    yield "*,"
    for each in list(signature(FUNCTIONS[job]).parameters.values())[1:]:
        yield f"{each.name}," if each.default is Parameter.empty else f"{each.name}={_default(each)},"


def _default(parameter: Parameter) -> str:
    """A default as it would be typed."""
    if parameter.name == "q":
        return "(0.1, 0.2, ..., 0.9)"
    return "1e-6" if parameter.name == "delta" else repr(parameter.default).replace("'", '"')


def _example(job: str) -> str:
    """The example, and room for what it prints."""
    return f"## Example\n\n```python\n{_code(job)}\n```\n\n```text{ONE_RUN}\n```"


def _code(job: str) -> str:
    """What is typed: that of the docstring, unless a page has more to show."""
    if job in EXAMPLES:
        return EXAMPLES[job].strip()
    *first, last = re.findall(r"^ *(?:>>>|\.\.\.) (.*)$", FUNCTIONS[job].__doc__ or "", re.MULTILINE)
    return "\n".join([*first, f"print({last})"])


def _parameters(job: str) -> str:
    """A table for each group of parameters."""
    own = signature(FUNCTIONS[job]).parameters
    tables = [
        f"### {title}\n\n| parameter | default | meaning | when to touch it |\n|---|---|---|---|\n"
        + "\n".join(_row(job, own[name]) for name in names if name in own)
        for title, names in GROUPS.items()
        if any(name in own for name in names)
    ]
    return "## Parameters\n\n" + "\n\n".join(tables)


def _row(job: str, parameter: Parameter) -> str:
    """A parameter: name and type, default, meaning, when to touch it."""
    default = "required" if parameter.default is Parameter.empty else f"`{_default(parameter)}`"
    kind = "table or path" if parameter.name == "data" else type_words(parameter.annotation)
    when = OWN_WHEN.get((job, parameter.name)) or WHEN[parameter.name]
    cells = [f"`{parameter.name}`<br>{kind}", default, meaning(job, parameter.name), when]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def meaning(job: str, name: str) -> str:
    """What the docstring says of a parameter."""
    text = described_parameters(FUNCTIONS[job].__doc__)[name]
    return _as_code(text[0].upper() + text[1:])


def _as_code(text: str) -> str:
    """Values in quotes, mappings and arguments as code."""
    code = re.compile(r'(`[^`]*`|\{"[^}]*\}|\b\w+="[^"]*"|\b\w+=\d\w*|"[\w-]+(?:\([\w, .]+\))?(?: per person)?")')
    return code.sub(lambda found: f"`{found[0].strip('`')}`", text)


def type_words(annotation: Any) -> str:
    """A type in words: `text or list`."""
    if annotation is Any:
        return "pair or mapping"
    if get_origin(annotation) in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(map(type_words, _members(annotation))))
    if isinstance(annotation, type) and issubclass(annotation, Options):
        return "[options](options.md)"
    if get_origin(annotation) is Literal:
        return ", ".join(f'`"{each}"`' for each in get_args(annotation))
    return WORDS[get_origin(annotation) or annotation]


def _members(union: Any) -> list[Any]:
    """The types of a union but None; those that make a number are one, `float`."""
    members, numbers = [each for each in get_args(union) if each is not type(None)], get_args(Number)
    one = set(numbers) <= set(members)
    return [each for each in members if not one or each is float or each not in numbers]


def _read_on(job: str) -> str:
    """The command line, and where to read on."""
    options = ["[Options of mechanisms](options.md)"] if Job.kind(job).options else []
    links = "\n".join(f"- {each}" for each in [*READ_ON.get(job, ()), *options])
    return (
        f"## Read on\n\n{links}\n- On the command line: `headcount {job.replace('_', '-')} --help`\n"
        f'- Without spending anything: `hc.plan("{job}", data, ...)`'
    )
