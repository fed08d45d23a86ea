"""The stored files: one for each job, one for what is refused, one for signatures, one for the command line."""

import json
from difflib import unified_diff
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("expected")
WIDTH = 118


def read(name: str) -> dict[str, Any]:
    """What is stored under a name: of a job, of `refused`, of `signatures`, of `command_line`."""
    stored: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return stored


def write(name: str, content: dict[str, Any]) -> None:
    """Store it."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.json").write_text(pretty(content) + "\n", encoding="utf-8")


def pretty(value: Any, indent: str = "") -> str:
    """JSON, sorted, in which whatever fits stands on one line."""
    line = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(indent) + len(line) <= WIDTH or not isinstance(value, dict | list) or not value:
        return line
    deeper = indent + " "
    if isinstance(value, list):
        parts = [deeper + pretty(each, deeper) for each in value]
    else:
        parts = [
            f"{deeper}{json.dumps(name, ensure_ascii=False)}: {pretty(value[name], deeper)}" for name in sorted(value)
        ]
    opening, closing = "[]" if isinstance(value, list) else "{}"
    return "\n".join([opening, ",\n".join(parts), indent + closing])


def differences(stored: dict[str, Any], found: dict[str, Any]) -> str:
    """Each field that differs, by its name, with its lines before and now; empty if none does."""
    plain = json.loads(json.dumps(found))
    names = sorted({*stored, *plain})
    return "\n".join(
        _difference(name, stored.get(name), plain.get(name)) for name in names if not _same(name, stored, plain)
    )


def _same(name: str, stored: dict[str, Any], found: dict[str, Any]) -> bool:
    return name in stored and name in found and pretty(stored[name]) == pretty(found[name])  # NaN is NaN


def _difference(name: str, stored: Any, found: Any) -> str:
    lines = unified_diff(pretty(stored).splitlines(), pretty(found).splitlines(), "stored", "now", n=1, lineterm="")
    return "\n".join([f"{name}:", *lines])
