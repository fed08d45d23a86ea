"""Four tiers: `pytest` takes minutes, CI runs `pytest --all`, `--long` is what takes too long for it, `--night` is all.

A test that is marked slow stays out of the full tier, and says what stands for it there:

    slow(one_in=5)              one in five of its own cases, by their ids
    slow(but=["text", "json"])  its own cases with these ids
    slow(sibling="test_other")  a test of the same file, through the same code
    slow                        of one case alone: the others

Of any other test with more than six cases the full tier takes one in three, by their ids, unless it is marked
every_case; and of tests whose cases take long, by what `pytest --all --record` wrote, as many as take four seconds, at
least one. If one alone took more than five, the test is in the long tier instead. The quick tier takes the cases of
the full one that cost least, and at least one of each file. At night, every case runs at full effort.
"""

import pytest

from tests import effort
from tests.seconds import Recorder
from tests.tiers import TIERS, Tiers


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="the full tier, not only what costs least")
    parser.addoption("--long", action="store_true", help="the tests that take too long for the full tier")
    parser.addoption("--night", action="store_true", help="every case at full effort")
    parser.addoption("--record", action="store_true", help="write how long tests took: the quick tier")


def pytest_configure(config: pytest.Config) -> None:
    effort.choose(night=config.getoption("--night"))
    if config.getoption("--record") and not hasattr(config, "workerinput"):  # one process hears of all tests
        config.pluginmanager.register(Recorder())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[TIERS] = Tiers.of(items)
    by_id = any("::" in argument for argument in config.args)
    if effort.at_night() or by_id:  # who names a test wants it to run
        return
    chosen = config.stash[TIERS].chosen(config)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
    items[:] = [item for item in items if item.nodeid in chosen]
