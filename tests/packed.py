"""Arguments with options as objects: tables of cases list options flat, beside the parameters."""

from typing import Any

from headcount.wording.options import Options, option_fields


def packed(arguments: dict[str, Any], *kinds: type[Options]) -> dict[str, Any]:
    """Arguments in which those that a class of options has are an object of it."""
    rest = dict(arguments)
    for kind in kinds:
        own = {field.name: rest.pop(field.name) for field in option_fields(kind) if field.name in rest}
        if own:
            name = rest.get(kind.parameter)
            rest[kind.parameter] = kind(**(kind.of_name(name) or {} if isinstance(name, str) else {}), **own)
    return rest
