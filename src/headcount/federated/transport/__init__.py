"""Transport of messages between the aggregator and people's devices, behind one protocol.

    collect.py   Transport: the protocol; collect: a whole round, from its publication to its result
    memory.py    clients in the same process
    secure.py    SecureTransport and collect_sum: the same for a secure sum, whose server is trusted with no answer
    flower/      clients that are nodes of Flower (headcount[flower]); imported only if it is used

A transport carries text, and is trusted as much as the aggregator or the server is: it sees who sends what.
"""

from headcount.federated.transport.collect import Transport, collect
from headcount.federated.transport.memory import MemoryTransport
from headcount.federated.transport.secure import SecureMemoryTransport, SecureTransport, collect_sum

__all__ = ["MemoryTransport", "SecureMemoryTransport", "SecureTransport", "Transport", "collect", "collect_sum"]
