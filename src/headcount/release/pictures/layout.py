"""Where panels, title and caption stand, in inches: 16:9 for a slide, else as high as needed."""

from dataclasses import dataclass
from math import ceil, sqrt

from headcount.release.pictures.scene import Options, Scene

SLIDE = 10.0, 5.625
"""Inches of a slide: 16 to 9."""
PAGE_WIDTH = 8.0
"""Inches of a picture that is as high as it must be."""
MAX_STACKED = 2
"""More panels than these stand beside each other."""
MARGIN, LINE, SMALL_LINE = 0.09, 0.26, 0.19
"""Inches around all, and of a line of the title and of what is small."""


@dataclass(frozen=True)
class Layout:
    """Where the panels of a scene stand."""

    scene: Scene
    options: Options

    @property
    def is_wide(self) -> bool:
        """True for several panels, unless the options say otherwise."""
        several = len(self.scene.panels) > MAX_STACKED and self.options.width is None
        return self.options.size == "slide" or (self.options.size is None and several)

    @property
    def width(self) -> float:
        """Inches."""
        return self.options.width or (SLIDE[0] if self.is_wide else PAGE_WIDTH)

    @property
    def columns(self) -> int:
        """Panels beside each other: as few places as possible stay empty."""
        count, most = len(self.scene.panels), max(int(self.width / self.scene.min_width), 1)
        fewest = ceil(sqrt(count)) if most > MAX_STACKED else 1
        return min(range(min(fewest, most), min(most, count) + 1), key=lambda across: (-count % across, -across))

    @property
    def rows(self) -> int:
        """Panels below each other."""
        return ceil(len(self.scene.panels) / self.columns)

    @property
    def heights(self) -> list[float]:
        """Inches of each row."""
        starts = range(0, len(self.scene.panels), self.columns)
        return [max(panel.height for panel in self.scene.panels[start:][: self.columns]) for start in starts]

    def size(self, head: tuple[str, str], foot: str) -> tuple[float, float]:
        """Inches of the figure: 16:9 for a slide, and for several panels if they fit."""
        needed = sum(self.heights) + inches_of(head) + SMALL_LINE * lines_of(foot) + 2 * MARGIN
        if self.options.size == "slide":
            return SLIDE
        return self.width, max(needed, SLIDE[1]) if self.is_wide else needed


def lines_of(words: str) -> int:
    """The number of lines; 0 if there are no words."""
    return words.count("\n") + 1 if words else 0


def inches_of(head: tuple[str, str]) -> float:
    """The height of a title and of what is small below it."""
    return LINE * lines_of(head[0]) + SMALL_LINE * lines_of(head[1])
