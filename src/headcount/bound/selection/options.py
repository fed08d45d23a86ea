"""A bound that headcount chooses, with the options of the choice: its share of epsilon, and the bounds to choose from.

`bound="auto"` is `bound=hc.ChosenBound()`. The choices of Liu et al. 2023 that are no better here are in
`headcount.papers`."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

from headcount.bound.selection.by_load import Exponential as ExponentialSelection
from headcount.bound.selection.by_load import Generalized
from headcount.bound.selection.paper import DpSgd as DpSgdSelection
from headcount.bound.selection.paper import InverseSensitivity as InverseSensitivitySelection
from headcount.bound.selection.paper import MQuantile as MQuantileSelection
from headcount.bound.selection.paper import OutputPerturbation as OutputPerturbationSelection
from headcount.bound.selection.paper import Quantile as QuantileSelection
from headcount.bound.selection.profile import FromProfile
from headcount.errors import BadParameter
from headcount.exact import Number, one_of, rational, whole
from headcount.source.contributions.contributions import LARGEST_COUNT
from headcount.wording.options import Options, options
from headcount.wording.typed import listed

Way = Literal["auto", "profile", "generalized"]
WAYS: tuple[Way, ...] = ("auto", FromProfile.name, Generalized.name)  # type: ignore[assignment]
"""Ways to choose a bound that are worth a name."""


def parse_way(name: str, way: Any, before: Mapping[str, Any]) -> Any:
    """How the bound is chosen."""
    return one_of(name, way, WAYS)


def parse_share(name: str, share: Any, before: Mapping[str, Any]) -> Fraction:
    """The share of epsilon for selecting the bound."""
    part = rational("share", share, fix="share=0.05")
    if not 0 < part < 1:
        raise BadParameter(
            f"share={share!r}: choosing the bound takes a part of epsilon, more than none and less than all.",
            fix="share=0.05",
        )
    return part


def parse_grid(name: str, grid: Any, before: Mapping[str, Any]) -> tuple[int, ...]:
    """The bounds to select from."""
    fix = "grid=[1, 2, 5, 10, 20], the bounds to choose from"
    bounds = tuple(whole("grid", each, minimum=1, fix=fix) for each in listed("grid", grid, 1000, of="bounds", fix=fix))
    if not bounds or list(bounds) != sorted(set(bounds)) or bounds[-1] > LARGEST_COUNT:
        raise BadParameter(f"grid={list(bounds)!r:.60}: at least one bound, rising, up to {LARGEST_COUNT:,}.", fix=fix)
    return bounds


@options
class BoundOptions(Options):
    """A bound that is chosen privately, within epsilon.

    share: the share of epsilon for choosing the bound; by default 0.02 to 0.05.
    grid: the bounds to choose from, instead of all.
    """

    parameter: ClassVar[str] = "bound"
    passed_on: ClassVar[tuple[str, ...]] = ("share", "grid")
    share: Annotated[Number | None, parse_share] = None
    """The share of epsilon for choosing the bound; by default 0.02 to 0.05."""
    grid: Annotated[Sequence[int] | None, parse_grid] = None
    """The bounds to choose from, instead of all."""


@options
class ChosenBound(BoundOptions):
    """A bound that headcount chooses privately, within epsilon.

    way: "auto", or by name: "profile", a private profile of people; "generalized", a comparison of all bounds by their
        error.
    share: the share of epsilon for choosing the bound; by default 0.02 to 0.05.
    grid: the bounds to choose from, instead of all.

    >>> import headcount as hc
    >>> request = {"user": "user", "by": "song", "epsilon": 1, "mechanism": "thresholded"}
    >>> hc.plan("histogram", hc.example(), **request, bound=hc.ChosenBound(grid=[1, 5, 20])).job.grid
    (1, 5, 20)
    """

    name: ClassVar[str] = "auto"
    example: ClassVar[str] = "share=0.1"
    passed_on: ClassVar[tuple[str, ...]] = ("way", "share", "grid")
    way: Annotated[Way, parse_way] = "auto"
    """How the bound is chosen."""

    @classmethod
    def of_name(cls, name: str) -> dict[str, Any] | None:
        return {"way": name} if name in WAYS else None

    @property
    def stored_name(self) -> str:
        return self.way

    @property
    def passed(self) -> dict[str, Any]:
        return {name: value for name, value in self.given.items() if name != "way"}


@options
class PaperBound(BoundOptions):
    """A choice of a paper, to compare with."""

    home: ClassVar[str] = "papers"
    listed: ClassVar[bool] = True
    """True if it is for items known in advance, False for others."""
    squares: ClassVar[bool] = True
    """True if it chooses a bound on squares, for Gaussian noise."""


@options
class Exponential(PaperBound):
    """A bound chosen by the exponential mechanism (Liu et al. 2023, Algorithm 4), for items not known in advance.

    share: the share of epsilon for choosing the bound; by default 0.05.
    grid: the bounds to choose from, instead of all up to 1,500.
    """

    name: ClassVar[str] = ExponentialSelection.name
    squares: ClassVar[bool] = False
    listed: ClassVar[bool] = False


@options
class Quantile(PaperBound):
    """The sum that as many people exceed as the noise is worth (Liu et al. 2023), for items known in advance: Laplace
    noise, no delta.

    share: the share of epsilon for choosing the bound; by default 0.05.
    grid: the bounds to choose from, instead of all up to 100.
    """

    name: ClassVar[str] = QuantileSelection.name
    squares: ClassVar[bool] = False


@options
class InverseSensitivity(PaperBound):
    """The best norm, by how many people would have to change until a candidate is the best (Liu et al. 2023), for items
    known in advance.

    share: the share of epsilon for choosing the bound; by default 0.05.
    grid: the bounds to choose from, instead of all up to 100.
    """

    name: ClassVar[str] = InverseSensitivitySelection.name


@options
class MQuantile(PaperBound):
    """The best norm as if all people were alike: a baseline of Liu et al. 2023, for items known in advance.

    share: the share of epsilon for choosing the bound; by default 0.05.
    grid: the bounds to choose from, instead of all up to 100.
    """

    name: ClassVar[str] = MQuantileSelection.name


@options
class DpSgd(PaperBound):
    """The best norm by noisy gradient descent: a baseline of Liu et al. 2023, for items known in advance.

    share: the share of epsilon for choosing the bound; by default 0.05.
    grid: the bounds to choose from, instead of all up to 100.
    """

    name: ClassVar[str] = DpSgdSelection.name


@options
class OutputPerturbation(PaperBound):
    """The best norm with noise (Liu et al. 2023, Algorithm 2): a baseline, for items known in advance.

    share: the share of epsilon for choosing the bound; by default 0.05.
    grid: the bounds to choose from, instead of all up to 100.
    """

    name: ClassVar[str] = OutputPerturbationSelection.name


PAPER_BOUNDS: tuple[type[PaperBound], ...] = (
    Exponential,
    Quantile,
    InverseSensitivity,
    DpSgd,
    OutputPerturbation,
    MQuantile,
)
"""The choices of the paper."""
SQUARES = tuple(kind.name for kind in PAPER_BOUNDS if kind.squares)
"""Those that choose a bound on squares, for Gaussian noise."""
