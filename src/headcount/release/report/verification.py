"""How anyone can check a report, what a pass proves, and what it does not."""

from headcount.errors import visible
from headcount.release.report.facts import Facts
from headcount.release.report.proofs import located

PROOF = "docs/proofs/ledger.md"
PASS = (
    "A pass proves that nothing in the ledger was edited, deleted or put in another order, that this release was "
    "sealed there at the price above, and that every number on this page is one that was sealed."
)
NO_PASS = (
    "It does not prove that the rows were right, that the program was the one it says, or that nobody published "
    "something else without the ledger. And whoever holds the ledger could write it anew as a whole, unless another "
    "person kept its head."
)

SAME_DATA = (
    "That it was made from certain rows can be checked by whoever holds them, the ledger and its key: the same request "
    "for the same rows returns this release, and costs nothing; for rows that differ by accident it is refused."
)


def introduction(facts: Facts) -> list[str]:
    """Which files there are."""
    origin = "This page is made from one file, the release as .parquet (release.save)."
    if not facts.about.head:
        return [f"{origin} If you have that file, its digest must be this one:"]
    return [
        f"{origin} Below, report.html stands for this page's own file, and release.parquet for that of the release; a "
        ".csv or .json saved from the release can be verified in the same way."
    ]


def commands(facts: Facts) -> str:
    """What to type."""
    if not facts.about.head:
        return "sha256sum release.parquet"
    verify = f"headcount ledger verify {ledger_name(facts)}"
    return "\n".join(
        [
            f"{verify} --release report.html",
            f"{verify} --head {facts.about.head} --release release.parquet",
            "sha256sum release.parquet",
        ]
    )


def meaning(facts: Facts) -> list[str]:
    """What a pass proves, and which file is a secret."""
    if not facts.about.head:
        return [
            "The same digest proves that the file is the one of this page; not when, from what or by whom it was made."
        ]
    key = f"{ledger_name(facts)}.key"
    return [
        f"{PASS} {NO_PASS} {SAME_DATA} Proof: {located(PROOF, facts.about.version)}.",
        f"Verifying needs the ledger's file, not {key}: that file is a secret. Keep it next to the ledger, and never "
        "send it along.",
    ]


def ledger_name(facts: Facts) -> str:
    """The ledger's file; a placeholder if it is not known."""
    return visible(facts.entry.ledger) if facts.entry else "LEDGER"
