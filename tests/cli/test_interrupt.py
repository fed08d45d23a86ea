"""A command that is interrupted: real processes, real signals, a real terminal. Nothing half done is left anywhere, and
the ledger is right."""

import fcntl
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import ibis
import pytest
from tests import large
from tests.cli.test_commands import COMMAND

import headcount as hc

CHARGED = "the ledger was charged: asking the same again costs nothing more"
NEW_DRAW = (
    "the ledger was charged for a new draw: asking the same again, with --again, finishes it and costs nothing more"
)
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return large.events(tmp_path_factory.mktemp("large"))


class Terminal:
    """A command whose terminal is stderr; it ignores the signals that it is told to, however the tests were started."""

    def __init__(self, *arguments: str | Path, cwd: Path, ignored: Sequence[signal.Signals] = ()) -> None:
        self.main, other = pty.openpty()
        self.stdout = tempfile.TemporaryFile("w+")  # noqa: SIM115

        def begin() -> None:
            os.setsid()
            fcntl.ioctl(2, termios.TIOCSCTTY, 0)
            for each in STOPPING:
                signal.signal(each, signal.SIG_IGN if each in ignored else signal.SIG_DFL)

        words = [COMMAND, *arguments]
        self.process = subprocess.Popen(words, cwd=cwd, stdout=self.stdout, stderr=other, preexec_fn=begin)
        os.close(other)
        self.seen = ""

    def close(self) -> int:
        """Close the terminal, which is a SIGHUP, and return the exit code."""
        os.close(self.main)
        self.stdout.close()
        return self.process.wait(timeout=300)

    def until(self, text: str) -> bool:
        """Whether it came to show this."""
        while text not in self.seen and self._read():
            pass
        return text in self.seen

    def _read(self) -> bool:
        try:
            more = os.read(self.main, 4096)
        except OSError:  # the other end is closed
            more = b""
        self.seen += more.decode(errors="replace")
        return bool(more)

    def end(self) -> tuple[int, str, str]:
        """Exit code, stdout, and stderr without what paints."""
        while self._read():
            pass
        os.close(self.main)
        self.process.wait(timeout=300)
        self.stdout.seek(0)
        with self.stdout:
            stdout = self.stdout.read()
        said = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.seen).replace("\r\n", "\n")
        return self.process.returncode, stdout, said


@pytest.fixture
def usual_interrupt() -> Iterator[None]:
    """Ctrl-C is a KeyboardInterrupt, also where the tests run in the background of a shell that ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_progress_on_a_terminal_and_there_alone(events: Path, tmp_path: Path) -> None:
    """The step, the part that was scanned, the time that is left; and no number of rows."""
    asked = ("histogram", events, "--user", "person", "--by", "item", "--epsilon", "1", "--json")
    code, stdout, said = Terminal(*asked, cwd=tmp_path).end()
    assert code == 0
    assert stdout.startswith("{\n")
    assert re.search(r"reading +[━╸╺]+ +[0-9]+%", said), said
    assert re.search(r"━ +[0-9]+%  [0-9]+:[0-9]{2} left", said), said
    shown = set(re.findall(r"[^\s━╸╺]+", said))
    assert {each for each in shown if not re.fullmatch(r"[0-9]{1,3}%|[0-9]+:[0-9]{2}|[a-z]+", each)} == set()


@pytest.mark.slow(but=["SIGHUP"])
@pytest.mark.parametrize(
    ("step", "number"),
    [
        ("reading", signal.SIGINT),
        ("bounding", signal.SIGTERM),
        ("reading", signal.SIGHUP),
        ("bounding", signal.SIGQUIT),
    ],
    ids=["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"],
)
def test_a_command_that_is_interrupted(events: Path, tmp_path: Path, step: str, number: signal.Signals) -> None:
    ledger = hc.Ledger(tmp_path / "events.db", epsilon=3, delta=1e-5)
    (tmp_path / "spill").mkdir()
    asked = ("histogram", events, "--user", "person", "--by", "item", "--epsilon", "1", "--ledger", "events.db")
    run = Terminal(*asked, "--spill", "spill", "--out", "o.csv", "--out", "o.html", "--memory", "60MB", cwd=tmp_path)
    assert run.until(step), run.seen
    run.process.send_signal(number)
    run.process.send_signal(number)  # somebody is impatient
    code, stdout, said = run.end()
    assert (code, stdout) == (128 + number, "")
    assert said.rstrip().endswith(f"headcount: interrupted: nothing was released; {CHARGED}"), said
    assert "Traceback" not in said
    assert not any((tmp_path / "spill").iterdir())
    left = {each.name.partition("-")[0] for each in tmp_path.iterdir()}
    assert left == {"spill", "events.db", "events.db.lock", "events.db.key", "events.db.secret"}
    ledger.verify()
    assert [spend.sealed for spend in ledger.spends()] == [False]
    release = hc.histogram(events, user="person", by="item", epsilon="1", ledger=ledger)
    assert release.fresh
    assert [spend.sealed for spend in ledger.spends()] == [True]


def test_interrupted_once_it_is_sealed(tmp_path: Path) -> None:
    """While files are written: each is there as a whole, or not at all; and the ledger has the release."""
    ledger = hc.Ledger(tmp_path / "songs.db", epsilon=3, delta=1e-5)
    (tmp_path / "out").mkdir()
    (tmp_path / "songs.csv").write_text("user,song\n" + "".join(f"{index},{index % 3}\n" for index in range(999)))
    outs = [word for kind in ("parquet", "png", "html", "pdf") for word in ("--out", f"out/r.{kind}")]
    asked = ("histogram", "songs.csv", "--user", "user", "--by", "song", "--epsilon", "1", "--ledger", "songs.db")
    run = Terminal(*asked, *outs, cwd=tmp_path)
    while not (tmp_path / "out" / "r.parquet").exists() and run.process.poll() is None:
        time.sleep(0.01)
    run.process.send_signal(signal.SIGINT)
    code, _, said = run.end()
    left = sorted(each.name for each in (tmp_path / "out").iterdir())
    assert code in (0, 130)
    if code == 130:
        wrote = ", ".join(f"out/{name}" for name in ("r.parquet", "r.png", "r.html", "r.pdf") if name in left)
        assert said.rstrip().endswith(f"headcount: interrupted: wrote {wrote}, nothing else; {CHARGED}"), said
    assert set(left) <= {"r.parquet", "r.png", "r.html", "r.pdf"}
    assert ledger.verify(release=(tmp_path / "out" / "r.parquet").read_bytes())


@pytest.mark.skipif(sys.platform != "linux", reason="how a process hears signals is told by Linux alone")
def test_interrupted_before_it_begins(tmp_path: Path) -> None:
    """While it still imports what it needs: as soon as it hears."""
    run = Terminal("histogram", "nowhere.csv", "--user", "user", "--by", "song", "--epsilon", "1", cwd=tmp_path)
    status = Path(f"/proc/{run.process.pid}/status")
    while not int(re.findall(r"SigCgt:\s*(\w+)", status.read_text())[0], 16) >> (signal.SIGTERM - 1) & 1:
        time.sleep(0.001)
    run.process.send_signal(signal.SIGTERM)
    assert run.end() == (143, "", "headcount: interrupted: nothing was released\n")


def test_a_terminal_that_is_closed(events: Path, tmp_path: Path) -> None:
    """Nobody is left to be told anything: that is no error of its own."""
    ledger = hc.Ledger(tmp_path / "events.db", epsilon=3, delta=1e-5)
    (tmp_path / "spill").mkdir()
    asked = ("histogram", events, "--user", "person", "--by", "item", "--epsilon", "1", "--ledger", "events.db")
    run = Terminal(*asked, "--spill", "spill", "--memory", "60MB", cwd=tmp_path)
    assert run.until("reading"), run.seen
    assert run.close() == 128 + signal.SIGHUP
    assert not any((tmp_path / "spill").iterdir())
    assert [spend.sealed for spend in ledger.spends()] == [False]


@pytest.mark.slow(but=["SIGINT", "SIGHUP"])
@pytest.mark.parametrize("number", STOPPING, ids=[each.name for each in STOPPING])
def test_what_it_was_told_to_ignore_is_ignored(tmp_path: Path, number: signal.Signals) -> None:
    """A script's background job ignores the Ctrl-C for another program; a command under nohup, a closed terminal."""
    (tmp_path / "songs.csv").write_text("user,song\n" + "".join(f"{index},{index % 3}\n" for index in range(999)))
    asked = ("histogram", "songs.csv", "--user", "user", "--by", "song", "--epsilon", "1", "--json")
    run = Terminal(*asked, cwd=tmp_path, ignored=[number])
    while run.process.poll() is None:
        run.process.send_signal(number)
        time.sleep(0.05)
    code, stdout, said = run.end()
    assert (code, stdout[:2]) == (0, "{\n"), said


@pytest.mark.slow(but=["sealed before"])
@pytest.mark.parametrize("sealed", [True, False], ids=["sealed before", "new"])
def test_an_interrupted_new_draw_is_finished_for_nothing(events: Path, tmp_path: Path, sealed: bool) -> None:
    """What it says of the money is what then happens."""
    ledger = hc.Ledger(tmp_path / "events.db", epsilon=3, delta=1e-5)
    asked = ("histogram", events, "--user", "person", "--by", "item", "--epsilon", "1", "--ledger", "events.db")
    if sealed:
        assert Terminal(*asked, "--out", "first.parquet", cwd=tmp_path).end()[0] == 0
    told = [interrupted(*asked, "--again", cwd=tmp_path) for _ in range(2)]
    assert told == [NEW_DRAW, "nothing more was charged"]
    spent = ledger.spent
    code, _, said = Terminal(*asked, "--again", "--out", "second.parquet", cwd=tmp_path).end()
    assert (code, ledger.spent) == (0, spent), said
    assert [spend.sealed for spend in ledger.spends()] == [True] * (1 + sealed)
    assert Terminal(*asked, "--out", "third.parquet", cwd=tmp_path).end()[0] == 0
    assert (tmp_path / "third.parquet").read_bytes() == (tmp_path / "second.parquet").read_bytes()


def interrupted(*asked: str | Path, cwd: Path) -> str:
    """What it says of the ledger if it is interrupted while it reads."""
    run = Terminal(*asked, cwd=cwd)
    assert run.until("reading"), run.seen
    run.process.send_signal(signal.SIGINT)
    code, _, said = run.end()
    assert code == 130
    return said.rstrip().rpartition("nothing was released; ")[2]


PROMISE = "each row belongs to one person"


class Interrupts:
    """Ctrl-C a moment after the first step, and again if a weak reference's callback dropped it: it cannot raise."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.usual = False, sys.unraisablehook
        monkeypatch.setattr(sys, "unraisablehook", self.dropped)

    def __call__(self, step: str) -> None:
        if not self.begun:
            self.begun = True
            self.press()

    def dropped(self, what: "sys.UnraisableHookArgs") -> None:
        if issubclass(what.exc_type, KeyboardInterrupt):
            self.press()
        else:
            self.usual(what)

    def press(self) -> None:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()


@pytest.mark.parametrize("charged", [True, False])
def test_an_interrupt_in_python_passes_through(
    tmp_path: Path, charged: bool, usual_interrupt: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no failure of the reading; the user's own connection is left as it was, and works."""
    connection = duckdb.connect()
    connection.execute(
        "CREATE VIEW much AS SELECT hash(i) % 9999 AS person, hash(i + 1) % 99999 AS item FROM range(90000000) r(i)"
    )
    table = ibis.duckdb.from_connection(connection).table("much")
    before = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    ledger = hc.Ledger(tmp_path / "much.db", epsilon=1, delta=1e-5)

    plan = hc.plan("histogram", hc.table(table, promise=PROMISE), user="person", by="item", epsilon=1)
    with pytest.raises(KeyboardInterrupt):
        plan.release(ledger=ledger if charged else None, progress=Interrupts(monkeypatch))
    assert connection.execute("SELECT table_name FROM duckdb_tables()").fetchall() == before
    ledger.verify()
    assert not ledger.spends()
