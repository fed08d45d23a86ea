"""Figures of pages: digests that see code and nothing else, runs that resume, pages that say how old they are."""

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.evidence import record, sources
from benchmarks.evidence.experiment import Experiment
from benchmarks.evidence.markdown import tables, written
from benchmarks.evidence.pages import OLDER, in_plain_text, on_site
from benchmarks.evidence.record import Record, Table, read, write
from benchmarks.evidence.registry import EXPERIMENTS
from benchmarks.evidence.run import Failed, measured, run

CODE = '''"""A module."""
LIMIT = 3
"""The limit."""


def double(number: int) -> int:
    """Twice the number."""
    return 2 * number  # exactly


def other() -> None:
    """Do nothing."""
'''
PRINTED = """## speed

**Ten rows**, one run

| way | seconds |
|---|---|
| plain | 0.10 |
| ours | 0.20 |

On a busy machine.

## size

| way | MiB |
|---|---|
| ours | 7 |
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""A module."""', '"""Another description."""'),
        ('"""The limit."""', '"""A limit, described anew."""'),
        ('"""Twice the number."""', '"""The double."""'),
        ("  # exactly", ""),
        ("number: int) -> int", "number: float) -> float"),
    ],
)
def test_words_and_types_do_not_change_a_digest(old: str, new: str) -> None:
    assert old in CODE
    assert sources.syntax(CODE.replace(old, new)) == sources.syntax(CODE)


@pytest.mark.parametrize(
    ("old", "new"), [("LIMIT = 3", "LIMIT = 4"), ("2 * number", "3 * number"), ("double", "twice")]
)
def test_code_changes_a_digest(old: str, new: str) -> None:
    assert sources.syntax(CODE.replace(old, new)) != sources.syntax(CODE)


def test_a_digest_is_the_same_on_every_version_of_python() -> None:
    assert sources.syntax("def f(a, *, b=1):\n    return f'{a!r:>{b}}'") == (
        "[('FunctionDef', ('name', 'f'), ('args', ('arguments', ('args', [('arg', ('arg', 'a'))]), ('kwonlyargs', "
        "[('arg', ('arg', 'b'))]), ('kw_defaults', [('Constant', ('value', 1))]))), ('body', [('Return', ('value', "
        "('JoinedStr', ('values', [('FormattedValue', ('value', ('Name', ('id', 'a'), ('ctx', ('Load',)))), "
        "('conversion', 114), ('format_spec', ('JoinedStr', ('values', [('Constant', ('value', '>')), "
        "('FormattedValue', ('value', ('Name', ('id', 'b'), ('ctx', ('Load',)))), ('conversion', -1))]))))]))))]))]"
    )


def test_definitions_are_seen_alone() -> None:
    of_double = sources.syntax(CODE, {"double"})
    assert sources.syntax(CODE.replace("LIMIT = 3", "LIMIT = 4"), {"double"}) == of_double
    assert sources.syntax(CODE.replace("2 *", "3 *"), {"double"}) != of_double
    with pytest.raises(LookupError, match="gone"):
        sources.syntax(CODE, {"gone"})


def test_tables_are_read_as_they_were_printed() -> None:
    speed, size = tables(PRINTED)
    assert speed == Table(
        "speed",
        "**Ten rows**, one run",
        ("way", "seconds"),
        (("plain", "0.10"), ("ours", "0.20")),
        ("On a busy machine.",),
    )
    assert (size.name, size.cell("ours", "MiB")) == ("size", "7")
    assert written(speed) in PRINTED
    with pytest.raises(LookupError, match="no cell 'theirs'"):
        size.cell("theirs", "MiB")


def test_tables_without_a_heading_are_named_in_order() -> None:
    printed = "| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |\n"
    assert [table.name for table in tables(printed, ("one", "two"))] == ["one", "two"]
    with pytest.raises(LookupError, match="three"):
        tables(printed, ("one", "two", "three"))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one source file, whose digest is what is measured."""
    (tmp_path / "code.py").write_text(CODE)
    of_folder = sources.digest

    def digest(patterns: tuple[str, ...]) -> str:
        return of_folder(patterns, tmp_path)

    monkeypatch.setattr(record, "digest", digest)
    monkeypatch.setattr("benchmarks.evidence.run.digest", digest)
    return tmp_path


def experiment(root: Path, name: str = "trial", code: str = "") -> Experiment:
    """One that prints the tables, and a line in a file for each time that it ran."""
    ran = f"open({str(root / 'ran')!r}, 'a').write('{name}\\n')"
    return Experiment(name, "A trial", ("-c", f"{ran}\n{code or f'print({PRINTED!r})'}"), ("code.py",), 1)


def runs(root: Path) -> list[str]:
    return (root / "ran").read_text().split()


def test_a_file_has_commit_machine_sources_and_tables(root: Path) -> None:
    assert run([experiment(root)], where=root) == []
    kept = read("trial", root)
    assert kept is not None
    assert kept.tables == tables(PRINTED)
    assert kept.sources == ("code.py",)
    assert kept.digest == sources.digest(("code.py",), root)
    assert kept.machine.cores >= 1
    assert not kept.stale
    assert not kept.transcribed


def test_what_is_measured_is_not_measured_again_until_its_code_changes(root: Path) -> None:
    one, two = experiment(root, "one"), experiment(root, "two")
    run([one], where=root)
    run([one, two], where=root)
    assert runs(root) == ["one", "two"]
    (root / "code.py").write_text(CODE.replace("2 * number", "3 * number"))
    run([one, two], where=root)
    assert sorted(runs(root)) == ["one", "one", "two", "two"]
    run([one], where=root, again=True)
    assert runs(root)[-1] == "one"


def test_what_measures_time_runs_after_the_others_and_by_itself(root: Path) -> None:
    timed = [replace(experiment(root, name), alone=True) for name in ("timed", "again")]
    slow = experiment(root, "slow", f"import time; time.sleep(0.5); print({PRINTED!r})")
    assert run([timed[0], slow, timed[1]], where=root) == []
    assert runs(root) == ["slow", "timed", "again"]


def test_one_that_fails_does_not_stop_the_others(root: Path) -> None:
    bad = experiment(root, "bad", "print(1 / 0)")
    odd = replace(experiment(root, "odd", "print('no table')"), tables=("speed",))
    assert run([bad, odd, experiment(root, "good")], where=root) == ["bad", "odd"]
    assert read("bad", root) is None
    assert read("odd", root) is None
    assert read("good", root) is not None


def test_code_that_changes_during_a_run_is_not_measured(root: Path) -> None:
    changing = f"open({str(root / 'code.py')!r}, 'a').write('EXTRA = 1')\nprint({PRINTED!r})"
    with pytest.raises(Failed, match="changed while it ran"):
        measured(experiment(root, code=changing))


def test_missing_tables_are_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADCOUNT_TABLES", str(root / "nowhere"))
    with pytest.raises(Failed, match="the shared tables are not in"):
        measured(replace(experiment(root), real=True))


def test_pages_show_tables_cells_and_their_source(root: Path) -> None:
    run([experiment(root)], where=root)
    site = on_site("before\n\n{{ evidence: trial.speed }}\n\nafter", root)
    assert "| ours | 0.20 |" in site
    assert "commit " in site
    assert OLDER not in site
    plain = "took <!-- evidence: trial.speed | ours | seconds -->9.99<!-- /evidence --> s"
    assert in_plain_text(plain, root) == plain.replace("9.99", "0.20")


def test_what_is_older_than_its_code_is_shown_as_such(root: Path) -> None:
    run([experiment(root)], where=root)
    (root / "code.py").write_text(CODE.replace("LIMIT = 3", "LIMIT = 4"))
    assert OLDER in on_site("{{ evidence: trial }}", root)
    assert OLDER in in_plain_text("<!-- evidence: trial.source --><!-- /evidence -->", root)


def test_a_transcribed_figure_says_so_and_is_measured_again(root: Path) -> None:
    run([experiment(root)], where=root)
    kept = read("trial", root)
    assert isinstance(kept, Record)
    write(replace(kept, transcribed="a page"), root)
    assert "Transcribed from a page." in on_site("{{ evidence: trial }}", root)
    run([experiment(root)], where=root)
    assert runs(root) == ["trial", "trial"]


def test_an_unknown_figure_is_an_error(root: Path) -> None:
    with pytest.raises(LookupError, match="nothing"):
        on_site("{{ evidence: nothing }}", root)


@pytest.mark.every_case
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_names_files_and_a_command_that_exist(name: str) -> None:
    each = EXPERIMENTS[name]
    for pattern in each.sources:
        assert sources.files([pattern]) or pattern.startswith("docs/evidence/"), pattern
        sources.digest([pattern])
    module = sources.ROOT / each.command[1].replace(".", "/")
    assert module.with_suffix(".py").exists() or (module / "__main__.py").exists()


def test_an_experiment_depends_on_the_file_of_its_command() -> None:
    for each in EXPERIMENTS.values():
        module = each.command[1].replace(".", "/")
        assert any(pattern.startswith((f"{module}.py", f"{module}/")) for pattern in each.sources) or (
            each.name == "planted"
        ), each.name
