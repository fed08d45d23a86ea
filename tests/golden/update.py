"""Write what is expected anew, after a change that is meant: `python -m tests.golden.update`, then read the diff."""

from typing import Any

from tests.golden import command_line, expected
from tests.golden.record import record, refusal, signature
from tests.golden.requests import JOBS, REQUESTS, WRONG


def everything() -> dict[str, dict[str, Any]]:
    """The content of every file, by its name."""
    jobs = {job: {each.name: record(each) for each in REQUESTS if each.job == job} for job in JOBS}
    return {
        **jobs,
        "refused": {f"{each.job}: {each.name}": refusal(each) for each in WRONG},
        "signatures": {name: signature(name) for name in (*JOBS, "plan", "table")},
        "command_line": command_line.record(),
    }


if __name__ == "__main__":
    for name, content in everything().items():
        expected.write(name, content)
