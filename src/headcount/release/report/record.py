"""A record for the registry of deployments of OpenDP and NIST (repository opendp/deployments-registry-data, schema of
2026, tier 3): what headcount knows is filled in, the rest are marked gaps."""

import re
from typing import Any

from headcount.release.report.budget import composition
from headcount.release.report.checklist import noise_of
from headcount.release.report.delta import delta_sentences, delta_warnings
from headcount.release.report.facts import Facts
from headcount.release.report.meaning import meaning
from headcount.release.report.promise import promise_of
from headcount.release.report.proofs import proof_of
from headcount.release.report.yaml import Gap, Placeholder
from headcount.release.text import chart_title
from headcount.source.queries.step import promise_sentence

LIBRARY = (
    "Noise is drawn exactly, on whole numbers, from the operating system's generator: drawing it uses no floating "
    "point. Contributions are bounded before it, partly in floating point; the proofs allow for its rounding."
)
TRUST = (
    "Whoever holds the rows and runs headcount is trusted with them. Readers are not trusted: they may know anything "
    "else, and work together."
)


def record(facts: Facts) -> dict[str, Any]:
    """The record, as nested data."""
    deployment = {
        "basic": _basic(facts),
        "dp_variant": _variant(facts),
        "privacy_loss": _loss(facts),
        "deployment_model": _model(facts),
        "implementation": _implementation(facts),
        "administrative": {
            "status": "Draft",
            "registry_authors": [Gap("who filled in this record")],
            "tier": 3,
        },
    }
    return {"url_slug": _slug(f"{facts.about.what} {facts.about.dataset}"), "deployment": deployment}


def _slug(title: str) -> str:
    """A name for an address."""
    return re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")[:80] or "release"


def _basic(facts: Facts) -> dict[str, Any]:
    date = facts.entry.date if facts.entry else Placeholder("1900-01-01", "the day of publication, YYYY-MM-DD")
    curator = {
        "data_curator_name": Gap("who publishes it"),
        "data_curator_type": Placeholder("Government", "Government, Industry or Nonprofit"),
    }
    return {
        "name": chart_title(facts.about),
        "data_curators": [curator],
        "description": f"{chart_title(facts.about)}, from {facts.about.dataset}: {facts.table.num_rows:,} rows of "
        f"{', '.join(facts.table.column_names)}.",
        "intended_use": facts.purpose or Gap("what it is for"),
        "data_product_type": "Summary statistics",
        "data_product_region": Gap("which region the data describe, or whose laws apply"),
        "data_product_sector": Placeholder(
            "Technology", "Technology, Healthcare, Education, Government, Energy or Finance"
        ),
        "publication_date": date,
    }


def _variant(facts: Facts) -> dict[str, Any]:
    columns = facts.plan.get("columns")
    named = ", ".join(columns) if isinstance(columns, dict) else "not recorded"
    given = ", ".join(f"{name}={value}" for name, value in facts.public_parameters.items())
    public = f"Names and types of columns; parameters as given{f': {given}' if given else ''}."
    return {
        "variant_name": "Approximate DP" if float(facts.about.delta) else "Pure DP",
        "data_domain": f"All tables with these columns: {named}.",
        "unprotected_quantities": f"{public} Running time is not covered.",
    }


def _loss(facts: Facts) -> dict[str, Any]:
    promise, people = promise_of(facts), facts.people
    count = people.count if people and people.is_exact else None
    unknown = f"how many people there are{f' ({people}, {people.origin})' if people else ''}"
    parameters = {"epsilon": promise.epsilon, **({"delta": promise.delta} if promise.delta else {})}
    return {
        "privacy_unit": "User level" if facts.user else Gap("whose data changes between neighbouring tables"),
        "privacy_unit_details": " ".join(filter(None, [promise.change, promise_sentence(facts.about.promise)])),
        "number_of_privacy_units": Placeholder(0, unknown) if count is None else count,
        "privacy_parameters": parameters,
        "privacy_parameters_details": " ".join(
            [promise.odds, promise.exception, *delta_sentences(facts), *delta_warnings(facts)]
        ),
    }


def _model(facts: Facts) -> dict[str, Any]:
    central = facts.is_central
    return {
        "model_name": "Central"
        if central
        else Placeholder("Federated", "Local, Central, Shuffle, Federated or Varies"),
        "model_name_details": TRUST if central else Gap("who holds what, and who adds noise"),
        "trust_assumptions": TRUST if central else Gap("who is trusted with what, and why"),
        "actors": Gap("who may see the rows, the release, and anything in between"),
        "release_type": _release_type(facts),
        "release_type_details": composition(facts),
        "data_source_type": Placeholder("Static", "Static, or Dynamic if new data come in over time"),
        "data_source_type_details": Gap("how the data come in"),
        "access_type": "Non-interactive",
        "access_type_details": "One question, fixed before any row was read. Readers cannot ask more.",
    }


def _release_type(facts: Facts) -> str | Placeholder:
    """Many if a ledger has others; of one that is alone so far nobody knows what will follow."""
    if facts.entry and len(facts.entry.up_to) > 1:
        return "Many releases"
    return Placeholder("One release", "One release, or Many releases")


def _implementation(facts: Facts) -> dict[str, Any]:
    about = facts.about
    version = f"headcount {about.version}" if about.version else "headcount"
    bound = "was chosen privately, and paid for out of epsilon" if about.chosen else "is a public parameter"
    return {
        "preprocessing_and_hyperparameter_tuning": f"{' '.join(about.steps_of('reading'))} How much one "
        f"person may contribute {bound}. TO FILL IN: whether other parameters were tuned on these data.",
        "mechanisms": f"{noise_of(facts)}. Implemented by {version}. {LIBRARY} Timing is not protected. TO FILL IN: "
        "how the rows are kept, and who has access.",
        "composition": f"All steps of this release are within its epsilon and delta. {composition(facts)}",
        "post_processing": "Rounding, cutting at 0, intervals and order, from released values alone.",
        "justification": Gap("why these parameters, and who decided"),
        "utility": " ".join(filter(None, meaning(facts))) or Gap("how precise the numbers are"),
        "additional_information": f"SHA-256 of the release: {facts.digest}. Proof: {proof_of(facts)}.{_analyst(facts)}",
    }


def _analyst(facts: Facts) -> str:
    """Who made the charge, which nobody verified; empty if nobody said."""
    return f" Analyst, as stated at the charge: {facts.analyst}." if facts.analyst else ""
