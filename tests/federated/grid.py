"""Flower's grid in this process: real ClientApps, messages and contexts, without its engine."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

Tamper = Callable[[int, str], str]
"""Makes another text of what a node (by number) replies."""


def honest(node: int, text: str) -> str:
    """What the node replied."""
    return text


class LocalGrid:
    """Nodes 1, 2, ..., each with an app and a context of its own."""

    def __init__(self, apps: Sequence[Any], tamper: Tamper = honest) -> None:
        from flwr.common import Context, RecordDict
        from flwr.supercore.task_identity import TaskIdentity

        TaskIdentity.run_id = TaskIdentity.task_id = TaskIdentity.node_id = 0  # which the engine sets in its processes
        self.apps = dict(enumerate(apps, 1))
        self.contexts = {node: Context(0, node, {"partition-id": node}, RecordDict(), {}) for node in self.apps}
        self.tamper = tamper
        self.asked: list[tuple[int, str]] = []
        self.received: list[dict[str, dict[str, str]]] = []
        """All that nodes sent: records by name."""

    def get_node_ids(self) -> Iterable[int]:
        """All nodes."""
        return list(self.apps)

    def send_and_receive(self, messages: Iterable[Any], timeout: float | None = None) -> Iterable[Any]:
        """What each node replies, in another order than that of the messages."""
        return list(reversed([self._reply(message) for message in messages]))

    def _reply(self, message: Any) -> Any:
        node = message.metadata.dst_node_id
        self.asked.append((node, message.content["headcount"]["text"]))
        message.metadata.__dict__["_message_id"] = f"{len(self.asked)}"  # as the engine gives
        reply = self.apps[node](message, self.contexts[node])
        self.received.append({name: dict(each) for name, each in reply.content.items()})
        record = reply.content["headcount"]
        record["text"] = self.tamper(node, record["text"])
        return reply
