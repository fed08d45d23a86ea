"""Flower in real processes, by the commands of the how-to page: a SuperLink with TLS, SuperNodes whose keys it knows,
and apps that `flwr run` starts."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import headcount as hc

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "federated.md"
BLOCK = re.compile(r'^```\w+ title="([^\n]*)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
BLOCKS: dict[str, str] = dict(BLOCK.findall(PAGE.read_text()))
"""The files and commands of the page."""
QUIET = {"FLWR_TELEMETRY_ENABLED": "0", "FLWR_DISABLE_UPDATE_CHECK": "1", "PYTHONUNBUFFERED": "1"}
PATIENCE = 1800
"""Seconds after which a step has failed. On two busy processors, 20 nodes need minutes."""


@dataclass
class Deployment:
    """A server and nodes; the folder is where the server runs, and the apps are in folders below."""

    folder: Path
    port: str = field(default_factory=lambda: free_port())
    nodes: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    link: "subprocess.Popen[bytes] | None" = None

    @property
    def environment(self) -> dict[str, str]:
        """Flower's own folder is here, and so are the commands beside this Python."""
        commands = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        source = os.pathsep.join(filter(None, (str(Path(hc.__file__).parents[1]), os.environ.get("PYTHONPATH"))))
        home = {"FLWR_HOME": str(self.folder), "PATH": commands, "PYTHONPATH": source}
        return {**os.environ, **QUIET, **home}

    def command(self, title: str, replaced: Mapping[str, str] | None = None) -> str:
        """A command of the page."""
        text: str = BLOCKS[title].replace("8443", self.port).replace("/srv/songs", str(self.folder))
        for old, new in (replaced or {}).items():
            assert old in text
            text = text.replace(old, new)
        return text

    def call(self, title: str, replaced: Mapping[str, str] | None = None) -> None:
        """Run a command of the page."""
        done = subprocess.run(
            ["bash", "-ec", self.command(title, replaced)],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stdout[-2000:]

    def start(
        self, title: str, log: str, replaced: Mapping[str, str] | None = None, *, cwd: Path | None = None
    ) -> "subprocess.Popen[bytes]":
        """Start a command of the page that stays, in a group of its own."""
        with (self.folder / log).open("wb") as file:
            return subprocess.Popen(
                ["bash", "-ec", f"exec {self.command(title, replaced)}"],
                cwd=cwd or self.folder,
                env=self.environment,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def open(self) -> None:
        """Make certificates and start the server."""
        self.call("certificates")
        (self.folder / "config.toml").write_text(self.command("config.toml"))
        self.link = self.start("the server", "link.log")
        end = time.monotonic() + PATIENCE
        while not answers(self.port):
            assert self.link.poll() is None, self.log("link.log")
            assert time.monotonic() < end, self.log("link.log")
            time.sleep(0.2)

    def add(self, songs: Sequence[str]) -> None:
        """Start a node for each of these songs."""
        for song in songs:
            number = len(self.nodes)
            key = {"node.key": f"node{number}.key"}
            self.call("each person", key)
            self.call("the analyst, for each person", key)
            own = {**key, "9094": free_port(), "blue": song}
            self.nodes.append(self.start("a node", f"node{number}.log", own))

    def run(self, app: str, code: str) -> str:
        """Run an app; return its log."""
        with self.running(app, code) as log:
            pass
        return log.read_text()

    @contextmanager
    def running(self, app: str, code: str) -> Iterator[Path]:
        """Run an app while the block does something else, and until it ends; yield where its log is."""
        folder = self.folder / app
        folder.mkdir()
        (folder / f"{app}.py").write_text(code)
        (folder / "pyproject.toml").write_text(BLOCKS["pyproject.toml"].replace("songs", app))
        process = self.start("a round", f"{app}.log", cwd=folder)
        try:
            yield self.folder / f"{app}.log"
            process.wait(PATIENCE)
        finally:
            kill(process)

    def wait_for(self, name: str) -> None:
        """Wait until there is a file of this name."""
        end = time.monotonic() + PATIENCE
        while not (self.folder / name).exists():
            assert time.monotonic() < end, self.log("link.log")
            time.sleep(0.1)

    @property
    def replies(self) -> int:
        """Number of messages of nodes that the server took."""
        return (self.folder / "link.log").read_text().count("Push replies from node_id")

    def log(self, name: str) -> str:
        """The last lines of what a process printed."""
        return (self.folder / name).read_text()[-3000:]

    def kill(self, number: int) -> None:
        """Kill a node and all that it started."""
        kill(self.nodes[number])

    def close(self) -> None:
        """Kill what is left."""
        for process in (*self.nodes, self.link):
            if process is not None:
                kill(process)


def kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process that we started and its group."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def deployed(folder: Path, songs: Sequence[str]) -> Iterator[Deployment]:
    """A deployment with a node for each of these songs, and with the ledger of the page."""
    hc.Ledger(folder / "songs.db", epsilon=30, delta="1e-2")
    deployment = Deployment(folder)
    try:
        deployment.open()
        deployment.add(songs)
        yield deployment
    finally:
        deployment.close()


def free_port() -> str:
    """A port that is free now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


def answers(port: str) -> bool:
    """True if somebody listens there."""
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", int(port))) == 0
