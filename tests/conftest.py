"""Three tiers: `pytest --brief` takes minutes, `pytest` runs the quick one, `pytest --all` everything at full effort.

A test that is marked slow stays out of the quick tier, and says what stands for it there:

    slow(one_in=5)              one in five of its own cases, by their ids
    slow(but=["text", "json"])  its own cases with these ids
    slow(sibling="test_other")  a test of the same file, through the same code
    slow                        of one case alone: the others

Of any other test with more than six cases the quick tier takes one in three, by their ids, unless it is marked
every_case. The brief tier takes the cases of the quick one that take least, by what `pytest --record` wrote.
"""

import pytest

from tests import effort
from tests.seconds import Recorder
from tests.tiers import TIERS, Tiers


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="every test at full effort, not the quick tier alone")
    parser.addoption("--brief", action="store_true", help="the tests of the quick tier that take least")
    parser.addoption("--record", action="store_true", help="write how long tests took, for --brief")


def pytest_configure(config: pytest.Config) -> None:
    effort.choose(everything=config.getoption("--all"))
    if config.getoption("--record") and not hasattr(config, "workerinput"):  # one process hears of all tests
        config.pluginmanager.register(Recorder())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tiers = config.stash[TIERS] = Tiers.of(items)
    by_id = any("::" in argument for argument in config.args)
    if effort.everything() or by_id:  # who names a test wants it to run
        return
    chosen = tiers.brief if config.getoption("--brief") else tiers.quick
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
    items[:] = [item for item in items if item.nodeid in chosen]
