"""What a release will be like, told before anything is read: how far off counts are, and which items appear. If the
bound is still to be chosen, for a few bounds that it may be."""

from math import inf, isqrt

from headcount.bound import (
    Bounding,
    SampledEvents,
    SampledItems,
    ScaledToSize,
    ScaledToSum,
    TopItems,
    TopSums,
    TwoScaleClip,
)
from headcount.bound.selection.compare import Compared
from headcount.bound.selection.paper import Known
from headcount.bound.selection.plume import Discovering
from headcount.errors import BadParameter
from headcount.mechanism import (
    Buckets,
    CountRelease,
    Distributed,
    Mechanism,
    Sampled,
    Staircase,
    Wish,
    choice_for,
    digits,
    mechanism_for,
)
from headcount.mechanism.distribution import strategy as distributed
from headcount.plural import plural

EXAMPLES = (1, 10, 100)
"""Bounds for which a plan tells what would follow."""
SIZES = (100, 10_000)
"""Counts for which a plan of a sample tells how far off they are."""
BOXES = (10_000, 1_000_000)
"""Contributions in all for which a plan tells how far off a shape is."""
DRAWN, CROWDS = (10, 100), (1_000, 100_000)
"""Samples of a person, and people, for which a plan tells how far off a distribution is."""
FOUND = (1, 10, 100, 1000)
"""Numbers of items for which a plan tells how common they must be to be found."""


def lines(wish: Wish, item: str, unit: str) -> list[str]:
    """The lines of a plan."""
    if wish.finding:
        return _found(wish, item)
    if wish.ordered:
        return _ordered(wish)
    if wish.shaped:
        return _shaped(wish)
    if wish.distributed:
        return [*_distributed(wish, wish.distributed), _all(item)]
    if wish.sampled:
        return _sampled(wish, item)
    if wish.way is None:
        return _lines(mechanism_for(wish), item, unit)
    shown = [mechanism_for(wish, _example(wish, bound)) for bound in EXAMPLES]
    errors = _listed([digits(each.error) for each in shown])
    counts = [f"  error   19 of 20 counts are off by at most {errors} (noise alone)"]
    if wish.cells is not None:
        return [*counts, *([] if wish.cells == 1 else [_all(item)]), *_named(wish)]
    first, *rest = (appears(each) for each in shown)
    return [*counts, f"  appear  an item ({item}) needs about {_listed([f'{first} {unit}', *rest])}"]


def _named(wish: Wish) -> list[str]:
    """Of a way of choosing by rank, or by noise on the bound: from how many bounds, and whether it can tell them
    apart."""
    choice = choice_for(wish)
    if not isinstance(choice, Known) or isinstance(choice, Compared):
        return []
    largest = choice.grid[-1] if choice.norm == "sum" or wish.count == "users" else isqrt(choice.grid[-1])
    listed = f"  bound   one of {len(choice.grid):,} up to {largest:,}; grid=[...] gives others"
    vague = (
        f'  beware  bound="{choice.name}" can hardly tell which is best here, whatever the data are; bound="auto" can'
    )
    return [listed, vague] if choice.vague else [listed]


def _ordered(wish: Wish) -> list[str]:
    """Of quantiles and ranges: how many ranks, or rows, they are off."""
    assert wish.ordered is not None
    rows = "people" if wish.ordered.sampled else "rows"
    unit = "ranks" if wish.ordered.q else rows
    if wish.way is None:
        errors = f"{digits(mechanism_for(wish).error)} {unit}"
    else:
        first, *rest = (digits(mechanism_for(wish, _example(wish, bound)).error) for bound in EXAMPLES)
        errors = _listed([f"{first} {unit}", *rest])
    if wish.ordered.sampled:
        return [
            f"  error   19 of 20 are off by at most {errors} if there are 10,000 {rows}, ten times that if a million"
        ]
    return [f"  error   19 of 20 are off by at most {errors} (noise alone)"]


def _shaped(wish: Wish) -> list[str]:
    """Of a shape: how far off its counts are, added up, by how much people contribute."""
    made = mechanism_for(wish)
    assert isinstance(made, Staircase | Buckets)
    off = ", ".join(f"{digits(made.off(boxes))} if they have {boxes:,} people" for boxes in BOXES)
    return [f"  error   the counts of all items together are off by about {off}"]


def _distributed(wish: Wish, asked: Distributed) -> list[str]:
    """Of a distribution: by which mechanism, and how far off all shares are together."""
    assert wish.cells is not None
    drawn = (wish.bound,) if isinstance(wish.bound, int) else DRAWN
    there = CROWDS if asked.people is None else (asked.people,)
    cases = [(most, people) for people in there for most in drawn]
    told = [distributed.off(asked, wish.rest, wish.neighbours, wish.cells, *case) for case in cases]
    return [
        f"  error   {_part(off, wish.cells)} if {people:,} people have {many(most, 'sample')} each ({name})"
        for (most, people), (name, off) in zip(cases, told, strict=True)
    ]


def off(wish: Wish, asked: Distributed) -> float:
    """How far off all shares of a distribution are together, about."""
    if asked.people is None or not isinstance(wish.bound, int) or wish.cells is None:
        raise BadParameter("how far off a distribution is depends on how many people there are.", fix="print(plan)")
    return _within(distributed.off(asked, wish.rest, wish.neighbours, wish.cells, wish.bound, asked.people)[1])


def _within(off: float) -> float:
    """No two distributions are farther apart than 2."""
    return off / (1 + off / 2) if off < inf else 2.0


def _part(off: float, cells: int) -> str:
    """How far off shares are, together."""
    less = "these are too few people: " if _within(off) >= 1 else ""
    return f"{less}all {many(cells, 'share')} together are off by about {_within(off):.2g}"


def many(count: int, what: str) -> str:
    """So many of them."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def _sampled(wish: Wish, item: str) -> list[str]:
    """Of counts of a sample."""
    bounds = EXAMPLES[:1] if wish.way is None else EXAMPLES
    made = [mechanism_for(wish, SampledItems(bound) if wish.way else None) for bound in bounds]
    listed = [each for each in made if isinstance(each, Sampled)]
    errors = [", ".join(f"{digits(each.off(size))} of {size:,}" for size in SIZES) for each in listed]
    told, least = ((_listed(each) if wish.way else each[0]) for each in (errors, [appears(each) for each in listed]))
    counts = f"  error   19 of 20 counts (people) are off by at most {told}"
    return [counts, _all(item) if wish.cells is not None else f"  appear  an item ({item}) needs about {least} people"]


def _found(wish: Wish, item: str) -> list[str]:
    """Of items that are found one after another: how common they must be if so many are to appear."""
    assert wish.finding is not None
    most, added = wish.finding.most, wish.finding.added
    made = mechanism_for(wish, TopSums(most, 1, added) if added else TopItems(most))
    assert isinstance(made, CountRelease)
    wanted = sorted({many for many in FOUND if many < (made.k or 10 * many)} | ({made.k} if made.k else set()))
    needed = [(many, made.needed(many)) for many in wanted if made.needed(many) < inf]
    listed = ", ".join(f"{many:,} that have {count:,.0f} each" for many, count in needed)
    appear = f"  appear  by how many people they need, about, items ({item}): {listed}"
    return [*_errors(wish, made, [count for _, count in needed]), appear]


def _errors(wish: Wish, made: CountRelease, needed: list[float]) -> list[str]:
    """How far off counts are, or sums, of items that have as many people as they need."""
    if made.target is None:
        return []
    if not (wish.finding and wish.finding.added):
        return [f"  error   most counts are off by at most {float(100 * made.target):g}%, large ones by less"]
    part, limit = (float(made.levels[-1].variance) ** 0.5 / made.levels[-1].threshold), wish.bound
    each = float(limit) if isinstance(limit, int) else 1.0
    off = ", ".join(digits(2 * part * count * each) for count in needed)
    times = "" if isinstance(limit, int) else ", times the limit that is chosen"
    return [f"  error   19 of 20 sums of such items are off by at most {off}{times}"]


def foretold(wish: Wish, item: str) -> str:
    """What will follow the choice of a bound, in a sentence."""
    if wish.finding:
        return (
            f"No amount counts for more than that limit. The {plural(item)} that most people have are found one after "
            "another, and what their amounts add up to is told with noise."
        )
    if wish.distributed:
        kept = many(wish.bound, "sample") if isinstance(wish.bound, int) else "so many samples"
        how = "by the mechanism that is predicted to be least off" if wish.distributed.method == "auto" else ""
        return f"People are held to {kept}. Then the distribution is learned, {how or wish.distributed.method}."
    if wish.ordered:
        done = (
            "Each quantile is searched for" if wish.ordered.searching else "A tree of counts over its cells is measured"
        )
        return f"People are held to that bound. {done}, with noise for it."
    if wish.sampled:
        return (
            "People are held to that bound. "
            f"Of what is left a sample is taken, and the small {plural(item)} are dropped."
        )
    if wish.cells is not None:
        undone = "" if wish.debias in (None, "auto") else f", and what that takes away is undone ({wish.debias})"
        return f"People are held to that bound{undone}. Every {item} of the public list gets noise for it."
    if wish.way == Discovering.name:
        return _discovered(wish, item)
    if not wish.weighing:
        return f"People are held to that bound. Every {item} that is left gets noise; the small ones are not mentioned."
    again = "" if wish.debias is None else " What is shown is measured once more, to undo what scaling took away."
    return (
        f"People's counts are scaled to that bound. Every {item} that occurs gets noise; the small ones are not "
        f"mentioned.{again} If nearly everybody has one or two {plural(item)}, so many are kept instead of scaled."
        f"{_or_found(wish, item)}"
    )


def _discovered(wish: Wish, item: str) -> str:
    off = f"those whose counts may be off by more than {100 * float(wish.target or 0):g}% are not shown"
    rest = "all are shown" if wish.target is None else off
    return (
        f"To find {plural(item)}, people are held to the first bound: every {item} that is left gets noise, and is "
        f"found if that makes enough. To count them, people are held to the second bound on what they have of these. "
        f"Every {item} that was found gets noise, and {rest}."
    )


def _or_found(wish: Wish, item: str) -> str:
    if not wish.suited:
        return ""
    return (
        f" If people have many {plural(item)} and few are common, these are found one after another instead; to see "
        "whether it is so may take 12% of epsilon more."
    )


def _lines(mechanism: Mechanism, item: str, unit: str) -> list[str]:
    least = appears(mechanism)
    return [
        f"  error   19 of 20 counts are off by at most {digits(mechanism.error)} (noise alone)",
        f"  appear  an item ({item}) needs about {least} {unit} to appear" if least else _all(item),
    ]


def _all(item: str) -> str:
    return f"  appear  every item ({item}) of the public list appears"


def _listed(values: list[str]) -> str:
    return ", ".join(f"{value} for a bound of {bound}" for value, bound in zip(values, EXAMPLES, strict=True))


def appears(mechanism: Mechanism) -> str:
    """The noisy count from which on an item is shown; empty if all are."""
    return "" if mechanism.appears is None else digits(mechanism.appears / mechanism.bounding.unit)


def _example(wish: Wish, bound: int) -> Bounding:
    """A bound that may be chosen."""
    squared = bound if wish.count == "users" else bound**2
    if isinstance(choice := choice_for(wish), Discovering):
        return choice.example(bound)
    if wish.weighing:
        return TwoScaleClip(squared, 4 * squared, min(8 * bound, 10_000), wish.largest, (1, 1))
    if wish.cells is None:
        return (SampledItems if wish.count == "users" else SampledEvents)(bound)
    if wish.laplace or wish.ordered:
        return ScaledToSum(bound, bound if wish.ordered else wish.largest)
    return ScaledToSize(squared, wish.largest if wish.count == "users" else isqrt(squared))
