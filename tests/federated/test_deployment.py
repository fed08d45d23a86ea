"""Rounds over Flower in real processes, with TLS: the page as it stands, nodes that are killed, too few nodes."""

import shutil
from pathlib import Path

import pytest

import headcount as hc
from tests.federated.deployment import BLOCKS, deployed

pytest.importorskip("flwr", reason="needs headcount[flower]")
pytest.importorskip("cryptography", reason="needs headcount[secure]")
if not shutil.which("openssl") or not shutil.which("ssh-keygen"):
    pytest.skip("the page makes certificates and keys with openssl and ssh-keygen", allow_module_level=True)

TWENTY = ["blue"] * 12 + ["red"] * 8


WAIT = "nodes=20, wait=1200, timeout=1200"
"""Nodes start slowly where there are few processors."""


@pytest.mark.slow
def test_the_page_with_twenty_nodes(tmp_path: Path) -> None:
    """Both apps of the page, one after the other. Noise at epsilon 1 is below 30 but for a chance of 1e-9. Reports of
    20 people show nothing: so the server must have taken all of them."""
    with deployed(tmp_path, TWENTY) as deployment:
        log = deployment.run("songs", BLOCKS["songs.py"].replace("nodes=20", WAIT))
        assert (tmp_path / "songs.parquet").exists(), log + deployment.log("node0.log")
        release = hc.load(tmp_path / "songs.parquet")
        counts = {row["item"]: row["count"] for row in release}
        assert counts.keys() == {"blue", "red"}
        assert abs(counts["blue"] - 12) < 30 > abs(counts["red"] - 8)
        assert "20 answers" in str(release)
        before = deployment.replies
        log = deployment.run("reports", BLOCKS["reports.py"].replace("nodes=20", WAIT))
        assert (tmp_path / "reports.parquet").exists(), log + deployment.log("node0.log")
        assert (before, deployment.replies) == (4 * 20, 5 * 20)
        assert "Fix:" not in log, "an answer was dropped"
    spends = hc.Ledger(tmp_path / "songs.db").spends()
    assert [spend.state for spend in spends] == ["1 of 1 part sealed"] * 2


SLOWLY = """
import time
from pathlib import Path


class Interrupted(SecureFlowerTransport):
    def exchange(self, messages):
        Path("NAME.joined").touch()
        while not Path("NAME.killed").exists():
            time.sleep(0.1)
        yield from super().exchange(messages)
"""


def interrupted(name: str, nodes: int, minimum: int) -> str:
    """The page's secure sum, which waits after its first step until somebody was killed."""
    app = BLOCKS["songs.py"].replace("SecureFlowerTransport(grid, nodes=20)", f"Interrupted(grid, {SHORT})")
    app = app.replace("people=20, minimum=16", f"people={nodes}, minimum={minimum}, honest=1")
    app = app.replace("nodes=20", f"nodes={nodes}").replace("songs.parquet", f"{name}.parquet")
    return app.replace("\nclient =", SLOWLY.replace("NAME", name) + "\n\nclient =")


SHORT = "nodes=20, wait=1200, timeout=150"
"""Whoever is killed never answers, and is waited for."""


@pytest.mark.slow
def test_nodes_are_killed_in_the_middle_of_a_sum(tmp_path: Path) -> None:
    """Of five nodes one is killed after it has sent its keys: the sum is of the others. Of these one more: too few."""
    with deployed(tmp_path, ["blue"] * 3 + ["red"] * 2) as deployment:
        for name, nodes, answers in (("one", 5, 4), ("two", 4, None)):
            with deployment.running(name, interrupted(name, nodes, minimum=4)) as log:
                deployment.wait_for(f"{name}.joined")
                deployment.kill(nodes - 1)
                (tmp_path / f"{name}.killed").touch()
            if answers is None:
                assert not (tmp_path / f"{name}.parquet").exists()
                assert "3 people answered, and 4 must: all is forgotten" in log.read_text()
            else:
                assert f"{answers} answers" in str(hc.load(tmp_path / f"{name}.parquet")), log.read_text()
    states = [spend.state for spend in hc.Ledger(tmp_path / "songs.db").spends()]
    assert states == ["1 of 1 part sealed", "0 of 1 part sealed"]
