"""How much the tests try: everything with `pytest --night`, about a fifth of it without.

Seeds, runs and examples are divided by SHARE in the other tiers. Fewer of them see less; they are no more likely to
raise a false alarm. So a test that *accepts* takes its numbers from here, and one that must *reject* is marked slow.
"""

SHARE = 5
"""By day, one in so many."""
_tier = {"night": False}


def choose(*, night: bool) -> None:
    """Set the tier, before any test is collected."""
    _tier["night"] = night


def at_night() -> bool:
    """True if all tests run, at full effort."""
    return _tier["night"]


def seeds(number: int) -> range:
    """Seeds from 0: at least one."""
    return range(_effort(number, 1))


def runs(number: int) -> int:
    """Repetitions of a statistical test: at least 400, the fewest that an audit takes."""
    return _effort(number, min(number, 400))


def examples(number: int) -> int:
    """Examples of a property: at least five."""
    return _effort(number, min(number, 5))


def _effort(number: int, minimum: int) -> int:
    return number if at_night() else max(number // SHARE, minimum)
