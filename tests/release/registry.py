"""Rules of the registry of deployments of OpenDP and NIST, as data, and a check of a record against them.

Written from `schemas/deployments-schema.yaml` of the repository opendp/deployments-registry-data as it stood at commit
057e5d81: which fields there are, which are required, of what type, from which list, and at which tier.
"""

import re
from datetime import date
from typing import Any

TEXT, NUMBER, WHOLE, DAY = "text", "number", "whole", "day"
CURATOR = {"data_curator_name!": TEXT, "data_curator_type!": ("Government", "Industry", "Nonprofit")}
SECTORS = ("Technology", "Healthcare", "Education", "Government", "Energy", "Finance")
PRODUCTS = (
    "Summary statistics",
    "Machine learning model",
    "Dataset",
    "Synthetic data",
    "Interactive API",
    "SQL queries",
)
VARIANTS = ("Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom")
STATUS = ("Converted", "Draft", "Pending", "Changes Required", "Approved")
RULES: dict[str, Any] = {
    "url_slug!": TEXT,
    "deployment!": {
        "basic!": {
            "name!": TEXT,
            "data_curators!": [CURATOR],
            "description!": TEXT,
            "intended_use!": TEXT,
            "data_product_type!": PRODUCTS,
            "data_product_region!": TEXT,
            "data_product_sector": SECTORS,
            "publication_date!": DAY,
        },
        "dp_variant": {"variant_name": VARIANTS, "data_domain": TEXT, "unprotected_quantities": TEXT},
        "privacy_loss": {
            "privacy_unit": TEXT,
            "privacy_unit_details": TEXT,
            "number_of_privacy_units": WHOLE,
            "privacy_parameters": {"epsilon": NUMBER, "delta": NUMBER, "rho": NUMBER},
            "privacy_parameters_details": TEXT,
        },
        "deployment_model": {
            "model_name": ("Local", "Central", "Shuffle", "Federated", "Varies"),
            "model_name_details": TEXT,
            "trust_assumptions": TEXT,
            "actors": TEXT,
            "release_type": ("One release", "Many releases"),
            "release_type_details": TEXT,
            "data_source_type": ("Static", "Dynamic"),
            "data_source_type_details": TEXT,
            "access_type": ("Interactive", "Non-interactive"),
            "access_type_details": TEXT,
        },
        "implementation": {
            "preprocessing_and_hyperparameter_tuning": TEXT,
            "mechanisms": TEXT,
            "composition": TEXT,
            "post_processing": TEXT,
            "justification": TEXT,
            "utility": TEXT,
            "additional_information": TEXT,
        },
        "administrative!": {"evidence_sources": {}, "status!": STATUS, "registry_authors!": [TEXT], "tier!": (1, 2, 3)},
    },
}
"""A name with an exclamation mark is required; a tuple is a list of allowed values."""
OPTIONAL = {"evidence_sources", "rho", "delta"}
"""Fields that a record of tier 3 may leave out."""


def faults(record: Any, rules: Any = RULES, at: str = "record") -> list[str]:
    """Everything in a record that the registry would refuse, or that is missing at tier 3."""
    if isinstance(rules, dict):
        return _faults_of_object(record, rules, at)
    if isinstance(rules, list):
        items = record if isinstance(record, list) and record else [None]
        return [fault for index, each in enumerate(items) for fault in faults(each, rules[0], f"{at}.{index}")]
    right = record in rules if isinstance(rules, tuple) else _is(rules, record)
    return [] if right else [f"{at}: {record!r}"]


def _faults_of_object(record: Any, rules: dict[str, Any], at: str) -> list[str]:
    if not isinstance(record, dict):
        return [f"{at}: not an object"]
    known = {name.rstrip("!"): rule for name, rule in rules.items()}
    found = [f"{at}.{name}: missing" for name in known if name not in record and name not in OPTIONAL]
    found += [f"{at}.{name}: unknown" for name in record if name not in known]
    inner = (faults(value, known[name], f"{at}.{name}") for name, value in record.items() if name in known)
    return [*found, *(fault for several in inner for fault in several)]


def _is(kind: str, value: Any) -> bool:
    if kind == NUMBER:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == WHOLE:
        return isinstance(value, int) and not isinstance(value, bool)
    if not isinstance(value, str) or not value:
        return False
    return kind == TEXT or bool(re.fullmatch(r"\d{4}-\d\d-\d\d", value) and date.fromisoformat(value))
