"""Counts of a sample of each person's items, shown from a threshold on; and mistakes with what is shown."""

from collections import Counter
from dataclasses import replace

from audits.on_people import ALONE, exact_delta, on_people
from audits.specimen import DELTA, ONE, Cases, Deltas, People, Run
from headcount.account.calibration import calibrate
from headcount.account.curves.threshold import changed_people, gaussian_delta, laplace_delta
from headcount.account.events import GaussianThreshold, Neighbours, RandomizedThreshold
from headcount.bound import SampledItems
from headcount.mechanism import Thresholded
from headcount.noise import Entropy
from headcount.noise.laplace import DiscreteLaplace


def honest() -> Cases:
    """Either kind of noise."""
    event, joint = _event(), calibrate.joint_gaussian(ONE, DELTA, items=1, largest=1)
    yield "thresholded, Laplace", _of_one_item(event), laplace_delta(event), ALONE, 1
    yield "thresholded, Gaussian", on_people(Thresholded(SampledItems(1), joint)), DELTA, ALONE, 1


def wrong() -> Cases:
    """A threshold that is too low, and what gives away the items below it."""
    event = _event()
    shown, paid = _of_one_item(event), laplace_delta(event)
    swapped = ((("b",),) + (("a",), ("b",)) * 9, (("a",), ("b",)) * 9)
    many = ((tuple("abcdefghijklmnop"),), ())
    yield "threshold off by one", _of_one_item(replace(event, threshold=event.threshold - 1)), paid, ALONE, 1
    yield "keys in order of rows", ordered_by_appearance(shown), paid, swapped, 1
    yield "an error for rare items", refusing_rare(shown), paid, ALONE, 1
    yield "support before bounding", support_before_bounding(shown, event.threshold), paid, many, 1


def enumerations(neighbours: Neighbours) -> Deltas:
    """Either kind of noise; with coins."""
    epsilon = 2 * changed_people(neighbours) * ONE
    laplace = RandomizedThreshold(ONE, bound=2, largest=1, threshold=5, neighbours=neighbours, coin=ONE / 3)
    exact = exact_delta(on_people(Thresholded(SampledItems(2), laplace)), neighbours, epsilon)
    yield "thresholded, Laplace", epsilon, laplace_delta(laplace), exact
    gaussian = GaussianThreshold(2 * ONE, items=2, largest=1, threshold=5, neighbours=neighbours)
    exact = exact_delta(on_people(Thresholded(SampledItems(2), gaussian)), neighbours, ONE)
    yield "thresholded, Gaussian", ONE, gaussian_delta(ONE, gaussian), exact


def _event() -> RandomizedThreshold:
    """Laplace noise and a threshold, for one item of each person."""
    return calibrate.randomized_threshold(ONE, DELTA, bound=1, largest=1)


def _of_one_item(event: RandomizedThreshold) -> Run[People]:
    return on_people(Thresholded(SampledItems(1), event))


def ordered_by_appearance(mechanism: Run[People]) -> Run[People]:
    """The same output, its keys in the order of the rows."""

    def run(people: People, entropy: Entropy) -> dict[str, int]:
        shown = mechanism(people, entropy)
        assert isinstance(shown, dict)
        appearance = list(dict.fromkeys(item for person in people for item in person))
        return {item: shown[item] for item in appearance if item in shown}

    return run


def refusing_rare(mechanism: Run[People]) -> Run[People]:
    """The same output, but an error that names an item which only one person has."""

    def run(people: People, entropy: Entropy) -> object:
        for item, count in Counter(item for person in people for item in person).items():
            if count == 1:
                raise ValueError(f"too few people for {item!r}")
        return mechanism(people, entropy)

    return run


def support_before_bounding(mechanism: Run[People], threshold: int) -> Run[People]:
    """Liu et al. 2023, Algorithm 3, as printed: items that nobody keeps after bounding (to one item) get noise, too."""

    def run(people: People, entropy: Entropy) -> object:
        nobody = sorted({item for person in people for item in person[1:]})
        ghosts = entropy.draw(DiscreteLaplace(ONE), len(nobody)).tolist()
        shown = mechanism(tuple(person[:1] for person in people), entropy)
        assert isinstance(shown, dict)
        return {**shown, **{item: ghost for item, ghost in zip(nobody, ghosts, strict=True) if ghost >= threshold}}

    return run
