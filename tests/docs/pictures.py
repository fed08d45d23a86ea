"""Pictures of the pages about mechanisms and collections: `python -m tests.docs.pictures` writes them to docs/assets.

One idea each, of lines, bars and words. What is released is filled, what is not has a dashed outline, noise is a dot on
a line: nothing is told apart by hue alone. Each has a white ground of its own, so that it can be read on a dark page.
"""

from collections.abc import Callable, Iterable, Sequence
from html import escape

from tests.docs.snippets import ROOT

FOLDER = ROOT / "docs" / "assets"
WIDTH, HEIGHT, FLOOR = 480, 200, 160
"""The size, and where bars stand."""
INK, FILL, NOISE = "#1d2327", "#5aa9a0", "#a83b00"
HIDDEN = f'fill="#ffffff" stroke="{INK}" stroke-dasharray="3 3"'
SHOWN = f'fill="{FILL}" stroke="{INK}"'
THRESHOLDS = (106, 66.9, 48.5, 37.1, 26.9)
"""Of rounds at epsilon 1 and delta 1e-6, in people."""
JOINT_THRESHOLDS = (82.6, 52.3, 39, 28)
"""Of joint rounds, the same."""


def rect(x: float, y: float, width: float, height: float, style: str = SHOWN) -> str:
    """A rectangle."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" {style}/>'


def bar(x: float, height: float, style: str = SHOWN, width: float = 44) -> str:
    """A bar on the floor."""
    return rect(x, FLOOR - height, width, height, style)


def line(x1: float, y1: float, x2: float, y2: float, style: str = "") -> str:
    """A line."""
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{INK}" {style}/>'


def dashed(y: float, x1: float = 16, x2: float = WIDTH - 16) -> str:
    """A threshold."""
    return line(x1, y, x2, y, 'stroke-dasharray="7 5" stroke-width="1.5"')


def dot(x: float, y: float, radius: float = 5, style: str = f'fill="{NOISE}"') -> str:
    """A point."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" {style}/>'


def noise(x: float, height: float, moved: float, spread: float = 14) -> str:
    """Noise on a value of this height: where it may move, and where it went."""
    y = FLOOR - height
    return (
        f'<line x1="{x:g}" y1="{y - spread:g}" x2="{x:g}" y2="{y + spread:g}" stroke="{NOISE}" stroke-width="3"/>'
        + dot(x, y - moved)
    )


def word(x: float, y: float, text: str, anchor: str = "middle") -> str:
    """A word."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def floor(x1: float = 16, x2: float = WIDTH - 16) -> str:
    """The line on which bars stand."""
    return line(x1, FLOOR, x2, FLOOR)


def known() -> Iterable[str]:
    """Every item of a list gets noise, also one that nobody has."""
    for x, height, moved in ((50, 120, 6), (160, 80, -9), (270, 45, 4), (380, 0, 7)):
        yield bar(x, height)
        yield noise(x + 22, height, moved, 12)
    yield floor()
    yield word(182, 191, "every item of the list gets noise")
    yield word(402, 191, "nobody has it")


def correlated() -> Iterable[str]:
    """Every count is moved by one common number, and by noise of its own."""
    for x, height, moved in ((30, 100, 5), (120, 84, -4), (210, 92, 3), (300, 70, -5)):
        yield bar(x, height + 16) + bar(x, height)
        yield noise(x + 22, height + 16, moved, 9)
    yield dashed(FLOOR - 116, 30, 344) + line(390, FLOOR - 100, 390, FLOOR - 116, 'stroke-width="3"')
    yield word(398, FLOOR - 104, "the same", "start")
    yield floor() + word(187, 186, "a common number, and noise of each count's own")


def threshold() -> Iterable[str]:
    """What is above a threshold is released; the rest is not mentioned."""
    for x, height, moved in ((36, 130, -6), (124, 96, 8), (212, 80, -5), (300, 34, 7), (388, 8, -3)):
        yield bar(x, height, SHOWN if height > 60 else HIDDEN)
        yield noise(x + 22, height, moved)
    yield floor()
    yield dashed(100)
    yield word(464, 93, "threshold", "end")
    yield word(146, 186, "released")
    yield word(366, 186, "not mentioned")


def joint() -> Iterable[str]:
    """Of one person's weight, a growing part is for items that are shown already."""
    for number, (people, part) in enumerate(zip((*JOINT_THRESHOLDS, 0), (0, 0, 40, 75, 105), strict=True)):
        x = 26 + 90 * number
        if part < 105:
            yield rect(x, FLOOR - 105, 60, 105 - part, HIDDEN) + word(x + 30, FLOOR - 86, "find")
            yield word(x + 30, FLOOR - 111, f"{people:g}")
        if part:
            yield bar(x, part, SHOWN, 60) + word(x + 30, FLOOR - part / 2 + 5, "count")
        yield word(x + 30, 186, f"round {number + 1}" if people else "at last")
    yield floor() + word(16, 24, "thresholds in people, and what everybody's weight is for", "start")


def weighted() -> Iterable[str]:
    """Found with a small bound and a threshold, then counted again."""
    for x, height in ((24, 72), (64, 60), (104, 52), (144, 22), (184, 10)):
        yield bar(x, height, SHOWN if height > 40 else HIDDEN, 28)
        yield noise(x + 14, height, 5 if x % 80 else -5, 10)
    for x, height in ((300, 130), (350, 104), (400, 88)):
        yield bar(x, height, SHOWN, 28)
        yield noise(x + 14, height, 4, 12)
    yield floor(16, 220) + floor(284, 444) + dashed(122, 16, 220)
    yield word(252, 105, "→") + word(118, 186, "1. find: scaled counts") + word(364, 186, "2. count what is shown")


def rounds() -> Iterable[str]:
    """Thresholds fall from round to round."""
    for number, people in enumerate(THRESHOLDS):
        x = 52 + 84 * number
        yield line(x - 36, FLOOR - people * 1.3, x + 36, FLOOR - people * 1.3, 'stroke-width="3"')
        yield word(x, FLOOR - people * 1.3 + (18 if people < 40 else -8), f"{people:g}")
        yield dot(x, FLOOR - 40 * 1.3, 6, f'fill="{FILL}" stroke="{INK}"' if people < 40 else HIDDEN)
        yield word(x, 186, f"round {number + 1}")
    yield floor()
    yield word(16, FLOOR - 6, "an item of 40 people: shown in round 4", "start")


def groups() -> Iterable[str]:
    """A mean is a noisy sum over a noisy count, with an interval for both."""
    yield bar(50, 110) + noise(72, 110, 6) + word(72, 186, "noisy sum")
    yield word(152, 105, "÷")
    yield bar(200, 80) + noise(222, 80, -6) + word(222, 186, "noisy people")
    yield word(302, 105, "=")
    yield line(380, 62, 380, 138, 'stroke-width="3"') + line(370, 62, 390, 62) + line(370, 138, 390, 138)
    yield dot(380, 98, 7, f'fill="{FILL}" stroke="{INK}"') + word(380, 186, "mean, with interval")
    yield floor(36, 264)


def top() -> Iterable[str]:
    """The most common items are found first; later levels go down further."""
    for x, people in ((30, 430), (92, 350), (154, 240), (216, 150), (278, 90), (340, 40), (402, 15)):
        yield bar(x, people * 0.32, SHOWN if people > 69 else HIDDEN)
    yield floor()
    yield dashed(FLOOR - 326 * 0.32) + word(464, FLOOR - 326 * 0.32 - 7, "first level: 326 people", "end")
    yield dashed(FLOOR - 69 * 0.32) + word(464, FLOOR - 69 * 0.32 - 7, "last level: 69", "end")
    yield word(150, 186, "found, one by one") + word(400, 186, "not found")


def people(x: float, count: int, sampled: int, across: int) -> Iterable[str]:
    """People as circles; those in the sample are filled, spread evenly."""
    for number in range(count):
        inside = (number + 1) * sampled // count > number * sampled // count
        where = x + 20 * (number % across), 40 + 20 * (number // across)
        yield dot(*where, 7, f'fill="{FILL if inside else "#ffffff"}" stroke="{INK}"')


def sample() -> Iterable[str]:
    """A quarter of all people is sampled; an item is shown if enough of its people are."""
    yield from people(30, 55, 14, 11)
    yield from people(330, 20, 5, 5)
    yield word(130, 152, "55 people, 14 in the sample:")
    yield word(130, 172, "shown as 14 / 0.2537 = 55")
    yield word(370, 152, "20 people, 5 sampled:")
    yield word(370, 172, "not mentioned")


def tree() -> Iterable[str]:
    """A range is the sum of few nodes of a tree of counts; there is no count of everything."""
    used = {(1, 1), (2, 1), (3, 1)}
    for level in range(1, 4):
        nodes, width = 2**level, 448 / 2**level
        for index in range(nodes):
            style = SHOWN if (level, index) in used else f'fill="#ffffff" stroke="{INK}"'
            yield rect(16 + index * width + 2, 42 * level - 22, width - 4, 34, style)
    yield line(16 + 56, 162, 464, 162, 'stroke-width="3"')
    yield word(268, 186, "seven of eight cells are three nodes")


def shape() -> Iterable[str]:
    """One more person for an item adds one box to the sorted counts."""
    for rank, count in enumerate((7, 5, 3, 2, 2, 1, 1, 1)):
        for index in range(count):
            yield rect(60 + 44 * rank, FLOOR - 20 * (index + 1), 40, 18)
    yield rect(60 + 44 * 2, FLOOR - 80, 40, 18, f'fill="#ffffff" stroke="{NOISE}" stroke-width="3"')
    yield floor() + word(200, 92, "one more person: one more box", "start")
    yield word(240, 186, "items, the most common first; none is named")


def distribution() -> Iterable[str]:
    """People are compared with an estimate; those far away are pulled in."""
    yield dot(170, 90, 68, f'fill="none" stroke="{INK}" stroke-dasharray="7 5"')
    near: Sequence[tuple[int, int]] = ((150, 70), (186, 66), (198, 104), (160, 118), (136, 98), (182, 132), (206, 76))
    yield from (dot(x, y, 6, f'fill="{FILL}" stroke="{INK}"') for x, y in near)
    yield line(170, 90, 238, 90)
    yield line(164, 84, 176, 96, 'stroke-width="3"') + line(176, 84, 164, 96, 'stroke-width="3"')
    yield line(330, 30, 234, 60, f'stroke-dasharray="3 3" style="stroke: {NOISE}; stroke-width: 2"')
    yield dot(336, 28, 6, HIDDEN) + dot(230, 61, 6, f'fill="{NOISE}"')
    yield word(350, 33, "pulled in", "start") + word(252, 95, "noise is for this distance,", "start")
    yield word(252, 115, "not for all of a person's rows", "start") + word(170, 186, "people around the last estimate")


def parties(middle: str, end: str, shown: tuple[str, str, str]) -> Iterable[str]:
    """People on the left, somebody in the middle, the analyst on the right: their names, and what each has."""
    for y in (40, 80, 120):
        yield line(76, y, 168, y)
        yield f'<path d="M168 {y - 5} L178 {y} L168 {y + 5} Z" fill="{INK}"/>'
    yield line(312, 80, 352, 80) + f'<path d="M352 75 L362 80 L352 85 Z" fill="{INK}"/>'
    yield rect(180, 16, 130, 128, f'fill="#ffffff" stroke="{INK}"')
    for x, name, has in zip((70, 245, 400), ("each person", middle, end), shown, strict=True):
        yield word(x, 168, name) + word(x, 189, has)


def result(heights: Sequence[int], hidden: int = 0, moved: Sequence[int] = ()) -> Iterable[str]:
    """Bars of the result; the last ones stay hidden, or all have noise."""
    for number, height in enumerate(heights):
        style = HIDDEN if number >= len(heights) - hidden else SHOWN
        yield rect(372 + 30 * number, 140 - height, 24, height, style)
        if moved:
            yield noise(384 + 30 * number, height + FLOOR - 140, moved[number], 9)
    yield line(366, 140, 464, 140)


def reports() -> Iterable[str]:
    """A trusted aggregator reads every report, and shows what is common."""
    yield from parties("aggregator", "analyst", ("tosses coins", "sees every report", "sees what is common"))
    for y, inside in ((40, True), (80, False), (120, True)):
        yield dot(60, y, 12, SHOWN if inside else HIDDEN)
    yield word(245, 46, "blue") + word(245, 86, "(nothing)") + word(245, 126, "red")
    yield from result((100, 70, 24), hidden=1)
    yield line(366, 90, 464, 90, 'stroke-dasharray="7 5"')


def masked() -> Iterable[str]:
    """A server adds masked numbers, which look random, and sees their noisy sum."""
    yield from parties("server", "analyst", ("adds noise, masks", "sees masked numbers", "sees noisy counts"))
    for y in (40, 80, 120):
        yield dot(60, y, 12, SHOWN) + dot(60, y, 4)
    yield word(245, 46, "8f 31 c7") + word(245, 86, "02 d9 5e") + word(245, 126, "b4 6a 10")
    yield from result((100, 70, 24), moved=(5, -6, 4))


def shuffled() -> Iterable[str]:
    """A shuffler forgets who sent which message; noise hides items among the messages."""
    yield from parties("shuffler", "analyst", ("adds noise", "forgets who sent what", "sees noisy buckets"))
    for y in (40, 80, 120):
        yield dot(60, y, 12, SHOWN)
        yield from (dot(60 + x, y - 14, 4) for x in (-10, 0, 10))
    spots = ((200, 40), (232, 56), (268, 36), (292, 66), (212, 92), (250, 84), (284, 108), (224, 124), (262, 128))
    for number, (x, y) in enumerate(spots):
        yield dot(x, y, 6, SHOWN) if number % 4 == 1 else dot(x, y, 4)
    yield from result((60, 40, 30), moved=(6, -6, 5))


PICTURES: dict[str, tuple[Callable[[], Iterable[str]], str]] = {
    "known": (
        known,
        "Four bars for listed items, the last of height 0. Each has noise, also that of the item of nobody.",
    ),
    "correlated": (correlated, "Four bars raised by one common number, each with noise of its own."),
    "threshold": (threshold, "Five items as bars with noise. Three above a dashed threshold are released."),
    "joint": (
        joint,
        "One person's weight in four rounds with falling thresholds: all of it finds items at first; a part that grows "
        "counts what is shown; at last, all of it.",
    ),
    "weighted": (
        weighted,
        "Left, five low bars and a threshold; right, the three that are shown, counted again, higher.",
    ),
    "rounds": (rounds, "The thresholds of five rounds fall from 105 to 26.6 people; an item of 40 passes the fourth."),
    "groups": (groups, "A noisy sum divided by a noisy number of people gives a mean with an interval."),
    "top": (top, "Seven items, sorted. Five above the last level's 69 people are found, two are not."),
    "sample": (sample, "55 people of whom 14 are sampled: shown. 20 people of whom 5 are sampled: not mentioned."),
    "tree": (tree, "A tree over eight cells. A range of seven cells is the sum of three nodes."),
    "shape": (shape, "Sorted counts as columns of boxes. One more person adds one box."),
    "distribution": (distribution, "People as points around an estimate; one far away is pulled in to a circle."),
}
"""What draws a picture of a mechanism, and what it shows in words."""
TRUST: dict[str, tuple[Callable[[], Iterable[str]], str]] = {
    "reports": (reports, "People send reports that an aggregator reads; the analyst sees only the common items."),
    "masked": (masked, "People send masked numbers with noise; server and analyst see noisy counts."),
    "shuffled": (shuffled, "People send messages among noise; a shuffler mixes them; the analyst sees noisy buckets."),
}
"""Who sees what in a collection from people who keep their data."""


def svg(name: str) -> str:
    """The picture as a file."""
    draw, description = (PICTURES | TRUST)[name]
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="d"'
    look = f'font-family="system-ui, sans-serif" font-size="15" fill="{INK}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {look}><desc id="d">{escape(description)}</desc>'
    return "\n".join([head, rect(0, 0, WIDTH, HEIGHT, 'fill="#ffffff"'), *draw(), "</svg>", ""])


def write() -> None:
    """Write all pictures."""
    for name in PICTURES | TRUST:
        (FOLDER / f"{name}.svg").write_text(svg(name))


if __name__ == "__main__":
    write()
