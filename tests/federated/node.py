"""The JavaScript client, in a process of node that these tests start."""

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from headcount.federated import Invitation, Round

DRIVER = Path(__file__).with_name("driver.mjs")
NODE = shutil.which("node")
OLDEST = 20
WITHOUT = f"node {OLDEST} or newer is not installed: the JavaScript client is not tested"


def installed() -> bool:
    """True if there is a node that is new enough."""
    if NODE is None:
        return False
    version = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout
    return int(version.removeprefix("v").partition(".")[0]) >= OLDEST


needs_node = pytest.mark.skipif(not installed(), reason=WITHOUT)


class RefusedThere(Exception):
    """What the JavaScript client refused, with the name of its error."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class Node:
    """A process that holds JavaScript clients."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [str(NODE), str(DRIVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def __enter__(self) -> "Node":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=60)

    def run(self, command: str, **fields: Any) -> Any:
        """Run a command there."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"command": command, **fields}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "refused" in answer:
            raise RefusedThere(answer["refused"], answer["message"])
        return answer["found"]


class NodeTransport:
    """Carries messages to people whose clients are JavaScript."""

    def __init__(self, node: Node, people: Sequence[Sequence[str]], first: int = 0) -> None:
        """Make the clients of these people, whose numbers begin with `first`."""
        self._node, self._numbers = node, range(first, first + len(people))
        for number, items in zip(self._numbers, people, strict=True):
            node.run("person", name=number, items=items)

    def answers(self, round_: Round, invitations: Sequence[Invitation]) -> Iterator[str]:
        """The answers of all of them, or of those who are invited."""
        chosen = {each.person: each.to_json() for each in invitations}
        for number in self._numbers:
            if round_.people is None or number in chosen:
                yield self._node.run("answer", name=number, round=round_.to_json(), invitation=chosen.get(number))
