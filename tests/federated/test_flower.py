"""Rounds over Flower's simulation engine, if Flower is installed, and the app of the page."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import headcount as hc

pytest.importorskip("flwr", reason="needs headcount[flower]")
pytest.importorskip("ray", reason="needs headcount[flower]")
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "federated.md"
NODES = 200
RUN = f"""
if __name__ == "__main__":
    from flwr.simulation import run_simulation

    one = {{"client_resources": {{"num_cpus": 1}}, "init_args": {{"num_cpus": 1}}}}
    run_simulation(server_app=server, client_app=client, num_supernodes={NODES}, backend_config=one)
"""
QUIET = {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0", "FLWR_TELEMETRY_ENABLED": "0"}


def run(folder: Path, code: str) -> str:
    """Run an app in a process of its own, as Ray stays; return what it printed."""
    (folder / "app.py").write_text(code + RUN)
    path = os.pathsep.join(filter(None, (str(Path(hc.__file__).parents[1]), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "app.py"],
        cwd=folder,
        env={**os.environ, **QUIET, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
def test_the_app_of_the_page(tmp_path: Path) -> None:
    """Every node has the same song: of 200 at least 14 are in a sample of a quarter, but for a chance below 1e-9."""
    code = re.search(r"```py\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert code is not None
    hc.Ledger(tmp_path / "songs.db", epsilon=1, delta="1e-6")
    run(tmp_path, code[1])
    release = hc.load(tmp_path / "songs.parquet")
    assert release["item"].to_pylist() == ["song 1"]
    assert release.about.head
    assert hc.Ledger(tmp_path / "songs.db").spends()[0].state == "1 of 1 part sealed"


TWICE = """
from flwr.server import ServerApp
from headcount.federated import Analyst
from headcount.federated.transport import collect
from headcount.federated.transport.flower import FlowerTransport, client_app


def items(context):
    if context.node_config["partition-id"] >= 110:
        raise ValueError("my secret")
    return ["blue"]


client, server = client_app(items), ServerApp()


@server.main()
def main(grid, context):
    asked = Analyst().publish("Which?", epsilon=4, delta="1e-3")
    for _ in range(2):
        print("counts", collect(asked, FlowerTransport(grid, nodes=100)).counts, flush=True)
"""


@pytest.mark.slow
def test_nodes_answer_once_and_failures_say_nothing(tmp_path: Path) -> None:
    printed = [line for line in run(tmp_path, TWICE).splitlines() if line.startswith("counts")]
    assert re.fullmatch(r"counts \(\('blue', \d+\),\)", printed[0])
    assert printed[1] == "counts ()"
    assert "my secret" not in "".join(printed)
