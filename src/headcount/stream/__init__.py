"""Pan-private counts of a stream, whose memory may be seized: noise is in the counts before the first event, and fresh
noise in what is published.

    counter.py ──► state.py ──► a file          Counter: add events, save, load, publish once
        └────────► release/shape.py: Shape      how many items have how many events, no item named

This is event-level pan-privacy (Dwork et al. 2010; Ghazi et al. 2022, section 2): what is protected is one event, not
one person. Proof: docs/proofs/stream.md.
"""

from headcount.stream.counter import Counter, Refused

__all__ = ["Counter", "Refused"]
