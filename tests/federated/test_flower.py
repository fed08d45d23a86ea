"""Rounds over Flower's simulation engine, if Flower is installed: the apps of the page with a thousand nodes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import headcount as hc
from tests.federated.deployment import BLOCKS

pytest.importorskip("flwr", reason="needs headcount[flower]")
pytest.importorskip("ray", reason="needs headcount[flower]")
ITEMS = 'lambda context: [context.node_config["song"]]'
SIMULATED = "lambda context: SONGS[context.node_config['partition-id']]"
RUN = """
if __name__ == "__main__":
    from flwr.simulation import run_simulation

    one = {"client_resources": {"num_cpus": 1}, "init_args": {"num_cpus": 1}}
    run_simulation(server_app=server, client_app=client, num_supernodes=NODES, backend_config=one)
"""
QUIET = {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0", "FLWR_TELEMETRY_ENABLED": "0"}


def run(folder: Path, code: str, nodes: int) -> str:
    """Run an app in a process of its own, as Ray stays; return what it printed."""
    (folder / "app.py").write_text(code + RUN.replace("NODES", str(nodes)))
    path = os.pathsep.join(filter(None, (str(Path(hc.__file__).parents[1]), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "app.py"],
        cwd=folder,
        env={**os.environ, **QUIET, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def app(name: str, songs: str) -> str:
    """An app of the page, whose nodes have these songs."""
    code = BLOCKS[name]
    assert ITEMS in code
    return f"SONGS = {songs}\n\n{code.replace(ITEMS, SIMULATED)}"


@pytest.mark.slow
def test_reports_of_200_nodes(tmp_path: Path) -> None:
    """Every node has the same song: of 200 at least 14 are in a sample of a quarter, but for a chance below 1e-9."""
    hc.Ledger(tmp_path / "songs.db", epsilon=1, delta="1e-6")
    run(tmp_path, app("reports.py", "[['blue']] * 200").replace("nodes=20", "nodes=200"), 200)
    release = hc.load(tmp_path / "reports.parquet")
    assert release["item"].to_pylist() == ["blue"]
    assert release.about.head
    assert hc.Ledger(tmp_path / "songs.db").spends()[0].state == "1 of 1 part sealed"


@pytest.mark.slow
def test_a_secure_sum_of_1000_nodes_of_which_50_are_gone(tmp_path: Path) -> None:
    """Items of the last 50 cannot be read. Noise is below 30 but for a chance of 1e-9."""
    hc.Ledger(tmp_path / "songs.db", epsilon=1, delta="1e-6")
    code = app("songs.py", "[['blue']] * 600 + [['red']] * 350 + [None] * 50")
    code = code.replace("people=20, minimum=16", "people=1000, minimum=900").replace("nodes=20", "nodes=1000")
    run(tmp_path, code, 1000)
    release = hc.load(tmp_path / "songs.parquet")
    counts = dict(zip(release["item"].to_pylist(), release["count"].to_pylist(), strict=True))
    assert "950 answers" in str(release)
    assert abs(counts["blue"] - 600) < 30 > abs(counts["red"] - 350)
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
    printed = [line for line in run(tmp_path, TWICE, 200).splitlines() if line.startswith("counts")]
    assert re.fullmatch(r"counts \(\('blue', \d+\),\)", printed[0])
    assert printed[1] == "counts ()"
    assert "my secret" not in "".join(printed)
